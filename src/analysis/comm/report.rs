//! This module holds the report of communication. It is plain data and does not depend on the analysis. Times are in
//! ps, rates in bytes per second.

use super::dcn::DcnCollective;
use super::imbalance::{DeviceBalance, Straggler};
use super::suggested_flags::{Flag, accepted};
use crate::analysis::base::{Header, Totals};
use crate::analysis::classify::network::Network;
use crate::analysis::classify::primitive::{Core, Execution, Primitive, Role};
use crate::table::format::bytes_text;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use xla_profile::profile::Note;
use xla_profile::small_sort::SmallSort;
use xla_profile::units::{Count, Picos};

/// The report of communication for the devices and the window of a query.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comm {
    /// The devices and the window of the report.
    pub header: Header,
    /// Sums over all ops of the window.
    pub totals: Totals,
    pub tensor: Traffic,
    /// Collectives of the SparseCores. `None` if the capture has no SparseCore.
    pub sparse: Option<Traffic>,
    /// Copies between memories, on the device's own core.
    pub copies: Traffic,
    /// Collectives, grouped as the query requests. The row with the longest exposed time comes first, so the order
    /// shows the critical path.
    pub rows: Vec<CommRow>,
    pub copy_rows: Vec<CommRow>,
    /// Collectives between slices, over the data center network; the longest time in flight first.
    pub dcn: Vec<DcnCollective>,
    /// Sums of collectives by primitive and core, the longest stall first, with suggested flags.
    pub primitives: Vec<PrimitiveSums>,
    /// Steps of the selected devices, by number. Steps of the same number are summed over devices.
    pub steps: Vec<StepComm>,
    /// Differences between the devices of the session. `None` if the session has one device.
    pub balance: Option<DeviceBalance>,
    /// Counts of executions by the way in which they were found.
    pub pairing: Pairing,
    /// Bandwidth of the chip's links. `None` if it is unknown; a note gives the reason.
    pub link: Option<LinkPeak>,
    /// Assumptions, omissions and doubtful values.
    pub notes: Vec<Note>,
}

impl Comm {
    /// Returns the window of one device: the mean window of the devices in the report. Waits are compared with it.
    pub fn device_window(&self) -> Option<Picos> {
        let devices = u64::from(self.header.n_summed().max(1));
        self.header.step_duration.map(|window| Picos(window.0 / devices))
    }

    /// Returns the value as a report gives it back: without what reports do not hold.
    #[must_use]
    pub fn as_in_report(mut self) -> Self {
        for step in &mut self.steps {
            (step.beside_collectives, step.beside_copies) = (None, None);
        }
        self
    }

    /// Returns the device for which the others wait; see [`DeviceBalance::straggler`].
    pub fn straggler(&self) -> Option<Straggler<'_>> {
        self.balance.as_ref()?.straggler(self.device_window())
    }
}

/// Time in flight, split by compute. All times are on one clock: the device clock if every line has it, else the event
/// clock. `in_flight` is exactly `exposed + overlapped`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overlap {
    /// Length of the union of the intervals in flight.
    pub in_flight: Picos,
    /// The part of `in_flight` during which the same core computes nothing.
    pub exposed: Picos,
    /// The part of `in_flight` during which the same core computes.
    pub overlapped: Picos,
    /// Time for which the core waits, on the same clock as `exposed`, so that the two can be compared.
    pub waited: Picos,
}

impl Overlap {
    /// Returns `overlapped` ÷ `in_flight`, a fraction. `None` if nothing is in flight.
    pub fn share(&self) -> Option<f64> {
        self.overlapped.fraction_of(self.in_flight)
    }
}

/// Sums of one traffic: collectives or copies of one sort of core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traffic {
    pub n: Count,
    /// Self time of dones and of synchronous ops: the time for which compute waits. On the clock of the breakdown.
    pub stall: Picos,
    /// Self time of `-start` and `-update` ops.
    pub issue: Picos,
    /// Self time of ops that compute and communicate at once. Not part of `stall` or `issue`.
    pub fused: Picos,
    pub overlap: Overlap,
    /// Σ message bytes of the executions whose size is known.
    pub bytes: u64,
    /// Executions whose size is unknown.
    pub n_unsized: Count,
}

