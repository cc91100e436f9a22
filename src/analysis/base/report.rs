//! This module defines the head of every report: the device and the window of its figures, and the sums over them.

use super::query::{StepChoice, TimeRange};
use super::spread::Spread;
use crate::analysis::classify::Kind;
use crate::chip::Chip;
use crate::table::format::{counted, percent_text, time_text};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use xla_profile::keyed_enum;
use xla_profile::units::{Count, Picos};

keyed_enum! {
    /// The completeness of a report.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub enum Status {
        /// The figures are complete.
        Ok = "ok",
        /// The file is damaged or truncated, so figures cover the part that could be read.
        Partial = "partial",
        /// The file has no data for this view. A note gives the reason.
        Absent = "absent",
    }
}

/// The device and the step of the figures, or the devices over which they are sums or means.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    pub status: Status,
    /// Label of the device, "N devices" for a sum, or "mean of N devices". `None` if no device is selected.
    pub device: Option<String>,
    /// Number of selected devices, including those without the step.
    pub n_devices: u32,
    /// Type of the device, or the types of all devices, separated by commas. `None` if no plane has the stats.
    pub device_type: Option<String>,
    /// "all", "mean", the number of the step, or the range of time in ps (`100..200`). If no device has the step, the name of the choice in the query.
    pub step: String,
    /// The means that the figures are.
    pub mean: Mean,
    /// Number of steps of the device; the largest number if several devices are selected.
    pub n_steps: u32,
    /// `[start, end)` in ps, on the clock of the device's steps or, for the whole capture, of its ops. `None` for
    /// several devices, for the mean of steps, and if no device has the step.
    pub window: Option<(Picos, Picos)>,
    /// Length of the window, summed over devices unless it is a mean. `None` if no device has the step.
    pub step_duration: Option<Picos>,
    /// Time of the step or range after the end of a cut file, summed like `step_duration`, of which it is no part. `None` if
    /// all of it is in the file.
    #[serde(default)]
    pub not_in_file: Option<Picos>,
    /// Peaks of one device, from the stats of its plane.
    pub peaks: Peaks,
}

impl Header {
    /// Returns the mean of steps in words: "mean of 98 steps". `None` if the figures are not a mean of steps.
    fn mean_text(&self) -> Option<String> {
        let n = u64::from(self.mean.n_steps?);
        Some(match &self.mean.kind {
            Some(kind) => format!("mean of {n} {kind} {}", if n == 1 { "step" } else { "steps" }),
            None => format!("mean of {}", counted(n, "step", "steps")),
        })
    }

    /// Returns the step in words: "step 12", "the mean of 98 steps", "a range of 1.5 ms" or "the whole capture".
    pub fn step_text(&self) -> String {
        match (self.mean_text(), self.range()) {
            (Some(mean), _) => format!("the {mean}"),
            (None, Some(range)) => format!("a range of {}", time_text(range.length())),
            (None, None) if self.step == "all" => "the whole capture".to_owned(),
            (None, None) => format!("step {}", self.step),
        }
    }

    /// Returns the range of time that the figures cover. `None` for steps and for the whole capture.
    pub fn range(&self) -> Option<TimeRange> {
        match self.step.parse() {
            Ok(StepChoice::Range(range)) => Some(range),
            _ => None,
        }
    }

    /// Returns the word for the window in texts such as "26.0 % of the step": "capture", "range" or "step".
    pub fn window_word(&self) -> &'static str {
        match self.range() {
            Some(_) => "range",
            None if self.step == "all" => "capture",
            None => "step",
        }
    }

    /// Returns the time after the end of a cut file in words: "13.47 ms of the step are not in the file". `None` if all of
    /// the window is in the file.
    pub fn missing_text(&self) -> Option<String> {
        Some(format!("{} of the {} are not in the file", time_text(self.not_in_file?), self.window_word()))
    }

    /// Returns how several devices are taken together: "sum of 8 devices" or "mean of 8 devices". `None` for one device.
    pub fn devices_text(&self) -> Option<String> {
        match (self.mean.n_devices, self.n_devices) {
            (Some(n), _) => Some(format!("mean of {n} devices")),
            (None, n) => (n > 1).then(|| format!("sum of {n} devices")),
        }
    }

    /// Returns the step and the devices in words: "step 12", "the mean of 98 steps of 4 devices", or "the whole capture,
    /// sum of 4 devices". One device is not named.
    pub fn window_text(&self) -> String {
        match (self.mean.n_steps, self.scope_text()) {
            (Some(_), Some(scope)) => format!("the {scope}"),
            (None, Some(devices)) => format!("{}, {devices}", self.step_text()),
            (_, None) => self.step_text(),
        }
    }

    /// Returns what the figures are sums or means of: "mean of 98 steps of 8 devices". `None` for one window of one
    /// device.
    pub fn scope_text(&self) -> Option<String> {
        match (self.mean_text(), self.mean.n_devices, self.devices_text()) {
            (Some(steps), Some(n), _) => Some(format!("{steps} of {n} devices")),
            (Some(steps), None, Some(sum)) => Some(format!("{steps}, {sum}")),
            (steps, _, devices) => steps.or(devices),
        }
    }

    /// Returns the number of devices over which the figures are sums: 1 for one device, and for a mean over devices.
    pub const fn n_summed(&self) -> u32 {
        if self.mean.n_devices.is_some() { 1 } else { self.n_devices }
    }
}

