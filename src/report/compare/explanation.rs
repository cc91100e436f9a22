//! This module writes what explains a difference in sentences.

use crate::analysis::classify::{OpGroup, Phase};
use crate::analysis::compare::{Cause, CauseKind, Comparison, MainCause, PairLevel, WorkPair, op_group_name};
use crate::report::compare::format::picos;
use crate::report::ledger::table::label;
use crate::table::format::{TimeUnit, count, counted, middle_cut, percent_text, time_with_decimals};
use crate::table::text::Table;
use crate::table::text_columns::TextColumns;
use crate::table::words::capitalized;

/// Changes in the sentence about the main cause.
const CHANGES: usize = 2;

/// Returns what explains the difference in sentences: what is certain of the whole, and the part of the work that explains most.
/// Empty if nothing does.
pub fn sentences(comparison: &Comparison) -> Vec<String> {
    let explanation = &comparison.explanation;
    let of_whole = |cause: &Cause| match cause.kind {
        // A sentence does not begin with a name such as `f32`.
        CauseKind::Dtype => format!("Types: {}.", change(cause)),
        _ => format!("{}.", begun(&change(cause))),
    };
    let whole = explanation.whole.iter().map(of_whole);
    whole.chain(explanation.main.as_ref().map(main)).collect()
}

/// Returns a text with a capital at its start, unless it starts with a name, such as `bf16` or `cuDNN`.
fn begun(text: &str) -> String {
    let first = text.split(' ').next().unwrap_or_default();
    let is_name = first.contains(|c: char| c.is_uppercase() || c.is_ascii_digit() || c == '_');
    if is_name { text.to_owned() } else { capitalized(text) }
}

/// Returns the sentence about the part of the work that explains most: "Attention 3.80 → 1.76 ms explains 85 % of the difference: 21
/// ops instead of 36; …".
fn main(main: &MainCause) -> String {
    let work = &main.work;
    let name = title(main);
    // Sorts of work are plurals, apart from names. A scope or a class of time is one thing, even if its name ends in s.
    let is_plural = matches!(work.level, PairLevel::Work | PairLevel::OpGroup) && is_plural(&name);
    let (name, verb) = (begun(&name), if is_plural { "explain" } else { "explains" });
    let changes = changes(work).into_iter().take(CHANGES).collect::<Vec<String>>().join("; ");
    let changes = if changes.is_empty() { changes } else { format!(": {changes}") };
    // Other parts may have changed in the other direction.
    let share = if main.share < 1.005 {
        format!("{} of the", percent_text(main.share))
    } else {
        "more than the whole".to_owned()
    };
    format!("{name} {} {verb} {share} difference{changes}.", times(work.a_ps, work.b_ps))
}

/// Returns whether sorts of work are several: "matmuls" or "flash attention and loop overhead", and not "flash attention".
fn is_plural(work: &str) -> bool {
    work.ends_with('s') || work.contains(" and ")
}

/// Returns the changes that the sentence about the main cause leaves out, in a sentence. `None` if there are none.
pub fn further_changes(main: &MainCause) -> Option<String> {
    let more: Vec<String> = changes(&main.work).into_iter().skip(CHANGES).collect();
    (!more.is_empty()).then(|| format!("Also in {}: {}.", title(main), more.join("; ")))
}

/// Returns the name of the main cause within a sentence.
pub fn title(main: &MainCause) -> String {
    let name = &main.work.name;
    match (main.owner, main.work.level) {
        (Some(owner), _) => label(owner),
        (_, PairLevel::Scope) => name.rsplit('/').next().unwrap_or(name).to_owned(),
        (_, PairLevel::Phase) => match Phase::from_key(name) {
            Some(Phase::Forward) => "the forward pass".to_owned(),
            Some(Phase::Backward) => "the backward pass".to_owned(),
            Some(Phase::Recompute) => "recomputation".to_owned(),
            Some(Phase::Optimizer) => "the optimizer".to_owned(),
            _ => name.clone(),
        },
        (_, PairLevel::OpGroup) => {
            OpGroup::from_key(name).map_or_else(|| name.clone(), |group| op_group_name(group).to_owned())
        }
        _ => name.clone(),
    }
}

/// Returns what changed in some work, the strongest first, each in a clause.
pub fn changes(work: &WorkPair) -> Vec<String> {
    let is_counted = |cause: &Cause| {
        cause.kind == CauseKind::Fusion && (cause.n_ops_a, cause.n_ops_b) == (work.n_ops_a, work.n_ops_b)
    };
    let number: Option<String> = (work.n_ops_a != work.n_ops_b && work.n_ops_a > 0 && work.n_ops_b > 0)
        .then(|| ops_instead(work.n_ops_a, work.n_ops_b));
    let has_number = number.is_some();
    let mut all: Vec<String> =
        work.causes.iter().filter(|cause| !(has_number && is_counted(cause))).map(change).collect();
    // Another dtype or another batch may also change the number of ops, which then says less.
    let is_first = work.causes.first().is_none_or(|cause| {
        matches!(cause.kind, CauseKind::Replaced | CauseKind::OneSide | CauseKind::Fusion | CauseKind::Loop)
    });
    let place = if is_first { 0 } else { all.len() };
    number.into_iter().for_each(|number| all.insert(place, number));
    all
}

