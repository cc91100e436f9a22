//! This module converts points of the memory curve into program positions, the numbers of events in the heap simulator
//! trace.
//!
//! The curve has one point before each event and one at the end. A position is the number of an event, counted from 0
//! as in xprof (`peakHeapSizePosition`) and in `peak_position` of the command line. The point after event `n` is
//! position `n`, and the first point is the start.

use crate::chart::plot::scale::Scale;
use crate::chart::plot::ticks::{self, Tick};
use crate::table::format;

/// Returns the position of a point: "303", or "the start" for the point before the first event.
pub fn position(point: u32) -> String {
    point.checked_sub(1).map_or_else(|| "the start".to_owned(), |event| format::count(event.into()))
}

/// Returns the position of a point for a sentence: "at 303", "at the start".
pub fn at_position(point: u32) -> String {
    format!("at {}", position(point))
}

/// Returns about `target` ticks for an axis of points. Ticks are whole positions; each is below the middle of its
/// point.
pub fn position_ticks(x: &Scale, target: usize) -> Vec<Tick> {
    let (first, last) = x.domain();
    let events = Scale::linear((first - 1.5, last - 1.5), x.range());
    let is_event = |tick: &Tick| tick.value >= 0.0 && tick.value.fract().abs() < 1e-9;
    ticks::ticks(&events, target, ticks::plain).into_iter().filter(is_event).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn position_is_the_index_of_the_previous_event() {
        assert_eq!([position(0), position(1), position(304)], ["the start", "0", "303"]);
        assert_eq!([at_position(0), at_position(1_001)], ["at the start", "at 1,000"]);
    }

    #[test]
    fn ticks_are_whole_and_below_the_middle_of_their_point() {
        let x = Scale::linear((0.0, 5.0), (0.0, 500.0));
        let ticks = position_ticks(&x, 8);
        let found: Vec<(&str, f64)> = ticks.iter().map(|tick| (&*tick.label, tick.position)).collect();
        assert_eq!(found, [("0", 150.0), ("1", 250.0), ("2", 350.0), ("3", 450.0)]);
    }
}
