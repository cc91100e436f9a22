//! This module packs a block of numbers of a [`Column`](super::Column) as differences from the least of them.

use crate::wire::xspace::EVENTS_TOGETHER;
use serde::{Deserialize, Serialize};

/// Number of numbers in a block. Smaller blocks would repeat `least` more often, and larger ones would be wider,
/// because more of their numbers lie far apart.
pub(super) const BLOCK: usize = EVENTS_TOGETHER;

/// Bytes of a number that is not packed.
pub(super) const WORD: usize = 8;

/// Numbers as differences from the least of them.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Block {
    least: u64,
    /// Bytes of a difference, 0 to 8.
    pub(super) width: u8,
    /// The differences, and zeros that extend the last one to eight bytes, so that one load reads any difference.
    #[serde(with = "serde_bytes")]
    pub(super) bytes: Box<[u8]>,
}
impl Block {
    /// Packs numbers.
    pub(super) fn new(numbers: &[u64]) -> Self {
        let (mut least, mut most) = (i64::MAX, i64::MIN);
        for number in numbers {
            least = least.min(number.cast_signed());
            most = most.max(number.cast_signed());
        }
        let least = least.cast_unsigned();
        let bits = u64::BITS - most.cast_unsigned().wrapping_sub(least).leading_zeros();
        let width = bits.div_ceil(8) as usize;
        let room = if width == 0 { 0 } else { (numbers.len() - 1) * width + WORD };
        let mut block = Self { least, width: width as u8, bytes: vec![0; room].into_boxed_slice() };
        match width {
            1 => block.write_differences::<1>(numbers),
            2 => block.write_differences::<2>(numbers),
            3 => block.write_differences::<3>(numbers),
            4 => block.write_differences::<4>(numbers),
            5 => block.write_differences::<5>(numbers),
            6 => block.write_differences::<6>(numbers),
            7 => block.write_differences::<7>(numbers),
            8 => block.write_differences::<8>(numbers),
            _ => {}
        }
        block
    }

    /// Writes the differences of a block that is `W` bytes wide.
    fn write_differences<const W: usize>(&mut self, numbers: &[u64]) {
        for (number, bytes) in numbers.iter().zip(self.bytes.chunks_exact_mut(W)) {
            bytes.copy_from_slice(&number.wrapping_sub(self.least).to_le_bytes()[..W]);
        }
    }

    #[inline]
    pub(super) fn get(&self, place: usize) -> u64 {
        let width = usize::from(self.width);
        self.least.wrapping_add(load(self.bytes.get(place * width..)) & mask(width))
    }

    /// Unpacks the first numbers of the block into `numbers`.
    pub(super) fn read(&self, numbers: &mut [u64]) {
        match self.width {
            1 => self.read_differences::<1>(numbers),
            2 => self.read_differences::<2>(numbers),
            3 => self.read_differences::<3>(numbers),
            4 => self.read_differences::<4>(numbers),
            5 => self.read_differences::<5>(numbers),
            6 => self.read_differences::<6>(numbers),
            7 => self.read_differences::<7>(numbers),
            8 => self.read_differences::<8>(numbers),
            _ => numbers.fill(self.least),
        }
    }

    /// Unpacks the first numbers of a block that is `W` bytes wide. The width is a constant, so that the compiler can read
    /// several numbers at once.
    fn read_differences<const W: usize>(&self, numbers: &mut [u64]) {
        for (number, bytes) in numbers.iter_mut().zip(self.bytes.chunks_exact(W)) {
            let mut difference = [0; WORD];
            difference[..W].copy_from_slice(bytes);
            *number = self.least.wrapping_add(u64::from_le_bytes(difference));
        }
    }

    pub(super) fn set(&mut self, index: usize, number: u64) {
        let width = usize::from(self.width);
        let difference = number.wrapping_sub(self.least);
        if difference <= mask(width) {
            if width > 0 {
                self.bytes[index * width..][..width].copy_from_slice(&difference.to_le_bytes()[..width]);
            }
            return;
        }
        // A block with width 0 does not have its length, and is unpacked as a full block.
        let n = self.bytes.len().saturating_sub(WORD).checked_div(width).map_or(BLOCK, |before| before + 1);
        let mut numbers = [0; BLOCK];
        let numbers = &mut numbers[..n];
        self.read(numbers);
        numbers[index] = number;
        *self = Self::new(numbers);
    }
}

/// Returns the first eight bytes as a number, or 0 if there are none because all differences are 0.
#[inline(always)]
fn load(bytes: Option<&[u8]>) -> u64 {
    bytes.and_then(<[u8]>::first_chunk).map_or(0, |word| u64::from_le_bytes(*word))
}

/// Returns a mask for the bits of a number of `width` bytes.
#[inline]
const fn mask(width: usize) -> u64 {
    if width == 0 { 0 } else { u64::MAX >> (u64::BITS as usize - 8 * width) }
}
