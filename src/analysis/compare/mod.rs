//! This module compares two sessions, a baseline A and an experiment B: what changed, by how much, and whether it is real.
//!
//! ```text
//!  A ledger, ops, steps ─┐            ┌─► waterfall: owners of time, and rows within them   sums to the difference, in ps
//!                        ├─► matching ┤
//!  B ledger, ops, steps ─┘            └─► rows: count, work, efficiency                     statistics over steps ─► verdict
//! ```
//!
//! Times are those of the device on which the steps of a side depend (`analysis::ledger`), per step. If the sides do different
//! work in a step and the tokens of a step are known, times are per million tokens.

mod by_hand;
mod capture_side;
mod causes;
pub mod columns;
mod comm;
mod exact;
mod figures;
mod gate;
mod groups;
mod input;
mod listed;
pub mod matching;
mod memory;
mod parity;
mod program_diff;
mod query;
mod report;
mod rows;
mod scatter;
mod scopes;
mod sections;
mod series;
mod series_report;
pub mod statistics;
mod verdict;
mod waterfall;

pub use by_hand::OpPair;
pub use capture_side::{CaptureSide, step_tokens};
pub use causes::{
    Cause, CauseKind, Explanation, MainCause, PairLevel, PhaseDelta, WorkFacts, WorkPair, op_group_name, work_name,
};
pub use gate::{Gate, GateFigure, GateResult};
pub use groups::{CompareBy, GroupDelta, RowSelection, groups};
pub use input::{Input, InputOp, InputPeak};
pub use listed::{ListedSide, compare_listed};
pub use memory::paired_program;
pub use query::{BAND, CompareOptions, CompareQuery};
pub use report::{
    CompareRows, CompareUnit, Comparison, FigureDelta, FindingDelta, OpGroupDelta, Parity, PartDelta, RowDelta,
    RowSide, ScopeDelta, ScopeTime, SideHead, TierShare, Verdict,
};
pub use scatter::{RowDot, RowDots};
pub use sections::{
    BytesDelta, ChangeCounts, ChangeKind, ChangedProperty, ClassDelta, CommDelta, CommRowDelta, CommSide, MemoryDelta,
    OpcodeDelta, PeakDelta, PeakSide, ProgramChange, ProgramDiff, ProgramPair, Property, TimeDelta,
};
pub use series::{compare_samples, figure_series, history_band, series};
pub use series_report::{ChangePoint, FigureSeries, Series, SeriesBase, SeriesCapture, SeriesOrder, SeriesPoint};
pub use verdict::SIGNIFICANT;

use exact::Divisors;
use matching::OpMatch;
use statistics::{shift, widening};
use std::cmp::Reverse;
use xla_profile::small_sort::SmallSort;

/// The note on times that exceed the range of a number.
const LIMITED_TIME: &str = "Times reach 2⁶³ − 1 ps (107 days), the limit of a comparison, so some durations are damaged. They stay \
                            at this limit, and parts may not sum to the whole. Copy the files again, or profile again.";

/// Compares two sessions.
pub fn compare(a: &CaptureSide<'_>, b: &CaptureSide<'_>, options: &CompareOptions) -> Comparison {
    let (side_a, side_b) = (a.side(), b.side());
    let mut matching = matching::match_sides(&side_a, &side_b);
    let is_same_program = matching.matches.iter().all(|op_match| op_match.tier == Some(matching::Tier::Exact));
    let (a, b) = (a.input(), b.input());
    let notes = by_hand::pair_by_hand(&mut matching.matches, &a, &b, &options.pairs);
    let diff = |deltas: &[i64]| program_diff::program_diff(&side_a, &side_b, &matching, deltas);
    let mut comparison = compare_inputs((&a, &b), &matching.matches, Some(is_same_program), options.band, diff);
    comparison.notes.extend(notes);
    comparison
}

