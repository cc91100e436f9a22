//! This module holds the sessions that a worker has open: one, or two that are compared.

use super::OpenSession;
use super::compare::timeline::compare_timeline;
use super::compare::{AnalysedSteps, OpenSide, compare_open, no_device};
use super::share::ReportCache;
use super::table_answer;
use crate::analysis::base::StepsBy;
use crate::analysis::compare::columns::{COMPARE, COMPARE_GROUP_TABLE, COMPARE_GROUPS, COMPARE_TABLE};
use crate::analysis::compare::{
    CompareBy, CompareOptions, CompareQuery, Comparison, GroupDelta, RowDelta, RowDots, RowSelection, RowSide, groups,
};
use crate::analysis::op::OpDetail;
use crate::analysis::overview::OverviewQuery;
use crate::protocol::table_query::{ExportQuery, TableAction, TableQuery};
use crate::protocol::{
    CompareDots, CompareTimeline, CompareTimelineQuery, ComparedOps, Export, Failure, OpRef, Reply, Request,
    SessionInfo, SessionSlot, ShareQuery, SideTimeline, ViewRequest, requests,
};
use crate::report::{compare, json};
use crate::share::{Report, SharedComparison};
use crate::table::answer::{CachedOrder, TableRows};
use crate::table::csv;
use crate::table::shown::Shown;
use xla_profile::units::Picos;

/// Largest number of rows of each owner in the answer to [`ViewRequest::Compare`].
const ROWS_PER_PART: usize = 4;
/// Largest number of points in the answer to [`ViewRequest::CompareDots`]. More of them cover each other.
const MAX_DOTS: usize = 2_000;

/// The open sessions, with what was derived for comparing them.
#[derive(Default)]
pub struct OpenSessions {
    first: Option<OneSession>,
    second: Option<OneSession>,
    shown: SessionSlot,
    compared: Option<Compared>,
    /// The last comparison that was shared.
    shared: ReportCache,
}

/// A session, with what is derived once for all comparisons.
struct OneSession {
    session: OpenSession,
    info: SessionInfo,
    analysed: Option<AnalysedSteps>,
}

/// The last comparison.
struct Compared {
    query: CompareQuery,
    comparison: Comparison,
    /// The last table, and the order of its rows.
    table: Option<(RowSelection, SelectedRows, CachedOrder)>,
}

/// The rows of a table.
enum SelectedRows {
    Ops(Vec<RowDelta>),
    Groups(Vec<GroupDelta>),
}

impl OpenSessions {
    /// Keeps a session that was opened, and shows it if it is the first one. A first session closes the others.
    pub fn set(&mut self, slot: SessionSlot, session: OpenSession, info: SessionInfo) {
        let one = Some(OneSession { session, info, analysed: None });
        match slot {
            SessionSlot::First => *self = Self { first: one, ..Self::default() },
            SessionSlot::Second => {
                (self.second, self.compared, self.shared) = (one, None, ReportCache::default());
            }
        }
    }

    /// Returns whether no session is open.
    pub const fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    /// Answers a request about a session, or about both. [`Reply::Cancelled`] if the session is not open.
    pub fn answer(&mut self, request: &Request) -> Reply {
        match request {
            Request::Show(slot) => self.show(*slot),
            Request::FindSteps(by) => self.find_steps(by),
            Request::CloseSecond => {
                (self.second, self.compared, self.shared) = (None, None, ReportCache::default());
                self.show(SessionSlot::First)
            }
            Request::View(view) if view.is_compare() => self.answer_compare(view).unwrap_or_else(Reply::Failed),
            Request::View(view) if view.is_share_of_comparison() => self.share_comparison(view),
            _ => self.answer_in(self.shown, request),
        }
    }

    fn session(&mut self, slot: SessionSlot) -> Option<&mut OneSession> {
        match slot {
            SessionSlot::First => self.first.as_mut(),
            SessionSlot::Second => self.second.as_mut(),
        }
    }

    fn answer_in(&mut self, slot: SessionSlot, request: &Request) -> Reply {
        self.session(slot).map_or(Reply::Cancelled, |one| one.session.answer(request))
    }

    fn show(&mut self, slot: SessionSlot) -> Reply {
        let Some(info) = self.session(slot).map(|one| one.info.clone()) else { return Reply::Cancelled };
        self.shown = slot;
        Reply::Opened(Box::new(info))
    }

    fn find_steps(&mut self, by: &StepsBy) -> Reply {
        let slot = self.shown;
        if let Some(one) = self.session(slot) {
            one.session.find_steps(by, &mut one.info);
            one.analysed = None;
            (self.compared, self.shared) = (None, ReportCache::default());
        }
        self.show(slot)
    }

