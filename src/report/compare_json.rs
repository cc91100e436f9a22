//! This module writes a comparison as JSON. It defines the names and the order of the fields.

use super::compare_sections_json::{self, CommJson, MemoryJson, ProgramJson};
use super::ledger_table::label;
use crate::analysis::classify::Kind;
use crate::analysis::compare::matching::Tier;
use crate::analysis::compare::{
    CompareBy, CompareUnit, Comparison, FigureDelta, FindingDelta, Gate, GateResult, GroupDelta, Parity, PartDelta,
    RowDelta, RowSide, ScopeDelta, SideHead, groups,
};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The JSON of `rooflight compare --json`.
#[derive(Serialize)]
pub struct CompareJson<'a> {
    status: &'static str,
    view: &'static str,
    verdict: &'static str,
    sentence: String,
    unit: &'static str,
    a: &'a SideHead,
    b: &'a SideHead,
    a_ps: i64,
    b_ps: i64,
    delta_ps: i64,
    change: Option<f64>,
    shift_ps: Option<f64>,
    interval_ps: Option<[f64; 2]>,
    p: Option<f64>,
    n: [usize; 2],
    band: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    gate: Option<GateJson<'a>>,
    /// Sentences about what reports leave out.
    notes: &'a [String],
    parity: &'a [Parity],
    waterfall: Vec<PartJson<'a>>,
    rows: Vec<RowJson<'a>>,
    n_rows: usize,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    grouped: Option<GroupsJson>,
    /// The scopes with the largest differences.
    scopes: Vec<ScopeJson<'a>>,
    n_scopes: usize,
    /// The share of the time of both sides by tier.
    matched_pct: BTreeMap<&'static str, [f64; 2]>,
    figures: &'a [FigureDelta],
    findings: &'a [FindingDelta],
    memory: MemoryJson<'a>,
    comm: CommJson<'a>,
    program_changes: ProgramJson<'a>,
}

/// The groups of the rows, the largest difference first. `n_groups` is the number of all.
#[derive(Serialize)]
struct GroupsJson {
    by: &'static str,
    groups: Vec<GroupJson>,
    n_groups: usize,
}

#[derive(Serialize)]
struct GroupJson {
    name: String,
    kind: Option<&'static str>,
    n_rows: u32,
    a_ps: i64,
    b_ps: i64,
    delta_ps: i64,
}

#[derive(Serialize)]
struct GateJson<'a> {
    on: &'static str,
    limit: Option<f64>,
    change: Option<f64>,
    rows_over: Option<f64>,
    /// Names of the rows that are beyond it.
    slower_rows: Vec<&'a str>,
    /// Names of the rows of B alone that are beyond it.
    new_rows: Vec<&'a str>,
    result: GateResult,
}

#[derive(Serialize)]
pub(super) struct PartJson<'a> {
    owner: &'static str,
    label: String,
    a_ps: i64,
    b_ps: i64,
    delta_ps: i64,
    children: Vec<ChildJson<'a>>,
}

#[derive(Serialize)]
struct ChildJson<'a> {
    name: &'a str,
    delta_ps: i64,
}

#[derive(Serialize)]
struct SideJson<'a> {
    ops: &'a [String],
    program_id: Option<String>,
    scope: Option<&'a str>,
    source: Option<&'a str>,
    op_group: Option<&'a str>,
    n_executions: f64,
    self_ps: i64,
    roofline_ps: Option<f64>,
}

#[derive(Serialize)]
struct ScopeJson<'a> {
    path: &'a str,
    name: &'a str,
    a_ps: u64,
    b_ps: u64,
    delta_ps: i64,
}

#[derive(Serialize)]
struct RowJson<'a> {
    name: &'a str,
    kind: &'static str,
    tier: Option<&'static str>,
    weight: Option<f64>,
    ambiguous: bool,
    a: Option<SideJson<'a>>,
    b: Option<SideJson<'a>>,
    delta_ps: i64,
    count_ps: i64,
    work_ps: Option<i64>,
    efficiency_ps: Option<i64>,
    p: Option<f64>,
    verdict: &'static str,
}

/// Returns the name of a unit.
pub(super) const fn unit(unit: CompareUnit) -> &'static str {
    match unit {
        CompareUnit::Step => "step",
        CompareUnit::MillionTokens => "million_tokens",
    }
}

