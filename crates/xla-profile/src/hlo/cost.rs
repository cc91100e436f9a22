//! This module estimates the cost of one execution of an instruction from its shapes, for captures without costs.
//!
//! The rules are those of XLA's `HloCostAnalysis`. A dot has 2 · result · contracted FLOPs. A convolution has 2 FLOPs
//! for each multiply-add that meets an element of its input, but none for padding and the holes of dilation. A
//! reduction has the elements of its input minus those of its result, and elementwise arithmetic has one FLOP per
//! element. The bytes are those of the operands and of the result, each once. Two rules differ from XLA: a
//! transcendental function also counts as one FLOP, and library calls for matmuls, convolutions and attention have FLOPs.

use super::attention::{ATTENTION, TRANSFORMER_ENGINE, attention, transformer_engine};
use super::sizes::{contracted, elements, numbers};
use super::{ArrayShape, ComputationId, Instruction, InstructionId, Module, Shape, convolution};

/// The cost of one execution. `None` means unknown, such as for a call of code outside of XLA.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// FLOPs; operations on integers count like those on floats.
    pub flops: Option<f64>,
    /// Bytes read and written.
    pub bytes: Option<f64>,
}

/// Deepest nesting of fusions whose FLOPs are counted. The FLOPs of a deeper fusion are unknown.
const DEPTH: u32 = 4;

impl Module {
    /// Returns the cost of one execution of an instruction. Loops, calls and conditionals have no cost of their own.
    pub fn cost(&self, id: InstructionId) -> Cost {
        match self.instruction(id) {
            Some(instruction) if !matches!(&*instruction.opcode, "while" | "call" | "conditional") => {
                Cost { flops: self.flops(instruction, id, DEPTH), bytes: self.bytes(instruction, id) }
            }
            _ => Cost::default(),
        }
    }

    fn flops(&self, instruction: &Instruction, id: InstructionId, depth: u32) -> Option<f64> {
        let result = elements(result(instruction)?);
        let operand = |i: usize| self.operand_shape(id, i);
        match &*instruction.opcode {
            "fusion" => self.sum_of(instruction.call("calls")?.id?, depth.checked_sub(1)?),
            "dot" => Some(2.0 * result * contracted(operand(0)?, &numbers(instruction.text("lhs_contracting_dims")?))?),
            "ragged-dot" => ragged_dot(instruction, operand(0)?, result),
            "fft" => fft(instruction, operand(0)?),
            "convolution" => self.convolution(instruction, id),
            "custom-call" => self.library_call(instruction, id, result),
            "reduce" | "reduce-window" => {
                let taken: f64 = operand(0).map(elements)?;
                let window = instruction.text("window").map_or(1.0, window_size);
                let work =
                    if &*instruction.opcode == "reduce" { (taken - result).max(0.0) } else { result * (window - 1.0) };
                Some(work)
            }
            opcode if is_free(opcode) || is_move(opcode) => Some(0.0),
            opcode if opcode.starts_with("async") || super::opcode::is_collective(opcode) => None,
            opcode if has_unknown_flops(opcode) => None,
            _ => Some(result),
        }
    }

    /// Returns the FLOPs of all instructions of a fused computation, or `None` if those of one instruction are unknown.
    fn sum_of(&self, computation: ComputationId, depth: u32) -> Option<f64> {
        self.instructions_of(computation).map(|id| self.flops(self.instruction(id)?, id, depth)).sum()
    }

    /// Returns the FLOPs of a matmul or a convolution of cuBLAS, hipBLASLt or cuDNN. The backend config of a matmul has
    /// the contracted dimensions.
    fn library_call(&self, instruction: &Instruction, id: InstructionId, result: f64) -> Option<f64> {
        let target = instruction.custom_call_target()?;
        if target.starts_with("__cublas$") {
            let (_, after) = instruction.backend_config()?.split_once("lhs_contracting_dimensions")?;
            let list = after.split_once('[')?.1.split_once(']')?.0;
            return Some(2.0 * result * contracted(self.operand_shape(id, 0)?, &numbers(list))?);
        }
        if target.starts_with(ATTENTION) {
            return attention(self, instruction, id, target);
        }
        if target.starts_with(TRANSFORMER_ENGINE) {
            return transformer_engine(self, instruction, id, target);
        }
        // The second operand of a forward convolution is its kernel. In the calls for gradients it is another operand.
        let forward = matches!(target, "__cudnn$convForward" | "__cudnn$convBiasActivationForward");
        if forward { self.convolution(instruction, id) } else { None }
    }

