//! This module finds the parameters of a training step that are weights and those that are optimizer state, by how the
//! program uses them.
//!
//! ```text
//!  floating point, updated in place ┬─ read by the forward pass ┬─ new value depends on gradients ──► weights
//!                                   │                           └─ from the forward pass alone ─────► neither
//!                                   └─ read by the update alone ────────────────────────────────────► optimizer state
//! ```
//!
//! Running statistics (the mean and the variance of batch normalization) are the second case: the forward pass reads
//! and updates them, and no gradient reaches them. They are no weights and count as inputs. A parameter counts as a
//! statistic only if that is certain: the entry computes everything that is written to its memory, and none of it can
//! depend on the backward pass. Statistics that the compiler updates in one fusion or one loop with gradients therefore
//! still count as weights.
//!
//! Argument paths such as `state[0]['w1']` do not show the role of a parameter. The training step shows it: the step
//! differentiates a function of the weights, and JAX marks the forward pass of that function with `jvp(` in the scope
//! path. This module does not depend on sizes.

use super::buffers::Buffers;
use super::categories::{Category, MemoryClass};
use indexmap::{IndexMap, IndexSet};
use xla_profile::hlo::{ComputationId, InstructionId, Module, Shape};

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

/// The class of each entry parameter for which the use by the program decides, by instruction.
#[derive(Debug, Default)]
pub(super) struct TrainState {
    classes: IndexMap<InstructionId, MemoryClass>,
}

impl TrainState {
    /// Classifies the parameters of a training step. Empty for a program without gradients.
    pub(super) fn new(module: &Module, buffers: &Buffers) -> Self {
        let mut state = Self::default();
        if !module.instructions().any(|(_, i)| i.op_name().contains("transpose(jvp(")) {
            return state;
        }
        let read = read_by_forward(module);
        let from_gradients = from_gradients(module);
        let written = written(module, buffers);
        let updated = buffers.allocations.iter().filter(|a| a.category == Category::Parameter && a.is_live_out);
        for slot in updated.filter_map(|allocation| allocation.shown) {
            let Some(id) = buffers.all[slot as usize].instruction(module) else { continue };
            let Some(parameter) = module.instruction(id) else { continue };
            if &*parameter.opcode != "parameter" || !is_floating(&parameter.shape) {
                continue;
            }
            let is_statistic = || is_statistic(module, &from_gradients, written.get(&slot).map_or(&[], Vec::as_slice));
            match read.contains(&id) {
                true if is_statistic() => {}
                true => _ = state.classes.entry(id).or_insert(MemoryClass::Weights),
                false => _ = state.classes.entry(id).or_insert(MemoryClass::Optimizer),
            }
        }
        // Without any weights, the forward pass of the program was not recognised, so nothing can be derived from it.
        if state.classes.iter().all(|(_, class)| *class != MemoryClass::Weights) {
            return Self::default();
        }
        state
    }

    /// Returns the class of a parameter. `None` if the use by the program does not decide.
    pub(super) fn class(&self, parameter: InstructionId) -> Option<MemoryClass> {
        self.classes.get(&parameter).copied()
    }
}

/// Returns the instructions that write to an allocation, by the buffer that represents the allocation. The instruction
/// is `None` if the module does not have it.
fn written(module: &Module, buffers: &Buffers) -> IndexMap<u32, Vec<Option<InstructionId>>> {
    let mut written: IndexMap<u32, Vec<Option<InstructionId>>> = IndexMap::default();
    for (slot, buffer) in (0_u32..).zip(&buffers.all) {
        let Some(shown) = buffers.allocation(slot).and_then(|allocation| allocation.shown) else { continue };
        if shown != slot {
            written.entry(shown).or_default().push(buffer.instruction(module));
        }
    }
    written
}

/// Returns whether a value is computed for the memory of a parameter, and all such values come from the entry and not
/// from gradients.
fn is_statistic(module: &Module, from_gradients: &IndexSet<InstructionId>, written: &[Option<InstructionId>]) -> bool {
    let is_computed = |id: &Option<InstructionId>| {
        let instruction = id.and_then(|id| module.instruction(id))?;
        let passes_on = matches!(&*instruction.opcode, "parameter" | "tuple" | "get-tuple-element")
            || TRANSPARENT.contains(&&*instruction.opcode);
        Some(!passes_on)
    };
    let is_sure = |id: &Option<InstructionId>| {
        let id = (*id)?;
        Some(module.instruction(id)?.computation == module.entry && !from_gradients.contains(&id))
    };
    written.iter().any(|id| is_computed(id) == Some(true)) && written.iter().all(|id| is_sure(id) == Some(true))
}

