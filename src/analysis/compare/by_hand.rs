//! This module pairs ops as the user says, in place of the pairs that were found.

use super::input::Input;
use super::matching::{OpMatch, Tier};
use crate::table::page::row_key;
use serde::{Deserialize, Serialize};
use std::mem::take;

/// A pair of ops from the user. An op is given by its name, or by its name with the id of its program: `fusion.3@12`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpPair {
    /// The op of the baseline.
    pub a: String,
    /// The op of the experiment.
    pub b: String,
}

/// Pairs ops as the user says. Every op stays in exactly one match. An op in several pairs is matched with all its partners. The
/// former partner of an op is in one side only afterwards. Returns a sentence for each pair with an op that does not exist.
pub(super) fn pair_by_hand(matches: &mut Vec<OpMatch>, a: &Input<'_>, b: &Input<'_>, pairs: &[OpPair]) -> Vec<String> {
    let mut unknown = Vec::new();
    if pairs.is_empty() {
        return unknown;
    }
    for pair in pairs {
        match (find(a, &pair.a), find(b, &pair.b)) {
            (Some(op_a), Some(op_b)) => join(matches, op_a, op_b),
            (None, _) => unknown.push(format!("{} is not paired with {}: A has no such op.", pair.a, pair.b)),
            (_, None) => unknown.push(format!("{} is not paired with {}: B has no such op.", pair.a, pair.b)),
        }
    }
    let is_one_sided = |op_match: &OpMatch| op_match.a.is_empty() || op_match.b.is_empty();
    for op_match in matches.iter_mut().filter(|op_match| is_one_sided(op_match)).map(take).collect::<Vec<OpMatch>>() {
        matches.extend(op_match.a.into_iter().map(|op| OpMatch { a: vec![op], ..OpMatch::default() }));
        matches.extend(op_match.b.into_iter().map(|op| OpMatch { b: vec![op], ..OpMatch::default() }));
    }
    matches.retain(|op_match| !(op_match.a.is_empty() && op_match.b.is_empty()));
    matches.sort_unstable_by_key(|op_match| {
        (op_match.a.first().copied().unwrap_or(usize::MAX), op_match.b.first().copied())
    });
    unknown
}

/// Returns the index of the op that a user means: the one with this name and program, else the first one with this name.
fn find(side: &Input<'_>, text: &str) -> Option<usize> {
    let with_program = side.ops.iter().position(|op| row_key(&op.name, op.program_id) == text);
    with_program.or_else(|| side.ops.iter().position(|op| op.name == text))
}

/// Moves an op of each side into a match of their own, together with the partners that earlier pairs gave them.
fn join(matches: &mut Vec<OpMatch>, op_a: usize, op_b: usize) {
    let mut joined = OpMatch { a: vec![op_a], b: vec![op_b], tier: Some(Tier::ByHand), is_ambiguous: false };
    let is_earlier = |op_match: &&mut OpMatch| {
        op_match.tier == Some(Tier::ByHand) && (op_match.a.contains(&op_a) || op_match.b.contains(&op_b))
    };
    for earlier in matches.iter_mut().filter(is_earlier).map(take) {
        joined.a.extend(earlier.a);
        joined.b.extend(earlier.b);
    }
    for op_match in &mut *matches {
        op_match.a.retain(|op| *op != op_a);
        op_match.b.retain(|op| *op != op_b);
    }
    for ops in [&mut joined.a, &mut joined.b] {
        ops.sort_unstable();
        ops.dedup();
    }
    matches.push(joined);
}
