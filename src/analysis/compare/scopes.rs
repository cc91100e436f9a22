//! This module sums the times of the ops of both sides by scope. Both sides share one tree, so a scope of one side alone has no
//! time on the other one.

use super::exact::Divisors;
use super::input::Input;
use super::report::{ScopeDelta, ScopeTime};
use crate::analysis::base::scope_tree::{ScopeSums, ScopeTreeNode, scope_tree};
use xla_profile::small_sort::SmallSort;

/// Scopes with a smaller share of the time of the longer side are summed into one node per parent. On a chart of 2,000 pixels,
/// this share is 1 pixel wide.
const MIN_SHARE: f64 = 0.0005;

/// The sums of both sides.
#[derive(Clone, Copy, Default)]
struct Both {
    a: ScopeTime,
    b: ScopeTime,
    n_ops: u32,
}

impl ScopeSums for Both {
    fn add(&mut self, other: &Self) {
        for (sum, part) in [(&mut self.a, &other.a), (&mut self.b, &other.b)] {
            sum.total = sum.total.saturating_add(part.total);
            sum.by_kind.iter_mut().zip(part.by_kind).for_each(|(sum, part)| *sum = sum.saturating_add(part));
        }
        self.n_ops += other.n_ops;
    }

    fn size(&self) -> u64 {
        self.a.total.max(self.b.total)
    }

    fn is_empty(&self) -> bool {
        self.n_ops == 0
    }
}

/// Returns the scopes of both sides, parents before children. The mean of each op is rounded to a ps before it is added.
pub fn scopes(a: &Input<'_>, b: &Input<'_>, divisors: Divisors) -> Vec<ScopeDelta> {
    let mut by_scope: Vec<(&str, Both)> = Vec::new();
    let mut none: Option<Both> = None;
    for (side, is_b) in [(a, false), (b, true)] {
        for op in &side.ops {
            let mean = if is_b { divisors.mean_b(op.total) } else { divisors.mean_a(op.total) };
            let mut time = ScopeTime { total: mean.unsigned_abs(), ..ScopeTime::default() };
            time.by_kind[op.kind.index()] = time.total;
            let (a, b) = if is_b { (ScopeTime::default(), time) } else { (time, ScopeTime::default()) };
            let sums = Both { a, b, n_ops: 1 };
            match op.scope.filter(|scope| !scope.is_empty()) {
                Some(scope) => by_scope.push((scope, sums)),
                None => none.get_or_insert_default().add(&sums),
            }
        }
    }
    by_scope.small_sort_by_key(|(scope, _)| *scope);
    // Ops of one scope are added up before the tree is built, which looks at each path several times.
    by_scope.dedup_by(|(scope, sums), (kept, kept_sums)| {
        let is_equal = scope == kept;
        if is_equal {
            kept_sums.add(sums);
        }
        is_equal
    });
    let node = |node: ScopeTreeNode<Both>| {
        let ScopeTreeNode { name, path, parent, total: Both { a, b, .. }, .. } = node;
        ScopeDelta { name, path, parent, a, b }
    };
    scope_tree(by_scope, "", none, MIN_SHARE).nodes.into_iter().map(node).collect()
}
