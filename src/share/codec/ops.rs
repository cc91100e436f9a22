//! This module visits the ops of a report: the columns of the breakdown, and the roofline of each op.

use super::figures::skipped;
use super::visit::{Text, Visit, VisitResult, each};
use super::{defaults, figures};
use crate::analysis::base::GroupBy;
use crate::analysis::breakdown::{Group, Share};
use crate::analysis::classify::{Kind, ModelModule};
use crate::share::omitted::OmittedSum;
use crate::share::report::{GroupedRows, OpRow, Point};
use xla_profile::units::{Count, Picos};

pub(super) fn rows(v: &mut dyn Visit, rows: &mut Vec<OpRow>) -> VisitResult {
    v.rows(rows, || OpRow { group: defaults::group(), point: None })?;
    let mut groups: Vec<&mut Group> = rows.iter_mut().map(|row| &mut row.group).collect();
    columns(v, &mut groups, Text::Op, "op")?;
    each(rows, |row| v.present(&mut row.point, Point::default))?;
    points(v, rows)
}

/// Visits the ops by each grouping of a report.
pub(super) fn groups(v: &mut dyn Visit, groupings: &mut Vec<GroupedRows>) -> VisitResult {
    v.rows(groupings, || GroupedRows { by: GroupedRows::ALL[0], rows: Vec::new(), rest: Vec::new() })?;
    each(groupings, |grouped| {
        v.one_of(&mut grouped.by, &GroupedRows::ALL)?;
        v.rows(&mut grouped.rows, defaults::group)?;
        let key = match grouped.by {
            GroupBy::Category => Text::Category,
            GroupBy::Scope => Text::Scope,
            GroupBy::Module => Text::Word,
            _ => Text::Op,
        };
        columns(v, &mut grouped.rows.iter_mut().collect::<Vec<_>>(), key, grouped.by.key())?;
        rest(v, &mut grouped.rest)
    })
}

/// Visits the columns of the breakdown. `key` is the kind of text of the names, and `usual` their most frequent type.
fn columns(v: &mut dyn Visit, groups: &mut [&mut Group], key: Text, usual: &str) -> VisitResult {
    each(groups, |group| v.string(&mut group.key, key))?;
    each(groups, |group| v.string_with_usual(&mut group.key_kind, usual, Text::Word))?;
    each(groups, |group| v.one_of(&mut group.kind, &Kind::ALL))?;
    each(groups, |group| v.text(&mut group.program, None, Text::Program))?;
    each(groups, |group| v.program_id(&mut group.program_id))?;
    each(groups, |group| v.executions(&mut group.n_executions, Count::ONE))?;
    each(groups, |group| v.time(&mut group.total))?;
    each(groups, |group| v.time_with_usual(&mut group.inclusive, group.total))?;
    each(groups, |group| v.time_with_usual(&mut group.min, group.total))?;
    each(groups, |group| v.time_with_usual(&mut group.max, group.min))?;
    each(groups, |group| v.real(&mut group.flops, None))?;
    each(groups, |group| v.real(&mut group.model_flops, group.flops))?;
    each(groups, |group| v.real(&mut group.bytes_accessed, None))?;
    each(groups, |group| v.text(&mut group.op_group, None, Text::Word))?;
    each(groups, |group| v.text(&mut group.phase, None, Text::Word))?;
    each(groups, |group| v.text(&mut group.layer, None, Text::Scope))?;
    each(groups, |group| v.texts(&mut group.dtypes, Text::Word))?;
    each(groups, |group| v.texts(&mut group.shapes, Text::Shape))?;
    each(groups, |group| v.text(&mut group.source_stack, None, Text::Source))?;
    each(groups, |group| v.text(&mut group.source_inner, None, Text::Source))?;
    each(groups, |group| v.text(&mut group.tf_op, None, Text::Scope))?;
    each(groups, |group| v.text(&mut group.example, Some(&group.key), Text::Op))?;
    each(groups, |group| v.optional_time(&mut group.example_dur))?;
    each(groups, |group| categories(v, group))?;
    each(groups, |group| parts(v, group))?;
    if v.version() >= 4 {
        each(groups, |group| v.time_with_usual(&mut group.other_kinds, Picos::ZERO))?;
        each(groups, |group| v.text(&mut group.kernel, None, Text::Op))?;
    }
    if v.version() >= 7 {
        each(groups, |group| v.optional_one_of(&mut group.module, &ModelModule::ALL))?;
    }
    Ok(())
}

fn categories(v: &mut dyn Visit, group: &mut Group) -> VisitResult {
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

fn parts(v: &mut dyn Visit, group: &mut Group) -> VisitResult {
    let (usual, n) = (group.total, group.n_executions);
    v.rows(&mut group.parts, defaults::signature_time)?;
    each(&mut group.parts, |part| {
        v.string(&mut part.signature, Text::Op)?;
        v.text(&mut part.category, None, Text::Category)?;
        v.time_with_usual(&mut part.total, usual)?;
        v.executions(&mut part.n, n)
    })
}

fn points(v: &mut dyn Visit, rows: &mut [OpRow]) -> VisitResult {
    let mut points: Vec<&mut Point> = rows.iter_mut().filter_map(|row| row.point.as_mut()).collect();
    each(&mut points, |point| skipped(v, &mut point.skipped))?;
    each(&mut points, |point| v.real(&mut point.cumulative, None))?;
    each(&mut points, |point| v.present(&mut point.roof, defaults::roof))?;
    if v.version() >= 4 {
        each(&mut points, |point| v.present(&mut point.selected, defaults::group))?;
        let mut selected: Vec<&mut Group> = points.iter_mut().filter_map(|point| point.selected.as_mut()).collect();
        columns(v, &mut selected, Text::Op, "op")?;
    }
    drop(points);
    let known = rows.iter_mut().filter_map(|row| {
        let OpRow { group, point } = row;
        let Point { selected, roof, .. } = point.as_mut()?;
        Some((roof.as_mut()?, selected.as_ref().unwrap_or(group)))
    });
    let mut roofs: Vec<_> = known.map(|(roof, group)| (roof, figures::Whole::from_group(group))).collect();
    figures::roofs(v, &mut roofs)
}

pub(super) fn rest(v: &mut dyn Visit, sums: &mut Vec<OmittedSum>) -> VisitResult {
    v.rows(sums, || OmittedSum { kind: Kind::Other, n_rows: 0, n_executions: Count::ZERO, total: Picos::ZERO })?;
    each(sums, |rest| v.one_of(&mut rest.kind, &Kind::ALL))?;
    each(sums, |rest| v.small(&mut rest.n_rows))?;
    each(sums, |rest| v.executions(&mut rest.n_executions, Count::ZERO))?;
    each(sums, |rest| v.time(&mut rest.total))
}
