//! This module stores a value over time as a step function, with sums over 16 and over 256 steps. A summary of any range
//! reads the sums of whole blocks, and steps at both ends of the range alone.
//!
//! ```text
//!  value   5 ├──────┐        ┌─────┤          steps: (0, 5), (7, 2), (16, no value), (20, 4), end 26
//!          2        └────────┤
//!  block   minimum, maximum, ∫ value dt, covered time, of 16 and of 256 steps
//! ```

use xla_profile::intervals::Interval;
use xla_profile::profile::Column;

/// Numbers of steps of a block of each level, from the greatest. Each is a multiple of the next one.
const BLOCKS: [usize; 2] = [256, 16];

/// A value over time. Each value holds until the next step.
pub struct StepFunction {
    /// Starts of the steps in ps, in ascending order. A step may have no length.
    starts: Column,
    /// The value of each step; NaN where there is no value.
    values: Vec<f64>,
    /// End of the last step.
    end: u64,
    /// The sums of the blocks of each level of [`BLOCKS`]. The last block of a level may have fewer steps.
    levels: [Vec<Summary>; 2],
}

/// The values of a part of a step function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// Least value; NaN if there is none.
    pub min: f64,
    /// Greatest value; NaN if there is none.
    pub max: f64,
    /// ∫ value dt, in the unit of the values times ps.
    pub integral: f64,
    /// Time with a value, in ps.
    pub covered: u64,
}

impl Summary {
    const EMPTY: Self = Self { min: f64::NAN, max: f64::NAN, integral: 0.0, covered: 0 };

    /// Returns ∫ value dt ÷ covered time. `None` if no time is covered.
    #[expect(clippy::cast_precision_loss, reason = "a mean is a ratio")]
    pub fn mean(&self) -> Option<f64> {
        (self.covered > 0).then(|| self.integral / self.covered as f64)
    }

    /// Adds a step with a value that lasts `length` ps.
    #[expect(clippy::cast_precision_loss, reason = "times below 2⁵³ ps, which is 2.5 hours, are exact")]
    fn add_step(&mut self, value: f64, length: u64) {
        if value.is_nan() {
            return;
        }
        self.add(&Self { min: value, max: value, integral: value * length as f64, covered: length });
    }

    fn add(&mut self, other: &Self) {
        // The minimum of a number and NaN is the number.
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.integral += other.integral;
        self.covered = self.covered.saturating_add(other.covered);
    }
}

/// Collects the steps of a [`StepFunction`].
#[derive(Default)]
pub struct StepBuilder {
    starts: Column,
    values: Vec<f64>,
    last: u64,
}

impl StepBuilder {
    /// Adds a step. Steps come in ascending order; an earlier `start` counts as the last one. NaN begins a stretch
    /// without a value. A step that has the value of the step before it continues that step.
    pub fn push(&mut self, start: u64, value: f64) {
        if self.values.last().is_some_and(|last| last.to_bits() == value.to_bits()) {
            return;
        }
        self.last = self.last.max(start);
        self.starts.push(self.last);
        self.values.push(value);
    }

    /// Ends the last step at `end`, and computes the sums.
    pub fn finish(mut self, end: u64) -> StepFunction {
        self.starts.close();
        self.values.shrink_to_fit();
        let end = end.max(self.last);
        let mut function = StepFunction { starts: self.starts, values: self.values, end, levels: Default::default() };
        function.levels = BLOCKS.map(|size| function.blocks(size));
        function
    }
}

impl StepFunction {
    /// Returns the number of steps.
    pub const fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns the values of the whole function.
    pub fn whole(&self) -> Summary {
        let mut all = Summary::EMPTY;
        self.levels[0].iter().for_each(|block| all.add(block));
        all
    }