    fn answer_compare(&mut self, request: &ViewRequest) -> Result<Reply, Failure> {
        Ok(match request {
            ViewRequest::Compare(query) => Reply::answer_to::<requests::Compare>(
                &self.compared(query)?.comparison.with_largest_rows(ROWS_PER_PART),
            ),
            ViewRequest::CompareOps { query, key } => {
                Reply::answer_to::<requests::CompareOps>(&self.compared_ops(query, key)?)
            }
            ViewRequest::CompareDots(query) => {
                let RowDots { dots, n_dots: n_rows, omitted_ps } = self.compared(query)?.comparison.dots(MAX_DOTS);
                Reply::answer_to::<requests::CompareDots>(&CompareDots { dots, n_rows, omitted_ps })
            }
            ViewRequest::CompareTimeline(_) if self.received().is_some() => {
                let absent = Some("A shared comparison has no events.".to_owned());
                let side = SideTimeline { absent, ..SideTimeline::default() };
                Reply::answer_to::<requests::CompareTimeline>(&CompareTimeline {
                    duration: Picos::ZERO,
                    sides: [side.clone(), side],
                })
            }
            ViewRequest::CompareTimeline(query) => {
                Reply::answer_to::<requests::CompareTimeline>(&self.timeline(query)?)
            }
            ViewRequest::CompareMarkdown(query) => Reply::answer_to::<requests::CompareMarkdown>(
                &compare::text::markdown(&self.compared(query)?.comparison, None),
            ),
            ViewRequest::ExportRows { rows: ExportQuery::Compare { query, by }, format } => {
                let comparison = &self.compared(query)?.comparison;
                Reply::answer_to::<requests::ExportRows>(&match (format, by) {
                    (Export::Csv, CompareBy::Op) => csv::table(COMPARE, comparison.rows.iter()).csv(),
                    (Export::Csv, by) => csv::table(COMPARE_GROUPS, groups(&comparison.rows, *by).iter()).csv(),
                    (Export::Json, by) => json::text(&compare::json::compare(comparison, *by, None, usize::MAX)),
                })
            }
            ViewRequest::Table { table: TableQuery::Compare(query, selection), action } => {
                self.compared(query)?.table(selection, action)
            }
            _ => Reply::Cancelled,
        })
    }

    /// Returns the comparison that was received, if the open session is a shared comparison.
    fn received(&self) -> Option<&SharedComparison> {
        self.first.as_ref()?.session.own_report()?.comparison.as_deref()
    }

    /// Answers a request about the comparison as a report.
    fn share_comparison(&mut self, request: &ViewRequest) -> Reply {
        let mut cache = std::mem::take(&mut self.shared);
        let mut make = |query: &ShareQuery| match self.first.as_ref().and_then(|one| one.session.own_report()) {
            // A comparison that was received is passed on as it is.
            Some(report) if report.comparison.is_some() => Ok(report.clone()),
            _ => {
                let query = query.comparison.clone().unwrap_or_default();
                Ok(Report::of_comparison(self.compared(&query)?.comparison.clone()))
            }
        };
        let reply = cache.answer(&mut make, &[], request);
        self.shared = cache;
        reply
    }

    /// Returns the comparison, from the cache or computed. A comparison that was received answers every query.
    fn compared(&mut self, query: &CompareQuery) -> Result<&mut Compared, Failure> {
        let received = self.received().map(|shared| shared.comparison.clone());
        let Self { first, second, compared, .. } = self;
        let kept = match (compared.take().filter(|known| known.query == *query), received) {
            (Some(kept), _) => kept,
            (None, Some(comparison)) => Compared { query: query.clone(), comparison, table: None },
            (None, None) => {
                let (a, b) = sides(first, second, query)?;
                let (mut a, mut b) = (a.side("A")?, b.side("B")?);
                let options = CompareOptions { pairs: query.pairs.clone(), ..CompareOptions::default() };
                Compared { query: query.clone(), comparison: compare_open(&mut a, &mut b, &options)?, table: None }
            }
        };
        Ok(compared.insert(kept))
    }

    /// Draws a step of each side.
    fn timeline(&mut self, query: &CompareTimelineQuery) -> Result<CompareTimeline, Failure> {
        self.compared(&query.compare)?;
        let Self { first, second, compared, .. } = self;
        let rows = compared.as_ref().map_or(&[][..], |known| &known.comparison.rows);
        let (a, b) = sides(first, second, &query.compare)?;
        let (mut a, mut b) = (a.side("A")?, b.side("B")?);
        Ok(compare_timeline([&mut a, &mut b], rows, query))
    }

