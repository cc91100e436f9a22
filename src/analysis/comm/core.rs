//! A core of a device within the window that is requested: the device's own, or a SparseCore beside it. This module knows devices, planes
//! and windows; knows no rows.

use super::async_pairs::AsyncPairs;
use super::async_spans::{CoreTimeline, clock};
use super::primitive::Core;
use crate::analysis::base::op_times::{Window, op_times};
use crate::analysis::base::rows::Slice;
use crate::analysis::base::{Analysis, Clock, Device, Interval, Step, StepBasis, StepChoice};
use crate::analysis::classify::{Facts, Kind, classify};
use crate::profile::{Line, OpId, Plane, Profile};

/// A core, read.
pub struct CoreWindow<'a> {
    /// Place of its device in the session.
    pub device: usize,
    /// Which core.
    pub core: Core,
    /// Its plane.
    pub plane: &'a Plane,
    /// Kinds of the plane's ops.
    pub kinds: Vec<Kind>,
    /// What belongs together.
    pub links: AsyncPairs,
    /// What is in flight over the whole capture.
    pub flight: CoreTimeline,
    /// Self time of each op in the window, on the clock of the breakdown.
    pub own: Vec<u64>,
    /// The window on the clock of `async_spans`; the whole capture is not cut.
    pub window: Interval,
    /// It is the whole capture.
    pub whole: bool,
}

impl CoreWindow<'_> {
    /// What of an interval lies in the window, and whether what starts with it counts there.
    pub fn clip(&self, (start, end): Interval) -> (Option<Interval>, bool) {
        let cut = (start.max(self.window.0), end.min(self.window.1));
        (Some(cut).filter(|(start, end)| start < end), self.starts(start))
    }

    /// A moment lies in the window.
    pub fn starts(&self, at: u64) -> bool {
        self.whole || (self.window.0..self.window.1).contains(&at)
    }
}

impl Step {
    /// Its window on the clock of a sweep.
    pub(super) fn on(&self, clock: Clock, device: &Device) -> Interval {
        if clock == device.step_clock { self.window } else { self.event_window }
    }
}

impl Device {
    /// The window of a choice on the clock of the self times, and whether it is the whole capture.
    pub(super) fn window_on(&self, choice: StepChoice, clock: Clock) -> Option<(Interval, bool)> {
        let Window { name, whole, .. } = self.choose(choice)?;
        if whole {
            return Some(((0, u64::MAX), true));
        }
        let step = self.steps.iter().find(|step| step.number.to_string() == name)?;
        Some((step.on(clock, self), false))
    }
}

impl Analysis {
    /// The device's own core, of a device that has the step.
    pub(super) fn tensor_side<'p>(
        &self,
        profile: &'p Profile,
        slice: &Slice,
        step: StepChoice,
    ) -> Option<CoreWindow<'p>> {
        let device = &self.devices[slice.device];
        let plane = &profile.planes[device.plane];
        let kinds: Vec<Kind> = self.facts[slice.device].ops.iter().map(|facts| facts.kind).collect();
        let clock = clock(plane, device);
        let (window, whole) = device.window_on(step, clock)?;
        let links = AsyncPairs::new(profile, plane, &kinds);
        let flight = CoreTimeline::new(plane, device, clock, &links, &kinds);
        let own = slice.measured.ops.iter().map(|time| time.own).collect();
        Some(CoreWindow { device: slice.device, core: Core::Tensor, plane, kinds, links, flight, own, window, whole })
    }

    /// SparseCores of a device. Their plane and the device's are related on the event clock.
    pub(super) fn sparse_sides<'p>(
        &self,
        profile: &'p Profile,
        device: usize,
        step: StepChoice,
    ) -> Vec<CoreWindow<'p>> {
        let of = &self.devices[device];
        let own = &profile.planes[of.plane];
        let is_beside = |plane: &&Plane| {
            let rest = plane.name.strip_prefix(own.name.as_str());
            plane.file == own.file && rest.is_some_and(|rest| rest.trim_start().starts_with("SparseCore"))
        };
        let Some((window, whole)) = of.window_on(step, of.event_clock) else { return Vec::new() };
        let side = |plane: &'p Plane| {
            let sparse = Device {
                ops: ops(plane),
                steps: Vec::new(),
                basis: StepBasis::None,
                step_clock: of.event_clock,
                op_clock: of.event_clock,
                ..of.clone()
            };
            let kinds: Vec<Kind> = (0..plane.ops.len()).map(|op| kind(profile, plane, OpId(op as u32))).collect();
            let links = AsyncPairs::new(profile, plane, &kinds);
            let flight = CoreTimeline::new(plane, &sparse, of.event_clock, &links, &kinds);
            let requested = Window { name: String::new(), clock: of.event_clock, span: window, whole };
            let own = op_times(plane, &sparse, &requested).ops.iter().map(|time| time.own).collect();
            CoreWindow { device, core: Core::Sparse, plane, kinds, links, flight, own, window, whole }
        };
        profile.planes.iter().filter(is_beside).filter(|plane| !ops(plane).is_empty()).map(side).collect()
    }
}

/// Lines of ops of a SparseCore.
fn ops(plane: &Plane) -> Vec<usize> {
    let is = |line: &Line| line.name.ends_with("Ops") && !line.is_async() && !line.events.is_empty();
    (0..plane.lines.len()).filter(|i| is(&plane.lines[*i])).collect()
}

fn kind(profile: &Profile, plane: &Plane, op: OpId) -> Kind {
    let op = plane.op(op);
    let category = op.stats.category.map(|category| profile.text(category));
    let class = classify(Facts { category, name: profile.text(op.name), text: profile.text(op.text), kernel: None });
    class.kind.with_flops(op.stats.flops.or(op.stats.model_flops))
}
