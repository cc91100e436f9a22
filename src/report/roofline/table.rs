//! This module writes the roofline as sentences and tables for the terminal, and as CSV.

use crate::analysis::base::{GroupBy, Peaks};
use crate::analysis::breakdown::Group;
use crate::analysis::breakdown::columns::GROUPS;
use crate::analysis::classify::Kind;
use crate::analysis::roofline::columns::ROOF;
use crate::analysis::roofline::{
    Bound, DevicePeaks, Level, Peak, PeakResource, RoofRow, Roofline, RooflineFigures, RooflinePosition, Verdict,
    verify,
};
use crate::table::csv;
use crate::table::format::{TimeUnit, count, counted, gbs, intensity, percent, percent_text, tflops, time, time_text};
use crate::table::text::{Table, TextForm};
use crate::table::text_columns::{TextColumns, head_in_unit, or_absent};
use xla_profile::units::Picos;

/// Writes a few lines about the peaks, the averages and their coverage.
pub fn head(f: &RooflineFigures) -> String {
    let mut lines: Vec<String> = f.peaks.iter().map(peaks).collect();
    if let Some(roof) = &f.step {
        let of_compute = f.coverage.map_or(String::new(), |c| format!("; coverage {}", percent_text(c)));
        let fraction = |share: Option<f64>| or_absent(share, Peaks::share_text);
        let mean = [("MFU", roof.mfu), ("HBM bandwidth utilization", roof.hbm_util())];
        let mean = mean.map(|(name, share)| format!("{name} {}", fraction(share))).join(", ");
        let scope = scope(f).unwrap_or_default();
        lines.push(format!("Roofline efficiency: {} {scope}{of_compute}; there {mean}", fraction(roof.util)));
        let of_step = f.header.step_duration.and_then(|w| roof.recoverable.fraction_of(w));
        let of_step = of_step
            .map_or(String::new(), |share| format!(" ({} of the {})", percent_text(share), f.header.window_word()));
        lines.push(format!("Potential savings: {}{of_step}", time_text(roof.recoverable)));
    }
    let (use_of_step, w) = (window_use(f), &f.window);
    if !use_of_step.is_empty() {
        let use_of_step: Vec<String> = use_of_step.into_iter().map(|(name, value)| format!("{name} {value}")).collect();
        lines.push(format!("Whole {}: {}", f.header.window_word(), use_of_step.join(", ")));
        lines.extend(main_peak(f).map(|peak| format!("MFU and HFU are shares of {peak}")));
        lines.extend(w.quadrant(f.coverage).map(|quadrant| quadrant.sentence().to_owned()));
    }
    TextForm::Terminal.lines(lines) + "\n"
}

/// Returns the peak behind MFU and HFU with its source. `None` if they are unknown, or if devices have different peaks.
fn main_peak(f: &RooflineFigures) -> Option<String> {
    let w = &f.window;
    w.peak_flops.filter(|_| w.hfu.or(w.model_mfu).or(w.useful_mfu).is_some())?;
    let peaks = f.peaks.first()?;
    peaks.peak(PeakResource::Compute(peaks.main())).map(peak_text)
}

/// Returns the part of the step that the averages of the roofline cover, such as "of 24.05 ms compute, 2.7 % of the
/// step". `None` if no op has a roof.
pub fn scope(f: &RooflineFigures) -> Option<String> {
    let roof = f.step.as_ref()?;
    let what = if f.considered == f.totals.time_of_kind(Kind::Compute) { "compute" } else { "of the chosen ops" };
    let share = f.header.step_duration.and_then(|all| roof.total.fraction_of(all));
    let share =
        share.map_or(String::new(), |share| format!(", {} of the {}", percent_text(share), f.header.window_word()));
    Some(format!("of {} {what}{share}", time_text(roof.total)))
}

