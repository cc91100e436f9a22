//! This module computes the cost of an op from its shapes: FLOPs, and bytes by memory and direction. The module depends
//! on HLO, not on times.
//!
//! FLOPs are counted as in XLA's cost analysis: 2 per multiply-add of a dot or a convolution (only at positions inside
//! the input), 1 per element of an elementwise op, 1 per element that is reduced, and none for exponentials and similar
//! ops. Bytes are those that an op reads of its operands (of a slice, only the slice) and those that it writes (of an
//! update in place, only the update).

use std::collections::HashMap;
use xla_profile::hlo::{ComputationId, Instruction, InstructionId, Module, Shape};

/// The cost of one execution of an op.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    pub flops: u64,
    /// FLOPs in dots and convolutions.
    pub matmul_flops: u64,
    /// Bytes read from HBM.
    pub hbm_read: u64,
    /// Bytes written to HBM.
    pub hbm_written: u64,
    /// Bytes read from and written to any memory.
    pub bytes: u64,
}

/// Opcodes of the ops that cost one FLOP per element.
const ELEMENTWISE: [&str; 25] = [
    "add",
    "subtract",
    "multiply",
    "divide",
    "maximum",
    "minimum",
    "negate",
    "abs",
    "compare",
    "select",
    "and",
    "or",
    "xor",
    "not",
    "clamp",
    "floor",
    "ceil",
    "round-nearest-afz",
    "round-nearest-even",
    "remainder",
    "sign",
    "shift-left",
    "shift-right-logical",
    "shift-right-arithmetic",
    "is-finite",
];

/// Memory space of HBM in a layout. Any other number is another memory of the core.
const HBM: i64 = 0;

/// Computes the costs of a program's instructions. The FLOPs of each computation are computed once.
pub struct Costs<'m> {
    module: &'m Module,
    flops: HashMap<ComputationId, (u64, u64)>,
}

impl<'m> Costs<'m> {
    pub fn new(module: &'m Module) -> Self {
        Self { module, flops: HashMap::new() }
    }

    /// Returns the cost of one execution of an instruction; zero if the module does not contain the instruction.
    pub fn execution_cost(&mut self, id: InstructionId) -> Cost {
        let Some(instruction) = self.module.instruction(id) else { return Cost::default() };
        let opcode = &*instruction.opcode;
        // Done ops and ops that enclose others cost nothing, because the started op and the enclosed ops count for
        // themselves.
        if opcode.ends_with("-done") || opcode == "async-update" || matches!(opcode, "while" | "call" | "conditional") {
            return Cost::default();
        }
        let (flops, matmul_flops) = self.flops(instruction);
        let mut cost = Cost { flops, matmul_flops, ..Cost::default() };
        for (shape, share) in self.read(instruction) {
            cost.add(&shape, share, false);
        }
        match self.in_place(instruction) {
            Some(update) => cost.add(&update, 1.0, true),
            None => cost.add(&written(instruction), 1.0, true),
        }
        cost
    }

