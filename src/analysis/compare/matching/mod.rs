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
mod op_names;
mod program_ops;
mod program_pairs;
mod side;
mod tier;

pub use side::{Side, SideOp};
pub use tier::{OpMatch, Tier};

pub(super) use align::longest_chain;
pub(super) use digest::{Digest, digest};
pub(super) use instruction_digests::Signature;
pub(super) use op_names::scope_digest;

use crate::hlo::Module;
use program_ops::ProgramOps;

/// The matches of the ops of two sides, with the pairs of their programs.
pub struct Matching<'a, 'b> {
    /// As [`match_ops`] returns them.
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
        let is_paired = |program: &program_pairs::Program<'_>| programs.iter().any(|of| ops(of) == program.ops);
        all.iter().filter(|program| !is_paired(program)).map(|program| program.name.to_owned()).collect()
    };
    let unpaired = [unpaired(&programs_a, |of| &of.ops.0), unpaired(&programs_b, |of| &of.ops.1)];
    let matched = |of: fn(&OpMatch) -> &[usize], n: usize| {
        let mut is_matched = vec![false; n];
        matches.iter().flat_map(of).for_each(|op| is_matched[*op] = true);
        is_matched
    };
    let is_matched = [matched(|m| &m.a, a.ops.len()), matched(|m| &m.b, b.ops.len())];
    let [rest_a, rest_b] = is_matched.map(|is_matched| (0..is_matched.len()).filter(move |op| !is_matched[*op]));
    matches.extend(rest_a.map(|op| OpMatch { a: vec![op], b: Vec::new(), tier: None, is_ambiguous: false }));
    matches.extend(rest_b.map(|op| OpMatch { a: Vec::new(), b: vec![op], tier: None, is_ambiguous: false }));
    matches.sort_unstable_by_key(|m| (m.a.first().copied().unwrap_or(usize::MAX), m.b.first().copied()));
    Matching { matches, programs, unpaired }
}
