//! This module opens files as one profile. It detects their formats, reads them, and reports what could not be read.

mod archive;
pub mod capture_facts;
pub mod capture_heads;
mod copies;
pub mod detect;
pub mod estimate;
pub mod input;
pub mod messages;
pub mod plane_list;
pub mod planes_read;
pub mod program_messages;
pub mod read_files;
pub mod remote;
pub mod report_file;
mod trace;

pub use estimate::{BUDGET, ESTIMATE_THRESHOLD, estimate};
pub use input::Input;
pub use messages::no_capture;
pub use plane_list::{PlaneList, list_planes};
pub use planes_read::{PlaneAt, PlanesRead};
pub use read_files::{Opened, open};
pub use report_file::captures_of;
