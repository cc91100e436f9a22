//! This module visits a comparison. Its numbers are exact at every level, so that its reader sees the figures of its sender.

use super::comparison_parts::{comm, memory, programs};
use super::explanation::explanation;
use super::visit::{Text, Visit, VisitResult, each};
use crate::analysis::classify::Kind;
use crate::analysis::comm::{Core, Primitive};
use crate::analysis::compare::matching::Tier;
use crate::analysis::compare::statistics::Shift;
use crate::analysis::compare::{
    CommDelta, CompareRows, CompareUnit, Comparison, Explanation, FigureDelta, FindingDelta, MemoryDelta, OpGroupDelta,
    Parity, PartDelta, ProgramDiff, RowDelta, RowSide, ScopeDelta, ScopeTime, SideHead, TierShare, Verdict,
};
use crate::analysis::ledger::Owner;
use crate::analysis::overview::Unit;
use crate::share::comparison::{SharedComparison, is_sum_name};

const UNITS: [CompareUnit; 2] = [CompareUnit::Step, CompareUnit::MillionTokens];
const VERDICTS: [Verdict; 5] =
    [Verdict::WithinNoise, Verdict::Regression, Verdict::Improvement, Verdict::TooFewSteps, Verdict::Incomparable];

pub(super) fn comparison(v: &mut dyn Visit, shared: &mut Option<Box<SharedComparison>>) -> VisitResult {
    v.present(shared, || Box::new(SharedComparison::new(empty_comparison())))?;
    let Some(shared) = shared else { return Ok(()) };
    let SharedComparison { comparison, n_rows, n_cut, n_collectives, n_changes, n_scopes } = &mut **shared;
    for n in [n_rows, n_cut, n_collectives, n_changes, n_scopes] {
        v.small(n)?;
    }
    side(v, &mut comparison.a)?;
    side(v, &mut comparison.b)?;
    v.one_of(&mut comparison.unit, &UNITS)?;
    v.rows(&mut comparison.parity, || Parity {
        key: String::new(),
        label: String::new(),
        a: None,
        b: None,
        is_equal: None,
    })?;
    each(&mut comparison.parity, |parity| {
        v.string(&mut parity.key, Text::Word)?;
        v.string(&mut parity.label, Text::Word)?;
        v.text(&mut parity.a, None, Text::Sentence)?;
        v.text(&mut parity.b, parity.a.as_deref(), Text::Sentence)?;
        v.optional_one_of(&mut parity.is_equal, &[false, true])
    })?;
    for time in [&mut comparison.a_ps, &mut comparison.b_ps, &mut comparison.delta_ps] {
        v.signed(time)?;
    }
    v.present(&mut comparison.shift, || Shift { estimate: 0.0, low: 0.0, high: 0.0 })?;
    if let Some(Shift { estimate, low, high }) = &mut comparison.shift {
        for end in [estimate, low, high] {
            v.float(end, 0.0)?;
        }
    }
    v.real(&mut comparison.p, None)?;
    v.float(&mut comparison.band, 0.0)?;
    v.one_of(&mut comparison.verdict, &VERDICTS)?;
    rows(v, &mut comparison.rows)?;
    parts(v, &mut comparison.parts)?;
    scopes(v, &mut comparison.scopes)?;
    v.rows(&mut comparison.matched, || TierShare { tier: None, a: 0.0, b: 0.0 })?;
    each(&mut comparison.matched, |share| {
        v.optional_one_of(&mut share.tier, &Tier::ALL)?;
        v.float(&mut share.a, 0.0)?;
        v.float(&mut share.b, 0.0)
    })?;
    v.rows(&mut comparison.figures, || FigureDelta { name: String::new(), unit: Unit::Ps, a: None, b: None })?;
    each(&mut comparison.figures, |figure| {
        v.string(&mut figure.name, Text::Word)?;
        v.one_of(&mut figure.unit, &Unit::ALL)?;
        v.real(&mut figure.a, None)?;
        v.real(&mut figure.b, figure.a)
    })?;
    v.rows(&mut comparison.findings, || FindingDelta { id: String::new(), title: String::new(), is_new: false })?;
    each(&mut comparison.findings, |finding| {
        v.string(&mut finding.id, Text::Word)?;
        v.string(&mut finding.title, Text::Sentence)?;
        v.flag(&mut finding.is_new)
    })?;
    memory(v, &mut comparison.memory)?;
    comm(v, &mut comparison.comm, &Primitive::ALL, &Core::ALL)?;
    programs(v, &mut comparison.program_changes)?;
    // In a damaged comparison, parts and changes may name rows that do not exist.
    let n = comparison.rows.len();
    comparison.parts.iter_mut().for_each(|part| part.children.retain(|(row, _)| (*row as usize) < n));
    comparison.program_changes.changes.retain(|change| (change.row as usize) < n);
    v.texts(&mut comparison.notes, Text::Sentence)?;
    if v.version() >= 7 {
        explanation(v, &mut comparison.explanation)?;
    }
    Ok(())
}

