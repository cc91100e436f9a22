//! This module declares the columns of the rows of a comparison.

use super::groups::GroupDelta;
use super::matching::Tier;
use super::report::{CompareRows, RowDelta, RowSide, Verdict};
use crate::analysis::classify::Kind;
use crate::table::Value::{self, Absent, Flag, Number, Text, Time, Word};
use crate::table::format::{counted, middle_cut};
use crate::table::page::{Mark, Name};
use crate::table::shown::{Format, RowTip, Shown, Table, TipLine};
use crate::table::{Column, Difference};
use crate::units::Picos;
use std::borrow::Cow;

fn time(side: Option<&RowSide>) -> Value<'_> {
    Value::maybe(side, |side| Time(Picos(side.self_ps.unsigned_abs())))
}

fn op(side: Option<&RowSide>) -> Value<'_> {
    Value::maybe_text(side.and_then(|side| side.ops.first()).map(String::as_str))
}

fn n_executions(side: Option<&RowSide>) -> Value<'_> {
    Value::maybe(side, |side| Number(side.n_executions))
}

fn roofline(side: Option<&RowSide>) -> Value<'_> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a time in ps")]
    Value::maybe(side.and_then(|side| side.roofline_ps), |time| Time(Picos(time.max(0.0).round() as u64)))
}

/// The larger one of the times of both sides, which sets the unit of all times.
fn longer(row: &RowDelta) -> Picos {
    let time = |side: &Option<RowSide>| side.as_ref().map_or(0, |side| side.self_ps.unsigned_abs());
    Picos(time(&row.a).max(time(&row.b)))
}

fn difference(row: &RowDelta) -> Value<'static> {
    let is_real = matches!(row.verdict, Verdict::Regression | Verdict::Improvement);
    Value::Difference(Difference { ps: row.delta_ps, is_real })
}

/// A part of the difference. No test is made for it.
fn part(ps: i64) -> Value<'static> {
    Value::Difference(Difference { ps, is_real: false })
}

/// The columns of the rows, in the order of CSV.
pub const COMPARE: &[Column<RowDelta>] = &[
    Column::new("op", |row| Value::text(row.name())),
    Column::new("op_a", |row| op(row.a.as_ref())),
    Column::new("op_b", |row| op(row.b.as_ref())),
    Column::new("kind", |row| Value::Labelled(row.kind.key(), row.kind.label())),
    Column::new("scope", |row| Value::maybe_text(row.scope())),
    Column::new("source", |row| Value::maybe_text(row.source())),
    Column::new("op_group", |row| Value::maybe_text(row.op_group())),
    Column::new("tier", |row| Value::maybe(row.tier.map(Tier::key), Word)),
    Column::new("ambiguous", |row| Flag(row.is_ambiguous)),
    Column::new("a_ps", |row| time(row.a.as_ref())),
    Column::new("b_ps", |row| time(row.b.as_ref())),
    Column::new("delta_ps", difference),
    Column::new("count_ps", |row| part(row.count_ps)),
    Column::new("work_ps", |row| Value::maybe(row.work_ps, part)),
    Column::new("efficiency_ps", |row| Value::maybe(row.efficiency_ps, part)),
    Column::new("n_executions_a", |row| n_executions(row.a.as_ref())),
    Column::new("n_executions_b", |row| n_executions(row.b.as_ref())),
    Column::new("roofline_a_ps", |row| roofline(row.a.as_ref())),
    Column::new("roofline_b_ps", |row| roofline(row.b.as_ref())),
    Column::new("p", |row| Value::maybe(row.p, Number)),
    Column::new("verdict", |row| Value::Labelled(row.verdict_key(), row.verdict_label())),
    Column::shown("longer_ps", |row| Time(longer(row))),
    Column::shown("bar", difference),
    Column::shown("of_step", difference),
    Column::shown("change", |row| Value::maybe(row.change(), Number)),
    Column::shown("matched_by", |row| Text(row.matched_by())),
    Column::shown("n_ops", |row| {
        let n = |side: &Option<RowSide>| side.as_ref().map_or(0, |side| side.ops.len());
        let (a, b) = (n(&row.a), n(&row.b));
        if a > 1 || b > 1 { Text(format!("{a} in A, {b} in B").into()) } else { Absent }
    }),
    Column::shown("p_text", |row| Value::maybe(row.p, |p| Text(format!("{p:.3}").into()))),
    Column::shown("executions", |row| {
        let n = |side: &Option<RowSide>| side.as_ref().map_or("–".to_owned(), |side| executions(side.n_executions));
        Text(format!("{} in A, {} in B", n(&row.a), n(&row.b)).into())
    }),
];

