//! This module compares one op with its floors and gives a verdict. It does not depend on programs.

use super::report::RooflinePosition;
use super::verdict::{FloorComparison, PossibleCause, Verdict};
use xla_profile::units::Picos;

/// Gives the verdict on an op. `None` if the op has no self time, no floor, or no execution that starts in the window.
pub fn verify(roof: &RooflinePosition) -> Option<FloorComparison> {
    let util = roof.util.filter(|util| *util > 0.0)?;
    let per_run = |time: Picos| roof.n.mean_of(time);
    let ratio = 1.0 / util;
    let verdict = if ratio < 1.0 {
        Verdict::AbovePeak
    } else if ratio <= 1.1 {
        Verdict::Fine
    } else if ratio <= 2.0 {
        Verdict::Fair
    } else {
        Verdict::Far
    };
    let checks = match verdict {
        Verdict::AbovePeak => vec![PossibleCause::CostEstimate],
        Verdict::Fine | Verdict::Fair => Vec::new(),
        Verdict::Far if roof.latency_bound => vec![PossibleCause::Latency, PossibleCause::FusionFailure],
        Verdict::Far => {
            vec![PossibleCause::RetilingCopies, PossibleCause::UnexpectedCollectives, PossibleCause::FusionFailure]
        }
    };
    Some(FloorComparison {
        measured: per_run(roof.total)?,
        t_compute: per_run(roof.t_compute)?,
        t_hbm: per_run(roof.t_hbm())?,
        floor: per_run(roof.t_roof)?,
        bound: roof.bound,
        ratio,
        verdict,
        checks,
    })
}
