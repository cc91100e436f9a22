//! This module sets the ops of a row beside each other: the facts of both, and which of them differ.

use crate::analysis::compare::RowSide;
use crate::analysis::op::{OpDetail, OpRole};
use crate::protocol::ComparedOps;
use crate::report::compare::format::picos;
use crate::table::format::{self, ABSENT};
use xla_profile::units::Picos;

/// A fact about the ops of both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    pub label: &'static str,
    pub a: String,
    pub b: String,
    /// Whether the value is a name or a shape.
    pub mono: bool,
    pub differs: bool,
}

/// Returns the heading of a row: the name of its op.
pub fn heading(ops: &ComparedOps) -> String {
    let side = ops.row.b.as_ref().or(ops.row.a.as_ref());
    let more = side.map_or(0, |side| side.ops.len().saturating_sub(1));
    if more > 0 { format!("{} and {more} more", ops.row.name()) } else { ops.row.name().to_owned() }
}

/// Returns the difference of a row, and what it is made of, in a sentence.
pub fn pair_sentence(ops: &ComparedOps) -> String {
    let row = &ops.row;
    let change = row.change().map_or_else(String::new, |change| format!(" ({} %)", format::signed_percent(change)));
    let all = match (row.a.is_some(), row.b.is_some()) {
        (true, false) => format!("Only in A: {}", format::signed_time_text(row.delta_ps)),
        (false, true) => format!("Only in B: {}", format::signed_time_text(row.delta_ps)),
        _ => format!("{}{change}, {}", format::signed_time_text(row.delta_ps), row.verdict.label()),
    };
    let mut parts = vec![("by other executions", row.count_ps)];
    parts.extend(row.work_ps.map(|work| ("by other work", work)));
    parts.extend(row.efficiency_ps.map(|efficiency| ("by other efficiency", efficiency)));
    let parts = parts.into_iter().filter(|(_, ps)| *ps != 0 && row.tier.is_some());
    let parts: Vec<String> = parts.map(|(label, ps)| format!("{} {label}", format::signed_time_text(ps))).collect();
    let matched = row.tier.map_or_else(String::new, |tier| {
        let ambiguous = if row.is_ambiguous { "; other pairings are possible" } else { "" };
        format!(" Matched by: {}{ambiguous}.", tier.label())
    });
    if parts.is_empty() { format!("{all}.{matched}") } else { format!("{all}: {}.{matched}", parts.join(", ")) }
}

/// Returns the facts about the ops of a row. Facts that neither side has are left out.
pub fn facts(ops: &ComparedOps) -> Vec<Fact> {
    let time = |side: &RowSide| Some(format::time_text(picos(side.self_ps)));
    let executions =
        |side: &RowSide| Some(format::decimal(side.n_executions, u32::from(side.n_executions.fract() > 0.005)));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "times in ps")]
    let ps = |time: f64| Picos(time.max(0.0) as u64);
    #[expect(clippy::cast_precision_loss, reason = "a mean")]
    let each = |side: &RowSide| {
        (side.n_executions > 0.0).then(|| format::time_text(ps(side.self_ps as f64 / side.n_executions)))
    };
    let roofline = |side: &RowSide| side.roofline_ps.map(|time| format::time_text(ps(time)));
    #[expect(clippy::cast_precision_loss, reason = "a ratio")]
    let of_roofline = |side: &RowSide| {
        let share = side.roofline_ps? / side.self_ps as f64;
        share.is_finite().then(|| format::percent_text(share))
    };
    let row = |label, fact: &dyn Fn(&RowSide) -> Option<String>| {
        fact_of(label, ops.row.a.as_ref().and_then(fact), ops.row.b.as_ref().and_then(fact), false)
    };
    // A report has no details of its ops. They are unknown, and not different.
    let is_known = ops.row.a.is_some() == ops.a.is_some() && ops.row.b.is_some() == ops.b.is_some();
    let detail = |label, mono, fact: &dyn Fn(&OpDetail) -> Option<String>| {
        let fact = fact_of(label, ops.a.as_ref().and_then(fact), ops.b.as_ref().and_then(fact), mono)?;
        Some(Fact { differs: fact.differs && is_known, ..fact })
    };
    let names = |side: &RowSide| Some(side.ops.iter().take(3).cloned().collect::<Vec<_>>().join(", "));
    let name = fact_of("Op", ops.row.a.as_ref().and_then(names), ops.row.b.as_ref().and_then(names), true);
    let all = [
        // XLA numbers ops anew in each compile, so another number says nothing.
        name.map(|name| Fact { differs: false, ..name }),
        row("Time", &time),
        row("Executions", &executions),
        row("Time per execution", &each),
        row("Roofline time", &roofline),
        row("Roofline ÷ time", &of_roofline),
        detail("Kind", false, &|op| Some(op.kind?.label().to_owned())),
        detail("Category", false, &|op| op.category.clone()),
        detail("Phase", false, &|op| op.phase.clone()),
        detail("Kernel", true, &|op| op.kernel.clone()),
        detail("Result", true, &result),
        detail("Source", true, &|op| op.source.innermost.clone()),
        row("Scope", &|side| side.scope.clone()).map(|fact| Fact { mono: true, ..fact }),
        detail("Program", true, &|op| op.program.clone()),
    ];
    all.into_iter().flatten().collect()
}

fn result(op: &OpDetail) -> Option<String> {
    let value = op.values.iter().find(|value| matches!(value.role, OpRole::Result(_)))?;
    Some(format!("{}{}", value.shape, value.layout.as_deref().unwrap_or_default()))
}

fn fact_of(label: &'static str, a: Option<String>, b: Option<String>, mono: bool) -> Option<Fact> {
    if a.is_none() && b.is_none() {
        return None;
    }
    let differs = a != b;
    let text = |value: Option<String>| value.unwrap_or_else(|| ABSENT.to_owned());
    Some(Fact { label, a: text(a), b: text(b), mono, differs })
}
