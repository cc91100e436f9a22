//! This module computes the curve, the peak and the live buffers of one memory of a program, from live ranges and
//! sizes.
//!
//! ```text
//!  bytes │        ┌─┐          points      one before each event, one at the end
//!        │   ┌────┘ └──┐       peak        the maximum, first reached by event `position`: the point after that event
//!        │ ──┘         └──     persistent  the bytes that are alive all the time
//!        └────────────────►
//! ```
//!
//! The sizes of the buffers that are alive at a point sum exactly to the curve. Where buffers share addresses, each
//! address counts for the buffer that took it last. The peak without some buffers is a replay: the same sums with size
//! 0 for these buffers. The replay is exact because sharing does not depend on sizes.

use super::addresses;
use super::buffers::Buffers;
use super::heap_trace::{LiveRange, replay_heap_trace, trace_is_for_color, trace_of};
use super::query::Points;
use super::report::{Basis, Curve, CurveColumn, SpacePeak};
use super::schedule::Schedule;
use crate::analysis::classify::phase::{by_path, phase};
use xla_profile::hlo::{InstructionId, Module};
use xla_profile::wire::proto::hlo::BufferAssignmentProto;

/// The state of one memory of a program.
#[derive(Debug)]
pub(super) struct Space {
    pub(super) color: i64,
    pub(super) basis: Basis,
    pub(super) n_events: u32,
    /// In the order in which they begin.
    pub(super) live_ranges: Vec<LiveRange>,
    /// Bytes at each point, with padding.
    pub(super) padded: Vec<u64>,
    /// Bytes at each point, without padding.
    pub(super) unpadded: Vec<u64>,
    /// The instruction of each event. `None` if the module has no such instruction.
    pub(super) instructions: Vec<Option<InstructionId>>,
    pub(super) peak: SpacePeak,
    /// Number of events of the trace that are invalid.
    pub(super) invalid_events: u32,
    /// Whether buffers share addresses while they are alive at the same point.
    pub(super) overlaps: bool,
    /// Number of other traces of this memory. They are not in the curve.
    pub(super) other_traces: u32,
}

impl Space {
    pub(super) fn new(
        proto: &BufferAssignmentProto,
        buffers: &Buffers,
        unpadded: &[u64],
        module: &Module,
        schedule: &Schedule,
        color: i64,
    ) -> Self {
        let trace = trace_of(&proto.heap_simulator_traces, buffers, color);
        let mut peak = sums(buffers, color, is_tiled(module));
        let (mut basis, mut invalid_events, mut live_ranges, mut instructions) =
            (Basis::Constant, 0, Vec::new(), Vec::new());
        if let Some(trace) = trace {
            let replayed = replay_heap_trace(trace, buffers);
            (basis, invalid_events, live_ranges) = (Basis::Trace, replayed.invalid_events, replayed.live_ranges);
            instructions = trace.events.iter().map(|e| module.instruction_named(&e.instruction_name)).collect();
        } else if buffers.of_color(color).any(|(_, a)| a.is_temporary() && a.size > 0) && !schedule.order.is_empty() {
            (basis, live_ranges) = (Basis::Schedule, schedule.live_ranges(module, buffers, color));
            instructions = schedule.order.iter().map(|id| Some(*id)).collect();
        }
        let n_events = instructions.len() as u32;
        let of_color = proto.heap_simulator_traces.iter().filter(|trace| trace_is_for_color(trace, buffers, color));
        let other_traces = of_color.count().saturating_sub(1) as u32;
        let bytes = |size: &dyn Fn(u32) -> u64| curve(&live_ranges, (n_events, color), peak.indefinite, buffers, size);
        let padded = bytes(&|slot| buffers.all[slot as usize].size);
        let unpadded = bytes(&|slot| unpadded[slot as usize]);
        let overlaps = shares_addresses(color) && {
            let sum =
                curve(&live_ranges, (n_events, 0), peak.indefinite, buffers, |slot| buffers.all[slot as usize].size);
            sum != padded
        };
        let (most, position) = peak_of_curve(&padded);
        peak.peak = most;
        peak.position = position;
        peak.instruction = position.and_then(|position| {
            let name =
                trace.and_then(|trace| trace.events.get(position as usize)).map(|event| event.instruction_name.clone());
            name.or_else(|| Some(module.instruction(instructions[position as usize]?)?.name.to_string()))
        });
        (peak.n_events, peak.basis) = (n_events, basis);
        Self {
            color,
            basis,
            n_events,
            live_ranges,
            padded,
            unpadded,
            instructions,
            peak,
            invalid_events,
            overlaps,
            other_traces,
        }
    }

    /// Returns the point of the peak.
    pub(super) fn peak_point(&self) -> u32 {
        self.peak.position.map_or(0, |position| position + 1)
    }

    /// Iterates over the live ranges that cover a point.
    pub(super) fn alive(&self, point: u32) -> impl Iterator<Item = &LiveRange> {
        // Live ranges are in the order of their beginnings, so later ones cannot cover the point.
        self.live_ranges[..self.live_ranges.partition_point(|range| range.first < point)]
            .iter()
            .filter(move |range| range.covers(point))
    }

    /// Returns the instruction of the event before a point. `None` at the start, or if the instruction is unknown.
    pub(super) fn instruction(&self, point: u32) -> Option<InstructionId> {
        *self.instructions.get((point as usize).checked_sub(1)?)?
    }

