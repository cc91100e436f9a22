//! One step of a chart per step: its duration and its parts.
use super::paint::Paint;
use super::time_part::Slot;
use crate::units::Picos;

/// What steps are made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// Its name.
    pub label: &'static str,
    /// How it looks.
    pub paint: Paint,
}

/// Kinds of time, then idle.
pub fn kinds() -> Vec<Part> {
    Slot::all().map(|slot| Part { label: slot.label(), paint: Paint::slot(slot) }).collect()
}

/// One step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Its number or name.
    pub name: String,
    /// How long it took; of several devices, the mean.
    pub duration: Picos,
    /// What it is made of, as many as the chart has [`Part`]s.
    pub parts: Vec<Picos>,
    /// Of several devices: the shortest and the longest.
    pub spread: Option<(Picos, Picos)>,
}

impl Step {
    /// The shortest and longest it took.
    pub fn ends(&self) -> (Picos, Picos) {
        self.spread.unwrap_or((self.duration, self.duration))
    }

    /// Its parts from the bottom of a bar to the top, with what is below each.
    pub(super) fn stacked(&self) -> impl Iterator<Item = (Picos, Picos)> {
        let mut below = Picos::ZERO;
        self.parts.iter().map(move |part| {
            let from = below;
            below += *part;
            (from, below)
        })
    }

    /// The highest point of its bar.
    pub(super) fn top(&self) -> Picos {
        let stacked = self.stacked().last().map_or(Picos::ZERO, |(_, to)| to);
        stacked.max(self.duration).max(self.ends().1)
    }
}
