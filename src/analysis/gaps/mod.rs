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
//! If no run of a device is linked to a call, the main thread of the program explains the time before runs, as far as
//! it can (`main_thread`).
//!
//! On a GPU, the run is the kernel that ends the gap, and the host call is its launch, by correlation id. If the launch
//! ended before the gap, a gap of less than 5 µs is the time between kernels (class `launch`), and a longer one is
//! unexplained. On a CPU, the host call runs a program on all devices and has the id of the run.
//!
//! All times are on the event clock, which devices and host share. The lengths of gaps may therefore differ slightly
//! from idle times on the clock of the device.

mod class_line;
pub mod columns;
mod gap_causes;
mod host_class;
mod host_classes;
mod host_events;
mod main_thread;
mod op_classes;
mod outside;
mod reads;
mod report;
mod sums;
mod window;

pub use report::{ClassIdle, ClassTime, Gap, GapClass, Gaps, HostEvent, Untraced};

use crate::analysis::base::device_programs::has_stages;
use crate::analysis::base::op_times::union_length;
use crate::analysis::base::scale::Scale;
use crate::analysis::base::selection::Selection;
use crate::analysis::base::{Analysis, Device, Interval, Merged, Platform, Query, Step, StepChoice};
use gap_causes::Runs;
pub(in crate::analysis) use host_class::{host_class, is_annotation};
use host_classes::{HostClasses, LateThreads};
use host_events::host_events;
use indexmap::IndexMap;
use reads::Reads;
use rustc_hash::FxHashMap;
use sums::{Sums, by_class};
use window::{DeviceWindow, RawGap};
use xla_profile::profile::{Note, NoteCode, OpId, Profile, Severity, program_of};
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Picos;

/// The file of a host, and by how many ps the clock of its devices is behind.
type HostKey = (usize, u64);

