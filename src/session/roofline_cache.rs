//! The last answer of the roofline: figures, points and rows come from it without computing it again.
use super::programs::{AtHand, Programs};
use super::row_order::ranks;
use crate::analysis::base::{Analysis, FilterError};
use crate::analysis::classify::OpGroup;
use crate::analysis::roofline::{Level, Roof, RooflineAnswer, RooflineQuery, StepRoof};
use crate::profile::Profile;
use crate::protocol::roofline::RoofSortRow;
use crate::protocol::{MAX_POINTS, RoofLargest, RoofPoint, RoofSort, RooflineHead};
use crate::table::order::{sort_rows, sort_rows_by_number};
use crate::units::Picos;

/// The last answer, kept: its rows are requested in pieces, and in other orders.
pub(crate) struct RooflineCache {
    pub(super) query: RooflineQuery,
    pub(super) answer: RooflineAnswer,
    pub(super) steps: Vec<StepRoof>,
    /// By row: its place by key.
    pub(super) ranks: Vec<u32>,
    /// By row: where it lies.
    pub(super) roofs: Vec<Option<Roof>>,
    /// By row: what could be won there and at all rows with more to win, of all.
    pub(super) cumulative: Vec<Option<f64>>,
    pub(super) order: Option<(RoofSort, Vec<u32>)>,
}

impl RooflineCache {
    pub(super) fn new(
        analysis: &Analysis,
        profile: &Profile,
        programs: &mut Programs,
        query: &RooflineQuery,
    ) -> Result<Self, FilterError> {
        let answer = roofline(analysis, profile, programs, query)?;
        let steps = roofline_steps(analysis, profile, programs, query)?;
        let roofs: Vec<Option<Roof>> = (0..answer.n_rows()).map(|row| answer.roof(row as u32)).collect();
        let ranks = ranks(answer.view(profile, analysis));
        let mut cached = Self {
            query: query.clone(),
            answer,
            steps,
            ranks,
            cumulative: vec![None; roofs.len()],
            roofs,
            order: None,
        };
        cached.cumulate();
        Ok(cached)
    }

    pub(super) fn recoverable(&self, row: usize) -> u64 {
        self.roofs[row].as_ref().map_or(0, |roof| roof.recoverable.0)
    }

    pub(super) fn cumulate(&mut self) {
        let all: u64 = (0..self.roofs.len()).fold(0, |sum, row| sum.saturating_add(self.recoverable(row)));
        let mut before = 0_u64;
        let gaps: Vec<Option<u64>> = self.roofs.iter().map(|roof| Some(roof.as_ref()?.recoverable.0)).collect();
        for row in sort_rows_by_number(&gaps, &self.ranks, true) {
            let gap = self.recoverable(row as usize);
            if gap > 0 {
                before = before.saturating_add(gap);
                self.cumulative[row as usize] = Picos(before).fraction_of(Picos(all));
            }
        }
    }

    /// Row numbers in an order.
    pub(super) fn sorted(&mut self, profile: &Profile, analysis: &Analysis, sort: RoofSort) -> &[u32] {
        let cached = self.order.take().filter(|(of, _)| *of == sort);
        let order = cached.map_or_else(
            || {
                let view = self.answer.view(profile, analysis);
                let key = |i: usize| {
                    sort.column.sort_key(RoofSortRow {
                        rank: self.ranks[i],
                        total: Picos(view.row(i).own),
                        n: view.row(i).n,
                        op_group: view.op_group(i).map(OpGroup::label),
                        roof: self.roofs[i].as_ref(),
                    })
                };
                sort_rows(&(0..view.len()).map(key).collect::<Vec<_>>(), &self.ranks, sort.descending)
            },
            |(_, order)| order,
        );
        &self.order.insert((sort, order)).1
    }

    pub(super) fn point(&self, profile: &Profile, analysis: &Analysis, row: u32) -> RoofPoint {
        let (view, i) = (self.answer.view(profile, analysis), row as usize);
        RoofPoint {
            key: view.key(i).into_owned(),
            program: view.program(i).map(str::to_owned),
            program_id: view.row(i).program.flatten().map(|id| id.0),
            op_group: view.op_group(i).map(|group| group.label().to_owned()),
            source: view.source_inner(i).map(str::to_owned),
            total: Picos(view.row(i).own),
            n: view.row(i).n,
            roof: self.roofs[i].clone(),
            skipped: self.answer.skipped(row).to_vec(),
            cumulative: self.cumulative[i],
        }
    }

    pub(super) fn head(&self, profile: &Profile, analysis: &Analysis) -> RooflineHead {
        let with_roof: Vec<u32> =
            self.answer.order().iter().copied().filter(|row| self.roofs[*row as usize].is_some()).collect();
        let (drawn, more) = with_roof.split_at(with_roof.len().min(MAX_POINTS));
        let time = |row: &u32| self.roofs[*row as usize].as_ref().map_or(Picos::ZERO, |roof| roof.total);
        let mut largest = RoofLargest::default();
        let view = self.answer.view(profile, analysis);
        for row in view.all() {
            largest.total = largest.total.max(Picos(row.own));
            largest.n = largest.n.max(row.n);
        }
        for roof in self.roofs.iter().flatten() {
            largest.recoverable = largest.recoverable.max(roof.recoverable);
            largest.flop_rate = largest.flop_rate.max(roof.flop_rate().unwrap_or(0.0));
            largest.byte_rate = largest.byte_rate.max(roof.byte_rate(Level::Hbm).unwrap_or(0.0));
        }
        RooflineHead {
            query: self.query.clone(),
            figures: self.answer.figures.clone(),
            steps: self.steps.clone(),
            n_rows: self.roofs.len() as u32,
            points: drawn.iter().map(|row| self.point(profile, analysis, *row)).collect(),
            more: (more.len() as u32, more.iter().map(time).sum()),
            largest,
        }
    }
}

/// Holds ops against their roofs, with the programs loaded.
///
/// # Errors
/// [`FilterError`] where the filter's text is to be a regular expression and is none.
pub fn roofline(
    analysis: &Analysis,
    profile: &Profile,
    programs: &mut Programs,
    query: &RooflineQuery,
) -> Result<RooflineAnswer, FilterError> {
    let at_hand = AtHand::new(profile, programs);
    analysis.roofline(profile, query, Some(&|id| at_hand.module(id)))
}

/// Every step against the roofs, with the programs loaded.
///
/// # Errors
/// [`FilterError`] where the filter's text is to be a regular expression and is none.
pub fn roofline_steps(
    analysis: &Analysis,
    profile: &Profile,
    programs: &mut Programs,
    query: &RooflineQuery,
) -> Result<Vec<StepRoof>, FilterError> {
    let at_hand = AtHand::new(profile, programs);
    analysis.roofline_steps(profile, query, Some(&|id| at_hand.module(id)))
}
