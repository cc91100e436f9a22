//! This module groups the rows of the chart by their work. All marks have the colour of compute, so that only the shape
//! shows the group. It does not depend on scales.

use crate::analysis::classify::OpGroup;
use crate::chart::plot::mark_shape::MarkShape;

/// The group of work that a mark stands for: one or several op groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WorkGroup {
    Matmul,
    Attention,
    Elementwise,
    Kernel,
    CustomFusion,
    /// Op groups without a shape of their own, and rows with several groups.
    Other,
}

impl WorkGroup {
    /// All groups, in the order of the legend.
    pub const ALL: [Self; 6] =
        [Self::Matmul, Self::Attention, Self::Elementwise, Self::Kernel, Self::CustomFusion, Self::Other];

    /// Returns the name of the group.
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

    /// Returns the shape of the marks of the group.
    pub const fn mark_shape(self) -> MarkShape {
        match self {
            Self::Matmul => MarkShape::Circle,
            Self::Attention => MarkShape::Triangle,
            Self::Elementwise => MarkShape::Square,
            Self::Kernel => MarkShape::InvertedTriangle,
            Self::CustomFusion => MarkShape::Cross,
            Self::Other => MarkShape::Pentagon,
        }
    }

    /// Returns the group of an op group, given by its label.
    pub fn from_op_group(label: Option<&str>) -> Self {
        match label.and_then(OpGroup::from_key) {
            Some(OpGroup::Matmul) => Self::Matmul,
            Some(OpGroup::Attention | OpGroup::LinearAttention) => Self::Attention,
            Some(OpGroup::Elementwise | OpGroup::Norm | OpGroup::Reduction) => Self::Elementwise,
            Some(OpGroup::CustomKernel | OpGroup::Moe) => Self::Kernel,
            Some(OpGroup::CustomFusion) => Self::CustomFusion,
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn op_groups_have_groups_of_work() {
        assert_eq!(WorkGroup::from_op_group(Some("matmul")), WorkGroup::Matmul);
        assert_eq!(WorkGroup::from_op_group(Some("MoE")), WorkGroup::Kernel);
        assert_eq!([WorkGroup::from_op_group(None), WorkGroup::from_op_group(Some("copy"))], [WorkGroup::Other; 2]);
    }
}
