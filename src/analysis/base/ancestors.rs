//! This module finds an ancestor in a forest without a walk along the whole path, however deep the forest is.
//!
//! Each node has a second link, which skips a part of the path to its root. The parts double as the path gets longer, so
//! that a search takes Θ(log depth) steps.

/// A node: its parent, the ancestor that its second link leads to, and its depth. A root is its own parent.
#[derive(Clone, Copy)]
struct Node {
    parent: u32,
    skip: u32,
    depth: u32,
}

/// A forest whose nodes are numbered in the order in which they are added, each after its parent.
#[derive(Default)]
pub struct Forest(Vec<Node>);

impl Forest {
    /// Adds a node and returns its number. `None` stands for a root.
    pub fn push(&mut self, parent: Option<u32>) -> u32 {
        let node = self.0.len() as u32;
        self.0.push(match parent {
            None => Node { parent: node, skip: node, depth: 0 },
            Some(parent) => {
                let above = self.0[parent as usize];
                let skipped = self.0[above.skip as usize];
                // Two links of the same length become one of twice the length.
                let is_double = above.depth - skipped.depth == skipped.depth - self.0[skipped.skip as usize].depth;
                let skip = if is_double { skipped.skip } else { parent };
                Node { parent, skip, depth: above.depth + 1 }
            }
        });
        node
    }

    /// Returns the parent of a node; `None` for a root.
    #[cfg(test)]
    fn parent(&self, node: u32) -> Option<u32> {
        Some(self.0[node as usize].parent).filter(|parent| *parent != node)
    }

    /// Returns the nearest of a node and its ancestors for which `is_wanted` holds. If it holds for a node, it must hold for
    /// all ancestors of that node.
    pub fn nearest(&self, mut node: u32, is_wanted: impl Fn(u32) -> bool) -> Option<u32> {
        while !is_wanted(node) {
            let Node { parent, skip, .. } = self.0[node as usize];
            if parent == node {
                return None;
            }
            node = if is_wanted(skip) { parent } else { skip };
        }
        Some(node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn the_nearest_ancestor_is_that_of_a_walk_from_parent_to_parent() {
        let mut forest = Forest::default();
        let mut seed = 7_u32;
        for node in 0..500 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            forest.push((node > 0 && !seed.is_multiple_of(50)).then(|| seed / 7 % node));
        }
        for node in 0..500 {
            for limit in (0..500).step_by(7) {
                let mut walked = Some(node).filter(|node| *node > limit);
                while let Some(above) = walked.filter(|node| *node > limit) {
                    walked = forest.parent(above);
                }
                let expected = if node <= limit { Some(node) } else { walked };
                assert_eq!(forest.nearest(node, |node| node <= limit), expected, "{node} {limit}");
            }
        }
    }

    #[test]
    fn a_search_in_a_long_chain_takes_few_steps() {
        let mut forest = Forest::default();
        for node in 0..1 << 20 {
            forest.push(u32::checked_sub(node, 1));
        }
        for wanted in [0, 1, 77, 500_000, (1 << 20) - 1] {
            let steps = Cell::new(0);
            let is_wanted = |node: u32| {
                steps.set(steps.get() + 1);
                node <= wanted
            };
            assert_eq!(forest.nearest((1 << 20) - 1, is_wanted), Some(wanted));
            assert!(steps.get() < 150, "{} steps", steps.get());
        }
    }
}