/// A row of the table: collectives or copies with the same key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CommRow {
    /// The text that identifies the row: the name of an op, a source line, a primitive, or a primitive with its groups.
    pub key: String,
    /// `None` if the ops of the row differ.
    pub primitive: Option<Primitive>,
    /// The network over which the row goes. `None` if it is unknown, if the ops of the row differ, and for copies within a
    /// device.
    pub network: Option<Network>,
    /// The name of the op; for an async pair, the name of its start. This field and the fields up to `scope`, and
    /// `group` and `role`, are `None` if the ops of the row differ.
    pub op: Option<String>,
    pub program: Option<String>,
    pub program_id: Option<u64>,
    /// Innermost source line.
    pub source: Option<String>,
    pub scope: Option<String>,
    pub core: Core,
    pub execution: Execution,
    /// The devices that take part. Also `None` if neither the op's text nor its program names them.
    pub group: Option<DeviceGroup>,
    /// Likely role of the primitive in training.
    pub role: Option<Role>,
    pub n_ops: u32,
    /// Executions that start in the window.
    pub n: Count,
    /// Message bytes of one execution, from shapes. All-reduce, reduce-scatter, all-to-all, permute and send count
    /// their operands, all-gather and recv their results. `None` if the size is unknown, or if the ops of the row
    /// differ.
    pub bytes_each: Option<u64>,
    /// Message bytes of all executions. `None` if the size of one of them is unknown.
    pub bytes: Option<u64>,
    /// Self time of dones and of synchronous ops.
    pub stall: Picos,
    /// Self time of `-start` and `-update` ops.
    pub issue: Picos,
    /// Self time of ops that compute and communicate at once.
    pub fused: Picos,
    pub overlap: Overlap,
    /// Σ full duration of the executions that start in the window, not clipped. The rates divide by this time.
    pub wall: Picos,
    /// Algorithm bandwidth: `bytes` ÷ `wall`. `None` if the bytes are unknown, or if the executions take less than
    /// 100 ns on average.
    pub alg_rate: Option<f64>,
    /// Bus bandwidth: bus factor × bytes ÷ `wall` ([`Primitive::bus_factor`]). `None` as for `alg_rate`, and if the
    /// number of devices is unknown.
    pub bus_rate: Option<f64>,
    /// Bandwidth of the network of the row, for one device. For ICI, one-way bandwidth of a link × 2 for wrap-around links
    /// × number of axes: `None` without a topology, and for a group that extends along no axis. For other networks, in
    /// one direction: `None` if none is published and the user gave none.
    pub peak: Option<f64>,
    /// [`CommRow::rate`] ÷ `peak`, a fraction. `None` without one of them. The value may exceed 1.
    pub util: Option<f64>,
}

impl CommRow {
    /// Whether the row has only halves of async pairs whose other halves are outside of the capture. Such a row has no
    /// execution, although its waits take time.
    pub fn is_unpaired(&self) -> bool {
        self.n == 0 && self.stall + self.issue > Picos::ZERO
    }

    /// Whether the bandwidth exceeds that of the network. The topology, the size or the time is then wrong. The size of a
    /// ragged all-to-all is only the most that it can be.
    pub fn is_above_peak(&self) -> bool {
        self.primitive != Some(Primitive::RaggedAllToAll) && self.util.is_some_and(|util| util > 1.0)
    }

    /// Returns the bandwidth of the row: the algorithm bandwidth of a copy, or the bus bandwidth of a collective.
    pub fn rate(&self) -> Option<f64> {
        if self.primitive.is_some_and(Primitive::is_copy) { self.alg_rate } else { self.bus_rate }
    }

