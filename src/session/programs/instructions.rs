//! This module fills in the data that events of GPUs and CPUs lack, from the instruction of each op in its program.
//! Events of a TPU carry this data themselves.
//!
//! ```text
//!  event: hlo_op, program_id ──► HloProto of the capture ──► instruction ─┬─► text, category
//!                                                                         ├─► scope, source and its stack
//!                                                                         └─► FLOPs, bytes (by shapes)
//! ```
//!
//! Data of the capture is kept, except for the text and the scope of an op, which the program replaces. Each program is
//! read once and then dropped.

use super::kernel_counts::{self, Runs};
use super::program_index::{ProgramIndex, SEARCHED};
use super::{OpenFile, load};
use crate::analysis::classify::{category_of_kernel, category_of_name, category_of_text, nearest_scopes};
use indexmap::IndexMap;
use std::num::NonZeroU32;
use xla_profile::hlo::{Instruction, InstructionId, Module};
use xla_profile::profile::{Note, NoteCode, Op, OpId, Plane, Profile, ProgramId, Severity, StrId, cupti_copy_name};
use xla_profile::small_sort::SmallSort;

/// The key of the ops of one program: program id, program name and file.
type Program = (Option<ProgramId>, Option<StrId>, usize);

/// Returns whether programs can complete the data of any op.
pub(crate) fn needed(profile: &Profile) -> bool {
    !profile.hlo.is_empty() && profile.planes.iter().any(|plane| plane.ops.iter().any(|op| is_open(plane, op)))
}

/// Returns whether `op` is an op of a GPU or a CPU that names its instruction and its program.
fn is_open(plane: &Plane, op: &Op) -> bool {
    let known = op.stats.hlo_op.is_some() && (op.stats.program.is_some() || op.stats.hlo_module.is_some());
    known && (op.stats.kernel.is_some() || plane.is_derived())
}

/// The ops that name one program in the same way, and the programs that may be meant, the most likely first.
struct ProgramOps {
    id: Option<ProgramId>,
    candidates: Vec<usize>,
    /// Plane and op. An op leaves the list when a program has its instruction.
    ops: Vec<(usize, OpId)>,
}

/// Reads the programs of these ops, and fills in the data that the ops lack. Many names may stand for one program, which is
/// read once for all of them in each round.
pub(crate) fn fill(profile: &mut Profile, files: &[OpenFile]) {
    let mut groups = groups(profile);
    let mut n_costs = 0;
    let events: Vec<Vec<u64>> = profile.planes.iter().map(events).collect();
    let mut runs = Runs::default();
    for round in 0..SEARCHED {
        let mut by_program: IndexMap<usize, Vec<usize>> = IndexMap::default();
        for (index, group) in groups.iter().enumerate().filter(|(_, group)| !group.ops.is_empty()) {
            if let Some(program) = group.candidates.get(round) {
                by_program.entry(*program).or_default().push(index);
            }
        }
        for (program, members) in by_program {
            let module = match load(files, profile, program) {
                Ok(program) => program.into_module(),
                Err(note) => {
                    if !profile.notes.contains(&note) {
                        profile.notes.push(note);
                    }
                    continue;
                }
            };
            let nearest = nearest_scopes(&module);
            for index in members {
                let ProgramOps { id, ops, .. } = &mut groups[index];
                let per_execution = events_per_execution(profile, ops, &module, *id, &events, &mut runs);
                ops.retain(|op| {
                    let per_execution = per_execution.get(op).copied().unwrap_or(1);
                    !take(profile, *op, (&module, &nearest), per_execution, &mut n_costs)
                });
            }
        }
    }
    // An op without events is the name of a graph whose kernels have got their own ops.
    let has_events = |(index, op): &&(usize, OpId)| events[*index].get(op.0 as usize).is_some_and(|n| *n > 0);
    let n_missing = groups.iter().flat_map(|group| &group.ops).filter(has_events).count() as u64;
    profile.notes.extend(notes(n_costs, n_missing));
}

