//! Pure functions from a profile to report structs.
//!
//! ```text
//!  Profile ─► device: which lines, steps, clocks ──────────────► op_times: self time, per op and window ─┐
//!        └──► ops: kind, group of work, phase, layer, source ─┬─► select: the filter                │
//!                                                             └─► rows ─► row_view, scopes, steps ◄─┤
//!  hlo::Module of the capture ───────────────► op_graph: its neighbourhood, op_detail: one op ◄──────┘
//! ```
//!
//! Knows what ops, steps and kinds mean; knows nothing of files, of pages, or of how numbers look.
pub mod base;
pub mod breakdown;
pub mod classify;
pub mod comm;
pub mod data_movement;
pub mod files;
pub mod memory;
pub mod op;
pub mod roofline;
