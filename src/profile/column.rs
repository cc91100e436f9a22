//! A column of 64-bit numbers that takes as many bytes per number as its numbers need where they stand.
//!
//! ```text
//!  numbers   7 000 000 000 512 · 7 000 000 000 700 · 7 000 000 001 024 …     256 make a block
//!  block     least = 7 000 000 000 512, width = 2 bytes │ 0 │ 188 │ 512 …    any of them is one load away
//! ```
//!
//! Nothing is lost: a block whose numbers lie far apart is eight bytes wide. *Least* is meant of signed numbers, so small
//! differences on both sides of zero are as narrow as small numbers. A column grows block by block: what is there stays where it
//! is, so nothing need be counted beforehand. Knows numbers only; not what they measure.

use std::fmt;

/// Numbers in a block: fewer would say `least` too often, more would be as wide as the farthest of more.
const BLOCK: usize = 256;

/// Bytes of a number that is not packed.
const WORD: usize = 8;

/// Numbers in the order in which they were added. See the module.
#[derive(Clone, Default)]
pub struct Column {
    /// Complete blocks; once it is [closed](Column::close) the last may hold fewer numbers.
    blocks: Vec<Block>,
    /// What follows them, as it is, eight bytes each.
    open: Vec<u8>,
    len: usize,
}

/// Numbers as differences to the least of them.
#[derive(Clone)]
struct Block {
    least: u64,
    /// Bytes of a difference, 0 to 8.
    width: u8,
    /// The differences, and as many zeros as the last one lacks to eight bytes: so each is one load.
    bytes: Box<[u8]>,
}

impl Column {
    /// How many numbers.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The number at a place.
    ///
    /// # Panics
    /// Where there is none, as slices do.
    #[inline]
    pub fn at(&self, place: usize) -> u64 {
        assert!(place < self.len, "place {place} of {}", self.len);
        let numbers = self.block(place / BLOCK);
        numbers.least.wrapping_add(load(numbers.bytes.get(place % BLOCK * numbers.width..)) & mask(numbers.width))
    }

    /// All numbers, in order.
    pub fn iter(&self) -> Iter<'_> {
        Iter { column: self, next_block: 0, in_block: 0, left: self.len, numbers: Numbers::default(), mask: 0 }
    }

    /// Adds a number.
    #[inline]
    pub fn push(&mut self, number: u64) {
        if self.open.is_empty() && !self.len.is_multiple_of(BLOCK) {
            self.reopen();
        }
        self.open.extend_from_slice(&number.to_le_bytes());
        self.len += 1;
        if self.open.len() == BLOCK * WORD {
            self.pack();
        }
    }

    /// Puts another number at a place.
    ///
    /// # Panics
    /// Where there is none, as slices do.
    pub fn set(&mut self, place: usize, number: u64) {
        assert!(place < self.len, "place {place} of {}", self.len);
        let within = place % BLOCK;
        match self.blocks.get_mut(place / BLOCK) {
            Some(block) => block.set(within, number),
            None => self.open[within * WORD..][..WORD].copy_from_slice(&number.to_le_bytes()),
        }
    }

    /// All numbers are there: lets go of the room for more. More may follow all the same.
    pub fn close(&mut self) {
        self.pack();
        self.open = Vec::new();
        self.blocks.shrink_to_fit();
    }

    /// Bytes that it takes in memory.
    pub fn bytes(&self) -> usize {
        let blocks: usize = self.blocks.iter().map(|block| block.bytes.len()).sum();
        blocks + self.blocks.capacity() * size_of::<Block>() + self.open.capacity()
    }

    /// The numbers of a block; beyond the last those that are not packed.
    #[inline]
    fn block(&self, index: usize) -> Numbers<'_> {
        match self.blocks.get(index) {
            Some(block) => Numbers { least: block.least, width: block.width.into(), bytes: &block.bytes },
            None => Numbers { least: 0, width: WORD, bytes: &self.open },
        }
    }

    #[inline(never)]
    fn pack(&mut self) {
        if !self.open.is_empty() {
            self.blocks.push(Block::new(&self.open));
            self.open.clear();
        }
    }

    /// The last block is not complete, and more follows.
    #[cold]
    fn reopen(&mut self) {
        if let Some(block) = self.blocks.pop() {
            self.open = block.words(self.len % BLOCK);
        }
    }
}

