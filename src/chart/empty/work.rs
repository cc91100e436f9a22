//! This module explains a roofline view without peaks or FLOPs, and a communication view without collectives or copies.

use super::{Empty, Need, is_trace_json, n_planes};
use crate::analysis::base::Platform;
use crate::analysis::comm::{Comm, StepComm};
use crate::analysis::roofline::{DevicePeaks, Level, PeakResource, RooflineFigures, SkipReason};
use crate::chart::comm::figures::window;
use crate::chart::comm::rows;
use crate::chart::roofline::peaks::short;
use crate::protocol::SessionInfo;
use crate::protocol::url::comm::CommRows;
use crate::table::format;
use xla_profile::profile::NoteCode;
use xla_profile::units::Picos;

/// Returns the reason why no roofline can be drawn. `None` if the compute peak of a device is known and some op has
/// FLOPs and bytes. A filter that leaves no op to plot (not `is_all`) is also no reason.
pub fn roofline(session: &SessionInfo, figures: &RooflineFigures, is_all: bool) -> Option<Empty> {
    let peaks = figures.peaks.first();
    let knows = |peaks: &DevicePeaks| peaks.used.iter().any(|peak| matches!(peak.resource, PeakResource::Compute(_)));
    let is_known = figures.peaks.iter().any(knows);
    let lacks = |reason| matches!(reason, SkipReason::NoFlops | SkipReason::NoBytes | SkipReason::OpaqueCall);
    let without: Picos =
        figures.skipped.iter().filter(|skipped| lacks(skipped.reason)).map(|skipped| skipped.total).sum();
    let has_flops = without < figures.considered;
    let nothing_to_plot = is_all && figures.step.is_none() && figures.considered > Picos::ZERO && !has_flops;
    if is_known && !nothing_to_plot {
        return None;
    }
    let device = peaks.and_then(|peaks| peaks.device_type.as_deref());
    let device = device.map_or_else(|| "this device".to_owned(), |name| format!("this device ({name})"));
    let empty = peaks.map(short).unwrap_or_default();
    let known_value = |is: &dyn Fn(&&(String, &'static str)) -> bool| {
        empty.iter().find(is).map(|(value, unit)| format!("{value} {unit}"))
    };
    let bandwidth = peaks.and_then(|peaks| peaks.bytes(Level::Hbm)).is_some();
    let compute = known_value(&|(_, unit)| unit.starts_with("TFLOP/s")).filter(|_| is_known);
    let memory = known_value(&|(_, unit)| unit.starts_with("GB/s")).filter(|_| bandwidth);
    let share = without.fraction_of(figures.considered).map(|without| format::percent_text(1.0 - without));
    let flops = share.filter(|_| has_flops).map(|share| format!("{share} of op time"));
    let (title, why) = if is_known {
        (
            "No FLOPs in this capture",
            "No op has FLOPs or bytes accessed, so the roofline chart cannot place any op. The table has their times."
                .to_owned(),
        )
    } else {
        (
            "No peaks for this device",
            format!("The capture has no peaks of {device}, and names no chip of the table of chips."),
        )
    };
    let give = "Choose the chip, or enter its peaks.";
    let needs = vec![
        Need::new("Peak FLOP/s", compute, give),
        Need::new("Memory bandwidth", memory, give),
        Need::new("FLOPs and bytes of ops", flops, cost(session)),
    ];
    let needs = if session.summary.is_some() { Vec::new() } else { needs };
    Some(Empty { title: title.to_owned(), why, needs })
}

/// Returns instructions to obtain FLOPs and bytes of ops.
fn cost(session: &SessionInfo) -> String {
    let given = "Or enter FLOPs per call under “Kernel costs”.";
    if is_trace_json(session) {
        return format!("Open the .xplane.pb of the same folder. {given}");
    }
    if n_planes(session, Platform::Tpu) > 0 {
        return format!("XLA’s TPU compiler writes them with each op; they are missing here. {given}");
    }
    format!("{} {given}", session.framework.hlo())
}

/// Returns the reason why there are no collectives or no copies, and whether all steps lack them. If all steps lack
/// them, no chart of the view has data. Ops outside of steps can still communicate; only a query of the whole capture
/// finds these. `None` if the report has rows.
pub fn communication(session: &SessionInfo, comm: &Comm, which: CommRows) -> Option<(Empty, bool)> {
    if !rows(comm, which).is_empty() {
        return None;
    }
    let in_step = |step: &StepComm| match which {
        CommRows::Collectives => step.collectives.in_flight,
        CommRows::Copies => step.copies.in_flight,
    };
    let is_absent = comm.steps.iter().all(|step| in_step(step) == Picos::ZERO);
    let n = session.devices.len() as u64;
    let steps = comm.steps.iter().filter(|step| in_step(step) > Picos::ZERO).count() as u64;
    let elsewhere = (steps > 0).then(|| format!("in {}", format::counted(steps, "other step", "other steps")));
    let (what, why, needs) = match which {
        CommRows::Collectives if n > 1 => (
            "No collectives",
            no_collectives(comm),
            vec![
                Need::new("Several devices", Some(format::counted(n, "device", "devices")), ""),
                Need::new("Ops that communicate", elsewhere, COLLECTIVES),
            ],
        ),
        CommRows::Collectives => (
            "No collectives",
            "A program communicates where its arrays are sharded over several devices. This capture has one device.",
            vec![
                Need::new(
                    "Several devices",
                    None,
                    "Run the program on several, and open the captures of all hosts together.",
                ),
                Need::new("Ops that communicate", elsewhere, COLLECTIVES),
            ],
        ),
        CommRows::Copies => (
            "No copies between memories",
            "Only copies that run beside compute are listed here. Synchronous copies are data movement in the breakdown.",
            vec![Need::new(
                "Asynchronous copies",
                elsewhere,
                "XLA adds them (`copy-start`, `copy-done`) for prefetches and host offloading.",
            )],
        ),
    };
    Some((Empty { title: format!("{what} in {}", window(comm)), why: why.to_owned(), needs }, is_absent))
}

/// Returns the sentences about a window without collectives: those of the note, which names collectives outside of the window.
/// A report may lack the note.
fn no_collectives(comm: &Comm) -> &str {
    let note = comm.notes.iter().find(|note| note.code == NoteCode::NoCollectives);
    note.map_or("No collective ran in this window.", |note| &note.message)
}

const COLLECTIVES: &str = "Run one program over the devices: its all-gather, all-reduce and other collectives (on GPUs \
                           kernels of NCCL or RCCL) are listed here.";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::base::{Analysis, Framework};
    use crate::analysis::comm::CommQuery;
    use crate::chart::empty::tests::{session, text};
    use xla_profile::profile::Profile;

    #[test]
    fn flops_come_from_the_frameworks_programs() {
        let gpu = session(&["/device:GPU:0"], "XSpace", Framework::TensorFlow);
        let empty = cost(&gpu);
        assert!(empty.contains("jit_compile") && !empty.contains("jax"), "{empty}");
        assert!(cost(&session(&["/device:TPU:0"], "XSpace", Framework::Jax)).contains("each op"));
        assert!(cost(&session(&["/device:TPU:0"], "trace JSON", Framework::Jax)).contains(".xplane.pb"));
    }

    #[test]
    fn a_step_without_collectives_is_not_a_capture_without() {
        let one = session(&["/device:TPU:0"], "XSpace", Framework::Jax);
        let profile = Profile::default();
        let mut comm = Analysis::new(&profile).comm(&profile, &CommQuery::default(), None);
        "0".clone_into(&mut comm.header.step);
        let (empty, is_absent) = communication(&one, &comm, CommRows::Collectives).unwrap();
        assert!(is_absent && empty.title == "No collectives in step 0", "{}", text(&empty));
        let mut step = StepComm::default();
        step.collectives.in_flight = Picos(5);
        comm.steps.push(step);
        let (empty, is_absent) = communication(&one, &comm, CommRows::Collectives).unwrap();
        assert!(!is_absent && empty.title == "No collectives in step 0", "{}", text(&empty));
        assert_eq!(empty.needs[1].found.as_deref(), Some("in 1 other step"));
        assert!(communication(&one, &comm, CommRows::Copies).unwrap().1);
    }
}
