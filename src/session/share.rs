//! This module answers the share dialog: the preview, the link and the file of a report. It depends on reports and
//! their links, not on a browser.

use crate::analysis::comm::CommQuery;
use crate::analysis::compare::{CompareQuery, RowDelta};
use crate::analysis::roofline::RooflineQuery;
use crate::protocol::{
    Capabilities, CaptureRange, Failure, Reply, ReportRow, ShareAnswer, ShareQuery, ViewRequest, requests,
};
use crate::share::{Level, OpRow, Report, encode_link, markdown, pack};
use rustc_hash::FxHashSet;
use xla_profile::units::Picos;

/// What determines a report at full detail.
type ReportKey = (RooflineQuery, CommQuery, Option<CompareQuery>);

/// A report at full detail, and the queries that it answers.
struct CachedReport {
    key: ReportKey,
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
    let first = match &report.comparison {
        Some(shared) => shared.comparison.rows.iter().take(FIRST).map(compared_row).collect(),
        None => report.rows.iter().take(FIRST).map(row).collect(),
    };
    ShareAnswer {
        link: encode_link(report),
        file_size: lengths.file,
        preview: report.preview(),
        first,
        fits: lengths.fits,
        n_sources: cached.n_sources,
        breakdown_groups: Capabilities::of_report(report).breakdown_groups,
        capture_ranges,
    }
}

/// Returns a row of a comparison with the time of B; of an op of A alone, with that of A.
fn compared_row(row: &RowDelta) -> ReportRow {
    let side = row.b.as_ref().or(row.a.as_ref());
    ReportRow {
        name: row.name().to_owned(),
        kind: row.kind,
        total: Picos(side.map_or(0, |side| side.self_ps.unsigned_abs())),
        of_step: None,
        source: row.source().map(str::to_owned),
    }
}

/// Returns the number of different source lines of the ops of a report.
fn n_sources(report: &Report) -> u32 {
    let rows = report.rows.iter().filter_map(|row| row.group.source_inner.as_deref());
    let compared = report.comparison.iter().flat_map(|shared| &shared.comparison.rows);
    let sides = compared.flat_map(|row| [&row.a, &row.b]).flatten();
    rows.chain(sides.filter_map(|side| side.source.as_deref())).collect::<FxHashSet<&str>>().len() as u32
}

/// The last report at full detail. The slider of the share dialog requests it at many levels of detail.
#[derive(Default)]
pub(crate) struct ReportCache {
    last: Option<CachedReport>,
}

impl ReportCache {
    /// Answers a request about a report, which `make` makes at full detail. `capture_ranges` are the captures that the
    /// report file can hold.
    pub(crate) fn answer(
        &mut self,
        make: &mut dyn FnMut(&ShareQuery) -> Result<Report, Failure>,
        capture_ranges: &[CaptureRange],
        request: &ViewRequest,
    ) -> Reply {
        let (ViewRequest::Share(query)
        | ViewRequest::ShareFile { query, .. }
        | ViewRequest::ShareMarkdown { query, .. }) = request
        else {
            return Reply::Failed(super::open::messages::unknown_request());
        };
        let cached = match self.get(make, query) {
            Ok(cached) => cached,
            Err(failure) => return Reply::Failed(failure),
        };
        // Markdown holds figures and a few rows, so that it always has full detail.
        let level =
            if matches!(request, ViewRequest::ShareMarkdown { .. }) { Level::FULL.position } else { query.level };
        let report = ShareQuery { level, ..query.clone() }.cut(&cached.report);
        match request {
            ViewRequest::ShareFile { captures, .. } => {
                Reply::answer_to::<requests::ShareFile>(&pack(&report, captures))
            }
            ViewRequest::ShareMarkdown { url, .. } => {
                Reply::answer_to::<requests::ShareMarkdown>(&markdown(&report, url.as_deref()))
            }
            _ => {
                let without = (query.with_sources, query.anonymise);
                let known = cached.lengths.iter().find(|(flags, _)| *flags == without).map(|(_, lengths)| *lengths);
                let lengths = known.unwrap_or_else(|| {
                    let full = ShareQuery { level: Level::FULL.position, ..query.clone() }.cut(&cached.report);
                    let lengths = Lengths { fits: query.fits(&cached.report), file: pack(&full, &[]).len() as u64 };
                    cached.lengths.push((without, lengths));
                    lengths
                });
                Reply::answer_to::<requests::Share>(&shared(&report, cached, lengths, capture_ranges.to_vec()))
            }
        }
    }

    /// Returns the report for a query from the cache, or makes it.
    fn get(
        &mut self,
        make: &mut dyn FnMut(&ShareQuery) -> Result<Report, Failure>,
        query: &ShareQuery,
    ) -> Result<&mut CachedReport, Failure> {
        let key = (query.roofline.clone(), query.comm.clone(), query.comparison.clone());
        let cached = match self.last.take().filter(|cached| cached.key == key) {
            Some(cached) => cached,
            None => {
                let report = make(query)?;
                CachedReport { key, n_sources: n_sources(&report), lengths: Vec::new(), report }
            }
        };
        Ok(self.last.insert(cached))
    }
}
