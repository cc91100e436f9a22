//! One stat: a name's id and a value of one of several types.

use crate::wire::{Cursor, Field, Span, SpanValue, Value, Walker, Window, WireError};

/// A stat as the wire has it. The id is resolved to a name by whoever keeps the names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stat<'a> {
    /// Key of its name.
    pub metadata_id: i64,
    /// Its value.
    pub value: StatValue<'a>,
}

/// The value of a stat.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StatValue<'a> {
    /// None is set: proto3 leaves a zero or empty value out only outside of a oneof, so this is a bare name.
    Absent,
    /// A float.
    Double(f64),
    /// An unsigned number.
    Uint(u64),
    /// A signed number.
    Int(i64),
    /// Text; not checked to be UTF-8.
    Text(&'a [u8]),
    /// Bytes, by place: they may be a whole program. With them those bytes, where they are few enough to be loaded.
    Bytes(Span, &'a [u8]),
    /// The id of a stat name that is the value.
    Ref(u64),
    /// Text as gzip.
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

/// What is larger may be a program: it is gone over by place.
pub(super) const SMALL: u64 = 1 << 16;

/// Reads a stat by place and hands it to `then`. A bytes value is not loaded, however large.
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
