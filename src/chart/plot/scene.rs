//! A chart as data: marks in the order they are drawn, a sentence for those who do not see it, and the same figures
//! as a table. This module knows shapes and the names of colours; which colour a name has is the style sheet's.
//!
//! The page draws a scene as SVG elements, `svg` writes it as a file, `hit_test` finds what is under the pointer: all
//! three from the same marks, so that they agree.

use super::label;
pub use super::paint::{Paint, Pattern, Tone};
use super::popover_position::Rect;

/// A chart, ready to be drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// Pixels across.
    pub width: f64,
    /// Pixels down.
    pub height: f64,
    /// What is drawn, the topmost last.
    pub marks: Vec<Mark>,
    /// What it shows, in a sentence.
    pub title: String,
    /// The same figures in words.
    pub table: SceneTable,
}

/// "Show as table".
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SceneTable {
    /// Column heads, with units.
    pub heads: Vec<String>,
    /// Cells, as many a row as there are heads.
    pub rows: Vec<Vec<String>>,
}

/// One shape of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Where.
    pub shape: Shape,
    /// How it looks. A mark without fill and stroke is not drawn: it is there to be pointed at.
    pub paint: Paint,
    /// The datum it stands for, where it can be hovered and focused.
    pub id: Option<u32>,
    /// That datum in words; empty for what says nothing.
    pub label: String,
}

/// A form and its place.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A box.
    Rect {
        /// Left edge.
        x: f64,
        /// Top edge.
        y: f64,
        /// Width.
        w: f64,
        /// Height.
        h: f64,
        /// Radius of its corners.
        r: f64,
    },
    /// A straight line.
    Line {
        /// Start.
        x1: f64,
        /// Start.
        y1: f64,
        /// End.
        x2: f64,
        /// End.
        y2: f64,
    },
    /// Straight lines from point to point, and back to the first if closed.
    Path(Vec<(f64, f64)>, bool),
    /// A disc.
    Circle {
        /// Centre.
        x: f64,
        /// Centre.
        y: f64,
        /// Radius.
        r: f64,
    },
    /// A line of text.
    Text {
        /// Where its anchor is.
        x: f64,
        /// Its baseline.
        y: f64,
        /// What it says.
        text: String,
        /// Which end is at `x`.
        anchor: Anchor,
        /// How large.
        size: Size,
        /// Whether it is a name that the compiler or the user wrote.
        mono: bool,
        /// Whether ground is kept around its letters.
        halo: bool,
    },
}

/// The end of a text that is at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The left end.
    Start,
    /// The middle.
    Middle,
    /// The right end.
    End,
}

/// A size of type in charts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Ticks and units.
    Micro,
    /// Labels.
    Dense,
}

impl Mark {
    /// A mark that stands for nothing by itself: axes, grids, texts.
    pub const fn new(shape: Shape, paint: Paint) -> Self {
        Self { shape, paint, id: None, label: String::new() }
    }

    /// A mark that stands for a datum.
    pub const fn for_datum(id: u32, label: String, shape: Shape, paint: Paint) -> Self {
        Self { shape, paint, id: Some(id), label }
    }
}

impl Shape {
    /// A box with square corners.
    pub const fn rect(x: f64, y: f64, w: f64, h: f64) -> Self {
        Self::Rect { x, y, w, h, r: 0.0 }
    }

    /// A line.
    pub const fn line(x1: f64, y1: f64, x2: f64, y2: f64) -> Self {
        Self::Line { x1, y1, x2, y2 }
    }

    /// Small text in the page's type.
    pub const fn text(x: f64, y: f64, anchor: Anchor, text: String) -> Self {
        Self::Text { x, y, text, anchor, size: Size::Micro, mono: false, halo: false }
    }

    /// The box around it; around text by the estimated width of its letters.
    pub fn bounds(&self) -> Rect {
        match self {
            Self::Rect { x, y, w, h, .. } => Rect { x: *x, y: *y, width: *w, height: *h },
            Self::Line { x1, y1, x2, y2 } => Rect::around(&[(*x1, *y1), (*x2, *y2)]),
            Self::Path(points, _) => Rect::around(points),
            Self::Circle { x, y, r } => Rect { x: x - r, y: y - r, width: r * 2.0, height: r * 2.0 },
            Self::Text { x, y, text, anchor, size, mono, .. } => {
                let size = size.px();
                let width = if *mono { label::mono_width(text, size) } else { label::width(text, size) };
                Rect { x: x - width * anchor.before(), y: y - size * 0.8, width, height: size }
            }
        }
    }
}

impl Anchor {
    /// The part of a text that is left of its anchor.
    pub const fn before(self) -> f64 {
        match self {
            Self::Start => 0.0,
            Self::Middle => 0.5,
            Self::End => 1.0,
        }
    }

    /// As SVG names it.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

impl Size {
    /// Pixels.
    pub const fn px(self) -> f64 {
        match self {
            Self::Micro => 11.0,
            Self::Dense => 12.0,
        }
    }
}

/// A path's outline as SVG writes it.
pub fn path_data(points: &[(f64, f64)], closed: bool) -> String {
    let mut data = String::with_capacity(points.len() * 12);
    for (at, (x, y)) in points.iter().enumerate() {
        data.push(if at == 0 { 'M' } else { 'L' });
        data.push_str(&px(*x));
        data.push(' ');
        data.push_str(&px(*y));
    }
    if closed && !points.is_empty() {
        data.push('Z');
    }
    data
}

/// A length as an attribute: hundredths of a pixel are enough, and what is not a number is nowhere.
pub fn px(value: f64) -> String {
    let rounded = (value * 100.0).round() / 100.0;
    // Adding zero makes a negative zero a plain one.
    if rounded.is_finite() { (rounded + 0.0).to_string() } else { "0".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_know_their_box() {
        let text = |anchor| Shape::text(100.0, 50.0, anchor, "12.5 ms".to_owned()).bounds();
        let (start, end) = (text(Anchor::Start), text(Anchor::End));
        assert!((start.x - 100.0).abs() < 1e-9 && (end.x + end.width - 100.0).abs() < 1e-9);
        assert!(text(Anchor::Middle).distance(100.0, 48.0) < 1e-9);
        let circle = Shape::Circle { x: 5.0, y: 6.0, r: 2.0 }.bounds();
        assert_eq!(circle, Rect { x: 3.0, y: 4.0, width: 4.0, height: 4.0 });
        assert_eq!(Shape::line(9.0, 1.0, 3.0, 2.0).bounds(), Rect { x: 3.0, y: 1.0, width: 6.0, height: 1.0 });
    }

    #[test]
    fn outlines_are_short() {
        assert_eq!(path_data(&[(0.0, 1.5), (1.0 / 3.0, -0.001)], true), "M0 1.5L0.33 0Z");
        assert_eq!(path_data(&[], true), "");
        assert_eq!([px(f64::NAN), px(f64::INFINITY), px(1e3), px(-2.345_678)], ["0", "0", "1000", "-2.35"]);
    }
}
