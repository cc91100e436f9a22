//! This module limits the number of planes and lines in proportion to the size of the files.
//!
//! A plane or a line takes some hundred bytes in memory, and a device takes some thousand once it is analysed. An empty
//! plane takes only five bytes in a file. No profiler writes more than a few thousand planes and lines, and each has
//! kilobytes of events. Further planes and lines are counted in a note, so that a file of a few megabytes cannot take
//! gigabytes of memory.

use super::{Note, NoteCode, Severity};
use serde::{Deserialize, Serialize};

/// Number of planes and lines that are listed for a file of any size.
const ALWAYS: u64 = 1 << 14;

/// Number of unpacked bytes for each further plane or line.
const BYTES: u64 = 1024;

/// Returns the largest number of planes and lines that are listed for so many unpacked bytes.
pub const fn max_listed(bytes: u64) -> u64 {
    ALWAYS + bytes / BYTES
}

/// The counts of planes and lines that are listed and left out.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct ListingLimit {
    bytes: u64,
    listed: u64,
    /// Number of planes and lines without events that are not listed.
    empty: u64,
    /// Number of lines with events that are left out.
    lines: u64,
    /// Number of events that are left out.
    events: u64,
}

impl ListingLimit {
    /// Adds bytes that were read, in unpacked form.
    pub(super) const fn read(&mut self, bytes: u64) {
        self.bytes = self.bytes.saturating_add(bytes);
    }

    /// Returns the number of planes and lines that may still be listed.
    pub(super) const fn left(&self) -> u64 {
        max_listed(self.bytes).saturating_sub(self.listed)
    }

    /// Counts a plane or a line as listed. Returns `false` if the limit is reached.
    pub(super) const fn take(&mut self) -> bool {
        let has_room = self.left() > 0;
        self.listed += has_room as u64;
        has_room
    }

    /// Counts a plane or a line with `events` events as left out.
    pub(super) const fn leave_out(&mut self, events: u64) {
        if events == 0 {
            self.empty += 1;
        } else {
            self.lines += 1;
            self.events += events;
        }
    }

    /// Counts an event as left out, because its line is not listed.
    pub(super) const fn leave_out_event(&mut self) {
        self.events += 1;
    }

    /// Returns whether all planes and lines of the parts may be listed for a file of any size.
    pub(super) fn has_room_for<'a>(&self, parts: impl Iterator<Item = &'a Self>) -> bool {
        let mut listed = self.listed;
        for part in parts {
            listed += part.listed;
            if part.empty > 0 || part.events > 0 || part.lines > 0 {
                return false;
            }
        }
        listed <= ALWAYS
    }

    /// Adds the counts of planes that were read apart.
    pub(super) const fn add(&mut self, part: &Self) {
        self.read(part.bytes);
        self.listed += part.listed;
    }

    /// Returns notes on the planes, lines and events that are left out.
    pub(super) fn notes(&self) -> Vec<Note> {
        let mut notes = Vec::new();
        if self.empty > 0 {
            let message = format!("{} further planes and lines without events are not listed.", self.empty);
            notes.push(Note::new(Severity::Info, NoteCode::PlanesNotListed, message));
        }
        if self.events > 0 {
            let lines = if self.lines > 0 { format!(" of {} further lines", self.lines) } else { String::new() };
            let message = format!(
                "{} events{lines} are left out, because the capture has more processes and threads than its size justifies.",
                self.events
            );
            notes.push(Note::new(Severity::Partial, NoteCode::LinesLeftOut, message));
        }
        notes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listing_limit_grows_with_the_bytes() {
        let mut limit = ListingLimit::default();
        let listed = |limit: &mut ListingLimit| (0..200_000).filter(|_| limit.take()).count() as u64;
        assert_eq!(listed(&mut limit), ALWAYS);
        assert!(limit.notes().is_empty());
        limit.read(10 * BYTES);
        assert_eq!(listed(&mut limit), 10);
        limit.leave_out(0);
        limit.leave_out(3);
        limit.leave_out_event();
        let codes: Vec<String> = limit.notes().into_iter().map(|note| note.message).collect();
        assert!(
            codes[0].starts_with("1 further planes and lines") && codes[1].starts_with("4 events of 1 further"),
            "{codes:?}"
        );
    }
}
