//! This module identifies the nodes of a graph by what they depend on and by what depends on them, without their names
//! and without their order.

use super::digest::digest;

/// A node of a graph of values.
pub(super) struct Node {
    /// The digest of what the node itself is.
    pub(super) digest: u64,
    /// Indices of the nodes whose values it takes, in order. `None` for a value that is not in the graph.
    pub(super) operands: Vec<Option<u32>>,
}

/// Returns a digest of each node together with all nodes on which it depends, and all that depend on it. Nodes come
/// after their operands; an operand that comes later counts as one that is not in the graph. Two nodes with the same
/// digest can be exchanged, apart from values that two nodes share.
pub(super) fn dataflow_digests(nodes: &[Node]) -> Vec<u64> {
    let mut below: Vec<u64> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let operands = node.operands.iter().map(|operand| below.get((*operand)? as usize).copied());
        below.push(digest((node.digest, operands.collect::<Vec<Option<u64>>>())));
    }
    // A sum does not depend on the order of the users.
    let mut above = vec![0_u64; nodes.len()];
    for (user, node) in nodes.iter().enumerate().rev() {
        for (number, operand) in node.operands.iter().enumerate() {
            let Some(operand) = operand.map(|operand| operand as usize).filter(|operand| *operand < user) else {
                continue;
            };
            above[operand] = above[operand].wrapping_add(digest((above[user], below[user], number)));
        }
    }
    below.into_iter().zip(above).map(digest).collect()
}

/// Returns a digest of values that does not depend on their order.
pub(super) fn unordered_digest(digests: &[u64]) -> u64 {
    digest((digests.len(), digests.iter().fold(0_u64, |sum, value| sum.wrapping_add(*value))))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Builds a graph from the digests and the operands of its nodes.
    fn digests(nodes: &[(u64, &[u32])]) -> Vec<u64> {
        let node = |(digest, operands): &(u64, &[u32])| Node {
            digest: *digest,
            operands: operands.iter().map(|operand| Some(*operand)).collect(),
        };
        dataflow_digests(&nodes.iter().map(node).collect::<Vec<Node>>())
    }

    #[test]
    fn the_order_does_not_count() {
        let one = digests(&[(1, &[]), (2, &[]), (3, &[0]), (4, &[1, 2])]);
        let other = digests(&[(2, &[]), (1, &[]), (3, &[1]), (4, &[0, 2])]);
        assert_eq!([one[1], one[0], one[2], one[3]], other[..]);
        assert_eq!(unordered_digest(&one), unordered_digest(&other));
    }

    #[test]
    fn users_and_operands_count() {
        let twins = digests(&[(1, &[]), (1, &[]), (3, &[0]), (4, &[1])]);
        assert_ne!(twins[0], twins[1], "their users differ");
        assert_ne!(
            unordered_digest(&digests(&[(1, &[]), (2, &[]), (3, &[0, 1])])),
            unordered_digest(&digests(&[(1, &[]), (2, &[]), (3, &[1, 0])]))
        );
        let exchangeable = digests(&[(1, &[]), (2, &[0]), (2, &[0])]);
        assert_eq!(exchangeable[1], exchangeable[2]);
    }

    #[test]
    fn operands_that_are_not_there() {
        assert_eq!(digests(&[(1, &[7]), (2, &[1])]).len(), 2);
    }
}
