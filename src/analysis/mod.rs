//! Pure functions from a profile to report structs.
mod kind;
mod query;
mod report;
pub use kind::Kind;
pub use query::{DeviceChoice, GroupBy, Query, StepChoice};
pub use report::{Breakdown, Group, Header, Share, Status, Totals};
