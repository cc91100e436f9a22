//! This module sums the gaps of devices.

use super::class_line::ClassTimes;
use super::gap_causes::Runs;
use super::host_classes::HostClasses;
use super::report::{ClassIdle, ClassTime, GapClass};
use super::window::DeviceWindow;
use crate::analysis::base::Platform;
use crate::analysis::base::scale::Scale;
use crate::table::format::time_text;
use xla_profile::profile::{Note, NoteCode, Severity};
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Picos;

/// The sums over all gaps.
#[derive(Default)]
pub(super) struct Sums {
    pub window: Picos,
    pub busy: Picos,
    pub idle: Picos,
    pub n_gaps: u64,
    /// Time and number of gaps by class, in the order of [`GapClass::ALL`].
    pub by_class: [(Picos, u64); GapClass::ALL.len()],
    pub in_loops: (u64, Picos),
    pub n_runs: u64,
    pub n_linked_runs: u64,
    /// Start of each linked run − end of its host call, in ps.
    pub leads: Vec<f64>,
    pub platforms: Vec<Platform>,
    /// The largest time by which the clock of a device is behind that of its host.
    pub clock_shift: Picos,
}

impl Sums {
    pub fn add_window(&mut self, window: &DeviceWindow, runs: &Runs<'_>, host: &HostClasses<'_>) {
        self.window += Picos(window.spans.length());
        self.busy += Picos(window.busy);
        self.in_loops.0 += window.in_loops.0;
        self.in_loops.1 += Picos(window.in_loops.1);
        let in_window = runs.all.iter().filter(|run| window.spans.within(run.time).next().is_some());
        for run in in_window {
            self.n_runs += 1;
            if let Some(call) = run.enqueue {
                self.n_linked_runs += 1;
                self.leads.push(Picos(run.time.0).as_f64() - Picos(host.links.time(call).1).as_f64());
            }
        }
        self.platforms.push(runs.platform);
    }

    pub fn add_gap(&mut self, times: &ClassTimes, length: u64) {
        self.n_gaps += 1;
        self.idle += Picos(length);
        for (class, time) in by_class(times) {
            let sum = &mut self.by_class[class as usize];
            *sum = (sum.0 + time, sum.1 + 1);
        }
    }

    /// Returns the time of each class.
    pub fn times(&self) -> Vec<ClassIdle> {
        GapClass::ALL.into_iter().zip(self.by_class).map(|(class, (time, _))| (class, time)).collect()
    }

    /// Returns the classes with their sums, the longest first.
    pub fn classes(&self, scale: Scale) -> Vec<ClassTime> {
        let class_time = |(class, (total, n_all)): (GapClass, (Picos, u64))| ClassTime {
            class,
            total: scale.time(total),
            n: scale.count(n_all.into()),
            n_all,
        };
        let all = GapClass::ALL.into_iter().zip(self.by_class).map(class_time);
        let mut all: Vec<ClassTime> = all.filter(|class| class.total > Picos::ZERO).collect();
        all.small_sort_by_key(|class| (std::cmp::Reverse(class.total), class.class));
        all
    }

    /// Returns the note on clocks of hosts and devices that differ.
    pub fn clock_note(&self) -> Option<Note> {
        let message = format!(
            "Runs start up to {} before the host has enqueued them, so the clocks of host and device differ. What the host did is \
             read with this shift.",
            time_text(self.clock_shift)
        );
        (self.clock_shift > Picos::ZERO).then(|| Note::new(Severity::Caution, NoteCode::DeviceClockBehind, message))
    }

    /// Returns the note on gaps that the capture does not explain.
    pub fn note(&self) -> Option<Note> {
        let note = |message: String| Some(Note::new(Severity::Info, NoteCode::UnlinkedRuns, message));
        if self.platforms.contains(&Platform::Cpu) {
            let message =
                "On CPUs, only the gaps between runs are explained: the capture does not tell what a run waited for.";
            return note(message.to_owned());
        }
        let what = if self.platforms.contains(&Platform::Gpu) { "kernels" } else { "runs" };
        let n = self.n_runs - self.n_linked_runs;
        if n == 0 {
            return None;
        }
        note(format!(
            "The host calls of {n} of {} {what} are not in the capture. What the device waited for before these {what} is unexplained.",
            self.n_runs
        ))
    }
}

/// Iterates over the classes that have time.
pub(super) fn by_class(times: &ClassTimes) -> impl Iterator<Item = ClassIdle> {
    let all = GapClass::ALL.into_iter().zip(times);
    all.filter(|(_, time)| **time > 0).map(|(class, time)| (class, Picos(*time)))
}
