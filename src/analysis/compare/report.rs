//! This module defines what a comparison reports. It is plain data and does not depend on the analysis.
//!
//! All times are in ps per unit: per step or, if the captures do different work in a step, per million tokens. Times are those of
//! the device of each side on which its steps depend. A difference is B − A, so that what became slower is positive.

use super::causes::Explanation;
use super::matching::Tier;
use super::sections::{CommDelta, MemoryDelta, ProgramDiff};
use super::statistics::Shift;
use crate::analysis::classify::Kind;
use crate::analysis::ledger::Owner;
use crate::analysis::overview::Unit;
use crate::table::page::row_key;
use serde::{Deserialize, Serialize};
use xla_profile::keyed_enum;

keyed_enum! {
    /// The unit of work to which times are normalised.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum CompareUnit {
        Step = "step",
        MillionTokens = "million_tokens",
    }
}

impl CompareUnit {
    /// Returns the factor that scales the time of a step of a side to this unit.
    #[expect(clippy::cast_precision_loss, reason = "samples of statistics")]
    pub(super) fn scale(self, side: &SideHead) -> f64 {
        match (self, side.tokens) {
            (Self::MillionTokens, Some(tokens)) => 1e6 / tokens as f64,
            _ => 1.0,
        }
    }

    /// Returns the lengths of the steps of a side in ps per unit.
    #[expect(clippy::cast_precision_loss, reason = "samples of statistics")]
    pub fn samples(self, side: &SideHead) -> Vec<f64> {
        side.periods_ps.iter().map(|period| *period as f64 * self.scale(side)).collect()
    }
}

keyed_enum! {
    /// Whether a difference is real.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Verdict {
        /// B is slower, by more than the steps and captures vary.
        Regression = "regression": "slower",
        /// B is faster, by more than the steps and captures vary.
        Improvement = "improvement": "faster",
        WithinNoise = "within_noise": "within noise",
        /// A side has no steps.
        TooFewSteps = "too_few_steps": "too few steps",
        /// The sides do different work, and the work in a step is unknown.
        Incomparable = "incomparable": "not comparable",
    }
}

impl Verdict {
    /// Returns the verdict on a difference in ps, which is or is not beyond what steps and captures vary by.
    pub(super) const fn of_difference(delta_ps: i64, is_real: bool) -> Self {
        match delta_ps {
            1.. if is_real => Self::Regression,
            ..=-1 if is_real => Self::Improvement,
            _ => Self::WithinNoise,
        }
    }
}

/// One side of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SideHead {
    pub files: Vec<String>,
    /// Label of the device on which the steps depend.
    pub device: String,
    pub device_type: Option<String>,
    /// Number of devices of the session.
    pub n_devices: u32,
    /// Number of steps; 0 if the window is the whole capture.
    pub n_steps: u32,
    /// The kind of the steps. `None` if all steps of the session are of one kind, or if a report does not tell.
    pub step_kind: Option<String>,
    /// Mean length of a step, in ps.
    pub period_ps: u64,
    /// Length of each step in order, in ps. Empty if a report does not hold all of them.
    pub periods_ps: Vec<u64>,
    /// Median length of a step, in ps. `None` without steps.
    pub median_ps: Option<f64>,
    /// Tokens of one step of the whole job: a guess from the inputs of the program.
    pub tokens: Option<u64>,
    /// Whether only a part of the capture was read.
    pub is_partial: bool,
    /// The level of detail of the report, from 0 to 100. `None` for a capture.
    pub report_level: Option<u8>,
}

impl SideHead {
    /// Returns whether the side has steps, but not the length of each of them, as a report that is cut.
    pub const fn has_no_samples(&self) -> bool {
        self.n_steps > 0 && self.periods_ps.is_empty()
    }
}

/// A property that both sides should share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parity {
    /// Name in JSON.
    pub key: String,
    /// The label for users.
    pub label: String,
    pub a: Option<String>,
    pub b: Option<String>,
    /// Whether both sides are equal. `None` if a side does not tell.
    pub is_equal: Option<bool>,
}

/// The difference of one owner of time. The differences of all owners sum to that of the whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartDelta {
    pub owner: Owner,
    pub a_ps: i64,
    pub b_ps: i64,
    pub delta_ps: i64,
    /// Rows with a part of this difference: the index in [`Comparison::rows`], and the part. They sum to `delta_ps`. Idle time has
    /// none.
    pub children: Vec<(u32, i64)>,
    /// The largest groups of the rows that a cut comparison leaves out of `children`. Empty if it has all of them.
    pub groups: Vec<OpGroupDelta>,
}

