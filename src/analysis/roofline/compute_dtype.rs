//! This module finds the type of the operands that an op computes with, from the text of the op or from its program.
//!
//! ```text
//!  dot, convolution ─────────────► first operand
//!  fusion ──program──► dot in the fusion ─► its first operand   (of several dots, the one with the largest)
//!     └─ no program ─► matrix operands, if their types agree; else the result, then a faster matrix operand
//!  custom call ──────────────────► first large operand; the result if no operand is known
//!  all else ─────────────────────► result; of a tuple, the largest array
//! ```
//!
//! This module does not depend on peaks or time.

use super::query::Precision;
use crate::analysis::base::instruction_ref::InstructionRef;
use xla_profile::hlo::{ArrayShape, DType, Shape};

/// The data type and the unit that an op computes with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ComputeType {
    pub dtype: Option<DType>,
    /// Second choice, for a device without a peak of `dtype`: a faster type of a matrix operand, where `dtype` is only
    /// the type of the result.
    pub instead: Option<DType>,
    /// Whether the op runs on the matrix units, as far as is known.
    pub matmul: bool,
    /// Whether the op may compute with a faster type than `dtype`. The MFU is then an upper bound.
    pub uncertain: bool,
    /// Whether the operands of the dot or the convolution have different types.
    pub mixed: bool,
    /// How many passes of bf16 a TPU needs for the f32 operands of the dot. `None` if no instruction tells.
    pub passes: Option<u8>,
}

/// Operands of a kernel that are smaller than the largest operand ÷ this number are masks, scales and indices.
const SMALL: u64 = 16;

/// Returns the precision of a type. `None` for a type that belongs to no precision.
pub(super) fn precision(dtype: DType) -> Option<Precision> {
    Precision::named(dtype.name())
}

/// Returns whether the program of an instruction adds to its text. It does for a fusion that may hold a dot, for a dot
/// whose text has no operand shape, and for an asynchronous wrapper.
pub(super) fn needs_program(inst: InstructionRef<'_>, category: &str) -> bool {
    match inst.opcode() {
        "fusion" => !matches!(category, "loop fusion" | "input fusion"),
        opcode if is_dot(opcode) => inst.operand_shape(0).is_none(),
        opcode => crate::analysis::classify::kind_of_op::is_async(opcode),
    }
}

/// Finds the compute dtype of an instruction. `matmul` is whether other facts show that the instruction is a matmul.
pub(super) fn compute_type(inst: InstructionRef<'_>, category: &str, matmul: bool) -> ComputeType {
    let matmul = matmul || category.starts_with("convolution");
    let inst = inst.worker();
    match inst.opcode() {
        opcode if is_dot(opcode) => dot(inst),
        "custom-call" => custom_call(inst),
        "fusion" => {
            let parts = inst.parts();
            let first = |part: &InstructionRef<'_>| part.operand_shape(0).and_then(size).unwrap_or(0);
            // `max_by_key` returns the last maximum, so the order is reversed to get the first one.
            let largest = parts.iter().rev().filter(|part| is_dot(part.opcode())).max_by_key(|part| first(part));
            match largest {
                Some(part) => dot(*part),
                None if parts.is_empty() && needs_program(inst, category) => unseen(inst, matmul),
                None => ComputeType { dtype: result(inst), matmul: false, ..ComputeType::default() },
            }
        }
        _ => ComputeType { dtype: result(inst), matmul, ..ComputeType::default() },
    }
}

fn is_dot(opcode: &str) -> bool {
    matches!(opcode, "dot" | "convolution" | "ragged-dot" | "scaled-dot")
}

fn dot(inst: InstructionRef<'_>) -> ComputeType {
    let dtype_of = |i| Some(inst.operand_shape(i)?.as_array()?.dtype);
    let (left, right) = (dtype_of(0), dtype_of(1));
    ComputeType {
        dtype: left.or_else(|| result(inst)),
        matmul: true,
        uncertain: left.is_none() && is_wide(result(inst)),
        mixed: left.zip(right).is_some_and(|(left, right)| left != right),
        instead: None,
        passes: (left == Some(DType::F32)).then(|| passes(inst.instruction.text("operand_precision"))),
    }
}

