//! This module names the steps of a session, and lists the kinds of steps of a device.

use super::analysis::Analysis;
use super::device::{Device, Step, StepBasis};
use super::query::StepChoice;
use super::steps::describe_step;
use xla_profile::profile::Profile;

impl Analysis {
    /// Returns the kinds of the steps of a device that has several of them, the one of its mean first: the index of the
    /// kind, its name, and the number of its steady steps.
    pub fn kinds_of(&self, device: &Device) -> impl Iterator<Item = (u16, String, u32)> {
        let main = device.main_kind;
        let others = (0..self.kinds.len() as u16).filter(move |kind| *kind != main);
        let has = |kind: &u16| device.steps.iter().any(|step| step.kind == *kind);
        let kinds: Vec<u16> = std::iter::once(main).chain(others).filter(has).collect();
        let n_steady = |kind: u16| device.steady_steps_of(StepChoice::Kind(kind)).count() as u32;
        let one = kinds.len() < 2;
        kinds
            .into_iter()
            .filter(move |_| !one)
            .filter_map(move |kind| Some((kind, self.kinds.get(usize::from(kind))?.name.clone(), n_steady(kind))))
    }

    /// Describes the steps of a mean of a device in a sentence. `None` if the device has no steps, or if the mean is of several kinds.
    pub(super) fn describe_step(&self, device: &Device, step: StepChoice) -> Option<String> {
        let kind = if let StepChoice::Kind(kind) = step { kind } else { device.main_kind };
        describe_step(&device.basis, self.kinds.get(usize::from(kind))?)
    }

    /// Returns the name of a step: its kind if the host marked it or if there are several kinds, else that of its event or of
    /// its program.
    pub fn step_name<'a>(&'a self, profile: &'a Profile, device: &Device, step: &Step) -> &'a str {
        let is_of_kind = self.kinds.len() > 1 || matches!(device.basis, StepBasis::Annotations { .. });
        let kind = self.kinds.get(usize::from(step.kind)).filter(|_| is_of_kind);
        kind.map_or_else(|| step.name(profile, &profile.planes[device.plane]), |kind| &kind.name)
    }
}
