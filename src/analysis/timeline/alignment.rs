//! This module finds the offsets between the clocks of hosts, and the axis on which the timeline displays them.
//!
//! ```text
//!  host-a  ──────├ all-reduce ┤──────────────────   first host
//!  host-b  ──────────────────────├ all-reduce ┤──   its clock is ahead: offset = − median(end on host-b − end on host-a)
//! ```

use super::alignment_report::{Alignment, AlignmentBasis, HostOffset};
use crate::analysis::base::{Analysis, Axis, Interval, hosts};
use crate::analysis::data_movement::Programs;
use xla_profile::lanes::LineTimes;
use xla_profile::profile::{Line, NoteCode, Plane, Profile};
use xla_profile::units::Picos;

/// Least number of common collectives for an offset. With fewer ones, the starts of steps are compared.
const MIN_COLLECTIVES: usize = 3;
/// Least number of differences for a spread.
const MIN_SPREAD: usize = 3;

/// Finds the offsets between the clocks of the hosts of a session. `None` for a single file, and if no host can be compared with
/// the first one that has steps.
pub(super) fn find_alignment(
    profile: &Profile,
    analysis: &Analysis,
    programs: Option<Programs<'_>>,
) -> Option<Alignment> {
    if profile.files.len() < 2 || !analysis.hosts_aligned {
        return None;
    }
    let starts = hosts::step_start_differences(profile, &analysis.devices);
    let first = starts.first()?.0;
    let ends = analysis.end_differences(profile, first, programs);
    let offset = |(host, name): (usize, String)| {
        let ends = ends.get(&host).filter(|ends| ends.len() >= MIN_COLLECTIVES);
        let starts = starts.iter().filter(|(file, _)| *file == host).flat_map(|(_, starts)| starts);
        let starts: Vec<i64> = starts.filter_map(|by| i64::try_from(*by).ok()).collect();
        match (ends, Some(starts).filter(|starts| !starts.is_empty())) {
            _ if host == first => HostOffset { name, basis: AlignmentBasis::Reference, ..HostOffset::default() },
            (Some(ends), _) => host_offset(name, AlignmentBasis::Collectives, ends.clone()),
            (None, Some(starts)) => host_offset(name, AlignmentBasis::Steps, starts),
            (None, None) => HostOffset { name, ..HostOffset::default() },
        }
    };
    let hosts: Vec<HostOffset> = hosts::names(profile).into_iter().enumerate().map(offset).collect();
    let is_compared = |host: &HostOffset| matches!(host.basis, AlignmentBasis::Collectives | AlignmentBasis::Steps);
    if !hosts.iter().any(is_compared) {
        return None;
    }
    let is_default = analysis.notes.iter().any(|note| note.code == NoteCode::ClockSkew);
    let shift = shift(profile, analysis.axis, &hosts);
    Some(Alignment { hosts, shift, is_default, is_applied: is_default })
}

/// Returns the offset of a host whose times minus those of the first host are `differences`, in ps.
fn host_offset(name: String, basis: AlignmentBasis, mut differences: Vec<i64>) -> HostOffset {
    differences.sort_unstable();
    let n = differences.len();
    let quartile = |quarters: usize| differences.get(n * quarters / 4).copied().unwrap_or_default();
    let spread = (n >= MIN_SPREAD).then(|| Picos(quartile(3).abs_diff(quartile(1)) / 2));
    HostOffset { name, offset_ps: quartile(2).saturating_neg(), spread, basis, n: n as u32 }
}

/// Returns the time by which all hosts are to be displayed later, so that no event starts before 0.
fn shift(profile: &Profile, axis: Axis, hosts: &[HostOffset]) -> Picos {
    let before_zero = |(plane, line): (&Plane, &Line)| {
        let (start, _) = axis.extent(line)?;
        let displayed = i128::from(start) + i128::from(hosts.get(plane.file)?.offset_ps);
        u64::try_from(-displayed).ok()
    };
    let lines = profile.planes.iter().flat_map(|plane| plane.lines.iter().map(move |line| (plane, line)));
    Picos(lines.filter_map(before_zero).max().unwrap_or(0))
}

/// The axis on which the timeline displays a session: the time axis of the session, with an offset for each host.
#[derive(Clone, Debug, Default)]
pub(super) struct DisplayAxis {
    pub event_clock: Axis,
    /// The displayed time minus the time on the event clock, in ps, by the index of the file.
    offsets: Vec<i64>,
}

impl DisplayAxis {
    pub fn new(event_clock: Axis, alignment: Option<&Alignment>) -> Self {
        let n_hosts = alignment.map_or(0, |alignment| alignment.hosts.len() as u32);
        let offset = |host| alignment.map_or(0, |alignment| alignment.displayed_offset(host));
        Self { event_clock, offsets: (0..n_hosts).map(offset).collect() }
    }

    /// Returns the displayed time of a host minus its time on the event clock, in ps.
    pub fn offset(&self, file: usize) -> i64 {
        self.offsets.get(file).copied().unwrap_or(0)
    }

    /// Returns the displayed times of a line, as [`Axis::times`].
    pub fn times<'p>(&self, plane: &Plane, line: &'p Line) -> Option<LineTimes<'p>> {
        let times = self.event_clock.times(line)?;
        Some(LineTimes { offset: times.offset.wrapping_add_signed(self.offset(plane.file)), ..times })
    }

    /// Returns the first displayed start and the last displayed end of the events of a line, as [`Axis::extent`].
    pub fn extent(&self, plane: &Plane, line: &Line) -> Option<Interval> {
        let (start, end) = self.event_clock.extent(line)?;
        let moved = |time: u64| time.checked_add_signed(self.offset(plane.file));
        Some((moved(start)?, moved(end).filter(|end| i64::try_from(*end).is_ok())?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offset_is_the_median_and_its_spread_half_the_interquartile_range() {
        let offset = |differences: &[i64]| {
            let host = host_offset("b".to_owned(), AlignmentBasis::Collectives, differences.to_vec());
            (host.offset_ps, host.spread, host.n)
        };
        assert_eq!(offset(&[5000, 5040, 4990, 5010, 9999]), (-5010, Some(Picos(20)), 5));
        assert_eq!(offset(&[-7, -7, -7]), (7, Some(Picos(0)), 3));
        assert_eq!(offset(&[3, 4]), (-4, None, 2));
        assert_eq!(offset(&[i64::MIN, i64::MIN, i64::MAX]), (i64::MAX, Some(Picos(u64::MAX / 2)), 3));
    }
}
