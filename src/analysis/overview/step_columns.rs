//! This module divides one step into equal parts, and finds the ops that run in each. Findings are drawn over this step.

use super::evidence::StepSpan;
use super::picture::{N_COLUMNS, Picture, ShownStep};
use crate::analysis::base::{Analysis, Device, Interval, Merged, TimeRange, intervals, self_time};
use crate::analysis::classify::Kind;
use crate::analysis::gaps::Gap;
use crate::analysis::ledger::LedgerByOp;
use rustc_hash::FxHashMap;
use xla_profile::profile::{OpId, OpKey, Profile};
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Picos;

/// The times of ops in the parts of one step, on the event clock.
pub(super) struct StepColumns {
    number: Option<u64>,
    window: Interval,
    /// From the event clock of the device to the axis of the session, in ps.
    axis_offset: u64,
    /// The time in ps of each op in each part of the step, by index into [`LedgerByOp::ops`] and part.
    times: FxHashMap<(usize, usize), u64>,
    /// When each op owns the time, in order. Empty if there are no steps.
    stretches: Vec<(usize, Interval)>,
}

/// Largest number of stretches that are named as evidence.
const MAX_SPANS: usize = 5;

impl StepColumns {
    /// Reads the step of the ledger. Of a mean it is the steady step of median length. Without steps it is the whole
    /// capture.
    pub fn new(profile: &Profile, analysis: &Analysis, by_op: &LedgerByOp) -> Self {
        let device = &analysis.devices[by_op.ledger.device];
        let plane = &profile.planes[device.plane];
        let range = device.chosen_range(by_op.step);
        let chosen = device.chosen_steps(by_op.step, range.as_ref());
        let median = || if by_op.step.is_mean() { device.median_step(by_op.step) } else { None };
        let first = || chosen.first().copied();
        let step = if chosen.len() == 1 { first() } else { median().or_else(first) };
        let window = step.map_or_else(|| extent(profile, device), |step| step.event_window);

        let places = by_op.ops.iter().enumerate().map(|(index, op)| (plane.op(op.op).key(), index));
        let places: FxHashMap<OpKey, usize> = places.collect();
        let mut columns = Self {
            number: step.map(|step| step.number),
            window,
            axis_offset: device.axis_offset,
            times: FxHashMap::default(),
            stretches: Vec::new(),
        };
        for line in device.ops.iter().map(|index| &plane.lines[*index]) {
            let Some(all) = intervals(line, device.event_clock) else { continue };
            let is_in = |(start, end): &Interval| *start < window.1 && *end > window.0;
            let of_step = all.iter().copied().zip(line.events.ops()).filter(|(interval, _)| is_in(interval));
            let (events, ops): (Vec<Interval>, Vec<OpId>) = of_step.unzip();
            self_time(&events, |event, from, to| {
                if let Some(index) = places.get(&plane.op(ops[event]).key()) {
                    columns.add(*index, (from, to));
                }
            });
        }
        columns
    }

    fn add(&mut self, index: usize, time: Interval) {
        if self.number.is_some() {
            self.stretches.push((index, time));
        }
        each_column(self.window, time, |column, time| {
            let sum = self.times.entry((index, column)).or_default();
            *sum = sum.saturating_add(time);
        });
    }

    /// Returns the step with the kinds of its parts.
    pub fn shown_step(&self, kind: impl Fn(usize) -> Kind) -> ShownStep {
        let mut sums = [[0_u64; 7]; N_COLUMNS];
        for ((index, column), time) in &self.times {
            let sum = &mut sums[*column][kind(*index).index()];
            *sum = sum.saturating_add(*time);
        }
        let half = (self.window.1 - self.window.0) / (2 * N_COLUMNS as u64);
        let most = |sums: &[u64; 7]| {
            let busy = sums.iter().fold(0_u64, |all, time| all.saturating_add(*time));
            Kind::ALL.into_iter().max_by_key(|kind| sums[kind.index()]).filter(|_| busy > half)
        };
        let on_axis = |ps: u64| Picos(ps.saturating_add(self.axis_offset));
        let range = TimeRange::between(on_axis(self.window.0), on_axis(self.window.1));
        ShownStep { number: self.number, range, kinds: sums.iter().map(most).collect() }
    }

