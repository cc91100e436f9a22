//! This module writes the breakdown as a table for the terminal, and as CSV.

use crate::analysis::base::Peaks;
use crate::analysis::breakdown::columns::GROUPS;
use crate::analysis::breakdown::{Breakdown, Group};
use crate::table::format::{TimeUnit, count, executions, gbs, percent, tflops, time};
use crate::table::text::Table;
use crate::table::text_columns::{TextColumns, head_in_unit, or_absent};
use xla_profile::units::Picos;

/// Returns a breakdown as a table for the terminal: `top` rows, then the sum of the others, then the totals. Each
/// column has one unit, as on the page. `name` returns the name of a row.
pub fn breakdown(b: &Breakdown, name: &dyn Fn(&Group) -> String, top: usize) -> Table {
    let unit = TimeUnit::for_largest(b.totals.busy);
    let mean_unit = TimeUnit::for_largest(b.rest_after(0).largest_mean.unwrap_or_default());
    let of_step = |time: Picos| or_absent(b.header.step_duration.and_then(|window| time.fraction_of(window)), percent);
    let columns = TextColumns::<Group>::new()
        .text(b.by.label(), name)
        .time("Self", unit, |group| group.total)
        .number("Step %", |group| of_step(group.total))
        .declared(GROUPS, "kind", "Kind")
        .declared(GROUPS, "n_executions", "Count")
        .time("Mean", mean_unit, |group| group.mean)
        .number("TFLOP/s", |group| rate(group.flop_rate(), b.header.peaks.flops, tflops))
        .number("GB/s", |group| rate(group.byte_rate(), Some(b.header.peaks.hbm_limit()), gbs))
        .declared(GROUPS, "hlo_category", "Category")
        .declared(GROUPS, "source_inner", "Source");
    let mut table = columns.table(b.groups.iter().take(top));
    let self_head = head_in_unit("Self", unit);
    let mut sum = |label: String, total: Picos, n: String| {
        table.summary_row(label, &[(&self_head, time(total, unit)), ("Step %", of_step(total)), ("Count", n)]);
    };
    let rest = b.rest_after(top);
    if rest.n > 0 {
        sum(format!("{} more", count(rest.n)), rest.total, executions(rest.n_executions));
    }
    if b.shown.total != b.totals.busy || b.shown.n_events != b.totals.n_events {
        sum("Shown".to_owned(), b.shown.total, executions(b.shown.n_events));
    }
    sum("Busy".to_owned(), b.totals.busy, executions(b.totals.n_events));
    sum("Idle".to_owned(), b.totals.idle, String::new());
    table
}

/// Writes a rate. A mark precedes a rate above the peak of the device.
fn rate(rate: Option<f64>, peak: Option<f64>, form: fn(f64) -> String) -> String {
    let mark = if Peaks::is_above(rate, peak) { "▲ " } else { "" };
    or_absent(rate, |rate| format!("{mark}{}", form(rate)))
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
