//! This module computes the figures of the overview. A figure that is unknown says why.

use super::context::Context;
use super::devices::DEVICES_MISSING;
use super::figures::{
    Basis, CAPTURE_PEAK, Figure, FigureId, FigureInput, NO_PEAKS, PEAK_FLOPS, PUBLISHED_PEAK, RAN_FLOPS, Unit,
};
use super::rule::NO_VERDICT;
use super::steps::outliers;
use crate::analysis::base::Sign;
use crate::analysis::gaps::GapClass;
use crate::analysis::ledger::Owner;
use crate::analysis::roofline::{DevicePeaks, RooflineFigures};
use xla_profile::units::Picos;

/// A value with its inputs, or the reason why it is unknown.
type Value = Result<(f64, Vec<Input>), &'static str>;
/// The name, the unit and the value of an input.
type Input = (&'static str, Unit, f64);

const NO_STEPS: &str = "The capture has no steps.";
const NO_COSTS: &str = "The capture has no costs of ops, or the peak of the device is unknown.";
const NO_MODEL_FLOPS: &str =
    "The capture has the FLOPs of ops as they ran, but no FLOPs without recomputation (model_flops).";
/// Why it is unknown whether the host was late.
const NO_HOST: &str = "The capture does not tell what the host did while the device was idle.";

pub(super) fn figures(context: &Context<'_>) -> Vec<Figure> {
    FigureId::ALL.map(|id| figure(id, context)).into()
}

fn figure(id: FigureId, context: &Context<'_>) -> Figure {
    if context.loss.is_some_and(Sign::hides_idle) && id.basis() != Basis::Facts {
        return Figure::unknown(id, Some(NO_VERDICT.to_owned()));
    }
    let (value, inputs, absent) = match compute(id, context) {
        Ok((value, inputs)) => (Some(value), inputs, None),
        Err(reason) => (None, Vec::new(), Some(reason.to_owned())),
    };
    let input = |(name, unit, value): Input| FigureInput { name: name.to_owned(), unit, value };
    let inputs = inputs.into_iter().map(input).collect();
    let has_coverage = matches!(id.basis(), Basis::Costs | Basis::RooflineTime);
    let coverage = context.roofline.coverage.filter(|_| has_coverage);
    Figure { value, inputs, coverage, ..Figure::unknown(id, absent) }.without_unknown_costs()
}

fn compute(id: FigureId, context: &Context<'_>) -> Value {
    let window = &context.roofline.window;
    match id {
        FigureId::StepTime => step_time(context),
        FigureId::Variability => variability(context),
        FigureId::SlowSteps => slow_steps(context),
        FigureId::FirstStep => first_step(context),
        FigureId::SteadyShare => steady_share(context),
        FigureId::Idle => share_of_window(context, idle_time(context, &|_| true)),
        FigureId::HostWaits => host_waits(context),
        FigureId::HostLead => host_lead(context),
        FigureId::ExposedCommunication => exposed(context),
        FigureId::WaitsForPeers => waits(context),
        FigureId::UsefulMfu => useful_mfu(context),
        FigureId::ModelMfu => model_mfu(context),
        FigureId::HardwareMfu => hardware_mfu(context),
        FigureId::HbmBandwidth => hbm_bandwidth(context),
        FigureId::ProductiveShare => share_of_window(context, context.by_op.ledger.time(Owner::Floor)),
        FigureId::PeakHbm => peak_hbm(context),
        FigureId::DeviceSpread => device_spread(context),
        FigureId::DeviceExcess => excess(context),
        FigureId::HbmBandwidthMeasured => measured(window.hbm_util_measured),
        FigureId::SmActive => measured(window.sm_active),
    }
}

/// Returns whether costs of ops are known, but no peak of a device, so that ops cannot be judged for want of the peaks.
pub(super) fn lacks_peaks(roofline: &RooflineFigures) -> bool {
    let window = &roofline.window;
    let has_costs = window.flops.or(window.model_flops).or(window.bytes).is_some_and(|amount| amount > 0.0);
    has_costs && roofline.peaks.iter().all(|peaks| peaks.used.is_empty())
}

fn share_of_window(context: &Context<'_>, time: Picos) -> Value {
    Ok((context.share(time), vec![("time_ps", Unit::Ps, context.per_step(time).as_f64())]))
}

/// Returns the idle time of some classes. Ops that wait for the host are no idle time, although they have the same
/// owner.
fn idle_time(context: &Context<'_>, is_counted: &dyn Fn(GapClass) -> bool) -> Picos {
    let sum = |parts: &[(Owner, Picos)]| -> Picos {
        let matches = |owner: Owner| matches!(owner, Owner::Gap(class) if is_counted(class));
        parts.iter().filter(|(owner, _)| matches(*owner)).map(|(_, time)| *time).sum()
    };
    let in_ops = context.by_op.ops.iter().map(|op| sum(&op.parts)).sum();
    sum(&context.by_op.ledger.owners).saturating_sub(in_ops)
}

fn host_waits(context: &Context<'_>) -> Value {
    if context.lacks_host() {
        return Err(NO_HOST);
    }
    share_of_window(context, idle_time(context, &GapClass::is_host_late))
}

fn step_time(context: &Context<'_>) -> Value {
    let spread = context.periods().ok_or(NO_STEPS)?;
    let mut inputs = vec![
        ("mean_ps", Unit::Ps, spread.mean),
        ("min_ps", Unit::Ps, spread.min.as_f64()),
        ("max_ps", Unit::Ps, spread.max.as_f64()),
        ("first_quartile_ps", Unit::Ps, spread.quartiles[0]),
        ("third_quartile_ps", Unit::Ps, spread.quartiles[1]),
        ("n", Unit::Count, f64::from(spread.n)),
    ];
    inputs.extend(spread.interval().map(|half| ("interval_95_ps", Unit::Ps, half)));
    Ok((spread.median, inputs))
}

fn variability(context: &Context<'_>) -> Value {
    let spread = context.periods().ok_or(NO_STEPS)?;
    if spread.n < 5 {
        return Err("The capture has fewer than five steady steps.");
    }
    let iqr = spread.quartiles[1] - spread.quartiles[0];
    Ok((iqr / spread.median, vec![("iqr_ps", Unit::Ps, iqr), ("median_ps", Unit::Ps, spread.median)]))
}

fn slow_steps(context: &Context<'_>) -> Value {
    let found = outliers(context).ok_or("The capture has fewer than five steady steps.")?;
    Ok((found.slow.len() as f64, vec![("median_ps", Unit::Ps, found.median.as_f64())]))
}

fn first_step(context: &Context<'_>) -> Value {
    let spread = context.periods().filter(|spread| spread.n >= 3).ok_or("The capture has fewer than three steps.")?;
    let first = context.device().steps.first().filter(|step| step.has_period).ok_or(NO_STEPS)?;
    let length = first.length().as_f64();
    Ok((length - spread.median, vec![("first_ps", Unit::Ps, length), ("median_ps", Unit::Ps, spread.median)]))
}

/// The share of the capture that steady steps of median length make up.
fn steady_share(context: &Context<'_>) -> Value {
    let spread = context.periods().filter(|spread| spread.n >= 3).ok_or("The capture has fewer than three steps.")?;
    let (start, end) = context.device().whole;
    let span = Picos(end - start).as_f64();
    let n = f64::from(spread.n);
    Ok((
        n * spread.median / span,
        vec![("n", Unit::Count, n), ("median_ps", Unit::Ps, spread.median), ("span_ps", Unit::Ps, span)],
    ))
}

fn host_lead(context: &Context<'_>) -> Value {
    let lead = context.gaps.host_lead.ok_or("The capture does not link runs to calls of the host.")?;
    Ok((lead, vec![("n_runs", Unit::Count, context.gaps.n_linked_runs as f64)]))
}

fn exposed(context: &Context<'_>) -> Value {
    let traffic = &context.comm.tensor;
    if traffic.n == 0 {
        return Err("The device takes part in no collective.");
    }
    let exposed = traffic.overlap.exposed.as_f64();
    let window = context.comm.header.step_duration.map_or(0.0, Picos::as_f64);
    if window == 0.0 {
        return Err(NO_STEPS);
    }
    Ok((exposed / window, vec![("exposed_ps", Unit::Ps, exposed), ("window_ps", Unit::Ps, window)]))
}

fn waits(context: &Context<'_>) -> Value {
    let own = context.by_op.waits.iter().find(|(device, _)| *device == context.by_op.ledger.device);
    let (_, wait) = own.filter(|_| context.by_op.waits.len() > 1).ok_or("The capture has one device.")?;
    let all = Picos(wait.0.saturating_mul(context.n_steps()));
    Ok((context.share(all), vec![("wait_ps", Unit::Ps, wait.as_f64())]))
}

/// A share that counters of the device measured.
fn measured(share: Option<f64>) -> Value {
    Ok((share.ok_or("The capture has no such counters, or they lack a part of the steps.")?, Vec::new()))
}

/// Useful FLOPs of a step ÷ (devices × peak × period).
fn useful_mfu(context: &Context<'_>) -> Value {
    let window = &context.roofline.window;
    let flops = window.useful_flops.ok_or("The tokens of a step and the FLOPs of a token are not given.")?;
    let value = window.useful_mfu.ok_or("The peak of the device is unknown.")?;
    let mut inputs =
        vec![("useful_flops_of_device", Unit::Flops, flops), ("window_ps", Unit::Ps, window.window.as_f64())];
    inputs.extend(window.useful_devices.map(|devices| ("devices", Unit::Count, f64::from(devices.n))));
    inputs.extend(window.peak_flops.map(|peak| (PEAK_FLOPS, Unit::Flops, peak)));
    Ok((value, inputs))
}

fn model_mfu(context: &Context<'_>) -> Value {
    let window = &context.roofline.window;
    let unknown = if window.model_flops.is_none() && window.hfu.is_some() { NO_MODEL_FLOPS } else { NO_COSTS };
    let value = window.model_mfu.ok_or(unknown_share(context, window.model_flops, unknown))?;
    Ok((value, compute_inputs(context, "model_flops", window.model_flops)))
}

fn hardware_mfu(context: &Context<'_>) -> Value {
    let window = &context.roofline.window;
    let value = window.hfu.ok_or(unknown_share(context, window.flops, NO_COSTS))?;
    Ok((value, compute_inputs(context, RAN_FLOPS, window.flops)))
}

fn hbm_bandwidth(context: &Context<'_>) -> Value {
    let window = &context.roofline.window;
    let value = window.hbm_util.ok_or(unknown_share(context, window.bytes, NO_COSTS))?;
    // The bandwidth is not an input, because the devices of a window may have different ones.
    let mut inputs = vec![("window_ps", Unit::Ps, window.window.as_f64())];
    inputs.extend(window.bytes.map(|bytes| ("bytes", Unit::Flops, bytes)));
    Ok((value, inputs))
}

/// Returns why a share of a peak is unknown: for want of the peak if the amount is known, else for `other`.
fn unknown_share(context: &Context<'_>, amount: Option<f64>, other: &'static str) -> &'static str {
    if amount.is_some() && context.lacks_peaks { NO_PEAKS } else { other }
}

