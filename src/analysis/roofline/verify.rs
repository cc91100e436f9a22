//! This module compares one op with its floors and gives a verdict. It does not depend on programs.

use super::report::RooflinePosition;
use super::verdict::{FloorComparison, PossibleCause, Verdict};
use xla_profile::units::Picos;

/// The least share of its roofline that an op attains for each verdict.
const AT_ROOF: f64 = 0.9;
const FAIR: f64 = 0.5;

/// Gives the verdict on an op. `None` if the op has no self time, no floor, or no execution that starts in the window.
pub fn verify(roof: &RooflinePosition) -> Option<FloorComparison> {
    let util = roof.util.filter(|util| *util > 0.0)?;
    let per_run = |time: Picos| roof.n.mean_of(time);
    let ratio = 1.0 / util;
    let verdict = if util > 1.0 {
        Verdict::AbovePeak
    } else if util >= AT_ROOF {
        Verdict::Fine
    } else if util >= FAIR {
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
