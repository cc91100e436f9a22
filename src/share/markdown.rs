//! This module writes a report as text and tables in Markdown, short enough for the description of a change. It
//! computes nothing but shares.

use super::report::Report;
use crate::analysis::base::Status;
use crate::analysis::breakdown::columns::GROUPS;
use crate::analysis::classify::Kind;
use crate::chip::usual_name;
use crate::report::{compare, roofline};
use crate::table::format::{bytes_text, counted, executions, percent_text, time_text};
use crate::table::text::{Table, markdown_text};
use crate::table::text_columns::{TextColumns, or_absent};
use xla_profile::units::Picos;

/// Number of ops in the table.
const ROWS: usize = 10;

/// Writes the report as Markdown. `url` is the address that opens it. `None` leaves the link out.
pub fn markdown(report: &Report, url: Option<&str>) -> String {
    let link = url.map_or_else(String::new, |url| format!("\n[Open in Rooflight]({url})\n"));
    if let Some(shared) = &report.comparison {
        return compare::text::markdown(&shared.comparison, None) + &link;
    }
    let mut out = format!("**{}**, {}", plain(&report.files()), plain(&report.holds().replace(" by op", "")));
    if let Some(device) = &report.header.device_type {
        out += &format!(" ({})", plain(usual_name(device)));
    }
    out += "\n\n";
    if report.header.status == Status::Absent {
        let why = report.notes.first().map_or("The report has no ops.", |note| note.message.as_str());
        return out + &plain(why) + "\n";
    }
    if let Some(partial) = &report.origin.partial {
        out += &format!("Partial: {}\n\n", plain(partial));
    }
    for line in figures(report) {
        out += &format!("- {}\n", plain(&line));
    }
    out += &format!("\n{}\n{}", kinds(report).markdown(), ops(report).markdown());
    out + &link
}

/// Escapes a text that may hold names of the capture.
fn plain(text: &str) -> std::borrow::Cow<'_, str> {
    markdown_text(text)
}

fn figures(report: &Report) -> Vec<String> {
    let mut lines = Vec::new();
    let window = report.header.step_duration;
    let scope = report.header.scope_text().map_or_else(String::new, |scope| format!(" ({scope})"));
    lines.extend(window.map(|time| format!("Step: {}{scope}", time_text(time))));
    let device = report.steps.devices.iter().find(|device| device.all.is_some());
    if let Some((device, all)) = device.and_then(|device| Some((device, device.all?))) {
        let steps = counted(all.n.into(), "step", "steps");
        let span = format!("{} to {}", time_text(all.min), time_text(all.max));
        lines.push(format!("{steps} of {}: {span}", device.label));
    }
    let figures = &report.roofline.figures;
    let coverage = figures.coverage.map_or(String::new(), |f| format!("; coverage {}", percent_text(f)));
    lines.extend(roofline::table::window_use(figures).into_iter().map(|(name, value)| format!("{name}: {value}")));
    if let Some(util) = figures.step.as_ref().and_then(|step| step.util) {
        let scope = roofline::table::scope(figures).unwrap_or_default();
        lines.push(format!("Roofline efficiency: {} {scope}{coverage}", percent_text(util)));
    }
    let peaks = report.memory.programs.iter().flat_map(|program| program.spaces.iter().map(move |s| (program, s)));
    if let Some((program, space)) = peaks.clone().find(|(_, space)| space.color == 0) {
        lines.push(format!("Memory: {} needs {} of {} at its peak", program.name, bytes_text(space.peak), space.space));
    }
    let traffic = &report.comm.comm.tensor;
    if traffic.n > 0 {
        let share = traffic.overlap.share().map_or(String::new(), |f| format!(", {} overlapped", percent_text(f)));
        lines.push(format!("Communication: {} not covered by compute{share}", time_text(traffic.overlap.exposed)));
    }
    lines
}

fn kinds(report: &Report) -> Table {
    let share = |time: Picos| report.header.step_duration.and_then(|window| time.fraction_of(window));
    let columns = TextColumns::new()
        .text("Kind", |(label, _): &(&str, Picos)| (*label).to_owned())
        .number("Time", |(_, time)| time_text(*time))
        .number("% of step", |(_, time)| or_absent(share(*time), percent_text));
    let kinds = Kind::ALL.into_iter().map(|kind| (kind.label(), report.totals.time_of_kind(kind)));
    columns.table(kinds.chain([("Idle", report.totals.idle)]).filter(|(_, time)| *time > Picos::ZERO))
}

fn ops(report: &Report) -> Table {
    TextColumns::new()
        .declared(GROUPS, "key", "Op")
        .declared(GROUPS, "kind", "Kind")
        .declared(GROUPS, "total_dur_ps", "Self time")
        .declared(GROUPS, "pct_of_step", "% of step")
        .number("Executions", |group| {
            group.n_executions.whole().map_or_else(|| executions(group.n_executions), |n| n.to_string())
        })
        .table(report.rows.iter().take(ROWS).map(|row| &row.group))
}
