//! This module computes the sums of each step: time in flight, exposed and overlapped time, compute, and the ops that
//! run in the remaining time. It depends on cores and steps, and not on rows.

use super::accumulator::overlap;
use super::async_spans::CoreTimeline;
use super::core::CoreWindow;
use super::report::{Overlap, Remainder, StepComm};
use crate::analysis::base::Merged;
use crate::analysis::base::scale::Scale;
use crate::analysis::base::{Analysis, DeviceChoice, Interval, StepChoice};
use indexmap::IndexMap;
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Picos;

/// The merged intervals of one traffic (collectives or copies) of a core, shared by all steps.
struct Lists {
    in_flight: Merged,
    waits: Merged,
    /// Union of compute and `in_flight`.
    covered: Merged,
    /// Union of `covered` and all ops.
    used: Merged,
}

impl Lists {
    fn new(core_window: &CoreWindow<'_>, copies: bool) -> Self {
        let is = |transfer: u32| core_window.transfers.all[transfer as usize].is_copy == copies;
        let in_flight =
            core_window.timeline.spans.iter().filter(|span| is(span.transfer)).map(|span| span.interval).collect();
        let waits = core_window
            .timeline
            .waits
            .iter()
            .filter(|(_, transfer)| is(*transfer))
            .map(|(interval, _)| *interval)
            .collect();
        let in_flight = Merged::new(in_flight);
        let covered = in_flight.union(&core_window.timeline.compute);
        let used = covered.union(&core_window.timeline.busy);
        Self { in_flight, waits: Merged::new(waits), covered, used }
    }

    /// Splits the time of a window without compute and without a transfer in flight by the ops that run in it.
    fn remainder(&self, window: Interval, timeline: &CoreTimeline) -> Remainder {
        let outside =
            |list: &Merged| Picos(list.length_in(window).saturating_sub(list.length_with(&self.covered, window)));
        let rest = Picos((window.1 - window.0).saturating_sub(self.covered.length_in(window)));
        let idle = Picos((window.1 - window.0).saturating_sub(self.used.length_in(window)));
        // On several lines, data movement and communication may run at the same time. Their sum is limited to the busy
        // time.
        let busy = rest.saturating_sub(idle);
        let data_movement = outside(&timeline.moving).min(busy);
        let communication = outside(&timeline.communicating).min(busy.saturating_sub(data_movement));
        let other = busy.saturating_sub(data_movement + communication);
        Remainder { data_movement, communication, other, idle }
    }

    fn overlap_within(&self, window: Interval, compute: &Merged) -> Overlap {
        let waited = Picos(self.waits.length_in(window));
        Overlap { waited, ..overlap(&self.in_flight, compute, window) }
    }
}

impl StepComm {
    /// Returns the times of the step times a factor.
    fn scaled(self, scale: Scale) -> Self {
        let remainder = |rest: Option<Remainder>| rest.map(|rest| rest.scaled(scale));
        Self {
            number: self.number,
            duration: scale.time(self.duration),
            compute_busy: scale.time(self.compute_busy),
            idle: scale.time(self.idle),
            collectives: self.collectives.scaled(scale),
            copies: self.copies.scaled(scale),
            beside_collectives: remainder(self.beside_collectives),
            beside_copies: remainder(self.beside_copies),
        }
    }
}

impl Remainder {
    fn scaled(self, scale: Scale) -> Self {
        Self {
            data_movement: scale.time(self.data_movement),
            communication: scale.time(self.communication),
            other: scale.time(self.other),
            idle: scale.time(self.idle),
        }
    }
}

impl Analysis {
    /// Returns the `max_steps` steps with the lowest numbers of the devices whose own cores are `core_windows`, by number. Steps
    /// of the same number are summed over devices, or averaged over those that have the step.
    pub(super) fn comm_steps(
        &self,
        core_windows: &[CoreWindow<'_>],
        device: DeviceChoice,
        max_steps: usize,
    ) -> Vec<StepComm> {
        let mut steps: IndexMap<u64, StepComm> = IndexMap::default();
        let devices: Vec<usize> = core_windows.iter().map(|core_window| core_window.device).collect();
        let is_listed = self.lowest_steps(&devices, max_steps);
        for core_window in core_windows.iter().filter(|_| max_steps > 0) {
            let (collectives, copies) = (Lists::new(core_window, false), Lists::new(core_window, true));
            let device = &self.devices[core_window.device];
            for step in device.steps.iter().filter(|step| is_listed(step)) {
                let window = step.window_on(core_window.timeline.clock, device);
                let duration = window.1 - window.0;
                let sum =
                    steps.entry(step.number).or_insert_with(|| StepComm { number: step.number, ..StepComm::default() });
                sum.duration += Picos(duration);
                sum.compute_busy += Picos(core_window.timeline.compute.length_in(window));
                sum.idle += Picos(duration.saturating_sub(core_window.timeline.busy.length_in(window)));
                sum.collectives.add(&collectives.overlap_within(window, &core_window.timeline.compute));
                sum.copies.add(&copies.overlap_within(window, &core_window.timeline.compute));
                let beside = |lists: &Lists| lists.remainder(window, &core_window.timeline);
                sum.beside_collectives.get_or_insert_default().add(&beside(&collectives));
                sum.beside_copies.get_or_insert_default().add(&beside(&copies));
            }
        }
        let scale_of = self.scale_of_steps(device, &devices);
        let mut steps: Vec<StepComm> = steps.into_iter().map(|(number, step)| step.scaled(scale_of(number))).collect();
        steps.small_sort_by_key(|step| step.number);
        steps
    }

    /// Returns the compute of the steady steps of the cores during which no collective is in flight. It can hide transfers.
    pub(super) fn compute_beside_collectives(&self, core_windows: &[CoreWindow<'_>], step: StepChoice) -> Picos {
        let of_core = |core_window: &CoreWindow<'_>| {
            let device = &self.devices[core_window.device];
            let timeline = &core_window.timeline;
            let in_flight = Lists::new(core_window, false).in_flight;
            let windows = device.steady_steps_of(step).map(|step| step.window_on(timeline.clock, device));
            let free = |window| {
                let overlapped = overlap(&in_flight, &timeline.compute, window).overlapped;
                Picos(timeline.compute.length_in(window)).saturating_sub(overlapped)
            };
            windows.map(free).sum::<Picos>()
        };
        core_windows.iter().map(of_core).sum()
    }
}
