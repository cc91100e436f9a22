//! This module compares the figures and the findings of two overviews.

use super::report::{FigureDelta, FindingDelta};
use crate::analysis::overview::{Figure, Finding, Overview};

/// Compares the figures of both sides by name, in the order of A.
pub fn figures(a: &Overview, b: &Overview) -> Vec<FigureDelta> {
    let value = |of: &Overview, name: &str| of.figures.iter().find(|figure| figure.name == name)?.value;
    let is_new = |figure: &&Figure| a.figures.iter().all(|of| of.name != figure.name);
    let all = a.figures.iter().chain(b.figures.iter().filter(is_new));
    let both = all.map(|figure| FigureDelta {
        name: figure.name.clone(),
        unit: figure.unit,
        a: value(a, &figure.name),
        b: value(b, &figure.name),
    });
    both.filter(|of| of.a.is_some() || of.b.is_some()).collect()
}

/// Lists the findings that one side has and the other one has not: first those that are new in B.
pub fn findings(a: &Overview, b: &Overview) -> Vec<FindingDelta> {
    let all = |of: &Overview| -> Vec<Finding> {
        [&of.findings, &of.options, &of.memory, &of.quality].into_iter().flatten().cloned().collect()
    };
    let (all_a, all_b) = (all(a), all(b));
    let only = |of: &[Finding], other: &[Finding], is_new: bool| -> Vec<FindingDelta> {
        let is_only = |finding: &&Finding| other.iter().all(|of| of.id != finding.id);
        let delta = |finding: &Finding| FindingDelta { id: finding.id.clone(), title: finding.title.clone(), is_new };
        of.iter().filter(is_only).map(delta).collect()
    };
    let mut found = only(&all_b, &all_a, true);
    found.extend(only(&all_a, &all_b, false));
    found
}
