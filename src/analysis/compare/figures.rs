//! This module compares the figures and the findings of two overviews.

use super::report::{Comparison, FigureDelta, FindingDelta};
use crate::analysis::overview::{Figure, FigureId, Finding, Overview};

impl Comparison {
    /// Returns a figure of both sides. `None` if both sides lack it.
    pub fn figure(&self, id: FigureId) -> Option<&FigureDelta> {
        self.figures.iter().find(|figure| figure.name == id.key())
    }
}

/// Compares the figures of both sides by name, in the order of A.
pub fn figures(a: &Overview, b: &Overview) -> Vec<FigureDelta> {
    let value = |overview: &Overview, id: FigureId| overview.figure(id)?.value;
    let is_new = |figure: &&Figure| a.figure(figure.id).is_none();
    let all = a.figures.iter().chain(b.figures.iter().filter(is_new));
    let both = all.map(|figure| FigureDelta {
        name: figure.id.key().to_owned(),
        unit: figure.id.unit(),
        a: value(a, figure.id),
        b: value(b, figure.id),
    });
    both.filter(|delta| delta.a.is_some() || delta.b.is_some()).collect()
}

/// Lists the findings that one side has and the other one has not: first those that are new in B.
pub fn findings(a: &Overview, b: &Overview) -> Vec<FindingDelta> {
    let all = |Overview { findings, options, memory, quality, .. }: &Overview| -> Vec<Finding> {
        [findings, options, memory, quality].into_iter().flatten().cloned().collect()
    };
    let (all_a, all_b) = (all(a), all(b));
    let only = |own: &[Finding], others: &[Finding], is_new: bool| -> Vec<FindingDelta> {
        let is_only = |finding: &&Finding| others.iter().all(|other| other.id != finding.id);
        let delta = |finding: &Finding| FindingDelta {
            id: finding.id.key().into_owned(),
            title: finding.title.clone(),
            is_new,
        };
        own.iter().filter(is_only).map(delta).collect()
    };
    let mut found = only(&all_b, &all_a, true);
    found.extend(only(&all_a, &all_b, false));
    found
}