/// Returns all instructions that may depend on the backward pass: its operations, the users of their results, and the
/// callers of a computation with such an instruction. The walk is linear in the size of the program.
fn from_gradients(module: &Module) -> IndexSet<InstructionId> {
    let backward = module.instructions().filter(|(_, instruction)| instruction.op_name().contains("transpose(jvp("));
    let mut waiting: Vec<InstructionId> = backward.map(|(id, _)| id).collect();
    let mut found: IndexSet<InstructionId> = IndexSet::default();
    while let Some(id) = waiting.pop() {
        if found.insert(id) {
            waiting.extend(module.users(id));
            let computation = module.instruction(id).and_then(|instruction| instruction.computation);
            waiting.extend(computation.map_or(&[][..], |computation| module.callers(computation)));
        }
    }
    found
}

fn is_floating(shape: &Shape) -> bool {
    shape.as_array().is_some_and(|array| {
        let dtype = array.dtype.to_string();
        dtype.starts_with('f') || dtype.starts_with("bf")
    })
}

/// Returns whether a scope path belongs to the forward pass. The backward pass is `transpose(jvp(…))`.
fn is_forward(op_name: &str) -> bool {
    op_name.contains("jvp(") && !op_name.contains("transpose(jvp(")
}

/// Returns the values that the forward pass reads, directly or through copies, conversions and gathers of these values.
/// The walk goes from the operations of the forward pass back to the values that they read. It is linear in the size of
/// the program, however many operations share a value.
fn read_by_forward(module: &Module) -> IndexSet<InstructionId> {
    let mut read: IndexSet<InstructionId> = IndexSet::default();
    // Many fusions may call one body, so each body is checked once.
    let bodies = module.computations().map(|(id, _)| id).filter(|body| is_transparent(module, *body));
    let transparent: IndexSet<ComputationId> = bodies.collect();
    let mut waiting: Vec<InstructionId> = Vec::new();
    for (id, instruction) in module.instructions() {
        if is_forward(instruction.op_name()) {
            waiting.extend(module.operands(id));
        }
    }
    while let Some(value) = waiting.pop() {
        if read.insert(value) {
            sources(module, value, &transparent, &mut waiting);
        }
    }
    read
}

/// Adds the values from which a value comes: its operands if the value passes them on, and the operand of a fusion for
/// a parameter of its body.
fn sources(
    module: &Module,
    value: InstructionId,
    transparent: &IndexSet<ComputationId>,
    waiting: &mut Vec<InstructionId>,
) {
    let Some(instruction) = module.instruction(value) else { return };
    let opcode = |id: &InstructionId| module.instruction(*id).map_or("", |i| &*i.opcode);
    match &*instruction.opcode {
        // In the body of a fusion, a parameter stands for the operand of the fusion with the same number.
        "parameter" => {
            let number = instruction.parameter_number().and_then(|number| usize::try_from(number).ok());
            let callers = instruction.computation.map_or(&[][..], |body| module.callers(body));
            let fusions = callers.iter().filter(|caller| opcode(caller) == "fusion");
            waiting.extend(fusions.filter_map(|fusion| module.operands(*fusion).nth(number?)));
        }
        "fusion" => {
            let mut bodies = instruction.calls().filter_map(|call| call.id);
            if bodies.all(|body| transparent.contains(&body)) {
                waiting.extend(module.operands(value));
            }
        }
        // The read part of a tuple is not evidence that the other parts are read.
        "get-tuple-element" => {
            let is_tuple =
                |operand: &InstructionId| matches!(opcode(operand), "tuple" | "opt-barrier" | "optimization-barrier");
            waiting.extend(module.operands(value).filter(|operand| !is_tuple(operand)));
        }
        // The tuple is the input of a loop of the forward pass.
        "tuple" => waiting.extend(module.operands(value)),
        // A custom call without a scope was added by the compiler, to move data or to join pieces: `ConcatBitcast`.
        "custom-call" if instruction.op_name().is_empty() => waiting.extend(module.operands(value)),
        opcode if TRANSPARENT.contains(&opcode) => waiting.extend(module.operands(value)),
        _ => {}
    }
}

