//! This module encodes the columns of narrow events for the page.
//!
//! A column is: the lane (1 byte), the column (2 bytes, low byte first), the base-2 logarithm of the number of events plus 1
//! (1 byte; 0 if none starts there), a mask of the classes that occur (1 byte), and for each class that occurs the share of
//! the column in 255ths (1 byte), in ascending order of the classes. A class that takes any time has a share of at least 1.

use xla_profile::lanes::{Cell, N_CLASSES};

/// The class of events without a kind of time.
pub const NO_KIND: u8 = N_CLASSES as u8 - 1;

/// A column of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    pub lane: u8,
    pub column: u16,
    /// Base-2 logarithm of the number of events plus 1; 0 if no event starts in the column.
    pub n_log2: u8,
    /// Share of the column that each class takes, in 255ths.
    pub shares: [u8; N_CLASSES],
}

/// Appends the cell of a lane. `width` is the width of a column in ps.
pub(super) fn write(bytes: &mut Vec<u8>, lane: u32, cell: &Cell, width: u64) {
    let Ok(column) = u16::try_from(cell.column) else { return };
    let share = |time: u64| {
        let share = u128::from(time) * 255 / u128::from(width.max(1));
        if time == 0 { 0 } else { share.clamp(1, 255) as u8 }
    };
    let mask = (0..N_CLASSES).fold(0_u8, |mask, class| mask | u8::from(cell.busy[class] > 0) << class);
    let n_log2 = cell.n.checked_ilog2().map_or(0, |log| log + 1);
    bytes.push(lane.min(u8::MAX.into()) as u8);
    bytes.extend(column.to_le_bytes());
    bytes.extend([n_log2 as u8, mask]);
    bytes.extend(cell.busy.iter().filter(|time| **time > 0).map(|time| share(*time)));
}

/// Iterates over the columns in `bytes`. Bytes that are cut end the iteration.
pub fn read(mut bytes: &[u8]) -> impl Iterator<Item = Column> {
    std::iter::from_fn(move || {
        let (head, mut rest) = bytes.split_first_chunk::<5>()?;
        let [lane, low, high, n_log2, mask] = *head;
        let mut shares = [0; N_CLASSES];
        for (class, share) in shares.iter_mut().enumerate() {
            if mask >> class & 1 == 1 {
                (*share, rest) = rest.split_first().map(|(share, rest)| (*share, rest))?;
            }
        }
        bytes = rest;
        Some(Column { lane, column: u16::from_le_bytes([low, high]), n_log2, shares })
    })
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn columns_come_back(
            cells in prop::collection::vec((0_u32..40, any::<u16>(), any::<u32>(), any::<[u32; N_CLASSES]>()), 0..20),
            width in 1_u64..1 << 34,
        ) {
            let mut bytes = Vec::new();
            let cell = |(_, column, n, busy): &(u32, u16, u32, [u32; N_CLASSES])| {
                Cell { column: (*column).into(), n: *n, busy: busy.map(|time| u64::from(time).min(width)) }
            };
            cells.iter().for_each(|drawn| write(&mut bytes, drawn.0, &cell(drawn), width));
            let read: Vec<Column> = read(&bytes).collect();
            prop_assert_eq!(read.len(), cells.len());
            for (column, drawn) in read.iter().zip(&cells) {
                let cell = cell(drawn);
                prop_assert_eq!((u32::from(column.lane), column.column), (drawn.0, drawn.1));
                prop_assert_eq!(u32::from(column.n_log2), 32 - cell.n.leading_zeros());
                for (share, time) in column.shares.iter().zip(cell.busy) {
                    let exact = time as f64 * 255.0 / width as f64;
                    prop_assert_eq!(*share > 0, time > 0);
                    prop_assert!((f64::from(*share) - exact).abs() <= 1.0, "{} for {}", share, exact);
                }
            }
        }
    }
}
