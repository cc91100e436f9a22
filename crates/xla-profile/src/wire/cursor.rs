//! This module decodes the protobuf fields of a slice; it is the hot path of reading. It does not depend on any
//! message.
//!
//! A field is a tag (number × 8 + wire type) and a value. The wire types are: 0 variable-length number, 1 eight bytes,
//! 2 length and bytes, 5 four bytes. Groups (3 and 4) occur in none of the formats, and count as damage.

use super::WireError;

/// The value of a field, borrowed from the slice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// Wire type 0. A signed field is the same bits as `i64`.
    Varint(u64),
    /// Wire type 1.
    Fixed64(u64),
    /// Wire type 5.
    Fixed32(u32),
    /// Wire type 2: text, bytes or a message.
    Bytes(&'a [u8]),
}

impl Value<'_> {
    /// Returns the bits of a number, and 0 for bytes.
    pub(super) fn bits(self) -> u64 {
        match self {
            Self::Varint(bits) | Self::Fixed64(bits) => bits,
            Self::Fixed32(bits) => bits.into(),
            Self::Bytes(_) => 0,
        }
    }
}

/// A field of a message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field<'a> {
    /// Field number, never 0.
    pub number: u32,
    pub value: Value<'a>,
}

/// A cursor over the fields of one message.
///
/// The bytes may go on after the message. A number at the end of a message is then decoded with one load, like all others.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    /// The message, and bytes before and after it.
    bytes: &'a [u8],
    /// Index of the next unread byte.
    index: usize,
    /// Index of the end of the message, at most the number of bytes.
    end: usize,
    /// Offset of the first byte of `bytes` in the file.
    offset: u64,
}

impl<'a> Cursor<'a> {
    /// Creates a cursor over a message that starts at byte `offset` of the file.
    pub const fn new(message: &'a [u8], offset: u64) -> Self {
        Self { bytes: message, index: 0, end: message.len(), offset }
    }

    /// Creates a cursor over a message within `bytes`, from index `start` to `end`. The first of the bytes is byte `offset`
    /// of the file.
    #[inline(always)]
    pub(super) fn within(bytes: &'a [u8], start: usize, end: usize, offset: u64) -> Self {
        Self { bytes, index: start, end: end.min(bytes.len()), offset }
    }

    /// Returns a cursor over the message that was returned as the last value, which has `len` bytes.
    #[inline(always)]
    pub(super) const fn last_message(&self, len: usize) -> Self {
        Self { bytes: self.bytes, index: self.index.saturating_sub(len), end: self.index, offset: self.offset }
    }

    /// Returns the offset of the next unread byte in the file.
    #[inline]
    pub const fn position(&self) -> u64 {
        self.offset.saturating_add(self.index as u64)
    }