/// The means that the figures of a report are. Counts of a mean may be fractions. Shortest and longest executions are
/// those of all windows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Mean {
    /// Number of steady steps of the mean; the largest number if several devices are selected. `None` if the figures
    /// are not a mean of steps.
    pub n_steps: Option<u32>,
    /// The name of the kind of steps. `None` if all steps are of one kind, or if the figures are not a mean of steps.
    #[serde(default)]
    pub kind: Option<String>,
    /// What a step is, as a sentence: what begins it, and which programs run in it. `None` if the figures are not a mean of steps.
    #[serde(default)]
    pub step_is: Option<String>,
    /// Number of devices of the mean. `None` if the figures are not a mean of devices.
    pub n_devices: Option<u32>,
    /// Statistics of the periods of the steady steps, each the mean or the sum of the devices that have the step. `None`
    /// if the figures are not a mean of steps.
    pub periods: Option<Spread>,
}

/// The peaks of a device, from the stats of its plane. If several devices are selected, a peak is `None` unless all
/// have the same value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Peaks {
    /// Peak FLOP/s: `peak_teraflops_per_second` × 10¹².
    pub flops: Option<f64>,
    /// Peak bytes/s of HBM: `peak_hbm_bw_gigabytes_per_second` × 10⁹.
    pub hbm_bytes: Option<f64>,
}

impl Peaks {
    /// Returns the bandwidth above which bytes cannot all be those of HBM, in bytes/s: that of the device, or the highest of
    /// all chips if the capture does not have it.
    pub fn hbm_limit(&self) -> f64 {
        self.hbm_bytes.unwrap_or_else(Chip::highest_hbm)
    }

    /// Returns whether a rate exceeds the peak of the device. The cost estimate is then too large, or the work is done
    /// outside of the op's own time, as for the start of an asynchronous copy. Such a rate is shown unchanged, and
    /// marked.
    pub fn is_above(rate: Option<f64>, peak: Option<f64>) -> bool {
        rate.zip(peak).is_some_and(|(rate, peak)| peak > 0.0 && rate > peak)
    }

    /// Returns a share of a peak as a percentage, marked if it is above the peak: "▲ 176.9 % (above the peak)".
    pub fn share_text(share: f64) -> String {
        let text = percent_text(share);
        if Self::is_above(Some(share), Some(1.0)) { format!("▲ {text} (above the peak)") } else { text }
    }
}

/// The sums over all ops of a window. Invariants: the kinds sum to `busy`, and `union + idle` is the window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// Number of events on the op lines that start in the window.
    pub n_events: Count,
    /// Number of those events whose metadata is missing. The time of such events counts as “unresolved event”.
    pub n_unresolved: Count,
    /// Self time per kind, by [`Kind::index`].
    pub by_kind: [Picos; 7],
    /// Inclusive time of containers, which is not part of any sum.
    pub container_inclusive: Picos,
    /// Self time of all ops, summed over op lines.
    pub busy: Picos,
    /// Time in which at least one op runs, summed over devices.
    pub union: Picos,
    /// Window minus `union`.
    pub idle: Picos,
    /// Self time of ops that no rule classifies, by category. These ops show the gaps in the rules.
    pub unknown_categories: BTreeMap<String, Picos>,
}

impl Totals {
    /// Returns the self time of one kind.
    pub fn time_of_kind(&self, kind: Kind) -> Picos {
        self.by_kind.get(kind.index()).copied().unwrap_or_default()
    }

    /// Returns the time in which ops of several streams run at once, once for each of them but the first. `None` without such time.
    pub fn overlap(&self) -> Option<Picos> {
        Some(self.busy.saturating_sub(self.union)).filter(|time| *time > Picos::ZERO)
    }
}
