//! The roofline as a table: its columns, cells and totals. This module knows rows of an answer; no browser.

use super::dots::name;
use super::words::bound;
use crate::analysis::roofline::{Level, Roof, RooflineFigures, StepRoof};
use crate::chart::breakdown::Tip;
use crate::chart::widgets::table::{self, Column, Measure};
use crate::protocol::url::roofline::RoofBy;
use crate::protocol::{RoofColumn, RoofLargest, RoofPoint, RoofSort};
use crate::report::row_label;
use crate::table::format::{self, ABSENT, TimeUnit};
use crate::table::order::{SortKey, sort_rows};
use crate::table::page::{Cell, Name};
use crate::units::Picos;

/// Columns in the order they stand.
const ALL: [(RoofColumn, &str, u32); 13] = [
    (RoofColumn::Name, "Op", 0),
    (RoofColumn::Gap, "Gap", 8),
    (RoofColumn::Total, "Self", 8),
    (RoofColumn::Util, "At roof", 8),
    (RoofColumn::Intensity, "FLOP/B", 8),
    (RoofColumn::Bound, "Bound", 9),
    (RoofColumn::Mfu, "MFU", 7),
    (RoofColumn::HbmUtil, "HBM", 7),
    (RoofColumn::FlopRate, "TFLOP/s", 9),
    (RoofColumn::ByteRate, "GB/s", 8),
    (RoofColumn::Dtype, "Type", 7),
    (RoofColumn::Executions, "Count", 8),
    (RoofColumn::OpGroup, "Group", 14),
];
/// The bar of what is at the roof and what is gap; it has no order of its own.
const BAR: &str = "bar";
/// The share of all that could be won, in the order of gaps.
const SHARE: &str = "share";
/// Which go first where there is little room.
const DROP: [&str; 12] =
    ["runs", "group", "dtype", "bytes", "flops", "hbm", "mfu", "share", "ai", "bar", "self", "bound"];

/// Units of a table's columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Units {
    gap: TimeUnit,
    total: TimeUnit,
    /// The longest bar.
    longest: Picos,
    /// The totals of gap and self time: what takes the most room.
    widest: (Picos, Picos),
}

impl Units {
    /// By the largest figures, and their totals.
    pub fn from_largest(largest: &RoofLargest, figures: &RooflineFigures) -> Self {
        let recoverable = figures.step.as_ref().map_or(Picos::ZERO, |roof| roof.recoverable);
        Self::by((largest.recoverable, largest.total), (recoverable, figures.considered))
    }

    /// Where rows are steps: each is longer than any of its ops.
    pub fn of_steps(steps: &[StepRoof]) -> Self {
        let recoverable = |step: &StepRoof| step.roof.as_ref().map_or(Picos::ZERO, |roof| roof.recoverable);
        let largest = |of: &dyn Fn(&StepRoof) -> Picos| steps.iter().map(of).max().unwrap_or_default();
        let most = (largest(&recoverable), largest(&|step| step.total));
        Self::by(most, most)
    }

    fn by((gap, total): (Picos, Picos), widest: (Picos, Picos)) -> Self {
        Self { gap: TimeUnit::for_largest(gap), total: TimeUnit::for_largest(total), longest: total, widest }
    }
}

/// The column of an id, where rows can be sorted by it.
pub fn column(id: &str) -> Option<RoofColumn> {
    RoofColumn::ALL.into_iter().find(|column| column.key() == id)
}

