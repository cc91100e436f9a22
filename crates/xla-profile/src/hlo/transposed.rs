//! This module lists device numbers in the order of a transposed grid, such as `[2,4]T(1,0)`.

/// The form `[dims]T(perm)`: the numbers 0, 1, 2, … are reshaped to `dims`, transposed by `perm`, and read in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transposed {
    /// Sizes of the grid before the transpose.
    pub dims: Vec<u64>,
    /// The order of `dims` after the transpose; empty if the grid is not transposed.
    pub perm: Vec<u64>,
}

impl Transposed {
    /// Largest number of devices that are listed, a hundred times that of the largest machine.
    pub(super) const MAX_DEVICES: u64 = 1 << 20;
    /// Largest number of dimensions of a grid. A real grid has fewer.
    pub(super) const RANK: usize = 64;

    /// Iterates over the numbers in groups of `size`. Returns `None` if the grid does not have `total` numbers, if
    /// `perm` is not a permutation, if `size` is 0, or if a limit is exceeded.
    pub(super) fn read(&self, size: u64, total: u64) -> Option<impl Iterator<Item = Vec<u64>> + use<>> {
        let strides = self.strides(total)?;
        if size == 0 {
            return None;
        }
        let position = move |mut i: u64| {
            // The sum over dimensions, from the most minor one on, of the digit of `i` times its stride.
            strides.iter().rev().fold(0_u64, |sum, (dim, stride)| {
                let digit = i.checked_rem(*dim).unwrap_or(0);
                i = i.checked_div(*dim).unwrap_or(0);
                sum.saturating_add(digit.saturating_mul(*stride))
            })
        };
        let starts = (0..total).step_by(usize::try_from(size).ok()?);
        Some(starts.map(move |from| (from..from.saturating_add(size).min(total)).map(&position).collect()))
    }

    /// Returns the size and the stride of each dimension after the transpose.
    fn strides(&self, total: u64) -> Option<Vec<(u64, u64)>> {
        if self.dims.len() > Self::RANK || total > Self::MAX_DEVICES || total == 0 {
            return None;
        }
        let mut stride = 1_u64;
        let mut strides: Vec<(u64, u64)> = Vec::with_capacity(self.dims.len());
        for dim in self.dims.iter().rev() {
            strides.push((*dim, stride));
            stride = stride.checked_mul(*dim)?;
        }
        strides.reverse();
        if stride != total {
            return None;
        }
        if self.perm.is_empty() {
            return Some(strides);
        }
        let mut seen = 0_u64;
        let mut transposed = Vec::with_capacity(strides.len());
        for from in &self.perm {
            let from = usize::try_from(*from).ok()?;
            transposed.push(*strides.get(from)?);
            seen |= 1_u64.checked_shl(u32::try_from(from).ok()?)?;
        }
        (transposed.len() == strides.len() && seen.count_ones() as usize == strides.len()).then_some(transposed)
    }
}