/// Number of gaps that a report holds.
const MAX_GAPS: usize = 1000;
impl Analysis {
    /// Reports the gaps of the devices and the step of `query`. The grouping and the filter of `query` are ignored.
    pub fn gaps(&self, profile: &Profile, query: &Query) -> Gaps {
        let Selection { header, totals, chosen, step, scale, mut notes, .. } = self.selection(profile, query);
        let (mut hosts, mut sums): (FxHashMap<HostKey, HostClasses<'_>>, Sums) =
            (FxHashMap::default(), Sums::default());
        let mut longest: Vec<(usize, RawGap)> = Vec::new();
        let mut all_runs: FxHashMap<usize, (HostKey, Runs<'_>)> = FxHashMap::default();
        for index in chosen {
            let device = &self.devices[index];
            let file = profile.planes[device.plane].file;
            let host = hosts.entry((file, 0)).or_insert_with(|| self.host_classes(profile, device, 0));
            let mut runs = self.runs(profile, device, host);
            let shift = runs.clock_shift(&host.links).unwrap_or(0);
            let host = hosts.entry((file, shift)).or_insert_with(|| self.host_classes(profile, device, shift));
            if shift > 0 {
                runs = self.runs(profile, device, host);
            }
            let mut each = |gap: RawGap| {
                sums.add_gap(&runs.divide_gap(host, &gap).times(host), gap.length());
                longest.push((index, gap));
                if longest.len() >= 4 * MAX_GAPS {
                    keep_longest(&mut longest);
                }
            };
            if let Some(window) = DeviceWindow::new(profile, device, &self.facts[index], step, true, &mut each) {
                sums.add_window(&window, &runs, host);
                sums.clock_shift = sums.clock_shift.max(Picos(shift));
                all_runs.insert(index, ((file, shift), runs));
            }
        }
        keep_longest(&mut longest);
        let n_events =
            hosts.values().flat_map(|host| &host.links.threads).map(|thread| thread.times.len() as u64).sum();
        let mut reads = Reads::new(n_events);
        let report = |(index, gap): &(usize, RawGap)| {
            let (host, runs) = all_runs.get(index)?;
            Some(self.report(profile, *index, gap, runs, hosts.get(host)?, &mut reads))
        };
        let gaps: Vec<Gap> = longest.iter().filter_map(report).collect();
        notes.extend(sums.note());
        notes.extend(sums.clock_note());
        notes.extend(unnamed_events(&reads, gaps.len()));
        let rest = sums.idle.saturating_sub(gaps.iter().map(|gap| gap.total).sum());
        let (n_all, classes) = (sums.n_gaps, sums.classes(scale));
        let Sums { window, busy, in_loops, n_runs, n_linked_runs, mut leads, clock_shift, .. } = sums;
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
            clock_shift: Some(clock_shift).filter(|shift| *shift > Picos::ZERO),
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
    ) -> Option<(Merged, Vec<ClassIdle>)> {
        let info = &self.devices[device];
        let (host, runs) = self.host_and_runs(profile, device);
        let mut sums = Sums::default();
        let mut each = |gap: RawGap| sums.add_gap(&runs.divide_gap(&host, &gap).times(&host), gap.length());
        let window = DeviceWindow::new(profile, info, &self.facts[device], step, false, &mut each)?;
        Some((window.spans, sums.times()))
    }

    /// Returns the time of each class of the gaps in steps of a device, of which each counts as if it were the only one. The
    /// steps are in order of their start.
    pub(in crate::analysis) fn gap_times_of_steps(
        &self,
        profile: &Profile,
        device: usize,
        steps: &[&Step],
    ) -> Vec<ClassIdle> {
        let mut sums = Sums::default();
        if !steps.is_empty() {
            let (host, runs) = self.host_and_runs(profile, device);
            let mut each = |gap: RawGap| sums.add_gap(&runs.divide_gap(&host, &gap).times(&host), gap.length());
            DeviceWindow::of_steps(profile, &self.devices[device], &self.facts[device], steps, &mut each);
        }
        sums.times()
    }

    /// Returns the host of a device, and the runs of the device.
    fn host_and_runs<'p>(&self, profile: &'p Profile, device: usize) -> (HostClasses<'p>, Runs<'p>) {
        let info = &self.devices[device];
        let host = self.host_classes(profile, info, 0);
        let runs = self.runs(profile, info, &host);
        let Some(shift) = runs.clock_shift(&host.links) else { return (host, runs) };
        let host = self.host_classes(profile, info, shift);
        let runs = self.runs(profile, info, &host);
        (host, runs)
    }

    /// Reads the host of a device. The clock of the device is `shift` ps behind that of the host.
    fn host_classes<'p>(&self, profile: &'p Profile, device: &Device, shift: u64) -> HostClasses<'p> {
        let planes = &self.host_planes[profile.planes[device.plane].file];
        HostClasses::new(profile, planes, device.event_clock.behind(shift), self.serves())
    }

    /// Returns the runs of a device, which explain its gaps.
    fn runs<'p>(&self, profile: &'p Profile, device: &Device, host: &HostClasses<'_>) -> Runs<'p> {
        let plane = &profile.planes[device.plane];
        if self.completeness.hides_idle(device) {
            return Runs::unknown(profile, plane, device.platform);
        }
        // Only runs of TPUs wait for the stages of other devices (`Runs::divide_gap`).
        let has_stages =
            device.platform == Platform::Tpu && *self.has_stages.get_or_init(|| has_stages(profile, &self.devices));
        Runs::new(profile, plane, device, host, has_stages)
    }

    /// Returns the idle time of a device by class in each of the steps of a choice, in the order of [`GapClass::ALL`]. Empty
    /// if the device does not have the step, or has no times on the event clock.
    pub fn idle_by_step(&self, profile: &Profile, device: usize, step: StepChoice) -> IndexMap<u64, Vec<ClassIdle>> {
        let Some(info) = self.devices.get(device) else { return IndexMap::default() };
        let (host, runs) = self.host_and_runs(profile, device);
        let range = info.chosen_range(step);
        let steps = info.chosen_steps(step, range.as_ref());
        let none = || GapClass::ALL.into_iter().map(|class| (class, Picos::ZERO)).collect::<Vec<ClassIdle>>();
        let mut by_step: Vec<Vec<ClassIdle>> = steps.iter().map(|_| none()).collect();
        let mut each = |gap: RawGap| {
            for (class, (start, end)) in runs.divide_gap(&host, &gap).all_parts(&host) {
                let first = steps.partition_point(|step| step.event_window.1 <= start);
                let within = steps[first..].iter().zip(&mut by_step[first..]);
                for (step, idle) in within.take_while(|(step, _)| step.event_window.0 < end) {
                    let time = Picos(end.min(step.event_window.1) - start.max(step.event_window.0));
                    idle.iter_mut().filter(|(other, _)| *other == class).for_each(|(_, sum)| *sum += time);
                }
            }
        };
        if DeviceWindow::new(profile, info, &self.facts[device], step, false, &mut each).is_none() {
            return IndexMap::default();
        }
        steps.iter().map(|step| step.number).zip(by_step).collect()
    }

    /// Returns the parts of all gaps of a device on the axis of the session, in order of time. It is empty if the device has no
    /// times on the event clock.
    pub(in crate::analysis) fn gap_parts(&self, profile: &Profile, device: usize) -> Vec<GapPart> {
        let info = &self.devices[device];
        let (host, runs) = self.host_and_runs(profile, device);
        let mut parts = Vec::new();
        let on_axis = |time: u64| time.saturating_add(info.axis_offset);
        let mut each = |gap: RawGap| {
            let explained = runs.divide_gap(&host, &gap).all_parts(&host).into_iter();
            parts
                .extend(explained.map(|(class, (start, end))| GapPart { class, time: (on_axis(start), on_axis(end)) }));
        };
        DeviceWindow::new(profile, info, &self.facts[device], StepChoice::All, false, &mut each);
        parts
    }

    fn report(
        &self,
        profile: &Profile,
        index: usize,
        gap: &RawGap,
        runs: &Runs<'_>,
        host: &HostClasses<'_>,
        reads: &mut Reads,
    ) -> Gap {
        let device = &self.devices[index];
        let plane = &profile.planes[device.plane];
        let name = |op: OpId| profile.text(plane.op(op).name).to_owned();
        let explained = runs.divide_gap(host, gap);
        let program = explained.run.and_then(|op| {
            let op = plane.op(op);
            let name = if device.platform == Platform::Gpu { op.stats.hlo_module? } else { op.text };
            Some(profile.text(name))
        });
        let mut parts: Vec<ClassIdle> = by_class(&explained.times(host)).collect();
        parts.small_sort_by_key(|(class, time)| (std::cmp::Reverse(*time), *class));
        let main_class = parts.first().map(|(class, _)| *class);
        let (mut events, mut untraced_time) = (Vec::new(), None);
        if let Some((window, main)) = explained.assumed.and_then(|window| Some((window, host.main()?))) {
            events = main.events(profile, &host.links, window);
        }
        if let Some((call, late)) = explained.late
            && reads.begin_gap()
        {
            let threads = host.late_threads(call, late.0, reads);
            events = host_events(profile, host, (&threads, late), main_class, reads);
            untraced_time = untraced(host, &threads, late, reads);
        }
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
            host_events: events,
            untraced: untraced_time,
        }
    }
}

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

