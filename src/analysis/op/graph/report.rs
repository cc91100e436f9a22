//! This module holds the report of an op's neighbourhood: nodes and edges. It does not depend on the analysis or on the
//! drawing.

use crate::analysis::base::Query;
use crate::analysis::classify::Kind;
use crate::analysis::op::report::OpBasis;
use serde::{Deserialize, Serialize};
use xla_profile::profile::Note;
use xla_profile::units::{Count, Picos};

/// The neighbourhood of an op: operands and users, two hops each way, and the bodies of opened instructions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpGraph {
    /// Device and step. The grouping and the filter are ignored.
    pub query: Query,
    pub program: Option<String>,
    pub program_id: Option<u64>,
    /// The device of the times: `TPU:0`, or "8 devices" for a sum.
    pub device: Option<String>,
    /// Index of the node of the requested op.
    pub centre: u32,
    /// Instructions, each once, and nodes that stand for omitted instructions. A node follows the node whose body it is
    /// in.
    pub nodes: Vec<GraphNode>,
    /// Data and control edges, at most one of each sort per pair of nodes. Edges to an opened node lead to the
    /// parameters of its body, and edges from it start at the root of its body.
    pub edges: Vec<GraphEdge>,
    /// The source of the HLO. Without a program, the graph has one hop, from the texts of events.
    pub basis: OpBasis,
    /// Assumptions, and reasons for absent values.
    pub notes: Vec<Note>,
}

/// An instruction of the neighbourhood, or a node that stands for omitted instructions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GraphNode {
    pub role: NodeRole,
    /// Name of the instruction, without `%`. Empty for omitted instructions.
    pub name: String,
    /// The opcode in HLO. `None` if only the name is known.
    pub opcode: Option<String>,
    /// The operation in a few words: "matmul with bias", "wait for copy", "12 more users".
    pub words: String,
    /// Shape of the result, without layout. Empty if unknown.
    pub shape: String,
    /// `None` if the op has no time of its own.
    pub kind: Option<Kind>,
    /// Self time in the window. `None` if the op has no time there.
    pub total: Option<Picos>,
    /// Executions that start in the window. `None` if the op has no time there.
    pub n: Option<Count>,
    /// Distance from the centre: operands −1 and −2, users 1 and 2. An instruction in an opened body has the distance
    /// of its node.
    pub hop: i8,
    /// The body of the node, if it can be opened.
    pub body: Option<NodeBody>,
    /// The opened node whose body contains this node.
    pub parent: Option<u32>,
}

/// The meaning of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NodeRole {
    Instruction,
    /// This number of omitted instructions.
    More(u32),
}

/// The body of a fusion, a call, a loop, a branch or an async start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeBody {
    /// Whether the instructions of the body are among the nodes.
    pub opened: bool,
    /// Number of instructions in all computations of the body.
    pub instructions: u32,
}

/// Data that flows from one node to another, or a control dependency.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphEdge {
    /// Index of the node at which the edge starts.
    pub from: u32,
    /// Index of the node at which the edge ends.
    pub to: u32,
    /// Indices of the operands of `to` that the edge carries. For an edge into an opened body, they are those of the
    /// opened node. Empty for a control edge, and if one of the nodes stands for omitted instructions.
    pub operands: Vec<u32>,
    /// Shape of the data, without layout. Empty if unknown.
    pub shape: String,
    /// Bytes of the data without padding. `None` if unknown.
    pub bytes: Option<u64>,
    /// Whether the edge is a control dependency, with no data.
    pub control: bool,
}

impl GraphNode {
    /// Whether the node is an instruction and not a place holder for omitted ones.
    pub const fn is_instruction(&self) -> bool {
        matches!(self.role, NodeRole::Instruction)
    }

    /// Whether the body of the node is among the nodes.
    pub fn is_opened(&self) -> bool {
        self.body.is_some_and(|body| body.opened)
    }
}
