//! Walks an XSpace and hands what it finds to a [`Sink`], in an order that a model can be built from.
//!
//! On the wire a plane's lines come *before* the metadata that names their events, so a plane is walked more
//! than once, by place; only single records are held:
//!
//! ```text
//!  plane ─┬─ 1. fields by place: name, stat names, where lines and metadata lie, how many
//!         ├─ 2. event metadata and plane stats          → Sink::event_metadata, metadata_stat, plane_stat
//!         └─ 3. each line, once                         → Sink::line, event_stat, event, line_end
//! ```
//!
//! Damage does not end the walk where the bytes allow going on: a plane or line that is cut or wrong keeps
//! what came before, and is reported. Two concatenated XSpaces are one XSpace: nothing here minds.

mod line;
mod plane;
mod stat;

pub use stat::{Stat, StatValue};

use super::{Span, SpanValue, Walker, Window, WireError};
use crate::source::Source;

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

    fn add(&mut self, damage: Damage) {
        self.n_damage = self.n_damage.saturating_add(1);
        if self.damage.len() < Self::MAX_DAMAGE {
            self.damage.push(damage);
        }
    }
}

/// Walks a whole XSpace. Never fails as a whole: what is wrong stands in the outcome.
pub fn walk(source: &dyn Source, sink: &mut impl Sink) -> Outcome {
    walk_without(source, &[], sink)
}

/// What planes an XSpace has, without what is in them; what is damaged is passed over.
pub fn planes(source: &dyn Source) -> Vec<PlaneHead> {
    let mut window = Window::new(source);
    let whole = window.whole();
    let mut walker = Walker::new(whole);
    let mut found = Vec::new();
    while let Ok(Some(next)) = next_or_clipped(&mut walker, whole, &mut window, true) {
        if let Next { number: 1, value: SpanValue::Span(span), clipped } = next {
            found.push(plane::head(span, clipped.is_some(), &mut window));
        }
    }
    found
}

/// Walks an XSpace but for some planes, by their place in the file.
pub fn walk_without(source: &dyn Source, without: &[u32], sink: &mut impl Sink) -> Outcome {
    let mut window = Window::new(source);
    let mut outcome = Outcome::default();
    let whole = window.whole();
    let mut walker = Walker::new(whole);
    loop {
        match next_or_clipped(&mut walker, whole, &mut window, true) {
            Ok(None) => return outcome,
            Ok(Some(Next { number: 1, value: SpanValue::Span(span), clipped })) => {
                let index = outcome.n_planes;
                outcome.n_planes = index.saturating_add(1);
                if !without.iter().any(|other| usize::try_from(*other) == Ok(index)) {
                    plane::walk(span, index, clipped, &mut window, sink, &mut outcome);
                }
                sink.progress(span.end);
            }
            Ok(Some(Next { number, value: SpanValue::Span(span), clipped })) => {
                if let Some(error) = clipped {
                    outcome.add(Damage { plane: None, plane_name: String::new(), line: None, error, cut: true });
                }
                let field = match number {
                    2 => SpaceField::Error,
                    3 => SpaceField::Warning,
                    4 => SpaceField::Host,
                    _ => continue,
                };
                // A message is a sentence. Longer bytes are no message and are skipped.
                if span.len() <= 1 << 16
                    && let Ok(bytes) = window.bytes(span)
                {
                    sink.space_field(field(String::from_utf8_lossy(bytes).into_owned()));
                }
            }
            Ok(Some(_)) => {}
            Err(error) => {
                let cut = error.is_cut();
                outcome.add(Damage { plane: None, plane_name: String::new(), line: None, error, cut });
                return outcome;
            }
        }
    }
}

/// A field whose length may have been clipped to what is there.
struct Next {
    number: u32,
    value: SpanValue,
    clipped: Option<WireError>,
}

/// The next field. Where its length goes beyond the message and `clip` is set (the message itself is cut, so its
/// last field must be), the field is taken up to the message's end and the error rides along.
fn next_or_clipped(
    walker: &mut Walker,
    message: Span,
    window: &mut Window<'_>,
    clip: bool,
) -> Result<Option<Next>, WireError> {
    let at = walker.at();
    match walker.next_field(window) {
        Ok(None) => Ok(None),
        Ok(Some((number, value))) => Ok(Some(Next { number, value, clipped: None })),
        Err(error @ WireError::Length { left, .. }) if clip && left > 0 => {
            let start = message.end.saturating_sub(left);
            let (tag, _) = super::cursor::varint(window.ahead(at, message.end, 20)?).map_err(|e| e.at(at))?;
            let (number, _) = super::cursor::split_tag(tag, at)?;
            walker.seek(message.end);
            let value = SpanValue::Span(Span { start, end: message.end });
            Ok(Some(Next { number, value, clipped: Some(error) }))
        }
        Err(error) => Err(error),
    }
}

/// Text of a span; bytes that are not UTF-8 are replaced.
fn text(span: Span, window: &mut Window<'_>) -> Result<String, WireError> {
    Ok(String::from_utf8_lossy(window.bytes(span)?).into_owned())
}
