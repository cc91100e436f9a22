//! This module lists the requests that an open session can answer. A view offers a control only if the session answers
//! its request.

use super::url::roofline::RoofBy;
use crate::analysis::base::GroupBy;
use crate::share::Report;
use serde::{Deserialize, Serialize};

/// The requests that a session answers beyond those that every session answers.
///
/// A capture answers all of them. A report holds only the answers that were saved, for one device and one step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capabilities {
    /// Whether the session can compute the overview.
    pub overview: bool,
    /// Groupings that the breakdown offers.
    pub breakdown_groups: Vec<GroupBy>,
    /// Kinds of rows that the roofline offers.
    pub roofline_rows: Vec<RoofBy>,
    /// The page can chart scopes, devices and data movement. It can always chart the steps.
    pub all_pictures: bool,
    pub roofline_filter: bool,
    /// The roofline can be computed again with other peaks.
    pub other_peaks: bool,
    /// Memory is known at every program point, not only at the peak: the curve can be zoomed, live ranges have a chart,
    /// and the peak can be computed without a buffer.
    pub memory_replay: bool,
    /// The intervals of collectives and copies are known.
    pub comm_intervals: bool,
    /// Communication can be grouped, and computed again for another topology.
    pub comm_groups: bool,
    /// Single events are known, so that there is a timeline.
    pub timeline: bool,
    /// The planes, the programs and the missing data of the files can be listed.
    pub file_contents: bool,
    /// All rows of a table can be saved as CSV or JSON.
    pub export: bool,
}

impl Capabilities {
    /// Returns the capabilities of a capture: all of them.
    pub fn capture() -> Self {
        Self {
            overview: true,
            breakdown_groups: GroupBy::ALL.to_vec(),
            roofline_rows: RoofBy::ALL.to_vec(),
            all_pictures: true,
            roofline_filter: true,
            other_peaks: true,
            memory_replay: true,
            comm_intervals: true,
            comm_groups: true,
            timeline: true,
            file_contents: true,
            export: true,
        }
    }

    /// Returns the capabilities of a list of captures: its table can be saved.
    pub fn captures() -> Self {
        Self { breakdown_groups: Vec::new(), roofline_rows: Vec::new(), export: true, ..Self::report(false, false) }
    }

    /// Returns the capabilities of a report.
    ///
    /// With `has_all_ops`, each op has a row of its own. Otherwise the report sums the smaller ops into one row per
    /// kind, so that only the groupings by op and by kind add up.
    pub fn report(has_all_ops: bool, has_overview: bool) -> Self {
        let groups: &[GroupBy] = if has_all_ops {
            &[GroupBy::Op, GroupBy::Category, GroupBy::OpGroup, GroupBy::Kind, GroupBy::Phase, GroupBy::Program]
        } else {
            &[GroupBy::Op, GroupBy::Kind]
        };
        Self {
            overview: has_overview,
            breakdown_groups: GroupBy::ALL.into_iter().filter(|by| groups.contains(by)).collect(),
            roofline_rows: vec![RoofBy::Op, RoofBy::Step],
            all_pictures: false,
            roofline_filter: false,
            other_peaks: false,
            memory_replay: false,
            comm_intervals: false,
            comm_groups: false,
            timeline: false,
            file_contents: false,
            export: false,
        }
    }

    /// Returns the capabilities of a report, with the groupings that it was made with.
    pub fn of_report(report: &Report) -> Self {
        let follows = Self::report(report.is_whole(), report.overview.is_some());
        let is_offered = |by: &GroupBy| {
            follows.groups_breakdown_by(*by)
                || report.groups.iter().any(|grouped| grouped.by == *by)
                || (*by == GroupBy::Module && report.has_all_modules())
        };
        Self { breakdown_groups: GroupBy::ALL.into_iter().filter(is_offered).collect(), ..follows }
    }

    /// Returns whether the breakdown's rows can be grouped `by`.
    pub fn groups_breakdown_by(&self, by: GroupBy) -> bool {
        self.breakdown_groups.contains(&by)
    }
}