impl Block {
    /// Packs numbers of eight bytes each.
    fn new(words: &[u8]) -> Self {
        let numbers = || words.chunks_exact(WORD).map(|word| load(Some(word)));
        let (least, most) = numbers().fold((i64::MAX, i64::MIN), |(least, most), number| {
            (least.min(number.cast_signed()), most.max(number.cast_signed()))
        });
        let least = least.cast_unsigned();
        let bits = u64::BITS - most.cast_unsigned().wrapping_sub(least).leading_zeros();
        let width = bits.div_ceil(8) as usize;
        let room = if width == 0 { 0 } else { (words.len() / WORD - 1) * width + WORD };
        let mut bytes = vec![0; room].into_boxed_slice();
        if width > 0 {
            // Each is written whole: its upper bytes are zeros, and the next one's place.
            for (at, number) in numbers().enumerate() {
                bytes[at * width..][..WORD].copy_from_slice(&number.wrapping_sub(least).to_le_bytes());
            }
        }
        Self { least, width: width as u8, bytes }
    }

    /// Its first `n` numbers, eight bytes each, with room for a whole block.
    fn words(&self, n: usize) -> Vec<u8> {
        let width = usize::from(self.width);
        let mut words = Vec::with_capacity(BLOCK * WORD);
        for at in 0..n {
            let number = self.least.wrapping_add(load(self.bytes.get(at * width..)) & mask(width));
            words.extend_from_slice(&number.to_le_bytes());
        }
        words
    }

    fn set(&mut self, at: usize, number: u64) {
        let width = usize::from(self.width);
        let difference = number.wrapping_sub(self.least);
        if difference <= mask(width) {
            if width > 0 {
                self.bytes[at * width..][..width].copy_from_slice(&difference.to_le_bytes()[..width]);
            }
            return;
        }
        // Where all are the same, any number of them is.
        let n = self.bytes.len().saturating_sub(WORD).checked_div(width).map_or(BLOCK, |before| before + 1);
        let mut words = self.words(n);
        words[at * WORD..][..WORD].copy_from_slice(&number.to_le_bytes());
        *self = Self::new(&words);
    }
}

/// Numbers of a block, packed or not.
#[derive(Clone, Copy, Default)]
struct Numbers<'a> {
    least: u64,
    width: usize,
    bytes: &'a [u8],
}

/// The first eight bytes as a number; where all differences are 0, there are none.
#[inline]
fn load(bytes: Option<&[u8]>) -> u64 {
    bytes.and_then(<[u8]>::first_chunk).map_or(0, |word| u64::from_le_bytes(*word))
}

/// The bits of a number of so many bytes.
#[inline]
const fn mask(width: usize) -> u64 {
    if width == 0 { 0 } else { u64::MAX >> (u64::BITS as usize - 8 * width) }
}

/// The numbers of a column, in order.
#[derive(Clone)]
pub struct Iter<'a> {
    column: &'a Column,
    next_block: usize,
    in_block: usize,
    left: usize,
    numbers: Numbers<'a>,
    mask: u64,
}

impl Iterator for Iter<'_> {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        if self.in_block == 0 {
            if self.left == 0 {
                return None;
            }
            self.numbers = self.column.block(self.next_block);
            self.mask = mask(self.numbers.width);
            self.next_block += 1;
            self.in_block = self.left.min(BLOCK);
            self.left -= self.in_block;
        }
        self.in_block -= 1;
        let Numbers { least, width, bytes } = self.numbers;
        self.numbers.bytes = bytes.get(width..).unwrap_or_default();
        Some(least.wrapping_add(load(Some(bytes)) & self.mask))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let n = self.in_block + self.left;
        (n, Some(n))
    }
}

