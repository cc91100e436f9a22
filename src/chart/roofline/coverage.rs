//! What of the time is compared with a roof, and why the rest is not: parts of one bar. This module knows an answer's figures; no pixel.

use crate::analysis::roofline::{RooflineFigures, SkipReason};
use crate::table::format;
use crate::units::Picos;

/// A part of the time asked about.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Why it has no roof; `None` for what has one.
    pub reason: Option<SkipReason>,
    /// What it is.
    pub label: String,
    /// Of the time asked about, a fraction.
    pub share: f64,
    /// "9.66 ms, 2 ops".
    pub says: String,
}

/// The parts: what has a roof, then the rest by time. They sum to the time asked about.
pub fn parts(figures: &RooflineFigures) -> Vec<Part> {
    let share = |time: Picos| time.fraction_of(figures.considered).unwrap_or(0.0);
    let mut parts = Vec::new();
    if let Some(roof) = &figures.step {
        parts.push(Part {
            reason: None,
            label: "covered".to_owned(),
            share: share(roof.total),
            says: format::time_text(roof.total),
        });
    }
    parts.extend(figures.skipped.iter().map(|skipped| Part {
        reason: Some(skipped.reason),
        label: skipped.reason.label().to_owned(),
        share: share(skipped.total),
        says: format!("{}, {}", format::time_text(skipped.total), format::counted(skipped.n_ops.into(), "op", "ops")),
    }));
    parts
}

/// The bar in a sentence.
pub fn sentence(parts: &[Part]) -> String {
    let part = |part: &Part| format!("{} {} ({})", format::percent_text(part.share), part.label, part.says);
    let parts: Vec<String> = parts.iter().map(part).collect();
    format!("Coverage of the compute time: {}.", parts.join("; "))
}
