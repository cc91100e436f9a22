//! This module defines the replica groups of a collective, in all forms of HLO text. It does not depend on the
//! topology.
//!
//! ```text
//! replica_groups={{0,1},{2,3}}            lists
//! replica_groups=[4,2]<=[2,4]T(1,0)       0…7 as 2 × 4, transposed to 4 × 2, divided into 4 groups of 2: {0,4} first
//! replica_groups={}                       all devices
//! replica_groups=mesh['x'=2,'y'=4] {'x'}  the devices that differ only along some axes of a mesh
//! source_target_pairs={{0,1},{1,0}}       source and target of each transfer
//! ```
//! Sizes come from files, so no result with more than [`ReplicaGroups::LIMIT`] devices is computed.

use super::mesh::MeshAxes;
use super::transposed::Transposed;

/// The sets of devices that take part in a collective together.
///
/// ```
/// let groups = xla_profile::hlo::text::replica_groups("[4,2]<=[2,4]T(1,0)").unwrap();
/// assert_eq!(groups.groups().unwrap(), [[0, 4], [1, 5], [2, 6], [3, 7]]);
/// assert_eq!((groups.size(), groups.stride()), (Some(2), Some(4)));
/// assert_eq!(groups.to_string(), "[4,2]<=[2,4]T(1,0)");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplicaGroups {
    /// The empty list: all devices form one group.
    All,
    /// The devices of each group.
    Lists(Vec<Vec<u64>>),
    /// Consecutive numbers, reshaped and transposed.
    Iota(Iota),
    Mesh(MeshAxes),
    /// Source and target of each transfer of a collective-permute.
    Pairs(Vec<(u64, u64)>),
}

/// Replica groups of the form `[groups,size]<=[dims]T(perm)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Iota {
    pub groups: u64,
    /// Number of devices per group.
    pub size: u64,
    /// The order of the devices, of which each `size` consecutive ones form a group.
    pub order: Transposed,
}

impl ReplicaGroups {
    /// Largest number of devices that are listed, a hundred times that of the largest machine.
    pub const LIMIT: u64 = Transposed::MAX_DEVICES;

    /// Returns the number of devices of the first group; 2 for pairs. Returns `None` for [`ReplicaGroups::All`], for
    /// empty lists, and if the size does not fit.
    pub fn size(&self) -> Option<u64> {
        match self {
            Self::All => None,
            Self::Lists(lists) => lists.first().map(|l| l.len() as u64),
            Self::Iota(iota) => Some(iota.size),
            Self::Mesh(mesh) => mesh.size(),
            Self::Pairs(pairs) => pairs.first().map(|_| 2),
        }
    }

    /// Returns the first group. Returns `None` in the cases of [`ReplicaGroups::groups`], and for empty lists.
    pub fn first(&self) -> Option<Vec<u64>> {
        match self {
            Self::All => None,
            Self::Lists(lists) => lists.first().cloned(),
            Self::Iota(iota) => iota.order.read(iota.size, iota.total()?)?.next(),
            Self::Mesh(mesh) => mesh.groups()?.next(),
            Self::Pairs(pairs) => pairs.first().map(|(from, to)| vec![*from, *to]),
        }
    }

    /// Returns the difference between consecutive devices of the first group. Returns `None` if the difference is not
    /// the same for all of them, if it is negative, or if the group has fewer than two devices.
    pub fn stride(&self) -> Option<u64> {
        let first = self.first()?;
        let mut distances = first.iter().zip(first.iter().skip(1)).map(|(a, b)| b.checked_sub(*a));
        let stride = distances.next()??;
        distances.all(|d| d == Some(stride)).then_some(stride)
    }

    /// Returns all groups. Returns `None` for [`ReplicaGroups::All`], for sizes that contradict each other, and for
    /// more than [`ReplicaGroups::LIMIT`] devices.
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
