//! The contract between page and worker, and the session behind it.
//!
//! `contract` is plain data. `open` makes a profile of files, `engine` answers requests from it: natively
//! testable, and what the command line uses. The browser half (`client`: the page's end, `server`: the
//! worker's) exists only in the page's build.

pub mod address;
mod archive;
#[cfg(all(target_arch = "wasm32", feature = "worker"))]
pub mod blob;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod client;
mod column;
mod comm;
pub mod comm_place;
mod contract;
mod copies;
mod data_movement;
mod detect;
#[expect(clippy::module_inception, reason = "the engine is what this folder is named after")]
mod engine;
mod estimate;
mod hlo_text_cache;
mod instructions;
mod kernel_counts;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod lock;
mod memory;
pub mod memory_place;
mod memory_view;
#[cfg(all(target_arch = "wasm32", any(feature = "page", feature = "worker")))]
pub mod message;
mod messages;
mod open;
mod ops;
mod order;
mod place;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod program;
mod program_sentences;
mod program_text;
mod programs;
mod question;
pub mod remote;
mod roofline;
pub mod roofline_place;
mod roofline_view;
#[cfg(all(target_arch = "wasm32", feature = "worker"))]
pub mod server;
mod share;
mod sharing;
mod tables;
mod told;
mod trace;
mod views;
pub use column::{Column, Sort};
pub use comm::{CommView, comm, comm_lanes};
pub use contract::*;
pub use data_movement::data_movement;
pub use engine::Engine;
pub use estimate::{BUDGET, Choice, Estimate, LOOKED_FROM, Skip, estimate};
pub use memory::{alive_at, memory_curve, memory_lanes, memory_programs, static_memory, what_if, whole_memory};
pub use memory_view::MemorySession;
pub use messages::no_capture;
pub use open::{Input, Opened, open};
pub use program_text::*;
pub use programs::{Kept, Programs};
pub use question::Question;
pub use roofline::{roofline, roofline_steps};
pub use roofline_view::*;
pub use share::{RowSeen, ShareAsk, Shared};
pub use sharing::passed_on;
pub use tables::*;
pub use told::captures_of;
