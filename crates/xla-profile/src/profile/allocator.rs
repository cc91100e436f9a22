//! This module reads the state of an allocator from the stats of allocator events: allocated and available bytes.
//!
//! The rows are beside the events of a line, and only allocator events have one. A capture without allocator events
//! therefore has no extra cost, and no event allocates memory of its own.

use super::StrId;
use serde::{Deserialize, Serialize};

/// The state of an allocator after one event. Sizes are bytes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AllocatorRow {
    /// Index of the event in its line.
    pub event: u32,
    /// `bytes_reserved`, for programs.
    pub reserved: u64,
    /// `bytes_allocated`, for arrays.
    pub allocated: u64,
    /// `bytes_available`.
    pub available: Option<u64>,
    /// `fragmentation`, a fraction.
    pub fragmentation: Option<f64>,
    /// `peak_bytes_in_use`, the largest value so far, including the time before the capture.
    pub peak: Option<u64>,
    /// `index_on_host`, else `device_ordinal`.
    pub ordinal: Option<u64>,
    /// `allocator_name`.
    pub name: Option<StrId>,
}

impl AllocatorRow {
    /// Returns the bytes in use, reserved + allocated: `bytes_allocated` alone misses the arenas of programs.
    pub const fn in_use(&self) -> u64 {
        self.reserved.saturating_add(self.allocated)
    }
}

/// A stat of an allocator event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AllocatorStat {
    Reserved,
    Allocated,
    Available,
    Fragmentation,
    Peak,
    IndexOnHost,
    DeviceOrdinal,
    Name,
}

impl AllocatorStat {
    /// Returns the stat with this name, or `None` if it is not a stat of an allocator.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "bytes_reserved" => Self::Reserved,
            "bytes_allocated" => Self::Allocated,
            "bytes_available" => Self::Available,
            "fragmentation" => Self::Fragmentation,
            "peak_bytes_in_use" => Self::Peak,
            "index_on_host" => Self::IndexOnHost,
            "device_ordinal" => Self::DeviceOrdinal,
            "allocator_name" => Self::Name,
            _ => return None,
        })
    }
}

/// The allocator stats of the current event.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pending {
    any: bool,
    reserved: Option<u64>,
    allocated: Option<u64>,
    available: Option<u64>,
    fragmentation: Option<f64>,
    peak: Option<u64>,
    index: Option<u64>,
    ordinal: Option<u64>,
    name: Option<StrId>,
}

impl Pending {
    /// Sets a number. A negative number counts as absent.
    pub(super) fn number(&mut self, which: AllocatorStat, value: f64) {
        self.any = true;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "bytes are below 2⁵³, and it saturates"
        )]
        let whole = (value >= 0.0).then_some(value as u64);
        match which {
            AllocatorStat::Reserved => self.reserved = whole,
            AllocatorStat::Allocated => self.allocated = whole,
            AllocatorStat::Available => self.available = whole,
            AllocatorStat::Peak => self.peak = whole,
            AllocatorStat::IndexOnHost => self.index = whole,
            AllocatorStat::DeviceOrdinal => self.ordinal = whole,
            AllocatorStat::Fragmentation => self.fragmentation = Some(value).filter(|value| *value >= 0.0),
            AllocatorStat::Name => {}
        }
    }

    /// Sets the name of the allocator.
    pub(super) fn name(&mut self, name: StrId) {
        (self.any, self.name) = (true, Some(name));
    }

    /// Returns the `device_ordinal` of the current event, if it has come.
    pub(super) const fn ordinal(&self) -> Option<u64> {
        self.ordinal
    }

    /// Ends the current event. Returns its row if it has both reserved and allocated bytes, and clears the stats for
    /// the next event.
    #[inline]
    pub(super) fn take(&mut self, event: usize) -> Option<AllocatorRow> {
        if !self.any {
            return None;
        }
        let Self { reserved, allocated, available, fragmentation, peak, index, ordinal, name, .. } =
            std::mem::take(self);
        let (event, reserved, allocated) = (u32::try_from(event).ok()?, reserved?, allocated?);
        Some(AllocatorRow {
            event,
            reserved,
            allocated,
            available,
            fragmentation,
            peak,
            ordinal: index.or(ordinal),
            name,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_says_both_what_is_reserved_and_what_is_allocated() {
        let mut pending = Pending::default();
        assert_eq!(pending.take(0), None);
        pending.number(AllocatorStat::Reserved, 5.0);
        assert_eq!(pending.take(0), None);
        pending.number(AllocatorStat::Allocated, 7.0);
        assert_eq!(pending.take(1), None, "what was reserved was of another event");
        pending.number(AllocatorStat::Reserved, 0.0);
        pending.number(AllocatorStat::Allocated, 7.0);
        pending.number(AllocatorStat::Available, -1.0);
        pending.number(AllocatorStat::DeviceOrdinal, 9.0);
        pending.number(AllocatorStat::IndexOnHost, 1.0);
        pending.number(AllocatorStat::Fragmentation, 0.25);
        let row = pending.take(2).unwrap();
        assert_eq!((row.event, row.reserved, row.allocated, row.available), (2, 0, 7, None));
        assert_eq!((row.ordinal, row.fragmentation, row.peak, row.name), (Some(1), Some(0.25), None, None));
    }
}
