//! This module holds the stats of the current event, until the event itself follows.

use super::counters::PendingCounters;
use super::event_links::PendingLinks;
use super::stats::OpStat;
use super::value::Value;
use super::{allocator, correlation_ids};

/// The stats of the current event.
#[derive(Default)]
pub(super) struct Pending {
    pub(super) device_start: Option<u64>,
    pub(super) device_duration: Option<u64>,
    pub(super) flow: Option<u64>,
    pub(super) correlation_ids: correlation_ids::Pending,
    pub(super) links: PendingLinks,
    pub(super) allocator: allocator::Pending,
    pub(super) counters: PendingCounters,
    pub(super) overrides: Vec<(OpStat, Value)>,
    /// The key of the event's op: the op of the metadata, then the overrides as words.
    pub(super) key: Vec<u64>,
    /// The last key that was looked up, and its op.
    pub(super) last: (Vec<u64>, u32),
}

impl Pending {
    /// Drops the stats of an event that is left out.
    pub(super) fn clear(&mut self) {
        let Self { key, last, mut overrides, .. } = std::mem::take(self);
        overrides.clear();
        *self = Self { key, last, overrides, ..Self::default() };
    }
}
