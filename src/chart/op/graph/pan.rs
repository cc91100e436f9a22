//! This module computes the visible part of a drawing: pan, zoom and fit. It does not depend on pointer or wheel
//! events.

/// The visible part of a drawing: the point at the top left corner of the frame, and the scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pan {
    /// Left edge, in px of the drawing.
    pub x: f64,
    /// Top edge, in px of the drawing.
    pub y: f64,
    /// Screen pixels per pixel of the drawing.
    pub scale: f64,
}

impl Pan {
    /// Smallest scale; names are lines at this scale.
    pub const MIN: f64 = 0.08;
    /// Largest scale.
    pub const MAX: f64 = 4.0;
    /// Zoom factor of one key press or button click.
    pub const STEP: f64 = 1.25;

    /// Returns the view that shows the whole drawing in the middle of a frame, without enlarging it.
    #[must_use]
    pub fn fit(drawing: (f64, f64), frame: (f64, f64)) -> Self {
        let ratio = (frame.0 / drawing.0.max(1.0)).min(frame.1 / drawing.1.max(1.0));
        Self { x: 0.0, y: 0.0, scale: limited(ratio.min(1.0)) }.middle(drawing, frame)
    }

    /// Moves the point `position` of the drawing to the middle of the frame.
    #[must_use]
    pub fn centred(self, position: (f64, f64), frame: (f64, f64)) -> Self {
        Self { x: position.0 - frame.0 / self.scale / 2.0, y: position.1 - frame.1 / self.scale / 2.0, ..self }
    }

    fn middle(self, drawing: (f64, f64), frame: (f64, f64)) -> Self {
        self.centred((drawing.0 / 2.0, drawing.1 / 2.0), frame)
    }

    /// Multiplies the scale by `factor`. The point `position` of the frame keeps its place on the screen.
    #[must_use]
    pub fn zoomed(self, position: (f64, f64), factor: f64) -> Self {
        let scale = limited(self.scale * factor);
        let (x, y) = self.to_drawing(position);
        Self { x: x - position.0 / scale, y: y - position.1 / scale, scale }
    }

    /// Moves the drawing by px of the screen, in the direction of the pointer.
    #[must_use]
    pub fn moved(self, across: f64, down: f64) -> Self {
        Self { x: self.x - across / self.scale, y: self.y - down / self.scale, ..self }
    }

    /// Limits the position, so that a part of the drawing stays in the frame.
    #[must_use]
    pub fn clamp_to(self, drawing: (f64, f64), frame: (f64, f64)) -> Self {
        // The visible part is at least a quarter of the frame, or all of a smaller drawing.
        let keep = |position: f64, drawing: f64, frame: f64| {
            let visible = frame / self.scale;
            let least = (visible / 4.0).min(drawing);
            position.min(drawing - least).max(least - visible)
        };
        Self { x: keep(self.x, drawing.0, frame.0), y: keep(self.y, drawing.1, frame.1), ..self }
    }

    /// Converts a point of the frame to a point of the drawing.
    pub fn to_drawing(self, screen: (f64, f64)) -> (f64, f64) {
        (self.x + screen.0 / self.scale, self.y + screen.1 / self.scale)
    }

    /// Returns the SVG `viewBox` of a frame of this size.
    pub fn view_box(self, frame: (f64, f64)) -> String {
        use crate::chart::plot::scene::px;
        let [x, y, w, h] = [self.x, self.y, frame.0 / self.scale, frame.1 / self.scale].map(px);
        [x, y, w, h].join(" ")
    }
}

/// Limits a scale to the allowed range; a scale that is not finite becomes 1.
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
    fn fit_shows_the_whole_drawing_without_enlarging() {
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
    fn zoom_keeps_the_point_under_the_pointer() {
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
    fn clamp_keeps_part_of_the_drawing_visible() {
        let far = Pan { x: 1e6, y: -1e6, scale: 1.0 }.clamp_to(DRAWING, FRAME);
        assert!((far.x - 1800.0).abs() < 1e-9 && (far.y + 450.0).abs() < 1e-9);
        let pan = Pan::fit(DRAWING, FRAME);
        assert_eq!(pan.clamp_to(DRAWING, FRAME), pan);
    }
}
