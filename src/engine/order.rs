//! The order of rows, and the largest figure of each column. Pure; knows groups only.

use super::{Column, Largest, Sort};
use crate::analysis::Group;
use std::cmp::Ordering;

/// Indices of `groups` in the order asked for. Ties go by key, then by program; absent values come last in
/// both directions.
pub(super) fn sorted(groups: &[Group], sort: Sort) -> Vec<u32> {
    let mut order: Vec<u32> = (0..groups.len() as u32).collect();
    order.sort_by(|a, b| {
        let (a, b) = (&groups[*a as usize], &groups[*b as usize]);
        compare(a, b, sort).then_with(|| a.key.cmp(&b.key)).then_with(|| a.program_id.cmp(&b.program_id))
    });
    order
}

fn compare(a: &Group, b: &Group, sort: Sort) -> Ordering {
    let direct = |o: Ordering| if sort.descending { o.reverse() } else { o };
    match sort.column {
        Column::Name => direct(a.key.cmp(&b.key)),
        Column::Total | Column::OfStep => direct(a.total.cmp(&b.total)),
        Column::Kind => direct(a.kind.cmp(&b.kind)),
        Column::Category => present(a.main_category(), b.main_category(), sort, Ord::cmp),
        Column::Executions => direct(a.n_executions.cmp(&b.n_executions)),
        Column::Mean => present(a.mean, b.mean, sort, Ord::cmp),
        Column::FlopRate => present(a.flop_rate(), b.flop_rate(), sort, f64::total_cmp),
        Column::ByteRate => present(a.byte_rate(), b.byte_rate(), sort, f64::total_cmp),
        Column::Source => present(a.source_inner.as_deref(), b.source_inner.as_deref(), sort, Ord::cmp),
        Column::Program => present(a.program.as_deref(), b.program.as_deref(), sort, Ord::cmp),
    }
}

fn present<T>(a: Option<T>, b: Option<T>, sort: Sort, cmp: impl Fn(&T, &T) -> Ordering) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) if sort.descending => cmp(&b, &a),
        (Some(a), Some(b)) => cmp(&a, &b),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    }
}

/// The largest figure of each column.
pub(super) fn largest(groups: &[Group]) -> Largest {
    let max = |of: fn(&Group) -> Option<f64>| groups.iter().filter_map(of).max_by(f64::total_cmp);
    Largest {
        total: groups.iter().map(|g| g.total).max().unwrap_or_default(),
        mean: groups.iter().filter_map(|g| g.mean).max().unwrap_or_default(),
        inclusive: groups.iter().map(|g| g.inclusive).max().unwrap_or_default(),
        n_executions: groups.iter().map(|g| g.n_executions).max().unwrap_or_default(),
        flop_rate: max(Group::flop_rate),
        byte_rate: max(Group::byte_rate),
    }
}
