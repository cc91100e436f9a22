//! This module finds the gaps of a device, and what the device waited for in each of them.
//!
//! ```text
//!  host       ├ np.asarray ┤├ compile ┤ ├ enqueue ┤
//!  TPU:0 run                                         ├────────── run ──────────┤
//!  TPU:0 op  ─┤                                               ├ op ┤ ├ op ┤
//!  gap        ├── sync ────┤├ recompile┤├─ host ───┤├launch┤barrier┤    ├─ unexplained
//! ```
//!
//! A gap is a maximal stretch of time without an op on any op line. Its parts sum to it exactly:
//!
//! 1. Until the end of the host call that enqueued the run that ends the gap, the host was late. The parts follow the
//!    threads on which the call depended, back in time (`HostLinks::wait_parts`); the outermost event with a
//!    known name tells the class of an instant.
//! 2. From there to the start of the run, the run was launched.
//! 3. Within the run, the events of `XLA TraceMe` tell whether it waited for other devices or for another run.
//!
//! On a GPU, the run is the kernel that ends the gap, and the host call is its launch, by correlation id. If the launch
//! ended before the gap, a gap of less than 5 µs is the time between kernels (class `launch`), and a longer one is
//! unexplained. On a CPU, the host call runs a program on all devices and has the id of the run.
//!
//! All times are on the event clock, which devices and host share. The lengths of gaps may therefore differ slightly
//! from idle times on the clock of the device.

pub mod columns;
mod gap_causes;
mod host_class;
mod report;
mod window;

pub use report::{ClassTime, Gap, GapClass, Gaps, HostEvent, Untraced};

use crate::analysis::base::host_links::HostLinks;
use crate::analysis::base::op_times::union_length;
use crate::analysis::base::scale::Scale;
use crate::analysis::base::selection::Selection;
use crate::analysis::base::{Analysis, Interval, Merged, Platform, Query, StepChoice};
use crate::profile::{Note, NoteCode, OpId, Profile, Severity, StrId, program_of};
use crate::small_sort::SmallSort;
use crate::units::Picos;
use gap_causes::{CausePart, DividedGap, Runs};
pub(in crate::analysis) use host_class::host_class;
use indexmap::IndexMap;
use window::{DeviceWindow, RawGap};

/// Number of gaps that a report holds.
const MAX_GAPS: usize = 1000;
/// Number of host events that a gap names.
const MAX_HOST_EVENTS: usize = 5;

