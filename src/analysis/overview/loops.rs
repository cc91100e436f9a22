//! This module checks loops: those that the compiler made of one operation, and the self time of all (rule F9).

use super::context::{Context, total};
use super::report::{Confidence, Group, SeeView, Unit};
use super::rule::{Advice, Draft, LEAST, Outcome, Rule, Subject};
use crate::analysis::classify::opcode;
use crate::analysis::ledger::Owner;
use crate::profile::{ProgramId, StrId};
use crate::units::Picos;
use indexmap::IndexMap;

/// The rules about loops, in the order in which they claim time.
pub(super) const RULES: [Rule; 2] = [
    Rule {
        id: "expanded_loop",
        group: Group::Time,
        name: "Loops of the compiler",
        title: "The compiler made loops of single operations",
        threshold: 0.01,
        unit: Unit::Fraction,
        confidence: Confidence::Likely,
        basis: "the ops of the loop have the name of one operation that is no loop",
        why: "The chip has no instruction for the operation, so the compiler runs it element by element, one after the other.",
        worked_if: "the program has no such loop",
        formula: "time of loops whose ops all have the name of one operation, with what these ops take; recoverable is unknown",
        view: SeeView::Breakdown,
        overlaps: &["tiny_ops", "loop_gaps"],
        tries: &[
            Advice::code(
                "Say that indices are sorted and unique, so that updates need no order.",
                "x.at[idx].set(v, indices_are_sorted=True, unique_indices=True)",
            )
            .only_for(Subject::Scatter),
            Advice::words(
                "Write one large slice in place of many small ones: jax.vmap of dynamic_update_slice is a scatter.",
            )
            .only_for(Subject::Scatter),
            Advice::words("Select with a mask or a one-hot matmul, if few values are possible.")
                .only_for(Subject::Scatter),
            Advice::code("Combine in a tree, not one after the other.", "jax.lax.associative_scan(f, x)")
                .only_for(Subject::Cumulative),
            Advice::words("Take the largest k values, if that is enough: jax.lax.top_k or jax.lax.approx_max_k.")
                .only_for(Subject::Sort),
        ],
        check: expanded_loops,
    },
    Rule {
        id: "loop_gaps",
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

/// Loops of which every op has the name of one operation that is no loop, such as a scatter. Such a loop is not in the user's program.
fn expanded_loops(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    let n_ops = context.by_op.ops.len();
    let is_loop = |context: &Context<'_>, at: usize| {
        let op = context.op(at).0;
        let text = context.profile.text(op.text);
        opcode(text).unwrap_or_else(|| context.profile.text(op.name).split('.').next().unwrap_or_default()) == "while"
    };
    // The time of each operation that became a loop.
    let mut loops: IndexMap<(Option<ProgramId>, StrId), (String, Vec<usize>)> = IndexMap::default();
    for at in (0..n_ops).filter(|at| is_loop(context, *at)) {
        let Some((scope, leaf)) = scope_leaf(context, at) else { continue };
        let leaf = leaf.split(['[', '(']).next().unwrap_or(leaf).to_owned();
        let is_name = leaf.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
        if is_name && !leaf.is_empty() && !LOOPS.contains(&&*leaf) {
            loops.entry((context.op(at).0.stats.program, scope)).or_insert_with(|| (leaf, Vec::new()));
        }
    }
    for at in 0..n_ops {
        let key = scope_leaf(context, at).map(|(scope, _)| (context.op(at).0.stats.program, scope));
        if let Some((_, ops)) = key.and_then(|key| loops.get_mut(&key)) {
            ops.push(at);
        }
    }
    let mut found = Vec::new();
    for (_, (leaf, members)) in loops {
        let ops = context.ops_of(&Owner::ALL, &|at| members.contains(&at));
        let time = total(&ops);
        let mut draft = |context: &mut Context<'_>| {
            let runs = |is: bool| {
                let of = members.iter().filter(|at| is_loop(context, **at) == is);
                of.map(|at| context.by_op.ops[*at].n.as_f64()).fold(0.0, f64::max)
            };
            let (n_loops, n_rounds) = (runs(true), runs(false));
            let rounds = if n_loops > 0.0 { n_rounds / n_loops } else { 0.0 };
            let claimed = Owner::ALL.into_iter().map(|owner| context.claims.ops(&ops, owner)).sum();
            Draft {
                id: Some(format!("expanded_{}", leaf.replace('-', "_"))),
                detail: format!(
                    "{rounds:.0} rounds of {} ops. {}",
                    members.len().saturating_sub(1),
                    context.ops_text(&ops)
                ),
                claimed,
                inputs: vec![("rounds", rounds)],
                evidence: context.op_evidence_when(&ops),
                subjects: vec![subject_of(&leaf)],
                ..Draft::default()
            }
        };
        found.extend(rule.by_time(context, time, &mut draft).into_iter().filter(|of| matches!(of, Outcome::Found(_))));
    }
    if found.is_empty() { vec![Outcome::Below { measured: 0.0, at_stake: Some(Picos::ZERO) }] } else { found }
}

/// Returns the scope path of an op, and the operation at its end. `None` if the op has none.
fn scope_leaf<'a>(context: &Context<'a>, at: usize) -> Option<(StrId, &'a str)> {
    let scope = context.op(at).1.scope?;
    let path = context.analysis.words.get(scope);
    Some((scope, path.rsplit('/').next().unwrap_or(path).trim_end_matches(':')))
}

/// Returns what advice about an operation that became a loop is about.
fn subject_of(leaf: &str) -> Subject {
    match leaf {
        _ if leaf.starts_with("scatter") || leaf.contains("update") || leaf.starts_with("gather") => Subject::Scatter,
        _ if leaf.starts_with("cum") || leaf.starts_with("reduce_window") => Subject::Cumulative,
        _ => Subject::Sort,
    }
}

/// The self time of loops that is at least 2 % of the loop.
fn loops(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    let inclusive = |at: usize| Picos(context.times.ops[context.by_op.ops[at].op.0 as usize].inclusive);
    let is_much = |at: usize| {
        let share = context.by_op.ops[at].time(Owner::Loop).fraction_of(inclusive(at));
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
