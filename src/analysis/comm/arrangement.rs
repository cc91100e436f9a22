//! This module describes groups of devices by the arrangement of the devices: size, stride and axes. It depends on replica groups, and on a mesh and a
//! topology that the user gives, but not on times.
//!
//! Chips are numbered along x first, then along y, then along z. The devices of a chip have consecutive numbers. In a
//! mesh, the devices along its last axis have consecutive numbers. A group extends along an axis if its devices have
//! different coordinates on that axis; the first group stands for all groups.

use super::query::{NamedMesh, Topology};
use super::report::DeviceGroup;
use xla_profile::hlo::ReplicaGroups;

/// Largest number of devices of the first group in the report.
const MAX_DEVICES: usize = 16;
/// Largest number of characters of a group's text.
const TEXT: usize = 120;

/// The arrangement of the devices, as far as it is known.
#[derive(Clone, Copy, Debug)]
pub struct Arrangement<'a> {
    /// The arrangement of the chips, from the user.
    pub topology: Option<&'a Topology>,
    /// The axes of the program's mesh, from the user.
    pub mesh: Option<&'a NamedMesh>,
    pub devices_per_chip: u32,
    /// Number of devices of the program, if known.
    pub n_devices: Option<u64>,
}

impl Arrangement<'_> {
    /// Describes replica groups by text, size, stride and axes.
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
            axis: self.named(&first).or_else(|| joined(axes.as_deref()?)).or_else(|| mesh_axes(groups)),
            n_axes: axes.map(|axes| axes.iter().filter(|axis| **axis != "core").count() as u32),
            first: first.into_iter().take(MAX_DEVICES).collect(),
        }
    }

    /// Returns the axes of the user's mesh along which `devices` differ. `None` without a mesh, if a device is not on
    /// the mesh, or if the devices do not differ.
    fn named(&self, devices: &[u64]) -> Option<String> {
        let mesh = self.mesh?;
        let first = *devices.first().filter(|_| devices.iter().all(|device| *device < mesh.devices()))?;
        // The distance between the numbers of two devices that are neighbours along the axis.
        let mut stride = mesh.devices();
        let mut names = Vec::new();
        for (name, size) in &mesh.axes {
            stride /= size;
            let place = |device: u64| device / stride % size;
            if devices.iter().any(|device| place(*device) != place(first)) {
                names.push(name.as_str());
            }
        }
        joined(&names)
    }

    /// Returns the axes of the topology along which `devices` differ. `None` without a topology or devices, or if a
    /// device is not on the topology.
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

/// Returns the axes that HLO itself names.
fn mesh_axes(groups: &ReplicaGroups) -> Option<String> {
    let ReplicaGroups::Mesh(mesh) = groups else { return None };
    let names: Option<Vec<&str>> = mesh.axes.iter().map(|axis| Some(&*mesh.mesh.get(axis.axis)?.0)).collect();
    joined(&names?)
}

/// Joins axis names: `data+model`. `None` for no names, because a single device extends along no axis.
fn joined(names: &[&str]) -> Option<String> {
    (!names.is_empty()).then(|| names.join("+"))
}

fn cut(text: String) -> String {
    match text.char_indices().nth(TEXT) {
        Some((offset, _)) => format!("{}…", text.get(..offset).unwrap_or_default()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xla_profile::hlo::text::{replica_groups, source_target_pairs};

    fn group(text: &str, topology: &str, devices_per_chip: u32) -> DeviceGroup {
        let topology = topology.parse().ok();
        let arrangement = Arrangement { topology: topology.as_ref(), mesh: None, devices_per_chip, n_devices: Some(8) };
        arrangement.group(&replica_groups(text).unwrap())
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
    fn a_mesh_that_is_given_names_axes_first() {
        for (text, mesh, axis) in [
            ("[2,4]<=[8]", "data=2,model=4", Some("model")),
            ("[4,2]<=[2,4]T(1,0)", "data=2,model=4", Some("data")),
            ("[4,2]<=[8]", "data=2,model=4", Some("model")),
            ("{}", "data=2,fsdp=2,model=2", Some("data+fsdp+model")),
            ("[1,8]<=[8]", "data=2", Some("x+y+z")),
            ("mesh['fsdp'=4,'tensor'=2] {'tensor'}", "a=4,b=2", Some("b")),
        ] {
            let (topology, mesh) = ("2x2x2".parse().ok(), mesh.parse().ok());
            let arrangement = Arrangement {
                topology: topology.as_ref(),
                mesh: mesh.as_ref(),
                devices_per_chip: 1,
                n_devices: Some(8),
            };
            let group = arrangement.group(&replica_groups(text).unwrap());
            assert_eq!((group.axis.as_deref(), group.n_axes.is_some()), (axis, true), "{text}");
        }
    }

    #[test]
    fn all_group_has_every_known_device() {
        let all = group("{}", "", 1);
        assert_eq!((all.size, all.n_groups, all.first.len(), all.stride), (Some(8), Some(1), 8, Some(1)));
        let arrangement = Arrangement { topology: None, mesh: None, devices_per_chip: 1, n_devices: None };
        let pairs = arrangement.group(&source_target_pairs("{{0,1},{1,2},{2,0}}").unwrap());
        assert_eq!((pairs.size, pairs.n_groups, pairs.first), (Some(2), Some(3), vec![0, 1]));
        assert_eq!(arrangement.group(&ReplicaGroups::All).size, None);
    }
}