    /// Returns whether an instruction is a convolution whose window slides over its input. Compilers also write a matmul as a
    /// convolution, whose window does not.
    pub fn slides(&self, id: InstructionId) -> bool {
        let Some(instruction) = self.instruction(id).filter(|found| &*found.opcode == "convolution") else {
            return false;
        };
        let shapes = self.shapes_of_convolution(instruction, id);
        shapes.and_then(|shapes| convolution::slides(instruction, shapes)).unwrap_or(true)
    }

    fn convolution(&self, instruction: &Instruction, id: InstructionId) -> Option<f64> {
        convolution::flops(instruction, self.shapes_of_convolution(instruction, id)?)
    }

    fn shapes_of_convolution<'a>(
        &'a self,
        instruction: &'a Instruction,
        id: InstructionId,
    ) -> Option<[&'a ArrayShape; 3]> {
        let [input, kernel] = [0, 1].map(|i| self.operand_shape(id, i).and_then(Shape::as_array));
        Some([input?, kernel?, result(instruction)?.as_array()?])
    }

    fn bytes(&self, instruction: &Instruction, id: InstructionId) -> Option<f64> {
        let result_size = size(result(instruction)?)?;
        let taken = |i: usize| self.operand_shape(id, i).and_then(size);
        let all = || (0..instruction.operands.len()).map(taken).sum::<Option<f64>>();
        if instruction.custom_call_target().is_some_and(|target| target.starts_with(ATTENTION)) {
            // The last element of the result is the workspace.
            let results = instruction.shape.elements().split_last().map_or(&[][..], |(_, results)| results);
            return Some(all()? + results.iter().map(size).sum::<Option<f64>>()?);
        }
        match &*instruction.opcode {
            opcode if is_free(opcode) => Some(0.0),
            "slice" | "dynamic-slice" => Some(2.0 * result_size),
            "gather" => Some(2.0 * result_size + taken(1)?),
            "dynamic-update-slice" => Some(2.0 * taken(1)?),
            "scatter" => Some(2.0 * taken(2)? + taken(1)?),
            "fusion" => match instruction.call("calls").and_then(|call| call.id) {
                Some(inner) => self.fused_bytes(inner),
                None => Some(all()? + result_size),
            },
            _ => Some(all()? + result_size),
        }
    }

    /// Returns the bytes that a fusion reads and writes. A parameter that is only sliced counts with its slices, and a
    /// result that is updated in place counts with the update.
    fn fused_bytes(&self, computation: ComputationId) -> Option<f64> {
        let mut sum = 0.0;
        for id in self.instructions_of(computation) {
            let instruction = self.instruction(id)?;
            if &*instruction.opcode == "parameter" {
                let users = self.users(id);
                let parts = users.iter().map(|user| self.part_of(*user, id, DEPTH)).collect::<Option<Vec<f64>>>();
                sum += match parts.filter(|parts| !parts.is_empty()) {
                    Some(parts) => parts.into_iter().sum::<f64>().min(size(&instruction.shape)?),
                    None => size(&instruction.shape)?,
                };
            }
            if instruction.is_root {
                sum += match &*instruction.opcode {
                    "dynamic-update-slice" => self.operand_shape(id, 1).and_then(size)?,
                    _ => size(&instruction.shape)?,
                };
            }
        }
        Some(sum)
    }

    /// Returns the bytes that `user` reads of `operand`, or `None` if it reads all of them. A bitcast reads what its own
    /// users read.
    fn part_of(&self, user: InstructionId, operand: InstructionId, depth: u32) -> Option<f64> {
        let instruction = self.instruction(user)?;
        if &*instruction.opcode == "bitcast" && instruction.operands.len() == 1 {
            let (users, depth) = (self.users(user), depth.checked_sub(1)?);
            let parts = users.iter().map(|next| self.part_of(*next, user, depth)).collect::<Option<Vec<f64>>>()?;
            return (!parts.is_empty()).then(|| parts.into_iter().sum());
        }
        let is_first = self.operands(user).next() == Some(operand);
        match &*instruction.opcode {
            "slice" | "dynamic-slice" | "gather" if is_first => size(&instruction.shape),
            // The bytes that the update replaces are not read.
            "dynamic-update-slice" if is_first => Some(0.0),
            _ => None,
        }
    }

    pub(super) fn operand_shape(&self, id: InstructionId, i: usize) -> Option<&Shape> {
        let operand = self.instruction(id)?.operands.get(i)?;
        operand.shape.as_ref().or_else(|| Some(&self.instruction(operand.id?)?.shape))
    }
}

/// Returns the shape of the result. A library call has a tuple whose first element is the result and whose last one is
/// the workspace.
fn result(instruction: &Instruction) -> Option<&Shape> {
    let library = instruction.custom_call_target().is_some_and(|target| target.starts_with("__cu"));
    if library { instruction.shape.elements().first().or(Some(&instruction.shape)) } else { Some(&instruction.shape) }
}

