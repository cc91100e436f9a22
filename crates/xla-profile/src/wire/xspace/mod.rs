//! This module walks an XSpace and passes its records to a [`Sink`], in an order that suits the construction of a
//! model.
//!
//! In a file, the lines of a plane come *before* the metadata that names their events. A plane is therefore walked more
//! than once, by offsets, and only single records are in memory:
//!
//! ```text
//!  plane ─┬─ 1. name and stat names; number and offsets of lines and metadata
//!         ├─ 2. event metadata and plane stats          → Sink::event_metadata, metadata_stat, plane_stat
//!         └─ 3. each line, once                         → Sink::line, event_stat, event, line_end
//! ```
//!
//! Damage inside of a plane or a line is reported, and does not end the walk: the records before the damage are kept,
//! and the walk continues with the next plane or line. Two concatenated XSpaces are read as one XSpace.

mod line;
mod plane;
mod reduced;
mod sink;
mod stat;
mod texts;

pub(crate) use line::{EVENTS_TOGETHER, field as line_field, read_event};
pub(crate) use plane::{field as plane_field, map_entry};
pub use reduced::reduced_plane;
pub use sink::{Damage, Event, LineHead, Outcome, PlaneHead, Sink, SpaceField};
pub(crate) use sink::{Next, next_or_clipped, text};
pub use stat::{Stat, StatValue};
pub(crate) use texts::{MAX_TEXT, is_host_name, is_text};

use super::{Span, SpanValue, Walker, Window};
use crate::source::Source;

/// Walks a whole XSpace and passes its records to `sink`. The function does not return errors; damage is part of the
/// outcome.
pub fn walk(source: &dyn Source, sink: &mut impl Sink) -> Outcome {
    walk_without(source, &[], sink)
}

/// Lists the planes of an XSpace without their events. Of a damaged plane, the fields before the damage are returned.
/// The list ends at damage between planes.
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

/// What an XSpace holds, without the content of its planes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// The positions and the names of the planes. The name of a plane that has its lines first is empty.
    pub planes: Vec<(Span, String)>,
    /// The fields that are not planes.
    pub fields: Vec<SpaceField>,
}

/// Returns the outline of an XSpace. It reads only the start of each plane. `None` if the file is damaged between planes, or if
/// it has more than `max_planes` planes. An empty plane takes five bytes in a file, and more than ten times as many in an
/// outline.
pub fn outline(source: &dyn Source, max_planes: usize) -> Option<Outline> {
    let mut window = Window::new(source);
    let whole = window.whole();
    let mut walker = Walker::new(whole);
    let mut found = Outline::default();
    loop {
        match walker.next_field(&mut window).ok()? {
            None => return Some(found),
            Some((1, SpanValue::Span(_))) if found.planes.len() >= max_planes => return None,
            Some((1, SpanValue::Span(span))) => found.planes.push((span, plane::name_at_start(span, &mut window))),
            Some((number, SpanValue::Span(span))) => found.fields.extend(space_field(number, span, &mut window)),
            Some(_) => {}
        }
    }
}

/// Returns a field of an XSpace that is not a plane. `None` for other numbers, and for bytes that are no text: errors, warnings and
/// host names are short texts, and other messages have other fields of these numbers.
fn space_field(number: u32, span: Span, window: &mut Window<'_>) -> Option<SpaceField> {
    let field = match number {
        2 => SpaceField::Error,
        3 => SpaceField::Warning,
        4 => SpaceField::Host,
        _ => return None,
    };
    let bytes = if span.len() <= MAX_TEXT as u64 { window.bytes(span).ok()? } else { return None };
    let is_right = if number == 4 { is_host_name(bytes) } else { is_text(bytes) };
    is_right.then(|| field(String::from_utf8_lossy(bytes).into_owned()))
}

/// Returns where the lines at the start of the plane at `span` are. It reads only the start of each line. `None` if they are less
/// than three quarters of the plane: dividing such a plane brings little, because each part has all that is not a line.
pub fn lines_at_start(source: &dyn Source, span: Span) -> Option<Span> {
    plane::lines_at_start(span, &mut Window::new(source))
}

/// Walks the plane at `span` alone, with the events that start in `events`. It is the first plane of the outcome.
pub fn walk_plane(source: &dyn Source, span: Span, events: Span, sink: &mut impl Sink) -> Outcome {
    let (mut window, mut outcome) = (Window::new(source), Outcome { n_planes: 1, ..Outcome::default() });
    plane::walk(span, events, 0, None, &mut window, sink, &mut outcome);
    sink.progress(span.end);
    outcome
}

/// Walks an XSpace like [`walk`], but skips the planes with the indices in `without`. Planes are counted from 0 in the
/// order of the file.
pub fn walk_without(source: &dyn Source, without: &[u32], sink: &mut impl Sink) -> Outcome {
    walk_some(source, |index, _| !without.iter().any(|other| usize::try_from(*other) == Ok(index)), Span::ALL, sink)
}

/// Walks an XSpace like [`walk`], but only the planes in a range of the file, and of these the events that start in it.
pub fn walk_range(source: &dyn Source, range: Span, sink: &mut impl Sink) -> Outcome {
    walk_some(source, |_, span| range.touches(span), range, sink)
}

/// Walks the planes for whose index and position `is_walked` is true, with the events that start in `events`.
fn walk_some(
    source: &dyn Source,
    is_walked: impl Fn(usize, Span) -> bool,
    events: Span,
    sink: &mut impl Sink,
) -> Outcome {
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
                if is_walked(index, span) {
                    plane::walk(span, events, index, clipped, &mut window, sink, &mut outcome);
                }
                sink.progress(span.end);
            }
            Ok(Some(Next { number, value: SpanValue::Span(span), clipped })) => {
                if let Some(error) = clipped {
                    outcome.add(Damage { plane: None, plane_name: String::new(), line: None, error, cut: true });
                }
                space_field(number, span, &mut window).into_iter().for_each(|field| sink.space_field(field));
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
