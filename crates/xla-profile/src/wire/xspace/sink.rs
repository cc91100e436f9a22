//! The records of an XSpace as the walk hands them over, and the trait that takes them.
use super::stat::Stat;
use crate::wire::error::WireError;
use crate::wire::window::{Span, SpanValue, Walker, Window};

/// What a plane says of itself before its parts come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaneHead {
    /// Its id.
    pub id: i64,
    /// Its name; bytes that are not UTF-8 are replaced.
    pub name: String,
    /// How many event metadata entries follow.
    pub n_event_metadata: usize,
    /// How many lines follow.
    pub n_lines: usize,
    /// Bytes of the whole plane.
    pub bytes: u64,
}

/// What a line says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineHead {
    /// Its id; may be negative.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// The name to show, where given.
    pub display_name: String,
    /// Where the line's time starts, ns.
    pub timestamp_ns: i64,
    /// Bytes of the whole line.
    pub bytes: u64,
}

/// One event without its stats. Times are the wire's signed numbers, unchecked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// Key of its metadata.
    pub metadata_id: i64,
    /// Picoseconds after the line's timestamp; `None` on aggregated events.
    pub offset_ps: Option<i64>,
    /// Picoseconds.
    pub duration_ps: i64,
    /// Set on aggregated events instead of an offset.
    pub num_occurrences: Option<i64>,
}

/// Builds something from what the walk finds. Calls come in this order per plane: `plane`, `stat_name`s,
/// then `plane_stat`s and `event_metadata` (each followed by its `metadata_stat`s), then per line `line`, for each event
/// its `event_stat`s followed by `event` (or `discard`), and `line_end`, then `plane_end`.
pub trait Sink {
    /// A plane begins.
    fn plane(&mut self, head: PlaneHead);
    /// A stat's name, by id. Later references to the id mean this name.
    fn stat_name(&mut self, id: i64, name: &str);
    /// A stat of the plane.
    fn plane_stat(&mut self, stat: Stat<'_>);
    /// Metadata that events may refer to: `name` may be a whole HLO text, `display_name` empty.
    fn event_metadata(&mut self, id: i64, name: &str, display_name: &str);
    /// A stat of the metadata named last.
    fn metadata_stat(&mut self, stat: Stat<'_>);
    /// A line begins. `head` is what it says of itself before its first event: writers put its name there, but need not.
    fn line(&mut self, head: &LineHead);
    /// A stat of the event that `event` will complete.
    fn event_stat(&mut self, stat: Stat<'_>);
    /// An event.
    fn event(&mut self, event: Event);
    /// The event whose stats came last is damaged and will not come.
    fn discard(&mut self);
    /// The line is complete, or as complete as it gets: all that it says of itself.
    fn line_end(&mut self, head: &LineHead);
    /// The plane is complete, or as complete as it gets.
    fn plane_end(&mut self);
    /// Errors, warnings and host names of the XSpace itself.
    fn space_field(&mut self, field: SpaceField);
    /// About once per megabyte: how far the walk is.
    fn progress(&mut self, at: u64);
}

/// A field of an XSpace beside its planes, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpaceField {
    /// The profiler reports an error.
    Error(String),
    /// The profiler reports a warning.
    Warning(String),
    /// A host that took part.
    Host(String),
}

/// Something that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Index of the plane, counted from 0 in the file; `None` between planes.
    pub plane: Option<usize>,
    /// Its name as far as known.
    pub plane_name: String,
    /// Name of the line, where it is inside one.
    pub line: Option<String>,
    /// What is wrong.
    pub error: WireError,
    /// The data simply stops there (a truncated file), rather than being wrong.
    pub cut: bool,
}

/// What became of the walk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Planes seen, damaged ones included.
    pub n_planes: usize,
    /// Damage, in file order; the first [`Outcome::MAX_DAMAGE`] places.
    pub damage: Vec<Damage>,
    /// How many places of damage there are in all.
    pub n_damage: usize,
}

impl Outcome {
    /// How many places of damage are kept in words.
    pub const MAX_DAMAGE: usize = 20;

    pub(super) fn add(&mut self, damage: Damage) {
        self.n_damage = self.n_damage.saturating_add(1);
        if self.damage.len() < Self::MAX_DAMAGE {
            self.damage.push(damage);
        }
    }
}

/// A field whose length may have been clipped to what is there.
pub(super) struct Next {
    pub(super) number: u32,
    pub(super) value: SpanValue,
    pub(super) clipped: Option<WireError>,
}

/// The next field. Where its length goes beyond the message and `clip` is set (the message itself is cut, so its
/// last field must be), the field is taken up to the message's end and the error rides along.
pub(super) fn next_or_clipped(
    walker: &mut Walker,
    message: Span,
    window: &mut Window<'_>,
    clip: bool,
) -> Result<Option<Next>, WireError> {
    let at = walker.position();
    match walker.next_field(window) {
        Ok(None) => Ok(None),
        Ok(Some((number, value))) => Ok(Some(Next { number, value, clipped: None })),
        Err(error @ WireError::Length { left, .. }) if clip && left > 0 => {
            let start = message.end.saturating_sub(left);
            let (tag, _) =
                super::super::cursor::varint(window.ahead(at, message.end, 20)?).map_err(|e| e.position(at))?;
            let (number, _) = super::super::cursor::split_tag(tag, at)?;
            walker.seek(message.end);
            let value = SpanValue::Span(Span { start, end: message.end });
            Ok(Some(Next { number, value, clipped: Some(error) }))
        }
        Err(error) => Err(error),
    }
}

/// Text of a span; bytes that are not UTF-8 are replaced.
pub(super) fn text(span: Span, window: &mut Window<'_>) -> Result<String, WireError> {
    Ok(String::from_utf8_lossy(window.bytes(span)?).into_owned())
}
