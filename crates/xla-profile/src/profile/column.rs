//! This module implements a column of 64-bit numbers in which each block of numbers has the smallest width that
//! suffices.
//!
//! ```text
//!  numbers   7 000 000 000 512 · 7 000 000 000 700 · 7 000 000 001 024 …     256 numbers form a block
//!  block     least = 7 000 000 000 512, width = 2 bytes │ 0 │ 188 │ 512 …    one load reads any number
//! ```
//!
//! All numbers are exact: a block whose numbers lie far apart is eight bytes wide. `least` is the least of the numbers
//! as signed numbers, so that small differences on both sides of zero are narrow. A column grows block by block, and
//! complete blocks are not moved, so the numbers need not be counted beforehand.

use super::block::{BLOCK, Block, WORD};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A sequence of numbers in packed form, as the documentation of the module describes it.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Column {
    /// Complete blocks. After [`Column::close`], the last block may have fewer numbers.
    blocks: Vec<Block>,
    /// The numbers after the blocks, not packed, and room for more.
    open: Vec<u64>,
    len: usize,
}

impl Column {
    /// Returns the number of numbers.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the column is empty.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the number at an index.
    ///
    /// # Panics
    /// Panics if the index is not below the length.
    #[inline]
    pub fn get(&self, place: usize) -> u64 {
        assert!(place < self.len, "place {place} of {}", self.len);
        let within = place % BLOCK;
        self.blocks.get(place / BLOCK).map_or_else(|| self.open[within], |block| block.get(within))
    }

    /// Iterates over all numbers in order.
    pub fn iter(&self) -> Iter<'_> {
        Iter { column: self, next_block: 0, numbers: [0; BLOCK], n_returned: 0, n: 0 }
    }

    /// Adds a number.
    // `always`, because this runs up to five times per event, and the page is optimized for size.
    #[inline(always)]
    pub fn push(&mut self, number: u64) {
        let index = self.len % BLOCK;
        if index >= self.open.len() {
            self.make_room(index);
        }
        if let Some(place) = self.open.get_mut(index) {
            *place = number;
        }
        self.len += 1;
        if index == BLOCK - 1 {
            self.pack();
        }
    }

    /// Replaces the number at an index.
    ///
    /// # Panics
    /// Panics if the index is not below the length.
    pub fn set(&mut self, place: usize, number: u64) {
        assert!(place < self.len, "place {place} of {}", self.len);
        let within = place % BLOCK;
        match self.blocks.get_mut(place / BLOCK) {
            Some(block) => block.set(within, number),
            None => self.open[within] = number,
        }
    }

    /// Packs all numbers and releases the room for more. Numbers may still be added afterwards.
    pub fn close(&mut self) {
        self.pack();
        self.open = Vec::new();
        self.blocks.shrink_to_fit();
    }

    /// Adds the numbers of another column. Blocks of a closed column are moved, if this column has only complete blocks.
    pub(super) fn append(&mut self, other: Self) {
        let Self { mut blocks, open, len } = other;
        if self.len == self.blocks.len() * BLOCK && open.is_empty() {
            self.blocks.append(&mut blocks);
            self.len += len;
        } else {
            Self { blocks, open, len }.iter().for_each(|number| self.push(number));
        }
    }

    /// Returns the bytes that the column takes in memory.
    pub fn bytes(&self) -> usize {
        let blocks: usize = self.blocks.iter().map(|block| block.bytes.len()).sum();
        blocks + self.blocks.capacity() * size_of::<Block>() + self.open.capacity() * WORD
    }

    /// Packs the numbers that are not packed yet.
    #[inline(never)]
    fn pack(&mut self) {
        let n = self.len.saturating_sub(self.blocks.len() * BLOCK);
        if let Some(numbers) = self.open.get(..n).filter(|numbers| !numbers.is_empty()) {
            self.blocks.push(Block::new(numbers));
        }
    }

    /// Makes room for a number at index `index` of the last, incomplete block. The room doubles, so that a column of few
    /// numbers stays small.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self, index: usize) {
        // `close` has packed the last block before it was complete, so the block is unpacked again.
        let again = if self.blocks.len() * BLOCK > self.len { self.blocks.pop() } else { None };
        self.open.resize((2 * index).clamp(8, BLOCK), 0);
        if let Some(block) = again {
            block.read(&mut self.open[..index]);
        }
    }
}

