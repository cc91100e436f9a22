//! This module declares the columns of the tables of gaps.

use super::report::{ClassTime, Gap, GapClass, HostEvent};
use crate::table::Column;
use crate::table::Value::{self, Count, Executions, Ranked, Record, Time};

/// The columns of classes.
pub const CLASSES: &[Column<ClassTime>] = &[
    Column::new("class", |row| class(row.class)),
    Column::new("total_ps", |row| Time(row.total)),
    Column::new("n_gaps", |row| Executions(row.n)),
];

/// The columns of gaps.
pub const GAPS: &[Column<Gap>] = &[
    Column::new("device", |row| Value::text(&row.device)),
    Column::new("step", |row| Value::maybe(row.step, Count)),
    Column::new("start_ps", |row| Time(row.start)),
    Column::new("total_ps", |row| Time(row.total)),
    Column::new("class", |row| class(row.main_class())),
    Column::json("parts", |row| Value::List(row.parts.iter().map(part).collect())),
    Column::new("after", |row| Value::maybe_text(row.after.as_deref())),
    Column::new("before", |row| Value::maybe_text(row.before.as_deref())),
    Column::new("program", |row| Value::maybe_text(row.program.as_deref())),
    Column::json("host_events", |row| Value::records(HOST_EVENTS, &row.host_events)),
    Column::new("untraced_thread", |row| Value::maybe_text(row.untraced.as_ref().map(|of| &*of.thread))),
    Column::new("untraced_ps", |row| Value::maybe(row.untraced.as_ref().map(|of| of.total), Time)),
    Column::csv("host_event", |row| Value::maybe_text(row.host_events.first().map(|event| &*event.name))),
];

const HOST_EVENTS: &[Column<HostEvent>] =
    &[Column::new("name", |row| Value::text(&row.name)), Column::new("total_ps", |row| Time(row.total))];

fn class<'r>(class: GapClass) -> Value<'r> {
    Ranked(class as u8, class.key(), class.label())
}

fn part<'r>((of, total): &(GapClass, crate::units::Picos)) -> Value<'r> {
    Record(vec![("class".into(), class(*of)), ("total_ps".into(), Time(*total))])
}
