//! This module collects the names of programs from texts such as `name(id)`, and matches program files with programs.

use super::ids::{OpId, ProgramId, program_of};
use super::model::{HloBlob, Profile, ProgramFile};
use super::{Note, NoteCode, Severity};
use crate::small_sort::SmallSort;
use rustc_hash::FxHashSet;

impl Profile {
    /// Completes the profile after all files have been read: names the programs, matches program files, keeps the launches
    /// of kernels and their nodes of CUDA graphs, and drops the other correlation ids.
    pub(super) fn finish_profile(&mut self) {
        for line in self.planes.iter_mut().flat_map(|plane| &mut plane.lines) {
            let ids = std::mem::take(&mut line.correlation_ids);
            (line.launches, line.graph_nodes) = (ids.launches, ids.graph_nodes);
        }
        name_programs(self);
        let program_files = self.pending_program_files.take().unwrap_or_default();
        join_programs(self, &program_files);
    }
}

/// Collects the names of programs from module runs and from the HLO of the capture. The first name of an id counts.
fn name_programs(profile: &mut Profile) {
    let mut programs = std::mem::take(&mut profile.programs);
    for plane in &profile.planes {
        let modules = plane.lines.iter().filter(|l| l.name == "XLA Modules");
        let mut seen = FxHashSet::default();
        let mut ops: Vec<OpId> = modules.flat_map(|l| l.events.ops()).filter(|op| seen.insert(*op)).collect();
        ops.small_sort_by_key(|op| *op);
        let of_lines = ops.into_iter().map(|op| profile.text(plane.op(op).text));
        let of_hlo = (plane.name == "/host:metadata").then(|| plane.ops.iter().map(|op| profile.text(op.text)));
        for (name, id) in of_lines.chain(of_hlo.into_iter().flatten()).filter_map(program_of) {
            programs.entry(id).or_insert_with(|| name.to_owned());
        }
    }
    profile.programs = programs;
}

/// Matches program files with the programs of captures: by the id in the name of the file, by the id of the module
/// (which is another number on TPUs), or by the name of the module if only one program has that name. A program file
/// without a match keeps an id of its own, unless another program has that id.
fn join_programs(profile: &mut Profile, program_files: &[ProgramFile]) {
    if program_files.is_empty() {
        return;
    }
    let mut ran = FxHashSet::default();
    ran.extend(profile.planes.iter().flat_map(|plane| plane.ops.iter().filter_map(|op| op.stats.program)));
    let named = profile.programs.clone();
    for ProgramFile { hlo, id } in program_files {
        let HloBlob { name, file, .. } = &profile.hlo[*hlo];
        let of_file = id_in_name(&profile.files[*file], name);
        let ids = [of_file, Some(ProgramId(*id)).filter(|id| id.0 != 0)];
        let ids = || ids.into_iter().flatten();
        let is_named = |id: &ProgramId| named.get(id).map_or_else(|| ran.contains(id), |other| other == name);
        let mut of_name = named.iter().filter(|(_, other)| *other == name).map(|(id, _)| *id);
        let program = match (ids().find(is_named), of_name.next(), of_name.next()) {
            (Some(id), ..) | (None, Some(id), None) => Some(id),
            (None, Some(_), Some(_)) => None,
            (None, None, _) => ids().find(|id| !profile.programs.contains_key(id) && !ran.contains(id)),
        };
        // On a TPU, the id of the module differs in any case. Only the id in the name of the file can contradict the
        // match.
        if let (Some(stated), Some(id)) =
            (of_file, program.filter(|id| of_file != Some(*id) && ids().all(|other| other != *id)))
        {
            let message = format!(
                "The name of the file has program id {}, but {name} ran with id {}. They are joined by the name of the module. This HLO \
                 may be of another compilation, and its costs and memory may not fit the times.",
                stated.0, id.0
            );
            let note = Note::new(Severity::Caution, NoteCode::ProgramIdDiffers, message);
            profile.notes.push(note.with_place(profile.files[*file].clone()));
        }
        if let Some(id) = program {
            profile.programs.entry(id).or_insert_with(|| name.clone());
        }
        profile.hlo[*hlo].program = program;
    }
}

/// Returns the id in `module(id).hlo_proto.pb`, which is the name of a program file of a profiler.
fn id_in_name(file: &str, module: &str) -> Option<ProgramId> {
    let rest = file.rsplit('/').next()?.strip_prefix(module)?;
    program_of(&rest[..=rest.find(')')?]).filter(|(before, _)| before.is_empty()).map(|(_, id)| id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_ids() {
        assert_eq!(program_of("jit_f(12190760917235803885)"), Some(("jit_f", ProgramId(12_190_760_917_235_803_885))));
        assert_eq!(program_of("jit_f(-1)"), Some(("jit_f", ProgramId(u64::MAX))));
        assert_eq!(program_of("jit_f"), None);
    }

    #[test]
    fn ids_in_names_of_files() {
        let id = |file: &str| id_in_name(file, "jit_f").map(|id| id.0);
        assert_eq!(id("a/b/jit_f(12).hlo_proto.pb"), Some(12));
        assert_eq!(id("jit_f(-1).hlo_proto.pb.gz"), Some(u64::MAX));
        for other in ["jit_f.hlo_proto.pb", "jit_f_g(12).pb", "jit_f(1", "jit_f(x)", "jit_fé(1)", "", "jit_f)("] {
            assert_eq!(id(other), None, "{other}");
        }
    }
}
