//! This module prepares the table of the modules of the model: a row per module, and a bar by kind of time per phase.

use crate::analysis::classify::{Kind, ModelModule, Phase};
use crate::analysis::modules::{ModuleCell, ModuleSum, Modules};
use crate::analysis::overview::Overview;
use crate::chart::plot::time_part::TimePart;
use crate::report::modules::table;
use crate::table::format::{ABSENT, TimeUnit, last_segment, percent, percent_text, time, time_text};
use crate::table::words::capitalized;
use xla_profile::units::Picos;

/// The time of a step by module.
#[derive(Clone, Debug, PartialEq)]
pub struct ModuleTable {
    /// A few words about the table.
    pub about: String,
    /// The heads of the columns with bars: the phases that have time. One column for a program without phases.
    pub heads: Vec<String>,
    pub rows: Vec<ModuleRow>,
}

/// The time of a module.
#[derive(Clone, Debug, PartialEq)]
pub struct ModuleRow {
    pub module: ModelModule,
    pub label: &'static str,
    /// Its time, in the unit of the head.
    pub time: String,
    /// Its share of the busy time as a percentage, without the sign.
    pub share: String,
    /// A bar for each of the heads.
    pub bars: Vec<ModuleBar>,
    /// Roofline time ÷ time of its compute as a percentage. It is absent if no op has a roofline time.
    pub roofline: String,
    /// The ops with the most time, with their source line. Empty if none is known.
    pub largest: String,
}

/// The time of a module in a phase, by kind.
#[derive(Clone, Debug, PartialEq)]
pub struct ModuleBar {
    /// The phase that a click selects. `None` for all phases, and for several.
    pub phase: Option<Phase>,
    /// Its time, in the unit of the head. Empty if it has none.
    pub time: String,
    /// The parts with start and length, as fractions of the longest bar of the table.
    pub parts: Vec<(TimePart, (f64, f64))>,
    /// The parts in words, each with its share of the busy time and its distance from the roofline.
    pub words: String,
}

/// Returns the time of a step by module. `None` if no op names a module, and for reports without it.
pub fn modules(overview: &Overview) -> Option<ModuleTable> {
    let modules = overview.modules.as_ref().filter(|modules| modules.has_names())?;
    let unit = TimeUnit::for_largest(modules.busy);
    let columns = columns(modules);
    let cells = |sum: &ModuleSum, column: &Column| -> Vec<&ModuleCell> {
        let is_shown = |cell: &&ModuleCell| cell.module == sum.module && column.phases.contains(&cell.phase);
        modules.cells.iter().filter(is_shown).collect()
    };
    let total = |cells: &[&ModuleCell]| -> Picos { cells.iter().map(|cell| cell.total).sum() };
    let sums = || modules.modules.iter().filter(|sum| sum.total > Picos::ZERO);
    let longest = sums().flat_map(|sum| columns.iter().map(move |column| total(&cells(sum, column)))).max();
    let longest = longest.unwrap_or_default();
    let row = |sum: &ModuleSum| ModuleRow {
        module: sum.module,
        label: sum.module.label(),
        time: time(sum.total, unit),
        share: sum.of_busy.map_or_else(|| ABSENT.to_owned(), percent),
        bars: columns.iter().map(|column| bar(column, &cells(sum, column), longest, unit)).collect(),
        roofline: sum.roofline.fraction_of(sum.judged).map_or_else(|| ABSENT.to_owned(), of_roofline),
        largest: largest(sum),
    };
    let certainty = table::certainty(modules).unwrap_or_default();
    Some(ModuleTable {
        about: format!(
            "busy time of a {}, {}, in {}. {certainty}",
            overview.window_word(),
            time_text(modules.busy),
            unit.symbol()
        ),
        heads: columns.iter().map(|column| column.head.clone()).collect(),
        rows: sums().map(row).collect(),
    })
}

/// A column with bars.
struct Column {
    head: String,
    phases: Vec<Phase>,
}

/// Returns the phases that have time, each as a column. Phases that are unknown share one.
fn columns(modules: &Modules) -> Vec<Column> {
    let (known, unknown): (Vec<Phase>, Vec<Phase>) =
        Phase::ALL.into_iter().filter(|phase| modules.has_phase(*phase)).partition(|p| p.is_known());
    if known.is_empty() {
        return vec![Column { head: "By kind".to_owned(), phases: unknown }];
    }
    let column = |phase: Phase| Column { head: capitalized(phase.label()), phases: vec![phase] };
    let rest = (!unknown.is_empty()).then(|| Column { head: "No phase".to_owned(), phases: unknown });
    known.into_iter().map(column).chain(rest).collect()
}

fn bar(column: &Column, cells: &[&ModuleCell], longest: Picos, unit: TimeUnit) -> ModuleBar {
    let of_kind = |kind: Kind| cells.iter().copied().filter(move |cell| cell.kind == kind && cell.total > Picos::ZERO);
    let mut start = 0.0;
    let (mut parts, mut words) = (Vec::new(), Vec::new());
    for kind in Kind::ALL {
        let time: Picos = of_kind(kind).map(|cell| cell.total).sum();
        if time == Picos::ZERO {
            continue;
        }
        let length = time.fraction_of(longest).unwrap_or(0.0);
        parts.push((TimePart::Kind(kind), (start, length)));
        start += length;
        words.push(part_in_words(kind, time, &of_kind(kind).collect::<Vec<_>>()));
    }
    let total: Picos = cells.iter().map(|cell| cell.total).sum();
    ModuleBar {
        phase: <[Phase; 1]>::try_from(column.phases.clone()).ok().map(|[phase]| phase).filter(|phase| phase.is_known()),
        time: if total == Picos::ZERO { String::new() } else { time(total, unit) },
        parts,
        words: words.join("; "),
    }
}

/// Returns a share of the roofline. One above it has a mark: the FLOPs or bytes are too high, or the peak is too low.
fn of_roofline(share: f64) -> String {
    let mark = if share > 1.0 { "▲ " } else { "" };
    format!("{mark}{}", percent_text(share))
}

/// Returns one kind of time in words: "compute 1.2 ms, 14 % of the busy time, at 71 % of its roofline".
fn part_in_words(kind: Kind, time: Picos, cells: &[&ModuleCell]) -> String {
    let sum = |part: fn(&ModuleCell) -> Picos| -> Picos { cells.iter().map(|cell| part(cell)).sum() };
    let share: f64 = cells.iter().filter_map(|cell| cell.of_busy).sum();
    let attained = sum(|cell| cell.roofline).fraction_of(sum(|cell| cell.judged));
    let roofline =
        attained.map_or(String::new(), |attained| format!(", at {} of its roofline", percent_text(attained)));
    let kind = kind.label().to_lowercase();
    format!("{kind} {}, {} of the busy time{roofline}", time_text(time), percent_text(share))
}

/// Returns the ops with the most time of a module in words.
fn largest(sum: &ModuleSum) -> String {
    let Some(ops) = &sum.largest else { return String::new() };
    let count = if ops.n_ops > 1 { format!(", {} alike", ops.n_ops) } else { String::new() };
    let source = ops.source.as_deref().map_or(String::new(), |source| format!(", {}", last_segment(source)));
    format!("{}{count}{source}: {}", ops.name, time_text(ops.total))
}
