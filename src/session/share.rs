//! This module answers the share dialog: the preview, the link and the file of a report. It depends on reports and
//! their links, not on a browser.

use super::session_trait::Session;
use crate::analysis::comm::CommQuery;
use crate::analysis::roofline::RooflineQuery;
use crate::protocol::{CaptureRange, Failure, Reply, ReportRow, ShareAnswer, ShareQuery, ViewRequest};
use crate::share::{Level, OpRow, Report, encode_link, markdown, pack};
use rustc_hash::FxHashSet;

/// A report at full detail, and the queries that it answers.
struct CachedReport {
    of: (RooflineQuery, CommQuery),
    report: Report,
    n_sources: u32,
    /// Cached lengths by (`with_sources`, `anonymise`).
    lengths: Vec<((bool, bool), Lengths)>,
}

/// The lengths of links and files, as [`ShareAnswer`] holds them.
#[derive(Clone, Copy)]
struct Lengths {
    fits: Option<u8>,
    file: u64,
}

/// Number of rows in the preview.
const FIRST: usize = 3;

/// Returns the preview of `report`. `capture_ranges` are the captures that the report file can hold.
fn shared(report: &Report, cached: &CachedReport, lengths: Lengths, capture_ranges: Vec<CaptureRange>) -> ShareAnswer {
    let row = |row: &OpRow| ReportRow {
        name: row.group.key.clone(),
        kind: row.group.kind,
        total: row.group.total,
        of_step: row.group.of_step,
        source: row.group.source_inner.clone(),
    };
    ShareAnswer {
        link: encode_link(report),
        file_size: lengths.file,
        preview: report.preview(),
        first: report.rows.iter().take(FIRST).map(row).collect(),
        fits: lengths.fits,
        n_sources: cached.n_sources,
        capture_ranges,
    }
}

/// The last report at full detail. The slider of the share dialog requests it at many levels of detail.
#[derive(Default)]
pub(crate) struct ReportCache {
    last: Option<CachedReport>,
}

impl ReportCache {
    /// Answers a request about the report of a session. `capture_ranges` are the captures that the report file can
    /// hold.
    pub(crate) fn answer(
        &mut self,
        session: &mut dyn Session,
        capture_ranges: &[CaptureRange],
        request: &ViewRequest,
    ) -> Reply {
        let (ViewRequest::Share(query)
        | ViewRequest::ShareFile { query, .. }
        | ViewRequest::ShareMarkdown { query, .. }) = request
        else {
            return Reply::Failed(super::open::messages::unknown_request());
        };
        let cached = match self.get(session, query) {
            Ok(cached) => cached,
            Err(failure) => return Reply::Failed(failure),
        };
        // Markdown holds figures and a few rows, so that it always has full detail.
        let level = if matches!(request, ViewRequest::ShareMarkdown { .. }) { Level::FULL.at } else { query.level };
        let report = ShareQuery { level, ..query.clone() }.cut(&cached.report);
        match request {
            ViewRequest::ShareFile { captures, .. } => Reply::encode_answer(&pack(&report, captures)),
            ViewRequest::ShareMarkdown { url, .. } => Reply::encode_answer(&markdown(&report, url.as_deref())),
            _ => {
                let without = (query.with_sources, query.anonymise);
                let known = cached.lengths.iter().find(|(of, _)| *of == without).map(|(_, lengths)| *lengths);
                let lengths = known.unwrap_or_else(|| {
                    let full = ShareQuery { level: Level::FULL.at, ..query.clone() }.cut(&cached.report);
                    let lengths = Lengths { fits: query.fits(&cached.report), file: pack(&full, &[]).len() as u64 };
                    cached.lengths.push((without, lengths));
                    lengths
                });
                Reply::encode_answer(&shared(&report, cached, lengths, capture_ranges.to_vec()))
            }
        }
    }

    /// Returns the report for a query from the cache, or makes it.
    fn get(&mut self, session: &mut dyn Session, query: &ShareQuery) -> Result<&mut CachedReport, Failure> {
        let of = (query.roofline.clone(), query.comm.clone());
        let cached = match self.last.take().filter(|cached| cached.of == of) {
            Some(cached) => cached,
            None => {
                let report = session.report(query)?;
                let sources = report.rows.iter().filter_map(|row| row.group.source_inner.as_deref());
                let n_sources = sources.collect::<FxHashSet<&str>>().len() as u32;
                CachedReport { of, n_sources, lengths: Vec::new(), report }
            }
        };
        Ok(self.last.insert(cached))
    }
}
