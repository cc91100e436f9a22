//! This module defines the contents of a kernel's body as plain data, and the sums of it.

use super::array_type::{ArrayType, MemorySpace, product};
use super::unread::{Read, Unread};
use crate::hlo::DType;
use std::collections::BTreeMap;

/// The body of a Pallas kernel for a TensorCore: what its function declares, and what its operations do.
///
/// A `pallas_call` with a grid declares the grid and its blocks as attributes of the function, whose operations are
/// those of one step. `emit_pipeline` has a function without a grid, which allocates the buffers and loops over the
/// steps. Each value that is unknown has a reason.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelBody {
    /// Version of the MLIR bytecode.
    pub version: u64,
    /// The writer of the bytecode, such as `MLIR23.0.0git`. Long texts are cut, as in all texts of a body.
    pub producer: String,
    /// Name of the function, which is that of the `pallas_call`.
    pub name: Read<String>,
    /// Sizes of the grid, the outermost first. `None` if a size is known only while the kernel runs.
    /// [`Unread::Absent`] if the function has no grid.
    pub iteration_bounds: Read<Vec<Option<u64>>>,
    /// Whether the steps along each dimension of the grid may run in any order.
    pub dimension_semantics: Read<Vec<Read<DimensionSemantics>>>,
    /// The windows of the operands and results, in their order. `None` for an operand that stays in HBM as a whole.
    pub windows: Read<Vec<Option<Window>>>,
    /// The operands and results as the function sees them: the scalars in SMEM, and blocks or whole arrays. An error if
    /// the number of scratch operands is unknown.
    pub operands: Read<Vec<Read<ArrayType>>>,
    /// Number of operands that are in SMEM before the first step.
    pub scalar_prefetch: Read<u64>,
    /// Number of scratch operands.
    pub scratch_operands: Read<u64>,
    /// The scratch operands. An error if their number is unknown.
    pub scratch: Read<Vec<Read<ArrayType>>>,
    /// Arrays that the kernel allocates, in the order of their operations.
    pub allocas: Vec<Alloca>,
    /// Loops, in the order of their starts.
    pub loops: Vec<Loop>,
    /// Matrix products, in the order of their operations.
    pub matmuls: Vec<Matmul>,
    /// Names of the scopes that the kernel traces, in the order of their first occurrence.
    pub scopes: Vec<Scope>,
    /// Number of operations that start a copy (`tpu.enqueue_dma`).
    pub enqueued_dmas: u64,
    /// Number of operations by name, such as `tpu.matmul` or `math.exp`. Only operations of the kernel's function
    /// count, each once, whatever the loops around it.
    pub op_counts: BTreeMap<String, u64>,
}

crate::keyed_enum! {
    /// The order of the steps along a dimension of the grid.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum DimensionSemantics {
        /// The steps may run in any order, and on several cores.
        Parallel = "parallel",
        /// The steps run one after the other.
        Arbitrary = "arbitrary",
        /// Each core runs its own steps.
        CoreParallel = "core_parallel",
        /// Each vector subcore runs its own steps.
        SubcoreParallel = "subcore_parallel",
    }
}

/// The number of buffers of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PipelineMode {
    /// One buffer: the copy of the next block waits for the step.
    Synchronous,
    /// Two buffers: the next block is copied during the step.
    DoubleBuffered,
    /// A number of buffers that the body states.
    Buffered(u64),
}

impl PipelineMode {
    /// Returns the mode with a name in the TPU dialect of MLIR: `synchronous`, `double_buffered`, or `buffered` and a
    /// number.
    pub fn from_text(text: &str) -> Option<Self> {
        match text {
            "synchronous" => Some(Self::Synchronous),
            "double_buffered" => Some(Self::DoubleBuffered),
            _ => {
                let count = text.strip_prefix("buffered")?.trim_matches([' ', ',', '(', ')', '=', '_']);
                count.parse().ok().map(Self::Buffered)
            }
        }
    }

