//! This module computes the ruler above the tracks.

use super::viewport::Viewport;
use crate::table::format::{self, TimeUnit};
use xla_profile::units::Picos;

/// A marked time of the ruler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Time in ps on the axis.
    pub time: u64,
    pub label: String,
}

/// The ruler of a part of the axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruler {
    pub unit: TimeUnit,
    pub marks: Vec<Mark>,
}

/// Returns the ruler of a part, with about one mark per `room` px of `width`. The marks are at multiples of 1, 2 or 5 times a
/// power of ten, and their labels tell them apart.
pub fn ruler(view: Viewport, width: f64, room: f64) -> Ruler {
    let n = (width / room.max(1.0)).floor().max(1.0) as u64;
    let rough = (view.length() / n).max(1);
    let decade = 10_u64.saturating_pow(rough.ilog10());
    let step = [1, 2, 5, 10].into_iter().map(|lead| decade.saturating_mul(lead)).find(|step| *step >= rough);
    let step = step.unwrap_or(u64::MAX);
    let unit = TimeUnit::for_largest(Picos(view.end));
    let decimals = unit.in_ps().ilog10().saturating_sub(step.ilog10());
    let first = view.start.div_ceil(step).saturating_mul(step);
    let times = std::iter::successors(Some(first), |time| time.checked_add(step)).take_while(|time| *time <= view.end);
    let label = |time: u64| format::time_with_decimals(Picos(time), unit, decimals);
    Ruler { unit, marks: times.take(200).map(|time| Mark { time, label: label(time) }).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_round_and_distinct() {
        for (start, end) in
            [(0, 1_000), (812_400_000_000, 823_000_000_000), (5_000_000_000_000, 5_000_000_002_000), (7, 13)]
        {
            let ruler = ruler(Viewport { start, end }, 1200.0, 100.0);
            assert!(ruler.marks.len() <= 13, "{ruler:?}");
            assert!(ruler.marks.len() >= 4 || end - start < 10, "{ruler:?}");
            assert!(ruler.marks.windows(2).all(|pair| pair[0].label != pair[1].label), "{ruler:?}");
            assert!(ruler.marks.iter().all(|mark| (start..=end).contains(&mark.time)));
        }
    }

    #[test]
    fn labels_are_times_in_the_unit() {
        let ruler = ruler(Viewport { start: 812_400_000_000, end: 815_000_000_000 }, 600.0, 100.0);
        let labels: Vec<&str> = ruler.marks.iter().map(|mark| mark.label.as_str()).collect();
        assert_eq!((ruler.unit, labels), (TimeUnit::Ms, vec!["812.5", "813.0", "813.5", "814.0", "814.5", "815.0"]));
    }
}
