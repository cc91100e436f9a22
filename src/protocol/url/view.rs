//! The views of the page, and what they are called in addresses and by people. Plain data; knows no address.

/// The views, by the keys that open them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum View {
    /// Where the time goes.
    #[default]
    Breakdown,
    /// How far ops are from what the hardware could do.
    Roofline,
    /// What fills memory.
    Memory,
    /// What communication is waited for.
    Communication,
    /// What is in the files.
    File,
}

impl View {
    /// All of them, in order.
    pub const ALL: [Self; 5] = [Self::Breakdown, Self::Roofline, Self::Memory, Self::Communication, Self::File];

    /// The name in addresses.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Breakdown => "breakdown",
            Self::Roofline => "roofline",
            Self::Memory => "memory",
            Self::Communication => "communication",
            Self::File => "file",
        }
    }

    /// The name people read.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Breakdown => "Breakdown",
            Self::Roofline => "Roofline",
            Self::Memory => "Memory",
            Self::Communication => "Communication",
            Self::File => "File",
        }
    }

    /// The key that opens it.
    pub const fn digit(self) -> &'static str {
        match self {
            Self::Breakdown => "2",
            Self::Roofline => "3",
            Self::Memory => "4",
            Self::Communication => "5",
            Self::File => "8",
        }
    }
}

/// The pictures of a breakdown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Picture {
    /// The tree of scopes.
    #[default]
    Scopes,
    /// Time of each step.
    Steps,
    /// Devices side by side.
    Devices,
    /// What computes nothing, and what it changes.
    DataMovement,
}

impl Picture {
    /// All of them, in order.
    pub const ALL: [Self; 4] = [Self::Scopes, Self::Steps, Self::Devices, Self::DataMovement];

    /// The name in addresses.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Scopes => "scopes",
            Self::Steps => "steps",
            Self::Devices => "devices",
            Self::DataMovement => "non-compute",
        }
    }

    /// The name people read.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Scopes => "Scopes",
            Self::Steps => "Steps",
            Self::Devices => "Devices",
            Self::DataMovement => "Non-compute",
        }
    }
}

/// A place in the programs of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilePlace {
    /// Which program, of those listed; `None`: the first.
    pub program: Option<u32>,
    /// A line of its text, counted from 1.
    pub line: Option<u32>,
    /// What is looked for in it.
    pub find: String,
    /// That is a regular expression.
    pub regex: bool,
}
