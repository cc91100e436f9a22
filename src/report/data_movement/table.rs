//! This module writes data movement as tables for the terminal, and as CSV.

use crate::analysis::data_movement::columns::{DATA_MOVEMENT, PROGRAMS};
use crate::analysis::data_movement::{Change, DataMovement, DataMovementRow, ProgramOpcodes, Tally};
use crate::table::csv;
use crate::table::format::{TimeUnit, count, executions, percent, time};
use crate::table::text::Table;
use crate::table::text_columns::{TextColumns, head_in_unit, or_absent};
use xla_profile::units::Picos;

/// Returns the first `top` categories as a table, each followed by its first `top` sources. The last row is the sum.
pub fn data_movement(a: &DataMovement, top: usize) -> Table {
    let unit = TimeUnit::for_largest(a.total);
    let columns = TextColumns::new()
        .text("Category, source", name)
        .time("Self", unit, |row: &DataMovementRow| row.total)
        .number("Step %", |row| or_absent(row.of_step, percent))
        .time("Stall", unit, |row| row.stall)
        .declared(DATA_MOVEMENT, "n_executions", "Count")
        .declared(DATA_MOVEMENT, "moved_bytes", "Moved")
        .text("Dtype", |row| answer(row.tally(Change::Dtype)))
        .text("Dim order", |row| answer(row.tally(Change::DimOrder)))
        .text("Tiling", |row| answer(row.tally(Change::Tiling)))
        .text("Memory", |row| answer(row.tally(Change::MemorySpace)))
        .text("Shape", |row| answer(row.tally(Change::Shape)))
        .text("Read", |row| first(&row.shapes_in))
        .text("Written", |row| first(&row.shapes_out))
        .text("Undetectable", |row| {
            row.undetectable.keys().map(|why| why.replace('_', " ")).collect::<Vec<_>>().join(", ")
        });
    let (self_head, stall_head) = (head_in_unit("Self", unit), head_in_unit("Stall", unit));
    let add_omitted = |table: &mut Table, indent: &str, rows: &[DataMovementRow]| {
        let Some(rest) = rows.get(top..).filter(|rest| !rest.is_empty()) else { return };
        let sum = |part: fn(&DataMovementRow) -> Picos| time(rest.iter().map(part).sum(), unit);
        let n = executions(rest.iter().map(|row| row.n_executions).sum());
        let cells = [(&*self_head, sum(|row| row.total)), (&*stall_head, sum(|row| row.stall)), ("Count", n)];
        table.summary_row(format!("{indent}{} more", count(rest.len() as u64)), &cells);
    };
    let mut table = columns.empty_table();
    for category in a.by_category.iter().take(top) {
        let sources = a.sources_of(category);
        columns.add_rows(&mut table, std::iter::once(category).chain(sources.iter().take(top)));
        add_omitted(&mut table, "  ", sources);
    }
    add_omitted(&mut table, "", &a.by_category);
    let of_step = a.header.step_duration.and_then(|window| a.total.fraction_of(window));
    let n = executions(a.by_category.iter().map(|row| row.n_executions).sum());
    let cells = [
        (&*self_head, time(a.total, unit)),
        ("Step %", or_absent(of_step, percent)),
        (&*stall_head, time(a.stall, unit)),
        ("Count", n),
    ];
    table.summary_row("All".to_owned(), &cells);
    table
}

/// Returns the name of a category, or the indented name of a source. A source stack is named by its innermost frame.
fn name(row: &DataMovementRow) -> String {
    let name = match (&*row.key_kind, &row.source_inner) {
        ("category", _) => return row.key.clone(),
        ("source_stack", Some(inner)) => inner,
        _ => &row.key,
    };
    format!("  {}", name.replace('\n', " ‹ "))
}

/// Returns the answer for most of the time. A `~` follows if the ops differ.
fn answer(tally: &Tally) -> String {
    let word = match tally.majority() {
        Some(true) => "yes",
        Some(false) => "no",
        None => "?",
    };
    format!("{word}{}", if tally.is_mixed() { "~" } else { "" })
}

fn first(shapes: &[String]) -> String {
    let more = shapes.len().saturating_sub(1);
    let rest = if more > 0 { format!(" +{more}") } else { String::new() };
    or_absent(shapes.first(), |shape| format!("{shape}{rest}"))
}

/// Returns the executions by program and opcode as a table.
pub fn opcodes(a: &DataMovement, top: usize) -> Table {
    TextColumns::new()
        .text("Program", |row: &ProgramOpcodes| {
            let id = row.program_id.map_or(String::new(), |id| format!("({id})"));
            format!("{}{id}", row.program.as_deref().unwrap_or("<no program>"))
        })
        .declared(PROGRAMS, "n_executions", "Count")
        .declared(PROGRAMS, "n_dot_convolution", "Dot, convolution")
        .declared(PROGRAMS, "n_dot_convolution_in_fusions", "In fusions")
        .declared(PROGRAMS, "copy_bytes", "Copied")
        .text("Opcodes", |row| {
            let opcodes =
                row.opcodes.iter().take(8).map(|opcode| format!("{} {}", opcode.opcode, executions(opcode.n)));
            let more = row.opcodes.len().saturating_sub(8);
            let more = (more > 0).then(|| format!("{more} more"));
            opcodes.chain(more).collect::<Vec<_>>().join(", ")
        })
        .table(a.opcodes.iter().take(top))
}

/// Returns categories and sources as one table with exact figures for CSV, with the names of the JSON.
pub fn data_movement_csv(a: &DataMovement, top: usize) -> Table {
    csv::table(DATA_MOVEMENT, a.by_category.iter().take(top).chain(a.sources(top)))
}
