//! This module computes the periods of a device's steps, and finds its steady steps.
//!
//! ```text
//!  Steps line  ├── 0 ──┤     ├─ 1 ─┤  ├─ 2 ─┤  ├─ 3 ─┤      a step's event leaves out the time until the next step
//!  period      ├──── 0 ─────┤├── 1 ──┤├── 2 ──┤                a period is the time from start to start
//!  steady       first               ✓       ✓     no period
//! ```
//!
//! The windows of steps are their periods, so that the time between steps, in which the host often is late, belongs to
//! a step. The last step has no period, and its window is its event.

use super::device::{Clock, Device, Step, host_interval, host_lines, host_planes};
use super::not_steady::NotSteady;
use super::query::StepChoice;
use crate::table::filter::contains;
use indexmap::IndexMap;
use rustc_hash::FxHashMap;
use xla_profile::intervals::Interval;
use xla_profile::profile::Profile;
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Picos;

/// A step with fewer ops than this share of the median is not steady, because events of it were lost.
const LEAST_OPS: f64 = 0.8;
/// By how much the number of ops of most steps may differ from the median, if a step with few ops has lost some.
const USUAL_OPS: f64 = 0.05;
/// A step is not steady if a compilation or a program load takes more than this share of it. Calls that load a program
/// that is loaded already take less than a microsecond, and real runs make one for each step.
const LONGEST_COMPILE: f64 = 0.01;
/// The least number of steady steps. With fewer, all steps with a period count.
const LEAST_STEPS: usize = 3;

/// Ends the window of each step where the next step starts, or where `ends` says that a run outside of all steps starts:
/// for the index of a step, the end on the clock of steps and on the event clock. `steps` must be in order of their start.
/// A step that starts with the next one keeps its event as its window, and so does a step that the event clock has at
/// another place in the order: the windows of steps with a period are in the same order on both clocks, and none of them
/// overlap.
pub(super) fn set(steps: &mut [Step], ends: &[(usize, (u64, u64))]) {
    let mut ends = ends.iter().peekable();
    let is_in_order = event_order(steps);
    for index in 1..steps.len() {
        let (mut next, mut next_event) = (steps[index].window.0, steps[index].event_window.0);
        if let Some((_, (end, event_end))) = ends.next_if(|(step, _)| *step == index - 1) {
            (next, next_event) = (next.min(*end), next_event.min(*event_end));
        }
        let are_in_order = is_in_order.as_ref().is_none_or(|is_in_order| is_in_order[index - 1] && is_in_order[index]);
        let step = &mut steps[index - 1];
        step.has_period = are_in_order && next > step.window.0 && next_event > step.event_window.0;
        if step.has_period {
            step.window.1 = next;
            step.event_window.1 = next_event;
        }
    }
}

/// Returns for each step whether it belongs to the largest number of steps that start in this order on the event clock too.
/// `None` if all steps do. Only a damaged capture has steps in another order.
fn event_order(steps: &[Step]) -> Option<Vec<bool>> {
    let start = |index: usize| steps[index].event_window.0;
    if steps.is_sorted_by_key(|step| step.event_window.0) {
        return None;
    }
    // The last step of the ordered steps of each number, the one that starts first; and the step before each step.
    let mut lasts: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(steps.len());
    for index in 0..steps.len() {
        let n = lasts.partition_point(|last| start(*last) <= start(index));
        before.push(n.checked_sub(1).map(|n| lasts[n]));
        match lasts.get_mut(n) {
            Some(last) => *last = index,
            None => lasts.push(index),
        }
    }
    let mut is_in_order = vec![false; steps.len()];
    let mut next = lasts.last().copied();
    while let Some(index) = next {
        is_in_order[index] = true;
        next = before[index];
    }
    Some(is_in_order)
}

/// Finds out which steps of `devices` are steady.
pub(super) fn mark_steady(profile: &Profile, devices: &mut [Device]) {
    // Devices of one host share its compiles.
    let planes = host_planes(profile);
    let mut events: IndexMap<usize, Vec<HostEventTime>> = IndexMap::default();
    let mut hosts: IndexMap<(usize, Clock), Vec<Interval>> = IndexMap::default();
    for device in devices.iter_mut().filter(|device| !device.steps.is_empty()) {
        let file = profile.planes[device.plane].file;
        let compiles = hosts.entry((file, device.event_clock)).or_insert_with(|| {
            let planes = planes.get(file).map_or(&[][..], Vec::as_slice);
            compiles(events.entry(file).or_insert_with(|| compile_events(profile, planes)), device.event_clock)
        });
        let (reasons, has_few) = steady_steps(device, compiles);
        device.steps.iter_mut().zip(reasons).for_each(|(step, reason)| step.not_steady = reason);
        device.has_few_steady = has_few;
    }
}

