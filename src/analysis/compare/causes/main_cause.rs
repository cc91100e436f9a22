//! This module chooses the part of the work that explains a difference.

use super::compared::Compared;
use super::report::{MainCause, PairLevel, WorkPair};
use super::work_pair::work_pair;
use super::work_rows::{WorkRow, WorkRows};
use crate::analysis::compare::report::PartDelta;
use crate::analysis::ledger::Owner;
use indexmap::IndexMap;

/// A part of the work, before its evidence is known.
struct Candidate {
    name: String,
    level: PairLevel,
    owner: Option<Owner>,
    rows: Vec<usize>,
    a_ps: i64,
    b_ps: i64,
    delta_ps: i64,
    /// The size of its difference as a share of the sizes of the differences of all parts that are its like. It is small if
    /// parts cancel each other.
    purity: f64,
}

/// Returns the part of the work that explains the difference best. `None` if none explains half of it.
pub(super) fn main_cause(work: &WorkRows<'_>, compared: &Compared<'_>) -> Option<MainCause> {
    let mut all = scopes(work, compared);
    let levels: [(PairLevel, KeyOf); 4] = [
        (PairLevel::Module, |row| row.module().map(|module| module.label().to_owned())),
        (PairLevel::Work, |row| Some(row.work().to_owned())),
        (PairLevel::OpGroup, |row| row.op_group().map(str::to_owned)),
        (PairLevel::Phase, |row| row.phase().map(|phase| phase.label().to_owned())),
    ];
    for (level, key) in levels {
        all.extend(groups(work, compared, level, key));
    }
    all.extend(owners(compared));
    let scored = all.into_iter().filter_map(|candidate| {
        let share = compared.explaining_share(candidate.delta_ps)?;
        Some((candidate.score(share, compared.times), share, candidate))
    });
    // Of equal scores, the first one counts.
    let (_, share, best) = scored.reduce(|best, next| if next.0 > best.0 { next } else { best })?;
    Some(best.cause(work, share))
}

