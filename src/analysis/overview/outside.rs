//! This module checks the time and the devices that the mean of the steps leaves out.

use super::context::Context;
use super::evidence::{host_events_of, telling_event};
use super::figures::Unit;
use super::report::{Confidence, Group, SeeView};
use super::rule::{Advice, BY_EVENTS, Draft, Outcome, Rule, unknown};
use super::rule_id::RuleId;
use crate::analysis::base::{Device, Platform, StepChoice};
use crate::analysis::gaps::GapClass;
use crate::table::format::{counted, percent_text, time_text};
use xla_profile::profile::Plane;
use xla_profile::units::Picos;

/// The rules about what the mean of the steps leaves out.
pub(super) const RULES: [Rule; 2] = [
    Rule {
        id: RuleId::UnusedDevices,
        group: Group::Quality,
        name: "Devices without work",
        title: "Some devices have no work",
        threshold: 1.0,
        unit: Unit::Count,
        confidence: Confidence::Measured,
        basis: BY_EVENTS,
        why: "A program runs on the devices that hold its arrays, and on no others.",
        worked_if: "all devices run the program",
        formula: "devices of a host that are busy for less than 1 % of the time of the one that is shown",
        view: SeeView::File,
        overlaps: &[RuleId::DeviceMissing],
        tries: &[
            Advice::code(
                "Divide the batch among all devices: give the arrays a sharding over them.",
                "jax.sharding.NamedSharding(jax.make_mesh((jax.device_count(),), (\"data\",)), P(\"data\"))",
            ),
            Advice::words("If the program needs one device only, use a smaller machine."),
        ],
        check: unused_devices,
    },
    Rule {
        id: RuleId::IdleOutside,
        group: Group::Quality,
        name: "Idle time outside of steps",
        title: "The device is idle outside of these steps",
        threshold: 0.1,
        unit: Unit::Fraction,
        confidence: Confidence::Measured,
        basis: BY_EVENTS,
        why: "Work of the host between groups of steps keeps the device idle, and no mean of steps has this time.",
        worked_if: "the device is idle for less than 10 % of the time outside of steps",
        formula: "idle time outside of the steps ÷ time from the first of them to the last one",
        view: SeeView::Breakdown,
        overlaps: &[],
        tries: &[
            Advice::words("Do this work on another thread, while the device runs the next steps."),
            Advice::words("Select the whole capture, to see this time in all figures."),
        ],
        check: idle_outside,
    },
];

/// Of how much of the time of the device that is shown another one is busy, if it has work.
const HAS_WORK: f64 = 0.01;

/// Returns whether a device has no work, compared with the device that is shown.
pub(super) fn has_no_work(context: &Context<'_>, other: &Device) -> bool {
    let shown = context.device();
    other.platform == shown.platform && other.busy.fraction_of(shown.busy).is_some_and(|share| share < HAS_WORK)
}

/// Devices of the host of the shown device that have no work.
fn unused_devices(context: &mut Context<'_>, _: &Rule) -> Vec<Outcome> {
    let (profile, shown) = (context.profile, context.device());
    let is_neighbour = |plane: &Plane| {
        plane.file == context.plane().file && Platform::from_plane_name(&plane.name) == Some(shown.platform)
    };
    let device_of = |plane: usize| context.analysis.devices.iter().find(|device| device.plane == plane);
    let neighbours = || profile.planes.iter().enumerate().filter(|(_, plane)| is_neighbour(plane));
    let has_work = |plane: usize| device_of(plane).is_some_and(|device| !has_no_work(context, device));
    let label = |plane: &Plane| plane.name.trim_start_matches("/device:").to_owned();
    let unused: Vec<String> = neighbours()
        .filter(|(index, _)| !has_work(*index))
        .map(|(index, plane)| device_of(index).map_or_else(|| label(plane), |device| device.label.clone()))
        .collect();
    if unused.is_empty() {
        return vec![Outcome::Below { measured: 0.0, at_stake: None }];
    }
    let number = |label: &str| label.rsplit(':').next().and_then(|number| number.parse::<usize>().ok());
    let last = unused.last().and_then(|last| number(last)).unwrap_or(0);
    let follow = number(&unused[0]).is_some_and(|first| last.checked_sub(first) == Some(unused.len() - 1));
    let named = match &unused[..] {
        [first, _, .., last] if follow => format!("{first} to {last}"),
        [first, second, _, rest @ ..] => format!("{first}, {second} and {} more", rest.len() + 1),
        few => few.join(", "),
    };
    let detail = format!(
        "{} of {} devices ({named}) run next to nothing, while {} works.",
        unused.len(),
        neighbours().count(),
        shown.label
    );
    let mut draft = Draft { detail, ..Draft::default() };
    draft.evidence.devices = unused;
    vec![Outcome::Found(Box::new(draft))]
}

/// Idle time outside of the steps of the overview, if it is more than that within them.
fn idle_outside(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    let device = context.device();
    let kind = match context.by_op.step {
        StepChoice::Mean => device.main_kind,
        StepChoice::Kind(kind) => kind,
        _ => return unknown("The overview is about one step, or about the whole capture."),
    };
    if device.steps.is_empty() {
        return unknown("The capture has no steps.");
    }
    if context.analysis.completeness.hides_idle(device) {
        return unknown("The profiler lost events of the device.");
    }
    let below = |share: f64| vec![Outcome::Below { measured: share, at_stake: None }];
    // The ops are read only if the device is idle for so long. The lines of a GPU overlap, so that its busy time says less.
    let whole = Picos(device.whole.1 - device.whole.0);
    let most = whole.saturating_sub(device.busy).fraction_of(whole).unwrap_or(0.0);
    if device.ops.len() == 1 && most < rule.threshold {
        return below(0.0);
    }
    let index = context.by_op.ledger.device;
    let Some(found) = context.analysis.idle_outside(context.profile, index, kind) else {
        return unknown("The device has no times that its host shares.");
    };
    let share = found.idle.fraction_of(found.window).unwrap_or(0.0);
    if share < rule.threshold || found.idle < context.gap_time(&GapClass::ALL) {
        return below(share);
    }
    let (idle, window) = (time_text(found.idle), time_text(found.window));
    let gaps = counted(found.n_gaps() as u64, "gap", "gaps");
    let longest = time_text(found.longest());
    let mut detail = format!("{idle} of {window}, {}, in {gaps} of up to {longest}.", percent_text(share));
    let events = host_events_of(context.analysis.explained(context.profile, index, &found).iter());
    if let Some((name, time)) = telling_event(&events, &[]) {
        detail += &format!(" Host meanwhile: {name}, {}.", time_text(*time));
    }
    let inputs = vec![("idle_outside_ps", found.idle.as_f64()), ("window_ps", found.window.as_f64())];
    let draft = Draft { detail, inputs, per_capture: Some(found.idle), ..Draft::default() };
    vec![Outcome::Found(Box::new(draft))]
}
