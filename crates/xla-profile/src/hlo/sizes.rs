//! This module reads sizes of shapes and lists of dimensions, for the costs of instructions.

use super::Shape;

/// Returns the product of the sizes of these dimensions.
pub(super) fn contracted(shape: &Shape, dims: &[usize]) -> Option<f64> {
    let sizes = &shape.as_array()?.dims;
    #[expect(clippy::cast_precision_loss, reason = "costs are estimates in doubles")]
    dims.iter().map(|dim| sizes.get(*dim).map(|size| *size as f64)).product()
}

/// Returns the numbers in `{1,2}`, `1,2` or `"1","2"`.
pub(super) fn numbers(text: &str) -> Vec<usize> {
    text.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse().ok()).collect()
}

#[expect(clippy::cast_precision_loss, reason = "costs are estimates in doubles")]
pub(super) fn elements(shape: &Shape) -> f64 {
    shape.arrays().filter_map(super::ArrayShape::elements).map(|n| n as f64).sum()
}