/// Returns the known utilisations of the whole step, idle time included, as names and percentages. The MFU counts the
/// FLOPs of the model, and the HFU all FLOPs that ran, recompute included.
pub fn window_use(f: &RooflineFigures) -> Vec<(&'static str, String)> {
    let w = &f.window;
    let all = [
        ("MFU", w.model_mfu),
        ("HFU", w.hfu),
        ("MFU from tokens", w.useful_mfu),
        ("HBM bandwidth utilization", w.hbm_util),
        ("HBM bandwidth utilization, measured", w.hbm_util_measured),
        ("SMs active, measured", w.sm_active),
    ];
    all.into_iter().filter_map(|(name, value)| Some((name, Peaks::share_text(value?)))).collect()
}

/// Returns a sentence about the peaks, such as "TPU v6e, 8 devices: bf16 918.0 TFLOP/s (profile), HBM 1,638 GB/s
/// (profile); ridge 560".
fn peaks(p: &DevicePeaks) -> String {
    let chip = p.chip.as_deref().or(p.device_type.as_deref()).unwrap_or("Unknown chip");
    let all: Vec<String> = p.used.iter().map(peak_text).collect();
    let all = if all.is_empty() { "no peaks are known".to_owned() } else { all.join(", ") };
    let ridge = p.ridge(p.main()).map_or(String::new(), |ridge| format!("; ridge {}", intensity(ridge)));
    let n = counted(p.devices.len() as u64, "device", "devices");
    format!("{chip}, {n}: {all}{ridge}")
}

/// Returns a peak with its source, such as "bf16 918.0 TFLOP/s (profile)".
fn peak_text(peak: &Peak) -> String {
    let value = match peak.resource {
        PeakResource::Compute(precision) => format!("{} {} TFLOP/s", precision.label(), tflops(peak.value)),
        PeakResource::Memory(Level::Hbm) => format!("HBM {} GB/s", gbs(peak.value)),
        PeakResource::Memory(level) => format!("{} {} GB/s", level.key().replace('_', " "), gbs(peak.value)),
    };
    format!("{value} ({})", peak.source.key())
}

/// Returns the rows of `r` as a table for the terminal, then a row for the rows that are left out, the time without a
/// roof by reason, and the sum. `n_all` is the number of all rows.
pub fn rows(r: &Roofline, by: GroupBy, n_all: usize) -> Table {
    let f = &r.figures;
    let unit = TimeUnit::for_largest(f.considered);
    let columns = columns(by, unit);
    let rated = |roof: &&RooflinePosition| !roof.is_too_short(f.considered);
    let lines = r.rows.iter().map(|row| Line {
        name: name(by, &row.group),
        total: row.group.total,
        of_step: row.group.of_step,
        roof: row.roof.as_ref(),
        rated: row.roof.as_ref().filter(rated),
        remark: remark(row, f.considered),
    });
    let mut table = columns.table(lines);
    let self_head = head_in_unit("Self", unit);
    let mut sum = |label: String, total: Picos| table.summary_row(label, &[(&self_head, time(total, unit))]);
    if n_all > r.rows.len() {
        let shown: Picos = r.rows.iter().map(|row| row.group.total).sum();
        sum(format!("{} more", count((n_all - r.rows.len()) as u64)), f.considered.saturating_sub(shown));
    }
    for s in &f.skipped {
        sum(format!("of these {}, {}", s.reason.label(), counted(s.n_ops.into(), "op", "ops")), s.total);
    }
    let all = Line {
        name: "All".to_owned(),
        total: f.considered,
        of_step: f.header.step_duration.and_then(|window| f.considered.fraction_of(window)),
        roof: f.step.as_ref(),
        rated: f.step.as_ref().filter(rated),
        remark: String::new(),
    };
    columns.add_rows(&mut table, [all]);
    table
}

/// A line of the table.
struct Line<'r> {
    name: String,
    total: Picos,
    of_step: Option<f64>,
    roof: Option<&'r RooflinePosition>,
    /// The roof, unless the ops are too short for rates.
    rated: Option<&'r RooflinePosition>,
    remark: String,
}

