//! This module prepares the peaks for display and for the editor: values, sources and choices. It does not depend on
//! input fields.

use crate::analysis::roofline::{DevicePeaks, Level, PeakResource, PeakSource, Precision, RooflineFigures};
use crate::chart::widgets::picker_options::Choice;
use crate::chip::{CHIPS, Chip};
use crate::table::format;

/// One line of the editor.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    pub resource: PeakResource,
    /// Name: "bf16", "HBM".
    pub label: &'static str,
    /// Unit: TFLOP/s or GB/s.
    pub unit: &'static str,
    /// Value in use, in that unit; `None` if it is not known.
    pub value: Option<f64>,
    pub source: Option<PeakSource>,
    /// Description of the source.
    pub from: String,
    /// Whether the user can enter another value.
    pub can_change: bool,
}

/// Returns the factor from the unit of the editor to FLOP/s or bytes/s.
pub const fn scale(peak: PeakResource) -> f64 {
    match peak {
        PeakResource::Compute(_) => 1e12,
        PeakResource::Memory(_) => 1e9,
    }
}

/// Returns the lines of the editor: all data types and HBM, and other memories if their peak is known.
pub fn lines(peaks: &DevicePeaks) -> Vec<Line> {
    let all = Precision::ALL.map(PeakResource::Compute).into_iter().chain(Level::ALL.map(PeakResource::Memory));
    let line = |resource: PeakResource| {
        // f16 has the peak of bf16 where it has none of its own.
        let shared = || peaks.peak(PeakResource::Compute(Precision::Bf16));
        let known =
            peaks.peak(resource).or_else(|| shared().filter(|_| resource == PeakResource::Compute(Precision::F16)));
        let (label, unit) = match resource {
            PeakResource::Compute(precision) => (precision.label(), "TFLOP/s"),
            PeakResource::Memory(Level::Hbm) => (main_memory(Some(peaks)), "GB/s"),
            PeakResource::Memory(level) => (level.label(), "GB/s"),
        };
        let can_change = matches!(resource, PeakResource::Compute(_) | PeakResource::Memory(Level::Hbm));
        let line = Line {
            resource,
            label,
            unit,
            value: known.map(|peak| peak.value / scale(resource)),
            source: known.map(|peak| peak.source),
            from: known.map(|peak| peak.from.clone()).unwrap_or_default(),
            can_change,
        };
        (can_change || known.is_some()).then_some(line)
    };
    all.filter_map(line).collect()
}

/// Returns the name of the main memory. For a CPU this is "Memory", because a CPU has no HBM.
pub fn main_memory(peaks: Option<&DevicePeaks>) -> &'static str {
    let is_cpu = |peaks: &DevicePeaks| {
        peaks.chip.is_none() && !peaks.devices.is_empty() && peaks.devices.iter().all(|label| label.starts_with("CPU"))
    };
    if peaks.is_some_and(is_cpu) { "Memory" } else { Level::Hbm.label() }
}

/// Returns the main peaks for the row of figures: "233.4 TFLOP/s bf16", "1,382 GB/s HBM".
pub fn short(peaks: &DevicePeaks) -> Vec<(String, &'static str)> {
    let unit = if peaks.main() == Precision::F16 { "TFLOP/s fp16" } else { "TFLOP/s bf16" };
    let compute = peaks.flops(peaks.main()).map(|flops| (format::tflops(flops), unit));
    let unit = if main_memory(Some(peaks)) == Level::Hbm.label() { "GB/s HBM" } else { "GB/s" };
    let memory = peaks.bytes(Level::Hbm).map(|bytes| (format::gbs(bytes), unit));
    compute.into_iter().chain(memory).collect()
}

/// Returns the choices of chips, each with its peak. The first choice is the chip that the capture names.
pub fn chips() -> Vec<Choice<Option<&'static str>>> {
    let one = |chip: &Chip| {
        let peak = chip.bf16.map(|figure| (figure, "bf16")).or(chip.f16.map(|figure| (figure, "fp16")));
        let detail =
            peak.map(|(figure, name)| format!("{} TFLOP/s {name}", format::tflops(figure.value))).unwrap_or_default();
        Choice { value: Some(chip.name), label: chip.name.to_owned(), detail }
    };
    let own = Choice { value: None, label: "as captured".to_owned(), detail: String::new() };
    std::iter::once(own).chain(CHIPS.iter().map(one)).collect()
}

/// Returns the choices of memories for the x axis.
pub fn levels(levels: &[Level]) -> Vec<Choice<Level>> {
    let one = |level: &Level| Choice { value: *level, label: level.label().to_owned(), detail: String::new() };
    levels.iter().map(one).collect()
}

/// Returns the source of the peaks: "Peaks per device, from the profile".
pub fn device_text(figures: &RooflineFigures) -> String {
    let Some(peaks) = figures.peaks.first() else { return "No device, no peaks".to_owned() };
    let sources: Vec<PeakSource> = peaks
        .used
        .iter()
        .filter(|peak| {
            matches!(peak.resource, PeakResource::Memory(Level::Hbm))
                || peak.resource == PeakResource::Compute(peaks.main())
        })
        .map(|peak| peak.source)
        .collect();
    let word = |source: PeakSource| match source {
        PeakSource::Profile => "from the profile",
        PeakSource::Published => "as published",
        PeakSource::Yours => "yours",
    };
    let text = match sources.as_slice() {
        [] => "not known",
        [first, rest @ ..] if rest.iter().all(|other| other == first) => word(*first),
        _ => "from several sources",
    };
    let more = if figures.peaks.len() > 1 { "; devices differ" } else { "" };
    format!("Peaks per device, {text}{more}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::roofline::Peak;

    #[test]
    fn a_cpu_has_no_hbm() {
        let memory_name = |label: &str, chip: Option<&str>| {
            let peaks = DevicePeaks {
                devices: vec![label.to_owned()],
                chip: chip.map(str::to_owned),
                ..DevicePeaks::default()
            };
            assert!(lines(&peaks).iter().any(|line| line.label == main_memory(Some(&peaks))));
            main_memory(Some(&peaks))
        };
        assert_eq!(
            [memory_name("CPU:0", None), memory_name("TPU:0", None), memory_name("CPU:0", Some("TPU v6e"))],
            ["Memory", "HBM", "HBM"]
        );
    }

    #[test]
    fn bf16_and_hbm_can_always_be_given() {
        let lines = lines(&DevicePeaks::default());
        assert!(lines.iter().all(|line| line.value.is_none() && line.can_change));
        assert!(lines.iter().any(|line| line.label == "bf16") && lines.iter().any(|line| line.label == "HBM"));
        let known = Peak {
            resource: PeakResource::Memory(Level::VmemRead),
            value: 9e12,
            source: PeakSource::Profile,
            from: "a stat".to_owned(),
        };
        let peaks = DevicePeaks { used: vec![known], ..DevicePeaks::default() };
        let vmem = super::lines(&peaks).into_iter().find(|line| line.unit == "GB/s" && line.value.is_some());
        assert_eq!(vmem.map(|line| (line.value, line.can_change)), Some((Some(9000.0), false)));
    }
}
