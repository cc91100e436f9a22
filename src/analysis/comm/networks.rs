//! This module finds the network over which a collective or copy goes, and the bandwidth that it has for one device.
//!
//! ```text
//!  TPU   send and recv of the Megascale runtime ─► DCN     one chip ─► chip     other collectives ─► ICI
//!        copies from and to S(5) ─► PCIe
//!  GPU   devices of one host ─► NVLink, Infinity Fabric or PCIe, by the model     several hosts ─► network
//!  CPU   host
//! ```
//!
//! It depends on device groups and on the table of chips, and not on times.

use super::arrangement::Arrangement;
use super::collective::CollectiveInfo;
use super::query::NetworkRates;
use super::report::{DeviceGroup, LinkPeak};
use crate::analysis::base::hardware::{device_name, devices_per_chip, recorded_chip};
use crate::analysis::base::{Analysis, Platform};
use crate::analysis::classify::network::Network;
use crate::chip::{Chip, Link, gpu};
use xla_profile::profile::{Plane, Profile};

/// The largest number of GPUs that NVLink joins in one rack of GB200 or GB300 (NVL72).
const RACK: u64 = 72;

/// What is known about the networks of the devices of a query. Bandwidths are in bytes per second of a device, in one
/// direction.
#[derive(Clone, Debug, Default)]
pub struct Networks {
    platform: Option<Platform>,
    devices_per_chip: u64,
    /// The bandwidth of ICI along one axis of the topology.
    axis: Option<f64>,
    /// The network between the GPUs of a host, with its links. `None` if the model does not tell.
    within_host: Option<(Network, Option<Link>)>,
    /// Number of GPUs that the network within a host joins. `None` if it is unknown.
    joined: Option<u64>,
    pcie: Option<f64>,
    dcn: Option<f64>,
    hosts: Option<f64>,
}