/// Returns a change as a clause.
fn change(cause: &Cause) -> String {
    let Cause { kind, label, a, b, .. } = cause;
    let ops = |n: u32| counted(n.into(), "op", "ops");
    let time = || times(cause.a_ps, cause.b_ps);
    let verb = |one: &'static str, several: &'static str| if cause.n_ops_b == 1 { one } else { several };
    let are = |work: &str| if is_plural(work) { "are" } else { "is" };
    match kind {
        CauseKind::Replaced => format!("{b} replaced {a}"),
        CauseKind::OneSide if b.is_empty() => format!("{a} {} gone", are(a)),
        CauseKind::OneSide => format!("{b} {} new", are(b)),
        CauseKind::Fusion => format!("{label}: {}", ops_instead(cause.n_ops_a, cause.n_ops_b)),
        CauseKind::Dtype => format!("{a} became {b} in {}", ops(cause.n_ops_b)),
        CauseKind::Copies => format!("copies and layout changes {}", time()),
        CauseKind::Recompute => format!("recomputation {}", time()),
        CauseKind::Shape => format!("shapes of {} changed, such as {a} → {b}", ops(cause.n_ops_b)),
        CauseKind::Groups => format!("replica groups of {} changed, such as {a} → {b}", ops(cause.n_ops_b)),
        CauseKind::Executions => {
            format!("{} {} {label} times as often", ops(cause.n_ops_b), verb("runs", "run"))
        }
        CauseKind::Loop => format!("the layers are {a} in A and {b} in B"),
        CauseKind::Speed => {
            let (a, b, unit) = times_in_one_unit(cause.a_ps, cause.b_ps);
            format!("{} without a change {} {b} instead of {a} {unit}", ops(cause.n_ops_b), verb("takes", "take"))
        }
        CauseKind::Session => format!("{label}: {a} in A, {b} in B"),
    }
}

/// Returns the numbers of ops of both sides in words: "21 ops instead of 36".
fn ops_instead(a: u32, b: u32) -> String {
    format!("{} instead of {}", counted(b.into(), "op", "ops"), count(a.into()))
}

/// Formats the times of both sides in one unit: "3.80 → 1.76 ms".
fn times(a_ps: i64, b_ps: i64) -> String {
    let (a, b, unit) = times_in_one_unit(a_ps, b_ps);
    format!("{a} → {b} {unit}")
}

/// Returns the times of both sides in one unit, and the unit.
fn times_in_one_unit(a_ps: i64, b_ps: i64) -> (String, String, &'static str) {
    let unit = TimeUnit::for_largest(picos(a_ps.max(b_ps)));
    let time = |time: i64| time_with_decimals(picos(time), unit, 2);
    (time(a_ps), time(b_ps), unit.symbol())
}

/// Returns the explanation as the text of JSON fields. `None` if no part explains the difference.
pub(super) fn main_sentence(comparison: &Comparison) -> Option<String> {
    comparison.explanation.main.as_ref().map(main)
}

/// Returns the pairs of work with the largest differences as a table. `None` if no pair differs.
pub fn pairs(comparison: &Comparison, top: usize) -> Option<Table> {
    let pairs = &comparison.explanation.pairs;
    let differing = || pairs.iter().filter(|pair| pair.delta_ps != 0);
    let longest = differing().map(|pair| pair.a_ps.max(pair.b_ps)).max()?;
    let unit = TimeUnit::for_largest(picos(longest));
    let columns = TextColumns::new()
        .text("Work of both sides", |pair: &WorkPair| middle_cut(&pair_name(pair), 48))
        .time("A", unit, |pair| picos(pair.a_ps))
        .time("B", unit, |pair| picos(pair.b_ps))
        .difference("Difference", unit, |pair| pair.delta_ps)
        .text("What changed", |pair| {
            let changes = changes(pair).into_iter().take(CHANGES).collect::<Vec<String>>();
            middle_cut(&begun(&changes.join("; ")), 100)
        });
    Some(columns.table(differing().take(top)))
}

/// Returns the name of a pair, with what it is if it is no scope.
fn pair_name(pair: &WorkPair) -> String {
    match pair.level {
        PairLevel::OneSide if pair.n_ops_b == 0 => format!("{} (only in A)", pair.name),
        PairLevel::OneSide => format!("{} (only in B)", pair.name),
        PairLevel::OpGroup => format!("{} (no common scope)", pair.name),
        _ => pair.name.clone(),
    }
}
