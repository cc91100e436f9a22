//! This module writes the scopes and the steps as tables for the terminal.

use crate::analysis::base::Spread;
use crate::analysis::breakdown::{ScopeNode, Scopes, StepStats};
use crate::analysis::classify::Kind;
use crate::table::MIXED;
use crate::table::format::{ABSENT, TimeUnit, count, executions, percent};
use crate::table::text::Table;
use crate::table::text_columns::{TextColumns, or_absent};
use xla_profile::units::Picos;

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
    table.count_others(scopes.nodes.len(), top);
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
