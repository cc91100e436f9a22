//! This module limits the reads of host events for the names in gaps. A gap reads all events in it, so the gaps of many
//! devices that wait for the same long time would read all events of the host once per device.

/// The number of reads per event of the hosts. Gaps of one device do not overlap, so that this number lets the gaps of more
/// devices than a host has read all events.
const READS_PER_EVENT: u64 = 64;

/// The number of reads that is always permitted.
const MIN_READS: u64 = 1 << 20;

/// The reads of host events that are still permitted.
pub(super) struct Reads {
    left: u64,
    /// Number of gaps that came after the last permitted read.
    n_refused: u64,
}

impl Reads {
    /// Returns the limit for hosts with `n_events` events.
    pub fn new(n_events: u64) -> Self {
        Self { left: n_events.saturating_mul(READS_PER_EVENT).max(MIN_READS), n_refused: 0 }
    }

    /// Counts reads.
    pub fn add(&mut self, n: u64) {
        self.left = self.left.saturating_sub(n);
    }

    /// Returns whether another gap may read events. A gap that has begun reads all events in it.
    pub fn begin_gap(&mut self) -> bool {
        self.n_refused += u64::from(self.left == 0);
        self.left > 0
    }

    /// Returns the number of gaps that read no events, because the limit had been reached.
    pub const fn n_refused(&self) -> u64 {
        self.n_refused
    }
}
