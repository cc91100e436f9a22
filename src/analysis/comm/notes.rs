//! This module writes the notes of a communication report. It reads the sums, and computes nothing but ratios.

use super::core::CoreWindow;
use super::imbalance::{DeviceBalance, Straggler};
use super::query::NamedMesh;
use super::report::{Comm, CommRow};
use crate::analysis::base::{Analysis, Clock, Status};
use crate::analysis::classify::network::Network;
use indexmap::IndexSet;
use xla_profile::profile::{Note, NoteCode, Severity};
use xla_profile::units::Picos;

/// A collective whose exposed time is more than this share of the step gets a note: a sharding constraint may be
/// missing.
const DOMINANT: f64 = 0.7;
/// A spread of step durations over devices above this value gets a note about an imbalance.
const SPREAD: f64 = 0.05;
/// Waits of more than this share of the time in flight get a note: either nothing overlaps, or the capture writes each
/// wait as long as its transfer.
const MIRRORED: f64 = 0.98;
/// Waits that exceed the exposed time by more than this time and more than this share of it get a note.
const SLACK: (Picos, f64) = (Picos(1_000_000), 0.001);

fn percent(part: f64) -> String {
    format!("{:.1} %", part * 100.0)
}

/// The parts of the wiring that are known.
pub struct TopologyFacts<'a> {
    /// Whether the user gave a topology.
    pub topology: bool,
    pub mesh: Option<&'a NamedMesh>,
    /// Whether the bandwidth of the chip's links is known.
    pub link: bool,
}

/// Returns the notes of a report. Empty if the report has no window.
pub fn notes(
    comm: &Comm,
    core_windows: &[CoreWindow<'_>],
    analysis: &Analysis,
    wiring: &TopologyFacts<'_>,
) -> Vec<Note> {
    if comm.header.status == Status::Absent {
        return Vec::new();
    }
    let mut notes = Vec::new();
    let mut note = |severity, code: NoteCode, message: String| notes.push(Note::new(severity, code, message));
    let (info, caution) = (Severity::Info, Severity::Caution);
    if comm.rows.is_empty() {
        note(info, NoteCode::NoCollectives, no_collectives(core_windows).to_owned());
    }
    let serial = core_windows.iter().all(|core_window| analysis.devices[core_window.device].ops.len() == 1);
    contradictions(comm, serial, &mut note);
    if let Some(row) = comm.rows.iter().find(|row| dominates(row, comm)) {
        let message = format!(
            "{} takes more than {} of the step. A frequent cause is a missing sharding constraint, so that a whole array is gathered.",
            row.key,
            percent(DOMINANT)
        );
        note(caution, NoteCode::DominantCollective, message);
    }
    if let Some(DeviceBalance { worst_spread: Some(spread), worst_step: Some(step), slowest: Some(slowest), .. }) =
        comm.balance.as_ref().filter(|balance| balance.worst_spread.is_some_and(|spread| spread > SPREAD))
    {
        // Devices wait for each other only in collectives. The device that waits least is the one that the others wait for.
        let is_awaited = comm.balance.as_ref().is_some_and(|balance| {
            balance.devices.first().is_some_and(|arrival| arrival.device == *slowest)
                && balance.largest_wait(comm.header.step_duration).is_some_and(|(delay, _)| delay > Picos::ZERO)
        });
        let message = format!(
            "Step times differ by {} between devices in step {step}. {slowest} is the slowest{}.",
            percent(*spread),
            if is_awaited { ", and the others wait for it in collectives" } else { "" }
        );
        note(caution, NoteCode::StepImbalance, message);
    }
    if let Some(Straggler { arrival, delay, share }) = comm.straggler() {
        let message = format!(
            "{} is a straggler: the other devices wait {:.3} ms longer in collectives, {} of the window.",
            arrival.device,
            delay.as_f64() / 1e9,
            percent(share)
        );
        note(caution, NoteCode::Straggler, message);
    }
    let lost: u32 = core_windows.iter().map(|core_window| core_window.timeline.lost_lines).sum();
    if lost > 0 {
        note(
            caution,
            NoteCode::ImplausibleTime,
            format!("{lost} lines are left out, because their times lie outside their plane."),
        );
    }
    if comm.pairing.unpaired > 0 {
        let share = comm.pairing.unpaired_ratio().map_or(String::new(), |ratio| format!(" ({})", percent(ratio)));
        let message = format!(
            "{}{share} start or done ops have no counterpart, because the capture begins or ends between them. They do not count as in flight.",
            comm.pairing.unpaired
        );
        note(caution, NoteCode::Unpaired, message);
    }
    if comm.pairing.other > 0 {
        let message = format!(
            "{} asynchronous events are neither collectives nor copies (work of another core). No figure includes them.",
            comm.pairing.other
        );
        note(info, NoteCode::OtherAsync, message);
    }
    if comm.pairing.from_ops > 0 {
        let message = format!(
            "{} executions are on no async line. They count as in flight from their start to the end of their wait, which may be too long.",
            comm.pairing.from_ops
        );
        note(info, NoteCode::NoAsyncLine, message);
    }
    let on_event = |core_window: &&CoreWindow<'_>| {
        core_window.timeline.clock != Clock::Device && analysis.devices[core_window.device].op_clock == Clock::Device
    };
    if core_windows.iter().any(|core_window| on_event(&core_window)) {
        let message = "Not every line has the device clock. Time in flight and exposed time use the clock of events, and stall uses the \
                       clock of the breakdown; they differ slightly.";
        note(info, NoteCode::EventClockForOverlap, message.to_owned());
    }
    sizes(comm, &mut note);
    utilisation(comm, wiring, &mut note);
    notes
}

