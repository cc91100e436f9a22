//! This module declares the figures of the overview: their names, units, labels and formulas. It is plain data.
//! `figure_values.rs` computes the figures.

use super::rule_id::RuleId;
use crate::analysis::base::Peaks;
use crate::analysis::roofline::WHOLE_COVERAGE;
use crate::table::format::quantity;
use crate::table::words::capitalized;
use serde::{Deserialize, Serialize};
use xla_profile::keyed_enum;

keyed_enum! {
    /// The unit of a figure, of an input, or of the threshold of a rule.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Unit {
        Ps = "ps",
        Fraction = "fraction",
        Bytes = "bytes",
        /// FLOPs, or bytes that move: a large number with a decimal prefix.
        Flops = "flops",
        Count = "count",
    }
}

keyed_enum! {
    /// A figure of the overview. Documents and reports hold the figures in this order, so a new figure is the last one.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum FigureId {
        /// The median of the periods of steady steps.
        StepTime = "step_time",
        /// The distance of the quartiles of the periods ÷ their median.
        Variability = "variability",
        /// The number of steps that take much longer than the others.
        SlowSteps = "slow_steps",
        /// The first period − the median.
        FirstStep = "first_step",
        /// The share of the capture that steady steps of median length make up.
        SteadyShare = "steady_share",
        Idle = "idle",
        /// Idle time in which the host had not enqueued the next run.
        HostWaits = "host_waits",
        /// The median of the start of a run − the end of the host call that enqueued it.
        HostLead = "host_lead",
        /// Time with a collective in flight and no compute.
        ExposedCommunication = "exposed_communication",
        /// Waits for devices that arrive later.
        WaitsForPeers = "waits_for_peers",
        /// The use of compute by the FLOPs that the model needs, as the user gives them.
        UsefulMfu = "useful_mfu",
        /// The use of compute by the FLOPs of ops without recomputation.
        ModelMfu = "model_mfu",
        /// The use of compute by the FLOPs of ops as they ran.
        HardwareMfu = "hardware_mfu",
        /// The use of the memory by the bytes of ops.
        HbmBandwidth = "hbm_bandwidth",
        /// The share of the time that the roofline needs.
        ProductiveShare = "productive_share",
        PeakHbm = "peak_hbm",
        /// How much the durations of a step differ between devices.
        DeviceSpread = "device_spread",
        /// The time of ops above the median of the devices.
        DeviceExcess = "device_excess",
        HbmBandwidthMeasured = "hbm_bandwidth_measured",
        SmActive = "sm_active",
    }
}

/// The declaration of a figure.
struct Declaration {
    id: FigureId,
    unit: Unit,
    basis: Basis,
    /// What a value of 1 reaches, in words. `None` if a value may be larger.
    limit: Option<&'static str>,
    /// `None` if the figure is in JSON alone.
    texts: Option<FigureTexts>,
}

/// How a figure is shown.
#[derive(Clone, Copy)]
pub struct FigureTexts {
    /// The label on the page.
    pub label: &'static str,
    /// The label in the terminal.
    pub text_label: &'static str,
    /// How the value is computed.
    pub formula: &'static str,
    /// The rule that makes a finding of a large value. `None` if no rule does.
    pub rule: Option<RuleId>,
}

/// What a figure is computed from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Basis {
    /// The time of a device. It means nothing if most events of the device are missing.
    Time,
    /// The costs of ops. The figure sums those that are known, so the true value may be larger.
    Costs,
    /// The time that ops need by their costs.
    RooflineTime,
    /// Facts that are known although most events of a device are missing.
    Facts,
}

