//! This module encodes the messages between the worker and the page, so that no name of a capture can falsify what the
//! page shows.
//!
//! A name can hold any text, such as characters that reverse the text around it. Names become text in many places of the
//! page: sentences, titles, labels, tooltips, canvases, pictures. Escaping happens once, where all of them pass:
//!
//! ```text
//!  worker ── encode_for_page: a name with U+202E becomes a name with "\u{202e}" ──► page
//!  worker ◄── encode_for_worker: "\u{202e}" becomes U+202E ── page
//! ```
//!
//! The worker therefore holds exact names, and the page holds printable names. A request of the page names an op by its
//! printable name.

use crate::table::text::{escape_page_text, unescape_page_text};
use postcard::ser_flavors::{AllocVec, Flavor};
use postcard::{Error, Result, Serializer};
use serde::ser::{
    self, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant,
};
use std::borrow::Cow;

/// Encodes a value that the page shows. Invisible characters of all its texts are escaped.
///
/// # Errors
/// Returns the error of the encoder.
pub(crate) fn encode_for_page(value: &impl Serialize) -> Result<Vec<u8>> {
    encode(value, escape_page_text)
}

/// Encodes a request of the page. The texts that the page has from the worker get their invisible characters back.
///
/// # Errors
/// Returns the error of the encoder.
pub fn encode_for_worker(value: &impl Serialize) -> Result<Vec<u8>> {
    encode(value, unescape_page_text)
}

fn encode(value: &impl Serialize, convert: fn(&str) -> Cow<'_, str>) -> Result<Vec<u8>> {
    let mut bytes = Serializer { output: AllocVec::new() };
    value.serialize(TextSerializer { bytes: &mut bytes, convert })?;
    bytes.output.finalize()
}

/// Writes a value in the format of postcard, and converts each of its texts.
struct TextSerializer<'b> {
    bytes: &'b mut Serializer<AllocVec>,
    convert: fn(&str) -> Cow<'_, str>,
}

impl TextSerializer<'_> {
    /// Writes a part of the value.
    fn write<T: Serialize + ?Sized>(&mut self, part: &T) -> Result<()> {
        part.serialize(TextSerializer { bytes: self.bytes, convert: self.convert })
    }
}

/// Passes values without texts on.
macro_rules! pass_on {
    ($($method:ident($($name:ident: $type:ty),*);)*) => {
        $(fn $method(self $(, $name: $type)*) -> Result<()> {
            ser::Serializer::$method(self.bytes $(, $name)*)
        })*
    };
}

/// Begins a value that has parts.
macro_rules! begin {
    ($($method:ident($($name:ident: $type:ty),*);)*) => {
        $(fn $method(self $(, $name: $type)*) -> Result<Self> {
            ser::Serializer::$method(&mut *self.bytes $(, $name)*)?;
            Ok(self)
        })*
    };
}

impl ser::Serializer for TextSerializer<'_> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    fn serialize_str(self, text: &str) -> Result<()> {
        ser::Serializer::serialize_str(self.bytes, &(self.convert)(text))
    }

    pass_on! {
        serialize_bool(value: bool);
        serialize_i8(value: i8);
        serialize_i16(value: i16);
        serialize_i32(value: i32);
        serialize_i64(value: i64);
        serialize_i128(value: i128);
        serialize_u8(value: u8);
        serialize_u16(value: u16);
        serialize_u32(value: u32);
        serialize_u64(value: u64);
        serialize_u128(value: u128);
        serialize_f32(value: f32);
        serialize_f64(value: f64);
        serialize_char(value: char);
        serialize_bytes(value: &[u8]);
        serialize_none();
        serialize_unit();
        serialize_unit_struct(name: &'static str);
        serialize_unit_variant(name: &'static str, index: u32, variant: &'static str);
    }

    begin! {
        serialize_seq(len: Option<usize>);
        serialize_tuple(len: usize);
        serialize_tuple_struct(name: &'static str, len: usize);
        serialize_tuple_variant(name: &'static str, index: u32, variant: &'static str, len: usize);
        serialize_map(len: Option<usize>);
        serialize_struct(name: &'static str, len: usize);
        serialize_struct_variant(name: &'static str, index: u32, variant: &'static str, len: usize);
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        // Postcard writes one byte in front of a value that is present.
        ser::Serializer::serialize_u8(&mut *self.bytes, 1)?;
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<()> {
        // Postcard writes the index of a variant, and its values behind it.
        ser::Serializer::serialize_unit_variant(&mut *self.bytes, name, index, variant)?;
        value.serialize(self)
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

/// Writes the parts of a value one after the other.
macro_rules! parts {
    ($($compound:ident: $method:ident;)*) => {
        $(impl $compound for TextSerializer<'_> {
            type Ok = ();
            type Error = Error;
            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
                self.write(value)
            }
            fn end(self) -> Result<()> {
                Ok(())
            }
        })*
    };
}

/// Writes the fields of a value one after the other.
macro_rules! fields {
    ($($compound:ident),*) => {
        $(impl $compound for TextSerializer<'_> {
            type Ok = ();
            type Error = Error;
            fn serialize_field<T: Serialize + ?Sized>(&mut self, _: &'static str, value: &T) -> Result<()> {
                self.write(value)
            }
            fn end(self) -> Result<()> {
                Ok(())
            }
        })*
    };
}

parts! {
    SerializeSeq: serialize_element;
    SerializeTuple: serialize_element;
    SerializeTupleStruct: serialize_field;
    SerializeTupleVariant: serialize_field;
}
fields!(SerializeStruct, SerializeStructVariant);

impl SerializeMap for TextSerializer<'_> {
    type Ok = ();
    type Error = Error;
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        self.write(key)
    }
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.write(value)
    }
    fn end(self) -> Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::{Deserialize, Serialize};
    use std::collections::BTreeMap;

    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    struct Name(String);

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    enum Variant {
        Unit,
        One(String),
        Two(u8, String),
        Fields { text: Option<String>, letter: char, n: i64 },
    }

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct All {
        name: Name,
        variants: Vec<Variant>,
        map: BTreeMap<String, (f64, bool, ())>,
        some: Option<Name>,
        none: Option<Name>,
        #[serde(with = "serde_bytes")]
        bytes: Vec<u8>,
        n: u128,
    }

    fn all(text: &str) -> All {
        let text = || text.to_owned();
        let fields = Variant::Fields { text: Some(text()), letter: 'é', n: -300 };
        All {
            name: Name(text()),
            variants: vec![Variant::Unit, Variant::One(text()), Variant::Two(7, text()), fields],
            map: BTreeMap::from([(text(), (0.5, true, ()))]),
            some: Some(Name(text())),
            none: None,
            bytes: b"\x1b[2J".to_vec(),
            n: u128::MAX,
        }
    }

    #[test]
    fn texts_are_printable_on_the_page_and_exact_in_the_worker() {
        let (exact, printable) = (all("a\u{202e}b\u{1b}[2J\r\nc\t"), all("a\\u{202e}b\\u{1b}[2J\r\nc\t"));
        let sent = encode_for_page(&exact).unwrap();
        assert_eq!(sent, postcard::to_allocvec(&printable).unwrap());
        assert_eq!(postcard::from_bytes::<All>(&sent).unwrap(), printable);
        let returned = encode_for_worker(&printable).unwrap();
        assert_eq!(returned, postcard::to_allocvec(&exact).unwrap());
    }
}