    /// Returns the primitive and its network, such as `all-reduce over DCN`. `None` for ops of several primitives.
    pub fn primitive_text(&self) -> Option<String> {
        self.primitive.map(|primitive| primitive.label(self.network))
    }

    /// Returns the bytes of a message. How many rows a ragged all-to-all sends is data of the run, and at most all.
    /// `None` if the size is unknown.
    pub fn message_text(&self) -> Option<String> {
        let at_most = if self.primitive == Some(Primitive::RaggedAllToAll) { "≤ " } else { "" };
        self.bytes_each.map(|bytes| format!("{at_most}{}", bytes_text(bytes)))
    }

    /// Smallest message in bytes that is compared by bandwidth. Latency limits smaller messages, so their bandwidth
    /// does not describe the links.
    pub const LARGE: u64 = 1 << 20;

    /// Returns the index of the row with the lowest bandwidth among the rows with messages of [`CommRow::LARGE`] or
    /// more. The first of several equal rows counts.
    pub fn slowest(rows: &[Self]) -> Option<usize> {
        let rated = |(index, row): (usize, &Self)| {
            let large = row.bytes_each.is_some_and(|bytes| bytes >= Self::LARGE);
            Some((index, row.rate().filter(|_| large)?))
        };
        rows.iter().enumerate().filter_map(rated).min_by(|a, b| a.1.total_cmp(&b.1)).map(|(index, _)| index)
    }

    /// Truncates `rows` to `limit` rows and returns the other rows, ordered by exposed time. If [`CommRow::slowest`] is
    /// not among the first rows, it takes the last place, so that the lowest bandwidth stays the same.
    pub fn cut(rows: &mut Vec<Self>, limit: usize) -> Vec<Self> {
        let slowest = Self::slowest(rows).filter(|index| *index >= limit && limit > 0);
        let mut rest = rows.split_off(rows.len().min(limit));
        if let Some((index, last)) = slowest.and_then(|index| index.checked_sub(limit)).zip(rows.last_mut())
            && let Some(row) = rest.get_mut(index)
        {
            std::mem::swap(row, last);
            rest.small_sort_by_key(|row| Reverse(row.overlap.exposed));
        }
        rest
    }
}

/// The devices that take part in a collective together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceGroup {
    /// The groups as HLO writes them: `[4,2]<=[2,4]T(1,0)`. A long text is cut.
    pub text: String,
    /// Devices in a group. `None` for groups of all devices if the number of devices is unknown.
    pub size: Option<u64>,
    /// Distance between neighbours of the first group, if it is constant.
    pub stride: Option<u64>,
    /// The first group, or its first devices if the group is large.
    pub first: Vec<u64>,
    /// Number of groups. `None` if the groups of a mesh cannot be listed.
    pub n_groups: Option<u64>,
    /// The axes along which the group extends: of the user's mesh, else of the topology (`x`, `x+y`, `core`), else of
    /// the mesh in HLO. `None` if none of them is known.
    pub axis: Option<String>,
    /// Number of topology axes along which the group extends. `None` without a topology, or if a device is not on the
    /// topology.
    pub n_axes: Option<u32>,
}

/// The sums of a primitive on one sort of core.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PrimitiveSums {
    pub primitive: Primitive,
    /// The network of the collectives. `None` if it is unknown.
    pub network: Option<Network>,
    pub core: Core,
    pub traffic: Traffic,
    /// Names of XLA flags to try on this chip, if compute waits for the primitive. The capture does not record which
    /// flags are set.
    pub flags: Vec<String>,
}

impl PrimitiveSums {
    /// Returns the flags with values and defaults. Flags that the chip's compiler refuses are left out.
    pub fn suggestions(&self, device_type: Option<&str>) -> Vec<Flag> {
        accepted(&self.flags, self.primitive, device_type)
    }
}