/// The columns that fit.
pub fn columns(by: RoofBy, units: Units, two_lines: bool, measure: Measure) -> Vec<Column> {
    let mut columns = Vec::new();
    let wide = |time: Picos, unit: TimeUnit| u32::try_from(format::time(time, unit).len() + 1).unwrap_or(u32::MAX);
    for (of, head, digits) in ALL {
        let digits = match of {
            RoofColumn::Gap => digits.max(wide(units.widest.0, units.gap)),
            RoofColumn::Total => digits.max(wide(units.widest.1, units.total)),
            _ => digits,
        };
        let text = matches!(of, RoofColumn::Name | RoofColumn::Bound | RoofColumn::Dtype | RoofColumn::OpGroup);
        let head = match (of, by) {
            (RoofColumn::Name, RoofBy::Source) => "Source",
            (RoofColumn::Name, RoofBy::Program) => "Program",
            (RoofColumn::Name, RoofBy::Step) => "Step",
            _ => head,
        };
        let unit = match of {
            RoofColumn::Gap => units.gap.symbol(),
            RoofColumn::Total => units.total.symbol(),
            RoofColumn::Util | RoofColumn::Mfu | RoofColumn::HbmUtil => "%",
            _ => "",
        };
        let digits = (digits > 0).then_some(digits);
        columns.push(table::column(of.key(), (head, unit), !text, digits, Some(!text)));
        if of == RoofColumn::Gap {
            columns.push(table::column(BAR, ("At roof + gap", ""), false, Some(11), None));
            if by != RoofBy::Step {
                columns.push(table::column(SHARE, ("Cumulative gap", "%"), true, Some(7), None));
            }
        }
    }
    if by == RoofBy::Step {
        columns.retain(|column| column.id != "group");
    }
    if two_lines {
        columns.retain(|column| {
            [RoofColumn::Name, RoofColumn::Gap, RoofColumn::Util].iter().any(|of| of.key() == column.id)
        });
    }
    table::fit_beside(if measure.width < 720.0 { 130.0 } else { 220.0 }, &mut columns, &DROP, measure);
    columns
}

/// Steps as rows, in an order; ties by number.
pub fn steps(steps: &[StepRoof], sort: RoofSort) -> Vec<RoofPoint> {
    let point = |step: &StepRoof| RoofPoint {
        key: step.number.to_string(),
        program: None,
        program_id: None,
        op_group: None,
        source: None,
        total: step.total,
        n: step.roof.as_ref().map_or(0, |roof| roof.n),
        roof: step.roof.clone(),
        skipped: Vec::new(),
        cumulative: None,
    };
    let points: Vec<RoofPoint> = steps.iter().map(point).collect();
    // Steps come by number.
    let ranks: Vec<u32> = (0..points.len() as u32).collect();
    let keys = steps.iter().zip(&points).zip(&ranks).map(|((step, point), rank)| match sort.column {
        // A step has several groups and types, so these columns order by number as well.
        RoofColumn::Name | RoofColumn::OpGroup | RoofColumn::Dtype => SortKey::Number(step.number),
        column => column.sort_key(point.sort_row(*rank)),
    });
    let order = sort_rows(&keys.collect::<Vec<_>>(), &ranks, sort.descending);
    order.into_iter().map(|row| points[row as usize].clone()).collect()
}

/// The options of the table's rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TableOptions {
    /// What they stand for.
    pub by: RoofBy,
    /// Units of columns.
    pub units: Units,
    /// Letters of a name.
    pub room: usize,
    /// Rows have two lines.
    pub two_lines: bool,
}

/// A row; its name is not to be taken for that of a row beside it.
pub fn row(
    (point, beside): (&RoofPoint, &[RoofPoint]),
    columns: &[Column],
    options: TableOptions,
    selected: bool,
) -> table::Row {
    let cells = columns.iter().map(|column| cell((point, beside), &column.id, options)).collect();
    table::Row { cells, open: None, room: false, inner: false, selected, tells: options.by != RoofBy::Program }
}

fn cell((point, beside): (&RoofPoint, &[RoofPoint]), id: &str, options: TableOptions) -> Cell {
    let TableOptions { by, units, room, two_lines } = options;
    if id == RoofColumn::Name.key() {
        let second = two_lines.then(|| {
            let bound = point.roof.as_ref().map_or_else(|| without(point), |roof| bound(roof.bound).to_owned());
            (None, format!("{bound}, self {}", format::time_text(point.total)))
        });
        return Cell::Name(Name {
            text: row_label::kernel(&name(point, by), beside.iter().map(|other| other.key.as_str()), room),
            mono: true,
            second,
            ..Name::default()
        });
    }
    if id == BAR {
        let Some(roof) = &point.roof else { return Cell::Absent };
        let part = |time: Picos| time.fraction_of(units.longest).unwrap_or(0.0);
        return Cell::Gap(part(roof.t_roof.min(roof.total)), part(roof.recoverable), text(point, id, units));
    }
    let above = point.roof.as_ref().is_some_and(Roof::is_above);
    match text(point, id, units) {
        words if words == ABSENT => Cell::Absent,
        words if id == RoofColumn::Util.key() && above => Cell::Above(words),
        words => Cell::Text(words),
    }
}

