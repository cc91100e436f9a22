//! This module writes the breakdown as a table for the terminal, and as CSV.

use crate::analysis::base::Peaks;
use crate::analysis::breakdown::columns::GROUPS;
use crate::analysis::breakdown::{Breakdown, Group};
use crate::table::format::{TimeUnit, count, executions, gbs, percent, tflops, time};
use crate::table::text::Table;
use crate::units::{Count, Picos};

const ABSENT: &str = "–";

/// Returns a breakdown as a table for the terminal: `top` rows, then the sum of the others, then the totals. Each
/// column has one unit, as on the page. `name` returns the name of a row.
pub fn breakdown(b: &Breakdown, name: &dyn Fn(&Group) -> String, top: usize) -> Table {
    let unit = TimeUnit::for_largest(b.totals.busy);
    let mean_unit = TimeUnit::for_largest(b.rest_after(0).largest_mean.unwrap_or_default());
    let (self_time, mean) = (format!("Self {}", unit.symbol()), format!("Mean {}", mean_unit.symbol()));
    let mut table = Table::new(&[
        (b.by.label(), true),
        (&self_time, false),
        ("Step %", false),
        ("Kind", true),
        ("Count", false),
        (&mean, false),
        ("TFLOP/s", false),
        ("GB/s", false),
        ("Category", true),
        ("Source", true),
    ]);
    let of_step = |p: Picos| b.header.step_duration.and_then(|w| p.fraction_of(w)).map_or(ABSENT.into(), percent);
    for g in b.groups.iter().take(top) {
        table.row(vec![
            name(g),
            time(g.total, unit),
            of_step(g.total),
            g.kind_text().into(),
            executions(g.n_executions),
            g.mean.map_or(ABSENT.into(), |m| time(m, mean_unit)),
            rate(g.flop_rate(), b.header.peaks.flops, tflops),
            rate(g.byte_rate(), Some(b.header.peaks.hbm_limit()), gbs),
            g.category_text().unwrap_or(ABSENT).into(),
            g.source_inner.as_deref().unwrap_or(ABSENT).into(),
        ]);
    }
    let blank = |table: &mut Table, label: String, total: Picos, n: Count| {
        let mut row = vec![label, time(total, unit), of_step(total), String::new(), executions(n)];
        row.resize(table.heads.len(), String::new());
        table.row(row);
    };
    let rest = b.rest_after(top);
    if rest.n > 0 {
        blank(&mut table, format!("{} more", count(rest.n)), rest.total, rest.n_executions);
    }
    if b.shown.total != b.totals.busy || b.shown.n_events != b.totals.n_events {
        blank(&mut table, "Shown".into(), b.shown.total, b.shown.n_events);
    }
    blank(&mut table, "Busy".into(), b.totals.busy, b.totals.n_events);
    blank(&mut table, "Idle".into(), b.totals.idle, Count::ZERO);
    if let Some(cell) = table.rows.last_mut().and_then(|r| r.get_mut(4)) {
        cell.clear();
    }
    table
}

/// Writes a rate. A mark precedes a rate above the peak of the device.
fn rate(rate: Option<f64>, peak: Option<f64>, form: fn(f64) -> String) -> String {
    let mark = if Peaks::is_above(rate, peak) { "▲ " } else { "" };
    rate.map_or(ABSENT.into(), |r| format!("{mark}{}", form(r)))
}

/// Returns the sentences about marks in the first `top` rows. Empty without marks.
pub fn marks(b: &Breakdown, top: usize) -> String {
    let has = |rate: fn(&Group) -> Option<f64>, peak| b.groups.iter().take(top).any(|g| Peaks::is_above(rate(g), peak));
    let (limit, mut text) = (b.header.peaks.hbm_limit(), String::new());
    if has(Group::flop_rate, b.header.peaks.flops) {
        text += "▲ TFLOP/s: the rate is above the peak of the device, so the estimate of FLOPs is too high.\n";
    }
    if has(Group::byte_rate, Some(limit)) {
        let whose = if b.header.peaks.hbm_bytes.is_some() { "of the device" } else { "of any known chip" };
        text += &format!(
            "▲ GB/s: the rate is above the HBM bandwidth {whose} ({} GB/s). Bytes are those of all memories, caches included.\n",
            gbs(limit)
        );
    }
    text
}

/// Returns the first `top` rows with exact figures for CSV, with the names of the JSON.
pub fn csv(b: &Breakdown, top: usize) -> Table {
    crate::table::csv::table(GROUPS, b.groups.iter().take(top))
}
