//! This module turns the data movement report into rows of texts and bar lengths. It does not depend on page elements.

use super::plot::time_part::TimePart;
use super::widgets::figure::Formula;
use super::widgets::tip;
use crate::analysis::data_movement::{Change, DataMovement, DataMovementRow, Tally};
use crate::protocol::DataMovementView;
use crate::table::format::{self, ABSENT, TimeUnit};
use xla_profile::units::{Count, Picos};

/// Column headings of the changes, in the order of [`Change::ALL`].
pub const CHANGES: [&str; 5] = ["Dtype", "Dim order", "Tiling", "Memory", "Shape"];

/// The answer for one change, over all ops of a row: does the op change the property?
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// "yes", "no" or "?", the answer with the most time. If the ops differ and some have the answer yes, the share of
    /// these: "62 %".
    pub word: String,
    /// Share of the time of ops that change the property, 0 to 1.
    pub yes: f64,
    /// Share of the time of ops for which the answer is unknown, 0 to 1.
    pub unknown: f64,
    /// All shares: "yes 62 %, no 30 %, unknown 8 %".
    pub full: String,
}

/// One row of the table: a category or a source.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Short name: of a source stack, the innermost line.
    pub name: String,
    /// Full name.
    pub title: String,
    pub time_part: TimePart,
    /// Self time, in the unit of the table.
    pub self_time: String,
    /// Time that moves data and time that waits, each divided by the time of the largest category.
    pub bar: (f64, f64),
    /// Share of the step in percent, without the percent sign.
    pub of_step: String,
    /// Time that waits, in the unit of the table.
    pub stall: String,
    /// Number of executions.
    pub runs: String,
    pub moved: String,
    /// One answer per change, in the order of [`CHANGES`].
    pub marks: Vec<Mark>,
    /// The shape read, and the shape written, that take the most time.
    pub shapes: [String; 2],
    /// The op with the most time, as rows name it: the name, then `@` and the program's id if it has one.
    pub op: Option<String>,
    /// Labels and values below the row: moves between memory spaces, further shapes, executions with known bytes,
    /// reasons for unknown answers.
    pub more: Vec<(&'static str, String)>,
}

/// A category with its sources.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    pub row: Row,
    pub sources: Vec<Row>,
    /// Summary of the sources that have no row: "12 more sources, 3.1 ms".
    pub rest: Option<String>,
}

/// Executions of a program, by opcode.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    pub name: String,
    /// Number of executions, and bytes that copies read and write.
    pub summary: String,
    /// Opcodes with their number of executions. The last entry sums the opcodes that are not listed.
    pub opcodes: Vec<(String, String)>,
}

/// Contents of the data movement view.
#[derive(Clone, Debug, PartialEq)]
pub struct DataMovementTable {
    /// Unit of the times in the table.
    pub unit: &'static str,
    pub groups: Vec<Group>,
    /// Sums over all categories: self time, share of the step, time that waits, executions.
    pub total: [String; 4],
    pub programs: Vec<Program>,
    /// Summary sentence, shown beside the chart selector.
    pub summary: String,
}

/// Largest number of opcodes listed per program.
const OPCODES: usize = 24;
/// Largest number of programs listed.
const PROGRAMS: usize = 8;

/// Builds the contents of the data movement view.
pub fn data_movement(view: &DataMovementView) -> DataMovementTable {
    let data_movement = &view.data_movement;
    let unit = TimeUnit::for_largest(data_movement.total);
    let largest = data_movement.by_category.iter().map(|row| row.total).max().unwrap_or_default();
    let group = |(index, category): (usize, &DataMovementRow)| {
        let sources =
            data_movement.sources_of(category).iter().map(|part| row(part, unit, largest, source(part))).collect();
        let rest = view.rest.get(index).filter(|rest| rest.n > 0).map(|rest| {
            format!(
                "{}, {}",
                format::counted(rest.n.into(), "more source", "more sources"),
                format::time_text(rest.total)
            )
        });
        Group { row: row(category, unit, largest, (category.key.clone(), category.key.clone())), sources, rest }
    };
    let n: Count = data_movement.by_category.iter().map(|row| row.n_executions).sum();
    let of_step = data_movement.header.step_duration.and_then(|window| data_movement.total.fraction_of(window));
    DataMovementTable {
        unit: unit.symbol(),
        groups: data_movement.by_category.iter().enumerate().map(group).collect(),
        total: [
            format::time(data_movement.total, unit),
            of_step.map_or_else(|| ABSENT.to_owned(), format::percent),
            format::time(data_movement.stall, unit),
            format::executions(n),
        ],
        programs: programs(data_movement),
        summary: summary_text(data_movement, of_step),
    }
}

