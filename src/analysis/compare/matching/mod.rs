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

use program_ops::ProgramOps;

/// Matches the ops of two sides. Every op of both sides is in exactly one match. The matches with ops of `a` come
/// first, in the order of their first op; then those with ops of `b` only. If the sides are swapped, the matches are
/// the same, with `a` and `b` swapped.
pub fn match_ops(a: &Side<'_>, b: &Side<'_>) -> Vec<OpMatch> {
    let (programs_a, programs_b) = (program_pairs::programs(a), program_pairs::programs(b));
    let mut matches: Vec<OpMatch> = Vec::new();
    for (a_program, b_program) in program_pairs::pairs(&programs_a, &programs_b) {
        let modules = a_program.module.zip(b_program.module);
        let a_ops = ProgramOps::new(a, &a_program.ops, modules.map(|(a, _)| a));
        let b_ops = ProgramOps::new(b, &b_program.ops, modules.map(|(_, b)| b));
        matches.extend(cells::match_program(&a_ops, &b_ops));
    }
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
    matches
}
