//! This module finds the programs whose names say nothing about the modules of a model, and takes the modules that their
//! structure suggests.

use super::analysis::Analysis;
use crate::analysis::classify::{Certainty, Kind, ModelModule, ModuleLabel};
use indexmap::IndexMap;
use std::cmp::Reverse;
use xla_profile::profile::{Op, Profile, ProgramId, StrId};
use xla_profile::small_sort::SmallSort;

/// Largest number of programs whose structure is read. A model is in one or two of them.
const MAX_PROGRAMS: usize = 3;
/// Fewest ops of compute of a program that has modules.
const MIN_OPS: usize = 4;

/// A program as its ops name it: by its id, or by the name of its HLO module.
pub type ProgramName = (Option<ProgramId>, Option<StrId>);

fn program(op: &Op) -> ProgramName {
    (op.stats.program, op.stats.hlo_module)
}

impl Analysis {
    /// Returns the programs of which more than half of the ops of compute belong to no named module, at most three, those with the
    /// most such ops first.
    pub fn programs_without_modules(&self, profile: &Profile) -> Vec<ProgramName> {
        let mut counts: IndexMap<ProgramName, [usize; 2]> = IndexMap::new();
        for (device, facts) in self.devices.iter().zip(&self.facts) {
            for (op, facts) in profile.planes[device.plane].ops.iter().zip(&facts.ops) {
                if facts.kind == Kind::Compute {
                    let is_named = facts.module.certainty < Certainty::Guess;
                    counts.entry(program(op)).or_default()[usize::from(is_named)] += 1;
                }
            }
        }
        let is_unnamed = |[unnamed, named]: [usize; 2]| unnamed > named && unnamed >= MIN_OPS;
        let mut found: Vec<(ProgramName, usize)> = counts
            .into_iter()
            .filter(|(name, counts)| is_unnamed(*counts) && *name != (None, None))
            .map(|(name, [unnamed, _])| (name, unnamed))
            .collect();
        found.small_sort_by_key(|(name, unnamed)| (Reverse(*unnamed), *name));
        found.into_iter().map(|(name, _)| name).take(MAX_PROGRAMS).collect()
    }

    /// Gives the ops of a program that belong to no module one: that of the instruction with the name of the op.
    pub fn guess_modules(
        &mut self,
        profile: &Profile,
        name: ProgramName,
        module_of: &dyn Fn(&str) -> Option<ModelModule>,
    ) {
        for (device, facts) in self.devices.iter().zip(&mut self.facts) {
            for (op, facts) in profile.planes[device.plane].ops.iter().zip(&mut facts.ops) {
                let is_open = !facts.module.is_known() && facts.kind != Kind::Container && program(op) == name;
                let instruction = || profile.text(op.stats.hlo_op.unwrap_or(op.name));
                if let Some(module) = is_open.then(instruction).and_then(module_of) {
                    facts.module = ModuleLabel::new(module, Certainty::Guess);
                }
            }
        }
    }
}
