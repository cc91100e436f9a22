//! This module selects the ceilings of a device: its peaks of compute and memory.
use crate::analysis::roofline::{DevicePeaks, Level, Precision, RooflineFigures};
use xla_profile::small_sort::SmallSort;

/// The roofs of a chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ceilings {
    /// Peak FLOP/s of each data type in use, the highest first.
    pub compute: Vec<(Precision, f64)>,
    /// The selected memory, and its bandwidth in bytes/s.
    pub memory: Option<(Level, f64)>,
    /// Other memories for which ops have bytes, and their bandwidths.
    pub others: Vec<(Level, f64)>,
}

impl Ceilings {
    /// Selects the ceilings of the first device of a report. If no peak of a used type is known, the main type's peak
    /// is the ceiling.
    pub fn from_figures(figures: &RooflineFigures, used: &[Precision], level: Level) -> Self {
        let Some(peaks) = figures.peaks.first() else { return Self::default() };
        let mut compute: Vec<(Precision, f64)> = Precision::ALL
            .into_iter()
            .filter(|p| used.contains(p))
            .filter_map(|p| Some((p, peaks.flops(p)?)))
            .collect();
        if compute.is_empty() {
            compute.extend(peaks.flops(peaks.main()).map(|flops| (peaks.main(), flops)));
        }
        compute.small_sort_by(|a, b| b.1.total_cmp(&a.1));
        Self { compute, memory: peaks.bytes(level).map(|bytes| (level, bytes)), others: others(peaks, figures, level) }
    }

    /// Returns the highest compute peak, in FLOP/s.
    pub fn top(&self) -> Option<f64> {
        self.compute.first().map(|(_, flops)| *flops)
    }

    /// Returns the ridge point of the highest compute peak and the selected memory, in FLOP per byte.
    pub fn ridge(&self) -> Option<f64> {
        Some(self.top()? / self.memory?.1)
    }
}

fn others(peaks: &DevicePeaks, figures: &RooflineFigures, level: Level) -> Vec<(Level, f64)> {
    let has_bytes = |other: &Level| figures.step.as_ref().is_some_and(|roof| roof.intensity_of(*other).is_some());
    let others = Level::ALL.into_iter().filter(|other| *other != level).filter(has_bytes);
    others.filter_map(|other| Some((other, peaks.bytes(other)?))).collect()
}
