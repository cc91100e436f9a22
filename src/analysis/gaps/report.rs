//! This module holds the report of gaps. It is plain data and does not depend on the analysis.

use crate::analysis::base::{Header, Totals};
use serde::{Deserialize, Serialize};
use xla_profile::keyed_enum;
use xla_profile::profile::Note;
use xla_profile::units::{Count, Picos};

keyed_enum! {
    /// What a device waited for.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum GapClass {
        /// Time before the first op or after the last op of the device.
        Capture = "capture": "Outside the capture",
        /// The host compiled or loaded a program.
        Recompile = "recompile": "Compilation or program load",
        /// The host loaded data, or moved it to the device.
        Input = "input": "Input data",
        /// The host waited for data of the device, or ran a callback.
        Sync = "sync": "Host waits for the device",
        /// The host defragmented the memory of the device.
        Defrag = "defrag": "Memory defragmentation",
        /// The host did something else, or nothing that the profiler recorded.
        Host = "host": "Host overhead",
        /// The run waited for other devices to arrive.
        Barrier = "barrier": "Other devices",
        /// The run waited for another run.
        Dependency = "dependency": "Another run",
        /// The run was enqueued, and had not started yet.
        Launch = "launch": "Launch",
        /// The capture does not tell.
        Unexplained = "unexplained": "Unexplained",
        /// The program had called Python on the host, and waited for the result.
        Callback = "callback": "Host callback",
        /// The host waited for the next request, as a server does.
        Requests = "requests": "Waiting for requests",
    }
}

impl GapClass {
    /// Returns whether the device waited because the host enqueued the next run too late.
    pub const fn is_host_late(self) -> bool {
        matches!(self, Self::Recompile | Self::Input | Self::Sync | Self::Defrag | Self::Host)
    }
}

/// The time of one class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassTime {
    pub class: GapClass,
    pub total: Picos,
    /// Number of gaps that have time of this class. A mean if the window is one.
    pub n: Count,
    /// Number of these gaps in all windows.
    pub n_all: u64,
}

/// A host event that overlaps the part of a gap in which the host was late.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostEvent {
    pub name: String,
    /// Time within that part of the gap in which an event of this name runs on any host thread.
    pub total: Picos,
}

/// A maximal stretch of time without an op on any op line of a device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    /// Label of the device.
    pub device: String,
    /// Start, from the start of `step` or of the capture.
    pub start: Picos,
    /// Start on the axis of the session, which the timeline shows.
    pub axis_start: Picos,
    /// Number of the step in which the gap starts. `None` if the window is the whole capture.
    pub step: Option<u64>,
    pub total: Picos,
    /// Time by class, the longest first. The sum is `total`.
    pub parts: Vec<(GapClass, Picos)>,
    /// Name of the op that ends where the gap starts. `None` at the start of the window.
    pub after: Option<String>,
    /// Name of the op that ends the gap. `None` at the end of the window.
    pub before: Option<String>,
    /// Name of the program whose run ends the gap.
    pub program: Option<String>,
    /// Host events during the late part, the longest first. Empty also for the gaps that a note (`unnamed_host_events`) counts.
    pub host_events: Vec<HostEvent>,
    /// The thread of the host call, and its time during the late part in which nothing was traced on it. `None` if the host
    /// was not late, if its thread is unknown, and for the gaps that a note (`unnamed_host_events`) counts.
    pub untraced: Option<Untraced>,
}

/// A time in which nothing was traced on a thread of the host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Untraced {
    pub thread: String,
    pub total: Picos,
}

impl Gap {
    /// Returns the class with the most time in the gap.
    pub fn main_class(&self) -> GapClass {
        self.parts.first().map_or(GapClass::Unexplained, |(class, _)| *class)
    }
}

/// The gaps of the selected devices in the selected step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gaps {
    /// The devices and the window of the report.
    pub header: Header,
    /// Sums over the window.
    pub totals: Totals,
    /// Length of the window on the event clock, summed over devices unless it is a mean. It is `busy` plus the total of all classes.
    pub window: Picos,
    /// Time with at least one op, summed over devices.
    pub busy: Picos,
    /// Time by class, the longest first.
    pub classes: Vec<ClassTime>,
    /// The longest gaps, the longest first.
    pub gaps: Vec<Gap>,
    /// Number of all gaps. A mean if the window is one.
    pub n_gaps: Count,
    /// Number of all gaps in all windows.
    pub n_all: u64,
    /// Time of the gaps that are not in `gaps`, in all windows.
    pub rest: Picos,
    /// Number and time of gaps of at least 1 µs between the ops of a loop, which are self time of the loop and not idle.
    pub in_loops: (Count, Picos),
    /// Number of runs of programs in all windows.
    pub n_runs: u64,
    /// Number of those runs whose host call is known.
    pub n_linked_runs: u64,
    /// Median of the time from the end of the host call to the start of its run, in ps: how far the host is ahead of the
    /// device. Negative if the run starts before the call ends. `None` if no run is linked.
    pub host_lead: Option<f64>,
    /// By how much the clock of a device is behind that of its host. Host events are read with this shift. `None` if
    /// the order of calls and runs is possible without one.
    pub clock_shift: Option<Picos>,
    /// Assumptions and omissions.
    pub notes: Vec<Note>,
}

impl Gaps {
    /// Returns the idle time: the sum of all classes.
    pub fn idle(&self) -> Picos {
        self.classes.iter().map(|class| class.total).sum()
    }

    /// Returns the time in which the host was late: the sum of the classes for which [`GapClass::is_host_late`] holds.
    pub fn host_late(&self) -> Picos {
        self.classes.iter().filter(|class| class.class.is_host_late()).map(|class| class.total).sum()
    }
}

/// Idle time of one class.
pub type ClassIdle = (GapClass, Picos);
