//! This module computes report structs from a profile. Its functions are pure.
//!
//! ```text
//!  Profile ─► base::device: lines, steps, clocks ────────────► base::op_times: self time, per op and window ─┐
//!        └──► classify: kind, group, phase, layer, source ─┬─► base::select: the filter                      │
//!                                                          └─► base::rows ─► breakdown: rows, scopes, steps ◄┤
//!  hlo::Module of the capture ─────────────► op::graph: the neighbourhood of an op, op: one op ◄─────────────┘
//! ```
//!
//! This module depends on ops, steps and kinds. It does not depend on files, on pages or on number formats.
pub mod base;
pub mod breakdown;
pub mod captures;
pub mod classify;
pub mod comm;
pub mod compare;
mod counters;
pub mod data_movement;
pub mod files;
pub mod flags;
pub mod gaps;
pub mod ledger;
pub mod memory;
pub mod modules;
pub mod op;
pub mod overview;
pub mod roofline;
pub mod timeline;
