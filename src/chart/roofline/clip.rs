//! This module clips lines and polygons to a frame.

use crate::chart::plot::popover_position::Rect;

/// A point: x and y, in px.
pub(super) type Point = (f64, f64);

/// Clips a polygon to a frame, one side after the other (Sutherland and Hodgman, 1974). Empty if the polygon is
/// outside.
pub(super) fn polygon(points: &[Point], frame: Rect) -> Vec<Point> {
    let (right, bottom) = (frame.right(), frame.bottom());
    let mut corners = points.to_vec();
    // Distance of a point from each side, positive inside.
    let inside: [&dyn Fn(Point) -> f64; 4] =
        [&|p| p.0 - frame.x, &|p| right - p.0, &|p| p.1 - frame.y, &|p| bottom - p.1];
    for depth in inside {
        let from = std::mem::take(&mut corners);
        for (a, b) in from.iter().zip(from.iter().cycle().skip(1)) {
            let (da, db) = (depth(*a), depth(*b));
            if da >= 0.0 {
                corners.push(*a);
            }
            if (da >= 0.0) != (db >= 0.0) {
                let part = da / (da - db);
                corners.push((a.0 + (b.0 - a.0) * part, a.1 + (b.1 - a.1) * part));
            }
        }
    }
    corners
}

/// Clips a straight line to a frame (Liang and Barsky, 1984). `None` if the line is outside.
pub(super) fn line(a: Point, b: Point, frame: Rect) -> Option<(Point, Point)> {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let (mut from, mut to) = (0.0_f64, 1.0_f64);
    let sides = [(-dx, a.0 - frame.x), (dx, frame.right() - a.0), (-dy, a.1 - frame.y), (dy, frame.bottom() - a.1)];
    for (along, room) in sides {
        if along == 0.0 {
            if room < 0.0 {
                return None;
            }
        } else if along < 0.0 {
            from = from.max(room / along);
        } else {
            to = to.min(room / along);
        }
    }
    let point = |part: f64| (a.0 + dx * part, a.1 + dy * part);
    (from <= to).then(|| (point(from), point(to)))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FRAME: Rect = Rect { x: 10.0, y: 20.0, width: 100.0, height: 50.0 };

    #[test]
    fn lines_are_clipped_to_the_frame() {
        assert_eq!(line((20.0, 30.0), (40.0, 60.0), FRAME), Some(((20.0, 30.0), (40.0, 60.0))));
        let ((left, _), (right, _)) = line((0.0, 45.0), (200.0, 45.0), FRAME).unwrap();
        assert!((left - 10.0).abs() < 1e-9 && (right - 110.0).abs() < 1e-9);
        assert_eq!(line((0.0, 0.0), (200.0, 0.0), FRAME), None);
        let square = [(0.0, 0.0), (60.0, 0.0), (60.0, 40.0), (0.0, 40.0)];
        let inside = polygon(&square, FRAME);
        assert_eq!(Rect::bounding(&inside), Rect { x: 10.0, y: 20.0, width: 50.0, height: 20.0 });
        assert!(polygon(&[(0.0, 0.0), (5.0, 0.0), (5.0, 5.0)], FRAME).is_empty());
        assert!(polygon(&[], FRAME).is_empty());
    }

    proptest! {
        #[test]
        fn nothing_is_left_outside(points in prop::collection::vec((-200.0f64..300.0, -200.0f64..300.0), 0..8)) {
            for (x, y) in polygon(&points, FRAME) {
                prop_assert!(FRAME.distance(x, y) < 1e-6);
            }
            for pair in points.windows(2) {
                if let Some((a, b)) = line(pair[0], pair[1], FRAME) {
                    prop_assert!(FRAME.distance(a.0, a.1) < 1e-6 && FRAME.distance(b.0, b.1) < 1e-6);
                }
            }
        }
    }
}
