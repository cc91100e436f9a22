//! One line: its head and an exact count first, then its events. The hot path of every load.

use super::{Event, LineHead, Sink, stat, text};
use crate::wire::cursor::{split_tag, varint};
use crate::wire::{Cursor, Field, Span, SpanValue, Value, Walker, Window, WireError};

/// Field number of a line's events.
const EVENTS: u32 = 4;

/// Walks the line that fills `span`; `cut` says that the data ends inside it, so that its last event is expected
/// to be incomplete. Returns what the line says of itself and the first error.
pub(super) fn walk(
    span: Span,
    cut: bool,
    window: &mut Window<'_>,
    sink: &mut impl Sink,
) -> (LineHead, Result<(), WireError>) {
    let mut head = LineHead { bytes: span.len(), ..LineHead::default() };
    let counted = count(span, window, &mut head);
    sink.line(head.clone());
    let walked = events(span, window, sink);
    // In a line that is cut the last event is expected to end early: the cut itself is reported by the caller.
    (head, if cut { Ok(()) } else { counted.and(walked) })
}

/// First pass: the head, and how many events there are. Events are skipped by their length.
fn count(span: Span, window: &mut Window<'_>, head: &mut LineHead) -> Result<(), WireError> {
    let mut walker = Walker::new(span);
    while let Some((number, value)) = walker.next_field(window)? {
        match (number, value) {
            (EVENTS, SpanValue::Span(_)) => head.n_events = head.n_events.saturating_add(1),
            (1, SpanValue::Number(id)) => head.id = id.cast_signed(),
            (2, SpanValue::Span(span)) => head.name = text(span, window)?,
            (3, SpanValue::Number(ns)) => head.timestamp_ns = ns.cast_signed(),
            (11, SpanValue::Span(span)) => head.display_name = text(span, window)?,
            _ => {}
        }
    }
    Ok(())
}

/// Second pass: events straight from the window. As many as lie in it whole are taken per turn.
fn events(span: Span, window: &mut Window<'_>, sink: &mut impl Sink) -> Result<(), WireError> {
    let mut at = span.start;
    // How many bytes the record at `at` needs to be seen whole.
    let mut need = 20;
    let mut first_damage = None;
    while at < span.end {
        let bytes = window.ahead(at, span.end, need)?;
        let before = at;
        let at_end = at.saturating_add(bytes.len() as u64) == span.end;
        let mut rest = bytes;
        need = loop {
            if rest.is_empty() {
                break 20;
            }
            match step(rest, at, sink)? {
                Step::Took { bytes, damage } => {
                    rest = rest.get(bytes..).unwrap_or_default();
                    at = at.saturating_add(bytes as u64);
                    if let Some(error) = damage {
                        sink.discard();
                        first_damage.get_or_insert(error);
                    }
                }
                Step::Needs(n) if at_end => {
                    let left = rest.len() as u64;
                    return Err(WireError::Length { at, declared: n, left });
                }
                Step::Needs(n) => break n,
            }
        };
        if at > before {
            sink.progress(at);
        }
    }
    first_damage.map_or(Ok(()), Err)
}

enum Step {
    /// A field was taken, of so many bytes; an event whose inside is wrong is left out, and the walk goes on.
    Took { bytes: usize, damage: Option<WireError> },
    /// The field at hand goes beyond the slice: so many bytes from its start on.
    Needs(u64),
}

/// One field of the line at the start of `bytes`; an event goes to the sink.
#[inline]
fn step(bytes: &[u8], at: u64, sink: &mut impl Sink) -> Result<Step, WireError> {
    // Too few bytes for any tag and length, and more may follow: ask for more before calling it damage.
    let short = |n: u64| if bytes.len() < 20 { Ok(Step::Needs(20)) } else { Ok(Step::Needs(n)) };
    let (tag, n) = match varint(bytes) {
        Ok(ok) => ok,
        Err(super::super::cursor::BadVarint::Ends) => return short(20),
        Err(error) => return Err(error.at(at)),
    };
    let (number, wire) = split_tag(tag, at)?;
    let after_tag = bytes.get(n..).unwrap_or_default();
    if wire != 2 {
        let mut cursor = Cursor::new(bytes, at);
        return match cursor.next_field() {
            Ok(_) => {
                let bytes = usize::try_from(cursor.at().saturating_sub(at)).unwrap_or(usize::MAX);
                Ok(Step::Took { bytes, damage: None })
            }
            Err(WireError::Ends { .. }) => short(20),
            Err(error) => Err(error),
        };
    }
    let (len, m) = match varint(after_tag) {
        Ok(ok) => ok,
        Err(super::super::cursor::BadVarint::Ends) => return short(20),
        Err(error) => return Err(error.at(at)),
    };
    let head = n.saturating_add(m);
    let whole = len.saturating_add(head as u64);
    let Some(message) = usize::try_from(whole).ok().and_then(|end| bytes.get(head..end)) else {
        return Ok(Step::Needs(whole));
    };
    let damage = if number == EVENTS { event(message, at.saturating_add(head as u64), sink).err() } else { None };
    Ok(Step::Took { bytes: message.len().saturating_add(head), damage })
}

/// One event: its stats go to the sink as they come, then the event itself.
#[inline]
fn event(message: &[u8], at: u64, sink: &mut impl Sink) -> Result<(), WireError> {
    let mut event = Event::default();
    let mut cursor = Cursor::new(message, at);
    while let Some(Field { number, value }) = cursor.next_field()? {
        match (number, value) {
            (1, Value::Varint(id)) => event.metadata_id = id.cast_signed(),
            (2, Value::Varint(ps)) => (event.offset_ps, event.num_occurrences) = (Some(ps.cast_signed()), None),
            (3, Value::Varint(ps)) => event.duration_ps = ps.cast_signed(),
            (4, Value::Bytes(bytes)) => {
                let start = cursor.at().saturating_sub(bytes.len() as u64);
                sink.event_stat(stat::from_slice(bytes, start)?);
            }
            (5, Value::Varint(n)) => (event.offset_ps, event.num_occurrences) = (None, Some(n.cast_signed())),
            _ => {}
        }
    }
    sink.event(event);
    Ok(())
}
