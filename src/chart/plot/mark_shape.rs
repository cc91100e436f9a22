//! This module defines the shapes of marks. A chart with marks of one colour tells its groups apart by their shapes.

use super::scene::Shape;

/// The shape of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkShape {
    Circle,
    /// A triangle that points up.
    Triangle,
    /// A triangle that points down.
    InvertedTriangle,
    Square,
    /// A cross with thick arms: ✚.
    Cross,
    Pentagon,
    /// A square that stands on a corner. Unlike the others, it is smaller than its circle.
    Diamond,
}

impl MarkShape {
    /// Returns the shape around a centre, with about the area of a circle of radius `r`.
    pub fn to_shape(self, x: f64, y: f64, r: f64) -> Shape {
        self.outline(x, y, r).map_or(Shape::Circle { x, y, r }, |points| Shape::Path(points, true))
    }

    /// Returns the corners of the shape around a centre. `None` for the circle.
    pub fn outline(self, x: f64, y: f64, r: f64) -> Option<Vec<(f64, f64)>> {
        let corners: &[(f64, f64)] = match self {
            Self::Circle => return None,
            // Equilateral triangle with a side of 2.69 r.
            Self::Triangle => &[(0.0, -1.55), (1.35, 0.78), (-1.35, 0.78)],
            Self::InvertedTriangle => &[(0.0, 1.55), (1.35, -0.78), (-1.35, -0.78)],
            // Square with a side of √π r.
            Self::Square => &[(-0.89, -0.89), (0.89, -0.89), (0.89, 0.89), (-0.89, 0.89)],
            Self::Cross => &[
                (-0.4, -1.2),
                (0.4, -1.2),
                (0.4, -0.4),
                (1.2, -0.4),
                (1.2, 0.4),
                (0.4, 0.4),
                (0.4, 1.2),
                (-0.4, 1.2),
                (-0.4, 0.4),
                (-1.2, 0.4),
                (-1.2, -0.4),
                (-0.4, -0.4),
            ],
            // Five corners on a circle of radius 1.15 r.
            Self::Pentagon => &[(0.0, -1.15), (1.09, -0.36), (0.68, 0.93), (-0.68, 0.93), (-1.09, -0.36)],
            Self::Diamond => &[(0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0)],
        };
        Some(corners.iter().map(|(dx, dy)| (x + dx * r, y + dy * r)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Area inside an outline, by the shoelace formula.
    fn area(points: &[(f64, f64)]) -> f64 {
        let next = points.iter().cycle().skip(1);
        points.iter().zip(next).map(|((ax, ay), (bx, by))| ax * by - bx * ay).sum::<f64>().abs() / 2.0
    }

    #[test]
    fn shapes_have_the_area_of_their_circle() {
        use MarkShape::{Cross, InvertedTriangle, Pentagon, Square, Triangle};
        for shape in [Triangle, InvertedTriangle, Square, Cross, Pentagon] {
            let points = shape.outline(3.0, 4.0, 10.0).expect("it has corners");
            let ratio = area(&points) / (std::f64::consts::PI * 100.0);
            assert!((ratio - 1.0).abs() < 0.06, "{shape:?} {ratio}");
        }
    }
}
