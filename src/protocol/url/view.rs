//! This module lists the views of the page with their names in addresses and their labels. It holds plain data and does
//! not depend on addresses.

/// The views of the page. A digit key opens each of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum View {
    /// What limits the run, and what to try.
    #[default]
    Overview,
    /// Time by op, source, scope or another grouping.
    Breakdown,
    /// Position of ops in the roofline model.
    Roofline,
    /// Memory of programs and allocators.
    Memory,
    /// Collectives and copies, and the time for which cores wait.
    Communication,
    /// Every event on a time axis.
    Timeline,
    /// Difference of two captures.
    Compare,
    /// Contents of the files.
    File,
}

impl View {
    /// All views, in order.
    pub const ALL: [Self; 8] = [
        Self::Overview,
        Self::Breakdown,
        Self::Roofline,
        Self::Memory,
        Self::Communication,
        Self::Timeline,
        Self::Compare,
        Self::File,
    ];

    /// Returns the name in addresses.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Overview => "overview",
            Self::Breakdown => "breakdown",
            Self::Roofline => "roofline",
            Self::Memory => "memory",
            Self::Communication => "communication",
            Self::Timeline => "timeline",
            Self::Compare => "compare",
            Self::File => "file",
        }
    }

    /// Returns the label for users.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Overview => "Overview",
            Self::Breakdown => "Breakdown",
            Self::Roofline => "Roofline",
            Self::Memory => "Memory",
            Self::Communication => "Communication",
            Self::Timeline => "Timeline",
            Self::Compare => "Compare",
            Self::File => "File",
        }
    }

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

/// The charts of the breakdown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Picture {
    /// Icicle of the scopes.
    #[default]
    Scopes,
    /// Duration of each step.
    Steps,
    /// Comparison of the devices.
    Devices,
    /// Copies and layout changes.
    DataMovement,
    /// Idle gaps, and what the device waited for.
    Idle,
}

impl Picture {
    /// All charts, in order.
    pub const ALL: [Self; 5] = [Self::Scopes, Self::Steps, Self::Devices, Self::DataMovement, Self::Idle];

    /// Returns the name in addresses.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Scopes => "scopes",
            Self::Steps => "steps",
            Self::Devices => "devices",
            Self::DataMovement => "non-compute",
            Self::Idle => "idle",
        }
    }

    /// Returns the label for users.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Scopes => "Scopes",
            Self::Steps => "Steps",
            Self::Devices => "Devices",
            Self::DataMovement => "Non-compute",
            Self::Idle => "Idle",
        }
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
