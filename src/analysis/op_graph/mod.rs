//! An op's neighbourhood as a graph: two hops up its operands, two hops down its users, and what is inside those that
//! are opened.
//!
//! ```text
//!  program ──► hops: who is near, what is left out ──┐
//!     └──────► bodies: what is inside opened ones ───┼──► OpGraph
//!              edges: what flows between all these ──┘
//!  events' texts ──► one hop (where no program is) ──┘
//! ```
//!
//! Knows programs and events; knows nothing of where a node is drawn.

mod report;

pub use report::{GraphEdge, GraphNode, NodeBody, NodeRole, OpGraph};

use super::breakdown::Analysis;
use super::op_detail::FoundOp;
use crate::hlo::Module;
use crate::profile::{Note, Profile, ProgramId};

impl Analysis {
    /// The neighbourhood of an op, with those of `open` (names) opened that are in it. `None` where neither events nor the
    /// program have such an op.
    pub fn op_graph(
        &self,
        _profile: &Profile,
        _found: &FoundOp,
        _program: Option<(&Module, Option<ProgramId>)>,
        _open: &[String],
        _notes: Vec<Note>,
    ) -> Option<OpGraph> {
        None
    }
}
