//! This module visits a comparison. Its numbers are exact at every level, so that its reader sees the figures of its sender.

use super::comm::{CORES, PRIMITIVES};
use super::comparison_parts::{comm, memory, programs};
use super::visit::{Text, Visit, VisitResult, each};
use crate::analysis::classify::Kind;
use crate::analysis::compare::matching::Tier;
use crate::analysis::compare::statistics::Shift;
use crate::analysis::compare::{
    CommDelta, CompareRows, CompareUnit, Comparison, FigureDelta, FindingDelta, MemoryDelta, OpGroupDelta, Parity,
    PartDelta, ProgramDiff, RowDelta, RowSide, ScopeDelta, ScopeTime, SideHead, TierShare, Verdict,
};
use crate::analysis::ledger::Owner;
use crate::analysis::overview::Unit;
use crate::share::comparison::{SharedComparison, is_sum_name};

const UNITS: [CompareUnit; 2] = [CompareUnit::Step, CompareUnit::MillionTokens];
const FIGURE_UNITS: [Unit; 5] = [Unit::Ps, Unit::Fraction, Unit::Bytes, Unit::Flops, Unit::Count];
const VERDICTS: [Verdict; 5] =
    [Verdict::WithinNoise, Verdict::Regression, Verdict::Improvement, Verdict::TooFewSteps, Verdict::Incomparable];

pub(super) fn comparison(v: &mut dyn Visit, of: &mut Option<Box<SharedComparison>>) -> VisitResult {
    v.present(of, || Box::new(SharedComparison::new(blank())))?;
    let Some(of) = of else { return Ok(()) };
    let SharedComparison { comparison, n_rows, n_cut, n_collectives, n_changes, n_scopes } = &mut **of;
    for n in [n_rows, n_cut, n_collectives, n_changes, n_scopes] {
        v.small(n)?;
    }
    let of = comparison;
    side(v, &mut of.a)?;
    side(v, &mut of.b)?;
    v.one_of(&mut of.unit, &UNITS)?;
    v.rows(&mut of.parity, || Parity { key: String::new(), label: String::new(), a: None, b: None, is_equal: None })?;
    each(&mut of.parity, |parity| {
        v.string(&mut parity.key, Text::Word)?;
        v.string(&mut parity.label, Text::Word)?;
        v.text(&mut parity.a, None, Text::Sentence)?;
        v.text(&mut parity.b, parity.a.as_deref(), Text::Sentence)?;
        v.optional_one_of(&mut parity.is_equal, &[false, true])
    })?;
    for time in [&mut of.a_ps, &mut of.b_ps, &mut of.delta_ps] {
        v.signed(time)?;
    }
    v.present(&mut of.shift, || Shift { estimate: 0.0, low: 0.0, high: 0.0 })?;
    if let Some(Shift { estimate, low, high }) = &mut of.shift {
        for end in [estimate, low, high] {
            v.float(end, 0.0)?;
        }
    }
    v.real(&mut of.p, None)?;
    v.float(&mut of.band, 0.0)?;
    v.one_of(&mut of.verdict, &VERDICTS)?;
    rows(v, &mut of.rows)?;
    parts(v, &mut of.parts)?;
    scopes(v, &mut of.scopes)?;
    v.rows(&mut of.matched, || TierShare { tier: None, a: 0.0, b: 0.0 })?;
    each(&mut of.matched, |share| {
        v.optional_one_of(&mut share.tier, &Tier::ALL)?;
        v.float(&mut share.a, 0.0)?;
        v.float(&mut share.b, 0.0)
    })?;
    v.rows(&mut of.figures, || FigureDelta { name: String::new(), unit: Unit::Ps, a: None, b: None })?;
    each(&mut of.figures, |figure| {
        v.string(&mut figure.name, Text::Word)?;
        v.one_of(&mut figure.unit, &FIGURE_UNITS)?;
        v.real(&mut figure.a, None)?;
        v.real(&mut figure.b, figure.a)
    })?;
    v.rows(&mut of.findings, || FindingDelta { id: String::new(), title: String::new(), is_new: false })?;
    each(&mut of.findings, |finding| {
        v.string(&mut finding.id, Text::Word)?;
        v.string(&mut finding.title, Text::Sentence)?;
        v.flag(&mut finding.is_new)
    })?;
    memory(v, &mut of.memory)?;
    comm(v, &mut of.comm, &PRIMITIVES, &CORES)?;
    programs(v, &mut of.program_changes)?;
    // In a damaged comparison, parts and changes may name rows that do not exist.
    let n = of.rows.len();
    of.parts.iter_mut().for_each(|part| part.children.retain(|(row, _)| (*row as usize) < n));
    of.program_changes.changes.retain(|change| (change.row as usize) < n);
    v.texts(&mut of.notes, Text::Sentence)
}

/// Returns a comparison for the reader to fill.
fn blank() -> Comparison {
    let side = || SideHead {
        files: Vec::new(),
        device: String::new(),
        device_type: None,
        n_devices: 0,
        n_steps: 0,
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
        notes: Vec::new(),
    }
}