    /// Returns the next field, or `None` at the end of the message.
    ///
    /// # Errors
    /// Returns an error if the next bytes are not a field, or if they end inside of one.
    // Without `always`, the compiler does not inline this function, and its wide result goes through memory. That costs
    // a sixth of all instructions of a load.
    #[inline(always)]
    pub fn next_field(&mut self) -> Result<Option<Field<'a>>, WireError> {
        let start = self.position();
        let Some(tag) = self.next_tag()? else { return Ok(None) };
        self.field(tag, start).map(Some)
    }

    /// Returns the tag of the next field, or `None` at the end of the message. [`number`](Self::number), [`message`](Self::message) or
    /// [`field`](Self::field) reads the value.
    ///
    /// # Errors
    /// Returns an error if the next bytes are not a number. The tag itself is not checked.
    #[inline(always)]
    pub(super) fn next_tag(&mut self) -> Result<Option<u64>, WireError> {
        if self.index == self.end { Ok(None) } else { self.number().map(Some) }
    }

    /// Returns the field with a tag that was read at offset `start` of the file.
    ///
    /// # Errors
    /// Returns an error if the tag is not one, or if the bytes end inside of the value.
    #[inline(always)]
    pub(super) fn field(&mut self, tag: u64, start: u64) -> Result<Field<'a>, WireError> {
        // Field numbers have 29 bits, so a tag fits 32 bits. No field number is 0, so a tag is at least 8.
        let (Ok(tag), true) = (u32::try_from(tag), tag > 7) else { return Err(WireError::Tag { offset: start }) };
        let value = match tag & 7 {
            0 => Value::Varint(self.number()?),
            1 => Value::Fixed64(u64::from_le_bytes(self.array()?)),
            2 => Value::Bytes(self.message(start)?),
            5 => Value::Fixed32(u32::from_le_bytes(self.array()?)),
            _ => return Err(WireError::Tag { offset: start }),
        };
        Ok(Field { number: tag >> 3, value })
    }

    /// Returns a value of wire type 0.
    ///
    /// # Errors
    /// Returns an error if the number is too long, or if the message ends inside of it.
    #[inline(always)]
    pub(super) fn number(&mut self) -> Result<u64, WireError> {
        let rest = self.bytes.get(self.index..).unwrap_or_default();
        if let Ok((value, n)) = varint(rest) {
            let next = self.index.saturating_add(n);
            if next <= self.end {
                self.index = next;
                return Ok(value);
            }
        }
        Err(self.bad_number())
    }

    /// Returns a value of wire type 2. `start` is the offset of the field in the file.
    ///
    /// # Errors
    /// Returns an error if the length is not a number, or goes beyond the message.
    #[inline(always)]
    pub(super) fn message(&mut self, start: u64) -> Result<&'a [u8], WireError> {
        let declared = self.number()?;
        let left = self.end.saturating_sub(self.index);
        match usize::try_from(declared) {
            Ok(len) if len <= left => {
                let from = self.index;
                self.index = from.saturating_add(len);
                Ok(self.bytes.get(from..self.index).unwrap_or_default())
            }
            _ => Err(WireError::Length { offset: start, declared, left: left as u64 }),
        }
    }

    #[inline(always)]
    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], WireError> {
        let rest = self.bytes.get(self.index..self.end).unwrap_or_default();
        let array = *rest.first_chunk::<N>().ok_or(WireError::Ends { offset: self.position() })?;
        self.index = self.index.saturating_add(N);
        Ok(array)
    }

    /// Returns the error of the number that follows.
    #[cold]
    fn bad_number(&self) -> WireError {
        let rest = self.bytes.get(self.index..self.end).unwrap_or_default();
        varint(rest).err().unwrap_or(BadVarint::Ends).position(self.position())
    }
}

/// The error of a variable-length number, without its offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BadVarint {
    Ends,
    TooLong,
}

impl BadVarint {
    pub(super) const fn position(self, offset: u64) -> WireError {
        match self {
            Self::Ends => WireError::Ends { offset },
            Self::TooLong => WireError::Varint { offset },
        }
    }
}

/// Returns the tag of a field with a value of wire type 0.
pub(super) const fn number_tag(number: u64) -> u64 {
    number << 3
}

/// Returns the tag of a field with a value of wire type 2.
pub(super) const fn bytes_tag(number: u64) -> u64 {
    number << 3 | 2
}

/// Splits a tag into field number and wire type. `offset` is that of the tag, for the error.
#[inline(always)]
pub(super) fn split_tag(tag: u64, offset: u64) -> Result<(u32, u8), WireError> {
    // Field numbers have 29 bits, so a tag fits 32 bits.
    let tag = u32::try_from(tag).map_err(|_| WireError::Tag { offset })?;
    let number = tag >> 3;
    if number == 0 { Err(WireError::Tag { offset }) } else { Ok((number, (tag & 7) as u8)) }
}

/// Decodes the variable-length number at the start of `bytes`. Returns the number and its length in bytes.
#[inline(always)]
pub(super) fn varint(bytes: &[u8]) -> Result<(u64, usize), BadVarint> {
    // Most numbers have one byte: tags, small ids, lengths.
    match bytes {
        [a, ..] if *a < 0x80 => return Ok((u64::from(*a), 1)),
        _ => {}
    }
    // Times have five to eight bytes, which are decoded at once.
    let word = bytes.first_chunk().map_or_else(|| few(bytes), |word| u64::from_le_bytes(*word));
    let ends = !word & 0x8080_8080_8080_8080;
    if ends != 0 {
        // The first byte without the high bit is the last one of the number. Its high bit is bit 15, 23, … or 63.
        let zeros = ends.trailing_zeros();
        let low_bits = word & (u64::MAX.wrapping_shr(63_u32.wrapping_sub(zeros)));
        return Ok((pack_7bit(low_bits), (zeros >> 3).wrapping_add(1) as usize));
    }
    long(bytes)
}

