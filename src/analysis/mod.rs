//! Pure functions from a profile to report structs.
//!
//! ```text
//!  Profile ─► device: which lines, steps, clocks ─┐
//!        └──► ops: classify, source_frame ────────┴► breakdown: sweep ─► group ─► report
//! ```
//!
//! Knows what ops, steps and kinds mean; knows nothing of files, of pages, or of how numbers look.
mod breakdown;
mod classify;
mod device;
mod group;
mod kind;
mod ops;
mod query;
mod report;
mod source_frame;
mod sweep;

pub use breakdown::Analysis;
pub use classify::{Class, Facts, classify, opcode, result_shape};
pub use device::{Clock, Device, Step, StepBasis, intervals};
pub use kind::Kind;
pub use ops::{OpFacts, PlaneFacts};
pub use query::{DeviceChoice, GroupBy, Query, StepChoice};
pub use report::{Breakdown, Group, Header, Peaks, Share, Status, Totals};
pub use source_frame::Innermost;
pub use sweep::{Interval, sweep};
