//! What an open session can answer. A view offers a control only where its question has an answer.

use super::url::roofline::RoofBy;
use crate::analysis::base::GroupBy;
use serde::{Deserialize, Serialize};

/// The questions that a session answers beyond those of every session.
///
/// A capture answers all of them. A report holds the answers that were saved, for one device and one step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capabilities {
    /// Groupings of the breakdown's rows.
    pub breakdown_groups: Vec<GroupBy>,
    /// Kinds of rows of the roofline.
    pub roofline_rows: Vec<RoofBy>,
    /// Scopes, devices and data movement can be charted; the steps always can.
    pub all_pictures: bool,
    /// The roofline's rows can be filtered.
    pub roofline_filter: bool,
    /// The roofline can be computed again with other peaks.
    pub other_peaks: bool,
    /// Memory is known at every program point, not only at the peak: the curve zooms, live ranges have a chart, and the peak
    /// can be computed without a buffer.
    pub memory_replay: bool,
    /// The intervals of collectives and copies are known.
    pub comm_intervals: bool,
    /// Communication can be grouped, and computed again for another topology.
    pub comm_groups: bool,
    /// The planes, programs and missing data of the files can be listed.
    pub file_contents: bool,
    /// All rows of a table can be saved as CSV or JSON.
    pub export: bool,
}

impl Capabilities {
    /// Those of a capture.
    pub fn capture() -> Self {
        Self {
            breakdown_groups: GroupBy::ALL.to_vec(),
            roofline_rows: RoofBy::ALL.to_vec(),
            all_pictures: true,
            roofline_filter: true,
            other_peaks: true,
            memory_replay: true,
            comm_intervals: true,
            comm_groups: true,
            file_contents: true,
            export: true,
        }
    }

    /// Those of a report. `has_all_ops`: each op has a row of its own. Otherwise the smaller ops are one row for each kind, so
    /// that no other grouping adds up.
    pub fn report(has_all_ops: bool) -> Self {
        let groups: &[GroupBy] = if has_all_ops {
            &[GroupBy::Op, GroupBy::Category, GroupBy::OpGroup, GroupBy::Kind, GroupBy::Phase, GroupBy::Program]
        } else {
            &[GroupBy::Op, GroupBy::Kind]
        };
        Self {
            breakdown_groups: GroupBy::ALL.into_iter().filter(|by| groups.contains(by)).collect(),
            roofline_rows: vec![RoofBy::Op, RoofBy::Step],
            all_pictures: false,
            roofline_filter: false,
            other_peaks: false,
            memory_replay: false,
            comm_intervals: false,
            comm_groups: false,
            file_contents: false,
            export: false,
        }
    }

    /// Whether the breakdown's rows can be grouped `by`.
    pub fn groups_breakdown_by(&self, by: GroupBy) -> bool {
        self.breakdown_groups.contains(&by)
    }
}
