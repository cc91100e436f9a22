//! This module finds the mark under the pointer, and the mark that an arrow key moves to. It does not depend on events
//! or page elements.

use super::popover_position::Rect;
use super::scene::{Mark, Shape};

/// Direction of a move with a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Left,
    Right,
    Up,
    Down,
    /// To the following datum, in the order of marks.
    Next,
    /// To the preceding datum, in the order of marks.
    Prev,
}

/// Half of the side of the smallest hit target, in px.
const REACH: f64 = 6.0;

/// Returns the datum of the topmost mark at a point. A small mark is also hit within 6 px. Of several small marks, the
/// nearest wins (the distance of a disc counts from its centre), and the topmost of equals.
pub fn mark_at(marks: &[Mark], x: f64, y: f64) -> Option<u32> {
    let exact = marks.iter().rev().find(|mark| mark.id.is_some() && away(mark, x, y) <= 0.0);
    if let Some(mark) = exact.filter(|mark| is_small(&mark.shape) && !matches!(mark.shape, Shape::Circle { .. })) {
        return mark.id;
    }
    let mut best: Option<(f64, u32)> = None;
    for mark in marks.iter().filter(|mark| is_small(&mark.shape)) {
        let Some(id) = mark.id else { continue };
        let distance = match mark.shape {
            Shape::Circle { x: cx, y: cy, .. } => (cx - x).hypot(cy - y),
            _ => away(mark, x, y),
        };
        if distance <= REACH && best.is_none_or(|(nearest, _)| distance <= nearest) {
            best = Some((distance, id));
        }
    }
    best.map_or_else(|| exact.and_then(|mark| mark.id), |(_, id)| Some(id))
}

/// Returns true if a mark is smaller than the smallest hit target.
fn is_small(shape: &Shape) -> bool {
    match shape {
        Shape::Circle { r, .. } => *r < REACH,
        Shape::Line { .. } | Shape::Path(_, false) => true,
        Shape::Rect { w, h, .. } => w.min(*h) < REACH * 2.0,
        Shape::Path(_, true) | Shape::Text { .. } => false,
    }
}

/// Returns the distance of a point from the drawn mark, in px; 0 on the mark.
fn away(mark: &Mark, x: f64, y: f64) -> f64 {
    let half = mark.paint.stroke.map_or(0.0, |_| mark.paint.width / 2.0);
    match &mark.shape {
        Shape::Circle { x: cx, y: cy, r } => ((cx - x).hypot(cy - y) - r - half).max(0.0),
        Shape::Line { x1, y1, x2, y2 } => (to_line((*x1, *y1), (*x2, *y2), (x, y)) - half).max(0.0),
        Shape::Path(points, true) if is_inside(points, x, y) => 0.0,
        Shape::Path(points, _) => (to_path(points, (x, y)) - half).max(0.0),
        shape @ (Shape::Rect { .. } | Shape::Text { .. }) => shape.bounds().distance(x, y),
    }
}

fn to_line(a: (f64, f64), b: (f64, f64), p: (f64, f64)) -> f64 {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let length = dx * dx + dy * dy;
    let along = if length > 0.0 { ((p.0 - a.0) * dx + (p.1 - a.1) * dy) / length } else { 0.0 };
    let along = along.clamp(0.0, 1.0);
    (a.0 + along * dx - p.0).hypot(a.1 + along * dy - p.1)
}

fn to_path(points: &[(f64, f64)], p: (f64, f64)) -> f64 {
    points.windows(2).map(|pair| to_line(pair[0], pair[1], p)).fold(f64::INFINITY, f64::min)
}

/// Even-odd rule: a ray to the right crosses the outline an odd number of times.
fn is_inside(points: &[(f64, f64)], x: f64, y: f64) -> bool {
    let next = points.iter().cycle().skip(1);
    let crossed = |((ax, ay), (bx, by)): &(&(f64, f64), &(f64, f64))| {
        (*ay > y) != (*by > y) && x < (bx - ax) * (y - ay) / (by - ay) + ax
    };
    points.iter().zip(next).filter(crossed).count() % 2 == 1
}

