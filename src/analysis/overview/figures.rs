//! This module computes the figures of the overview. A figure that is unknown says why.

use super::context::Context;
use super::devices::DEVICES_MISSING;
use super::report::{Figure, NO_PEAKS, Overview, Unit};
use super::rule::NO_VERDICT;
use super::steps::outliers;
use crate::analysis::base::Sign;
use crate::analysis::ledger::Owner;
use crate::analysis::roofline::{Quadrant, RooflineFigures};
use crate::units::Picos;

/// A value with its inputs, or the reason why it is unknown.
type Value = Result<(f64, Vec<(&'static str, f64)>), &'static str>;

const NO_STEPS: &str = "The capture has no steps.";
const NO_COSTS: &str = "The capture has no costs of ops, or the peak of the device is unknown.";
const NO_MODEL_FLOPS: &str =
    "The capture has the FLOPs of ops as they ran, but no FLOPs without recomputation (model_flops).";

/// The names of all figures, with their units.
pub(super) const NAMES: [(&str, Unit); 20] = [
    ("step_time", Unit::Ps),
    ("variability", Unit::Fraction),
    ("slow_steps", Unit::Count),
    ("first_step", Unit::Ps),
    ("steady_share", Unit::Fraction),
    ("idle", Unit::Fraction),
    ("host_waits", Unit::Fraction),
    ("host_lead", Unit::Ps),
    ("exposed_communication", Unit::Fraction),
    ("waits_for_peers", Unit::Fraction),
    ("useful_mfu", Unit::Fraction),
    ("model_mfu", Unit::Fraction),
    ("hardware_mfu", Unit::Fraction),
    ("hbm_bandwidth", Unit::Fraction),
    ("productive_share", Unit::Fraction),
    ("peak_hbm", Unit::Fraction),
    ("device_spread", Unit::Fraction),
    ("device_excess", Unit::Ps),
    ("hbm_bandwidth_measured", Unit::Fraction),
    ("sm_active", Unit::Fraction),
];

/// The figures that are known although most events of a device are missing.
const WITHOUT_EVENTS: [&str; 3] = ["peak_hbm", "device_spread", "device_excess"];

/// Returns the unit of a figure. `None` if there is no figure of this name.
pub fn figure_unit(name: &str) -> Option<Unit> {
    NAMES.iter().find(|(of, _)| *of == name).map(|(_, unit)| *unit)
}

/// Why it is unknown whether the host was late.
const NO_HOST: &str = "The capture does not tell what the host did while the device was idle.";

/// Returns all figures, in the order of [`NAMES`].
pub(super) fn figures(context: &Context<'_>, roofline: &RooflineFigures) -> Vec<Figure> {
    let ledger = &context.by_op.ledger;
    let window = &roofline.window;
    let gaps: Picos = ledger.owners.iter().filter(|(owner, _)| is_gap(*owner)).map(|(_, time)| *time).sum();
    // Ops that wait for the host are no idle time, although they have the same owner.
    let parts = || context.by_op.ops.iter().flat_map(|op| &op.parts);
    let waits_in_ops: Picos = parts().filter(|(owner, _)| is_gap(*owner)).map(|(_, time)| *time).sum();
    let idle = gaps.saturating_sub(waits_in_ops);
    let late: Picos = ledger.owners.iter().filter(|(owner, _)| is_host_gap(*owner)).map(|(_, time)| *time).sum();
    let late_in_ops: Picos = parts().filter(|(owner, _)| is_host_gap(*owner)).map(|(_, time)| *time).sum();
    let host = late.saturating_sub(late_in_ops);
    let of_window = |time: Picos| Ok((context.share(time), vec![("time_ps", context.per_step(time).as_f64())]));
    let figure = |((name, unit), value): (&(&str, Unit), Value)| {
        let (value, inputs, absent) = match value {
            Ok((value, inputs)) => (Some(value), inputs, None),
            Err(reason) => (None, Vec::new(), Some(reason.to_owned())),
        };
        let inputs = inputs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Figure { name: (*name).to_owned(), unit: *unit, value, inputs, coverage: None, absent }
    };
    let lacks_peaks = lacks_peaks(roofline);
    let ratio = |value: Option<f64>, amount: Option<f64>, amount_name: &'static str| {
        let value = value.ok_or(match () {
            () if amount.is_some() && lacks_peaks => NO_PEAKS,
            () if amount_name == "model_flops" && amount.is_none() && window.mfu.is_some() => NO_MODEL_FLOPS,
            () => NO_COSTS,
        })?;
        let mut inputs = vec![("window_ps", window.window.as_f64())];
        inputs.extend(amount.map(|amount| (amount_name, amount)));
        // The bandwidth is not an input, because the devices of a window may have different ones.
        inputs.extend(window.peak_flops.filter(|_| amount_name != "bytes").map(|peak| ("peak_flops", peak)));
        Ok((value, inputs))
    };
    let values = [
        step_time(context),
        variability(context),
        slow_steps(context),
        first_step(context),
        steady_share(context),
        of_window(idle),
        if context.lacks_host() { Err(NO_HOST) } else { of_window(host) },
        host_lead(context),
        exposed(context),
        waits(context),
        useful_mfu(roofline),
        ratio(window.model_mfu, window.model_flops, "model_flops"),
        ratio(window.mfu, window.flops, "flops"),
        ratio(window.hbm_util, window.bytes, "bytes"),
        of_window(ledger.time(Owner::Floor)),
        peak_hbm(context),
        device_spread(context),
        excess(context),
        measured(window.hbm_util_measured),
        measured(window.sm_active),
    ];
    let mut figures: Vec<Figure> = NAMES.iter().zip(values).map(figure).collect();
    // Sums over the time of a device mean nothing if most of its events are missing.
    if context.loss.is_some_and(Sign::hides_idle) {
        for figure in figures.iter_mut().filter(|figure| !WITHOUT_EVENTS.contains(&&*figure.name)) {
            (figure.value, figure.inputs, figure.absent) = (None, Vec::new(), Some(NO_VERDICT.to_owned()));
        }
        return figures;
    }
    let coverage = roofline.coverage;
    for figure in &mut figures {
        if matches!(&*figure.name, "model_mfu" | "hardware_mfu" | "hbm_bandwidth" | "productive_share") {
            figure.coverage = coverage;
        }
    }
    figures.into_iter().map(Figure::without_unknown_costs).collect()
}

/// Returns whether costs of ops are known, but no peak of a device, so that ops cannot be judged for want of the peaks.
pub(super) fn lacks_peaks(roofline: &RooflineFigures) -> bool {
    let window = &roofline.window;
    let has_costs = window.flops.or(window.model_flops).or(window.bytes).is_some_and(|amount| amount > 0.0);
    has_costs && roofline.peaks.iter().all(|peaks| peaks.used.is_empty())
}

const fn is_gap(owner: Owner) -> bool {
    matches!(owner, Owner::Gap(_))
}

const fn is_host_gap(owner: Owner) -> bool {
    matches!(owner, Owner::Gap(class) if class.is_host_late())
}

fn step_time(context: &Context<'_>) -> Value {
    let spread = context.periods().ok_or(NO_STEPS)?;
    let mut inputs = vec![
        ("mean_ps", spread.mean),
        ("min_ps", spread.min.as_f64()),
        ("max_ps", spread.max.as_f64()),
        ("first_quartile_ps", spread.quartiles[0]),
        ("third_quartile_ps", spread.quartiles[1]),
        ("n", f64::from(spread.n)),
    ];
    inputs.extend(spread.interval().map(|half| ("interval_95_ps", half)));
    Ok((spread.median, inputs))
}

fn variability(context: &Context<'_>) -> Value {
    let spread = context.periods().ok_or(NO_STEPS)?;
    if spread.n < 5 {
        return Err("The capture has fewer than five steady steps.");
    }
    let iqr = spread.quartiles[1] - spread.quartiles[0];
    Ok((iqr / spread.median, vec![("iqr_ps", iqr), ("median_ps", spread.median)]))
}

fn slow_steps(context: &Context<'_>) -> Value {
    let found = outliers(context).ok_or("The capture has fewer than five steady steps.")?;
    Ok((found.slow.len() as f64, vec![("median_ps", found.median.as_f64())]))
}

fn first_step(context: &Context<'_>) -> Value {
    let spread = context.periods().filter(|spread| spread.n >= 3).ok_or("The capture has fewer than three steps.")?;
    let first = context.device().steps.first().filter(|step| step.has_period).ok_or(NO_STEPS)?;
    let length = first.length().as_f64();
    Ok((length - spread.median, vec![("first_ps", length), ("median_ps", spread.median)]))
}

/// The share of the capture that steady steps of median length make up.
fn steady_share(context: &Context<'_>) -> Value {
    let spread = context.periods().filter(|spread| spread.n >= 3).ok_or("The capture has fewer than three steps.")?;
    let (start, end) = context.device().whole;
    let span = Picos(end - start).as_f64();
    let n = f64::from(spread.n);
    Ok((n * spread.median / span, vec![("n", n), ("median_ps", spread.median), ("span_ps", span)]))
}

fn host_lead(context: &Context<'_>) -> Value {
    let lead = context.gaps.host_lead.ok_or("The capture does not link runs to calls of the host.")?;
    Ok((lead, vec![("n_runs", context.gaps.n_linked_runs as f64)]))
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
    Ok((exposed / window, vec![("exposed_ps", exposed), ("window_ps", window)]))
}

fn waits(context: &Context<'_>) -> Value {
    let own = context.by_op.waits.iter().find(|(device, _)| *device == context.by_op.ledger.device);
    let (_, wait) = own.filter(|_| context.by_op.waits.len() > 1).ok_or("The capture has one device.")?;
    let all = Picos(wait.0.saturating_mul(context.n_steps()));
    Ok((context.share(all), vec![("wait_ps", wait.as_f64())]))
}

impl Overview {
    /// Compares the use of compute and memory. `None` if one of them is unknown.
    pub fn quadrant(&self) -> Option<Quadrant> {
        let figure = |name: &str| {
            let figure = self.figures.iter().find(|figure| figure.name == name)?;
            Some((figure.value?, figure.is_at_least()))
        };
        let memory = figure("hbm_bandwidth_measured").or_else(|| figure("hbm_bandwidth"));
        Quadrant::new(figure("hardware_mfu"), memory)
    }
}

/// A share that counters of the device measured.
fn measured(share: Option<f64>) -> Value {
    Ok((share.ok_or("The capture has no such counters, or they lack a part of the steps.")?, Vec::new()))
}

/// Useful FLOPs of a step ÷ (devices × peak × period).
fn useful_mfu(roofline: &RooflineFigures) -> Value {
    let window = &roofline.window;
    let flops = window.useful_flops.ok_or("The tokens of a step and the FLOPs of a token are not given.")?;
    let value = window.useful_mfu.ok_or("The peak of the device is unknown.")?;
    let mut inputs = vec![("useful_flops_of_device", flops), ("window_ps", window.window.as_f64())];
    inputs.extend(window.useful_devices.map(|devices| ("devices", f64::from(devices.n))));
    inputs.extend(window.peak_flops.map(|peak| ("peak_flops", peak)));
    Ok((value, inputs))
}

fn peak_hbm(context: &Context<'_>) -> Value {
    let used = context.checks.iter().filter_map(|check| Some((check, check.used?)));
    let fullest = used.max_by(|a, b| a.1.total_cmp(&b.1));
    let (check, used) = fullest.ok_or("The memory in use or the capacity of the device is unknown.")?;
    #[expect(clippy::cast_precision_loss, reason = "a size that is shown")]
    let peak = check.static_peak.max(check.runtime_peak).unwrap_or(0) as f64;
    #[expect(clippy::cast_precision_loss, reason = "a size that is shown")]
    let capacity = check.capacity.as_ref().map_or(0, |capacity| capacity.size) as f64;
    Ok((used, vec![("peak_bytes", peak), ("capacity_bytes", capacity)]))
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
    Ok((spread, vec![("worst_spread", balance.worst_spread.unwrap_or(spread)), ("n_steps", balance.n_steps.into())]))
}

fn excess(context: &Context<'_>) -> Value {
    if context.lacks_neighbours() {
        return Err(DEVICES_MISSING);
    }
    let excess = context.by_op.ledger.excess.ok_or("The capture has one device.")?;
    Ok((excess.as_f64(), vec![("n_devices", context.by_op.waits.len() as f64)]))
}
