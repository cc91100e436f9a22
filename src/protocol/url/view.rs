//! This module lists the views of the page with their names in addresses and their labels. It holds plain data and does
//! not depend on addresses.

use xla_profile::keyed_enum;

keyed_enum! {
    /// The views of the page. A digit key opens each of them.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub enum View {
        /// What limits the run, and what to try.
        #[default]
        Overview = "overview": "Overview",
        /// Time by op, source, scope or another grouping.
        Breakdown = "breakdown": "Breakdown",
        /// Position of ops in the roofline model.
        Roofline = "roofline": "Roofline",
        /// Memory of programs and allocators.
        Memory = "memory": "Memory",
        /// Collectives and copies, and the time for which cores wait.
        Communication = "communication": "Communication",
        /// Every event on a time axis.
        Timeline = "timeline": "Timeline",
        /// Difference of two captures.
        Compare = "compare": "Compare",
        File = "file": "File",
    }
}

impl View {
    /// Returns the digit key that opens the view.
    pub const fn digit(self) -> &'static str {
        match self {
            Self::Overview => "1",
            Self::Breakdown => "2",
            Self::Roofline => "3",
            Self::Memory => "4",
            Self::Communication => "5",
            Self::Timeline => "6",
            Self::Compare => "7",
            Self::File => "8",
        }
    }
}

keyed_enum! {
    /// The charts of the breakdown.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub enum Picture {
        /// Icicle of the scopes.
        #[default]
        Scopes = "scopes": "Scopes",
        Steps = "steps": "Steps",
        Devices = "devices": "Devices",
        /// Copies and layout changes.
        DataMovement = "non-compute": "Non-compute",
        /// Idle gaps, and what the device waited for.
        Idle = "idle": "Idle",
    }
}

/// A position in the programs of the files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilesViewState {
    /// Index in the list of programs. `None` shows the first program.
    pub program: Option<u32>,
    /// A line of the program's text, counted from 1.
    pub line: Option<u32>,
    /// Text to search for in the program.
    pub find: String,
    /// Whether the text to search for is a regular expression.
    pub regex: bool,
}