/// The communication of a step, summed over the selected devices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepComm {
    pub number: u64,
    pub duration: Picos,
    /// Length of the union of compute.
    pub compute_busy: Picos,
    /// Time without an op.
    pub idle: Picos,
    /// Collectives of the device's own core.
    pub collectives: Overlap,
    /// Copies between memories.
    pub copies: Overlap,
    /// Ops that run while the core neither computes nor has a collective in flight. `None` in a report, which does not
    /// carry the value.
    pub beside_collectives: Option<Remainder>,
    /// Ops that run while the core neither computes nor has a copy in flight. `None` in a report.
    pub beside_copies: Option<Remainder>,
}

/// Ops that run in a step while the core computes nothing and has nothing of one traffic in flight. The four parts sum
/// to that time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remainder {
    pub data_movement: Picos,
    pub communication: Picos,
    pub other: Picos,
    /// Time without an op.
    pub idle: Picos,
}

impl Remainder {
    /// Adds the times of another device.
    pub(super) fn add(&mut self, other: &Self) {
        self.data_movement += other.data_movement;
        self.communication += other.communication;
        self.other += other.other;
        self.idle += other.idle;
    }
}

/// Counts of executions of collectives and copies in the window, by the way in which they were found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pairing {
    /// One event of an async line.
    pub from_line: u64,
    /// Several events of an async line with the same flow.
    pub from_flow: u64,
    /// A start and a done of the op line.
    pub from_ops: u64,
    pub sync: u64,
    /// Starts without a done, and dones without a start.
    pub unpaired: u64,
    /// Asynchronous events of other sorts (gathers on another core …). No figure includes them.
    pub other: u64,
    /// Whether all times in flight are on the device clock. If not, they are on the event clock.
    pub device_clock: bool,
}

impl Pairing {
    /// Returns unpaired ÷ (asynchronous executions + unpaired), a fraction. `None` without any.
    pub fn unpaired_ratio(&self) -> Option<f64> {
        let pairs = self.from_line + self.from_flow + self.from_ops;
        Picos(self.unpaired).fraction_of(Picos(pairs + self.unpaired))
    }
}

/// The published bandwidth of the links of a chip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkPeak {
    pub chip: String,
    /// Bandwidth of one link in one direction, in bytes per second.
    pub one_way: f64,
    /// The document that publishes the bandwidth.
    pub source: String,
    /// Number of devices on a chip. It converts device numbers to chip numbers.
    pub devices_per_chip: u32,
}

/// Transfers in flight, in lanes, with the compute intervals of the same core. Times are in ps from the start of the
/// step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CommLanes {
    pub device: Option<String>,
    /// The step in words, as [`Header::step_text`] writes it. One step stands for a mean.
    pub step: String,
    /// Start and end of the part that is shown.
    pub part: (Picos, Picos),
    /// Duration of the whole step.
    pub duration: Picos,
    /// Spans in flight, ordered by start and clipped to the part.
    pub spans: Vec<LaneSpan>,
    /// Number of lanes. Spans of the same lane do not overlap.
    pub n_lanes: u32,
    /// Merged intervals of compute, clipped to the part. At most as many as spans, the longest ones.
    pub compute: Vec<(Picos, Picos)>,
    /// Merged intervals in which the core waits. At most as many as spans, the longest ones.
    pub waits: Vec<(Picos, Picos)>,
    /// Number and total time of the spans that were left out.
    pub left_out: (u64, Picos),
    /// Number and total time of the intervals of compute and waits that were left out.
    pub stretches_left_out: (u64, Picos),
    pub notes: Vec<Note>,
}

/// An execution of a transfer in flight. Times are in ps from the start of the step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaneSpan {
    pub lane: u32,
    /// The name of the op; for an async pair, the name of its start.
    pub name: String,
    pub program_id: Option<u64>,
    pub primitive: Primitive,
    pub execution: Execution,
    pub start: Picos,
    pub end: Picos,
    /// The part of the span without compute. If it is the whole span, nothing is hidden; if it is zero, everything is
    /// hidden.
    pub exposed: Picos,
}
