//! This module names what made most of the difference between two captures.

use super::report::ChangeCause;
use crate::analysis::compare::Comparison;
use crate::table::format::counted;
use indexmap::IndexMap;

/// Returns the largest part of a difference, in its direction: the ops of one name without their numbers, or the time that no op
/// takes. `None` if the steps take the same time.
pub fn change_cause(comparison: &Comparison) -> Option<ChangeCause> {
    let mut groups: IndexMap<&str, (i64, u64)> = IndexMap::new();
    for row in &comparison.rows {
        let name = row.name().trim_end_matches(|c: char| c == '.' || c.is_ascii_digit());
        let (delta, n) = groups.entry(name).or_default();
        *delta += row.delta_ps;
        *n += 1;
    }
    let of_ops: i64 = groups.values().map(|(delta, _)| delta).sum();
    let label =
        |name: &str, n: u64| if n > 1 { format!("{name}, {}", counted(n, "op", "ops")) } else { name.to_owned() };
    let groups = groups.into_iter().map(|(name, (delta, n))| (label(name, n), delta));
    let idle = ("idle".to_owned(), comparison.delta_ps - of_ops);
    let of_direction =
        groups.chain([idle]).filter(|(_, delta)| *delta != 0 && delta.signum() == comparison.delta_ps.signum());
    let (label, delta_ps) = of_direction.max_by_key(|(_, delta)| delta.unsigned_abs())?;
    Some(ChangeCause { label, delta_ps })
}
