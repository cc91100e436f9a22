//! This module holds the open session: it reads files into a profile, and answers requests from the profile. It also
//! runs natively and does not depend on a browser.

mod breakdown;
mod breakdown_rows;
pub mod capture;
pub mod captures;
pub mod comm;
pub mod compare;
mod compare_report;
mod compare_timeline;
pub mod data_movement;
mod event_rows;
pub mod export;
pub mod flags;
pub mod from_report;
mod gaps;
mod graph_kernels;
mod graph_order;
pub mod hlo_text_cache;
pub mod imported_tables;
pub mod instructions;
pub mod kernel_counts;
pub mod ledger;
pub mod live_buffers;
pub mod memory;
pub mod memory_view;
pub mod op;
pub mod open;
pub mod open_session;
pub mod open_sessions;
pub mod overview;
mod program_index;
pub mod programs;
pub mod report;
pub mod roofline;
pub mod roofline_cache;
pub mod roofline_table;
pub mod session_trait;
pub mod share;
pub mod tables;
mod timeline;
mod utilization;

pub use comm::{comm, comm_lanes};
pub use data_movement::{data_movement, data_movement_with_bodies};
pub use flags::flags;
pub use ledger::ledger;
pub use memory::{
    alive_at, guess_model, memory_curve, memory_lanes, memory_programs, peak_without, static_memory, whole_memory,
};
pub use open::{Input, Opened, open};
pub use open_session::OpenSession;
pub use open_sessions::OpenSessions;
pub use overview::overview;
pub use programs::{OpenFile, Programs};
pub use roofline_cache::{roofline, roofline_steps};
pub use tables::{buffer_table, comm_table};
