//! This module interns texts. The planes of one program repeat their metadata for each device; here each distinct text
//! is kept once.

use hashbrown::{DefaultHashBuilder, HashTable};
use serde::{Deserialize, Serialize};
use std::hash::BuildHasher;
use std::num::NonZeroU32;

/// The id of a text in a [`Strings`]. Within one table, equal texts have equal ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct StrId(NonZeroU32);

impl StrId {
    /// Returns the id as a number, which is equal for equal texts of one table.
    pub const fn number(self) -> u32 {
        self.0.get()
    }
}

/// A table of distinct texts.
#[derive(Default)]
pub struct Strings {
    texts: Texts,
    ids: HashTable<StrId>,
    hasher: DefaultHashBuilder,
}

/// The texts of a table, by id. They grow by pieces, so that their content is never copied.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct Texts {
    pieces: Vec<String>,
    places: Vec<TextPlace>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
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
        let texts = &self.texts;
        if let Some(id) = self.ids.find(hash, |id| texts.get(*id) == text) {
            return *id;
        }
        self.texts.append(text);
        let n = u32::try_from(self.texts.places.len()).ok().and_then(NonZeroU32::new);
        // Memory is exhausted long before there are 2³² distinct texts.
        let id = StrId(n.unwrap_or(NonZeroU32::MAX));
        let (texts, hasher) = (&self.texts, &self.hasher);
        self.ids.insert_unique(hash, id, |id| hasher.hash_one(texts.get(*id)));
        id
    }

    /// Returns the text of an id of this table. For an id that the table does not have, the text is empty.
    pub fn get(&self, id: StrId) -> &str {
        self.texts.get(id)
    }

    /// Returns the id of a text, or `None` if the table does not have it.
    pub fn find(&self, text: &str) -> Option<StrId> {
        self.ids.find(self.hasher.hash_one(text), |id| self.get(*id) == text).copied()
    }

    /// Adds the texts of another table, and returns their ids in this table, in the order of the other table.
    pub(super) fn join(&mut self, other: &Texts) -> Vec<StrId> {
        other.places.iter().map(|place| self.intern(text_at(&other.pieces, *place))).collect()
    }

    /// Returns the texts without the index by content.
    pub(super) fn into_texts(self) -> Texts {
        self.texts
    }

    /// Returns the bytes of memory that the texts and their positions take.
    pub fn bytes(&self) -> usize {
        let Texts { pieces, places } = &self.texts;
        pieces.iter().map(String::capacity).sum::<usize>() + places.capacity() * size_of::<TextPlace>()
    }
}

impl Texts {
    /// Returns the text of an id. For an id that the table does not have, the text is empty.
    fn get(&self, id: StrId) -> &str {
        self.places.get(id.0.get() as usize - 1).map_or("", |place| text_at(&self.pieces, *place))
    }

    fn append(&mut self, text: &str) {
        let fits = self.pieces.last().is_some_and(|p| p.capacity() - p.len() >= text.len());
        if !fits {
            self.pieces.push(String::with_capacity(text.len().max(PIECE)));
        }
        let piece = self.pieces.len() - 1;
        let buffer = &mut self.pieces[piece];
        let start = buffer.len();
        buffer.push_str(text);
        self.places.push(TextPlace { piece: piece as u32, start: start as u32, len: text.len() as u32 });
    }
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
