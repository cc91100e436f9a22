//! This module reads one stat: the id of its name, and its value.

use crate::wire::{Cursor, Field, Span, SpanValue, Value, Walker, Window, WireError};

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

/// Reads a stat from a slice that starts at byte `at` of the file.
#[inline]
pub(super) fn from_slice(message: &[u8], at: u64) -> Result<Stat<'_>, WireError> {
    let mut stat = Stat { metadata_id: 0, value: StatValue::Absent };
    let mut cursor = Cursor::new(message, at);
    while let Some(Field { number, value }) = cursor.next_field()? {
        match (number, value) {
            (1, Value::Varint(id)) => stat.metadata_id = id.cast_signed(),
            (2, Value::Fixed64(bits)) => stat.value = StatValue::Double(f64::from_bits(bits)),
            (3, Value::Varint(v)) => stat.value = StatValue::Uint(v),
            (4, Value::Varint(v)) => stat.value = StatValue::Int(v.cast_signed()),
            (5, Value::Bytes(v)) => stat.value = StatValue::Text(v),
            (6, Value::Bytes(v)) => {
                let end = cursor.position();
                stat.value = StatValue::Bytes(Span { start: end.saturating_sub(v.len() as u64), end }, v);
            }
            (7, Value::Varint(v)) => stat.value = StatValue::Ref(v),
            (8, Value::Bytes(v)) => stat.value = StatValue::Gzip(v),
            _ => {}
        }
    }
    Ok(stat)
}

/// Largest message, in bytes, that is loaded as a whole. A larger one may contain a program, and is walked by offsets.
pub(super) const SMALL: u64 = 1 << 16;

/// Reads the stat that fills `span` and passes it to `then`. In a stat larger than [`SMALL`], a bytes value is not
/// loaded.
pub(super) fn from_span(span: Span, window: &mut Window<'_>, then: &mut impl FnMut(Stat<'_>)) -> Result<(), WireError> {
    if span.len() <= SMALL {
        let stat = from_slice(window.bytes(span)?, span.start)?;
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
