//! This module walks a trace JSON from front to back and passes its events to a [`Sink`], one by one.
//!
//! ```text
//!  Source ──► Stream ──► Text ──────────────► walk ──► Sink::arg, arg, …, event
//!             gzip       strings, literals     objects of traceEvents, or of a bare array
//! ```
//!
//! The module does not depend on planes, lines or ops. The names of processes and threads are events like all others
//! and may come last, so a caller that needs the names first walks the file twice. Only the current event is in memory.
//!
//! The module does not use `serde_json`, for four reasons: its error for a cut file is a line and a column, although
//! the whole file is often one line; it refuses a trailing comma; its numbers are doubles, which lose picoseconds and
//! need tables of 10 kB in the page; and it has no limit for the length of strings.

mod decimal;
mod event;
mod sink;
mod text;

pub use decimal::scaled;
pub use sink::{Event, Id, Sink};
pub use text::{MAX_STRING, SyntaxError};

use crate::source::Stream;
use text::Text;

/// The result of a walk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// A list of events was found.
    pub found: bool,
    /// Number of events; empty objects do not count.
    pub n_events: u64,
    /// Number of values in the list of events that are not objects.
    pub n_non_objects: u64,
    /// Number of strings of which only the first [`MAX_STRING`] bytes were kept.
    pub long_strings: u64,
    /// The file has fields beside its events that PyTorch's profiler (Kineto) writes and XLA's does not.
    pub has_kineto_fields: bool,
    /// The reason why the walk ended early; `None` if it reached the end.
    pub damage: Option<Damage>,
}

/// Fields that Kineto writes beside the list of events.
const KINETO_FIELDS: [&[u8]; 2] = [b"schemaVersion", b"deviceProperties"];

/// The reason why a walk ended before the end of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Offset in the (unpacked) text.
    pub offset: u64,
    pub why: SyntaxError,
    /// The error of the source, if the source failed.
    pub source: Option<String>,
}

/// Walks a whole trace and passes its events to `sink`. The function does not return errors; damage is part of the
/// outcome.
pub fn walk(stream: Stream<'_>, sink: &mut dyn Sink) -> Outcome {
    let mut text = Text::new(stream);
    let mut outcome = Outcome::default();
    let walked = top(&mut text, &mut outcome, sink).and_then(|()| match (text.token(), &text.failed) {
        // The source failed before its end, where a packed file has its checksum.
        (None, Some(_)) => Err(SyntaxError::Ends),
        _ => Ok(()),
    });
    if walked.is_err() {
        sink.discard();
    }
    outcome.long_strings = text.long_strings;
    outcome.damage = walked.err().map(|why| Damage { offset: text.position(), why, source: text.failed.take() });
    sink.progress(text.source_at());
    outcome
}

fn top(text: &mut Text<'_>, outcome: &mut Outcome, sink: &mut dyn Sink) -> Result<(), SyntaxError> {
    text.skip_mark();
    if text.token() == Some(b'[') {
        return events(text, outcome, sink);
    }
    text.expect(b'{')?;
    let mut key = Vec::new();
    while text.token() != Some(b'}') {
        text.string(&mut key)?;
        text.expect(b':')?;
        if key == b"traceEvents" && text.token() == Some(b'[') {
            events(text, outcome, sink)?;
        } else {
            outcome.has_kineto_fields |= KINETO_FIELDS.contains(&&key[..]);
            text.skip()?;
        }
    }
    text.expect(b'}')
}

/// Reads the list of events whose bracket is the next token.
fn events(text: &mut Text<'_>, outcome: &mut Outcome, sink: &mut dyn Sink) -> Result<(), SyntaxError> {
    text.expect(b'[')?;
    outcome.found = true;
    let mut fields = event::Fields::default();
    let mut reported = 0;
    loop {
        match text.token() {
            Some(b'{') => {
                let is_event = event::read(text, &mut fields, sink)?;
                outcome.n_events = outcome.n_events.saturating_add(u64::from(is_event));
            }
            Some(b']') => return text.expect(b']'),
            _ => {
                text.skip()?;
                outcome.n_non_objects = outcome.n_non_objects.saturating_add(1);
            }
        }
        let offset = text.source_at();
        if offset != reported {
            sink.progress(offset);
            reported = offset;
        }
    }
}