/// Returns how many passes of bf16 the matrix units of a TPU make for operands of f32: one for the default precision,
/// three for high, and six for the highest one (documentation of `jax.lax.Precision`).
fn passes(operand_precision: Option<&str>) -> u8 {
    let precisions = operand_precision.unwrap_or_default().split([',', '{', '}']).map(str::trim);
    let of_one = |precision: &str| match precision.to_ascii_lowercase().as_str() {
        "highest" => 6,
        "high" => 3,
        _ => 1,
    };
    precisions.map(of_one).max().unwrap_or(1)
}

/// Finds the compute dtype of a fusion whose computation is unknown.
fn unseen(inst: InstructionRef<'_>, matmul: bool) -> ComputeType {
    // A multiplied matrix has at least two dimensions larger than 1. This excludes biases, scales, masks and indices.
    let is_matrix = |array: &&ArrayShape| {
        array.dims.iter().filter(|size| **size > 1).count() > 1 && precision(array.dtype).is_some()
    };
    let matrices: Vec<DType> =
        inst.operand_shapes().flat_map(Shape::arrays).filter(is_matrix).map(|a| a.dtype).collect();
    match matrices.first().filter(|first| matrices.iter().all(|other| other == *first)) {
        Some(first) => ComputeType { dtype: Some(*first), matmul, ..ComputeType::default() },
        None => {
            let dtype = result(inst);
            let faster = |candidate: &&DType| dtype.is_some_and(|dtype| candidate.bits() < dtype.bits());
            let instead = matrices.iter().filter(faster).max_by_key(|candidate| candidate.bits()).copied();
            ComputeType { dtype, instead, matmul, uncertain: is_wide(dtype), ..ComputeType::default() }
        }
    }
}

/// Finds the compute dtype of a kernel: the type of its first large operand. It is uncertain if another large operand
/// has a faster type. If no operand is known, the type of the result counts. It is a worse guide: attention kernels
/// also return f32 statistics that are larger than the attention output.
fn custom_call(inst: InstructionRef<'_>) -> ComputeType {
    let operands = large(inst);
    let dtype = operands.first().map(|array| array.dtype).or_else(|| result(inst));
    let faster = |array: &&ArrayShape| dtype.is_some_and(|dtype| array.dtype.bits() < dtype.bits());
    let uncertain = is_wide(dtype) && (operands.is_empty() || operands.iter().any(faster));
    ComputeType { dtype, matmul: true, uncertain, ..ComputeType::default() }
}

/// Returns whether results are often widened to this type.
fn is_wide(dtype: Option<DType>) -> bool {
    matches!(dtype, Some(DType::BF16 | DType::F16 | DType::F32))
}

fn large(inst: InstructionRef<'_>) -> Vec<&ArrayShape> {
    let arrays: Vec<&ArrayShape> = inst
        .operand_shapes()
        .flat_map(Shape::arrays)
        .filter(|a| !a.dims.is_empty() && precision(a.dtype).is_some())
        .collect();
    let most = arrays.iter().filter_map(|array| array.bytes()).max().unwrap_or(0);
    arrays.into_iter().filter(|array| array.bytes().is_none_or(|bytes| bytes >= most / SMALL)).collect()
}

/// Returns the type of the result; of a tuple, the type of its largest array, the first of equally large ones.
fn result(inst: InstructionRef<'_>) -> Option<DType> {
    let arrays: Vec<&ArrayShape> = inst.instruction.shape.arrays().collect();
    arrays.iter().rev().max_by_key(|array| array.bytes()).map(|array| array.dtype)
}