/// Returns a comparison as JSON, with the `top` rows of the largest difference. Unless `by` is [`CompareBy::Op`], it also has the
/// `top` groups of all rows.
pub fn compare<'a>(comparison: &'a Comparison, by: CompareBy, gate: Option<&Gate>, top: usize) -> CompareJson<'a> {
    let is_partial = comparison.a.is_partial || comparison.b.is_partial;
    CompareJson {
        status: if is_partial { "partial" } else { "ok" },
        view: "compare",
        verdict: comparison.verdict.key(),
        sentence: super::compare_text::sentence(comparison),
        unit: unit(comparison.unit),
        a: &comparison.a,
        b: &comparison.b,
        a_ps: comparison.a_ps,
        b_ps: comparison.b_ps,
        delta_ps: comparison.delta_ps,
        change: comparison.change(),
        shift_ps: comparison.shift.map(|shift| shift.estimate),
        interval_ps: comparison.shift.map(|shift| [shift.low, shift.high]),
        p: comparison.p,
        n: [comparison.a.periods_ps.len(), comparison.b.periods_ps.len()],
        band: comparison.band,
        gate: gate.map(|gate| GateJson {
            on: gate.on.key(),
            limit: gate.limit,
            change: gate.change(comparison).filter(|change| change.is_finite()),
            rows_over: gate.rows_over,
            slower_rows: gate.slower_rows(comparison).into_iter().map(RowDelta::name).collect(),
            new_rows: gate.new_rows(comparison).into_iter().map(RowDelta::name).collect(),
            result: gate.evaluate(comparison),
        }),
        notes: &comparison.notes,
        parity: &comparison.parity,
        waterfall: comparison.parts.iter().map(|part| part_json(comparison, part, top)).collect(),
        rows: comparison.rows.iter().take(top).map(row).collect(),
        n_rows: comparison.rows.len(),
        grouped: (by != CompareBy::Op).then(|| grouped(comparison, by, top)),
        scopes: scopes(comparison, top),
        n_scopes: comparison.scopes.len().saturating_sub(1),
        matched_pct: comparison
            .matched
            .iter()
            .map(|share| (share.tier.map_or("only_in_one", Tier::key), [100.0 * share.a, 100.0 * share.b]))
            .collect(),
        figures: &comparison.figures,
        findings: &comparison.findings,
        memory: compare_sections_json::memory(&comparison.memory),
        comm: compare_sections_json::comm(&comparison.comm, top),
        program_changes: compare_sections_json::program_changes(comparison, top),
    }
}

pub(super) fn part_json<'a>(comparison: &'a Comparison, part: &PartDelta, top: usize) -> PartJson<'a> {
    let child = |(row, delta): &(u32, i64)| {
        Some(ChildJson { name: comparison.rows.get(*row as usize)?.name(), delta_ps: *delta })
    };
    PartJson {
        owner: part.owner.key(),
        label: label(part.owner),
        a_ps: part.a_ps,
        b_ps: part.b_ps,
        delta_ps: part.delta_ps,
        children: part.children.iter().take(top).filter_map(child).collect(),
    }
}

fn grouped(comparison: &Comparison, by: CompareBy, top: usize) -> GroupsJson {
    let all = groups(&comparison.rows, by);
    let n_groups = all.len();
    let group = |of: GroupDelta| GroupJson {
        name: of.name,
        kind: of.kind.map(Kind::key),
        n_rows: of.n_rows,
        a_ps: of.a_ps,
        b_ps: of.b_ps,
        delta_ps: of.delta_ps,
    };
    GroupsJson { by: by.key(), groups: all.into_iter().take(top).map(group).collect(), n_groups }
}

/// Returns the `top` scopes below the root with the largest difference.
fn scopes(comparison: &Comparison, top: usize) -> Vec<ScopeJson<'_>> {
    let mut all: Vec<&ScopeDelta> = comparison.scopes.iter().skip(1).collect();
    all.sort_by_key(|scope| Reverse(scope.delta_ps().unsigned_abs()));
    all.into_iter().take(top).map(scope).collect()
}

fn scope(scope: &ScopeDelta) -> ScopeJson<'_> {
    ScopeJson {
        path: &scope.path,
        name: &scope.name,
        a_ps: scope.a.total,
        b_ps: scope.b.total,
        delta_ps: scope.delta_ps(),
    }
}

fn row(row: &RowDelta) -> RowJson<'_> {
    RowJson {
        name: row.name(),
        kind: row.kind.key(),
        tier: row.tier.map(Tier::key),
        weight: row.tier.map(Tier::weight),
        ambiguous: row.is_ambiguous,
        a: row.a.as_ref().map(side),
        b: row.b.as_ref().map(side),
        delta_ps: row.delta_ps,
        count_ps: row.count_ps,
        work_ps: row.work_ps,
        efficiency_ps: row.efficiency_ps,
        p: row.p,
        verdict: row.verdict_key(),
    }
}

fn side(side: &RowSide) -> SideJson<'_> {
    SideJson {
        ops: &side.ops,
        program_id: side.program_id.map(|id| id.to_string()),
        scope: side.scope.as_deref(),
        source: side.source.as_deref(),
        op_group: side.op_group.as_deref(),
        n_executions: side.n_executions,
        self_ps: side.self_ps,
        roofline_ps: side.roofline_ps,
    }
}
