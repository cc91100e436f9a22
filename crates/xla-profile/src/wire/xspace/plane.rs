//! One plane: what it holds by place, then its metadata, then its lines.

use super::sink::{Next, next_or_clipped, text};
use super::{Damage, LineHead, Outcome, PlaneHead, Sink, line, stat};
use crate::wire::{Span, SpanValue, Walker, Window, WireError};

/// Field numbers of an `XPlane`.
mod field {
    pub const ID: u32 = 1;
    pub const NAME: u32 = 2;
    pub const LINE: u32 = 3;
    pub const EVENT_METADATA: u32 = 4;
    pub const STAT_METADATA: u32 = 5;
    pub const STAT: u32 = 6;
}

/// What the first pass learns.
#[derive(Default)]
struct Layout {
    id: i64,
    name: String,
    lines: Vec<Span>,
    n_event_metadata: usize,
    /// Where the first metadata entry or plane stat starts, so that later passes need not skip the lines again.
    metadata_from: Option<u64>,
    stat_names: Vec<(i64, String)>,
    /// The last line, if its length went beyond what there is.
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
        }
    }
}

/// What the plane that fills `span` says of itself, as far as it can be read.
pub(super) fn head(span: Span, cut: bool, window: &mut Window<'_>) -> PlaneHead {
    let mut layout = Layout::default();
    // What comes before damage is what there is to say.
    let _ = lay_out(span, cut, window, &mut layout);
    layout.head(span)
}

/// Walks the plane that fills `span`. `clipped` says that the file ends inside it.
pub(super) fn walk(
    span: Span,
    index: usize,
    clipped: Option<WireError>,
    window: &mut Window<'_>,
    sink: &mut impl Sink,
    outcome: &mut Outcome,
) {
    // What follows goes back and forth in it. Where it cannot be read, that is reported when it is.
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

    sink.plane(layout.head(span));
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
        let (head, result) = line::walk(line_span, line_clipped.is_some(), window, sink);
        if let Some(error) = line_clipped.or(result.err()) {
            is_reported = true;
            report(error, Some(&head), cut);
        }
    }
    sink.plane_end();
    // One place of damage is one report: the innermost that is known.
    if !is_reported && let Some(error) = first.err().or(clipped) {
        report(error, None, cut);
    }
}

fn lay_out(span: Span, cut: bool, window: &mut Window<'_>, layout: &mut Layout) -> Result<(), WireError> {
    let mut walker = Walker::new(span);
    loop {
        let at = walker.position();
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
                layout.metadata_from.get_or_insert(at);
            }
            (field::STAT, SpanValue::Span(_)) => {
                layout.metadata_from.get_or_insert(at);
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

/// One entry of the event metadata map. Its names come before its stats whatever their order on the wire.
fn event_metadata(span: Span, window: &mut Window<'_>, sink: &mut impl Sink) -> Result<(), WireError> {
    // It is gone over twice: brought in whole, unless it holds a program, going back is no jump.
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

/// Key and value of a map entry. A key of 0 and an empty value are left out on the wire.
fn map_entry(span: Span, window: &mut Window<'_>) -> Result<(i64, Option<Span>), WireError> {
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
