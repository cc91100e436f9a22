//! This module compares everything that runs in the window with the peaks of the devices, idle time included.
//!
//! ```text
//!  HFU = Σ FLOPs of all ops ÷ Σ over devices (peak × window)
//! ```
//!
//! Containers are left out, because the ops inside them count. The start of an asynchronous pair is left out, because
//! its done counts. This module does not depend on rows.

use super::evaluate::is_begin;
use super::peaks::DevicePeaks;
use super::query::{Level, RooflineQuery};
use super::window_use::{DeviceCount, DeviceCountSource, WindowUse};
use crate::analysis::base::rows::{Slice, each};
use crate::analysis::base::scale::Scale;
use crate::analysis::base::{Analysis, Device, StepChoice};
use crate::analysis::classify::Kind;
use crate::analysis::counters::{MEMORY_TRAFFIC, SM_CYCLES};
use crate::analysis::data_movement::Programs;
use indexmap::IndexMap;
use xla_profile::profile::{MemoryBytes, Profile, ProgramId};
use xla_profile::units::Picos;

impl Analysis {
    /// Sums the FLOPs and the bytes of all ops of `slices` in the window, and divides them by the peaks. `peaks` are in
    /// the order of `slices`.
    pub(super) fn window_use(
        &self,
        profile: &Profile,
        query: &RooflineQuery,
        (step, scale): (StepChoice, Scale),
        slices: &[Slice],
        peaks: &[DevicePeaks],
        programs: Option<Programs<'_>>,
    ) -> WindowUse {
        let session = self.session_facts(profile);
        let mut found = WindowUse::default();
        // FLOPs and bytes of HBM that the devices could do in the window. `None` if a device has no such peak.
        let (mut flops, mut bytes, mut steps) = (Some(0.0), Some(0.0), 0.0);
        for (slice, peaks) in slices.iter().zip(peaks) {
            let device = &self.devices[slice.device];
            let Some(window) = device.choose(step) else { continue };
            let length = scale.time(Picos(window.spans.length()));
            let seconds = length.as_f64() / 1e12;
            found.window += length;
            let more = |sum: Option<f64>, peak: Option<f64>| Some(sum? + peak? * seconds);
            flops = more(flops, peaks.flops(peaks.main()));
            bytes = more(bytes, peaks.bytes(Level::Hbm));
            #[expect(clippy::cast_precision_loss, reason = "a count of steps")]
            let n = match step {
                StepChoice::All => device.steps.len() as f64,
                StepChoice::Range(_) => device.steps_within(&window.spans),
                _ => f64::from(window.n_steps),
            };
            steps += scale.number(n);
        }
        let measured = |names: &[&str], peak: &dyn Fn(&Device, &DevicePeaks) -> Option<f64>| {
            let mut shares = Vec::with_capacity(slices.len());
            for (slice, peaks) in slices.iter().zip(peaks) {
                let device = &self.devices[slice.device];
                let (windows, is_whole) = device.window_on(step, device.event_clock)?;
                let windows = if is_whole { &[device.whole][..] } else { windows.intervals() };
                let rate = self.measured_rate(profile, slice.device, names, windows)?;
                shares.push(rate / peak(device, peaks).filter(|peak| *peak > 0.0)?);
            }
            #[expect(clippy::cast_precision_loss, reason = "a number of devices")]
            let n = shares.len() as f64;
            (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / n)
        };
        found.hbm_util_measured = measured(&MEMORY_TRAFFIC, &|_, peaks| peaks.bytes(Level::Hbm));
        let clock =
            |device: &Device, _: &DevicePeaks| Some(profile.planes[device.plane].number_stat("clock_rate")? * 1e3);
        found.sm_active = measured(&SM_CYCLES, &clock);
        let mut hbm: Option<f64> = None;
        let mut by_program: IndexMap<Option<ProgramId>, u64> = IndexMap::default();
        each(slices, |member, time| {
            let device = slices[member.slice as usize].device;
            let (op, facts) = session.op(device, member.op);
            if facts.kind == Kind::Container || is_begin(&session, op) {
                return;
            }
            let program = by_program.entry(op.stats.program).or_default();
            *program = program.saturating_add(time.self_time);
            if time.n == 0 {
                return;
            }
            let n = time.n.as_f64();
            let add = |sum: &mut Option<f64>, cost: Option<f64>| {
                if let Some(cost) = cost.filter(|cost| cost.is_finite()) {
                    *sum = Some(sum.unwrap_or(0.0) + cost * n);
                }
            };
            add(&mut found.flops, op.stats.flops);
            add(&mut found.model_flops, op.stats.model_flops);
            add(&mut found.bytes, op.stats.bytes_accessed);
            // A kernel of unknown bytes has none in any memory.
            let memory =
                profile.memory(session.plane(device), member.op).filter(|bytes| **bytes != MemoryBytes::default());
            #[expect(clippy::cast_precision_loss, reason = "costs are estimates in doubles")]
            let of_hbm = memory.map(|memory| memory.hbm as f64);
            add(&mut hbm, of_hbm.or(op.stats.bytes_accessed));
        });
        let share = |amount: Option<f64>, most: Option<f64>| Some(amount? / most.filter(|most| *most > 0.0)?);
        let alike = peaks.first().and_then(|first| first.flops(first.main()));
        let same = |p: &DevicePeaks| p.flops(p.main()).map(f64::to_bits) == alike.map(f64::to_bits);
        found.peak_flops = alike.filter(|_| peaks.iter().all(same));
        found.hfu = share(found.flops, flops);
        found.model_mfu = share(found.model_flops, flops);
        found.hbm_util = share(hbm, bytes);
        if let Some(useful) = query.useful {
            let devices = self.job_devices(useful.devices, &by_program, programs);
            let total = useful.flops() * steps / f64::from(devices.n.max(1));
            found.useful_devices = Some(devices);
            found.useful_flops = Some(total).filter(|total| total.is_finite() && *total > 0.0);
            found.useful_mfu = share(found.useful_flops, flops);
        }
        found
    }

    /// Returns the number of devices that share a step: the number from the user, else replicas × partitions of the
    /// program with the most time, else the number of devices in the capture, selected or not.
    fn job_devices(
        &self,
        requested: Option<u32>,
        by_program: &IndexMap<Option<ProgramId>, u64>,
        programs: Option<Programs<'_>>,
    ) -> DeviceCount {
        let longest = by_program.iter().max_by_key(|(id, self_time)| (**self_time, std::cmp::Reverse(**id)));
        let compiled = || {
            let module = programs?((*longest?.0)?)?;
            u32::try_from(module.devices()?).ok()
        };
        let found = requested.map(|n| (n, DeviceCountSource::Yours));
        let found = found.or_else(|| Some((compiled()?, DeviceCountSource::Program)));
        let (n, source) = found.unwrap_or((self.devices.len() as u32, DeviceCountSource::Capture));
        DeviceCount { n, source }
    }
}
