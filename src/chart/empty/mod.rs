//! This module holds the texts of empty views: the missing data, the reason, and the way to record it. It does not
//! depend on a screen.
//!
//! ```text
//!  No allocator events in this capture
//!  The capture has no allocator events, so … is unknown.
//!  Required data │ How to record it │ Found
//! ```

mod devices;
mod memory;
mod work;

pub use devices::devices;
pub use memory::{allocator, programs};
pub use work::{communication, roofline};

use crate::analysis::base::Platform;
use crate::protocol::SessionInfo;

/// Texts of an empty view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Empty {
    pub title: String,
    /// Reason, and its consequence.
    pub why: String,
    /// Data that the view needs. Empty if no recording would help.
    pub needs: Vec<Need>,
}

/// One requirement of a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    pub what: &'static str,
    /// Instructions to record or obtain the data; names of options are between backticks. Empty if the data is present.
    pub how: String,
    /// Amount found in the capture: "in file", "4 devices". `None` if the data is missing.
    pub found: Option<String>,
}

impl Need {
    fn new(what: &'static str, found: Option<String>, how: impl Into<String>) -> Self {
        Self { what, how: if found.is_some() { String::new() } else { how.into() }, found }
    }
}

/// Returns the text for data that the capture has.
fn in_file(has: bool) -> Option<String> {
    has.then(|| "in file".to_owned())
}

/// Returns true if all files are trace JSON, which carries neither programs nor allocator events.
fn is_trace_json(session: &SessionInfo) -> bool {
    !session.files.is_empty() && session.files.iter().all(|file| file.format.starts_with("trace JSON"))
}

/// Returns true if only compiled programs are open.
fn is_programs_alone(session: &SessionInfo) -> bool {
    session.planes.is_empty() && session.files.iter().any(|file| file.format.starts_with("HLO"))
}

/// Returns the number of device planes of a platform.
fn n_planes(session: &SessionInfo, platform: Platform) -> u64 {
    session.planes.iter().filter(|plane| Platform::from_plane_name(&plane.name) == Some(platform)).count() as u64
}

/// Returns the text of the file view for a summary, which does not hold the files of its capture.
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
    use crate::analysis::base::{Framework, Query, StepsBy};
    use crate::analysis::files::FileInfo;
    use crate::protocol::{Capabilities, PlaneInfo};

    pub(super) fn session(planes: &[&str], format: &str, framework: Framework) -> SessionInfo {
        let plane = |name: &&str| PlaneInfo { name: (*name).to_owned(), n_lines: 1, n_events: 2 };
        let file = FileInfo { name: "run/host.xplane.pb".to_owned(), bytes: 1, format: format.to_owned() };
        SessionInfo {
            files: vec![file],
            devices: Vec::new(),
            usual_query: Query::default(),
            steps_by: StepsBy::default(),
            planes: planes.iter().map(plane).collect(),
            notes: Vec::new(),
            partial: None,
            reading: None,
            captures: Vec::new(),
            n_events: 2 * planes.len() as u64,
            summary: None,
            capabilities: Capabilities::capture(),
            framework,
        }
    }

    /// Joins all texts of an empty view.
    pub(super) fn text(empty: &Empty) -> String {
        let needs = empty.needs.iter().map(|need| format!("{} {} {:?}", need.what, need.how, need.found));
        [empty.title.clone(), empty.why.clone()].into_iter().chain(needs).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn the_files_of_a_summary_are_in_its_capture() {
        let empty = files(&session(&[], "XSpace", Framework::Unknown));
        assert!(empty.needs.iter().all(|need| need.found.is_none() && need.how == "Open host.xplane.pb."));
    }
}