/// Marks the steps with a period that `is_lost` selects as not steady, because events of them are missing. If fewer than three steps
/// of the main kind are left, all steps with a period that lack no events count as steady.
pub(super) fn leave_out_lost(device: &mut Device, is_lost: &dyn Fn(&Step) -> bool) {
    let mut is_marked = false;
    for step in device.steps.iter_mut().filter(|step| step.has_period) {
        if is_lost(step) {
            (step.not_steady, is_marked) = (Some(NotSteady::Lost), true);
        }
    }
    if is_marked && !device.has_few_steady && device.steady_steps().count() < LEAST_STEPS {
        device.has_few_steady = true;
        let is_complete = |step: &&mut Step| step.has_period && step.not_steady != Some(NotSteady::Lost);
        device.steps.iter_mut().filter(is_complete).for_each(|step| step.not_steady = None);
    }
}

impl Device {
    /// Returns the steady step with the median length, which stands for the mean `choice` where only one step can be shown.
    pub fn median_step(&self, choice: StepChoice) -> Option<&Step> {
        let mut steps: Vec<&Step> = self.steady_steps_of(choice).collect();
        steps.small_sort_by_key(|step| step.length());
        steps.get(steps.len() / 2).copied()
    }
}

/// Returns for each step of the device why it is not steady; `None` for a steady step. The flag is set if fewer than
/// three steps of the main kind are steady: then all steps of a kind with a period count as steady. `compiles` are the
/// times on the event clock in which the host compiled or loaded a program, in order.
fn steady_steps(device: &Device, compiles: &[Interval]) -> (Vec<Option<NotSteady>>, bool) {
    let compiles_in = |step: &Step| {
        let (start, end) = step.event_window;
        let overlap = |(from, to): &Interval| Picos((*to).min(end).saturating_sub((*from).max(start)));
        // Starts and ends of compiles are in the same order.
        let first = compiles.partition_point(|(_, to)| *to <= start);
        let within = compiles[first..].iter().take_while(|(from, _)| *from < end);
        let longest = within.map(overlap).max().unwrap_or_default();
        longest.as_f64() > step.length().as_f64() * LONGEST_COMPILE
    };
    let mut reasons: Vec<Option<NotSteady>> = vec![None; device.steps.len()];
    let mut has_few = false;
    let n_kinds = device.steps.iter().map(|step| step.kind).max().map_or(0, |last| last + 1);
    for kind in 0..n_kinds {
        let steps: Vec<usize> = (0..device.steps.len()).filter(|index| device.steps[*index].kind == kind).collect();
        let with_period = || steps.iter().map(|index| &device.steps[*index]).filter(|step| step.has_period);
        let mut n_ops: Vec<u32> = with_period().map(|step| step.n_ops).collect();
        n_ops.small_sort_by_key(|n| *n);
        let median = n_ops.get(n_ops.len() / 2).map_or(0.0, |median| f64::from(*median));
        // A step whose loops run for another number of rounds has another number of ops, and has lost none.
        let n_usual = n_ops.iter().filter(|n| (f64::from(**n) - median).abs() <= median * USUAL_OPS).count();
        let least = if n_usual * 2 > n_ops.len() { median * LEAST_OPS } else { 0.0 };
        // If most steps compile, compiling is what a step does.
        let n_compile = with_period().filter(|step| compiles_in(step)).count();
        let is_rare = n_compile * 2 < with_period().count();
        let reason = |index: usize| match &device.steps[index] {
            step if !step.has_period => Some(without_period(step)),
            _ if index == 0 => Some(NotSteady::First),
            step if is_rare && compiles_in(step) => Some(NotSteady::Compile),
            step if f64::from(step.n_ops) < least => Some(NotSteady::LostOps),
            _ => None,
        };
        let of_kind: Vec<Option<NotSteady>> = steps.iter().map(|index| reason(*index)).collect();
        let is_few = of_kind.iter().filter(|reason| reason.is_none()).count() < LEAST_STEPS;
        has_few |= is_few && kind == device.main_kind;
        for (index, reason) in steps.into_iter().zip(of_kind) {
            let step = &device.steps[index];
            let few = || (!step.has_period).then(|| without_period(step));
            reasons[index] = if is_few { few() } else { reason };
        }
    }
    (reasons, has_few)
}

/// Returns why a step without a period is not steady.
fn without_period(step: &Step) -> NotSteady {
    if step.not_in_file > Picos::ZERO { NotSteady::Cut } else { NotSteady::NoPeriod }
}

/// Returns the times on the event clock `clock` in which a host compiled or loaded a program, without overlaps of one
/// thread, in order.
pub fn compile_times(profile: &Profile, planes: &[usize], clock: Clock) -> Vec<Interval> {
    compiles(&compile_events(profile, planes), clock)
}

/// The timestamp of a line in ns, and the start and the duration of an event of it in ps.
type HostEventTime = (i64, u64, u64);

/// Returns the events in which a host compiled or loaded a program.
fn compile_events(profile: &Profile, planes: &[usize]) -> Vec<HostEventTime> {
    let mut by_plane: FxHashMap<usize, Vec<bool>> = FxHashMap::default();
    let mut found = Vec::new();
    for ((plane, _), line) in host_lines(profile, planes) {
        let ops = || profile.planes[plane].ops.iter().map(|op| is_compile(profile.text(op.name))).collect();
        let is_compile = by_plane.entry(plane).or_insert_with(ops);
        let of_compiles = line.events.times().zip(line.events.ops()).filter(|(_, op)| is_compile[op.0 as usize]);
        found.extend(of_compiles.map(|((start, duration), _)| (line.timestamp_ns, start, duration)));
    }
    found
}