/// Rows of an owner whose names differ only in numbers, and that are on the same sides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpGroupDelta {
    /// The name without numbers.
    pub name: String,
    pub n_rows: u32,
    /// The rows of the table in which they are.
    pub rows: CompareRows,
    /// The sum of their parts of the difference.
    pub delta_ps: i64,
}

/// One side of a row.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RowSide {
    /// Names of the ops, those with the most time first.
    pub ops: Vec<String>,
    /// Id of the program of the first op. `None` if its events name none.
    pub program_id: Option<u64>,
    /// Scope path of the op with the most time.
    pub scope: Option<String>,
    /// Innermost source frame of that op in the user's own code, `file:line`.
    pub source: Option<String>,
    /// Name of its group of work, such as matmul.
    pub op_group: Option<String>,
    /// Executions per unit.
    pub n_executions: f64,
    /// Time in ps per unit.
    pub self_ps: i64,
    /// Roofline time in ps per unit. `None` if the costs or peaks are unknown.
    pub roofline_ps: Option<f64>,
}

impl RowSide {
    /// Returns the name of the op with the most time, with the id of its program.
    pub fn key(&self) -> String {
        row_key(self.ops.first().map_or("", String::as_str), self.program_id)
    }
}

/// Ops of both sides that belong together, or ops of one side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RowDelta {
    pub kind: Kind,
    /// How the ops were paired. `None` if they are in one side only.
    pub tier: Option<Tier>,
    /// Whether several pairings were possible.
    pub is_ambiguous: bool,
    pub a: Option<RowSide>,
    pub b: Option<RowSide>,
    pub delta_ps: i64,
    /// The part of `delta_ps` that another number of executions makes. 0 for ops of one side.
    pub count_ps: i64,
    /// The part that other roofline times make: more or less work. `None` without roofline times.
    pub work_ps: Option<i64>,
    /// The rest: the same work takes another time. `None` without roofline times.
    pub efficiency_ps: Option<i64>,
    /// Two-sided p of the Mann–Whitney test over steps. `None` with fewer than 4 steps on a side.
    pub p: Option<f64>,
    /// Whether the difference is real. [`RowDelta::verdict_label`] says for users that ops of one side are gone or new.
    pub verdict: Verdict,
}

impl RowDelta {
    /// Returns the verdict in JSON. Ops of one side are `gone` or `new`, and neither slower nor faster.
    pub const fn verdict_key(&self) -> &'static str {
        match self.sides() {
            CompareRows::OnlyInA => "gone",
            CompareRows::OnlyInB => "new",
            _ => self.verdict.key(),
        }
    }

    /// Returns the verdict for users. Ops of one side are gone or new, and neither slower nor faster.
    pub const fn verdict_label(&self) -> &'static str {
        match self.sides() {
            CompareRows::Matched | CompareRows::All => self.verdict.label(),
            _ => self.verdict_key(),
        }
    }

    /// Returns the scope paths of the ops with the most time of A and of B. `None` for a side without one.
    pub(super) fn scope_paths(&self) -> [Option<&str>; 2] {
        [&self.a, &self.b].map(|side| side.as_ref()?.scope.as_deref().filter(|scope| !scope.is_empty()))
    }

    /// Returns the name of the row: that of the op with the most time, of B if it has one.
    pub fn name(&self) -> &str {
        let side = self.b.as_ref().or(self.a.as_ref());
        side.and_then(|side| side.ops.first()).map_or("", String::as_str)
    }
}

/// A scope of both sides. Times are in ps per unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScopeDelta {
    /// The segment of the scope; for a chain of scopes, all segments, joined by slashes. `layers_* ×30` stands for 30 unrolled
    /// layers. Empty for the root.
    pub name: String,
    /// The whole path, with `*` for the number of an unrolled layer; for "N smaller", the path of the parent.
    pub path: String,
    /// Index of the parent, which comes before its children; `None` for the root.
    pub parent: Option<u32>,
    /// The time of all ops here and below.
    pub a: ScopeTime,
    pub b: ScopeTime,
}

/// The time of the ops of a scope on one side, in ps per unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScopeTime {
    /// Time of the ops here and below.
    pub total: u64,
    /// `total` by [`crate::analysis::classify::Kind::index`].
    pub by_kind: [u64; 7],
}

impl ScopeDelta {
    /// Returns B − A, in ps per unit.
    pub const fn delta_ps(&self) -> i64 {
        self.b.total.cast_signed().wrapping_sub(self.a.total.cast_signed())
    }
}

