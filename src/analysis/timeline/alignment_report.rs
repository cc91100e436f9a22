//! This module defines how the clocks of hosts are aligned on the timeline. Only the timeline displays aligned times: all sums,
//! waits, gaps and findings are on the event clock.

use serde::{Deserialize, Serialize};
use xla_profile::units::Picos;

/// The offsets between the clocks of the hosts of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alignment {
    /// The hosts, by the index of their file.
    pub hosts: Vec<HostOffset>,
    /// The time by which all hosts are displayed later, so that no time is before 0.
    pub shift: Picos,
    /// Whether the clocks are known to differ by more than a step (note `clock_skew`). The offsets are then applied unless the user
    /// switches them off.
    pub is_default: bool,
    /// Whether the offsets are applied to all times of the timeline.
    pub is_applied: bool,
}

/// The difference between the clock of a host and that of the first host.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostOffset {
    /// Name of the host: that of its file.
    pub name: String,
    /// The time that aligns the host with the first one, in ps: the median of the differences between the two clocks. It is
    /// added to the times of the host. It is 0 for a host that is not aligned.
    pub offset_ps: i64,
    /// Half of the interquartile range of the differences: half of them are at most about this far from the median. `None` with
    /// fewer than three differences.
    pub spread: Option<Picos>,
    pub basis: AlignmentBasis,
    pub n: u32,
}

/// The events whose times are compared with those of the first host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum AlignmentBasis {
    /// The ends of synchronous collectives that both hosts execute, which end together.
    Collectives,
    /// The starts of common steps, because there are fewer than three common collectives. Steps may start at different times.
    Steps,
    /// The host is the first one, with which the others are compared.
    Reference,
    /// The host has neither collectives nor steps in common with the first one.
    #[default]
    Unknown,
}

impl Alignment {
    /// Returns the time by which a host is displayed later than on the event clock, in ps; 0 if the offsets are not applied.
    pub fn displayed_offset(&self, host: u32) -> i64 {
        let offset = self.hosts.get(host as usize).filter(|_| self.is_applied).map(|host| host.offset_ps);
        offset.map_or(0, |offset| offset.saturating_add_unsigned(self.shift.0))
    }
}
