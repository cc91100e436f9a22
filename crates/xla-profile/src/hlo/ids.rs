//! Typed places in a [`Module`](super::Module) and the shared texts it is made of.

use std::collections::HashSet;
use std::sync::Arc;

/// A text that many instructions share: opcodes, scopes, file names. Cloning it copies no bytes.
pub type Text = Arc<str>;

/// The place of an instruction in [`Module::instructions`](super::Module::instructions).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InstructionId(pub(super) u32);

/// The place of a computation in [`Module::computations`](super::Module::computations).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ComputationId(pub(super) u32);

impl InstructionId {
    /// Its place: 0 is the first instruction of the first computation.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The id of a place. A place of 2³² or more, which no file has, is one that is never found.
    pub(super) fn new(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }
}

impl ComputationId {
    /// Its place: 0 is the first computation.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    pub(super) fn new(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }
}

/// Hands out one [`Text`] per distinct text.
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
