//! This module declares the fields of the contents of files: files, and the lines and stats of planes.

use super::{FileInfo, FileLine, LineUse, StatUse};
use crate::table::columns;

columns! {
    /// The fields of a file.
    pub FILES(row: FileInfo) {
        /// Name of the file, with its folder if it was opened with one.
        name: Name(File) in json = &row.name,
        /// The format in words, such as `XSpace, gzip`.
        format: Text in json = &row.format,
        /// Stored bytes of the file.
        size_bytes: Bytes in json = row.bytes,
    }

    /// The fields of a stat of events and of metadata.
    pub STAT_COUNTS(row: StatUse) {
        /// Number of its occurrences on events.
        on_events: Count in json = row.on_events,
        /// Number of its occurrences on metadata of events.
        on_metadata: Count in json = row.on_metadata,
    }

    /// The fields of a line.
    pub LINES(row: FileLine) {
        /// Name of the line.
        name: Text in json = &row.name,
        /// The display name. Null if it is the name, or if there is none.
        display_name: Text or null in json = row.display_name.as_deref(),
        /// The id in the file.
        id: Integer in json = row.id,
        /// Start of the line's time, in ns.
        timestamp_ns: Integer in json = row.timestamp_ns,
        /// Number of its events.
        n_events: Count in json = row.n_events,
        /// Number of its bytes.
        size_bytes: Bytes in json = row.bytes,
        /// The first start and the last end on the event clock, after `origin_ns` of the plane. Null without events.
        span_ps: Pair or null in json = row.span.map(|(start, end)| (start.0, end.0)),
        /// Whether every event has a time on the clock of the device.
        device_clock: Flag in json = row.device_clock,
        /// What the events are used for. `gaps` are the threads of a host and the waits of runs, which tell what a
        /// device waited for.
        used_for: Word(LineUse) in json = row.used,
    }
}
