//! This module declares the columns of the table of events.

use super::event_report::EventRow;
use crate::table::Column;
use crate::table::Value::{self, Absent, Labelled, Time};
use crate::table::page::{Mark, Name};
use crate::table::shown::{Format, RowTip, Shown, Table, TipLine};

/// The columns of events. Times are displayed times, in ps on the axis of the session.
pub const EVENTS: &[Column<EventRow>] = &[
    Column::new("name", |row| Value::text(&row.name)),
    Column::new("line", |row| Value::text(&row.track)),
    Column::new("kind", |row| row.kind.map_or(Absent, |kind| Labelled(kind.key(), kind.label()))),
    Column::new("start_ps", |row| Time(row.start)),
    Column::new("duration_ps", |row| Time(row.duration())),
];

/// The table of events.
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
