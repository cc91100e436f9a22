//! Groups of devices in words: size, stride, axes. Knows replica groups and a topology that the user gives; nothing of times.
//!
//! Chips are numbered along x first, then y, then z; devices of one chip follow each other. An axis is one along which the first
//! group's devices differ.

use super::ask::Topology;
use super::report::DeviceGroup;
use crate::hlo::ReplicaGroups;

/// Devices of a group that are told.
const TOLD: usize = 16;
/// Characters of a group's text.
const TEXT: usize = 120;

/// The machine, as far as it is known.
#[derive(Clone, Copy, Debug)]
pub struct Wiring<'a> {
    /// How chips are wired.
    pub topology: Option<&'a Topology>,
    /// Devices of a chip.
    pub devices_per_chip: u32,
    /// All devices of the program, where that is known.
    pub n_devices: Option<u64>,
}

impl Wiring<'_> {
    /// Groups in words.
    pub fn group(&self, groups: &ReplicaGroups) -> DeviceGroup {
        let all = matches!(groups, ReplicaGroups::All);
        let size = if all { self.n_devices } else { groups.size() };
        let everyone = || self.n_devices.map(|n| (0..n.min(ReplicaGroups::LIMIT)).collect::<Vec<u64>>());
        let first = if all { everyone() } else { groups.first() }.unwrap_or_default();
        let n_groups = match groups {
            ReplicaGroups::All => Some(1),
            ReplicaGroups::Lists(lists) => Some(lists.len() as u64),
            ReplicaGroups::Iota(iota) => Some(iota.groups),
            ReplicaGroups::Pairs(pairs) => Some(pairs.len() as u64),
            ReplicaGroups::Mesh(_) => groups.groups().map(|groups| groups.len() as u64),
        };
        let axes = self.axes(&first);
        DeviceGroup {
            text: cut(groups.to_string()),
            size,
            stride: if all { (first.len() > 1).then_some(1) } else { groups.stride() },
            n_groups,
            axis: axes.as_ref().map(|axes| axes.join("+")).or_else(|| mesh_axes(groups)),
            n_axes: axes.map(|axes| axes.iter().filter(|axis| **axis != "core").count() as u32),
            first: first.into_iter().take(TOLD).collect(),
        }
    }

    /// The axes along which devices differ. `None` without a topology, or where one of them is not on it.
    fn axes(&self, devices: &[u64]) -> Option<Vec<&'static str>> {
        let topology = self.topology?;
        let per_chip = u64::from(self.devices_per_chip.max(1));
        let place = |device: u64| {
            let mut chip = device / per_chip;
            let mut place = vec![device % per_chip];
            for side in &topology.sides {
                place.push(chip.checked_rem(*side)?);
                chip = chip.checked_div(*side)?;
            }
            (chip == 0).then_some(place)
        };
        let places: Option<Vec<Vec<u64>>> = devices.iter().map(|device| place(*device)).collect();
        let places = places.filter(|places| !places.is_empty())?;
        let differs = |axis: usize| places.iter().any(|place| place[axis] != places[0][axis]);
        let named = ["core", "x", "y", "z"].into_iter().take(topology.sides.len() + 1).enumerate();
        Some(named.filter(|(axis, _)| differs(*axis)).map(|(_, name)| name).collect())
    }
}

/// The axes that HLO itself names.
fn mesh_axes(groups: &ReplicaGroups) -> Option<String> {
    let ReplicaGroups::Mesh(mesh) = groups else { return None };
    let names: Option<Vec<&str>> = mesh.axes.iter().map(|axis| Some(&*mesh.mesh.get(axis.axis)?.0)).collect();
    names.map(|names| names.join("+")).filter(|names| !names.is_empty())
}

fn cut(text: String) -> String {
    match text.char_indices().nth(TEXT) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::text::{replica_groups, source_target_pairs};

    fn group(text: &str, topology: &str, devices_per_chip: u32) -> DeviceGroup {
        let topology = topology.parse().ok();
        let wiring = Wiring { topology: topology.as_ref(), devices_per_chip, n_devices: Some(8) };
        wiring.group(&replica_groups(text).unwrap())
    }

    #[test]
    fn axes_are_those_along_which_the_first_group_extends() {
        for (text, topology, per_chip, axis, n_axes) in [
            ("[4,2]<=[2,4]T(1,0)", "2x2x2", 1, Some("z"), Some(1)),
            ("[4,2]<=[8]", "2x2x2", 1, Some("x"), Some(1)),
            ("[2,4]<=[8]", "2x2x2", 1, Some("x+y"), Some(2)),
            ("[4,2]<=[8]", "2x2", 2, Some("core"), Some(0)),
            ("[1,8]<=[8]", "2x2", 2, Some("core+x+y"), Some(2)),
            ("{}", "2x4", 1, Some("x+y"), Some(2)),
            ("{{0,1},{2,3}}", "", 1, None, None),
            ("{{0,9}}", "2x2x2", 1, None, None),
            ("mesh['fsdp'=4,'tensor'=2] {'tensor'}", "2x4", 1, Some("x"), Some(1)),
            ("mesh['fsdp'=4,'tensor'=2] {'tensor'}", "", 1, Some("tensor"), None),
        ] {
            let group = group(text, topology, per_chip);
            assert_eq!((group.axis.as_deref(), group.n_axes), (axis, n_axes), "{text} on {topology}");
        }
    }

    #[test]
    fn all_is_all_that_are_known() {
        let all = group("{}", "", 1);
        assert_eq!((all.size, all.n_groups, all.first.len(), all.stride), (Some(8), Some(1), 8, Some(1)));
        let wiring = Wiring { topology: None, devices_per_chip: 1, n_devices: None };
        let pairs = wiring.group(&source_target_pairs("{{0,1},{1,2},{2,0}}").unwrap());
        assert_eq!((pairs.size, pairs.n_groups, pairs.first), (Some(2), Some(3), vec![0, 1]));
        assert_eq!(wiring.group(&ReplicaGroups::All).size, None);
    }
}
