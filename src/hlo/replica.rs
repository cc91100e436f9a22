//! Which devices take part in a collective together. Knows the five forms files write; nothing of topology.
//!
//! ```text
//! replica_groups={{0,1},{2,3}}            lists
//! replica_groups=[4,2]<=[2,4]T(1,0)       0…7 as 2 × 4, transposed to 4 × 2, cut into 4 groups of 2: {0,4} first
//! replica_groups={}                       all devices
//! mesh['x'=2,'y'=4] {'x'}                 the devices that differ only along named axes of a mesh
//! source_target_pairs={{0,1},{1,0}}       who sends to whom
//! ```
//! Sizes come from files: no answer is computed that would hold more than [`ReplicaGroups::LIMIT`] devices.

use super::Text;

/// Which devices take part in a collective together.
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
    /// What 0, 1, 2, … are reshaped to.
    pub dims: Vec<u64>,
    /// The order of `dims` after the transpose; empty where nothing is transposed.
    pub perm: Vec<u64>,
}

/// Some axes of a mesh: devices that differ only along those are one group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeshAxes {
    /// All axes of the mesh with their sizes, the most major first.
    pub mesh: Vec<(Text, u64)>,
    /// The devices in mesh order; empty where they are 0, 1, 2, ….
    pub devices: Vec<u64>,
    /// The axes along which a group extends.
    pub axes: Vec<AxisRef>,
}

/// An axis of a mesh, or a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AxisRef {
    /// Which axis.
    pub axis: usize,
    /// `(pre, size)` where the axis is split into pre × size × rest and only the middle is meant.
    pub sub: Option<(u64, u64)>,
}

impl ReplicaGroups {
    /// More devices than this (16 × the largest machine there is) are not listed.
    pub const LIMIT: u64 = 1 << 20;

    /// Devices per group; of the first group where they differ. `None` for all devices, whose number is not said here.
    pub fn size(&self) -> Option<u64> {
        None
    }

    /// The first group.
    pub fn first(&self) -> Option<Vec<u64>> {
        None
    }

    /// The distance between neighbours of the first group, if it is the same for all of them.
    pub fn stride(&self) -> Option<u64> {
        None
    }

    /// Every group. `None` for all devices, for what makes no sense (sizes that do not multiply) and beyond
    /// [`ReplicaGroups::LIMIT`].
    pub fn groups(&self) -> Option<Vec<Vec<u64>>> {
        None
    }
}
