//! This module finds the attributes of an operation, which its dictionary or its properties hold.

use super::attribute::{Attribute, decode, find, word};
use super::tables::Tables;
use super::unread::{MAX_NAME, Read, Unread, cut};

/// Where the attributes of an operation are.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpAttributes {
    /// Number of the dictionary.
    pub dictionary: Option<u64>,
    /// Number of the properties.
    pub properties: Option<u64>,
    /// Whether the properties have a form of their own.
    pub is_registered: bool,
}

impl OpAttributes {
    /// Returns the number of the attribute with a name.
    pub fn index(&self, tables: &Tables<'_>, name: &str) -> Read<u64> {
        let listed = self.dictionary.map_or(Err(Unread::Absent), |dictionary| find(tables, dictionary, name));
        match (listed, self.properties) {
            (Err(Unread::Absent), Some(_)) if self.is_registered => Err(Unread::Encoding),
            // The properties of an operation that the writer does not know are the number of a dictionary.
            (Err(Unread::Absent), Some(properties)) => find(tables, tables.property(properties)?.number()?, name),
            (listed, _) => listed,
        }
    }

    /// Returns the attribute with a name.
    pub fn attribute<'a>(&self, tables: &Tables<'a>, name: &str) -> Read<Attribute<'a>> {
        decode(tables, self.index(tables, name)?)
    }

    /// Returns the integer with a name.
    pub fn integer(&self, tables: &Tables<'_>, name: &str) -> Read<i64> {
        match self.attribute(tables, name)? {
            Attribute::Integer(value) => Ok(value),
            _ => Err(Unread::Encoding),
        }
    }

    /// Returns the text with a name. Long texts are cut.
    pub fn text(&self, tables: &Tables<'_>, name: &str) -> Read<String> {
        match self.attribute(tables, name)? {
            Attribute::String(text) => Ok(lossy(text)),
            _ => Err(Unread::Encoding),
        }
    }

    /// Returns the word of an attribute of the TPU dialect.
    pub fn word<'a>(&self, tables: &Tables<'a>, name: &str) -> Read<&'a str> {
        word(&self.attribute(tables, name)?)
    }
}

/// Returns a text of the file. Long texts are cut.
pub(super) fn lossy(text: &[u8]) -> String {
    // Four bytes more than are kept, so that a character at the limit is whole.
    let start = text.get(..MAX_NAME.saturating_add(4)).unwrap_or(text);
    cut(&String::from_utf8_lossy(start), MAX_NAME).to_owned()
}
