//! This module declares the columns of the table of events.

use super::event_report::EventRow;
use crate::analysis::classify::Kind;
use crate::table::columns;
use crate::table::page::{Mark, Name};
use crate::table::shown::{Format, RowTip, Shown, Table, TipLine};

columns! {
    /// The columns of events. Times are displayed times, in ps on the axis of the session.
    pub EVENTS(row: EventRow) {
        /// Name of the event.
        name: Name(Op) = &row.name,
        /// Name of the line, with its plane.
        line: Name(Device) = &row.track,
        /// The kind of the op. Null if the line has no ops.
        kind: Labelled(Kind) or null = row.kind,
        /// Start of the event.
        start_ps: Time = row.start,
        /// Time from the start to the end of the event.
        duration_ps: Time = row.duration(),
    }
}

pub const EVENT_TABLE: Table<EventRow> = Table {
    columns: EVENTS,
    shown: &[
        Shown::name("name", "Event"),
        Shown::new("line", "Line", Format::Soft, 26, 2),
        Shown::new("kind", "Kind", Format::Text, 15, 3),
        Shown::new("start_ps", "Start", Format::Time, 13, 1),
        Shown::new("duration_ps", "Duration", Format::Time, 12, 0).with_total(),
    ],
    tips: &[RowTip::of_all(&[
        TipLine::new("line", "Line"),
        TipLine::new("kind", "Kind"),
        TipLine::new("start_ps", "Start"),
        TipLine::new("duration_ps", "Duration"),
    ])],
    key: EventRow::key,
    name: |row, _| Name {
        text: row.name.clone(),
        mono: true,
        mark: mark(row),
        second: Some((None, row.track.clone())),
        ..Name::default()
    },
    mark,
    opens: |_| true,
    parts: |_| Vec::new(),
    nouns: ("event", "events"),
    default_sort: "duration_ps",
    leaf: &["name"],
};

/// Returns the swatch of an op.
fn mark(row: &EventRow) -> Option<Mark> {
    row.kind.map(|kind| Mark::Time(kind.class().to_owned()))
}
