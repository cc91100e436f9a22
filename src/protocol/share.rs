//! This module defines the request for a report of the session, and the preview of the data that the report holds.

use crate::analysis::base::GroupBy;
use crate::analysis::classify::Kind;
use crate::analysis::comm::CommQuery;
use crate::analysis::compare::CompareQuery;
use crate::analysis::roofline::RooflineQuery;
use crate::share::{Level, Preview, Report, TARGET_LINK_LENGTH, encode_link};
use serde::{Deserialize, Serialize};
use xla_profile::units::Picos;

/// Selects the results that a report holds and their level of detail.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ShareQuery {
    /// Device, step, peaks and costs. The grouping and the filter have no effect: a report has one row per op.
    pub roofline: RooflineQuery,
    /// Topology and mesh of the machine.
    pub comm: CommQuery,
    /// Level of detail from 0 to 100, where 100 is full detail; see [`Level::from_slider`].
    pub level: u8,
    /// Whether the report holds source lines.
    pub with_sources: bool,
    /// Whether pseudonyms replace names. If so, the report holds no source lines, whatever `with_sources` is.
    pub anonymise: bool,
    /// The comparison that is shared in place of a session. `None` for a report of the session.
    pub comparison: Option<CompareQuery>,
}

/// The preview of a report: its link, its sizes and its content.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ShareAnswer {
    /// The report encoded as base64url, for the address.
    pub link: String,
    /// Size in bytes of the report file at full detail, without captures.
    pub file_size: u64,
    /// Summary of everything that the report holds.
    pub preview: Preview,
    /// First rows of the report, with the names that its reader will see.
    pub first: Vec<ReportRow>,
    /// Highest level of detail at which the whole address is no longer than [`TARGET_LINK_LENGTH`]. `None` if even
    /// level 0 is too long.
    pub fits: Option<u8>,
    /// Number of distinct source lines in the session's rows.
    pub n_sources: u32,
    /// Groupings of the breakdown that the reader can choose.
    pub breakdown_groups: Vec<GroupBy>,
    /// Position of each capture within the opened report files. Empty if each opened file is itself a capture.
    pub capture_ranges: Vec<CaptureRange>,
}

/// The position of a capture within a report file that was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaptureRange {
    pub name: String,
    /// Index of the opened file.
    pub file: u32,
    /// Offset of the first byte in that file.
    pub start: u64,
    /// Size in bytes.
    pub bytes: u64,
}

/// A row of the report as its reader sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReportRow {
    pub name: String,
    pub kind: Kind,
    /// Self time.
    pub total: Picos,
    /// Self time as a fraction of the step, from 0 to 1.
    pub of_step: Option<f64>,
    /// Innermost source line. `None` if it is unknown or if the report leaves source lines out.
    pub source: Option<String>,
}

/// Largest number of characters that an address has around its report: the page's own address and the state of its
/// views.
const AROUND: usize = 300;

impl ShareQuery {
    /// Returns `full` with the level of detail, the pseudonyms and the source lines that this query selects.
    pub fn cut(&self, full: &Report) -> Report {
        self.without_names(full.cut_to(Level::from_slider(self.level)))
    }

    /// Returns `full` as [`ShareQuery::cut`] does, without a second copy of a report at full detail.
    pub fn cut_owned(&self, full: Report) -> Report {
        if self.level >= Level::FULL.position { self.without_names(full) } else { self.cut(&full) }
    }

    /// Returns the report with the pseudonyms and the source lines that this query selects.
    fn without_names(&self, report: Report) -> Report {
        match (self.anonymise, self.with_sources) {
            (true, _) => report.anonymise(),
            (false, false) => report.without_sources(),
            (false, true) => report,
        }
    }

    /// Returns the highest level of detail at which the link and the rest of the address fit into
    /// [`TARGET_LINK_LENGTH`] characters. `None` if no level fits.
    pub fn fits(&self, full: &Report) -> Option<u8> {
        let fits = |level: u8| {
            let link = encode_link(&Self { level, ..self.clone() }.cut(full));
            link.len() + AROUND <= TARGET_LINK_LENGTH
        };
        // The length of the link grows with the level, so a binary search finds the first level that is too long. A report that
        // lacks rows already is not one at full detail. A report that is too long at its smallest level needs no search.
        let (mut good, mut bad) = match Level::USUAL.position {
            usual if fits(usual) => (usual, full.origin.level + 1),
            usual if fits(Level::SMALL.position) => (Level::SMALL.position, usual),
            _ => return None,
        };
        while good + 1 < bad {
            let next = good + 1 + (bad - good - 2) / 2;
            if fits(next) {
                good = next;
            } else {
                bad = next;
            }
        }
        Some(good)
    }
}