/// Returns the datum that a key moves to; `None` if no datum lies in that direction. Without a valid `from`, returns
/// the first datum, or the last for `Prev`, `Left` and `Up`.
///
/// A datum straight ahead is preferred to a datum to the side. Each step moves strictly in the direction of the key, so
/// that repeated keys do not go round in circles.
pub fn walk(marks: &[Mark], from: Option<u32>, to: Direction) -> Option<u32> {
    let data = data(marks);
    let Some(now) = from.and_then(|id| data.iter().position(|(other, _)| *other == id)) else {
        let last = matches!(to, Direction::Prev | Direction::Left | Direction::Up);
        return if last { data.last() } else { data.first() }.map(|(id, _)| *id);
    };
    let (x, y) = data.get(now)?.1.centre();
    let ahead = |rect: Rect| {
        let (dx, dy) = (rect.centre().0 - x, rect.centre().1 - y);
        match to {
            Direction::Left => (-dx, dy),
            Direction::Right => (dx, dy),
            Direction::Up => (-dy, dx),
            _ => (dy, dx),
        }
    };
    match to {
        Direction::Next => data.get(now + 1).map(|(id, _)| *id),
        Direction::Prev => data.get(now.checked_sub(1)?).map(|(id, _)| *id),
        _ => data
            .iter()
            .map(|(id, rect)| (*id, ahead(*rect)))
            .filter(|(_, (forth, _))| *forth > 0.0)
            .min_by(|(_, a), (_, b)| askew(*a).total_cmp(&askew(*b)))
            .map(|(id, _)| id),
    }
}

fn askew((forth, aside): (f64, f64)) -> f64 {
    forth + 2.0 * aside.abs()
}

