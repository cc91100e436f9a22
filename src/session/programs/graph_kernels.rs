//! This module finds the instructions of kernels that CUDA graphs launched. XLA calls such a graph a command buffer, and
//! an event of it has the name of the buffer (`command_buffer_12`) in place of that of its instruction.

use super::graph_instructions::LaunchOrder;
use super::program_index::ProgramIndex;
use super::{OpenFile, load};
use crate::table::format::count;
use indexmap::IndexMap;
use rustc_hash::FxHashMap;
use xla_profile::profile::{Note, NoteCode, OpId, Plane, Profile, ProgramId, Severity, StrId};
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Picos;

/// A node of a CUDA graph: the file and the program that launched it, the index of its plane, the graph, and its number
/// in the graph.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Node {
    file: usize,
    program: Option<ProgramId>,
    module: Option<StrId>,
    plane: usize,
    graph: u32,
    number: u32,
}

impl Node {
    /// `id` is the `cuda_graph_node_id` of an event with this op.
    #[expect(clippy::cast_possible_truncation, reason = "the high 32 bits are the graph, the low 32 bits the number")]
    fn new(plane: &Plane, index: usize, op: OpId, id: u64) -> Self {
        let stats = &plane.op(op).stats;
        let (graph, number) = ((id >> 32) as u32, id as u32);
        Self { file: plane.file, program: stats.program, module: stats.hlo_module, plane: index, graph, number }
    }

    const fn program(&self) -> (usize, Option<ProgramId>, Option<StrId>) {
        (self.file, self.program, self.module)
    }
}

/// Returns whether a program of the session launched any event by a CUDA graph.
pub(crate) fn needed(profile: &Profile) -> bool {
    let has_graph = |plane: &Plane| plane.lines.iter().any(|line| !line.graph_nodes.is_empty());
    !profile.hlo.is_empty() && profile.planes.iter().any(has_graph)
}

/// Gives each kernel of a CUDA graph the name of its instruction, if the instruction is found. Adds a note per plane. Each
/// program is read once.
pub(crate) fn name_kernels(profile: &mut Profile, files: &[OpenFile]) {
    let nodes = nodes(profile);
    let index = ProgramIndex::new(profile);
    // The nodes of each program in [`Profile::hlo`]. Many names of modules may stand for one program.
    let mut by_program: IndexMap<usize, Vec<&[(Node, OpId)]>> = IndexMap::default();
    for nodes in nodes.chunk_by(|(a, _), (b, _)| a.program() == b.program()) {
        let Some((first, _)) = nodes.first() else { continue };
        let module = first.module.map(|name| profile.text(name));
        let (candidates, _) = index.choose(profile, first.program, module, Some(first.file));
        if let Some(program) = candidates.first() {
            by_program.entry(*program).or_default().push(nodes);
        }
    }
    let mut names = Vec::new();
    for (program, nodes) in by_program {
        for (node, name) in find_names(profile, files, program, &nodes) {
            names.push((node, profile.strings.intern(&name)));
        }
    }
    names.small_sort_by_key(|(node, _)| *node);
    for index in 0..profile.planes.len() {
        set_names(profile, index, &names);
    }
}

/// Returns the nodes of all graphs with the op of their events, sorted.
fn nodes(profile: &Profile) -> Vec<(Node, OpId)> {
    let mut nodes = Vec::new();
    for (index, plane) in profile.planes.iter().enumerate() {
        for line in &plane.lines {
            for (event, id) in &line.graph_nodes {
                let op = line.events.op(*event as usize);
                nodes.push((Node::new(plane, index, op, *id), op));
            }
        }
    }
    nodes.small_sort_by_key(|node| *node);
    nodes.dedup_by_key(|(node, _)| *node);
    nodes
}

/// Returns the names of the instructions of nodes. `program` is the index of their program in [`Profile::hlo`].
fn find_names(profile: &Profile, files: &[OpenFile], program: usize, nodes: &[&[(Node, OpId)]]) -> Vec<(Node, String)> {
    let Ok(loaded) = load(files, profile, program) else { return Vec::new() };
    let module = loaded.into_module();
    let order = LaunchOrder::new(&module);
    let mut names = Vec::new();
    let graphs =
        nodes.iter().flat_map(|nodes| nodes.chunk_by(|(a, _), (b, _)| (a.plane, a.graph) == (b.plane, b.graph)));
    for graph in graphs {
        let kernel = |(node, op): &(Node, OpId)| {
            let plane = &profile.planes[node.plane];
            (node.number, profile.text(plane.op(*op).text))
        };
        let kernels: Vec<(u32, &str)> = graph.iter().map(kernel).collect();
        for ((node, _), instruction) in graph.iter().zip(order.instructions(&kernels)) {
            let instruction = instruction.and_then(|id| module.instruction(id));
            names.extend(instruction.map(|instruction| (*node, instruction.name.to_string())));
        }
    }
    names
}

/// Sets the names of the instructions of the events of a plane, and adds a note on them, if the plane has such events.
/// `names` must be sorted.
fn set_names(profile: &mut Profile, index: usize, names: &[(Node, StrId)]) {
    // The new op of an op and a name.
    let mut ops: FxHashMap<(OpId, StrId), OpId> = FxHashMap::default();
    let (mut found, mut unknown, mut unknown_ps) = (0_u64, 0_u64, 0_u64);
    let plane = &mut profile.planes[index];
    let mut lines = std::mem::take(&mut plane.lines);
    for line in &mut lines {
        for (event, id) in &line.graph_nodes {
            let event = *event as usize;
            let op = line.events.op(event);
            let node = Node::new(plane, index, op, *id);
            let Ok(name) = names.binary_search_by(|(other, _)| other.cmp(&node)) else {
                (unknown, unknown_ps) = (unknown + 1, unknown_ps.saturating_add(line.events.time(event).1));
                continue;
            };
            found += 1;
            let name = names[name].1;
            let new = *ops.entry((op, name)).or_insert_with(|| {
                let mut renamed = plane.op(op).clone();
                (renamed.name, renamed.stats.hlo_op) = (name, Some(name));
                plane.ops.push(renamed);
                OpId((plane.ops.len() - 1) as u32)
            });
            line.events.set_op(event, new);
        }
    }
    plane.lines = lines;
    if found + unknown == 0 {
        return;
    }
    let place = plane.name.trim_start_matches("/device:").to_owned();
    let (severity, rest) = match unknown {
        0 => (Severity::Info, String::new()),
        _ => (
            Severity::Caution,
            format!(
                " {} others ({}) have the name of their graph. With XLA_FLAGS=--xla_gpu_enable_command_buffer= \
                 (empty value) every kernel has its op.",
                count(unknown),
                Picos(unknown_ps)
            ),
        ),
    };
    let message = format!(
        "CUDA graphs launched kernels, and the capture does not have their ops. The ops of {} kernels come from the order \
         of the instructions in the HLO.{rest}",
        count(found)
    );
    profile.notes.push(Note::new(severity, NoteCode::CommandBuffers, message).with_place(&place));
}
