//! This module names the properties that an op may change between its input and its output, and the possible answers.
//! It does not depend on HLO.

use xla_profile::keyed_enum;

keyed_enum! {
    /// A property of an array that an op may change.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Change {
        Dtype = "dtype",
        /// The order of the dimensions in memory.
        DimOrder = "dim_order",
        /// The tiles of the layout, and the packing of elements.
        Tiling = "tiling",
        MemorySpace = "memory_space",
        /// The logical dimensions.
        Shape = "shape",
    }
}

keyed_enum! {
    /// The reason for an undetectable answer.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Reason {
        /// The op's text is no HLO instruction.
        NoHlo = "no_hlo": "the op has no HLO text",
        /// The op reads no array or writes none, so there is nothing to compare.
        NoOperand = "no_operand": "nothing is read, or nothing written",
        /// The text lacks the shapes of the operands.
        NoShape = "no_shape": "the text does not say what is read",
        /// The text lacks layouts.
        NoLayout = "no_layout": "the text has no layouts",
        /// It is unknown which operand becomes which result.
        Unpaired = "unpaired": "which operand becomes which result is not known",
        /// The body of a fusion or kernel is unknown, and its operands and results do not decide the answer.
        Body = "fusion_body": "only the outside of the fusion is known",
        /// The operation inside an async op is unknown.
        Wrapped = "wrapped": "what the async op wraps is not known",
        /// Dimensions are merged or split, and the order of their parts is unknown.
        Reshape = "reshape": "dimensions are merged or split",
    }
}

/// The answer to "does the op change this property?".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    Yes,
    No,
    /// The change is unknown, for this reason. Unknown does not mean no.
    Undetectable(Reason),
}

impl Answer {
    /// Combines the answers for several parts of one op: yes if any part changes, else undetectable if any part is.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Yes, _) | (_, Self::Yes) => Self::Yes,
            (unknown @ Self::Undetectable(_), _) | (_, unknown) => unknown,
        }
    }

    /// Combines the answers for several candidates of which one is right: their common answer, else undetectable.
    #[must_use]
    pub fn and_also(self, other: Self) -> Self {
        if self == other { self } else { Self::Undetectable(Reason::Body) }
    }
}

impl From<bool> for Answer {
    fn from(yes: bool) -> Self {
        if yes { Self::Yes } else { Self::No }
    }
}

/// One answer per [`Change`], in the order of [`Change::ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Changes(pub [Answer; 5]);

impl Changes {
    /// Returns undetectable answers for one reason.
    pub const fn unknown(reason: Reason) -> Self {
        Self([Answer::Undetectable(reason); 5])
    }

    /// Whether no answer is undetectable.
    pub fn are_known(&self) -> bool {
        self.0.iter().all(|answer| !matches!(answer, Answer::Undetectable(_)))
    }

    /// Returns the answer for one property.
    pub const fn answer(&self, change: Change) -> Answer {
        self.0[change as usize]
    }

    /// Combines two sets of answers, property by property.
    #[must_use]
    pub fn zip(self, other: Self, join: fn(Answer, Answer) -> Answer) -> Self {
        Self(std::array::from_fn(|i| join(self.0[i], other.0[i])))
    }
}
