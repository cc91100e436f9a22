//! This module reads the streams that [`super::write`] writes. The bytes may come from strangers: the memory of each
//! row and each text is counted against a budget before it is allocated, and each row takes at least one byte of the
//! streams.

use super::codec::visit::{Number, Text, Visit, VisitResult};
use super::error::ShareError;
use super::write::{BITS, MOST_TENS, NONE, TENS, TEXT_NEW, TEXT_NONE, TEXT_USUAL, USUAL, of_decimal};

const ENDS: ShareError = ShareError::Broken("it ends early");

/// The visitor that reads the four streams.
pub(super) struct Reader<'a> {
    marks: &'a [u8],
    digits: &'a [u8],
    names: &'a [u8],
    letters: &'a [u8],
    known: Vec<String>,
    version: u64,
    /// Memory in bytes that the rest of the report may take.
    budget: usize,
}

/// Reads a number with seven bits per byte. Returns `None` if the bytes end early or the number exceeds 64 bits.
pub(super) fn varint(from: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for (index, byte) in from.iter().take(10).enumerate() {
        let bits = u64::from(byte & 0x7f);
        if index == 9 && bits > 1 {
            return None;
        }
        value |= bits << (7 * index);
        if byte & 0x80 == 0 {
            *from = from.get(index + 1..).unwrap_or_default();
            return Some(value);
        }
    }
    None
}

/// Returns the next `n` bytes. Returns `None` if fewer are left.
pub(super) fn take<'a>(from: &mut &'a [u8], n: usize) -> Option<&'a [u8]> {
    let (taken, rest) = from.split_at_checked(n)?;
    *from = rest;
    Some(taken)
}

impl<'a> Reader<'a> {
    /// Splits `bytes`, of a version of the format, into the four streams.
    pub(super) fn new(mut bytes: &'a [u8], version: u64, budget: usize) -> Result<Self, ShareError> {
        let mut length = || varint(&mut bytes).and_then(|n| usize::try_from(n).ok()).ok_or(ENDS);
        let (marks, digits, names) = (length()?, length()?, length()?);
        let mut stream = |n| take(&mut bytes, n).ok_or(ENDS);
        let (marks, digits, names) = (stream(marks)?, stream(digits)?, stream(names)?);
        Ok(Self { marks, digits, names, letters: bytes, known: Vec::new(), version, budget })
    }

    /// Checks that all streams were read to their end.
    pub(super) fn finish(self) -> VisitResult {
        let rest = [self.marks, self.digits, self.names, self.letters];
        if rest.iter().all(|rest| rest.is_empty()) { Ok(()) } else { Err(ShareError::Broken("data is left over")) }
    }

    fn pay(&mut self, bytes: usize) -> VisitResult {
        self.budget = self.budget.checked_sub(bytes).ok_or(ShareError::Large)?;
        Ok(())
    }

    fn mark(&mut self) -> Result<u8, ShareError> {
        Ok(take(&mut self.marks, 1).ok_or(ENDS)?[0])
    }

    fn digits(&mut self) -> Result<u64, ShareError> {
        varint(&mut self.digits).ok_or(ENDS)
    }

    fn name(&mut self) -> Result<u64, ShareError> {
        varint(&mut self.names).ok_or(ENDS)
    }

    fn new_text(&mut self) -> Result<String, ShareError> {
        let mut length = || self.name().and_then(|n| usize::try_from(n).map_err(|_| ENDS));
        let (shared, rest) = (length()?, length()?);
        let letters = take(&mut self.letters, rest).ok_or(ENDS)?;
        self.pay(shared.saturating_add(rest).saturating_mul(2))?;
        let last = self.known.last().map_or("", String::as_str);
        let start = last.get(..shared).ok_or(ShareError::Broken("a text refers to a missing text"))?;
        let rest = std::str::from_utf8(letters).map_err(|_| ShareError::Broken("a text is not valid UTF-8"))?;
        Ok([start, rest].concat())
    }
}

impl Visit for Reader<'_> {
    fn version(&self) -> u64 {
        self.version
    }

    fn count(&mut self, _: usize, size: usize) -> Result<usize, ShareError> {
        let n = varint(&mut self.marks).and_then(|n| usize::try_from(n).ok()).ok_or(ENDS)?;
        // A row has at least one mark or name. Most rows have dozens.
        if n > self.marks.len() + self.names.len() {
            return Err(ENDS);
        }
        self.pay(n.saturating_mul(size))?;
        Ok(n)
    }

    fn integer(&mut self, value: &mut Option<u64>, usual: Option<u64>, _: Number) -> VisitResult {
        *value = match self.mark()? {
            USUAL => usual,
            NONE => None,
            zeros @ 0..USUAL => {
                let whole = 10_u64.checked_pow(zeros.into()).and_then(|tens| self.digits().ok()?.checked_mul(tens));
                Some(whole.ok_or(ShareError::Broken("a number is too large"))?)
            }
            _ => return Err(ShareError::Broken("a number is malformed")),
        };
        Ok(())
    }

    fn real(&mut self, value: &mut Option<f64>, usual: Option<f64>) -> VisitResult {
        *value = match self.mark()? {
            USUAL => usual,
            NONE => None,
            BITS => {
                let bytes = take(&mut self.digits, 8).and_then(|bytes| bytes.try_into().ok()).ok_or(ENDS)?;
                Some(f64::from_le_bytes(bytes))
            }
            mark => {
                let tens = i32::from(mark) - i32::from(TENS);
                if tens.abs() > MOST_TENS {
                    return Err(ShareError::Broken("a number is malformed"));
                }
                let folded = self.digits()?;
                Some(of_decimal((folded >> 1) as i64 ^ -((folded & 1) as i64), tens))
            }
        };
        Ok(())
    }

    fn text(&mut self, value: &mut Option<String>, usual: Option<&str>, _: Text) -> VisitResult {
        *value = match self.name()? {
            TEXT_USUAL => {
                self.pay(usual.map_or(0, str::len))?;
                usual.map(str::to_owned)
            }
            TEXT_NONE => None,
            TEXT_NEW => {
                let text = self.new_text()?;
                self.known.push(text.clone());
                Some(text)
            }
            before => {
                let back = usize::try_from(before - TEXT_NEW).ok();
                let index = back.and_then(|back| self.known.len().checked_sub(back));
                let index = index.ok_or(ShareError::Broken("a text is missing"))?;
                let length = self.known.get(index).map_or(0, String::len);
                self.pay(length)?;
                self.known.get(index).cloned()
            }
        };
        Ok(())
    }
}
