//! This module writes the notes on the figures of a roofline. It computes no figures.

use super::peaks::{DevicePeaks, Peak, PeakResource};
use super::query::{Level, PeakSource, RooflineQuery};
use super::report::{CostSource, RooflineFigures, SkipReason};
use super::sums::OpPoint;
use super::window_use::DeviceCountSource;
use crate::analysis::base::Status;
use crate::chip::Chip;
use indexmap::IndexMap;
use xla_profile::profile::{Note, NoteCode, Severity};
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Picos;

impl NoteFacts {
    /// Adds the self time, in ps, of an op that has a roof.
    pub(super) fn add(&mut self, point: &OpPoint, matmul: bool, self_time: u64) {
        let add = |to: &mut u64, is: bool| *to = to.saturating_add(if is { self_time } else { 0 });
        add(&mut self.uncertain, point.uncertain);
        add(&mut self.model_flops, point.cost.source == CostSource::ModelFlops);
        add(&mut self.vector, !matmul);
    }
}

fn percent(part: f64) -> String {
    format!("{:.1} %", part * 100.0)
}

/// Returns the note on a device whose peaks of data types come from several sources, so that shares of these peaks cannot be
/// compared. `None` if there is no such device.
pub fn mixed_peak_sources(figures: &RooflineFigures) -> Option<Note> {
    let compute = |peaks: &DevicePeaks| -> IndexMap<PeakSource, Vec<String>> {
        let mut by_source: IndexMap<PeakSource, Vec<String>> = IndexMap::default();
        for peak in &peaks.used {
            if let PeakResource::Compute(precision) = peak.resource {
                by_source.entry(peak.source).or_default().push(precision.label().to_owned());
            }
        }
        by_source
    };
    let (peaks, by_source) =
        figures.peaks.iter().map(|peaks| (peaks, compute(peaks))).find(|(_, by_source)| by_source.len() > 1)?;
    let main = peaks.peak(PeakResource::Compute(peaks.main()))?;
    let sources: Vec<String> =
        by_source.iter().map(|(source, names)| format!("{} ({})", names.join(", "), source.key())).collect();
    let message = format!(
        "The peaks of data types come from several sources: {}. MFU and HFU are shares of the {} peak ({}).",
        sources.join("; "),
        peaks.main().label(),
        main.source.key()
    );
    Some(Note::new(Severity::Info, NoteCode::MixedPeakSources, message))
}

