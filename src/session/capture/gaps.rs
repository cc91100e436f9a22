//! This module answers requests about idle gaps.

use super::CaptureSession;
use crate::analysis::base::Query;
use crate::analysis::gaps::{GapClass, Gaps};
use crate::protocol::Export;
use crate::report::{gaps, json};
use xla_profile::units::Picos;

/// Number of gaps of each class that the page lists.
const GAPS_OF_CLASS: usize = 12;

impl CaptureSession {
    /// Returns gaps with the longest ones of each class, as the page shows them.
    pub(super) fn gaps(&self, query: &Query) -> Gaps {
        let mut gaps = self.analysis.gaps(&self.profile, query);
        let mut listed = [0; GapClass::ALL.len()];
        let mut rest = Picos::ZERO;
        gaps.gaps.retain(|gap| {
            let mut is_listed = false;
            for (class, _) in &gap.parts {
                let n = &mut listed[*class as usize];
                is_listed |= *n < GAPS_OF_CLASS;
                *n += 1;
            }
            if !is_listed {
                rest += gap.total;
            }
            is_listed
        });
        gaps.rest += rest;
        gaps
    }

    /// Returns gaps in the form that `rooflight gaps` writes.
    pub(super) fn export_gaps(&self, query: &Query, format: Export) -> String {
        let gaps = self.analysis.gaps(&self.profile, query);
        if format == Export::Csv {
            return gaps::table::csv(&gaps, usize::MAX).csv();
        }
        let notes = self.notes_and(&gaps.notes);
        let names = self.file_names();
        let head = json::head_of("gaps", &names, self.partial, &gaps.header, &gaps.totals);
        json::text(&gaps::json::gaps(head, &gaps, usize::MAX, &notes))
    }
}
