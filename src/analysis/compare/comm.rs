//! This module compares the collectives of two sessions, by primitive, groups of devices and scope.

use super::exact::{Divisors, Numerator, round, round_parts};
use super::sections::{CommDelta, CommRowDelta, CommSide, TimeDelta};
use crate::analysis::classify::scope_path;
use crate::analysis::comm::{Comm, CommRow, Core, Primitive};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Picos;

/// The properties by which collectives of both sides belong together.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    primitive: Primitive,
    core: Core,
    group_size: Option<u64>,
    group_stride: Option<u64>,
    scope: Option<String>,
}

impl Key {
    fn new(row: &CommRow) -> Self {
        let scope = row.scope.as_deref().map(scope_path::path).filter(|path| !path.is_empty());
        Self {
            primitive: row.primitive.unwrap_or(Primitive::Unknown),
            core: row.core,
            group_size: row.group.as_ref().and_then(|group| group.size),
            group_stride: row.group.as_ref().and_then(|group| group.stride),
            scope: scope.map(str::to_owned),
        }
    }
}

/// The rows of both sides with the same key.
type Cell<'a> = (Vec<&'a CommRow>, Vec<&'a CommRow>);

/// Compares the collectives of two sides. The figures of both are per step, by op; `divisors` turn them into those of a unit.
pub fn comm(a: Result<&Comm, &str>, b: Result<&Comm, &str>, divisors: Divisors) -> CommDelta {
    let (a, b) = match (a, b) {
        (Ok(a), Ok(b)) => (a, b),
        (Err(absent), _) | (_, Err(absent)) => {
            return CommDelta { absent: Some(absent.to_owned()), ..CommDelta::default() };
        }
    };
    let mut cells: BTreeMap<Key, Cell<'_>> = BTreeMap::new();
    a.rows.iter().for_each(|row| cells.entry(Key::new(row)).or_default().0.push(row));
    b.rows.iter().for_each(|row| cells.entry(Key::new(row)).or_default().1.push(row));
    let (exposed, exposed_deltas) = times(&cells, divisors, |row| row.overlap.exposed);
    let (stall, stall_deltas) = times(&cells, divisors, |row| row.stall);
    let deltas = exposed_deltas.into_iter().zip(stall_deltas);
    let mut rows: Vec<CommRowDelta> =
        cells.into_iter().zip(deltas).map(|((key, cell), deltas)| row(key, &cell, divisors, deltas)).collect();
    // The keys are in order, so ties are.
    rows.small_sort_by_key(|row| Reverse((row.exposed_delta_ps.unsigned_abs(), row.stall_delta_ps.unsigned_abs())));
    CommDelta { rows, exposed, stall, absent: None }
}

/// Returns a time of both sides, and the difference of each cell. The differences sum to that of the whole.
fn times(
    cells: &BTreeMap<Key, Cell<'_>>,
    divisors: Divisors,
    time: impl Fn(&CommRow) -> Picos,
) -> (TimeDelta, Vec<i64>) {
    let sum = |rows: &[&CommRow]| rows.iter().map(|row| time(row)).sum::<Picos>().0;
    let sums: Vec<(u64, u64)> = cells.values().map(|(a, b)| (sum(a), sum(b))).collect();
    let numerators: Vec<Numerator> = sums.iter().map(|(a, b)| divisors.difference(*a, *b)).collect();
    let delta_ps = round(numerators.iter().sum(), divisors.denominator());
    let (all_a, all_b) =
        sums.iter().fold((0_u64, 0_u64), |(a, b), pair| (a.saturating_add(pair.0), b.saturating_add(pair.1)));
    let whole = TimeDelta { a_ps: divisors.mean_a(all_a), b_ps: divisors.mean_b(all_b), delta_ps };
    (whole, round_parts(&numerators, divisors.denominator(), delta_ps))
}

fn row(key: Key, (a, b): &Cell<'_>, divisors: Divisors, (exposed, stall): (i64, i64)) -> CommRowDelta {
    let (bytes_a, bytes_b) = (bytes(a), bytes(b));
    let delta = bytes_a.zip(bytes_b).map(|(a, b)| round(divisors.difference(a, b), divisors.denominator()));
    let (scale_a, scale_b) = divisors.scales();
    CommRowDelta {
        primitive: key.primitive,
        core: key.core,
        group_size: key.group_size,
        group_stride: key.group_stride,
        scope: key.scope,
        a: side(a, scale_a, |sum| divisors.mean_a(sum)),
        b: side(b, scale_b, |sum| divisors.mean_b(sum)),
        exposed_delta_ps: exposed,
        stall_delta_ps: stall,
        bytes_delta: delta,
    }
}

/// Returns the message bytes of some rows: 0 without rows, and `None` if a size is unknown.
fn bytes(rows: &[&CommRow]) -> Option<u64> {
    rows.iter().try_fold(0_u64, |sum, row| Some(sum.saturating_add(row.bytes?)))
}

fn side(rows: &[&CommRow], scale: f64, mean: impl Fn(u64) -> i64) -> Option<CommSide> {
    if rows.is_empty() {
        return None;
    }
    let mut ordered = rows.to_vec();
    ordered.small_sort_by_key(|row| (Reverse(row.overlap.exposed), &row.key));
    let sum = |time: fn(&CommRow) -> Picos| mean(rows.iter().map(|row| time(row)).sum::<Picos>().0);
    let wall: f64 = rows.iter().map(|row| row.wall.as_f64()).sum();
    let carried: Option<f64> = rows.iter().map(|row| Some(row.bus_rate? * row.wall.as_f64())).sum();
    Some(CommSide {
        ops: ordered.iter().map(|row| row.op.clone().unwrap_or_else(|| row.key.clone())).collect(),
        n_executions: rows.iter().map(|row| row.n.as_f64()).sum::<f64>() * scale,
        bytes: bytes(rows).map(&mean),
        exposed_ps: sum(|row| row.overlap.exposed),
        stall_ps: sum(|row| row.stall),
        bus_rate: carried.filter(|_| wall > 0.0).map(|carried| carried / wall),
    })
}
