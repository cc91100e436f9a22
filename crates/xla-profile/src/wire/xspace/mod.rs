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
mod sink;
mod stat;

pub use sink::{Damage, Event, LineHead, Outcome, PlaneHead, Sink, SpaceField};
pub use stat::{Stat, StatValue};

use self::sink::{Next, next_or_clipped};
use super::{SpanValue, Walker, Window};
use crate::source::Source;

/// Walks a whole XSpace. Never fails as a whole: what is wrong stands in the outcome.
pub fn walk(source: &dyn Source, sink: &mut impl Sink) -> Outcome {
    walk_without(source, &[], sink)
}

/// What planes an XSpace has, without what is in them; what is damaged is skipped.
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
