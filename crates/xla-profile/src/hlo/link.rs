//! This module links a module: operands to instructions, calls to computations, and both in the opposite direction.

use super::{ComputationId, Instruction, InstructionId, Module, Text, Value};
use std::collections::HashMap;

impl Module {
    /// Sets ids, users, callers, roots and the indices by name. Ids from a proto are kept.
    pub(super) fn link(mut self) -> Self {
        self.names();
        self.operands_and_calls();
        self.fusions();
        self.users_and_callers();
        self
    }

    fn names(&mut self) {
        let links = &mut self.links;
        for (i, computation) in self.computations.iter().enumerate() {
            links.by_computation.entry(computation.name.clone()).or_insert_with(|| ComputationId::new(i));
            let id = Some(ComputationId::new(i));
            let range = computation.instructions.start as usize..computation.instructions.end as usize;
            for instruction in self.instructions.get_mut(range).unwrap_or_default() {
                instruction.computation = id;
            }
        }
        for (i, instruction) in self.instructions.iter().enumerate() {
            let id = InstructionId::new(i);
            links.by_name.entry(instruction.name.clone()).or_insert(id);
            if let Some(proto_id) = instruction.proto_id {
                links.by_proto_id.entry(proto_id).or_insert(id);
            }
        }
    }

    fn operands_and_calls(&mut self) {
        let Self { computations, instructions, links, damage, .. } = self;
        let mut lost = |what: &str, name: &Text, owner: &Text| {
            damage.unresolved = damage.unresolved.saturating_add(1);
            damage.note(|| format!("{owner} {what} {name}, which does not exist"));
        };
        for computation in computations {
            let range = computation.instructions.start as usize..computation.instructions.end as usize;
            let Some(own) = instructions.get_mut(range) else { continue };
            // Computations may share names. An operand is always in the computation of its user.
            let start = computation.instructions.start as usize;
            let names: HashMap<Text, InstructionId> = own
                .iter()
                .enumerate()
                .rev()
                .map(|(i, n)| (n.name.clone(), InstructionId::new(start.saturating_add(i))))
                .collect();
            for Instruction { name, operands, attributes, .. } in own.iter_mut() {
                let before = attributes.iter_mut().filter_map(|a| match &mut a.value {
                    Value::Instructions(before) => Some(before),
                    _ => None,
                });
                for operand in operands.iter_mut().chain(before.flatten()) {
                    operand.id = operand.id.or_else(|| names.get(&operand.name).copied());
                    if operand.id.is_none() {
                        lost("takes", &operand.name, name);
                    }
                }
                for attribute in attributes {
                    let Value::Calls(calls) = &mut attribute.value else { continue };
                    for call in calls {
                        call.id = call.id.or_else(|| links.by_computation.get(&call.name).copied());
                        if call.id.is_none() {
                            lost("calls", &call.name, name);
                        }
                    }
                }
            }
            // A computation without a marked root has its last instruction as the root.
            let place = own.iter().rposition(|n| n.is_root).or_else(|| own.len().checked_sub(1));
            computation.root = computation.root.or(place.map(|i| InstructionId::new(start.saturating_add(i))));
        }
    }

    /// Marks the bodies of fusions. HLO text does not mark them, but its fusion instructions call them.
    fn fusions(&mut self) {
        for instruction in self.instructions.iter().filter(|i| &*i.opcode == "fusion") {
            for id in instruction.calls().filter_map(|c| c.id) {
                if let Some(body) = self.computations.get_mut(id.index()) {
                    body.is_fusion = true;
                }
            }
        }
    }

    fn users_and_callers(&mut self) {
        let ids = |n: &Instruction| n.operands.iter().filter_map(|o| o.id.map(InstructionId::index)).collect();
        (self.links.user_start, self.links.users) = reverse(&self.instructions, self.instructions.len(), ids);
        let ids = |n: &Instruction| n.calls().filter_map(|c| c.id.map(ComputationId::index)).collect();
        (self.links.caller_start, self.links.callers) = reverse(&self.instructions, self.computations.len(), ids);
    }
}

/// Returns, for each of `n` targets, the instructions that refer to it, each once, as start indices and one list. Those
/// of target `i` are `list[starts[i]..starts[i + 1]]`.
fn reverse(
    instructions: &[Instruction],
    n: usize,
    refers_to: impl Fn(&Instruction) -> Vec<usize>,
) -> (Vec<u32>, Vec<InstructionId>) {
    // Each pair is one number: the target in the upper 32 bits, the instruction in the lower ones.
    let mut pairs: Vec<u64> = Vec::new();
    for (i, instruction) in instructions.iter().enumerate() {
        let ids = refers_to(instruction).into_iter().filter_map(|to| u32::try_from(to).ok());
        pairs.extend(ids.map(|to| u64::from(to) << 32 | InstructionId::new(i).index() as u64));
    }
    pairs.sort_unstable();
    pairs.dedup();
    let starts = (0..=n).map(|i| pairs.partition_point(|pair| ((*pair >> 32) as usize) < i));
    let starts = starts.map(|start| u32::try_from(start).unwrap_or(u32::MAX)).collect();
    (starts, pairs.into_iter().map(|pair| InstructionId::new((pair & u64::from(u32::MAX)) as usize)).collect())
}
