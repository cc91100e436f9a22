//! The head of every report: the device and window that it is about, and the sums over them.

use crate::analysis::classify::Kind;
use crate::units::Picos;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Whether a view has anything to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Complete.
    Ok,
    /// The file is damaged or cut; figures cover what could be read.
    Partial,
    /// The file holds nothing this view needs; a note says why.
    Absent,
}

/// Where the figures come from: one device and step, or sums over several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Whether there is anything.
    pub status: Status,
    /// Name of the device plane, or "N devices" for a sum. `None` where no device has ops.
    pub device: Option<String>,
    /// How many devices are summed.
    pub n_devices: u32,
    /// `device_type_string` of the plane(s).
    pub device_type: Option<String>,
    /// "all", or the number of the step shown.
    pub step: String,
    /// Steps known on the device (the largest count where several are summed).
    pub n_steps: u32,
    /// [start, end) on the clock of the analysis, relative to the device's first event; `None` for sums over devices.
    pub window: Option<(Picos, Picos)>,
    /// Length of the window; summed over devices. `None` where absent.
    pub step_duration: Option<Picos>,
    /// What one device can do at most, by its own plane.
    pub peaks: Peaks,
}

/// What a device can do at most, as its plane says; where several are summed, what all of them say alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Peaks {
    /// FLOP/s: `peak_teraflops_per_second` × 10¹².
    pub flops: Option<f64>,
    /// Bytes/s of HBM: `peak_hbm_bw_gigabytes_per_second` × 10⁹.
    pub hbm_bytes: Option<f64>,
}

impl Peaks {
    /// Whether a rate lies above what the device can do: the cost estimate is too large, or the work is done
    /// elsewhere than in the op's own time (an async copy's start). Shown as it is, and marked.
    pub fn is_above(rate: Option<f64>, peak: Option<f64>) -> bool {
        rate.zip(peak).is_some_and(|(rate, peak)| peak > 0.0 && rate > peak)
    }
}

/// Time by kind. Invariant: the kinds sum to `busy`; `union + idle` = window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// Events on the op lines that start in the window.
    pub n_events: u64,
    /// Of those, events whose metadata is missing: their time is kept under "unresolved".
    pub n_unresolved: u64,
    /// Self time per kind, by [`Kind::index`].
    pub by_kind: [Picos; 7],
    /// Inclusive time of containers: in no sum.
    pub container_inclusive: Picos,
    /// Sum of self time over lines.
    pub busy: Picos,
    /// Time in which at least one op ran, per device, summed.
    pub union: Picos,
    /// Window − union.
    pub idle: Picos,
    /// Time by categories that no rule knows, so that coverage gaps show.
    pub unknown_categories: BTreeMap<String, Picos>,
}

impl Totals {
    /// Self time of one kind.
    pub fn time_of_kind(&self, kind: Kind) -> Picos {
        self.by_kind.get(kind.index()).copied().unwrap_or_default()
    }
}
