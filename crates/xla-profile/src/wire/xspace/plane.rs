//! This module walks one plane: first the offsets of its fields, then its metadata, then its lines.

use super::sink::{Next, next_or_clipped, text};
use super::{Damage, LineHead, Outcome, PlaneHead, Sink, line, stat};
use crate::wire::{Span, SpanValue, Walker, Window, WireError};

/// Field numbers of an `XPlane`.
pub(crate) mod field {
    pub const ID: u32 = 1;
    pub const NAME: u32 = 2;
    pub const LINE: u32 = 3;
    pub const EVENT_METADATA: u32 = 4;
    pub const STAT_METADATA: u32 = 5;
    pub const STAT: u32 = 6;
}

/// The result of the first pass over a plane.
#[derive(Default)]
struct Layout {
    id: i64,
    name: String,
    lines: Vec<Span>,
    n_event_metadata: usize,
    /// Offset of the first event metadata entry or plane stat, so that the second pass need not skip the lines again.
    metadata_from: Option<u64>,
    stat_names: Vec<(i64, String)>,
    /// The error of the last line, if its length goes beyond the end of the file.
    last_line_clipped: Option<WireError>,
}

impl Layout {
    fn head(&self, span: Span) -> PlaneHead {
        PlaneHead {
            id: self.id,
            name: self.name.clone(),
            n_event_metadata: self.n_event_metadata,
            n_lines: self.lines.len(),
            bytes: span.len(),
            ..PlaneHead::default()
        }
    }
}

/// Returns the fields of the plane that fills `span`, as far as they can be read. With `cut`, the data ends inside the
/// plane.
pub(super) fn head(span: Span, cut: bool, window: &mut Window<'_>) -> PlaneHead {
    let mut layout = Layout::default();
    // The fields before damage are returned, and the damage itself is ignored.
    let _ = lay_out(span, cut, window, &mut layout);
    layout.head(span)
}

/// Returns the name of the plane that fills `span`, if it comes before lines and metadata, as writers put it.
pub(super) fn name_at_start(span: Span, window: &mut Window<'_>) -> String {
    let mut walker = Walker::new(span);
    while let Ok(Some((number, value))) = walker.next_field(window) {
        match (number, value) {
            (field::ID, _) => {}
            (field::NAME, SpanValue::Span(span)) => return text(span, window).unwrap_or_default(),
            _ => break,
        }
    }
    String::new()
}

/// Returns the lines at the start of the plane that fills `span`, where writers put them: from the start of the first one to the
/// end of the last one. `None` if they are less than three quarters of the plane.
pub(super) fn lines_at_start(span: Span, window: &mut Window<'_>) -> Option<Span> {
    let mut walker = Walker::new(span);
    let mut found: Option<Span> = None;
    while let Ok(Some((number, value))) = walker.next_field(window) {
        match (number, value) {
            (field::ID | field::NAME, _) => {}
            (field::LINE, SpanValue::Span(line)) => found.get_or_insert(line).end = line.end,
            _ => break,
        }
    }
    found.filter(|lines| lines.len() / 3 >= span.len() / 4)
}

/// Walks the plane that fills `span`, with the events that start in `events`. `index` is its position among the planes of the
/// file, counted from 0. `clipped` is the error of a plane that the end of the file cuts, and `None` for a complete one.
// `never`, because the walks of a file and of one plane would have copies of it.
#[inline(never)]
pub(super) fn walk(
    span: Span,
    events: Span,
    index: usize,
    clipped: Option<WireError>,
    window: &mut Window<'_>,
    sink: &mut impl Sink,
    outcome: &mut Outcome,
) {
    // The passes go back and forth, so a small plane is loaded as a whole. An error is ignored here, because the pass
    // that needs the bytes reports it.
    if span.len() <= window.stride() {
        let _ = window.ahead(span.start, span.end, span.len());
    }
    let mut layout = Layout::default();
    let cut = clipped.is_some();
    let first = lay_out(span, cut, window, &mut layout);
    let name = layout.name.clone();
    let mut report = |error: WireError, line: Option<&LineHead>, cut: bool| {
        let line = line.map(|l| if l.name.is_empty() { format!("line {}", l.id) } else { l.name.clone() });
        outcome.add(Damage { plane: Some(index), plane_name: name.clone(), line, error, cut });
    };

    let (continues, is_continued) = (events.start > span.start, events.end < span.end);
    sink.plane(PlaneHead { continues, is_continued, ..layout.head(span) });
    for (id, name) in &layout.stat_names {
        sink.stat_name(*id, name);
    }
    if let Some(from) = layout.metadata_from
        && let Err(error) = metadata(Span { start: from, end: span.end }, cut, window, sink)
        && !cut
        && first.is_ok()
    {
        report(error, None, false);
    }
    let last = layout.lines.len().saturating_sub(1);
    let mut is_reported = false;
    for (i, line_span) in layout.lines.into_iter().enumerate() {
        let line_clipped = if i == last { layout.last_line_clipped.take() } else { None };
        let (head, result) = line::walk(line_span, events, line_clipped.is_some(), window, sink);
        if let Some(error) = line_clipped.or(result.err()) {
            is_reported = true;
            report(error, Some(&head), cut);
        }
    }
    sink.plane_end();
    // Damage is reported once, at the innermost level that is known.
    if !is_reported && let Some(error) = first.err().or(clipped) {
        report(error, None, cut);
    }
}

