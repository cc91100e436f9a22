//! Builds planes, lines and ops from a trace JSON, so that all analyses find what they know from an XSpace.
//!
//! ```text
//!  first walk   names of processes and threads, how many events  ──► Survey: which lines there are, is anything cut off
//!  second walk  each event: name and arguments ──► op (distinct ones are few) ──► its line's columns
//!
//!  pid ─► plane   tid ─► line   name ─► op.name   args.long_name ─► op.text   args.hlo_category … ─► op.stats
//! ```
//!
//! Twice, because names may follow the events they name, and a capture that was read as an XSpace is reported by its names and times
//! before any event of it is taken. Texts are kept once, events allocate nothing.

mod event_args;
mod fill;
mod survey;
mod tree;

pub use survey::Survey;

use super::{Builder, Note, NoteCode, Plane, Severity};
use crate::source::Stream;
use crate::wire::trace::{MAX_STRING, Outcome, walk};

/// The most events that the profiler writes to trace JSON; the tail is dropped.
const CAP: u64 = 1_000_000;

impl Builder<'_> {
    /// Second walk over the trace JSON that `survey` was made of: adds its planes.
    pub fn trace(&mut self, survey: Survey, stream: Stream<'_>) {
        let mut fill = fill::Fill::new(self, survey);
        let outcome = walk(stream, &mut fill);
        fill.finish();
        if outcome.long_strings > 0 {
            let message = format!("{} texts are longer than {MAX_STRING} bytes and are cut.", outcome.long_strings);
            self.note(Note::new(Severity::Caution, NoteCode::LongTexts, message));
        }
    }

    /// The file from which planes of the same capture were read before, and how many events it has of the planes that
    /// the trace JSON has, too. The same capture: a line of the same plane and name starts at the same time, to the
    /// nanosecond; or it has the trace JSON's name with another ending, as profilers write them.
    pub fn same_capture(&self, survey: &Survey, name: &str) -> Option<(&str, usize)> {
        let planes = &self.profile.planes;
        let named = |p: &&Plane| self.profile.files.get(p.file).is_some_and(|file| stem(file) == stem(name));
        let file = planes.iter().find(|p| survey.starts_with(p)).or_else(|| planes.iter().find(named))?.file;
        let of_file = planes.iter().filter(|p| p.file == file && survey.has_plane(&p.name));
        Some((self.profile.files.get(file)?, of_file.map(Plane::n_events).sum()))
    }
}

impl Survey {
    /// First walk over a trace JSON: what there is, without taking any of it. `progress` hears how far in the source it is.
    pub fn read(stream: Stream<'_>, progress: &mut dyn FnMut(u64)) -> (Self, Outcome) {
        let mut counting = survey::Counting::new(progress);
        let outcome = walk(stream, &mut counting);
        (counting.survey, outcome)
    }

    /// The profiler wrote as many events as it writes at most: what came after is missing.
    pub const fn is_capped(&self) -> bool {
        self.n_events >= CAP
    }
}

/// `dir/host` of `dir/host.trace.json.gz` and of `dir/host.xplane.pb`.
fn stem(file: &str) -> &str {
    let file = file.strip_suffix(".gz").or_else(|| file.strip_suffix(".xz")).unwrap_or(file);
    [".xplane.pb", ".trace.json", ".json"].iter().find_map(|ending| file.strip_suffix(ending)).unwrap_or(file)
}
