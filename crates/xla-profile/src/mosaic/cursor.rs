//! This module decodes the primitives of MLIR bytecode: bytes, numbers of variable length, texts and sections
//! (mlir.llvm.org/docs/BytecodeFormat). It does not know what they mean.

use super::unread::{Read, Unread};

/// The byte that fills the space before an aligned section.
const PADDING: u8 = 0xcb;

/// A cursor over a part of the body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a> {
    /// The bytes that are not read yet.
    rest: &'a [u8],
    /// Offset of the first of these bytes in the body.
    offset: u64,
}

/// A section: its number and its contents.
#[derive(Clone, Copy, Debug)]
pub(super) struct Section<'a> {
    pub id: u8,
    pub contents: Cursor<'a>,
}

impl<'a> Cursor<'a> {
    /// Creates a cursor over bytes that start at byte `offset` of the body.
    pub const fn new(bytes: &'a [u8], offset: u64) -> Self {
        Self { rest: bytes, offset }
    }

    /// Returns the bytes that are not read yet.
    pub const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Returns the offset of the next byte in the body.
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns whether all bytes are read.
    pub const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Returns a cursor over the next `len` bytes, and moves behind them.
    pub fn take(&mut self, len: u64) -> Read<Self> {
        let left = self.rest.len() as u64;
        let split = usize::try_from(len).ok().and_then(|len| self.rest.split_at_checked(len));
        let (head, tail) = split.ok_or(Unread::Length { offset: self.offset, declared: len, left })?;
        let taken = Self::new(head, self.offset);
        *self = Self::new(tail, self.offset.saturating_add(len));
        Ok(taken)
    }

    /// Returns the next byte.
    pub fn byte(&mut self) -> Read<u8> {
        let (first, tail) = self.rest.split_first().ok_or(Unread::Ends { offset: self.offset })?;
        *self = Self::new(tail, self.offset.saturating_add(1));
        Ok(*first)
    }

    /// Returns the next number. The zeros at the low end of its first byte are the number of bytes that follow; the
    /// bits above them and the bytes that follow, the lowest first, are the number.
    pub fn number(&mut self) -> Read<u64> {
        let start = self.offset;
        let first = self.byte()?;
        let extra = first.trailing_zeros();
        let tail = self.take(extra.into()).map_err(|_| Unread::Ends { offset: start })?;
        let high = tail.rest.iter().rev().fold(0_u64, |high, byte| high << 8 | u64::from(*byte));
        // With seven or more bytes behind it, the first byte holds no bits of the number.
        let low = u64::from(first).wrapping_shr(extra.saturating_add(1));
        Ok(high.wrapping_shl(7_u32.saturating_sub(extra)) | low)
    }

    /// Returns the next number with a sign, whose lowest bit is the sign.
    pub fn signed(&mut self) -> Read<i64> {
        let bits = self.number()?;
        Ok((bits >> 1).cast_signed() ^ (bits & 1).cast_signed().wrapping_neg())
    }

    /// Returns the next number without its lowest bit, and this bit.
    pub fn flagged(&mut self) -> Read<(u64, bool)> {
        self.number().map(|bits| (bits >> 1, bits & 1 == 1))
    }

    /// Returns the next number, which counts elements that follow. Each of them has at least one byte.
    pub fn count(&mut self) -> Read<u64> {
        let declared = self.number()?;
        let left = self.rest.len() as u64;
        if declared > left { Err(Unread::Length { offset: self.offset, declared, left }) } else { Ok(declared) }
    }

    /// Returns the bytes up to the next zero, and moves behind it.
    pub fn terminated(&mut self) -> Read<&'a [u8]> {
        let len = self.rest.iter().position(|byte| *byte == 0).ok_or(Unread::Ends { offset: self.offset })?;
        let text = self.take(len as u64)?;
        self.byte()?;
        Ok(text.rest)
    }

    /// Returns the next section.
    pub fn section(&mut self) -> Read<Section<'a>> {
        let header = self.byte()?;
        let len = self.number()?;
        if header >= 0x80 {
            let offset = self.offset;
            let alignment = self.number()?;
            if !alignment.is_power_of_two() {
                return Err(Unread::Invalid { offset });
            }
            // Only padding is skipped, so that the loop ends with the bytes.
            while self.offset & alignment.wrapping_sub(1) != 0 {
                let offset = self.offset;
                if self.byte()? != PADDING {
                    return Err(Unread::Invalid { offset });
                }
            }
        }
        Ok(Section { id: header & 0x7f, contents: self.take(len)? })
    }
}

/// Encodes a number as the format describes it.
#[cfg(test)]
pub(super) fn encoded(value: u64) -> Vec<u8> {
    let len = (1..9).find(|len| value.checked_shr(7 * len).unwrap_or(0) == 0).unwrap_or(9);
    if len == 9 {
        return [&[0], value.to_le_bytes().as_slice()].concat();
    }
    let word = (u128::from(value) << len) | 1 << (len - 1);
    word.to_le_bytes()[..len as usize].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_length() {
        assert_eq!((encoded(0), encoded(127), encoded(128)), (vec![1], vec![255], vec![2, 2]));
        for shift in 0..64 {
            for value in [1_u64 << shift, (1 << shift) - 1, u64::MAX >> shift, 0x0123_4567_89ab_cdef >> shift] {
                let bytes = encoded(value);
                let mut cursor = Cursor::new(&bytes, 7);
                assert_eq!(cursor.number(), Ok(value), "{bytes:?}");
                assert!(cursor.is_empty());
                let cut = &bytes[..bytes.len() - 1];
                assert_eq!(Cursor::new(cut, 7).number(), Err(Unread::Ends { offset: 7 }));
            }
        }
    }

    #[test]
    fn signs_alternate() {
        let signed = |bits| Cursor::new(&encoded(bits), 0).signed().unwrap();
        assert_eq!([0, 1, 2, 3, u64::MAX].map(signed), [0, -1, 1, -2, i64::MIN]);
    }

    #[test]
    fn sections_are_aligned_in_the_body() {
        // Section 2 of one byte, aligned to 8 bytes: the header has three bytes, so two bytes of padding follow byte 6.
        let mut cursor = Cursor::new(&[0x82, 3, 17, PADDING, PADDING, 42], 3);
        let section = cursor.section().unwrap();
        assert_eq!((section.id, section.contents.rest(), section.contents.offset()), (2, [42].as_slice(), 8));
        assert_eq!(Cursor::new(&[0x82, 3, 7], 0).section().unwrap_err(), Unread::Invalid { offset: 2 });
        assert_eq!(Cursor::new(&[0x82, 3, 17, 0], 3).section().unwrap_err(), Unread::Invalid { offset: 6 });
    }
}
