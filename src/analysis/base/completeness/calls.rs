//! This module finds programs that the host ran and whose events on the device are not in the capture.

use super::host_activity::{HostSteps, calls};
use super::messages::profiler_sentence;
use super::reads::{HostFile, device_number, span_of};
use super::sign::{Sign, label, place_text};
use crate::analysis::base::host_links::TPU_RUN;
use crate::analysis::base::platform::Platform;
use crate::table::format::{count, counted, time_text};
use rustc_hash::FxHashSet;
use xla_profile::profile::{EventLink, NoteCode, Plane, Profile, RunId, Severity};
use xla_profile::small_sort::SmallSort;

/// The name of the host call that enqueues a program on a TPU.
const ENQUEUE: &str = "DoEnqueueProgram";
/// Share of enqueued runs that are not recorded from which on events were lost.
const LEAST: f64 = 0.05;

const ADVICE: &str = "Figures of the device are therefore unknown. Capture fewer steps: a profiler of a TPU loses all events of a \
    long capture (jax#23446: 25 steps were lost, and 2 steps were not). Set host_tracer_level=1 and python_tracer_level=0.";

/// Returns whether the host of a capture ran programs: it enqueued runs, called jitted functions, or has steps.
pub fn has_run(profile: &Profile) -> bool {
    let has_run =
        |file: &HostFile<'_>| !calls(file).is_empty() || HostSteps::new(file).is_some() || !enqueued(file).is_empty();
    HostFile::all(profile).iter().any(has_run)
}

