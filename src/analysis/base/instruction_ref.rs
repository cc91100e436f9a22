//! An instruction as it is seen: within its program, or alone as the text of an event. This module knows HLO; it knows no time.

use crate::hlo::{ArrayShape, Call, ComputationId, Instruction, InstructionId, Module, Shape};

/// An instruction, with the program it is in where there is one.
#[derive(Clone, Copy)]
pub(in crate::analysis) struct InstructionRef<'a> {
    pub(in crate::analysis) instruction: &'a Instruction,
    pub(in crate::analysis) module: Option<(&'a Module, InstructionId)>,
    /// It is a TPU's: memory spaces have names.
    pub(in crate::analysis) tpu: bool,
}

impl<'a> InstructionRef<'a> {
    /// An instruction of a program.
    pub(in crate::analysis) fn within(module: &'a Module, id: InstructionId, tpu: bool) -> Option<Self> {
        Some(Self { instruction: module.instruction(id)?, module: Some((module, id)), tpu })
    }

    /// Another instruction of the same program.
    pub(crate) fn sibling(self, id: InstructionId) -> Option<Self> {
        Self::within(self.module?.0, id, self.tpu)
    }

    /// What it does.
    pub(in crate::analysis) fn opcode(self) -> &'a str {
        &self.instruction.opcode
    }

    /// An operand, where the program is known.
    pub(crate) fn operand(self, i: usize) -> Option<Self> {
        self.sibling(self.instruction.operands.get(i)?.id?)
    }

    /// What an operand gives.
    pub(in crate::analysis) fn operand_shape(self, i: usize) -> Option<&'a Shape> {
        let operand = self.instruction.operands.get(i)?;
        operand.shape.as_ref().or_else(|| Some(&self.module?.0.instruction(operand.id?)?.shape))
    }

    /// What its operands give, those that are known.
    pub(in crate::analysis) fn operand_shapes(self) -> impl Iterator<Item = &'a Shape> {
        (0..self.instruction.operands.len()).filter_map(move |i| self.operand_shape(i))
    }

    /// The instruction that does the work: of a `-done` its `-start`, of an `async-start` what it wraps.
    pub(in crate::analysis) fn worker(self) -> Self {
        self.module.and_then(|(module, id)| self.sibling(module.wrapped(id))).unwrap_or(self)
    }

    /// The computation a fusion calls.
    pub(in crate::analysis) fn fused(self) -> Option<(&'a Call, ComputationId)> {
        let call = self.instruction.call("calls").filter(|_| self.opcode() == "fusion")?;
        Some((call, call.id?))
    }

    /// The instructions of a fusion, those of fusions within it in their place.
    pub(in crate::analysis) fn parts(self) -> Vec<Self> {
        let mut parts = Vec::new();
        let mut left: Vec<(ComputationId, u32)> = self.fused().map(|(_, id)| (id, 0)).into_iter().collect();
        while let (Some((computation, depth)), Some((module, _))) = (left.pop(), self.module) {
            for part in module.instructions_of(computation).filter_map(|id| self.sibling(id)) {
                match part.fused() {
                    Some((_, inner)) if depth < DEPTH => left.push((inner, depth + 1)),
                    _ => parts.push(part),
                }
                if parts.len() >= PARTS {
                    return parts;
                }
            }
        }
        parts
    }

    /// The array that moves in a copy, transpose or the like: as it is taken and as it is given. Through both halves of
    /// an asynchronous one. `None` where it is no such op.
    pub(crate) fn moved(self) -> Option<(&'a ArrayShape, &'a ArrayShape)> {
        let opcode = self.opcode();
        // `(to, from, context)`: the text of a half says both.
        let halves = |shape: &'a Shape| match shape.elements() {
            [to, from, ..] => Some((from.as_array()?, to.as_array()?)),
            _ => None,
        };
        match opcode {
            "copy-start" => halves(&self.instruction.shape),
            "copy-done" => halves(self.operand_shape(0)?),
            "async-start" | "async-update" | "async-done" | "call" => {
                let worker = self.worker();
                if matches!(worker.opcode(), "async-start" | "async-update" | "async-done" | "call") {
                    return None;
                }
                worker.moved()
            }
            "fusion" => {
                let parts = self.parts();
                let formats = !parts.is_empty() && parts.iter().all(|part| is_formatting(part.opcode()));
                let mut large = self.operand_shapes().filter_map(Shape::as_array).filter(|a| !a.dims.is_empty());
                let from = large.next().filter(|_| formats && large.next().is_none())?;
                Some((from, self.instruction.shape.as_array()?))
            }
            _ if is_copy_like(opcode) => Some((self.operand_shape(0)?.as_array()?, self.instruction.shape.as_array()?)),
            _ => None,
        }
    }
}

/// Fusions within fusions are looked into this deep, and this many instructions of them.
const DEPTH: u32 = 4;
const PARTS: usize = 4000;

/// Opcodes that give the same elements in another form.
fn is_copy_like(opcode: &str) -> bool {
    matches!(opcode, "copy" | "transpose" | "convert" | "reshape" | "bitcast" | "bitcast-convert" | "reduce-precision")
}

/// Opcodes of fusions that only give data another form.
pub(crate) fn is_formatting(opcode: &str) -> bool {
    is_copy_like(opcode)
        || matches!(opcode, "parameter" | "constant" | "tuple" | "get-tuple-element" | "copy-start" | "copy-done")
}
