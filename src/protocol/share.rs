//! The request for a report of the session, and the preview of what leaves with it.

use super::request::Carries;
use crate::analysis::classify::Kind;
use crate::analysis::comm::CommQuery;
use crate::analysis::roofline::RooflineQuery;
use crate::share::{AIM, Level, Preview, Report, encode_link};
use crate::units::Picos;
use serde::{Deserialize, Serialize};

/// Of what a report is made, and how much of it leaves.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ShareQuery {
    /// Device and step, and against which peaks and costs. Grouping and filter play no part: a report is by op.
    pub roofline: RooflineQuery,
    /// On which machine.
    pub comm: CommQuery,
    /// From 0 to 100, full detail: [`Level::from_slider`].
    pub level: u8,
    /// Lines of source leave, too.
    pub with_sources: bool,
    /// Names become pseudonyms.
    pub anonymise: bool,
}

/// What would leave.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ShareAnswer {
    /// The report as text for an address.
    pub link: String,
    /// Bytes of the report file at full detail, without captures.
    pub file_size: u64,
    /// All of it, as a preview.
    pub preview: Preview,
    /// Its first rows, as they will be read.
    pub first: Vec<ReportRow>,
    /// The highest level whose link is no longer than [`AIM`], with an address around it; `None` where even the lowest is.
    pub fits: Option<u8>,
    /// Lines of source that the session knows.
    pub n_sources: u32,
    /// Where its captures lie, where that is within report files; empty: each file is one.
    pub carries: Vec<Carries>,
}

/// A row as its reader sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReportRow {
    /// The op.
    pub name: String,
    /// Its kind.
    pub kind: Kind,
    /// Its self time.
    pub total: Picos,
    /// Of the step, from 0 to 1.
    pub of_step: Option<f64>,
    /// Where it is from, if that leaves.
    pub source: Option<String>,
}

/// Characters that an address has around its report, at most: the page's place and the state of its views.
const AROUND: usize = 400;

impl ShareQuery {
    /// The report as it leaves.
    pub fn cut(&self, full: &Report) -> Report {
        let report = full.cut_to(Level::from_slider(self.level));
        match (self.anonymise, self.with_sources) {
            (true, _) => report.anonymise(),
            (false, false) => report.without_sources(),
            (false, true) => report,
        }
    }

    /// The highest level that makes a link of the length aimed for.
    pub fn fits(&self, full: &Report) -> Option<u8> {
        let length = |level: u8| encode_link(&Self { level, ..self.clone() }.cut(full)).len();
        // Lengths grow with the level: the first that is too long is looked for.
        let (mut good, mut bad) = (None, 101);
        let mut next = Level::USUAL.at;
        loop {
            if length(next) + AROUND <= AIM {
                good = Some(next);
            } else {
                bad = next;
            }
            let least = good.map_or(0, |good| good + 1);
            if least >= bad {
                return good;
            }
            next = least + (bad - 1 - least) / 2;
        }
    }
}