/// A cell as text: what is seen, and what goes into copies.
pub fn text(point: &RoofPoint, id: &str, units: Units) -> String {
    let Some(column) = column(id) else {
        return match id {
            BAR => point.roof.as_ref().map(|roof| format::time_text(roof.t_roof)),
            SHARE => point.cumulative.map(format::percent),
            _ => None,
        }
        .unwrap_or_else(|| ABSENT.to_owned());
    };
    let roof = point.roof.as_ref();
    // Rates of next to no time say nothing.
    let rated = roof.filter(|roof| !roof.is_too_short(units.widest.1));
    let text = match column {
        RoofColumn::Name => Some(point.key.clone()),
        RoofColumn::Gap => roof.map(|roof| format::time(roof.recoverable, units.gap)),
        RoofColumn::Total => Some(format::time(point.total, units.total)),
        RoofColumn::Util => rated.and_then(|roof| roof.util).map(format::percent),
        RoofColumn::Intensity => roof.and_then(|roof| roof.intensity).map(short),
        RoofColumn::Bound => roof.map(|roof| bound(roof.bound).to_owned()).or_else(|| Some(without(point))),
        RoofColumn::Mfu => rated.and_then(|roof| roof.mfu).map(format::percent),
        RoofColumn::HbmUtil => rated.and_then(Roof::hbm_util).map(format::percent),
        RoofColumn::FlopRate => rated.and_then(Roof::flop_rate).map(format::tflops),
        RoofColumn::ByteRate => rated.and_then(|roof| roof.byte_rate(Level::Hbm)).map(format::gbs),
        RoofColumn::Dtype => roof.and_then(|roof| roof.dtype.clone()),
        RoofColumn::Executions => Some(format::count(point.n)),
        RoofColumn::OpGroup => point.op_group.clone(),
    };
    text.unwrap_or_else(|| ABSENT.to_owned())
}

/// FLOP per byte in a narrow column: what is far beyond every ridge needs no digits.
fn short(intensity: f64) -> String {
    if intensity < 99_999.5 { format::intensity(intensity) } else { format::quantity(intensity) }
}

/// Why a row has no roof, shortly.
fn without(point: &RoofPoint) -> String {
    point.skipped.first().map_or_else(|| ABSENT.to_owned(), |skipped| skipped.reason.label().to_owned())
}

/// What a cell has to say beyond its text.
pub fn tip(point: &RoofPoint, id: &str) -> Option<Tip> {
    let mut rows: Vec<(String, String)> = Vec::new();
    let mut row = |label: &str, value: Option<String>| rows.extend(value.map(|value| (label.to_owned(), value)));
    match &point.roof {
        _ if id == RoofColumn::Name.key() => {
            row("Program", point.program.clone());
            row("Group", point.op_group.clone());
            row("Source", point.source.clone());
        }
        Some(roof) => {
            row("Self", Some(format::exact_time(point.total)));
            row("FLOPs", Some(format::quantity(roof.flops)));
            row("Bytes", Some(format::quantity(roof.bytes)));
            row("FLOPs ÷ peak", Some(format::exact_time(roof.t_compute)));
            row("Bytes ÷ bandwidth", Some(format::exact_time(roof.t_hbm())));
            row("Time at the roof", Some(format::exact_time(roof.t_roof)));
            row("▲", roof.is_above().then(|| "the cost estimate is above the peak".to_owned()));
        }
        None => {}
    }
    for skipped in &point.skipped {
        row("No roof", Some(format!("{}: {}", skipped.reason.label(), format::time_text(skipped.total))));
    }
    Some(Tip { title: point.key.clone(), rows })
}

/// The totals.
pub fn foot(figures: &RooflineFigures, n_rows: u32, by: RoofBy, units: Units) -> Vec<(String, String)> {
    let what = match by {
        RoofBy::Op => ("op", "ops"),
        RoofBy::Source => ("source", "sources"),
        RoofBy::Program => ("program", "programs"),
        RoofBy::Step => ("step", "steps"),
    };
    let mut foot = vec![(RoofColumn::Name.key().to_owned(), format::counted(n_rows.into(), what.0, what.1))];
    if by == RoofBy::Step {
        return foot;
    }
    foot.push((RoofColumn::Total.key().to_owned(), format::time(figures.considered, units.total)));
    if let Some(roof) = &figures.step {
        foot.push((RoofColumn::Gap.key().to_owned(), format::time(roof.recoverable, units.gap)));
        foot.extend(roof.util.map(|util| (RoofColumn::Util.key().to_owned(), format::percent(util))));
    }
    foot
}
