//! This module writes a report. Its visitor fills four streams, so that values of one kind are stored together and
//! compress well.
//!
//! ```text
//!  marks    a byte per number: how many zeros it ends in, "default", "none"; lengths of lists
//!  digits   numbers without those zeros
//!  names    a number per text: default, none, new (and its common prefix with the last new text), or an earlier text
//!  letters  the part of each new text that it does not share
//! ```

use super::codec::visit::{Number, Text, Visit, VisitResult};
use super::error::ShareError;
use std::collections::BTreeMap;

/// Marks of numbers. A mark below [`USUAL`] is the number of zeros at the end of a whole number; [`USUAL`] stands for
/// the default value.
pub(super) const USUAL: u8 = 20;
pub(super) const NONE: u8 = 21;
/// Mark of a real number that is stored as its 64 bits.
pub(super) const BITS: u8 = 22;
/// Mark of a real number that is stored as digits × 10^(mark − `TENS`).
pub(super) const TENS: u8 = 150;
/// Largest power of ten of such a number, positive or negative.
pub(super) const MOST_TENS: i32 = 100;
/// Codes of texts. A larger code refers to an earlier text.
pub(super) const TEXT_USUAL: u64 = 0;
pub(super) const TEXT_NONE: u64 = 1;
pub(super) const TEXT_NEW: u64 = 2;

/// The visitor that writes the four streams.
#[derive(Default)]
pub(super) struct Writer {
    marks: Vec<u8>,
    digits: Vec<u8>,
    names: Vec<u8>,
    letters: Vec<u8>,
    known: BTreeMap<String, u64>,
    last: String,
}

/// Writes a number with seven bits per byte.
pub(super) fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

impl Writer {
    /// Returns all streams as one, after the lengths of the first three.
    pub(super) fn finish(self) -> Vec<u8> {
        let mut out = Vec::new();
        for stream in [&self.marks, &self.digits, &self.names] {
            varint(&mut out, stream.len() as u64);
        }
        for stream in [self.marks, self.digits, self.names, self.letters] {
            out.extend(stream);
        }
        out
    }

    fn decimal(&mut self, value: f64) -> Option<()> {
        let text = format!("{value:e}");
        let (mantissa, tens) = text.split_once('e')?;
        let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let tens = tens.parse::<i32>().ok()? - part.len() as i32;
        let digits: i64 = format!("{whole}{part}").parse().ok()?;
        let is_exact = tens.abs() <= MOST_TENS && of_decimal(digits, tens).to_bits() == value.to_bits();
        is_exact.then(|| {
            self.marks.push((i32::from(TENS) + tens) as u8);
            varint(&mut self.digits, ((digits << 1) ^ (digits >> 63)) as u64);
        })
    }
}

/// Returns `digits` × 10^`tens`.
pub(super) fn of_decimal(digits: i64, tens: i32) -> f64 {
    format!("{digits}e{tens}").parse().unwrap_or(f64::NAN)
}

impl Visit for Writer {
    fn count(&mut self, n: usize, _: usize) -> Result<usize, ShareError> {
        varint(&mut self.marks, n as u64);
        Ok(n)
    }

    fn integer(&mut self, value: &mut Option<u64>, usual: Option<u64>, _: Number) -> VisitResult {
        match *value {
            value if value == usual => self.marks.push(USUAL),
            None => self.marks.push(NONE),
            Some(0) => {
                self.marks.push(0);
                self.digits.push(0);
            }
            Some(mut value) => {
                let mut zeros = 0;
                while value.is_multiple_of(10) {
                    value /= 10;
                    zeros += 1;
                }
                self.marks.push(zeros);
                varint(&mut self.digits, value);
            }
        }
        Ok(())
    }

    fn real(&mut self, value: &mut Option<f64>, usual: Option<f64>) -> VisitResult {
        match *value {
            value if value.map(f64::to_bits) == usual.map(f64::to_bits) => self.marks.push(USUAL),
            None => self.marks.push(NONE),
            Some(value) => {
                if self.decimal(value).is_none() {
                    self.marks.push(BITS);
                    self.digits.extend(value.to_le_bytes());
                }
            }
        }
        Ok(())
    }

    fn text(&mut self, value: &mut Option<String>, usual: Option<&str>, _: Text) -> VisitResult {
        match value.as_deref() {
            value if value == usual => varint(&mut self.names, TEXT_USUAL),
            None => varint(&mut self.names, TEXT_NONE),
            Some(text) => {
                if let Some(known) = self.known.get(text) {
                    // The most recent text has the smallest code.
                    varint(&mut self.names, TEXT_NEW + self.known.len() as u64 - known);
                } else {
                    let shared = text.bytes().zip(self.last.bytes()).take_while(|(a, b)| a == b).count();
                    let shared = (0..=shared).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
                    varint(&mut self.names, TEXT_NEW);
                    varint(&mut self.names, shared as u64);
                    varint(&mut self.names, (text.len() - shared) as u64);
                    self.letters.extend(&text.as_bytes()[shared..]);
                    self.known.insert(text.to_owned(), self.known.len() as u64);
                    text.clone_into(&mut self.last);
                }
            }
        }
        Ok(())
    }
}
