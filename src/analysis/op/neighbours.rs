//! This module finds the ops one hop away: the operands and the users of an op, from the program, else from the texts
//! of events.

use super::report::Neighbour;
use crate::analysis::base::instruction_ref::InstructionRef;
use crate::analysis::base::{Analysis, ResolvedOp};
use indexmap::IndexSet;
use xla_profile::hlo::{InstructionId, Shape, text};
use xla_profile::profile::Profile;
use xla_profile::units::Picos;

/// Largest number of neighbours on each side.
const MAX: usize = 200;

/// The neighbours on one side, and the number of those that were left out.
pub(in crate::analysis) type Side = (Vec<Neighbour>, u32);

impl Analysis {
    /// Returns the operands and the users of an op, each with its kind and time if it runs by itself.
    pub(in crate::analysis) fn neighbours(
        &self,
        profile: &Profile,
        found: &ResolvedOp,
        inst: InstructionRef<'_>,
    ) -> (Side, Side) {
        let (operands, users) = match inst.module {
            Some((module, id)) => {
                (neighbours(inst, module.operands(id)), neighbours(inst, module.users(id).iter().copied()))
            }
            None => (operands_of_text(inst), self.users_by_text(profile, found)),
        };
        let mut sides = [operands, users];
        let names: Vec<String> = sides.iter().flat_map(|(side, _)| side).map(|n| n.name.clone()).collect();
        let by_name = self.op_times_by_name(profile, found, names.iter().map(String::as_str));
        for neighbour in sides.iter_mut().flat_map(|(side, _)| side) {
            if let Some(op) = by_name.get(neighbour.name.as_str()) {
                neighbour.is_op = true;
                neighbour.kind = Some(op.kind);
                neighbour.total = op.in_window.then_some(Picos(op.self_time));
            }
        }
        let [operands, users] = sides;
        (operands, users)
    }

    /// Returns the ops of the same program whose text has this op as an operand.
    fn users_by_text(&self, profile: &Profile, found: &ResolvedOp) -> Side {
        let Some(main) = found.main() else { return (Vec::new(), 0) };
        let plane = &profile.planes[self.devices[main.device].plane];
        let mut users: Vec<Neighbour> = Vec::new();
        let mut more = 0;
        for op in plane.ops.iter().filter(|op| op.stats.program == found.program && op.resolved) {
            let text = profile.text(op.text);
            if !names(text, &found.name) {
                continue;
            }
            let Some(parsed) = text::instruction(text) else { continue };
            let user = parsed.instruction;
            let takes = user.operands.iter().any(|o| *o.name == *found.name);
            if !takes || users.iter().any(|u| u.name == *user.name) {
                continue;
            }
            if users.len() == MAX {
                more += 1;
                continue;
            }
            users.push(bare(&user.name, Some(&user.opcode), Some(&user.shape)));
        }
        (users, more)
    }
}

/// Whether a text may have the instruction as an operand: it contains the whole name, and not as the name of the
/// instruction itself.
fn names(text: &str, name: &str) -> bool {
    let part = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
    let bytes = text.as_bytes();
    !name.is_empty()
        && text.match_indices(name).any(|(offset, _)| {
            let before = offset.checked_sub(1).and_then(|i| bytes.get(i));
            let after = bytes.get(offset + name.len());
            offset > 1 && !before.is_some_and(|b| part(*b)) && !after.is_some_and(|b| part(*b))
        })
}

fn neighbours(inst: InstructionRef<'_>, ids: impl Iterator<Item = InstructionId>) -> Side {
    let mut side: Vec<Neighbour> = Vec::new();
    let ids: IndexSet<InstructionId> = ids.collect();
    let more = ids.len().saturating_sub(MAX);
    for other in ids.into_iter().take(MAX).filter_map(|id| inst.sibling(id)) {
        let instruction = other.instruction;
        side.push(bare(&instruction.name, Some(&instruction.opcode), Some(&instruction.shape)));
    }
    (side, more as u32)
}

fn operands_of_text(inst: InstructionRef<'_>) -> Side {
    let mut side: Vec<Neighbour> = Vec::new();
    let mut more = 0;
    for (i, operand) in inst.instruction.operands.iter().enumerate() {
        if operand.name.is_empty() || side.iter().any(|n| n.name == *operand.name) {
            continue;
        }
        if side.len() == MAX {
            more += 1;
            continue;
        }
        side.push(bare(&operand.name, None, inst.operand_shape(i)));
    }
    (side, more)
}

fn bare(name: &str, opcode: Option<&str>, shape: Option<&Shape>) -> Neighbour {
    Neighbour {
        name: name.to_owned(),
        opcode: opcode.map(str::to_owned),
        shape: shape.map(super::shape_text::shape).unwrap_or_default(),
        kind: None,
        total: None,
        is_op: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_names_only() {
        assert!(names("%b = f32[] add(f32[] %fusion.1, f32[] %c)", "fusion.1"));
        assert!(!names("%b = f32[] add(f32[] %fusion.12, f32[] %loop_fusion.1)", "fusion.1"));
        assert!(!names("%fusion.1 = f32[] add(f32[] %b)", "fusion.1"), "its own text");
        assert!(names("b = f32[] add(fusion.1)", "fusion.1"));
    }
}
