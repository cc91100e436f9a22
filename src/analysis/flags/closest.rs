//! This module compares a name with many known names to find typing errors. A comparison of the letters alone rejects nearly
//! all names, so that the edit distance is computed for few of them.

/// How often each letter occurs in a name. Letters that differ only in their upper three bits are counted together.
#[derive(Clone, Copy, Debug)]
pub(super) struct LetterCounts([u8; 32]);

impl LetterCounts {
    /// Counts the letters of a name.
    pub(super) fn new(name: &str) -> Self {
        let mut counts = [0_u8; 32];
        for byte in name.bytes() {
            let count = &mut counts[usize::from(byte & 31)];
            *count = count.saturating_add(1);
        }
        Self(counts)
    }

    /// Returns a number that the edit distance of two names is not below: a letter that one of them has more often must be
    /// inserted, deleted or replaced.
    pub(super) fn least_distance(&self, other: &Self) -> usize {
        let missing = |a: &Self, b: &Self| {
            a.0.iter().zip(&b.0).fold(0_u16, |sum, (a, b)| sum.saturating_add(a.saturating_sub(*b).into()))
        };
        usize::from(missing(self, other).max(missing(other, self)))
    }
}

/// Returns the edit distance (Levenshtein) of two names. `None` if it is more than `most`. The work is proportional to the
/// length times `most`.
pub(super) fn edit_distance(a: &str, b: &str, most: usize) -> Option<usize> {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len().abs_diff(b.len()) > most {
        return None;
    }
    // A cell outside of the band of width `most` around the diagonal needs more than `most` insertions.
    let beyond = most + 1;
    let mut above: Vec<usize> = (0..=b.len()).map(|column| column.min(beyond)).collect();
    let mut row = vec![beyond; b.len() + 1];
    for (i, letter) in (1_usize..).zip(a) {
        let (first, last) = (i.saturating_sub(most).max(1), (i + most).min(b.len()));
        row.fill(beyond);
        if i <= most {
            row[0] = i;
        }
        for j in first..=last {
            let replaced = above[j - 1] + usize::from(*letter != b[j - 1]);
            row[j] = replaced.min(above[j] + 1).min(row[j - 1] + 1).min(beyond);
        }
        if row.iter().all(|distance| *distance > most) {
            return None;
        }
        std::mem::swap(&mut above, &mut row);
    }
    above.last().copied().filter(|distance| *distance <= most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn distances_are_those_of_the_whole_table(a in "[a-d_]{0,20}", b in "[a-d_]{0,20}", most in 0_usize..12) {
            let whole = strsim::levenshtein(&a, &b);
            prop_assert_eq!(edit_distance(&a, &b, most), Some(whole).filter(|distance| *distance <= most));
            prop_assert!(LetterCounts::new(&a).least_distance(&LetterCounts::new(&b)) <= whole);
        }
    }
}
