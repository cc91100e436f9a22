//! This module explains a session without ops of a device: the planes that were found, and the way to record a run of
//! the device.

use super::{Empty, Need, in_file, is_programs_alone, n_planes};
use crate::analysis::base::Platform;
use crate::protocol::SessionInfo;
use crate::table::format;
use xla_profile::profile::NoteCode;

/// Returns the explanation for a session in which no device has ops.
pub fn devices(session: &SessionInfo) -> Empty {
    let (tpu, gpu) = (n_planes(session, Platform::Tpu), n_planes(session, Platform::Gpu));
    let events = format::counted(session.n_events, "event", "events");
    let planes = format::counted(session.planes.len() as u64, "plane", "planes");
    let record = session.framework.record();
    if is_programs_alone(session) {
        return Empty {
            title: "Compiled programs only, no timings".to_owned(),
            why: "These files are compiled programs, which have no timings. See Memory for their buffers and File for their text."
                .to_owned(),
            needs: vec![
                Need::new("Compiled programs", in_file(true), ""),
                Need::new("A capture of a run", None, format!("Open its .xplane.pb beside the programs. {record}")),
            ],
        };
    }
    let has_note = |code| session.notes.iter().any(|note| note.code == code);
    if has_note(NoteCode::KinetoTrace) {
        return Empty {
            title: "A PyTorch (Kineto) trace".to_owned(),
            why: format!(
                "Rooflight reads profiles of XLA, so it shows only the timeline of this file. Open it in Perfetto \
                 (ui.perfetto.dev). {planes} with {events} were read."
            ),
            needs: vec![Need::new(
                "A profile of XLA",
                None,
                "Record with `torch_xla.debug.profiler`, if the program runs with PyTorch/XLA. `torch.profiler` writes Kineto traces.",
            )],
        };
    }
    if let Some(partial) = session.partial.as_ref().filter(|_| has_note(NoteCode::PartialFile)) {
        return Empty {
            title: "The file ends before the ops of a device".to_owned(),
            why: format!(
                "{partial} {planes} with {events} come before. The ops of devices may be in the rest of the file."
            ),
            needs: vec![Need::new(
                "The whole file",
                None,
                "Copy the file again, and compare its size with that of the original.",
            )],
        };
    }
    let is_loss = |note: &&xla_profile::profile::Note| {
        matches!(note.code, NoteCode::RunsWithoutDevice | NoteCode::LaunchesWithoutKernels)
    };
    if let Some(loss) = session.notes.iter().find(is_loss) {
        // The sentence about what is missing stands above every view.
        let is_shown_above = session.partial.as_ref().is_some_and(|partial| partial.contains(&loss.message));
        let message = if is_shown_above { "No figure of a device can be computed." } else { &loss.message };
        return Empty {
            title: "The events of the device were lost".to_owned(),
            why: format!("{message} {planes} with {events} were read."),
            needs: vec![Need::new(
                "Events of the device",
                None,
                "Capture fewer steps, so that the profiler can keep all events.",
            )],
        };
    }
    let why = if tpu > 0 {
        let tpu = format::counted(tpu, "TPU plane", "TPU planes");
        format!("The capture has {tpu}, but no op ran on them. {planes} with {events} were read.")
    } else if gpu > 0 {
        let gpu = format::counted(gpu, "GPU plane", "GPU planes");
        format!(
            "It has {gpu}, but none has a stream with kernels: nothing ran on them while the capture was taken, or the \
             profiler was not allowed to trace them (CUPTI and rocprofiler need permission; the host's log says so)."
        )
    } else if session.planes.is_empty() {
        "The file is an XSpace without planes: nothing was recorded.".to_owned()
    } else {
        format!("Its {planes} with {events} are of the host. Nothing was recorded on a device.")
    };
    let found = match (tpu, gpu) {
        (0, 0) => None,
        (0, n) => Some(format::counted(n, "GPU plane", "GPU planes")),
        (n, _) => Some(format::counted(n, "TPU plane", "TPU planes")),
    };
    Empty {
        title: "No device time in this capture".to_owned(),
        why,
        needs: vec![
            Need::new("Planes of devices", found.clone(), record),
            Need::new("Device tracing", found.map(|_| "on".to_owned()), session.framework.device_events()),
            Need::new("Ops during the capture", None, session.framework.whole()),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::base::Framework;
    use crate::chart::empty::tests::{session, text};

    #[test]
    fn it_says_which_planes_were_found() {
        let empty = |planes: &[&str]| devices(&session(planes, "XSpace", Framework::Jax));
        assert!(empty(&["/host:CPU"]).why.starts_with("Its 1 plane with 2 events are of the host"));
        let gpu = empty(&["/device:GPU:0", "/host:CPU"]);
        assert!(gpu.why.starts_with("It has 1 GPU plane, but none has a stream"));
        assert_eq!(gpu.needs[0].found.as_deref(), Some("1 GPU plane"));
        assert!(empty(&["/device:TPU:0"]).why.contains("no op ran"));
        assert!(empty(&[]).why.contains("nothing was recorded"));
        let empty = devices(&session(&[], "HLO proto, gzip", Framework::Unknown));
        assert!(empty.title.contains("no timings") && empty.why.contains("no timings"));
    }

    #[test]
    fn advice_is_for_the_framework_of_the_capture() {
        let words = |framework| text(&devices(&session(&["/host:CPU"], "XSpace", framework)));
        assert!(words(Framework::Jax).contains("jax.profiler") && words(Framework::Jax).contains("block_until_ready"));
        assert!(words(Framework::TensorFlow).contains("tf.profiler"));
        assert!(words(Framework::PyTorch).contains("torch.profiler"));
        for other in [Framework::TensorFlow, Framework::PyTorch, Framework::Unknown] {
            assert!(!words(other).contains("jax") && !words(other).contains("block_until_ready"), "{}", words(other));
        }
    }
}
