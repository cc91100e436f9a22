//! Where the time goes: self time of each op within a window, grouped.
//!
//! ```text
//!  line ──sweep──► stretches ──clip to window──► per op: self, count ──group──► rows
//!                                                  │                              │
//!                                                  └────── Σ self = busy ─────────┘
//! ```
//!
//! An execution is counted in the window in which it starts; its time is clipped to the window, so that steps
//! add up. Invariants: Σ groups = Σ kinds = busy; union + idle = window; with one op line busy = union.

use super::Kind;
use super::device::{Clock, Device, Step, StepBasis, devices, intervals};
use super::group::{Folded, group_rows};
use super::ops::PlaneFacts;
use super::query::{DeviceChoice, Query, StepChoice};
use super::report::{Breakdown, Header, Peaks, Status, Totals};
use super::sweep::{Interval, sweep};
use crate::profile::{Note, OpId, Plane, Profile, Severity};
use crate::units::Picos;

/// What the executions of one op add up to within a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpTime {
    /// Executions that start in the window.
    pub n: u64,
    /// Self time.
    pub own: u64,
    /// Whole durations, clipped.
    pub inclusive: u64,
    /// Shortest self time of a counted execution; `u64::MAX` where there is none.
    pub min: u64,
    /// Longest.
    pub max: u64,
    /// Longest whole duration of a counted execution.
    pub longest: u64,
}

impl OpTime {
    /// Nothing yet.
    pub const NONE: Self = Self { n: 0, own: 0, inclusive: 0, min: u64::MAX, max: 0, longest: 0 };
}

/// Devices of a profile with what is known of their ops: found once, asked often.
pub struct Analysis {
    /// Devices with ops.
    pub devices: Vec<Device>,
    /// Facts of each device's ops, by device.
    pub facts: Vec<PlaneFacts>,
    /// Notes on devices and steps.
    pub notes: Vec<Note>,
}

impl Analysis {
    /// Looks at a profile.
    pub fn new(profile: &Profile) -> Self {
        let (devices, notes) = devices(profile);
        let facts = devices.iter().map(|d| PlaneFacts::new(profile, &profile.planes[d.plane])).collect();
        Self { devices, facts, notes }
    }

    /// Busy time of a device over the whole capture.
    pub fn busy(&self, profile: &Profile, device: usize) -> Picos {
        let Some(device) = self.devices.get(device) else { return Picos::ZERO };
        let plane = &profile.planes[device.plane];
        let measured = measure(plane, device, &device.whole_capture(plane));
        measured.ops.iter().map(|t| Picos(t.own)).sum()
    }

