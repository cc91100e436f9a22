//! This module slides a window over a [`Source`], and walks the fields of messages that are too large for memory.
//!
//! The window holds one stride of bytes. It is larger only for a single record that is larger, and never larger than
//! the source. Bytes that a reader jumps over are not read. The module does not depend on any message.

use super::cursor::{split_tag, varint};
use super::{Cursor, Field, Value, WireError};
use crate::source::Source;
use serde::{Deserialize, Serialize};

/// A range of bytes of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u64,
    /// One past the last byte.
    pub end: u64,
}

impl Span {
    /// Returns the number of bytes.
    pub const fn len(self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// Returns whether the span has no bytes.
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// A span that contains every offset of a file.
    pub const ALL: Self = Self { start: 0, end: u64::MAX };

    /// Returns the offset behind the first `part` of `whole` equal parts of the span. `part` is at most `whole`.
    pub fn part(self, part: u64, whole: u64) -> u64 {
        let bytes = u128::from(self.len()).saturating_mul(u128::from(part)).checked_div(u128::from(whole)).unwrap_or(0);
        self.start.saturating_add(u64::try_from(bytes).unwrap_or(u64::MAX))
    }

    /// Returns whether the byte at an offset is in the span.
    pub const fn contains(self, offset: u64) -> bool {
        self.start <= offset && offset < self.end
    }

    /// Returns whether some of the bytes of `other` are in the span. An empty span is where it starts.
    pub const fn touches(self, other: Self) -> bool {
        self.contains(other.start) || other.start < self.end && self.start < other.end
    }
}

/// A buffer with the bytes of a source around the current position.
pub struct Window<'s> {
    source: &'s dyn Source,
    size: u64,
    /// The first `filled` bytes of the buffer are the bytes of the source from `start` on.
    buf: Vec<u8>,
    filled: usize,
    start: u64,
}

impl<'s> Window<'s> {
    /// Creates a window over the whole source, without reading any bytes.
    pub fn new(source: &'s dyn Source) -> Self {
        Self { source, size: source.size(), buf: Vec::new(), filled: 0, start: 0 }
    }

    /// Returns the number of bytes that are best requested at once.
    pub fn stride(&self) -> u64 {
        self.source.stride()
    }

    /// Returns the span of the whole source.
    pub const fn whole(&self) -> Span {
        Span { start: 0, end: self.size }
    }

    /// Returns the loaded bytes from `offset` on, but not beyond `end` or the end of the source. These are at least
    /// `need` bytes, or all bytes up to that end if there are fewer.
    ///
    /// # Errors
    /// Returns an error if the source cannot be read.
    #[inline(always)]
    pub fn ahead(&mut self, offset: u64, end: u64, need: u64) -> Result<&[u8], WireError> {
        let end = end.min(self.size);
        let need = need.min(end.saturating_sub(offset));
        let have = self.start.saturating_add(self.filled as u64);
        if offset < self.start || offset.saturating_add(need) > have {
            self.fill(offset, need, end)?;
        }
        let from = usize::try_from(offset.saturating_sub(self.start)).unwrap_or(usize::MAX);
        let to = usize::try_from(end.saturating_sub(self.start)).unwrap_or(usize::MAX).min(self.filled);
        Ok(self.buf.get(from..to).unwrap_or_default())
    }

    /// Returns exactly the bytes of a span.
    ///
    /// # Errors
    /// [`WireError::Length`] if the span goes beyond the source, [`WireError::Source`] if the source cannot be read.
    pub fn bytes(&mut self, span: Span) -> Result<&[u8], WireError> {
        if span.end > self.size {
            let left = self.size.saturating_sub(span.start);
            return Err(WireError::Length { offset: span.start, declared: span.len(), left });
        }
        self.ahead(span.start, span.end, span.len())
    }

    /// Reads from the source, so that the buffer holds `need` bytes from `offset` on. Bytes far beyond `end` are rarely
    /// used, so the read ends at most 1/16 stride after `end`.
    ///
    /// After a jump, another jump is likely, such as when lines are skipped by their lengths. Only 1/64 stride is
    /// therefore read after a jump. Each sequential read then is three times as long as the bytes in the buffer, up to
    /// one stride. The earlier bytes stay in the buffer while everything fits into one stride, for readers that go
    /// back.
    #[cold]
    fn fill(&mut self, offset: u64, need: u64, end: u64) -> Result<(), WireError> {
        let stride = self.source.stride();
        let (little, filled) = (stride / 64, self.filled as u64);
        let have = self.start.saturating_add(filled);
        let jumps = offset < self.start || offset.saturating_sub(have) >= little;
        let needed = offset.saturating_add(need);
        let more = if jumps { little } else { filled.saturating_mul(3).clamp(little, stride) };
        if jumps || offset > have {
            (self.start, self.filled) = (offset, 0);
        } else if have.saturating_add(more).max(needed).saturating_sub(self.start) > stride {
            // The loaded bytes from `offset` on stay in the buffer, and the bytes before `offset` are dropped.
            let gone = usize::try_from(offset.saturating_sub(self.start)).unwrap_or(self.filled);
            self.buf.copy_within(gone..self.filled, 0);
            (self.start, self.filled) = (offset, self.filled.saturating_sub(gone));
        }
        let from = self.start.saturating_add(self.filled as u64);
        let most = self.start.saturating_add(stride).min(end.saturating_add(stride / 16));
        let to = from.saturating_add(more).min(most).max(needed).min(self.size);
        let n = usize::try_from(to.saturating_sub(self.start)).map_err(|_| WireError::Ends { offset })?;
        // The buffer is reused, but the memory of a single huge record is released.
        let keep = usize::try_from(stride).unwrap_or(n).max(n).saturating_mul(4);
        if self.buf.len() < n || self.buf.len() > keep {
            self.buf.resize(n, 0);
            self.buf.shrink_to_fit();
        }
        let filled = std::mem::take(&mut self.filled);
        self.source.read_at(from, self.buf.get_mut(filled..n).unwrap_or_default())?;
        self.filled = n;
        Ok(())
    }
}