    /// Reduces the points `from..to` to at most `columns` columns.
    pub(super) fn curve(&self, module: &Module, from: u32, to: u32, columns: u32) -> Curve {
        let n_points = self.padded.len() as u32;
        let to = to.min(n_points);
        let from = from.min(to);
        let columns: Vec<CurveColumn> = self::columns(Points { from, to }, n_points, columns)
            .filter_map(|(from, to)| self.column(from, to))
            .collect();
        let name = |column: &CurveColumn| Some(module.instruction(self.instruction(column.most_at)?)?.name.to_string());
        let instructions = columns.iter().map(|column| name(column).unwrap_or_default()).collect();
        let phase = |column: &CurveColumn| {
            let instruction = module.instruction(self.instruction(column.most_at)?)?;
            phase(&instruction.name, by_path(instruction.op_name()))
        };
        let phases = columns
            .iter()
            .map(|column| phase(column).map_or(String::new(), |phase| phase.label().to_owned()))
            .collect();
        Curve { n_points, from, to, columns, instructions, phases }
    }

    fn column(&self, from: u32, to: u32) -> Option<CurveColumn> {
        let points = from as usize..to as usize;
        let (padded, unpadded) = (&self.padded[points.clone()], &self.unpadded[points]);
        let most = *padded.iter().max()?;
        Some(CurveColumn {
            first: from,
            least: *padded.iter().min()?,
            most,
            most_at: from + padded.iter().position(|size| *size == most)? as u32,
            unpadded_least: *unpadded.iter().min()?,
            unpadded_most: *unpadded.iter().max()?,
        })
    }
}

impl SpacePeak {
    /// Returns the bytes of all allocations. `None` if the program has no buffer assignment.
    pub fn allocated(&self) -> Option<u64> {
        (self.basis != Basis::LiveRanges).then_some(self.total_allocation)
    }
}

/// Divides points into at most `columns` columns of equal width. Each item is the first point of a column and the point
/// after its last one.
pub(super) fn columns(points: Points, n_points: u32, columns: u32) -> impl Iterator<Item = (u32, u32)> {
    let to = points.to.min(n_points);
    let from = points.from.min(to);
    let n = u64::from(to - from);
    let wide = u64::from(columns).clamp(1, n.max(1));
    let edge = move |i: u64| from + (n * i / wide) as u32;
    (0..wide).map(move |i| (edge(i), edge(i + 1)))
}

/// Returns whether buffers of a memory may have the same addresses while both are alive. In the main memory (colour 0),
/// the heap gives each live buffer addresses of its own. Memory that several buffers share in the trace counts once.
pub(super) const fn shares_addresses(color: i64) -> bool {
    color != 0
}

/// Returns the bytes at each point: `persistent_bytes`, plus the sizes of the live ranges that cover the point.
pub(super) fn curve(
    live_ranges: &[LiveRange],
    (n_events, color): (u32, i64),
    persistent_bytes: u64,
    buffers: &Buffers,
    size: impl Fn(u32) -> u64,
) -> Vec<u64> {
    if shares_addresses(color) {
        return addresses::curve(live_ranges, n_events, persistent_bytes, buffers, size);
    }
    // The change of bytes at each point. A live range that no event ends has its change behind the last point.
    let mut change = vec![0_i128; n_events as usize + 2];
    for range in live_ranges {
        let size = i128::from(size(range.slot));
        change[range.first as usize + 1] += size;
        change[range.last as usize + 1] -= size;
    }
    change.pop();
    let mut now = i128::from(persistent_bytes);
    let points = change.into_iter().map(|change| {
        now += change;
        // The sum of the sizes of a damaged file may exceed 64 bits.
        u64::try_from(now).unwrap_or(u64::MAX)
    });
    points.collect()
}

/// Returns the maximum and the event that first reaches it. The event is `None` if the first point has the maximum.
pub(super) fn peak_of_curve(points: &[u64]) -> (u64, Option<u32>) {
    let most = points.iter().copied().max().unwrap_or_default();
    let first = points.iter().position(|size| *size == most).unwrap_or_default();
    (most, first.checked_sub(1).map(|position| position as u32))
}

/// Sums the allocations of a memory.
fn sums(buffers: &Buffers, color: i64, is_tpu: bool) -> SpacePeak {
    let mut sums = SpacePeak { color, space: name(color, is_tpu), ..SpacePeak::default() };
    for (_, allocation) in buffers.of_color(color) {
        let add = |sum: &mut u64, is: bool| *sum = sum.saturating_add(if is { allocation.size } else { 0 });
        add(&mut sums.total_allocation, true);
        add(&mut sums.indefinite, allocation.is_indefinite());
        add(&mut sums.parameters, allocation.category == super::categories::Category::Parameter);
        add(&mut sums.live_out, allocation.is_live_out);
        add(&mut sums.constants, allocation.is_constant);
    }
    sums
}

/// Returns whether any layout has tiles. Only layouts for a TPU have tiles.
fn is_tiled(module: &Module) -> bool {
    let is =
        |array: &xla_profile::hlo::ArrayShape| array.layout.as_ref().is_some_and(|layout| !layout.tiles.is_empty());
    module.instructions().any(|(_, i)| i.shape.arrays().any(is))
}

/// Returns the name of a memory for users. Only the colours of a TPU have names.
fn name(color: i64, is_tpu: bool) -> String {
    match color {
        0 if is_tpu => "HBM".to_owned(),
        1 if is_tpu => "VMEM".to_owned(),
        0 => "device memory".to_owned(),
        other => format!("S({other})"),
    }
}
