//! This module opens files as one profile. It detects their formats, reads them, and reports what could not be read.

mod archive;
pub mod capture_facts;
pub mod capture_heads;
mod copies;
pub mod detect;
mod dump_stages;
pub mod estimate;
mod host_order;
pub mod input;
pub mod messages;
pub(crate) mod plane_heads;
pub mod plane_shares;
pub mod planes_read;
pub mod program_messages;
pub mod read_files;
pub mod remote;
pub mod report_file;
mod run;
pub(crate) mod session_messages;
pub mod sessions;
mod trace;

pub use estimate::{BUDGET, ESTIMATE_THRESHOLD, estimate};
pub use input::Input;
pub use messages::no_capture;
pub use plane_shares::{PlaneList, list_planes};
pub use planes_read::{PlaneAt, PlanesRead};
pub use read_files::{Opened, open, open_session};
pub use report_file::captures_of;
pub use sessions::{SessionChoice, sessions_of};
