//! This module reads the programs whose names say nothing about the modules of a model, and gives their ops the modules that
//! the structure of the programs suggests.

use super::Programs;
use crate::analysis::base::{Analysis, StepsBy};
use crate::analysis::classify::modules_by_structure;
use rustc_hash::FxHashMap;
use xla_profile::profile::Profile;

impl Programs {
    /// Analyses a profile whose steps are found in a way. Where names tell no modules, the structure of the programs does.
    pub fn analysis(&mut self, profile: &Profile, by: &StepsBy) -> Analysis {
        let mut analysis = Analysis::with_steps(profile, by);
        self.guess_modules(profile, &mut analysis);
        analysis
    }

    /// Gives ops modules by the structure of their programs, where names tell none. A capture without such ops, or without its
    /// programs, stays as it is.
    fn guess_modules(&mut self, profile: &Profile, analysis: &mut Analysis) {
        if profile.hlo.is_empty() {
            return;
        }
        for (id, name) in analysis.programs_without_modules(profile) {
            let (candidates, _) = self.index(profile).choose(profile, id, name.map(|name| profile.text(name)), None);
            let Some(module) = candidates.first().and_then(|index| self.get(profile, *index).ok()) else { continue };
            let modules = modules_by_structure(&module);
            let named = module
                .instructions()
                .zip(modules)
                .filter_map(|((_, instruction), module)| Some((&*instruction.name, module?)));
            let by_name: FxHashMap<&str, _> = named.collect();
            analysis.guess_modules(profile, (id, name), &|op| by_name.get(op).copied());
        }
    }
}
