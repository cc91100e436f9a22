//! The roofline with the programs at hand; and as the page asks for it: figures, marks of a chart, some rows in some order.
//! Knows reports; no browser.

use super::capture::CaptureSession;
use super::programs::AtHand;
use super::programs::Programs;
use super::row_order::by_value;
use super::row_order::ordered;
use super::row_order::ranks;
use super::row_order::window;
use crate::analysis::base::FilterError;
use crate::analysis::breakdown::Analysis;
use crate::analysis::roofline::Level;
use crate::analysis::roofline::MAX_GAPS;
use crate::analysis::roofline::Roof;
use crate::analysis::roofline::Roofline;
use crate::analysis::roofline::RooflineAnswer;
use crate::analysis::roofline::RooflineFigures;
use crate::analysis::roofline::RooflineQuery;
use crate::analysis::roofline::StepRoof;
use crate::profile::Note;
use crate::profile::Profile;
use crate::protocol::Export;
use crate::protocol::MAX_POINTS;
use crate::protocol::Reply;
use crate::protocol::RoofColumn;
use crate::protocol::RoofLargest;
use crate::protocol::RoofPoint;
use crate::protocol::RoofRowsPage;
use crate::protocol::RoofRowsQuery;
use crate::protocol::RoofSort;
use crate::protocol::RooflineHead;
use crate::report::json;
use crate::report::roofline_json;
use crate::report::roofline_table;
use crate::units::Picos;
use std::collections::BTreeSet;

/// Holds ops against their roofs, with the programs at hand.
///
/// # Errors
/// [`FilterError`] where the filter's text is to be a regular expression and is none.
pub fn roofline(
    analysis: &Analysis,
    profile: &Profile,
    programs: &mut Programs,
    ask: &RooflineQuery,
) -> Result<RooflineAnswer, FilterError> {
    let at_hand = AtHand::new(profile, programs);
    analysis.roofline(profile, ask, Some(&|id| at_hand.module(id)))
}

/// Every step against the roofs, with the programs at hand.
///
/// # Errors
/// [`FilterError`] where the filter's text is to be a regular expression and is none.
pub fn roofline_steps(
    analysis: &Analysis,
    profile: &Profile,
    programs: &mut Programs,
    ask: &RooflineQuery,
) -> Result<Vec<StepRoof>, FilterError> {
    let at_hand = AtHand::new(profile, programs);
    analysis.roofline_steps(profile, ask, Some(&|id| at_hand.module(id)))
}

/// The last answer, kept: its rows are asked for in pieces, and in other orders.
pub(crate) struct Kept {
    ask: RooflineQuery,
    answer: RooflineAnswer,
    steps: Vec<StepRoof>,
    /// By row: its place by key.
    ranks: Vec<u32>,
    /// By row: where it lies.
    roofs: Vec<Option<Roof>>,
    /// By row: what could be won there and at all rows with more to win, of all.
    cumulative: Vec<Option<f64>>,
    order: Option<(RoofSort, Vec<u32>)>,
}

impl Kept {
    fn new(engine: &mut CaptureSession, ask: &RooflineQuery) -> Result<Self, FilterError> {
        let CaptureSession { profile, analysis, programs, .. } = engine;
        let answer = roofline(analysis, profile, programs, ask)?;
        let steps = roofline_steps(analysis, profile, programs, ask)?;
        let roofs: Vec<Option<Roof>> = (0..answer.n_rows()).map(|row| answer.roof(row as u32)).collect();
        let ranks = ranks(answer.view(profile, analysis));
        let mut kept =
            Self { ask: ask.clone(), answer, steps, ranks, cumulative: vec![None; roofs.len()], roofs, order: None };
        kept.cumulate();
        Ok(kept)
    }

    fn recoverable(&self, row: usize) -> u64 {
        self.roofs[row].as_ref().map_or(0, |roof| roof.recoverable.0)
    }

    fn cumulate(&mut self) {
        let all: u64 = (0..self.roofs.len()).fold(0, |sum, row| sum.saturating_add(self.recoverable(row)));
        let mut before = 0_u64;
        for row in by_value(self.values(RoofColumn::Gap), &self.ranks, true) {
            let gap = self.recoverable(row as usize);
            if gap > 0 {
                before = before.saturating_add(gap);
                self.cumulative[row as usize] = Picos(before).fraction_of(Picos(all));
            }
        }
    }

    /// A number per row that orders as the column's values do.
    fn values(&self, column: RoofColumn) -> Vec<Option<u64>> {
        let roof = |of: &dyn Fn(&Roof) -> Option<u64>| self.roofs.iter().map(|roof| of(roof.as_ref()?)).collect();
        let real = |of: &dyn Fn(&Roof) -> Option<f64>| roof(&|roof| of(roof).map(ordered));
        match column {
            RoofColumn::Gap => roof(&|roof| Some(roof.recoverable.0)),
            RoofColumn::Util => real(&|roof| roof.util),
            RoofColumn::Intensity => real(&|roof| roof.intensity),
            RoofColumn::Bound => roof(&|roof| Some(roof.bound.place())),
            RoofColumn::Mfu => real(&|roof| roof.mfu),
            RoofColumn::HbmUtil => real(&Roof::hbm_util),
            RoofColumn::FlopRate => real(&Roof::flop_rate),
            RoofColumn::ByteRate => real(&|roof| roof.byte_rate(Level::Hbm)),
            RoofColumn::Dtype => self.texts(&|row| self.roofs[row].as_ref()?.dtype.as_deref()),
            // What is of all rows, and is no figure of a roof's, is told by `sorted`.
            RoofColumn::Name | RoofColumn::Total | RoofColumn::Executions | RoofColumn::OpGroup => {
                self.ranks.iter().map(|rank| Some(u64::from(*rank))).collect()
            }
        }
    }

