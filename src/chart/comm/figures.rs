//! This module computes the figures of the communication view: stall first, then time in flight and the share that
//! compute hides. It does not depend on pixels.

use super::traffic;
use crate::analysis::comm::{Comm, CommRow, Traffic};
use crate::chart::widgets::figure::{Figure, Readout, exact, figure, share_figure};
use crate::chart::widgets::tip::row;
use crate::protocol::CommView;
use crate::protocol::url::comm::CommRows;
use crate::table::format::{self, ABSENT};
use xla_profile::profile::NoteCode;
use xla_profile::units::Picos;

/// Start ops get a figure of their own if their self time is more than this fraction of stall and start time together.
const LONG_ISSUE: f64 = 0.05;

/// Returns the window in words: "step 3" or "the whole capture", with the number of devices if there are several.
pub fn window(comm: &Comm) -> String {
    let header = &comm.header;
    header.window_text()
}

/// Returns the summary sentence: "Waits for communication take 24.2 % of step 0; 5.3 % of the time in flight is
/// hidden behind compute."
pub fn sentence(view: &CommView, rows: CommRows) -> String {
    let comm = &view.comm;
    let traffic = traffic(comm, rows);
    let what = if rows == CommRows::Copies { "copies between memories" } else { "communication" };
    if traffic.n == 0 {
        let none = if rows == CommRows::Copies { "copies between memories" } else { "collectives" };
        return format!("There are no {none} in {}.", window(comm));
    }
    let share = comm.header.step_duration.and_then(|step| traffic.stall.fraction_of(step));
    let (time, rows) =
        share.map_or_else(|| (format::time_text(traffic.stall), "in"), |share| (format::percent_text(share), "of"));
    let hidden = traffic.overlap.share().map_or_else(String::new, |share| {
        format!("; {} of the time in flight is hidden behind compute", format::percent_text(share))
    });
    format!("Waits for {what} take {time} {rows} {}{hidden}.{}", window(comm), exposed_excess_text(traffic))
}

/// Explains why the exposed time is larger than the time that the core waits. Empty if the difference is below 0.1 % of
/// the exposed time. Both times are on one clock.
fn exposed_excess_text(traffic: &Traffic) -> String {
    let more = traffic.overlap.exposed.saturating_sub(traffic.overlap.waited);
    if more.fraction_of(traffic.overlap.exposed).is_none_or(|share| share < 0.001) {
        return String::new();
    }
    format!(
        " {} are exposed (no compute beside them), {} more than the core waits: meanwhile it moves data, runs other ops or is idle.",
        format::time_text(traffic.overlap.exposed),
        format::time_text(more)
    )
}