/// Returns a sign for each host whose devices lack all ops, or runs that the host enqueued. `known` are the signs that were
/// found before.
pub(super) fn signs(files: &[HostFile<'_>], known: &[Sign]) -> Vec<Sign> {
    let files = files.iter().filter(|file| !file.is_cut());
    files.filter_map(|file| no_ops(file, known).or_else(|| lacks_runs(file))).collect()
}

/// Returns the sign of devices that have no ops although they ran: they have runs of programs or steps, or no device of the host
/// has ops and the host called programs.
fn no_ops(file: &HostFile<'_>, known: &[Sign]) -> Option<Sign> {
    let profile = file.profile;
    let devices = file.devices();
    let lacks_ops = |(index, platform): &&(usize, Platform)| platform.op_lines(&profile.planes[*index]).is_empty();
    let has_ops = devices.iter().any(|device| !lacks_ops(&device));
    let is_known = |index: &usize| known.iter().any(|sign| sign.is_loss() && sign.planes.contains(index));
    // The ops of CPUs are events of the host.
    let accelerators = devices.iter().filter(|(_, platform)| *platform != Platform::Cpu).filter(lacks_ops);
    let without: Vec<usize> = accelerators.map(|(index, _)| *index).filter(|index| !is_known(index)).collect();
    if without.is_empty() {
        return None;
    }
    let ran: Vec<usize> = without.iter().copied().filter(|index| has_runs(&profile.planes[*index])).collect();
    let steps = HostSteps::new(file);
    let lost = match () {
        () if !has_ops && steps.is_some() => without,
        () if !ran.is_empty() => ran,
        () => return None,
    };
    let no = if lost.iter().all(|index| has_runs(&profile.planes[*index])) { "no ops" } else { "no events" };
    let (names, has, its) = match lost.as_slice() {
        [one] => (label(&profile.planes[*one]).to_owned(), "has", "its"),
        _ => (place_text(profile, &lost).unwrap_or_default(), "have", "their"),
    };
    let ran = match steps.as_ref().map(|steps| (steps, steps.period())) {
        Some((steps, period)) => {
            let n = steps.spans.len() as u64;
            let what = if steps.are_calls {
                format!("made {}", counted(n, "call of a jitted function", "calls of jitted functions"))
            } else {
                format!("ran {}", counted(n, "step", "steps"))
            };
            let each = period.map_or(String::new(), |period| format!(" ({} each)", time_text(period)));
            format!("although the host {what}{each}")
        }
        None => "although programs ran on it".to_owned(),
    };
    let activity = steps.as_ref().and_then(|steps| steps.activity(file));
    let sentences =
        [Some(format!("{names} {has} {no}, {ran}: {its} events were lost.")), profiler_sentence(profile), activity];
    let headline = sentences.into_iter().flatten().collect::<Vec<String>>().join(" ");
    let mut sign = Sign::new(NoteCode::RunsWithoutDevice, Severity::Partial, headline, ADVICE);
    sign.n = steps.map(|steps| steps.spans.len() as u64);
    Some(sign.of_planes(profile, lost))
}

/// Returns whether a device has runs of programs or steps, which only a device that ran has.
fn has_runs(plane: &Plane) -> bool {
    let is = |name: &str| name == "XLA Modules" || name == "Steps";
    plane.lines.iter().any(|line| is(&line.name) && !line.derived && !line.events.is_empty())
}

/// A run of a program: the number of its device, its queue, and its own number. A TPU counts its runs for each device.
pub(super) type Run = (Option<u64>, Option<u64>, u64);

/// Returns the number of a run as the device writes it. The host writes more bits.
fn number(run: RunId) -> u64 {
    if run.queue.is_some() { run.run & TPU_RUN } else { run.run }
}

/// Returns the runs that the host of a file enqueued on TPUs, with the end of the call, in order of the end.
pub(super) fn enqueued(file: &HostFile<'_>) -> Vec<(i128, Run)> {
    let mut all = Vec::new();
    for (plane, line) in file.threads() {
        for (event, link) in &line.links {
            let EventLink::Run(run) = link else { continue };
            if file.profile.text(plane.op(line.events.op(*event as usize)).name) == ENQUEUE {
                all.push((span_of(line, *event as usize).1, (run.device, run.queue, number(*run))));
            }
        }
    }
    all.small_sort_by_key(|run| *run);
    all
}

/// Returns the runs that the host enqueued on devices that recorded runs, with the end of the call and whether the run is
/// recorded, in order of the end. A host may enqueue on devices that the capture leaves out on purpose.
pub(super) fn runs(file: &HostFile<'_>) -> Vec<(i128, Run, bool)> {
    let mut recorded: FxHashSet<Run> = FxHashSet::default();
    for (index, _) in file.devices() {
        let plane = &file.profile.planes[index];
        for (_, link) in plane.lines.iter().flat_map(|line| &line.links) {
            if let EventLink::Run(run) = link {
                recorded.insert((run.device.or_else(|| device_number(plane)), run.queue, number(*run)));
            }
        }
    }
    let devices: FxHashSet<Option<u64>> = recorded.iter().map(|(device, ..)| *device).collect();
    let calls = enqueued(file).into_iter().filter(|(_, (device, ..))| devices.contains(device));
    calls.map(|(end, run)| (end, run, recorded.contains(&run))).collect()
}

/// Returns the sign that runs between the first and the last recorded run are not recorded.
fn lacks_runs(file: &HostFile<'_>) -> Option<Sign> {
    let (profile, all) = (file.profile, runs(file));
    let is_recorded = |(.., is_recorded): &(i128, Run, bool)| *is_recorded;
    let (first, last) = (all.iter().position(is_recorded)?, all.iter().rposition(is_recorded)?);
    let within = all.get(first..=last)?;
    let lost: Vec<Option<u64>> =
        within.iter().filter(|run| !is_recorded(run)).map(|(_, (device, ..), _)| *device).collect();
    #[expect(clippy::cast_precision_loss, reason = "a ratio")]
    let share = lost.len() as f64 / within.len() as f64;
    if share < LEAST {
        return None;
    }
    let headline = format!(
        "{} of {} that the host enqueued were not recorded.",
        count(lost.len() as u64),
        counted(within.len() as u64, "run", "runs")
    );
    let advice = "The time without these runs is therefore not idle time. Capture fewer steps.";
    let mut sign = Sign::new(NoteCode::RunsWithoutDevice, Severity::Partial, headline, advice);
    sign.n = Some(lost.len() as u64);
    let planes = file.devices().into_iter().map(|(index, _)| index);
    Some(
        sign.of_planes(
            profile,
            planes.filter(|index| lost.contains(&device_number(&profile.planes[*index]))).collect(),
        ),
    )
}
