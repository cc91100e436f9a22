//! This module compares the programs of two sessions: which instructions are new, gone or changed, and what that costs.
//!
//! ```text
//!  pairs of programs ─┬─► matches of ops ──► changed: property by property ──► changes, with the difference of their row
//!                     ├─► other instructions ──► rest: counts
//!                     └─► order of the matched ops ──► number of ops that moved
//! ```
//!
//! Programs that are the same apart from names, ids, sources and order have no changes. This module depends on HLO and on
//! matches, and not on times: the difference of a change is that of its row.

mod changed;
mod order;
mod rest;

use super::matching::{MatchedProgram, Matching, OpMatch, Side, Tier};
use super::sections::{
    ChangeCounts, ChangeKind, ChangedProperty, OpcodeDelta, ProgramChange, ProgramDiff, ProgramPair, Property,
};
use crate::analysis::base::instruction_ref::InstructionRef;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use xla_profile::hlo::{InstructionId, Module};
use xla_profile::small_sort::SmallSort;

/// Compares the programs of two sides. `deltas` are the differences of the matches in ps per unit; a change names its match.
pub fn program_diff(a: &Side<'_>, b: &Side<'_>, matching: &Matching<'_, '_>, deltas: &[i64]) -> ProgramDiff {
    let mut diff = ProgramDiff { absent: absent(matching), ..ProgramDiff::default() };
    [diff.only_in_a, diff.only_in_b] = matching.unpaired.clone();
    let mut opcodes: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    for program in &matching.programs {
        let Some((module_a, module_b)) = program.modules else { continue };
        diff.programs.push(ProgramPair { name: program.name.clone(), is_same: program.is_same });
        let pair = Pair { a: (a, module_a), b: (b, module_b) };
        let matches = matches_of(program, matching);
        let moved: Vec<_> = matches.iter().filter_map(|(_, op_match)| pair.instructions(op_match)).collect();
        diff.n_moved += order::n_moved((module_a, module_b), &moved);
        if program.is_same {
            continue;
        }
        diff.changes.extend(matches.iter().filter_map(|(row, op_match)| {
            let (kind, what) = pair.change(op_match)?;
            Some(ProgramChange {
                row: *row,
                kind,
                what,
                delta_ps: deltas.get(*row as usize).copied().unwrap_or_default(),
            })
        }));
        let timed = [instructions(a, module_a, &program.ops.0), instructions(b, module_b, &program.ops.1)];
        let counts = rest::without_time((module_a, module_b), &timed);
        let ChangeCounts { added, removed, changed } = &mut diff.n_without_time;
        (*added, *removed, *changed) = (*added + counts.added, *removed + counts.removed, *changed + counts.changed);
        rest::executed(module_a).iter().for_each(|id| opcodes.entry(opcode(module_a, *id)).or_default().0 += 1);
        rest::executed(module_b).iter().for_each(|id| opcodes.entry(opcode(module_b, *id)).or_default().1 += 1);
    }
    let differ = opcodes.into_iter().filter(|(_, (a, b))| a != b);
    diff.opcodes = differ.map(|(opcode, (a, b))| OpcodeDelta { opcode: opcode.to_owned(), a, b }).collect();
    diff.opcodes.small_sort_by_key(|delta| Reverse(delta.a.abs_diff(delta.b)));
    diff.count_changes();
    diff.delta_ps = diff.changes.iter().map(|change| change.delta_ps).sum();
    diff
}

/// Returns why no programs are compared. `None` if some are.
fn absent(matching: &Matching<'_, '_>) -> Option<String> {
    if matching.programs.is_empty() {
        return Some("No program has the same name on both sides.".to_owned());
    }
    let is_known = matching.programs.iter().any(|program| program.modules.is_some());
    (!is_known).then(|| "The HLO of the programs of a side is unknown.".to_owned())
}

/// Returns the matches with ops of a program, with their indices.
fn matches_of<'m>(program: &MatchedProgram<'_, '_>, matching: &'m Matching<'_, '_>) -> Vec<(u32, &'m OpMatch)> {
    // The ops of a program ascend. A user may pair ops of different programs, which is no change of a program.
    let are_of = |ops: &[usize], all: &[usize]| all.iter().all(|op| ops.binary_search(op).is_ok());
    let has = |op_match: &OpMatch| are_of(&program.ops.0, &op_match.a) && are_of(&program.ops.1, &op_match.b);
    (0..).zip(&matching.matches).filter(|(_, op_match)| has(op_match)).collect()
}

fn opcode(module: &Module, id: InstructionId) -> &str {
    module.instruction(id).map_or("", |instruction| &instruction.opcode)
}

fn instruction(side: &Side<'_>, module: &Module, op: usize) -> Option<InstructionId> {
    module.instruction_named(side.name(op))
}

/// Returns the instructions that ops stand for.
fn instructions(side: &Side<'_>, module: &Module, ops: &[usize]) -> Vec<InstructionId> {
    ops.iter().filter_map(|op| instruction(side, module, *op)).collect()
}

/// A program of both sides.
struct Pair<'p, 'a, 'b> {
    a: (&'p Side<'a>, &'p Module),
    b: (&'p Side<'b>, &'p Module),
}

impl Pair<'_, '_, '_> {
    /// Returns the instructions of a match of one op with one op.
    fn instructions(&self, op_match: &OpMatch) -> Option<(InstructionId, InstructionId)> {
        let ([op_a], [op_b]) = (&op_match.a[..], &op_match.b[..]) else { return None };
        Some((instruction(self.a.0, self.a.1, *op_a)?, instruction(self.b.0, self.b.1, *op_b)?))
    }

    /// Returns the change of a match. `None` if the instructions are the same, or if the programs do not have them.
    fn change(&self, op_match: &OpMatch) -> Option<(ChangeKind, Vec<ChangedProperty>)> {
        match (&op_match.a[..], &op_match.b[..]) {
            ([], _) => return Some((ChangeKind::Added, Vec::new())),
            (_, []) => return Some((ChangeKind::Removed, Vec::new())),
            ([_], [_]) => {}
            (ops_a, ops_b) => {
                let text = |(side, module): (&Side<'_>, &Module), ops: &[usize]| {
                    let opcodes = ops.iter().filter_map(|op| instruction(side, module, *op));
                    changed::counted(opcodes.map(|id| opcode(module, id)))
                };
                let (a, b) = (text(self.a, ops_a), text(self.b, ops_b));
                let grouping = ChangedProperty { property: Property::Grouping, a, b };
                return Some((ChangeKind::Changed, vec![grouping]));
            }
        }
        let (id_a, id_b) = self.instructions(op_match)?;
        let (a, b) = (InstructionRef::within(self.a.1, id_a, false)?, InstructionRef::within(self.b.1, id_b, false)?);
        let what = changed::changed_properties(a, b);
        debug_assert!(op_match.tier != Some(Tier::Exact) || what.is_empty(), "the same op has changed");
        (!what.is_empty()).then_some((ChangeKind::Changed, what))
    }
}
