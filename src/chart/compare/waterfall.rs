//! This module computes the waterfall of a comparison: bars that lead from A to B, each from where the one above ends. The axis
//! is the difference from A.

use super::figures::arrow;
use crate::analysis::classify::Kind;
use crate::analysis::compare::{CompareRows, Comparison, OpGroupDelta, PartDelta};
use crate::analysis::ledger::Owner;
use crate::chart::plot::scale::Scale;
use crate::chart::plot::ticks::{Tick, plain, ticks};
use crate::chart::plot::time_part::TimePart;
use crate::report::compare::format::picos;
use crate::report::ledger::table::label;
use crate::table::format::{self, TimeUnit, signed_time};
use std::fmt::Write as _;

/// Largest number of parts that have a row of their own.
const MAX_PARTS: usize = 9;
/// A part below this share of the largest one is in the rest.
const SMALL_PART: f64 = 0.005;
/// A part has rows for its ops if it is at least this share of the largest part, and an op has one if it is at least the second.
const WITH_OPS: f64 = 0.1;
const SMALL_OP: f64 = 0.03;

/// What a row of the waterfall stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaterfallRowKind {
    /// The time of A or B.
    Total,
    /// What time was spent on.
    Part,
    /// An op within the part above.
    Op,
    /// The sum of what has no row of its own.
    Rest,
}

/// A row of the waterfall.
#[derive(Clone, Debug, PartialEq)]
pub struct WaterfallRow {
    pub kind: WaterfallRowKind,
    pub label: String,
    /// The kind of time, for its swatch.
    pub time_part: Option<TimePart>,
    /// The times of A and B, or how an op was matched.
    pub detail: String,
    /// The difference with its sign; for A and B the time.
    pub value: String,
    /// The difference as a percentage of A's part, with its sign. Empty if there is none.
    pub change: String,
    pub difference_ps: i64,
    /// Start and end of the bar, as fractions of the axis. The start of a shorter time is to the right of its end.
    pub bar: (f64, f64),
    /// What the label of an op opens.
    pub opens: Option<WaterfallLink>,
}

/// What the label of a row of the waterfall opens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WaterfallLink {
    /// The row of an op, by its [key](crate::analysis::compare::RowDelta::key).
    Row(String),
    /// The rows of the table whose names hold a text.
    Rows(CompareRows, String),
}

/// The waterfall of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Waterfall {
    pub rows: Vec<WaterfallRow>,
    /// The unit of all times.
    pub unit: &'static str,
    /// The place of A's time, as a fraction of the axis.
    pub zero: f64,
    pub ticks: Vec<Tick>,
}

/// The part of a device's time as the kinds of a breakdown name it.
const fn time_part(owner: Owner) -> TimePart {
    match owner {
        Owner::Floor | Owner::Excess | Owner::Slower | Owner::Opaque => TimePart::Kind(Kind::Compute),
        Owner::Transfer | Owner::Late => TimePart::Kind(Kind::Communication),
        Owner::Dma | Owner::Layout => TimePart::Kind(Kind::DataMovement),
        Owner::Loop => TimePart::Kind(Kind::Container),
        Owner::Gap(_) => TimePart::Idle,
    }
}

/// Computes the waterfall. The differences of its parts sum to that of the whole, to the picosecond.
#[expect(clippy::cast_precision_loss, reason = "places on the screen")]
pub fn waterfall(comparison: &Comparison) -> Waterfall {
    let unit = TimeUnit::for_largest(picos(comparison.a_ps.max(comparison.b_ps)));
    let largest = comparison.parts.iter().map(|part| part.delta_ps.unsigned_abs()).max().unwrap_or_default() as f64;
    let is_shown = |(index, part): &(usize, &PartDelta)| {
        *index < MAX_PARTS && part.delta_ps != 0 && part.delta_ps.unsigned_abs() as f64 >= SMALL_PART * largest
    };
    let mut drawn = Drawn { comparison, unit, end: 0, rows: Vec::new(), bars: Vec::new() };
    drawn.total("A", comparison.a_ps, (0, 0));
    let n_shown = comparison.parts.iter().enumerate().take_while(is_shown).count();
    let (shown, rest) = comparison.parts.split_at(n_shown);
    for part in shown {
        let has_ops = part.delta_ps.unsigned_abs() as f64 >= WITH_OPS * largest;
        drawn.part(part, if has_ops { SMALL_OP * largest } else { f64::INFINITY });
    }
    drawn.rest(rest);
    drawn.total("B", comparison.b_ps, (0, comparison.delta_ps));
    drawn.finish()
}

/// The rows so far, and the bars of each in ps from A.
struct Drawn<'c> {
    comparison: &'c Comparison,
    unit: TimeUnit,
    /// Where the last bar ends, in ps from A.
    end: i64,
    rows: Vec<WaterfallRow>,
    bars: Vec<(i64, i64)>,
}

