//! Sorting many texts. Comparing them is slow because each lies elsewhere in memory, so 32 bytes of each are put
//! beside each other first, and only texts that share those are looked up.

use std::cmp::Ordering;

/// Sorts numbers by the text each stands for; equal texts by `ties`.
pub fn sort_by_text<T: AsRef<str>>(numbers: &mut [u32], text: impl Fn(u32) -> T, ties: impl Fn(u32, u32) -> Ordering) {
    let heads = numbers.iter().map(|i| (head(text(*i).as_ref()), *i)).collect();
    sort(heads, numbers, &|i, j| text(i).as_ref().cmp(text(j).as_ref()).then_with(|| ties(i, j)));
}

/// One sort for all texts.
fn sort(mut heads: Vec<([u128; 2], u32)>, numbers: &mut [u32], alike: &dyn Fn(u32, u32) -> Ordering) {
    heads.sort_unstable_by(|(a, i), (b, j)| a.cmp(b).then_with(|| alike(*i, *j)));
    for (number, (_, sorted)) in numbers.iter_mut().zip(heads) {
        *number = sorted;
    }
}

/// The first bytes of a text, so that they compare as the text does.
fn head(text: &str) -> [u128; 2] {
    let word = |from: usize| {
        let mut bytes = [0; 16];
        let rest = text.as_bytes().get(from..).unwrap_or_default();
        let n = rest.len().min(16);
        bytes[..n].copy_from_slice(&rest[..n]);
        u128::from_be_bytes(bytes)
    };
    [word(0), word(16)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_texts_compare() {
        let texts = ["all-gather-start.10", "all-gather-start.1", "b", "", "a\0", "a", "b", "ä"];
        let mut numbers: Vec<u32> = (0..8).collect();
        sort_by_text(&mut numbers, |i| texts[i as usize], |a, b| b.cmp(&a));
        assert_eq!(numbers, [3, 5, 4, 1, 0, 6, 2, 7]);
    }
}
