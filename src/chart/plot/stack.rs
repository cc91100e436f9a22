//! This module lays out a stacked bar: parts of a whole as segments along a line. It does not depend on kinds or
//! colours.
//!
//! ```text
//!   |<------------- width -------------->|
//!   [ 5/8          ]·[ 2/8  ]·[1/8 ]·[|]      · gap   | a very small part, drawn MIN wide
//! ```
//!
//! Invariants: segments keep the order of the parts, do not overlap, and fill the width. Each part above zero is at
//! least [`MIN`] wide, at the expense of the other parts in proportion. Parts of zero are not drawn.

use xla_profile::units::Picos;

/// Smallest width of a segment, in px.
pub const MIN: f64 = 2.0;
/// Gap between two segments, in px.
pub const GAP: f64 = 1.0;

/// One drawn part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// Index of the part.
    pub index: usize,
    /// Left edge, in px.
    pub x: f64,
    /// Width without the gap, in px.
    pub width: f64,
}

/// Returns the segments of `parts` over `width` px.
pub fn segments(parts: &[Picos], width: f64) -> Vec<Segment> {
    let shown: Vec<(usize, f64)> =
        parts.iter().enumerate().filter(|(_, part)| part.0 > 0).map(|(index, part)| (index, part.as_f64())).collect();
    if shown.is_empty() || width <= 0.0 {
        return Vec::new();
    }
    let widths = widths(&shown, width);
    let last = shown.len() - 1;
    let mut x = 0.0;
    let place = |(nth, ((index, _), part_width)): (usize, (&(usize, f64), &f64))| {
        let gap = if nth == last { 0.0 } else { GAP.min(part_width / 2.0) };
        let segment = Segment { index: *index, x, width: part_width - gap };
        x += part_width;
        segment
    };
    shown.iter().zip(&widths).enumerate().map(place).collect()
}

/// Returns the widths with gaps: in proportion, but none below the smallest width.
fn widths(shown: &[(usize, f64)], width: f64) -> Vec<f64> {
    #[expect(clippy::cast_precision_loss, reason = "a handful of parts")]
    let least = (MIN + GAP).min(width / shown.len() as f64);
    let mut raised = vec![false; shown.len()];
    loop {
        let (mut room, mut sum) = (width, 0.0);
        for ((_, part), raised) in shown.iter().zip(&raised) {
            if *raised { room -= least } else { sum += part }
        }
        let width_of = |part: f64, raised: bool| if raised { least } else { part / sum * room };
        let mut changed = false;
        for ((_, part), raised) in shown.iter().zip(&mut raised) {
            if !*raised && width_of(*part, false) < least {
                *raised = true;
                changed = true;
            }
        }
        if !changed {
            return shown.iter().zip(&raised).map(|((_, part), raised)| width_of(*part, *raised)).collect();
        }
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn parts_keep_their_proportions() {
        let drawn = segments(&[Picos(3), Picos(0), Picos(1)], 400.0);
        assert_eq!(drawn, [Segment { index: 0, x: 0.0, width: 299.0 }, Segment { index: 2, x: 300.0, width: 100.0 }]);
    }

    #[test]
    fn smallest_part_is_visible() {
        let drawn = segments(&[Picos(1_000_000), Picos(1), Picos(1_000_000)], 1000.0);
        assert!((drawn[1].width - MIN).abs() < 1e-9, "{drawn:?}");
        assert!((drawn[0].width - drawn[2].width + GAP).abs() < 1e-9, "{drawn:?}");
    }

    #[test]
    fn no_segments_without_time_or_width() {
        assert!(segments(&[], 100.0).is_empty());
        assert!(segments(&[Picos(0)], 100.0).is_empty());
        assert!(segments(&[Picos(1)], 0.0).is_empty());
    }

    proptest! {
        #[test]
        fn segments_fill_the_width_in_order(parts in prop::collection::vec(any::<u64>(), 1..9), width in 30.0f64..4000.0) {
            let parts: Vec<Picos> = parts.into_iter().map(Picos).collect();
            let drawn = segments(&parts, width);
            prop_assert_eq!(drawn.len(), parts.iter().filter(|p| p.0 > 0).count());
            for pair in drawn.windows(2) {
                prop_assert!(pair[0].index < pair[1].index);
                prop_assert!(pair[0].x + pair[0].width <= pair[1].x + 1e-6);
            }
            if let Some(last) = drawn.last() {
                prop_assert!((last.x + last.width - width).abs() < 1e-6);
            }
            prop_assert!(drawn.iter().all(|s| s.width >= MIN - 1e-6));
        }
    }
}
