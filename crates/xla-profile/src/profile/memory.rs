//! This module reads the stat `memory_access_breakdown`, which has the bytes that an op reads and writes by memory.
//! Each distinct value is kept once. A capture without this stat takes no extra memory.

use super::ids::OpId;
use crate::wire::{Cursor, Field, Value};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Bytes of one execution by memory. The stat has the numbers 1 for HBM, 2 for CMEM and 3 for VMEM.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MemoryBytes {
    /// Bytes read from and written to HBM.
    pub hbm: u64,
    pub cmem_read: u64,
    pub cmem_write: u64,
    pub vmem_read: u64,
    pub vmem_write: u64,
    /// Bytes of memories with other numbers, and bytes of CMEM and VMEM that are neither reads nor writes in the stat.
    pub other: u64,
}

/// The distinct values of the stat, by number.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Memories {
    all: Vec<MemoryBytes>,
}

/// Returns the number of an op in the list of a plane ([`Plane::memory`](super::Plane::memory)), or `None` if the op is
/// not in the list.
pub(super) fn value_of(list: &[(OpId, u32)], op: OpId) -> Option<u32> {
    list.binary_search_by_key(&op, |(op, _)| *op).ok().map(|index| list[index].1)
}

/// Adds the latest op to the list of a plane. If the op is in the list already, its number is replaced.
pub(super) fn put(list: &mut Vec<(OpId, u32)>, op: u32, number: u32) {
    list.pop_if(|(last, _)| last.0 == op);
    list.push((OpId(op), number));
}

/// A map from values to their numbers, for the construction of a profile.
#[derive(Default)]
pub(super) struct ValueNumbers(HashMap<MemoryBytes, u32>);

impl Memories {
    /// Returns the value of a number.
    pub fn get(&self, number: u32) -> Option<&MemoryBytes> {
        self.all.get(number as usize)
    }

    /// Returns the number of the value in the bytes of a stat, and adds the value if it is new. Returns `None` if the
    /// bytes are empty or are not such a message.
    pub(super) fn add(&mut self, numbers: &mut ValueNumbers, stat: &[u8]) -> Option<u32> {
        Some(self.number(numbers, read(stat)?))
    }

    fn number(&mut self, numbers: &mut ValueNumbers, bytes: MemoryBytes) -> u32 {
        let all = &mut self.all;
        *numbers.0.entry(bytes).or_insert_with(|| {
            all.push(bytes);
            all.len() as u32 - 1
        })
    }

    /// Adds the values of another table, and returns their numbers in this table, in the order of the other table.
    pub(super) fn join(&mut self, numbers: &mut ValueNumbers, other: &Self) -> Vec<u32> {
        other.all.iter().map(|bytes| self.number(numbers, *bytes)).collect()
    }
}

/// Reads the message `{ memory_accessed = 1: { operation = 1 (1 read, 2 write), memory = 2, bytes = 3 } … }`.
fn read(stat: &[u8]) -> Option<MemoryBytes> {
    let mut sums = MemoryBytes::default();
    let (mut message, mut any) = (Cursor::new(stat, 0), false);
    while let Some(field) = message.next_field().ok()? {
        let Field { number: 1, value: Value::Bytes(access) } = field else { continue };
        let (mut operation, mut memory, mut bytes) = (0, 0, 0_u64);
        let mut access = Cursor::new(access, 0);
        while let Some(field) = access.next_field().ok()? {
            match (field.number, field.value) {
                (1, Value::Varint(v)) => operation = v,
                (2, Value::Varint(v)) => memory = v,
                (3, Value::Varint(v)) => bytes = v,
                _ => {}
            }
        }
        // A number that does not fit 63 bits is a negative number, which means unknown.
        if i64::try_from(bytes).is_err() {
            return None;
        }
        let sum = match (memory, operation) {
            (1, _) => &mut sums.hbm,
            (2, 1) => &mut sums.cmem_read,
            (2, 2) => &mut sums.cmem_write,
            (3, 1) => &mut sums.vmem_read,
            (3, 2) => &mut sums.vmem_write,
            _ => &mut sums.other,
        };
        *sum = sum.saturating_add(bytes);
        any = true;
    }
    any.then_some(sums)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_by_memory() {
        // A real capture has this stat: 5 MiB · 1024 read from HBM.
        let hbm = b"\x0a\x0a\x08\x01\x10\x01\x18\x80\x80\x80\x80\x14";
        assert_eq!(read(hbm), Some(MemoryBytes { hbm: 5_368_709_120, ..MemoryBytes::default() }));
        let mut all = hbm.to_vec();
        for (operation, memory) in [(2, 1), (1, 2), (2, 2), (1, 3), (2, 3), (0, 3), (1, 9)] {
            all.extend([0x0a, 6, 0x08, operation, 0x10, memory, 0x18, 7]);
        }
        let other = 14;
        let sums = MemoryBytes { hbm: 5_368_709_127, cmem_read: 7, cmem_write: 7, vmem_read: 7, vmem_write: 7, other };
        assert_eq!(read(&all), Some(sums));
    }

    #[test]
    fn empty_and_damaged_values_are_none() {
        assert_eq!(read(b""), None);
        assert_eq!(read(b"\x0a\x0a\x08\x01"), None);
        assert_eq!(read(b"<opaque bytes>"), None);
        let below_zero = b"\x0a\x0d\x10\x01\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";
        assert_eq!(read(below_zero), None);
        assert_eq!(read(b"\x10\x05"), None, "a field that is none of ours");
    }

    #[test]
    fn each_answer_once() {
        let (mut memories, mut numbers) = (Memories::default(), ValueNumbers::default());
        let one = |bytes: u8| [0x0a, 4, 0x10, 1, 0x18, bytes];
        let found = [one(1), one(2), one(1)].map(|stat| memories.add(&mut numbers, &stat));
        assert_eq!(found, [Some(0), Some(1), Some(0)]);
        assert_eq!(memories.get(1).map(|m| m.hbm), Some(2));
        assert_eq!(memories.add(&mut numbers, b""), None);
        assert_eq!(memories.get(2), None);
    }
}
