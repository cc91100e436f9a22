//! This module runs `rooflight summary`. Figures and texts come from the library.

use super::open_capture::{OpenCapture, bad_filter, heading, notes_text};
use super::view_args::Output;
use crate::analysis::base::{Filter, GroupBy, Status};
use crate::analysis::breakdown::{Breakdown, StepStats};
use crate::analysis::comm::CommQuery;
use crate::analysis::ledger::LedgerQuery;
use crate::analysis::overview::OverviewQuery;
use crate::analysis::roofline::RooflineQuery;
use crate::protocol::Failure;
use crate::report::summary::{self, Summary};
use crate::report::{breakdown, json};
use crate::session;
use crate::table::text::{Table, TextForm};

/// The default number of rows in the table of sources.
const SUMMARY_TOP: usize = 10;

impl OpenCapture<'_> {
    pub(super) fn summary(&self, attainable: f64) -> Result<String, Failure> {
        let (profile, output) = (&self.opened.profile, self.view.output());
        let top = self.view.top.unwrap_or(SUMMARY_TOP);
        let by_kind = self.answer(&self.query(GroupBy::Kind, Filter::default())?)?;
        let by_source = self.answer(&self.query(GroupBy::Source, Filter::default())?)?;
        let kinds = by_kind.breakdown(profile, self.analysis, usize::MAX);
        let listed = if output == Output::Csv { usize::MAX } else { top };
        let sources = by_source.breakdown(profile, self.analysis, listed);
        // Only JSON lists the steps.
        let max_steps = if output == Output::Json { usize::MAX } else { 0 };
        let steps = self.analysis.step_stats_within(profile, max_steps);
        let notes = self.notes(&kinds.notes);
        let all = |form: fn(&Table) -> String| {
            let mut parts = vec![
                form(&self.breakdown_table(&by_kind, &kinds, usize::MAX)),
                form(&self.breakdown_table(&by_source, &sources, top)),
            ];
            let of_steps = breakdown::steps_table::steps(&steps);
            if !of_steps.rows.is_empty() {
                parts.push(form(&of_steps));
            }
            parts.join("\n")
        };
        Ok(match output {
            Output::Json => {
                let files = self.files();
                let head = json::head("summary", &files, self.partial, &kinds);
                let render = |summary: Summary<'_>| (self.json)(&summary::json(head, summary, top, &notes));
                self.summed(&kinds, &sources, &steps, attainable, render)?
            }
            Output::Csv => breakdown::table::csv(&sources, usize::MAX).csv(),
            Output::Markdown => all(Table::markdown),
            Output::Text if kinds.header.status == Status::Absent => notes_text(&notes),
            Output::Text => {
                let render = |summary: Summary<'_>| (verdict(summary), summary::lines(summary));
                let (verdict, lines) = self.summed(&kinds, &sources, &steps, attainable, render)?;
                heading(&kinds.header) + &verdict + &all(Table::aligned) + "\n" + &lines + &notes_text(&notes)
            }
        })
    }

    /// Computes roofline, memory, communication and the ledger, and passes all results to `render`, which writes the summary.
    /// Formats that do not show these results do not call this function.
    fn summed<T>(
        &self,
        kinds: &Breakdown,
        sources: &Breakdown,
        steps: &StepStats,
        attainable: f64,
        render: impl FnOnce(Summary<'_>) -> T,
    ) -> Result<T, Failure> {
        let request = RooflineQuery { query: self.query(GroupBy::Op, Filter::default())?, ..RooflineQuery::default() };
        let ledger = LedgerQuery { roofline: request.clone(), attainable };
        let overview = self.overview_of(&OverviewQuery { ledger, ..OverviewQuery::default() });
        let (profile, analysis, programs) = (&self.opened.profile, self.analysis, &mut self.programs.borrow_mut());
        let roofline = session::roofline(analysis, profile, programs, &request).map_err(|e| bad_filter(&e))?;
        let comm = CommQuery { query: request.query, ..CommQuery::default() };
        let comm = session::capture::comm::comm_within(analysis, profile, programs, &comm, 0);
        let memory = session::memory_programs(profile, programs, &analysis.programs(profile));
        let runtime = analysis.runtime_memory(profile);
        Ok(render(Summary {
            verdict: overview.as_ref().map(|overview| overview.verdict.as_str()),
            kinds,
            sources,
            steps,
            roofline: &roofline.figures,
            programs: &memory.programs,
            allocators: &runtime.allocators,
            comm: &comm,
            ledger: overview.as_ref().map(|overview| (&overview.ledger, overview.device.as_str())),
        }))
    }
}

/// Writes the verdict above the tables.
fn verdict(summary: Summary<'_>) -> String {
    summary.verdict.map_or_else(String::new, |verdict| TextForm::Terminal.lines([verdict]) + "\n")
}
