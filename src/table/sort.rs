//! This module sorts rows by the values of a column.
//!
//! Comparing texts takes most of the time, so each distinct text is ranked once. Rows are then compared by two numbers:
//! the value of the column, and for ties the rank of the row by name.

use std::borrow::Cow;
use std::cmp::Ordering;

/// The value by which a row is sorted. All rows of a column have the same kind of value, or none.
#[derive(Clone, Debug, PartialEq)]
pub enum SortKey<'r> {
    /// The row has no value. Such rows come last in both directions.
    Absent,
    Number(u64),
    Real(f64),
    /// A text. Numbers at the ends of texts are compared by value, so that `layers_2` comes before `layers_10`.
    Text(Cow<'r, str>),
}

impl SortKey<'_> {
    /// Returns the same key as an owned value.
    pub fn into_owned(self) -> SortKey<'static> {
        match self {
            Self::Absent => SortKey::Absent,
            Self::Number(number) => SortKey::Number(number),
            Self::Real(real) => SortKey::Real(real),
            Self::Text(text) => SortKey::Text(text.into_owned().into()),
        }
    }
}

/// Returns row numbers in the order of `keys`. Ties are sorted by rank.
pub fn sort_rows(keys: &[SortKey<'_>], ranks: &[u32], descending: bool) -> Vec<u32> {
    let texts = keys.iter().filter_map(|key| if let SortKey::Text(text) = key { Some(&**text) } else { None });
    let texts = distinct_texts(texts.collect());
    let value = |key: &SortKey<'_>| match key {
        SortKey::Absent => None,
        SortKey::Number(number) => Some(*number),
        SortKey::Real(real) => Some(real_order(*real)),
        SortKey::Text(text) => text_rank(&texts, text),
    };
    sort_rows_by_number(&keys.iter().map(value).collect::<Vec<_>>(), ranks, descending)
}

/// Returns row numbers in the order of `values`. Ties are sorted by rank, and rows without a value come last in both
/// directions.
pub fn sort_rows_by_number(values: &[Option<u64>], ranks: &[u32], descending: bool) -> Vec<u32> {
    // Rank and row are one number, so that sorting needs no lookups.
    let (mut present, mut absent) = (Vec::<(u64, u64)>::new(), Vec::<(u64, u64)>::new());
    for (i, (value, rank)) in (0u64..).zip(values.iter().zip(ranks)) {
        let last = u64::from(*rank) << 32 | i;
        match value {
            Some(value) => present.push((if descending { !*value } else { *value }, last)),
            None => absent.push((0, last)),
        }
    }
    present.sort_unstable();
    absent.sort_unstable();
    present.into_iter().chain(absent).map(|(_, last)| last as u32).collect()
}

/// Returns the distinct texts in order.
pub fn distinct_texts(mut texts: Vec<&str>) -> Vec<&str> {
    texts.sort_unstable_by_key(|text| (split_number(text), *text));
    texts.dedup();
    texts
}

/// Returns the position of a text among the distinct texts. `None` if it is not one of them.
pub fn text_rank(distinct: &[&str], text: &str) -> Option<u64> {
    distinct
        .binary_search_by_key(&(split_number(text), text), |other| (split_number(other), other))
        .ok()
        .map(|rank| rank as u64)
}

/// Sorts rows by text, and rows with equal texts by `ties`. Comparing texts is slow because each text lies elsewhere in
/// memory. Therefore the start of each text is copied next to its row, and whole texts are compared only if their
/// starts are equal.
pub fn sort_by_text<T: AsRef<str>>(rows: &mut [u32], text: impl Fn(u32) -> T, ties: impl Fn(u32, u32) -> Ordering) {
    let starts = rows.iter().map(|row| (TextStart::new(text(*row).as_ref(), 0), *row)).collect();
    sort_starts(starts, rows, &|a, b| text(a).as_ref().cmp(text(b).as_ref()).then_with(|| ties(a, b)));
}

/// Sorts rows by name, and rows with equal names by `ties`. Numbers at the ends of names are compared by value. The
/// start of each name is compared first, as in [`sort_by_text`].
pub fn sort_by_name<T: AsRef<str>>(rows: &mut [u32], name: impl Fn(u32) -> T, ties: impl Fn(u32, u32) -> Ordering) {
    let start = |name: &str| {
        let (stem, number) = split_number(name);
        // A name that is longer than the start comes after the names that end within the start.
        let is_whole = stem.len() <= TextStart::LENGTH;
        TextStart::new(stem, if is_whole { number.map_or(0, |number| number.saturating_add(1)) } else { u64::MAX })
    };
    let starts = rows.iter().map(|row| (start(name(*row).as_ref()), *row)).collect();
    let compare = |a, b| {
        let (a_name, b_name) = (name(a), name(b));
        let (a_name, b_name) = (a_name.as_ref(), b_name.as_ref());
        (split_number(a_name), a_name).cmp(&(split_number(b_name), b_name)).then_with(|| ties(a, b))
    };
    sort_starts(starts, rows, &compare);
}

/// Sorts rows by the starts of their texts. The function is not generic, so that the sort is compiled once for all
/// kinds of texts.
fn sort_starts(mut starts: Vec<(TextStart, u32)>, rows: &mut [u32], compare: &dyn Fn(u32, u32) -> Ordering) {
    starts.sort_unstable_by(|(a, i), (b, j)| a.cmp(b).then_with(|| compare(*i, *j)));
    for (row, (_, sorted)) in rows.iter_mut().zip(starts) {
        *row = sorted;
    }
}

