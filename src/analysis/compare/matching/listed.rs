//! This module matches ops of which only a row of a report is known: a name, a program, a type and perhaps a scope path and
//! shapes, but no HLO.
//!
//! Rows are not in the order in which ops run. They are therefore taken in the order of the numbers in their names, which XLA gives
//! in the order of a program.

use super::cells::{KeyedOps, match_program};
use super::digest::digest;
use super::op_names::{layer_digest, name_without_numbers, scope_digest};
use super::tier::{OpMatch, Tier};
use crate::analysis::breakdown::Group;
use crate::analysis::classify::Kind;
use indexmap::IndexMap;

/// An op of a report.
pub struct ListedOp<'a> {
    pub name: &'a str,
    /// Name of its program without id. `None` if it is unknown.
    pub program: Option<&'a str>,
    pub kind: Kind,
    /// Digest of the scope path. `None` if it is unknown.
    pub scope: Option<u64>,
    /// Digest of the scope path without loops and numbers of layers. `None` if it is unknown.
    pub layers: Option<u64>,
    /// Digest of the innermost source file in the user's own code. `None` if it is unknown.
    pub source: Option<u64>,
    /// Digest of the type of the instruction.
    pub signature: u64,
    /// Digest of the type of the instruction, with shapes or, if they are unknown, with costs.
    pub with_shapes: u64,
    /// Time in ps and number of executions per step.
    pub time: (u64, u64),
    /// Whether this is the sum of the ops of a kind that the report leaves out.
    pub is_left_out: bool,
}

/// What both sides of a comparison know of their ops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// Scope paths and shapes.
    pub details: bool,
    pub programs: bool,
    pub sources: bool,
}

impl<'a> ListedOp<'a> {
    /// Returns the op of a row of the breakdown by op, which has the times of one step. Only what both sides know is used.
    pub fn new(row: &'a Group, known: Known) -> Self {
        let details = Some(row).filter(|_| known.details);
        let part = details.and_then(|row| Some(&*row.parts.first()?.signature));
        let signature = digest((row.kind, row.main_category(), part));
        let costs = [row.flops, row.bytes_accessed].map(|cost| cost.map(f64::to_bits));
        let with_shapes = match details {
            Some(row) => digest((signature, &row.dtypes, &row.shapes)),
            None => digest((signature, &row.dtypes, costs)),
        };
        let source = row.source_inner.as_deref().filter(|_| known.sources);
        Self {
            name: &row.key,
            program: row.program.as_deref().filter(|_| known.programs),
            kind: row.kind,
            scope: details.and_then(|row| scope_digest(row.tf_op.as_deref()?)),
            layers: details.and_then(|row| layer_digest(row.tf_op.as_deref()?)),
            // A line moves when its file is edited.
            source: source.map(|frame| digest(frame.rsplit_once(':').map_or(frame, |(file, _)| file))),
            signature,
            with_shapes,
            time: (row.total.0, row.n_executions.as_f64().round() as u64),
            is_left_out: false,
        }
    }

    /// Returns the sum of the ops of a kind that a report leaves out.
    pub fn left_out(name: &'a str, kind: Kind, time: u64) -> Self {
        Self {
            name,
            program: None,
            kind,
            scope: None,
            layers: None,
            source: None,
            signature: 0,
            with_shapes: 0,
            time: (time, 1),
            is_left_out: true,
        }
    }
}

/// Ops of one side, in the order of their names.
struct Listed<'s, 'a> {
    ops: &'s [ListedOp<'a>],
    order: Vec<usize>,
}

impl<'a> Listed<'_, 'a> {
    fn op(&self, op: u32) -> &ListedOp<'a> {
        &self.ops[self.order[op as usize]]
    }
}

impl KeyedOps for Listed<'_, '_> {
    fn len(&self) -> usize {
        self.order.len()
    }

    fn index(&self, op: u32) -> usize {
        self.order[op as usize]
    }

    fn time(&self, op: u32) -> (u64, u64) {
        self.op(op).time
    }

    fn label(&self, op: u32) -> u64 {
        let op_keys = self.op(op);
        digest((op_keys.program, op_keys.scope, op_keys.with_shapes))
    }

