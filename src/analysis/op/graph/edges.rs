//! This module computes the edges of a graph. It depends on HLO and on the nodes.

use super::bodies::{parameters, roots};
use super::build::GraphBuilder;
use super::report::GraphEdge;
use crate::analysis::op::shape_text::shape;
use indexmap::IndexMap;
use xla_profile::hlo::{InstructionId, Shape};

/// Largest depth of nested bodies. No compiler nests deeper, and the limit ends cycles.
const DEPTH: u32 = 32;

/// Edges while they are collected, at most one data edge and one control edge per pair of nodes.
#[derive(Default)]
struct Edges {
    all: Vec<GraphEdge>,
    known: IndexMap<(u32, u32, bool), usize>,
}

impl Edges {
    fn add(&mut self, from: u32, to: u32, operand: Option<usize>, flows: Option<&Shape>, control: bool) {
        if from == to {
            return;
        }
        let index = *self.known.entry((from, to, control)).or_insert_with(|| self.all.len());
        if index == self.all.len() {
            let (shape, bytes) = (flows.map(shape).unwrap_or_default(), flows.and_then(Shape::bytes));
            self.all.push(GraphEdge { from, to, operands: Vec::new(), shape, bytes, control });
        }
        self.all[index].operands.extend(operand.map(|i| i as u32));
    }
}

/// Returns all edges of the collected nodes, in the order of the instructions that cause them.
pub(crate) fn edges(build: &GraphBuilder<'_>) -> Vec<GraphEdge> {
    let mut edges = Edges::default();
    for (to, id) in build.ids.iter().enumerate() {
        let (to, Some(id)) = (to as u32, *id) else { continue };
        let Some(instruction) = build.module.instruction(id) else { continue };
        for (i, operand) in instruction.operands.iter().enumerate() {
            let Some(from) = operand.id else { continue };
            let flows = build.module.instruction(from).map(|i| &i.shape);
            if let Some(node) = build.node_at(from) {
                for from in exits(build, node, DEPTH) {
                    for to in entries(build, to, i) {
                        let are_drawn = build.ids[to as usize].is_some() && build.ids[from as usize].is_some();
                        edges.add(from, to, are_drawn.then_some(i), flows.filter(|_| are_drawn), false);
                    }
                }
            } else if let Some(more) = build.left_before(from, to) {
                entries(build, to, i).into_iter().for_each(|to| edges.add(more, to, None, None, false));
            }
        }
        for before in instruction.control_predecessors().iter().filter_map(|operand| operand.id) {
            // A control edge starts and ends at the box of an opened instruction, because no instruction in the box
            // takes it.
            if let Some(from) = build.node_at(before).or_else(|| build.left_before(before, to)) {
                edges.add(from, to, None, None, true);
            }
        }
        if let Some((more, control)) = build.left_after(id, to) {
            let from = if control { vec![to] } else { exits(build, to, DEPTH) };
            from.into_iter().for_each(|from| edges.add(from, more, None, None, control));
        }
    }
    edges.all
}

/// Returns the nodes from which the result of an instruction comes: its own node, or the roots in its body if it is
/// opened.
fn exits(build: &GraphBuilder<'_>, node: u32, depth: u32) -> Vec<u32> {
    let instruction = build.ids[node as usize].and_then(|id| build.module.instruction(id));
    let Some(instruction) = instruction.filter(|_| depth > 0 && build.nodes[node as usize].is_opened()) else {
        return vec![node];
    };
    let roots: Vec<u32> = roots(build.module, instruction).into_iter().filter_map(|id| build.node_at(id)).collect();
    if roots.is_empty() {
        return vec![node];
    }
    roots.into_iter().flat_map(|root| exits(build, root, depth - 1)).collect()
}

/// Returns the nodes to which an operand goes: the node of the instruction, or the parameters in its body if it is
/// opened.
fn entries(build: &GraphBuilder<'_>, node: u32, operand: usize) -> Vec<u32> {
    let instruction = build.ids[node as usize].and_then(|id| build.module.instruction(id));
    let Some(instruction) = instruction.filter(|_| build.nodes[node as usize].is_opened()) else { return vec![node] };
    let inside = |id: InstructionId| build.node_at(id).or_else(|| build.left_in(id));
    let entries: Vec<u32> = parameters(build.module, instruction, operand).into_iter().filter_map(inside).collect();
    if entries.is_empty() { vec![node] } else { entries }
}
