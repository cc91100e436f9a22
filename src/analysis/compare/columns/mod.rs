//! This module declares the columns of the rows of a comparison and of their groups, and the fields of its other parts.

mod causes;
mod sections;
mod whole;

pub use causes::{CAUSES, PHASES, WORK_PAIRS};
pub use sections::{CHANGE_COUNTS, CHANGED_PROPERTIES, COMM_ROWS, MEMORY, OPCODES, PROGRAM_PAIRS, TIMES};
pub use whole::{FIGURES, FINDINGS, PARITY, SCOPES, SERIES_CAPTURES, SIDES};

use super::groups::GroupDelta;
use super::matching::Tier;
use super::report::{CompareRows, RowDelta, RowSide, Verdict};
use crate::analysis::classify::Kind;
use crate::table::format::{counted, middle_cut};
use crate::table::page::{Mark, Name};
use crate::table::shown::{Format, RowTip, Shown, Table, TipLine};
use crate::table::{Difference, Value, columns};
use std::borrow::Cow;
use whole::ROW_SIDES;
use xla_profile::units::Picos;

/// Returns a time, which is negative only in a damaged report.
const fn picos(ps: i64) -> Picos {
    Picos(ps.unsigned_abs())
}

fn time(side: Option<&RowSide>) -> Option<Picos> {
    side.map(|side| picos(side.self_ps))
}

fn first_op(side: Option<&RowSide>) -> Option<&str> {
    side?.ops.first().map(String::as_str)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a time in ps")]
fn roofline(side: Option<&RowSide>) -> Option<Picos> {
    side?.roofline_ps.map(|time| Picos(time.max(0.0).round() as u64))
}

/// The larger one of the times of both sides, which sets the unit of all times.
fn longer(row: &RowDelta) -> Picos {
    let time = |side: Option<&RowSide>| time(side).unwrap_or_default();
    time(row.a.as_ref()).max(time(row.b.as_ref()))
}

fn difference(row: &RowDelta) -> Value<'static> {
    let is_real = matches!(row.verdict, Verdict::Regression | Verdict::Improvement);
    Value::Difference(Difference { ps: row.delta_ps, is_real })
}

/// A part of the difference. No test is made for it.
const fn part(ps: i64) -> Value<'static> {
    Value::Difference(Difference { ps, is_real: false })
}

