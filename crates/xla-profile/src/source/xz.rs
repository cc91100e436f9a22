//! This module unpacks xz as a [`Layer`]. A file may contain several streams one after the other.

use super::unpack::{Layer, Packed, Unpack};
use lzma_rust2::{Action, Status, XzStream};
use std::io::{BufRead, Error, ErrorKind, Read, Result};

/// The layer of a file that is packed with xz.
pub const XZ: Layer = Layer { name: "xz", open: |packed| Box::new(Xz::new(packed)) };

/// Memory limit of the decoder, in KiB: a dictionary of 128 MiB and a little more. The header of a file may request a
/// dictionary of 4 GiB.
const MEMORY: u32 = 130 << 10;
/// Number of packed bytes that the decoder receives at once. Damage may cost the output of the piece that contains it,
/// but not the output of the pieces before.
const PIECE: usize = 4 << 10;

struct Xz<'s> {
    stream: XzStream,
    packed: Packed<'s>,
    /// The error that the next read returns. The bytes before the damage are returned first.
    failed: Option<Error>,
}

impl<'s> Xz<'s> {
    fn new(packed: Packed<'s>) -> Self {
        Self { stream: XzStream::new_mem_limit(true, MEMORY), packed, failed: None }
    }
}

impl<'s> Unpack<'s> for Xz<'s> {
    fn packed(&self) -> &Packed<'s> {
        &self.packed
    }
}

impl Read for Xz<'_> {
    fn read(&mut self, buf: &mut [u8]) -> Result<usize> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        while !buf.is_empty() {
            let window = self.packed.fill_buf()?;
            let piece = window.get(..PIECE).unwrap_or(window);
            let action = if piece.is_empty() { Action::Finish } else { Action::Run };
            let (taken, produced) = (self.stream.total_in(), self.stream.total_out());
            let result = self.stream.process(piece, buf, action);
            // An error carries neither number, so both are computed from the totals of the stream.
            let taken = advanced(taken, self.stream.total_in()).min(piece.len());
            let produced = advanced(produced, self.stream.total_out()).min(buf.len());
            self.packed.consume(taken);
            let status = match result {
                Ok(result) => result.status,
                Err(error) if produced == 0 => return Err(in_words(error)),
                Err(error) => {
                    self.failed = Some(in_words(error));
                    return Ok(produced);
                }
            };
            if produced > 0 || status == Status::StreamEnd {
                return Ok(produced);
            }
            if taken == 0 {
                return Err(Error::new(ErrorKind::UnexpectedEof, "it goes on without an end"));
            }
        }
        Ok(0)
    }
}

fn advanced(from: u64, to: u64) -> usize {
    usize::try_from(to.saturating_sub(from)).unwrap_or(usize::MAX)
}

fn in_words(error: Error) -> Error {
    match error.kind() {
        ErrorKind::OutOfMemory => Error::other("its dictionary is larger than 128 MiB, twice that of xz -9"),
        _ => error,
    }
}
