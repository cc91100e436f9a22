//! This module collects the nodes of a graph: the centre, the instructions near it, the bodies of opened instructions,
//! and one node for each place where instructions are left out. It depends on HLO, and not on times.

use super::hops::Dependencies;
use super::report::{GraphNode, NodeBody, NodeRole};
use super::{bodies, short};
use crate::analysis::base::instruction_ref::InstructionRef;
use crate::analysis::op::shape_text::shape;
use indexmap::IndexMap;
use xla_profile::hlo::{InstructionId, Module};

/// The nodes of a graph while they are collected.
pub(crate) struct GraphBuilder<'a> {
    pub(crate) module: &'a Module,
    tpu: bool,
    open: &'a [String],
    near: Dependencies<'a>,
    pub(crate) nodes: Vec<GraphNode>,
    /// The instruction of each node. `None` for a node that stands for omitted instructions.
    pub(crate) ids: Vec<Option<InstructionId>>,
    node_by_id: IndexMap<InstructionId, u32>,
    /// For each omitted instruction, the node that stands for it.
    left: IndexMap<InstructionId, u32>,
    /// Names of opened instructions whose body is drawn in another node, because both call the same computation.
    pub(crate) shared: Vec<String>,
}

impl<'a> GraphBuilder<'a> {
    /// Collects all nodes around an instruction. If there are too many, those with the largest `weight` are kept.
    /// `None` without a program.
    pub(crate) fn new(
        inst: InstructionRef<'a>,
        open: &'a [String],
        weight: &dyn Fn(InstructionId) -> u64,
    ) -> Option<Self> {
        let (module, centre) = inst.module?;
        let near = Dependencies::new(module, inst.instruction.computation);
        let (up, down) = (near.side(centre, true, weight), near.side(centre, false, weight));
        let mut build = Self {
            module,
            tpu: inst.tpu,
            open,
            near,
            nodes: Vec::new(),
            ids: Vec::new(),
            node_by_id: IndexMap::default(),
            left: IndexMap::default(),
            shared: Vec::new(),
        };
        let [up1, up2] = &up;
        let [down1, down2] = &down;
        for (hop, ids) in [(-2, &up2.shown), (-1, &up1.shown), (0, &vec![centre]), (1, &down1.shown), (2, &down2.shown)]
        {
            ids.iter().for_each(|id| build.add(*id, hop, None));
        }
        for (hop, ids, what) in [
            (-2, &up2.left, "operands"),
            (-1, &up1.left, "operands"),
            (1, &down1.left, "users"),
            (2, &down2.left, "users"),
        ] {
            build.leave(ids, hop, None, what);
        }
        // Bodies are appended at the end, and the instructions in them may be opened in turn.
        let mut next = 0;
        while next < build.nodes.len() {
            build.expand_body(next as u32);
            next += 1;
        }
        Some(build)
    }

    /// Returns the node of an instruction. `None` if the instruction is not drawn.
    pub(crate) fn node_at(&self, id: InstructionId) -> Option<u32> {
        self.node_by_id.get(&id).copied()
    }

    /// Returns the node that stands for an omitted instruction of a body.
    pub(crate) fn left_in(&self, id: InstructionId) -> Option<u32> {
        self.left.get(&id).copied().filter(|more| self.nodes[*more as usize].parent.is_some())
    }

    /// Returns the node that stands for an omitted operand of `to`, if that node is drawn as an operand: one hop above
    /// `to`, or in the same body. Nodes of omitted operands have no operands themselves, so the graph has no cycles.
    pub(crate) fn left_before(&self, id: InstructionId, to: u32) -> Option<u32> {
        let (more, to) = (*self.left.get(&id)?, &self.nodes[to as usize]);
        let node = &self.nodes[more as usize];
        let fits = match node.parent {
            Some(_) => node.parent == to.parent,
            None => to.parent.is_none() && node.hop < 0 && node.hop + 1 == to.hop,
        };
        fits.then_some(more)
    }

    /// Returns the node that stands for omitted users, one hop below `from`, and whether only a control edge leads to
    /// it.
    pub(crate) fn left_after(&self, id: InstructionId, from: u32) -> Option<(u32, bool)> {
        let node = &self.nodes[from as usize];
        if node.parent.is_some() || !(0..2).contains(&node.hop) {
            return None;
        }
        let more = |id: &InstructionId| {
            self.left.get(id).copied().filter(|more| {
                let more = &self.nodes[*more as usize];
                more.parent.is_none() && more.hop == node.hop + 1
            })
        };
        let users = self.module.users(id);
        let flows = users.iter().find_map(more).map(|more| (more, false));
        flows.or_else(|| self.near.hop(id, false).iter().find_map(more).map(|more| (more, true)))
    }

    fn add(&mut self, id: InstructionId, hop: i8, parent: Option<u32>) {
        let Some(inst) = InstructionRef::within(self.module, id, self.tpu) else { return };
        if self.node_by_id.contains_key(&id) {
            return;
        }
        self.node_by_id.entry(id).or_insert(self.nodes.len() as u32);
        self.ids.push(Some(id));
        let instruction = inst.instruction;
        let inside = bodies::size(self.module, &bodies::inside(instruction));
        self.nodes.push(GraphNode {
            name: instruction.name.to_string(),
            opcode: Some(instruction.opcode.to_string()),
            words: short::describe(inst),
            shape: shape(&instruction.shape),
            body: (inside > 0).then_some(NodeBody { opened: false, instructions: inside as u32 }),
            hop,
            parent,
            ..empty_node()
        });
    }

    /// Adds one node for all instructions that are left out in a place.
    fn leave(&mut self, ids: &[InstructionId], hop: i8, parent: Option<u32>, what: &str) {
        if ids.is_empty() {
            return;
        }
        let node = self.nodes.len() as u32;
        for id in ids {
            *self.left.entry(*id).or_insert_with(|| node) = node;
        }
        self.ids.push(None);
        self.nodes.push(GraphNode { hop, parent, ..more_node(ids.len(), what) });
    }

    /// Adds the body of a node, if the node is to be opened.
    fn expand_body(&mut self, node: u32) {
        let graph_node = &self.nodes[node as usize];
        let Some(body) = graph_node.body.filter(|_| self.open.contains(&graph_node.name)) else { return };
        let Some(instruction) = self.ids[node as usize].and_then(|id| self.module.instruction(id)) else { return };
        let inside = bodies::inside(instruction);
        let (shown, left) = bodies::visible(self.module, &inside);
        if shown.iter().any(|id| self.node_by_id.contains_key(id)) {
            self.shared.push(instruction.name.to_string());
            return;
        }
        let hop = self.nodes[node as usize].hop;
        self.nodes[node as usize].body = Some(NodeBody { opened: true, ..body });
        shown.into_iter().for_each(|id| self.add(id, hop, Some(node)));
        self.leave(&left, hop, Some(node), "instructions");
    }
}

pub(crate) const fn empty_node() -> GraphNode {
    GraphNode {
        role: NodeRole::Instruction,
        name: String::new(),
        opcode: None,
        words: String::new(),
        shape: String::new(),
        kind: None,
        total: None,
        n: None,
        hop: 0,
        body: None,
        parent: None,
    }
}

/// Returns a node that stands for omitted instructions: "12 more users".
pub(crate) fn more_node(n: usize, what: &str) -> GraphNode {
    let what = if n == 1 { what.trim_end_matches('s') } else { what };
    let words = [&n.to_string(), "more", what].join(" ");
    GraphNode { role: NodeRole::More(n as u32), words, ..empty_node() }
}
