//! This module writes the time by module as a table for the terminal and for Markdown.

use crate::analysis::classify::{Certainty, Kind, Phase};
use crate::analysis::modules::columns::MODULE_SUMS;
use crate::analysis::modules::{ModuleSum, Modules};
use crate::table::format::{ABSENT, TimeUnit, percent_text, time};
use crate::table::text::Table;
use crate::table::text_columns::{TextColumns, head_in_unit};
use xla_profile::units::Picos;

/// The phases that have a column, with their heads. All other time is in the column “Other”.
const PHASES: [(Phase, &str); 3] =
    [(Phase::Forward, "Forward"), (Phase::Backward, "Backward"), (Phase::Recompute, "Recompute")];

/// Returns a table with a row per module. Phases without time have no column.
pub fn modules(modules: &Modules) -> Table {
    let unit = TimeUnit::for_largest(modules.busy);
    let of_phase = |sum: &ModuleSum, phase| modules.time(sum.module, phase);
    let shown: Vec<(Phase, &str)> = PHASES.into_iter().filter(|(phase, _)| modules.has_phase(*phase)).collect();
    let cell = |time_of: Picos| if time_of == Picos::ZERO { ABSENT.to_owned() } else { time(time_of, unit) };
    let communication = |sum: &ModuleSum| -> Picos {
        let cells = modules.cells.iter().filter(|cell| cell.module == sum.module);
        cells.filter(|cell| cell.kind == Kind::Communication).map(|cell| cell.total).sum()
    };
    let mut columns = TextColumns::new()
        .text("Module", |sum: &ModuleSum| sum.module.label().to_owned())
        .time("Self", unit, |sum: &ModuleSum| sum.total)
        .declared(MODULE_SUMS, "pct_of_busy", "Busy %");
    for (phase, head) in shown.clone() {
        columns = columns.number(head_in_unit(head, unit), move |sum: &ModuleSum| cell(of_phase(sum, phase)));
    }
    if !shown.is_empty() {
        let others = shown.clone();
        let other = move |sum: &ModuleSum| {
            let named: Picos = others.iter().map(|(phase, _)| of_phase(sum, *phase)).sum();
            cell(sum.total.saturating_sub(named))
        };
        columns = columns.number(head_in_unit("Other", unit), other);
    }
    if modules.modules.iter().any(|sum| communication(sum) > Picos::ZERO) {
        columns = columns.number(head_in_unit("Comm.", unit), move |sum: &ModuleSum| cell(communication(sum)));
    }
    columns.declared(MODULE_SUMS, "pct_of_roofline", "Roofline %").table(&modules.modules)
}

/// Returns a sentence on how the modules are known. `None` if the device is idle.
pub fn certainty(modules: &Modules) -> Option<String> {
    let part = |certainty: Certainty| {
        let share = modules.certainties.iter().find(|share| share.certainty == certainty)?;
        (share.total > Picos::ZERO).then(|| Some(format!("{} {}", certainty.label(), percent_text(share.of_busy?))))?
    };
    let parts: Vec<String> = Certainty::ALL.into_iter().filter_map(part).collect();
    (!parts.is_empty()).then(|| format!("How the module is known: {}.", parts.join(", ")))
}
