//! How many planes and lines are listed: in proportion to the bytes that say them.
//!
//! A plane and a line take some hundred bytes in memory, however few they take in a file: five bytes are a plane without anything in
//! it. No profiler writes more than a few thousand of them, and each has kilobytes of events. What goes beyond is counted and said
//! in a note, so that a file of a few megabytes cannot take gigabytes.

use super::{Note, NoteCode, Severity};

/// Planes and lines of a session that are listed whatever its size.
const ALWAYS: u64 = 1 << 15;

/// One more for so many bytes.
const BYTES: u64 = 512;

/// What is listed, and what is not.
#[derive(Default)]
pub(super) struct Room {
    bytes: u64,
    listed: u64,
    /// Planes and lines without events that are not listed.
    empty: u64,
    /// Lines with events that are not read, and their events.
    lines: u64,
    events: u64,
}

impl Room {
    /// So many bytes more were read, unpacked.
    pub(super) const fn read(&mut self, bytes: u64) {
        self.bytes = self.bytes.saturating_add(bytes);
    }

    /// How many more are listed.
    pub(super) const fn left(&self) -> u64 {
        (ALWAYS + self.bytes / BYTES).saturating_sub(self.listed)
    }

    /// Takes room for a plane or a line; whether there is any.
    pub(super) const fn take(&mut self) -> bool {
        let has_room = self.left() > 0;
        self.listed += has_room as u64;
        has_room
    }

    /// There is none for a plane or a line with so many events.
    pub(super) const fn leave_out(&mut self, events: u64) {
        if events == 0 {
            self.empty += 1;
        } else {
            self.lines += 1;
            self.events += events;
        }
    }

    /// There is none for an event of a line that has none.
    pub(super) const fn leave_out_event(&mut self) {
        self.events += 1;
    }

    /// What is not listed.
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
    fn what_is_listed_grows_with_the_bytes() {
        let mut room = Room::default();
        let listed = |room: &mut Room| (0..200_000).filter(|_| room.take()).count() as u64;
        assert_eq!(listed(&mut room), ALWAYS);
        assert!(room.notes().is_empty());
        room.read(10 * BYTES);
        assert_eq!(listed(&mut room), 10);
        room.leave_out(0);
        room.leave_out(3);
        room.leave_out_event();
        let codes: Vec<String> = room.notes().into_iter().map(|note| note.message).collect();
        assert!(
            codes[0].starts_with("1 further planes and lines") && codes[1].starts_with("4 events of 1 further"),
            "{codes:?}"
        );
    }
}