fn compute_inputs(context: &Context<'_>, name: &'static str, flops: Option<f64>) -> Vec<Input> {
    let window = &context.roofline.window;
    let mut inputs = vec![("window_ps", Unit::Ps, window.window.as_f64())];
    inputs.extend(flops.map(|flops| (name, Unit::Flops, flops)));
    inputs.extend(window.peak_flops.map(|peak| (PEAK_FLOPS, Unit::Flops, peak)));
    let by_source = context.roofline.peaks.first().filter(|_| window.peak_flops.is_some());
    if let Some([by_capture, published]) = by_source.and_then(DevicePeaks::main_by_source) {
        inputs.push((CAPTURE_PEAK, Unit::Flops, by_capture.value));
        inputs.push((PUBLISHED_PEAK, Unit::Flops, published.value));
    }
    inputs
}

fn peak_hbm(context: &Context<'_>) -> Value {
    let used = context.checks.iter().filter_map(|check| Some((check, check.used?)));
    let fullest = used.max_by(|a, b| a.1.total_cmp(&b.1));
    let (check, used) = fullest.ok_or("The memory in use or the capacity of the device is unknown.")?;
    #[expect(clippy::cast_precision_loss, reason = "a size that is shown")]
    let peak = check.static_peak.max(check.runtime_peak).unwrap_or(0) as f64;
    #[expect(clippy::cast_precision_loss, reason = "a size that is shown")]
    let capacity = check.capacity.as_ref().map_or(0, |capacity| capacity.size) as f64;
    Ok((used, vec![("peak_bytes", Unit::Bytes, peak), ("capacity_bytes", Unit::Bytes, capacity)]))
}

fn device_spread(context: &Context<'_>) -> Value {
    if context.analysis.devices.len() < 2 {
        return Err("The capture has one device.");
    }
    if context.lacks_neighbours() {
        return Err(DEVICES_MISSING);
    }
    let balance = context.analysis.step_balance(context.profile);
    let spread = balance.mean_spread.ok_or("No step is on several devices.")?;
    Ok((
        spread,
        vec![
            ("worst_spread", Unit::Fraction, balance.worst_spread.unwrap_or(spread)),
            ("n_steps", Unit::Count, balance.n_steps.into()),
        ],
    ))
}

fn excess(context: &Context<'_>) -> Value {
    if context.lacks_neighbours() {
        return Err(DEVICES_MISSING);
    }
    let excess = context.by_op.ledger.excess.ok_or("The capture has one device.")?;
    Ok((excess.as_f64(), vec![("n_devices", Unit::Count, context.by_op.waits.len() as f64)]))
}
