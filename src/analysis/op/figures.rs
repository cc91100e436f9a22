//! This module computes the times of an op: in the window, in each step, and per execution. It depends on times, and
//! not on HLO.

use super::report::{Histogram, OpFigures, OpStep};
use crate::analysis::base::op_times::Window;
use crate::analysis::base::{Analysis, Clock, Device, ResolvedOp, intervals, self_time};
use crate::analysis::breakdown::steps::Open;
use crate::analysis::classify::Kind;
use indexmap::IndexMap;
use xla_profile::profile::{OpId, Plane, Profile};
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Picos;

/// Largest number of bins of a histogram.
const BINS: u64 = 24;

impl Analysis {
    /// Returns the figures of an op. `None` if the op does not run by itself on the selected devices.
    pub(crate) fn op_figures(&self, profile: &Profile, found: &ResolvedOp) -> Option<OpFigures> {
        if !found.has_time() {
            return None;
        }
        let header = &found.selection.header;
        let mut figures = OpFigures { step: header.step.clone(), peaks: header.peaks, ..OpFigures::default() };
        let (mut min, mut max, mut by_kind) = (u64::MAX, 0, [Picos::ZERO; 7]);
        for member in found.members.iter().filter(|m| m.chosen) {
            let (time, device) = (member.time, &self.devices[member.device]);
            let stats = profile.planes[device.plane].op(member.op).stats;
            figures.n += time.n;
            figures.total += Picos(time.self_time);
            figures.inclusive += Picos(time.inclusive);
            (min, max) = (min.min(time.min), max.max(time.max));
            by_kind[self.facts[member.device].get(member.op).kind.index()] += Picos(time.self_time);
            let n = time.n.as_f64();
            for (sum, cost) in [
                (&mut figures.flops, stats.flops),
                (&mut figures.model_flops, stats.model_flops),
                (&mut figures.bytes_accessed, stats.bytes_accessed),
            ] {
                if let (Some(cost), true) = (cost, time.n > 0 || time.self_time > 0 || time.inclusive > 0) {
                    *sum = Some(sum.unwrap_or(0.0) + cost * n);
                }
            }
        }
        if figures.n > 0 {
            figures.min = Some(Picos(min));
            figures.mean = figures.n.mean_of(figures.total);
            figures.max = Some(Picos(max));
        }
        figures.of_step = header.step_duration.and_then(|w| figures.total.fraction_of(w));
        let kind = Kind::ALL.into_iter().rev().max_by_key(|k| by_kind[k.index()]).unwrap_or(Kind::Other);
        figures.of_kind = by_kind[kind.index()].fraction_of(found.selection.totals.time_of_kind(kind));
        let (steps, self_times) = self.executions(profile, found);
        let mut steps = steps.into_iter().collect::<Vec<_>>();
        steps.small_sort_by_key(|(number, _)| *number);
        let scale_of = self.scale_of_steps(found.query.device, &found.selection.chosen);
        let of_step = |(number, (n, total)): (u64, (u64, Picos))| {
            let scale = scale_of(number);
            OpStep { number, n: scale.count(n.into()), total: scale.time(total) }
        };
        figures.steps = steps.into_iter().map(of_step).collect();
        figures.n_steps = u32::try_from(figures.steps.len()).unwrap_or(u32::MAX);
        figures.histogram = histogram(&self_times);
        Some(figures)
    }

