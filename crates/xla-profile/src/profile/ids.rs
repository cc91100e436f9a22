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

/// A program's id; the wire has it signed or unsigned, here it is unsigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProgramId(pub u64);

/// An op's place in its plane's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OpId(pub u32);

/// Name and id of `jit_f(12190760917235803885)`. The id may be written signed.
pub fn program_of(text: &str) -> Option<(&str, ProgramId)> {
    let (name, id) = text.strip_suffix(')')?.rsplit_once('(')?;
    let id = id.parse::<u64>().ok().or_else(|| id.parse::<i64>().ok().map(i64::cast_unsigned))?;
    Some((name, ProgramId(id)))
}