    /// Answers a query.
    pub fn breakdown(&self, profile: &Profile, query: Query) -> Breakdown {
        let mut notes = self.notes.clone();
        let chosen: Vec<usize> = match query.device {
            DeviceChoice::One(i) => Some(i as usize).filter(|i| *i < self.devices.len()).into_iter().collect(),
            DeviceChoice::All => (0..self.devices.len()).collect(),
        };
        let mut totals = Totals::default();
        let mut folded = Folded::default();
        let (mut window, mut duration, mut step_name, mut missing) = (None, None::<Picos>, None, 0);
        for index in &chosen {
            let device = &self.devices[*index];
            let plane = &profile.planes[device.plane];
            let Some(window_of) = device.choose(plane, query.step) else {
                missing += 1;
                continue;
            };
            let span = window_of.span;
            let measured = measure(plane, device, &window_of);
            step_name.get_or_insert(window_of.name);
            add_totals(&mut totals, &measured, &self.facts[*index], plane, profile, span);
            folded.add(profile, plane, &self.facts[*index], &measured.ops, query.by);
            duration = Some(duration.unwrap_or_default() + Picos(span.1 - span.0));
            window = Some((Picos(span.0), Picos(span.1)));
            if measured.lost_lines > 0 {
                let message = "An op line's times do not fit the plane's: it is left out.";
                notes.push(Note::new(Severity::Caution, "implausible_time", message).at(&device.label));
            }
        }
        if missing > 0 {
            let message = format!("{missing} of {} devices have no such step; they add nothing.", chosen.len());
            notes.push(Note::new(Severity::Caution, "step_missing", message));
        }
        if totals.n_unresolved > 0 {
            let message = format!(
                "{} events have no metadata: their time is kept under “unresolved event”, kind other.",
                totals.n_unresolved
            );
            notes.push(Note::new(Severity::Caution, "unresolved_events", message));
        }
        notes.extend(unknown_categories(&totals));
        notes.extend(self.clock_notes(&chosen, query.step));
        let device_of = |i: &usize| &profile.planes[self.devices[*i].plane];
        let types = chosen.iter().filter_map(|i| device_of(i).text_stat("device_type_string"));
        let mut types: Vec<&str> = types.collect();
        types.sort_unstable();
        types.dedup();
        let header = Header {
            status: if duration.is_some() { Status::Ok } else { Status::Absent },
            device: match chosen.as_slice() {
                [] => None,
                [one] => Some(self.devices[*one].label.clone()),
                many => Some(format!("{} devices", many.len())),
            },
            n_devices: chosen.len() as u32,
            device_type: (!types.is_empty()).then(|| types.join(", ")),
            step: step_name.unwrap_or_else(|| query.step.to_string()),
            n_steps: chosen.iter().map(|i| self.devices[*i].steps.len() as u32).max().unwrap_or(0),
            window: window.filter(|_| chosen.len() == 1),
            step_duration: duration,
            peaks: Peaks {
                flops: alike(chosen.iter().map(|i| device_of(i).number_stat("peak_teraflops_per_second")))
                    .map(|v| v * 1e12),
                hbm_bytes: alike(chosen.iter().map(|i| device_of(i).number_stat("peak_hbm_bw_gigabytes_per_second")))
                    .map(|v| v * 1e9),
            },
        };
        let groups = group_rows(folded, profile, &totals, duration);
        Breakdown { header, by: query.by, totals, groups, notes }
    }

    fn clock_notes(&self, chosen: &[usize], step: StepChoice) -> Option<Note> {
        let differs = |i: &&usize| {
            let device = &self.devices[**i];
            device.op_clock == Clock::Device && device.step_clock != Clock::Device && !device.steps.is_empty()
        };
        let n = chosen.iter().filter(differs).count();
        (n > 0 && step != StepChoice::All).then(|| {
            let message = "Steps have no time on the device's clock, so ops and steps are both read on the event clock. \
                           The whole capture uses the device's clock; durations differ slightly.";
            Note::new(Severity::Info, "event_clock_for_steps", message)
        })
    }
}

/// What all say, if all say the same.
fn alike(mut values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let first = values.next()??;
    values.all(|v| v.is_some_and(|v| v.to_bits() == first.to_bits())).then_some(first)
}

/// A stretch of a device's time that is asked about.
struct Window {
    /// "all", or the step's number.
    name: String,
    clock: Clock,
    span: Interval,
    /// It is the whole capture: every execution is counted, also one of no length at the very end.
    whole: bool,
}

impl Device {
    /// The window of a step choice; `None` where the device has no such step.
    fn choose(&self, plane: &Plane, step: StepChoice) -> Option<Window> {
        let of = |s: &Step| Window { name: s.number.to_string(), clock: self.step_clock, span: s.window, whole: false };
        match step {
            StepChoice::Number(n) => self.steps.iter().find(|s| s.number == n).map(of),
            StepChoice::Busiest if self.basis != StepBasis::None => self.busiest().map(of),
            StepChoice::Busiest | StepChoice::All => Some(self.whole_capture(plane)),
        }
    }

    fn whole_capture(&self, plane: &Plane) -> Window {
        Window { name: "all".to_owned(), clock: self.op_clock, span: self.whole(plane), whole: true }
    }
}

/// Times of a device's ops within a window.
struct Measured {
    /// By [`OpId`].
    ops: Vec<OpTime>,
    /// Length of the union over all op lines, clipped.
    union: u64,
    /// Lines whose times do not fit.
    lost_lines: u32,
}