    /// Returns executions and self time by step, and the self time in ps of each execution that starts in the window.
    fn executions(&self, profile: &Profile, found: &ResolvedOp) -> (Steps, Vec<u64>) {
        let (mut steps, mut self_times) = (Steps::default(), Vec::new());
        for device in &found.selection.chosen {
            let info = &self.devices[*device];
            let plane = &profile.planes[info.plane];
            let mine: Vec<OpId> = found.members.iter().filter(|m| m.device == *device && m.ran).map(|m| m.op).collect();
            for step in &info.steps {
                steps.entry(step.number).or_insert((0, Picos::ZERO));
            }
            if mine.is_empty() {
                continue;
            }
            let window = info.choose(found.selection.step);
            // If steps and window are on the same clock, which is the usual case, one pass over the lines is enough.
            match window {
                Some(window) if window.clock == info.step_clock => {
                    walk(plane, info, &mine, info.step_clock, Some(&window), Some(&mut steps), &mut self_times);
                }
                window => {
                    walk(plane, info, &mine, info.step_clock, None, Some(&mut steps), &mut self_times);
                    if let Some(window) = window {
                        walk(plane, info, &mine, window.clock, Some(&window), None, &mut self_times);
                    }
                }
            }
        }
        (steps, self_times)
    }
}

/// Executions and self time by step number.
type Steps = IndexMap<u64, (u64, Picos)>;

/// Adds the events of a device's op lines to the steps, and to the executions that start in the window, in one pass.
fn walk(
    plane: &Plane,
    device: &Device,
    mine: &[OpId],
    clock: Clock,
    window: Option<&Window>,
    mut steps: Option<&mut Steps>,
    executions: &mut Vec<u64>,
) {
    for line in device.ops.iter().map(|i| &plane.lines[*i]) {
        let Some(events) = intervals(line, clock) else { continue };
        let is_mine: Vec<bool> = line.events.ops().map(|op| mine.contains(&op)).collect();
        if !is_mine.contains(&true) {
            continue;
        }
        let mut self_times = vec![0_u64; if window.is_some() { events.len() } else { 0 }];
        let mut open = Open::default();
        self_time(&events, |event, from, to| {
            if !is_mine[event] {
                return;
            }
            if let Some(steps) = steps.as_deref_mut() {
                open.each(&device.steps, (from, to), |step, length| {
                    steps.entry(device.steps[step].number).or_default().1 += Picos(length);
                });
            }
            if let Some(window) = window {
                self_times[event] += window.spans.length_in((from, to));
            }
        });
        if let Some(steps) = steps.as_deref_mut() {
            let mut starts: Vec<u64> =
                events.iter().zip(&is_mine).filter(|(_, mine)| **mine).map(|(interval, _)| interval.0).collect();
            starts.sort_unstable();
            let mut open = Open::default();
            for start in starts {
                open.each(&device.steps, (start, start.saturating_add(1)), |step, _| {
                    steps.entry(device.steps[step].number).or_default().0 += 1;
                });
            }
        }
        for (i, (start, _)) in events.iter().enumerate().filter(|(i, _)| is_mine[*i]) {
            if window.is_some_and(|w| w.whole || w.spans.contains(*start)) {
                executions.push(self_times[i]);
            }
        }
    }
}

/// Sorts self times into bins of equal width from the shortest to the longest. `None` for fewer than two.
fn histogram(self_times: &[u64]) -> Option<Histogram> {
    if self_times.len() < 2 {
        return None;
    }
    let (from, to) = (*self_times.iter().min()?, *self_times.iter().max()?);
    let n = (self_times.len() as u64).min(BINS).min(to - from).max(1);
    let mut bins = vec![0_u64; n as usize];
    for time in self_times {
        let bin = u128::from(time - from) * u128::from(n) / u128::from((to - from).max(1));
        bins[bin.min(u128::from(n - 1)) as usize] += 1;
    }
    Some(Histogram { from: Picos(from), to: Picos(to), bins })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins() {
        assert_eq!(histogram(&[5]), None);
        let histogram_of = |self_times: &[u64]| histogram(self_times).map(|h| (h.from.0, h.to.0, h.bins)).unwrap();
        assert_eq!(histogram_of(&[5, 5, 5]), (5, 5, vec![3]));
        assert_eq!(histogram_of(&[0, 10, 4, 10]), (0, 10, vec![1, 1, 0, 2]));
        assert_eq!(histogram_of(&(0..1000).collect::<Vec<_>>()).2.len(), 24);
        assert_eq!(histogram_of(&[0, u64::MAX]).2, [1, 1]);
    }
}