impl ExactSizeIterator for Iter<'_> {}

impl<'a> IntoIterator for &'a Column {
    type Item = u64;
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

/// Closed, as nothing else is likely to follow.
impl FromIterator<u64> for Column {
    fn from_iter<I: IntoIterator<Item = u64>>(numbers: I) -> Self {
        let mut column = Self::default();
        numbers.into_iter().for_each(|number| column.push(number));
        column.close();
        column
    }
}

/// The same numbers, however they are packed.
impl PartialEq for Column {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.iter().eq(other)
    }
}

impl fmt::Debug for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Numbers as times are (near each other, now and then far), and any.
    fn number() -> impl Strategy<Value = u64> {
        let near = (any::<u64>(), 0..u64::BITS).prop_map(|(bits, shift)| bits >> shift);
        let around_zero = any::<i16>().prop_map(|n| i64::from(n).cast_unsigned());
        prop_oneof![4 => 0_u64..300, 2 => near, 2 => around_zero, 1 => any::<u64>(), 1 => Just(u64::MAX)]
    }

    fn check(column: &Column, numbers: &[u64]) {
        assert_eq!((column.len(), column.is_empty()), (numbers.len(), numbers.is_empty()));
        assert!(column.iter().eq(numbers.iter().copied()), "in order");
        assert!((0..numbers.len()).all(|i| column.at(i) == numbers[i]), "by place");
        assert_eq!(column.iter().len(), numbers.len());
    }

    proptest! {
        #[test]
        fn it_is_a_vec(
            numbers in prop::collection::vec(number(), 0..1200),
            more in prop::collection::vec(number(), 0..600),
            changes in prop::collection::vec((any::<prop::sample::Index>(), number()), 0..40),
        ) {
            let mut known = numbers;
            let mut column = Column::default();
            known.iter().for_each(|number| column.push(*number));
            check(&column, &known);
            let change = |column: &mut Column, known: &mut Vec<u64>| {
                for (place, number) in &changes {
                    let Some(place) = (!known.is_empty()).then(|| place.index(known.len())) else { return };
                    column.set(place, *number);
                    known[place] = *number;
                }
            };
            change(&mut column, &mut known);
            check(&column, &known);
            column.close();
            check(&column, &known);
            change(&mut column, &mut known);
            for number in more {
                column.push(number);
                known.push(number);
            }
            change(&mut column, &mut known);
            check(&column, &known);
            column.close();
            check(&column, &known);
            prop_assert_eq!(column, known.iter().copied().collect::<Column>());
        }

        #[test]
        fn any_range_is_kept_in_as_few_bytes_as_it_needs(least in any::<u64>(), shift in 0..u64::BITS) {
            let widest = u64::MAX >> shift;
            // Signed numbers end at i64::MAX: a range across it is as wide as all.
            prop_assume!(widest <= i64::MAX.cast_unsigned() && least.cast_signed() <= i64::MAX - widest.cast_signed());
            let numbers: Vec<u64> = (0..BLOCK as u64).map(|i| least.wrapping_add(if i % 2 == 0 { 0 } else { widest })).collect();
            let column: Column = numbers.iter().copied().collect();
            check(&column, &numbers);
            let width = (u64::BITS - shift).div_ceil(8) as usize;
            prop_assert_eq!(usize::from(column.blocks[0].width), width);
            prop_assert!(column.bytes() <= BLOCK * width + 64);
        }
    }

    #[test]
    fn numbers_that_are_all_the_same_take_next_to_nothing() {
        let mut column: Column = std::iter::repeat_n(u64::MAX, 100_000).collect();
        assert!(column.bytes() < 100_000 / 5, "{}", column.bytes());
        column.set(99_999, 7);
        assert_eq!((column.at(99_998), column.at(99_999), column.len()), (u64::MAX, 7, 100_000));
    }

    #[test]
    #[should_panic(expected = "place 3 of 3")]
    fn there_is_nothing_behind_the_last() {
        (0..3).collect::<Column>().at(3);
    }
}
