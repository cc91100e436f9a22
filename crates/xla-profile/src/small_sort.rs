//! This module provides the standard stable sort, compiled once for all types.
//!
//! The standard library compiles its stable sort again for each type and each comparison, about 4 kB of WebAssembly
//! each time. These methods sort row numbers instead, through one comparison behind a reference, and then move the
//! rows. The methods are for tables that a person could read. Data with millions of elements, such as events, uses the
//! standard methods. `collect` into a sorted map has the same cost, and [`collect_map`] avoids it.

use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Stable sorting that needs little code. The results are those of the standard methods of similar names.
pub trait SmallSort<T> {
    /// Sorts as `slice::sort_by` does; equal rows keep their order.
    fn small_sort_by(&mut self, compare: impl Fn(&T, &T) -> Ordering);

    /// Sorts as `slice::sort_by_key` does; equal rows keep their order.
    fn small_sort_by_key<K: Ord>(&mut self, key: impl Fn(&T) -> K) {
        self.small_sort_by(|a, b| key(a).cmp(&key(b)));
    }
}

impl<T> SmallSort<T> for [T] {
    fn small_sort_by(&mut self, compare: impl Fn(&T, &T) -> Ordering) {
        let mut order = sorted_indices(self.len(), &|a, b| compare(&self[a], &self[b]));
        for place in 0..order.len() {
            // Rows before `place` are at their places already. If the wanted row was before `place`, follow the moves
            // to its present place.
            let mut from = order[place];
            while from < place {
                from = order[from];
            }
            order[place] = from;
            self.swap(place, from);
        }
    }
}

/// Collects pairs into a sorted map, as `collect` does: of two pairs with the same key, the last one counts.
pub fn collect_map<K: Ord, V>(pairs: impl IntoIterator<Item = (K, V)>) -> BTreeMap<K, V> {
    let mut map = BTreeMap::new();
    for (key, value) in pairs {
        map.insert(key, value);
    }
    map
}

/// Returns the numbers below `n` in the order of the items that they stand for. Equal items keep their order.
fn sorted_indices(n: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|a, b| compare(*a, *b));
    order
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sorts_as_the_standard_library_does(rows in prop::collection::vec((0_u8..20, any::<u16>()), 0..200)) {
            let (mut small, mut standard) = (rows.clone(), rows);
            small.small_sort_by_key(|row| row.0);
            standard.sort_by_key(|row| row.0);
            prop_assert_eq!(small, standard);
        }
    }
}