/// Returns the FLOPs of a dot whose rows are divided among groups, each with a matrix of its own. The sizes of the
/// groups are data of the run, and the largest cost is that of groups with all rows. If the groups divide what is
/// contracted, each element of the result contracts a part of it, and the parts of all groups sum to the whole.
fn ragged_dot(instruction: &Instruction, left: &Shape, result: f64) -> Option<f64> {
    let contracting = numbers(instruction.text("lhs_contracting_dims")?);
    let whole = 2.0 * result * contracted(left, &contracting)?;
    let is_divided = numbers(instruction.text("lhs_ragged_dims")?).iter().any(|dim| contracting.contains(dim));
    // The groups are the first dimension of such a result.
    let n_groups = if is_divided { contracted(&instruction.shape, &[0])? } else { 1.0 };
    Some(whole / n_groups).filter(|flops| flops.is_finite())
}

/// Returns the FLOPs of a Fourier transform: 5 · elements · log₂(length) for complex numbers, and half of that if one
/// side is real, as in Cooley and Tukey's algorithm with radix 2.
fn fft(instruction: &Instruction, operand: &Shape) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "costs are estimates in doubles")]
    let length: f64 = numbers(instruction.text("fft_length")?).into_iter().map(|n| n as f64).product();
    let kind = instruction.text("fft_type").unwrap_or("FFT");
    // One side of a real transform has about half of the elements: those of the larger side are the points.
    let points = elements(operand).max(elements(&instruction.shape));
    let per_point = if kind.ends_with("RFFT") { 2.5 } else { 5.0 };
    Some(per_point * points * length.log2()).filter(|flops| flops.is_finite())
}

/// Returns the product of the sizes in `{size=1x3 stride=…}`.
fn window_size(window: &str) -> f64 {
    let sizes = window.split_once("size=").map_or("", |(_, rest)| rest.split([' ', '}']).next().unwrap_or_default());
    sizes.split('x').filter_map(|n| n.parse::<u32>().ok()).map(f64::from).product()
}

#[expect(clippy::cast_precision_loss, reason = "costs are estimates in doubles")]
fn size(shape: &Shape) -> Option<f64> {
    shape.bytes().map(|bytes| bytes as f64)
}

/// Returns whether the opcode neither computes nor moves data.
fn is_free(opcode: &str) -> bool {
    matches!(
        opcode,
        "parameter"
            | "constant"
            | "tuple"
            | "get-tuple-element"
            | "bitcast"
            | "after-all"
            | "add-dependency"
            | "domain"
            | "opt-barrier"
            | "optimization-barrier"
            | "partition-id"
            | "replica-id"
    )
}

/// Returns whether the opcode only moves data.
fn is_move(opcode: &str) -> bool {
    matches!(
        opcode,
        "copy"
            | "copy-start"
            | "copy-done"
            | "transpose"
            | "reshape"
            | "broadcast"
            | "slice"
            | "dynamic-slice"
            | "dynamic-update-slice"
            | "concatenate"
            | "pad"
            | "reverse"
            | "gather"
            | "iota"
            | "bitcast-convert"
            | "get-dimension-size"
            | "set-dimension-size"
            | "send"
            | "recv"
            | "send-done"
            | "recv-done"
            | "infeed"
            | "outfeed"
    )
}

