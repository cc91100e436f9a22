//! This module computes the digests of an instruction by which ops are compared: its signature, and its whole text
//! without names.

use super::digest::{Digest, digest};
use crate::analysis::base::instruction_ref::{InstructionRef, is_formatting};
use xla_profile::hlo::opcode::{base, is_collective, is_done, is_start};
use xla_profile::hlo::{Call, Instruction, Value};

/// The digests of a signature: opcode, kind of a fusion or target of a custom call, groups of a collective, and the
/// opcodes inside a fusion if its program is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    /// With the dtypes and dimensions of result and operands.
    pub with_shapes: u64,
    /// Without shapes, and without opcodes inside a fusion that only reformat data, which come and go with dtypes.
    pub without_shapes: u64,
}

impl Signature {
    /// Returns the signature of an op without an instruction, which has only a type and perhaps a shape.
    pub(super) fn from_texts(kind: &str, shape: Option<&str>) -> Self {
        Self { with_shapes: digest((kind, shape)), without_shapes: digest(kind) }
    }

    /// Returns the signature of an instruction.
    pub(in crate::analysis) fn new(inst: InstructionRef<'_>) -> Self {
        let (instruction, worker) = (inst.instruction, inst.worker());
        let mut kind = Digest::default();
        kind.add((inst.opcode(), instruction.fusion_kind(), instruction.custom_call_target()));
        if is_collective(worker.opcode()) {
            kind.add(base(worker.opcode()));
            if let Some(groups) = worker.instruction.replica_groups() {
                kind.print(groups);
            }
        }
        let mut shapes = Digest::default();
        shapes.print(instruction.shape.without_layout());
        // A loop has thousands of elements, each with an instruction. The shape of all does not tell one from another.
        if inst.opcode() != "get-tuple-element" {
            inst.operand_shapes().for_each(|shape| shapes.print(shape.without_layout()));
        }
        // A sum does not depend on the order of the opcodes.
        let (mut all, mut without_formatting) = (0_u64, 0_u64);
        for part in inst.parts() {
            let opcode = digest(part.opcode());
            all = all.wrapping_add(opcode);
            if !is_formatting(part.opcode()) {
                without_formatting = without_formatting.wrapping_add(opcode);
            }
        }
        let kind = kind.finish();
        Self { with_shapes: digest((kind, shapes.finish(), all)), without_shapes: digest((kind, without_formatting)) }
    }
}

/// Returns whether an instruction only copies data or waits for an asynchronous op. Its own scope, if it has one at
/// all, does not tell it from others.
pub(super) fn is_copy_or_wait(opcode: &str) -> bool {
    opcode == "copy" || opcode == "async-update" || is_start(opcode) || is_done(opcode)
}

/// Returns the digest of an instruction with its layouts and attributes, but without names, metadata, channel ids and
/// operands. `call` returns the digest of a called computation.
pub(super) fn instruction_digest(instruction: &Instruction, call: impl Fn(&Call) -> Option<u64>) -> u64 {
    let mut digest = Digest::default();
    digest.add((&*instruction.opcode, instruction.operands.len(), &instruction.argument, instruction.is_root));
    digest.print(&instruction.shape);
    for attribute in instruction.attributes.iter().filter(|attribute| &*attribute.key != "channel_id") {
        match &attribute.value {
            Value::Metadata(_) => continue,
            Value::Text(text) => digest.add(text),
            Value::Calls(calls) => calls.iter().for_each(|called| digest.add(call(called))),
            Value::Instructions(before) => digest.add(before.len()),
            Value::Groups(groups) => digest.print(groups),
        }
        digest.add(&attribute.key);
    }
    digest.finish()
}