fn size(shape: &Shape) -> Option<u64> {
    shape.as_array()?.bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use xla_profile::hlo::text;

    fn dtype_of(hlo: &str, category: &str) -> (&'static str, bool, bool, bool) {
        let parsed = text::instruction(hlo).unwrap();
        let inst = InstructionRef { instruction: &parsed.instruction, module: None, tpu: true };
        let compute = compute_type(inst, category, false);
        (compute.dtype.map_or("", DType::name), compute.matmul, compute.uncertain, compute.mixed)
    }

    #[test]
    fn by_the_text_alone() {
        let dot = "%d = f32[8,8]{1,0} dot(bf16[8,4]{1,0} %a, f8e5m2[4,8]{1,0} %b)";
        assert_eq!(dtype_of(dot, "convolution"), ("bf16", true, false, true));
        assert_eq!(dtype_of("%d = f32[8,8] dot(%a, %b)", "convolution"), ("f32", true, true, false));
        let fusion = |operands: &str| format!("%f = f32[64,64]{{1,0}} fusion({operands}), kind=kOutput, calls=%c");
        let alike = fusion("s8[64,64]{1,0} %a, s8[64,64]{1,0} %b, f32[] %scale, bf16[4] %bias");
        assert_eq!(dtype_of(&alike, "convolution fusion"), ("s8", true, false, false));
        let differ = fusion("bf16[64,64]{1,0} %a, f32[64,64]{1,0} %residual");
        assert_eq!(dtype_of(&differ, "convolution fusion"), ("f32", true, true, false));
        let parsed = text::instruction(&differ).unwrap();
        let inst = InstructionRef { instruction: &parsed.instruction, module: None, tpu: true };
        assert_eq!(compute_type(inst, "convolution fusion", false).instead, Some(DType::BF16));
        assert_eq!(dtype_of(&fusion("%a, %b"), "convolution fusion"), ("f32", true, true, false));
        assert_eq!(dtype_of(&fusion("%a, %b"), "loop fusion"), ("f32", false, false, false));
    }

    #[test]
    fn tuples_and_kernels() {
        let tuple = "%f = (f32[8]{0}, bf16[64,64]{1,0}, s32[4]{0}) fusion(%a), kind=kLoop, calls=%c";
        assert_eq!(dtype_of(tuple, "loop fusion"), ("bf16", false, false, false));
        let kernel = |operands: &str| {
            format!("%k = bf16[64,64]{{1,0}} custom-call({operands}), custom_call_target=\"tpu_custom_call\"")
        };
        assert_eq!(dtype_of(&kernel("bf16[64,64] %a, s8[1,4] %mask"), "custom-call"), ("bf16", true, false, false));
        let fp8 = "f8e4m3fn[64,64] %a, f8e4m3fn[64,64] %b";
        assert_eq!(dtype_of(&kernel(fp8), "custom-call"), ("f8e4m3fn", true, false, false));
        assert_eq!(dtype_of(&kernel("bf16[64,64] %a, s8[64,64] %b"), "custom-call"), ("bf16", true, true, false));
        assert_eq!(dtype_of(&kernel("%a"), "custom-call"), ("bf16", true, true, false));
    }

    #[test]
    fn a_program_says_what_a_fusion_holds() {
        let (module, _) = text::module(
            "HloModule m\n\n%inner {\n  %p = bf16[8,4]{1,0} parameter(0)\n  %q = bf16[4,8]{1,0} parameter(1)\n  %t = f32[2,2]{1,0} parameter(2)\n  %small = f32[2,2]{1,0} dot(f32[2,2]{1,0} %t, f32[2,2]{1,0} %t)\n  ROOT %c = f32[8,8]{1,0} convolution(%p, %q)\n}\n\nENTRY %e {\n  %a = bf16[8,4]{1,0} parameter(0)\n  %b = bf16[4,8]{1,0} parameter(1)\n  %d = f32[2,2]{1,0} parameter(2)\n  ROOT %f = f32[8,8]{1,0} fusion(%a, %b, %d), kind=kOutput, calls=%inner\n}\n",
        )
        .unwrap();
        let inst = InstructionRef::within(&module, module.instruction_named("f").unwrap(), true).unwrap();
        let found = compute_type(inst, "convolution fusion", false);
        assert_eq!(found, ComputeType { dtype: Some(DType::BF16), matmul: true, ..ComputeType::default() });
    }
}
