//! This module defines the errors of reading protobuf fields, each with its offset in the file.

use crate::source::SourceError;
use thiserror::Error;

/// The error of reading protobuf fields.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WireError {
    /// The bytes end inside a number.
    #[error("the data ends at byte {offset}, inside a field")]
    Ends {
        /// Offset of the number, or of the field that contains it.
        offset: u64,
    },
    /// A variable-length number has more than ten bytes or more than 64 bits.
    #[error("byte {offset} starts a number longer than 64 bits")]
    Varint {
        /// Offset of the number, or of the field that contains it.
        offset: u64,
    },
    /// The field number is 0 or has more than 29 bits, or these formats do not use the wire type.
    #[error("byte {offset} starts a field that no XSpace has")]
    Tag {
        /// Offset of the field.
        offset: u64,
    },
    /// A length goes beyond the message or the file that contains it.
    #[error("byte {offset} declares {declared} bytes where {left} are left")]
    Length {
        /// Offset of the field, or of its value.
        offset: u64,
        /// The length in the file.
        declared: u64,
        /// Number of bytes up to the end.
        left: u64,
    },
    /// The source cannot be read.
    #[error(transparent)]
    Source(#[from] SourceError),
}

impl WireError {
    /// Returns the offset of the error, in bytes of the (unpacked) file.
    pub const fn offset(&self) -> u64 {
        match self {
            Self::Ends { offset } | Self::Varint { offset } | Self::Tag { offset } | Self::Length { offset, .. } => {
                *offset
            }
            Self::Source(SourceError::PastEnd { offset, .. } | SourceError::Read { offset, .. }) => *offset,
        }
    }

    /// Returns whether the data ends too early, in contrast to data with a wrong value.
    pub const fn is_cut(&self) -> bool {
        matches!(self, Self::Ends { .. } | Self::Length { .. })
    }
}
