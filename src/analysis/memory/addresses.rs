//! Bytes of a memory in which buffers share addresses: the length of the union of the address ranges that are alive.
//!
//! ```text
//!  address │   ┌────────b───────┐       a and b are alive at the same point and overlap:
//!          │ ┌─┼──a──┐          │       the sum of their sizes is more than the memory they take
//!          │ │ └─────┼──────────┘
//!          │ └───────┘
//!          └──────────────────────► point
//! ```
//!
//! The compiler's memory space assignment frees a buffer of VMEM after the next one at its address has begun, so both are alive in
//! the trace for some events. An address counts once. This module knows ranges and points; no instructions.

use super::buffers::Buffers;
use super::live_ranges::LiveRange;

/// Bytes at each point: `below` all the time, and each address that a life covers once. `size` may be less than a buffer has.
pub(super) fn curve(
    live_ranges: &[LiveRange],
    n_events: u32,
    below: u64,
    buffers: &Buffers,
    size: impl Fn(u32) -> u64,
) -> Vec<u64> {
    let ranges: Vec<(u64, u64)> =
        live_ranges.iter().map(|range| buffers.addresses(range.slot, size(range.slot))).collect();
    let mut changes: Vec<(u32, bool, u32)> = Vec::with_capacity(ranges.len() * 2);
    for ((i, range), (start, end)) in (0_u32..).zip(live_ranges).zip(&ranges) {
        if start < end {
            changes.push((range.first + 1, true, i));
            changes.push((range.last + 1, false, i));
        }
    }
    changes.sort_by_key(|change| *change);
    let mut union = Union::new(&ranges);
    let mut left = changes.into_iter().peekable();
    let points = (0..=n_events).map(|point| {
        while let Some((_, begins, i)) = left.next_if(|(at, ..)| *at <= point) {
            union.change(ranges[i as usize], begins);
        }
        below.saturating_add(union.bytes())
    });
    points.collect()
}

/// The bytes of each life that no later one has taken; `lives` in the order in which they began.
pub(super) fn own_bytes(live_ranges: &[LiveRange], buffers: &Buffers, size: impl Fn(u32) -> u64) -> Vec<u64> {
    let ranges: Vec<(u64, u64)> =
        live_ranges.iter().map(|live_range| buffers.addresses(live_range.slot, size(live_range.slot))).collect();
    let mut union = Union::new(&ranges);
    let mut own: Vec<u64> = ranges
        .iter()
        .rev()
        .map(|range| {
            let before = union.bytes();
            union.change(*range, true);
            union.bytes() - before
        })
        .collect();
    own.reverse();
    own
}

/// A segment tree over the edges of ranges: how much of the addresses is covered.
struct Union {
    edges: Vec<u64>,
    /// By node: ranges that cover all of it, and covered bytes of it. A node's halves are `2 i` and `2 i + 1`.
    nodes: Vec<(u32, u64)>,
    /// Leaves: a power of two.
    width: usize,
}

impl Union {
    fn new(ranges: &[(u64, u64)]) -> Self {
        let mut edges: Vec<u64> = ranges.iter().flat_map(|(start, end)| [*start, *end]).collect();
        edges.sort_by_key(|edge| *edge);
        edges.dedup();
        let width = edges.len().max(1).next_power_of_two();
        Self { edges, nodes: vec![(0, 0); width * 2], width }
    }

    /// All that is covered.
    fn bytes(&self) -> u64 {
        self.nodes[1].1
    }

    /// A range begins or ends to cover its addresses.
    fn change(&mut self, (start, end): (u64, u64), begins: bool) {
        let place = |edge: u64| self.edges.partition_point(|other| *other < edge);
        let (from, to) = (place(start), place(end));
        if from < to {
            self.cover(1, (0, self.width), (from, to), begins);
        }
    }

    /// The tree is as deep as the number of edges has bits.
    fn cover(&mut self, node: usize, (left, right): (usize, usize), (from, to): (usize, usize), begins: bool) {
        if to <= left || right <= from {
            return;
        }
        if from <= left && right <= to {
            let n = &mut self.nodes[node].0;
            *n = if begins { *n + 1 } else { *n - 1 };
        } else {
            let middle = usize::midpoint(left, right);
            self.cover(2 * node, (left, middle), (from, to), begins);
            self.cover(2 * node + 1, (middle, right), (from, to), begins);
        }
        let edge = |at: usize| self.edges.get(at).or(self.edges.last()).copied().unwrap_or_default();
        self.nodes[node].1 = match self.nodes[node].0 {
            0 if right - left == 1 => 0,
            0 => self.nodes[2 * node].1 + self.nodes[2 * node + 1].1,
            _ => edge(right) - edge(left),
        };
    }
}
