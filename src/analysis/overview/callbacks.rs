//! This module checks callbacks: functions of Python that a program calls on the host.

use super::context::{Context, total};
use super::figures::Unit;
use super::report::{Confidence, Group, SeeView};
use super::rule::{Advice, BY_EVENTS, Draft, Outcome, Rule, Subject};
use super::rule_id::RuleId;
use crate::analysis::classify::kind_of_op::is_callback;
use crate::analysis::gaps::GapClass;
use crate::analysis::ledger::Owner;
use xla_profile::units::Picos;

/// The rule about callbacks.
pub(super) const RULES: [Rule; 1] = [Rule {
    id: RuleId::HostCallback,
    group: Group::Time,
    name: "Host callbacks",
    title: "The step waits for a host callback",
    threshold: 0.03,
    unit: Unit::Fraction,
    confidence: Confidence::Measured,
    basis: BY_EVENTS,
    why: "The program calls Python on the host, and the device waits for the result.",
    worked_if: "host callbacks take less than 1 % of a step",
    formula: "self time of callback ops + idle time between the ops of a callback",
    view: SeeView::Breakdown,
    overlaps: &[RuleId::Recompile],
    tries: &[
        Advice::words("The callback compiles in each call: define its jitted functions once, outside of the callback.")
            .only_for(Subject::Compiles),
        Advice::words("Compute the result with jax.numpy in the program itself."),
        Advice::words(
            "Call the function after the step, on the results of the step before, while the device runs the next one.",
        ),
    ],
    check: callbacks,
}];

/// Ops that call Python on the host. What they compile meanwhile can be avoided.
fn callbacks(context: &mut Context<'_>, rule: &Rule) -> Vec<Outcome> {
    let is_callback = |index: usize| {
        let op = context.op(index).0;
        is_callback(context.profile.text(op.name), context.profile.text(op.text))
    };
    let ops = context.ops_of(&Owner::ALL, &is_callback);
    let waits = context.gap_time(&[GapClass::Callback]);
    let time = total(&ops) + waits;
    let compiling = if ops.is_empty() { Picos::ZERO } else { context.compile_time().min(time) };
    rule.by_time(context, time, &mut |context| {
        let of_ops: Picos = Owner::ALL.into_iter().map(|owner| context.claims.ops(&ops, owner)).sum();
        let claimed = of_ops + context.claims.gap(GapClass::Callback);
        let evidence = context.op_evidence_when(&ops);
        let (mut detail, mut subjects) = (context.ops_text(&ops), Vec::new());
        if waits > Picos::ZERO {
            let waits = context.step_text(waits);
            detail += &format!(
                " The device is idle for {waits} per step between the copies of its arguments and its results."
            );
        }
        if compiling > Picos::ZERO {
            detail += &format!(" Meanwhile the host compiles for {} per step.", context.step_text(compiling));
            subjects.push(Subject::Compiles);
        }
        Draft { detail, claimed, recoverable: claimed, evidence, subjects, ..Draft::default() }
    })
}