fn measure(plane: &Plane, device: &Device, window: &Window) -> Measured {
    let (whole, clock, window) = (window.whole, window.clock, window.span);
    let mut measured = Measured { ops: vec![OpTime::NONE; plane.ops.len()], union: 0, lost_lines: 0 };
    let mut stretches: Vec<Interval> = Vec::new();
    let several = device.ops.len() > 1;
    for i in &device.ops {
        let line = &plane.lines[*i];
        let Some(events) = intervals(line, clock) else {
            measured.lost_lines += 1;
            continue;
        };
        let mut own = vec![0u64; events.len()];
        sweep(&events, |event, from, to| {
            let (from, to) = (from.max(window.0), to.min(window.1));
            if from < to {
                own[event] += to - from;
                if several {
                    stretches.push((from, to));
                } else {
                    measured.union += to - from;
                }
            }
        });
        for ((event, own), op) in events.iter().zip(&own).zip(&line.events.op) {
            add_execution(&mut measured.ops[op.0 as usize], *event, *own, window, whole);
        }
    }
    if several {
        measured.union = union_length(&mut stretches);
    }
    measured
}

fn add_execution(time: &mut OpTime, (start, end): Interval, own: u64, window: Interval, whole: bool) {
    let inclusive = end.min(window.1).saturating_sub(start.max(window.0));
    time.own += own;
    time.inclusive += inclusive;
    // An op of no length at the very end of the capture starts where the window ends; it has no next window.
    if whole || (window.0..window.1).contains(&start) {
        time.n += 1;
        time.min = time.min.min(own);
        time.max = time.max.max(own);
        time.longest = time.longest.max(inclusive);
    }
}

/// Length of the union of intervals.
fn union_length(intervals: &mut [Interval]) -> u64 {
    intervals.sort_unstable();
    let (mut sum, mut reached) = (0, 0);
    for (start, end) in intervals {
        let from = (*start).max(reached);
        sum += end.saturating_sub(from);
        reached = reached.max(*end);
    }
    sum
}

fn add_totals(
    totals: &mut Totals,
    measured: &Measured,
    facts: &PlaneFacts,
    plane: &Plane,
    profile: &Profile,
    window: Interval,
) {
    for (i, (time, facts)) in measured.ops.iter().zip(&facts.ops).enumerate() {
        if time.n == 0 && time.own == 0 {
            continue;
        }
        let own = Picos(time.own);
        totals.by_kind[facts.kind.index()] += own;
        totals.busy += own;
        totals.n_events += time.n;
        if facts.kind == Kind::Container {
            totals.container_inclusive += Picos(time.inclusive);
        }
        if !plane.op(OpId(i as u32)).resolved {
            totals.n_unresolved += time.n;
        } else if !facts.known {
            let name = facts.category.map_or("<none>", |c| profile.text(c));
            *totals.unknown_categories.entry(name.to_owned()).or_default() += own;
        }
    }
    let union = Picos(measured.union);
    totals.union += union;
    totals.idle += Picos(window.1 - window.0).saturating_sub(union);
}

fn unknown_categories(totals: &Totals) -> Option<Note> {
    let time: Picos = totals.unknown_categories.values().copied().sum();
    let share = time.fraction_of(totals.busy)?;
    (time > Picos::ZERO).then(|| {
        let names: Vec<&str> = totals.unknown_categories.keys().map(String::as_str).take(5).collect();
        let message = format!(
            "{:.2} % of busy time is of categories no rule knows ({}); it is counted as other.",
            share * 100.0,
            names.join(", ")
        );
        Note::new(Severity::Caution, "unknown_categories", message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unions() {
        assert_eq!(union_length(&mut [(5, 9), (0, 3), (2, 6)]), 9);
        assert_eq!(union_length(&mut []), 0);
    }

    #[test]
    fn executions_are_counted_where_they_start_and_clipped() {
        let mut time = OpTime::NONE;
        for (event, own) in [((0, 15), 5), ((12, 18), 6), ((19, 30), 1), ((20, 25), 0)] {
            add_execution(&mut time, event, own, (10, 20), false);
        }
        assert_eq!(time, OpTime { n: 2, own: 12, inclusive: 5 + 6 + 1, min: 1, max: 6, longest: 6 });
    }
}