keyed_enum! {
    /// The rows that a table of a comparison shows.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum CompareRows {
        #[default]
        All = "all": "All",
        /// Ops that were paired.
        Matched = "matched": "Matched",
        OnlyInA = "only-in-a": "Only in A",
        OnlyInB = "only-in-b": "Only in B",
    }
}

impl CompareRows {
    /// Returns on which sides the ops are, within a sentence.
    pub const fn words(self) -> &'static str {
        match self {
            Self::All => "in A or B",
            Self::Matched => "matched",
            Self::OnlyInA => "only in A",
            Self::OnlyInB => "only in B",
        }
    }

    /// Returns whether a row is shown.
    pub fn has(self, row: &RowDelta) -> bool {
        self == Self::All || self == row.sides()
    }
}

/// A figure of both sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FigureDelta {
    /// Name in JSON, as in the overview.
    pub name: String,
    pub unit: Unit,
    pub a: Option<f64>,
    pub b: Option<f64>,
}

/// A finding that one side has and the other one has not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindingDelta {
    /// Name of the rule in JSON.
    pub id: String,
    pub title: String,
    /// Whether it is new in B; otherwise it is gone.
    pub is_new: bool,
}

/// The share of the time of each side that a tier pairs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TierShare {
    /// `None` for ops of one side only.
    pub tier: Option<Tier>,
    /// Fractions of the time of all ops.
    pub a: f64,
    pub b: f64,
}

/// The comparison of two sessions: a baseline A and an experiment B.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    pub a: SideHead,
    pub b: SideHead,
    pub unit: CompareUnit,
    pub parity: Vec<Parity>,
    /// Time of A and B in ps per unit.
    pub a_ps: i64,
    pub b_ps: i64,
    /// `b_ps` − `a_ps` before rounding, rounded.
    pub delta_ps: i64,
    /// The shift of the lengths of steps in ps per unit, with its 95 % interval. `None` with fewer than 4 steps on a side.
    pub shift: Option<Shift>,
    /// Two-sided p of the Mann–Whitney test over the lengths of steps. `None` with fewer than 4 steps on a side.
    pub p: Option<f64>,
    /// Differences below this share of A are noise between captures.
    pub band: f64,
    pub verdict: Verdict,
    /// The owners with time on either side, by the size of the difference.
    pub parts: Vec<PartDelta>,
    /// All ops, by the size of the difference. The differences of rows and of idle time sum to `delta_ps`.
    pub rows: Vec<RowDelta>,
    /// The time of ops by scope: a tree, parents before children.
    pub scopes: Vec<ScopeDelta>,
    /// Which work explains the difference, and what changed there.
    pub explanation: Explanation,
    pub matched: Vec<TierShare>,
    pub figures: Vec<FigureDelta>,
    pub findings: Vec<FindingDelta>,
    pub memory: MemoryDelta,
    pub comm: CommDelta,
    pub program_changes: ProgramDiff,
    /// Sentences about what the reports of the sides leave out, and about times that are too large.
    pub notes: Vec<String>,
}

impl Comparison {
    /// Returns whether a time is as large as these numbers can be, so that it may be larger: parts may then not sum to it. Only a
    /// damaged capture has such times.
    pub fn has_limited_time(&self) -> bool {
        let whole = [self.a_ps, self.b_ps, self.delta_ps];
        let parts = self.parts.iter().flat_map(|part| [part.a_ps, part.b_ps, part.delta_ps]);
        let rows = self.rows.iter().map(|row| row.delta_ps);
        whole.into_iter().chain(parts).chain(rows).any(|time| matches!(time, i64::MIN | i64::MAX))
    }

    /// Returns the share of the time of the ops of A and of B that have a partner on the other side.
    pub fn matched_shares(&self) -> (f64, f64) {
        let matched = self.matched.iter().filter(|share| share.tier.is_some());
        matched.fold((0.0, 0.0), |(a, b), share| (a + share.a, b + share.b))
    }

    /// Returns the shares of the time of the ops of A and of B that have a counterpart: a partner of their own, or work of the same
    /// scope, module or group on the other side. `None` if the pairs are unknown.
    pub fn paired_shares(&self) -> Option<(f64, f64)> {
        let Explanation { pairs, paired_a, paired_b, .. } = &self.explanation;
        (!pairs.is_empty()).then_some((*paired_a, *paired_b))
    }

    /// Returns the difference as a fraction of A. `None` if A takes no time.
    #[expect(clippy::cast_precision_loss, reason = "a ratio")]
    pub fn change(&self) -> Option<f64> {
        (self.a_ps > 0).then(|| self.delta_ps as f64 / self.a_ps as f64)
    }
}
