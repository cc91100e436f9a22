//! This module caches the last answer of the roofline, so that figures, points and rows are computed once.
use super::roofline_table::{RoofRow, roof_table};
use crate::analysis::base::{Analysis, FilterError, GroupBy};
use crate::analysis::roofline::{RooflineAnswer, RooflineQuery, StepRoofline};
use crate::protocol::url::roofline::RoofBy;
use crate::protocol::{MAX_LISTED_STEPS, MAX_POINTS, RoofPoint, RooflineHead};
use crate::session::programs::{Programs, QueryPrograms};
use crate::table::answer::CachedOrder;
use crate::table::page::SortBy;
use std::rc::Rc;
use xla_profile::profile::Profile;
use xla_profile::units::Picos;

/// The last answer of the roofline. The page requests its rows in parts and in several orders.
pub(crate) struct RooflineCache {
    pub(super) query: RooflineQuery,
    pub(super) answer: RooflineAnswer,
    /// The first steps, as the page lists them.
    pub(super) steps: Vec<StepRoofline>,
    /// Rows in the numbering of the answer.
    pub(super) rows: Vec<RoofRow>,
    /// Order of the rows in the last request.
    pub(super) order: CachedOrder,
}

impl RooflineCache {
    pub(super) fn new(
        analysis: &Analysis,
        profile: &Profile,
        programs: &mut Programs,
        query: &RooflineQuery,
    ) -> Result<Self, FilterError> {
        let answer = roofline(analysis, profile, programs, query)?;
        let steps = roofline_steps_within(analysis, profile, programs, query, MAX_LISTED_STEPS)?;
        let by = match query.query.by {
            GroupBy::Source => RoofBy::Source,
            GroupBy::Program => RoofBy::Program,
            _ => RoofBy::Op,
        };
        let view = answer.view(profile, analysis);
        let point = |row: u32| {
            let i = row as usize;
            RoofPoint {
                key: view.key(i).into_owned(),
                program: view.program(i).map(str::to_owned),
                program_id: view.row(i).program.flatten().map(|id| id.0),
                op_group: view.op_group(i).map(|group| group.label().to_owned()),
                source: view.source_inner(i).map(str::to_owned),
                total: Picos(view.row(i).self_time),
                n: view.row(i).n,
                roof: answer.roof(row),
                skipped: answer.skipped(row).to_vec(),
                cumulative: None,
            }
        };
        let whole = answer.figures.considered;
        let mut rows: Vec<RoofRow> =
            (0..answer.n_rows() as u32).map(|row| RoofRow::new(point(row), by, whole)).collect();
        let mut table = roof_table(&rows, &answer.figures, by, CachedOrder::default());
        let by_gap = table.sorted(None);
        let order = table.into_cached_order();
        cumulate(&mut rows, &by_gap);
        Ok(Self { query: query.clone(), answer, steps, rows, order })
    }

    /// Returns the numbers of all rows in an order. `None` stands for the order that the table has by default.
    pub(super) fn sorted(&mut self, sort: Option<&SortBy>) -> Rc<[u32]> {
        let cached_order = std::mem::take(&mut self.order);
        let by = self.rows.first().map_or(RoofBy::Op, |row| row.by);
        let mut table = roof_table(&self.rows, &self.answer.figures, by, cached_order);
        let order = table.sorted(sort);
        self.order = table.into_cached_order();
        order
    }

    /// Iterates over the rows, most time first.
    pub(super) fn points(&self) -> impl Iterator<Item = &RoofPoint> {
        self.answer.order().iter().map(|row| &self.rows[*row as usize].point)
    }

    pub(super) fn head(&self) -> RooflineHead {
        let with_roof: Vec<&RoofPoint> = self.points().filter(|point| point.roof.is_some()).collect();
        let (drawn, more) = with_roof.split_at(with_roof.len().min(MAX_POINTS));
        let time = |point: &&RoofPoint| point.roof.as_ref().map_or(Picos::ZERO, |roof| roof.total);
        RooflineHead {
            query: self.query.clone(),
            figures: self.answer.figures.clone(),
            steps: self.steps.clone(),
            n_rows: self.rows.len() as u32,
            points: drawn.iter().copied().cloned().collect(),
            more: (more.len() as u32, more.iter().map(time).sum()),
        }
    }
}

/// Sets [`RoofPoint::cumulative`] of each row with recoverable time. `order` holds the row numbers, the largest gap
/// first.
fn cumulate(rows: &mut [RoofRow], order: &[u32]) {
    let gap = |row: &RoofRow| row.point.roof.as_ref().map_or(0, |roof| roof.recoverable.0);
    let all = rows.iter().map(gap).fold(0, u64::saturating_add);
    let mut before = 0_u64;
    for index in order {
        let row = &mut rows[*index as usize];
        if gap(row) > 0 {
            before = before.saturating_add(gap(row));
            row.point.cumulative = Picos(before).fraction_of(Picos(all));
        }
    }
}

/// Computes the position of each op in the roofline model, with the programs of the session.
///
/// # Errors
/// Returns a [`FilterError`] if the filter is not a valid regular expression.
pub fn roofline(
    analysis: &Analysis,
    profile: &Profile,
    programs: &mut Programs,
    query: &RooflineQuery,
) -> Result<RooflineAnswer, FilterError> {
    let query_programs = QueryPrograms::new(profile, programs);
    analysis.roofline(profile, query, Some(&|id| query_programs.module(id)))
}

/// Computes the position of each step in the roofline model, with the programs of the session.
///
/// # Errors
/// Returns a [`FilterError`] if the filter is not a valid regular expression.
pub fn roofline_steps(
    analysis: &Analysis,
    profile: &Profile,
    programs: &mut Programs,
    query: &RooflineQuery,
) -> Result<Vec<StepRoofline>, FilterError> {
    roofline_steps_within(analysis, profile, programs, query, usize::MAX)
}

/// Computes the position of each step as [`roofline_steps`] does, but only of the `max_steps` steps with the lowest numbers.
///
/// # Errors
/// Returns a [`FilterError`] if the filter is not a valid regular expression.
pub(super) fn roofline_steps_within(
    analysis: &Analysis,
    profile: &Profile,
    programs: &mut Programs,
    query: &RooflineQuery,
    max_steps: usize,
) -> Result<Vec<StepRoofline>, FilterError> {
    let query_programs = QueryPrograms::new(profile, programs);
    analysis.roofline_steps_within(profile, query, Some(&|id| query_programs.module(id)), max_steps)
}
