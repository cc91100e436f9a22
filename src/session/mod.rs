//! The open session: files become a profile, and requests are answered from it. Runs natively; knows no browser.

pub mod comm;
pub mod data_movement;
pub mod engine;
pub mod from_report;
pub mod hlo_text_cache;
pub mod instructions;
pub mod kernel_counts;
pub mod memory;
pub mod memory_view;
pub mod op;
pub mod open;
pub mod programs;
pub mod roofline;
pub mod row_order;
pub mod share;

pub use comm::{CommView, comm, comm_lanes};
pub use data_movement::data_movement;
pub use engine::Engine;
pub use memory::{alive_at, memory_curve, memory_lanes, memory_programs, static_memory, what_if, whole_memory};
pub use memory_view::MemorySession;
pub use open::{Input, Opened, open};
pub use programs::{Kept, Programs};
pub use roofline::{roofline, roofline_steps};
pub use share::{RowSeen, ShareAsk, Shared};
