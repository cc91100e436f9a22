//! What a roofline is asked: of which ops, against which peaks, and what the user knows better. Plain data; knows nothing
//! of how it is answered.

use crate::analysis::base::Query;
use crate::units::Picos;
use serde::{Deserialize, Serialize};

/// Operands that a peak is of. A chip has one peak per class, not per type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Precision {
    /// bf16, and f16 where [`Precision::F16`] has no peak of its own.
    Bf16,
    /// Any f8.
    Fp8,
    /// s8, u8.
    Int8,
    /// s4, u4.
    Int4,
    /// f32. Nothing is published for TPUs.
    F32,
    /// f64.
    F64,
    /// f4.
    Fp4,
    /// f16 alone: of matrix units that take no bf16.
    F16,
}

impl Precision {
    /// All of them.
    pub const ALL: [Self; 8] =
        [Self::Bf16, Self::Fp8, Self::Int8, Self::Int4, Self::F32, Self::F64, Self::Fp4, Self::F16];

    /// The name in JSON, on the command line and in links.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Bf16 => "bf16",
            Self::Fp8 => "fp8",
            Self::Int8 => "int8",
            Self::Int4 => "int4",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::Fp4 => "fp4",
            Self::F16 => "f16",
        }
    }

    /// The name people read.
    pub const fn label(self) -> &'static str {
        match self {
            Self::F16 => "fp16",
            other => other.key(),
        }
    }

    /// By its key or by the name of a type of its class: `f16`, `fp32`, `f8e4m3fn`, `s8`.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.trim().to_ascii_lowercase();
        Some(match name.as_str() {
            "bf16" => Self::Bf16,
            "f16" | "fp16" => Self::F16,
            "fp8" => Self::Fp8,
            "int8" | "s8" | "u8" => Self::Int8,
            "int4" | "s4" | "u4" => Self::Int4,
            "f32" | "fp32" => Self::F32,
            "f64" | "fp64" => Self::F64,
            "fp4" => Self::Fp4,
            _ if name.starts_with("f8e") => Self::Fp8,
            _ if name.starts_with("f4e") => Self::Fp4,
            _ => return None,
        })
    }
}

/// A memory with a roof of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// HBM, read and written.
    #[default]
    Hbm,
    /// Reading VMEM.
    VmemRead,
    /// Writing VMEM.
    VmemWrite,
    /// Reading CMEM.
    CmemRead,
    /// Writing CMEM.
    CmemWrite,
}

impl Level {
    /// All of them, by [`Level::index`].
    pub const ALL: [Self; 5] = [Self::Hbm, Self::VmemRead, Self::VmemWrite, Self::CmemRead, Self::CmemWrite];

    /// Its place in arrays by level.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The name in JSON.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Hbm => "hbm",
            Self::VmemRead => "vmem_read",
            Self::VmemWrite => "vmem_write",
            Self::CmemRead => "cmem_read",
            Self::CmemWrite => "cmem_write",
        }
    }

    /// The name people read.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Hbm => "HBM",
            Self::VmemRead => "VMEM, read",
            Self::VmemWrite => "VMEM, written",
            Self::CmemRead => "CMEM, read",
            Self::CmemWrite => "CMEM, written",
        }
    }
}

/// Where a peak is from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PeakSource {
    /// The capture: stats of the device's plane.
    #[default]
    Profile,
    /// The vendor: the table of chips.
    Published,
    /// The user.
    Yours,
}

impl PeakSource {
    /// The name in JSON.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Profile => "profile",
            Self::Published => "published",
            Self::Yours => "yours",
        }
    }
}

/// Which peaks to hold ops against. What the user gives wins; then `prefer`, then the other one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PeakChoice {
    /// The profile's figures first, or the published ones. [`PeakSource::Yours`] is as [`PeakSource::Profile`].
    pub prefer: PeakSource,
    /// The chip, by any of its names, in place of what the capture says.
    pub chip: Option<String>,
    /// FLOP/s of one device.
    pub flops: Vec<(Precision, f64)>,
    /// Bytes/s of one device's HBM.
    pub hbm_bytes: Option<f64>,
}

/// What the user says that one execution of a kernel costs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelCost {
    /// An op's name, with or without its number; `*` stands for any text.
    pub pattern: String,
    /// FLOP of one execution.
    pub flops: f64,
    /// Bytes of HBM of one execution.
    pub bytes: f64,
}

/// What makes an op one that is bound by latency: little use of anything, and short.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// Every utilisation is below this.
    pub utilisation: f64,
    /// An execution takes less than this on average.
    pub mean: Picos,
}

impl Default for Latency {
    fn default() -> Self {
        Self { utilisation: 0.2, mean: Picos(10_000_000) }
    }
}

/// What one step has to compute, as the user counts it, for the whole job.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct UsefulFlops {
    /// Sequences of one step, over all devices.
    pub batch: f64,
    /// Tokens of a sequence.
    pub sequence: f64,
    /// FLOP per token; for training mostly 6 × parameters, and what attention adds.
    pub flops_per_token: f64,
    /// Devices that share the step; `None`: as many as its program is compiled for, else those of the capture.
    pub devices: Option<u32>,
}

impl UsefulFlops {
    /// FLOP of a step.
    pub const fn flops(&self) -> f64 {
        self.batch * self.sequence * self.flops_per_token
    }
}

/// One question.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RooflineQuery {
    /// Which device, step and ops, and the grouping of rows. Without a kind in its filter: kind compute.
    pub query: Query,
    /// All kinds of time, not compute alone.
    pub all_kinds: bool,
    /// Against which peaks.
    pub peaks: PeakChoice,
    /// What the user knows of kernels; the first pattern that fits counts, also before the capture's own cost.
    pub costs: Vec<KernelCost>,
    /// What is bound by latency.
    pub latency: Latency,
    /// What a step has to compute, for its useful-FLOPs MFU.
    pub useful: Option<UsefulFlops>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_types_lead_to_their_class() {
        for precision in Precision::ALL {
            assert_eq!(Precision::named(precision.key()), Some(precision));
        }
        let of = |name| Precision::named(name).map(Precision::key);
        assert_eq!(
            [of("f16"), of("F8E4M3FN"), of("u8"), of("s4")],
            [Some("f16"), Some("fp8"), Some("int8"), Some("int4")]
        );
        assert_eq!([of("pred"), of("s32"), of("c64"), of("")], [None; 4]);
    }

    #[test]
    fn levels_lie_where_their_index_says() {
        for (i, level) in Level::ALL.into_iter().enumerate() {
            assert_eq!(level.index(), i);
        }
    }
}
