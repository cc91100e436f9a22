//! This module lists the kinds of steps with the lengths of their steps.

use super::base::Analysis;
use serde::{Deserialize, Serialize};
use xla_profile::units::Picos;

/// One kind of steps, over all devices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepKindRow {
    pub name: String,
    /// Number of steps.
    pub n_steps: u64,
    pub total: Picos,
    pub shortest: Picos,
    /// The middle of the sorted lengths; of an even number, the longer one of both.
    pub median: Picos,
    pub longest: Picos,
}

impl Analysis {
    /// Returns the kinds of steps, those with the most time first.
    pub fn step_kinds(&self) -> Vec<StepKindRow> {
        let row = |(index, name): (usize, &str)| {
            let steps = self.devices.iter().flat_map(|device| &device.steps);
            let of_kind = steps.filter(|step| usize::from(step.kind) == index);
            let mut lengths: Vec<Picos> =
                of_kind.map(|step| Picos(step.window.1.saturating_sub(step.window.0))).collect();
            lengths.sort_unstable();
            Some(StepKindRow {
                name: name.to_owned(),
                n_steps: lengths.len() as u64,
                total: lengths.iter().copied().sum(),
                shortest: *lengths.first()?,
                median: lengths[lengths.len() / 2],
                longest: *lengths.last()?,
            })
        };
        self.kinds.iter().map(|kind| &*kind.name).enumerate().filter_map(row).collect()
    }
}
