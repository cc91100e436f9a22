//! This module reduces a plane to what it says beside its events, so that little of a large plane is read.

use super::plane::{field, map_entry};
use super::stat::SMALL;
use crate::source::Source;
use crate::wire::{Span, SpanValue, Walker, Window, WireError};
use prost::encoding::{WireType, encode_key, encode_varint};

/// Returns the plane at `span` without its lines, and without the stats of its event metadata: a message with the id, the name, the
/// stats and their names. With `has_names`, it has the names of its event metadata, too. Stats of more than 64 KiB are left out.
///
/// Bytes are read around each field. The fields of a plane are in the order of their numbers, so that all event metadata is stepped
/// over before the stats are reached.
///
/// # Errors
/// Returns an error if the plane is damaged, or if the source cannot be read.
pub fn reduced_plane(source: &dyn Source, span: Span, has_names: bool) -> Result<Vec<u8>, WireError> {
    let mut window = Window::new(source);
    let mut walker = Walker::new(span);
    let mut reduced = Vec::new();
    loop {
        let start = walker.position();
        let Some((number, value)) = walker.next_field(&mut window)? else { return Ok(reduced) };
        let whole = Span { start, end: walker.position() };
        match (number, value) {
            (field::EVENT_METADATA, SpanValue::Span(span)) if has_names => add_name(span, &mut window, &mut reduced)?,
            (field::LINE | field::EVENT_METADATA, _) => {}
            _ if whole.len() <= SMALL => reduced.extend_from_slice(window.bytes(whole)?),
            _ => {}
        }
    }
}

/// Adds an entry of the event metadata with its id and its name alone.
fn add_name(span: Span, window: &mut Window<'_>, reduced: &mut Vec<u8>) -> Result<(), WireError> {
    let (id, Some(value)) = map_entry(span, window)? else { return Ok(()) };
    let mut walker = Walker::new(value);
    while let Some((number, value)) = walker.next_field(window)? {
        if let (2, SpanValue::Span(name)) = (number, value)
            && name.len() <= SMALL
        {
            let mut metadata = Vec::new();
            add_field(2, window.bytes(name)?, &mut metadata);
            let mut entry = Vec::new();
            encode_key(1, WireType::Varint, &mut entry);
            encode_varint(id.cast_unsigned(), &mut entry);
            add_field(2, &metadata, &mut entry);
            add_field(field::EVENT_METADATA, &entry, reduced);
            // The stats after the name may be a program.
            return Ok(());
        }
    }
    Ok(())
}

fn add_field(number: u32, bytes: &[u8], into: &mut Vec<u8>) {
    encode_key(number, WireType::LengthDelimited, into);
    encode_varint(bytes.len() as u64, into);
    into.extend_from_slice(bytes);
}
