//! This module writes the scopes, the steps and the files as tables for the terminal.

use crate::analysis::base::Spread;
use crate::analysis::breakdown::{ScopeNode, Scopes, StepStats};
use crate::analysis::classify::Kind;
use crate::analysis::files::{FileLine, FilePlane, FileProgram, FileView, ProgramSource};
use crate::table::MIXED;
use crate::table::format::{ABSENT, TimeUnit, bytes_text, count, executions, percent};
use crate::table::text::Table;
use crate::table::text_columns::{TextColumns, or_absent};
use crate::units::Picos;

/// Returns the tree of scopes as an indented table of `top` rows.
pub fn scopes(scopes: &Scopes, window: Option<Picos>, top: usize) -> Table {
    let unit = TimeUnit::for_largest(scopes.total);
    let columns = TextColumns::new()
        .text("Scope", |node: &ScopeNode| {
            let name = if node.parent.is_none() && node.name.is_empty() { "All" } else { &node.name };
            "  ".repeat(node.depth as usize) + &name.replace('\n', " ")
        })
        .time("Total", unit, |node| node.total)
        .number("Step %", |node| or_absent(window.and_then(|window| node.total.fraction_of(window)), percent))
        .time("Own", unit, |node| node.self_time)
        .text("Kind", |node| {
            let mut kinds = Kind::ALL.into_iter().filter(|kind| node.by_kind[kind.index()] > Picos::ZERO);
            let first = kinds.next().map_or(ABSENT, Kind::short);
            if kinds.next().is_some() { MIXED } else { first }.to_owned()
        })
        .number("Count", |node| executions(node.n));
    let mut table = columns.table(scopes.nodes.iter().take(top));
    add_rest(&mut table, scopes.nodes.len(), top);
    table
}

/// Returns the statistics of steps by device: of the lengths of all steps, and of the periods of the steady steps.
pub fn steps(stats: &StepStats) -> Table {
    let spreads = stats.devices.iter().filter_map(|device| Some((device, device.all?)));
    let unit = TimeUnit::for_largest(spreads.clone().map(|(_, all)| all.max).max().unwrap_or_default());
    let lines = spreads.flat_map(|(device, all)| {
        let steady = if device.has_few_steady { "  with a period" } else { "  steady" };
        let kinds = device.kinds.iter().filter(|_| device.kinds.len() > 1);
        let kinds = kinds.map(|kind| (format!("  {}", kind.name), kind.periods));
        [(device.label.clone(), Some(all)), (steady.to_owned(), device.steady)].into_iter().chain(kinds)
    });
    TextColumns::new()
        .text("Steps of", |(label, _): &(String, Spread)| label.clone())
        .number("Steps", |(_, spread)| count(spread.n.into()))
        .time("Mean", unit, |(_, spread)| whole(spread.mean))
        .time("Median", unit, |(_, spread)| whole(spread.median))
        .time("Shortest", unit, |(_, spread)| spread.min)
        .time("Longest", unit, |(_, spread)| spread.max)
        .time("Std. dev.", unit, |(_, spread)| spread.std_dev.map(whole))
        .table(lines.filter_map(|(label, spread)| Some((label, spread?))))
}

/// Returns a duration in whole picoseconds.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a duration: positive; `as` saturates")]
fn whole(ps: f64) -> Picos {
    Picos(ps.round() as u64)
}

/// Returns the planes and lines of the files as a table: the first `top` rows, then the number of the others.
pub fn planes(view: &FileView, top: usize) -> Table {
    let mut table = planes_csv(view, top);
    let n_rows = view.planes.iter().map(|plane| 1 + plane.lines.len()).sum();
    add_rest(&mut table, n_rows, top);
    table
}

/// Returns the first `top` planes and lines of the files as a table.
pub fn planes_csv(view: &FileView, top: usize) -> Table {
    let rows = view
        .planes
        .iter()
        .flat_map(|plane| std::iter::once(None).chain(plane.lines.iter().map(Some)).map(move |line| (plane, line)));
    TextColumns::new()
        .text("Plane, line", |(plane, line): &(&FilePlane, Option<&FileLine>)| match line {
            Some(line) => format!("  {}", line.name),
            None => plane.name.clone(),
        })
        .number("Events", |(plane, line)| count(line.map_or(plane.n_events, |line| line.n_events)))
        .number("Metadata", |(plane, line)| line.map_or_else(|| count(plane.n_metadata), |_| String::new()))
        .number("Size", |(plane, line)| bytes_text(line.map_or(plane.bytes, |line| line.bytes)))
        .text("Used for", |(_, line)| line.map_or("", |line| line.used.label()).to_owned())
        .table(rows.take(top))
}

/// Adds a row with the number of rows beyond the first `top` of `n_rows`.
fn add_rest(table: &mut Table, n_rows: usize, top: usize) {
    if n_rows > top {
        table.summary_row(format!("{} more", count((n_rows - top) as u64)), &[]);
    }
}

/// Returns the programs of the files as a table, the one with the most time first: `top` rows, then the number of the
/// others.
pub fn programs(view: &FileView, top: usize) -> Table {
    let times = view.programs.iter().flat_map(|program| [program.run_time, program.busy]);
    let unit = TimeUnit::for_largest(times.flatten().max().unwrap_or_default());
    let columns = TextColumns::new()
        .text("Program", |program: &FileProgram| program.name.clone())
        .text("Id", |program| or_absent(program.program_id, |id| id.to_string()))
        .number("Count", |program| or_absent(program.n_runs, count))
        .time("Running", unit, |program| program.run_time)
        .time("Busy", unit, |program| program.busy)
        .number("HLO", |program| or_absent(program.bytes, bytes_text))
        .text("From", |program| match program.file.and_then(|file| view.files.get(file as usize)) {
            Some(file) if matches!(program.source, ProgramSource::Dropped | ProgramSource::Text) => file.name.clone(),
            _ => program.source.label().to_owned(),
        });
    let mut table = columns.table(view.programs.iter().take(top));
    add_rest(&mut table, view.programs.len(), top);
    table
}
