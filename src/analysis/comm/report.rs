//! The report of communication. Plain data; knows nothing of how it was found. Times are picoseconds, rates bytes per second.

use super::flags::{Flag, accepted};
use super::imbalance::{Balance, Straggler};
use super::primitive::{Core, Execution, Primitive, Role};
use crate::analysis::base::{Header, Totals};
use crate::profile::Note;
use crate::small_sort::SmallSort;
use crate::units::Picos;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;

/// The answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comm {
    /// What the figures are of.
    pub header: Header,
    /// Sums over all ops.
    pub totals: Totals,
    /// Collectives of the device's own core.
    pub tensor: Traffic,
    /// Collectives of its SparseCores; `None` where the capture has none.
    pub sparse: Option<Traffic>,
    /// Copies between memories, the device's own core.
    pub copies: Traffic,
    /// Collectives, as they are requested: the longest not covered by compute first. That order is the critical path.
    pub rows: Vec<CommRow>,
    /// Copies in the same form.
    pub copy_rows: Vec<CommRow>,
    /// Collectives by primitive and core, the longest stall first; with the flags that are worth a look.
    pub primitives: Vec<PrimitiveSums>,
    /// Each step of the devices asked about, by number; several devices are summed.
    pub steps: Vec<StepComm>,
    /// How steps and arrivals differ over the devices of the session; `None` where there is one device.
    pub balance: Option<Balance>,
    /// How what is asynchronous was found.
    pub pairing: Pairing,
    /// What links carry at most; `None` where that is not known, and a note says why.
    pub link: Option<LinkPeak>,
    /// What was assumed, left out or looks wrong.
    pub notes: Vec<Note>,
}

impl Comm {
    /// The window of one device: what it waits is compared with this.
    pub fn device_window(&self) -> Option<Picos> {
        let devices = u64::from(self.header.n_devices.max(1));
        self.header.step_duration.map(|window| Picos(window.0 / devices))
    }

    /// Without what the format of reports does not carry.
    #[must_use]
    pub fn as_carried(mut self) -> Self {
        for step in &mut self.steps {
            (step.beside_collectives, step.beside_copies) = (None, None);
        }
        for arrival in self.balance.iter_mut().flat_map(|balance| &mut balance.devices) {
            arrival.waited = None;
        }
        self
    }

    /// The device that others wait for; see [`Balance::straggler`].
    pub fn straggler(&self) -> Option<Straggler<'_>> {
        self.balance.as_ref()?.straggler(self.device_window())
    }
}

/// What is in flight against what is computed. Both on one clock: the device's own where all lines have it, else the event clock.
/// in flight = exposed + overlapped, exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overlap {
    /// Length of the union of what is in flight.
    pub in_flight: Picos,
    /// Of that, while the same core computes nothing.
    pub exposed: Picos,
    /// The rest.
    pub overlapped: Picos,
    /// What the core waited, on this same clock: the figure to hold against `exposed`.
    pub waited: Picos,
}

impl Overlap {
    /// Overlapped ÷ in flight, a fraction. `None` where nothing is in flight.
    pub fn share(&self) -> Option<f64> {
        self.overlapped.fraction_of(self.in_flight)
    }
}

/// Sums of a kind of traffic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traffic {
    /// Executions that start in the window.
    pub n: u64,
    /// Self time of waits (`-done`) and of synchronous ones: what the compute waits for. On the clock of the breakdown.
    pub stall: Picos,
    /// Self time of the `-start` and `-update` halves.
    pub issue: Picos,
    /// Self time of ops that compute and communicate at once: in neither of the two.
    pub fused: Picos,
    /// In flight against compute.
    pub overlap: Overlap,
    /// Bytes of the messages of executions whose size is known.
    pub bytes: u64,
    /// Executions whose size is not known.
    pub n_unsized: u64,
}

