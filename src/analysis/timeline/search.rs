//! This module finds events by the name of their op. Names are few: the ops are matched first, and then the ops of events
//! are compared with those that match.

use super::TimelineIndex;
use super::event::FirstEvents;
use super::event_report::{SearchQuery, SearchReport};
use super::report::PictureQuery;
use crate::analysis::base::{FilterError, FilterField};
use xla_profile::profile::{Op, OpId, Profile, StrId};
use xla_profile::units::Picos;

impl TimelineIndex {
    /// Finds the events whose op has a text in its name. An empty text finds nothing.
    ///
    /// # Errors
    /// Returns [`FilterError`] if the text is to be a regular expression and is not valid.
    pub fn search(&mut self, profile: &Profile, query: &SearchQuery) -> Result<SearchReport, FilterError> {
        let n_columns = query.n_columns.clamp(1, PictureQuery::MAX_COLUMNS);
        let query = SearchQuery { n_columns, ..query.clone() };
        let mut report = SearchReport { columns: vec![0; n_columns as usize], ..SearchReport::default() };
        let (matcher, within) = (query.filter.compile()?, query.filter.within);
        report.query = query;
        if !matcher.has_text() {
            return Ok(report);
        }
        let (first_start, end) = (self.timeline.start.0, self.timeline.end.0);
        let column = (end.saturating_sub(first_start) / u64::from(n_columns)).saturating_add(1);
        let lines: Vec<_> = self.tracks().map(|track| track.line).collect();
        let mut first = FirstEvents::default();
        let mut matches: Option<(u32, Vec<bool>)> = None;
        for line_ref in lines {
            if matches.as_ref().is_none_or(|(plane, _)| *plane != line_ref.plane) {
                let ops = &profile.planes[line_ref.plane as usize].ops;
                let is_match = |op: &Op| texts(op, within).any(|text| matcher.is_match(profile.text(text)));
                let found: Vec<bool> = ops.iter().map(is_match).collect();
                for (op, _) in ops.iter().zip(&found).filter(|(_, is_match)| **is_match) {
                    if report.names.len() < SearchReport::MAX_HITS {
                        report.names.insert(profile.text(op.name).to_owned());
                    }
                }
                matches = Some((line_ref.plane, found));
            }
            let Some((_, is_match)) = matches.as_ref().filter(|(_, matching)| matching.contains(&true)) else {
                continue;
            };
            let Some(shown) = self.shown(profile, line_ref) else { continue };
            let is_match = |op: OpId| is_match.get(op.0 as usize) == Some(&true);
            let events = (0..).zip(shown.times.events.ops()).filter(|(_, op)| is_match(*op));
            // Many hits follow each other in one column, which is marked once.
            let mut marked = 0..0;
            for (event, _) in events {
                let (start, end) = shown.times.time(event as usize);
                report.n += 1;
                report.time = Picos(report.time.0.saturating_add(end - start));
                first.add((start, line_ref, event));
                if !marked.contains(&start) {
                    let index = start.saturating_sub(first_start) / column;
                    let begin = first_start.saturating_add(index.saturating_mul(column));
                    marked = begin..begin.saturating_add(column);
                    if let Some(mark) = report.columns.get_mut(index as usize) {
                        *mark = 1;
                    }
                }
            }
        }
        report.hits = first.rows(self, profile);
        Ok(report)
    }
}

/// Iterates over the texts of an op that are searched.
fn texts(op: &Op, within: FilterField) -> impl Iterator<Item = StrId> {
    let (is_source, is_path) = (within != FilterField::Leaf, within == FilterField::Anywhere);
    let name = Some(op.name).filter(|_| within != FilterField::Source);
    let source = op.stats.source_stack.or(op.stats.source).filter(|_| is_source);
    [name, op.stats.tf_op.filter(|_| is_path), source].into_iter().flatten()
}
