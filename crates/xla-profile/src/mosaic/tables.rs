//! This module reads the tables of a body: the texts, the names of operations, and the places of attributes, types and
//! properties. Their contents are decoded when they are needed.
//!
//! A table has one small entry for each entry of the file, which has at least one byte.

use super::cursor::Cursor;
use super::op_kind::OpKind;
use super::unread::{MAX_ASSEMBLY, MAX_NAME, NEWEST_VERSION, Read, Unread, cut};

/// The first four bytes of MLIR bytecode.
const MAGIC: &[u8] = b"ML\xefR";
/// The dialect of serialized kernels: its operations have the names of other dialects within their own name.
const STABLE: &[u8] = b"stable_mosaic";

/// Versions of the format that change what is read here.
pub(super) const DIALECT_VERSIONS: u64 = 1;
pub(super) const ISOLATED_SECTIONS: u64 = 2;
pub(super) const USE_LIST_ORDERS: u64 = 3;
pub(super) const OPTIONAL_LOCATIONS: u64 = 4;
pub(super) const PROPERTIES: u64 = 5;

/// Numbers of sections.
const STRING: usize = 0;
const DIALECT: usize = 1;
const ATTR_TYPE: usize = 2;
const ATTR_TYPE_OFFSET: usize = 3;
pub(super) const IR: usize = 4;
const PROPERTY: usize = 8;
const SECTIONS: [&str; 9] = [
    "texts",
    "dialects",
    "attributes and types",
    "offsets of attributes and types",
    "operations",
    "resources",
    "offsets of resources",
    "versions of dialects",
    "properties",
];

/// The name of an operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpName<'a> {
    dialect: &'a [u8],
    name: &'a [u8],
    /// Whether the operation was known to the writer. The properties of such an operation have a form of its own.
    pub is_registered: bool,
    /// What the operation does, if it matters here.
    pub kind: Option<OpKind>,
}

impl OpName<'_> {
    /// Returns the name, such as `tpu.matmul`, also of an operation of the dialect `stable_mosaic`. Long names are cut.
    pub fn text(&self) -> String {
        let name = String::from_utf8_lossy(self.name);
        if self.dialect == STABLE || self.dialect.is_empty() {
            return cut(&name, MAX_NAME).to_owned();
        }
        let dialect = String::from_utf8_lossy(self.dialect);
        cut(&format!("{}.{}", cut(&dialect, MAX_NAME), cut(&name, MAX_NAME)), MAX_NAME).to_owned()
    }
}

/// The place of an attribute or of a type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry<'a> {
    /// Whether the builtin dialect encodes the contents, in contrast to another dialect.
    is_builtin: bool,
    /// Whether the contents are in a binary form, in contrast to their text in assembly.
    pub is_binary: bool,
    contents: Cursor<'a>,
}

impl<'a> Entry<'a> {
    /// Returns the fields of an attribute or a type of the builtin dialect.
    pub fn fields(self) -> Read<Cursor<'a>> {
        if self.is_builtin && self.is_binary { Ok(self.contents) } else { Err(Unread::Encoding) }
    }

    /// Returns the text of an attribute or a type in assembly.
    pub fn assembly(mut self) -> Read<&'a [u8]> {
        let (count, limit) = (self.contents.rest().len(), MAX_ASSEMBLY);
        if count > limit {
            return Err(Unread::TooMany { count: count as u64, limit: limit as u64 });
        }
        self.contents.terminated()
    }
}

/// The tables of a body.
#[derive(Debug)]
pub(super) struct Tables<'a> {
    pub version: u64,
    pub producer: &'a [u8],
    pub operations: Cursor<'a>,
    pub op_names: Vec<OpName<'a>>,
    strings: Vec<&'a [u8]>,
    attributes: Vec<Entry<'a>>,
    types: Vec<Entry<'a>>,
    properties: Vec<Cursor<'a>>,
}

/// Returns an entry of a table.
fn entry<'t, T>(entries: &'t [T], index: u64, table: &'static str) -> Read<&'t T> {
    let found = usize::try_from(index).ok().and_then(|index| entries.get(index));
    found.ok_or(Unread::Index { table, index, count: entries.len() as u64 })
}

