//! This module defines the shape of an instruction's result, and its size with and without padding.
//!
//! ```text
//! bf16[8,<=128]{1,0:T(8,128)(2,1)S(1)}      an array: dtype, dimensions, layout
//! (f32[], /*index=…*/ token[], ())          a tuple
//! b(f32[4])                                 a buffer
//! ```

use super::{DType, Layout, Text};

/// The shape of an instruction's result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    Array(ArrayShape),
    Tuple(Vec<Shape>),
    /// `token[]`, which orders instructions and has no data.
    Token,
    /// `opaque[]`, data of an unknown type.
    Opaque,
    /// A buffer that holds a shape.
    Buffer(Box<Shape>),
    /// The text of a shape that could not be read; `unknown[]` if it could not be read from a proto.
    Other(Text),
}

/// The shape of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayShape {
    pub dtype: DType,
    /// Sizes of the dimensions in logical order, which is the order of the text.
    pub dims: Vec<u64>,
    /// For each dimension, whether it is a bound (`<=128`) instead of a size. Empty if none is a bound.
    pub dynamic: Vec<bool>,
    pub layout: Option<Box<Layout>>,
}

impl Shape {
    /// Deepest nesting of shapes that is read. No compiler writes deeper ones.
    pub const DEPTH: usize = 48;

    /// Returns the array, or `None` if the shape is not an array.
    pub const fn as_array(&self) -> Option<&ArrayShape> {
        match self {
            Self::Array(array) => Some(array),
            _ => None,
        }
    }

    /// Returns the elements of a tuple, or an empty slice if the shape is not a tuple.
    pub fn elements(&self) -> &[Self] {
        match self {
            Self::Tuple(elements) => elements,
            _ => &[],
        }
    }

    /// Returns the shape at a shape index: `{1, 0}` is the first element of the second element, `{}` is the shape
    /// itself. Returns `None` if the index does not exist.
    pub fn subshape(&self, index: &[i64]) -> Option<&Self> {
        index.iter().try_fold(self, |shape, i| shape.elements().get(usize::try_from(*i).ok()?))
    }

    /// Iterates over all arrays of the shape in order, including those in tuples and buffers.
    pub fn arrays(&self) -> impl Iterator<Item = &ArrayShape> {
        // `left` never holds more shapes than the shape itself does.
        let mut left = vec![self];
        std::iter::from_fn(move || {
            loop {
                match left.pop()? {
                    Self::Array(array) => return Some(array),
                    Self::Tuple(elements) => left.extend(elements.iter().rev()),
                    Self::Buffer(inner) => left.push(inner),
                    Self::Token | Self::Opaque | Self::Other(_) => {}
                }
            }
        })
    }

    /// Returns the bytes of all arrays without padding. Returns `None` if the sum does not fit, or if an element type
    /// or a dimension is not known.
    pub fn bytes(&self) -> Option<u64> {
        self.arrays().try_fold(0_u64, |sum, array| sum.checked_add(array.bytes()?))
    }

    /// Returns the bytes of all arrays with padding. The table of pointers of a tuple does not count. Returns `None` in
    /// the cases of [`Shape::bytes`], and if a tile does not fit its array.
    pub fn padded_bytes(&self) -> Option<u64> {
        self.arrays().try_fold(0_u64, |sum, array| sum.checked_add(array.padded_bytes()?))
    }
}

impl ArrayShape {
    /// The size `?` of a dimension without a bound.
    pub const UNBOUNDED: u64 = u64::MAX;

    /// Returns whether dimension `i` is a bound instead of a size.
    pub fn is_dynamic(&self, i: usize) -> bool {
        self.dynamic.get(i).copied().unwrap_or(false)
    }

    /// Returns the number of elements, or `None` if it does not fit.
    pub fn elements(&self) -> Option<u64> {
        product(&self.dims)
    }

    /// Returns the bits of one element in memory: those of the layout (`E(4)`), else whole bytes of the type. Returns
    /// `None` if the type is not known.
    pub fn element_bits(&self) -> Option<u32> {
        let stated_bits = self.layout.as_ref().map_or(0, |l| l.element_bits);
        let bits = if stated_bits > 0 { stated_bits } else { self.dtype.stored_bits() };
        (bits > 0).then_some(bits)
    }

    /// Returns the bytes of all elements without padding.
    pub fn bytes(&self) -> Option<u64> {
        bytes_of(self.elements()?, self.element_bits()?)
    }

    /// Returns the bytes with the padding of the layout: whole tiles, and a whole tail (`L(128)`).
    pub fn padded_bytes(&self) -> Option<u64> {
        let tail = self.layout.as_ref().map_or(1, |l| l.tail_alignment.max(1));
        bytes_of(product(&self.padded_dims()?)?.checked_next_multiple_of(tail)?, self.element_bits()?)
    }

    /// Returns the dimensions rounded up to whole tiles, in logical order.
    ///
    /// ```
    /// # use xla_profile::hlo::text;
    /// let shape = text::shape("bf16[3,5]{1,0:T(8,128)(2,1)}").unwrap();
    /// let array = shape.as_array().unwrap();
    /// assert_eq!(array.padded_dims(), Some(vec![8, 128]));
    /// assert_eq!((array.bytes(), array.padded_bytes()), (Some(30), Some(2048)));
    /// ```
    ///
    /// A tile of higher rank than the shape adds dimensions in front: `f32[]{:T(128)}` pads to `[128]`. Returns `None`
    /// if the layout does not fit the dimensions, or if the result does not fit.
    pub fn padded_dims(&self) -> Option<Vec<u64>> {
        match &self.layout {
            Some(layout) => layout.padded_dims(&self.dims),
            None => Some(self.dims.clone()),
        }
    }

    /// Returns the memory space `n` of a layout with `S(n)`, else 0 (HBM on a TPU).
    pub fn memory_space(&self) -> i64 {
        self.layout.as_ref().map_or(0, |l| l.memory_space)
    }
}

fn product(dims: &[u64]) -> Option<u64> {
    // A dimension of zero makes the array empty, even if the product of the other dimensions does not fit.
    if dims.contains(&0) {
        return Some(0);
    }
    dims.iter().try_fold(1_u64, |n, d| n.checked_mul(*d))
}

fn bytes_of(elements: u64, bits: u32) -> Option<u64> {
    u64::try_from(u128::from(elements).checked_mul(u128::from(bits))?.div_ceil(8)).ok()
}
