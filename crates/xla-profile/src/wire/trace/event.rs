//! This module reads one event of a trace JSON: its fields and its arguments.

use super::text::{SyntaxError, Text};
use super::{Event, Id, Sink, scaled};

/// The texts of the current event. The buffers are reused for the next event, so that events do not allocate.
#[derive(Default)]
pub(super) struct Fields {
    key: Vec<u8>,
    value: Vec<u8>,
    phase: Vec<u8>,
    process: Vec<u8>,
    thread: Vec<u8>,
    start: Vec<u8>,
    duration: Vec<u8>,
    name: Vec<u8>,
    id: Vec<u8>,
}

impl Fields {
    fn clear(&mut self) {
        let Self { phase, process, thread, start, duration, name, id, .. } = self;
        for field in [phase, process, thread, start, duration, name, id] {
            field.clear();
        }
    }
}

/// Reads the object whose brace is the next token, and passes it to the sink. Returns `false` for an empty object,
/// which is not an event: writers put one at the end of the list.
pub(super) fn read(text: &mut Text<'_>, fields: &mut Fields, sink: &mut dyn Sink) -> Result<bool, SyntaxError> {
    let start = text.position();
    text.expect(b'{')?;
    fields.clear();
    let mut is_empty = true;
    while text.token() != Some(b'}') {
        is_empty = false;
        text.string(&mut fields.key)?;
        text.expect(b':')?;
        let field = match fields.key.as_slice() {
            b"ph" => &mut fields.phase,
            b"pid" => &mut fields.process,
            b"tid" => &mut fields.thread,
            b"ts" => &mut fields.start,
            b"dur" => &mut fields.duration,
            b"name" => &mut fields.name,
            b"id" => &mut fields.id,
            b"args"
                if text.token() == Some(b'{')
                    && sink.wants_args(phase(&fields.phase), id(&fields.process), id(&fields.thread)) =>
            {
                args(text, fields, sink)?;
                continue;
            }
            _ => {
                text.skip()?;
                continue;
            }
        };
        text.scalar(field)?;
    }
    text.expect(b'}')?;
    if is_empty {
        return Ok(false);
    }
    sink.event(&Event {
        phase: phase(&fields.phase),
        process: id(&fields.process),
        thread: id(&fields.thread),
        // Times are in µs, and the sixth decimal of a µs is a ps.
        start_ps: scaled(&fields.start, 6),
        duration_ps: scaled(&fields.duration, 6),
        name: &fields.name,
        id: &fields.id,
        bytes: text.position().saturating_sub(start),
    });
    Ok(true)
}

fn args(text: &mut Text<'_>, fields: &mut Fields, sink: &mut dyn Sink) -> Result<(), SyntaxError> {
    text.expect(b'{')?;
    while text.token() != Some(b'}') {
        text.string(&mut fields.key)?;
        text.expect(b':')?;
        if !sink.wants(&fields.key) {
            text.skip()?;
        } else if text.scalar(&mut fields.value)? {
            sink.arg(&fields.value);
        }
    }
    text.expect(b'}')
}

fn phase(text: &[u8]) -> u8 {
    text.first().copied().unwrap_or_default()
}

fn id(text: &[u8]) -> Id<'_> {
    if text.is_empty() {
        return Id::Number(0);
    }
    scaled(text, 0).and_then(|n| i64::try_from(n).ok()).map_or(Id::Text(text), Id::Number)
}
