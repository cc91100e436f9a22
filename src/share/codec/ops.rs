//! This module visits the ops of a report: the columns of the breakdown, and the roofline of each op.

use super::figures::skipped;
use super::visit::{Text, Visit, VisitResult, each};
use super::{defaults, figures};
use crate::analysis::breakdown::Share;
use crate::analysis::classify::Kind;
use crate::share::report::{OmittedSum, OpRow, Point};
use crate::units::{Count, Picos};

pub(super) fn rows(v: &mut dyn Visit, of: &mut Vec<OpRow>) -> VisitResult {
    v.rows(of, || OpRow { group: defaults::group(), point: None })?;
    each(of, |row| v.string(&mut row.group.key, Text::Op))?;
    each(of, |row| v.string_with_usual(&mut row.group.key_kind, "op", Text::Word))?;
    each(of, |row| v.one_of(&mut row.group.kind, &Kind::ALL))?;
    each(of, |row| v.text(&mut row.group.program, None, Text::Program))?;
    each(of, |row| v.program_id(&mut row.group.program_id))?;
    each(of, |row| v.executions(&mut row.group.n_executions, Count::ONE))?;
    each(of, |row| v.time(&mut row.group.total))?;
    each(of, |row| v.time_with_usual(&mut row.group.inclusive, row.group.total))?;
    each(of, |row| v.time_with_usual(&mut row.group.min, row.group.total))?;
    each(of, |row| v.time_with_usual(&mut row.group.max, row.group.min))?;
    each(of, |row| v.real(&mut row.group.flops, None))?;
    each(of, |row| v.real(&mut row.group.model_flops, row.group.flops))?;
    each(of, |row| v.real(&mut row.group.bytes_accessed, None))?;
    each(of, |row| v.text(&mut row.group.op_group, None, Text::Word))?;
    each(of, |row| v.text(&mut row.group.phase, None, Text::Word))?;
    each(of, |row| v.text(&mut row.group.layer, None, Text::Scope))?;
    each(of, |row| v.texts(&mut row.group.dtypes, Text::Word))?;
    each(of, |row| v.texts(&mut row.group.shapes, Text::Shape))?;
    each(of, |row| v.text(&mut row.group.source_stack, None, Text::Source))?;
    each(of, |row| v.text(&mut row.group.source_inner, None, Text::Source))?;
    each(of, |row| v.text(&mut row.group.tf_op, None, Text::Scope))?;
    each(of, |row| v.text(&mut row.group.example, Some(&row.group.key), Text::Op))?;
    each(of, |row| v.optional_time(&mut row.group.example_dur))?;
    each(of, |row| categories(v, row))?;
    each(of, |row| parts(v, row))?;
    each(of, |row| v.present(&mut row.point, Point::default))?;
    points(v, of)
}

fn categories(v: &mut dyn Visit, row: &mut OpRow) -> VisitResult {
    let group = &mut row.group;
    let (usual, n) = (group.total, group.n_executions);
    let mut shares: Vec<(String, Share)> = std::mem::take(&mut group.categories).into_iter().collect();
    v.rows(&mut shares, Default::default)?;
    each(&mut shares, |(name, share)| {
        v.string(name, Text::Category)?;
        v.time_with_usual(&mut share.dur, usual)?;
        v.executions(&mut share.n, n)
    })?;
    group.categories = shares.into_iter().collect();
    Ok(())
}

fn parts(v: &mut dyn Visit, row: &mut OpRow) -> VisitResult {
    let (usual, n) = (row.group.total, row.group.n_executions);
    v.rows(&mut row.group.parts, defaults::signature_time)?;
    each(&mut row.group.parts, |part| {
        v.string(&mut part.signature, Text::Op)?;
        v.text(&mut part.category, None, Text::Category)?;
        v.time_with_usual(&mut part.total, usual)?;
        v.executions(&mut part.n, n)
    })
}

fn points(v: &mut dyn Visit, of: &mut [OpRow]) -> VisitResult {
    let mut points: Vec<&mut Point> = of.iter_mut().filter_map(|row| row.point.as_mut()).collect();
    each(&mut points, |point| skipped(v, &mut point.skipped))?;
    each(&mut points, |point| v.real(&mut point.cumulative, None))?;
    each(&mut points, |point| v.present(&mut point.roof, defaults::roof))?;
    drop(points);
    let known = of.iter_mut().filter_map(|row| {
        let OpRow { group, point } = row;
        Some((point.as_mut()?.roof.as_mut()?, &*group))
    });
    let mut roofs: Vec<_> = known.map(|(roof, group)| (roof, figures::Whole::from_group(group))).collect();
    figures::roofs(v, &mut roofs)
}

pub(super) fn rest(v: &mut dyn Visit, of: &mut Vec<OmittedSum>) -> VisitResult {
    v.rows(of, || OmittedSum { kind: Kind::Other, n_rows: 0, n_executions: Count::ZERO, total: Picos::ZERO })?;
    each(of, |rest| v.one_of(&mut rest.kind, &Kind::ALL))?;
    each(of, |rest| v.small(&mut rest.n_rows))?;
    each(of, |rest| v.executions(&mut rest.n_executions, Count::ZERO))?;
    each(of, |rest| v.time(&mut rest.total))
}
