//! This module defines the reply of the memory view before a program is chosen, as plain data.

use crate::analysis::memory::{CrossCheck, MemoryPrograms, RuntimeMemory};
use serde::{Deserialize, Serialize};

/// The memory of a session: the reply to [`super::ViewRequest::Memory`], before a program is chosen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MemorySession {
    /// Programs: those that ran first, and of these the one with the highest peak in HBM.
    pub programs: MemoryPrograms,
    /// Memory use that the allocators recorded.
    pub runtime: RuntimeMemory,
    /// Comparisons of the programs' peaks with the allocators' peaks, by device.
    pub checks: Vec<CrossCheck>,
}
