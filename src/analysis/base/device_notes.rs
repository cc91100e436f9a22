//! This module writes the notes on devices and their steps. The module finds no devices; only `overlap` changes a
//! device, by removing steps that overlap too much.

use super::completeness::has_run;
use super::device::{Device, StepBasis};
use super::framework::Framework;
use super::platform::Platform;
use crate::table::filter::contains;
use crate::table::format::counted;
use indexmap::IndexMap;
use std::collections::BTreeSet;
use xla_profile::profile::{Line, Note, NoteCode, Plane, Profile, Severity};

/// The largest number of steps that may overlap at one instant. The work per step grows with the number of steps that
/// overlap, and no program has so many steps at once.
const MAX_OPEN_STEPS: usize = 64;

/// Returns whether a time in ps exceeds the limit of sums, 2⁶⁴ ps (213 days). No capture lasts that long, but a damaged
/// one may contain such durations.
pub const fn is_beyond_sums(time: u128) -> bool {
    time > u64::MAX as u128
}

/// Returns the note that sums of times reached their limit and are too small.
pub fn beyond_sums() -> Note {
    let message = "Durations sum to more than 2⁶⁴ ps (213 days), so some of them are damaged. Sums stop at \
                   18,446,744,073,709,551,615 ps and are too small. Copy the file again, or profile again.";
    Note::new(Severity::Partial, NoteCode::TimeOverflow, message)
}

/// Merges notes that differ only in their place into one note, which names the number of devices, the first and the
/// last.
pub fn join_places(notes: Vec<Note>) -> Vec<Note> {
    let mut joined: IndexMap<Note, Vec<String>> = IndexMap::default();
    for mut note in notes {
        let place = note.place.take();
        joined.entry(note).or_default().extend(place);
    }
    let place = |places: Vec<String>| match places.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        [first, .., last] => Some(format!("{} devices, {first} to {last}", places.len())),
    };
    joined.into_iter().map(|(note, places)| Note { place: place(places), ..note }).collect()
}

/// Returns a note if steps of `device` overlap. If more than [`MAX_OPEN_STEPS`] of them overlap at one instant, all
/// steps of the device are removed.
pub fn overlap(device: &mut Device) -> Option<Note> {
    let most = most_open(device);
    if most < 2 {
        return None;
    }
    let mut message = "Steps overlap. Each step ends where the next one starts.".to_owned();
    if most > MAX_OPEN_STEPS {
        message = format!(
            "{most} of the {} steps run at the same time, and at most {MAX_OPEN_STEPS} can be separated. Only the whole \
             capture is shown.",
            device.steps.len()
        );
        (device.steps, device.basis) = (Vec::new(), StepBasis::None);
    }
    Some(Note::new(Severity::Caution, NoteCode::OverlappingSteps, message))
}

/// Returns the largest number of steps that are open at one instant. Steps without length do not count, and steps that
/// only touch do not overlap.
fn most_open(device: &Device) -> usize {
    // Steps are sorted by start.
    let windows = || device.steps.iter().map(|step| step.window).filter(|(start, end)| start < end);
    let mut ends: Vec<u64> = windows().map(|(_, end)| end).collect();
    ends.sort_unstable();
    let (mut ended, mut most) = (0, 0);
    for (begun, (start, _)) in (1_usize..).zip(windows()) {
        while ends.get(ended).is_some_and(|end| *end <= start) {
            ended += 1;
        }
        most = most.max(begun - ended);
    }
    most
}

/// Returns the note that program runs are inferred, because the capture has no module events.
pub fn derived_runs(platform: Platform) -> Note {
    let message = if platform == Platform::Cpu {
        "The capture has no module events. Program runs are inferred: a run spans the ops with one run_id, or begins where the \
         first op of a program repeats."
    } else {
        "The capture has no module events. Program runs are inferred: a run has the kernels that one host call launched, or, \
         without such calls, begins where the first kernel of a program repeats. In the second case, a capture that begins \
         within a run has run boundaries that are shifted by a part of a run; their number and length are right."
    };
    Note::new(Severity::Info, NoteCode::DerivedRuns, message)
}