fn executions(n: f64) -> String {
    crate::table::format::decimal(n, if n.fract().abs() < 0.005 { 0 } else { 2 })
}

/// The table of ops of both sides.
pub const COMPARE_TABLE: Table<RowDelta> = Table {
    columns: COMPARE,
    shown: &[
        Shown::name("op", "Op"),
        Shown::new("kind", "Kind", Format::Marked, 19, 6),
        Shown::new("a_ps", "A", Format::Time, 10, 1).in_unit_of("longer_ps").with_total(),
        Shown::new("b_ps", "B", Format::Time, 10, 1).in_unit_of("longer_ps").with_total(),
        Shown::new("delta_ps", "Difference", Format::Difference, 12, 0).in_unit_of("longer_ps").with_total(),
        Shown::new("bar", "− / +", Format::DifferenceBar, 17, 4),
        Shown::new("change", "Change", Format::Change, 9, 5),
        Shown::new("of_step", "Of A", Format::DifferenceShare, 8, 7).with_total(),
        Shown::new("verdict", "Verdict", Format::Text, 13, 3),
        Shown::new("matched_by", "Matched by", Format::Soft, 26, 8),
        Shown::new("scope", "Scope", Format::Soft, 42, 9).stretching().if_wide(),
    ],
    tips: &[RowTip::of_all(&[
        TipLine::new("op_a", "In A"),
        TipLine::new("op_b", "In B"),
        TipLine::new("n_ops", "Ops"),
        TipLine::new("a_ps", "A"),
        TipLine::new("b_ps", "B"),
        TipLine::new("delta_ps", "Difference"),
        TipLine::new("count_ps", "by other executions"),
        TipLine::new("work_ps", "by other work"),
        TipLine::new("efficiency_ps", "by other efficiency"),
        TipLine::new("executions", "Executions"),
        TipLine::new("p_text", "p, Mann–Whitney"),
        TipLine::new("verdict", "Verdict"),
        TipLine::new("matched_by", "Matched by"),
        TipLine::new("scope", "Scope"),
        TipLine::new("source", "Source"),
    ])],
    key: RowDelta::key,
    name: |row, _| Name {
        text: row.name().to_owned(),
        mono: true,
        second: Some((Some(Mark::Time(row.kind.class().to_owned())), second_line(row))),
        beside: row.other_name().map(|name| format!("{} in A", middle_cut(name, 32))),
        ..Name::default()
    },
    mark: |row| Some(Mark::Time(row.kind.class().to_owned())),
    opens: |_| true,
    parts: |_| Vec::new(),
    nouns: ("row", "rows"),
    default_sort: "delta_ps",
    leaf: &["op_a", "op_b", "scope", "source"],
};

fn time_of(ps: i64) -> Value<'static> {
    Time(Picos(ps.unsigned_abs()))
}

/// The columns of groups of rows, in the order of CSV.
pub const COMPARE_GROUPS: &[Column<GroupDelta>] = &[
    Column::new("name", |group| Value::text(&group.name)),
    Column::new("kind", |group| Value::maybe(group.kind.map(Kind::key), Word)),
    Column::new("n_rows", |group| Value::Count(group.n_rows.into())),
    Column::new("a_ps", |group| time_of(group.a_ps)),
    Column::new("b_ps", |group| time_of(group.b_ps)),
    Column::new("delta_ps", |group| part(group.delta_ps)),
    Column::shown("text", |group| Value::text(&group.text)),
    Column::shown("longer_ps", |group| time_of(group.a_ps.max(group.b_ps))),
    Column::shown("bar", |group| part(group.delta_ps)),
    Column::shown("of_step", |group| part(group.delta_ps)),
    Column::shown("change", |group| Value::maybe(group.change(), Number)),
];