    /// Returns a row of the comparison with the details of its ops.
    fn compared_ops(&mut self, query: &CompareQuery, key: &str) -> Result<ComparedOps, Failure> {
        let row = self.compared(query)?.comparison.rows.iter().find(|row| row.key() == key).cloned();
        let row = row.ok_or_else(|| Failure {
            title: "No such row".to_owned(),
            message: format!("The comparison has no row {key}."),
        })?;
        if self.received().is_some() {
            return Ok(ComparedOps { row, a: None, b: None });
        }
        let (a, b) = sides(&mut self.first, &mut self.second, query)?;
        let (a, b) = (a.op_detail("A", row.a.as_ref())?, b.op_detail("B", row.b.as_ref())?);
        Ok(ComparedOps { row, a, b })
    }
}

/// Returns the sessions of a comparison: baseline and experiment.
fn sides<'s>(
    first: &'s mut Option<OneSession>,
    second: &'s mut Option<OneSession>,
    query: &CompareQuery,
) -> Result<(&'s mut OneSession, &'s mut OneSession), Failure> {
    let (a, b) = if query.is_swapped { (second, first) } else { (first, second) };
    Ok((a.as_mut().ok_or_else(closed)?, b.as_mut().ok_or_else(closed)?))
}

impl OneSession {
    /// Returns the details of the op with the most time of one side of a row. `None` if the side has no op.
    fn op_detail(&mut self, name: &str, row: Option<&RowSide>) -> Result<Option<OpDetail>, Failure> {
        let Some((row, op)) = row.and_then(|row| Some((row, row.ops.first()?))) else { return Ok(None) };
        match self.side(name)? {
            OpenSide::Capture(capture, analysed) => {
                capture.op_detail(&analysed.query(), &OpRef::new(op, row.program_id)).map(Some)
            }
            // A report has no details of ops.
            OpenSide::Report(_) => Ok(None),
        }
    }

    /// Returns the session with its analyses, from the cache or computed. `name` is the name of the side in messages.
    fn side(&mut self, name: &str) -> Result<OpenSide<'_>, Failure> {
        let failure =
            |message: &str| Failure { title: format!("{name} cannot be compared"), message: message.to_owned() };
        if self.session.own_report().is_some() {
            let report = self.session.own_report();
            return report.map(OpenSide::Report).ok_or_else(|| failure("It is closed."));
        }
        let capture = self.session.capture().ok_or_else(|| failure("It is a list of captures. Open one of them."))?;
        let analysed = match self.analysed.take() {
            Some(analysed) => analysed,
            None => AnalysedSteps::new(capture, &OverviewQuery::default()).ok_or_else(|| no_device(name))?,
        };
        Ok(OpenSide::Capture(capture, self.analysed.insert(analysed)))
    }
}

impl Compared {
    /// Answers a request about the table of ops, or of groups of them.
    fn table(&mut self, selection: &RowSelection, action: &TableAction) -> Reply {
        let (selection, rows, order) = match self.table.take().filter(|(known, ..)| known == selection) {
            Some(kept) => kept,
            None => {
                let all = &self.comparison.rows;
                let rows = match selection.is_grouped() {
                    true => SelectedRows::Groups(selection.groups(all)),
                    false => SelectedRows::Ops(selection.select(all)),
                };
                (selection.clone(), rows, CachedOrder::default())
            }
        };
        #[expect(clippy::cast_precision_loss, reason = "shares of the time of A")]
        let whole = Some(self.comparison.a_ps as f64);
        let head = |shown: &Shown| Some(if shown.id == "text" { selection.by.label() } else { shown.head });
        let (reply, order) = match &rows {
            SelectedRows::Ops(rows) => {
                let table = TableRows::new(&COMPARE_TABLE, rows, whole, |shown| Some(shown.head), order);
                answer(table.with_last(RowDelta::is_left_out), action)
            }
            SelectedRows::Groups(rows) => {
                answer(TableRows::new(&COMPARE_GROUP_TABLE, rows, whole, head, order), action)
            }
        };
        self.table = Some((selection, rows, order));
        reply
    }
}

/// Answers a request about a table. Returns the order of its rows, too.
fn answer<R>(mut table: TableRows<'_, R>, action: &TableAction) -> (Reply, CachedOrder) {
    let reply = table_answer::answer(&mut table, action);
    (reply, table.into_cached_order())
}

fn closed() -> Failure {
    Failure {
        title: "There is nothing to compare with".to_owned(),
        message: "Only one capture is open. Choose another one to compare it with.".to_owned(),
    }
}
