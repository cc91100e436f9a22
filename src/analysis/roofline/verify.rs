//! One op against both its floors: what is to be thought of it, and what to look at. Knows a roof; no programs.

use super::report::Verified;
use super::report::Roof;
use crate::units::Picos;
use serde::Deserialize;
use serde::Serialize;

/// What is to be thought of an op's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It takes less time than its cost needs: the cost estimate is wrong, or work is done elsewhere.
    AbovePeak,
    /// At most 1.1 × its floor: nothing to win here.
    Fine,
    /// Up to 2 × its floor.
    Fair,
    /// More than 2 × its floor: look for a reason.
    Far,
}

impl Verdict {
    /// The name in JSON.
    pub const fn key(self) -> &'static str {
        match self {
            Self::AbovePeak => "above_peak",
            Self::Fine => "fine",
            Self::Fair => "fair",
            Self::Far => "far",
        }
    }
}

/// What to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Check {
    /// Copies and transposes that change tiling before or after it.
    RetilingCopies,
    /// Collectives that sharding put around or into it.
    UnexpectedCollectives,
    /// Ops beside it that were not fused into it.
    FusionFailure,
    /// Too little work per run.
    Latency,
    /// The cost that the compiler or the kernel's author wrote.
    CostEstimate,
}

impl Check {
    /// The name in JSON.
    pub const fn key(self) -> &'static str {
        match self {
            Self::RetilingCopies => "retiling_copies",
            Self::UnexpectedCollectives => "unexpected_collectives",
            Self::FusionFailure => "fusion_failure",
            Self::Latency => "latency",
            Self::CostEstimate => "cost_estimate",
        }
    }
}

/// Looks at an op; `None` where it has no time, no floor, or no execution that starts in the window.
pub fn verify(roof: &Roof) -> Option<Verified> {
    let util = roof.util.filter(|util| *util > 0.0)?;
    let per_run = |time: Picos| time.0.checked_div(roof.n).map(Picos);
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
        Verdict::AbovePeak => vec![Check::CostEstimate],
        Verdict::Fine | Verdict::Fair => Vec::new(),
        Verdict::Far if roof.latency_bound => vec![Check::Latency, Check::FusionFailure],
        Verdict::Far => vec![Check::RetilingCopies, Check::UnexpectedCollectives, Check::FusionFailure],
    };
    Some(Verified {
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
