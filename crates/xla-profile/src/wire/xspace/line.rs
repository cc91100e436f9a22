//! This module walks one line, its fields and its events, in one pass. It is the hot path of every load.

use super::{Event, LineHead, Sink, stat};
use crate::wire::cursor::{BadVarint, bytes_tag, number_tag, split_tag, varint};
use crate::wire::{Cursor, Field, Span, Value, Walker, Window, WireError};

/// Field numbers of an `XLine`.
pub(crate) mod field {
    pub const ID: u32 = 1;
    pub const NAME: u32 = 2;
    pub const TIMESTAMP_NS: u32 = 3;
    pub const EVENTS: u32 = 4;
    pub const DISPLAY_NAME: u32 = 11;
}

/// The state of a walk over a line.
struct Line<'s, S> {
    head: LineHead,
    /// `Sink::line` has been called.
    begun: bool,
    /// The range of offsets at which an event starts that is passed on.
    events: Span,
    /// Number of events before the current one, whether they are passed on or not.
    n_events: usize,
    /// The current event is passed on.
    is_passed_on: bool,
    sink: &'s mut S,
}

/// Number of events that a divided walk keeps together. It is the number of numbers in a block of a column, so that columns
/// can be joined without packing them again.
pub(crate) const EVENTS_TOGETHER: usize = 256;

/// Walks the line that fills `span`, with the events that start in `events`, to the nearest [`EVENTS_TOGETHER`] events.
/// With `cut`, the data ends inside the line, and an incomplete last event is not an error. Returns the fields of the line
/// before the end of `events`, and the first error.
pub(super) fn walk(
    span: Span,
    events: Span,
    cut: bool,
    window: &mut Window<'_>,
    sink: &mut impl Sink,
) -> (LineHead, Result<(), WireError>) {
    let is_walked = events.touches(span);
    let head = LineHead { bytes: if is_walked { span.len() } else { 0 }, ..LineHead::default() };
    let mut line = Line { head, begun: false, events, n_events: 0, is_passed_on: true, sink };
    let walked = if is_walked { fields(span, window, &mut line) } else { Ok(()) };
    line.begin();
    line.sink.line_end(&line.head);
    // The last event of a cut line is incomplete. The caller reports the cut itself.
    (line.head, if cut { Ok(()) } else { walked })
}

/// Number of bytes between two reports of progress.
const TURN: usize = 1 << 20;

/// Walks all fields of the line, in the bytes of the window.
fn fields(span: Span, window: &mut Window<'_>, line: &mut Line<'_, impl Sink>) -> Result<(), WireError> {
    // The whole line is needed, so as many bytes as possible are loaded at once.
    window.ahead(span.start, span.end, span.len().min(window.stride()))?;
    let mut position = LinePosition { offset: span.start, need: 20, first_damage: None };
    while position.offset < span.end {
        let (from, need) = (position.offset, usize::try_from(position.need).unwrap_or(usize::MAX));
        let bytes = window.ahead(from, span.end, position.need)?;
        let bytes = bytes.get(..TURN.max(need)).unwrap_or(bytes);
        let to = from.saturating_add(bytes.len() as u64);
        take_fields(bytes, &mut position, line)?;
        if position.offset > from {
            line.sink.progress(position.offset);
        }
        if to == span.end && position.offset < to {
            return Err(incomplete(Span { start: position.offset, ..span }, window));
        }
        if position.offset >= line.events.end && !line.is_passed_on {
            // Another walk passes on the rest of the line.
            break;
        }
    }
    position.first_damage.map_or(Ok(()), Err)
}

/// The progress of a walk over a line.
struct LinePosition {
    /// Offset of the next field.
    offset: u64,
    /// Number of bytes that must be loaded from `offset` on, so that the next field is complete.
    need: u64,
    first_damage: Option<WireError>,
}

/// Walks the fields that are complete in `bytes`.
// This function is never inlined. A browser starts with quickly compiled code, and switches to optimized code when a
// function is called again. One loop over a whole line would therefore stay slow until its end.
#[inline(never)]
fn take_fields(bytes: &[u8], position: &mut LinePosition, line: &mut Line<'_, impl Sink>) -> Result<(), WireError> {
    let (mut rest, mut offset) = (bytes, position.offset);
    position.need = 20;
    while !rest.is_empty() {
        match step(rest, offset, line)? {
            Step::Took { bytes, damage } => {
                rest = rest.get(bytes..).unwrap_or_default();
                offset = offset.saturating_add(bytes as u64);
                if let Some(error) = damage {
                    line.sink.discard();
                    position.first_damage.get_or_insert(error);
                }
            }
            Step::Needs(n) => {
                position.need = n;
                break;
            }
        }
    }
    position.offset = offset;
    Ok(())
}

/// Returns the error of a field that is incomplete at the end of its message.
#[cold]
fn incomplete(rest: Span, window: &mut Window<'_>) -> WireError {
    Walker::new(rest).next_field(window).err().unwrap_or(WireError::Ends { offset: rest.start })
}