    /// Returns when some ops run, and their longest stretches.
    pub fn time_profile(&self, ops: &[(usize, Picos)]) -> (Picture, Vec<StepSpan>) {
        let mut is_one = vec![false; ops.iter().map(|(index, _)| index + 1).max().unwrap_or(0)];
        ops.iter().for_each(|(index, _)| is_one[*index] = true);
        let mut sums = [0_u64; N_COLUMNS];
        for ((_, column), time) in self.times.iter().filter(|((index, _), _)| is_one.get(*index) == Some(&true)) {
            sums[*column] = sums[*column].saturating_add(*time);
        }
        let own = self.stretches.iter().filter(|(index, _)| is_one.get(*index) == Some(&true));
        (self.picture(&sums), self.longest(own.map(|(_, time)| *time).collect()))
    }

    /// Returns when some gaps are, and the longest of them.
    pub fn idle_profile<'a>(&self, gaps: impl Iterator<Item = &'a Gap>) -> (Picture, Vec<StepSpan>) {
        let (mut sums, mut all) = ([0_u64; N_COLUMNS], Vec::new());
        for gap in gaps.filter(|gap| gap.step == self.number) {
            let start = self.window.0.saturating_add(gap.start.0);
            let time = (start, start.saturating_add(gap.total.0));
            each_column(self.window, time, |column, time| sums[column] += time);
            all.push(time);
        }
        (self.picture(&sums), self.longest(all))
    }

    /// Returns the longest stretches of some times, in order.
    fn longest(&self, times: Vec<Interval>) -> Vec<StepSpan> {
        let Some(step) = self.number else { return Vec::new() };
        let mut all: Vec<Interval> = Merged::new(times).within(self.window).collect();
        all.small_sort_by(|a, b| (b.1 - b.0, a.0).cmp(&(a.1 - a.0, b.0)));
        all.truncate(MAX_SPANS);
        // A stretch that is much shorter than the longest one is no evidence.
        let longest = all.first().map_or(0, |(from, to)| to - from);
        all.retain(|(from, to)| (to - from).saturating_mul(100) >= longest);
        all.small_sort_by(Ord::cmp);
        let after = |ps: u64| Picos(ps - self.window.0);
        all.into_iter().map(|(from, to)| StepSpan { step, start: after(from), end: after(to) }).collect()
    }

    /// Returns the sums of the parts as shares of the parts.
    fn picture(&self, sums: &[u64; N_COLUMNS]) -> Picture {
        let length = Picos((self.window.1 - self.window.0) / N_COLUMNS as u64);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 255")]
        let share = |time: &u64| (Picos(*time).fraction_of(length).unwrap_or(0.0).min(1.0) * 255.0).round() as u8;
        Picture::When(sums.iter().map(share).collect())
    }
}

/// Calls `each` with the parts of a window that a time overlaps, and the length in ps of each overlap.
fn each_column(window: Interval, time: Interval, mut each: impl FnMut(usize, u64)) {
    let n = N_COLUMNS as u128;
    let (length, time) = (window.1.saturating_sub(window.0), (time.0.max(window.0), time.1.min(window.1)));
    if time.0 >= time.1 {
        return;
    }
    #[expect(clippy::cast_possible_truncation, reason = "a moment in the window")]
    let start = |column: usize| window.0 + (u128::from(length) * column as u128 / n) as u64;
    let first = (u128::from(time.0 - window.0) * n / u128::from(length)) as usize;
    for column in first..N_COLUMNS {
        let (from, to) = (start(column).max(time.0), start(column + 1).min(time.1));
        if start(column) >= time.1 {
            break;
        }
        each(column, to.saturating_sub(from));
    }
}

/// Returns the time from the first to the last op of a device on the event clock.
fn extent(profile: &Profile, device: &Device) -> Interval {
    let plane = &profile.planes[device.plane];
    let lines = device.ops.iter().filter_map(|index| intervals(&plane.lines[*index], device.event_clock));
    let ends = lines.flatten().fold((u64::MAX, 0), |all, interval| (all.0.min(interval.0), all.1.max(interval.1)));
    (ends.0.min(ends.1), ends.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_divided_among_the_parts_of_a_window() {
        let window = (1_000, 1_000 + 86 * 10 + 7);
        for time in [(1_000, 1_867), (0, 9_999), (1_003, 1_004), (1_200, 1_433), (1_866, 1_867), (5, 6), (1_500, 1_500)]
        {
            let mut found: Vec<(usize, u64)> = Vec::new();
            each_column(window, time, |column, time| found.push((column, time)));
            let clipped = time.1.min(window.1).saturating_sub(time.0.max(window.0));
            assert_eq!(found.iter().map(|(_, time)| time).sum::<u64>(), clipped, "{time:?}");
            assert!(found.windows(2).all(|pair| pair[0].0 + 1 == pair[1].0), "{time:?} {found:?}");
            assert!(found.iter().all(|(column, time)| *column < N_COLUMNS && *time <= 11), "{time:?} {found:?}");
        }
    }
}
