//! Sorting what is few: one copy of the sort for all types, because each type that is sorted by `slice::sort` costs the
//! page or its worker 4 kB of code and more. What is sorted by the million (events, rows, texts) has a sort of its own.

use std::cmp::{Ordering, Reverse};
use std::collections::BTreeMap;

/// The numbers from 0 to `n` in order of what they stand for; equals stay as they were.
pub fn order(n: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_unstable_by(|a, b| compare(*a, *b).then_with(|| a.cmp(b)));
    order
}

/// Whether they are in order as they are: what comes from lines of events mostly is.
fn is_in_order(n: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> bool {
    (1..n).all(|i| compare(i - 1, i).is_le())
}

/// Sorts by comparing; equals stay as they were.
pub fn sort_by<T>(items: &mut Vec<T>, compare: impl Fn(&T, &T) -> Ordering) {
    let by = |a: usize, b: usize| compare(&items[a], &items[b]);
    if is_in_order(items.len(), &by) {
        return;
    }
    let order = order(items.len(), &by);
    let mut from: Vec<Option<T>> = items.drain(..).map(Some).collect();
    items.extend(order.into_iter().filter_map(|i| from[i].take()));
}

/// Sorts by a key, least first.
pub fn sort_by_key<T, K: Ord>(items: &mut Vec<T>, key: impl Fn(&T) -> K) {
    sort_by(items, |a, b| key(a).cmp(&key(b)));
}

/// Sorts by a key, greatest first.
pub fn sort_most_first<T, K: Ord>(items: &mut Vec<T>, key: impl Fn(&T) -> K) {
    sort_by_key(items, |item| Reverse(key(item)));
}

/// A map, filled one by one: collecting would sort first.
pub fn map<K: Ord, V>(items: impl Iterator<Item = (K, V)>) -> BTreeMap<K, V> {
    let mut map = BTreeMap::new();
    map.extend(items);
    map
}

/// Each text once, in order.
pub fn distinct<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut texts: Vec<&str> = texts.collect();
    sort_by(&mut texts, Ord::cmp);
    texts.dedup();
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equals_stay_as_they_were() {
        let mut items = vec![(2, 'a'), (1, 'b'), (2, 'c'), (1, 'd')];
        sort_by_key(&mut items, |item| item.0);
        assert_eq!(items, [(1, 'b'), (1, 'd'), (2, 'a'), (2, 'c')]);
        sort_most_first(&mut items, |item| item.0);
        assert_eq!(items, [(2, 'a'), (2, 'c'), (1, 'b'), (1, 'd')]);
        assert_eq!(distinct(["b", "a", "b"].into_iter()), ["a", "b"]);
        assert_eq!(order(3, &|a, b| b.cmp(&a)), [2, 1, 0]);
    }
}
