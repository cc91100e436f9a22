//! Each distinct text once. Planes of one program repeat their metadata per device; here it is kept once.

use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;
use std::num::NonZeroU32;

/// A text in a [`Strings`]. The same text has the same id within one table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StrId(NonZeroU32);

impl StrId {
    /// Its number: equal for equal texts of one table.
    pub const fn number(self) -> u32 {
        self.0.get()
    }
}

/// A table of distinct texts. Grows by pieces, so that it never holds its content twice.
#[derive(Default)]
pub struct Strings {
    pieces: Vec<String>,
    places: Vec<TextPlace>,
    ids: HashTable<StrId>,
    hasher: DefaultHashBuilder,
}

#[derive(Clone, Copy)]
struct TextPlace {
    piece: u32,
    start: u32,
    len: u32,
}

const PIECE: usize = 1 << 18;

impl Strings {
    /// The id of `text`, which is kept if it is new.
    pub fn intern(&mut self, text: &str) -> StrId {
        // A text of 4 GiB cannot come from a protobuf message (2 GiB at most); cut rather than panic.
        let text = text.get(..text.len().min(u32::MAX as usize)).unwrap_or_default();
        let hash = self.hasher.hash_one(text);
        let (pieces, places) = (&self.pieces, &self.places);
        if let Some(id) = self.ids.find(hash, |id| lookup(pieces, places, *id) == text) {
            return *id;
        }
        let place = self.append(text);
        self.places.push(place);
        let n = u32::try_from(self.places.len()).ok().and_then(NonZeroU32::new);
        // 2³² distinct texts would need more memory than there is long before.
        let id = StrId(n.unwrap_or(NonZeroU32::MAX));
        let (pieces, places, hasher) = (&self.pieces, &self.places, &self.hasher);
        self.ids.insert_unique(hash, id, |id| hasher.hash_one(lookup(pieces, places, *id)));
        id
    }

    /// The text of an id of this table; empty for an id of another.
    pub fn get(&self, id: StrId) -> &str {
        lookup(&self.pieces, &self.places, id)
    }

    /// The id of a text, if it is there.
    pub fn find(&self, text: &str) -> Option<StrId> {
        self.ids.find(self.hasher.hash_one(text), |id| self.get(*id) == text).copied()
    }

    /// Bytes kept.
    pub fn bytes(&self) -> usize {
        self.pieces.iter().map(String::capacity).sum::<usize>() + self.places.capacity() * size_of::<TextPlace>()
    }

    fn append(&mut self, text: &str) -> TextPlace {
        let fits = self.pieces.last().is_some_and(|p| p.capacity() - p.len() >= text.len());
        if !fits {
            self.pieces.push(String::with_capacity(text.len().max(PIECE)));
        }
        let piece = self.pieces.len() - 1;
        let buffer = &mut self.pieces[piece];
        let start = buffer.len();
        buffer.push_str(text);
        TextPlace { piece: piece as u32, start: start as u32, len: text.len() as u32 }
    }
}

fn lookup<'a>(pieces: &'a [String], places: &[TextPlace], id: StrId) -> &'a str {
    let place = places.get(id.0.get() as usize - 1);
    place
        .and_then(|p| pieces.get(p.piece as usize)?.get(p.start as usize..(p.start + p.len) as usize))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_text_has_the_same_id() {
        let mut strings = Strings::default();
        let (a, b, empty) = (strings.intern("a"), strings.intern("b"), strings.intern(""));
        assert_eq!((a, b, empty), (strings.intern("a"), strings.intern("b"), strings.intern("")));
        assert_ne!(a, b);
        assert_eq!((strings.get(a), strings.get(b), strings.get(empty)), ("a", "b", ""));
        assert_eq!((strings.find("b"), strings.find("c")), (Some(b), None));
    }

    #[test]
    fn many_and_large() {
        let mut strings = Strings::default();
        let large = "x".repeat(PIECE * 2);
        let ids: Vec<_> = (0..10_000).map(|i| strings.intern(&format!("op.{i}"))).collect();
        let l = strings.intern(&large);
        assert!(ids.iter().enumerate().all(|(i, id)| strings.get(*id) == format!("op.{i}")));
        assert_eq!(strings.get(l), large);
    }
}
