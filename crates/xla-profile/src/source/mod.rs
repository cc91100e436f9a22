//! This module gives random access to bytes: of memory, of a file, or of any other [`Source`]. It also unpacks gzip and
//! xz, and lists zip archives.
//!
//! Readers request ranges, so no whole file is held in memory. The module does not depend on the meaning of the bytes.
//! Lints deny operations that could panic.
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

/// Bytes that can be read at any offset, in any order.
pub trait Source {
    /// Returns the size in bytes, which does not change while the source is open.
    fn size(&self) -> u64;

    /// Returns the number of bytes that are best read at once; it is larger for a source where each read is expensive.
    fn stride(&self) -> u64 {
        1 << 20
    }

    /// Returns the source for several threads. `None` if only one thread can read it.
    fn shared(&self) -> Option<&(dyn Source + Sync)> {
        None
    }

    /// Fills `buf` with the bytes from `offset` on.
    ///
    /// # Errors
    /// [`SourceError::PastEnd`] if the range does not lie within the source, [`SourceError::Read`] if reading fails.
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), SourceError>;
}

/// The error of reading a [`Source`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SourceError {
    /// The requested range goes beyond the end.
    #[error("bytes {offset} to {end} are asked for, but there are only {len}")]
    PastEnd {
        /// First requested byte.
        offset: u64,
        /// One past the last requested byte.
        end: u64,
        /// Size of the source.
        len: u64,
    },
    /// Reading or unpacking failed.
    #[error("reading at byte {offset} failed: {reason}")]
    Read {
        offset: u64,
        /// The message of the system or of the decoder.
        reason: String,
    },
}

/// Returns `offset + n`, the end of a range of `n` bytes in a source of `len` bytes. A [`Source`] calls this function
/// before it reads.
///
/// # Errors
/// [`SourceError::PastEnd`] if the range goes beyond `len`.
pub fn checked_end(offset: u64, n: usize, len: u64) -> Result<u64, SourceError> {
    let end = offset.saturating_add(n as u64);
    if end > len { Err(SourceError::PastEnd { offset, end, len }) } else { Ok(end) }
}
