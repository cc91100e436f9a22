//! This module finds, for each instruction of a program, the nearest instruction whose scope path names a module of the
//! model. A fusion without such a path belongs to the module that most of its instructions name.

use super::ModelModule;
use super::by_scope::KnownNames;
use super::by_structure::by_structure;
use super::data_flow::{NamedNode, spread};
use crate::analysis::classify::phase::by_path;
use crate::analysis::classify::scope_path;
use rustc_hash::FxHashMap;
use xla_profile::hlo::{ComputationId, Instruction, InstructionId, Module, Shape};
use xla_profile::small_sort::SmallSort;

/// Opcodes that hold the results of many modules.
const CONTAINERS: [&str; 5] = ["while", "conditional", "call", "tuple", "opt-barrier"];
/// Opcodes whose result may be used by many modules. Their own names count, and those of their neighbours do not.
const SHARED: [&str; 4] = ["parameter", "constant", "iota", "partition-id"];

/// Returns for each instruction the scope path that names its module: its own, or that of the nearest instruction.
/// `None` if there is none, and for instructions that hold or control others.
pub fn nearest_scopes(module: &Module) -> Vec<Option<&str>> {
    let mut names = KnownNames::default();
    let mut known: FxHashMap<&str, Option<ModelModule>> = FxHashMap::default();
    let mut nodes: Vec<Option<NamedNode>> = Vec::with_capacity(module.instructions().len());
    for (origin, (_, instruction)) in (0..).zip(module.instructions()) {
        let path = scope_path::path(instruction.op_name());
        let label = known.entry(path).or_insert_with(|| Some(names.label(path, by_path(path))?.module));
        let is_container = CONTAINERS.contains(&&*instruction.opcode);
        nodes.push(label.filter(|_| !is_container).map(|module| NamedNode { module, origin }));
    }
    spread_in_program(module, &mut nodes);
    let instructions: Vec<&Instruction> = module.instructions().map(|(_, instruction)| instruction).collect();
    nodes.into_iter().map(|node| instructions.get(node?.origin as usize).map(|found| found.op_name())).collect()
}

/// Returns for each instruction the module that the computation suggests, for programs whose names say nothing.
pub fn modules_by_structure(module: &Module) -> Vec<Option<ModelModule>> {
    let mut nodes = by_structure(module);
    spread_in_program(module, &mut nodes);
    nodes.into_iter().map(|node| Some(node?.module)).collect()
}

/// Gives instructions without a module that of their content, or of their neighbours.
fn spread_in_program(module: &Module, nodes: &mut [Option<NamedNode>]) {
    let mut edges = Vec::new();
    for (reader, (id, instruction)) in (0..).zip(module.instructions()) {
        if nodes[reader as usize].is_none() && &*instruction.opcode == "fusion" {
            nodes[reader as usize] = content(module, instruction, nodes);
        }
        edges.extend(module.operands(id).map(|operand| (reader, operand.index() as u32)));
        // What an asynchronous instruction does belongs to the ops that read its result.
        if &*instruction.opcode == "async-start" {
            let root = instruction.calls().find_map(|call| module.computation(call.id?)?.root);
            edges.extend(root.map(|root| (reader, root.index() as u32)));
        }
        match &*instruction.opcode {
            "tuple" => edges.extend(elements(module, id, id)),
            "opt-barrier" => edges.extend(module.operands(id).flat_map(|values| elements(module, id, values))),
            "while" => edges.extend(loop_edges(module, id).into_iter().flatten()),
            _ => {}
        }
    }
    let opens = |instruction: &Instruction| {
        let opcode = &*instruction.opcode;
        // A scalar, such as the counter of a loop, is read by all modules.
        let is_scalar = matches!(&instruction.shape, Shape::Array(array) if array.dims.is_empty());
        !CONTAINERS.contains(&opcode) && !SHARED.contains(&opcode) && !is_scalar
    };
    let is_open: Vec<bool> = module.instructions().map(|(_, instruction)| opens(instruction)).collect();
    spread(nodes, &edges, |index| is_open[index]);
}

/// Returns the pairs of an element that a loop gives its body, or what comes after it, and the value that the element
/// has: before the first iteration, and after the last one. `None` if the loop does not hold a tuple.
fn loop_edges(module: &Module, id: InstructionId) -> Option<Vec<(u32, u32)>> {
    let is_tuple = |id: &InstructionId| module.instruction(*id).is_some_and(|found| &*found.opcode == "tuple");
    let initial = module.operands(id).next().filter(is_tuple);
    let root = |body: ComputationId| module.computation(body)?.root.filter(is_tuple);
    let mut bodies = module.instruction(id)?.calls().filter_map(|call| Some((call.id?, root(call.id?)?)));
    let (body, result) = bodies.next()?;
    let is_parameter = |id: &InstructionId| module.instruction(*id).is_some_and(|found| &*found.opcode == "parameter");
    let parameter = module.instructions_of(body).find(is_parameter)?;
    let within = initial.map(|initial| elements(module, parameter, initial)).unwrap_or_default();
    Some(within.into_iter().chain(elements(module, id, result)).collect())
}

/// Returns the pairs of an element that is taken from the tuple `from`, and its value: an operand of `values`.
fn elements(module: &Module, from: InstructionId, values: InstructionId) -> Vec<(u32, u32)> {
    let values: Vec<InstructionId> = module.operands(values).collect();
    let pair = |element: &InstructionId| {
        let index: usize = module.instruction(*element)?.text("index")?.trim().parse().ok()?;
        Some((element.index() as u32, values.get(index)?.index() as u32))
    };
    module.users(from).iter().filter_map(pair).collect()
}

/// Returns the module that most instructions of a fusion name; `None` if they name none.
fn content(module: &Module, fusion: &Instruction, nodes: &[Option<NamedNode>]) -> Option<NamedNode> {
    let called = fusion.calls().find_map(|call| call.id)?;
    let mut counts: Vec<(NamedNode, usize)> = Vec::new();
    for node in module.instructions_of(called).filter_map(|id| *nodes.get(id.index())?) {
        match counts.iter_mut().find(|(known, _)| known.module == node.module) {
            Some((_, n)) => *n += 1,
            None => counts.push((node, 1)),
        }
    }
    counts.small_sort_by_key(|(node, n)| (std::cmp::Reverse(*n), node.origin));
    counts.first().map(|(node, _)| *node)
}