type AddNote<'a> = dyn FnMut(Severity, NoteCode, String) + 'a;

/// Returns the sentences about a window without collectives. The timelines cover the whole capture.
fn no_collectives(core_windows: &[CoreWindow<'_>]) -> &'static str {
    let has_any = core_windows.iter().any(|core| {
        let is_collective =
            |transfer: u32| core.transfers.all.get(transfer as usize).is_some_and(|transfer| !transfer.is_copy);
        core.timeline.spans.iter().any(|span| is_collective(span.transfer))
    });
    if has_any {
        "No collective ran in this window. The capture has collectives outside of it."
    } else {
        "No collective ran on the selected devices."
    }
}

fn dominates(row: &CommRow, comm: &Comm) -> bool {
    row.overlap.exposed.fraction_of(comm.header.step_duration.unwrap_or_default()).is_some_and(|share| share > DOMINANT)
}

/// Reports contradictions between stall and exposed time. `serial` means that every device has one op line: on several
/// lines, one line may compute while another one waits, and waits may then exceed the exposed time.
fn contradictions(comm: &Comm, serial: bool, note: &mut AddNote<'_>) {
    for (traffic, what) in [(&comm.tensor, "collectives"), (&comm.copies, "copies")] {
        let overlap = traffic.overlap;
        let beyond = overlap.waited.saturating_sub(overlap.exposed);
        if serial && beyond > SLACK.0 && beyond.fraction_of(overlap.exposed).is_none_or(|share| share > SLACK.1) {
            let message = format!(
                "The waits for {what} are {:.3} ms longer than their exposed time: waits continue after the transfer has finished.",
                beyond.as_f64() / 1e9
            );
            note(Severity::Caution, NoteCode::StallBeyondExposed, message);
        }
        let asynchronous = comm.pairing.from_line + comm.pairing.from_flow > 0;
        let sync = overlap.in_flight == overlap.waited;
        if asynchronous && !sync && overlap.waited.fraction_of(overlap.in_flight).is_some_and(|share| share > MIRRORED)
        {
            let message = format!(
                "The waits for {what} are nearly as long as the transfers: nothing overlaps, or the capture writes each wait as long as its transfer. Use the exposed time."
            );
            note(Severity::Info, NoteCode::WaitsMirrorTransfers, message);
        }
    }
}

fn sizes(comm: &Comm, note: &mut AddNote<'_>) {
    if comm.tensor.n_unsized > 0 {
        let message = format!(
            "The sizes of {} of {} executions are unknown: their texts do not have them, and their program is missing.",
            comm.tensor.n_unsized, comm.tensor.n
        );
        note(Severity::Info, NoteCode::UnknownSizes, message);
    }
    let n = comm
        .rows
        .iter()
        .filter(|row| row.group.is_none() && row.n_ops == 1 && row.network != Some(Network::Dcn))
        .count();
    if n > 0 {
        let message = format!(
            "The replica groups of {n} of {} rows are unknown: their texts do not have them, and their program is missing. These rows have no bus bandwidth.",
            comm.rows.len()
        );
        note(Severity::Info, NoteCode::UnknownGroups, message);
    }
}

/// Reports why rows have no utilisation, or a doubtful one.
fn utilisation(comm: &Comm, wiring: &TopologyFacts<'_>, note: &mut AddNote<'_>) {
    if comm.rows.is_empty() {
        return;
    }
    if let Some(mesh) = wiring.mesh {
        let is_off = |row: &&CommRow| {
            row.group.as_ref().is_some_and(|group| group.first.iter().any(|device| *device >= mesh.devices()))
        };
        let n = comm.rows.iter().filter(is_off).count();
        if n > 0 {
            let message = format!("The devices of {n} rows are outside the mesh {mesh}, so these rows have no axes.");
            note(Severity::Caution, NoteCode::OffMesh, message);
        }
    }
    let has = |network: Network| comm.rows.iter().any(|row| row.network == Some(network));
    let is_unrated = |row: &CommRow| row.network == Some(Network::Hosts) && row.peak.is_none();
    if comm.rows.iter().any(is_unrated) {
        let message = "The utilisation of the network between hosts is unknown, because its bandwidth is not set.";
        note(Severity::Info, NoteCode::NoNetworkPeak, message.to_owned());
    }
    if comm.rows.iter().any(|row| row.network.is_none() && row.group.is_some()) {
        let message = "The network of some rows is unknown: the capture does not say which GPUs share a host, or whether their model has NVLink.";
        note(Severity::Info, NoteCode::UnknownNetwork, message.to_owned());
    }
    let n = comm.rows.iter().filter(|row| row.is_above_peak()).count();
    if n > 0 {
        let message = format!(
            "{n} rows exceed the bandwidth of their network: the topology, its wrap-around links or the bandwidth is wrong, or the bytes use more than one link per axis."
        );
        note(Severity::Caution, NoteCode::AboveLinkPeak, message);
    }
    if !has(Network::Ici) {
        return;
    }
    if !wiring.topology {
        let message = "The utilisation of links is unknown, because no topology is set (chips along each dimension, for example 4x4x4).";
        return note(Severity::Info, NoteCode::NoTopology, message.to_owned());
    }
    if !wiring.link {
        let message = "The utilisation of links is unknown, because the bandwidth of this device’s links is unknown.";
        return note(Severity::Info, NoteCode::NoLinkPeak, message.to_owned());
    }
    let mut off: IndexSet<&str> = IndexSet::default();
    for row in comm.rows.iter().filter(|row| row.network == Some(Network::Ici)) {
        if row.group.as_ref().is_none_or(|group| group.n_axes.is_some()) {
            continue;
        }
        off.insert(&row.key);
    }
    let n = off.len();
    if n > 0 {
        let message = format!("The devices of {n} rows do not fit the topology, so these rows have no utilisation.");
        note(Severity::Caution, NoteCode::OffTopology, message);
    }
    let message = "Utilisation assumes that devices are numbered along x first, then y, then z.";
    note(Severity::Info, NoteCode::NumberingAssumed, message.to_owned());
}
