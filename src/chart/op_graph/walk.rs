//! From node to node with the arrow keys. Knows places; no key.

use super::Drawing;

/// Where an arrow key leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To operands.
    Up,
    /// To users.
    Down,
    /// To what stands to the left.
    Left,
    /// To what stands to the right.
    Right,
}

/// The node (or the head of a box) that is nearest in a direction; the centre from nowhere.
pub fn next(_drawing: &Drawing, _from: Option<u32>, _to: Direction) -> Option<u32> {
    None
}