/// A row: collectives or copies that belong together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CommRow {
    /// What makes it a row: an op's name, a line of source, a primitive, or a primitive with its groups.
    pub key: String,
    /// What is done; `None` where a row has several.
    pub primitive: Option<Primitive>,
    /// The op's name: of a pair its start's. `None` where a row has several, as in all that follow up to `role`.
    pub op: Option<String>,
    /// Its program.
    pub program: Option<String>,
    /// The program's id.
    pub program_id: Option<u64>,
    /// The innermost line of source.
    pub source: Option<String>,
    /// The scope path.
    pub scope: Option<String>,
    /// Which core.
    pub core: Core,
    /// Whether the core waits.
    pub execution: Execution,
    /// Who takes part; also `None` where neither the op's text nor its program says it.
    pub group: Option<DeviceGroup>,
    /// What it is likely for.
    pub role: Option<Role>,
    /// How many ops.
    pub n_ops: u32,
    /// Executions that start in the window.
    pub n: u64,
    /// Bytes of the message of one execution, from shapes: all-reduce, reduce-scatter, all-to-all, permute and send their operands,
    /// all-gather and recv their results. `None` where not known, and where ops of a row differ.
    pub bytes_each: Option<u64>,
    /// The same of all executions; `None` where one of them is not known.
    pub bytes: Option<u64>,
    /// Self time of waits and synchronous ones.
    pub stall: Picos,
    /// Self time of `-start` and `-update`.
    pub issue: Picos,
    /// Self time of ops that compute and communicate at once.
    pub fused: Picos,
    /// In flight against compute.
    pub overlap: Overlap,
    /// Σ length of its executions that start in the window, not clipped: what rates are over.
    pub wall: Picos,
    /// bytes ÷ wall.
    pub alg_rate: Option<f64>,
    /// The ring's factor × bytes ÷ wall ([`Primitive::bus_factor`]); `None` also where the number of devices is not known.
    pub bus_rate: Option<f64>,
    /// What links could carry for it: one link, one way × 2 where rings are closed × axes.
    pub peak: Option<f64>,
    /// bus rate ÷ peak, a fraction; `None` without a topology (a note says so). Above 1 it is reported as it is.
    pub util: Option<f64>,
}

impl CommRow {
    /// It has halves of pairs alone, whose other halves are outside of the capture: no execution, though its waits take time.
    pub fn is_unpaired(&self) -> bool {
        self.n == 0 && self.stall + self.issue > Picos::ZERO
    }

    /// Its bandwidth is above what its links carry: the topology, the size or the time is not what it is taken for.
    pub fn is_above_peak(&self) -> bool {
        self.util.is_some_and(|util| util > 1.0)
    }

    /// Bytes per second: of a copy its own, of a collective those of its links.
    pub fn rate(&self) -> Option<f64> {
        if self.primitive.is_some_and(Primitive::is_copy) { self.alg_rate } else { self.bus_rate }
    }

    /// Smaller messages are bound by latency: their bandwidth says nothing of links.
    pub const LARGE: u64 = 1 << 20;

    /// Of rows with messages of [`CommRow::LARGE`] or more the place of the one with the lowest bandwidth, the first of several.
    pub fn slowest(rows: &[Self]) -> Option<usize> {
        let rated = |(at, row): (usize, &Self)| {
            let large = row.bytes_each.is_some_and(|bytes| bytes >= Self::LARGE);
            Some((at, row.rate().filter(|_| large)?))
        };
        rows.iter().enumerate().filter_map(rated).min_by(|a, b| a.1.total_cmp(&b.1)).map(|(at, _)| at)
    }

    /// Leaves at most so many rows, the first ones and, in the last place of them, the one with the lowest bandwidth: a figure of all
    /// rows stays the same figure. The others, in order.
    pub fn cut(rows: &mut Vec<Self>, most: usize) -> Vec<Self> {
        let slowest = Self::slowest(rows).filter(|at| *at >= most && most > 0);
        let mut rest = rows.split_off(rows.len().min(most));
        if let Some((at, last)) = slowest.and_then(|at| at.checked_sub(most)).zip(rows.last_mut())
            && let Some(row) = rest.get_mut(at)
        {
            std::mem::swap(row, last);
            rest.small_sort_by_key(|row| Reverse(row.overlap.exposed));
        }
        rest
    }
}

/// Which devices take part together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceGroup {
    /// As HLO writes it: `[4,2]<=[2,4]T(1,0)`; a long list is cut.
    pub text: String,
    /// Devices in a group; `None` for "all" where their number is not known.
    pub size: Option<u64>,
    /// Distance between neighbours of the first group, where it is always the same.
    pub stride: Option<u64>,
    /// The first group, of a large one the first devices.
    pub first: Vec<u64>,
    /// How many groups; `None` as for `size`.
    pub n_groups: Option<u64>,
    /// The axes it extends along: of the topology that is given (`x`, `x+y`, `core`), else of the mesh where HLO names one.
    pub axis: Option<String>,
    /// Axes of the topology it extends along; `None` without a topology, or where its devices are not on it.
    pub n_axes: Option<u32>,
}

