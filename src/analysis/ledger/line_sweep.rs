//! This module finds the op that owns each instant of a device with several op lines.
//!
//! ```text
//!  Stream #1  ├── gemm ──┤        ├── gemm ──┤
//!  Stream #2       ├── all-reduce ──┤  ├ copy ┤
//!  owner      gggggggggggaaaaaaaaaggggggggggggc      compute before communication before data movement
//! ```

use crate::analysis::base::{Device, Interval, Merged, intervals, self_time};
use crate::analysis::classify::Kind;
use xla_profile::profile::{OpId, Plane};
use xla_profile::small_sort::SmallSort;

/// The events of an op line, in its order.
pub(super) struct OpLine {
    pub times: Vec<Interval>,
    pub ops: Vec<OpId>,
}

/// Reads the op lines of a device. `None` if a line has no times on the event clock.
pub(super) fn op_lines(plane: &Plane, device: &Device) -> Option<Vec<OpLine>> {
    let read = |index: &usize| {
        let line = &plane.lines[*index];
        Some(OpLine { times: intervals(line, device.event_clock)?, ops: line.events.ops().collect() })
    };
    device.ops.iter().map(read).collect()
}

/// The rank of a kind: of several ops that run at the same time, the one with the lowest rank owns the time.
const fn rank(kind: Kind) -> u8 {
    match kind {
        Kind::Compute | Kind::Fused => 0,
        Kind::Communication => 1,
        Kind::DataMovement => 2,
        Kind::Host => 3,
        Kind::Other => 4,
        Kind::Container => 5,
    }
}

/// A stretch of self time that starts or ends.
struct Change {
    time: u64,
    is_start: bool,
    line: usize,
    op: OpId,
}

/// Calls `on_time` with each stretch of time that an op owns. The stretches are disjoint and lie within `spans`. On one line,
/// they are the self times. Of ops that run on several lines at the same time, the lowest rank counts, then the first line.
/// `kind` returns the kind of an op.
pub(super) fn owned_times(
    lines: &[OpLine],
    spans: &Merged,
    kind: impl Fn(OpId) -> Kind,
    mut on_time: impl FnMut(OpId, Interval),
) {
    if let [line] = lines {
        self_time(&line.times, |event, from, to| {
            spans.within((from, to)).for_each(|time| on_time(line.ops[event], time));
        });
        return;
    }
    let mut changes: Vec<Change> = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        self_time(&line.times, |event, from, to| {
            for (start, end) in spans.within((from, to)) {
                let op = line.ops[event];
                changes.push(Change { time: start, is_start: true, line: index, op });
                changes.push(Change { time: end, is_start: false, line: index, op });
            }
        });
    }
    changes.small_sort_by_key(|change| (change.time, change.is_start, change.line));
    // A device has few lines, and each has at most one op at a time.
    let mut running: Vec<(u8, usize, OpId)> = Vec::new();
    let mut now = 0;
    for Change { time, is_start, line, op } in changes {
        if let Some((_, _, owner)) = running.iter().min().filter(|_| time > now) {
            on_time(*owner, (now, time));
        }
        now = time;
        let entry = (rank(kind(op)), line, op);
        if is_start {
            running.push(entry);
        } else {
            running.retain(|other| *other != entry);
        }
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const KINDS: [Kind; 4] = [Kind::DataMovement, Kind::Compute, Kind::Communication, Kind::Container];

    fn kind(op: OpId) -> Kind {
        KINDS[op.0 as usize % KINDS.len()]
    }

    /// Applies the rule to each instant.
    fn brute(lines: &[OpLine], spans: &Merged, n_ops: u32) -> Vec<u64> {
        let mut owned = vec![0; n_ops as usize];
        for now in (0..80).filter(|now| spans.contains(*now)) {
            let top = |line: &OpLine| {
                let events = line.times.iter().zip(&line.ops).enumerate();
                let covering = events.filter(|(_, ((start, end), _))| (*start..*end).contains(&now));
                covering
                    .max_by_key(|(index, (time, _))| (time.0, std::cmp::Reverse(time.1), *index))
                    .map(|(_, (_, op))| *op)
            };
            let owner = lines.iter().filter_map(top).min_by_key(|op| rank(kind(*op)));
            owner.into_iter().for_each(|op| owned[op.0 as usize] += 1);
        }
        owned
    }

    proptest! {
        #[test]
        fn owners_are_those_of_each_instant(
            raw in prop::collection::vec(prop::collection::vec((0u64..50, 0u64..14, 0u32..8), 0..10), 0..4),
            span in (0u64..60, 0u64..60),
        ) {
            let line = |raw: &Vec<(u64, u64, u32)>| OpLine {
                times: raw.iter().map(|(start, length, _)| (*start, start + length)).collect(),
                ops: raw.iter().map(|(.., op)| OpId(*op)).collect(),
            };
            let lines: Vec<OpLine> = raw.iter().map(line).collect();
            let spans = Merged::new(vec![(span.0, span.0 + span.1), (0, 5)]);
            let (mut owned, mut last) = (vec![0; 8], 0);
            owned_times(&lines, &spans, kind, |op, (from, to)| {
                assert!(last <= from && from < to);
                last = to;
                owned[op.0 as usize] += to - from;
            });
            prop_assert_eq!(owned, brute(&lines, &spans, 8));
        }
    }
}