/// Returns the note on gaps whose host events are not named. `n_gaps` is the number of gaps in the report.
fn unnamed_events(reads: &Reads, n_gaps: usize) -> Option<Note> {
    let n = reads.n_refused();
    let message = format!(
        "The host events of {n} of the {n_gaps} longest gaps are not named, nor the time in which nothing was traced: gaps of \
         many devices wait for the same events. Select one device to name them."
    );
    (n > 0).then(|| Note::new(Severity::Info, NoteCode::UnnamedHostEvents, message))
}

/// Returns the time of the late part of a gap in which nothing was traced on the thread of the host call. Events around the
/// whole part, such as the step or the loop over steps, do not count. `None` if all of it is traced, or if no thread is known.
fn untraced(host: &HostClasses<'_>, threads: &LateThreads, late: Interval, reads: &mut Reads) -> Option<Untraced> {
    let all = &host.links.threads;
    // The thread on which the chain of calls begins comes first.
    let candidates: Vec<usize> = threads.threads.iter().rev().copied().chain(threads.guess).collect();
    let runs_python = candidates.iter().find(|thread| all[**thread].runs_python());
    let thread = &all[*runs_python.or(candidates.first())?];
    let within = |event: u32| {
        let (start, end) = thread.times[event as usize];
        (start > late.0 || end < late.1).then_some((start.max(late.0), end.min(late.1)))
    };
    let mut traced: Vec<Interval> = thread.overlapping(late).inspect(|_| reads.add(1)).filter_map(within).collect();
    let total = Picos((late.1 - late.0).saturating_sub(union_length(&mut traced)));
    (total > Picos::ZERO).then(|| Untraced { thread: thread.line.name.clone(), total })
}