/// Returns the name of the group of a row. `None` if it belongs to none.
type KeyOf = fn(&WorkRow<'_>) -> Option<String>;

impl Candidate {
    fn of_rows(work: &WorkRows<'_>, name: String, level: PairLevel, rows: Vec<usize>) -> Self {
        let (a_ps, b_ps) = (work.sum(&rows, WorkRow::a_ps), work.sum(&rows, WorkRow::b_ps));
        let delta_ps = work.sum(&rows, |row| row.row.delta_ps);
        Self { name, level, owner: None, rows, a_ps, b_ps, delta_ps, purity: 0.0 }
    }

    /// Returns how well it explains the difference, from 0 to 1. `share` is its own difference as a fraction of the whole one, and
    /// `a` and `b` are the times of the sides.
    fn score(&self, share: f64, (a, b): (i64, i64)) -> f64 {
        // The share of the time of a side that it has: a part that is nearly everything explains little.
        let size = (float(self.a_ps) / float(a).max(1.0)).max(float(self.b_ps) / float(b).max(1.0)).min(1.0);
        share.min(1.0 / share) * self.purity * (1.0 - size / 2.0)
    }

    fn cause(self, work: &WorkRows<'_>, share: f64) -> MainCause {
        let pair = WorkPair {
            a_ps: self.a_ps,
            b_ps: self.b_ps,
            delta_ps: self.delta_ps,
            ..work_pair(work, self.name, self.level, &self.rows)
        };
        MainCause { work: pair, owner: self.owner, share }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a share")]
const fn float(time: i64) -> f64 {
    time as f64
}

fn size(delta: i64) -> f64 {
    float(delta).abs()
}

fn idle<'c>(compared: &'c Compared<'_>) -> impl Iterator<Item = &'c PartDelta> {
    compared.parts.iter().filter(|part| matches!(part.owner, Owner::Gap(_)))
}

/// Returns each scope that both sides have. Its likes are the scopes beside it and beside those around it.
fn scopes(work: &WorkRows<'_>, compared: &Compared<'_>) -> Vec<Candidate> {
    let mut rows_of: IndexMap<&[String], Vec<usize>> = IndexMap::default();
    let mut others: IndexMap<&str, i64> = IndexMap::default();
    for (index, row) in work.rows.iter().enumerate() {
        for n in 1..=row.scopes.len() {
            rows_of.entry(&row.scopes[..n]).or_default().push(index);
        }
        if row.scopes.is_empty() {
            let sum = others.entry(row.op_group().unwrap_or_default()).or_default();
            *sum = sum.saturating_add(row.row.delta_ps);
        }
    }
    let outside: f64 = others.values().chain(idle(compared).map(|part| &part.delta_ps)).map(|delta| size(*delta)).sum();
    let deltas: IndexMap<&[String], i64> =
        rows_of.iter().map(|(scope, rows)| (*scope, work.sum(rows, |row| row.row.delta_ps))).collect();
    // The sizes of the differences of the scopes in each scope.
    let mut inside: IndexMap<&[String], f64> = IndexMap::default();
    for (scope, delta) in &deltas {
        *inside.entry(&scope[..scope.len() - 1]).or_default() += size(*delta);
    }
    let purity = |scope: &[String]| {
        let own = size(deltas.get(scope).copied().unwrap_or_default());
        let beside = |n: usize| {
            let likes = inside.get(&scope[..n - 1]).copied().unwrap_or_default();
            (likes - size(deltas.get(&scope[..n]).copied().unwrap_or_default())).max(0.0)
        };
        own / (own + outside + (1..=scope.len()).map(beside).sum::<f64>()).max(1.0)
    };
    let purities: Vec<f64> = rows_of.keys().map(|scope| purity(scope)).collect();
    let candidate = |((scope, rows), purity): ((&[String], Vec<usize>), f64)| Candidate {
        purity,
        ..Candidate::of_rows(work, scope.join("/"), PairLevel::Scope, rows)
    };
    rows_of.into_iter().zip(purities).map(candidate).collect()
}

/// Returns the groups of rows with the same name. Its likes are the other groups, and idle time.
fn groups(work: &WorkRows<'_>, compared: &Compared<'_>, level: PairLevel, key: KeyOf) -> Vec<Candidate> {
    let mut groups: IndexMap<Option<String>, Vec<usize>> = IndexMap::default();
    for (index, row) in work.rows.iter().enumerate() {
        groups.entry(key(row)).or_default().push(index);
    }
    let idle: f64 = idle(compared).map(|part| size(part.delta_ps)).sum();
    let candidates: Vec<(bool, Candidate)> = groups
        .into_iter()
        .map(|(name, rows)| (name.is_some(), Candidate::of_rows(work, name.unwrap_or_default(), level, rows)))
        .collect();
    let all: f64 = idle + candidates.iter().map(|(_, candidate)| size(candidate.delta_ps)).sum::<f64>();
    let named = candidates.into_iter().filter(|(is_named, _)| *is_named).map(|(_, candidate)| candidate);
    named.map(|candidate| Candidate { purity: size(candidate.delta_ps) / all.max(1.0), ..candidate }).collect()
}

/// Returns the owners of time that are causes by themselves: idle time, and waits for other devices.
fn owners(compared: &Compared<'_>) -> Vec<Candidate> {
    let all: f64 = compared.parts.iter().map(|part| size(part.delta_ps)).sum();
    let is_cause = |part: &&PartDelta| matches!(part.owner, Owner::Gap(_) | Owner::Late | Owner::Slower);
    let candidate = |part: &PartDelta| Candidate {
        name: String::new(),
        level: PairLevel::Owner,
        owner: Some(part.owner),
        rows: Vec::new(),
        a_ps: part.a_ps,
        b_ps: part.b_ps,
        delta_ps: part.delta_ps,
        purity: size(part.delta_ps) / all.max(1.0),
    };
    compared.parts.iter().filter(is_cause).map(candidate).collect()
}
