//! This module finds the programs that run on each device.

use super::device::Device;
use std::collections::BTreeSet;
use xla_profile::profile::{Profile, ProgramId};

/// Returns the sets of programs of devices, each once. Devices that run the same programs are of one set, such as the devices of one
/// stage of a pipeline.
pub fn sets_of_programs(profile: &Profile, devices: &[Device]) -> BTreeSet<BTreeSet<ProgramId>> {
    let programs = |device: &Device| -> BTreeSet<ProgramId> {
        profile.planes[device.plane].ops.iter().filter_map(|op| op.stats.program).collect()
    };
    devices.iter().map(programs).collect()
}

/// Returns whether two devices have programs of their own, each of which the other one lacks.
pub fn has_stages(profile: &Profile, devices: &[Device]) -> bool {
    let sets = sets_of_programs(profile, devices);
    sets.iter().enumerate().any(|(index, set)| {
        sets.iter()
            .skip(index + 1)
            .any(|other| set.difference(other).next().is_some() && other.difference(set).next().is_some())
    })
}
