//! This module defines the table of the roofline, whose rows are ops, sources, programs or steps.

use crate::analysis::roofline::{Level, RooflineFigures, RooflinePosition, StepRoofline};
use crate::protocol::RoofPoint;
use crate::protocol::url::roofline::RoofBy;
use crate::table::Value::{self, Number, Time};
use crate::table::answer::{CachedOrder, TableRows};
use crate::table::columns;
use crate::table::format;
use crate::table::page::Name;
use crate::table::shown::{Format, RowTip, Shown, Table, TipLine};
use xla_profile::units::{Count, Picos};

/// A row of the roofline table.
#[derive(Clone, Debug)]
pub struct RoofRow {
    pub point: RoofPoint,
    /// The items that rows of the table stand for.
    pub by: RoofBy,
    /// Whether the row is long enough for its rates to be meaningful; see [`RooflinePosition::is_too_short`].
    pub is_rated: bool,
}

impl RoofRow {
    /// Creates a row of a table whose rows have the self time `whole` together.
    pub fn new(point: RoofPoint, by: RoofBy, whole: Picos) -> Self {
        let is_rated = point.roof.as_ref().is_some_and(|roof| !roof.is_too_short(whole));
        Self { point, by, is_rated }
    }

    /// Creates the row of a step. `longest` is the largest self time of a step.
    fn of_step(step: &StepRoofline, longest: Picos) -> Self {
        let point = RoofPoint {
            key: step.number.to_string(),
            program: None,
            program_id: None,
            op_group: None,
            source: None,
            total: step.total,
            n: step.roof.as_ref().map_or(Count::ZERO, |roof| roof.n),
            roof: step.roof.clone(),
            skipped: Vec::new(),
            cumulative: None,
        };
        Self::new(point, RoofBy::Step, longest)
    }
}

/// Returns the rows of a table of steps.
pub fn step_rows(steps: &[StepRoofline]) -> Vec<RoofRow> {
    let longest = steps.iter().map(|step| step.total).max().unwrap_or_default();
    steps.iter().map(|step| RoofRow::of_step(step, longest)).collect()
}

/// Returns the table of the roofline with these rows.
pub fn roof_table<'r>(
    rows: &'r [RoofRow],
    figures: &RooflineFigures,
    by: RoofBy,
    cached_order: CachedOrder,
) -> TableRows<'r, RoofRow> {
    let head = |shown: &Shown| match (shown.id, by) {
        ("key", RoofBy::Op) => Some("Op"),
        ("key", RoofBy::Source) => Some("Source"),
        ("key", RoofBy::Program) => Some("Program"),
        ("key", RoofBy::Step) => Some("Step"),
        // A step has ops of several groups, and steps are not ranked by recoverable time.
        ("op_group" | "cumulative_pct", RoofBy::Step) => None,
        _ => Some(shown.head),
    };
    let nouns = match by {
        RoofBy::Op => ("op", "ops"),
        RoofBy::Source => ("source", "sources"),
        RoofBy::Program => ("program", "programs"),
        RoofBy::Step => ("step", "steps"),
    };
    let table = TableRows::new(&ROOF_TABLE, rows, None, head, cached_order).with_nouns(nouns);
    if by == RoofBy::Step {
        return table;
    }
    let roof = figures.step.as_ref();
    table
        .with_total("total_dur_ps", Time(figures.considered))
        .with_total("recoverable_ps", Value::maybe(roof, |roof| Time(roof.recoverable)))
        .with_total("roofline_util", Value::maybe(roof.and_then(|roof| roof.util), Number))
}

/// Returns the position of a row, for its rates. `None` if the row has no roof or is too short for a rate.
fn rated(row: &RoofRow) -> Option<&RooflinePosition> {
    row.point.roof.as_ref().filter(|_| row.is_rated)
}

/// Returns the resource that limits the row, or the reason why the row has no roof.
fn bound_text(row: &RoofRow) -> Option<&'static str> {
    let reason = || row.point.skipped.first().map(|skipped| skipped.reason.short());
    row.point.roof.as_ref().map(|roof| roof.bound.label()).or_else(reason)
}

