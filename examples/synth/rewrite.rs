//! This module rewrites a program as the next compile of the model would: from edited sources, and with other numbers. What
//! the program computes, and the order of its ops, stay.

use fastrand::Rng;
use std::collections::{BTreeSet, HashMap};
use xla_profile::wire::proto::hlo::{HloInstructionProto, HloProto};

/// Moves all source lines: each file gets new lines at its start. Their number depends on the name of the file.
pub fn edit_lines(program: &mut HloProto) {
    let added = |file: &str| 3 + file.bytes().map(i32::from).sum::<i32>() % 40;
    // 0 stands for an unknown line.
    let shift = |line: &mut i32, by: i32| *line += if *line > 0 { by } else { 0 };
    let Some(module) = &mut program.hlo_module else { return };
    if let Some(index) = &mut module.stack_frame_index {
        for location in &mut index.file_locations {
            // The ids of files count from 1.
            let file = usize::try_from(location.file_name_id - 1).ok().and_then(|n| index.file_names.get(n));
            let by = file.map_or(0, |file| added(file));
            shift(&mut location.line, by);
            shift(&mut location.end_line, by);
        }
    }
    for metadata in module.computations.iter_mut().flat_map(|c| &mut c.instructions).filter_map(|i| i.metadata.as_mut())
    {
        let by = added(&metadata.source_file);
        shift(&mut metadata.source_line, by);
        shift(&mut metadata.source_end_line, by);
    }
}

/// Shuffles the numbers in the names of instructions and computations, the ids of computations, and the ids of channels.
/// Returns the new name for each name.
pub fn renumber(program: &mut HloProto, seed: u64) -> HashMap<String, String> {
    let mut rng = Rng::with_seed(seed);
    let mut names = BTreeSet::new();
    visit_names(program, &mut |name| _ = names.insert(name.clone()));
    let mut numbers: Vec<usize> = (1..=names.len()).collect();
    rng.shuffle(&mut numbers);
    let names: HashMap<String, String> =
        names.into_iter().zip(numbers).map(|(name, n)| (name.clone(), numbered(&name, n))).collect();
    visit_names(program, &mut |name| name.clone_from(&names[name]));

    let computations = program.hlo_module.iter().flat_map(|module| &module.computations);
    // An id of 0 is that of no computation in the programs whose instructions have plain ids.
    let ids = shuffled(computations.map(|computation| computation.id).filter(|id| *id > 0), &mut rng);
    visit_computation_ids(program, &|id| *id = ids.get(id).copied().unwrap_or(*id));
    let channels =
        shuffled(instructions(program).map(|instruction| instruction.channel_id).filter(|id| *id > 0), &mut rng);
    for instruction in instructions(program) {
        instruction.channel_id = channels.get(&instruction.channel_id).copied().unwrap_or(0);
    }
    names
}

/// Returns the numbers below `n`, shuffled if there is a seed.
pub fn metadata_order(n: usize, seed: Option<u64>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    if let Some(seed) = seed {
        Rng::with_seed(seed).shuffle(&mut order);
    }
    order
}

/// Returns a name with `n` in place of its first number: `fusion.12.clone` becomes `fusion.7.clone`. A name without a number
/// gets one at its end.
fn numbered(name: &str, n: usize) -> String {
    let mut is_done = false;
    let parts = name.split('.').map(|part| {
        let is_number = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if is_number && !is_done {
            is_done = true;
            n.to_string()
        } else {
            part.to_owned()
        }
    });
    let name = parts.collect::<Vec<_>>().join(".");
    if is_done { name } else { format!("{name}.{n}") }
}

/// Returns another one of the ids for each id.
fn shuffled(ids: impl Iterator<Item = i64>, rng: &mut Rng) -> HashMap<i64, i64> {
    let ids: Vec<i64> = ids.collect::<BTreeSet<_>>().into_iter().collect();
    let mut others = ids.clone();
    rng.shuffle(&mut others);
    ids.into_iter().zip(others).collect()
}

fn instructions(program: &mut HloProto) -> impl Iterator<Item = &mut HloInstructionProto> {
    program.hlo_module.iter_mut().flat_map(|module| &mut module.computations).flat_map(|c| &mut c.instructions)
}

/// Visits each name of an instruction or a computation, wherever the program has it.
fn visit_names(program: &mut HloProto, visit: &mut impl FnMut(&mut String)) {
    let mut visit = |name: &mut String| {
        if !name.is_empty() {
            visit(name);
        }
    };
    if let Some(module) = &mut program.hlo_module {
        visit(&mut module.entry_computation_name);
        module.computations.iter_mut().for_each(|computation| visit(&mut computation.name));
    }
    for instruction in instructions(program) {
        visit(&mut instruction.name);
        if let Some(metadata) = &mut instruction.metadata {
            visit(&mut metadata.deduplicated_name);
            visit(&mut metadata.scheduling_name);
        }
    }
    if let Some(assignment) = &mut program.buffer_assignment {
        let buffers = assignment.logical_buffers.iter_mut().filter_map(|buffer| buffer.defined_at.as_mut());
        let aliases = assignment.buffer_aliases.iter_mut().filter_map(|alias| alias.location.as_mut());
        buffers.chain(aliases).for_each(|location| visit(&mut location.instruction_name));
        for event in assignment.heap_simulator_traces.iter_mut().flat_map(|trace| &mut trace.events) {
            visit(&mut event.computation_name);
            visit(&mut event.instruction_name);
        }
    }
}

/// Visits each id of a computation, wherever the program has it. The upper half of an instruction's id is the id of its
/// computation, in programs of current compilers.
fn visit_computation_ids(program: &mut HloProto, visit: &impl Fn(&mut i64)) {
    let visit_upper = |id: &mut i64| {
        let mut computation = *id >> 32;
        if computation > 0 {
            visit(&mut computation);
            *id = computation << 32 | *id & 0xffff_ffff;
        }
    };
    if let Some(module) = &mut program.hlo_module {
        visit(&mut module.entry_computation_id);
        if let Some(schedule) = &mut module.schedule {
            let sequences = std::mem::take(&mut schedule.sequences).into_iter().map(|(mut id, mut sequence)| {
                visit(&mut id);
                sequence.instruction_ids.iter_mut().for_each(visit_upper);
                (id, sequence)
            });
            schedule.sequences = sequences.collect();
        }
        for computation in &mut module.computations {
            visit(&mut computation.id);
            visit_upper(&mut computation.root_id);
        }
    }
    for instruction in instructions(program) {
        visit_upper(&mut instruction.id);
        instruction.operand_ids.iter_mut().chain(&mut instruction.control_predecessor_ids).for_each(visit_upper);
        instruction.called_computation_ids.iter_mut().for_each(visit);
    }
    if let Some(assignment) = &mut program.buffer_assignment {
        let buffers = assignment.logical_buffers.iter_mut().filter_map(|buffer| buffer.defined_at.as_mut());
        let aliases = assignment.buffer_aliases.iter_mut().filter_map(|alias| alias.location.as_mut());
        buffers.chain(aliases).for_each(|location| visit_upper(&mut location.instruction_id));
    }
}
