//! This module answers queries of the breakdown: the self time of each op within a window, grouped into rows.
//!
//! ```text
//!  line ──self_time──► stretches ──clip to window──► per op: self, count ──filter──► ──group──► rows
//!                                                      │                    │                     │
//!                                                      └── Σ self = busy    └── Σ shown ≤ busy ───┘
//! ```
//!
//! An execution counts in the window in which it starts. The time of an execution is clipped to the window, so that
//! steps add up. Invariants: Σ groups = Σ shown; without a filter Σ groups = Σ kinds = busy; union + idle = window;
//! with one op line busy = union.

use super::report::{Breakdown, Figures, RowsLeftOut, Shown};
use super::row_view::{RowView, default_order};
use crate::analysis::base::analysis::Analysis;
use crate::analysis::base::rows::{Rows, SessionFacts, Slice, count, each, fold};
use crate::analysis::base::select::select;
use crate::analysis::base::selection::Selection;
use crate::analysis::base::{Filter, FilterError, FilterField, GroupBy, Matcher, Query, StepChoice};
use crate::analysis::classify::moe::{self, Grouped};
use crate::analysis::classify::{OpGroup, layer};
use std::rc::Rc;
use xla_profile::profile::{Note, NoteCode, Profile, Severity};
use xla_profile::units::{Count, Picos};

/// The number of row counts that are cached.
const KEPT_COUNTS: usize = 8;

/// The answer to a query, in a form that is small enough to be cached. The report of a row is made on request.
pub struct Answer {
    /// The answer without its rows.
    pub figures: Figures,
    rows: Rows,
    slices: Vec<Slice>,
}

impl Answer {
    /// Returns the number of rows.
    pub fn n_rows(&self) -> usize {
        self.rows.rows.len()
    }

    /// Returns the view of the rows that makes their reports.
    pub fn rows<'a>(&'a self, profile: &'a Profile, analysis: &'a Analysis) -> RowView<'a> {
        RowView {
            session: analysis.session_facts(profile),
            rows: &self.rows,
            slices: &self.slices,
            by: self.figures.by,
            by_kind: &self.figures.totals.by_kind,
            window: self.figures.header.step_duration,
        }
    }

    /// Returns the answer with the reports of the first `top` rows, and the sums of the others.
    pub fn breakdown(&self, profile: &Profile, analysis: &Analysis, top: usize) -> Breakdown {
        let rows = self.rows(profile, analysis);
        let (listed, others) = rows.order().split_at(top.min(rows.len()));
        let groups = listed.iter().map(|i| rows.group(*i as usize)).collect();
        let mut rest = RowsLeftOut::default();
        for row in others.iter().map(|i| rows.row(*i as usize)) {
            rest.add(Picos(row.self_time), row.n, row.mean());
        }
        let Figures { header, by, totals, shown, notes } = self.figures.clone();
        Breakdown { header, by, totals, shown, groups, rest, notes }
    }
}

impl Analysis {
    /// Answers a query with the reports of all rows.
    ///
    /// # Errors
    /// Returns [`FilterError`] if the filter's text is to be a regular expression and is not valid.
    pub fn breakdown(&self, profile: &Profile, query: &Query) -> Result<Breakdown, FilterError> {
        Ok(self.answer(profile, query)?.breakdown(profile, self, usize::MAX))
    }

    /// Answers a query. The reports of rows are made later.
    ///
    /// # Errors
    /// Returns [`FilterError`] if the filter's text is to be a regular expression and is not valid.
    pub fn answer(&self, profile: &Profile, query: &Query) -> Result<Answer, FilterError> {
        let matcher = query.filter.compile()?;
        let session = self.session_facts(profile);
        let Selection { header, totals, slices: all, mut notes, .. } = self.selection(profile, query);
        let by = query.by;
        let slices = shown(session, &all, &matcher);
        let mut rows = fold(session, &slices, by);
        let mut sums = sums(session, &slices, header.step_duration);
        let rows_with = |matcher: &Matcher| count(session, &shown(session, &all, matcher), by);
        sums.n_all = self.counted(query, || {
            if matcher.has_text() || matcher.names_ops() {
                rows_with(&matcher.without_text())
            } else {
                rows.rows.len() as u32
            }
        });
        if matcher.has_text() && matcher.within != FilterField::Anywhere && rows.rows.is_empty() {
            sums.anywhere = Some(rows_with(&matcher.with_field(FilterField::Anywhere)));
        }
        notes.extend(self.grouping_notes(session, &all, query));
        let window = header.step_duration;
        let view = RowView { session, rows: &rows, slices: &slices, by, by_kind: &totals.by_kind, window };
        rows.order = default_order(view);
        Ok(Answer { figures: Figures { header, by, totals, shown: sums, notes }, rows, slices })
    }