enum Step {
    /// A field of `bytes` bytes was consumed. `damage` is the error inside of an event; such an event is left out, and
    /// the walk continues.
    Took { bytes: usize, damage: Option<WireError> },
    /// The field goes beyond the slice. Holds the number of bytes that are needed from the start of the field on.
    Needs(u64),
}

/// Reads the field at the start of `bytes`, and passes an event to the sink.
#[inline]
fn step(bytes: &[u8], offset: u64, line: &mut Line<'_, impl Sink>) -> Result<Step, WireError> {
    // The slice may be too short for a tag and a length, so more bytes are requested before this counts as damage.
    let (tag, n) = match varint(bytes) {
        Ok(ok) => ok,
        Err(BadVarint::Ends) => return Ok(Step::Needs(20)),
        Err(error) => return Err(error.position(offset)),
    };
    let (number, wire) = split_tag(tag, offset)?;
    let after_tag = bytes.get(n..).unwrap_or_default();
    if wire != 2 {
        let mut cursor = Cursor::new(bytes, offset);
        return match cursor.next_field() {
            Ok(field) => {
                field.into_iter().for_each(|field| line.describe(field));
                let bytes = usize::try_from(cursor.position().saturating_sub(offset)).unwrap_or(usize::MAX);
                Ok(Step::Took { bytes, damage: None })
            }
            Err(WireError::Ends { .. }) => Ok(Step::Needs(20)),
            Err(error) => Err(error),
        };
    }
    let (len, m) = match varint(after_tag) {
        Ok(ok) => ok,
        Err(BadVarint::Ends) => return Ok(Step::Needs(20)),
        Err(error) => return Err(error.position(offset)),
    };
    let head = n.saturating_add(m);
    let whole = len.saturating_add(head as u64);
    let end = match usize::try_from(whole) {
        Ok(end) if end <= bytes.len() => end,
        _ => return Ok(Step::Needs(whole)),
    };
    let mut damage = None;
    if number == field::EVENTS {
        line.begin();
        if line.passes_on_event(offset) {
            damage = event(Cursor::within(bytes, head, end, offset), line.sink).err();
        }
    } else {
        line.describe(Field { number, value: Value::Bytes(bytes.get(head..end).unwrap_or_default()) });
    }
    Ok(Step::Took { bytes: end, damage })
}

impl<S: Sink> Line<'_, S> {
    /// Calls `Sink::line` once: before the first event, or at the end of a line without events.
    #[inline]
    fn begin(&mut self) {
        if !self.begun {
            self.begun = true;
            self.sink.line(&self.head);
        }
    }

    /// Returns whether the next event, which starts at `offset`, is passed on.
    #[inline]
    fn passes_on_event(&mut self, offset: u64) -> bool {
        if self.n_events.is_multiple_of(EVENTS_TOGETHER) {
            self.is_passed_on = self.events.contains(offset);
        }
        self.n_events = self.n_events.wrapping_add(1);
        self.is_passed_on
    }

    /// Stores a field that is not an event.
    #[cold]
    fn describe(&mut self, Field { number, value }: Field<'_>) {
        let head = &mut self.head;
        match (number, value) {
            (field::NAME, Value::Bytes(name)) => head.name = String::from_utf8_lossy(name).into_owned(),
            (field::DISPLAY_NAME, Value::Bytes(name)) => head.display_name = String::from_utf8_lossy(name).into_owned(),
            (_, Value::Bytes(_)) => {}
            (field::ID, value) => head.id = value.bits().cast_signed(),
            (field::TIMESTAMP_NS, value) => head.timestamp_ns = value.bits().cast_signed(),
            _ => {}
        }
    }
}

/// Reads an event, and passes its stats to the sink, followed by the event itself.
#[inline]
fn event(message: Cursor<'_>, sink: &mut impl Sink) -> Result<(), WireError> {
    let event = read_event(message, |stat| sink.event_stat(stat))?;
    sink.event(event);
    Ok(())
}

/// Reads an event, and passes its stats to `on_stat`.
#[inline]
pub(crate) fn read_event<'a>(
    mut message: Cursor<'a>,
    mut on_stat: impl FnMut(stat::Stat<'a>),
) -> Result<Event, WireError> {
    const METADATA_ID: u64 = number_tag(1);
    const OFFSET_PS: u64 = number_tag(2);
    const DURATION_PS: u64 = number_tag(3);
    const STATS: u64 = bytes_tag(4);
    const NUM_OCCURRENCES: u64 = number_tag(5);
    let mut event = Event::default();
    loop {
        let start = message.position();
        match message.next_tag()? {
            None => return Ok(event),
            Some(METADATA_ID) => event.metadata_id = message.number()?.cast_signed(),
            Some(OFFSET_PS) => {
                (event.offset_ps, event.num_occurrences) = (Some(message.number()?.cast_signed()), None);
            }
            Some(DURATION_PS) => event.duration_ps = message.number()?.cast_signed(),
            Some(STATS) => {
                let len = message.message(start)?.len();
                on_stat(stat::read(message.last_message(len))?);
            }
            Some(NUM_OCCURRENCES) => {
                (event.offset_ps, event.num_occurrences) = (None, Some(message.number()?.cast_signed()));
            }
            Some(tag) => drop(message.field(tag, start)?),
        }
    }
}