/// Returns the ops that programs can complete, by the program that they name.
fn groups(profile: &Profile) -> Vec<ProgramOps> {
    let mut programs: IndexMap<Program, Vec<(usize, OpId)>> = IndexMap::default();
    for (index, plane) in profile.planes.iter().enumerate() {
        for (i, op) in plane.ops.iter().enumerate().filter(|(_, op)| is_open(plane, op)) {
            let key = (op.stats.program, op.stats.hlo_module, plane.file);
            programs.entry(key).or_default().push((index, OpId(i as u32)));
        }
    }
    let mut programs = programs.into_iter().collect::<Vec<_>>();
    programs.small_sort_by_key(|((id, _, file), ops)| (*file, *id, ops.first().copied()));
    let index = ProgramIndex::new(profile);
    let group = |((id, module, file), ops): (Program, Vec<(usize, OpId)>)| {
        let name = module.map(|module| profile.text(module));
        ProgramOps { id, candidates: index.choose(profile, id, name, Some(file)).0, ops }
    };
    programs.into_iter().map(group).collect()
}

/// Counts the events of each op of a plane. Empty if programs complete none of its ops.
fn events(plane: &Plane) -> Vec<u64> {
    if plane.ops.iter().any(|op| is_open(plane, op)) { kernel_counts::events(plane) } else { Vec::new() }
}

/// Returns the events per execution of the instruction of each op, by plane and op.
fn events_per_execution(
    profile: &Profile,
    ops: &[(usize, OpId)],
    module: &Module,
    program: Option<ProgramId>,
    events: &[Vec<u64>],
    runs: &mut Runs,
) -> IndexMap<(usize, OpId), u32> {
    let mut by_plane: IndexMap<usize, Vec<kernel_counts::OpInstruction>> = IndexMap::default();
    for (index, op) in ops {
        let name = profile.planes[*index].op(*op).stats.hlo_op.map(|name| profile.text(name));
        if let Some(id) = name.and_then(|name| module.instruction_named(name)) {
            by_plane.entry(*index).or_default().push((*op, id));
        }
    }
    let mut per_execution = IndexMap::default();
    for (index, found) in &by_plane {
        let plane = &profile.planes[*index];
        let runs = runs.of_program(plane, *index, program);
        let is_memset = |op: OpId| {
            plane.op(op).stats.kernel.is_some_and(|kernel| cupti_copy_name(profile.text(kernel)) == Some("Memset"))
        };
        let counts = kernel_counts::per_execution(plane, found, module, &events[*index], &is_memset, runs);
        for ((op, _), n) in found.iter().zip(counts) {
            per_execution.entry((*index, *op)).or_insert_with(|| n);
        }
    }
    per_execution
}

/// Sets the category of ops of GPUs and CPUs that have none, from the name of the op or of its kernel.
pub(crate) fn name_categories(profile: &mut Profile) {
    let Profile { planes, strings, .. } = profile;
    for plane in planes {
        let is_derived = plane.is_derived();
        for op in plane.ops.iter_mut().filter(|op| op.stats.category.is_none()) {
            let of_name =
                || (is_derived || op.stats.hlo_op.is_some()).then(|| category_of_name(strings.get(op.name)))?;
            let of_kernel = || category_of_kernel(strings.get(op.stats.kernel?));
            let category = match op.stats.kernel {
                Some(_) => of_name().or_else(of_kernel).or_else(|| category_of_name(strings.get(op.name))),
                None if is_derived => of_name(),
                None => None,
            };
            op.stats.category = category.map(|category| strings.intern(category));
        }
    }
}

/// The target of the calls of Pallas kernels of a TPU.
const MOSAIC: &str = "custom_call_target=\"tpu_custom_call\"";

/// Removes the bytes of kernels of Pallas to which the compiler gives none. They read and write something, and nothing
/// tells how much: a kernel of attention over pages has the whole cache as an operand, and reads a part of it.
pub(crate) fn forget_bytes_of_kernels(profile: &mut Profile) {
    let Profile { planes, strings, .. } = profile;
    for op in planes.iter_mut().flat_map(|plane| &mut plane.ops) {
        if op.stats.bytes_accessed == Some(0.0) && strings.get(op.text).contains(MOSAIC) {
            op.stats.bytes_accessed = None;
        }
    }
}