fn columns<'r>(by: GroupBy, unit: TimeUnit) -> TextColumns<'r, Line<'r>> {
    TextColumns::new()
        .text(by.label(), |line: &Line<'_>| line.name.clone())
        .time("Self", unit, |line| line.total)
        .number("Step %", |line| or_absent(line.of_step, percent))
        .text("Type", |line| or_absent(line.roof, dtype))
        .number("FLOP/B", |line| or_absent(line.roof.and_then(|roof| roof.intensity), intensity))
        .text("Bound", |line| or_absent(line.roof, |roof| bound(roof.bound)))
        .number("TFLOP/s", |line| or_absent(line.rated.and_then(|r| per_second(r, r.flops)), tflops))
        .number("GB/s", |line| {
            let with_bytes = line.rated.filter(|roof| roof.bytes > 0.0);
            or_absent(with_bytes.and_then(|roof| per_second(roof, roof.bytes)), gbs)
        })
        .number("MFU %", |line| or_absent(line.rated.and_then(|roof| roof.mfu), percent))
        .number("HBM %", |line| or_absent(line.rated.and_then(RooflinePosition::hbm_util), percent))
        .number("Roof %", |line| or_absent(line.rated.and_then(|roof| roof.util), percent))
        .number(head_in_unit("Gap", unit), move |line| or_absent(line.roof, |roof| gap(roof.gap, unit)))
        .text("Remark", |line| line.remark.clone())
}

/// Returns the data type of a row. A question mark follows if operands are unknown.
fn dtype(roof: &RooflinePosition) -> String {
    let mark = if roof.dtype_uncertain { "?" } else { "" };
    format!("{}{mark}", roof.dtype.as_deref().unwrap_or("mixed"))
}

fn bound(bound: Bound) -> String {
    if bound == Bound::Compute { "compute".to_owned() } else { bound.key().replace('_', " ") }
}

/// Returns an amount per second of self time. `None` without self time.
fn per_second(roof: &RooflinePosition, amount: f64) -> Option<f64> {
    let seconds = roof.total.as_f64() / 1e12;
    (seconds > 0.0).then(|| amount / seconds)
}

fn gap(ps: i64, unit: TimeUnit) -> String {
    let sign = if ps < 0 { "\u{2212}" } else { "" };
    format!("{sign}{}", time(Picos(ps.unsigned_abs()), unit))
}

fn remark(row: &RoofRow, considered: Picos) -> String {
    let mut words = Vec::new();
    if let Some(roof) = &row.roof {
        let verdict = verify(roof).map(|v| v.verdict);
        let above = verdict == Some(Verdict::AbovePeak) && !roof.is_too_short(considered);
        words.extend(above.then_some("▲ cost estimate above peak"));
        words.extend(roof.is_too_short(considered).then_some("too short for rates"));
        words.extend(roof.latency_bound.then_some("latency bound"));
        words.extend(roof.dtype_mixed.then_some("types differ"));
    }
    words.extend(row.skipped.iter().map(|s| s.reason.label()));
    words.join(", ")
}

/// Returns the name of a row. A source is named by its innermost frame.
fn name(by: GroupBy, g: &Group) -> String {
    let key = match (by, &g.source_inner) {
        (GroupBy::Source, Some(inner)) if g.key_kind == "source_stack" => inner,
        _ => &g.key,
    };
    key.replace('\n', " ‹ ")
}

/// Returns all rows with exact values for CSV, with the names of the JSON. It has only the first few columns of the
/// breakdown.
pub fn csv(r: &Roofline) -> Table {
    const GROUP: [&str; 5] = ["key", "key_kind", "program_id", "n_executions", "total_dur_ps"];
    let mut table = csv::empty_table(GROUP.into_iter().chain(csv::heads(ROOF)).chain(["skipped"]));
    for row in &r.rows {
        let skipped = row.skipped.iter().map(|s| s.reason.key()).collect::<Vec<_>>().join(" ");
        let group = csv::chosen_cells(GROUPS, &GROUP, &row.group);
        table.row(group.chain(csv::cells(ROOF, &row.roof)).chain([skipped]).collect());
    }
    table
}