fn lay_out(span: Span, cut: bool, window: &mut Window<'_>, layout: &mut Layout) -> Result<(), WireError> {
    let mut walker = Walker::new(span);
    loop {
        let offset = walker.position();
        let Some(Next { number, value, clipped }) = next_or_clipped(&mut walker, span, window, cut)? else {
            return Ok(());
        };
        match (number, value) {
            (field::ID, SpanValue::Number(id)) => layout.id = id.cast_signed(),
            (field::NAME, SpanValue::Span(span)) => layout.name = text(span, window)?,
            (field::LINE, SpanValue::Span(span)) => {
                layout.lines.push(span);
                layout.last_line_clipped = clipped;
            }
            (field::EVENT_METADATA, SpanValue::Span(_)) => {
                layout.n_event_metadata = layout.n_event_metadata.saturating_add(1);
                layout.metadata_from.get_or_insert(offset);
            }
            (field::STAT, SpanValue::Span(_)) => {
                layout.metadata_from.get_or_insert(offset);
            }
            (field::STAT_METADATA, SpanValue::Span(span)) if clipped.is_none() => {
                let (id, value) = map_entry(span, window)?;
                let mut name = String::new();
                if let Some(value) = value {
                    let mut walker = Walker::new(value);
                    while let Some((number, value)) = walker.next_field(window)? {
                        if let (2, SpanValue::Span(span)) = (number, value) {
                            name = text(span, window)?;
                        }
                    }
                }
                layout.stat_names.push((id, name));
            }
            _ => {}
        }
    }
}

fn metadata(span: Span, cut: bool, window: &mut Window<'_>, sink: &mut impl Sink) -> Result<(), WireError> {
    let mut walker = Walker::new(span);
    while let Some(Next { number, value, clipped }) = next_or_clipped(&mut walker, span, window, cut)? {
        if clipped.is_some() {
            break;
        }
        match (number, value) {
            (field::STAT, SpanValue::Span(span)) => stat::from_span(span, window, &mut |s| sink.plane_stat(s))?,
            (field::EVENT_METADATA, SpanValue::Span(span)) => event_metadata(span, window, sink)?,
            _ => {}
        }
    }
    Ok(())
}

/// Reads an entry of the event metadata map. The sink receives its names before its stats, in whatever order the file
/// has them.
fn event_metadata(span: Span, window: &mut Window<'_>, sink: &mut impl Sink) -> Result<(), WireError> {
    // The entry is walked twice. It is loaded as a whole, so that going back is not a jump, unless it is large and
    // may contain a program.
    if span.len() <= stat::SMALL {
        window.bytes(span)?;
    }
    let (id, value) = map_entry(span, window)?;
    let Some(value) = value else {
        sink.event_metadata(id, "", "");
        return Ok(());
    };
    let (mut name, mut display_name, mut has_stats) = (String::new(), String::new(), false);
    let mut walker = Walker::new(value);
    while let Some((number, value)) = walker.next_field(window)? {
        match (number, value) {
            (2, SpanValue::Span(span)) => name = text(span, window)?,
            (4, SpanValue::Span(span)) => display_name = text(span, window)?,
            (5, SpanValue::Span(_)) => has_stats = true,
            _ => {}
        }
    }
    sink.event_metadata(id, &name, &display_name);
    if has_stats {
        let mut walker = Walker::new(value);
        while let Some((number, value)) = walker.next_field(window)? {
            if let (5, SpanValue::Span(span)) = (number, value) {
                stat::from_span(span, window, &mut |s| sink.metadata_stat(s))?;
            }
        }
    }
    Ok(())
}

/// Returns the key and the value of a map entry. An absent key is 0, and an absent value is `None`.
pub(crate) fn map_entry(span: Span, window: &mut Window<'_>) -> Result<(i64, Option<Span>), WireError> {
    let (mut key, mut entry) = (0, None);
    let mut walker = Walker::new(span);
    while let Some((number, value)) = walker.next_field(window)? {
        match (number, value) {
            (1, SpanValue::Number(id)) => key = id.cast_signed(),
            (2, SpanValue::Span(value)) => entry = Some(value),
            _ => {}
        }
    }
    Ok((key, entry))
}
