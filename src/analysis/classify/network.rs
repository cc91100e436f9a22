//! This module names the networks over which transfers go.

use serde::{Deserialize, Serialize};

/// The network of a collective or copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Network {
    /// The data center network between slices of TPUs, to which the Megascale runtime of the hosts sends.
    Dcn,
    /// The links between the chips of a slice of TPUs.
    Ici,
    /// The cores of one chip.
    OnChip,
    /// NVLink between NVIDIA GPUs.
    NvLink,
    /// Infinity Fabric between AMD GPUs.
    InfinityFabric,
    /// PCIe, between GPUs of one host, or between a device and its host.
    Pcie,
    /// The network between the hosts of GPUs.
    Hosts,
    /// The memory of a host, for devices that are CPUs.
    Host,
}

impl Network {
    /// All networks, in the order of declaration.
    pub const ALL: [Self; 8] =
        [Self::Dcn, Self::Ici, Self::OnChip, Self::NvLink, Self::InfinityFabric, Self::Pcie, Self::Hosts, Self::Host];

    /// Returns the name in JSON and for users.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Dcn => "DCN",
            Self::Ici => "ICI",
            Self::OnChip => "chip",
            Self::NvLink => "NVLink",
            Self::InfinityFabric => "Infinity Fabric",
            Self::Pcie => "PCIe",
            Self::Hosts => "network",
            Self::Host => "host",
        }
    }
}
