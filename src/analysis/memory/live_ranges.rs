//! When each buffer is alive: the heap simulator's trace, replayed. This module knows events and references to memory; no sizes.
//!
//! ```text
//!  events       0 ALLOC a   1 ALLOC b   2 SHARE c with a   3 FREE a   4 FREE c   5 SHARE d with a   6 FREE d
//!  references   a: 1        b: 1        a: 2               a: 1       a: 0       a: 1               a: 0
//!  lives        a ├──────────────────────────────────────────────────┤           a ├────────────────┤   b ├── … end
//! ```
//!
//! A buffer that shares another's memory keeps that alive, and takes it once more where it was free already: forgetting
//! that rule is wrong by a gigabyte on real programs.

use super::buffers::Buffers;
use crate::wire::proto::hlo::HeapSimulatorTrace;
use crate::wire::proto::hlo::heap_simulator_trace::Event;
use crate::wire::proto::hlo::heap_simulator_trace::event::Kind;

/// A buffer's memory from when it is taken until it is free. Alive at the points `first + 1 ..= last`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LiveRange {
    /// The buffer whose memory it is, and whose size counts: its place in [`Buffers`].
    pub(super) slot: u32,
    /// The buffer that took it: the same, or one that shares memory which was free already.
    pub(super) holder: u32,
    /// The event that took it.
    pub(super) first: u32,
    /// The event that freed it; the number of events where none does.
    pub(super) last: u32,
}

impl LiveRange {
    /// Whether it is alive at a point of the curve.
    pub(super) const fn covers(&self, point: u32) -> bool {
        self.first < point && point <= self.last
    }
}

/// What a trace says.
#[derive(Debug, Default)]
pub(super) struct Replay {
    /// By when they begin.
    pub(super) live_ranges: Vec<LiveRange>,
    /// Events that make no sense: of buffers that are not there, freeing what is free, taking what is taken.
    pub(super) invalid_events: u32,
}

const FREE: u32 = u32::MAX;

/// Memory by buffer: how many hold it, and which life is open.
struct Memory {
    holders: u32,
    open: u32,
    /// The buffer whose memory it has.
    canonical: u32,
}

pub(super) fn replay(trace: &HeapSimulatorTrace, buffers: &Buffers) -> Replay {
    let mut memory: Vec<Memory> =
        (0..buffers.all.len() as u32).map(|slot| Memory { holders: 0, open: FREE, canonical: slot }).collect();
    let mut replay = Replay::default();
    let n = trace.events.len() as u32;
    for (at, event) in (0..n).zip(&trace.events) {
        if step(event, at, n, buffers, &mut memory, &mut replay.live_ranges).is_none() {
            replay.invalid_events += 1;
        }
    }
    replay
}

/// One event; `None` where it makes no sense.
fn step(
    event: &Event,
    at: u32,
    n: u32,
    buffers: &Buffers,
    memory: &mut [Memory],
    live_ranges: &mut Vec<LiveRange>,
) -> Option<()> {
    let slot = buffers.slot(event.buffer_id)? as usize;
    // Whose memory the buffer has from here on.
    let own = match Kind::try_from(event.kind).ok()? {
        Kind::Alloc => {
            let bytes = &mut memory[slot];
            if bytes.canonical as usize == slot && bytes.holders > 0 {
                // Taken twice: it is held twice, and there once.
                bytes.holders += 1;
                return None;
            }
            memory[slot].canonical = slot as u32;
            slot
        }
        Kind::ShareWith => {
            let with = buffers.slot(event.share_with_canonical_id)? as usize;
            let canonical = memory[with].canonical;
            memory[slot].canonical = canonical;
            canonical as usize
        }
        Kind::Free => {
            let own = &mut memory[memory[slot].canonical as usize];
            own.holders = own.holders.checked_sub(1)?;
            if own.holders == 0 {
                live_ranges[own.open as usize].last = at;
                own.open = FREE;
            }
            return Some(());
        }
    };
    memory[own].holders += 1;
    if memory[own].holders == 1 {
        memory[own].open = live_ranges.len() as u32;
        live_ranges.push(LiveRange { slot: own as u32, holder: slot as u32, first: at, last: n });
    }
    Some(())
}

/// Whether a trace is of an allocation that comes and goes in a memory. Which allocation it is of is reported by its first event:
/// what the trace says of itself is wrong in real files.
pub(super) fn is_of(trace: &HeapSimulatorTrace, buffers: &Buffers, color: i64) -> bool {
    let first = trace.events.first().and_then(|event| buffers.slot(event.buffer_id));
    let allocation = first.and_then(|slot| buffers.allocation(slot));
    allocation.is_some_and(|a| a.color == color && a.comes_and_goes())
}

/// The trace of a memory: one that is of it, else the one with the most events of that memory; the largest of several.
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
            buffers.slot(event.buffer_id).is_some_and(|slot| buffers.all[slot as usize].color == color)
        };
        trace.events.iter().filter(is).count()
    };
    first_largest(
        &mut traces.iter().filter(|trace| is_of(trace, buffers, color)).map(|trace| (trace.events.len(), trace)),
    )
    .or_else(|| first_largest(&mut traces.iter().map(|trace| (of_color(trace), trace))))
}