/// Returns a comparison for the reader to fill.
fn empty_comparison() -> Comparison {
    let side = || SideHead {
        files: Vec::new(),
        device: String::new(),
        device_type: None,
        n_devices: 0,
        n_steps: 0,
        step_kind: None,
        period_ps: 0,
        periods_ps: Vec::new(),
        median_ps: None,
        tokens: None,
        is_partial: false,
        report_level: None,
    };
    Comparison {
        a: side(),
        b: side(),
        unit: CompareUnit::Step,
        parity: Vec::new(),
        a_ps: 0,
        b_ps: 0,
        delta_ps: 0,
        shift: None,
        p: None,
        band: 0.0,
        verdict: Verdict::WithinNoise,
        parts: Vec::new(),
        rows: Vec::new(),
        scopes: Vec::new(),
        matched: Vec::new(),
        figures: Vec::new(),
        findings: Vec::new(),
        memory: MemoryDelta::default(),
        comm: CommDelta::default(),
        program_changes: ProgramDiff::default(),
        explanation: Explanation::default(),
        notes: Vec::new(),
    }
}

fn side(v: &mut dyn Visit, head: &mut SideHead) -> VisitResult {
    v.texts(&mut head.files, Text::File)?;
    v.string(&mut head.device, Text::Device)?;
    v.text(&mut head.device_type, None, Text::Chip)?;
    v.small(&mut head.n_devices)?;
    v.small(&mut head.n_steps)?;
    v.exact(&mut head.period_ps)?;
    v.rows(&mut head.periods_ps, || 0)?;
    each(&mut head.periods_ps, |period| v.exact(period))?;
    v.real(&mut head.median_ps, None)?;
    v.optional(&mut head.tokens)?;
    v.flag(&mut head.is_partial)?;
    let mut level = head.report_level.map(u64::from);
    v.optional(&mut level)?;
    head.report_level = level.and_then(|level| u8::try_from(level).ok());
    if v.version() >= 5 {
        v.text(&mut head.step_kind, None, Text::Program)?;
    }
    Ok(())
}

fn parts(v: &mut dyn Visit, parts: &mut Vec<PartDelta>) -> VisitResult {
    let part =
        || PartDelta { owner: Owner::Floor, a_ps: 0, b_ps: 0, delta_ps: 0, children: Vec::new(), groups: Vec::new() };
    v.rows(parts, part)?;
    each(parts, |part| v.one_of(&mut part.owner, &Owner::ALL))?;
    each(parts, |part| v.signed(&mut part.a_ps))?;
    each(parts, |part| v.signed(&mut part.b_ps))?;
    each(parts, |part| v.difference(&mut part.delta_ps, part.b_ps.wrapping_sub(part.a_ps)))?;
    each(parts, |part| {
        v.rows(&mut part.children, || (0, 0))?;
        each(&mut part.children, |(row, delta)| {
            v.small(row)?;
            v.signed(delta)
        })
    })?;
    let group = || OpGroupDelta { name: String::new(), n_rows: 0, rows: CompareRows::All, delta_ps: 0 };
    each(parts, |part| {
        v.rows(&mut part.groups, group)?;
        each(&mut part.groups, |group| {
            v.string(&mut group.name, Text::Op)?;
            v.small(&mut group.n_rows)?;
            v.one_of(&mut group.rows, &CompareRows::ALL)?;
            v.signed(&mut group.delta_ps)
        })
    })
}

