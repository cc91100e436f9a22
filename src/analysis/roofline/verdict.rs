//! This module holds the verdict on one op in the roofline model, and the checks that it suggests. They are plain data.
use super::query::Level;
use serde::{Deserialize, Serialize};
use xla_profile::keyed_enum;
use xla_profile::units::Picos;

keyed_enum! {
    /// The verdict on the time of an op, by the share of its roofline that it attains: its longest floor ÷ its time.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Verdict {
        /// More than 100 %: the cost estimate is wrong, or a part of the work is done elsewhere.
        AbovePeak = "above_peak",
        /// At least 90 %: only less work makes the op faster.
        Fine = "fine",
        /// At least 50 %.
        Fair = "fair",
        /// Less than 50 %: the cause is worth finding.
        Far = "far",
    }
}

keyed_enum! {
    /// A possible cause of the verdict, for the user to check.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum PossibleCause {
        /// Copies and transposes that change the tiling before or after the op.
        RetilingCopies = "retiling_copies",
        /// Collectives that sharding added around the op or inside it.
        UnexpectedCollectives = "unexpected_collectives",
        /// Neighbouring ops that were not fused into the op.
        FusionFailure = "fusion_failure",
        /// Too little work per execution.
        Latency = "latency",
        /// The cost that the compiler or the author of the kernel wrote.
        CostEstimate = "cost_estimate",
    }
}

/// The time of an op compared with its floors, per execution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FloorComparison {
    /// Mean self time of an execution.
    pub measured: Picos,
    /// FLOPs ÷ peak FLOP/s.
    pub t_compute: Picos,
    /// Bytes of HBM ÷ HBM bandwidth.
    pub t_hbm: Picos,
    /// The longest floor.
    pub floor: Picos,
    /// Resource with the longest floor.
    pub bound: Bound,
    /// Time ÷ longest floor.
    pub ratio: f64,
    pub verdict: Verdict,
    /// Causes to check, the likeliest first.
    pub checks: Vec<PossibleCause>,
}

/// The resource that limits an op: the one with the longest floor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Bound {
    /// FLOP/s.
    Compute,
    /// Bytes/s of a memory.
    Memory(Level),
}

keyed_enum! {
    /// The kind of a resource that limits ops.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ResourceKind {
        Compute = "compute",
        Memory = "memory",
    }
}

impl Bound {
    /// All resources, in the order of [`Bound::index`]. Reports hold positions in this list.
    pub const ALL: [Self; 6] = [
        Self::Compute,
        Self::Memory(Level::Hbm),
        Self::Memory(Level::VmemRead),
        Self::Memory(Level::VmemWrite),
        Self::Memory(Level::CmemRead),
        Self::Memory(Level::CmemWrite),
    ];

    /// Returns the kind of the resource.
    pub const fn kind(self) -> ResourceKind {
        match self {
            Self::Compute => ResourceKind::Compute,
            Self::Memory(_) => ResourceKind::Memory,
        }
    }

    /// Returns the index in arrays over all resources: compute first, then memories by [`Level::index`].
    pub const fn index(self) -> usize {
        match self {
            Self::Compute => 0,
            Self::Memory(level) => 1 + level.index(),
        }
    }

    /// Returns the name for users, such as "compute" or "HBM".
    pub const fn label(self) -> &'static str {
        match self {
            Self::Compute => "compute",
            Self::Memory(level) => level.label(),
        }
    }

    /// Returns the name in JSON: `compute`, `hbm`, `vmem_read` and so on.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Compute => "compute",
            Self::Memory(level) => level.key(),
        }
    }
}