/// Sums of a primitive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PrimitiveSums {
    /// Which.
    pub primitive: Primitive,
    /// On which core.
    pub core: Core,
    /// Its sums.
    pub traffic: Traffic,
    /// Where the compute waits for it: names of the XLA flags worth trying on this chip. The capture does not record which are set.
    pub flags: Vec<String>,
}

impl PrimitiveSums {
    /// Its flags with their values and defaults, those that the chip's compiler takes.
    pub fn suggestions(&self, device_type: Option<&str>) -> Vec<Flag> {
        accepted(&self.flags, self.primitive, device_type)
    }
}

/// A step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepComm {
    /// Its number.
    pub number: u64,
    /// Length.
    pub duration: Picos,
    /// Union of what is computed.
    pub compute_busy: Picos,
    /// Time without an op.
    pub idle: Picos,
    /// Collectives of the device's own core.
    pub collectives: Overlap,
    /// Copies between memories.
    pub copies: Overlap,
    /// What the core does while it neither computes nor has a collective in flight. `None` in a report, which does not carry it.
    pub beside_collectives: Option<Remainder>,
    /// The same of copies between memories.
    pub beside_copies: Option<Remainder>,
}

/// What a core does in the time of a step in which it computes nothing and has nothing of one traffic in flight: the four parts
/// are all of that time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remainder {
    /// Ops that move data.
    pub data_movement: Picos,
    /// Ops of communication.
    pub communication: Picos,
    /// Other ops.
    pub other: Picos,
    /// No op.
    pub idle: Picos,
}

impl Remainder {
    /// Adds what another device has.
    pub(super) fn add(&mut self, other: &Self) {
        self.data_movement += other.data_movement;
        self.communication += other.communication;
        self.other += other.other;
        self.idle += other.idle;
    }
}

/// How what is asynchronous was found; counts of executions in the window, of collectives and copies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pairing {
    /// One event of the async line.
    pub from_line: u64,
    /// Several events of one flow.
    pub from_flow: u64,
    /// A start and a done of the op line.
    pub from_ops: u64,
    /// Synchronous.
    pub sync: u64,
    /// Starts without a done, and dones without a start.
    pub unpaired: u64,
    /// Asynchronous work of other kinds (gathers on another core …): in no figure.
    pub other: u64,
    /// The sweep is on the device's own clock; else on the event clock.
    pub device_clock: bool,
}

impl Pairing {
    /// Unpaired ÷ all asynchronous, a fraction.
    pub fn unpaired_ratio(&self) -> Option<f64> {
        let pairs = self.from_line + self.from_flow + self.from_ops;
        Picos(self.unpaired).fraction_of(Picos(pairs + self.unpaired))
    }
}

/// What links carry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkPeak {
    /// The chip.
    pub chip: String,
    /// Bytes per second of one link in one direction.
    pub one_way: f64,
    /// Where the figure is from.
    pub source: String,
    /// Devices of a chip, by whose number ids of devices become chips.
    pub devices_per_chip: u32,
}

/// What is in flight, in lanes, against compute.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CommLanes {
    /// The device.
    pub device: Option<String>,
    /// The part that is reported, in picoseconds from the start of the step.
    pub part: (Picos, Picos),
    /// Length of the step.
    pub duration: Picos,
    /// What was in flight, by start; times from the start of the step, clipped to the part.
    pub spans: Vec<LaneSpan>,
    /// How many lanes they take: in each, none overlaps another.
    pub n_lanes: u32,
    /// Merged stretches of compute; at most as many as spans may be reported, the longest.
    pub compute: Vec<(Picos, Picos)>,
    /// Stretches in which the core waits, in the same number at most.
    pub waits: Vec<(Picos, Picos)>,
    /// Spans that are not told, and their time.
    pub left_out: (u64, Picos),
    /// Stretches of compute and of waiting that are not told, and their time.
    pub stretches_left_out: (u64, Picos),
    /// What is to be reported.
    pub notes: Vec<Note>,
}

/// Something in flight.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaneSpan {
    /// Its lane, from 0.
    pub lane: u32,
    /// The op: of a pair its start.
    pub name: String,
    /// Its program's id.
    pub program_id: Option<u64>,
    /// What it is.
    pub primitive: Primitive,
    /// Whether the core waits.
    pub execution: Execution,
    /// From the start of the step.
    pub start: Picos,
    /// From the start of the step.
    pub end: Picos,
    /// Of it, while nothing is computed. All of it: a stall; nothing: hidden.
    pub exposed: Picos,
}
