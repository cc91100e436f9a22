//! This module finds when each buffer is alive, by a replay of the heap simulator's trace. It does not depend on sizes.
//!
//! ```text
//!  events       0 ALLOC a   1 ALLOC b   2 SHARE c with a   3 FREE a   4 FREE c   5 SHARE d with a   6 FREE d
//!  references   a: 1        b: 1        a: 2               a: 1       a: 0       a: 1               a: 0
//!  live ranges  a ├──────────────────────────────────────────────────┤           a ├────────────────┤   b ├── … end
//! ```
//!
//! A buffer that shares the memory of another buffer keeps that memory alive. If the memory was already free, the
//! buffer takes it again: a replay without this rule is wrong by a gigabyte on real programs.

use super::buffers::Buffers;
use xla_profile::wire::proto::hlo::HeapSimulatorTrace;
use xla_profile::wire::proto::hlo::heap_simulator_trace::Event;
use xla_profile::wire::proto::hlo::heap_simulator_trace::event::Kind;

/// The memory of a buffer from the event that takes it to the event that frees it. It is alive at the points
/// `first + 1 ..= last`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LiveRange {
    /// Index in [`Buffers`] of the buffer that owns the memory, and whose size counts.
    pub(super) slot: u32,
    /// Index in [`Buffers`] of the buffer that took the memory: the owner, or a buffer that shares memory which was
    /// already free.
    pub(super) holder: u32,
    /// Event that took the memory.
    pub(super) first: u32,
    /// Event that freed the memory; the number of events if none did.
    pub(super) last: u32,
}

impl LiveRange {
    /// Returns whether the range is alive at a point of the curve.
    pub(super) const fn covers(&self, point: u32) -> bool {
        self.first < point && point <= self.last
    }
}

/// The result of replaying a heap trace.
#[derive(Debug, Default)]
pub(super) struct ReplayResult {
    /// In the order in which they begin.
    pub(super) live_ranges: Vec<LiveRange>,
    /// Number of invalid events: they name a missing buffer, free free memory, or take taken memory.
    pub(super) invalid_events: u32,
}

const FREE: u32 = u32::MAX;

/// The state of the memory of a buffer: the number of holders, and the index of the open live range or [`FREE`].
struct Memory {
    holders: u32,
    open: u32,
    /// The buffer that owns the memory of this buffer.
    canonical: u32,
}

/// Finds the live ranges of all buffers by the events of a trace, in their order. An invalid event is counted, and changes no
/// range.
pub(super) fn replay_heap_trace(trace: &HeapSimulatorTrace, buffers: &Buffers) -> ReplayResult {
    let mut memory: Vec<Memory> =
        (0..buffers.all.len() as u32).map(|slot| Memory { holders: 0, open: FREE, canonical: slot }).collect();
    let mut result = ReplayResult::default();
    let n = trace.events.len() as u32;
    for (index, event) in (0..n).zip(&trace.events) {
        if step(event, index, n, buffers, &mut memory, &mut result.live_ranges).is_none() {
            result.invalid_events += 1;
        }
    }
    result
}

/// Applies one event. Returns `None` if the event is invalid.
fn step(
    event: &Event,
    index: u32,
    n: u32,
    buffers: &Buffers,
    memory: &mut [Memory],
    live_ranges: &mut Vec<LiveRange>,
) -> Option<()> {
    let slot = buffers.index(event.buffer_id)? as usize;
    // The buffer that owns the memory of this buffer after the event.
    let own = match Kind::try_from(event.kind).ok()? {
        Kind::Alloc => {
            let bytes = &mut memory[slot];
            if bytes.canonical as usize == slot && bytes.holders > 0 {
                // The memory is already taken: the event adds a holder, but no live range.
                bytes.holders += 1;
                return None;
            }
            memory[slot].canonical = slot as u32;
            slot
        }
        Kind::ShareWith => {
            let with = buffers.index(event.share_with_canonical_id)? as usize;
            let canonical = memory[with].canonical;
            memory[slot].canonical = canonical;
            canonical as usize
        }
        Kind::Free => {
            let own = &mut memory[memory[slot].canonical as usize];
            own.holders = own.holders.checked_sub(1)?;
            if own.holders == 0 {
                live_ranges[own.open as usize].last = index;
                own.open = FREE;
            }
            return Some(());
        }
    };
    memory[own].holders += 1;
    if memory[own].holders == 1 {
        memory[own].open = live_ranges.len() as u32;
        live_ranges.push(LiveRange { slot: own as u32, holder: slot as u32, first: index, last: n });
    }
    Some(())
}

/// Returns whether a trace describes an allocation of a memory for temporaries. The buffer of its first event decides,
/// because the allocation that the trace names is wrong in real files.
pub(super) fn trace_is_for_color(trace: &HeapSimulatorTrace, buffers: &Buffers, color: i64) -> bool {
    let first = trace.events.first().and_then(|event| buffers.index(event.buffer_id));
    let allocation = first.and_then(|slot| buffers.allocation(slot));
    allocation.is_some_and(|a| a.color == color && a.is_temporary())
}

/// Returns the trace of a memory: the one with the most events of those that describe it ([`trace_is_for_color`]), else the one with
/// the most events of buffers in this memory. `None` if no trace has such events.
pub(super) fn trace_of<'t>(
    traces: &'t [HeapSimulatorTrace],
    buffers: &Buffers,
    color: i64,
) -> Option<&'t HeapSimulatorTrace> {
    let first_largest = |traces: &mut dyn Iterator<Item = (usize, &'t HeapSimulatorTrace)>| {
        let mut best: Option<(usize, &HeapSimulatorTrace)> = None;
        for (n, trace) in traces {
            if n > best.map_or(0, |(n, _)| n) {
                best = Some((n, trace));
            }
        }
        best.map(|(_, trace)| trace)
    };
    let of_color = |trace: &HeapSimulatorTrace| {
        let is = |event: &&Event| {
            buffers.index(event.buffer_id).is_some_and(|slot| buffers.all[slot as usize].color == color)
        };
        trace.events.iter().filter(is).count()
    };
    first_largest(
        &mut traces
            .iter()
            .filter(|trace| trace_is_for_color(trace, buffers, color))
            .map(|trace| (trace.events.len(), trace)),
    )
    .or_else(|| first_largest(&mut traces.iter().map(|trace| (of_color(trace), trace))))
}
