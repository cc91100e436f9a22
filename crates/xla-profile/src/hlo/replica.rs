//! Which devices take part in a collective together. This module knows the forms files write; nothing of topology.
//!
//! ```text
//! replica_groups={{0,1},{2,3}}            lists
//! replica_groups=[4,2]<=[2,4]T(1,0)       0…7 as 2 × 4, transposed to 4 × 2, cut into 4 groups of 2: {0,4} first
//! replica_groups={}                       all devices
//! replica_groups=mesh['x'=2,'y'=4] {'x'}  the devices that differ only along some axes of a mesh
//! source_target_pairs={{0,1},{1,0}}       who sends to whom
//! ```
//! Sizes come from files: no answer is computed that would hold more than [`ReplicaGroups::LIMIT`] devices.

use super::mesh::MeshAxes;
use super::transposed::Transposed;

/// Which devices take part in a collective together.
///
/// ```
/// let groups = xla_profile::hlo::text::replica_groups("[4,2]<=[2,4]T(1,0)").unwrap();
/// assert_eq!(groups.groups().unwrap(), [[0, 4], [1, 5], [2, 6], [3, 7]]);
/// assert_eq!((groups.size(), groups.stride()), (Some(2), Some(4)));
/// assert_eq!(groups.to_string(), "[4,2]<=[2,4]T(1,0)");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplicaGroups {
    /// No list: all devices are one group.
    All,
    /// Each group, device by device.
    Lists(Vec<Vec<u64>>),
    /// Consecutive numbers, reshaped and transposed.
    Iota(Iota),
    /// Axes of a mesh.
    Mesh(MeshAxes),
    /// Who sends to whom: source and target.
    Pairs(Vec<(u64, u64)>),
}

/// `[groups,size]<=[dims]T(perm)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Iota {
    /// Number of groups.
    pub groups: u64,
    /// Devices per group.
    pub size: u64,
    /// Where the devices come from.
    pub order: Transposed,
}

impl ReplicaGroups {
    /// More devices than this (a hundred times the largest machine there is) are not listed.
    pub const LIMIT: u64 = Transposed::MAX_DEVICES;

    /// Devices per group, of the first group where they differ; 2 for pairs. `None` for all devices, whose number is
    /// not said here, and for what makes no sense.
    pub fn size(&self) -> Option<u64> {
        match self {
            Self::All => None,
            Self::Lists(lists) => lists.first().map(|l| l.len() as u64),
            Self::Iota(iota) => Some(iota.size),
            Self::Mesh(mesh) => mesh.size(),
            Self::Pairs(pairs) => pairs.first().map(|_| 2),
        }
    }

    /// The first group. `None` as for [`ReplicaGroups::groups`].
    pub fn first(&self) -> Option<Vec<u64>> {
        match self {
            Self::All => None,
            Self::Lists(lists) => lists.first().cloned(),
            Self::Iota(iota) => iota.order.read(iota.size, iota.total()?)?.next(),
            Self::Mesh(mesh) => mesh.groups()?.next(),
            Self::Pairs(pairs) => pairs.first().map(|(from, to)| vec![*from, *to]),
        }
    }

    /// The distance between neighbours of the first group, if it is the same for all of them.
    pub fn stride(&self) -> Option<u64> {
        let first = self.first()?;
        let mut distances = first.iter().zip(first.iter().skip(1)).map(|(a, b)| b.checked_sub(*a));
        let stride = distances.next()??;
        distances.all(|d| d == Some(stride)).then_some(stride)
    }

    /// Every group. `None` for all devices, for what makes no sense (sizes that do not multiply) and beyond
    /// [`ReplicaGroups::LIMIT`].
    pub fn groups(&self) -> Option<Vec<Vec<u64>>> {
        match self {
            Self::All => None,
            Self::Lists(lists) => Some(lists.clone()),
            Self::Iota(iota) => Some(iota.order.read(iota.size, iota.total()?)?.collect()),
            Self::Mesh(mesh) => Some(mesh.groups()?.collect()),
            Self::Pairs(pairs) => Some(pairs.iter().map(|(from, to)| vec![*from, *to]).collect()),
        }
    }
}

impl Iota {
    fn total(&self) -> Option<u64> {
        self.groups.checked_mul(self.size)
    }
}
