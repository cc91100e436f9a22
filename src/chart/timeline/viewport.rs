//! This module computes the visible part of the time axis: zoom, pan, and the conversion between times and pixels.

use xla_profile::units::Picos;

/// The shortest visible time, in ps.
const SHORTEST: u64 = 1000;

/// The visible part of the time axis. Times are in ps on the axis of the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Viewport {
    pub start: u64,
    /// After `start`.
    pub end: u64,
}

impl Viewport {
    /// Returns the part between two times, in either order. It is at least 1 ns long and lies within `whole`, unless `whole` is
    /// shorter.
    pub fn within(whole: Self, a: u64, b: u64) -> Self {
        let (start, end) = (a.min(b), a.max(b));
        let longest = whole.length().max(SHORTEST);
        let length = (end - start).clamp(SHORTEST, longest);
        // A part that is too short grows on both sides.
        let start = start.saturating_sub(length.saturating_sub(end - start) / 2);
        let start = start.clamp(whole.start, whole.start.max(whole.end.saturating_sub(length)));
        Self { start, end: start.saturating_add(length) }
    }

    /// Returns the length in ps.
    pub const fn length(self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// Returns the part that is `factor` times as long, with the same time at `position`, a fraction of the width.
    #[must_use]
    pub fn zoom(self, whole: Self, factor: f64, position: f64) -> Self {
        let length = self.length() as f64;
        let wanted = (length * factor).round().max(1.0);
        let start = self.start as f64 + (length - wanted) * position;
        let (start, wanted) = (start.max(0.0) as u64, wanted as u64);
        Self::within(whole, start, start.saturating_add(wanted))
    }

    /// Returns the part that lies `by` of its length later; earlier if `by` is negative.
    #[must_use]
    pub fn pan(self, whole: Self, by: f64) -> Self {
        let distance = (self.length() as f64 * by.abs()) as u64;
        let start = if by < 0.0 { self.start.saturating_sub(distance) } else { self.start.saturating_add(distance) };
        Self::within(whole, start, start.saturating_add(self.length()))
    }

    /// Returns a part in which the time from `start` to `end` takes four fifths of the width.
    pub fn with_margin(whole: Self, start: u64, end: u64) -> Self {
        let margin = (end.saturating_sub(start) / 8).max(1);
        Self::within(whole, start.saturating_sub(margin), end.saturating_add(margin))
    }

    /// Returns the part that has two times at two places, given as fractions of the width.
    pub fn with_times_at(whole: Self, times: (u64, u64), places: (f64, f64)) -> Self {
        let distance = (places.1 - places.0).max(0.01);
        let length = times.1.saturating_sub(times.0) as f64 / distance;
        let start = (times.0 as f64 - places.0 * length).max(0.0) as u64;
        Self::within(whole, start, start.saturating_add(length as u64))
    }

    /// Returns the part of the same length that shows `time`: the same part if it does already.
    #[must_use]
    pub fn showing(self, whole: Self, time: u64) -> Self {
        if self.start <= time && time < self.end {
            return self;
        }
        let start = time.saturating_sub(self.length() / 2);
        Self::within(whole, start, start.saturating_add(self.length()))
    }

    /// Returns the pixel of a time. It may be far outside of the width.
    pub fn x(self, time: u64, width: f64) -> f64 {
        let distance = if time < self.start { -((self.start - time) as f64) } else { (time - self.start) as f64 };
        distance / self.length().max(1) as f64 * width
    }

    /// Returns the time at a pixel. Times before 0 become 0.
    pub fn time(self, x: f64, width: f64) -> u64 {
        let distance = x / width.max(1.0) * self.length() as f64;
        let whole = distance.abs().round() as u64;
        if distance < 0.0 { self.start.saturating_sub(whole) } else { self.start.saturating_add(whole) }
    }

    /// Returns the width of a pixel in ps, rounded up.
    pub fn column(self, width: f64) -> Picos {
        Picos((self.length() as f64 / width.max(1.0)).ceil().max(1.0) as u64)
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const WHOLE: Viewport = Viewport { start: 1_000_000, end: 9_000_000 };

    proptest! {
        #[test]
        fn every_move_stays_within_the_whole(a in 0_u64..20_000_000, b in 0_u64..20_000_000, factor in 0.001_f64..1000.0, pointer in 0.0_f64..1.0, by in -3.0_f64..3.0) {
            let view = Viewport::within(WHOLE, a, b);
            for view in [view, view.zoom(WHOLE, factor, pointer), view.pan(WHOLE, by), Viewport::with_margin(WHOLE, a.min(b), a.max(b)), view.showing(WHOLE, a)] {
                prop_assert!(view.start >= WHOLE.start && view.end <= WHOLE.end && view.length() >= SHORTEST, "{:?}", view);
            }
        }

        #[test]
        fn the_time_at_the_pointer_stays(a in 3_000_000_u64..4_000_000, length in 100_000_u64..1_000_000, factor in 0.1_f64..3.0, pointer in 0.0_f64..1.0) {
            let view = Viewport::within(WHOLE, a, a + length);
            let zoomed = view.zoom(WHOLE, factor, pointer);
            prop_assume!(zoomed.start > WHOLE.start && zoomed.end < WHOLE.end);
            let (before, after) = (view.time(pointer * 1000.0, 1000.0), zoomed.time(pointer * 1000.0, 1000.0));
            prop_assert!(before.abs_diff(after) <= 2, "{} {}", before, after);
        }

        #[test]
        fn two_fingers_hold_their_times(a in 3_000_000_u64..4_000_000, length in 100_000_u64..1_000_000, from in 0.0_f64..0.4, to in 0.5_f64..1.0) {
            let view = Viewport::with_times_at(WHOLE, (a, a + length), (from, to));
            prop_assume!(view.start > WHOLE.start && view.end < WHOLE.end);
            for (time, place) in [(a, from), (a + length, to)] {
                prop_assert!((view.x(time, 1.0) - place).abs() < 0.001, "{:?}", view);
            }
        }

        #[test]
        fn pixels_and_times_are_inverse(start in 0_u64..1 << 52, length in SHORTEST..1_u64 << 50, x in -100.0_f64..2000.0) {
            let view = Viewport { start, end: start + length };
            let again = view.x(view.time(x, 1500.0), 1500.0);
            // A time is a whole number of ps.
            prop_assert!((again - x.max(view.x(0, 1500.0))).abs() <= 1500.0 / length as f64 + 1e-3, "{} {}", x, again);
        }
    }
}