/// Returns whether the number of operations of the opcode does not follow from its shapes.
fn has_unknown_flops(opcode: &str) -> bool {
    matches!(
        opcode,
        "sort"
            | "topk"
            | "cholesky"
            | "triangular-solve"
            | "rng"
            | "rng-bit-generator"
            | "scatter"
            | "map"
            | "select-and-scatter"
            | "scaled-dot"
            | "custom-call"
            | "fusion"
    )
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::text;

    /// Returns the FLOPs and the bytes of an instruction of a text.
    pub(in super::super) fn cost(hlo: &str, name: &str) -> (Option<f64>, Option<f64>) {
        let (module, _) = text::module(hlo).unwrap();
        let cost = module.cost(module.instruction_named(name).unwrap());
        (cost.flops, cost.bytes)
    }

    fn entry(rest: &str) -> String {
        format!(
            "HloModule m\n\nENTRY %e {{\n  %a = f32[8,4]{{1,0}} parameter(0)\n  %b = f32[4,16]{{1,0}} parameter(1)\n{rest}\n}}\n"
        )
    }

    #[test]
    fn by_hand() {
        let dot = "  ROOT %d = f32[8,16]{1,0} dot(%a, %b), lhs_contracting_dims={1}, rhs_contracting_dims={0}";
        assert_eq!(cost(&entry(dot), "d"), (Some(2.0 * 8.0 * 16.0 * 4.0), Some(4.0 * (32.0 + 64.0 + 128.0))));
        assert_eq!(cost(&entry("  ROOT %n = f32[8,4]{1,0} negate(%a)"), "n"), (Some(32.0), Some(256.0)));
        assert_eq!(
            cost(&entry("  ROOT %t = f32[4,8]{1,0} transpose(%a), dimensions={1,0}"), "t"),
            (Some(0.0), Some(256.0))
        );
        let slice = "  ROOT %s = f32[2,4]{1,0} slice(%a), slice={[0:2], [0:4]}";
        assert_eq!(cost(&entry(slice), "s"), (Some(0.0), Some(64.0)));
        let call = "  ROOT %c = (f32[8,16]{1,0}, s8[4096]{0}) custom-call(%a, %b), custom_call_target=\"__cublas$gemm\", \
                    backend_config={\"gemm_backend_config\":{\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"1\"]}}}";
        assert_eq!(cost(&entry(call), "c"), (Some(1024.0), Some(4.0 * 224.0)), "without its workspace");
        let opaque = "  ROOT %c = f32[8,16]{1,0} custom-call(%a, %b), custom_call_target=\"mine\"";
        assert_eq!(cost(&entry(opaque), "c").0, None, "what cannot be seen is not zero");
        let sort = "  ROOT %s = f32[8,4]{1,0} sort(%a), dimensions={0}, to_apply=%less";
        assert_eq!(cost(&entry(sort), "s"), (None, Some(256.0)));
    }

    #[test]
    fn ragged_dots_and_fourier_transforms_by_hand() {
        let ragged = |shapes: [&str; 3], dims: &str| {
            format!(
                "HloModule m\n\nENTRY %e {{\n  %a = {} parameter(0)\n  %b = {} parameter(1)\n  %g = s32[4]{{0}} parameter(2)\n  \
                 ROOT %r = {} ragged-dot(%a, %b, %g), {dims}\n}}\n",
                shapes[0], shapes[1], shapes[2]
            )
        };
        // 8 tokens, each with the matrix of one of 4 experts.
        let rows = ragged(
            ["f32[8,16]{1,0}", "f32[4,16,32]{2,1,0}", "f32[8,32]{1,0}"],
            "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}",
        );
        assert_eq!(cost(&rows, "r").0, Some(2.0 * 8.0 * 32.0 * 16.0));
        // The gradients of the 4 matrices: each token is in one of them.
        let contracted = ragged(
            ["f32[8,16]{1,0}", "f32[8,32]{1,0}", "f32[4,16,32]{2,1,0}"],
            "lhs_contracting_dims={0}, rhs_contracting_dims={0}, lhs_ragged_dims={0}, rhs_group_dims={}",
        );
        assert_eq!(cost(&contracted, "r").0, Some(2.0 * 8.0 * 32.0 * 16.0));
        let transform = |kind: &str, operand: &str, result: &str| {
            let hlo = format!(
                "HloModule m\n\nENTRY %e {{\n  %a = {operand} parameter(0)\n  ROOT %f = {result} fft(%a), fft_type={kind}, \
                 fft_length={{16}}\n}}\n"
            );
            cost(&hlo, "f").0
        };
        assert_eq!(transform("FFT", "c64[3,16]{1,0}", "c64[3,16]{1,0}"), Some(5.0 * 48.0 * 4.0));
        assert_eq!(transform("RFFT", "f32[3,16]{1,0}", "c64[3,9]{1,0}"), Some(2.5 * 48.0 * 4.0));
        assert_eq!(transform("IRFFT", "c64[3,9]{1,0}", "f32[3,16]{1,0}"), Some(2.5 * 48.0 * 4.0));
    }

    #[test]
    fn a_fusion_reads_of_what_it_slices_the_slices() {
        let hlo = "HloModule m\n\n%inner {\n  %p = f32[64,8]{1,0} parameter(0)\n  %i = s32[] parameter(1)\n  \
                   %z = s32[] constant(0)\n  %d = f32[1,8]{1,0} dynamic-slice(%p, %i, %z), dynamic_slice_sizes={1,8}\n  \
                   ROOT %n = f32[1,8]{1,0} negate(%d)\n}\n\nENTRY %e {\n  %a = f32[64,8]{1,0} parameter(0)\n  \
                   %b = s32[] parameter(1)\n  ROOT %f = f32[1,8]{1,0} fusion(%a, %b), kind=kLoop, calls=%inner\n}\n";
        assert_eq!(cost(hlo, "f"), (Some(8.0), Some(32.0 + 4.0 + 32.0)));
    }
}
