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
const TRANSPARENT: [&str; 18] = [
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
        let read = read_by_forward(module);
        let updated = buffers.allocations.iter().filter(|a| a.category == Category::Parameter && a.is_live_out);
        for slot in updated.filter_map(|allocation| allocation.shown) {
            let Some(id) = buffers.all[slot as usize].instruction(module) else { continue };
            let Some(parameter) = module.instruction(id) else { continue };
            if &*parameter.opcode != "parameter" || !is_floating(&parameter.shape) {
                continue;
            }
            let class = if read.has(&id) { MemoryClass::Weights } else { MemoryClass::Optimizer };
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

/// The values that the forward pass reads, directly or through copies, conversions and gathers of them. One walk from the
/// operations of the forward pass back to what they read: linear in the program, however its values are shared.
fn read_by_forward(module: &Module) -> Keyed<InstructionId, ()> {
    let mut read: Keyed<InstructionId, ()> = Keyed::default();
    // Many fusions may call one body: each body is looked at once.
    let bodies = module.computations().map(|(id, _)| id).filter(|body| is_transparent(module, *body));
    let transparent: Keyed<ComputationId, ()> = bodies.map(|body| (body, ())).collect();
    let mut waiting: Vec<InstructionId> = Vec::new();
    for (id, instruction) in module.instructions() {
        if is_forward(instruction.op_name()) {
            waiting.extend(module.operands(id));
        }
    }
    while let Some(value) = waiting.pop() {
        if read.first(value, ()) {
            sources(module, value, &transparent, &mut waiting);
        }
    }
    read
}

/// Adds the values that stand behind a value which is read: what it passes on, and what a fusion takes for it.
fn sources(
    module: &Module,
    value: InstructionId,
    transparent: &Keyed<ComputationId, ()>,
    waiting: &mut Vec<InstructionId>,
) {
    let Some(instruction) = module.instruction(value) else { return };
    let opcode = |id: &InstructionId| module.instruction(*id).map_or("", |i| &*i.opcode);
    match &*instruction.opcode {
        // Inside a fusion: the operand of the fusion that has this number.
        "parameter" => {
            let number = instruction.parameter_number().and_then(|number| usize::try_from(number).ok());
            let callers = instruction.computation.map_or(&[][..], |body| module.callers(body));
            let fusions = callers.iter().filter(|caller| opcode(caller) == "fusion");
            waiting.extend(fusions.filter_map(|fusion| module.operands(*fusion).nth(number?)));
        }
        "fusion" => {
            let mut bodies = instruction.calls().filter_map(|call| call.id);
            if bodies.all(|body| transparent.has(&body)) {
                waiting.extend(module.operands(value));
            }
        }
        // One part of a tuple is read. That says nothing of the other parts.
        "get-tuple-element" => {
            let is_tuple = |of: &InstructionId| matches!(opcode(of), "tuple" | "opt-barrier" | "optimization-barrier");
            waiting.extend(module.operands(value).filter(|of| !is_tuple(of)));
        }
        // What a loop of the forward pass takes.
        "tuple" => waiting.extend(module.operands(value)),
        // Without a scope the compiler put it there, to move or to join pieces: `ConcatBitcast`.
        "custom-call" if instruction.op_name().is_empty() => waiting.extend(module.operands(value)),
        opcode if TRANSPARENT.contains(&opcode) => waiting.extend(module.operands(value)),
        _ => {}
    }
}

/// Whether a fusion's body only passes its operands on.
fn is_transparent(module: &Module, body: ComputationId) -> bool {
    module.instructions_of(body).filter_map(|id| module.instruction(id)).all(|instruction| {
        matches!(&*instruction.opcode, "parameter" | "constant" | "fusion" | "tuple" | "get-tuple-element")
            || TRANSPARENT.contains(&&*instruction.opcode)
    })
}
