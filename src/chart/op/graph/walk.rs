//! This module moves the selection from node to node with the arrow keys. It does not depend on key events.

use super::Drawing;
pub use crate::chart::plot::hit_test::Direction;

/// Returns the nearest node in a direction, or the node before or after `from` in the order of the graph. Without a
/// valid `from`, returns the centre.
pub fn next(drawing: &Drawing, from: Option<u32>, to: Direction) -> Option<u32> {
    let nodes = &drawing.nodes;
    let Some(index) = from.and_then(|from| nodes.iter().position(|node| node.id == from)) else {
        return nodes.iter().find(|node| node.is_centre).or(nodes.first()).map(|node| node.id);
    };
    match to {
        Direction::Next => return nodes.get(index + 1).map(|node| node.id),
        Direction::Prev => return nodes.get(index.checked_sub(1)?).map(|node| node.id),
        _ => {}
    }
    let here = nodes[index].rect;
    let mut best: Option<(f64, u32)> = None;
    for node in nodes.iter().filter(|node| node.id != nodes[index].id) {
        let ((x, y), (cx, cy)) = (node.rect.centre(), here.centre());
        let (across, down) = (x - cx, y - cy);
        // Nodes whose vertical extents overlap are in one row: left and right move within a row, up and down move
        // between rows.
        let aside = node.rect.y < here.y + here.height && here.y < node.rect.y + node.rect.height;
        let cost = match to {
            Direction::Left if across < 0.0 => down.abs() * 4.0 - across,
            Direction::Right if across > 0.0 => down.abs() * 4.0 + across,
            Direction::Up if down < 0.0 && !aside => across.abs() - down * 4.0,
            Direction::Down if down > 0.0 && !aside => across.abs() + down * 4.0,
            _ => continue,
        };
        if matches!(to, Direction::Left | Direction::Right) && !aside {
            continue;
        }
        if best.is_none_or(|(least, _)| cost < least) {
            best = Some((cost, node.id));
        }
    }
    best.map(|(_, id)| id)
}
