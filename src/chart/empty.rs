//! What is said where there is nothing to draw: what is missing, why, what would supply it. Knows the session's
//! planes; no screen.

use crate::engine::Session;
use crate::report::number;

/// The words of the empty view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Empty {
    /// What is missing.
    pub title: &'static str,
    /// Why.
    pub why: String,
    /// What would supply it: what, how, and whether the file has it.
    pub supply: Vec<Supply>,
}

/// A line of "what would supply it".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Supply {
    /// What.
    pub what: &'static str,
    /// How.
    pub how: &'static str,
    /// Whether the capture has it.
    pub in_file: bool,
}

/// Why a session without device ops shows no breakdown.
pub fn empty(session: &Session) -> Empty {
    let named = |part: &str| session.planes.iter().filter(|plane| plane.name.contains(part)).count() as u64;
    let (tpu, gpu) = (named("/device:TPU"), named("/device:GPU"));
    let events = number::counted(session.n_events, "event", "events");
    let planes = number::counted(session.planes.len() as u64, "plane", "planes");
    let programs = session.planes.is_empty() && session.files.iter().any(|file| file.format.starts_with("HLO"));
    let why = if programs {
        "Only compiled programs are open: they hold no times. Open the .xplane.pb of a run beside them.".to_owned()
    } else if tpu > 0 {
        let tpu = number::counted(tpu, "TPU plane", "TPU planes");
        format!("It has {tpu}, but no op ran on them while the capture was taken. {planes} with {events} were read.")
    } else if gpu > 0 {
        let gpu = number::counted(gpu, "GPU plane", "GPU planes");
        format!(
            "It has {gpu}, but none has a stream with kernels: nothing ran on them while the capture was taken, or the \
             profiler was not allowed to trace them (CUPTI and rocprofiler need permission; the host's log says so)."
        )
    } else if session.planes.is_empty() {
        "The file is an XSpace without planes: nothing was recorded.".to_owned()
    } else {
        format!("Its {planes} with {events} are of the host. Nothing was recorded on a device.")
    };
    let supply = vec![
        Supply {
            what: "A TPU in the process",
            how: "jax.profiler.trace(folder) in the process that drives the TPU",
            in_file: tpu > 0,
        },
        Supply {
            what: "Device tracing",
            how: "device_tracer_level = 1 in ProfileOptions, the default",
            in_file: tpu > 0,
        },
        Supply {
            what: "Steps under way",
            how: "at least one step between start and stop of the trace",
            in_file: false,
        },
    ];
    let title = if programs { "Programs without a run" } else { "No device time in this capture" };
    Empty { title, why, supply }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{FileInfo, PlaneInfo};

    fn session(names: &[&str]) -> Session {
        let plane = |name: &&str| PlaneInfo { name: (*name).to_owned(), n_lines: 1, n_events: 2 };
        Session {
            files: Vec::new(),
            devices: Vec::new(),
            usual_device: crate::analysis::DeviceChoice::default(),
            planes: names.iter().map(plane).collect(),
            notes: Vec::new(),
            partial: None,
            n_events: 2 * names.len() as u64,
            summary: None,
        }
    }

    #[test]
    fn it_says_which_planes_were_found() {
        assert!(empty(&session(&["/host:CPU"])).why.starts_with("Its 1 plane with 2 events are of the host"));
        assert!(
            empty(&session(&["/device:GPU:0", "/host:CPU"]))
                .why
                .starts_with("It has 1 GPU plane, but none has a stream")
        );
        assert!(empty(&session(&["/device:TPU:0"])).why.contains("no op ran"));
        assert!(empty(&session(&[])).why.contains("nothing was recorded"));
        assert!(empty(&session(&["/device:TPU:0"])).supply[0].in_file);
        let program = FileInfo { name: "it.pb".to_owned(), bytes: 1, format: "HLO proto, gzip".to_owned() };
        let said = empty(&Session { files: vec![program], ..session(&[]) });
        assert!(said.title == "Programs without a run" && said.why.contains("no times"));
    }
}
