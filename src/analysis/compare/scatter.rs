//! This module lists the rows of a comparison as points: the time of A beside that of B. Ops without a partner are one point for each
//! scope that both sides have.

use super::causes::common_scopes;
use super::report::{Comparison, RowDelta, Verdict};
use crate::analysis::classify::Kind;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use xla_profile::small_sort::SmallSort;

/// A row whose ops are on both sides, or the ops of a scope that have no partner. Times are in ps per unit, and are not 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowDot {
    /// [Key](RowDelta::key) of the row; of several rows, that of the one with the longest time.
    pub key: String,
    pub name: String,
    pub kind: Kind,
    pub a_ps: u64,
    pub b_ps: u64,
    pub verdict: Verdict,
}

/// The points of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowDots {
    /// Those with the longest time first.
    pub dots: Vec<RowDot>,
    /// Number of all points.
    pub n_dots: u64,
    /// Time of A and of B that no point has, in ps per unit: ops of one side whose scope the other side does not have.
    pub omitted_ps: [u64; 2],
}

impl Comparison {
    /// Returns the rows with a time on both sides, and the ops without a partner by scope, at most `n`.
    pub fn dots(&self, n: usize) -> RowDots {
        let time = |row: &RowDelta| {
            let time = |ps: Option<i64>| u64::try_from(ps.unwrap_or_default()).unwrap_or_default();
            [time(row.a.as_ref().map(|side| side.self_ps)), time(row.b.as_ref().map(|side| side.self_ps))]
        };
        let mut all: Vec<RowDot> = Vec::new();
        let (matched, unmatched): (Vec<&RowDelta>, Vec<&RowDelta>) =
            self.rows.iter().partition(|row| row.a.is_some() && row.b.is_some());
        all.extend(matched.into_iter().filter(|row| time(row).iter().all(|time| *time > 0)).map(|row| RowDot {
            key: row.key(),
            name: row.name().to_owned(),
            kind: row.kind,
            a_ps: time(row)[0],
            b_ps: time(row)[1],
            verdict: row.verdict,
        }));
        let paths: Vec<[Option<&str>; 2]> = self.rows.iter().map(RowDelta::scope_paths).collect();
        let scopes = self.rows.iter().zip(common_scopes(&paths));
        let scopes = scopes.filter(|(row, _)| row.a.is_some() != row.b.is_some());
        let mut groups: IndexMap<Vec<String>, Vec<&RowDelta>> = IndexMap::default();
        scopes.for_each(|(row, scopes)| groups.entry(scopes).or_default().push(row));
        let mut omitted_ps = [0; 2];
        debug_assert_eq!(groups.values().map(Vec::len).sum::<usize>(), unmatched.len(), "each row is in one group");
        for (scopes, rows) in groups {
            let sums = rows
                .iter()
                .map(|row| time(row))
                .fold([0_u64; 2], |sums, times| [sums[0].saturating_add(times[0]), sums[1].saturating_add(times[1])]);
            let longest = rows.iter().max_by_key(|row| (time(row).into_iter().max(), Reverse(row.key())));
            match (longest, scopes.last()) {
                (Some(longest), Some(scope)) if sums.iter().all(|sum| *sum > 0) => all.push(RowDot {
                    key: longest.key(),
                    name: format!("{scope}: ops without a partner"),
                    kind: longest.kind,
                    a_ps: sums[0],
                    b_ps: sums[1],
                    verdict: Verdict::of_difference(sums[1].cast_signed().saturating_sub(sums[0].cast_signed()), true),
                }),
                _ => omitted_ps.iter_mut().zip(sums).for_each(|(all, sum)| *all += sum),
            }
        }
        all.small_sort_by_key(|dot| Reverse(dot.a_ps.max(dot.b_ps)));
        let n_dots = all.len() as u64;
        all.truncate(n);
        RowDots { dots: all, n_dots, omitted_ps }
    }
}