/// Returns the notes on the figures. Empty if the report has no data.
pub(super) fn notes(figures: &RooflineFigures, query: &RooflineQuery, facts: &NoteFacts) -> Vec<Note> {
    if figures.header.status == Status::Absent {
        return Vec::new();
    }
    let mut notes = Vec::new();
    let mut note = |severity, code: NoteCode, message: String| notes.push(Note::new(severity, code, message));
    let (info, caution) = (Severity::Info, Severity::Caution);
    let share =
        |self_time: u64| Picos(self_time).fraction_of(figures.considered).filter(|share| *share > 0.0).map(percent);
    if let Some(name) = query.peaks.chip.as_deref().filter(|name| Chip::named(name).is_none()) {
        note(
            caution,
            NoteCode::UnknownChip,
            format!("“{name}” is not in the table of chips. The peaks of the captured device are used."),
        );
    }
    let unknown = figures.peaks.iter().find(|peaks| peaks.flops(peaks.main()).is_none());
    if let Some(peaks) = unknown {
        let what = peaks.device_type.as_deref().unwrap_or("a device without a name");
        let message = format!(
            "The peaks of {what} are unknown: neither the capture nor the table of chips has them. Ops have no roofline. \
             Choose a chip, or enter peaks."
        );
        note(caution, NoteCode::UnknownPeaks, message);
    }
    if figures.peaks.len() > 1 {
        note(
            info,
            NoteCode::PeaksDiffer,
            "Devices have different peaks. Each op is compared with the peaks of its own device.".into(),
        );
    }
    notes.extend(mixed_peak_sources(figures));
    let mut note = |severity, code: NoteCode, message: String| notes.push(Note::new(severity, code, message));
    if let Some(share) = figures.step.as_ref().and_then(|roof| share(roof.above.0)) {
        let message = format!(
            "{share} of the time is spent in ops whose cost estimate exceeds the peak. They are shown as they are, and \
             averages that include them are too high."
        );
        note(caution, NoteCode::AbovePeak, message);
    }
    if let Some(skipped) = figures.skipped.iter().find(|s| s.reason == SkipReason::OpaqueCall)
        && let Some(share) = share(skipped.total.0)
    {
        let message = format!(
            "{share} of the time is spent in kernels without a cost. Enter their FLOPs and bytes per execution to include \
             them."
        );
        note(caution, NoteCode::OpaqueKernels, message);
    }
    let mut types: Vec<(&str, u64)> =
        facts.no_peak.iter().map(|(name, self_time)| (name.as_str(), *self_time)).collect();
    types.small_sort_by_key(|(name, self_time)| (std::cmp::Reverse(*self_time), *name));
    if unknown.is_none()
        && let Some(share) = share(types.iter().fold(0, |sum, (_, self_time)| sum.saturating_add(*self_time)))
    {
        let names: Vec<&str> = types.iter().take(5).map(|(name, _)| *name).collect();
        let message = format!(
            "{share} of the time computes with {}, for which no peak is published. It is not in the roofline. Enter a peak \
             to include it.",
            names.join(", ")
        );
        note(caution, NoteCode::NoPeakForDtype, message);
    }
    if let Some(share) = share(facts.uncertain) {
        let message = format!(
            "For {share} of the time the dtype of the operands is unknown. If the operands have a faster dtype than the \
             result, the MFU is too high."
        );
        note(info, NoteCode::DtypeUncertain, message);
    }
    if let Some(share) = share(facts.model_flops) {
        let message = format!("{share} of the time is compared by model FLOPs, because the capture has no others.");
        note(info, NoteCode::ModelFlopsUsed, message);
    }
    if let Some(share) = share(facts.vector) {
        let message = format!(
            "{share} of the time is spent in ops without a matmul. No peak of vector units is published, so these ops are \
             compared with the peak of the matrix units, which they cannot reach. Memory limits most of them."
        );
        note(info, NoteCode::VectorWork, message);
    }
    if figures.step.is_some() && !facts.split {
        note(
            info,
            NoteCode::BytesNotSplit,
            "The capture does not split bytes by memory. All bytes count as HBM traffic.".into(),
        );
    }
    let is_of_table = |peak: &Peak| peak.source == PeakSource::Published;
    let from_table = figures.peaks.iter().any(|p| p.peak(PeakResource::Compute(p.main())).is_some_and(is_of_table));
    if from_table && query.peaks.prefer != PeakSource::Published {
        note(
            info,
            NoteCode::PublishedPeaks,
            "The capture has no peaks of the device. Published peaks are used.".into(),
        );
    }
    let hbm = PeakResource::Memory(Level::Hbm);
    let by_profile = |peaks: &DevicePeaks| {
        peaks
            .offers
            .iter()
            .find(|peak| (peak.resource, peak.source) == (hbm, PeakSource::Profile))
            .map(|peak| peak.value)
    };
    let halved = figures.peaks.iter().find_map(|peaks| {
        let used = peaks.peak(hbm).filter(|peak| is_of_table(peak) && query.peaks.prefer != PeakSource::Published)?;
        Some((used.value, by_profile(peaks)?, peaks.chip.as_deref()?))
    });
    if let Some((published, profile, chip)) = halved {
        let message = format!(
            "The HBM bandwidth is {:.0} GB/s, as published for {chip}. The profile has {:.0} GB/s, because the driver \
             counts two transfers per clock, and this memory makes four.",
            published / 1e9,
            profile / 1e9
        );
        note(info, NoteCode::PublishedHbm, message);
    }
    if query.useful.is_some() && figures.window.useful_mfu.is_none() {
        let message = "MFU from useful FLOPs needs steps, and numbers above zero.".into();
        note(caution, NoteCode::NoUsefulMfu, message);
    }
    if let Some(devices) = figures.window.useful_devices {
        let n = devices.n;
        match devices.source {
            DeviceCountSource::Yours => {}
            DeviceCountSource::Program => {
                let message = format!(
                    "The useful FLOPs of a step are divided by {n} devices, for which its program is compiled."
                );
                note(info, NoteCode::UsefulDevices, message);
            }
            DeviceCountSource::Capture => {
                let message = format!(
                    "The useful FLOPs of a step are divided by {n} devices, the devices in the capture. If the job has more, enter \
                     their number."
                );
                note(info, NoteCode::UsefulDevices, message);
            }
        }
    }
    let window = &figures.window;
    let of_window = [
        ("useful-FLOPs MFU", window.useful_mfu),
        ("MFU", window.model_mfu),
        ("HFU", window.hfu),
        ("use of HBM", window.hbm_util),
    ];
    for (what, value) in
        of_window.into_iter().filter_map(|(what, value)| Some((what, value.filter(|value| *value > 1.0)?)))
    {
        let reason = if what == "useful-FLOPs MFU" {
            "check the number of devices of the job, the batch and the FLOPs per token"
        } else {
            "cost estimates or peaks are wrong"
        };
        let message = format!("The {what} of the window is {}, more than devices can do: {reason}.", percent(value));
        note(caution, NoteCode::WindowAbovePeak, message);
    }
    notes
}

/// Facts about the ops of the walk, for the notes. Times are self times in ps.
#[derive(Default)]
pub(super) struct NoteFacts {
    /// Time of ops whose operand types are uncertain.
    pub uncertain: u64,
    /// Time of ops whose FLOPs are those of the model.
    pub model_flops: u64,
    /// Time of ops without a matmul.
    pub vector: u64,
    /// Time of ops whose precision has no peak, by data type.
    pub no_peak: IndexMap<String, u64>,
    /// Whether the bytes of any op are split by memory.
    pub split: bool,
}