/// Returns the note that explains why the capture has no device with ops.
pub fn no_devices(profile: &Profile) -> Note {
    let names = profile.planes.iter().map(|p| p.name.as_str()).collect::<BTreeSet<&str>>();
    let is = |platform| profile.planes.iter().any(|p| Platform::from_plane_name(&p.name) == Some(platform));
    let (tpu, gpu) = (is(Platform::Tpu), is(Platform::Gpu));
    let (n, shown) = (names.len(), names.into_iter().take(6).collect::<Vec<_>>().join(", "));
    if n == 0 && !profile.hlo.is_empty() {
        let message = "Only compiled programs are open, which have no timings. Open the .xplane.pb of a run, alone or beside \
                       them.";
        return Note::new(Severity::Caution, NoteCode::OnlyPrograms, message);
    }
    if profile.notes.iter().any(|note| note.code == NoteCode::KinetoTrace) {
        let message = "The capture has no device of XLA. It is a PyTorch (Kineto) trace.";
        return Note::new(Severity::Caution, NoteCode::NoTpuOps, message);
    }
    if profile.planes.iter().any(|plane| plane.is_cut) {
        let message =
            "The file is cut before the ops of a device. They may be in the rest of the file. Copy the file again.";
        return Note::new(Severity::Caution, NoteCode::NoTpuOps, message);
    }
    let whole = Framework::detect(profile).whole();
    let n_launches = if gpu && !tpu { launches(profile) } else { 0 };
    let message = if n == 0 {
        "The capture has no planes.".to_owned()
    } else if n_launches > 0 {
        format!(
            "The host made {} that start work on a GPU, but the profiler has lost the events of that work, for example because a \
             buffer was full (see the log of the host). Trace fewer steps, and no counters.",
            counted(n_launches, "call", "calls")
        )
    } else if gpu && !tpu {
        format!(
            "The GPU planes have no streams with events. Either nothing ran on them during the profile, or the profiler had no \
             permission to trace them (CUPTI and rocprofiler need it; see the log of the host). {whole}"
        )
    } else if tpu && has_run(profile) {
        format!("The TPU planes have no events on an “XLA Ops” line, although the host called programs. {whole}")
    } else if tpu {
        format!(
            "The TPU planes have no events on an “XLA Ops” line: nothing ran on the device during the profile. {whole}"
        )
    } else {
        let rest = if n > 6 { ", …" } else { "" };
        format!(
            "The capture has no device with ops: no TPU plane with an “XLA Ops” line, no GPU plane with streams, and no host \
             event with an hlo_op. Its {n} planes are {shown}{rest}."
        )
    };
    Note::new(Severity::Caution, NoteCode::NoTpuOps, message)
}

/// Returns the note that no device has ops, where signs of lost events say why.
pub fn lost_ops() -> Note {
    Note::new(Severity::Caution, NoteCode::NoTpuOps, "No device of the capture has ops: their events were lost.")
}

/// Returns the number of calls of hosts that launched work on a GPU: of the calls with a correlation id, those whose name says
/// so. Calls that only wait have such ids, too.
fn launches(profile: &Profile) -> u64 {
    let is_launch = |name: &str| ["launch", "memcpy", "memset"].iter().any(|word| contains(name, word));
    let of_line = |plane: &Plane, line: &Line| {
        let names = line.launches.iter().map(|(event, _)| profile.text(plane.op(line.events.op(*event as usize)).name));
        names.filter(|name| is_launch(name)).count() as u64
    };
    let hosts = profile.planes.iter().filter(|plane| plane.is_host());
    hosts.map(|plane| plane.lines.iter().map(|line| of_line(plane, line)).sum::<u64>()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_of_a_capture_without_ops_is_for_its_framework() {
        use xla_profile::profile::{Line, Plane};
        let text = |plane: &str, line: &str, program: Option<&str>| {
            let mut profile = Profile::default();
            let mut new_line = Line::default();
            line.clone_into(&mut new_line.name);
            profile.planes.push(Plane { name: plane.to_owned(), lines: vec![new_line], ..Plane::default() });
            profile.programs.extend(program.map(|name| (xla_profile::profile::ProgramId(1), name.to_owned())));
            no_devices(&profile).message
        };
        let jax = "block_until_ready()";
        for plane in ["/device:GPU:0", "/device:TPU:0"] {
            assert!(text(plane, "XLA Modules", Some("jit_step")).contains(jax));
            for (line, program) in [("TensorFlow Ops", None), ("Steps", Some("SyncTensorsGraph.1")), ("Steps", None)] {
                let message = text(plane, line, program);
                assert!(!message.contains(jax) && message.contains("Start the capture before a step"), "{message}");
            }
        }
    }

    #[test]
    fn one_sentence_about_several_devices_is_one_note() {
        let note = |text: &str, place: &str| Note::new(Severity::Info, NoteCode::NoSteps, text).with_place(place);
        let joined = join_places(vec![note("x", "TPU:0"), note("y", "TPU:0"), note("x", "TPU:1"), note("x", "TPU:2")]);
        let places: Vec<_> = joined.iter().map(|note| (note.message.as_str(), note.place.as_deref())).collect();
        assert_eq!(places, [("x", Some("3 devices, TPU:0 to TPU:2")), ("y", Some("TPU:0"))]);
    }
}
