//! This module finds the time in which a device is idle outside of the steps of one kind, such as between the batches of a
//! program that generates text. The mean of those steps leaves this time out.

use super::reads::Reads;
use super::report::Gap;
use super::window::{RawGap, gaps_outside};
use crate::analysis::base::{Analysis, Interval, Merged};
use std::cmp::Reverse;
use xla_profile::profile::Profile;
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Picos;

/// Number of gaps that are explained: the longest ones.
const MAX_EXPLAINED: usize = 20;

/// The idle time of a device outside of its steps of one kind.
pub(in crate::analysis) struct OutsideIdle {
    /// Time from the start of the first of these steps to the end of the last one.
    pub window: Picos,
    /// Idle time in the window outside of the steps.
    pub idle: Picos,
    /// The gaps, the longest first.
    gaps: Vec<RawGap>,
}

impl OutsideIdle {
    pub const fn n_gaps(&self) -> usize {
        self.gaps.len()
    }

    /// Returns the length of the longest gap.
    pub fn longest(&self) -> Picos {
        self.gaps.first().map_or(Picos::ZERO, |gap| Picos(gap.length()))
    }
}

impl Analysis {
    /// Returns the idle time of a device outside of its steps of `kind`, from the first of them to the last one. `None` if the
    /// device has no such steps, or no times on the event clock.
    pub(in crate::analysis) fn idle_outside(&self, profile: &Profile, device: usize, kind: u16) -> Option<OutsideIdle> {
        let info = &self.devices[device];
        let of_kind = info.steps.iter().filter(|step| step.kind == kind).map(|step| step.event_window);
        let steps: Vec<Interval> = of_kind.collect();
        let window = (steps.first()?.0, steps.iter().map(|(_, end)| *end).max()?);
        let mut gaps = gaps_outside(profile, info, &self.facts[device], window, &Merged::new(steps))?;
        gaps.small_sort_by_key(|gap| (Reverse(gap.length()), gap.time.0));
        let idle = Picos(gaps.iter().map(RawGap::length).sum());
        Some(OutsideIdle { window: Picos(window.1 - window.0), idle, gaps })
    }

    /// Returns the longest gaps outside of steps with what the host did in them. The events of the host are read for it.
    pub(in crate::analysis) fn explained(&self, profile: &Profile, device: usize, outside: &OutsideIdle) -> Vec<Gap> {
        let (host, runs) = self.host_and_runs(profile, device);
        let mut reads = Reads::new(host.links.threads.iter().map(|thread| thread.times.len() as u64).sum());
        let longest = outside.gaps.iter().take(MAX_EXPLAINED);
        longest.map(|gap| self.report(profile, device, gap, &runs, &host, &mut reads)).collect()
    }
}
