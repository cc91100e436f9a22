//! Reads what XLA's profiler and compiler write: captures (XSpace, or the trace JSON of a viewer), and compiled programs (HLO as
//! protobuf or text), packed with gzip or xz or in a zip archive, in ranges, from wherever bytes come.
//!
//! ```text
//!  source ──► wire ──► profile      bytes ──► records ──► columns: planes, lines, events, ops, notes of what is missing
//!                └───► hlo          a program: computations, instructions, shapes, costs, its text
//! ```
//!
//! Nothing here panics, whatever the input, and no allocation is larger than the input justifies. Time is integer picoseconds
//! ([`units::Picos`]). What is absent is `None`, and a [`profile::Note`] says why. This module knows no analysis: what numbers mean is `rooflight`'s.
#![forbid(unsafe_code)]

pub mod hlo;
pub mod profile;
pub mod source;
pub mod units;
pub mod wire;
