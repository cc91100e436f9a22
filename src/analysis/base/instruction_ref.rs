//! This module defines a reference to an HLO instruction, either within its program or alone, as the text of an event.
//! The module does not depend on time.

use xla_profile::hlo::{ArrayShape, Call, ComputationId, Instruction, InstructionId, Module, Shape};

/// An instruction, with its program if the program is known.
#[derive(Clone, Copy)]
pub(in crate::analysis) struct InstructionRef<'a> {
    pub(in crate::analysis) instruction: &'a Instruction,
    pub(in crate::analysis) module: Option<(&'a Module, InstructionId)>,
    /// Whether the program is for a TPU, where memory spaces have names.
    pub(in crate::analysis) tpu: bool,
}

impl<'a> InstructionRef<'a> {
    /// Returns the instruction `id` of `module`; `None` if the module has no such instruction.
    pub(in crate::analysis) fn within(module: &'a Module, id: InstructionId, tpu: bool) -> Option<Self> {
        Some(Self { instruction: module.instruction(id)?, module: Some((module, id)), tpu })
    }

    /// Returns another instruction of the same program; `None` if the program is unknown or has no such instruction.
    pub(crate) fn sibling(self, id: InstructionId) -> Option<Self> {
        Self::within(self.module?.0, id, self.tpu)
    }

    /// Returns the opcode of the instruction.
    pub(in crate::analysis) fn opcode(self) -> &'a str {
        &self.instruction.opcode
    }

    /// Returns the instruction that is operand `i`; `None` if the program is unknown or there is no such operand.
    pub(crate) fn operand(self, i: usize) -> Option<Self> {
        self.sibling(self.instruction.operands.get(i)?.id?)
    }

    /// Returns the shape of operand `i`, from the text of this instruction or else from the instruction of the operand.
    pub(in crate::analysis) fn operand_shape(self, i: usize) -> Option<&'a Shape> {
        let operand = self.instruction.operands.get(i)?;
        operand.shape.as_ref().or_else(|| Some(&self.module?.0.instruction(operand.id?)?.shape))
    }

    /// Iterates over the shapes of the operands, without unknown ones.
    pub(in crate::analysis) fn operand_shapes(self) -> impl Iterator<Item = &'a Shape> {
        (0..self.instruction.operands.len()).filter_map(move |i| self.operand_shape(i))
    }

    /// Returns the instruction that does the work, as [`Module::wrapped`] finds it: the `-start` of a `-done`, or the
    /// instruction that an `async-start` wraps. Returns the instruction itself if it wraps none or if the program is
    /// unknown.
    pub(in crate::analysis) fn worker(self) -> Self {
        self.module.and_then(|(module, id)| self.sibling(module.wrapped(id))).unwrap_or(self)
    }

    /// Returns the computation that a fusion calls; `None` for other opcodes, and if the computation is unknown.
    pub(in crate::analysis) fn fused(self) -> Option<(&'a Call, ComputationId)> {
        let call = self.instruction.call("calls").filter(|_| self.opcode() == "fusion")?;
        Some((call, call.id?))
    }

    /// Returns the instructions of a fusion; a fusion inside it is replaced by its own instructions. Stops at `DEPTH`
    /// levels of fusions and at `PARTS` instructions.
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

    /// Returns the shapes of the array before and after an op that only moves or reformats it, such as a copy or a
    /// transpose. Both halves of an asynchronous op give the shapes of the whole op. Returns `None` for other ops.
    pub(crate) fn moved(self) -> Option<(&'a ArrayShape, &'a ArrayShape)> {
        let opcode = self.opcode();
        // The shape of a `copy-start` is `(to, from, context)`, so it holds both shapes.
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

/// The limits of [`InstructionRef::parts`]: levels of fusions inside fusions, and number of instructions.
const DEPTH: u32 = 4;
const PARTS: usize = 4000;

/// Returns whether an opcode only copies the elements of an array or changes their type, shape or layout.
fn is_copy_like(opcode: &str) -> bool {
    matches!(opcode, "copy" | "transpose" | "convert" | "reshape" | "bitcast" | "bitcast-convert" | "reduce-precision")
}

/// Returns whether an opcode within a fusion only passes on or reformats data.
pub(crate) fn is_formatting(opcode: &str) -> bool {
    is_copy_like(opcode)
        || matches!(opcode, "parameter" | "constant" | "tuple" | "get-tuple-element" | "copy-start" | "copy-done")
}
