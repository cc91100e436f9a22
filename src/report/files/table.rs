//! This module writes the contents of the files as tables for the terminal.

use crate::analysis::files::{FileLine, FilePlane, FileProgram, FileView, ProgramSource};
use crate::table::format::{TimeUnit, bytes_text, count};
use crate::table::text::Table;
use crate::table::text_columns::{TextColumns, or_absent};

/// Returns the planes and lines of the files as a table: the first `top` rows, then the number of the others.
pub fn planes(view: &FileView, top: usize) -> Table {
    let mut table = planes_csv(view, top);
    let n_rows = view.planes.iter().map(|plane| 1 + plane.lines.len()).sum();
    table.count_others(n_rows, top);
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
    table.count_others(view.programs.len(), top);
    table
}