    fn texts<'a>(&'a self, of: &dyn Fn(usize) -> Option<&'a str>) -> Vec<Option<u64>> {
        let known: Vec<&str> = (0..self.roofs.len()).filter_map(of).collect::<BTreeSet<&str>>().into_iter().collect();
        (0..self.roofs.len()).map(|row| Some(known.binary_search(&of(row)?).ok()? as u64)).collect()
    }

    /// Row numbers in an order.
    fn sorted(&mut self, profile: &Profile, analysis: &Analysis, sort: RoofSort) -> &[u32] {
        let kept = self.order.take().filter(|(of, _)| *of == sort);
        let order = kept.map_or_else(
            || {
                let view = self.answer.view(profile, analysis);
                let row = |of: &dyn Fn(usize) -> Option<u64>| (0..view.len()).map(of).collect();
                let values = match sort.column {
                    RoofColumn::Total => row(&|i| Some(view.row(i).own)),
                    RoofColumn::Executions => row(&|i| Some(view.row(i).n)),
                    RoofColumn::OpGroup => {
                        self.texts(&|i| view.op_group(i).map(crate::analysis::classify::OpGroup::label))
                    }
                    column => self.values(column),
                };
                by_value(values, &self.ranks, sort.descending)
            },
            |(_, order)| order,
        );
        &self.order.insert((sort, order)).1
    }

    fn point(&self, profile: &Profile, analysis: &Analysis, row: u32) -> RoofPoint {
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

    fn head(&self, profile: &Profile, analysis: &Analysis) -> RooflineHead {
        let held: Vec<u32> =
            self.answer.order().iter().copied().filter(|row| self.roofs[*row as usize].is_some()).collect();
        let (drawn, more) = held.split_at(held.len().min(MAX_POINTS));
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
            ask: self.ask.clone(),
            figures: self.answer.figures.clone(),
            steps: self.steps.clone(),
            n_rows: self.roofs.len() as u32,
            points: drawn.iter().map(|row| self.point(profile, analysis, *row)).collect(),
            more: (more.len() as u32, more.iter().map(time).sum()),
            largest,
        }
    }
}

impl CaptureSession {
    /// The answer to a question, kept from before or made now.
    fn kept_roofline(&mut self, ask: &RooflineQuery) -> Result<(&mut Kept, &Profile, &Analysis), FilterError> {
        let kept = match self.roofline.take().filter(|kept| kept.ask == *ask) {
            Some(kept) => kept,
            None => Kept::new(self, ask)?,
        };
        Ok((self.roofline.insert(kept), &self.profile, &self.analysis))
    }

    /// The figures, and the marks of a chart.
    pub(crate) fn roofline_head(&mut self, ask: &RooflineQuery) -> Reply {
        match self.kept_roofline(ask) {
            Ok((kept, profile, analysis)) => Reply::further(&kept.head(profile, analysis)),
            Err(error) => Reply::BadFilter(error),
        }
    }

    /// Figures, steps and all rows, most time first: what a report is made of.
    ///
    /// # Errors
    /// [`FilterError`] where the filter's text is to be a regular expression and is none.
    pub(crate) fn roofline_told(
        &mut self,
        ask: &RooflineQuery,
    ) -> Result<(RooflineFigures, Vec<StepRoof>, Vec<RoofPoint>), FilterError> {
        let (kept, profile, analysis) = self.kept_roofline(ask)?;
        let points = kept.answer.order().iter().map(|row| kept.point(profile, analysis, *row)).collect();
        Ok((kept.answer.figures.clone(), kept.steps.clone(), points))
    }

    /// Some rows.
    pub(crate) fn roofline_rows(&mut self, query: &RoofRowsQuery) -> Reply {
        let (kept, profile, analysis) = match self.kept_roofline(&query.ask) {
            Ok(kept) => kept,
            Err(error) => return Reply::BadFilter(error),
        };
        let order = kept.sorted(profile, analysis, query.sort);
        let rows = order[window(order.len(), query.first, query.count)].to_vec();
        let rows = rows.into_iter().map(|row| kept.point(profile, analysis, row)).collect();
        Reply::further(&RoofRowsPage { first: query.first, rows })
    }

    /// All rows as text: what `rooflight roofline` writes.
    pub(crate) fn export_roofline(&mut self, ask: &RooflineQuery, sort: RoofSort, format: Export) -> Reply {
        let (files, partial) = (self.files.iter().map(|file| file.name.clone()).collect::<Vec<_>>(), self.partial);
        let (kept, profile, analysis) = match self.kept_roofline(ask) {
            Ok(kept) => kept,
            Err(error) => return Reply::BadFilter(error),
        };
        let order = kept.sorted(profile, analysis, sort).to_vec();
        let rows = order.iter().filter_map(|row| kept.answer.row(profile, analysis, *row)).collect();
        let told = Roofline { figures: kept.answer.figures.clone(), rows };
        if format == Export::Csv {
            return Reply::Exported(roofline_table::csv(&told).csv());
        }
        let figures = &told.figures;
        let notes: Vec<Note> = profile.notes.iter().chain(&figures.notes).cloned().collect();
        let head = json::head_of("roofline", &files, partial, &figures.header, &figures.totals);
        let by = ask.query.by;
        Reply::Exported(json::text(&roofline_json::roofline(
            head,
            by,
            figures,
            &told.rows,
            &kept.steps,
            MAX_GAPS,
            &notes,
        )))
    }
}
