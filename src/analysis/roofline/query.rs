//! This module holds the types of a roofline query: the ops, the peaks, and costs from the user. They are plain data
//! and do not depend on the answer.

use crate::analysis::base::Query;
use serde::{Deserialize, Serialize};
use xla_profile::keyed_enum;
use xla_profile::units::Picos;

keyed_enum! {
    /// The class of operand types that share a peak. A chip has one peak per class, not per type.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Precision {
        /// bf16, and f16 if [`Precision::F16`] has no peak of its own.
        Bf16 = "bf16",
        /// All f8 types.
        Fp8 = "fp8",
        /// s8 and u8.
        Int8 = "int8",
        /// s4 and u4.
        Int4 = "int4",
        /// f32. No peak is published for TPUs.
        F32 = "f32",
        F64 = "f64",
        /// f4.
        Fp4 = "fp4",
        /// f16 alone, for matrix units that do not take bf16.
        F16 = "f16",
    }
}

impl Precision {
    /// Returns the name for users.
    pub const fn label(self) -> &'static str {
        match self {
            Self::F16 => "fp16",
            other => other.key(),
        }
    }

    /// Finds a precision by its key or by the name of one of its types, such as `f16`, `fp32`, `f8e4m3fn` or `s8`. Case
    /// and outer spaces are ignored.
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

keyed_enum! {
    /// A memory, and for VMEM and CMEM a direction, that has a roof of its own.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Level {
        /// Reads and writes of HBM.
        #[default]
        Hbm = "hbm": "HBM",
        /// Reads of VMEM.
        VmemRead = "vmem_read": "VMEM, read",
        /// Writes to VMEM.
        VmemWrite = "vmem_write": "VMEM, written",
        /// Reads of CMEM.
        CmemRead = "cmem_read": "CMEM, read",
        /// Writes to CMEM.
        CmemWrite = "cmem_write": "CMEM, written",
    }
}

impl Level {
    /// Returns the index in arrays by level.
    pub const fn index(self) -> usize {
        self as usize
    }
}

keyed_enum! {
    /// The source of a peak.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum PeakSource {
        /// The stats of the device's plane in the capture.
        #[default]
        Profile = "profile",
        /// The figures of the vendor, in the table of chips.
        Published = "published",
        /// A value that the user gave.
        Yours = "yours",
    }
}

/// The choice of peaks. Peaks from the user come first, then those of the source `prefer`, then those of the other
/// source.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PeakChoice {
    /// [`PeakSource::Yours`] has the same effect as [`PeakSource::Profile`].
    pub prefer: PeakSource,
    /// Any name of the chip to use in place of that of the capture.
    pub chip: Option<String>,
    /// FLOP/s of one device, from the user.
    pub flops: Vec<(Precision, f64)>,
    /// Bytes/s of the HBM of one device, from the user.
    pub hbm_bytes: Option<f64>,
}

/// The cost of one execution of a kernel, from the user.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelCost {
    /// Name of an op, with or without its number; `*` matches any text.
    pub pattern: String,
    pub flops: f64,
    /// Bytes of HBM of one execution.
    pub bytes: f64,
}

/// The thresholds below which latency limits an op: low utilisation and short executions. The defaults are 0.2 and 10
/// µs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// Roofline time ÷ self time is below this fraction.
    pub utilisation: f64,
    /// The mean self time of an execution is below this time.
    pub mean: Picos,
}

impl Default for Latency {
    fn default() -> Self {
        Self { utilisation: 0.2, mean: Picos(10_000_000) }
    }
}

/// The useful FLOPs of one step of the whole job, as the user counts them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct UsefulFlops {
    /// Sequences of one step, over all devices.
    pub batch: f64,
    pub sequence: f64,
    /// FLOPs per token. For training this is usually 6 × parameters, plus the FLOPs of attention.
    pub flops_per_token: f64,
    /// Devices that share the step. `None` selects the number for which its program is compiled, else the number of
    /// devices in the capture.
    pub devices: Option<u32>,
}

impl UsefulFlops {
    /// Returns the FLOPs of a step.
    pub const fn flops(&self) -> f64 {
        self.batch * self.sequence * self.flops_per_token
    }
}

/// A roofline query.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RooflineQuery {
    /// Device, step, filter and grouping. Without a kind in the filter, only ops of kind compute are selected.
    pub query: Query,
    /// Selects ops of all kinds if the filter has no kind.
    pub all_kinds: bool,
    pub peaks: PeakChoice,
    /// Costs of kernels from the user. The first pattern that matches counts, and comes before the cost in the capture.
    pub costs: Vec<KernelCost>,
    pub latency: Latency,
    /// Useful FLOPs of a step, for the MFU by useful FLOPs.
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
        let key = |name| Precision::named(name).map(Precision::key);
        assert_eq!(
            [key("f16"), key("F8E4M3FN"), key("u8"), key("s4")],
            [Some("f16"), Some("fp8"), Some("int8"), Some("int4")]
        );
        assert_eq!([key("pred"), key("s32"), key("c64"), key("")], [None; 4]);
    }

    #[test]
    fn level_index_is_its_position_in_all() {
        for (i, level) in Level::ALL.into_iter().enumerate() {
            assert_eq!(level.index(), i);
        }
    }
}
