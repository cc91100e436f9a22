//! This module writes the breakdown as a table for the terminal, and as CSV.

use crate::analysis::base::{GroupBy, Peaks};
use crate::analysis::breakdown::columns::GROUPS;
use crate::analysis::breakdown::{Breakdown, Group, row_label};
use crate::table::format::{TimeUnit, count, executions, gbs, percent, tflops, time};
use crate::table::text::Table;
use crate::units::{Count, Picos};

const ABSENT: &str = "–";
/// Largest number of characters of a kernel's name in a table.
const LONGEST_NAME: usize = 64;

/// Returns a breakdown as a table for the terminal: `top` rows, then the sum of the others, then the totals. Each
/// column has one unit, as on the page.
pub fn breakdown(b: &Breakdown, top: usize) -> Table {
    let unit = TimeUnit::for_largest(b.totals.busy);
    let mean_unit = TimeUnit::for_largest(b.groups.iter().filter_map(|g| g.mean).max().unwrap_or_default());
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
            name(b.by, g, &b.groups),
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
    if let Some(rest) = b.groups.get(top..).filter(|r| !r.is_empty()) {
        let n = rest.iter().map(|g| g.n_executions).sum();
        blank(&mut table, format!("{} more", count(rest.len() as u64)), rest.iter().map(|g| g.total).sum(), n);
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

/// Returns the name of a row. The key of a source is the whole stack; its name is its line, with the callers that
/// distinguish it from other rows of the same line. The name of an op on a GPU is followed by its kernel.
fn name(by: GroupBy, g: &Group, beside: &[Group]) -> String {
    match (row_label::source(g, beside.iter()), &g.kernel) {
        (Some(source), _) => source,
        (None, Some(kernel)) if by == GroupBy::Op => {
            format!("{}  {}", g.key, row_label::short_name(kernel, [].into_iter(), 60))
        }
        _ if by == GroupBy::Op => {
            let others = beside.iter().map(|other| other.key.as_str());
            row_label::short_name(&g.key, others, LONGEST_NAME)
        }
        _ => g.key.replace('\n', " ‹ "),
    }
}

/// Returns the first `top` rows with exact figures for CSV, with the names of the JSON.
pub fn csv(b: &Breakdown, top: usize) -> Table {
    crate::table::csv::table(GROUPS, b.groups.iter().take(top))
}
