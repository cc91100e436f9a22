//! This module writes data movement as tables for the terminal, and as CSV.

use crate::analysis::data_movement::columns::DATA_MOVEMENT;
use crate::analysis::data_movement::{Change, DataMovement, DataMovementRow, Tally};
use crate::table::csv;
use crate::table::format::{TimeUnit, bytes_text, count, executions, percent, time};
use crate::table::text::Table;
use crate::units::Count;
use crate::units::Picos;

const ABSENT: &str = "–";

/// Returns the first `top` categories as a table, each followed by its first `top` sources. The last row is the sum.
pub fn data_movement(a: &DataMovement, top: usize) -> Table {
    let unit = TimeUnit::for_largest(a.total);
    let (self_time, stall) = (format!("Self {}", unit.symbol()), format!("Stall {}", unit.symbol()));
    let mut table = Table::new(&[
        ("Category, source", true),
        (&self_time, false),
        ("Step %", false),
        (&stall, false),
        ("Count", false),
        ("Moved", false),
        ("Dtype", true),
        ("Dim order", true),
        ("Tiling", true),
        ("Memory", true),
        ("Shape", true),
        ("Read", true),
        ("Written", true),
        ("Undetectable", true),
    ]);
    let of_step = |f: Option<f64>| f.map_or(ABSENT.into(), percent);
    let row = |name: String, row: &DataMovementRow| {
        let mut cells = vec![
            name,
            time(row.total, unit),
            of_step(row.of_step),
            time(row.stall, unit),
            executions(row.n_executions),
            row.bytes.map_or(ABSENT.into(), bytes_text),
        ];
        cells.extend(Change::ALL.map(|change| answer(row.tally(change))));
        cells.extend([&row.shapes_in, &row.shapes_out].map(|shapes| first(shapes)));
        cells.push(row.undetectable.keys().map(|why| why.replace('_', " ")).collect::<Vec<_>>().join(", "));
        cells
    };
    for category in a.by_category.iter().take(top) {
        table.row(row(category.key.clone(), category));
        for source in a.sources_of(category).iter().take(top) {
            let name = if source.key_kind == "source_stack" { source.source_inner.as_ref() } else { None };
            table.row(row(format!("  {}", name.unwrap_or(&source.key).replace('\n', " ‹ ")), source));
        }
        add_omitted_row(&mut table, "  ", a.sources_of(category), top, unit);
    }
    add_omitted_row(&mut table, "", &a.by_category, top, unit);
    let mut cells = vec!["All".into(), time(a.total, unit)];
    cells.push(of_step(a.header.step_duration.and_then(|w| a.total.fraction_of(w))));
    cells.push(time(a.stall, unit));
    cells.push(executions(a.by_category.iter().map(|r| r.n_executions).sum()));
    cells.resize(table.heads.len(), String::new());
    table.row(cells);
    table
}

fn add_omitted_row(table: &mut Table, indent: &str, rows: &[DataMovementRow], top: usize, unit: TimeUnit) {
    let Some(rest) = rows.get(top..).filter(|rest| !rest.is_empty()) else { return };
    let sum = |of: fn(&DataMovementRow) -> Picos| time(rest.iter().map(of).sum(), unit);
    let n = executions(rest.iter().map(|r| r.n_executions).sum());
    let more = format!("{indent}{} more", count(rest.len() as u64));
    let mut cells = vec![more, sum(|r| r.total), String::new(), sum(|r| r.stall), n];
    cells.resize(table.heads.len(), String::new());
    table.row(cells);
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
    shapes.first().map_or(ABSENT.into(), |shape| format!("{shape}{rest}"))
}

/// Returns the executions by program and opcode as a table.
pub fn opcodes(a: &DataMovement, top: usize) -> Table {
    let mut table = Table::new(&[
        ("Program", true),
        ("Count", false),
        ("Dot, convolution", false),
        ("In fusions", false),
        ("Copied", false),
        ("Opcodes", true),
    ]);
    for program in a.opcodes.iter().take(top) {
        let n: Count = program.opcodes.iter().map(|o| o.n).sum();
        let opcodes = program.opcodes.iter().take(8).map(|o| format!("{} {}", o.opcode, executions(o.n)));
        let more = program.opcodes.len().saturating_sub(8);
        let more = if more > 0 { format!(", {more} more") } else { String::new() };
        let id = program.program_id.map(|id| format!("({id})")).unwrap_or_default();
        table.row(vec![
            format!("{}{id}", program.program.as_deref().unwrap_or("<no program>")),
            executions(n),
            executions(program.n_dot_convolution),
            program.n_dot_convolution_in_bodies().map_or_else(|| "–".to_owned(), executions),
            bytes_text(program.copy_bytes),
            opcodes.collect::<Vec<_>>().join(", ") + &more,
        ]);
    }
    table
}

/// Returns categories and sources as one table with exact figures for CSV, with the names of the JSON.
pub fn data_movement_csv(a: &DataMovement, top: usize) -> Table {
    csv::table(DATA_MOVEMENT, a.by_category.iter().take(top).chain(a.sources(top)))
}
