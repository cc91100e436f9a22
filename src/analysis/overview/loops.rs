//! This module checks loops: those that the compiler made of one operation, and the self time of all (rule F9).

use super::context::{Context, total};
use super::figures::Unit;
use super::report::{Confidence, Group, SeeView};
use super::rule::{Advice, Draft, LEAST, Outcome, Rule, Subject};
use super::rule_id::{FindingId, RuleId};
use crate::analysis::classify::opcode;
use crate::analysis::ledger::Owner;
use indexmap::IndexMap;
use rustc_hash::FxHashSet;
use xla_profile::profile::{Op, ProgramId, StrId};
use xla_profile::units::Picos;

/// The rules about loops, in the order in which they claim time.
pub(super) const RULES: [Rule; 2] = [
    Rule {
        id: RuleId::ExpandedLoop,
        group: Group::Time,
        name: "Loops of the compiler",
        title: "The compiler turned operations into loops",
        threshold: 0.01,
        unit: Unit::Fraction,
        confidence: Confidence::Likely,
        basis: "all ops of the loop come from one operation, which is no loop in the program",
        why: "The chip has no instruction for the operation, so the compiler runs it element by element, one after the other.",
        worked_if: "the program has no such loop",
        formula: "time of loops whose ops all have the name of one operation, with what these ops take; recoverable is unknown",
        view: SeeView::Breakdown,
        overlaps: &[RuleId::TinyOps, RuleId::LoopGaps],
        tries: &[
            Advice::code(
                "If indices are sorted and unique, say so: updates then need no order.",
                "x.at[idx].set(v, indices_are_sorted=True, unique_indices=True)",
            )
            .only_for(Subject::Scatter),
            Advice::words(
                "Write one large slice in place of many small ones. jax.vmap makes a scatter of dynamic_update_slice.",
            )
            .only_for(Subject::Scatter),
            Advice::words("Select with a mask or a one-hot matmul, if few values are possible.")
                .only_for(Subject::Scatter),
            Advice::code(
                "If indices are in bounds and sorted, say so.",
                "x.at[idx].get(mode=\"promise_in_bounds\", indices_are_sorted=True)",
            )
            .only_for(Subject::Gather),
            Advice::words(
                "Take one large slice in place of many small ones. jax.vmap makes a gather of dynamic_slice.",
            )
            .only_for(Subject::Gather),
            Advice::words("Select with a one-hot matmul, if few values are possible.").only_for(Subject::Gather),
            Advice::code("Combine in a tree, not one after the other.", "jax.lax.associative_scan(f, x)")
                .only_for(Subject::Cumulative),
            Advice::words("Take the largest k values, if that is enough: jax.lax.top_k or jax.lax.approx_max_k.")
                .only_for(Subject::Sort),
        ],
        check: expanded_loops,
    },
    Rule {
        id: RuleId::LoopGaps,
        group: Group::Time,
        name: "Gaps in loops",
        title: "The device is idle within loops",
        threshold: LEAST,
        unit: Unit::Fraction,
        confidence: Confidence::Likely,
        basis: "the time has no op of its own",
        why: "Between the ops of an iteration the core waits, often for scalar work or for small transfers.",
        worked_if: "the self time of loops falls below 2 % of the loops",
        formula: "self time of loops of at least 2 % of the loop",
        view: SeeView::Breakdown,
        overlaps: &[],
        tries: &[
            Advice::code("Unroll the loop.", "jax.lax.scan(f, init, xs, unroll=4)"),
            Advice::words("Use a larger batch, so that each iteration does more."),
        ],
        check: loops,
    },
];

/// The leaf of the scope paths of loops of the user: `while`, `body`, `scan`.
const LOOPS: [&str; 7] = ["while", "body", "cond", "scan", "fori_loop", "while_loop", "map"];

/// A loop that the compiler made of one operation.
struct Expanded {
    /// The operation, such as `scatter`.
    leaf: String,
    /// How often the loop runs.
    n_runs: f64,
    /// The ops with the name of the operation, as indices of the ledger.
    ops: Vec<usize>,
}

impl Expanded {
    /// Returns the number of rounds of a run, and of ops in a round.
    fn rounds(&self, context: &Context<'_>) -> (f64, usize) {
        let body = || self.ops.iter().filter(|index| !is_loop(context, context.op(**index).0));
        let n = body().map(|index| context.by_op.ops[*index].n.as_f64()).fold(0.0, f64::max);
        (if self.n_runs > 0.0 { n / self.n_runs } else { 0.0 }, body().count())
    }
}

