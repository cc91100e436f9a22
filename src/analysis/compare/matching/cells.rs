//! This module matches the ops of a pair of programs, tier by tier.
//!
//! The ops with the same key in a tier form a cell. Ops of a cell with as many ops on both sides are paired by rank.
//! Otherwise they are aligned by what runs beside them, and the rest is left to the next tier.

use super::align::{Context, align, gaps};
use super::tier::{OpMatch, Tier};
use indexmap::IndexMap;

/// Ops of both sides with the same key, in the order in which they first run.
type Cell = (Vec<u32>, Vec<u32>);

/// Ops in order, with the keys by which they are matched.
pub(super) trait KeyedOps {
    /// Returns the number of ops.
    fn len(&self) -> usize;

    /// Returns the index of an op in the ops of its side.
    fn index(&self, op: u32) -> usize;

    /// Returns the time in ps of an op and its number of executions.
    fn time(&self, op: u32) -> (u64, u64);

    /// Returns the digest of what an op is, by which neighbours are compared.
    fn label(&self, op: u32) -> u64;

    /// Returns the key of an op in a tier. `None` if the op has no such key.
    fn key(&self, tier: Tier, op: u32) -> Option<u64>;

    /// Returns the digest of the program without names. Two programs with the same digest are the same program. `None` if it is
    /// unknown.
    fn fingerprint(&self) -> Option<u64>;
}

/// Matches the ops of a pair of programs. Ops without a partner are in no match.
pub(super) fn match_program(a: &impl KeyedOps, b: &impl KeyedOps) -> Vec<OpMatch> {
    let mut matches = Vec::new();
    let mut left: Cell = ((0..a.len() as u32).collect(), (0..b.len() as u32).collect());
    let contexts = [contexts(a), contexts(b)];
    for tier in Tier::ALL {
        if left.0.is_empty() || left.1.is_empty() {
            break;
        }
        if tier == Tier::Exact && (a.fingerprint().is_none() || a.fingerprint() != b.fingerprint()) {
            continue;
        }
        let mut cells: IndexMap<u64, Cell> = IndexMap::default();
        for op in &left.0 {
            a.key(tier, *op).into_iter().for_each(|key| cells.entry(key).or_default().0.push(*op));
        }
        for op in &left.1 {
            b.key(tier, *op).into_iter().for_each(|key| cells.entry(key).or_default().1.push(*op));
        }
        let mut is_matched = [vec![false; a.len()], vec![false; b.len()]];
        for (ops_a, ops_b) in cells.into_values().filter(|(a, b)| !a.is_empty() && !b.is_empty()) {
            for (ops_a, ops_b, is_ambiguous) in match_cell(tier, (a, ops_a), (b, ops_b), &contexts) {
                ops_a.iter().for_each(|op| is_matched[0][*op as usize] = true);
                ops_b.iter().for_each(|op| is_matched[1][*op as usize] = true);
                let ops_a = ops_a.into_iter().map(|op| a.index(op)).collect();
                let ops_b = ops_b.into_iter().map(|op| b.index(op)).collect();
                matches.push(OpMatch { a: ops_a, b: ops_b, tier: Some(tier), is_ambiguous });
            }
        }
        left.0.retain(|op| !is_matched[0][*op as usize]);
        left.1.retain(|op| !is_matched[1][*op as usize]);
    }
    matches
}

/// Returns what runs beside each op.
fn contexts(program: &impl KeyedOps) -> Vec<Context> {
    let labels: Vec<u64> = (0..program.len() as u32).map(|op| program.label(op)).collect();
    // No label stands for the end of the program. Labels are digests, and hardly ever 0.
    let label = |op: Option<usize>| op.and_then(|op| labels.get(op)).copied().unwrap_or_default();
    (0..labels.len()).map(|op| [label(op.checked_sub(1)), label(Some(op + 1))]).collect()
}

/// Matches the ops of a cell. Returns the ops of each match, and whether the match is ambiguous.
fn match_cell(
    tier: Tier,
    (a, ops_a): (&impl KeyedOps, Vec<u32>),
    (b, ops_b): (&impl KeyedOps, Vec<u32>),
    contexts: &[Vec<Context>; 2],
) -> Vec<(Vec<u32>, Vec<u32>, bool)> {
    let is_uneven = ops_a.len() != ops_b.len();
    if matches!(tier, Tier::ScopeGroup | Tier::LayerGroup) {
        return vec![(ops_a, ops_b, is_uneven)];
    }
    if !is_uneven {
        let several = ops_a.len() > 1 && tier != Tier::Exact;
        let pairs = ops_a.into_iter().zip(ops_b);
        return pairs
            .map(|(of_a, of_b)| (vec![of_a], vec![of_b], several && differ(a.time(of_a), b.time(of_b))))
            .collect();
    }
    let contexts_of =
        |contexts: &[Context], ops: &[u32]| ops.iter().map(|op| contexts[*op as usize]).collect::<Vec<Context>>();
    let mut pairs = align(&contexts_of(&contexts[0], &ops_a), &contexts_of(&contexts[1], &ops_b));
    if tier <= Tier::ScopeAndShape {
        // Ops with the same scope and the same shapes do the same work, so that any pairing in order is a good one.
        let spans = gaps(&pairs, ops_a.len(), ops_b.len());
        pairs.extend(spans.into_iter().flat_map(|((a, a_end), (b, b_end))| (a..a_end).zip(b..b_end)));
        pairs.sort_unstable();
    }
    pairs.into_iter().map(|(at_a, at_b)| (vec![ops_a[at_a]], vec![ops_b[at_b]], true)).collect()
}

/// Returns whether two mean times differ by more than a factor of two. Each is a sum in ps, with its number of
/// executions.
fn differ((time_a, n_a): (u64, u64), (time_b, n_b): (u64, u64)) -> bool {
    let (a, b) = (u128::from(time_a) * u128::from(n_b), u128::from(time_b) * u128::from(n_a));
    a.min(b).saturating_mul(2) < a.max(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_differ_by_more_than_two() {
        assert!(!differ((10, 1), (20, 1)) && differ((10, 1), (21, 1)) && differ((42, 2), (10, 1)));
        assert!(!differ((0, 0), (5, 1)) && !differ((u64::MAX, 1), (u64::MAX, 1)));
    }
}
