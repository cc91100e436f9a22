//! This module interns texts. The planes of one program repeat their metadata for each device; here each distinct text
//! is kept once.

use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;
use std::num::NonZeroU32;

/// The id of a text in a [`Strings`]. Within one table, equal texts have equal ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StrId(NonZeroU32);

impl StrId {
    /// Returns the id as a number, which is equal for equal texts of one table.
    pub const fn number(self) -> u32 {
        self.0.get()
    }
}

/// A table of distinct texts. The table grows by pieces, so that its content is never copied.
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
    /// Returns the id of `text`, and adds the text to the table if it is new.
    pub fn intern(&mut self, text: &str) -> StrId {
        // A protobuf message has at most 2 GiB. A text of 4 GiB or more is cut, or is empty if the cut is inside of a
        // character, so that the function does not panic.
        let text = text.get(..text.len().min(u32::MAX as usize)).unwrap_or_default();
        let hash = self.hasher.hash_one(text);
        let (pieces, places) = (&self.pieces, &self.places);
        if let Some(id) = self.ids.find(hash, |id| lookup(pieces, places, *id) == text) {
            return *id;
        }
        let place = self.append(text);
        self.places.push(place);
        let n = u32::try_from(self.places.len()).ok().and_then(NonZeroU32::new);
        // Memory is exhausted long before there are 2³² distinct texts.
        let id = StrId(n.unwrap_or(NonZeroU32::MAX));
        let (pieces, places, hasher) = (&self.pieces, &self.places, &self.hasher);
        self.ids.insert_unique(hash, id, |id| hasher.hash_one(lookup(pieces, places, *id)));
        id
    }

    /// Returns the text of an id of this table. For an id that the table does not have, the text is empty.
    pub fn get(&self, id: StrId) -> &str {
        lookup(&self.pieces, &self.places, id)
    }

    /// Returns the id of a text, or `None` if the table does not have it.
    pub fn find(&self, text: &str) -> Option<StrId> {
        self.ids.find(self.hasher.hash_one(text), |id| self.get(*id) == text).copied()
    }

    /// Adds the texts of another table, and returns their ids in this table, in the order of the other table.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn join(&mut self, other: &Self) -> Vec<StrId> {
        other.places.iter().map(|place| self.intern(text_at(&other.pieces, *place))).collect()
    }

    /// Returns the bytes of memory that the texts and their positions take.
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
    places.get(id.0.get() as usize - 1).map_or("", |place| text_at(pieces, *place))
}

fn text_at(pieces: &[String], place: TextPlace) -> &str {
    let range = place.start as usize..(place.start + place.len) as usize;
    pieces.get(place.piece as usize).and_then(|piece| piece.get(range)).unwrap_or_default()
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
