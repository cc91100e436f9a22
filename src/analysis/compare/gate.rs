//! This module decides whether an experiment is so much worse than its baseline that a check must fail.

use super::report::{CompareRows, Comparison, RowDelta, SideHead, Verdict};
use super::statistics::median;
use crate::analysis::overview::FigureId;
use serde::{Deserialize, Serialize};
use xla_profile::keyed_enum;

keyed_enum! {
    /// What a gate compares.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum GateFigure {
        /// The length of a step or, if the sides do different work, the time per token.
        #[default]
        Period = "period": "median time",
        /// The largest amount of memory (HBM) in use.
        PeakHbm = "peak-hbm": "peak HBM",
        /// Communication during which the device computes nothing.
        Exposed = "exposed": "exposed communication",
    }
}

impl GateFigure {
    /// Returns the figure of the overview. `None` for the period, which has samples.
    const fn figure(self) -> Option<FigureId> {
        match self {
            Self::Period => None,
            Self::PeakHbm => Some(FigureId::PeakHbm),
            Self::Exposed => Some(FigureId::ExposedCommunication),
        }
    }
}

/// When a gate fails.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gate {
    pub on: GateFigure,
    /// B may exceed A by this share. `None` if the figure does not count.
    pub limit: Option<f64>,
    /// A row that is slower may exceed its baseline by this share of the time of A. `None` if rows do not count.
    pub rows_over: Option<f64>,
}

keyed_enum! {
    /// The result of a gate.
    ///
    /// A result outranks those before it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum GateResult {
        Passed = "passed",
        /// The captures do not tell.
        Inconclusive = "inconclusive",
        Failed = "failed",
    }
}

impl Gate {
    /// Returns the change of the figure as a share of A: for the period, that of the medians of the steps. `None` if a side does
    /// not tell.
    pub fn change(&self, comparison: &Comparison) -> Option<f64> {
        match self.on.figure() {
            Some(id) => {
                let figure = comparison.figure(id)?;
                let (a, b) = (figure.a?, figure.b?);
                // A figure that was 0 and is not 0 any more exceeds every limit.
                Some(if a > 0.0 {
                    (b - a) / a
                } else if b > 0.0 {
                    f64::INFINITY
                } else {
                    0.0
                })
            }
            None => {
                let median = |side: &SideHead| match median(&comparison.unit.samples(side)) {
                    // A report that does not hold all steps holds their median.
                    None => side.median_ps.map(|median| median * comparison.unit.scale(side)),
                    known => known,
                };
                let (a, b) = (median(&comparison.a)?, median(&comparison.b)?);
                (a > 0.0).then(|| (b - a) / a)
            }
        }
    }

    /// Evaluates the gate for a comparison: it fails if its figure or its rows do.
    pub fn evaluate(&self, comparison: &Comparison) -> GateResult {
        let results = [self.limit.map(|limit| self.evaluate_figure(comparison, limit)), self.evaluate_rows(comparison)];
        results.into_iter().flatten().max().unwrap_or(GateResult::Passed)
    }

    /// Returns the rows of both sides that are slower by more than the limit of rows, the largest difference first. Empty without
    /// such a limit.
    pub fn slower_rows<'a>(&self, comparison: &'a Comparison) -> Vec<&'a RowDelta> {
        self.rows_beyond(comparison, CompareRows::Matched)
    }

    /// Returns the rows of B alone that take longer than the limit of rows, the longest first. Empty without such a limit.
    pub fn new_rows<'a>(&self, comparison: &'a Comparison) -> Vec<&'a RowDelta> {
        self.rows_beyond(comparison, CompareRows::OnlyInB)
    }

    /// Returns whether new rows fail the gate. An op that is new may do the work of ops that are gone, so it counts only if the
    /// whole is slower.
    pub fn new_rows_count(comparison: &Comparison) -> bool {
        comparison.verdict == Verdict::Regression
    }

    #[expect(clippy::cast_precision_loss, reason = "shares")]
    fn rows_beyond<'a>(&self, comparison: &'a Comparison, sides: CompareRows) -> Vec<&'a RowDelta> {
        let Some(limit) = self.rows_over else { return Vec::new() };
        let is_beyond = |row: &&RowDelta| {
            row.verdict == Verdict::Regression
                && row.sides() == sides
                && row.delta_ps as f64 > limit * comparison.a_ps as f64
        };
        comparison.rows.iter().filter(is_beyond).collect()
    }

    fn evaluate_rows(&self, comparison: &Comparison) -> Option<GateResult> {
        self.rows_over?;
        Some(if matches!(comparison.verdict, Verdict::Incomparable | Verdict::TooFewSteps) {
            GateResult::Inconclusive
        } else if self.slower_rows(comparison).is_empty()
            && (self.new_rows(comparison).is_empty() || !Self::new_rows_count(comparison))
        {
            GateResult::Passed
        } else {
            GateResult::Failed
        })
    }

    /// Evaluates the figure. The period fails if the median of B exceeds that of A by more than the limit, and the interval of
    /// the difference lies above 0; with fewer than 4 steps on a side, if it exceeds the limit and the band of noise together. Other
    /// figures have no samples, so the limit alone decides.
    fn evaluate_figure(&self, comparison: &Comparison, limit: f64) -> GateResult {
        if matches!(comparison.verdict, Verdict::Incomparable | Verdict::TooFewSteps) && self.on == GateFigure::Period {
            return GateResult::Inconclusive;
        }
        let Some(change) = self.change(comparison) else { return GateResult::Inconclusive };
        let is_beyond = match (self.on, comparison.p, comparison.shift) {
            (GateFigure::Period, Some(_), Some(shift)) => change > limit && shift.low > 0.0,
            (GateFigure::Period, ..) => change > limit + comparison.band,
            _ => change > limit,
        };
        if is_beyond { GateResult::Failed } else { GateResult::Passed }
    }
}
