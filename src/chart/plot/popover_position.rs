//! This module positions a floating box: below its anchor, or above if there is too little space below, always on the
//! screen. It also defines rectangles. It does not depend on page elements.

/// A rectangle on the screen, in px.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    /// Left edge.
    pub x: f64,
    /// Top edge.
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Rect {
    /// Returns the smallest rectangle around points; an empty rectangle at the origin if there are none.
    pub fn bounding(points: &[(f64, f64)]) -> Self {
        let Some(&(x, y)) = points.first() else { return Self::default() };
        let (mut left, mut top, mut right, mut bottom) = (x, y, x, y);
        for &(x, y) in points {
            (left, right) = (left.min(x), right.max(x));
            (top, bottom) = (top.min(y), bottom.max(y));
        }
        Self { x: left, y: top, width: right - left, height: bottom - top }
    }

    pub const fn right(self) -> f64 {
        self.x + self.width
    }

    pub const fn bottom(self) -> f64 {
        self.y + self.height
    }

    /// Returns the middle of the rectangle.
    pub fn centre(self) -> (f64, f64) {
        (self.x + self.width / 2.0, self.y + self.height / 2.0)
    }

    /// Returns the distance of a point from the rectangle; 0 inside.
    pub fn distance(self, x: f64, y: f64) -> f64 {
        let across = (self.x - x).max(x - self.x - self.width).max(0.0);
        let down = (self.y - y).max(y - self.y - self.height).max(0.0);
        across.hypot(down)
    }

    /// Returns true if the two rectangles share an area. A common edge is not enough.
    pub fn overlaps(self, other: Self) -> bool {
        self.x < other.right() && other.x < self.right() && self.y < other.bottom() && other.y < self.bottom()
    }

    /// Returns true if `other` is entirely inside.
    pub fn holds(self, other: Self) -> bool {
        other.x >= self.x && other.y >= self.y && other.right() <= self.right() && other.bottom() <= self.bottom()
    }

    /// Returns true if a line from `a` to `b` passes through the inside.
    pub fn is_crossed(self, a: (f64, f64), b: (f64, f64)) -> bool {
        // The part of the line, as fractions from 0 to 1, between the left and right edges and between top and bottom.
        let (mut from, mut to) = (0.0_f64, 1.0_f64);
        for (start, end, low, size) in [(a.0, b.0, self.x, self.width), (a.1, b.1, self.y, self.height)] {
            let along = end - start;
            if along == 0.0 {
                if start <= low || start >= low + size {
                    return false;
                }
            } else {
                let (enter, leave) = ((low - start) / along, (low + size - start) / along);
                from = from.max(enter.min(leave));
                to = to.min(enter.max(leave));
            }
        }
        from < to
    }
}

/// Smallest distance to the edge of the screen, in px.
const EDGE: f64 = 8.0;

/// Returns the top left corner of a box of `size` at a distance of `gap` from `anchor`, on a screen of size `screen`,
/// all in px.
pub fn popover_corner(anchor: Rect, size: (f64, f64), screen: (f64, f64), gap: f64) -> (f64, f64) {
    let x = anchor.x.min(screen.0 - EDGE - size.0).max(EDGE);
    let below = anchor.y + anchor.height + gap;
    let above = anchor.y - gap - size.1;
    let y = if below + size.1 <= screen.1 - EDGE || above < EDGE { below } else { above };
    (x, y.min(screen.1 - EDGE - size.1).max(EDGE))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position_at(x: f64, y: f64) -> (f64, f64) {
        popover_corner(Rect { x, y, width: 20.0, height: 20.0 }, (200.0, 100.0), (400.0, 300.0), 4.0)
    }

    #[test]
    fn popover_is_below_or_above_and_on_the_screen() {
        assert_eq!(position_at(50.0, 50.0), (50.0, 74.0));
        assert_eq!(position_at(350.0, 50.0), (192.0, 74.0));
        assert_eq!(position_at(50.0, 250.0), (50.0, 146.0));
        assert_eq!(position_at(-50.0, 90.0).0, 8.0);
        let tall =
            popover_corner(Rect { x: 0.0, y: 150.0, width: 9.0, height: 9.0 }, (10.0, 280.0), (400.0, 300.0), 4.0);
        assert_eq!(tall.1, 12.0);
    }

    #[test]
    fn rectangles_know_points_lines_and_each_other() {
        let rect = Rect { x: 10.0, y: 10.0, width: 20.0, height: 10.0 };
        assert_eq!(Rect::bounding(&[(30.0, 12.0), (10.0, 20.0), (11.0, 10.0)]), rect);
        assert_eq!(Rect::bounding(&[]), Rect::default());
        assert_eq!(rect.centre(), (20.0, 15.0));
        assert_eq!([rect.distance(12.0, 12.0), rect.distance(33.0, 24.0), rect.distance(20.0, 7.0)], [0.0, 5.0, 3.0]);
        let beside = Rect { x: 30.0, ..rect };
        assert!(!rect.overlaps(beside) && rect.overlaps(Rect { x: 29.0, ..rect }));
        assert!(rect.holds(Rect { width: 5.0, ..rect }) && !rect.holds(beside));
        assert!(rect.is_crossed((0.0, 0.0), (40.0, 30.0)) && !rect.is_crossed((0.0, 0.0), (40.0, 5.0)));
        assert!(rect.is_crossed((15.0, 0.0), (15.0, 99.0)) && !rect.is_crossed((10.0, 0.0), (10.0, 99.0)));
        assert!(!rect.is_crossed((0.0, 0.0), (9.0, 9.0)), "it ends before");
    }
}
