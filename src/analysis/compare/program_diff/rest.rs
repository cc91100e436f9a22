//! This module compares the instructions of two programs that no op of the captures stands for, such as parameters, constants and
//! instructions that take no time.

use super::changed::changed_properties;
use crate::analysis::base::instruction_ref::InstructionRef;
use crate::analysis::compare::matching::{Signature, digest, scope_digest};
use crate::analysis::compare::sections::ChangeCounts;
use indexmap::IndexMap;
use rustc_hash::FxHashSet;
use xla_profile::hlo::{ComputationId, InstructionId, Module};

/// Returns the instructions that run one by one: those of the entry, of loops, branches and calls, and not those inside fusions
/// or reductions.
pub(super) fn executed(module: &Module) -> Vec<InstructionId> {
    let mut all = Vec::new();
    let mut left: Vec<ComputationId> = module.entry.into_iter().collect();
    let mut seen: FxHashSet<ComputationId> = left.iter().copied().collect();
    while let Some(computation) = left.pop() {
        for id in module.instructions_of(computation) {
            all.push(id);
            let Some(instruction) = module.instruction(id) else { continue };
            if matches!(&*instruction.opcode, "while" | "conditional" | "call" | "async-start") {
                let called = instruction.calls().filter_map(|call| call.id);
                left.extend(called.filter(|called| seen.insert(*called)));
            }
        }
    }
    all
}

/// Counts the changes of instructions that are not in `timed`, the instructions of both sides that ops stand for.
pub(super) fn without_time((a, b): (&Module, &Module), timed: &[Vec<InstructionId>; 2]) -> ChangeCounts {
    let rest = |module: &Module, timed: &[InstructionId]| -> Vec<InstructionId> {
        let timed: FxHashSet<InstructionId> = timed.iter().copied().collect();
        executed(module).into_iter().filter(|id| !timed.contains(id)).collect()
    };
    let mut left = (described(a, rest(a, &timed[0])), described(b, rest(b, &timed[1])));
    let mut changed = 0;
    for tier in 0..N_KEYS {
        let mut cells: IndexMap<u64, (Vec<Described<'_>>, Vec<Described<'_>>)> = IndexMap::default();
        left.0.into_iter().for_each(|described| cells.entry(described.keys[tier]).or_default().0.push(described));
        left.1.into_iter().for_each(|described| cells.entry(described.keys[tier]).or_default().1.push(described));
        left = (Vec::new(), Vec::new());
        for (mut of_a, mut of_b) in cells.into_values() {
            let n = of_a.len().min(of_b.len());
            left.0.extend(of_a.drain(n..));
            left.1.extend(of_b.drain(n..));
            let pairs = of_a.iter().zip(&of_b);
            changed +=
                pairs.filter(|(a, b)| !changed_properties(a.instruction, b.instruction).is_empty()).count() as u32;
        }
        // Cells are in the order of A. The order of a program does not depend on the other one.
        left.0.sort_unstable_by_key(|described| described.index);
        left.1.sort_unstable_by_key(|described| described.index);
    }
    ChangeCounts { added: left.1.len() as u32, removed: left.0.len() as u32, changed }
}

/// Number of keys by which instructions are paired, one after the other.
const N_KEYS: usize = 3;

struct Described<'m> {
    instruction: InstructionRef<'m>,
    /// The index of the instruction in the order of its program.
    index: usize,
    /// Scope path and signature with shapes; scope path and signature without shapes; signature with shapes.
    keys: [u64; N_KEYS],
}

fn described(module: &Module, ids: Vec<InstructionId>) -> Vec<Described<'_>> {
    let describe = |(index, id): (usize, InstructionId)| {
        let reference = InstructionRef::within(module, id, false)?;
        let (signature, scope) = (Signature::new(reference), scope_digest(reference.instruction.op_name()));
        // A constant is another one if its value is.
        let value = reference.instruction.argument.as_ref().filter(|_| reference.opcode() == "constant");
        let keys = [
            digest((scope, signature.with_shapes, value)),
            digest((scope, signature.without_shapes)),
            digest(signature.with_shapes),
        ];
        Some(Described { instruction: reference, index, keys })
    };
    ids.into_iter().enumerate().filter_map(describe).collect()
}
