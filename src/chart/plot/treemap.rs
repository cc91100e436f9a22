//! This module divides a rectangle into parts with areas in proportion to sizes, as close to squares as possible
//! (Bruls, Huizing and van Wijk, "Squarified Treemaps", 2000). It does not depend on the meaning of the sizes.

use super::popover_position::Rect;

/// Returns the part of each size, in the given order. The parts fill the frame. Sizes in descending order give the best
/// shapes. Sizes of zero get empty parts; if all sizes are zero, all parts are empty.
pub(crate) fn squarify(sizes: &[f64], frame: Rect) -> Vec<Rect> {
    let total: f64 = sizes.iter().filter(|size| **size > 0.0).sum();
    let mut parts = Vec::with_capacity(sizes.len());
    if total <= 0.0 || frame.width <= 0.0 || frame.height <= 0.0 {
        return vec![Rect { width: 0.0, height: 0.0, ..frame }; sizes.len()];
    }
    let scale = frame.width * frame.height / total;
    let areas: Vec<f64> = sizes.iter().map(|size| size.max(0.0) * scale).collect();
    let (mut left, mut first) = (frame, 0);
    while first < areas.len() {
        let side = left.width.min(left.height);
        let mut end = first + 1;
        let mut sum = areas[first];
        let mut worst = stretch(sum, &areas[first..end], side);
        while end < areas.len() {
            let next = stretch(sum + areas[end], &areas[first..=end], side);
            if next > worst {
                break;
            }
            (sum, worst, end) = (sum + areas[end], next, end + 1);
        }
        left = row(&areas[first..end], sum, left, &mut parts);
        first = end;
    }
    parts
}

/// Returns the aspect ratio of the part of a row that is farthest from a square.
fn stretch(sum: f64, areas: &[f64], side: f64) -> f64 {
    let (least, most) = areas.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), area| (a.min(*area), b.max(*area)));
    let (side, sum) = (side * side, sum * sum);
    if least <= 0.0 || sum <= 0.0 { f64::INFINITY } else { (side * most / sum).max(sum / (side * least)) }
}

/// Appends the parts of a row along the shorter side, and returns the remaining rectangle.
fn row(areas: &[f64], sum: f64, left: Rect, parts: &mut Vec<Rect>) -> Rect {
    let wide = left.width >= left.height;
    let side = if wide { left.height } else { left.width };
    let depth = if side > 0.0 { (sum / side).min(if wide { left.width } else { left.height }) } else { 0.0 };
    let mut from = 0.0;
    for area in areas {
        let length = if depth > 0.0 { area / depth } else { 0.0 };
        parts.push(if wide {
            Rect { x: left.x, y: left.y + from, width: depth, height: length }
        } else {
            Rect { x: left.x + from, y: left.y, width: length, height: depth }
        });
        from += length;
    }
    if wide {
        Rect { x: left.x + depth, width: left.width - depth, ..left }
    } else {
        Rect { y: left.y + depth, height: left.height - depth, ..left }
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FRAME: Rect = Rect { x: 10.0, y: 20.0, width: 600.0, height: 400.0 };

    #[test]
    fn the_paper_s_example() {
        // 6 × 4, areas 6 6 4 3 2 2 1: the first two are one above the other at the left, each 3 wide and 2 high.
        let parts = squarify(&[6.0, 6.0, 4.0, 3.0, 2.0, 2.0, 1.0], Rect { x: 0.0, y: 0.0, width: 6.0, height: 4.0 });
        assert_eq!(parts[0], Rect { x: 0.0, y: 0.0, width: 3.0, height: 2.0 });
        assert_eq!(parts[1], Rect { x: 0.0, y: 2.0, width: 3.0, height: 2.0 });
        assert!((parts[2].width - 12.0 / 7.0).abs() < 1e-9 && (parts[2].height - 7.0 / 3.0).abs() < 1e-9);
        assert_eq!(squarify(&[], FRAME), []);
        assert_eq!(squarify(&[0.0], FRAME)[0].width, 0.0);
    }

    proptest! {
        #[test]
        fn parts_have_their_areas_fill_the_frame_and_do_not_overlap(mut sizes in prop::collection::vec(1.0f64..1e6, 1..60)) {
            sizes.sort_by(|a, b| b.total_cmp(a));
            let parts = squarify(&sizes, FRAME);
            let total: f64 = sizes.iter().sum();
            for (size, part) in sizes.iter().zip(&parts) {
                let area = FRAME.width * FRAME.height * size / total;
                prop_assert!((part.width * part.height - area).abs() <= 1e-6 * area.max(1.0));
                prop_assert!(part.x >= FRAME.x - 1e-6 && part.y >= FRAME.y - 1e-6);
                prop_assert!(part.x + part.width <= FRAME.x + FRAME.width + 1e-6);
                prop_assert!(part.y + part.height <= FRAME.y + FRAME.height + 1e-6);
            }
            for (index, a) in parts.iter().enumerate() {
                for b in &parts[index + 1..] {
                    let wide = (a.x + a.width).min(b.x + b.width) - a.x.max(b.x);
                    let high = (a.y + a.height).min(b.y + b.height) - a.y.max(b.y);
                    prop_assert!(wide.min(high) <= 1e-6, "{a:?} {b:?}");
                }
            }
        }
    }
}
