//! This module represents a chart as data: marks in drawing order, a text alternative, and the same figures as a table.
//! It holds shapes and names of colours; the style sheet defines the colours.
//!
//! The page draws a scene as SVG elements, `svg` writes it as a file, and `hit_test` finds the mark under the pointer.
//! All three use the same marks, so that they agree.

use super::label;
pub use super::paint::{Paint, Pattern, Tone};
use super::popover_position::Rect;
use xla_profile::keyed_enum;

/// A chart that is ready to be drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// Width, in px.
    pub width: f64,
    /// Height, in px.
    pub height: f64,
    /// Marks in drawing order, the topmost last.
    pub marks: Vec<Mark>,
    /// Text alternative, a sentence.
    pub title: String,
    /// Figures of the chart as a table.
    pub table: SceneTable,
}

/// Contents of "Show as table".
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SceneTable {
    /// Column headings, with units.
    pub heads: Vec<String>,
    /// Cells of each row, as many as there are headings.
    pub rows: Vec<Vec<String>>,
}

impl SceneTable {
    /// Creates a table from its headings, and the cells of each row.
    pub fn new<Head: Into<String>, Cells: Into<Vec<String>>>(
        heads: impl IntoIterator<Item = Head>,
        rows: impl IntoIterator<Item = Cells>,
    ) -> Self {
        Self { heads: heads.into_iter().map(Into::into).collect(), rows: rows.into_iter().map(Into::into).collect() }
    }
}

/// One shape of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    pub shape: Shape,
    /// Appearance. A mark without fill, stroke and pattern is invisible and serves as a hit target.
    pub paint: Paint,
    /// Id of the datum that the mark represents. `None` if the mark cannot be hovered or focused.
    pub id: Option<u32>,
    /// Description of the datum; empty for a mark without a datum.
    pub label: String,
}

/// A shape with its position, in px.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A box.
    Rect {
        /// Left edge.
        x: f64,
        /// Top edge.
        y: f64,
        w: f64,
        h: f64,
        /// Radius of the corners.
        r: f64,
    },
    Line {
        x1: f64,
        y1: f64,
        x2: f64,
        y2: f64,
    },
    /// Straight lines from point to point, and back to the first point if the flag is true.
    Path(Vec<(f64, f64)>, bool),
    /// A disc.
    Circle {
        /// Centre.
        x: f64,
        /// Centre.
        y: f64,
        r: f64,
    },
    Text {
        /// Position of the anchor.
        x: f64,
        /// Baseline.
        y: f64,
        text: String,
        /// The part of the text that is at `x`.
        anchor: Anchor,
        size: Size,
        /// True for names that the compiler or the user wrote, which have a monospaced font.
        mono: bool,
        /// True if the letters have a margin in the ground colour.
        halo: bool,
    },
}

keyed_enum! {
    /// The part of a text that is at its position.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Anchor {
        Start = "start",
        Middle = "middle",
        End = "end",
    }
}

/// Font size in charts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Size of ticks and units.
    Micro,
    /// Size of labels.
    Dense,
}

impl Mark {
    /// Creates a mark without a datum: axes, grids, texts.
    pub const fn new(shape: Shape, paint: Paint) -> Self {
        Self { shape, paint, id: None, label: String::new() }
    }

    /// Creates a mark for a datum.
    pub const fn for_datum(id: u32, label: String, shape: Shape, paint: Paint) -> Self {
        Self { shape, paint, id: Some(id), label }
    }
}

impl Shape {
    /// Creates a box with square corners.
    pub const fn rect(x: f64, y: f64, w: f64, h: f64) -> Self {
        Self::Rect { x, y, w, h, r: 0.0 }
    }

    pub const fn line(x1: f64, y1: f64, x2: f64, y2: f64) -> Self {
        Self::Line { x1, y1, x2, y2 }
    }

    /// Creates small text in the font of the page.
    pub const fn text(x: f64, y: f64, anchor: Anchor, text: String) -> Self {
        Self::Text { x, y, text, anchor, size: Size::Micro, mono: false, halo: false }
    }

    /// Creates a name that the compiler or the user wrote: small text in a monospaced font, from `x` to the right.
    pub const fn mono_text(x: f64, y: f64, text: String) -> Self {
        Self::Text { x, y, text, anchor: Anchor::Start, size: Size::Micro, mono: true, halo: false }
    }

    /// Returns a text whose letters have a margin in the ground colour; another shape as it is.
    #[must_use]
    pub fn with_halo(mut self) -> Self {
        if let Self::Text { halo, .. } = &mut self {
            *halo = true;
        }
        self
    }

    /// Returns the shape, moved by some px to the right and down.
    #[must_use]
    pub fn moved(mut self, by_x: f64, by_y: f64) -> Self {
        match &mut self {
            Self::Rect { x, y, .. } | Self::Circle { x, y, .. } | Self::Text { x, y, .. } => {
                *x += by_x;
                *y += by_y;
            }
            Self::Line { x1, y1, x2, y2 } => {
                *x1 += by_x;
                *x2 += by_x;
                *y1 += by_y;
                *y2 += by_y;
            }
            Self::Path(points, _) => points.iter_mut().for_each(|(x, y)| {
                *x += by_x;
                *y += by_y;
            }),
        }
        self
    }

    /// Returns the box around the shape; for text, from the estimated width of its letters.
    pub fn bounds(&self) -> Rect {
        match self {
            Self::Rect { x, y, w, h, .. } => Rect { x: *x, y: *y, width: *w, height: *h },
            Self::Line { x1, y1, x2, y2 } => Rect::bounding(&[(*x1, *y1), (*x2, *y2)]),
            Self::Path(points, _) => Rect::bounding(points),
            Self::Circle { x, y, r } => Rect { x: x - r, y: y - r, width: r * 2.0, height: r * 2.0 },
            Self::Text { x, y, text, anchor, size, mono, .. } => {
                let size = size.px();
                let width = if *mono { label::mono_width(text, size) } else { label::width(text, size) };
                Rect { x: x - width * anchor.fraction_before(), y: y - size * 0.8, width, height: size }
            }
        }
    }
}

impl Anchor {
    /// Returns the fraction of a text that is left of its anchor.
    pub const fn fraction_before(self) -> f64 {
        match self {
            Self::Start => 0.0,
            Self::Middle => 0.5,
            Self::End => 1.0,
        }
    }
}

impl Size {
    /// Returns the size in px.
    pub const fn px(self) -> f64 {
        match self {
            Self::Micro => 11.0,
            Self::Dense => 12.0,
        }
    }
}

/// Returns a path in SVG syntax.
pub fn path_data(points: &[(f64, f64)], closed: bool) -> String {
    let mut data = String::with_capacity(points.len() * 12);
    for (index, (x, y)) in points.iter().enumerate() {
        data.push(if index == 0 { 'M' } else { 'L' });
        data.push_str(&px(*x));
        data.push(' ');
        data.push_str(&px(*y));
    }
    if closed && !points.is_empty() {
        data.push('Z');
    }
    data
}

/// Formats a length for an attribute, in hundredths of a pixel. A value that is not finite becomes 0.
pub fn px(value: f64) -> String {
    let rounded = (value * 100.0).round() / 100.0;
    // Adding zero turns a negative zero into a positive one.
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
