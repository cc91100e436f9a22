//! This module defines the exit codes of the command line.

/// How a command ended. The number is the exit code of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// All input was read.
    Complete = 0,
    /// Only a part of the input was read.
    Partial = 1,
    /// The input or the arguments cannot be used.
    #[cfg(not(target_arch = "wasm32"))]
    Unusable = 2,
    /// The gate of a comparison failed.
    GateFailed = 3,
    /// The captures do not tell whether the gate of a comparison fails.
    GateInconclusive = 4,
}

impl Exit {
    /// Returns the end of a command that has read its input, or only a part of it.
    pub const fn of_reading(is_partial: bool) -> Self {
        if is_partial { Self::Partial } else { Self::Complete }
    }

    /// Returns the exit code of the process.
    #[cfg(not(target_arch = "wasm32"))]
    pub const fn code(self) -> u8 {
        self as u8
    }
}
