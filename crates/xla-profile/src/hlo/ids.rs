//! This module defines the ids of instructions and computations of a [`Module`](super::Module), and its shared texts.

use std::collections::HashSet;
use std::sync::Arc;

/// A text that many instructions share, such as an opcode, a scope or a file name. A clone copies no bytes.
pub type Text = Arc<str>;

/// The index of an instruction in [`Module::instructions`](super::Module::instructions).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InstructionId(pub(super) u32);

/// The index of a computation in [`Module::computations`](super::Module::computations).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ComputationId(pub(super) u32);

impl InstructionId {
    /// Returns the index. The first instruction of the first computation has index 0.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Creates the id of an index. An index of 2³² or more, which no file has, becomes an id that no instruction has.
    pub(super) fn new(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }
}

impl ComputationId {
    /// Returns the index. The first computation has index 0.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    pub(super) fn new(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }
}

/// A pool that holds one [`Text`] per distinct text.
#[derive(Default)]
pub(super) struct Texts(HashSet<Text>);

impl Texts {
    pub(super) fn get(&mut self, text: &str) -> Text {
        if let Some(known) = self.0.get(text) {
            return known.clone();
        }
        let new = Text::from(text);
        self.0.insert(new.clone());
        new
    }
}