columns! {
    /// The columns of the rows. Times are in ps per unit.
    pub COMPARE(row: RowDelta) {
        /// The op with the most time: that of B, or that of A if B has none.
        name: Name(Op) in json = row.name(),
        /// The op with the most time: that of B, or that of A if B has none.
        op: Name(Op) in csv = row.name(),
        /// The op of A with the most time. Null if A has none.
        op_a: Name(Op) or null in csv = first_op(row.a.as_ref()),
        /// The op of B with the most time. Null if B has none.
        op_b: Name(Op) or null in csv = first_op(row.b.as_ref()),
        /// The kind of the op.
        kind: Labelled(Kind) = row.kind,
        /// Scope path of the op of B, or of A if B does not tell.
        scope: Name(Scope) or null in csv = row.scope(),
        /// The innermost source line in the user's own code of the op of B, or of A if B does not tell.
        source: Removed or null in csv = row.source(),
        /// Group of work of the op of B, such as matmul, or of A if B does not tell.
        op_group: Text or null in csv = row.op_group(),
        /// The evidence by which the ops were matched, such as `exact`, `scope_and_shape` or `name`. `by_hand` is a
        /// pair of `--pair`, `layer_group` the same scope but for loops and numbers of layers, and `left_out` the ops
        /// that a report leaves out, by kind. Null for ops of one side.
        tier: Word(Tier) or null = row.tier,
        /// How far a match of this tier can be relied on, from 0 to 1. Null for ops of one side.
        weight: Number or null in json = row.tier.map(Tier::weight),
        /// Whether other pairs were possible.
        ambiguous: Flag = row.is_ambiguous,
        /// The ops of A. Null if B alone has them.
        a: Object(ROW_SIDES) or null in json = row.a.as_ref(),
        /// The ops of B. Null if A alone has them.
        b: Object(ROW_SIDES) or null in json = row.b.as_ref(),
        /// Self time in A. Null if B alone has the ops.
        a_ps: Time or null in csv = time(row.a.as_ref()),
        /// Self time in B. Null if A alone has the ops.
        b_ps: Time or null in csv = time(row.b.as_ref()),
        /// The difference. It is `count_ps` + `work_ps` + `efficiency_ps` where all of them are known.
        delta_ps: Value(Integer) = difference(row),
        /// The part of the difference that another number of executions makes. 0 for ops of one side.
        count_ps: Value(Integer) = part(row.count_ps),
        /// The part that another roofline time makes: more or less work. Null without roofline times.
        work_ps: Value(Integer) or null = Value::maybe(row.work_ps, part),
        /// The rest of the difference: the same work takes another time. Null without roofline times.
        efficiency_ps: Value(Integer) or null = Value::maybe(row.efficiency_ps, part),
        /// Executions in A, per unit. Null if B alone has the ops.
        n_executions_a: Number or null in csv = row.a.as_ref().map(|side| side.n_executions),
        /// Executions in B, per unit. Null if A alone has the ops.
        n_executions_b: Number or null in csv = row.b.as_ref().map(|side| side.n_executions),
        /// Roofline time in A. Null if it is unknown, or if B alone has the ops.
        roofline_a_ps: Time or null in csv = roofline(row.a.as_ref()),
        /// Roofline time in B. Null if it is unknown, or if A alone has the ops.
        roofline_b_ps: Time or null in csv = roofline(row.b.as_ref()),
        /// The two-sided p-value of the Mann–Whitney test over steps. Null with fewer than 4 steps on a side.
        p: Number or null = row.p,
        /// The verdict, as that of the whole comparison. That on ops of B alone is `new`, and on those of A alone
        /// `gone`. Of all rows that differ, at most 5 % are expected to differ by chance (Benjamini and Hochberg).
        verdict: Value(Word) = Value::Labelled(row.verdict_key(), row.verdict_label()),
        longer_ps: Time in page = longer(row),
        bar: Value(Integer) in page = difference(row),
        of_step: Value(Integer) in page = difference(row),
        change: Number or null in page = row.change(),
        matched_by: Text in page = row.matched_by(),
        n_ops: Text or null in page = {
            let n = |side: &Option<RowSide>| side.as_ref().map_or(0, |side| side.ops.len());
            let (a, b) = (n(&row.a), n(&row.b));
            (a > 1 || b > 1).then(|| format!("{a} in A, {b} in B"))
        },
        p_text: Text or null in page = row.p.map(|p| format!("{p:.3}")),
        executions: Text in page = {
            let n = |side: &Option<RowSide>| side.as_ref().map_or("–".to_owned(), |side| executions(side.n_executions));
            format!("{} in A, {} in B", n(&row.a), n(&row.b))
        },
    }
}

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

columns! {
    /// The columns of groups of rows. Times are in ps per unit.
    pub COMPARE_GROUPS(row: GroupDelta) {
        /// Name of the group. That of a kind is its name in JSON.
        name: Removed = &row.name,
        /// The kind of its rows. Null if they differ in it.
        kind: Word(Kind) or null = row.kind,
        /// Number of its rows. A matched row belongs to the group of its op of B, or of A if B does not tell.
        n_rows: Count = row.n_rows.into(),
        /// Self time in A.
        a_ps: Time = picos(row.a_ps),
        /// Self time in B.
        b_ps: Time = picos(row.b_ps),
        /// The sum of the differences of its rows.
        delta_ps: Value(Integer) = part(row.delta_ps),
        text: Text in page = &row.text,
        longer_ps: Time in page = picos(row.a_ps.max(row.b_ps)),
        bar: Value(Integer) in page = part(row.delta_ps),
        of_step: Value(Integer) in page = part(row.delta_ps),
        change: Number or null in page = row.change(),
    }
}

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

    /// Returns the name of the row in selections: the ops of A and of B with the most time, with the ids of their
    /// programs.
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