impl Drawn<'_> {
    fn push(&mut self, row: WaterfallRow, bar: (i64, i64)) {
        self.rows.push(row);
        self.bars.push(bar);
    }

    fn row(&self, kind: WaterfallRowKind, label: String, detail: String, difference_ps: i64) -> WaterfallRow {
        let value = signed_time(difference_ps, self.unit);
        WaterfallRow {
            kind,
            label,
            time_part: None,
            detail,
            value,
            change: String::new(),
            difference_ps,
            bar: (0.0, 0.0),
            opens: None,
        }
    }

    fn total(&mut self, side: &str, time: i64, bar: (i64, i64)) {
        let difference = bar.1;
        let mut row = self.row(WaterfallRowKind::Total, side.to_owned(), String::new(), difference);
        row.detail = format::time(picos(time), self.unit);
        if side == "A" {
            row.value = String::new();
        } else {
            row.change = change(difference, self.comparison.a_ps);
        }
        self.push(row, bar);
    }

    fn part(&mut self, part: &PartDelta, smallest_op: f64) {
        let start = self.end;
        let detail = self.times(part.a_ps, part.b_ps);
        let mut row = self.row(WaterfallRowKind::Part, label(part.owner), detail, part.delta_ps);
        row.time_part = Some(time_part(part.owner));
        row.change = change(part.delta_ps, part.a_ps);
        self.push(row, (start, start + part.delta_ps));
        let mut end = start;
        #[expect(clippy::cast_precision_loss, reason = "a threshold")]
        let is_shown = |(_, delta): &&(u32, i64)| *delta != 0 && delta.unsigned_abs() as f64 >= smallest_op;
        let ops: Vec<(u32, i64)> = part.children.iter().filter(is_shown).copied().collect();
        for (index, delta) in &ops {
            let Some(row_delta) = self.comparison.rows.get(*index as usize) else { continue };
            let mut detail = row_delta.sides().words().to_owned();
            if row_delta.delta_ps != *delta {
                // Compute has a needed part and a part above it, so an op can be in two groups.
                let _ = write!(detail, ", of {}", signed_time(row_delta.delta_ps, self.unit));
            }
            let mut row = self.row(WaterfallRowKind::Op, row_delta.name().to_owned(), detail, *delta);
            row.opens = Some(WaterfallLink::Row(row_delta.key()));
            self.push(row, (end, end + delta));
            end += delta;
        }
        #[expect(clippy::cast_precision_loss, reason = "a threshold")]
        let is_large = |group: &&OpGroupDelta| group.delta_ps.unsigned_abs() as f64 >= smallest_op;
        for group in part.groups.iter().filter(is_large) {
            let n = format::count(group.n_rows.into());
            let detail = format!("{n} {}{}", if ops.is_empty() { "" } else { "more, " }, group.rows.words());
            let mut row = self.row(WaterfallRowKind::Op, group.name.clone(), detail, group.delta_ps);
            row.opens = Some(WaterfallLink::Rows(group.rows, group.name.clone()));
            self.push(row, (end, end + group.delta_ps));
            end += group.delta_ps;
        }
        let rest = start + part.delta_ps - end;
        let has_rows = !ops.is_empty() || part.groups.iter().any(|group| is_large(&group));
        if has_rows && rest != 0 {
            let row = self.row(WaterfallRowKind::Op, "rest".to_owned(), String::new(), rest);
            self.push(row, (end, end + rest));
        }
        self.end = start + part.delta_ps;
    }

    /// Adds the parts that are too small for rows of their own.
    fn rest(&mut self, parts: &[PartDelta]) {
        let sum = |value: fn(&PartDelta) -> i64| parts.iter().map(value).sum::<i64>();
        if parts.is_empty() {
            return;
        }
        let (a, b, delta) = (sum(|part| part.a_ps), sum(|part| part.b_ps), sum(|part| part.delta_ps));
        let mut row = self.row(WaterfallRowKind::Rest, "Other parts".to_owned(), self.times(a, b), delta);
        row.change = change(delta, a);
        self.push(row, (self.end, self.end + delta));
        self.end += delta;
    }

    fn times(&self, a: i64, b: i64) -> String {
        format!("{} → {}", format::time(picos(a), self.unit), format::time(picos(b), self.unit))
    }

    /// Places the bars on an axis that holds all of them, and A.
    #[expect(clippy::cast_precision_loss, reason = "places on the screen")]
    fn finish(self) -> Waterfall {
        let ends = || self.bars.iter().flat_map(|(start, end)| [*start, *end]);
        let (low, high) = (ends().min().unwrap_or(0).min(0) as f64, ends().max().unwrap_or(0).max(0) as f64);
        let margin = ((high - low) * 0.03).max(1.0);
        let in_unit = |ps: f64| ps / self.unit.in_ps() as f64;
        let scale = Scale::linear((in_unit(low - margin), in_unit(high + margin)), (0.0, 1.0));
        let place = |ps: i64| scale.to(in_unit(ps as f64));
        let mut rows = self.rows;
        for (row, (start, end)) in rows.iter_mut().zip(&self.bars) {
            row.bar = (place(*start), place(*end));
        }
        Waterfall { rows, unit: self.unit.symbol(), zero: place(0), ticks: ticks(&scale, 5, plain) }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a ratio")]
fn change(difference: i64, a: i64) -> String {
    if a == 0 { String::new() } else { format::signed_percent(difference as f64 / a as f64) }
}

impl WaterfallRow {
    /// Returns the row in a sentence for screen readers.
    pub fn sentence(&self) -> String {
        let detail = if self.detail.is_empty() { String::new() } else { format!(", {}", self.detail) };
        format!("{}{detail} {}{}", self.label, arrow(self.difference_ps), self.value)
    }
}
