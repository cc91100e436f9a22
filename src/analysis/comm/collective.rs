//! This module finds the primitive, the message bytes and the device groups of a collective or copy, from the program
//! that holds it, else from the text of its op.
//!
//! The bytes of an execution are those of the operands for all-reduce, reduce-scatter, all-to-all, permute and send,
//! and those of the result for all-gather and recv. Of a ragged all-to-all, only the first operand is sent: the second
//! one is where the result is written, and the others are indices. How many of its rows are sent is data of the run, so
//! its bytes are the most that can be. `bytes_accessed` is no measure: it is about twice the message for an all-reduce.
//! This module depends on HLO, and not on times.

use crate::analysis::classify::async_pairs::{called, collective, moves};
use crate::analysis::classify::dcn::{DcnTransfer, message_bytes};
use crate::analysis::classify::primitive::Primitive;
use xla_profile::hlo::opcode::is_collective;
use xla_profile::hlo::{Instruction, InstructionId, Module, ReplicaGroups, Shape, text};
use xla_profile::profile::{Op, Profile};

/// The facts of a collective or copy that hold for every execution.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CollectiveInfo {
    pub primitive: Primitive,
    /// Bytes of the message of one execution. `None` if unknown.
    pub bytes: Option<u64>,
    /// The devices that take part. `None` if unknown, and for copies.
    pub groups: Option<ReplicaGroups>,
    /// Whether it is a copy from or to the memory of the host.
    pub is_with_host: bool,
    /// Number of slices of a collective over DCN; 2, the least number, if the program does not name them. `None` for a
    /// collective within a slice.
    pub n_slices: Option<u64>,
}

impl CollectiveInfo {
    /// Describes a collective over DCN. `message` is the text of the op that tells its message.
    pub fn over_dcn(transfer: &DcnTransfer, message: &str) -> Self {
        let n_slices = transfer.n_slices.filter(|n| *n > 1).or(Some(2));
        Self {
            primitive: transfer.primitive,
            bytes: message_bytes(message),
            groups: None,
            is_with_host: false,
            n_slices,
        }
    }

    pub fn is_over_dcn(&self) -> bool {
        self.n_slices.is_some()
    }

    /// Returns the bytes on hardware links per byte of message among `n` devices. A slice receives one part of a
    /// reduce-scatter over DCN, and sends each of the others one: its message is that part.
    #[expect(clippy::cast_precision_loss, reason = "a ratio")]
    pub fn bus_factor(&self, n: Option<u64>) -> Option<f64> {
        match (self.primitive, self.n_slices) {
            (Primitive::ReduceScatter, Some(n)) => Some(n.saturating_sub(1) as f64),
            (primitive, slices) => primitive.bus_factor(slices.or(n)),
        }
    }
}

/// Describes an op by the instruction of this name in `module`, else by the op's own text.
pub fn collective_info(
    profile: &Profile,
    op: &Op,
    name: &str,
    is_copy: bool,
    module: Option<&Module>,
) -> CollectiveInfo {
    let written = profile.text(op.text);
    let is_with_host = is_copy && written.contains("S(5)");
    let named = || {
        let category = op.stats.category.map(|category| profile.text(category));
        if is_copy { moves(written, name).unwrap_or(Primitive::Copy) } else { collective(written, name, category) }
    };
    let in_module = module.and_then(|module| of_module(module, module.instruction_named(name)?));
    if let Some(mut info) = in_module {
        if info.primitive == Primitive::Unknown {
            info.primitive = named();
        }
        info.is_with_host = is_with_host;
        return info;
    }
    let primitive = named();
    let Some(parsed) = text::instruction(written) else {
        return CollectiveInfo { primitive, is_with_host, ..CollectiveInfo::default() };
    };
    let instruction = parsed.instruction;
    let operands: Vec<&Shape> = instruction.operands.iter().filter_map(|operand| operand.shape.as_ref()).collect();
    // The operands and the result of a fusion are more than the message.
    let is_plain = is_collective(&instruction.opcode) || called(written).is_none() || instruction.is_async();
    let bytes = if is_plain { bytes(primitive, &instruction, &operands) } else { None };
    CollectiveInfo { primitive, bytes, groups: instruction.replica_groups().cloned(), is_with_host, n_slices: None }
}

/// Describes the collective or copy that an instruction of a program is, wraps or contains. `None` if there is none.
pub fn of_module(module: &Module, id: InstructionId) -> Option<CollectiveInfo> {
    let wrapped = module.wrapped(id);
    let instruction = module.instruction(wrapped)?;
    let is = |id: &InstructionId| module.instruction(*id).is_some_and(|inner| is_message(&inner.opcode));
    let bodies = || instruction.calls().filter_map(|call| call.id).flat_map(|body| module.instructions_of(body));
    let inner = if is_message(&instruction.opcode) { wrapped } else { bodies().find(is)? };
    let message = module.instruction(inner)?;
    let operands: Option<Vec<&Shape>> =
        message.operands.iter().map(|operand| Some(&module.instruction(operand.id?)?.shape)).collect();
    let fused = instruction.calls().any(|call| call.name.contains("reduce-scatter"));
    let primitive = match Primitive::of_word(xla_profile::hlo::opcode::base(&message.opcode)) {
        // The compiler's reduce-scatter is an all-reduce of which only a slice is kept.
        Some(Primitive::AllReduce) if fused => Primitive::ReduceScatter,
        primitive => primitive.unwrap_or(Primitive::Unknown),
    };
    Some(CollectiveInfo {
        primitive,
        bytes: bytes(primitive, message, &operands.unwrap_or_default()),
        groups: message.replica_groups().cloned(),
        is_with_host: false,
        n_slices: None,
    })
}

