//! This module says which peak MFU and HFU are shares of, and how large they are by the other source of the peak.

use crate::analysis::overview::{FigureId, Overview};
use crate::analysis::roofline::PeakSource;
use crate::table::format::{percent_text, tflops};

/// The peak that MFU and HFU are shares of, where the capture and the data sheet of the chip differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeakSourceLine {
    pub sentence: String,
    /// The label of the button that changes the source.
    pub button: &'static str,
    /// The source that the button chooses.
    pub other: PeakSource,
}

/// Returns the line about the source of the peak. `None` if there is one source, or if both say the same.
pub fn peak_source(overview: &Overview) -> Option<PeakSourceLine> {
    let figures = [("MFU", FigureId::ModelMfu), ("HFU", FigureId::HardwareMfu)];
    let known = |(name, id): (&'static str, FigureId)| Some((name, overview.figure(id)?.by_other_peak()?));
    let known: Vec<_> = figures.into_iter().filter_map(known).collect();
    let (_, peaks) = *known.first()?;
    let [used, other] = [peaks.used, peaks.other].map(tflops);
    if used == other {
        return None;
    }
    let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
    let (are, shares) = if names.len() == 1 { ("is", "a share") } else { ("are", "shares") };
    let values: Vec<String> = known.iter().map(|(name, by)| format!("{name} {}", percent_text(by.value))).collect();
    // The peak of a GPU follows from its clock; a TPU states it.
    let is_gpu = overview.device.starts_with("GPU") || overview.device.contains(" GPU");
    let capture = if is_gpu { "the clock in the capture" } else { "the capture" };
    let [by_used, by_other] =
        if peaks.is_published { ["the data sheet", capture] } else { [capture, "the data sheet"] };
    let (button, source) = if peaks.is_published {
        (if is_gpu { "Use the clock" } else { "Use the capture" }, PeakSource::Profile)
    } else {
        ("Use the data sheet", PeakSource::Published)
    };
    let sentence = format!(
        "{} {are} {shares} of {used} TFLOP/s, by {by_used}. By {by_other}, {other} TFLOP/s: {}.",
        names.join(" and "),
        values.join(", ")
    );
    Some(PeakSourceLine { sentence, button, other: source })
}