columns! {
    COLUMNS(row: RoofRow) {
        key: Text in page = row.point.name(row.by),
        recoverable_ps: Time or null in page = row.point.roof.as_ref().map(|roof| roof.recoverable),
        parts: List(Time) or null in page = {
            row.point.roof.as_ref().map(|roof| [roof.t_roof.min(roof.total), roof.recoverable])
        },
        cumulative_pct: Percent or null in page = row.point.cumulative,
        total_dur_ps: Time in page = row.point.total,
        roofline_util: Number or null in page = rated(row).and_then(|roof| roof.util),
        arithmetic_intensity: Number or null in page = row.point.roof.as_ref().and_then(|roof| roof.intensity),
        roof: Text or null in page = bound_text(row),
        mfu: Number or null in page = rated(row).and_then(|roof| roof.mfu),
        hbm_util: Number or null in page = rated(row).and_then(RooflinePosition::hbm_util),
        flop_rate: Number or null in page = rated(row).and_then(RooflinePosition::flop_rate),
        hbm_rate: Bandwidth or null in page = rated(row).and_then(|roof| roof.byte_rate(Level::Hbm)),
        dtype: Text or null in page = row.point.roof.as_ref().and_then(|roof| roof.dtype.as_deref()),
        n_executions: Executions in page = row.point.n,
        op_group: Text or null in page = row.point.op_group.as_deref(),
        program: Text or null in page = row.point.program.as_deref(),
        source: Text or null in page = row.point.source.as_deref(),
        flops: Number or null in page = row.point.roof.as_ref().map(|roof| roof.flops),
        bytes: Number or null in page = row.point.roof.as_ref().map(|roof| roof.bytes),
        t_compute_ps: Time or null in page = row.point.roof.as_ref().map(|roof| roof.t_compute),
        t_hbm_ps: Time or null in page = row.point.roof.as_ref().map(RooflinePosition::t_hbm),
        t_roofline_ps: Time or null in page = row.point.roof.as_ref().map(|roof| roof.t_roof),
        above_peak: Text or null in page = {
            let roof = row.point.roof.as_ref();
            roof.filter(|roof| roof.is_above()).map(|_| "the cost estimate is above the peak")
        },
        skipped: List(Text) in page = {
            let skipped = row.point.skipped.iter();
            skipped.map(|skipped| format!("{}: {}", skipped.reason.label(), format::time_text(skipped.total)))
        },
    }
}

const ROOF_TABLE: Table<RoofRow> = Table {
    columns: COLUMNS,
    shown: &[
        Shown::name("key", "Op"),
        Shown::new("recoverable_ps", "Gap", Format::Time, 8, 0),
        Shown::new("parts", "At roof + gap", Format::Parts, 11, 3).in_unit_of("total_dur_ps"),
        Shown::new("cumulative_pct", "Cumulative gap", Format::Percent, 7, 5),
        Shown::new("total_dur_ps", "Self", Format::Time, 8, 2),
        Shown::new("roofline_util", "At roof", Format::OfPeak, 8, 0),
        Shown::new("arithmetic_intensity", "FLOP/B", Format::Intensity, 8, 4),
        Shown::new("roof", "Bound", Format::Text, 9, 1),
        Shown::new("mfu", "MFU", Format::Percent, 7, 6),
        Shown::new("hbm_util", "HBM", Format::Percent, 7, 7),
        Shown::new("flop_rate", "TFLOP/s", Format::Tflops, 9, 8),
        Shown::new("hbm_rate", "HBM", Format::Gbps, 10, 9),
        Shown::new("dtype", "Type", Format::Text, 7, 10),
        Shown::new("n_executions", "Count", Format::Count, 8, 12),
        Shown::new("op_group", "Group", Format::Text, 14, 11),
    ],
    tips: &[RowTip::of_all(&[
        TipLine::new("program", "Program"),
        TipLine::new("op_group", "Group"),
        TipLine::new("source", "Source"),
        TipLine::new("total_dur_ps", "Self"),
        TipLine::new("flops", "FLOPs"),
        TipLine::new("bytes", "Bytes"),
        TipLine::new("t_compute_ps", "FLOPs ÷ peak"),
        TipLine::new("t_hbm_ps", "Bytes ÷ bandwidth"),
        TipLine::new("t_roofline_ps", "Roofline time"),
        TipLine::new("above_peak", "▲"),
        TipLine::new("skipped", "No roof"),
    ])],
    key: |row| if row.by == RoofBy::Step { row.point.key.clone() } else { row.point.row_key() },
    name: |row, _| Name {
        text: row.point.name(row.by).to_owned(),
        mono: true,
        second: Some((
            None,
            format!("{}, self {}", bound_text(row).unwrap_or(format::ABSENT), format::time_text(row.point.total)),
        )),
        ..Name::default()
    },
    mark: |_| None,
    opens: |row| row.by != RoofBy::Program,
    parts: |_| Vec::new(),
    nouns: ("op", "ops"),
    default_sort: "recoverable_ps",
    leaf: &["key"],
};
