//! This module defines one step of the chart per step: its duration and its parts.
use super::paint::Paint;
use super::time_part::TimePart;
use xla_profile::units::Picos;

/// A part of all steps of a chart, such as a kind of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepPart {
    pub label: &'static str,
    pub paint: Paint,
}

/// Returns the kinds of time, then idle.
pub fn kinds() -> Vec<StepPart> {
    TimePart::all().map(|time_part| StepPart { label: time_part.label(), paint: Paint::time_part(time_part) }).collect()
}

/// One step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    pub name: String,
    /// Duration; for several devices, the mean.
    pub duration: Picos,
    /// Time of each part, one per [`StepPart`] of the chart.
    pub parts: Vec<Picos>,
    /// Shortest and longest duration over several devices. `None` for one device.
    pub spread: Option<(Picos, Picos)>,
    /// Whether the step is left out of mean and median, because it is not steady.
    pub is_left_out: bool,
    /// Further lines of the tooltip: label and text.
    pub remarks: Vec<(&'static str, String)>,
}

impl Step {
    /// Returns the shortest and the longest duration; for one device, both are the duration.
    pub fn ends(&self) -> (Picos, Picos) {
        self.spread.unwrap_or((self.duration, self.duration))
    }

    /// Iterates over the parts from the bottom of a bar to the top: the sum below the part, and the sum with it.
    pub(super) fn stacked(&self) -> impl Iterator<Item = (Picos, Picos)> {
        let mut below = Picos::ZERO;
        self.parts.iter().map(move |part| {
            let from = below;
            below += *part;
            (from, below)
        })
    }

    /// Returns the highest value of the bar.
    pub(super) fn top(&self) -> Picos {
        let stacked = self.stacked().last().map_or(Picos::ZERO, |(_, to)| to);
        stacked.max(self.duration).max(self.ends().1)
    }
}
