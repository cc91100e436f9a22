//! Which part of a drawing is seen: pan, zoom, fit. This module knows lengths; no pointer and no wheel.

/// The part that is seen: the drawing's point at the frame's top left corner, and how large a pixel of it is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pan {
    /// Left edge, in the drawing's pixels.
    pub x: f64,
    /// Top edge, in the drawing's pixels.
    pub y: f64,
    /// Screen pixels per pixel of the drawing.
    pub scale: f64,
}

impl Pan {
    /// The smallest scale: names are lines.
    pub const MIN: f64 = 0.08;
    /// The largest scale.
    pub const MAX: f64 = 4.0;
    /// One step of a key or a button.
    pub const STEP: f64 = 1.25;

    /// All of a drawing in the middle of a frame, not larger than it is.
    #[must_use]
    pub fn fit(drawing: (f64, f64), frame: (f64, f64)) -> Self {
        let ratio = (frame.0 / drawing.0.max(1.0)).min(frame.1 / drawing.1.max(1.0));
        Self { x: 0.0, y: 0.0, scale: limited(ratio.min(1.0)) }.middle(drawing, frame)
    }

    /// A point of the drawing in the middle of the frame, at this scale.
    #[must_use]
    pub fn centred(self, at: (f64, f64), frame: (f64, f64)) -> Self {
        Self { x: at.0 - frame.0 / self.scale / 2.0, y: at.1 - frame.1 / self.scale / 2.0, ..self }
    }

    fn middle(self, drawing: (f64, f64), frame: (f64, f64)) -> Self {
        self.centred((drawing.0 / 2.0, drawing.1 / 2.0), frame)
    }

    /// Larger or smaller by a factor; what is at this point of the frame stays there.
    #[must_use]
    pub fn zoomed(self, at: (f64, f64), factor: f64) -> Self {
        let scale = limited(self.scale * factor);
        let (x, y) = self.to_drawing(at);
        Self { x: x - at.0 / scale, y: y - at.1 / scale, scale }
    }

    /// Moved by pixels of the screen, as a hand moves paper.
    #[must_use]
    pub fn moved(self, across: f64, down: f64) -> Self {
        Self { x: self.x - across / self.scale, y: self.y - down / self.scale, ..self }
    }

    /// The same, with some of the drawing in the frame.
    #[must_use]
    pub fn clamp_to(self, drawing: (f64, f64), frame: (f64, f64)) -> Self {
        // A quarter of the frame at least, or all of a drawing smaller than that.
        let keep = |at: f64, drawing: f64, frame: f64| {
            let visible = frame / self.scale;
            let least = (visible / 4.0).min(drawing);
            at.min(drawing - least).max(least - visible)
        };
        Self { x: keep(self.x, drawing.0, frame.0), y: keep(self.y, drawing.1, frame.1), ..self }
    }

    /// The point of the drawing that is at a point of the frame.
    pub fn to_drawing(self, screen: (f64, f64)) -> (f64, f64) {
        (self.x + screen.0 / self.scale, self.y + screen.1 / self.scale)
    }

    /// As the `viewBox` of a frame.
    pub fn view_box(self, frame: (f64, f64)) -> String {
        use crate::chart::plot::scene::px;
        let [x, y, w, h] = [self.x, self.y, frame.0 / self.scale, frame.1 / self.scale].map(px);
        [x, y, w, h].join(" ")
    }
}

/// A scale that can be used.
fn limited(scale: f64) -> f64 {
    if scale.is_finite() { scale.clamp(Pan::MIN, Pan::MAX) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWING: (f64, f64) = (2000.0, 1000.0);
    const FRAME: (f64, f64) = (800.0, 600.0);

    fn near(a: (f64, f64), b: (f64, f64)) -> bool {
        (a.0 - b.0).abs() < 1e-9 && (a.1 - b.1).abs() < 1e-9
    }

    #[test]
    fn all_of_it_fits_and_is_not_enlarged() {
        let pan = Pan::fit(DRAWING, FRAME);
        assert!((pan.scale - 0.4).abs() < 1e-12 && near(pan.to_drawing((400.0, 300.0)), (1000.0, 500.0)));
        let small = Pan::fit((100.0, 50.0), FRAME);
        assert!((small.scale - 1.0).abs() < 1e-12 && near(small.to_drawing((400.0, 300.0)), (50.0, 25.0)));
        assert_eq!(pan.view_box(FRAME), "0 -250 2000 1500");
        for odd in [Pan::fit((0.0, 0.0), FRAME), Pan::fit(DRAWING, (0.0, 0.0)), Pan::fit((f64::NAN, 1.0), FRAME)] {
            assert!(odd.scale >= Pan::MIN && odd.scale <= Pan::MAX);
        }
    }

    #[test]
    fn what_is_under_the_pointer_stays_there() {
        let pan = Pan::fit(DRAWING, FRAME);
        for factor in [Pan::STEP, 1.0 / Pan::STEP, 100.0, 1e-6, f64::NAN] {
            let zoomed = pan.zoomed((123.0, 45.0), factor);
            assert!(near(zoomed.to_drawing((123.0, 45.0)), pan.to_drawing((123.0, 45.0))));
            assert!(zoomed.scale >= Pan::MIN && zoomed.scale <= Pan::MAX);
        }
        let moved = pan.moved(30.0, -12.0);
        assert!(near(moved.to_drawing((130.0, 88.0)), pan.to_drawing((100.0, 100.0))));
        assert!(near(pan.centred((7.0, 8.0), FRAME).to_drawing((400.0, 300.0)), (7.0, 8.0)));
    }

    #[test]
    fn some_of_it_stays_in_sight() {
        let far = Pan { x: 1e6, y: -1e6, scale: 1.0 }.clamp_to(DRAWING, FRAME);
        assert!((far.x - 1800.0).abs() < 1e-9 && (far.y + 450.0).abs() < 1e-9);
        let pan = Pan::fit(DRAWING, FRAME);
        assert_eq!(pan.clamp_to(DRAWING, FRAME), pan);
    }
}
