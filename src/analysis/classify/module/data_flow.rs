//! This module spreads the modules of ops along the data flow: an op that names no module, such as a copy or a
//! collective, belongs to the ops that read its result, if these are all of one module, or else to those that it reads.

use super::{Certainty, ModelModule, ModuleLabel};
use crate::analysis::classify::opcode::operand_names;
use rustc_hash::FxHashMap;
use xla_profile::profile::{Plane, Profile, ProgramId};

/// Number of steps along the data flow. Real chains are a copy, a bitcast, a start and a done.
const ROUNDS: usize = 6;

/// The module of a node, and the node whose name says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedNode {
    pub module: ModelModule,
    pub origin: u32,
}

/// The modules of the neighbours of a node.
#[derive(Clone, Copy, Default)]
enum Votes {
    #[default]
    None,
    One(NamedNode),
    Several,
}

impl Votes {
    fn add(&mut self, node: NamedNode) {
        *self = match *self {
            Self::None => Self::One(node),
            Self::One(known) if known.module == node.module => Self::One(known),
            _ => Self::Several,
        };
    }

    /// Returns the node whose module all neighbours have; `None` if they differ, or if none has a module.
    const fn unanimous(self) -> Option<NamedNode> {
        match self {
            Self::One(node) => Some(node),
            Self::None | Self::Several => None,
        }
    }
}

/// Gives nodes without a module that of their neighbours. `edges` are pairs of a node and a node that it reads.
/// `is_open` tells which nodes may get a module.
pub fn spread(nodes: &mut [Option<NamedNode>], edges: &[(u32, u32)], is_open: impl Fn(usize) -> bool) {
    for _ in 0..ROUNDS {
        let mut readers = vec![Votes::None; nodes.len()];
        let mut operands = vec![Votes::None; nodes.len()];
        for (reader, operand) in edges {
            let (reader, operand) = (*reader as usize, *operand as usize);
            match (nodes[reader], nodes[operand]) {
                (Some(named), None) => readers[operand].add(named),
                (None, Some(named)) => operands[reader].add(named),
                _ => {}
            }
        }
        let mut is_changed = false;
        for (index, node) in nodes.iter_mut().enumerate().filter(|(index, node)| node.is_none() && is_open(*index)) {
            *node = readers[index].unanimous().or_else(|| operands[index].unanimous());
            is_changed |= node.is_some();
        }
        if !is_changed {
            return;
        }
    }
}

/// Gives the ops of a plane without a module that of their neighbours, by the operands in their texts. `labels` are
/// those of the ops, and `is_open` tells which ops may get a module.
pub fn spread_in_plane(profile: &Profile, plane: &Plane, labels: &mut [ModuleLabel], is_open: impl Fn(usize) -> bool) {
    let is_unknown = |index: u32| !labels[index as usize].is_known() && is_open(index as usize);
    let mut places: FxHashMap<(Option<ProgramId>, &str), u32> = FxHashMap::default();
    places.reserve(plane.ops.len());
    for (index, op) in (0..).zip(&plane.ops) {
        places.entry((op.stats.program, profile.text(op.name))).or_insert(index);
    }
    let mut edges = Vec::new();
    for (reader, op) in (0..).zip(&plane.ops) {
        for name in operand_names(profile.text(op.text)) {
            let Some(operand) = places.get(&(op.stats.program, name)) else { continue };
            if is_unknown(reader) || is_unknown(*operand) {
                edges.push((reader, *operand));
            }
        }
    }
    let known =
        |(origin, label): (u32, &ModuleLabel)| label.is_known().then_some(NamedNode { module: label.module, origin });
    let mut nodes: Vec<Option<NamedNode>> = (0..).zip(&*labels).map(known).collect();
    spread(&mut nodes, &edges, is_open);
    for (label, node) in labels.iter_mut().zip(nodes) {
        if let Some(node) = node.filter(|_| !label.is_known()) {
            *label = ModuleLabel::new(node.module, Certainty::Guess);
        }
    }
}
