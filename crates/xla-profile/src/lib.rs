//! This crate reads the files of XLA's profiler and compiler: captures (XSpace, or the trace JSON of a trace viewer)
//! and compiled programs (HLO as protobuf or as text). The files may be packed with gzip or xz, or lie in a zip
//! archive. They are read in ranges, from any [`source::Source`].
//!
//! ```text
//!  source ──► wire ──► profile      bytes ──► records ──► columns: planes, lines, events, ops, notes on missing data
//!                ├───► excerpt      bytes: a smaller capture with a range of time
//!                ├───► hlo          a program: computations, instructions, shapes, costs, its text
//!                └───► mosaic       the body of a Pallas kernel: grid, blocks, buffers, matrix products
//! ```
//!
//! No input causes a panic, and no allocation is larger than the input justifies. Time is integer picoseconds
//! ([`units::Picos`]). An absent value is `None`, and a [`profile::Note`] gives the reason. The crate contains no
//! analyses; these are in `rooflight`.
#![forbid(unsafe_code)]

pub mod excerpt;
pub mod hlo;
pub mod intervals;
mod keyed_enum;
pub mod lanes;
pub mod mosaic;
pub mod parallel;
pub mod profile;
pub mod small_sort;
pub mod source;
pub mod units;
pub mod wire;
