//! Pure functions from a profile to report structs.
//!
//! ```text
//!  Profile ─► device: which lines, steps, clocks ──────────────► measure: sweep, per op and window ─┐
//!        └──► ops: kind, group of work, phase, layer, source ─┬─► select: the filter                │
//!                                                             └─► rows ─► row_view, scopes, steps ◄─┤
//!  hlo::Module of the capture ───────────────► op_graph: its neighbourhood, op_detail: one op ◄──────┘
//! ```
//!
//! Knows what ops, steps and kinds mean; knows nothing of files, of pages, or of how numbers look.
mod after_backward;
mod breakdown;
mod category;
mod classify;
pub mod comm;
pub mod data_movement;
mod device;
mod device_notes;
mod file;
mod filter;
mod framework;
mod hosts;
mod kind;
mod layer;
mod longest;
mod measure;
pub mod memory;
mod moe;
mod op_detail;
mod op_graph;
mod op_group;
mod opcode_kind;
mod ops;
mod phase;
mod platform;
mod query;
mod report;
pub mod roofline;
mod row_text;
mod row_view;
mod rows;
mod scope_path;
mod scopes;
mod select;
mod selection;
mod self_time;
mod signature;
mod source_frame;
mod steps;
mod text_order;

pub use breakdown::{Analysis, Answer};
pub use category::{by_name as category_of_name, by_text as category_of_text, category};
pub use classify::{Class, Facts, classify, opcode, result_shape};
pub use device::{Clock, Device, Step, StepBasis, intervals};
pub use file::{
    FileInfo, FileLine, FilePlane, FileProgram, FileStat, FileView, Finding, FindingKind, LineUse, PlaneRole,
    ProgramSource, StatUse,
};
pub use filter::{Filter, FilterError, Matcher, Within};
pub use framework::Framework;
pub use kind::Kind;
pub use layer::{NO_LAYER, SCANNED};
pub use op_detail::{
    Change, FoundOp, Fused, Histogram, Neighbour, OpBasis, OpDetail, OpFigures, OpPlace, OpRemark, OpRole, OpSource,
    OpStep, OpValue, SourceLine,
};
pub use op_graph::{GraphEdge, GraphNode, NodeBody, NodeRole, OpGraph};
pub use op_group::{OpGroup, category_of_kernel};
pub use ops::{Finder, OpFacts, PlaneFacts};
pub use phase::Phase;
pub use platform::{Platform, device_type};
pub use query::{DeviceChoice, GroupBy, Query, StepChoice};
pub use report::{
    Breakdown, Figures, Group, Header, MAX_PARTS, Part, Peaks, SHORTEST_RATED, Share, Shown, Status, Totals, is_unrated,
};
pub use row_text::RowText;
pub use row_view::{NO_SCOPE, RowView};
pub use scope_path::segments as scope_segments;
pub use scopes::{ScopeNode, Scopes};
pub use self_time::{Interval, sweep};
pub use source_frame::Innermost;
pub use steps::{AcrossDevices, DeviceSteps, Spread, StepStats, StepTime};
pub use text_order::sort_by_text;
