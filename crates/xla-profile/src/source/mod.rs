//! Where bytes come from: random access over memory, a file, or whatever else implements [`Source`].
//!
//! Knows lengths, offsets, gzip, xz and zip; knows no format of what the bytes mean. Nothing here holds a whole file:
//! readers ask for ranges. Lints deny what could panic.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)
)]

#[cfg(not(target_arch = "wasm32"))]
mod file;
mod gzip;
mod inflate;
mod memory;
mod stream;
mod unpack;
mod xz;
mod zip;

#[cfg(not(target_arch = "wasm32"))]
pub use file::FileSource;

pub use gzip::GZIP;
pub use inflate::{Inflated, Truncation, inflate, inflate_range, inflate_slice};
pub use stream::Stream;
pub use unpack::{Bomb, Layer, Packing};
pub use xz::XZ;
pub use zip::{Member, Members, Refused, ZipError, members};

use thiserror::Error;

/// Bytes that can be read from any place, in any order.
pub trait Source {
    /// How many bytes there are. Does not change while the source is open.
    fn size(&self) -> u64;

    /// How many bytes are best read at once: where each read costs by itself, more.
    fn stride(&self) -> u64 {
        1 << 20
    }

    /// Fills `buf` with the bytes from `offset` on.
    ///
    /// # Errors
    /// [`SourceError::PastEnd`] where the range does not lie within the source, [`SourceError::Read`] where the
    /// system below refuses.
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), SourceError>;
}

/// Why bytes could not be had.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SourceError {
    /// A range beyond the end was requested.
    #[error("bytes {offset} to {end} are asked for, but there are only {len}")]
    PastEnd {
        /// First byte asked for.
        offset: u64,
        /// One past the last byte asked for.
        end: u64,
        /// How many there are.
        len: u64,
    },
    /// The system below refused.
    #[error("reading at byte {offset} failed: {reason}")]
    Read {
        /// Where.
        offset: u64,
        /// What it said.
        reason: String,
    },
}

/// `offset + n`, if that range lies within `len` bytes: what sources check first.
///
/// # Errors
/// [`SourceError::PastEnd`] where it does not.
pub fn checked_end(offset: u64, n: usize, len: u64) -> Result<u64, SourceError> {
    let end = offset.saturating_add(n as u64);
    if end > len { Err(SourceError::PastEnd { offset, end, len }) } else { Ok(end) }
}