/// The first bytes of a text, in a form that compares like the text, and the number at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct TextStart {
    bytes: [u128; 2],
    number: u64,
}

impl TextStart {
    /// Number of bytes of a text that are compared first.
    const LENGTH: usize = 32;

    fn new(text: &str, number: u64) -> Self {
        let word = |from: usize| {
            let mut bytes = [0; 16];
            let rest = text.as_bytes().get(from..).unwrap_or_default();
            let n = rest.len().min(16);
            bytes[..n].copy_from_slice(&rest[..n]);
            u128::from_be_bytes(bytes)
        };
        Self { bytes: [word(0), word(16)], number }
    }
}

/// Returns the position of each row in an order of all rows.
pub fn ranks_of_order(order: impl ExactSizeIterator<Item = usize>) -> Vec<u32> {
    let mut ranks = vec![0; order.len()];
    for (rank, row) in (0..).zip(order) {
        ranks[row] = rank;
    }
    ranks
}

/// Returns the bits of a double in a form that compares like the double.
pub fn real_order(value: f64) -> u64 {
    let bits = value.to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

/// Splits a text into the part before the number at its end, and that number.
fn split_number(text: &str) -> (&str, Option<u64>) {
    let stem = text.trim_end_matches(|c: char| c.is_ascii_digit());
    (stem, text[stem.len()..].parse().ok())
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn key<'r, T>(value: Option<T>, kind: impl FnOnce(T) -> SortKey<'r>) -> SortKey<'r> {
        value.map_or(SortKey::Absent, kind)
    }

    /// Compares two keys directly, absent ones last.
    fn compare(a: &SortKey<'_>, b: &SortKey<'_>, descending: bool) -> Ordering {
        let turned = |order: Ordering| if descending { order.reverse() } else { order };
        match (a, b) {
            (SortKey::Number(a), SortKey::Number(b)) => turned(a.cmp(b)),
            (SortKey::Real(a), SortKey::Real(b)) => turned(a.total_cmp(b)),
            (SortKey::Text(a), SortKey::Text(b)) => turned((split_number(a), a).cmp(&(split_number(b), b))),
            (a, b) => (*a == SortKey::Absent).cmp(&(*b == SortKey::Absent)),
        }
    }

    fn check(keys: &[SortKey<'_>], descending: bool) -> Result<(), TestCaseError> {
        // The last row has the lowest rank.
        let ranks: Vec<u32> = (0..keys.len() as u32).rev().collect();
        let sorted = sort_rows(keys, &ranks, descending);
        let mut plain: Vec<u32> = (0..keys.len() as u32).rev().collect();
        plain.sort_by(|a, b| compare(&keys[*a as usize], &keys[*b as usize], descending));
        prop_assert_eq!(sorted, plain);
        Ok(())
    }

    proptest! {
        #[test]
        fn rows_are_in_the_order_of_a_plain_sort(
            numbers in prop::collection::vec(prop::option::of(0_u64..5), 0..30),
            reals in prop::collection::vec(prop::option::of(prop_oneof![Just(0.0), Just(-0.0), any::<f64>()]), 0..30),
            texts in prop::collection::vec(prop::option::of("[ab]{0,2}[0-9]{0,3}"), 0..30),
            descending: bool,
        ) {
            check(&numbers.into_iter().map(|number| key(number, SortKey::Number)).collect::<Vec<_>>(), descending)?;
            check(&reals.into_iter().map(|real| key(real, SortKey::Real)).collect::<Vec<_>>(), descending)?;
            check(&texts.iter().map(|text| key(text.as_deref(), |text| SortKey::Text(text.into()))).collect::<Vec<_>>(), descending)?;
        }
    }

    proptest! {
        #[test]
        fn names_are_in_the_order_of_a_plain_sort(
            names in prop::collection::vec("(a|b|a name of more than thirty-two bytes, )[ab]{0,2}(0|18446744073709551615|[0-9]{0,3})", 0..30),
        ) {
            let mut rows: Vec<u32> = (0..names.len() as u32).collect();
            sort_by_name(&mut rows, |row| names[row as usize].as_str(), |a, b| b.cmp(&a));
            let mut plain: Vec<u32> = (0..names.len() as u32).rev().collect();
            plain.sort_by_key(|row| (split_number(&names[*row as usize]), names[*row as usize].clone()));
            prop_assert_eq!(rows, plain);
        }
    }

    #[test]
    fn as_texts_compare() {
        let texts = ["all-gather-start.10", "all-gather-start.1", "b", "", "a\0", "a", "b", "ä"];
        let mut numbers: Vec<u32> = (0..8).collect();
        sort_by_text(&mut numbers, |i| texts[i as usize], |a, b| b.cmp(&a));
        assert_eq!(numbers, [3, 5, 4, 1, 0, 6, 2, 7]);
    }

    #[test]
    fn numbers_at_the_ends_of_texts_compare_by_value() {
        let texts = ["layers_10", "layers_2", "embed", "layers"];
        let keys = texts.map(|text| SortKey::Text(text.into()));
        let order = sort_rows(&keys, &[0, 1, 2, 3], false);
        assert_eq!(
            order.iter().map(|row| texts[*row as usize]).collect::<Vec<_>>(),
            ["embed", "layers", "layers_2", "layers_10"]
        );
    }
}
