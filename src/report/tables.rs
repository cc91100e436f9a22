//! This module writes the scopes, the steps and the files as tables for the terminal.

use crate::analysis::base::Spread;
use crate::analysis::breakdown::{Scopes, StepStats};
use crate::analysis::classify::Kind;
use crate::analysis::files::{FileView, ProgramSource};
use crate::table::MIXED;
use crate::table::format::{TimeUnit, bytes_text, count, executions, percent, time};
use crate::table::text::Table;
use crate::units::Picos;

const ABSENT: &str = "–";

/// Returns the tree of scopes as an indented table of `top` rows.
pub fn scopes(scopes: &Scopes, window: Option<Picos>, top: usize) -> Table {
    let unit = TimeUnit::for_largest(scopes.total);
    let (total, self_time) = (format!("Total {}", unit.symbol()), format!("Own {}", unit.symbol()));
    let heads =
        [("Scope", true), (&total, false), ("Step %", false), (&self_time, false), ("Kind", true), ("Count", false)];
    let mut table = Table::new(&heads);
    let of_step = |p: Picos| window.and_then(|w| p.fraction_of(w)).map_or(ABSENT.into(), percent);
    for node in scopes.nodes.iter().take(top) {
        let name = if node.parent.is_none() && node.name.is_empty() { "All" } else { &node.name };
        let mut kinds = Kind::ALL.into_iter().filter(|kind| node.by_kind[kind.index()] > Picos::ZERO);
        let first = kinds.next().map_or(ABSENT, Kind::short);
        table.row(vec![
            "  ".repeat(node.depth as usize) + &name.replace('\n', " "),
            time(node.total, unit),
            of_step(node.total),
            time(node.self_time, unit),
            if kinds.next().is_some() { MIXED } else { first }.into(),
            executions(node.n),
        ]);
    }
    add_rest(&mut table, scopes.nodes.len(), top);
    table
}

/// Returns the statistics of steps by device: of the lengths of all steps, and of the periods of the steady steps.
pub fn steps(stats: &StepStats) -> Table {
    let spreads = stats.devices.iter().filter_map(|d| d.all.map(|all| (d, all)));
    let unit = TimeUnit::for_largest(spreads.clone().map(|(_, s)| s.max).max().unwrap_or_default());
    let heads = ["Mean", "Median", "Shortest", "Longest", "Std. dev."].map(|h| format!("{h} {}", unit.symbol()));
    let mut all: Vec<(&str, bool)> = vec![("Steps of", true), ("Steps", false)];
    all.extend(heads.iter().map(|h| (h.as_str(), false)));
    let mut table = Table::new(&all);
    for (device, spread) in spreads {
        table.row(spread_row(device.label.clone(), spread, unit));
        if let Some(steady) = device.steady {
            let label = if device.has_few_steady { "  with a period" } else { "  steady" };
            table.row(spread_row(label.into(), steady, unit));
        }
        for kind in device.kinds.iter().filter(|_| device.kinds.len() > 1) {
            if let Some(periods) = kind.periods {
                table.row(spread_row(format!("  {}", kind.name), periods, unit));
            }
        }
    }
    table
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a duration: positive; `as` saturates")]
fn spread_row(label: String, s: Spread, unit: TimeUnit) -> Vec<String> {
    let whole = |ps: f64| time(Picos(ps.round() as u64), unit);
    let deviation = s.std_dev.map_or(ABSENT.into(), whole);
    vec![label, count(s.n.into()), whole(s.mean), whole(s.median), time(s.min, unit), time(s.max, unit), deviation]
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
    let heads = [("Plane, line", true), ("Events", false), ("Metadata", false), ("Size", false), ("Used for", true)];
    let mut table = Table::new(&heads);
    for plane in &view.planes {
        if table.rows.len() >= top {
            break;
        }
        let n = count(plane.n_metadata);
        table.row(vec![plane.name.clone(), count(plane.n_events), n, bytes_text(plane.bytes), String::new()]);
        for line in plane.lines.iter().take(top - table.rows.len()) {
            let (name, used) = (format!("  {}", line.name), line.used.label().to_owned());
            table.row(vec![name, count(line.n_events), String::new(), bytes_text(line.bytes), used]);
        }
    }
    table
}

/// Adds a row with the number of rows beyond the first `top` of `n_rows`.
fn add_rest(table: &mut Table, n_rows: usize, top: usize) {
    if n_rows > top {
        let mut row = vec![format!("{} more", count((n_rows - top) as u64))];
        row.resize(table.heads.len(), String::new());
        table.row(row);
    }
}

/// Returns the programs of the files as a table, the one with the most time first: `top` rows, then the number of the others.
pub fn programs(view: &FileView, top: usize) -> Table {
    let times = view.programs.iter().flat_map(|program| [program.run_time, program.busy]);
    let unit = TimeUnit::for_largest(times.flatten().max().unwrap_or_default());
    let (running, busy) = (format!("Running {}", unit.symbol()), format!("Busy {}", unit.symbol()));
    let heads = [
        ("Program", true),
        ("Id", true),
        ("Count", false),
        (&running, false),
        (&busy, false),
        ("HLO", false),
        ("From", true),
    ];
    let mut table = Table::new(&heads);
    for program in view.programs.iter().take(top) {
        table.row(vec![
            program.name.clone(),
            program.program_id.map_or(ABSENT.into(), |id| id.to_string()),
            program.n_runs.map_or(ABSENT.into(), count),
            program.run_time.map_or(ABSENT.into(), |running| time(running, unit)),
            program.busy.map_or(ABSENT.into(), |busy| time(busy, unit)),
            program.bytes.map_or(ABSENT.into(), bytes_text),
            match program.file.and_then(|i| view.files.get(i as usize)) {
                Some(file) if matches!(program.source, ProgramSource::Dropped | ProgramSource::Text) => {
                    file.name.clone()
                }
                _ => program.source.label().into(),
            },
        ]);
    }
    add_rest(&mut table, view.programs.len(), top);
    table
}