/// Returns the row of figures for collectives or for copies.
pub fn readout(view: &CommView, comm_rows: CommRows) -> Readout {
    let comm = &view.comm;
    let Traffic { n, stall, issue, fused, overlap, .. } = *traffic(comm, comm_rows);
    let bound = if comm_rows == CommRows::Collectives && has(comm, NoteCode::NoAsyncLine) { "≥ " } else { "" };
    let at_least = |(value, unit): (String, &'static str)| (format!("{bound}{value}"), unit);
    let step = comm.header.step_duration;
    let mut main = vec![figure(
        "Share of step",
        share_figure(step.and_then(|step| stall.fraction_of(step))),
        "Stall ÷ window",
        vec![row("Stall", exact(stall)), row("Window", step.map_or_else(|| ABSENT.to_owned(), exact))],
    )];
    // Start ops can take long: `async-collective-start` of XLA:TPU does a part of the transfer itself.
    if issue.fraction_of(stall + issue).is_some_and(|share| share > LONG_ISSUE) {
        let rows =
            vec![row("Result", exact(issue)), row("Counted", "in exposed where nothing is computed, not in stall")];
        main.push(figure("Start ops", format::figure_time(issue), "Σ self time of -start and -update", rows));
    }
    if fused > Picos::ZERO {
        let rows = vec![row("Result", exact(fused)), row("Counted", "as compute, in neither stall nor exposed")];
        let formula = "Σ self time of ops that compute and communicate at once";
        main.push(figure("Fused with compute", format::figure_time(fused), formula, rows));
    }
    let clock = if comm.pairing.device_clock { "the device’s own" } else { "the event clock" };
    let rows = vec![
        row("Exposed", exact(overlap.exposed)),
        row("Overlapped", exact(overlap.overlapped)),
        row("Result", exact(overlap.in_flight)),
        row("Clock", clock),
        row("From", findings_text(comm)),
    ];
    main.push(figure(
        "In flight",
        at_least(format::figure_time(overlap.in_flight)),
        "Union of [start, end), from the start of a transfer to its end",
        rows,
    ));
    let rows = vec![
        row("In flight", exact(overlap.in_flight)),
        row("While the same core computes", exact(overlap.overlapped)),
        row("Waited on this clock", exact(overlap.waited)),
    ];
    main.push(figure(
        "Exposed",
        format::figure_time(overlap.exposed),
        "In flight while the same core computes nothing; may be more than stall: the core may move data or be idle meanwhile",
        rows.clone(),
    ));
    main.push(figure("Overlapped", share_figure(overlap.share()), "Overlapped ÷ in flight", rows));
    let rows = super::rows(comm, comm_rows);
    if let Some(slowest) = CommRow::slowest(rows).and_then(|index| rows.get(index)) {
        main.push(lowest(slowest));
    }
    let mut side = Vec::new();
    if let Some(sparse) = comm.sparse.as_ref().filter(|sparse| sparse.n > 0 && comm_rows == CommRows::Collectives) {
        let rows = vec![
            row("Executions", format::executions(sparse.n)),
            row("In flight", exact(sparse.overlap.in_flight)),
            row("Stall", exact(sparse.stall)),
            row("Counted", "apart: a SparseCore waits for itself"),
        ];
        let formula = "Union of what SparseCores have in flight";
        side.push(figure("SparseCore in flight", format::figure_time(sparse.overlap.in_flight), formula, rows));
    }
    let rows = vec![
        row("Executions", format::executions(n)),
        row("Waits and synchronous ones", exact(stall)),
        row("Starts, beside it", exact(issue)),
        row("Exposed is another figure", "what is in flight without compute beside it, whether the core waits or not"),
    ];
    let label = if comm_rows == CommRows::Copies { "Copy stall" } else { "Communication stall" };
    let hero =
        figure(label, format::figure_time(stall), "Σ self time of -done and synchronous ops: the core waits", rows);
    Readout { hero: Figure { scope: Some(window(comm)), ..hero }, main, side }
}

fn has(comm: &Comm, code: NoteCode) -> bool {
    comm.notes.iter().any(|note| note.code == code)
}

/// Returns the origin of the async intervals, with the number of executions of each origin.
fn findings_text(comm: &Comm) -> String {
    let pairing = &comm.pairing;
    let parts = [
        (pairing.from_line, "events of the async line"),
        (pairing.from_flow, "flows"),
        (pairing.from_ops, "starts with their dones"),
        (pairing.sync, "synchronous"),
    ];
    let texts: Vec<String> =
        parts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{} {what}", format::count(*n))).collect();
    let unpaired = pairing.unpaired_ratio().filter(|ratio| *ratio > 0.0);
    let unpaired = unpaired.map(|ratio| format!("; {} unpaired", format::percent_text(ratio))).unwrap_or_default();
    format!("{}{unpaired}", texts.join(", "))
}

fn lowest(collective: &CommRow) -> Figure {
    let (label, rate, formula) = match (collective.bus_rate, collective.alg_rate) {
        (Some(rate), _) => ("Lowest bus bandwidth", Some(rate), "Ring’s factor × bytes ÷ time in flight, of one row"),
        (None, rate) => ("Lowest bandwidth", rate, "Bytes ÷ time in flight, of one row"),
    };
    let rows = vec![
        row("Row", format::middle_cut(&collective.key, 48)),
        row("Message", collective.message_text().unwrap_or_else(|| ABSENT.to_owned())),
        row("Executions", format::executions(collective.n)),
        row("Σ of their lengths", exact(collective.wall)),
        row("Left out", format!("messages below {}: latency dominates there", format::bytes_text(CommRow::LARGE))),
    ];
    let value = rate.map_or_else(|| (ABSENT.to_owned(), ""), |rate| (format::gbs(rate), "GB/s"));
    figure(label, value, formula, rows)
}