impl Analysis {
    /// Reports the gaps of the devices and the step of `query`. The grouping and the filter of `query` are ignored.
    pub fn gaps(&self, profile: &Profile, query: &Query) -> Gaps {
        let Selection { header, totals, chosen, step, scale, mut notes, .. } = self.selection(profile, query);
        let (mut hosts, mut sums): (Vec<(usize, HostLinks<'_>)>, Sums) = (Vec::new(), Sums::default());
        let mut longest: Vec<(usize, RawGap)> = Vec::new();
        let mut all_runs: Vec<(usize, usize, Runs<'_>)> = Vec::new();
        for index in chosen {
            let device = &self.devices[index];
            let plane = &profile.planes[device.plane];
            let host = hosts.iter().position(|(file, _)| *file == plane.file).unwrap_or_else(|| {
                hosts.push((plane.file, HostLinks::new(profile, plane.file, device.event_clock)));
                hosts.len() - 1
            });
            let runs = Runs::new(profile, plane, device, &hosts[host].1);
            let mut each = |gap: RawGap| {
                sums.add_gap(&runs.divide_gap(&hosts[host].1, &gap).parts, gap.length());
                longest.push((index, gap));
                if longest.len() >= 4 * MAX_GAPS {
                    keep_longest(&mut longest);
                }
            };
            if let Some(window) = DeviceWindow::new(profile, device, &self.facts[index], step, true, &mut each) {
                sums.add_window(&window, &runs, &hosts[host].1);
                all_runs.push((index, host, runs));
            }
        }
        keep_longest(&mut longest);
        let report = |(index, gap): &(usize, RawGap)| {
            let (_, host, runs) = all_runs.iter().find(|(of, ..)| of == index)?;
            Some(self.report(profile, *index, gap, runs, &hosts[*host].1))
        };
        let gaps: Vec<Gap> = longest.iter().filter_map(report).collect();
        notes.extend(sums.note());
        let rest = sums.idle.saturating_sub(gaps.iter().map(|gap| gap.total).sum());
        let (n_all, classes) = (sums.n_gaps, sums.classes(scale));
        let Sums { window, busy, in_loops, n_runs, n_linked_runs, mut leads, .. } = sums;
        leads.small_sort_by(f64::total_cmp);
        let host_lead = leads.get(leads.len() / 2).copied();
        let n_gaps = scale.count(n_all.into());
        let in_loops = (scale.count(in_loops.0.into()), scale.time(in_loops.1));
        // The window stays the sum of its parts after rounding.
        let idle = classes.iter().map(|class| class.total).sum::<Picos>();
        let busy = if scale == Scale::ONE { busy } else { scale.time(window).saturating_sub(idle) };
        let window = busy + idle;
        Gaps {
            header,
            totals,
            window,
            busy,
            classes,
            gaps,
            n_gaps,
            n_all,
            rest,
            in_loops,
            n_runs,
            n_linked_runs,
            host_lead,
            notes,
        }
    }

    /// Returns the window of one device on the event clock, and the time of each class of its gaps. `None` if the device
    /// does not have the step, or has no times on the event clock.
    pub(in crate::analysis) fn gap_times(
        &self,
        profile: &Profile,
        device: usize,
        step: StepChoice,
    ) -> Option<(Merged, Vec<(GapClass, Picos)>)> {
        let of = &self.devices[device];
        let plane = &profile.planes[of.plane];
        let host = HostLinks::new(profile, plane.file, of.event_clock);
        let runs = Runs::new(profile, plane, of, &host);
        let mut sums = Sums::default();
        let mut each = |gap: RawGap| sums.add_gap(&runs.divide_gap(&host, &gap).parts, gap.length());
        let window = DeviceWindow::new(profile, of, &self.facts[device], step, false, &mut each)?;
        let times = GapClass::ALL.into_iter().zip(sums.by_class).map(|(class, (time, _))| (class, time));
        Some((window.spans, times.collect()))
    }

    /// Returns the idle time of a device by class in each of the steps of a choice, in the order of [`GapClass::ALL`]. Empty if the device does not have the step, or has no times on the event clock.
    pub fn idle_by_step(&self, profile: &Profile, device: usize, step: StepChoice) -> IndexMap<u64, Vec<ClassIdle>> {
        let Some(of) = self.devices.get(device) else { return IndexMap::default() };
        let plane = &profile.planes[of.plane];
        let host = HostLinks::new(profile, plane.file, of.event_clock);
        let runs = Runs::new(profile, plane, of, &host);
        let steps = of.chosen_steps(step);
        let none = || GapClass::ALL.into_iter().map(|class| (class, Picos::ZERO)).collect::<Vec<ClassIdle>>();
        let mut by_step: Vec<Vec<ClassIdle>> = steps.iter().map(|_| none()).collect();
        let mut each = |gap: RawGap| {
            for (class, (start, end)) in runs.divide_gap(&host, &gap).parts {
                let first = steps.partition_point(|step| step.event_window.1 <= start);
                let within = steps[first..].iter().zip(&mut by_step[first..]);
                for (step, idle) in within.take_while(|(step, _)| step.event_window.0 < end) {
                    let time = Picos(end.min(step.event_window.1) - start.max(step.event_window.0));
                    idle.iter_mut().filter(|(of, _)| *of == class).for_each(|(_, sum)| *sum += time);
                }
            }
        };
        if DeviceWindow::new(profile, of, &self.facts[device], step, false, &mut each).is_none() {
            return IndexMap::default();
        }
        steps.iter().map(|step| step.number).zip(by_step).collect()
    }

    /// Returns the parts of all gaps of a device on the axis of the session, in order of time. It is empty if the device has no
    /// times on the event clock.
    pub(in crate::analysis) fn gap_parts(&self, profile: &Profile, device: usize) -> Vec<GapPart> {
        let of = &self.devices[device];
        let plane = &profile.planes[of.plane];
        let host = HostLinks::new(profile, plane.file, of.event_clock);
        let runs = Runs::new(profile, plane, of, &host);
        let mut parts = Vec::new();
        let on_axis = |time: u64| time.saturating_add(of.axis_offset);
        let mut each = |gap: RawGap| {
            let explained = runs.divide_gap(&host, &gap).parts.into_iter();
            parts
                .extend(explained.map(|(class, (start, end))| GapPart { class, time: (on_axis(start), on_axis(end)) }));
        };
        DeviceWindow::new(profile, of, &self.facts[device], StepChoice::All, false, &mut each);
        parts
    }

    fn report(&self, profile: &Profile, index: usize, gap: &RawGap, runs: &Runs<'_>, host: &HostLinks<'_>) -> Gap {
        let device = &self.devices[index];
        let plane = &profile.planes[device.plane];
        let name = |op: OpId| profile.text(plane.op(op).name).to_owned();
        let explained = runs.divide_gap(host, gap);
        let program = explained.run.and_then(|op| {
            let op = plane.op(op);
            let name = if device.platform == Platform::Gpu { op.stats.hlo_module? } else { op.text };
            Some(profile.text(name))
        });
        let mut parts = by_class(&explained.parts);
        parts.small_sort_by_key(|(class, time)| (std::cmp::Reverse(*time), *class));
        let main_class = parts.first().map(|(class, _)| *class);
        Gap {
            device: device.label.clone(),
            start: Picos(gap.time.0 - gap.window_start),
            axis_start: Picos(gap.time.0.saturating_add(device.axis_offset)),
            step: gap.step,
            total: Picos(gap.length()),
            parts,
            after: gap.after.map(name),
            before: gap.before.map(name),
            program: program.map(|text| program_of(text).map_or(text, |(name, _)| name).to_owned()),
            host_events: explained
                .late
                .map_or_else(Vec::new, |late| host_events(profile, host, &explained, late, main_class)),
            untraced: explained.late.and_then(|late| untraced(host, &explained, late)),
        }
    }
}

/// Idle time of one class.
pub type ClassIdle = (GapClass, Picos);

/// A part of a gap on the axis of the session.
#[derive(Clone, Copy)]
pub(in crate::analysis) struct GapPart {
    pub class: GapClass,
    pub time: Interval,
}

/// Keeps the longest gaps, the longest first.
fn keep_longest(gaps: &mut Vec<(usize, RawGap)>) {
    gaps.small_sort_by_key(|(device, gap)| (std::cmp::Reverse(gap.length()), *device, gap.time.0));
    gaps.truncate(MAX_GAPS);
}

/// The sums over all gaps.
#[derive(Default)]
struct Sums {
    window: Picos,
    busy: Picos,
    idle: Picos,
    n_gaps: u64,
    /// Time and number of gaps by class, in the order of [`GapClass::ALL`].
    by_class: [(Picos, u64); GapClass::ALL.len()],
    in_loops: (u64, Picos),
    n_runs: u64,
    n_linked_runs: u64,
    /// Start of each linked run − end of its host call, in ps.
    leads: Vec<f64>,
    platforms: Vec<Platform>,
}

impl Sums {
    fn add_window(&mut self, window: &DeviceWindow, runs: &Runs<'_>, host: &HostLinks<'_>) {
        self.window += Picos(window.spans.length());
        self.busy += Picos(window.busy);
        self.in_loops.0 += window.in_loops.0;
        self.in_loops.1 += Picos(window.in_loops.1);
        let in_window = runs.all.iter().filter(|run| window.spans.within(run.time).next().is_some());
        for run in in_window {
            self.n_runs += 1;
            if let Some(call) = run.enqueue {
                self.n_linked_runs += 1;
                self.leads.push(Picos(run.time.0).as_f64() - Picos(host.time(call).1).as_f64());
            }
        }
        self.platforms.push(runs.platform);
    }

    fn add_gap(&mut self, parts: &[CausePart], length: u64) {
        self.n_gaps += 1;
        self.idle += Picos(length);
        for (class, time) in by_class(parts) {
            let sum = &mut self.by_class[class as usize];
            *sum = (sum.0 + time, sum.1 + 1);
        }
    }

    /// Returns the classes with their sums, the longest first.
    fn classes(&self, scale: Scale) -> Vec<ClassTime> {
        let of = |(class, (total, n_all)): (GapClass, (Picos, u64))| ClassTime {
            class,
            total: scale.time(total),
            n: scale.count(n_all.into()),
            n_all,
        };
        let all = GapClass::ALL.into_iter().zip(self.by_class).map(of);
        let mut all: Vec<ClassTime> = all.filter(|class| class.total > Picos::ZERO).collect();
        all.small_sort_by_key(|class| (std::cmp::Reverse(class.total), class.class));
        all
    }

    /// Returns the note on gaps that the capture does not explain.
    fn note(&self) -> Option<Note> {
        let note = |message: String| Some(Note::new(Severity::Info, NoteCode::UnlinkedRuns, message));
        if self.platforms.contains(&Platform::Cpu) {
            let message =
                "On CPUs, only the gaps between runs are explained: the capture does not tell what a run waited for.";
            return note(message.to_owned());
        }
        let what = if self.platforms.contains(&Platform::Gpu) { "kernels" } else { "runs" };
        let n = self.n_runs - self.n_linked_runs;
        if n == 0 {
            return None;
        }
        note(format!(
            "The host calls of {n} of {} {what} are not in the capture. What the device waited for before these {what} is unexplained.",
            self.n_runs
        ))
    }
}

/// Returns the time of a gap by class.
fn by_class(parts: &[CausePart]) -> Vec<(GapClass, Picos)> {
    let mut sums: Vec<(GapClass, Picos)> = Vec::new();
    for (class, (start, end)) in parts {
        match sums.iter_mut().find(|(of, _)| of == class) {
            Some((_, time)) => *time += Picos(end - start),
            None => sums.push((*class, Picos(end - start))),
        }
    }
    sums
}

/// Returns the time of the late part of a gap in which nothing was traced on the thread of the host call. Events around the
/// whole part, such as the step or the loop over steps, do not count. `None` if the thread is unknown or all of it is traced.
fn untraced(host: &HostLinks<'_>, explained: &DividedGap, late: Interval) -> Option<Untraced> {
    let threads = || explained.threads.iter().copied().chain(explained.guess);
    let thread = &host.threads[threads().find(|at| host.threads[*at].runs_python()).or_else(|| threads().next())?];
    let within = |event: u32| {
        let (start, end) = thread.times[event as usize];
        (start > late.0 || end < late.1).then_some((start.max(late.0), end.min(late.1)))
    };
    let mut traced: Vec<Interval> = thread.overlapping(late).filter_map(within).collect();
    let total = Picos((late.1 - late.0).saturating_sub(union_length(&mut traced)));
    (total > Picos::ZERO).then(|| Untraced { thread: thread.line.name.clone(), total })
}

/// Returns the names of host events during the late part of a gap: the outermost one on the threads of the call, and those
/// with a known class. The events of a guessed thread around the whole time may be those of any time, such as the
/// step or the loop over steps, and are left out. If most of the gap has the class `host`, the innermost one that covers half of it tells most, and is
/// named as well. The time of a name is the time in which any host thread runs an event of this name.
fn host_events(
    profile: &Profile,
    host: &HostLinks<'_>,
    explained: &DividedGap,
    late: Interval,
    main_class: Option<GapClass>,
) -> Vec<HostEvent> {
    let name = |thread: usize, event: u32| {
        let of = &host.threads[thread];
        profile.planes[of.plane].op(of.line.events.op(event as usize)).name
    };
    let mut names: Vec<StrId> = Vec::new();
    for thread in explained.threads.iter().chain(&explained.guess) {
        let of = &host.threads[*thread];
        let mut outer = 0;
        let says_more = |event: &u32| {
            let (start, end) = of.times[*event as usize];
            Some(*thread) != explained.guess
                || !host.knows_callers
                || start > late.0
                || end < late.1
                || host_class(profile.text(name(*thread, *event))).is_some()
        };
        let mut events: Vec<u32> = of.overlapping(late).filter(says_more).collect();
        let covers = |event: &&u32| {
            let (start, end) = of.times[**event as usize];
            end.min(late.1) - start.max(late.0) >= (late.1 - late.0) / 2
        };
        let innermost = events.iter().find(covers).copied().filter(|_| main_class == Some(GapClass::Host));
        events.reverse();
        for event in events {
            let (start, end) = of.times[event as usize];
            let is_named = start >= outer || Some(event) == innermost;
            outer = outer.max(end);
            let name = name(*thread, event);
            if (is_named || host_class(profile.text(name)).is_some()) && !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let mut times: Vec<Vec<Interval>> = vec![Vec::new(); names.len()];
    for thread in 0..host.threads.len() {
        for event in host.threads[thread].overlapping(late) {
            let name = name(thread, event);
            if let Some(at) = names.iter().position(|of| *of == name) {
                let (start, end) = host.threads[thread].times[event as usize];
                times[at].push((start.max(late.0), end.min(late.1)));
            }
        }
    }
    let of = |(name, mut times): (StrId, Vec<Interval>)| HostEvent {
        name: profile.text(name).to_owned(),
        total: Picos(union_length(&mut times)),
    };
    let mut events: Vec<HostEvent> =
        names.into_iter().zip(times).map(of).filter(|event| event.total > Picos::ZERO).collect();
    events.small_sort_by(|a, b| b.total.cmp(&a.total).then_with(|| a.name.cmp(&b.name)));
    events.truncate(MAX_HOST_EVENTS);
    events
}