fn side(v: &mut dyn Visit, of: &mut SideHead) -> VisitResult {
    v.texts(&mut of.files, Text::File)?;
    v.string(&mut of.device, Text::Device)?;
    v.text(&mut of.device_type, None, Text::Chip)?;
    v.small(&mut of.n_devices)?;
    v.small(&mut of.n_steps)?;
    v.exact(&mut of.period_ps)?;
    v.rows(&mut of.periods_ps, || 0)?;
    each(&mut of.periods_ps, |period| v.exact(period))?;
    v.real(&mut of.median_ps, None)?;
    v.optional(&mut of.tokens)?;
    v.flag(&mut of.is_partial)?;
    let mut level = of.report_level.map(u64::from);
    v.optional(&mut level)?;
    of.report_level = level.and_then(|level| u8::try_from(level).ok());
    Ok(())
}

fn parts(v: &mut dyn Visit, of: &mut Vec<PartDelta>) -> VisitResult {
    let part =
        || PartDelta { owner: Owner::Floor, a_ps: 0, b_ps: 0, delta_ps: 0, children: Vec::new(), groups: Vec::new() };
    v.rows(of, part)?;
    each(of, |part| v.one_of(&mut part.owner, &Owner::ALL))?;
    each(of, |part| v.signed(&mut part.a_ps))?;
    each(of, |part| v.signed(&mut part.b_ps))?;
    each(of, |part| v.difference(&mut part.delta_ps, part.b_ps.wrapping_sub(part.a_ps)))?;
    each(of, |part| {
        v.rows(&mut part.children, || (0, 0))?;
        each(&mut part.children, |(row, delta)| {
            v.small(row)?;
            v.signed(delta)
        })
    })?;
    let group = || OpGroupDelta { name: String::new(), n_rows: 0, rows: CompareRows::All, delta_ps: 0 };
    each(of, |part| {
        v.rows(&mut part.groups, group)?;
        each(&mut part.groups, |group| {
            v.string(&mut group.name, Text::Op)?;
            v.small(&mut group.n_rows)?;
            v.one_of(&mut group.rows, &CompareRows::ALL)?;
            v.signed(&mut group.delta_ps)
        })
    })
}

fn rows(v: &mut dyn Visit, of: &mut Vec<RowDelta>) -> VisitResult {
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
    v.rows(of, row)?;
    each(of, |row| v.one_of(&mut row.kind, &Kind::ALL))?;
    each(of, |row| v.optional_one_of(&mut row.tier, &Tier::ALL))?;
    each(of, |row| v.flag(&mut row.is_ambiguous))?;
    each(of, |row| v.present(&mut row.a, RowSide::default))?;
    each(of, |row| v.present(&mut row.b, RowSide::default))?;
    let mut sides: Vec<&mut RowSide> = of.iter_mut().filter_map(|row| row.a.as_mut()).collect();
    row_sides(v, &mut sides)?;
    let mut sides: Vec<&mut RowSide> = of.iter_mut().filter_map(|row| row.b.as_mut()).collect();
    row_sides(v, &mut sides)?;
    let time = |side: &Option<RowSide>| side.as_ref().map_or(0, |side| side.self_ps);
    each(of, |row| {
        let usual = time(&row.b).wrapping_sub(time(&row.a));
        v.difference(&mut row.delta_ps, usual)
    })?;
    each(of, |row| v.signed(&mut row.count_ps))?;
    each(of, |row| v.optional_signed(&mut row.work_ps))?;
    each(of, |row| {
        v.present(&mut row.efficiency_ps, || 0)?;
        let usual = row.delta_ps.wrapping_sub(row.count_ps).wrapping_sub(row.work_ps.unwrap_or(0));
        row.efficiency_ps.as_mut().map_or(Ok(()), |efficiency| v.difference(efficiency, usual))
    })?;
    each(of, |row| v.real(&mut row.p, None))?;
    each(of, |row| v.one_of(&mut row.verdict, &VERDICTS))
}

fn row_sides(v: &mut dyn Visit, of: &mut [&mut RowSide]) -> VisitResult {
    each(of, |side| {
        v.rows(&mut side.ops, String::new)?;
        each(&mut side.ops, |name| {
            let what = if is_sum_name(name) { Text::Word } else { Text::Op };
            v.string(name, what)
        })
    })?;
    each(of, |side| v.program_id(&mut side.program_id))?;
    each(of, |side| v.text(&mut side.scope, None, Text::Scope))?;
    each(of, |side| v.text(&mut side.source, None, Text::Source))?;
    each(of, |side| v.text(&mut side.op_group, None, Text::Word))?;
    each(of, |side| v.float(&mut side.n_executions, 1.0))?;
    each(of, |side| v.signed(&mut side.self_ps))?;
    each(of, |side| v.real(&mut side.roofline_ps, None))
}

fn scopes(v: &mut dyn Visit, of: &mut Vec<ScopeDelta>) -> VisitResult {
    let scope = || ScopeDelta {
        name: String::new(),
        path: String::new(),
        parent: None,
        a: ScopeTime::default(),
        b: ScopeTime::default(),
    };
    v.rows(of, scope)?;
    each(of, |scope| v.string(&mut scope.path, Text::Scope))?;
    each(of, |scope| v.string_with_usual(&mut scope.name, &scope.path, Text::Scope))?;
    each(of, |scope| v.optional_small(&mut scope.parent))?;
    for is_b in [false, true] {
        each(of, |scope| {
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
    for (index, scope) in (0_u32..).zip(of) {
        scope.parent = scope.parent.filter(|parent| *parent < index);
    }
    Ok(())
}