/// Returns fewer than eight bytes as a word, with all bits of the missing bytes set, as if the number continued. The
/// last value of each message is read this way. Four to seven bytes are loaded with two reads that overlap.
#[inline(never)]
fn few(bytes: &[u8]) -> u64 {
    let bits = (bytes.len() as u32).wrapping_mul(8);
    let word = match (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        (Some(head), Some(tail)) => {
            let tail = u64::from(u32::from_le_bytes(*tail)).wrapping_shl(bits.wrapping_sub(32));
            u64::from(u32::from_le_bytes(*head)) | tail
        }
        _ => bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    };
    word | u64::MAX.wrapping_shl(bits)
}

/// Decodes a number of nine or ten bytes, and returns the error of one that is cut or too long.
#[inline(never)]
fn long(bytes: &[u8]) -> Result<(u64, usize), BadVarint> {
    let (mut value, mut shift) = (0u64, 0_u32);
    for byte in bytes {
        let bits = u64::from(*byte & 0x7f);
        if shift == 63 && *byte > 1 {
            return Err(BadVarint::TooLong);
        }
        value |= bits << shift;
        shift = shift.saturating_add(7);
        if *byte < 0x80 {
            return Ok((value, (shift / 7) as usize));
        }
    }
    Err(if bytes.len() < 10 { BadVarint::Ends } else { BadVarint::TooLong })
}

/// Packs the low seven bits of each of the eight bytes into one number of 56 bits.
#[inline(always)]
const fn pack_7bit(word: u64) -> u64 {
    let a = (word & 0x007f_007f_007f_007f) | ((word & 0x7f00_7f00_7f00_7f00) >> 1);
    let b = (a & 0x0000_3fff_0000_3fff) | ((a & 0x3fff_0000_3fff_0000) >> 2);
    (b & 0x0fff_ffff) | ((b & 0x0fff_ffff_0000_0000) >> 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(bytes: &[u8]) -> Result<Vec<Field<'_>>, WireError> {
        let mut cursor = Cursor::new(bytes, 100);
        std::iter::from_fn(|| cursor.next_field().transpose()).collect()
    }

    #[test]
    fn each_wire_type() {
        let bytes = [0x08, 0x96, 0x01, 0x12, 2, b'h', b'i', 0x1d, 1, 0, 0, 0, 0x21, 2, 0, 0, 0, 0, 0, 0, 0];
        let values: Vec<_> = fields(&bytes).unwrap().into_iter().map(|f| (f.number, f.value)).collect();
        assert_eq!(
            values,
            [(1, Value::Varint(150)), (2, Value::Bytes(b"hi")), (3, Value::Fixed32(1)), (4, Value::Fixed64(2))]
        );
    }

    #[test]
    fn negative_numbers_take_ten_bytes() {
        let bytes = [0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
        assert_eq!(fields(&bytes).unwrap()[0].value, Value::Varint(u64::MAX));
    }

    #[test]
    fn numbers_of_every_length() {
        for shift in 0..64 {
            for value in [1u64 << shift, (1 << shift) - 1, u64::MAX >> shift, 0x0123_4567_89ab_cdef >> shift] {
                let mut bytes = Vec::new();
                prost::encoding::encode_varint(value, &mut bytes);
                let n = bytes.len();
                assert_eq!(varint(&bytes), Ok((value, n)), "at the end");
                assert_eq!(varint(&bytes[..n - 1]), Err(BadVarint::Ends), "cut");
                bytes.extend([0xff; 10]);
                assert_eq!(varint(&bytes), Ok((value, n)), "with more behind");
            }
        }
    }

    #[test]
    fn errors_have_the_offset_of_the_damage() {
        assert_eq!(fields(&[0x08]), Err(WireError::Ends { offset: 101 }));
        assert_eq!(fields(&[0x08, 0x80]), Err(WireError::Ends { offset: 101 }));
        assert_eq!(fields(&[0x00]), Err(WireError::Tag { offset: 100 }));
        assert_eq!(fields(&[0x0b]), Err(WireError::Tag { offset: 100 }), "groups");
        assert_eq!(fields(&[0x0a, 5, 1]), Err(WireError::Length { offset: 100, declared: 5, left: 1 }));
        let long = [0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
        assert_eq!(fields(&long), Err(WireError::Length { offset: 100, declared: (1 << 63) - 1, left: 0 }));
        let too_long = [0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02];
        assert_eq!(fields(&too_long), Err(WireError::Varint { offset: 101 }));
    }
}