/// Compares two sides whose ops are matched. `program_diff` compares their programs, and gets the differences of the matches.
fn compare_inputs(
    (a, b): (&Input<'_>, &Input<'_>),
    matches: &[OpMatch],
    is_same_program: Option<bool>,
    band: f64,
    program_diff: impl FnOnce(&[i64]) -> ProgramDiff,
) -> Comparison {
    let (head_a, head_b) = (&a.head, &b.head);
    let parity = parity::parity(a, b, is_same_program);
    let unit = parity::unit(head_a, head_b, &parity);
    // The divisors of figures per step.
    let per_step = match (unit, head_a.tokens, head_b.tokens) {
        (CompareUnit::MillionTokens, Some(a), Some(b)) => Divisors { a, b, factor: 1_000_000 },
        _ => Divisors { a: 1, b: 1, factor: 1 },
    };
    let divisors = Divisors {
        a: a.n_steps().saturating_mul(per_step.a),
        b: b.n_steps().saturating_mul(per_step.b),
        factor: per_step.factor,
    };
    let (samples_a, samples_b) = (unit.samples(head_a), unit.samples(head_b));
    let whole = waterfall::Whole::new(a, b, divisors);
    let scales = (unit.scale(head_a), unit.scale(head_b));
    let pairs = rows::Pairs { a, b, matches, divisors, scales };
    let mut rows = rows::rows(&pairs, &whole.gaps, whole.a_ps);
    let mut parts = waterfall::parts(&pairs, &whole);
    let deltas: Vec<i64> = rows.iter().map(|row| row.delta_ps).collect();
    let mut program_changes = program_diff(&deltas);
    // Steps that depend on each other tell less than their number.
    let shift = shift(&samples_a, &samples_b).map(|shift| shift.widened(widening(&samples_a, &samples_b)));
    let has_steps = head_a.n_steps > 0 && head_b.n_steps > 0;
    let judged = verdict::evaluate((&samples_a, &samples_b), shift, (whole.a_ps, whole.delta_ps), band);
    let verdict = match judged.verdict {
        _ if !parity::is_comparable(unit, &parity) => Verdict::Incomparable,
        _ if !has_steps => Verdict::TooFewSteps,
        verdict => verdict,
    };
    let explanation = causes::explain(
        &pairs,
        &causes::Compared {
            rows: &rows,
            parts: &parts,
            program_changes: &program_changes,
            parity: &parity,
            times: (whole.a_ps, whole.b_ps),
            delta_ps: whole.delta_ps,
            verdict,
        },
    );
    sort(&mut rows, &mut parts, &mut program_changes.changes);
    if verdict == Verdict::Incomparable {
        rows.iter_mut().for_each(|row| row.verdict = Verdict::Incomparable);
    }
    let mut comparison = Comparison {
        matched: pairs.shares(),
        figures: figures::figures(a.overview, b.overview),
        findings: figures::findings(a.overview, b.overview),
        memory: memory::memory(a, b),
        comm: comm::comm(a.comm, b.comm, per_step),
        program_changes,
        scopes: scopes::scopes(a, b, divisors),
        explanation,
        unit,
        parity,
        a_ps: whole.a_ps,
        b_ps: whole.b_ps,
        delta_ps: whole.delta_ps,
        shift,
        p: judged.p,
        band,
        verdict,
        parts,
        rows,
        a: head_a.clone(),
        b: head_b.clone(),
        notes: Vec::new(),
    };
    if comparison.has_limited_time() {
        comparison.notes.push(LIMITED_TIME.to_owned());
    }
    comparison
}

/// Puts the largest differences first. The children of parts and the changes of programs keep naming their rows.
fn sort(rows: &mut Vec<RowDelta>, parts: &mut [PartDelta], changes: &mut [ProgramChange]) {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.small_sort_by_key(|index| (Reverse(rows[*index].delta_ps.unsigned_abs()), *index));
    let mut place = vec![0_u32; rows.len()];
    for (new, old) in order.iter().enumerate() {
        place[*old] = new as u32;
    }
    *rows = order.into_iter().map(|index| rows[index].clone()).collect();
    parts.small_sort_by_key(|part| (Reverse(part.delta_ps.unsigned_abs()), part.owner));
    for part in parts {
        part.children.iter_mut().for_each(|(row, _)| *row = place[*row as usize]);
        part.children.small_sort_by_key(|(row, delta)| (Reverse(delta.unsigned_abs()), *row));
    }
    changes.iter_mut().for_each(|change| change.row = place[change.row as usize]);
    changes.small_sort_by_key(|change| change.row);
}
