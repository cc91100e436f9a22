//! This module describes the chart per step in words. It does not depend on pixels.

use super::step::Step;
use crate::table::format;
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Picos;

/// Statistics of several steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Number of steps in mean and median: those that are not left out, or all if every step is left out.
    pub n: usize,
    /// Mean duration, rounded down to a picosecond.
    pub mean: Picos,
    /// Median duration; for an even number of steps, the mean of the two in the middle.
    pub median: Picos,
    /// Index of the shortest step, the first of equals.
    pub shortest: usize,
    /// Index of the longest step, the first of equals.
    pub longest: usize,
}

/// Computes the statistics. `None` if there are no steps.
pub fn facts(steps: &[Step]) -> Option<Facts> {
    let duration = |index: usize| steps.get(index).map_or(Picos::ZERO, |step| step.duration);
    let mut order: Vec<usize> = (0..steps.len()).collect();
    order.small_sort_by_key(|step| duration(*step));
    let is_counted = |step: &Step| !step.is_left_out;
    let is_any_counted = steps.iter().any(is_counted);
    let counted = order.iter().filter_map(|index| steps.get(*index)).filter(|step| !is_any_counted || is_counted(step));
    let counted: Vec<Picos> = counted.map(|step| step.duration).collect();
    let n = counted.len();
    let (low, high) = (counted.get(n.checked_sub(1)? / 2)?, counted.get(n / 2)?);
    let sum: u128 = counted.iter().map(|duration| u128::from(duration.0)).sum();
    let most = duration(*order.last()?);
    Some(Facts {
        n,
        mean: Picos(u64::try_from(sum / n as u128).unwrap_or(u64::MAX)),
        median: Picos(low.0.midpoint(high.0)),
        shortest: *order.first()?,
        longest: (0..steps.len()).find(|index| duration(*index) == most)?,
    })
}

/// Returns the text alternative of the chart. `subject` names the device, `columns` is the number of drawn columns.
pub fn sentence(steps: &[Step], subject: &str, facts: Option<&Facts>, columns: usize) -> String {
    let subject = if subject.is_empty() { String::new() } else { format!(" {subject}") };
    let Some(facts) = facts else { return format!("No steps{subject}.") };
    let n = format::counted(steps.len() as u64, "step", "steps");
    if let [one] = steps {
        return format!("{n}{subject}: {}.", format::time_text(one.duration));
    }
    let step = |index: usize| {
        steps
            .get(index)
            .map_or_else(String::new, |step| format!("{} (step {})", format::time_text(step.duration), step.name))
    };
    let counted = if facts.n < steps.len() { format!(" (over {} of them)", facts.n) } else { String::new() };
    let mut text = format!(
        "{n}{subject}: mean {}, median {}{counted}, shortest {}, longest {}.",
        format::time_text(facts.mean),
        format::time_text(facts.median),
        step(facts.shortest),
        step(facts.longest)
    );
    if steps.iter().any(|step| step.spread.is_some()) {
        text += " Each is the mean over devices; the line goes from the fastest to the slowest.";
    }
    if columns < steps.len() {
        let most = steps.len().div_ceil(columns.max(1)) as u64;
        text += &format!(
            " Drawn in {} of up to {}, each from the shortest to the longest.",
            format::counted(columns as u64, "column", "columns"),
            format::counted(most, "step", "steps")
        );
    }
    text
}

/// Returns the description of a column: its step, or its first and last step.
pub fn column(steps: &[Step]) -> String {
    let shortest = steps.iter().map(|step| step.ends().0).min().unwrap_or_default();
    let longest = steps.iter().map(|step| step.ends().1).max().unwrap_or_default();
    let range = format!("{} to {}", format::time_text(shortest), format::time_text(longest));
    match steps {
        [] => String::new(),
        [one] if one.spread.is_some() => {
            format!("Step {}: mean {}, {range}", one.name, format::time_text(one.duration))
        }
        [one] => format!("Step {}: {}", one.name, format::time_text(one.duration)),
        [first, .., last] => format!("Steps {} to {}: {range}", first.name, last.name),
    }
}
