//! This module defines the records of an XSpace, and the trait [`Sink`] that receives them from the walk.
use super::stat::Stat;
use crate::wire::error::WireError;
use crate::wire::window::{Span, SpanValue, Walker, Window};

/// The fields of a plane, without its metadata and its lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlaneHead {
    pub id: i64,
    /// Name of the plane; bytes that are not UTF-8 are replaced.
    pub name: String,
    /// Number of event metadata entries.
    pub n_event_metadata: usize,
    pub n_lines: usize,
    /// Size of the plane in the file.
    pub bytes: u64,
    /// The walk leaves out events at the start of the plane, because another walk has passed them on.
    pub continues: bool,
    /// The walk leaves out events at the end of the plane, because another walk passes them on.
    pub is_continued: bool,
}

/// The fields of a line, without its events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineHead {
    /// Id of the line, which may be negative.
    pub id: i64,
    pub name: String,
    /// Name for display; empty if there is none.
    pub display_name: String,
    /// Start of the line's time, in ns.
    pub timestamp_ns: i64,
    /// Size of the line in the file. A line whose events are all left out has no fields and no size.
    pub bytes: u64,
}

/// An event without its stats. Times are the signed numbers of the file, unchecked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// Key of the event metadata.
    pub metadata_id: i64,
    /// Start, in ps after the timestamp of the line; `None` for an aggregated event.
    pub offset_ps: Option<i64>,
    pub duration_ps: i64,
    /// Number of occurrences of an aggregated event, which has no offset.
    pub num_occurrences: Option<i64>,
}

/// A receiver of the records of an XSpace. The calls for a plane come in this order: `plane`; each `stat_name`; each
/// `plane_stat` and `event_metadata` (followed by its `metadata_stat`s); the lines; `plane_end`. The calls for a line
/// are `line`, then for each event its `event_stat`s and `event` (or `discard`), then `line_end`.
pub trait Sink {
    /// Receives the fields of a plane at its begin.
    fn plane(&mut self, head: PlaneHead);
    /// Receives the name of a stat. Stats refer to it by `id`.
    fn stat_name(&mut self, id: i64, name: &str);
    /// Receives a stat of the plane.
    fn plane_stat(&mut self, stat: Stat<'_>);
    /// Receives event metadata, to which events refer by `id`. `name` may be a whole HLO text, and `display_name` may
    /// be empty.
    fn event_metadata(&mut self, id: i64, name: &str, display_name: &str);
    /// Receives a stat of the event metadata that came last.
    fn metadata_stat(&mut self, stat: Stat<'_>);
    /// Receives the fields of a line at its begin. Fields that come after the first event in the file are absent here;
    /// `line_end` has all of them.
    fn line(&mut self, head: &LineHead);
    /// Receives a stat of the event that comes next.
    fn event_stat(&mut self, stat: Stat<'_>);
    /// Receives an event, whose stats have come before.
    fn event(&mut self, event: Event);
    /// Drops the stats that came last, because their event is damaged.
    fn discard(&mut self);
    /// Receives all fields of the line at its end, or at its damage.
    fn line_end(&mut self, head: &LineHead);
    /// Ends the plane, which may be damaged.
    fn plane_end(&mut self);
    /// Receives an error, a warning or a host name of the XSpace.
    fn space_field(&mut self, field: SpaceField);
    /// Receives the offset that the walk has reached, about once per MiB and after each plane.
    fn progress(&mut self, offset: u64);
}

/// A field of an XSpace that is not a plane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpaceField {
    /// An error of the profiler.
    Error(String),
    /// A warning of the profiler.
    Warning(String),
    /// Name of a host that took part.
    Host(String),
}

/// A part of an XSpace that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Index of the plane, counted from 0 in the file; `None` between planes.
    pub plane: Option<usize>,
    /// Name of the plane; empty if it is not known.
    pub plane_name: String,
    /// Name of the line; `None` if the damage is not inside of a line.
    pub line: Option<String>,
    pub error: WireError,
    /// The file is truncated, and the data before its end is correct.
    pub cut: bool,
}

/// The result of a walk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Number of planes, damaged ones included.
    pub n_planes: usize,
    /// The first [`Outcome::MAX_DAMAGE`] damaged parts, in the order of the file.
    pub damage: Vec<Damage>,
    /// Number of all damaged parts.
    pub n_damage: usize,
}

impl Outcome {
    /// Largest number of damaged parts in [`Outcome::damage`].
    pub const MAX_DAMAGE: usize = 20;

    pub(super) fn add(&mut self, damage: Damage) {
        self.n_damage = self.n_damage.saturating_add(1);
        if self.damage.len() < Self::MAX_DAMAGE {
            self.damage.push(damage);
        }
    }
}

/// A field of a message. `clipped` is the error of a field whose length goes beyond the message; its `value` then ends
/// at the end of the message.
pub(crate) struct Next {
    pub(crate) number: u32,
    pub(crate) value: SpanValue,
    pub(crate) clipped: Option<WireError>,
}

/// Returns the next field, or `None` at the end. With `clip`, the message itself is cut, so its last field is too: a
/// field whose length goes beyond the message ends with the message, and [`Next::clipped`] holds the error.
pub(crate) fn next_or_clipped(
    walker: &mut Walker,
    message: Span,
    window: &mut Window<'_>,
    clip: bool,
) -> Result<Option<Next>, WireError> {
    let offset = walker.position();
    match walker.next_field(window) {
        Ok(None) => Ok(None),
        Ok(Some((number, value))) => Ok(Some(Next { number, value, clipped: None })),
        Err(error @ WireError::Length { left, .. }) if clip && left > 0 => {
            let start = message.end.saturating_sub(left);
            let (tag, _) =
                super::super::cursor::varint(window.ahead(offset, message.end, 20)?).map_err(|e| e.position(offset))?;
            let (number, _) = super::super::cursor::split_tag(tag, offset)?;
            walker.seek(message.end);
            let value = SpanValue::Span(Span { start, end: message.end });
            Ok(Some(Next { number, value, clipped: Some(error) }))
        }
        Err(error) => Err(error),
    }
}

/// Returns the text in a span; bytes that are not UTF-8 are replaced.
pub(crate) fn text(span: Span, window: &mut Window<'_>) -> Result<String, WireError> {
    Ok(String::from_utf8_lossy(window.bytes(span)?).into_owned())
}
