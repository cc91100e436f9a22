//! This module counts the bytes of a memory in which buffers share addresses: the length of the union of the live
//! address ranges.
//!
//! ```text
//!  address │   ┌────────b───────┐       a and b are alive at the same point and overlap:
//!          │ ┌─┼──a──┐          │       the sum of their sizes is more than the memory they take
//!          │ │ └─────┼──────────┘
//!          │ └───────┘
//!          └──────────────────────► point
//! ```
//!
//! The memory space assignment of the compiler frees a buffer in VMEM after the next buffer at its address has begun,
//! so both are alive in the trace for some events. An address counts once. This module does not depend on instructions.

use super::buffers::Buffers;
use super::heap_trace::LiveRange;
use xla_profile::small_sort::SmallSort;

/// Returns the bytes at each point: `below`, plus each address that a live range covers, counted once. `size` gives the
/// bytes of a buffer to count, which may be less than its size.
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
    changes.small_sort_by_key(|change| *change);
    let mut union = Union::new(&ranges);
    let mut left = changes.into_iter().peekable();
    let points = (0..=n_events).map(|point| {
        while let Some((_, begins, i)) = left.next_if(|(first, ..)| *first <= point) {
            union.change(ranges[i as usize], begins);
        }
        below.saturating_add(union.bytes())
    });
    points.collect()
}

/// Returns the bytes of each live range that no later one has taken. `live_ranges` must be in the order in which they
/// begin.
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

/// A segment tree over the edges of address ranges, which counts the covered bytes.
struct Union {
    edges: Vec<u64>,
    /// For each node, the number of ranges that cover it whole, and its covered bytes. The children of node `i` are
    /// `2 i` and `2 i + 1`.
    nodes: Vec<(u32, u64)>,
    /// Number of leaves, a power of two.
    width: usize,
}

impl Union {
    fn new(ranges: &[(u64, u64)]) -> Self {
        let mut edges: Vec<u64> = ranges.iter().flat_map(|(start, end)| [*start, *end]).collect();
        edges.sort_unstable();
        edges.dedup();
        let width = edges.len().max(1).next_power_of_two();
        Self { edges, nodes: vec![(0, 0); width * 2], width }
    }

    /// Returns all covered bytes.
    fn bytes(&self) -> u64 {
        self.nodes[1].1
    }

    /// Adds a range, or removes it if `begins` is false.
    fn change(&mut self, (start, end): (u64, u64), begins: bool) {
        let place = |edge: u64| self.edges.partition_point(|other| *other < edge);
        let (from, to) = (place(start), place(end));
        if from < to {
            self.cover(1, (0, self.width), (from, to), begins);
        }
    }

    /// Updates a node and its children. The depth of the tree is at most the number of bits in the number of edges.
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
        let edge = |index: usize| self.edges.get(index).or(self.edges.last()).copied().unwrap_or_default();
        self.nodes[node].1 = match self.nodes[node].0 {
            0 if right - left == 1 => 0,
            0 => self.nodes[2 * node].1 + self.nodes[2 * node + 1].1,
            _ => edge(right) - edge(left),
        };
    }
}
