//! This module joins ops that are alike, so that a finding names the largest group of them and not one of many copies.

use crate::analysis::classify::OpFacts;
use crate::analysis::classify::layer::without_numbers;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use xla_profile::profile::{Op, ProgramId, StrId, Strings};
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Picos;

/// Ops that differ only in their layer, or that the compiler calls copies of one another.
pub(super) struct AlikeOps {
    /// Their indices in the ledger, the op with the most time first.
    pub members: Vec<usize>,
    pub time: Picos,
    pub layers: FxHashSet<Option<StrId>>,
}

/// Sums ops that are alike, the longest sum first: those of unrolled layers that differ only in the number of the layer (the same
/// scope, the same signature), and those that the compiler gives one deduplicated name. `ops` are in the order of their times, and
/// `op` returns an op of the ledger by its index.
pub(super) fn alike_ops<'a>(
    ops: &[(usize, Picos)],
    words: &Strings,
    op: &dyn Fn(usize) -> (&'a Op, &'a OpFacts),
) -> Vec<AlikeOps> {
    let mut by_path: FxHashMap<(Option<ProgramId>, String, StrId), usize> = FxHashMap::default();
    let mut by_name: FxHashMap<(Option<ProgramId>, StrId), usize> = FxHashMap::default();
    let mut groups: Vec<AlikeOps> = Vec::new();
    for (index, time) in ops {
        let (op, facts) = op(*index);
        let program = op.stats.program;
        let path = facts.scope.and_then(|scope| without_numbers(words.get(scope)));
        let path = path.map(|path| (program, path, facts.signature));
        let name = op.stats.dedup.map(|name| (program, name));
        let of_path = path.as_ref().and_then(|path| by_path.get(path));
        let place = of_path.or_else(|| by_name.get(name.as_ref()?)).copied().unwrap_or(groups.len());
        if let Some(path) = path {
            by_path.entry(path).or_insert(place);
        }
        if let Some(name) = name {
            by_name.entry(name).or_insert(place);
        }
        match groups.get_mut(place) {
            Some(group) => {
                group.time += *time;
                group.members.push(*index);
                group.layers.insert(facts.layer);
            }
            None => groups.push(AlikeOps {
                members: vec![*index],
                time: *time,
                layers: FxHashSet::from_iter([facts.layer]),
            }),
        }
    }
    groups.small_sort_by_key(|group| Reverse(group.time));
    groups
}