/// All figures: first those that pages and texts show, in the order in which a narrow page keeps them.
const FIGURES: [Declaration; FigureId::ALL.len()] = [
    Declaration {
        id: FigureId::UsefulMfu,
        unit: Unit::Fraction,
        basis: Basis::Time,
        limit: Some("peak"),
        texts: texts("MFU, useful FLOPs", "Useful MFU", "useful FLOPs of a step ÷ (devices × peak × step time)"),
    },
    Declaration {
        id: FigureId::ModelMfu,
        unit: Unit::Fraction,
        basis: Basis::Costs,
        limit: Some("peak"),
        texts: texts("MFU", "MFU (model FLOPs)", "Σ model_flops ÷ (peak × step time): without recomputation"),
    },
    Declaration {
        id: FigureId::HardwareMfu,
        unit: Unit::Fraction,
        basis: Basis::Costs,
        limit: Some("peak"),
        texts: texts("HFU", "HFU (FLOPs as run)", "Σ flops ÷ (peak × step time): with recomputation"),
    },
    Declaration {
        id: FigureId::HbmBandwidth,
        unit: Unit::Fraction,
        basis: Basis::Costs,
        limit: Some("peak"),
        texts: texts("HBM bandwidth", "HBM bandwidth", "Σ bytes of HBM ÷ (bandwidth × step time)"),
    },
    Declaration {
        id: FigureId::HbmBandwidthMeasured,
        unit: Unit::Fraction,
        basis: Basis::Time,
        limit: Some("peak"),
        texts: texts(
            "HBM, measured",
            "HBM bandwidth, measured",
            "mean of the traffic that counters of the memory sampled ÷ bandwidth",
        ),
    },
    Declaration {
        id: FigureId::SmActive,
        unit: Unit::Fraction,
        basis: Basis::Time,
        limit: None,
        texts: texts(
            "SMs active",
            "SMs active, measured",
            "cycles in which multiprocessors were active, by counters ÷ cycles of the clock",
        ),
    },
    Declaration {
        id: FigureId::PeakHbm,
        unit: Unit::Fraction,
        basis: Basis::Facts,
        limit: Some("capacity"),
        texts: texts_with_rule(
            RuleId::HbmTight,
            "Peak HBM used",
            "Peak HBM",
            "max(peak of the program, peak in use) ÷ capacity",
        ),
    },
    Declaration {
        id: FigureId::ExposedCommunication,
        unit: Unit::Fraction,
        basis: Basis::Time,
        limit: None,
        texts: texts_with_rule(
            RuleId::ExposedCollective,
            "Exposed comm.",
            "Exposed communication",
            "time with a collective in flight and no compute ÷ step time",
        ),
    },
    Declaration {
        id: FigureId::Idle,
        unit: Unit::Fraction,
        basis: Basis::Time,
        limit: None,
        texts: texts_with_rule(RuleId::UnexplainedIdle, "Idle", "Idle", "time without an op ÷ step time"),
    },
    Declaration {
        id: FigureId::HostWaits,
        unit: Unit::Fraction,
        basis: Basis::Time,
        limit: None,
        texts: texts_with_rule(
            RuleId::HostDispatch,
            "Waiting on host",
            "Idle, waiting on host",
            "idle time before the host enqueued the next run ÷ step time",
        ),
    },
    Declaration {
        id: FigureId::DeviceSpread,
        unit: Unit::Fraction,
        basis: Basis::Facts,
        limit: None,
        texts: texts_with_rule(
            RuleId::Straggler,
            "Device spread",
            "Device spread",
            "mean over steps of (longest − shortest device) ÷ mean duration",
        ),
    },
    Declaration::in_json(FigureId::StepTime, Unit::Ps, Basis::Time),
    Declaration::in_json(FigureId::Variability, Unit::Fraction, Basis::Time),
    Declaration::in_json(FigureId::SlowSteps, Unit::Count, Basis::Time),
    Declaration::in_json(FigureId::FirstStep, Unit::Ps, Basis::Time),
    Declaration::in_json(FigureId::SteadyShare, Unit::Fraction, Basis::Time),
    Declaration::in_json(FigureId::HostLead, Unit::Ps, Basis::Time),
    Declaration::in_json(FigureId::WaitsForPeers, Unit::Fraction, Basis::Time),
    Declaration::in_json(FigureId::ProductiveShare, Unit::Fraction, Basis::RooflineTime),
    Declaration::in_json(FigureId::DeviceExcess, Unit::Ps, Basis::Facts),
];

