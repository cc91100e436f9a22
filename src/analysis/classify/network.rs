//! This module names the networks over which transfers go.

use serde::{Deserialize, Serialize};
use xla_profile::keyed_enum;

keyed_enum! {
    /// The network of a collective or copy.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Network {
        /// The data center network between slices of TPUs, to which the Megascale runtime of the hosts sends.
        Dcn = "DCN",
        /// The links between the chips of a slice of TPUs.
        Ici = "ICI",
        /// The cores of one chip.
        OnChip = "chip",
        /// NVLink between NVIDIA GPUs.
        NvLink = "NVLink",
        /// Infinity Fabric between AMD GPUs.
        InfinityFabric = "Infinity Fabric",
        /// PCIe, between GPUs of one host, or between a device and its host.
        Pcie = "PCIe",
        /// The network between the hosts of GPUs.
        Hosts = "network",
        /// The memory of a host, for devices that are CPUs.
        Host = "host",
    }
}
