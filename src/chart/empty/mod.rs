//! What is reported where there is nothing to draw: what is missing, why, and what would supply it. This module knows sessions and answers; no
//! screen.
//!
//! ```text
//!  No allocator events in this capture
//!  It has no allocator events, so … is not known.
//!  What this view needs │ How to record it │ In this capture
//! ```

mod devices;
mod memory;
mod work;

pub use devices::devices;
pub use memory::{allocator, programs};
pub use work::{communication, roofline};

use crate::analysis::base::Platform;
use crate::protocol::SessionInfo;

/// The words of an empty view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Empty {
    /// What is missing.
    pub title: String,
    /// Why, and what follows.
    pub why: String,
    /// What the view needs. Empty where nothing that is recorded helps.
    pub needs: Vec<Need>,
}

/// Something that a view needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// What.
    pub what: &'static str,
    /// How to record it, or where to get it; names of options stand between backticks. Empty where it is there.
    pub how: String,
    /// What the capture has of it: "in file", "4 devices"; `None` where it is missing.
    pub found: Option<String>,
}

impl Need {
    fn new(what: &'static str, found: Option<String>, how: impl Into<String>) -> Self {
        Self { what, how: if found.is_some() { String::new() } else { how.into() }, found }
    }
}

/// The words for something that the capture has.
fn in_file(has: bool) -> Option<String> {
    has.then(|| "in file".to_owned())
}

/// Whether everything was read from trace JSON, which carries neither programs nor events of allocators.
fn is_trace_json(session: &SessionInfo) -> bool {
    !session.files.is_empty() && session.files.iter().all(|file| file.format.starts_with("trace JSON"))
}

/// Whether only compiled programs are open.
fn is_programs_alone(session: &SessionInfo) -> bool {
    session.planes.is_empty() && session.files.iter().any(|file| file.format.starts_with("HLO"))
}

/// Planes of devices of a platform.
fn n_planes(session: &SessionInfo, platform: Platform) -> u64 {
    session.planes.iter().filter(|plane| Platform::from_plane_name(&plane.name) == Some(platform)).count() as u64
}

/// What is reported of the files of a summary, which has none.
pub fn files(session: &SessionInfo) -> Empty {
    let name = session.files.first().map(|file| file.name.rsplit('/').next().unwrap_or(&file.name).to_owned());
    let capture = name.unwrap_or_else(|| "the capture".to_owned());
    let sentence = session.summary.as_ref().map_or("", |summary| summary.sentence.as_str());
    let open = || format!("Open {capture}.");
    Empty {
        title: "A summary has no files".to_owned(),
        why: format!("{sentence} It does not hold the contents of the files."),
        needs: vec![
            Need::new("Planes, lines and events", None, open()),
            Need::new("Programs and their HLO text", None, open()),
            Need::new("Missing data", None, open()),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::base::{DeviceChoice, Framework};
    use crate::analysis::files::FileInfo;
    use crate::protocol::{Capabilities, PlaneInfo};

    pub(super) fn session(planes: &[&str], format: &str, framework: Framework) -> SessionInfo {
        let plane = |name: &&str| PlaneInfo { name: (*name).to_owned(), n_lines: 1, n_events: 2 };
        let file = FileInfo { name: "run/host.xplane.pb".to_owned(), bytes: 1, format: format.to_owned() };
        SessionInfo {
            files: vec![file],
            devices: Vec::new(),
            usual_device: DeviceChoice::default(),
            planes: planes.iter().map(plane).collect(),
            notes: Vec::new(),
            partial: None,
            n_events: 2 * planes.len() as u64,
            summary: None,
            capabilities: Capabilities::capture(),
            framework,
        }
    }

    /// All that an empty view says.
    pub(super) fn text(of: &Empty) -> String {
        let needs = of.needs.iter().map(|need| format!("{} {} {:?}", need.what, need.how, need.found));
        [of.title.clone(), of.why.clone()].into_iter().chain(needs).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn the_files_of_a_summary_are_in_its_capture() {
        let empty = files(&session(&[], "XSpace", Framework::Unknown));
        assert!(empty.needs.iter().all(|need| need.found.is_none() && need.how == "Open host.xplane.pb."));
    }
}