/// Returns whether the body of a fusion only passes its operands on.
fn is_transparent(module: &Module, body: ComputationId) -> bool {
    module.instructions_of(body).filter_map(|id| module.instruction(id)).all(|instruction| {
        matches!(&*instruction.opcode, "parameter" | "constant" | "fusion" | "tuple" | "get-tuple-element")
            || TRANSPARENT.contains(&&*instruction.opcode)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use xla_profile::hlo::text;
    use xla_profile::wire::proto::hlo::buffer_allocation_proto::Assigned;
    use xla_profile::wire::proto::hlo::logical_buffer_proto::Location;
    use xla_profile::wire::proto::hlo::{BufferAllocationProto, BufferAssignmentProto, LogicalBufferProto};

    /// A layer with batch normalization: a weight, its moment, a running mean, and a weight that is passed on
    /// unchanged.
    const STEP: &str = r#"HloModule step

ENTRY main {
  w = f32[8] parameter(0), metadata={op_name="w"}
  m = f32[8] parameter(1), metadata={op_name="m"}
  mean = f32[8] parameter(2), metadata={op_name="mean"}
  frozen = f32[8] parameter(3), metadata={op_name="frozen"}
  x = f32[8] parameter(4), metadata={op_name="x"}
  a = f32[8] multiply(x, w), metadata={op_name="jit(step)/jvp(Net)/mul"}
  f = f32[8] add(a, frozen), metadata={op_name="jit(step)/jvp(Net)/add"}
  new_mean = f32[8] add(mean, f), metadata={op_name="jit(step)/jvp(Net)/BatchNorm_0/add"}
  dw = f32[8] multiply(f, x), metadata={op_name="jit(step)/transpose(jvp(Net))/mul"}
  new_m = f32[8] add(m, dw), metadata={op_name="jit(step)/adam/add"}
  new_w = f32[8] subtract(w, new_m), metadata={op_name="jit(step)/adam/sub"}
  ROOT t = (f32[8], f32[8], f32[8], f32[8]) tuple(new_w, new_m, new_mean, frozen)
}
"#;

    fn classes(step: &str, updates: &[(&str, &str)]) -> Vec<Option<MemoryClass>> {
        let (module, _) = text::module(step).unwrap();
        let mut assignment = BufferAssignmentProto::default();
        for (i, (parameter, update)) in (0_i64..).zip(updates) {
            for (id, name) in [(2 * i, parameter), (2 * i + 1, update)].into_iter().filter(|(_, name)| !name.is_empty())
            {
                let location =
                    Location { instruction_name: (*name).to_owned(), instruction_id: -1, ..Location::default() };
                let buffer = LogicalBufferProto { id, size: 32, defined_at: Some(location), color: 0 };
                assignment.logical_buffers.push(buffer);
            }
            let assigned = |id| Assigned { logical_buffer_id: id, offset: 0, size: 32 };
            assignment.buffer_allocations.push(BufferAllocationProto {
                size: 32,
                is_entry_computation_parameter: true,
                maybe_live_out: true,
                assigned: vec![assigned(2 * i), assigned(2 * i + 1)],
                ..BufferAllocationProto::default()
            });
        }
        let state = TrainState::new(&module, &Buffers::new(&assignment));
        updates.iter().map(|(parameter, _)| state.class(module.instruction_named(parameter).unwrap())).collect()
    }

    const UPDATES: [(&str, &str); 4] = [("w", "new_w"), ("m", "new_m"), ("mean", "new_mean"), ("frozen", "")];

    #[test]
    fn running_statistics_are_no_weights() {
        let weights = Some(MemoryClass::Weights);
        assert_eq!(classes(STEP, &UPDATES), [weights, Some(MemoryClass::Optimizer), None, weights]);
    }

    #[test]
    fn buffers_updated_from_gradients_are_weights() {
        // The compiler has fused the update of the statistic with a gradient.
        let joined = STEP.replace("add(mean, f)", "add(mean, dw)");

        assert_eq!(classes(&joined, &UPDATES)[2], Some(MemoryClass::Weights));
    }
}