impl Declaration {
    /// Declares a figure that is in JSON alone.
    const fn in_json(id: FigureId, unit: Unit, basis: Basis) -> Self {
        Self { id, unit, basis, limit: None, texts: None }
    }
}

const fn texts(label: &'static str, text_label: &'static str, formula: &'static str) -> Option<FigureTexts> {
    Some(FigureTexts { label, text_label, formula, rule: None })
}

const fn texts_with_rule(
    rule: RuleId,
    label: &'static str,
    text_label: &'static str,
    formula: &'static str,
) -> Option<FigureTexts> {
    Some(FigureTexts { label, text_label, formula, rule: Some(rule) })
}

/// Iterates over the figures that pages and texts show, in order.
pub fn shown_figures() -> impl Iterator<Item = (FigureId, FigureTexts)> {
    FIGURES.iter().filter_map(|figure| Some((figure.id, figure.texts?)))
}

impl FigureId {
    fn declaration(self) -> &'static Declaration {
        // A test checks that each figure has one.
        FIGURES.iter().find(|figure| figure.id == self).unwrap_or(&FIGURES[0])
    }

    /// Returns the unit of the value.
    pub fn unit(self) -> Unit {
        self.declaration().unit
    }

    pub(super) fn basis(self) -> Basis {
        self.declaration().basis
    }
}

/// A figure of an overview.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    pub id: FigureId,
    /// `None` if the figure is unknown; `absent` then gives the reason.
    pub value: Option<f64>,
    /// The values that the figure is computed from.
    pub inputs: Vec<FigureInput>,
    /// Share of the time for which the inputs are known, a fraction.
    pub coverage: Option<f64>,
    /// Why there is no value.
    pub absent: Option<String>,
    /// From which value on a rule makes a finding of the figure, in words. `None` if no rule does. The rules are not in the page.
    pub finding_from: Option<String>,
}

/// A share of a peak of FLOP/s, by the peak that is not in use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OtherPeak {
    /// The peak in use, in FLOP/s.
    pub used: f64,
    /// The peak of the other source, in FLOP/s.
    pub other: f64,
    /// Whether the peak in use is that of the data sheet.
    pub is_published: bool,
    /// The share of `other`.
    pub value: f64,
}

/// A value that a figure is computed from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FigureInput {
    /// Name in JSON. That of a time ends with `_ps`, and that of a size with `_bytes`.
    pub name: String,
    pub unit: Unit,
    pub value: f64,
}

impl FigureInput {
    /// Returns the value with its unit. FLOPs, FLOP/s and bytes have decimal prefixes.
    pub fn text(&self) -> Option<String> {
        let symbol = match self.unit {
            Unit::Flops if self.name.ends_with(PEAK_FLOPS) => "FLOP/s",
            Unit::Flops if self.name.contains("flops") => "FLOP",
            Unit::Flops => "B",
            Unit::Ps | Unit::Fraction | Unit::Bytes | Unit::Count => return None,
        };
        let space = if self.value < 1e3 { " " } else { "" };
        Some(format!("{}{space}{symbol}", quantity(self.value)))
    }

    /// Returns the name for users, without the unit.
    pub fn label(&self) -> String {
        match &*self.name {
            PEAK_FLOPS => return "Peak".to_owned(),
            CAPTURE_PEAK => return "Peak by the capture".to_owned(),
            PUBLISHED_PEAK => return "Peak by the data sheet".to_owned(),
            _ => {}
        }
        let stem = match self.unit {
            Unit::Ps => self.name.strip_suffix("_ps"),
            Unit::Bytes => self.name.strip_suffix("_bytes"),
            Unit::Fraction | Unit::Flops | Unit::Count => None,
        };
        capitalized(&stem.unwrap_or(&self.name).replace('_', " "))
    }
}