    /// Returns the number of buffers.
    pub const fn buffers(self) -> u64 {
        match self {
            Self::Synchronous => 1,
            Self::DoubleBuffered => 2,
            Self::Buffered(count) => count,
        }
    }
}

/// The window of an operand: the block that a step of the grid sees.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// Sizes of the block (`window_bounds`).
    pub block: Read<Vec<Option<u64>>>,
    /// The block as an argument of the function.
    pub array: Read<ArrayType>,
    /// The number of buffers. [`Unread::Absent`] if the compiler chooses it, which takes two.
    pub pipeline_mode: Read<PipelineMode>,
    /// Name of the function that computes the position of the block from the step (`transform_indices`).
    pub transform_indices: Read<String>,
}

impl Window {
    /// Returns the number of buffers: that of the pipeline mode, or two, which is the default of Pallas
    /// (`jax/_src/pallas/mosaic/pipeline.py`).
    ///
    /// # Errors
    /// Returns an error if the body states a mode that is unknown.
    pub fn buffers(&self) -> Read<u64> {
        match &self.pipeline_mode {
            Ok(mode) => Ok(mode.buffers()),
            Err(Unread::Absent) => Ok(2),
            Err(reason) => Err(reason.clone()),
        }
    }

    /// Returns the bytes of one block.
    ///
    /// # Errors
    /// Returns the reason why the shape or the type of the block is unknown.
    pub fn block_bytes(&self) -> Read<u64> {
        self.array.as_ref().map_err(Clone::clone)?.bytes()
    }
}

/// An array that the kernel allocates (`memref.alloca`).
#[derive(Clone, Debug, PartialEq)]
pub struct Alloca {
    /// The array with all of its buffers.
    pub array: Read<ArrayType>,
    /// Number of buffers, which is the size of the first dimension. `None` if no array of as many DMA semaphores goes
    /// with the array; the array is then no ring of buffers.
    pub buffers: Option<u64>,
}

impl Alloca {
    /// Returns the sizes of one buffer: the shape without the dimension of the buffers, if there is one.
    ///
    /// # Errors
    /// Returns the reason why the shape is unknown.
    pub fn block(&self) -> Read<&[Option<u64>]> {
        let array = self.array.as_ref().map_err(Clone::clone)?;
        Ok(array.shape.get(usize::from(self.buffers.is_some())..).unwrap_or_default())
    }
}

/// A loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// Number of passes each time that the loop starts. Unknown if the bounds are computed while the kernel runs.
    pub trip_count: Read<u64>,
    /// Index of the loop around this one in [`KernelBody::loops`].
    pub parent: Option<usize>,
}

crate::keyed_enum! {
    /// The precision of a matrix product, by its name in the TPU dialect of MLIR.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Precision {
        /// One pass with operands in bf16. A body that states no precision has this one.
        Bf16 = "bf16",
        /// Three passes with operands split into two parts in bf16 (`Precision.HIGH` of JAX).
        Bf16x3 = "bf16x3",
        /// The precision of f32 (`Precision.HIGHEST` of JAX).
        Fp32 = "fp32",
    }
}

/// Sizes of a matrix product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatmulDims {
    /// Product of the batch dimensions, mostly 1.
    pub batch: u64,
    /// Rows of the result.
    pub m: u64,
    /// Length of the sums.
    pub k: u64,
    /// Columns of the result.
    pub n: u64,
}

impl MatmulDims {
    /// Returns the FLOPs of the product: 2 · batch · m · k · n.
    ///
    /// # Errors
    /// Returns an error if the number has more than 64 bits.
    pub fn flops(&self) -> Read<u64> {
        [self.batch, self.m, self.k, self.n].into_iter().try_fold(2_u64, u64::checked_mul).ok_or(Unread::Overflow)
    }
}