    /// Returns the FLOPs of an instruction, and the part of them in dots and convolutions.
    fn flops(&mut self, instruction: &Instruction) -> (u64, u64) {
        let elements =
            || instruction.shape.arrays().next().and_then(xla_profile::hlo::ArrayShape::elements).unwrap_or(0);
        let operand = |n: usize| {
            let id = instruction.operands.get(n)?.id?;
            self.module.instruction(id)?.shape.arrays().next().cloned()
        };
        match &*instruction.opcode {
            "fusion" | "async-start" => {
                let called: Vec<ComputationId> = instruction.calls().filter_map(|call| call.id).collect();
                called.into_iter().map(|id| self.of_computation(id)).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1))
            }
            "dot" => {
                let contracted: u64 =
                    operand(0).zip(instruction.text("lhs_contracting_dims")).map_or(1, |(lhs, dims)| {
                        numbers(dims).filter_map(|dim| lhs.dims.get(dim as usize).copied()).product::<u64>()
                    });
                let flops = 2 * elements() * contracted;
                (flops, flops)
            }
            "convolution" => {
                let flops = operand(0).zip(operand(1)).and_then(|(input, kernel)| {
                    let output = instruction.shape.arrays().next()?;
                    convolution(instruction, &input.dims, &kernel.dims, &output.dims)
                });
                (flops.unwrap_or(0), flops.unwrap_or(0))
            }
            "reduce" | "reduce-window" => {
                (operand(0).and_then(|operand_shape| operand_shape.elements()).unwrap_or(0), 0)
            }
            "all-reduce" | "all-reduce-start" | "reduce-scatter" => (elements(), 0),
            opcode if ELEMENTWISE.contains(&opcode) => (elements(), 0),
            _ => (0, 0),
        }
    }

    fn of_computation(&mut self, id: ComputationId) -> (u64, u64) {
        if let Some(known) = self.flops.get(&id) {
            return *known;
        }
        // A computation that calls itself would recurse without end. No compiled program has one.
        self.flops.insert(id, (0, 0));
        let mut sum = (0, 0);
        for instruction in self.module.instructions_of(id).filter_map(|id| self.module.instruction(id)) {
            let (flops, matmul) = self.flops(instruction);
            sum = (sum.0 + flops, sum.1 + matmul);
        }
        self.flops.insert(id, sum);
        sum
    }

    /// Returns the shapes that an instruction reads, and the share of each that is read, from 0 to 1.
    fn read(&self, instruction: &Instruction) -> Vec<(Shape, f64)> {
        let operands = instruction.operands.iter().filter_map(|operand| self.module.instruction(operand.id?));
        match &*instruction.opcode {
            "fusion" => {
                let body = instruction.call("calls").and_then(|call| call.id);
                operands.enumerate().map(|(n, from)| (from.shape.clone(), self.share(body, n as u64))).collect()
            }
            "dynamic-slice" | "slice" | "gather" => vec![(instruction.shape.clone(), 1.0)],
            "dynamic-update-slice" => operands.skip(1).take(1).map(|from| (from.shape.clone(), 1.0)).collect(),
            "iota" | "broadcast" => Vec::new(),
            _ => operands.map(|from| (from.shape.clone(), 1.0)).collect(),
        }
    }

    /// Returns the share of its parameter `n` that a fusion reads, from 0 to 1. If the parameter is only sliced, the
    /// share is that of the slices. If the parameter is only updated in place, the share is 0.
    fn share(&self, body: Option<ComputationId>, n: u64) -> f64 {
        let Some(body) = body else { return 1.0 };
        let parameter = self
            .module
            .instructions_of(body)
            .find(|id| self.module.instruction(*id).is_some_and(|i| i.parameter_number() == Some(n)));
        let Some(parameter) = parameter else { return 1.0 };
        let all = self.module.instruction(parameter).and_then(|i| i.shape.elements_of_all()).unwrap_or(0);
        let mut read = 0;
        for user in self.module.users(parameter).iter().filter_map(|id| self.module.instruction(*id)) {
            let first = user.operands.first().and_then(|operand| operand.id) == Some(parameter);
            match &*user.opcode {
                "dynamic-slice" | "slice" | "gather" if first => read += user.shape.elements_of_all().unwrap_or(0),
                "dynamic-update-slice" if first => {}
                _ => return 1.0,
            }
        }
        if all == 0 { 1.0 } else { (read as f64 / all as f64).min(1.0) }
    }

    /// Returns the shape that an update in place writes instead of its whole result; `None` for other instructions.
    fn in_place(&self, instruction: &Instruction) -> Option<Shape> {
        let update = match &*instruction.opcode {
            "dynamic-update-slice" => instruction,
            "fusion" => {
                let body = self.module.computation(instruction.call("calls")?.id?)?;
                let mut root = self.module.instruction(body.root?)?;
                while &*root.opcode == "bitcast" {
                    root = self.module.instruction(root.operands.first()?.id?)?;
                }
                (&*root.opcode == "dynamic-update-slice").then_some(root)?
            }
            _ => return None,
        };
        Some(self.module.instruction(update.operands.get(1)?.id?)?.shape.clone())
    }
}