fn notes(n_costs: u64, n_missing: u64) -> Vec<Note> {
    let mut notes = Vec::new();
    if n_costs > 0 {
        let message = "The capture has no FLOPs and bytes. They are computed from the shapes in its HLO, without repeated reads and \
                       caches. The cost of an instruction that runs as several kernels is divided equally among \
                       them, without memsets.";
        notes.push(Note::new(Severity::Info, NoteCode::CostsByShapes, message));
    }
    if n_missing > 0 {
        let message = format!(
            "{n_missing} ops are in no HLO of the capture. They have only the category, scope and cost of their events."
        );
        notes.push(Note::new(Severity::Caution, NoteCode::OpsWithoutHlo, message));
    }
    notes
}

/// Fills in the data of an op from its program. Returns `false` if the program has no such instruction.
fn take(
    profile: &mut Profile,
    (plane, op): (usize, OpId),
    (module, nearest): (&Module, &[Option<&str>]),
    per_execution: u32,
    n_costs: &mut u64,
) -> bool {
    let Profile { planes, strings, .. } = profile;
    let op = &mut planes[plane].ops[op.0 as usize];
    let Some(name) = op.stats.hlo_op.map(|name| strings.get(name)) else { return false };
    let Some(id) = module.instruction_named(name) else { return false };
    let Some(instruction) = module.instruction(id) else { return false };
    let text = alone(module, id, instruction).to_string();
    let category = category_of_text(&text).map(|category| strings.intern(category));
    op.text = strings.intern(&text);
    let stats = &mut op.stats;
    stats.category = stats.category.or(category);
    // The program holds the whole scope path. The path in the event of a GPU may be cut.
    if let Some(path) = Some(instruction.op_name()).filter(|path| !path.is_empty()) {
        stats.tf_op = Some(strings.intern(path));
    }
    let other_scope = nearest.get(id.index()).copied().flatten().filter(|path| *path != instruction.op_name());
    stats.nearest_scope = other_scope.map(|path| strings.intern(path));
    let frames = module.stack(id);
    if let Some(inner) = frames.first().filter(|_| stats.source.is_none()) {
        stats.source = Some(strings.intern(&format!("{}:{}", inner.file, inner.line)));
        let frame = |f: &xla_profile::hlo::SourceFrame<'_>| match f.function {
            "" => format!("{}:{}:{}", f.file, f.line, f.column),
            function => format!("{}:{}:{} [{function}]", f.file, f.line, f.column),
        };
        let stack: Vec<String> = frames.iter().map(frame).collect();
        stats.source_stack = stats.source_stack.or_else(|| Some(strings.intern(&stack.join("\n"))));
    }
    // A memset before the kernel of a library does none of the work.
    if per_execution == 0 {
        return true;
    }
    let cost = module.cost(id);
    *n_costs += u64::from(stats.flops.is_none() && cost.flops.is_some());
    let share = |cost: Option<f64>| Some(cost? / f64::from(per_execution));
    stats.flops = stats.flops.or(share(cost.flops));
    stats.bytes_accessed = stats.bytes_accessed.or(share(cost.bytes));
    stats.events_per_execution = NonZeroU32::new(per_execution).filter(|n| n.get() > 1);
    true
}

/// Returns an instruction in the form in which an event of a TPU holds it: with the shapes of the operands, and without
/// attributes that only programs need.
fn alone(module: &Module, id: InstructionId, instruction: &Instruction) -> Instruction {
    let mut alone = instruction.clone();
    alone.is_root = false;
    alone.attributes.retain(|a| !matches!(&*a.key, "metadata" | "backend_config" | "control-predecessors"));
    for (operand, from) in alone.operands.iter_mut().zip(module.operands(id)) {
        operand.shape = operand.shape.take().or_else(|| Some(module.instruction(from)?.shape.clone()));
    }
    alone
}
