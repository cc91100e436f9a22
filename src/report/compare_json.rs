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
pub(super) const fn unit(of: CompareUnit) -> &'static str {
    match of {
        CompareUnit::Step => "step",
        CompareUnit::MillionTokens => "million_tokens",
    }
}

/// Returns a comparison as JSON, with the `top` rows of the largest difference. Unless `by` is [`CompareBy::Op`], it also has the
/// `top` groups of all rows.
pub fn compare<'a>(of: &'a Comparison, by: CompareBy, gate: Option<&Gate>, top: usize) -> CompareJson<'a> {
    let is_partial = of.a.is_partial || of.b.is_partial;
    CompareJson {
        status: if is_partial { "partial" } else { "ok" },
        view: "compare",
        verdict: of.verdict.key(),
        sentence: super::compare_text::sentence(of),
        unit: unit(of.unit),
        a: &of.a,
        b: &of.b,
        a_ps: of.a_ps,
        b_ps: of.b_ps,
        delta_ps: of.delta_ps,
        change: of.change(),
        shift_ps: of.shift.map(|shift| shift.estimate),
        interval_ps: of.shift.map(|shift| [shift.low, shift.high]),
        p: of.p,
        n: [of.a.periods_ps.len(), of.b.periods_ps.len()],
        band: of.band,
        gate: gate.map(|gate| GateJson {
            on: gate.on.key(),
            limit: gate.limit,
            change: gate.change(of).filter(|change| change.is_finite()),
            rows_over: gate.rows_over,
            slower_rows: gate.slower_rows(of).into_iter().map(RowDelta::name).collect(),
            new_rows: gate.new_rows(of).into_iter().map(RowDelta::name).collect(),
            result: gate.evaluate(of),
        }),
        notes: &of.notes,
        parity: &of.parity,
        waterfall: of.parts.iter().map(|part| part_json(of, part, top)).collect(),
        rows: of.rows.iter().take(top).map(row).collect(),
        n_rows: of.rows.len(),
        grouped: (by != CompareBy::Op).then(|| grouped(of, by, top)),
        scopes: scopes(of, top),
        n_scopes: of.scopes.len().saturating_sub(1),
        matched_pct: of
            .matched
            .iter()
            .map(|share| (share.tier.map_or("only_in_one", Tier::key), [100.0 * share.a, 100.0 * share.b]))
            .collect(),
        figures: &of.figures,
        findings: &of.findings,
        memory: compare_sections_json::memory(&of.memory),
        comm: compare_sections_json::comm(&of.comm, top),
        program_changes: compare_sections_json::program_changes(of, top),
    }
}

pub(super) fn part_json<'a>(of: &'a Comparison, part: &PartDelta, top: usize) -> PartJson<'a> {
    let child =
        |(row, delta): &(u32, i64)| Some(ChildJson { name: of.rows.get(*row as usize)?.name(), delta_ps: *delta });
    PartJson {
        owner: part.owner.key(),
        label: label(part.owner),
        a_ps: part.a_ps,
        b_ps: part.b_ps,
        delta_ps: part.delta_ps,
        children: part.children.iter().take(top).filter_map(child).collect(),
    }
}

fn grouped(of: &Comparison, by: CompareBy, top: usize) -> GroupsJson {
    let all = groups(&of.rows, by);
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
fn scopes(of: &Comparison, top: usize) -> Vec<ScopeJson<'_>> {
    let mut all: Vec<&ScopeDelta> = of.scopes.iter().skip(1).collect();
    all.sort_by_key(|scope| Reverse(scope.delta_ps().unsigned_abs()));
    all.into_iter().take(top).map(scope).collect()
}

fn scope(of: &ScopeDelta) -> ScopeJson<'_> {
    ScopeJson { path: &of.path, name: &of.name, a_ps: of.a.total, b_ps: of.b.total, delta_ps: of.delta_ps() }
}

fn row(of: &RowDelta) -> RowJson<'_> {
    RowJson {
        name: of.name(),
        kind: of.kind.key(),
        tier: of.tier.map(Tier::key),
        weight: of.tier.map(Tier::weight),
        ambiguous: of.is_ambiguous,
        a: of.a.as_ref().map(side),
        b: of.b.as_ref().map(side),
        delta_ps: of.delta_ps,
        count_ps: of.count_ps,
        work_ps: of.work_ps,
        efficiency_ps: of.efficiency_ps,
        p: of.p,
        verdict: of.verdict_key(),
    }
}

fn side(of: &RowSide) -> SideJson<'_> {
    SideJson {
        ops: &of.ops,
        program_id: of.program_id.map(|id| id.to_string()),
        scope: of.scope.as_deref(),
        source: of.source.as_deref(),
        op_group: of.op_group.as_deref(),
        n_executions: of.n_executions,
        self_ps: of.self_ps,
        roofline_ps: of.roofline_ps,
    }
}