fn is_message(opcode: &str) -> bool {
    let base = xla_profile::hlo::opcode::base(opcode);
    is_collective(opcode) || matches!(base, "send" | "recv" | "copy" | "slice" | "dynamic-slice")
}

/// Returns the bytes of a message. `operands` holds the shapes of the operands, and is empty if they are unknown.
fn bytes(primitive: Primitive, instruction: &Instruction, operands: &[&Shape]) -> Option<u64> {
    let result = &instruction.shape;
    // The shape of a start is (operands, results, …), but the shape of an all-reduce-start is that of the results.
    let is_half = instruction.opcode.ends_with("-start") || matches!(&*instruction.opcode, "send" | "recv");
    let half = |i: usize| if is_half { result.elements().get(i)?.bytes() } else { None };
    let taken = || {
        let all = operands.iter().try_fold(0_u64, |sum, shape| sum.checked_add(shape.bytes()?));
        all.filter(|_| !operands.is_empty() && operands.len() == instruction.operands.len())
    };
    match primitive {
        Primitive::AllGather | Primitive::Slice if is_half => half(1),
        Primitive::Copy | Primitive::Recv if is_half => half(0),
        Primitive::AllGather | Primitive::Broadcast | Primitive::Copy | Primitive::Slice => result.bytes(),
        // The data is followed by a token.
        Primitive::Send => operands.first().and_then(|shape| shape.bytes()).or_else(|| half(0)),
        Primitive::AllReduce => taken().or_else(|| result.bytes()),
        Primitive::ReduceScatter => taken().or_else(|| half(0)),
        Primitive::RaggedAllToAll => {
            let first = || result.elements().first()?.elements().first()?.bytes();
            operands.first().and_then(|shape| shape.bytes()).or_else(|| first().filter(|_| is_half))
        }
        Primitive::AllToAll | Primitive::Permute => taken().or_else(|| if is_half { half(0) } else { result.bytes() }),
        Primitive::Recv | Primitive::Unknown => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_text(primitive: Primitive, written: &str) -> Option<u64> {
        let instruction = text::instruction(written).unwrap().instruction;
        let operands: Vec<&Shape> = instruction.operands.iter().filter_map(|o| o.shape.as_ref()).collect();
        bytes(primitive, &instruction, &operands)
    }

    #[test]
    fn bytes_are_those_of_the_message() {
        use Primitive::{
            AllGather, AllReduce, AllToAll, Copy, Permute, RaggedAllToAll, Recv, ReduceScatter, Send, Slice,
        };
        for (primitive, written, wanted) in [
            (AllReduce, "%a = (f32[8], bf16[4]) all-reduce(f32[8] %x, bf16[4] %y)", Some(40)),
            (AllReduce, "%a = f32[8] all-reduce-start(%x)", Some(32)),
            (AllGather, "%a = f32[8] all-gather(f32[2] %x)", Some(32)),
            (AllGather, "%a = (f32[2], f32[8]) all-gather-start(f32[2] %x)", Some(32)),
            (AllGather, "%a = ((f32[2], f32[1]), (f32[8], f32[4])) all-gather-start(f32[2] %x, f32[1] %y)", Some(48)),
            (ReduceScatter, "%a = f32[2] reduce-scatter(f32[8] %x)", Some(32)),
            (ReduceScatter, "%a = f32[2] reduce-scatter(%x)", None),
            (ReduceScatter, "%a = ((f32[8]), f32[2], u32[]) async-start(f32[8] %x), calls=%w", Some(32)),
            (AllToAll, "%a = (f32[2], f32[2]) all-to-all(f32[2] %x, f32[2] %y)", Some(16)),
            (
                RaggedAllToAll,
                "%a = f32[64] ragged-all-to-all(f32[8] %x, f32[64] %to, s32[2] %a, s32[2] %b, s32[2] %c, s32[2] %d)",
                Some(32),
            ),
            (
                RaggedAllToAll,
                "%a = ((f32[8], f32[64], s32[2]), f32[64]) ragged-all-to-all-start(%x, %to, %a)",
                Some(32),
            ),
            (Permute, "%a = (f32[2], f32[2], u32[], u32[]) collective-permute-start(%x)", Some(8)),
            (Send, "%a = (f32[2], u32[], token[]) send(f32[2] %x, token[] %t)", Some(8)),
            (Recv, "%a = (f32[4], u32[], token[]) recv(token[] %t)", Some(16)),
            (Copy, "%c = (f32[2]{0:S(1)}, f32[2]{0}, u32[]) copy-start(f32[2]{0} %x)", Some(8)),
            (Slice, "%s = ((f32[8]), f32[2], s32[]) async-start(f32[8] %x), calls=%w", Some(8)),
        ] {
            assert_eq!(of_text(primitive, written), wanted, "{written}");
        }
    }
}
