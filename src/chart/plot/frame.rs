//! This module draws what surrounds a plot: grid, ticks, axes and titles. It does not depend on the data of the plot.
//!
//! ```text
//!   y title
//!  20 ─│──────┼──────      a tick: a line of the grid with its label
//!  10 ─│──────┼──────
//!      └──────┴──────      the axes
//!             5
//!          x title
//! ```

use super::paint::{Paint, Tone};
use super::popover_position::Rect;
use super::scale::Scale;
use super::scene::{Anchor, Mark, Shape};
use super::ticks::Tick;

/// Space around a plot for labels and titles, in px.
#[derive(Clone, Copy, Debug)]
pub struct Margins {
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
}

impl Margins {
    /// Returns the area inside the margins of a picture with a width and a height. It is at least 1 px wide and high.
    pub fn area(self, (width, height): (f64, f64)) -> Rect {
        let (width, height) = (width - self.left - self.right, height - self.top - self.bottom);
        Rect { x: self.left, y: self.top, width: width.max(1.0), height: height.max(1.0) }
    }
}

/// Distance from the labels of the y axis to the plot, in px.
const GAP: f64 = 6.0;

type Range = (f64, f64);

/// The area of a plot, with a scale from left to right and one from bottom to top.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    pub area: Rect,
    pub x: Scale,
    pub y: Scale,
    /// True if the letters around the plot have a margin in the ground colour.
    pub has_halo: bool,
}

impl Frame {
    /// Creates a frame with linear scales over two domains.
    pub fn linear(area: Rect, x: Range, y: Range) -> Self {
        Self::with_scales(area, Scale::linear, x, y)
    }

    /// Creates a frame with logarithmic scales over two domains.
    pub fn log(area: Rect, x: Range, y: Range) -> Self {
        Self::with_scales(area, Scale::log, x, y)
    }

    fn with_scales(area: Rect, scale: fn(Range, Range) -> Scale, x: Range, y: Range) -> Self {
        let (x, y) = (scale(x, (area.x, area.right())), scale(y, (area.bottom(), area.y)));
        Self { area, x, y, has_halo: false }
    }

    /// Returns the point of two values, in px.
    pub fn point(&self, x: f64, y: f64) -> (f64, f64) {
        (self.x.to(x), self.y.to(y))
    }

    /// Returns true if a point is inside or at an edge of the area.
    pub fn holds(&self, (x, y): (f64, f64)) -> bool {
        self.area.distance(x, y) <= 0.0
    }

    /// Draws the ticks of the x axis, with their labels `drop` px below the area.
    pub fn x_ticks(&self, marks: &mut Vec<Mark>, ticks: Vec<Tick>, drop: f64) {
        let line = |tick: &Tick| Shape::line(tick.position, self.area.y, tick.position, self.area.bottom());
        marks.extend(ticks.iter().map(line).map(grid_line));
        self.x_labels(marks, ticks, drop);
    }

    /// Draws the labels of ticks of the x axis, `drop` px below the area.
    pub fn x_labels(&self, marks: &mut Vec<Mark>, ticks: Vec<Tick>, drop: f64) {
        let y = self.area.bottom() + drop;
        marks.extend(ticks.into_iter().map(|tick| self.text(tick.position, y, Anchor::Middle, tick.label)));
    }

    /// Draws the ticks of the y axis.
    pub fn y_ticks(&self, marks: &mut Vec<Mark>, ticks: Vec<Tick>) {
        self.y_grid(marks, &ticks);
        self.y_labels(marks, ticks);
    }

    /// Draws the lines of ticks of the y axis.
    pub fn y_grid<'t>(&self, marks: &mut Vec<Mark>, ticks: impl IntoIterator<Item = &'t Tick>) {
        let line = |tick: &Tick| Shape::line(self.area.x, tick.position, self.area.right(), tick.position);
        marks.extend(ticks.into_iter().map(line).map(grid_line));
    }

    /// Draws the labels of ticks of the y axis.
    pub fn y_labels(&self, marks: &mut Vec<Mark>, ticks: Vec<Tick>) {
        let label = |tick: Tick| self.text(self.area.x - GAP, tick.position + 4.0, Anchor::End, tick.label);
        marks.extend(ticks.into_iter().map(label));
    }

    /// Draws both axes as one line.
    pub fn axes(&self) -> Mark {
        let Rect { x, y, .. } = self.area;
        let (right, bottom) = (self.area.right(), self.area.bottom());
        axis(Shape::Path(vec![(x, y), (x, bottom), (right, bottom)], false))
    }

    pub fn x_axis(&self) -> Mark {
        axis(Shape::line(self.area.x, self.area.bottom(), self.area.right(), self.area.bottom()))
    }

    pub fn y_axis(&self) -> Mark {
        axis(Shape::line(self.area.x, self.area.y, self.area.x, self.area.bottom()))
    }

    /// Writes the title of the x axis in the middle, `drop` px below the area.
    pub fn x_title(&self, drop: f64, text: impl Into<String>) -> Mark {
        self.text(self.area.centre().0, self.area.bottom() + drop, Anchor::Middle, text)
    }

    /// Writes the title of the y axis at its upper end, `rise` px above the area.
    pub fn y_title(&self, rise: f64, text: impl Into<String>) -> Mark {
        self.text(self.area.x, self.area.y - rise, Anchor::Start, text)
    }

    /// Writes the unit of the y axis above its labels, `rise` px above the area.
    pub fn y_unit(&self, rise: f64, unit: impl Into<String>) -> Mark {
        self.text(self.area.x - GAP, self.area.y - rise, Anchor::End, unit)
    }

    /// Writes a text around the plot.
    pub fn text(&self, x: f64, y: f64, anchor: Anchor, text: impl Into<String>) -> Mark {
        let shape = Shape::text(x, y, anchor, text.into());
        Mark::new(if self.has_halo { shape.with_halo() } else { shape }, Paint::fill(Tone::Ink3))
    }
}

fn grid_line(line: Shape) -> Mark {
    Mark::new(line, Paint::stroke(Tone::Grid, 1.0))
}

fn axis(line: Shape) -> Mark {
    Mark::new(line, Paint::stroke(Tone::Line2, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::plot::ticks::{plain, ticks};

    #[test]
    fn labels_are_in_the_margins() {
        let area = Margins { left: 40.0, right: 10.0, top: 20.0, bottom: 30.0 }.area((250.0, 150.0));
        assert_eq!(area, Rect { x: 40.0, y: 20.0, width: 200.0, height: 100.0 });
        let frame = Frame::linear(area, (0.0, 4.0), (0.0, 50.0));
        assert_eq!([frame.point(0.0, 0.0), frame.point(4.0, 50.0)], [(40.0, 120.0), (240.0, 20.0)]);
        assert!(frame.holds((240.0, 120.0)) && !frame.holds((241.0, 120.0)));
        let mut marks = vec![frame.x_title(28.0, "step"), frame.y_title(8.0, "ms")];
        frame.x_ticks(&mut marks, ticks(&frame.x, 4, plain), 15.0);
        frame.y_ticks(&mut marks, ticks(&frame.y, 5, plain));
        for mark in &marks {
            let bounds = mark.shape.bounds();
            let is_text = matches!(mark.shape, Shape::Text { .. });
            assert_eq!(is_text, !area.overlaps(bounds) && !area.holds(bounds), "{mark:?}");
        }
        let tiny = Margins { left: 40.0, right: 10.0, top: 20.0, bottom: 30.0 }.area((0.0, 0.0));
        assert_eq!((tiny.width, tiny.height), (1.0, 1.0));
    }
}
