//! This module reads one stat: the id of its name, and its value.

use crate::wire::cursor::{bytes_tag, number_tag};
use crate::wire::{Cursor, Span, SpanValue, Walker, Window, WireError};

/// A stat as the file has it. The receiver resolves the id to a name (`Sink::stat_name`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stat<'a> {
    /// Key of the name.
    pub metadata_id: i64,
    pub value: StatValue<'a>,
}

/// The value of a stat.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StatValue<'a> {
    /// The stat has no value. Inside of a oneof, proto3 writes zero and empty values, so the stat is a name alone.
    Absent,
    Double(f64),
    Uint(u64),
    Int(i64),
    /// Text, which may be invalid UTF-8.
    Text(&'a [u8]),
    /// The position of bytes, which may be a whole program, and the bytes themselves. The slice is empty in a stat of
    /// more than 64 KiB, which is not loaded.
    Bytes(Span, &'a [u8]),
    /// The id of a stat name; the value is that name.
    Ref(u64),
    /// Text that is packed with gzip.
    Gzip(&'a [u8]),
}

/// Reads a stat.
#[inline(always)]
pub(super) fn read(mut message: Cursor<'_>) -> Result<Stat<'_>, WireError> {
    const METADATA_ID: u64 = number_tag(1);
    const DOUBLE: u64 = (2 << 3) | 1;
    const UINT: u64 = number_tag(3);
    const INT: u64 = number_tag(4);
    const TEXT: u64 = bytes_tag(5);
    const BYTES: u64 = bytes_tag(6);
    const REF: u64 = number_tag(7);
    const GZIP: u64 = bytes_tag(8);
    let mut stat = Stat { metadata_id: 0, value: StatValue::Absent };
    loop {
        let start = message.position();
        match message.next_tag()? {
            None => return Ok(stat),
            Some(METADATA_ID) => stat.metadata_id = message.number()?.cast_signed(),
            Some(DOUBLE) => stat.value = StatValue::Double(f64::from_le_bytes(message.array()?)),
            Some(UINT) => stat.value = StatValue::Uint(message.number()?),
            Some(INT) => stat.value = StatValue::Int(message.number()?.cast_signed()),
            Some(TEXT) => stat.value = StatValue::Text(message.message(start)?),
            Some(BYTES) => {
                let bytes = message.message(start)?;
                let end = message.position();
                let span = Span { start: end.saturating_sub(bytes.len() as u64), end };
                stat.value = StatValue::Bytes(span, bytes);
            }
            Some(REF) => stat.value = StatValue::Ref(message.number()?),
            Some(GZIP) => stat.value = StatValue::Gzip(message.message(start)?),
            Some(tag) => drop(message.field(tag, start)?),
        }
    }
}

/// Largest message, in bytes, that is loaded as a whole. A larger one may contain a program, and is walked by offsets.
pub(super) const SMALL: u64 = 1 << 16;

/// Reads the stat that fills `span` and passes it to `then`. In a stat larger than [`SMALL`], a bytes value is not
/// loaded.
pub(super) fn from_span(span: Span, window: &mut Window<'_>, then: &mut impl FnMut(Stat<'_>)) -> Result<(), WireError> {
    if span.len() <= SMALL {
        let stat = read(Cursor::new(window.bytes(span)?, span.start))?;
        then(stat);
        return Ok(());
    }
    let mut metadata_id = 0;
    let mut walker = Walker::new(span);
    let mut large = None;
    while let Some((number, value)) = walker.next_field(window)? {
        match (number, value) {
            (1, SpanValue::Number(id)) => metadata_id = id.cast_signed(),
            (5 | 6 | 8, SpanValue::Span(value)) => large = Some((number, value)),
            _ => {}
        }
    }
    match large {
        Some((6, span)) => then(Stat { metadata_id, value: StatValue::Bytes(span, &[]) }),
        Some((5, span)) => then(Stat { metadata_id, value: StatValue::Text(window.bytes(span)?) }),
        Some((_, span)) => then(Stat { metadata_id, value: StatValue::Gzip(window.bytes(span)?) }),
        None => then(Stat { metadata_id, value: StatValue::Absent }),
    }
    Ok(())
}
