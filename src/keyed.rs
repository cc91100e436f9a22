//! A map for what is few: one copy of the table for all types, because each type of a hash map costs the page or its
//! worker 2 kB of code. Entries stay in the order in which they came. What is looked up for each event has a map of its own.

use hashbrown::{DefaultHashBuilder, HashTable};
use std::borrow::Borrow;
use std::hash::{BuildHasher, Hash};

/// Places by hash; what lies there is the caller's.
#[derive(Clone, Debug, Default)]
struct Places(HashTable<u32>);

impl Places {
    fn find(&self, hash: u64, is: &dyn Fn(usize) -> bool) -> Option<usize> {
        self.0.find(hash, |place| is(*place as usize)).map(|place| *place as usize)
    }

    fn add(&mut self, hash: u64, place: usize, hash_of: &dyn Fn(usize) -> u64) {
        let place = u32::try_from(place).unwrap_or_else(|_| unreachable!("fewer than 2³² entries: they are in memory"));
        self.0.insert_unique(hash, place, |place| hash_of(*place as usize));
    }
}

/// Values by key, in the order in which their keys came.
#[derive(Clone, Debug)]
pub struct Keyed<K, V> {
    entries: Vec<(K, V)>,
    places: Places,
    hasher: DefaultHashBuilder,
}

impl<K, V> Default for Keyed<K, V> {
    fn default() -> Self {
        Self { entries: Vec::new(), places: Places::default(), hasher: DefaultHashBuilder::default() }
    }
}

impl<K: Hash + Eq, V> Keyed<K, V> {
    fn place<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Result<usize, u64>
    where
        K: Borrow<Q>,
    {
        let hash = self.hasher.hash_one(key);
        self.places.find(hash, &|place| self.entries[place].0.borrow() == key).ok_or(hash)
    }

    /// The value of a key.
    pub fn get<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.place(key).ok().map(|place| &self.entries[place].1)
    }

    /// The value of a key, to be changed.
    pub fn get_mut<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.place(key).ok().map(|place| &mut self.entries[place].1)
    }

    /// The value of a key, made where there is none.
    pub fn entry(&mut self, key: K, value: impl FnOnce() -> V) -> &mut V {
        let place = self.place(&key).unwrap_or_else(|hash| {
            let Self { entries, places, hasher } = self;
            places.add(hash, entries.len(), &|place| hasher.hash_one(&entries[place].0));
            entries.push((key, value()));
            entries.len() - 1
        });
        &mut self.entries[place].1
    }

    /// The key that equals `key`, made of it where there is none.
    pub fn key<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> &K
    where
        K: Borrow<Q> + for<'q> From<&'q Q>,
        V: Default,
    {
        let place = match self.place(key) {
            Ok(place) => place,
            Err(_) => {
                self.entry(key.into(), V::default);
                self.entries.len() - 1
            }
        };
        &self.entries[place].0
    }

    /// Keeps the first value of a key; whether this is it.
    pub fn first(&mut self, key: K, value: V) -> bool {
        let before = self.entries.len();
        self.entry(key, || value);
        self.entries.len() > before
    }

    /// Whether a key is there.
    pub fn has<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.place(key).is_ok()
    }

    /// Keys and values.
    pub fn iter(&self) -> impl Iterator<Item = &(K, V)> {
        self.entries.iter()
    }

    /// Keys and values, without the map.
    pub fn into_entries(self) -> Vec<(K, V)> {
        self.entries
    }
}

/// Of equal keys the last value counts, at the place of the first.
impl<K: Hash + Eq, V> FromIterator<(K, V)> for Keyed<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(items: I) -> Self {
        let mut map = Self::default();
        for (key, value) in items {
            let mut value = Some(value);
            let slot = map.entry(key, || value.take().unwrap_or_else(|| unreachable!("taken once")));
            if let Some(value) = value {
                *slot = value;
            }
        }
        map
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn it_is_a_map_in_the_order_of_its_keys(items in proptest::collection::vec((0_u8..40, any::<u16>()), 0..200)) {
            let keyed: Keyed<u8, u16> = items.iter().copied().collect();
            let known: HashMap<u8, u16> = items.iter().copied().collect();
            for key in 0..40 {
                prop_assert_eq!(keyed.get(&key), known.get(&key));
            }
            let mut order: Vec<u8> = Vec::new();
            for (key, _) in &items {
                if !order.contains(key) {
                    order.push(*key);
                }
            }
            prop_assert_eq!(keyed.iter().map(|(key, _)| *key).collect::<Vec<_>>(), order);
            let mut sums: Keyed<u8, u64> = Keyed::default();
            for (key, value) in &items {
                *sums.entry(*key, || 0) += u64::from(*value);
            }
            for (key, sum) in sums.into_entries() {
                let brute: u64 = items.iter().filter(|(k, _)| *k == key).map(|(_, v)| u64::from(*v)).sum();
                prop_assert_eq!(sum, brute);
            }
        }
    }

    #[test]
    fn the_first_of_equal_keys_stays() {
        let mut keyed: Keyed<String, u8> = Keyed::default();
        keyed.first("a".to_owned(), 1);
        keyed.first("a".to_owned(), 2);
        assert_eq!(keyed.get("a"), Some(&1));
        *keyed.get_mut("a").unwrap() = 3;
        assert_eq!(keyed.into_entries(), [("a".to_owned(), 3)]);
    }
}
