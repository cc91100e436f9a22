//! This module computes the roofline position of every step in one sweep per device. It does not depend on rows.

use super::evaluate::{KernelGroups, RooflineModel};
use super::peaks::DevicePeaks;
use super::query::RooflineQuery;
use super::report::StepRoofline;
use super::sums::{OpPoint, Sums};
use crate::analysis::base::rows::{Member, Slice};
use crate::analysis::base::selection::Selection;
use crate::analysis::base::{Analysis, Filter, FilterError, Query, Step, StepChoice, intervals, self_time};
use crate::analysis::breakdown::query::shown;
use crate::analysis::breakdown::steps::Open;
use crate::analysis::classify::Kind;
use crate::analysis::data_movement::Programs;
use indexmap::IndexMap;
use xla_profile::profile::{OpId, Profile};
use xla_profile::small_sort::SmallSort;
use xla_profile::units::{Count, Picos};

/// Executions, and self time in ps.
type CountAndSelfTime = (Count, u64);

impl Analysis {
    /// Computes the roofline position of each step, in order of step number, summed over devices or averaged over them. The step of `request`
    /// is ignored: each entry equals the answer to the same query for that step alone.
    ///
    /// # Errors
    /// [`FilterError`] if the text of the filter is meant as a regular expression and is not a valid one.
    pub fn roofline_steps(
        &self,
        profile: &Profile,
        request: &RooflineQuery,
        programs: Option<Programs<'_>>,
    ) -> Result<Vec<StepRoofline>, FilterError> {
        self.roofline_steps_within(profile, request, programs, usize::MAX)
    }

    /// Computes the roofline position of each step as [`Analysis::roofline_steps`] does, but only of the `max_steps` steps with
    /// the lowest numbers.
    ///
    /// # Errors
    /// [`FilterError`] as there.
    pub fn roofline_steps_within(
        &self,
        profile: &Profile,
        request: &RooflineQuery,
        programs: Option<Programs<'_>>,
        max_steps: usize,
    ) -> Result<Vec<StepRoofline>, FilterError> {
        let kind = request.query.filter.kind.or((!request.all_kinds).then_some(Kind::Compute));
        let filter = Filter { kind, ..request.query.filter.clone() };
        let query = Query { filter, step: StepChoice::All, ..request.query.clone() };
        let matcher = query.filter.compile()?;
        let session = self.session_facts(profile);
        let Selection { slices: all, chosen, .. } = self.selection(profile, &query);
        let slices = shown(session, &all, &matcher);
        let peaks: Vec<DevicePeaks> =
            slices.iter().map(|slice| self.device_peaks(profile, slice.device, &request.peaks)).collect();
        let mut holder = RooflineModel::new(session, programs, &request.costs, peaks.iter());
        let mut steps: IndexMap<u64, (u64, Option<Sums>)> = IndexMap::default();
        let scale_of = self.scale_of_steps(query.device, &chosen);
        let is_listed = self.lowest_steps(&chosen, max_steps);
        for (index, slice) in slices.iter().enumerate() {
            let times_by_step = self.times_by_step(profile, slice, &is_listed);
            let mut points: IndexMap<u32, Option<OpPoint>> = IndexMap::default();
            let mut kernel_groups: IndexMap<u64, KernelGroups> = IndexMap::default();
            for step in self.devices[slice.device].steps.iter().filter(|step| is_listed(step)) {
                steps.entry(step.number).or_default();
            }
            for ((step, op), (n, self_time)) in times_by_step {
                let number = self.devices[slice.device].steps[step].number;
                let scale = scale_of(number);
                let (n, self_time) = (scale.count(n), scale.amount(self_time));
                let sums = steps.entry(number).or_default();
                sums.0 = sums.0.saturating_add(self_time);
                let member = Member { slice: index as u32, op: OpId(op) };
                let points = points.entry(op).or_insert_with(|| holder.evaluate_op(&slices, member).ok());
                if let Some(points) = points.as_ref().filter(|_| n > 0) {
                    let instruction = holder.instruction(&slices, member);
                    let cached = instruction.is_some()
                        && kernel_groups.entry(number).or_default().add_kernel(instruction, points, n, self_time);
                    if !cached {
                        sums.1.get_or_insert_default().add(points, n, self_time);
                    }
                }
            }
            for (number, kernel_groups) in kernel_groups {
                let sums = steps.entry(number).or_default().1.get_or_insert_default();
                kernel_groups.into_iter().for_each(|(_, points, n, self_time)| sums.add(&points, n, self_time));
            }
        }
        let roofs = |(number, (self_time, sums)): (u64, (u64, Option<Sums>))| StepRoofline {
            number,
            total: Picos(self_time),
            roof: sums.map(|sums| sums.evaluate(request.latency)),
        };
        let mut roofs: Vec<StepRoofline> = steps.into_iter().map(roofs).collect();
        roofs.small_sort_by_key(|step| step.number);
        Ok(roofs)
    }

    /// Sums executions and self time of the selected ops of a device in each of its steps that are listed, by index of the step
    /// and op id.
    fn times_by_step(
        &self,
        profile: &Profile,
        slice: &Slice,
        is_listed: &dyn Fn(&Step) -> bool,
    ) -> IndexMap<(usize, u32), CountAndSelfTime> {
        let device = &self.devices[slice.device];
        let plane = &profile.planes[device.plane];
        // Steps are in order of their start, and mostly of their numbers as well.
        let n_listed = device.steps.iter().rposition(is_listed).map_or(0, |last| last + 1);
        let steps = &device.steps[..n_listed];
        let passes = |op: OpId| slice.chosen.as_ref().is_none_or(|chosen| chosen[op.0 as usize]);
        let mut times_by_step: IndexMap<(usize, u32), CountAndSelfTime> = IndexMap::default();
        for line in device.ops.iter().map(|i| &plane.lines[*i]) {
            let Some(events) = intervals(line, device.step_clock) else { continue };
            let mut open = Open::default();
            self_time(&events, |event, from, to| {
                let op = line.events.op(event);
                if passes(op) {
                    open.each(steps, (from, to), |step, length| {
                        if !is_listed(&steps[step]) {
                            return;
                        }
                        let self_time = &mut times_by_step.entry((step, op.0)).or_default().1;
                        *self_time = self_time.saturating_add(length);
                    });
                }
            });
            // An execution counts in the step in which it starts.
            let mut starts: Vec<(u64, u64)> = (0..).zip(&events).map(|(i, event)| (event.0, i)).collect();
            starts.sort_unstable();
            let mut open = Open::default();
            for (start, event) in starts {
                let op = line.events.op(event as usize);
                if passes(op) {
                    open.each(steps, (start, start.saturating_add(1)), |step, _| {
                        if !is_listed(&steps[step]) {
                            return;
                        }
                        let n = &mut times_by_step.entry((step, op.0)).or_default().0;
                        *n += Count::ONE;
                    });
                }
            }
        }
        times_by_step
    }
}