/// An iterator over the numbers of a column.
#[derive(Clone)]
pub struct Iter<'a> {
    column: &'a Column,
    next_block: usize,
    /// The first `n` are the numbers of the current block, of which the first `n_returned` have been returned.
    numbers: [u64; BLOCK],
    n_returned: usize,
    n: usize,
}

impl Iter<'_> {
    /// Returns the number of numbers after the current block.
    const fn left(&self) -> usize {
        self.column.len.saturating_sub(self.next_block * BLOCK)
    }

    /// Unpacks the next block. After the last block, `n` becomes 0.
    #[inline(never)]
    fn unpack(&mut self) {
        (self.n_returned, self.n) = (0, self.left().min(BLOCK));
        let numbers = &mut self.numbers[..self.n];
        match self.column.blocks.get(self.next_block) {
            Some(block) => block.read(numbers),
            None => numbers.copy_from_slice(&self.column.open[..numbers.len()]),
        }
        self.next_block += 1;
    }
}

impl Iterator for Iter<'_> {
    type Item = u64;

    #[inline(always)]
    fn next(&mut self) -> Option<u64> {
        if self.n_returned == self.n {
            self.unpack();
            if self.n == 0 {
                return None;
            }
        }
        let number = self.numbers.get(self.n_returned).copied();
        self.n_returned += 1;
        number
    }

    /// Reads block by block, without a check after each number whether its block has ended.
    #[inline]
    fn fold<A, F: FnMut(A, u64) -> A>(mut self, first: A, mut add: F) -> A {
        let mut all = first;
        loop {
            all = self.numbers.get(self.n_returned..self.n).unwrap_or_default().iter().copied().fold(all, &mut add);
            self.unpack();
            if self.n == 0 {
                return all;
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let n = self.n - self.n_returned + self.left();
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

/// Collects numbers into a closed column.
impl FromIterator<u64> for Column {
    fn from_iter<I: IntoIterator<Item = u64>>(numbers: I) -> Self {
        let mut column = Self::default();
        numbers.into_iter().for_each(|number| column.push(number));
        column.close();
        column
    }
}

/// Compares the numbers, independently of their packing.
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

    /// Generates numbers like times (mostly near each other, sometimes far apart), and arbitrary numbers.
    fn number() -> impl Strategy<Value = u64> {
        let near = (any::<u64>(), 0..u64::BITS).prop_map(|(bits, shift)| bits >> shift);
        let around_zero = any::<i16>().prop_map(|n| i64::from(n).cast_unsigned());
        prop_oneof![4 => 0_u64..300, 2 => near, 2 => around_zero, 1 => any::<u64>(), 1 => Just(u64::MAX)]
    }

    fn check(column: &Column, numbers: &[u64]) {
        assert_eq!((column.len(), column.is_empty()), (numbers.len(), numbers.is_empty()));
        assert!(column.iter().eq(numbers.iter().copied()), "in order");
        assert!((0..numbers.len()).all(|i| column.get(i) == numbers[i]), "by place");
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
            prop_assert_eq!(&column, &known.iter().copied().collect::<Column>());
            // Twice, so that a column is joined to complete blocks and to others.
            for numbers in [known.clone(), (0..BLOCK as u64).collect()] {
                let mut joined: Column = (0..BLOCK as u64).collect();
                joined.append(numbers.iter().copied().collect());
                joined.append(column.clone());
                joined.close();
                let all: Vec<u64> = (0..BLOCK as u64).chain(numbers).chain(known.iter().copied()).collect();
                check(&joined, &all);
            }
        }

        #[test]
        fn any_range_is_kept_in_as_few_bytes_as_it_needs(least in any::<u64>(), shift in 0..u64::BITS) {
            let widest = u64::MAX >> shift;
            // A range across i64::MAX is as wide as the whole range, because `least` is the least signed number.
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
        assert_eq!((column.get(99_998), column.get(99_999), column.len()), (u64::MAX, 7, 100_000));
    }

    #[test]
    #[should_panic(expected = "place 3 of 3")]
    fn reading_past_the_end_panics() {
        (0..3).collect::<Column>().get(3);
    }
}
