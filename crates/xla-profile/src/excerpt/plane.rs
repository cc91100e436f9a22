//! This module selects the fields of a plane that an excerpt holds. The plane is walked three times, because its lines come
//! before the metadata that their events name: for the lines, for the metadata that metadata names, and for the result.

use super::line;
use super::pieces::Pieces;
use super::query::ExcerptQuery;
use super::report::{ExcerptReport, undamaged};
use crate::source::SourceError;
use crate::wire::xspace::{Next, map_entry, next_or_clipped, plane_field as field, text};
use crate::wire::{Cursor, Field, Span, SpanValue, Value, Walker, Window, WireError};
use rustc_hash::{FxHashMap, FxHashSet};

/// The plane whose event metadata holds the programs.
const PROGRAMS: &str = "/host:metadata";

/// The field of an `XEventMetadata` with the ids of its children, such as the instructions of a fusion.
const CHILD_ID: u32 = 6;

/// Largest size in bytes of an entry of event metadata that is searched for the ids of children. A larger one holds a
/// program.
const MAX_PARENT: u64 = 1 << 20;

/// The lines of a plane, and the metadata that they name.
#[derive(Default)]
struct Lines {
    name: String,
    /// The lines in the order of the file.
    lines: Vec<Pieces>,
    /// The ids of the metadata that events name.
    used: FxHashSet<i64>,
}

/// Returns the bytes of the plane that fills `span`, as far as they belong to the excerpt. With `cut`, the data ends inside
/// the plane.
pub(super) fn excerpt(
    span: Span,
    cut: bool,
    window: &mut Window<'_>,
    query: &ExcerptQuery,
    report: &mut ExcerptReport,
) -> Result<Pieces, SourceError> {
    let Lines { name, lines, mut used } = lines(span, cut, window, query, report)?;
    let without_programs = query.without_programs && name == PROGRAMS;
    // The metadata of a plane without lines is its content.
    let keeps_all = !without_programs && (lines.is_empty() || query.range.is_none());
    if !keeps_all && !without_programs {
        let children = undamaged(children(span, window), report)?.unwrap_or_default();
        add_children(&mut used, &children);
    }
    let mut lines = lines.into_iter();
    let mut pieces = Pieces::default();
    let mut walker = Walker::new(span);
    loop {
        let start = walker.position();
        let next = next_or_clipped(&mut walker, span, window, cut);
        let Some(Next { number, value, clipped }) = undamaged(next, report)?.flatten() else { break };
        match (number, value) {
            (field::LINE, SpanValue::Span(_)) => {
                lines.next().into_iter().for_each(|line| pieces.push_message(field::LINE, line));
                continue;
            }
            (field::EVENT_METADATA, SpanValue::Span(_)) if without_programs => continue,
            (field::EVENT_METADATA, SpanValue::Span(entry)) if !keeps_all => {
                let entry = undamaged(map_entry(entry, window), report)?;
                if entry.is_none_or(|(id, _)| !used.contains(&id)) {
                    continue;
                }
            }
            _ => {}
        }
        if clipped.is_none() {
            pieces.push_source(start, walker.position());
        }
    }
    Ok(pieces)
}

/// Reads the name and the lines of a plane.
fn lines(
    span: Span,
    cut: bool,
    window: &mut Window<'_>,
    query: &ExcerptQuery,
    report: &mut ExcerptReport,
) -> Result<Lines, SourceError> {
    let mut found = Lines::default();
    let mut walker = Walker::new(span);
    while let Some(Next { number, value, clipped }) =
        undamaged(next_or_clipped(&mut walker, span, window, cut), report)?.flatten()
    {
        match (number, value) {
            (field::NAME, SpanValue::Span(name)) => {
                found.name = undamaged(text(name, window), report)?.unwrap_or_default();
            }
            (field::LINE, SpanValue::Span(line)) => {
                let line = line::excerpt(line, clipped.is_some(), window, query, &mut found.used, report)?;
                found.lines.push(line);
            }
            _ => {}
        }
    }
    Ok(found)
}

/// Returns the ids of the children of each entry of event metadata that has any.
fn children(span: Span, window: &mut Window<'_>) -> Result<FxHashMap<i64, Vec<i64>>, WireError> {
    let mut children: FxHashMap<i64, Vec<i64>> = FxHashMap::default();
    let mut walker = Walker::new(span);
    while let Some((number, value)) = walker.next_field(window)? {
        let (field::EVENT_METADATA, SpanValue::Span(entry)) = (number, value) else { continue };
        let (id, Some(value)) = map_entry(entry, window)? else { continue };
        if value.len() > MAX_PARENT {
            continue;
        }
        let mut cursor = Cursor::new(window.bytes(value)?, value.start);
        while let Some(field) = cursor.next_field()? {
            match field {
                Field { number: CHILD_ID, value: Value::Varint(child) } => {
                    children.entry(id).or_default().push(child.cast_signed());
                }
                Field { number: CHILD_ID, value: Value::Bytes(packed) } => {
                    children.entry(id).or_default().extend(packed_ids(packed));
                }
                _ => {}
            }
        }
    }
    Ok(children)
}

/// Returns the numbers of a packed field. Bytes that are cut end the list.
fn packed_ids(mut bytes: &[u8]) -> impl Iterator<Item = i64> {
    std::iter::from_fn(move || prost::encoding::decode_varint(&mut bytes).ok().map(u64::cast_signed))
}

/// Adds the children of the metadata in `used`, and their children.
fn add_children(used: &mut FxHashSet<i64>, children: &FxHashMap<i64, Vec<i64>>) {
    if children.is_empty() {
        return;
    }
    let mut open: Vec<i64> = used.iter().copied().collect();
    while let Some(id) = open.pop() {
        open.extend(children.get(&id).into_iter().flatten().copied().filter(|child| used.insert(*child)));
    }
}