/// Returns the loops of the compiler: those with the name of an operation that is no loop, such as a scatter. They are
/// not in the user's program.
fn expanded(context: &Context<'_>) -> Vec<Expanded> {
    let facts = &context.analysis.facts[context.by_op.ledger.device].ops;
    let mut loops: IndexMap<(Option<ProgramId>, StrId), Expanded> = IndexMap::default();
    for ((op, facts), times) in context.plane().ops.iter().zip(facts).zip(&context.times.ops) {
        let Some(scope) = facts.scope.filter(|_| times.inclusive > 0 && is_loop(context, op)) else { continue };
        let path = context.analysis.words.get(scope);
        let leaf = path.rsplit('/').next().unwrap_or(path).trim_end_matches(':');
        let leaf = leaf.split(['[', '(']).next().unwrap_or(leaf);
        let is_name = leaf.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
        if is_name && !leaf.is_empty() && !LOOPS.contains(&leaf) {
            let new = || Expanded { leaf: leaf.to_owned(), n_runs: 0.0, ops: Vec::new() };
            loops.entry((op.stats.program, scope)).or_insert_with(new).n_runs += times.n.as_f64();
        }
    }
    for index in 0..context.by_op.ops.len() {
        let (op, facts) = context.op(index);
        if let Some(found_loop) = facts.scope.and_then(|scope| loops.get_mut(&(op.stats.program, scope))) {
            found_loop.ops.push(index);
        }
    }
    loops.into_values().collect()
}

fn is_loop(context: &Context<'_>, op: &Op) -> bool {
    let name = || context.profile.text(op.name).split('.').next().unwrap_or_default();
    opcode(context.profile.text(op.text)).unwrap_or_else(name) == "while"
}

/// Loops of the compiler, one finding for each operation.
fn expanded_loops(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    let mut by_leaf: IndexMap<String, Vec<Expanded>> = IndexMap::default();
    for found_loop in expanded(context) {
        by_leaf.entry(found_loop.leaf.clone()).or_default().push(found_loop);
    }
    let mut found = Vec::new();
    for (leaf, loops) in by_leaf {
        let members: FxHashSet<usize> = loops.iter().flat_map(|found_loop| &found_loop.ops).copied().collect();
        let ops = context.ops_of(&Owner::ALL, &|index| members.contains(&index));
        let mut draft = |context: &mut Context<'_>| {
            let rounds = loops.iter().map(|found_loop| found_loop.rounds(context));
            let (rounds, n_ops) = rounds.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or_default();
            let several = match loops.len() {
                1 => String::new(),
                n => format!("{n} loops, the longest with "),
            };
            let itself = if ops.len() > n_ops { ", and the loop itself" } else { "" };
            let claimed = Owner::ALL.into_iter().map(|owner| context.claims.ops(&ops, owner)).sum();
            Draft {
                id: Some(FindingId::Expanded(leaf.replace('-', "_"))),
                detail: format!("{several}{rounds:.0} rounds of {n_ops} ops{itself}. {}", context.ops_text(&ops)),
                claimed,
                inputs: vec![("rounds", rounds)],
                evidence: context.op_evidence_when(&ops),
                subjects: vec![subject_of(&leaf)],
                ..Draft::default()
            }
        };
        let outcomes = rule.by_time(context, total(&ops), &mut draft);
        found.extend(outcomes.into_iter().filter(|outcome| matches!(outcome, Outcome::Found(_))));
    }
    if found.is_empty() { vec![Outcome::Below { measured: 0.0, at_stake: Some(Picos::ZERO) }] } else { found }
}

/// Returns what advice about an operation that became a loop is about.
fn subject_of(leaf: &str) -> Subject {
    match leaf {
        _ if leaf.starts_with("scatter") || leaf.contains("update") => Subject::Scatter,
        _ if leaf.starts_with("gather") || leaf.starts_with("dynamic_slice") => Subject::Gather,
        _ if leaf.starts_with("cum") || leaf.starts_with("reduce_window") => Subject::Cumulative,
        _ => Subject::Sort,
    }
}

/// The self time of loops that is at least 2 % of the loop.
fn loops(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    let inclusive = |index: usize| Picos(context.times.ops[context.by_op.ops[index].op.0 as usize].inclusive);
    let is_much = |index: usize| {
        let share = context.by_op.ops[index].time(Owner::Loop).fraction_of(inclusive(index));
        share.is_none_or(|share| share >= 0.02)
    };
    let ops = context.ops_left(Owner::Loop, &is_much);
    let time: Picos = total(&ops);
    rule.by_time(context, time, &mut |context| {
        let claimed = context.claims.ops(&ops, Owner::Loop);
        let evidence = context.op_evidence_when(&ops);
        Draft { detail: context.ops_text(&ops), claimed, recoverable: claimed, evidence, ..Draft::default() }
    })
}
