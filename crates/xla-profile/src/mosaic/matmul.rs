//! This module reads the sizes of a matrix product from the types of its operands.

use super::array_type::{ArrayType, product};
use super::body::MatmulDims;
use super::unread::{Read, Unread};

/// The dimensions of the operands of a product by their role, as indices.
#[derive(Debug, PartialEq)]
struct DotDims {
    lhs_contracting: Vec<usize>,
    rhs_contracting: Vec<usize>,
    lhs_free: Vec<usize>,
    rhs_free: Vec<usize>,
    lhs_batch: Vec<usize>,
}

impl DotDims {
    /// Parses the inner text of `#tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>`: contracting,
    /// then free dimensions of both operands, the order of the result, and batch dimensions of both operands.
    fn from_text(text: &str) -> Option<Self> {
        let mut groups = text.split(']').map(|group| {
            let numbers = group.trim_matches([' ', ',', '[']);
            let mut parts = numbers.split(',').map(str::trim).filter(|part| !part.is_empty());
            parts.try_fold(Vec::new(), |mut all, part| {
                all.push(part.parse::<usize>().ok()?);
                Some(all)
            })
        });
        let mut group = || groups.next().flatten();
        let (lhs_contracting, rhs_contracting, lhs_free, rhs_free) = (group()?, group()?, group()?, group()?);
        let (_, lhs_batch) = (group()?, group()?);
        Some(Self { lhs_contracting, rhs_contracting, lhs_free, rhs_free, lhs_batch })
    }

    /// Returns the dimensions of matrices that may be transposed.
    fn matrices(is_lhs_transposed: bool, is_rhs_transposed: bool) -> Self {
        let (l, r) = (usize::from(is_lhs_transposed), usize::from(is_rhs_transposed));
        let other = |index: usize| vec![1_usize.saturating_sub(index)];
        Self {
            lhs_contracting: other(l),
            rhs_contracting: vec![r],
            lhs_free: vec![l],
            rhs_free: other(r),
            lhs_batch: vec![],
        }
    }
}

/// Returns the product of some sizes of an array.
fn sizes(array: &ArrayType, dims: &[usize]) -> Read<u64> {
    let sizes = dims.iter().map(|dim| array.shape.get(*dim).copied().ok_or(Unread::Shapes));
    product(&sizes.collect::<Read<Vec<_>>>()?)
}

/// Returns the sizes of a product of two arrays. `numbers` is the text of its dimension numbers; without them, the
/// operands are matrices, of which the left or the right one may be transposed.
pub(super) fn matmul_dims(
    lhs: &ArrayType,
    rhs: &ArrayType,
    numbers: Read<&str>,
    transposed: [bool; 2],
) -> Read<MatmulDims> {
    let dims = match numbers {
        Ok(text) => DotDims::from_text(text).ok_or_else(|| Unread::word(text))?,
        Err(Unread::Absent) if lhs.shape.len() == 2 && rhs.shape.len() == 2 => {
            let [is_lhs_transposed, is_rhs_transposed] = transposed;
            DotDims::matrices(is_lhs_transposed, is_rhs_transposed)
        }
        Err(Unread::Absent) => return Err(Unread::Shapes),
        Err(reason) => return Err(reason),
    };
    let k = sizes(lhs, &dims.lhs_contracting)?;
    if k != sizes(rhs, &dims.rhs_contracting)? {
        return Err(Unread::Shapes);
    }
    let (batch, m) = (sizes(lhs, &dims.lhs_batch)?, sizes(lhs, &dims.lhs_free)?);
    Ok(MatmulDims { batch, m, k, n: sizes(rhs, &dims.rhs_free)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(shape: &[u64]) -> ArrayType {
        let shape = shape.iter().copied().map(Some).collect();
        ArrayType { shape, element: Err(Unread::Absent), memory_space: Err(Unread::Absent) }
    }

    #[test]
    fn dimensions_by_role() {
        let (batched, other) = (array(&[7, 2, 3]), array(&[7, 5, 3]));
        let numbers = "[2], [2], [1], [1], [0, 0, 0, 1, 1, 1], [0], [0]";
        let dims = matmul_dims(&batched, &other, Ok(numbers), [false; 2]);
        assert_eq!(dims, Ok(MatmulDims { batch: 7, m: 2, k: 3, n: 5 }));
        assert_eq!(dims.unwrap().flops(), Ok(2 * 7 * 2 * 3 * 5));
        let absent = || Err(Unread::Absent);
        assert_eq!(matmul_dims(&batched, &other, absent(), [false; 2]), Err(Unread::Shapes));
        let transposed = matmul_dims(&array(&[3, 2]), &array(&[5, 3]), absent(), [true; 2]);
        assert_eq!(transposed, Ok(MatmulDims { batch: 1, m: 2, k: 3, n: 5 }));
        let plain = matmul_dims(&array(&[2, 3]), &array(&[3, 5]), absent(), [false; 2]);
        assert_eq!(plain, transposed);
        assert_eq!(matmul_dims(&array(&[2, 3]), &array(&[4, 5]), absent(), [false; 2]), Err(Unread::Shapes));
        assert_eq!(
            matmul_dims(&array(&[2, 3]), &array(&[3, 5]), Ok("[9], [0], [0], [1], [], []"), [false; 2]),
            Err(Unread::Shapes)
        );
        let word = Unread::Word { word: "[1], x".to_owned() };
        assert_eq!(matmul_dims(&array(&[2, 3]), &array(&[3, 5]), Ok("[1], x"), [false; 2]), Err(word));
    }

    #[test]
    fn large_products_do_not_overflow() {
        let large = 1 << 40;
        assert_eq!(MatmulDims { batch: 1, m: large, k: large, n: large }.flops(), Err(Unread::Overflow));
    }
}
