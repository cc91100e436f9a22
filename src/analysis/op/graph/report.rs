//! The report of an op's surroundings: nodes and what flows between them. This module knows nothing of how they were found, nor
//! of where they are drawn.

use crate::analysis::base::Query;
use crate::analysis::classify::Kind;
use crate::analysis::op::report::OpBasis;
use crate::profile::Note;
use crate::units::Picos;
use serde::{Deserialize, Serialize};

/// An op with those it takes from and those that take from it, two hops each way, and what is inside opened ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpGraph {
    /// What was asked: device and step. Grouping and filter play no part.
    pub query: Query,
    /// Its program's name.
    pub program: Option<String>,
    /// Its program's id.
    pub program_id: Option<u64>,
    /// The device that times are of: `TPU:0`, or "8 devices" for a sum.
    pub device: Option<String>,
    /// Which node was requested.
    pub centre: u32,
    /// Instructions, each once, and what stands for those left out. A node comes after the node it is in.
    pub nodes: Vec<GraphNode>,
    /// What flows between them, each pair once per kind of edge. Where a node is opened, edges lead to the parameters and
    /// from the root of its body.
    pub edges: Vec<GraphEdge>,
    /// Where the HLO came from. Without a program it is one hop, from events' texts.
    pub basis: OpBasis,
    /// What was assumed, or is absent and why.
    pub notes: Vec<Note>,
}

/// An instruction of the neighbourhood, or what stands for those left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GraphNode {
    /// What it stands for.
    pub role: NodeRole,
    /// The instruction's name, without `%`; empty for what is left out.
    pub name: String,
    /// What it does, as HLO spells it. `None` where only the name is known.
    pub opcode: Option<String>,
    /// What it is in a few words: "matmul with bias", "wait for copy", "12 more users".
    pub words: String,
    /// What it gives, without layout. Empty where it is not known.
    pub shape: String,
    /// Its kind; `None` where it has no time of its own.
    pub kind: Option<Kind>,
    /// Its self time in the window; `None` where it has none there.
    pub total: Option<Picos>,
    /// Executions that start in the window; `None` where it has no time there.
    pub n: Option<u64>,
    /// How far it is from the centre: operands −1 and −2, users 1 and 2. What is inside an opened node is as far as that.
    pub hop: i8,
    /// What it consists of, where it can be opened.
    pub body: Option<NodeBody>,
    /// The opened node it is in.
    pub parent: Option<u32>,
}

/// What a node stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NodeRole {
    /// An instruction.
    Instruction,
    /// This many instructions that are left out.
    More(u32),
}

/// What a fusion, call, loop, branch or asynchronous start consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeBody {
    /// Its instructions are among the nodes.
    pub opened: bool,
    /// How many it has, in all computations it calls.
    pub instructions: u32,
}

/// What flows from one node to another, or that one has to run first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphEdge {
    /// The node it comes from, by place.
    pub from: u32,
    /// The node it goes to, by place.
    pub to: u32,
    /// Which operands of `to` it is; empty for a control edge, and where either is what stands for others. Where it
    /// enters an opened node: which operands of that.
    pub operands: Vec<u32>,
    /// What flows, without layout. Empty where it is not known.
    pub shape: String,
    /// Its bytes without padding; `None` where they are not known.
    pub bytes: Option<u64>,
    /// Nothing flows: the one only has to run before the other.
    pub control: bool,
}

impl GraphNode {
    /// It is an instruction, not what stands for others.
    pub const fn is_instruction(&self) -> bool {
        matches!(self.role, NodeRole::Instruction)
    }

    /// Its instructions are among the nodes.
    pub fn is_opened(&self) -> bool {
        self.body.is_some_and(|body| body.opened)
    }
}
