//! This module reads the tokens of JSON from a window that slides over a stream. It does not depend on events.
//!
//! The reader accepts the deviations of real writers: commas may be missing, doubled or trailing, and bytes may be
//! invalid UTF-8. A byte that cannot start a token is an error with its offset. No function recurses, and a string
//! takes at most [`MAX_STRING`] bytes of memory.

use crate::source::Stream;
use std::io::Read;

/// Number of bytes of a string that are kept. Further bytes are read and dropped. The longest HLO texts have some 100
/// kB.
pub const MAX_STRING: usize = 1 << 20;
/// Deepest nesting of brackets in a value. Real files reach four.
const MAX_DEPTH: u32 = 1000;

/// A syntax error in trace JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SyntaxError {
    /// The text ends inside a value.
    Ends,
    /// A byte that is not allowed at this place.
    Unexpected(u8),
    /// Brackets are nested too deeply.
    Deep,
}

/// A tokenizer over a text that is loaded in pieces.
pub(super) struct Text<'s> {
    stream: Stream<'s>,
    buf: Vec<u8>,
    /// Index of the next byte in `buf`.
    next: usize,
    /// Number of loaded bytes in `buf`.
    filled: usize,
    /// Number of bytes of the text before `buf`.
    before: u64,
    /// The error of the stream, if it failed. The text ends there.
    pub(super) failed: Option<String>,
    /// Number of strings that reached [`MAX_STRING`] bytes.
    pub(super) long_strings: u64,
}

impl<'s> Text<'s> {
    pub(super) fn new(stream: Stream<'s>) -> Self {
        let buf = vec![0; stream.stride()];
        Self { stream, buf, next: 0, filled: 0, before: 0, failed: None, long_strings: 0 }
    }

    /// Returns the offset of the next byte in the (unpacked) text.
    pub(super) const fn position(&self) -> u64 {
        self.before.saturating_add(self.next as u64)
    }

    /// Returns the number of (packed) bytes of the source that were read so far.
    pub(super) fn source_at(&self) -> u64 {
        self.stream.position()
    }

    /// Returns the loaded bytes from the next one on, and loads more if there are none. The result is empty only at the
    /// end of the text.
    #[inline]
    fn rest(&mut self) -> &[u8] {
        if self.next >= self.filled {
            self.fill();
        }
        self.buf.get(self.next..self.filled).unwrap_or_default()
    }

    #[cold]
    fn fill(&mut self) {
        self.before = self.position();
        (self.next, self.filled) = (0, 0);
        if self.failed.is_some() {
            return;
        }
        match self.stream.read(&mut self.buf) {
            Ok(n) => self.filled = n.min(self.buf.len()),
            Err(error) => self.failed = Some(error.to_string()),
        }
    }

    #[inline]
    const fn advance(&mut self, n: usize) {
        self.next = self.next.saturating_add(n);
    }

    #[inline]
    fn next(&mut self) -> Result<u8, SyntaxError> {
        let byte = *self.rest().first().ok_or(SyntaxError::Ends)?;
        self.advance(1);
        Ok(byte)
    }

    /// Returns the next byte that is neither white space nor a comma, without consuming it. Returns `None` at the end.
    #[inline]
    pub(super) fn token(&mut self) -> Option<u8> {
        loop {
            let rest = self.rest();
            let blank = |b: &u8| matches!(b, b' ' | b'\n' | b'\r' | b'\t' | b',');
            let n = rest.iter().position(|b| !blank(b));
            match (n, rest.len()) {
                (Some(n), _) => {
                    let byte = rest.get(n).copied();
                    self.advance(n);
                    return byte;
                }
                (None, 0) => return None,
                (None, len) => self.advance(len),
            }
        }
    }

    /// Consumes the next token, which must be `byte`.
    #[inline]
    pub(super) fn expect(&mut self, byte: u8) -> Result<(), SyntaxError> {
        match self.token() {
            Some(found) if found == byte => {
                self.advance(1);
                Ok(())
            }
            Some(found) => Err(SyntaxError::Unexpected(found)),
            None => Err(SyntaxError::Ends),
        }
    }

    /// Consumes a byte order mark, if the text starts with one.
    pub(super) fn skip_mark(&mut self) {
        if self.token() == Some(0xef) {
            self.advance(1);
            while matches!(self.rest().first(), Some(0xbb | 0xbf)) {
                self.advance(1);
            }
        }
    }

    /// Consumes a string, and replaces the content of `into` by its first [`MAX_STRING`] bytes.
    pub(super) fn string(&mut self, into: &mut Vec<u8>) -> Result<(), SyntaxError> {
        into.clear();
        self.expect(b'"')?;
        // The high surrogate of a character that is written as two escapes.
        let mut high = None;
        loop {
            let rest = self.rest();
            if rest.is_empty() {
                return Err(SyntaxError::Ends);
            }
            let n = end_of_plain(rest);
            let plain = rest.get(..n).unwrap_or_default();
            if n > 0 {
                let room = MAX_STRING.saturating_sub(into.len());
                put_lone(&mut high, into);
                into.extend_from_slice(plain.get(..room).unwrap_or(plain));
            }
            let end = rest.get(n).copied();
            self.advance(n);
            match end {
                Some(b'"') => {
                    self.advance(1);
                    put_lone(&mut high, into);
                    self.long_strings = self.long_strings.saturating_add(u64::from(into.len() >= MAX_STRING));
                    return Ok(());
                }
                Some(_) => {
                    self.advance(1);
                    self.escape(&mut high, into)?;
                }
                None => {}
            }
        }
    }

