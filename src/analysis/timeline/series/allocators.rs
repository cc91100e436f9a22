//! This module reads the bytes in use of each allocator from the allocator events of the hosts.

use crate::analysis::base::Axis;
use crate::analysis::counters::{StepBuilder, StepFunction};
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use xla_profile::profile::{AllocatorRow, Plane, StrId};

/// An allocator among those of the events of a plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AllocatorKey {
    /// The number of the device in the events.
    pub ordinal: Option<u64>,
    pub name: Option<StrId>,
}

impl AllocatorKey {
    const fn new(row: &AllocatorRow) -> Self {
        Self { ordinal: row.ordinal, name: row.name }
    }
}

/// Returns the allocators of a plane in the order of their first events, each with the greatest number of bytes in use.
/// Events on lines that are not on the axis do not count.
#[expect(clippy::cast_precision_loss, reason = "bytes below 2⁵³ are exact")]
pub fn allocators(plane: &Plane, axis: Axis) -> impl Iterator<Item = (AllocatorKey, f64)> {
    let mut all: IndexMap<AllocatorKey, u64, FxBuildHasher> = IndexMap::default();
    let lines = plane.lines.iter().filter(|line| !line.allocator.is_empty() && axis.extent(line).is_some());
    for row in lines.flat_map(|line| &line.allocator) {
        let most = all.entry(AllocatorKey::new(row)).or_default();
        *most = row.in_use().max(*most);
    }
    all.into_iter().map(|(key, most)| (key, most as f64))
}

/// Reads the bytes in use of an allocator after each of its events, until the end of the session.
#[expect(clippy::cast_precision_loss, reason = "bytes below 2⁵³ are exact")]
pub fn bytes_in_use(plane: &Plane, axis: Axis, allocator: AllocatorKey, end: u64) -> StepFunction {
    let mut moments: Vec<(u64, u64)> = Vec::new();
    for line in plane.lines.iter().filter(|line| !line.allocator.is_empty() && axis.extent(line).is_some()) {
        let Some(times) = axis.times(line) else { continue };
        let rows = line.allocator.iter().filter(|row| AllocatorKey::new(row) == allocator);
        moments.extend(rows.map(|row| (times.time(row.event as usize).0, row.in_use())));
    }
    // The sort is stable: events at the same time stay in the order of the file.
    moments.sort_by_key(|(time, _)| *time);
    let mut steps = StepBuilder::default();
    moments.iter().for_each(|(time, bytes)| steps.push(*time, *bytes as f64));
    steps.finish(end)
}
