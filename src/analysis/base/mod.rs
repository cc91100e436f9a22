//! This module finds devices, steps, clocks and self times, and the selection that every feature starts from. The
//! module does not depend on any feature.

pub(in crate::analysis) mod after_backward;
pub(in crate::analysis) mod analysis;
pub(in crate::analysis) mod ancestors;
pub(in crate::analysis) mod axis;
pub(in crate::analysis) mod completeness;
pub(in crate::analysis) mod device;
pub(in crate::analysis) mod device_notes;
mod file_end;
pub(in crate::analysis) mod filter;
pub(in crate::analysis) mod find_devices;
pub(in crate::analysis) mod folded_scopes;
pub(in crate::analysis) mod framework;
pub(in crate::analysis) mod host_links;
pub(in crate::analysis) mod hosts;
pub(in crate::analysis) mod instruction_ref;
pub(in crate::analysis) mod longest_step;
pub(in crate::analysis) mod not_steady;
pub(in crate::analysis) mod op_lookup;
pub(in crate::analysis) mod op_times;
pub(in crate::analysis) mod periods;
pub(in crate::analysis) mod platform;
pub(in crate::analysis) mod query;
pub(in crate::analysis) mod report;
pub(in crate::analysis) mod rows;
pub(in crate::analysis) mod scale;
pub(in crate::analysis) mod scope_tree;
pub(in crate::analysis) mod select;
pub(in crate::analysis) mod selection;
pub(in crate::analysis) mod spread;
pub(in crate::analysis) mod steps;

pub use crate::intervals::{Interval, Merged, self_time};
pub use analysis::Analysis;
pub use axis::Axis;
pub use completeness::{Completeness, MissingDevices, Sign};
pub use device::{Clock, Device, Step, StepBasis, interval_of, intervals};
pub use filter::{Filter, FilterError, FilterField, Matcher};
pub use framework::Framework;
pub use not_steady::NotSteady;
pub use op_lookup::ResolvedOp;
pub use platform::{Platform, device_type};
pub use query::{DeviceChoice, GroupBy, Query, StepChoice, TimeRange};
pub use report::{Header, Mean, Peaks, Status, Totals};
pub use scope_tree::NO_SCOPE;
pub use spread::Spread;
pub use steps::{StepKind, StepsBy};