/// The table of groups of ops of both sides. No test is made for a group.
pub const COMPARE_GROUP_TABLE: Table<GroupDelta> = Table {
    columns: COMPARE_GROUPS,
    shown: &[
        Shown::name("text", "Group"),
        Shown::new("a_ps", "A", Format::Time, 10, 1).in_unit_of("longer_ps").with_total(),
        Shown::new("b_ps", "B", Format::Time, 10, 1).in_unit_of("longer_ps").with_total(),
        Shown::new("delta_ps", "Difference", Format::Difference, 12, 0).in_unit_of("longer_ps").with_total(),
        Shown::new("bar", "− / +", Format::DifferenceBar, 17, 2),
        Shown::new("change", "Change", Format::Change, 9, 3),
        Shown::new("of_step", "Of A", Format::DifferenceShare, 8, 5).with_total(),
        Shown::new("n_rows", "Rows", Format::Count, 8, 4).with_total(),
    ],
    tips: &[RowTip::of_all(&[
        TipLine::new("a_ps", "A"),
        TipLine::new("b_ps", "B"),
        TipLine::new("delta_ps", "Difference"),
        TipLine::new("n_rows", "Rows"),
    ])],
    key: |group| group.name.clone(),
    name: |group, _| Name {
        text: group.text.clone(),
        mono: true,
        second: Some((group_mark(group), counted(group.n_rows.into(), "row", "rows"))),
        ..Name::default()
    },
    mark: group_mark,
    opens: |_| true,
    parts: |_| Vec::new(),
    nouns: ("group", "groups"),
    default_sort: "delta_ps",
    leaf: &["text"],
};

fn group_mark(group: &GroupDelta) -> Option<Mark> {
    group.kind.map(|kind| Mark::Time(kind.class().to_owned()))
}

impl GroupDelta {
    /// Returns the difference as a fraction of A. `None` if A has no time in the group.
    #[expect(clippy::cast_precision_loss, reason = "a ratio")]
    pub fn change(&self) -> Option<f64> {
        (self.a_ps > 0).then(|| self.delta_ps as f64 / self.a_ps as f64)
    }
}

/// Returns the kind and the verdict: the second line of a row on a narrow screen, below the name.
fn second_line(row: &RowDelta) -> String {
    let verdict = match row.sides() {
        CompareRows::Matched => row.verdict.label(),
        one_side => one_side.words(),
    };
    format!("{}, {verdict}", row.kind.short())
}

impl RowDelta {
    /// Returns how the ops of both sides were matched, or which side has the op.
    pub fn matched_by(&self) -> Cow<'static, str> {
        match self.tier {
            Some(tier) if self.is_ambiguous => format!("{}, ambiguous", tier.label()).into(),
            Some(tier) => tier.label().into(),
            None => self.sides().words().into(),
        }
    }

    /// Returns the name of the row in selections: the ops of A and of B with the most time, with the ids of their programs.
    pub fn key(&self) -> String {
        let side = |side: &Option<RowSide>| side.as_ref().map_or_else(String::new, RowSide::key);
        format!("{} {}", side(&self.a), side(&self.b))
    }

    /// Returns the name of A's op, if it differs from that of B.
    fn other_name(&self) -> Option<&str> {
        let (a, b) = (self.a.as_ref()?.ops.first()?, self.b.as_ref()?.ops.first()?);
        (a != b).then_some(a)
    }

    /// Returns the difference as a fraction of A. `None` for ops of one side.
    #[expect(clippy::cast_precision_loss, reason = "a ratio")]
    pub fn change(&self) -> Option<f64> {
        let (a, _) = self.a.as_ref().zip(self.b.as_ref())?;
        (a.self_ps > 0).then(|| self.delta_ps as f64 / a.self_ps as f64)
    }
}
