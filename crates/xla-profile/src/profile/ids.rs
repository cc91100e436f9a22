//! This module defines the ids of programs and ops, and a map from the ids of a file.
//!
//! The ids in a file are dense on planes of devices; on others they have 64 bits and may be negative. The map is fast
//! for both, and the value of an id does not decide how much memory is allocated.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Ids below this are looked up by index; larger and negative ids are looked up by hash.
const DENSE: usize = 1 << 16;

/// A map from ids of a file to values.
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

/// The id of a program. It is unsigned here, although files also have it signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ProgramId(pub u64);

/// The index of an op in [`Plane::ops`](super::Plane::ops).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct OpId(pub u32);

/// Splits `jit_f(12190760917235803885)` into name and id. The id in the text may be signed.
pub fn program_of(text: &str) -> Option<(&str, ProgramId)> {
    let (name, id) = text.strip_suffix(')')?.rsplit_once('(')?;
    let id = id.parse::<u64>().ok().or_else(|| id.parse::<i64>().ok().map(i64::cast_unsigned))?;
    Some((name, ProgramId(id)))
}
