//! The ceilings of a device: its peaks of compute and memory.
use crate::analysis::roofline::{DevicePeaks, Level, Precision, RooflineFigures};
use crate::small_sort::SmallSort;

/// The roofs of a chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ceilings {
    /// FLOP/s by type, highest first: of the types that are computed with.
    pub compute: Vec<(Precision, f64)>,
    /// The selected memory, and its bytes/s.
    pub memory: Option<(Level, f64)>,
    /// Others with bytes, and theirs.
    pub others: Vec<(Level, f64)>,
}

impl Ceilings {
    /// Of the first device asked about.
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

    /// The highest roof, FLOP/s.
    pub fn top(&self) -> Option<f64> {
        self.compute.first().map(|(_, flops)| *flops)
    }

    /// FLOP per byte at which the highest roof and the memory's meet.
    pub fn ridge(&self) -> Option<f64> {
        Some(self.top()? / self.memory?.1)
    }
}

fn others(peaks: &DevicePeaks, figures: &RooflineFigures, level: Level) -> Vec<(Level, f64)> {
    let has_bytes = |of: &Level| figures.step.as_ref().is_some_and(|roof| roof.intensity_of(*of).is_some());
    let others = Level::ALL.into_iter().filter(|of| *of != level).filter(has_bytes);
    others.filter_map(|of| Some((of, peaks.bytes(of)?))).collect()
}