/// Returns the times of events on the event clock `clock`, without those that lie within another one, in order of their
/// start.
fn compiles(events: &[HostEventTime], clock: Clock) -> Vec<Interval> {
    let Clock::Event { origin_ns } = clock else { return Vec::new() };
    let time =
        |(timestamp_ns, start, duration): &HostEventTime| host_interval(*timestamp_ns, origin_ns, (*start, *duration));
    let mut found: Vec<Interval> = events.iter().filter_map(time).collect();
    found.small_sort_by_key(|(start, end)| (*start, std::cmp::Reverse(*end)));
    let mut reached = 0;
    found.retain(|(_, end)| {
        let is_new = *end > reached;
        reached = reached.max(*end);
        is_new
    });
    found
}

/// Parts of the names of host events that trace, compile or load a program. Names are those of JAX, PjRt and the TPU runtime.
const COMPILES: [&str; 8] = [
    "trace_to_jaxpr",
    "backend_compile",
    "xlacompile",
    "compiler::compile",
    "client::compile",
    "graphexecutor::compile",
    "lower_",
    "loadprogram",
];

/// Returns whether a host event with this name compiles or loads a program. Upper and lower case letters are the same.
pub fn is_compile(name: &str) -> bool {
    COMPILES.iter().any(|part| contains(name, part))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::analysis::base::{Platform, StepBasis};

    /// A device with steps at `starts`, which last 80 ps each and have 10 ops, except for those in `n_ops`.
    fn device(starts: &[u64], n_ops: &[(usize, u32)]) -> Device {
        let clock = Clock::Event { origin_ns: 0 };
        let step = |(number, start): (u64, &u64)| {
            let window = (*start, *start + 80);
            let duration = Picos(80);
            Step {
                number,
                op: None,
                window,
                event_window: window,
                has_period: false,
                not_in_file: Picos::ZERO,
                not_steady: None,
                duration,
                n_ops: 10,
                kind: 0,
            }
        };
        let mut steps: Vec<Step> = (0..).zip(starts).map(step).collect();
        n_ops.iter().for_each(|(index, n)| steps[*index].n_ops = *n);
        set(&mut steps, &[]);
        Device {
            plane: 0,
            platform: Platform::Tpu,
            label: "TPU:0".to_owned(),
            ops: Vec::new(),
            steps,
            longest: None,
            main_kind: 0,
            has_few_steady: false,
            basis: StepBasis::StepsLine,
            step_clock: clock,
            op_clock: clock,
            event_clock: clock,
            axis_offset: 0,
            whole: (0, 0),
            file_end: None,
            busy: Picos::ZERO,
        }
    }

    #[test]
    fn a_period_is_the_time_from_start_to_start() {
        // The third step overlaps the second one, and the last two start together.
        let device = device(&[0, 100, 150, 300, 300], &[]);
        let periods: Vec<Option<u64>> =
            device.steps.iter().map(|step| step.has_period.then_some(step.length().0)).collect();
        assert_eq!(periods, [Some(100), Some(50), Some(150), None, None]);
        assert_eq!(device.steps[3].window, (300, 380));
        assert!(device.steps.iter().all(|step| step.duration == Picos(80)));
    }

    #[test]
    fn steady_steps_leave_out_the_first_compiles_and_lost_ops() {
        let starts: Vec<u64> = (0..8).map(|index| index * 1000).collect();
        let device = device(&starts, &[(3, 7), (4, 8)]);
        // A long compilation in step 2, and a call of 10 ps in step 5, which is 1 % of it.
        let (reasons, is_short) = steady_steps(&device, &[(2100, 2200), (5000, 5010)]);
        use NotSteady::{Compile, First, LostOps, NoPeriod};
        let expected = [Some(First), None, Some(Compile), Some(LostOps), None, None, None, Some(NoPeriod)];
        assert_eq!((reasons.as_slice(), is_short), (&expected[..], false));
        // With two steady steps, all steps with a period count.
        let (reasons, is_short) = steady_steps(&device, &[(1000, 3000), (4000, 4500)]);
        assert!(is_short && reasons[..7].iter().all(Option::is_none) && reasons[7] == Some(NoPeriod));
    }

    #[test]
    fn compiles_have_names_of_real_captures() {
        for (name, is) in [
            ("backend_compile", true),
            ("TfrtTpuCompiler::Compile", true),
            ("LoadProgramCacheMiss", true),
            ("PjRtComputationClient::Compile", true),
            ("XLAGraphExecutor::Compile", true),
            ("lower_sharding_computation", true),
            ("PjitFunction(f)", false),
            ("flower", false),
        ] {
            assert_eq!(is_compile(name), is, "{name}");
        }
    }
}