    fn key(&self, tier: Tier, op: u32) -> Option<u64> {
        let op_keys = self.op(op);
        let key = match tier {
            Tier::ScopeAndShape => digest((op_keys.scope?, op_keys.with_shapes)),
            Tier::Scope => digest((op_keys.scope?, op_keys.signature)),
            Tier::Source => digest((op_keys.source?, op_keys.with_shapes)),
            Tier::Name => digest((name_without_numbers(op_keys.name), op_keys.with_shapes)),
            Tier::ScopeGroup => op_keys.scope?,
            Tier::LayerGroup => op_keys.layers?,
            Tier::ByHand | Tier::Exact | Tier::Neighbours | Tier::LeftOut => return None,
        };
        Some(digest((op_keys.program, key)))
    }

    fn fingerprint(&self) -> Option<u64> {
        None
    }
}

/// Matches the ops of two reports. Every op of both sides is in exactly one match. The matches with ops of `a` come first, in the
/// order of their first op; then those with ops of `b` only. If the sides are swapped, the matches are the same, with `a` and `b`
/// swapped.
pub fn match_listed(a: &[ListedOp<'_>], b: &[ListedOp<'_>]) -> Vec<OpMatch> {
    let mut matches = match_names(a, b);
    let [left_a, left_b] = left(&matches, a.len(), b.len());
    let is_listed = |ops: &[ListedOp<'_>], op: &usize| !ops[*op].is_left_out;
    let in_a = in_order(a, left_a.into_iter().filter(|op| is_listed(a, op)).collect());
    let in_b = in_order(b, left_b.into_iter().filter(|op| is_listed(b, op)).collect());
    matches.extend(match_program(&Listed { ops: a, order: in_a }, &Listed { ops: b, order: in_b }));
    let [left_a, left_b] = left(&matches, a.len(), b.len());
    matches.extend(match_left_out((a, left_a), (b, left_b)));
    for op_match in &mut matches {
        op_match.a.sort_unstable();
        op_match.b.sort_unstable();
    }
    let [rest_a, rest_b] = left(&matches, a.len(), b.len());
    let only = |a: Vec<usize>, b: Vec<usize>| OpMatch { a, b, tier: None, is_ambiguous: false };
    matches.extend(rest_a.into_iter().map(|op| only(vec![op], Vec::new())));
    matches.extend(rest_b.into_iter().map(|op| only(Vec::new(), vec![op])));
    matches.sort_unstable_by_key(|op_match| {
        (op_match.a.first().copied().unwrap_or(usize::MAX), op_match.b.first().copied())
    });
    matches
}

/// Matches the ops whose name, program, scope path, type and shapes are the same, and which no other op shares.
fn match_names(a: &[ListedOp<'_>], b: &[ListedOp<'_>]) -> Vec<OpMatch> {
    let mut cells: IndexMap<u64, (Vec<usize>, Vec<usize>)> = IndexMap::default();
    let key = |op: &ListedOp<'_>| digest((op.name, op.program, op.scope, op.with_shapes));
    let listed = |ops: &'_ [ListedOp<'_>]| -> Vec<(usize, u64)> {
        ops.iter().enumerate().filter(|(_, op)| !op.is_left_out).map(|(index, op)| (index, key(op))).collect()
    };
    listed(a).into_iter().for_each(|(index, key)| cells.entry(key).or_default().0.push(index));
    listed(b).into_iter().for_each(|(index, key)| cells.entry(key).or_default().1.push(index));
    let pairs = cells.into_values().filter(|(a, b)| a.len() == 1 && b.len() == 1);
    pairs
        .map(|(of_a, of_b)| {
            let has_scope = of_a.iter().all(|index| a[*index].scope.is_some());
            let tier = if has_scope { Tier::ScopeAndShape } else { Tier::Name };
            OpMatch { a: of_a, b: of_b, tier: Some(tier), is_ambiguous: false }
        })
        .collect()
}

/// Returns the ops of both sides that are in no match, in order.
fn left(matches: &[OpMatch], n_a: usize, n_b: usize) -> [Vec<usize>; 2] {
    let mut is_matched = [vec![false; n_a], vec![false; n_b]];
    for op_match in matches {
        op_match.a.iter().for_each(|index| is_matched[0][*index] = true);
        op_match.b.iter().for_each(|index| is_matched[1][*index] = true);
    }
    is_matched.map(|is_matched| (0..is_matched.len()).filter(|index| !is_matched[*index]).collect())
}

