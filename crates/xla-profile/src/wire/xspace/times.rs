//! This module finds between which times the events of a plane lie, without storing events.

use super::line_field;
use super::plane::field;
use crate::source::Source;
use crate::wire::{Cursor, Span, SpanValue, Value, Walker, Window, WireError};

/// The times of the events of a plane, in ns on the clock of its lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaneTimes {
    /// The earliest start of a line with events.
    pub first_ns: i64,
    /// The latest end of an event.
    pub last_ns: i64,
}

/// Returns the times of the plane at `span`. `None` if it has no events with times.
///
/// # Errors
/// Returns an error if the plane is damaged, or if the source cannot be read.
pub fn plane_times(source: &dyn Source, span: Span) -> Result<Option<PlaneTimes>, WireError> {
    let mut window = Window::new(source);
    let mut walker = Walker::new(span);
    let mut times: Option<PlaneTimes> = None;
    while let Some((number, value)) = walker.next_field(&mut window)? {
        if let (field::LINE, SpanValue::Span(line)) = (number, value)
            && let Some(of) = line_times(line, &mut window)?
        {
            let all = times.get_or_insert(of);
            *all = PlaneTimes { first_ns: all.first_ns.min(of.first_ns), last_ns: all.last_ns.max(of.last_ns) };
        }
    }
    Ok(times)
}

fn line_times(span: Span, window: &mut Window<'_>) -> Result<Option<PlaneTimes>, WireError> {
    let mut walker = Walker::new(span);
    let (mut start, mut end_ps) = (0_i64, None::<u64>);
    while let Some((number, value)) = walker.next_field(window)? {
        match (number, value) {
            (line_field::TIMESTAMP_NS, SpanValue::Number(ns)) => start = ns.cast_signed(),
            (line_field::EVENTS, SpanValue::Span(event)) => {
                let end = event_end(window.bytes(event)?)?;
                end_ps = Some(end_ps.map_or(end, |other| other.max(end)));
            }
            _ => {}
        }
    }
    let end_ns = |ps: u64| start.saturating_add(i64::try_from(ps.div_euclid(1000)).unwrap_or(i64::MAX));
    Ok(end_ps.map(|ps| PlaneTimes { first_ns: start, last_ns: end_ns(ps) }))
}

/// Returns the end of an event after the start of its line, in ps.
fn event_end(event: &[u8]) -> Result<u64, WireError> {
    let mut cursor = Cursor::new(event, 0);
    let mut end = 0_u64;
    while let Some(field) = cursor.next_field()? {
        if let (2 | 3, Value::Varint(ps)) = (field.number, field.value) {
            end = end.saturating_add(ps);
        }
    }
    Ok(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::proto::xspace::x_event::Data;
    use crate::wire::proto::xspace::{XEvent, XLine, XPlane};
    use prost::Message;

    #[test]
    fn times_span_all_lines() {
        let event =
            |offset, duration_ps| XEvent { data: Some(Data::OffsetPs(offset)), duration_ps, ..XEvent::default() };
        let line = |timestamp_ns, events| XLine { timestamp_ns, events, ..XLine::default() };
        let lines = vec![
            line(7_000, vec![event(0, 5_000), event(9_000, 1_000)]),
            line(5_000, vec![event(1_000, 500)]),
            line(1, Vec::new()),
        ];
        let plane = XPlane { name: "/host:CPU".to_owned(), lines, ..XPlane::default() }.encode_to_vec();
        let whole = Span { start: 0, end: plane.len() as u64 };
        assert_eq!(plane_times(&plane, whole), Ok(Some(PlaneTimes { first_ns: 5_000, last_ns: 7_010 })));
        let cut = plane[..plane.len() - 3].to_vec();
        assert!(plane_times(&cut, Span { start: 0, end: cut.len() as u64 + 3 }).is_err());
        assert_eq!(plane_times(&Vec::new(), Span { start: 0, end: 0 }), Ok(None));
    }
}
