//! This module builds planes, lines and ops from a trace JSON, in the form in which they come from an XSpace.
//!
//! ```text
//!  first walk   names of processes and threads, number of events ──► Survey: the lines, and whether events are missing
//!  second walk  each event: name and arguments ──► op (few are distinct) ──► columns of its line
//!
//!  pid ─► plane   tid ─► line   name ─► op.name   args.long_name ─► op.text   args.hlo_category … ─► op.stats
//! ```
//!
//! The file is walked twice for two reasons. Names may come after the events that they name. A capture that was already
//! read as an XSpace must be detected, by its names and times, before its events are read. Each distinct text is kept
//! once, and events do not allocate memory of their own.

mod event_args;
mod fill;
mod survey;
mod tree;

pub use survey::Survey;

use super::{Builder, Note, NoteCode, Plane, Severity};
use crate::source::Stream;
use crate::wire::trace::{MAX_STRING, Outcome, walk};

/// Largest number of events that the profiler writes to trace JSON. It drops the rest.
const CAP: u64 = 1_000_000;

/// Times of two files have one origin if the differences between them vary by at most this, in ps.
const SAME_ORIGIN_PS: u128 = 1_000_000;

impl Builder<'_> {
    /// Adds the planes of a trace JSON in a second walk. `survey` is the result of the first walk over the same file.
    pub fn trace(&mut self, survey: Survey, stream: Stream<'_>) {
        let is_capped = survey.is_capped();
        let mut fill = fill::Fill::new(self, survey);
        let outcome = walk(stream, &mut fill);
        // The profiler keeps the earliest events, so a capped file lacks the end of its lines as a cut one does.
        fill.finish(is_capped || outcome.damage.is_some());
        if outcome.long_strings > 0 {
            let message = format!("{} texts are longer than {MAX_STRING} bytes and are cut.", outcome.long_strings);
            self.note(Note::new(Severity::Caution, NoteCode::LongTexts, message));
        }
    }

    /// Returns the file from which the same capture was read before, and the number of its events on planes that the
    /// trace JSON also has. Two files are the same capture if a line of the same plane and name starts at the same time
    /// (within 1 ns), or if their names differ in the ending alone, like those of profilers. Returns `None` if there is
    /// no such file.
    pub fn same_capture(&self, survey: &Survey, name: &str) -> Option<(&str, usize)> {
        let planes = &self.profile.planes;
        let named = |p: &&Plane| self.profile.files.get(p.file).is_some_and(|file| stem(file) == stem(name));
        let same_name = || planes.iter().find(named).filter(|p| !self.is_other_run(survey, p.file));
        let file = planes.iter().find(|p| survey.starts_with(p)).or_else(same_name)?.file;
        let of_file = planes.iter().filter(|p| p.file == file && survey.has_plane(&p.name));
        Some((self.profile.files.get(file)?, of_file.map(Plane::n_events).sum()))
    }

    /// Returns the file that has the name of a trace JSON but is of another run: no line starts at the time of the thread of the same
    /// name, and their times do not differ by one origin either. Returns `None` if there is no such file.
    pub fn other_run(&self, survey: &Survey, name: &str) -> Option<&str> {
        let planes = &self.profile.planes;
        if planes.iter().any(|p| survey.starts_with(p)) {
            return None;
        }
        let named = |p: &&Plane| self.profile.files.get(p.file).is_some_and(|file| stem(file) == stem(name));
        let file = planes.iter().find(named)?.file;
        self.profile.files.get(file).filter(|_| self.is_other_run(survey, file)).map(String::as_str)
    }

    fn is_other_run(&self, survey: &Survey, file: usize) -> bool {
        let of_file = self.profile.planes.iter().filter(|p| p.file == file);
        let differences: Vec<i128> = of_file.flat_map(|p| survey.start_differences(p)).collect();
        let range = differences.iter().max().zip(differences.iter().min());
        // Times of another origin differ by the same amount on every line, up to rounding.
        range.is_some_and(|(max, min)| max.abs_diff(*min) > SAME_ORIGIN_PS)
    }
}

impl Survey {
    /// Reads the names and counts the events of a trace JSON in a first walk, without storing events. Calls `progress`
    /// with the number of bytes of the source that were read.
    pub fn read(stream: Stream<'_>, progress: &mut dyn FnMut(u64)) -> (Self, Outcome) {
        let mut counting = survey::Counting::new(progress);
        let outcome = walk(stream, &mut counting);
        (counting.survey, outcome)
    }

    /// Returns whether the file has the largest number of events that the profiler writes, so that the rest is missing.
    pub const fn is_capped(&self) -> bool {
        self.n_events >= CAP
    }
}

/// Returns `dir/host` for `dir/host.trace.json.gz` and for `dir/host.xplane.pb`.
fn stem(file: &str) -> &str {
    let file = file.strip_suffix(".gz").or_else(|| file.strip_suffix(".xz")).unwrap_or(file);
    [".xplane.pb", ".trace.json", ".json"].iter().find_map(|ending| file.strip_suffix(ending)).unwrap_or(file)
}