impl Networks {
    /// Reads the plane of a device of the session, which stands for the others.
    pub fn new(
        profile: &Profile,
        analysis: &Analysis,
        device: usize,
        (arrangement, link): (Arrangement<'_>, Option<&LinkPeak>),
        rates: NetworkRates,
    ) -> Self {
        let platform = analysis.devices[device].platform;
        let plane = &profile.planes[analysis.devices[device].plane];
        let chip = recorded_chip(plane);
        let per_chip = chip.map_or(1, |chip| devices_per_chip(plane, chip).max(1));
        let of_device = |figure: Option<crate::chip::Figure>| figure.map(|figure| figure.value / f64::from(per_chip));
        let yours = |rate: Option<u64>| rate.map(bytes_per_second);
        let is_torus = arrangement.topology.is_some_and(|topology| topology.wrap);
        let name = device_name(plane);
        let pcie_of_model = name.and_then(gpu::pcie);
        Self {
            platform: Some(platform),
            devices_per_chip: per_chip.into(),
            axis: link.map(|link| link.one_way * if is_torus { 2.0 } else { 1.0 }),
            within_host: (platform == Platform::Gpu).then(|| within_host(plane, chip)).flatten(),
            joined: n_joined(profile, analysis, device, name),
            pcie: pcie_of_model.or_else(|| of_device(chip.and_then(|chip| chip.pcie))),
            dcn: yours(rates.get(Network::Dcn)).or_else(|| of_device(chip.and_then(|chip| chip.dcn))),
            hosts: yours(rates.get(Network::Hosts)),
        }
    }

    /// Returns the network of a collective or copy. `None` if it is unknown, and for copies within a device.
    pub fn network(&self, info: &CollectiveInfo, group: Option<&DeviceGroup>) -> Option<Network> {
        if info.is_over_dcn() {
            return Some(Network::Dcn);
        }
        if info.primitive.is_copy() {
            return info.is_with_host.then_some(Network::Pcie);
        }
        match self.platform? {
            Platform::Cpu => Some(Network::Host),
            Platform::Tpu if is_within(group, self.devices_per_chip) == Some(true) => Some(Network::OnChip),
            Platform::Tpu => Some(Network::Ici),
            Platform::Gpu => match is_within(group, self.joined?)? {
                true => self.within_host.map(|(network, _)| network),
                false => Some(Network::Hosts),
            },
        }
    }

    /// Returns the bandwidth of a network for one device of a group. `None` if it is unknown.
    pub fn peak(&self, network: Network, group: Option<&DeviceGroup>) -> Option<f64> {
        let size = || group.and_then(|group| group.size).filter(|size| *size > 1);
        match network {
            Network::Dcn => self.dcn,
            Network::Ici => {
                let axes = group.and_then(|group| group.n_axes).filter(|n| *n > 0)?;
                Some(self.axis? * f64::from(axes))
            }
            Network::NvLink => self.within_host?.1.map(|link| link.bytes.value),
            // Each pair of GPUs has a link of its own, and a group uses those between its devices.
            Network::InfinityFabric => {
                let link = self.within_host?.1?;
                let links = u32::try_from(size()?.saturating_sub(1)).unwrap_or(u32::MAX).min(link.links);
                Some(link.bytes.value * f64::from(links))
            }
            Network::Pcie => self.pcie,
            Network::Hosts => self.hosts,
            Network::OnChip | Network::Host => None,
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a bandwidth")]
fn bytes_per_second(rate: u64) -> f64 {
    rate as f64
}

/// Returns whether the devices of a group lie within one part of `n` devices: a chip or a host. `None` if its devices are
/// unknown.
fn is_within(group: Option<&DeviceGroup>, n: u64) -> Option<bool> {
    let group = group?;
    let size = group.size?;
    let part = |device: &u64| device.checked_div(n);
    let (first, last) = (group.first.iter().map(part).min()?, group.first.iter().map(part).max()?);
    Some(size <= n && first == last)
}

/// Returns the number of GPUs that the network within a host joins: those of a host, or of a rack. `None` if the host
/// has only one: then each process has a GPU of its own, and how many of them share a machine is unknown.
fn n_joined(profile: &Profile, analysis: &Analysis, device: usize, name: Option<&str>) -> Option<u64> {
    if name.is_some_and(|name| name.contains("GB200") || name.contains("GB300")) {
        return Some(RACK);
    }
    let file = |device: usize| profile.planes[analysis.devices[device].plane].file;
    let n = (0..analysis.devices.len()).filter(|other| file(*other) == file(device)).count() as u64;
    Some(n).filter(|n| *n > 1)
}

/// Returns the network between the GPUs of a host, by the model. `None` if models with and without NVLink have the same
/// properties, and the plane does not name the model.
fn within_host(plane: &Plane, chip: Option<&Chip>) -> Option<(Network, Option<Link>)> {
    let name = device_name(plane);
    if name.and_then(gpu::pcie).is_some() {
        return Some((Network::Pcie, None));
    }
    let chip = chip?;
    if chip.is_amd() {
        return Some((Network::InfinityFabric, chip.link.filter(|_| chip.cores == 1)));
    }
    let is_named = name.is_some_and(|name| Chip::named(name).is_some());
    (is_named || !gpu::has_pcie_twin(chip.name)).then_some((Network::NvLink, chip.link))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::classify::primitive::Primitive;

    fn group(devices: &[u64]) -> DeviceGroup {
        DeviceGroup {
            text: String::new(),
            size: Some(devices.len() as u64),
            stride: None,
            first: devices.to_vec(),
            n_groups: None,
            axis: None,
            n_axes: None,
        }
    }

    fn all_reduce() -> CollectiveInfo {
        CollectiveInfo { primitive: Primitive::AllReduce, ..CollectiveInfo::default() }
    }

    #[test]
    fn gpus_of_one_host_have_nvlink() {
        let link = Chip::named("H100 SXM").unwrap().link;
        let networks = Networks {
            platform: Some(Platform::Gpu),
            within_host: Some((Network::NvLink, link)),
            joined: Some(8),
            ..Networks::default()
        };
        for (devices, expected) in [
            (&[0, 1, 2, 3][..], Some(Network::NvLink)),
            (&[8, 9, 10, 11], Some(Network::NvLink)),
            (&[0, 8], Some(Network::Hosts)),
            (&[6, 7, 8, 9], Some(Network::Hosts)),
            (&[], None),
        ] {
            assert_eq!(networks.network(&all_reduce(), Some(&group(devices))), expected, "{devices:?}");
        }
        assert_eq!(networks.peak(Network::NvLink, None), Some(450e9));
        assert_eq!(networks.peak(Network::Hosts, None), None, "nobody gave it");
        assert_eq!(networks.network(&all_reduce(), None), None, "its devices are unknown");
    }

    #[test]
    fn a_ring_of_gpus_uses_the_links_between_them() {
        let link = Chip::named("MI300X").unwrap().link;
        let networks = Networks { within_host: Some((Network::InfinityFabric, link)), ..Networks::default() };
        assert_eq!(networks.peak(Network::InfinityFabric, Some(&group(&[0, 1]))), Some(64e9));
        assert_eq!(networks.peak(Network::InfinityFabric, Some(&group(&[0, 1, 2, 3, 4, 5, 6, 7]))), Some(448e9));
    }

    #[test]
    fn cores_of_one_chip_need_no_links() {
        let networks = Networks { platform: Some(Platform::Tpu), devices_per_chip: 2, ..Networks::default() };
        assert_eq!(networks.network(&all_reduce(), Some(&group(&[2, 3]))), Some(Network::OnChip));
        assert_eq!(networks.network(&all_reduce(), Some(&group(&[1, 2]))), Some(Network::Ici));
        assert_eq!(networks.network(&all_reduce(), None), Some(Network::Ici));
        let copy = CollectiveInfo { primitive: Primitive::Copy, is_with_host: true, ..CollectiveInfo::default() };
        assert_eq!(networks.network(&copy, None), Some(Network::Pcie));
        assert_eq!(networks.network(&CollectiveInfo { is_with_host: false, ..copy }, None), None);
    }
}
