//! This module writes the texts of the chart: labels, tooltips and sentences of marks, and the title and the table of
//! the chart. It does not depend on pixels.

use super::axes::{frame, rows_outside};
use super::ceilings::Ceilings;
use super::dots::{Dot, Dots};
use super::options::ChartOptions;
use crate::analysis::roofline::{Level, RooflineFigures, RooflinePosition, SkipReason};
use crate::chart::plot::scene::SceneTable;
use crate::chart::widgets::tip::{Tip, row};
use crate::table::format::{self, ABSENT};
use xla_profile::units::Picos;

/// Largest number of letters of a name in a label.
const ROOM: usize = 34;
/// Largest number of letters of a name in a short label.
const SHORT_ROOM: usize = 16;

/// Formats the gap: self time − roofline time. The gap is negative if the cost estimate exceeds the peak.
pub fn gap(roof: &RooflinePosition) -> String {
    let time = format::time_text(Picos(roof.gap.unsigned_abs()));
    if roof.gap < 0 { format!("\u{2212}{time}") } else { time }
}

/// Returns the label beside a mark.
pub(super) fn label(dot: &Dot) -> String {
    let name = format::middle_cut(&dot.name, ROOM);
    let util = dot.roof.util.map_or_else(|| ABSENT.to_owned(), format::percent_text);
    match dot.group {
        None => format!("{name}: {util} of the roof"),
        Some(_) if dot.roof.is_above() => format!("{name}, {util} of the roof"),
        Some(_) => format!("{name}, gap {}", format::time_text(dot.roof.recoverable)),
    }
}

/// Returns the label of a sum where there is no room for its name.
pub(super) fn short_label(dot: &Dot) -> String {
    let util = dot.roof.util.map_or_else(|| ABSENT.to_owned(), format::percent_text);
    format!("{}: {util}", format::middle_cut(&dot.name, SHORT_ROOM))
}

/// Returns the description of a mark for screen readers.
pub(super) fn sentence(dot: &Dot) -> String {
    let util = dot.roof.util.map_or_else(|| ABSENT.to_owned(), format::percent_text);
    format!(
        "{}: {} FLOP/byte, {} TFLOP/s, {util} of the {} roof, self {}, gap {}.",
        dot.name,
        format::intensity(dot.x),
        format::tflops(dot.y),
        dot.roof.bound.label(),
        format::time_text(dot.roof.total),
        gap(&dot.roof)
    )
}

/// Builds the tooltip of a mark.
pub fn tip(dot: &Dot, level: Level) -> Tip {
    let roof = &dot.roof;
    let share = |fraction: Option<f64>| {
        fraction.map_or_else(String::new, |fraction| format!(", {}", format::percent_text(fraction)))
    };
    let mut rows = vec![
        row("Self", format::time_text(roof.total)),
        row("Rate", format!("{} TFLOP/s{}", format::tflops(dot.y), share(roof.mfu))),
    ];
    for shown_level in [Some(Level::Hbm), Some(level).filter(|level| *level != Level::Hbm)].into_iter().flatten() {
        if let Some(rate) = roof.byte_rate(shown_level) {
            let used = roof.level_util[shown_level.index()];
            rows.push(row(shown_level.label(), format!("{} GB/s{}", format::gbs(rate), share(used))));
        }
    }
    rows.push(row("Intensity", format!("{} FLOP/byte", format::intensity(dot.x))));
    if let Some(ridge) = roof.ridge.filter(|_| level == Level::Hbm) {
        rows.push(row("Ridge", format!("{} FLOP/byte", format::decimal(ridge, 1))));
    }
    if let Some(dtype) = &roof.dtype {
        let sure = if roof.dtype_uncertain { ", from the result" } else { "" };
        rows.push(row("Type", format!("{dtype}{sure}")));
    }
    rows.push(row("Roofline time", format!("{}, {}", format::time_text(roof.t_roof), roof.bound.label())));
    rows.push(row("Gap", gap(roof)));
    if let Some(cumulative) = dot.cumulative {
        rows.push(row("Cumulative gap", format!("{} of all", format::percent_text(cumulative))));
    }
    if roof.is_above() {
        rows.push(row("▲", "the cost estimate is above the peak"));
    }
    Tip { title: dot.name.clone(), rows }
}

