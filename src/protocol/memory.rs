//! The answer of the memory view before a program is chosen: plain data.

use crate::analysis::memory::{CrossCheck, MemoryPrograms, RuntimeMemory};
use serde::{Deserialize, Serialize};

/// What there is to say of a session's memory, before a program is chosen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MemorySession {
    /// Programs, the heaviest first.
    pub programs: MemoryPrograms,
    /// What allocators say.
    pub runtime: RuntimeMemory,
    /// Their peaks beside each other, by device.
    pub checks: Vec<CrossCheck>,
}
