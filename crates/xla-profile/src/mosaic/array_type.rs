//! This module decodes the types of arrays: memrefs, vectors and tensors.

use super::attribute::{decode, limited, word};
use super::cursor::Cursor;
use super::element;
use super::tables::Tables;
use super::unread::{MAX_RANK, Read, Unread};
use crate::hlo::DType;

/// Codes of types of the builtin dialect.
const MEMREF: u64 = 10;
const MEMREF_WITH_SPACE: u64 = 11;
const TENSOR: u64 = 13;
const TENSOR_WITH_ENCODING: u64 = 14;
const VECTOR: u64 = 19;

crate::keyed_enum! {
    /// A memory of a TensorCore, by its name in the TPU dialect of MLIR.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum MemorySpace {
        /// On-chip memory of vectors.
        Vmem = "vmem",
        /// On-chip memory of scalars.
        Smem = "smem",
        /// On-chip memory of some chips, which all cores share.
        Cmem = "cmem",
        /// VMEM that several cores share.
        VmemShared = "vmem_shared",
        /// The memory of the chip.
        Hbm = "hbm",
        /// The memory that the compiler chose for the operand, mostly HBM.
        Any = "any",
        /// On-chip memory of semaphores.
        Semaphore = "semaphore_mem",
        /// The memory of the host.
        Host = "host",
    }
}

/// The type of an array in a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct ArrayType {
    /// Sizes of the dimensions, the outermost first. `None` if a size is known only while the kernel runs.
    pub shape: Vec<Option<u64>>,
    /// The type of an element. Semaphores have a type that HLO does not have.
    pub element: Read<DType>,
    /// The memory of the array. [`Unread::Absent`] for a vector or a tensor, which is a value.
    pub memory_space: Read<MemorySpace>,
}

impl ArrayType {
    /// Returns the product of the sizes; 1 without dimensions.
    ///
    /// # Errors
    /// Returns an error if a size is dynamic, or if the product has more than 64 bits.
    pub fn elements(&self) -> Read<u64> {
        product(&self.shape)
    }

    /// Returns the bytes of all elements without padding to tiles. Elements of less than a byte are packed.
    ///
    /// # Errors
    /// Returns the reason why the number of elements or their type is unknown.
    pub fn bytes(&self) -> Read<u64> {
        let bits = u64::from(self.element.clone()?.bits());
        let total = self.elements()?.checked_mul(bits).ok_or(Unread::Overflow)?;
        Ok(total.div_ceil(8))
    }
}

/// Returns the product of sizes.
pub(super) fn product(sizes: &[Option<u64>]) -> Read<u64> {
    sizes
        .iter()
        .try_fold(1_u64, |product, size| product.checked_mul(size.ok_or(Unread::Dynamic)?).ok_or(Unread::Overflow))
}

/// Returns a size, which the file holds as a number with a sign. `None` for the number that marks a dynamic size.
pub(super) fn size(value: i64) -> Option<u64> {
    u64::try_from(value).ok()
}

/// Decodes the type with a number, which must be that of an array.
pub(super) fn array_type(tables: &Tables<'_>, index: u64) -> Read<ArrayType> {
    let mut fields = tables.type_entry(index)?.fields()?;
    let memory_space = match fields.number()? {
        MEMREF_WITH_SPACE => memory_space(tables, fields.number()?),
        TENSOR_WITH_ENCODING => fields.number().and(Err(Unread::Absent)),
        MEMREF | TENSOR | VECTOR => Err(Unread::Absent),
        _ => return Err(Unread::Encoding),
    };
    let shape = shape(&mut fields)?;
    let element = element::decode(tables, fields.number()?);
    Ok(ArrayType { shape, element, memory_space })
}

fn shape(fields: &mut Cursor<'_>) -> Read<Vec<Option<u64>>> {
    let rank = limited(fields.count()?, MAX_RANK)?;
    (0..rank).map(|_| fields.signed().map(size)).collect()
}

fn memory_space(tables: &Tables<'_>, index: u64) -> Read<MemorySpace> {
    let attribute = decode(tables, index)?;
    let word = word(&attribute)?;
    MemorySpace::from_key(word).ok_or_else(|| Unread::word(word))
}