/// Returns each datum once, in the order of marks, with the bounds of its first mark.
fn data(marks: &[Mark]) -> Vec<(u32, Rect)> {
    let mut seen = rustc_hash::FxHashSet::default();
    let first = |mark: &Mark| mark.id.filter(|id| seen.insert(*id)).map(|id| (id, mark.shape.bounds()));
    marks.iter().filter_map(first).collect()
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::chart::plot::paint::{Paint, Tone};
    use proptest::prelude::*;

    fn mark(id: u32, shape: Shape) -> Mark {
        Mark::for_datum(id, String::new(), shape, Paint::fill(Tone::Ink))
    }

    fn disc(id: u32, x: f64, y: f64, r: f64) -> Mark {
        mark(id, Shape::Circle { x, y, r })
    }

    #[test]
    fn the_topmost_is_hit() {
        let mut marks = vec![mark(1, Shape::rect(0.0, 0.0, 100.0, 100.0)), mark(2, Shape::rect(50.0, 0.0, 50.0, 50.0))];
        assert_eq!([mark_at(&marks, 10.0, 10.0), mark_at(&marks, 60.0, 10.0)], [Some(1), Some(2)]);
        assert_eq!([mark_at(&marks, 200.0, 10.0), mark_at(&[], 0.0, 0.0)], [None, None]);
        marks.push(Mark::new(Shape::rect(0.0, 0.0, 100.0, 100.0), Paint::fill(Tone::Grid)));
        assert_eq!(mark_at(&marks, 60.0, 10.0), Some(2), "what stands for nothing is not in the way");
    }

    #[test]
    fn small_marks_can_be_missed_by_a_little() {
        let marks = [disc(0, 50.0, 50.0, 40.0), disc(1, 50.0, 50.0, 2.0), disc(2, 58.0, 50.0, 2.0)];
        assert_eq!(
            [mark_at(&marks, 45.0, 50.0), mark_at(&marks, 53.0, 50.0), mark_at(&marks, 55.0, 50.0)],
            [Some(1), Some(1), Some(2)]
        );
        assert_eq!(mark_at(&marks, 30.0, 50.0), Some(0));
        let line = [mark(7, Shape::line(0.0, 0.0, 100.0, 100.0))];
        assert_eq!([mark_at(&line, 50.0, 55.0), mark_at(&line, 50.0, 70.0)], [Some(7), None]);
        assert_eq!(mark_at(&[mark(7, Shape::line(5.0, 5.0, 5.0, 5.0))], 8.0, 5.0), Some(7));
    }

    #[test]
    fn thin_boxes_are_hit_from_nearby() {
        let bar = [mark(0, Shape::rect(0.0, 0.0, 99.0, 30.0)), mark(1, Shape::rect(100.0, 0.0, 2.0, 30.0))];
        assert_eq!(
            [mark_at(&bar, 101.0, 15.0), mark_at(&bar, 97.0, 15.0), mark_at(&bar, 80.0, 15.0)],
            [Some(1), Some(1), Some(0)]
        );
        let thin = |id: u32| mark(id, Shape::rect(f64::from(id), 0.0, 1.0, 30.0));
        assert_eq!(mark_at(&[thin(0), thin(1), thin(2)], 1.5, 3.0), Some(1));
    }

    #[test]
    fn outlines_and_texts_are_hit_inside() {
        let triangle = [mark(3, Shape::Path(vec![(0.0, 0.0), (40.0, 0.0), (0.0, 40.0)], true))];
        assert_eq!([mark_at(&triangle, 10.0, 10.0), mark_at(&triangle, 30.0, 30.0)], [Some(3), None]);
        let curve = [mark(4, Shape::Path(vec![(0.0, 0.0), (40.0, 0.0)], false))];
        assert_eq!([mark_at(&curve, 20.0, 5.0), mark_at(&curve, 20.0, 7.0)], [Some(4), None]);
        let text = [mark(5, Shape::text(10.0, 20.0, crate::chart::plot::scene::Anchor::Start, "peak".to_owned()))];
        assert_eq!([mark_at(&text, 15.0, 16.0), mark_at(&text, 5.0, 16.0)], [Some(5), None]);
    }

    #[test]
    fn keys_go_where_they_point() {
        let marks =
            [disc(0, 0.0, 0.0, 3.0), disc(1, 50.0, 10.0, 3.0), disc(2, 20.0, 90.0, 3.0), disc(1, 0.0, 0.0, 9.0)];
        let go = |from: u32, to| walk(&marks, Some(from), to);
        assert_eq!(
            [go(0, Direction::Right), go(0, Direction::Down), go(1, Direction::Left)],
            [Some(1), Some(1), Some(0)]
        );
        assert_eq!([go(2, Direction::Up), go(0, Direction::Left), go(0, Direction::Up)], [Some(0), None, None]);
        assert_eq!([go(0, Direction::Next), go(2, Direction::Next), go(0, Direction::Prev)], [Some(1), None, None]);
        assert_eq!([walk(&marks, None, Direction::Next), walk(&marks, Some(99), Direction::Prev)], [Some(0), Some(2)]);
        assert_eq!(walk(&[], None, Direction::Next), None);
    }

    proptest! {
        #[test]
        fn every_disc_is_hit_at_its_centre_and_order_reaches_all(
            centres in prop::collection::vec((0u16..40, 0u16..40), 1..30),
        ) {
            let marks: Vec<Mark> = (0u32..)
                .zip(&centres)
                .map(|(id, (x, y))| disc(id, f64::from(*x) * 10.0, f64::from(*y) * 10.0, 2.0))
                .collect();
            for mark in &marks {
                let (x, y) = mark.shape.bounds().centre();
                let hit = mark_at(&marks, x, y).and_then(|id| marks.get(id as usize));
                prop_assert_eq!(hit.map(|hit| hit.shape.bounds()), Some(mark.shape.bounds()));
            }
            let mut seen = vec![];
            let mut now = walk(&marks, None, Direction::Next);
            while let Some(id) = now {
                seen.push(id);
                now = walk(&marks, now, Direction::Next);
            }
            prop_assert_eq!(seen.len(), marks.len());
            for to in [Direction::Left, Direction::Right, Direction::Up, Direction::Down] {
                let mut now = Some(0);
                for _ in 0..=marks.len() {
                    now = now.and_then(|id| walk(&marks, Some(id), to));
                }
                prop_assert_eq!(now, None, "it ends");
            }
        }
    }
}
