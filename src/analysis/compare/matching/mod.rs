//! This module matches the ops of two captures. XLA numbers instructions anew in every compilation, and source lines
//! move, so that neither a name nor a line identifies an op.
//!
//! ```text
//!  Side a ─► programs ─┐ pairs by name  ┌─ ProgramOps a ─┐
//!                      ├───────────────►│                ├─► cells of equal keys, tier by tier ─► OpMatch …
//!  Side b ─► programs ─┘                └─ ProgramOps b ─┘
//! ```
//!
//! The first tier holds if both programs are the same. Each further tier has a weaker key, and applies to the ops that
//! the tiers before it left. This module depends on HLO and on the facts of ops, and not on the meaning of times.

mod align;
mod cells;
mod dataflow;
mod digest;
mod fingerprint;
mod instruction_digests;
mod listed;
mod op_names;
mod program_ops;
mod program_pairs;
mod side;
mod tier;

pub use side::{Side, SideOp};
pub use tier::{OpMatch, Tier};

pub(super) use align::longest_chain;
pub(super) use digest::{Digest, digest};
pub use instruction_digests::Signature;
pub use listed::{Known, ListedOp, match_listed};
pub(super) use op_names::{name_without_numbers, scope_digest};

use cells::KeyedOps;
use indexmap::IndexMap;
use program_ops::ProgramOps;
use rustc_hash::FxHashSet;
use xla_profile::hlo::Module;
use xla_profile::profile::ProgramId;

/// The matches of the ops of two sides, with the pairs of their programs.
pub struct Matching<'a, 'b> {
    /// All ops of both sides, each in one match, in the order of [`match_ops`].
    pub matches: Vec<OpMatch>,
    pub programs: Vec<MatchedProgram<'a, 'b>>,
    /// Names of the programs of each side that have no partner, in the order in which they first run.
    pub unpaired: [Vec<String>; 2],
}

/// A program of both sides.
pub struct MatchedProgram<'a, 'b> {
    /// Name without id; empty if it is unknown.
    pub name: String,
    /// The HLO of both sides. `None` if that of a side is unknown.
    pub modules: Option<(&'a Module, &'b Module)>,
    /// Indices of its ops in [`Side::ops`] of both sides, in order.
    pub ops: (Vec<usize>, Vec<usize>),
    /// Whether both sides are the same apart from names, ids, sources and the order of independent instructions.
    pub is_same: bool,
}

/// The keys by which the op of one side is matched with those of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpKeys {
    /// Digest of the scope path. `None` if the op has none.
    pub scope: Option<u64>,
    pub signature: Signature,
    /// Number of the ops of its program with the same scope path and the same signature that first run before it.
    pub rank: u32,
}

/// A program of one side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramKeys {
    /// Id in the capture. `None` if ops do not name it.
    pub id: Option<ProgramId>,
    /// Digest that does not depend on names, ids and the order of independent instructions. `None` without HLO.
    pub fingerprint: Option<u64>,
    /// Indices of its ops in [`Side::ops`], each with its keys.
    pub ops: Vec<(usize, OpKeys)>,
}

/// Returns the keys of all ops of a side, by program.
pub fn op_keys(side: &Side<'_>) -> Vec<ProgramKeys> {
    let of_program = |program: program_pairs::Program<'_>| {
        let ops = ProgramOps::new(side, &program.ops, program.module);
        let mut ranks: IndexMap<(Option<u64>, u64), u32> = IndexMap::default();
        let keys = |op: u32| {
            let (scope, signature) = ops.facts(op);
            let next = ranks.entry((scope, signature.with_shapes)).or_default();
            let rank = *next;
            *next += 1;
            (ops.index(op), OpKeys { scope, signature, rank })
        };
        let fingerprint = program.module.map(|_| ops.fingerprint);
        let keys = (0..ops.len() as u32).map(keys).collect();
        ProgramKeys { id: program.id, fingerprint, ops: keys }
    };
    program_pairs::programs(side).into_iter().map(of_program).collect()
}

/// Matches the ops of two sides. Every op of both sides is in exactly one match. The matches with ops of `a` come
/// first, in the order of their first op; then those with ops of `b` only. If the sides are swapped, the matches are
/// the same, with `a` and `b` swapped.
pub fn match_ops(a: &Side<'_>, b: &Side<'_>) -> Vec<OpMatch> {
    match_sides(a, b).matches
}

/// Matches the programs and the ops of two sides; see [`match_ops`].
pub fn match_sides<'a, 'b>(a: &Side<'a>, b: &Side<'b>) -> Matching<'a, 'b> {
    let (programs_a, programs_b) = (program_pairs::programs(a), program_pairs::programs(b));
    let mut matches: Vec<OpMatch> = Vec::new();
    let mut programs = Vec::new();
    for (a_program, b_program) in program_pairs::pairs(&programs_a, &programs_b) {
        let modules = a_program.module.zip(b_program.module);
        let a_ops = ProgramOps::new(a, &a_program.ops, modules.map(|(a, _)| a));
        let b_ops = ProgramOps::new(b, &b_program.ops, modules.map(|(_, b)| b));
        matches.extend(cells::match_program(&a_ops, &b_ops));
        programs.push(MatchedProgram {
            name: a_program.name.to_owned(),
            modules,
            ops: (a_program.ops.clone(), b_program.ops.clone()),
            is_same: a_ops.fingerprint == b_ops.fingerprint,
        });
    }
    let unpaired = |all: &[program_pairs::Program<'_>], ops: for<'p> fn(&'p MatchedProgram<'a, 'b>) -> &'p [usize]| {
        // Programs share no op, and each has at least one.
        let paired: FxHashSet<Option<&usize>> = programs.iter().map(|pair| ops(pair).first()).collect();
        let is_paired = |program: &program_pairs::Program<'_>| paired.contains(&program.ops.first());
        all.iter().filter(|program| !is_paired(program)).map(|program| program.name.to_owned()).collect()
    };
    let unpaired = [unpaired(&programs_a, |pair| &pair.ops.0), unpaired(&programs_b, |pair| &pair.ops.1)];
    let matched = |ops_of: fn(&OpMatch) -> &[usize], n: usize| {
        let mut is_matched = vec![false; n];
        matches.iter().flat_map(ops_of).for_each(|op| is_matched[*op] = true);
        is_matched
    };
    let is_matched = [matched(|m| &m.a, a.ops.len()), matched(|m| &m.b, b.ops.len())];
    let [rest_a, rest_b] = is_matched.map(|is_matched| (0..is_matched.len()).filter(move |op| !is_matched[*op]));
    matches.extend(rest_a.map(|op| OpMatch { a: vec![op], b: Vec::new(), tier: None, is_ambiguous: false }));
    matches.extend(rest_b.map(|op| OpMatch { a: Vec::new(), b: vec![op], tier: None, is_ambiguous: false }));
    matches.sort_unstable_by_key(|m| (m.a.first().copied().unwrap_or(usize::MAX), m.b.first().copied()));
    Matching { matches, programs, unpaired }
}
