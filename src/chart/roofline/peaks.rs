//! The peaks as they are shown and chosen: what counts, where it is from, what else there is. This module knows offers of peaks; no
//! field.

use crate::analysis::roofline::{DevicePeaks, Level, PeakOf, PeakSource, Precision, RooflineFigures};
use crate::chart::widgets::picker_options::Choice;
use crate::chip::{CHIPS, Chip};
use crate::table::format;

/// A line of the editor.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Which peak.
    pub of: PeakOf,
    /// "bf16", "HBM".
    pub label: &'static str,
    /// Its unit: TFLOP/s, GB/s.
    pub unit: &'static str,
    /// What counts, in that unit.
    pub value: Option<f64>,
    /// Who says so.
    pub source: Option<PeakSource>,
    /// In which words.
    pub from: String,
    /// Whether the user may give another.
    pub can_change: bool,
}

/// What a unit is of FLOP/s or bytes/s.
pub const fn scale(of: PeakOf) -> f64 {
    match of {
        PeakOf::Compute(_) => 1e12,
        PeakOf::Memory(_) => 1e9,
    }
}

/// The types and memories that are shown: bf16 and HBM always, others where something is known of them.
pub fn lines(peaks: &DevicePeaks) -> Vec<Line> {
    let all = Precision::ALL.map(PeakOf::Compute).into_iter().chain(Level::ALL.map(PeakOf::Memory));
    let line = |of: PeakOf| {
        let known = peaks.peak(of);
        let (label, unit) = match of {
            PeakOf::Compute(precision) => (precision.label(), "TFLOP/s"),
            PeakOf::Memory(Level::Hbm) => (main_memory(Some(peaks)), "GB/s"),
            PeakOf::Memory(level) => (level.label(), "GB/s"),
        };
        let can_change = matches!(of, PeakOf::Compute(_) | PeakOf::Memory(Level::Hbm));
        let line = Line {
            of,
            label,
            unit,
            value: known.map(|peak| peak.value / scale(of)),
            source: known.map(|peak| peak.source),
            from: known.map(|peak| peak.from.clone()).unwrap_or_default(),
            can_change,
        };
        (can_change || known.is_some()).then_some(line)
    };
    all.filter_map(line).collect()
}

/// What the memory of devices is called: a CPU has no HBM.
pub fn main_memory(peaks: Option<&DevicePeaks>) -> &'static str {
    let is_cpu = |peaks: &DevicePeaks| {
        peaks.chip.is_none() && !peaks.devices.is_empty() && peaks.devices.iter().all(|label| label.starts_with("CPU"))
    };
    if peaks.is_some_and(is_cpu) { "Memory" } else { Level::Hbm.label() }
}

/// Beside the figures: "233.4 TFLOP/s bf16", "1,382 GB/s HBM".
pub fn short(peaks: &DevicePeaks) -> Vec<(String, &'static str)> {
    let unit = if peaks.main() == Precision::F16 { "TFLOP/s fp16" } else { "TFLOP/s bf16" };
    let compute = peaks.flops(peaks.main()).map(|flops| (format::tflops(flops), unit));
    let unit = if main_memory(Some(peaks)) == Level::Hbm.label() { "GB/s HBM" } else { "GB/s" };
    let memory = peaks.bytes(Level::Hbm).map(|bytes| (format::gbs(bytes), unit));
    compute.into_iter().chain(memory).collect()
}

/// The chips of the table, each with its peak, behind the one that the capture names.
pub fn chips() -> Vec<Choice<Option<&'static str>>> {
    let one = |chip: &Chip| {
        let peak = chip.bf16.map(|of| (of, "bf16")).or(chip.f16.map(|of| (of, "fp16")));
        let detail = peak.map(|(of, name)| format!("{} TFLOP/s {name}", format::tflops(of.value))).unwrap_or_default();
        Choice { value: Some(chip.name), label: chip.name.to_owned(), detail }
    };
    let own = Choice { value: None, label: "as captured".to_owned(), detail: String::new() };
    std::iter::once(own).chain(CHIPS.iter().map(one)).collect()
}

/// Memories whose bytes an axis may be of.
pub fn levels(levels: &[Level]) -> Vec<Choice<Level>> {
    let one = |level: &Level| Choice { value: *level, label: level.label().to_owned(), detail: String::new() };
    levels.iter().map(one).collect()
}

/// Whose the peaks are: "Peaks per device, from the profile".
pub fn device_text(figures: &RooflineFigures) -> String {
    let Some(peaks) = figures.peaks.first() else { return "No device, no peaks".to_owned() };
    let sources: Vec<PeakSource> = peaks
        .used
        .iter()
        .filter(|peak| matches!(peak.of, PeakOf::Memory(Level::Hbm)) || peak.of == PeakOf::Compute(peaks.main()))
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
        let of = |label: &str, chip: Option<&str>| {
            let peaks = DevicePeaks {
                devices: vec![label.to_owned()],
                chip: chip.map(str::to_owned),
                ..DevicePeaks::default()
            };
            assert!(lines(&peaks).iter().any(|line| line.label == main_memory(Some(&peaks))));
            main_memory(Some(&peaks))
        };
        assert_eq!([of("CPU:0", None), of("TPU:0", None), of("CPU:0", Some("TPU v6e"))], ["Memory", "HBM", "HBM"]);
    }

    #[test]
    fn bf16_and_hbm_can_always_be_given() {
        let lines = lines(&DevicePeaks::default());
        assert!(lines.iter().all(|line| line.value.is_none() && line.can_change));
        assert!(lines.iter().any(|line| line.label == "bf16") && lines.iter().any(|line| line.label == "HBM"));
        let known = Peak {
            of: PeakOf::Memory(Level::VmemRead),
            value: 9e12,
            source: PeakSource::Profile,
            from: "a stat".to_owned(),
        };
        let peaks = DevicePeaks { used: vec![known], ..DevicePeaks::default() };
        let vmem = super::lines(&peaks).into_iter().find(|line| line.unit == "GB/s" && line.value.is_some());
        assert_eq!(vmem.map(|line| (line.value, line.can_change)), Some((Some(9000.0), false)));
    }
}