/// The name of the FLOPs that ran among the inputs of [`FigureId::HardwareMfu`].
pub(super) const RAN_FLOPS: &str = "flops";

/// The name of the peak among the inputs of MFU and HFU, in FLOP/s.
pub(super) const PEAK_FLOPS: &str = "peak_flops";
/// The name of the same peak as the capture states it, or as the clock of a GPU gives it.
pub(super) const CAPTURE_PEAK: &str = "capture_peak_flops";
/// The name of the same peak by the data sheet of the chip.
pub(super) const PUBLISHED_PEAK: &str = "published_peak_flops";

/// The share of the time of compute below which a sum of its costs says nothing.
const LEAST_COVERAGE: f64 = 0.05;

/// Why a sum of costs is unknown.
const NO_COVERAGE: &str = "The costs of most ops, or the peaks for their data types, are unknown.";

/// The reason for a figure that needs a peak of the device.
pub(super) const NO_PEAKS: &str = "The peaks of the device are unknown.";

impl Figure {
    /// Returns a figure without a value. `absent` is the reason.
    pub const fn unknown(id: FigureId, absent: Option<String>) -> Self {
        Self { id, value: None, inputs: Vec::new(), coverage: None, absent, finding_from: None }
    }

    /// Returns whether the figure is unknown only because the peaks of the device are.
    pub fn lacks_peaks(&self) -> bool {
        self.value.is_none() && self.absent.as_deref() == Some(NO_PEAKS)
    }

    /// Returns the value of an input. `None` if there is none of this name.
    pub(super) fn input(&self, name: &str) -> Option<f64> {
        self.inputs.iter().find(|input| input.name == name).map(|input| input.value)
    }

    /// Returns the figure as a share of the peak of the other source: the data sheet if the peak in use is that of the capture, and the
    /// reverse. `None` if the figure is no share of a peak of FLOP/s, or if only one source is known.
    pub fn by_other_peak(&self) -> Option<OtherPeak> {
        let (used, capture) = (self.input(PEAK_FLOPS)?, self.input(CAPTURE_PEAK)?);
        let published = self.input(PUBLISHED_PEAK)?;
        #[expect(clippy::float_cmp, reason = "the peak in use is one of the two")]
        let is_published = used == published && capture != published;
        let other = if is_published { capture } else { published };
        Some(OtherPeak { used, other, is_published, value: self.value? * used / other })
    }

    /// Returns whether the value counts only ops whose costs are known, so that the true value may be larger.
    pub fn is_at_least(&self) -> bool {
        self.id.basis() == Basis::Costs && self.coverage.is_some_and(|coverage| coverage < WHOLE_COVERAGE)
    }

    /// Removes a value that says nothing, because the costs of almost all ops are unknown.
    pub(super) fn without_unknown_costs(mut self) -> Self {
        let says_nothing = self.coverage.is_some_and(|coverage| coverage < LEAST_COVERAGE) || self.value == Some(0.0);
        if self.is_at_least() && self.value.is_some() && says_nothing {
            (self.value, self.inputs, self.absent) = (None, Vec::new(), Some(NO_COVERAGE.to_owned()));
        }
        self
    }

    /// Returns the limit that the value exceeds, in words. `None` if it exceeds none.
    pub fn exceeded_limit(&self) -> Option<&'static str> {
        self.id.declaration().limit.filter(|_| Peaks::is_above(self.value, Some(1.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::{FIGURES, FigureId};

    #[test]
    fn each_figure_is_declared_once() {
        let n_declared = |id: FigureId| FIGURES.iter().filter(|figure| figure.id == id).count();
        assert_eq!(FigureId::ALL.map(n_declared), [1; FigureId::ALL.len()]);
    }
}