    /// Returns the values within a range. Values of steps without length count for the minimum and the maximum.
    pub fn summary(&self, (from, to): Interval) -> Summary {
        let mut sum = Summary::EMPTY;
        if from >= to || from >= self.end && self.first_from(from) == self.len() {
            return sum;
        }
        let mut step = self.first_from(from);
        // The step before it lasts beyond `from`, unless a step starts there.
        if step == self.len() || self.starts.get(step) > from {
            step = step.saturating_sub(1);
        }
        let (first, last) = (step, self.first_from(to));
        while step < last {
            // Only the first and the last step may be partly in the range, so they are not read as a part of a block.
            let is_block = |size: &usize| step > first && step.is_multiple_of(*size) && step + size < last;
            let level = BLOCKS.iter().position(is_block);
            match level.and_then(|level| Some((BLOCKS[level], self.levels[level].get(step / BLOCKS[level])?))) {
                Some((size, block)) => {
                    sum.add(block);
                    step += size;
                }
                None => {
                    let (start, end) = (self.starts.get(step).max(from), self.end_of(step).min(to));
                    sum.add_step(self.values[step], end.saturating_sub(start));
                    step += 1;
                }
            }
        }
        sum
    }

    /// Returns the end of a step.
    fn end_of(&self, step: usize) -> u64 {
        if step + 1 < self.len() { self.starts.get(step + 1) } else { self.end }
    }

    /// Returns the first step that does not start before `time`.
    fn first_from(&self, time: u64) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.starts.get(middle) < time { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// Returns the sums of blocks of `size` steps.
    fn blocks(&self, size: usize) -> Vec<Summary> {
        let ends = self.starts.iter().skip(1).chain([self.end]);
        let mut steps = self.starts.iter().zip(ends).zip(&self.values);
        let mut blocks = Vec::with_capacity(self.len().div_ceil(size));
        while blocks.len() * size < self.len() {
            let mut sum = Summary::EMPTY;
            steps.by_ref().take(size).for_each(|((start, end), value)| sum.add_step(*value, end - start));
            blocks.push(sum);
        }
        blocks
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Sums every picosecond of a range; a step without length counts for the minimum and the maximum.
    fn by_brute_force(steps: &[(u64, f64)], end: u64, (from, to): Interval) -> Summary {
        let mut sum = Summary::EMPTY;
        for (index, (start, value)) in steps.iter().enumerate() {
            let until = steps.get(index + 1).map_or(end, |next| next.0);
            if *start == until && (from..to).contains(start) {
                sum.add_step(*value, 0);
            }
            (*start..until).filter(|ps| (from..to).contains(ps)).for_each(|_| sum.add_step(*value, 1));
        }
        sum
    }

    /// Compares bits, because NaN is not equal to itself.
    fn bits(sum: Summary) -> (u64, u64, u64, u64) {
        (sum.min.to_bits(), sum.max.to_bits(), sum.integral.to_bits(), sum.covered)
    }

    proptest! {
        #[test]
        fn summaries_are_those_of_every_picosecond(
            parts in prop::collection::vec((0_u64..4, prop::option::weighted(0.8, 0_u8..9)), 0..1200),
            rest in 0_u64..9,
            windows in prop::collection::vec((0_u64..2600, 0_u64..2600), 12),
        ) {
            let (mut start, mut steps, mut builder) = (3, Vec::new(), StepBuilder::default());
            for (length, value) in parts {
                let value = value.map_or(f64::NAN, f64::from);
                builder.push(start, value);
                steps.push((start, value));
                start += length;
            }
            // A step that continues the one before it has no start of its own.
            steps.dedup_by(|next, last| next.1.to_bits() == last.1.to_bits());
            let end = start + rest;
            let function = builder.finish(end);
            for (from, to) in windows.into_iter().chain([(0, 5000)]) {
                let sum = by_brute_force(&steps, end, (from, to));
                prop_assert_eq!(bits(function.summary((from, to))), bits(sum), "{} to {}", from, to);
            }
            prop_assert_eq!(bits(function.whole()), bits(by_brute_force(&steps, end.max(start), (0, 5000))));
        }
    }
}
