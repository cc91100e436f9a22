//! This module reads one core of a device within the selected window: the device's own core, or a SparseCore of the
//! same chip. It depends on devices, planes and windows, and not on rows.

use super::async_spans::{CoreTimeline, clock};
use crate::analysis::base::op_times::{Window, mean_times, op_times};
use crate::analysis::base::rows::Slice;
use crate::analysis::base::scale::Scale;
use crate::analysis::base::{Analysis, Device, Interval, StepBasis, StepChoice};
use crate::analysis::classify::async_pairs::AsyncPairs;
use crate::analysis::classify::primitive::Core;
use crate::analysis::classify::{Facts, Kind, classify};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;
use xla_profile::intervals::Merged;
use xla_profile::parallel;
use xla_profile::profile::{Line, OpId, Plane, Profile};

/// One core with its transfers, its timeline and its self times.
pub struct CoreWindow<'a> {
    /// Index of its device in the session.
    pub device: usize,
    pub core: Core,
    pub plane: &'a Plane,
    /// The kind of each op of the plane, by [`OpId`].
    pub kinds: Vec<Kind>,
    /// The transfers of the plane.
    pub transfers: Arc<AsyncPairs>,
    /// The timeline of the core over the whole capture.
    pub timeline: CoreTimeline,
    /// Self time of each op in the window, in ps, by [`OpId`]. For the device's own core, it is measured on the clock
    /// of the breakdown, and for a SparseCore on the event clock.
    pub self_times: Vec<u64>,
    /// The window on the clock of `timeline`, in ps. For the whole capture, it is `(0, u64::MAX)`.
    pub window: Merged,
    /// Whether the window is the whole capture.
    pub whole: bool,
}

impl CoreWindow<'_> {
    /// Returns the plane of the core, and its transfers.
    pub fn transfers(&self) -> (&Plane, &AsyncPairs) {
        (self.plane, &self.transfers)
    }

    /// Reads the timeline of the core.
    pub(super) fn read(&self, device: &Device) -> CoreTimeline {
        CoreTimeline::new(self.plane, device, self.timeline.clock, &self.transfers, &self.kinds)
    }

    /// Iterates over the parts of an interval that lie in the window.
    pub fn clip(&self, interval: Interval) -> impl Iterator<Item = Interval> {
        self.window.within(interval)
    }

    /// Whether the time `time` lies in the window. The whole capture contains every time.
    pub fn starts(&self, time: u64) -> bool {
        self.whole || self.window.contains(time)
    }
}

/// The planes of the SparseCores of devices: those whose name is the device's name followed by "SparseCore".
pub(super) struct SparsePlanes<'p>(FxHashMap<(usize, &'p str), Vec<&'p Plane>>);

impl<'p> SparsePlanes<'p> {
    pub(super) fn new(profile: &'p Profile) -> Self {
        let mut planes: FxHashMap<(usize, &str), Vec<&Plane>> = FxHashMap::default();
        for plane in profile.planes.iter().filter(|plane| !ops(plane).is_empty()) {
            let Some((device, _)) = plane.name.split_once("SparseCore") else { continue };
            planes.entry((plane.file, device.trim_end())).or_default().push(plane);
        }
        Self(planes)
    }

    /// Returns the planes of the SparseCores of a device.
    fn of_device<'s>(&'s self, device: &'s Plane) -> &'s [&'p Plane] {
        self.0.get(&(device.file, device.name.trim_end())).map_or(&[], Vec::as_slice)
    }
}

impl Analysis {
    /// Reads the own cores of devices in the window of `step`, on all cores of this machine. Devices that do not have the step
    /// are left out.
    pub(super) fn tensor_cores<'p>(
        &self,
        profile: &'p Profile,
        slices: &[Slice],
        step: StepChoice,
    ) -> Vec<CoreWindow<'p>> {
        let unread = slices.iter().filter_map(|slice| self.unread_core(profile, slice, step));
        let mut cores: Vec<CoreWindow<'p>> = unread.collect();
        let devices = &self.devices;
        let timelines = parallel::map(&cores, |core| core.read(&devices[core.device]));
        cores.iter_mut().zip(timelines).for_each(|(core, timeline)| core.timeline = timeline);
        cores
    }

    /// Reads the device's own core in the window of `step`. `None` if the device does not have the step.
    pub(super) fn tensor_core<'p>(
        &self,
        profile: &'p Profile,
        slice: &Slice,
        step: StepChoice,
    ) -> Option<CoreWindow<'p>> {
        let mut core = self.unread_core(profile, slice, step)?;
        core.timeline = core.read(&self.devices[core.device]);
        Some(core)
    }

    /// Returns the device's own core in the window of `step`, with an empty timeline.
    pub(super) fn unread_core<'p>(
        &self,
        profile: &'p Profile,
        slice: &Slice,
        step: StepChoice,
    ) -> Option<CoreWindow<'p>> {
        let device = &self.devices[slice.device];
        let plane = &profile.planes[device.plane];
        let kinds: Vec<Kind> = self.facts[slice.device].ops.iter().map(|facts| facts.kind).collect();
        let clock = clock(plane, device, step);
        let (window, whole) = device.window_on(step, clock)?;
        let transfers = self.async_pairs(profile, slice.device);
        let timeline = CoreTimeline::empty(clock);
        let self_times = slice.measured.ops.iter().map(|time| time.self_time).collect();
        Some(CoreWindow {
            device: slice.device,
            core: Core::Tensor,
            plane,
            kinds,
            transfers,
            timeline,
            self_times,
            window,
            whole,
        })
    }

    /// Reads the SparseCores of a device. Their times are related to the device's steps on the event clock. Empty if the
    /// device does not have the step.
    pub(super) fn sparse_cores<'p>(
        &self,
        profile: &'p Profile,
        planes: &SparsePlanes<'p>,
        device: usize,
        step: StepChoice,
        scale: Scale,
    ) -> Vec<CoreWindow<'p>> {
        let whole_device = &self.devices[device];
        let Some((window, whole)) = whole_device.window_on(step, whole_device.event_clock) else { return Vec::new() };
        let read = |plane: &'p Plane| {
            let sparse = Device {
                ops: ops(plane),
                steps: Vec::new(),
                basis: StepBasis::None,
                step_clock: whole_device.event_clock,
                op_clock: whole_device.event_clock,
                ..whole_device.clone()
            };
            let kinds: Vec<Kind> = (0..plane.ops.len()).map(|op| kind(profile, plane, OpId(op as u32))).collect();
            let transfers = Arc::new(AsyncPairs::new(profile, plane, &kinds));
            let timeline = CoreTimeline::new(plane, &sparse, whole_device.event_clock, &transfers, &kinds);
            let spans = window.clone();
            let requested = Window { name: String::new(), clock: whole_device.event_clock, spans, n_steps: 1, whole };
            let measured = mean_times(Rc::new(op_times(plane, &sparse, &requested)), scale);
            let self_times = measured.ops.iter().map(|time| time.self_time).collect();
            let window = window.clone();
            CoreWindow { device, core: Core::Sparse, plane, kinds, transfers, timeline, self_times, window, whole }
        };
        planes.of_device(&profile.planes[whole_device.plane]).iter().copied().map(read).collect()
    }
}

/// Returns the indices of the op lines of a SparseCore that have events.
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
