//! Which parameters of a training step are weights and which are optimizer state, by how the program uses them.
//!
//! ```text
//!  floating point, updated in place ┬─ read by the forward pass ──────► weights
//!                                   └─ read by the update alone ──────► optimizer state
//! ```
//!
//! Argument paths such as `state[0]['w1']` do not say what a parameter is. A training step does: it differentiates a function
//! of the weights, and JAX marks the forward pass of that function with `jvp(` in the scope path. Knows instructions and their
//! users; no sizes.

use super::buffers::Buffers;
use super::words::{Category, MemoryClass};
use crate::hlo::{ComputationId, InstructionId, Module, Shape};
use crate::keyed::Keyed;

/// Opcodes that pass a value on without computing with it.
const TRANSPARENT: [&str; 19] = [
    "get-tuple-element",
    "convert",
    "copy",
    "copy-start",
    "copy-done",
    "bitcast",
    "bitcast-convert",
    "reshape",
    "transpose",
    "broadcast",
    "all-gather",
    "all-gather-start",
    "all-gather-done",
    "async-start",
    "async-update",
    "async-done",
    "slice",
    "optimization-barrier",
    "opt-barrier",
];

/// The class of each entry parameter that the program's use decides, by instruction.
#[derive(Debug, Default)]
pub(super) struct TrainState {
    classes: Keyed<InstructionId, MemoryClass>,
}

impl TrainState {
    /// Classifies the parameters of a training step. Empty for a program without gradients.
    pub(super) fn new(module: &Module, buffers: &Buffers) -> Self {
        let mut state = Self::default();
        if !module.instructions().any(|(_, i)| i.op_name().contains("transpose(jvp(")) {
            return state;
        }
        let updated = buffers.allocations.iter().filter(|a| a.category == Category::Parameter && a.is_live_out);
        for slot in updated.filter_map(|allocation| allocation.shown) {
            let Some(id) = buffers.all[slot as usize].instruction(module) else { continue };
            let Some(parameter) = module.instruction(id) else { continue };
            if &*parameter.opcode != "parameter" || !is_floating(&parameter.shape) {
                continue;
            }
            let class = if is_read_by_forward(module, id) { MemoryClass::Weights } else { MemoryClass::Optimizer };
            state.classes.first(id, class);
        }
        // Without any weights the program's forward pass was not recognised, so nothing can be told from it.
        if state.classes.iter().all(|(_, class)| *class != MemoryClass::Weights) {
            return Self::default();
        }
        state
    }

    /// The class of a parameter; `None` where the program's use decides nothing.
    pub(super) fn class(&self, parameter: InstructionId) -> Option<MemoryClass> {
        self.classes.get(&parameter).copied()
    }
}

fn is_floating(shape: &Shape) -> bool {
    shape.as_array().is_some_and(|array| {
        let dtype = array.dtype.to_string();
        dtype.starts_with('f') || dtype.starts_with("bf")
    })
}

/// Whether a scope path is of the forward pass. The backward pass is `transpose(jvp(…))`.
fn is_forward(op_name: &str) -> bool {
    op_name.contains("jvp(") && !op_name.contains("transpose(jvp(")
}

/// Whether the forward pass reads a value, directly or through copies, conversions and gathers of it.
fn is_read_by_forward(module: &Module, value: InstructionId) -> bool {
    let mut waiting = vec![value];
    let mut visited: Keyed<InstructionId, ()> = Keyed::default();
    while let Some(at) = waiting.pop() {
        for user in module.users(at) {
            if !visited.first(*user, ()) {
                continue;
            }
            let Some(instruction) = module.instruction(*user) else { continue };
            if is_forward(instruction.op_name()) {
                return true;
            }
            match &*instruction.opcode {
                // A loop takes its values as a tuple: only the loop itself can be of the forward pass.
                "tuple" => {
                    let of_forward =
                        |id: &InstructionId| module.instruction(*id).is_some_and(|i| is_forward(i.op_name()));
                    if module.users(*user).iter().any(of_forward) {
                        return true;
                    }
                }
                "fusion" => {
                    let bodies: Vec<ComputationId> = instruction.calls().filter_map(|call| call.id).collect();
                    if bodies.iter().any(|body| is_read_inside(module, *user, at, *body)) {
                        return true;
                    }
                    if bodies.iter().all(|body| is_transparent(module, *body)) {
                        waiting.push(*user);
                    }
                }
                opcode if TRANSPARENT.contains(&opcode) => waiting.push(*user),
                // The compiler put it there, to move or to join pieces: `ConcatBitcast`.
                "custom-call" if instruction.op_name().is_empty() => waiting.push(*user),
                _ => {}
            }
        }
    }
    false
}

/// Whether a fusion's body only passes its operands on.
fn is_transparent(module: &Module, body: ComputationId) -> bool {
    module.instructions_of(body).filter_map(|id| module.instruction(id)).all(|instruction| {
        matches!(&*instruction.opcode, "parameter" | "constant" | "fusion" | "tuple")
            || TRANSPARENT.contains(&&*instruction.opcode)
    })
}

/// Whether a fusion's body reads an operand of the fusion in an operation of the forward pass.
fn is_read_inside(module: &Module, fusion: InstructionId, operand: InstructionId, body: ComputationId) -> bool {
    let numbers: Vec<usize> =
        module.operands(fusion).enumerate().filter(|(_, id)| *id == operand).map(|(number, _)| number).collect();
    let is_operand = |id: &InstructionId| {
        let number = module.instruction(*id).and_then(crate::hlo::Instruction::parameter_number);
        number.is_some_and(|number| numbers.iter().any(|n| *n as u64 == number))
    };
    let reads = |id: InstructionId| {
        module.users(id).iter().any(|user| module.instruction(*user).is_some_and(|i| is_forward(i.op_name())))
    };
    module.instructions_of(body).filter(|id| is_operand(id)).any(reads)
}
