//! Shapes: what an instruction gives. This module knows sizes without padding; how elements lie is [`Layout`](super::Layout)'s.
//!
//! ```text
//! bf16[8,<=128]{1,0:T(8,128)(2,1)S(1)}      an array: dtype, dimensions, layout
//! (f32[], /*index=…*/ token[], ())          a tuple
//! b(f32[4])                                 a buffer
//! ```

use super::{DType, Layout, Text};

/// What an instruction gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Elements of one type.
    Array(ArrayShape),
    /// Several shapes, by index.
    Tuple(Vec<Shape>),
    /// `token[]`: order without data.
    Token,
    /// `opaque[]`: data of which nothing is known.
    Opaque,
    /// A buffer that holds a shape.
    Buffer(Box<Shape>),
    /// What could not be read as any of these, as it was written; `unknown[]` where a proto has none.
    Other(Text),
}

/// An array of elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayShape {
    /// The type of its elements.
    pub dtype: DType,
    /// Its dimensions, as written: logical order.
    pub dims: Vec<u64>,
    /// Which dimensions are bounds (`<=128`) rather than sizes; empty where none is.
    pub dynamic: Vec<bool>,
    /// How its elements lie in memory, where that is reported.
    pub layout: Option<Box<Layout>>,
}

impl Shape {
    /// Tuples nested deeper than this are not read: no compiler writes them.
    pub const DEPTH: usize = 48;

    /// The array, if it is one.
    pub const fn as_array(&self) -> Option<&ArrayShape> {
        match self {
            Self::Array(array) => Some(array),
            _ => None,
        }
    }

    /// The parts of a tuple; of anything else none.
    pub fn elements(&self) -> &[Self] {
        match self {
            Self::Tuple(elements) => elements,
            _ => &[],
        }
    }

    /// The part at a shape index: `{1, 0}` is the first part of the second part; `{}` is the whole.
    pub fn subshape(&self, index: &[i64]) -> Option<&Self> {
        index.iter().try_fold(self, |shape, i| shape.elements().get(usize::try_from(*i).ok()?))
    }

    /// Every array in it, in order, those in tuples too.
    pub fn arrays(&self) -> impl Iterator<Item = &ArrayShape> {
        // Depth is bounded by DEPTH, the stack by what the shape itself holds.
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

    /// Bytes of its elements without padding, those of a tuple's parts summed. `None` beyond 2⁶⁴ or where the type of
    /// an element is not known.
    pub fn bytes(&self) -> Option<u64> {
        self.arrays().try_fold(0_u64, |sum, array| sum.checked_add(array.bytes()?))
    }

    /// Bytes with padding, those of a tuple's parts summed (the table of pointers that a tuple itself takes is not
    /// counted). `None` as for [`Shape::bytes`].
    pub fn padded_bytes(&self) -> Option<u64> {
        self.arrays().try_fold(0_u64, |sum, array| sum.checked_add(array.padded_bytes()?))
    }
}

impl ArrayShape {
    /// A size that is not known even as a bound, `?`.
    pub const UNBOUNDED: u64 = u64::MAX;

    /// Whether dimension `i` is a bound rather than a size.
    pub fn is_dynamic(&self, i: usize) -> bool {
        self.dynamic.get(i).copied().unwrap_or(false)
    }

    /// Number of elements; `None` beyond 2⁶⁴ or with a dimension of no bound.
    pub fn elements(&self) -> Option<u64> {
        product(&self.dims)
    }

    /// Bits of one element in memory: what the layout says (`E(4)`), else whole bytes of the type.
    pub fn element_bits(&self) -> Option<u32> {
        let stated_bits = self.layout.as_ref().map_or(0, |l| l.element_bits);
        let bits = if stated_bits > 0 { stated_bits } else { self.dtype.stored_bits() };
        (bits > 0).then_some(bits)
    }

    /// Bytes of its elements without padding.
    pub fn bytes(&self) -> Option<u64> {
        bytes_of(self.elements()?, self.element_bits()?)
    }

    /// Bytes with the padding that its layout brings: whole tiles, and a whole tail (`L(128)`).
    pub fn padded_bytes(&self) -> Option<u64> {
        let tail = self.layout.as_ref().map_or(1, |l| l.tail_alignment.max(1));
        bytes_of(product(&self.padded_dims()?)?.checked_next_multiple_of(tail)?, self.element_bits()?)
    }

    /// Its dimensions rounded up to whole tiles, in logical order.
    ///
    /// ```
    /// # use xla_profile::hlo::text;
    /// let shape = text::shape("bf16[3,5]{1,0:T(8,128)(2,1)}").unwrap();
    /// let array = shape.as_array().unwrap();
    /// assert_eq!(array.padded_dims(), Some(vec![8, 128]));
    /// assert_eq!((array.bytes(), array.padded_bytes()), (Some(30), Some(2048)));
    /// ```
    ///
    /// A tile of higher rank than the shape puts dimensions
    /// in front: `f32[]{:T(128)}` pads to `[128]`. `None` where a tile or a dimension makes no sense or the result goes
    /// beyond 2⁶⁴.
    pub fn padded_dims(&self) -> Option<Vec<u64>> {
        match &self.layout {
            Some(layout) => layout.padded_dims(&self.dims),
            None => Some(self.dims.clone()),
        }
    }

    /// Where it lives: 0 (HBM on a TPU) unless the layout says `S(n)`.
    pub fn memory_space(&self) -> i64 {
        self.layout.as_ref().map_or(0, |l| l.memory_space)
    }
}

fn product(dims: &[u64]) -> Option<u64> {
    // A dimension of zero makes any array empty, also one whose other dimensions are beyond all bounds.
    if dims.contains(&0) {
        return Some(0);
    }
    dims.iter().try_fold(1_u64, |n, d| n.checked_mul(*d))
}

fn bytes_of(elements: u64, bits: u32) -> Option<u64> {
    u64::try_from(u128::from(elements).checked_mul(u128::from(bits))?.div_ceil(8)).ok()
}
