//! A map from the file's ids to places in a table. Ids are dense on device planes and 64-bit, possibly
//! negative, on others: both are quick, and neither lets an id decide how much is allocated.

use rustc_hash::FxHashMap;

/// Ids up to this are looked up by index. Larger ones, and negative ones, by hash.
const DENSE: usize = 1 << 16;

/// From ids to values.
#[derive(Default)]
pub(super) struct IdMap<T> {
    dense: Vec<Option<T>>,
    sparse: FxHashMap<i64, T>,
}

impl<T: Copy> IdMap<T> {
    #[inline]
    pub(super) fn get(&self, id: i64) -> Option<T> {
        match usize::try_from(id) {
            Ok(i) if i < DENSE => self.dense.get(i).copied().flatten(),
            _ => self.sparse.get(&id).copied(),
        }
    }

    pub(super) fn insert(&mut self, id: i64, value: T) {
        match usize::try_from(id) {
            Ok(i) if i < DENSE => {
                if self.dense.len() <= i {
                    self.dense.resize(i + 1, None);
                }
                self.dense[i] = Some(value);
            }
            _ => {
                self.sparse.insert(id, value);
            }
        }
    }
}
