//! This module defines replica groups along the axes of a mesh, the form of newer files.
//!
//! ```text
//! mesh['x'=2,'y'=4] {'y'}                          0…7 as 2 × 4; groups along y: {0,1,2,3} {4,5,6,7}
//! mesh['x'=2,'y'=4] {'y':(2)2}                     y is 2 × 2; groups along its second half: {0,1} {2,3} …
//! mesh['x'=2,'y'=2], device_ids=(0,2,3,1) {'x'}    the devices of the mesh are in another order
//! ```
//! The order of the groups follows the axes that are not named. Within a group, the order of the devices follows the
//! named axes in the order of the mesh, and the parts of one axis in the order of the text.

use super::{Text, Transposed};
use crate::small_sort::SmallSort;

/// Some axes of a mesh. Devices that differ only along these axes form a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeshAxes {
    /// All axes of the mesh with their sizes, the most major first.
    pub mesh: Vec<(Text, u64)>,
    pub devices: Devices,
    /// The axes along which a group extends.
    pub axes: Vec<AxisRef>,
}

/// The devices of a mesh, in the order of the mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Devices {
    /// 0, 1, 2, …
    Counting,
    Transposed(Transposed),
    /// A list of all devices.
    Listed(Vec<u64>),
}

/// An axis of a mesh, or a part of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AxisRef {
    /// Index in [`MeshAxes::mesh`].
    pub axis: usize,
    /// `(pre, size)` for the middle part of an axis that is split into pre × size × rest; `None` for a whole axis.
    pub sub: Option<(u64, u64)>,
}

impl MeshAxes {
    /// Returns the number of devices per group, or `None` if it does not fit or an axis does not exist.
    pub fn size(&self) -> Option<u64> {
        self.axes.iter().try_fold(1_u64, |n, a| n.checked_mul(self.size_of(*a)?))
    }

    fn size_of(&self, axis: AxisRef) -> Option<u64> {
        match axis.sub {
            Some((_, size)) => Some(size),
            None => self.mesh.get(axis.axis).map(|(_, size)| *size),
        }
    }

    /// Iterates over the groups. Returns `None` in the cases of
    /// [`ReplicaGroups::groups`](super::ReplicaGroups::groups).
    pub(super) fn groups(&self) -> Option<impl Iterator<Item = Vec<u64>>> {
        let total = self.mesh.iter().try_fold(1_u64, |n, (_, size)| n.checked_mul(*size))?;
        let places = self.split()?.read(self.size()?, total)?;
        let devices = match &self.devices {
            Devices::Counting => None,
            Devices::Listed(devices) => (devices.len() as u64 == total).then(|| Some(devices.clone()))?,
            Devices::Transposed(order) => order.read(total, total)?.next(),
        };
        Some(places.map(move |group| {
            let Some(devices) = &devices else { return group };
            // All indices are below `total`, which is the number of devices.
            group.iter().filter_map(|i| devices.get(usize::try_from(*i).ok()?).copied()).collect()
        }))
    }

    /// Returns the mesh with each part of a split axis as an axis of its own, transposed so that the axes of the groups
    /// come last. Returns `None` if the parts do not fit their axes.
    fn split(&self) -> Option<Transposed> {
        if self.mesh.len() > Transposed::RANK {
            return None;
        }
        let mut dims = Vec::new();
        let (mut apart, mut grouped) = (Vec::new(), Vec::new());
        for (axis, (_, full)) in self.mesh.iter().enumerate() {
            let refs: Vec<AxisRef> = self.axes.iter().copied().filter(|a| a.axis == axis).collect();
            let whole = [AxisRef { axis, sub: Some((1, *full)) }];
            let refs = match refs.as_slice() {
                [] => &[],
                [one] if one.sub.is_none() => &whole[..],
                parts => parts,
            };
            // The parts of the axis, which are sorted from major to minor. Gaps between them are axes outside of
            // groups.
            let mut order: Vec<(usize, u64, u64)> = Vec::with_capacity(refs.len());
            for (i, part) in refs.iter().enumerate() {
                let (pre, size) = part.sub?;
                order.push((i, pre, size));
            }
            order.small_sort_by_key(|(_, pre, _)| *pre);
            let mut place_of = vec![0_u64; refs.len()];
            let mut before = 1_u64;
            for (i, pre, size) in order {
                let gap = exactly(pre, before)?;
                if gap > 1 {
                    apart.push(dims.len() as u64);
                    dims.push(gap);
                }
                *place_of.get_mut(i)? = dims.len() as u64;
                dims.push(size);
                before = pre.checked_mul(size)?;
            }
            let rest = exactly(*full, before)?;
            if rest > 1 || refs.is_empty() {
                apart.push(dims.len() as u64);
                dims.push(rest);
            }
            grouped.append(&mut place_of);
        }
        if grouped.len() != self.axes.len() || dims.contains(&0) {
            return None;
        }
        apart.append(&mut grouped);
        Some(Transposed { dims, perm: apart })
    }
}

/// Returns `a / b`, or `None` if `b` does not divide `a`.
fn exactly(a: u64, b: u64) -> Option<u64> {
    (a.checked_rem(b)? == 0).then(|| a.checked_div(b))?
}
