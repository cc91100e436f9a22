//! What can change between what an op reads and what it writes, and the answers to that. This module knows no HLO.

/// A property that an op may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Change {
    /// The type of the elements.
    Dtype,
    /// The order in which the dimensions lie in memory.
    DimOrder,
    /// The tiles of the layout, and how elements are packed.
    Tiling,
    /// The memory they are in.
    MemorySpace,
    /// The logical dimensions.
    Shape,
}

impl Change {
    /// All, in the order they are reported.
    pub const ALL: [Self; 5] = [Self::Dtype, Self::DimOrder, Self::Tiling, Self::MemorySpace, Self::Shape];

    /// Its name in JSON, where `_change` follows.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Dtype => "dtype",
            Self::DimOrder => "dim_order",
            Self::Tiling => "tiling",
            Self::MemorySpace => "memory_space",
            Self::Shape => "shape",
        }
    }
}

/// Why an answer cannot be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// The op's text is no HLO instruction.
    NoHlo,
    /// It reads no array, or writes none: there is nothing to compare.
    NoOperand,
    /// The text does not say the shape of what it reads.
    NoShape,
    /// The text says no layouts.
    NoLayout,
    /// Which operand becomes which result is not known.
    Unpaired,
    /// Of a fusion or kernel only the outside is known, and that does not tell.
    Body,
    /// What an async op wraps is not known.
    Wrapped,
    /// Dimensions are merged or split, and the order of their parts does not tell.
    Reshape,
}

impl Reason {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::NoHlo,
        Self::NoOperand,
        Self::NoShape,
        Self::NoLayout,
        Self::Unpaired,
        Self::Body,
        Self::Wrapped,
        Self::Reshape,
    ];

    /// Its name in JSON.
    pub const fn key(self) -> &'static str {
        match self {
            Self::NoHlo => "no_hlo",
            Self::NoOperand => "no_operand",
            Self::NoShape => "no_shape",
            Self::NoLayout => "no_layout",
            Self::Unpaired => "unpaired",
            Self::Body => "fusion_body",
            Self::Wrapped => "wrapped",
            Self::Reshape => "reshape",
        }
    }

    /// In words, as what follows "undetectable:".
    pub const fn label(self) -> &'static str {
        match self {
            Self::NoHlo => "the op has no HLO text",
            Self::NoOperand => "nothing is read, or nothing written",
            Self::NoShape => "the text does not say what is read",
            Self::NoLayout => "the text has no layouts",
            Self::Unpaired => "which operand becomes which result is not known",
            Self::Body => "only the outside of the fusion is known",
            Self::Wrapped => "what the async op wraps is not known",
            Self::Reshape => "dimensions are merged or split",
        }
    }
}

/// The answer to "does it change?".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It does.
    Yes,
    /// It does not.
    No,
    /// The change is unknown. Unknown does not mean no.
    Undetectable(Reason),
}

impl Answer {
    /// Of several parts of one op: yes if any changes.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Yes, _) | (_, Self::Yes) => Self::Yes,
            (unknown @ Self::Undetectable(_), _) | (_, unknown) => unknown,
        }
    }

    /// Of several candidates of which one is right: what all say.
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

/// One answer per [`Change`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Changes(pub [Answer; 5]);

impl Changes {
    /// None is known.
    pub const fn unknown(reason: Reason) -> Self {
        Self([Answer::Undetectable(reason); 5])
    }

    /// Whether all are known.
    pub fn are_known(&self) -> bool {
        self.0.iter().all(|answer| !matches!(answer, Answer::Undetectable(_)))
    }

    /// The answer about one.
    pub const fn answer(&self, change: Change) -> Answer {
        self.0[change as usize]
    }

    /// Answer by answer.
    #[must_use]
    pub fn zip(self, other: Self, join: fn(Answer, Answer) -> Answer) -> Self {
        Self(std::array::from_fn(|i| join(self.0[i], other.0[i])))
    }
}
