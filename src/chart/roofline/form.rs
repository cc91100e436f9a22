//! This module defines the forms of marks. All marks of the chart have the colour of compute, so that only the form
//! shows the op group. It does not depend on scales.

use crate::analysis::classify::OpGroup;

/// The form of a mark, which stands for an op group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// Disc ●.
    Matmul,
    /// Triangle ▲.
    Attention,
    /// Square ■.
    Elementwise,
    /// Inverted triangle ▼.
    Kernel,
    /// Cross ✚.
    CustomFusion,
    /// Pentagon ⬟: op groups without a form of their own, and rows with several groups.
    Other,
}

impl Form {
    /// All forms, in the order of the legend.
    pub const ALL: [Self; 6] =
        [Self::Matmul, Self::Attention, Self::Elementwise, Self::Kernel, Self::CustomFusion, Self::Other];

    /// Returns the name of the form's op group.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Matmul => "Matmul",
            Self::Attention => "Attention",
            Self::Elementwise => "Elementwise",
            Self::Kernel => "Kernel",
            Self::CustomFusion => "Custom fusion",
            Self::Other => "Other",
        }
    }

    /// Returns the form of an op group, given by its label.
    pub fn from_op_group(group: Option<&str>) -> Self {
        let Some(group) = OpGroup::ALL.into_iter().find(|of| Some(of.label()) == group) else { return Self::Other };
        match group {
            OpGroup::Matmul => Self::Matmul,
            OpGroup::Attention | OpGroup::LinearAttention => Self::Attention,
            OpGroup::Elementwise | OpGroup::Norm | OpGroup::Reduction => Self::Elementwise,
            OpGroup::CustomKernel | OpGroup::Moe => Self::Kernel,
            OpGroup::CustomFusion => Self::CustomFusion,
            _ => Self::Other,
        }
    }

    /// Returns the outline around a centre, with about the area of a disc of radius `r`. `None` for the disc.
    pub fn outline(self, x: f64, y: f64, r: f64) -> Option<Vec<(f64, f64)>> {
        let at = |points: &[(f64, f64)]| Some(points.iter().map(|(dx, dy)| (x + dx * r, y + dy * r)).collect());
        match self {
            Self::Matmul => None,
            // Equilateral triangle with a side of 2.69 r.
            Self::Attention => at(&[(0.0, -1.55), (1.35, 0.78), (-1.35, 0.78)]),
            Self::Kernel => at(&[(0.0, 1.55), (1.35, -0.78), (-1.35, -0.78)]),
            // Square with a side of √π r.
            Self::Elementwise => at(&[(-0.89, -0.89), (0.89, -0.89), (0.89, 0.89), (-0.89, 0.89)]),
            Self::CustomFusion => at(&[
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
            ]),
            // Five corners on a circle of radius 1.15 r.
            Self::Other => at(&[(0.0, -1.15), (1.09, -0.36), (0.68, 0.93), (-0.68, 0.93), (-1.09, -0.36)]),
        }
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
    fn every_form_has_the_area_of_its_disc() {
        for form in Form::ALL {
            let Some(points) = form.outline(3.0, 4.0, 10.0) else { continue };
            let ratio = area(&points) / (std::f64::consts::PI * 100.0);
            assert!((ratio - 1.0).abs() < 0.06, "{form:?} {ratio}");
        }
    }

    #[test]
    fn groups_have_forms() {
        assert_eq!(Form::from_op_group(Some("matmul")), Form::Matmul);
        assert_eq!(Form::from_op_group(Some("MoE")), Form::Kernel);
        assert_eq!([Form::from_op_group(None), Form::from_op_group(Some("copy"))], [Form::Other; 2]);
    }
}