impl<'a> Tables<'a> {
    /// Reads the tables of a body.
    pub fn read(bytes: &'a [u8]) -> Read<Self> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(Unread::NotBytecode)?;
        let mut cursor = Cursor::new(rest, MAGIC.len() as u64);
        let version = cursor.number()?;
        if version > NEWEST_VERSION {
            return Err(Unread::Version { version });
        }
        let producer = cursor.terminated()?;
        let mut sections = [None; SECTIONS.len()];
        while !cursor.is_empty() {
            let offset = cursor.offset();
            let section = cursor.section()?;
            let place = sections.get_mut(usize::from(section.id)).ok_or(Unread::Invalid { offset })?;
            if place.replace(section.contents).is_some() {
                return Err(Unread::Invalid { offset });
            }
        }
        let section = |id: usize| {
            let missing = Unread::Section { section: SECTIONS.get(id).copied().unwrap_or_default() };
            sections.get(id).copied().flatten().ok_or(missing)
        };
        let strings = strings(section(STRING)?)?;
        let (dialects, op_names) = dialects(section(DIALECT)?, version, &strings)?;
        let [attributes, types] = places(section(ATTR_TYPE)?, section(ATTR_TYPE_OFFSET)?, &dialects)?;
        let properties = if version < PROPERTIES { Vec::new() } else { properties(section(PROPERTY)?)? };
        let operations = section(IR)?;
        Ok(Self { version, producer, operations, op_names, strings, attributes, types, properties })
    }

    pub fn string(&self, index: u64) -> Read<&'a [u8]> {
        entry(&self.strings, index, "texts").copied()
    }

    pub fn op_name(&self, index: u64) -> Read<&OpName<'a>> {
        entry(&self.op_names, index, "names of operations")
    }

    pub fn attribute_entry(&self, index: u64) -> Read<Entry<'a>> {
        entry(&self.attributes, index, "attributes").copied()
    }

    pub fn type_entry(&self, index: u64) -> Read<Entry<'a>> {
        entry(&self.types, index, "types").copied()
    }

    pub fn property(&self, index: u64) -> Read<Cursor<'a>> {
        entry(&self.properties, index, "properties").copied()
    }
}

/// Reads the texts: their number, their lengths from the last one to the first, and their bytes. Each ends with a zero.
fn strings(mut section: Cursor<'_>) -> Read<Vec<&[u8]>> {
    let bytes = section.rest();
    let count = section.count()?;
    let mut strings = Vec::new();
    let mut end = bytes.len();
    for _ in 0..count {
        let offset = section.offset();
        let len = section.number()?;
        let start = usize::try_from(len).ok().filter(|len| *len > 0).and_then(|len| end.checked_sub(len));
        let string = start.and_then(|start| bytes.get(start..end.saturating_sub(1)));
        let (Some(start), Some(string)) = (start, string) else { return Err(Unread::Invalid { offset }) };
        strings.push(string);
        end = start;
    }
    strings.reverse();
    Ok(strings)
}

/// Reads the names of the dialects, and those of the operations of each.
fn dialects<'a>(mut section: Cursor<'a>, version: u64, strings: &[&'a [u8]]) -> Read<(Vec<&'a [u8]>, Vec<OpName<'a>>)> {
    let text = |index| entry(strings, index, "texts").copied();
    let mut dialects = Vec::new();
    for _ in 0..section.count()? {
        if version < DIALECT_VERSIONS {
            dialects.push(text(section.number()?)?);
            continue;
        }
        let (name, has_version) = section.flagged()?;
        dialects.push(text(name)?);
        if has_version {
            section.section()?;
        }
    }
    if version >= OPTIONAL_LOCATIONS {
        section.number()?;
    }
    let mut names = Vec::new();
    while !section.is_empty() {
        let dialect = *entry(&dialects, section.number()?, "dialects")?;
        for _ in 0..section.count()? {
            let (name, is_registered) =
                if version < PROPERTIES { (section.number()?, false) } else { section.flagged()? };
            let name = text(name)?;
            let kind = if dialect == STABLE { OpKind::from_name(name) } else { OpKind::from_names(dialect, name) };
            names.push(OpName { dialect, name, is_registered, kind });
        }
    }
    Ok((dialects, names))
}

/// Reads the places of attributes and of types, which are grouped by dialect.
fn places<'a>(mut contents: Cursor<'a>, mut offsets: Cursor<'a>, dialects: &[&[u8]]) -> Read<[Vec<Entry<'a>>; 2]> {
    let counts = [offsets.count()?, offsets.count()?];
    let mut places = [Vec::new(), Vec::new()];
    for (entries, count) in places.iter_mut().zip(counts) {
        while (entries.len() as u64) < count {
            let is_builtin = *entry(dialects, offsets.number()?, "dialects")? == b"builtin";
            let offset = offsets.offset();
            let group = offsets.count()?;
            if group > count.saturating_sub(entries.len() as u64) {
                return Err(Unread::Invalid { offset });
            }
            for _ in 0..group {
                let (len, is_binary) = offsets.flagged()?;
                entries.push(Entry { is_builtin, is_binary, contents: contents.take(len)? });
            }
        }
    }
    Ok(places)
}

/// Reads the places of properties, each of which starts with its length.
fn properties(mut section: Cursor<'_>) -> Read<Vec<Cursor<'_>>> {
    let mut properties = Vec::new();
    if section.is_empty() {
        return Ok(properties);
    }
    for _ in 0..section.count()? {
        let len = section.number()?;
        properties.push(section.take(len)?);
    }
    Ok(properties)
}