    /// Returns the number of rows of a query without the text and the ops of its filter, from the cache or by calling `count`.
    fn counted(&self, query: &Query, count: impl FnOnce() -> u32) -> u32 {
        let Filter { kind, module, ref scope, .. } = query.filter;
        let filter = Filter { kind, module, scope: scope.clone(), ..Filter::default() };
        let query = Query { filter, ..query.clone() };
        let mut counts = self.counts.borrow_mut();
        if let Some((_, n)) = counts.iter().find(|(counted, _)| *counted == query) {
            return *n;
        }
        let n = count();
        counts.insert(0, (query, n));
        counts.truncate(KEPT_COUNTS);
        n
    }

    /// Returns notes on properties of the grouping that its rows do not show.
    fn grouping_notes(&self, session: SessionFacts<'_>, slices: &[Slice], query: &Query) -> Vec<Note> {
        let mut notes = Vec::new();
        if self.merged_paths && matches!(query.by, GroupBy::Scope | GroupBy::Layer | GroupBy::Phase) {
            notes.push(merged_paths());
        }
        let scanned = |slice: &Slice| {
            self.facts[slice.device].ops.iter().any(|f| f.layer.is_some_and(|id| self.words.get(id) == layer::SCANNED))
        };
        if query.by == GroupBy::Layer && slices.iter().any(scanned) {
            let message = "Scanned layers share one loop body, so their ops cannot be separated. The events do not \
                           have the trip count.";
            notes.push(Note::new(Severity::Info, NoteCode::ScannedLayers, message));
        }
        if query.step != StepChoice::All {
            notes.extend(slices.first().and_then(|slice| moe_layers(session, slice)));
        }
        notes
    }
}

/// Returns the note that the compiler merged ops, each of which counts once.
pub(in crate::analysis) fn merged_paths() -> Note {
    let message = "The compiler merged ops of several scopes. A merged op counts under its first scope path.";
    Note::new(Severity::Info, NoteCode::MergedPaths, message)
}

fn moe_layers(session: SessionFacts<'_>, slice: &Slice) -> Option<Note> {
    let (mut gmm, mut tgmm) = (Count::ZERO, Count::ZERO);
    each(std::slice::from_ref(slice), |member, time| {
        let (op, facts) = session.op(slice.device, member.op);
        if facts.group == OpGroup::Moe {
            match moe::grouped(session.profile.text(op.name)) {
                Some(Grouped::Gmm) => gmm += time.n,
                Some(Grouped::Tgmm) => tgmm += time.n,
                None => {}
            }
        }
    });
    moe::hint(gmm.whole()?, tgmm.whole()?)
}

/// Returns the slices with the ops that a filter selects.
pub(in crate::analysis) fn shown(session: SessionFacts<'_>, slices: &[Slice], matcher: &Matcher) -> Vec<Slice> {
    let chosen_slice = |slice: &Slice| {
        let chosen = (!matcher.passes_all()).then(|| Rc::from(select(session, slice.device, matcher)));
        Slice { chosen, ..slice.clone() }
    };
    slices.iter().map(chosen_slice).collect()
}

/// Returns the sums over the ops of slices. The counts of rows are not set.
fn sums(session: SessionFacts<'_>, slices: &[Slice], window: Option<Picos>) -> Shown {
    let mut sums = Shown::default();
    each(slices, |member, time| {
        let facts = session.op(slices[member.slice as usize].device, member.op).1;
        sums.total += Picos(time.self_time);
        sums.n_events += time.n;
        sums.by_kind[facts.kind.index()] += Picos(time.self_time);
    });
    sums.of_step = window.and_then(|w| sums.total.fraction_of(w));
    sums
}
