//! What is said where there is nothing to draw: what is missing, why, what would supply it. Knows the session's
//! planes; no screen.

use crate::engine::Session;
use crate::report::number;

/// The words of an empty view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Empty {
    /// What is missing.
    pub title: String,
    /// Why.
    pub why: String,
    /// What would supply it: what, how, and whether the file has it.
    pub supply: Vec<Supply>,
    /// What this view can say all the same: what, and its value.
    pub instead: Vec<(String, String)>,
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
    Empty { title: title.to_owned(), why, supply, instead: Vec::new() }
}

/// Why there is no peak of a program's buffers to show.
pub fn no_buffers(session: &Session) -> Empty {
    let planes = session.planes.iter().any(|plane| plane.name == METADATA);
    let why = if planes {
        "The capture has a plane of programs, but no program in it has a buffer assignment: the peak and the buffers at \
         the peak cannot be computed. Nothing here is estimated."
    } else {
        "The capture has no compiled program (HLO) with a buffer assignment: the peak and the buffers at the peak cannot \
         be computed. Nothing here is estimated."
    };
    let supply = vec![
        Supply {
            what: "Programs in the capture",
            how: "enable_hlo_proto = True in ProfileOptions, the default",
            in_file: planes,
        },
        Supply {
            what: "A program beside it",
            how: "the .hlo_proto.pb that the profiler wrote beside the capture, or the after_optimizations .hlo.pb of --xla_dump_to with --xla_dump_hlo_as_proto; choose both files together",
            in_file: false,
        },
    ];
    Empty { title: "No buffer assignment in this capture".to_owned(), why: why.to_owned(), supply, instead: Vec::new() }
}

/// Why there is no memory over time to show.
pub fn no_allocator(session: &Session) -> Empty {
    let host = session.planes.iter().any(|plane| plane.name.starts_with("/host:CPU"));
    let why = "The capture has no events of a memory allocator, so what was in use over time is not known. TPU runtimes \
               record none: there, the program's buffer assignment is the only source.";
    let supply = vec![
        Supply { what: "Host events", how: "host_tracer_level = 1 or more in ProfileOptions", in_file: host },
        Supply {
            what: "Allocations and frees",
            how: "host_tracer_level = 2 or more in ProfileOptions, on GPU and CPU",
            in_file: false,
        },
    ];
    Empty { title: "No allocator events in this capture".to_owned(), why: why.to_owned(), supply, instead: Vec::new() }
}

/// Why there is no communication to show. `place` is what is looked at, as "step 3 of TPU:0"; `n_devices` is how many run.
pub fn no_collectives(place: &str, n_devices: u64, copies: Option<String>) -> Empty {
    let devices = number::counted(n_devices, "device", "devices");
    let why = format!(
        "No collective and no transfer between devices ran in {place}. The capture has {devices} with ops{}",
        if n_devices == 1 { ": a program that runs on one device has none." } else { "." }
    );
    let supply = vec![
        Supply {
            what: "A program on several devices",
            how: "a mesh of more than one device; XLA then inserts all-gather, all-reduce and others",
            in_file: n_devices > 1,
        },
        Supply {
            what: "Another step or device",
            how: "the pickers above, or [ and ] for steps, { and } for devices",
            in_file: true,
        },
    ];
    let instead =
        copies.into_iter().map(|stall| ("Exposed time of copies between memories".to_owned(), stall)).collect();
    Empty { title: format!("No collectives in {place}"), why, supply, instead }
}

/// Why there is no roofline to show of `device`: its peaks are unknown.
pub fn no_peaks(device: &str) -> Empty {
    let why = format!(
        "The peak FLOP/s and bandwidth of {device} are neither in the capture nor in the table of known chips, so no op \
         can be compared with them."
    );
    let supply = vec![
        Supply { what: "The chip", how: "choose it above, or enter its peaks from the data sheet", in_file: false },
        Supply {
            what: "Peaks in the capture",
            how: "the stats peak_teraflops_per_second and peak_hbm_bw_gigabytes_per_second of a device's plane in an .xplane.pb; a .trace.json has none",
            in_file: false,
        },
    ];
    Empty { title: format!("No roofline: the peaks of {device} are unknown"), why, supply, instead: Vec::new() }
}

/// The plane that holds the programs of a capture.
const METADATA: &str = "/host:metadata";

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
        assert!(empty(&session(&["/device:TPU:0"])).instead.is_empty());
        let program = FileInfo { name: "it.pb".to_owned(), bytes: 1, format: "HLO proto, gzip".to_owned() };
        let said = empty(&Session { files: vec![program], ..session(&[]) });
        assert!(said.title == "Programs without a run" && said.why.contains("no times"));
    }
    #[test]
    fn a_view_without_its_data_says_what_would_supply_it() {
        let bare = no_buffers(&session(&["/device:GPU:0"]));
        assert!(bare.why.contains("no compiled program") && !bare.supply[0].in_file);
        let unplanned = no_buffers(&session(&["/host:metadata"]));
        assert!(unplanned.why.contains("no program in it has a buffer assignment") && unplanned.supply[0].in_file);
        assert!(no_allocator(&session(&["/host:CPU"])).supply[0].in_file);
        assert!(!no_allocator(&session(&["/device:TPU:0"])).supply[0].in_file);
        let one = no_collectives("step 3 of TPU:0", 1, None);
        assert!(one.title == "No collectives in step 3 of TPU:0" && one.why.contains("1 device with ops: a program"));
        assert!(!one.supply[0].in_file && one.instead.is_empty());
        let copies = no_collectives("the whole capture", 4, Some("864.78 ms".to_owned()));
        assert!(copies.supply[0].in_file && copies.instead[0].1 == "864.78 ms");
        assert!(no_peaks("GPU:0").title.contains("peaks of GPU:0"));
    }
}
