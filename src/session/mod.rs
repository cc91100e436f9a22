//! This module holds the open session: it reads files into a profile, and answers requests from the profile. It also
//! runs natively and does not depend on a browser.

pub mod capture;
pub mod captures;
pub mod compare;
pub mod from_report;
pub mod open;
pub mod open_session;
pub mod open_sessions;
pub mod programs;
pub mod share;
mod table_answer;
pub mod tables;

pub use capture::comm::{comm, comm_lanes};
pub use capture::data_movement::{data_movement, data_movement_with_bodies};
pub use capture::flags::flags;
pub use capture::ledger::ledger;
pub use capture::memory::{
    alive_at, guess_model, memory_curve, memory_lanes, memory_programs, peak_without, static_memory, whole_memory,
};
pub use capture::overview::overview;
pub use capture::roofline_cache::{roofline, roofline_steps};
pub use open::{Input, Opened, open};
pub use open_session::OpenSession;
pub use open_sessions::OpenSessions;
pub use programs::{OpenFile, Programs};
pub use tables::{buffer_table, comm_table};
