//! Where something that floats goes: below its anchor, or above it where there is no room, always on screen.
//! Knows rectangles; no element.

/// A rectangle on the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    /// Left edge.
    pub x: f64,
    /// Top edge.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

/// Room kept to the edge of the screen.
const EDGE: f64 = 8.0;

/// Top left corner of a box of `size` that belongs to `anchor`, `gap` away, on a screen of `screen`.
pub fn beside(anchor: Rect, size: (f64, f64), screen: (f64, f64), gap: f64) -> (f64, f64) {
    let x = anchor.x.min(screen.0 - EDGE - size.0).max(EDGE);
    let below = anchor.y + anchor.height + gap;
    let above = anchor.y - gap - size.1;
    let y = if below + size.1 <= screen.1 - EDGE || above < EDGE { below } else { above };
    (x, y.min(screen.1 - EDGE - size.1).max(EDGE))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: f64, y: f64) -> (f64, f64) {
        beside(Rect { x, y, width: 20.0, height: 20.0 }, (200.0, 100.0), (400.0, 300.0), 4.0)
    }

    #[test]
    fn below_then_above_and_never_off_the_screen() {
        assert_eq!(at(50.0, 50.0), (50.0, 74.0));
        assert_eq!(at(350.0, 50.0), (192.0, 74.0));
        assert_eq!(at(50.0, 250.0), (50.0, 146.0));
        assert_eq!(at(-50.0, 90.0).0, 8.0);
        let tall = beside(Rect { x: 0.0, y: 150.0, width: 9.0, height: 9.0 }, (10.0, 280.0), (400.0, 300.0), 4.0);
        assert_eq!(tall.1, 12.0);
    }
}