fn summary_text(data_movement: &DataMovement, of_step: Option<f64>) -> String {
    if data_movement.total == Picos::ZERO {
        return "only compute".to_owned();
    }
    let share = of_step.map(|share| format!(", {} of the step", format::percent_text(share))).unwrap_or_default();
    let waits = if data_movement.stall == Picos::ZERO {
        "none of it waiting".to_owned()
    } else {
        let comm = match data_movement.exposed_comm {
            Picos::ZERO => "none".to_owned(),
            comm => format::time_text(comm),
        };
        format!("{} of it waiting, {comm} for communication", format::time_text(data_movement.stall))
    };
    format!("{}{share}; {waits}", format::time_text(data_movement.total))
}

/// Returns the short and the full name of a source.
fn source(row: &DataMovementRow) -> (String, String) {
    match (&*row.key_kind, &row.source_inner) {
        ("source_stack", Some(inner)) => (inner.clone(), row.key.clone()),
        ("no_source", _) => ("no source".to_owned(), "The ops have neither a source nor a scope.".to_owned()),
        _ => (row.key.clone(), row.key.clone()),
    }
}

fn row(row: &DataMovementRow, unit: TimeUnit, largest: Picos, (name, title): (String, String)) -> Row {
    let part = |time: Picos| time.fraction_of(largest).unwrap_or(0.0);
    let shape = |shapes: &[String]| shapes.first().cloned().unwrap_or_else(|| ABSENT.to_owned());
    let program = |name: &String| row.example_program.map_or_else(|| name.clone(), |id| format!("{name}@{id}"));
    Row {
        name,
        title,
        time_part: TimePart::Kind(row.kind),
        self_time: format::time(row.total, unit),
        bar: (part(row.total.saturating_sub(row.stall)), part(row.stall)),
        of_step: row.of_step.map_or_else(|| ABSENT.to_owned(), format::percent),
        stall: if row.stall == Picos::ZERO { "0".to_owned() } else { format::time(row.stall, unit) },
        runs: format::executions(row.n_executions),
        moved: row.bytes.map_or_else(|| ABSENT.to_owned(), format::bytes_text),
        marks: Change::ALL.map(|change| mark(row.tally(change))).to_vec(),
        shapes: [shape(&row.shapes_in), shape(&row.shapes_out)],
        op: row.example.as_ref().map(program),
        more: more(row),
    }
}

/// Returns the shares of the answers, by time. If no op takes time, the shares are of executions.
fn mark(tally: &Tally) -> Mark {
    let times = [tally.yes, tally.no, tally.undetectable];
    let parts = if times.iter().all(|time| *time == Picos::ZERO) {
        tally.n.map(Count::as_f64)
    } else {
        times.map(Picos::as_f64)
    };
    let all = parts.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    let [yes, no, unknown] = parts.map(|part| part / all);
    let word = match tally.majority() {
        _ if tally.is_mixed() && yes > 0.0 => format!("{:.0} %", (yes * 100.0).clamp(1.0, 99.0)),
        Some(true) => "yes".to_owned(),
        Some(false) => "no".to_owned(),
        None => "?".to_owned(),
    };
    let shares = [("yes", yes), ("no", no), ("unknown", unknown)];
    let shares = shares.iter().filter(|(_, share)| *share > 0.0);
    let full = shares.map(|(word, share)| format!("{word} {}", format::percent_text(*share))).collect::<Vec<_>>();
    Mark { word, yes, unknown, full: full.join(", ") }
}

fn more(row: &DataMovementRow) -> Vec<(&'static str, String)> {
    let mut more = Vec::new();
    for space in &row.space_moves {
        more.push((
            "moves",
            format!("{} → {}: {}", memory(space.from), memory(space.to), format::time_text(space.total)),
        ));
    }
    for (label, shapes) in [("also reads", &row.shapes_in), ("also writes", &row.shapes_out)] {
        if let [_, others @ ..] = shapes.as_slice()
            && !others.is_empty()
        {
            more.push((label, others.join("  ")));
        }
    }
    if row.n_bytes > 0 && row.n_bytes < row.n_executions {
        let (known, all) = (format::executions(row.n_bytes), format::executions(row.n_executions));
        more.push(("bytes known", format!("of {known} of {all} executions")));
    }
    for (why, time) in &row.undetectable {
        more.push(("unknown", format!("{}: {}", reason(why), format::time_text(*time))));
    }
    more
}

