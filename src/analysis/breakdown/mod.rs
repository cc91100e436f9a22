//! This module computes the breakdown: the self time of each op within a window, grouped into rows, the tree of scopes,
//! and the statistics of steps.

pub mod columns;
pub(in crate::analysis) mod query;
pub(in crate::analysis) mod report;
pub mod row_label;
pub(in crate::analysis) mod row_text;
pub(in crate::analysis) mod row_view;
pub(in crate::analysis) mod scopes;
pub(in crate::analysis) mod steps;

pub use query::Answer;
pub use report::{
    Breakdown, Figures, Group, MAX_PARTS, RowsLeftOut, SHORTEST_RATED, Share, Shown, SignatureTime, is_unrated,
};
pub use row_text::RowText;
pub use row_view::RowView;
pub use scopes::{ScopeNode, Scopes};
pub use steps::{AcrossDevices, DeviceSteps, KindTimes, StepStats, StepTime};