/// Returns the text alternative of the chart.
pub(super) fn title(dots: &Dots, ceilings: &Ceilings, subject: &str) -> String {
    let compute = ceilings
        .compute
        .iter()
        .map(|(precision, flops)| format!("{} {} TFLOP/s", precision.label(), format::tflops(*flops)));
    let memory = ceilings.memory.map(|(level, bytes)| format!("{} {} GB/s", level.label(), format::gbs(bytes)));
    let roofs: Vec<String> = compute.chain(memory).collect();
    let roofs = if roofs.is_empty() { "no known roof".to_owned() } else { roofs.join(", ") };
    let ridge = ceilings
        .ridge()
        .map_or_else(String::new, |ridge| format!("; ridge at {} FLOP/byte", format::decimal(ridge, 1)));
    let marks = format::counted(dots.n_rows() as u64, "mark", "marks");
    format!("Roofline of {subject}: {marks} against {roofs}{ridge}.")
}

/// Returns the figures of the chart as a table.
pub(super) fn table(dots: &Dots, level: Level) -> SceneTable {
    let intensity = format!("FLOP/byte of {}", level.label());
    let row = |dot: &Dot| {
        [
            dot.name.clone(),
            format::time_text(dot.roof.total),
            format::intensity(dot.x),
            format::tflops(dot.y),
            dot.roof.util.map_or_else(|| ABSENT.to_owned(), format::percent_text),
            dot.roof.bound.label().to_owned(),
            gap(&dot.roof),
        ]
    };
    let heads = ["Name", "Self", &intensity, "TFLOP/s", "At roof", "Bound", "Gap"];
    SceneTable::new(heads, dots.all.iter().map(row))
}

/// Returns sentences about rows that are outside of the visible range or not plotted. `None` if all rows are visible.
pub fn hidden_rows_text(dots: &Dots, options: &ChartOptions) -> Option<String> {
    let mut text = Vec::new();
    let (n, time) = rows_outside(&frame(options.window, options.size), dots);
    if n > 0 {
        let rows = format::counted(n.into(), "row lies", "rows lie");
        let drawn = match (options.pinned, n) {
            (false, _) => "zoom out to see what lies there",
            (true, 1) => "drawn at the edge with an arrow. Zoom out to see its place",
            (true, _) => "drawn at the edge with an arrow. Zoom out to see their places",
        };
        text.push(format!("{rows} outside the plotted range ({}): {drawn}.", format::time_text(time)));
    }
    let (n, time) = dots.unplottable;
    if n > 0 {
        let rows = format::counted(n.into(), "row", "rows");
        let what = options.level.label();
        text.push(format!(
            "{rows} ({}) not plotted: no FLOPs, no bytes of {what}, or too short for rates. The table has them.",
            format::time_text(time)
        ));
    }
    let (n, time) = dots.more;
    if n > 0 {
        let rows = format::counted(n.into(), "smaller row", "smaller rows");
        text.push(format!("{rows} ({}) not plotted. The table has them.", format::time_text(time)));
    }
    (!text.is_empty()).then(|| text.join(" "))
}

/// Returns the reason why the chart has no marks.
pub fn empty_reason(figures: &RooflineFigures) -> &'static str {
    match figures.skipped.first().map(|skipped| skipped.reason) {
        None if figures.considered == Picos::ZERO => "Nothing to plot: no compute ops in this selection.",
        Some(SkipReason::NoFlops | SkipReason::NoBytes | SkipReason::OpaqueCall) => {
            "Nothing to plot: the capture has no FLOPs and bytes of these ops."
        }
        Some(SkipReason::NoPeak | SkipReason::NoBandwidth) => {
            "Nothing to plot: no peak is known for the dtypes of these ops."
        }
        _ => "Nothing to plot: these ops have no FLOPs, or no bytes.",
    }
}

/// Returns the text about rows above their roof, and its explanation. `None` if there are none.
pub fn above_roof_text(dots: &Dots, all: &RooflinePosition) -> Option<(String, String)> {
    if all.above == Picos::ZERO {
        return None;
    }
    let n = dots.all.iter().filter(|dot| dot.group.is_some() && dot.roof.is_above()).count();
    let rows = match n {
        0 => "Some ops lie above their roof".to_owned(),
        1 => "1 row lies above its roof".to_owned(),
        n => format!("{} rows lie above their roof", format::count(n as u64)),
    };
    Some((
        format!("{rows} (dashed, {})", format::time_text(all.above)),
        "the cost estimate is larger than the device allows. Shown as estimated; averages that hold them are too high."
            .to_owned(),
    ))
}
