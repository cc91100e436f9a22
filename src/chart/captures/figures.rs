//! This module writes the figures above a list of captures.

use super::texts::brief_time;
use crate::analysis::captures::{CaptureRow, CapturesView};
use crate::analysis::overview::Unit;
use crate::chart::widgets::figure::{Figure, Readout, figure};
use crate::chart::widgets::tip::row;
use crate::report::overview::text::number;
use crate::table::date::date_and_time;
use crate::table::format::{self, ABSENT, figure_time};
use xla_profile::units::Picos;

/// Returns the figures of all captures.
pub fn readout(list: &CapturesView) -> Readout {
    let capture = |index: Option<u32>| index.and_then(|index| list.captures.get(index as usize));
    let latest = capture(list.latest);
    let label = latest
        .and_then(|row| brief_time(list, row))
        .map_or_else(|| "Latest".to_owned(), |time| format!("Latest, {time}"));
    let hero = step(
        label,
        latest,
        "median of the steps of the newest capture that can be compared with most others",
        list,
        false,
    );
    let mut main = vec![
        step(
            "Fastest".to_owned(),
            capture(list.best),
            "the smallest median of the steps, of captures that can be compared",
            list,
            true,
        ),
        step(
            "Slowest".to_owned(),
            capture(list.worst),
            "the largest median of the steps, of captures that can be compared",
            list,
            true,
        ),
    ];
    main.push(changes(list));
    if let Some(mfu) = list.latest_mfu {
        let text = number(mfu, Unit::Fraction);
        let value = (text.trim_end_matches(" %").to_owned(), "%");
        main.push(figure("MFU, latest", value, "Σ model_flops ÷ (peak × step time)", vec![row("Latest", text)]));
    }
    main.push(captures(list));
    if list.captures.iter().all(|row| row.bytes.is_none()) {
        return Readout { hero, main, side: Vec::new() };
    }
    let rows = vec![row("Result", format::exact_bytes(list.bytes))];
    main.push(figure("Size", format::bytes(list.bytes), "size of all files", rows));
    Readout { hero, main, side: Vec::new() }
}

/// The step of a capture. With `has_name`, its date or name is beside it.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a time in ps")]
fn step(label: String, capture_row: Option<&CaptureRow>, formula: &str, all: &CapturesView, has_name: bool) -> Figure {
    let time = capture_row.and_then(|row| row.median_ps).map(|median| Picos(median.max(0.0).round() as u64));
    let value = time.map_or_else(|| (ABSENT.to_owned(), ""), figure_time);
    let mut rows = Vec::new();
    if let Some(capture_row) = capture_row {
        rows.push(row("Capture", capture_row.name.clone()));
        rows.extend(capture_row.start_ns.map(|ns| row("Taken, UTC", date_and_time(ns))));
        rows.extend(
            capture_row.summary().map(|summary| row("Steps", format::count(summary.point.head.n_steps.into()))),
        );
    }
    let short = |row: &CaptureRow| brief_time(all, row).unwrap_or_else(|| format::middle_cut(&row.name, 16));
    let scope = if has_name { capture_row.map(short) } else { Some("per step".to_owned()) };
    Figure { scope, ..figure(label, value, formula, rows) }
}

fn changes(captures: &CapturesView) -> Figure {
    let changes = &captures.series.changes;
    let line = |change| row("Change", super::change_sentence(captures, change));
    let formula = "the medians of the 3 captures before and after differ by more than neighbours usually do";
    let value = (format::count(changes.len() as u64), "");
    figure("Lasting changes", value, formula, changes.iter().map(line).collect())
}

fn captures(captures: &CapturesView) -> Figure {
    let n = |n: u32| format::count(n.into());
    let is_whole = captures.n_read == captures.n_captures;
    let mut rows = vec![row("Read", n(captures.n_read))];
    for (label, count) in [
        ("Failed", captures.n_failed),
        ("Partial", captures.n_partial),
        ("Other device or work", captures.n_other),
        ("Rows of tables", captures.n_without_files),
        ("Files of no capture", captures.n_left_out),
    ] {
        rows.extend((count > 0).then(|| row(label, n(count))));
    }
    let all = n(captures.n_captures);
    let value = if is_whole { all } else { format!("{} of {all}", n(captures.n_read)) };
    figure("Captures", (value, ""), "captures that have been read", rows)
}
