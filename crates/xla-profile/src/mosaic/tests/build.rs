//! This module builds small bodies of version 0 for tests.

use crate::mosaic::cursor::encoded;

/// Returns a section.
pub(super) fn section(id: u8, contents: &[u8]) -> Vec<u8> {
    [&[id], encoded(contents.len() as u64).as_slice(), contents].concat()
}

/// Returns a body of version 0. Texts 0 and 1 are the names of the dialects. Text 2 is the first of `names`, each of which
/// also names an operation of the dialect `stable_mosaic`. Attributes and types are those of the builtin dialect.
pub(super) fn body(names: &[&str], attributes: &[Vec<u8>], types: &[Vec<u8>], operations: &[u8]) -> Vec<u8> {
    let texts = [&["builtin", "stable_mosaic"], names].concat();
    let numbers = |numbers: &[usize]| numbers.iter().flat_map(|n| encoded(*n as u64)).collect::<Vec<u8>>();
    let mut strings = numbers(&[texts.len()]);
    texts.iter().rev().for_each(|text| strings.extend(encoded(text.len() as u64 + 1)));
    texts.iter().for_each(|text| strings.extend([text.as_bytes(), &[0]].concat()));
    let mut dialects = numbers(&[2, 0, 1, 1, names.len()]);
    (0..names.len()).for_each(|name| dialects.extend(encoded(name as u64 + 2)));
    let mut offsets = numbers(&[attributes.len(), types.len()]);
    for entries in [attributes, types].into_iter().filter(|entries| !entries.is_empty()) {
        offsets.extend(numbers(&[0, entries.len()]));
        entries.iter().for_each(|entry| offsets.extend(encoded(entry.len() as u64 * 2 + 1)));
    }
    let contents = [attributes, types].concat().concat();
    [
        b"ML\xefR\x01test\0".to_vec(),
        section(0, &strings),
        section(1, &dialects),
        section(2, &contents),
        section(3, &offsets),
        section(4, operations),
    ]
    .concat()
}

/// Returns the start of an operation with one region of one block, up to the operations of the block.
pub(super) fn opened(name: u64, ops: u64) -> Vec<u8> {
    let [name, location, regions, blocks, values, ops] = [name, 0, 2, 1, 0, ops * 2].map(encoded);
    [name, vec![0x10], location, regions, blocks, values, ops].concat()
}
