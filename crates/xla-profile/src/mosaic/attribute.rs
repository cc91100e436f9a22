//! This module decodes attributes. The builtin dialect encodes its attributes as a code and fields
//! (`BuiltinDialectBytecode.td` of MLIR); other attributes are texts in assembly, such as `#tpu.memory_space<vmem>`.
//!
//! An attribute is decoded without the attributes that it names, so that no attribute leads to a recursion.

use super::cursor::Cursor;
use super::element;
use super::tables::Tables;
use super::unread::{MAX_ATTRIBUTES, MAX_RANK, Read, Unread};

/// Codes of attributes of the builtin dialect.
const ARRAY: u64 = 0;
const DICTIONARY: u64 = 1;
const STRING: u64 = 2;
const STRING_WITH_TYPE: u64 = 3;
const FLAT_SYMBOL_REF: u64 = 4;
const INTEGER: u64 = 8;
const DENSE_ARRAY: u64 = 17;

/// An attribute. Numbers of other attributes are those of the table.
#[derive(Clone, Debug)]
pub(super) enum Attribute<'a> {
    /// Numbers of the elements.
    Array(Numbers<'a>),
    /// Numbers of the names, and of the values.
    Dictionary(Numbers<'a>),
    String(&'a [u8]),
    /// Number of the name of a symbol.
    Symbol(u64),
    Integer(i64),
    Integers(Vec<i64>),
    /// The text of an attribute of another dialect.
    Assembly(&'a [u8]),
}

/// Numbers of attributes, which are read when they are needed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbers<'a> {
    /// Number of elements, or of pairs of a dictionary.
    pub count: u64,
    fields: Cursor<'a>,
}

impl Numbers<'_> {
    /// Returns the numbers of an array.
    ///
    /// # Errors
    /// Returns an error if there are more than `limit` numbers.
    pub fn elements(mut self, limit: u64) -> Read<Vec<u64>> {
        (0..limited(self.count, limit)?).map(|_| self.fields.number()).collect()
    }
}

/// Decodes the attribute with a number.
pub(super) fn decode<'a>(tables: &Tables<'a>, index: u64) -> Read<Attribute<'a>> {
    let entry = tables.attribute_entry(index)?;
    if !entry.is_binary {
        return entry.assembly().map(Attribute::Assembly);
    }
    let mut fields = entry.fields()?;
    match fields.number()? {
        ARRAY => Ok(Attribute::Array(Numbers { count: fields.count()?, fields })),
        DICTIONARY => Ok(Attribute::Dictionary(Numbers { count: fields.count()?, fields })),
        STRING | STRING_WITH_TYPE => tables.string(fields.number()?).map(Attribute::String),
        FLAT_SYMBOL_REF => fields.number().map(Attribute::Symbol),
        INTEGER => {
            let width = element::integer_bits(tables, fields.number()?)?;
            integer(&mut fields, width).map(Attribute::Integer)
        }
        DENSE_ARRAY => integers(tables, fields).map(Attribute::Integers),
        _ => Err(Unread::Encoding),
    }
}

/// Returns the number of the value that a dictionary has under a name.
pub(super) fn find(tables: &Tables<'_>, dictionary: u64, name: &str) -> Read<u64> {
    let Attribute::Dictionary(mut pairs) = decode(tables, dictionary)? else { return Err(Unread::Encoding) };
    for _ in 0..limited(pairs.count, MAX_ATTRIBUTES)? {
        let (key, value) = (pairs.fields.number()?, pairs.fields.number()?);
        if matches!(decode(tables, key)?, Attribute::String(key) if key == name.as_bytes()) {
            return Ok(value);
        }
    }
    Err(Unread::Absent)
}

/// Returns the word between the angle brackets of an attribute in assembly: `vmem` of `#tpu.memory_space<vmem>`.
pub(super) fn word<'a>(attribute: &Attribute<'a>) -> Read<&'a str> {
    let Attribute::Assembly(text) = attribute else { return Err(Unread::Encoding) };
    let text = std::str::from_utf8(text).map_err(|_| Unread::Encoding)?;
    let inner = text.split_once('<').and_then(|(_, rest)| rest.strip_suffix('>'));
    inner.map(str::trim).ok_or_else(|| Unread::word(text))
}

/// Returns a count that is not above a limit.
pub(super) fn limited(count: u64, limit: u64) -> Read<u64> {
    if count > limit { Err(Unread::TooMany { count, limit }) } else { Ok(count) }
}

/// Decodes an integer of a width in bits. The file holds its bits without their sign.
fn integer(fields: &mut Cursor<'_>, width: u32) -> Read<i64> {
    let bits = match width {
        1 => return fields.byte().map(|byte| i64::from(byte & 1)),
        2..=8 => i64::from(fields.byte()?),
        9..=64 => fields.signed()?,
        _ => return Err(Unread::Overflow),
    };
    let unused = 64_u32.saturating_sub(width);
    Ok(bits.wrapping_shl(unused).wrapping_shr(unused))
}

/// Decodes a dense array: the type of its elements, their number, and their bytes, the lowest first.
fn integers(tables: &Tables<'_>, mut fields: Cursor<'_>) -> Read<Vec<i64>> {
    let width = element::integer_bits(tables, fields.number()?)?;
    let count = limited(fields.number()?, MAX_RANK)?;
    let len = fields.number()?;
    let bytes = fields.take(len)?.rest();
    let size = match width {
        8 | 16 | 32 | 64 => (width >> 3) as usize,
        _ => return Err(Unread::Encoding),
    };
    if bytes.len() as u64 != count.saturating_mul(size as u64) {
        return Err(Unread::Encoding);
    }
    let unused = 64_u32.saturating_sub(width);
    let value = |chunk: &[u8]| {
        let bits = chunk.iter().rev().fold(0_i64, |bits, byte| bits << 8 | i64::from(*byte));
        bits.wrapping_shl(unused).wrapping_shr(unused)
    };
    Ok(bytes.chunks_exact(size).map(value).collect())
}