fn reason(key: &str) -> String {
    use crate::analysis::data_movement::Reason;
    Reason::ALL
        .into_iter()
        .find(|reason| reason.key() == key)
        .map_or_else(|| key.to_owned(), |reason| reason.label().to_owned())
}

/// Returns the name of a memory space, as TPUs number them.
fn memory(space: i64) -> String {
    match space {
        0 => "HBM".to_owned(),
        1 => "VMEM, S(1)".to_owned(),
        5 => "host, S(5)".to_owned(),
        n => format!("S({n})"),
    }
}

fn programs(data_movement: &DataMovement) -> Vec<Program> {
    let one = |program: &crate::analysis::data_movement::ProgramOpcodes| {
        let n: Count = program.opcodes.iter().map(|opcode| opcode.n).sum();
        let summary = format!(
            "{}, {} a dot or a convolution; copies read and write {}",
            format::counted_executions(n, "execution", "executions"),
            format::executions(program.n_dot_convolution),
            format::bytes_text(program.copy_bytes)
        );
        let mut opcodes: Vec<(String, String)> =
            program.opcodes.iter().take(OPCODES).map(|o| (o.opcode.clone(), format::executions(o.n))).collect();
        let rest = program.opcodes.get(OPCODES..).unwrap_or_default();
        if !rest.is_empty() {
            let more = format::counted(rest.len() as u64, "more opcode", "more opcodes");
            opcodes.push((more, format::executions(rest.iter().map(|o| o.n).sum())));
        }
        Program { name: program.program.clone().unwrap_or_else(|| "no program".to_owned()), summary, opcodes }
    };
    data_movement.opcodes.iter().take(PROGRAMS).map(one).collect()
}

/// Returns the explanation of the figures.
pub fn formula(view: &DataMovementView) -> Formula {
    let data_movement = &view.data_movement;
    let rows = vec![
        tip::row("Non-compute", format::exact_time(data_movement.total)),
        tip::row(
            "Stall",
            format!(
                "{}: synchronous collectives, and the halves of async pairs that wait",
                format::exact_time(data_movement.stall)
            ),
        ),
        tip::row(
            "Changes",
            "differences between what an op reads and what it writes, from its HLO text; for a wait, those of its start op",
        ),
        tip::row(
            "62 %",
            "the share of the row’s time in ops that change it; ? where the change is unknown, which does not mean no",
        ),
        tip::row("Moved", "bytes read and written without padding, each async copy once"),
        tip::row("Source", "categories and HLO text of the capture’s events"),
    ];
    Formula {
        formula: "Non-compute = Σ self time of data movement and communication, fused included".to_owned(), rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(yes: u64, no: u64, undetectable: u64) -> Tally {
        let n = [yes, no, undetectable].map(|time| u64::from(time > 0));
        Tally { yes: Picos(yes), no: Picos(no), undetectable: Picos(undetectable), n: n.map(Count::from) }
    }

    #[test]
    fn tally_marks() {
        let word = |tally: Tally| mark(&tally).word;
        assert_eq!(word(tally(7, 0, 0)), "yes");
        assert_eq!(word(tally(0, 7, 0)), "no");
        assert_eq!(word(tally(0, 0, 7)), "?");
        assert_eq!(word(tally(62, 30, 8)), "62 %");
        assert_eq!(word(tally(1, 9999, 0)), "1 %");
        assert_eq!(word(tally(0, 3, 7)), "?");
        let mixed = mark(&tally(62, 30, 8));
        assert_eq!(mixed.full, "yes 62.0 %, no 30.0 %, unknown 8.0 %");
        assert!((mixed.yes - 0.62).abs() < 1e-9 && (mixed.unknown - 0.08).abs() < 1e-9);
    }

    #[test]
    fn without_time_executions_count() {
        let none = Tally { n: [0, 3, 1].map(Count::from), ..Tally::default() };
        assert_eq!(mark(&none).full, "no 75.0 %, unknown 25.0 %");
        assert_eq!(mark(&Tally::default()).full, "");
    }
}