/// The value of a field of a large message: a number, or the position of its bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SpanValue {
    /// Wire types 0, 1 and 5.
    Number(u64),
    /// Wire type 2.
    Span(Span),
}

impl SpanValue {
    /// Returns the bits of a number, and `None` for a span.
    pub const fn number(self) -> Option<u64> {
        match self {
            Self::Number(n) => Some(n),
            Self::Span(_) => None,
        }
    }
}

/// A cursor over the fields of a message in a source. The message is not held in memory.
#[derive(Clone, Copy, Debug)]
pub struct Walker {
    offset: u64,
    end: u64,
}

impl Walker {
    /// Creates a cursor over the message that fills `span`.
    pub const fn new(span: Span) -> Self {
        Self { offset: span.start, end: span.end }
    }

    /// Returns the offset of the next field.
    pub const fn position(&self) -> u64 {
        self.offset
    }

    /// Moves to the field at an offset.
    pub const fn seek(&mut self, offset: u64) {
        self.offset = offset;
    }

    /// Returns the number and the value of the next field, or `None` at the end. After an error,
    /// [`Walker::position`] is still the offset of the field with the error.
    ///
    /// # Errors
    /// [`WireError::Length`] if the field is longer than the message, other errors if the bytes are not a field or
    /// cannot be read.
    #[inline]
    pub fn next_field(&mut self, window: &mut Window<'_>) -> Result<Option<(u32, SpanValue)>, WireError> {
        if self.offset >= self.end {
            return Ok(None);
        }
        let offset = self.offset;
        // A tag with a length or a number has at most 20 bytes.
        let head = window.ahead(offset, self.end, 20)?;
        let (tag, n) = varint(head).map_err(|e| e.position(offset))?;
        let (number, wire) = split_tag(tag, offset)?;
        let rest = head.get(n..).unwrap_or_default();
        if wire == 2 {
            let (declared, m) = varint(rest).map_err(|e| e.position(offset))?;
            let start = offset.saturating_add(n as u64).saturating_add(m as u64);
            let left = self.end.saturating_sub(start);
            if declared > left {
                return Err(WireError::Length { offset, declared, left });
            }
            let end = start.saturating_add(declared);
            self.offset = end;
            return Ok(Some((number, SpanValue::Span(Span { start, end }))));
        }
        let mut cursor = Cursor::new(head, offset);
        let Some(Field { value, .. }) = cursor.next_field()? else { return Ok(None) };
        self.offset = cursor.position();
        let bits = match value {
            Value::Varint(v) | Value::Fixed64(v) => v,
            Value::Fixed32(v) => u64::from(v),
            Value::Bytes(_) => return Err(WireError::Tag { offset }),
        };
        Ok(Some((number, SpanValue::Number(bits))))
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::source::SourceError;
    use proptest::prelude::*;

    /// A source with a given stride.
    struct By(u64, Vec<u8>);

    impl Source for By {
        fn size(&self) -> u64 {
            self.1.size()
        }
        fn stride(&self) -> u64 {
            self.0
        }
        fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), SourceError> {
            self.1.read_at(offset, buf)
        }
    }

    #[test]
    fn parts_of_a_span() {
        let span = |start, end| Span { start, end };
        assert_eq!([0, 1, 2, 3].map(|part| span(10, 20).part(part, 3)), [10, 13, 16, 20]);
        assert_eq!(span(5, u64::MAX).part(1, 1), u64::MAX);
        assert_eq!(span(5, 9).part(1, 0), 5, "no parts");
        assert!(span(0, 5).touches(span(4, 9)) && span(4, 9).touches(span(0, 5)));
        assert!(!span(0, 5).touches(span(5, 9)) && !span(5, 9).touches(span(0, 5)));
        assert!(span(0, 5).touches(span(0, 0)) && !span(0, 5).touches(span(5, 5)), "an empty span is where it starts");
    }

    proptest! {
        #[test]
        fn ahead_returns_the_bytes_of_the_source(
            bytes in prop::collection::vec(any::<u8>(), 0..3000),
            stride in 1_u64..900,
            reads in prop::collection::vec((any::<prop::sample::Index>(), 0_u64..1500, 0_u64..900, any::<bool>()), 1..80),
        ) {
            let source = By(stride, bytes.clone());
            let mut window = Window::new(&source);
            let mut index = 0;
            for (place, len, need, reads_on) in reads {
                // About half of the reads start at the end of the last one, like sequential reads.
                index = if reads_on { index } else { place.index(bytes.len() + 1) };
                let end = (index as u64).saturating_add(len);
                let ahead = window.ahead(index as u64, end, need).unwrap();
                let there = &bytes[index..bytes.len().min(index + len as usize)];
                prop_assert!(there.starts_with(ahead));
                prop_assert!(ahead.len() >= there.len().min(need as usize));
                index += ahead.len();
            }
        }
    }
}
