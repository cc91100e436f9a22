//! This module divides the selected time into the part with a roof and the parts without, by reason, for the coverage
//! bar. It does not depend on pixels.

use crate::analysis::roofline::{RooflineFigures, SkipReason};
use crate::table::format;
use xla_profile::units::Picos;

/// A part of the selected time.
#[derive(Clone, Debug, PartialEq)]
pub struct CoveragePart {
    /// Reason for a missing roof; `None` for the part with a roof.
    pub reason: Option<SkipReason>,
    pub label: String,
    /// Fraction of the selected time.
    pub share: f64,
    /// Time and number of ops: "9.66 ms, 2 ops".
    pub amount: String,
}

/// Returns the part with a roof, then the other parts by time. The parts sum to the selected time.
pub fn parts(figures: &RooflineFigures) -> Vec<CoveragePart> {
    let share = |time: Picos| time.fraction_of(figures.considered).unwrap_or(0.0);
    let mut parts = Vec::new();
    if let Some(roof) = &figures.step {
        parts.push(CoveragePart {
            reason: None,
            label: "covered".to_owned(),
            share: share(roof.total),
            amount: format::time_text(roof.total),
        });
    }
    parts.extend(figures.skipped.iter().map(|skipped| CoveragePart {
        reason: Some(skipped.reason),
        label: skipped.reason.label().to_owned(),
        share: share(skipped.total),
        amount: format!("{}, {}", format::time_text(skipped.total), format::counted(skipped.n_ops.into(), "op", "ops")),
    }));
    parts
}

/// Returns the text alternative of the bar.
pub fn sentence(parts: &[CoveragePart]) -> String {
    let part = |part: &CoveragePart| format!("{} {} ({})", format::percent_text(part.share), part.label, part.amount);
    let parts: Vec<String> = parts.iter().map(part).collect();
    format!("Coverage of the compute time: {}.", parts.join("; "))
}