/// A matrix product (`tpu.matmul`).
#[derive(Clone, Debug, PartialEq)]
pub struct Matmul {
    /// Sizes, from the types of the operands.
    pub dims: Read<MatmulDims>,
    /// Type of the elements of the left operand.
    pub lhs: Read<DType>,
    /// Type of the elements of the right operand.
    pub rhs: Read<DType>,
    /// Type of the elements of the result.
    pub result: Read<DType>,
    /// How precise the multiplications of floats are. It says nothing about those of integers.
    pub precision: Read<Precision>,
    /// Index of the innermost loop around the product in [`KernelBody::loops`].
    pub parent_loop: Option<usize>,
    /// Product of the trip counts of all loops around the product: how often it runs in a run of the function, if no
    /// branch skips it. A function with a grid runs once per step of the grid.
    pub executions: Read<u64>,
    /// Whether the product is in a branch (`scf.if`), and therefore may run less often.
    pub is_in_branch: bool,
    /// Index of the innermost traced scope around the product in [`KernelBody::scopes`].
    pub scope: Option<usize>,
}

/// A scope that the kernel traces (`tpu.trace_start`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// Name of the scope.
    pub name: Read<String>,
    /// Number of operations that start the scope.
    pub starts: u64,
}

impl KernelBody {
    /// Returns the number of steps of the grid.
    ///
    /// # Errors
    /// Returns [`Unread::Absent`] without a grid, and the reason why the product of the sizes is unknown.
    pub fn grid_steps(&self) -> Read<u64> {
        product(self.iteration_bounds.as_ref().map_err(Clone::clone)?)
    }

    /// Returns the bytes of VMEM that the kernel allocates: allocas and scratch operands in VMEM, without padding to
    /// tiles. Operands in VMEM are not part of it ([`KernelBody::operand_bytes`]).
    ///
    /// # Errors
    /// Returns the reason why the size of one of them is unknown.
    pub fn vmem_bytes(&self) -> Read<u64> {
        let allocas = self.allocas.iter().map(|alloca| (&alloca.array, Ok(1)));
        let scratch = self.scratch.as_ref().map_err(Clone::clone)?.iter().map(|array| (array, Ok(1)));
        bytes_in_vmem(allocas.chain(scratch))
    }

    /// Returns the bytes of VMEM of operands and results, without padding to tiles: block × buffers of each window, or
    /// the whole arrays in VMEM of a kernel without a grid.
    ///
    /// # Errors
    /// Returns the reason why the size or the number of buffers of one of them is unknown.
    pub fn operand_bytes(&self) -> Read<u64> {
        match &self.windows {
            Ok(windows) => bytes_in_vmem(windows.iter().flatten().map(|window| (&window.array, window.buffers()))),
            Err(Unread::Absent) => {
                bytes_in_vmem(self.operands.as_ref().map_err(Clone::clone)?.iter().map(|array| (array, Ok(1))))
            }
            Err(reason) => Err(reason.clone()),
        }
    }

    /// Returns the FLOPs of all matrix products, each counted once, whatever the loops and branches around it.
    ///
    /// # Errors
    /// Returns the reason why the size of one of them is unknown.
    pub fn matmul_flops(&self) -> Read<u64> {
        self.matmuls
            .iter()
            .try_fold(0_u64, |total, matmul| total.checked_add(matmul.dims.clone()?.flops()?).ok_or(Unread::Overflow))
    }
}

/// Returns the bytes of the arrays in VMEM, each as often as it has buffers.
fn bytes_in_vmem<'a>(arrays: impl Iterator<Item = (&'a Read<ArrayType>, Read<u64>)>) -> Read<u64> {
    let mut total = 0_u64;
    for (array, buffers) in arrays {
        let array = array.as_ref().map_err(Clone::clone)?;
        if array.memory_space.clone()? == MemorySpace::Vmem {
            let bytes = array.bytes()?.checked_mul(buffers?);
            total = bytes.and_then(|bytes| total.checked_add(bytes)).ok_or(Unread::Overflow)?;
        }
    }
    Ok(total)
}
