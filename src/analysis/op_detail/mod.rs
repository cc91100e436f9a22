//! One op: what it is in words, its times, its values, its source, its neighbours.
//!
//! ```text
//!  events ──measure──► figures ─────────────────────────────┐
//!  program (proto) ──┬─► values, words, neighbours, fused ──┼──► OpDetail
//!  event's text ─────┘   (from text where there is no proto)┘
//! ```
//!
//! Knows programs and events; is handed the program and knows nothing of files, nor of how numbers look.

mod report;

pub use report::{
    Change, Fused, Histogram, Neighbour, OpBasis, OpDetail, OpFigures, OpPlace, OpRemark, OpRole, OpSource, OpStep,
    OpValue, SourceLine,
};