/// Returns ops in the order of their programs and of the numbers in their names: `fusion.2` comes before `fusion.10`. Ops with the
/// same name stay in order.
fn in_order(ops: &[ListedOp<'_>], mut order: Vec<usize>) -> Vec<usize> {
    order.sort_by_cached_key(|index| {
        let op = &ops[*index];
        let numbers = op.name.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse::<u64>().ok());
        (op.program, name_without_numbers(op.name), numbers.collect::<Vec<u64>>(), op.name)
    });
    order
}

/// Matches what the reports leave out by kind. An op without a partner is matched with what the other side leaves out of its kind,
/// unless it takes longer than all of that together.
fn match_left_out(
    (a, left_a): (&[ListedOp<'_>], Vec<usize>),
    (b, left_b): (&[ListedOp<'_>], Vec<usize>),
) -> Vec<OpMatch> {
    let sum = |ops: &[ListedOp<'_>], kind: Kind| {
        let sum = ops.iter().find(|op| op.is_left_out && op.kind == kind);
        sum.map(|op| op.time.0)
    };
    let group = |ops: &[ListedOp<'_>], left: &[usize], kind: Kind, of_other: Option<u64>| -> Vec<usize> {
        let is_in = |index: &&usize| {
            let op = &ops[**index];
            op.kind == kind && (op.is_left_out || of_other.is_some_and(|sum| op.time.0 <= sum))
        };
        left.iter().filter(is_in).copied().collect()
    };
    let of_kind = |kind: Kind| OpMatch {
        a: group(a, &left_a, kind, sum(b, kind)),
        b: group(b, &left_b, kind, sum(a, kind)),
        tier: Some(Tier::LeftOut),
        is_ambiguous: false,
    };
    Kind::ALL.into_iter().map(of_kind).filter(|op_match| !op_match.a.is_empty() && !op_match.b.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn op(name: &str, scope: Option<u64>, time: u64) -> ListedOp<'_> {
        ListedOp {
            name,
            program: Some("jit_step"),
            kind: Kind::Compute,
            scope,
            layers: None,
            source: None,
            signature: 1,
            with_shapes: 2,
            time: (time, 1),
            is_left_out: false,
        }
    }

    fn left_out(time: u64) -> ListedOp<'static> {
        ListedOp { is_left_out: true, ..op("other", None, time) }
    }

    fn pairs(a: &[ListedOp<'_>], b: &[ListedOp<'_>]) -> Vec<(Vec<usize>, Vec<usize>, Option<Tier>)> {
        match_listed(a, b).into_iter().map(|op_match| (op_match.a, op_match.b, op_match.tier)).collect()
    }

    #[test]
    fn ops_with_other_numbers_are_paired_in_order() {
        let a = [op("fusion.10", Some(7), 5), op("fusion.2", Some(7), 9)];
        let b = [op("fusion.31", Some(7), 8), op("fusion.104", Some(7), 5)];
        let tier = Some(Tier::ScopeAndShape);
        assert_eq!(pairs(&a, &b), [(vec![0], vec![1], tier), (vec![1], vec![0], tier)]);
        // The same name comes first.
        let b = [op("fusion.31", Some(7), 8), op("fusion.2", Some(7), 5)];
        assert_eq!(pairs(&a, &b), [(vec![0], vec![0], tier), (vec![1], vec![1], tier)]);
        assert_eq!(pairs(&[op("dot.1", None, 1)], &[op("dot.2", None, 1)]), [(vec![0], vec![0], Some(Tier::Name))]);
    }

    #[test]
    fn ops_that_a_report_leaves_out_are_a_group() {
        // `new` is too long to be among the ops that A leaves out.
        let a = [op("dot.1", None, 9), left_out(3)];
        let b = [op("dot.1", None, 9), op("new", None, 4), op("short", None, 2), left_out(1)];
        let group = (vec![1], vec![2, 3], Some(Tier::LeftOut));
        assert_eq!(pairs(&a, &b), [(vec![0], vec![0], Some(Tier::Name)), group, (vec![], vec![1], None)]);
        let turned: Vec<_> = pairs(&b, &a).into_iter().filter(|op_match| op_match.2 == Some(Tier::LeftOut)).collect();
        assert_eq!(turned, [(vec![2, 3], vec![1], Some(Tier::LeftOut))]);
    }
}
