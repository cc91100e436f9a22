//! Walks a trace JSON and hands its events to a [`Sink`], one by one, from front to back.
//!
//! ```text
//!  Source ──► Stream ──► Text ──────────────► walk ──► Sink::arg, arg, …, event
//!             gzip       strings, literals     objects of traceEvents, or of a bare array
//! ```
//!
//! Knows how events lie in JSON; knows no plane, line or op. Names of processes and threads are events like all
//! others and may come last, so whoever needs them first walks twice. Nothing of a text is held but the current event.
//!
//! Not `serde_json`, which this crate writes JSON with: of a cut file it says a line and column where all is one line; it takes
//! no trailing comma; it makes numbers doubles, which lose picoseconds and need tables of 10 kB in the page; and strings have no
//! bound there.

mod decimal;
mod event;
mod sink;
mod text;

pub use decimal::scaled;
pub use sink::{Event, Id, Sink};
pub use text::{MAX_STRING, SyntaxError};

use crate::source::Stream;
use text::Text;

/// What became of the walk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// A list of events was found.
    pub found: bool,
    /// Events walked, empty objects not counted.
    pub n_events: u64,
    /// What stands among the events and is none.
    pub n_odd: u64,
    /// Strings of which only the first [`MAX_STRING`] bytes were kept.
    pub long_strings: u64,
    /// Where it ended early, if it did.
    pub damage: Option<Damage>,
}

/// Why and where a walk ended before the text did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Byte of the (unpacked) text.
    pub at: u64,
    /// What is wrong there.
    pub why: SyntaxError,
    /// The source itself broke there: what it says.
    pub source: Option<String>,
}

/// Walks a whole trace. Never fails as a whole: what is wrong stands in the outcome.
pub fn walk(stream: Stream<'_>, sink: &mut dyn Sink) -> Outcome {
    let mut text = Text::new(stream);
    let mut outcome = Outcome::default();
    let walked = top(&mut text, &mut outcome, sink).and_then(|()| match (text.token(), &text.failed) {
        // Its end was never seen: of a packed file the checksum lies there.
        (None, Some(_)) => Err(SyntaxError::Ends),
        _ => Ok(()),
    });
    if walked.is_err() {
        sink.discard();
    }
    outcome.long_strings = text.long_strings;
    outcome.damage = walked.err().map(|why| Damage { at: text.position(), why, source: text.failed.take() });
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
            text.skip()?;
        }
    }
    text.expect(b'}')
}

/// The list whose bracket is next.
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
                outcome.n_odd = outcome.n_odd.saturating_add(1);
            }
        }
        let at = text.source_at();
        if at != reported {
            sink.progress(at);
            reported = at;
        }
    }
}
