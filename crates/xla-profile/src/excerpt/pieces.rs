//! This module holds the bytes of an excerpt before they are written: ranges of the source, and the few bytes between them.

use super::report::ExcerptError;
use crate::wire::{Span, Window};
use prost::encoding::{WireType, encode_key, encode_varint};
use std::io::Write;

/// Bytes in the order in which they are written.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    pieces: Vec<Piece>,
    len: u64,
}

#[derive(Debug)]
enum Piece {
    /// Bytes of the source.
    Source(Span),
    /// Keys, lengths and texts that are not in the source.
    New(Vec<u8>),
}

impl Pieces {
    /// Appends the bytes of the source from `start` to `end`.
    pub(super) fn push_source(&mut self, start: u64, end: u64) {
        let span = Span { start, end };
        self.len = self.len.saturating_add(span.len());
        match self.pieces.last_mut() {
            Some(Piece::Source(last)) if last.end == start => last.end = end,
            _ => self.pieces.push(Piece::Source(span)),
        }
    }

    /// Appends a field with these bytes.
    pub(super) fn push_bytes(&mut self, number: u32, bytes: &[u8]) {
        let mut head = head(number, bytes.len() as u64);
        head.extend(bytes);
        self.push_new(head);
    }

    /// Appends a field with a message.
    pub(super) fn push_message(&mut self, number: u32, message: Self) {
        self.push_new(head(number, message.len));
        self.len = self.len.saturating_add(message.len);
        self.pieces.extend(message.pieces);
    }

    fn push_new(&mut self, bytes: Vec<u8>) {
        self.len = self.len.saturating_add(bytes.len() as u64);
        self.pieces.push(Piece::New(bytes));
    }

    /// Writes all bytes, and returns their number. Ranges of the source are read in strides.
    pub(super) fn write(&self, window: &mut Window<'_>, out: &mut dyn Write) -> Result<u64, ExcerptError> {
        for piece in &self.pieces {
            match piece {
                Piece::New(bytes) => out.write_all(bytes)?,
                Piece::Source(span) => copy(*span, window, out)?,
            }
        }
        Ok(self.len)
    }
}

fn copy(span: Span, window: &mut Window<'_>, out: &mut dyn Write) -> Result<(), ExcerptError> {
    let mut offset = span.start;
    while offset < span.end {
        let bytes = window.ahead(offset, span.end, 1).map_err(|error| match error {
            crate::wire::WireError::Source(error) => ExcerptError::Read(error),
            error => ExcerptError::Write(std::io::Error::other(error)),
        })?;
        if bytes.is_empty() {
            break;
        }
        out.write_all(bytes)?;
        offset = offset.saturating_add(bytes.len() as u64);
    }
    Ok(())
}

/// Returns the key and the length of a field with `len` bytes.
fn head(number: u32, len: u64) -> Vec<u8> {
    let mut head = Vec::with_capacity(12);
    encode_key(number, WireType::LengthDelimited, &mut head);
    encode_varint(len, &mut head);
    head
}
