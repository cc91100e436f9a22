//! Why bytes could not be read as protobuf fields: what, and at which byte of the file.

use crate::source::SourceError;
use thiserror::Error;

/// Why bytes could not be read as protobuf fields.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WireError {
    /// The bytes end inside a number.
    #[error("the data ends at byte {at}, inside a field")]
    Ends {
        /// Where the field starts.
        at: u64,
    },
    /// A variable-length number has more than ten bytes or more than 64 bits.
    #[error("byte {at} starts a number longer than 64 bits")]
    Varint {
        /// Where it starts.
        at: u64,
    },
    /// A field number 0, or a wire type that these formats do not use.
    #[error("byte {at} starts a field that no XSpace has")]
    Tag {
        /// Where it starts.
        at: u64,
    },
    /// A length goes beyond the message it is in.
    #[error("byte {at} declares {declared} bytes where {left} are left")]
    Length {
        /// Where the field starts.
        at: u64,
        /// What it says.
        declared: u64,
        /// What there is.
        left: u64,
    },
    /// The bytes could not be had.
    #[error(transparent)]
    Source(#[from] SourceError),
}

impl WireError {
    /// The byte at which it went wrong.
    pub const fn offset(&self) -> u64 {
        match self {
            Self::Ends { at } | Self::Varint { at } | Self::Tag { at } | Self::Length { at, .. } => *at,
            Self::Source(SourceError::PastEnd { offset, .. } | SourceError::Read { offset, .. }) => *offset,
        }
    }

    /// Whether the data stops early, rather than being wrong.
    pub const fn is_cut(&self) -> bool {
        matches!(self, Self::Ends { .. } | Self::Length { .. })
    }
}
