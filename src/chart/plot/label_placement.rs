//! This module chooses the labels of a crowded chart and their positions. It works on boxes and lines, not on texts.
//!
//! Each label has eight candidate positions around its mark. Labels with higher priority choose first, and a label
//! without a free position is dropped; labels do not shrink.
//!
//! Invariants: a placed label overlaps no other label and no obstacle, and is entirely inside the frame.

use super::popover_position::Rect;
use std::cmp::Reverse;
use xla_profile::small_sort::SmallSort;

/// A label that needs a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// Labels with higher priority choose first; of equals, the first one.
    pub priority: u32,
    /// Centre of the named mark.
    pub x: f64,
    /// Centre of the named mark.
    pub y: f64,
    /// Distance from the centre: the radius of the mark plus some space.
    pub away: f64,
    pub width: f64,
    pub height: f64,
}

/// An area that labels must not cover.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Obstacle {
    /// A mark, or a label that is already placed.
    Box(Rect),
    /// A roof, an axis, or a segment of a curve.
    Line((f64, f64), (f64, f64)),
}

/// Returns the box of each label, in the given order; `None` for a dropped label.
pub fn place_labels(labels: &[Candidate], obstacles: &[Obstacle], frame: Rect) -> Vec<Option<Rect>> {
    let priority = |index: usize| labels.get(index).map(|label| label.priority);
    let mut order: Vec<usize> = (0..labels.len()).collect();
    order.small_sort_by_key(|label| Reverse(priority(*label)));
    let mut placed = vec![None; labels.len()];
    let mut taken: Vec<Rect> = Vec::new();
    for index in order {
        let Some(label) = labels.get(index) else { continue };
        let free = |spot: &Rect| {
            let is_clear = |obstacle: &Obstacle| match obstacle {
                Obstacle::Box(rect) => !spot.overlaps(*rect),
                Obstacle::Line(a, b) => !spot.is_crossed(*a, *b),
            };
            frame.holds(*spot) && !taken.iter().any(|other| spot.overlaps(*other)) && obstacles.iter().all(is_clear)
        };
        let spot = spots(label, frame).into_iter().find(free);
        taken.extend(spot);
        if let Some(place) = placed.get_mut(index) {
            *place = spot;
        }
    }
    placed
}

/// Returns the positions around a mark, the preferred ones first: right and left, above and below, then the corners.
/// Above and below, a label that would stick out of the frame at a side moves into it.
fn spots(label: &Candidate, frame: Rect) -> [Rect; 8] {
    // At a corner, the distance is divided between both directions.
    let (far, near) = (label.away, label.away * std::f64::consts::FRAC_1_SQRT_2);
    let (half_width, half_height) = (label.width / 2.0, label.height / 2.0);
    let sides = [
        (far + half_width, 0.0),
        (-far - half_width, 0.0),
        (0.0, -far - half_height),
        (0.0, far + half_height),
        (near + half_width, -near - half_height),
        (near + half_width, near + half_height),
        (-near - half_width, -near - half_height),
        (-near - half_width, near + half_height),
    ];
    let rightmost = frame.x + frame.width - label.width;
    sides.map(|(dx, dy)| {
        let x = label.x + dx - half_width;
        let is_beside = dy.abs() < half_height + near;
        let fits = rightmost >= frame.x && !is_beside;
        Rect {
            x: if fits { x.clamp(frame.x, rightmost) } else { x },
            y: label.y + dy - half_height,
            width: label.width,
            height: label.height,
        }
    })
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FRAME: Rect = Rect { x: 0.0, y: 0.0, width: 200.0, height: 100.0 };

    fn label(priority: u32, x: f64, y: f64) -> Candidate {
        Candidate { priority, x, y, away: 5.0, width: 40.0, height: 12.0 }
    }

    #[test]
    fn labels_of_higher_priority_are_placed_first() {
        let placed = place_labels(&[label(1, 50.0, 50.0), label(9, 50.0, 50.0)], &[], FRAME);
        assert_eq!(placed[1], Some(Rect { x: 55.0, y: 44.0, width: 40.0, height: 12.0 }));
        assert_eq!(placed[0], Some(Rect { x: 5.0, y: 44.0, width: 40.0, height: 12.0 }));
        let first = place_labels(&[label(1, 50.0, 50.0), label(1, 50.0, 50.0)], &[], FRAME);
        assert_eq!(first[0].map(|rect| rect.x), Some(55.0), "of equals the first");
    }

    #[test]
    fn labels_yield_to_lines_boxes_and_the_frame() {
        let roof = Obstacle::Line((60.0, 0.0), (60.0, 100.0));
        assert_eq!(place_labels(&[label(1, 50.0, 50.0)], &[roof], FRAME)[0].map(|rect| rect.x), Some(5.0));
        let wall = Obstacle::Box(Rect { x: 0.0, y: 0.0, width: 200.0, height: 100.0 });
        assert_eq!(place_labels(&[label(1, 50.0, 50.0)], &[wall], FRAME), [None]);
        assert_eq!(place_labels(&[label(1, 195.0, 50.0)], &[], FRAME)[0].map(|rect| rect.x), Some(150.0));
        assert_eq!(place_labels(&[label(1, f64::NAN, 50.0)], &[], FRAME), [None]);
    }

    #[test]
    fn a_label_at_the_side_of_the_frame_moves_into_it() {
        let wide = Candidate { width: 190.0, ..label(1, 190.0, 50.0) };
        let left = Obstacle::Box(Rect { x: 0.0, y: 46.0, width: 180.0, height: 8.0 });
        let placed = place_labels(&[wide], &[left], FRAME)[0].unwrap();
        assert_eq!((placed.x, placed.width), (10.0, 190.0), "above the mark");
        assert!(placed.y < 40.0);
    }

    proptest! {
        #[test]
        fn nothing_overlaps(
            marks in prop::collection::vec((0u32..5, 0.0f64..200.0, 0.0f64..100.0, 4.0f64..60.0), 0..40),
            lines in prop::collection::vec(((0.0f64..200.0, 0.0f64..100.0), (0.0f64..200.0, 0.0f64..100.0)), 0..6),
        ) {
            let labels: Vec<_> =
                marks.iter().map(|(priority, x, y, width)| Candidate { width: *width, ..label(*priority, *x, *y) }).collect();
            let boxes = marks.iter().map(|(_, x, y, _)| Obstacle::Box(Rect { x: x - 2.0, y: y - 2.0, width: 4.0, height: 4.0 }));
            let obstacles: Vec<_> = lines.iter().map(|(a, b)| Obstacle::Line(*a, *b)).chain(boxes).collect();
            let placed: Vec<Rect> = place_labels(&labels, &obstacles, FRAME).into_iter().flatten().collect();
            for (index, rect) in placed.iter().enumerate() {
                prop_assert!(FRAME.holds(*rect));
                prop_assert!(placed.iter().skip(index + 1).all(|other| !rect.overlaps(*other)));
                let is_clear = |obstacle: &Obstacle| match obstacle {
                    Obstacle::Box(other) => !rect.overlaps(*other),
                    Obstacle::Line(a, b) => !rect.is_crossed(*a, *b),
                };
                prop_assert!(obstacles.iter().all(is_clear));
            }
        }
    }
}