    fn escape(&mut self, high: &mut Option<u32>, into: &mut Vec<u8>) -> Result<(), SyntaxError> {
        let byte = match self.next()? {
            b'u' => {
                let mut unit = 0u32;
                for _ in 0..4 {
                    let byte = self.next()?;
                    let digit = char::from(byte).to_digit(16).ok_or(SyntaxError::Unexpected(byte))?;
                    unit = unit << 4 | digit;
                }
                let unit = match (*high, unit) {
                    (Some(first), 0xdc00..=0xdfff) => {
                        *high = None;
                        0x10000u32.saturating_add((first & 0x3ff) << 10 | unit & 0x3ff)
                    }
                    _ => unit,
                };
                put_lone(high, into);
                if matches!(unit, 0xd800..=0xdbff) {
                    *high = Some(unit);
                } else if into.len() < MAX_STRING {
                    let char = char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER);
                    into.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
                }
                return Ok(());
            }
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'b' => 8,
            b'f' => 12,
            other @ (b'"' | b'\\' | b'/') => other,
            other => return Err(SyntaxError::Unexpected(other)),
        };
        put_lone(high, into);
        if into.len() < MAX_STRING {
            into.push(byte);
        }
        Ok(())
    }

    /// Consumes a value. A string or a literal (a number, `true`, `null`) replaces the content of `into`, and the
    /// result is `true`. An object or an array is skipped, `into` becomes empty, and the result is `false`.
    pub(super) fn scalar(&mut self, into: &mut Vec<u8>) -> Result<bool, SyntaxError> {
        into.clear();
        match self.token().ok_or(SyntaxError::Ends)? {
            b'"' => self.string(into).map(|()| true),
            b'{' | b'[' => self.skip().map(|()| false),
            first if !is_literal(first) => Err(SyntaxError::Unexpected(first)),
            _ => loop {
                let rest = self.rest();
                let n = rest.iter().position(|b| !is_literal(*b)).unwrap_or(rest.len());
                let room = MAX_LITERAL.saturating_sub(into.len());
                let (part, is_end) = (rest.get(..n).unwrap_or_default(), n < rest.len() || rest.is_empty());
                into.extend_from_slice(part.get(..room).unwrap_or(part));
                self.advance(n);
                if is_end {
                    return Ok(true);
                }
            },
        }
    }

    /// Skips a value of any type.
    pub(super) fn skip(&mut self) -> Result<(), SyntaxError> {
        let mut depth = 0u32;
        match self.token().ok_or(SyntaxError::Ends)? {
            b'{' | b'[' | b'"' => {}
            first if !is_literal(first) => return Err(SyntaxError::Unexpected(first)),
            _ => return self.scalar(&mut Vec::new()).map(drop),
        }
        loop {
            let rest = self.rest();
            let n = rest.iter().position(|b| matches!(b, b'"' | b'{' | b'[' | b'}' | b']'));
            let (n, found) = match n.and_then(|n| Some((n, *rest.get(n)?))) {
                Some(found) => found,
                None if rest.is_empty() => return Err(SyntaxError::Ends),
                None => {
                    let len = rest.len();
                    self.advance(len);
                    continue;
                }
            };
            self.advance(n.saturating_add(1));
            match found {
                b'"' => self.skip_string()?,
                b'{' | b'[' => depth = depth.saturating_add(1),
                _ => depth = depth.saturating_sub(1),
            }
            if depth == 0 {
                return Ok(());
            }
            if depth > MAX_DEPTH {
                return Err(SyntaxError::Deep);
            }
        }
    }

    /// Skips the rest of a string whose first quote has been consumed.
    fn skip_string(&mut self) -> Result<(), SyntaxError> {
        loop {
            let rest = self.rest();
            if rest.is_empty() {
                return Err(SyntaxError::Ends);
            }
            let n = end_of_plain(rest);
            let end = rest.get(n).copied();
            self.advance(n);
            match end {
                Some(b'"') => {
                    self.advance(1);
                    return Ok(());
                }
                Some(_) => {
                    self.advance(1);
                    self.next()?;
                }
                None => {}
            }
        }
    }
}

/// Number of bytes of a literal that are kept. No useful number is longer.
const MAX_LITERAL: usize = 64;

const fn is_literal(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'a'..=b'z' | b'A'..=b'Z')
}

/// Returns the number of bytes before the next quote or backslash.
fn end_of_plain(bytes: &[u8]) -> usize {
    bytes.iter().position(|b| matches!(b, b'"' | b'\\')).unwrap_or(bytes.len())
}

/// Writes the replacement character for a high surrogate that has no low surrogate after it.
fn put_lone(high: &mut Option<u32>, into: &mut Vec<u8>) {
    if high.take().is_some() && into.len() < MAX_STRING {
        into.extend_from_slice("\u{fffd}".as_bytes());
    }
}
