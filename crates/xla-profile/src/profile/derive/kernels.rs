//! This module turns the kernels of a GPU into ops. An op has the name of its HLO instruction, else that of its kernel.

use super::super::model::{HloBlob, Profile};
use super::super::{Note, NoteCode, Severity, cupti_copy_name};
use crate::profile::ids::ProgramId;
use crate::units::Picos;
use rustc_hash::FxHashMap;

/// The programs of a profile by file and name. `None` if a file has several programs with the name.
pub(super) type ProgramNames = FxHashMap<(usize, String), Option<ProgramId>>;

/// Lists the programs of a profile by file and name.
pub(super) fn program_names(hlo: &[HloBlob]) -> ProgramNames {
    let mut names = ProgramNames::default();
    for blob in hlo {
        let name = (blob.file, blob.module().to_owned());
        names.entry(name).and_modify(|id| *id = None).or_insert(blob.program);
    }
    names
}

/// Names the ops of a GPU plane, finds the ids of programs that have only a name, sets the category of copies, and adds
/// a note on kernels of command buffers.
pub(super) fn name(profile: &mut Profile, gpu: usize, programs: &ProgramNames) {
    let Profile { planes, strings, notes, .. } = profile;
    let plane = &mut planes[gpu];
    let mut runs = vec![false; plane.ops.len()];
    let (mut hidden, mut hidden_ps) = (0_u64, 0_u64);
    for line in plane.lines.iter().filter(|line| line.is_stream()) {
        for (op, (_, duration)) in line.events.ops().zip(line.events.times()) {
            runs[op.0 as usize] = true;
            let stats = &plane.ops[op.0 as usize].stats;
            if stats.hlo_op.is_none() && stats.category.is_some_and(|c| strings.get(c) == COMMAND_BUFFER) {
                (hidden, hidden_ps) = (hidden + 1, hidden_ps.saturating_add(duration));
            }
        }
    }
    for (op, _) in plane.ops.iter_mut().zip(runs).filter(|(_, runs)| *runs) {
        op.stats.kernel = Some(op.text);
        if let Some(module) = op.stats.hlo_module.filter(|_| op.stats.program.is_none()) {
            let known = programs.get(&(plane.file, strings.get(module).to_owned()));
            op.stats.program = known.copied().flatten();
        }
        match op.stats.hlo_op {
            Some(name) => op.name = name,
            None => {
                let word = cupti_copy_name(strings.get(op.text)).map(|word| strings.intern(word));
                op.stats.category = op.stats.category.or(word);
            }
        }
    }
    if hidden > 0 {
        let message = format!(
            "{hidden} kernels ({}) were launched by command buffers (CUDA graphs), and the capture does not have their ops. \
             They appear under their own names, without program, scope and cost. With \
             XLA_FLAGS=--xla_gpu_enable_command_buffer= (empty value) every kernel has its op.",
            Picos(hidden_ps)
        );
        notes.push(
            Note::new(Severity::Caution, NoteCode::CommandBuffers, message)
                .with_place(plane.name.trim_start_matches("/device:")),
        );
    }
}

/// The category of a kernel that a command buffer (CUDA graph) launched, and whose op is unknown.
pub(super) const COMMAND_BUFFER: &str = "command buffer";