fn rows(v: &mut dyn Visit, rows: &mut Vec<RowDelta>) -> VisitResult {
    let row = || RowDelta {
        kind: Kind::Compute,
        tier: None,
        is_ambiguous: false,
        a: None,
        b: None,
        delta_ps: 0,
        count_ps: 0,
        work_ps: None,
        efficiency_ps: None,
        p: None,
        verdict: Verdict::WithinNoise,
    };
    v.rows(rows, row)?;
    each(rows, |row| v.one_of(&mut row.kind, &Kind::ALL))?;
    each(rows, |row| v.optional_one_of(&mut row.tier, &Tier::ALL))?;
    each(rows, |row| v.flag(&mut row.is_ambiguous))?;
    each(rows, |row| v.present(&mut row.a, RowSide::default))?;
    each(rows, |row| v.present(&mut row.b, RowSide::default))?;
    let mut sides: Vec<&mut RowSide> = rows.iter_mut().filter_map(|row| row.a.as_mut()).collect();
    row_sides(v, &mut sides)?;
    let mut sides: Vec<&mut RowSide> = rows.iter_mut().filter_map(|row| row.b.as_mut()).collect();
    row_sides(v, &mut sides)?;
    let time = |side: &Option<RowSide>| side.as_ref().map_or(0, |side| side.self_ps);
    each(rows, |row| {
        let usual = time(&row.b).wrapping_sub(time(&row.a));
        v.difference(&mut row.delta_ps, usual)
    })?;
    each(rows, |row| v.signed(&mut row.count_ps))?;
    each(rows, |row| v.optional_signed(&mut row.work_ps))?;
    each(rows, |row| {
        v.present(&mut row.efficiency_ps, || 0)?;
        let usual = row.delta_ps.wrapping_sub(row.count_ps).wrapping_sub(row.work_ps.unwrap_or(0));
        row.efficiency_ps.as_mut().map_or(Ok(()), |efficiency| v.difference(efficiency, usual))
    })?;
    each(rows, |row| v.real(&mut row.p, None))?;
    each(rows, |row| v.one_of(&mut row.verdict, &VERDICTS))
}

fn row_sides(v: &mut dyn Visit, sides: &mut [&mut RowSide]) -> VisitResult {
    each(sides, |side| {
        v.rows(&mut side.ops, String::new)?;
        each(&mut side.ops, |name| {
            let what = if is_sum_name(name) { Text::Word } else { Text::Op };
            v.string(name, what)
        })
    })?;
    each(sides, |side| v.program_id(&mut side.program_id))?;
    each(sides, |side| v.text(&mut side.scope, None, Text::Scope))?;
    each(sides, |side| v.text(&mut side.source, None, Text::Source))?;
    each(sides, |side| v.text(&mut side.op_group, None, Text::Word))?;
    each(sides, |side| v.float(&mut side.n_executions, 1.0))?;
    each(sides, |side| v.signed(&mut side.self_ps))?;
    each(sides, |side| v.real(&mut side.roofline_ps, None))
}

fn scopes(v: &mut dyn Visit, scopes: &mut Vec<ScopeDelta>) -> VisitResult {
    let scope = || ScopeDelta {
        name: String::new(),
        path: String::new(),
        parent: None,
        a: ScopeTime::default(),
        b: ScopeTime::default(),
    };
    v.rows(scopes, scope)?;
    each(scopes, |scope| v.string(&mut scope.path, Text::Scope))?;
    each(scopes, |scope| v.string_with_usual(&mut scope.name, &scope.path, Text::Scope))?;
    each(scopes, |scope| v.optional_small(&mut scope.parent))?;
    for is_b in [false, true] {
        each(scopes, |scope| {
            let time = if is_b { &mut scope.b } else { &mut scope.a };
            let mut sum = 0_u64;
            time.by_kind.iter_mut().try_for_each(|kind| {
                v.exact(kind)?;
                sum = sum.wrapping_add(*kind);
                Ok(())
            })?;
            v.number(&mut time.total, sum, super::visit::Number::Exact)
        })?;
    }
    // A scope comes after its parent; in a damaged report it may not.
    for (index, scope) in (0_u32..).zip(scopes) {
        scope.parent = scope.parent.filter(|parent| *parent < index);
    }
    Ok(())
}
