//! Device numbers in the order of a transposed grid, as `[2,4]T(1,0)` writes them.

/// `[dims]T(perm)`: 0, 1, 2, … laid out as `dims`, transposed by `perm`, read in order again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transposed {
    /// What 0, 1, 2, … are reshaped to.
    pub dims: Vec<u64>,
    /// The order of `dims` after the transpose; empty where nothing is transposed.
    pub perm: Vec<u64>,
}

impl Transposed {
    /// More devices than this (a hundred times the largest machine there is) are not listed.
    pub(super) const MAX_DEVICES: u64 = 1 << 20;
    /// More dimensions than this have no meaning for devices.
    pub(super) const RANK: usize = 64;

    /// Its numbers, `size` at a time. `None` unless there are `total` of them and all of it makes sense.
    pub(super) fn read(&self, size: u64, total: u64) -> Option<impl Iterator<Item = Vec<u64>> + use<>> {
        let strides = self.strides(total)?;
        if size == 0 {
            return None;
        }
        let at = move |mut i: u64| {
            // From the most minor dimension up: each digit of `i` times its distance.
            strides.iter().rev().fold(0_u64, |sum, (dim, stride)| {
                let digit = i.checked_rem(*dim).unwrap_or(0);
                i = i.checked_div(*dim).unwrap_or(0);
                sum.saturating_add(digit.saturating_mul(*stride))
            })
        };
        let starts = (0..total).step_by(usize::try_from(size).ok()?);
        Some(starts.map(move |from| (from..from.saturating_add(size).min(total)).map(&at).collect()))
    }

    /// The transposed dimensions with the distance that one step along each makes.
    fn strides(&self, total: u64) -> Option<Vec<(u64, u64)>> {
        if self.dims.len() > Self::RANK || total > Self::MAX_DEVICES || total == 0 {
            return None;
        }
        let mut stride = 1_u64;
        let mut of: Vec<(u64, u64)> = Vec::with_capacity(self.dims.len());
        for dim in self.dims.iter().rev() {
            of.push((*dim, stride));
            stride = stride.checked_mul(*dim)?;
        }
        of.reverse();
        if stride != total {
            return None;
        }
        if self.perm.is_empty() {
            return Some(of);
        }
        let mut seen = 0_u64;
        let mut transposed = Vec::with_capacity(of.len());
        for from in &self.perm {
            let from = usize::try_from(*from).ok()?;
            transposed.push(*of.get(from)?);
            seen |= 1_u64.checked_shl(u32::try_from(from).ok()?)?;
        }
        (transposed.len() == of.len() && seen.count_ones() as usize == of.len()).then_some(transposed)
    }
}
