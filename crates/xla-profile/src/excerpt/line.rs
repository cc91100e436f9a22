//! This module selects the events of a line that an excerpt holds.

use super::pieces::Pieces;
use super::query::{EpochRange, ExcerptQuery};
use super::report::{ExcerptReport, undamaged};
use crate::source::SourceError;
use crate::wire::xspace::{Next, line_field as field, next_or_clipped, read_event};
use crate::wire::{Cursor, Span, SpanValue, Walker, Window, WireError};
use rustc_hash::FxHashSet;

/// Returns the bytes of the line that fills `span` without the events outside of the range, and adds the metadata of the
/// other events to `used`. With `cut`, the data ends inside the line.
pub(super) fn excerpt(
    span: Span,
    cut: bool,
    window: &mut Window<'_>,
    query: &ExcerptQuery,
    used: &mut FxHashSet<i64>,
    report: &mut ExcerptReport,
) -> Result<Pieces, SourceError> {
    // The timestamp may come after the events, so it is read first.
    let timestamp_ns = match query.range {
        Some(_) => undamaged(timestamp_ns(span, window), report)?.unwrap_or(0),
        None => 0,
    };
    let mut pieces = Pieces::default();
    let mut walker = Walker::new(span);
    loop {
        let start = walker.position();
        let next = next_or_clipped(&mut walker, span, window, cut);
        let Some(Next { number, value, clipped: None }) = undamaged(next, report)?.flatten() else { break };
        if let (field::EVENTS, SpanValue::Span(event)) = (number, value) {
            let event = undamaged(event_in(event, timestamp_ns, window), report)?;
            let Some((id, time)) = event else { continue };
            report.n_source_events = report.n_source_events.saturating_add(1);
            if !query.range.is_none_or(|range| range.is_touched_by(time.start, time.end)) {
                continue;
            }
            report.n_events = report.n_events.saturating_add(1);
            used.insert(id);
        }
        pieces.push_source(start, walker.position());
    }
    Ok(pieces)
}

/// Returns the timestamp of a line; 0 if it has none. If the line is damaged, fields behind the damage do not count.
fn timestamp_ns(span: Span, window: &mut Window<'_>) -> Result<i64, WireError> {
    let (mut timestamp_ns, mut walker) = (0, Walker::new(span));
    loop {
        match walker.next_field(window) {
            Ok(Some((field::TIMESTAMP_NS, SpanValue::Number(ns)))) => timestamp_ns = ns.cast_signed(),
            Ok(Some(_)) => {}
            Err(error @ WireError::Source(_)) => return Err(error),
            Ok(None) | Err(_) => return Ok(timestamp_ns),
        }
    }
}

/// Returns the metadata id and the time of an event. As when a capture is opened, negative numbers count as 0, and an
/// aggregated event starts at the timestamp of its line.
fn event_in(span: Span, timestamp_ns: i64, window: &mut Window<'_>) -> Result<(i64, EpochRange), WireError> {
    let event = read_event(Cursor::new(window.bytes(span)?, span.start), |_| {})?;
    let start =
        i128::from(timestamp_ns).saturating_mul(1000).saturating_add(i128::from(event.offset_ps.unwrap_or(0).max(0)));
    let end = start.saturating_add(i128::from(event.duration_ps.max(0)));
    Ok((event.metadata_id, EpochRange { start, end }))
}
