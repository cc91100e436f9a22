//! Self time of each op within a window, grouped into rows; the tree of scopes and the statistics of steps.

pub(in crate::analysis) mod query;
pub(in crate::analysis) mod report;
pub(in crate::analysis) mod row_text;
pub(in crate::analysis) mod row_view;
pub(in crate::analysis) mod scopes;
pub(in crate::analysis) mod steps;

pub use super::base::analysis::Analysis;
pub use query::Answer;
pub use report::Breakdown;
pub use report::Figures;
pub use report::Group;
pub use super::base::report::Header;
pub use report::MAX_PARTS;
pub use report::Part;
pub use super::base::report::Peaks;
pub use report::SHORTEST_RATED;
pub use report::Share;
pub use report::Shown;
pub use super::base::report::Status;
pub use super::base::report::Totals;
pub use report::is_unrated;
pub use row_text::RowText;
pub use row_view::NO_SCOPE;
pub use row_view::RowView;
pub use scopes::ScopeNode;
pub use scopes::Scopes;
pub use steps::AcrossDevices;
pub use steps::DeviceSteps;
pub use steps::Spread;
pub use steps::StepStats;
pub use steps::StepTime;
