//! The verdict on one op in the roofline model, and what to check first. Plain data.
use super::query::Level;
use crate::units::Picos;
use serde::{Deserialize, Serialize};

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

/// An op against its floors, per execution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verified {
    /// Self time of one execution, on average.
    pub measured: Picos,
    /// FLOPs ÷ peak of one execution.
    pub t_compute: Picos,
    /// Bytes ÷ bandwidth of one execution.
    pub t_hbm: Picos,
    /// The longest floor of one execution.
    pub floor: Picos,
    /// What the longest floor is of.
    pub bound: Bound,
    /// Time ÷ floor.
    pub ratio: f64,
    /// What to think of it.
    pub verdict: Verdict,
    /// What to look at, the likeliest first.
    pub checks: Vec<Check>,
}

/// What the longest floor is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Bound {
    /// FLOP/s.
    Compute,
    /// Bytes/s of this memory.
    Memory(Level),
}

impl Bound {
    /// Its place among all: compute, then memories in their order.
    pub const fn index(self) -> usize {
        match self {
            Self::Compute => 0,
            Self::Memory(level) => 1 + level.index(),
        }
    }

    /// The name people read: "compute", "HBM".
    pub const fn label(self) -> &'static str {
        match self {
            Self::Compute => "compute",
            Self::Memory(level) => level.label(),
        }
    }

    /// The name of the roof in JSON: `compute`, `hbm`, `vmem_read` …
    pub const fn key(self) -> &'static str {
        match self {
            Self::Compute => "compute",
            Self::Memory(level) => level.key(),
        }
    }
}