impl Cost {
    fn add(&mut self, shape: &Shape, share: f64, written: bool) {
        for array in shape.arrays() {
            let bytes = (array.bytes().unwrap_or(0) as f64 * share).round() as u64;
            self.bytes += bytes;
            if array.memory_space() == HBM {
                *(if written { &mut self.hbm_written } else { &mut self.hbm_read }) += bytes;
            }
        }
    }
}

/// Returns the shape that an op writes. The result of an async start is a tuple of operands, results and context, of
/// which only the results are written.
fn written(instruction: &Instruction) -> Shape {
    if !instruction.opcode.ends_with("-start") {
        return instruction.shape.clone();
    }
    // The result of `copy-start` is (to, from, …), that of all other starts (from, to, …).
    let place = usize::from(&*instruction.opcode != "copy-start");
    instruction.shape.elements().get(place).cloned().unwrap_or_else(|| instruction.shape.clone())
}

/// Returns 2 × the number of multiplications at positions inside the input, not in its padding. `None` if an attribute
/// is missing or the number overflows.
fn convolution(instruction: &Instruction, input: &[u64], kernel: &[u64], output: &[u64]) -> Option<u64> {
    let (labels, out_labels) = instruction.text("dim_labels")?.split_once("->")?;
    let (in_labels, kernel_labels) = labels.split_once('_')?;
    let window = instruction.text("window").unwrap_or_default();
    let position = |labels: &str, label: char| labels.chars().position(|c| c == label);
    let mut product = output.get(position(out_labels, 'b')?)?
        * output.get(position(out_labels, 'f')?)?
        * kernel.get(position(kernel_labels, 'i')?)?;
    let signed = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    let spatial = in_labels.chars().filter(char::is_ascii_digit).count();
    for n in 0..spatial {
        let label = char::from_digit(n as u32, 10)?;
        let part = |key: &str, default: i64| window_part(window, key, n).unwrap_or((default, default));
        let inside = Inside {
            input: signed(*input.get(position(in_labels, label)?)?),
            size: signed(*kernel.get(position(kernel_labels, label)?)?),
            output: signed(*output.get(position(out_labels, label)?)?),
            stride: part("stride", 1).0,
            pad: part("pad", 0).0,
            lhs_dilate: part("lhs_dilate", 1).0,
            rhs_dilate: part("rhs_dilate", 1).0,
        };
        product = product.checked_mul(inside.count())?;
    }
    let groups: u64 = instruction.text("batch_group_count").and_then(|n| n.parse().ok()).unwrap_or(1);
    Some(2 * product / groups.max(1))
}

/// One spatial dimension of a convolution.
struct Inside {
    input: i64,
    size: i64,
    output: i64,
    stride: i64,
    pad: i64,
    lhs_dilate: i64,
    rhs_dilate: i64,
}

impl Inside {
    /// Returns the number of pairs of an output position and a kernel position that meet an element of the input.
    fn count(&self) -> u64 {
        let mut n = 0;
        for kernel in 0..self.size {
            for output in 0..self.output {
                let input = output * self.stride + kernel * self.rhs_dilate - self.pad;
                n += u64::from(input >= 0 && input % self.lhs_dilate == 0 && input / self.lhs_dilate < self.input);
            }
        }
        n
    }
}

/// Returns both numbers of part `n` of a key of the window: 1 and 2 for part 1 of `pad` in `{size=4x1 pad=0_0x1_2}`. A
/// single number counts as both.
fn window_part(window: &str, key: &str, n: usize) -> Option<(i64, i64)> {
    let text = window.trim_matches(['{', '}']).split(' ').find_map(|part| part.strip_prefix(key)?.strip_prefix('='))?;
    let one = text.split('x').nth(n)?;
    let (low, high) = one.split_once('_').unwrap_or((one, one));
    Some((low.parse().ok()?, high.parse().ok()?))
}

fn numbers(text: &str) -> impl Iterator<Item = i64> {
    text.trim_matches(['{', '}']).split(',').filter_map(|n| n.trim().parse().ok())
}

/// Counts the elements of a shape. The elements of all parts of a tuple are summed.
trait Elements {
    fn elements_of_all(&self) -> Option<u64>;
}

impl Elements for Shape {
    fn elements_of_all(&self) -> Option<u64> {
        self.arrays().map(xla_profile::hlo::ArrayShape::elements).sum()
    }
}
