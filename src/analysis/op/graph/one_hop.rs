//! This module builds a neighbourhood without a program: one hop, from the texts of events, with the neighbours of the
//! op panel.

use super::build::{empty_node, more_node};
use super::report::{GraphEdge, GraphNode};
use super::short;
use crate::analysis::base::instruction_ref::InstructionRef;
use crate::analysis::op::report::Neighbour;
use crate::analysis::op::shape_text::shape;
use std::cmp::Reverse;
use xla_profile::hlo::Shape;
use xla_profile::small_sort::SmallSort;

/// Largest number of neighbours on each side.
const MAX: usize = 16;

/// Nodes, edges, and the index of the centre.
pub(crate) type GraphParts = (Vec<GraphNode>, Vec<GraphEdge>, u32);

/// Builds the graph of an op and its operands and users, which may be empty.
pub(crate) fn one_hop(name: &str, inst: Option<InstructionRef<'_>>, sides: [(Vec<Neighbour>, u32); 2]) -> GraphParts {
    let (mut nodes, mut edges) = (Vec::new(), Vec::new());
    let [operands, users] = sides.map(|(side, more)| cut(side, more));
    let centre = operands.0.len() as u32 + u32::from(operands.1 > 0);
    let edge =
        |from, to| GraphEdge { from, to, operands: Vec::new(), shape: String::new(), bytes: None, control: false };
    for operand in operands.0 {
        let places = inst.iter().flat_map(|inst| inst.instruction.operands.iter().enumerate());
        let places: Vec<u32> = places.filter(|(_, o)| *o.name == *operand.name).map(|(i, _)| i as u32).collect();
        let flows = inst.zip(places.first()).and_then(|(inst, i)| inst.operand_shape(*i as usize));
        let (shape, bytes) = (operand.shape.clone(), flows.and_then(Shape::bytes));
        edges.push(GraphEdge { operands: places, shape, bytes, ..edge(nodes.len() as u32, centre) });
        nodes.push(node_of(operand, -1));
    }
    if operands.1 > 0 {
        edges.push(edge(nodes.len() as u32, centre));
        nodes.push(GraphNode { hop: -1, ..more_node(operands.1, "operands") });
    }
    nodes.push(GraphNode {
        name: name.to_owned(),
        opcode: inst.map(|inst| inst.opcode().to_owned()),
        words: inst.map_or_else(|| "no HLO says what it is".to_owned(), short::describe),
        shape: inst.map(|inst| shape(&inst.instruction.shape)).unwrap_or_default(),
        ..empty_node()
    });
    let gives = inst.map(|inst| &inst.instruction.shape);
    for user in users.0 {
        let (shape, bytes) = (gives.map(shape).unwrap_or_default(), gives.and_then(Shape::bytes));
        edges.push(GraphEdge { shape, bytes, ..edge(centre, nodes.len() as u32) });
        nodes.push(node_of(user, 1));
    }
    if users.1 > 0 {
        edges.push(edge(centre, nodes.len() as u32));
        nodes.push(GraphNode { hop: 1, ..more_node(users.1, "users") });
    }
    (nodes, edges, centre)
}

/// Keeps the neighbours with the most self time, and returns the number of those that are left out.
fn cut(mut side: Vec<Neighbour>, more: u32) -> (Vec<Neighbour>, usize) {
    let left = side.len().saturating_sub(MAX);
    if left > 0 {
        side.small_sort_by_key(|n| Reverse(n.total));
        side.truncate(MAX);
    }
    (side, left + more as usize)
}

fn node_of(neighbour: Neighbour, hop: i8) -> GraphNode {
    let words = neighbour.opcode.clone().unwrap_or_default();
    GraphNode { name: neighbour.name, opcode: neighbour.opcode, words, shape: neighbour.shape, hop, ..empty_node() }
}
