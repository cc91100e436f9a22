//! Groups along axes of a mesh: how newer files write replica groups.
//!
//! ```text
//! mesh['x'=2,'y'=4] {'y'}                          0…7 as 2 × 4; groups along y: {0,1,2,3} {4,5,6,7}
//! mesh['x'=2,'y'=4] {'y':(2)2}                     y is 2 × 2; groups along its second half: {0,1} {2,3} …
//! mesh['x'=2,'y'=2], device_ids=(0,2,3,1) {'x'}    the mesh's devices are in another order
//! ```
//! Axes that are not named come first, so groups are in their order; within a group the axes are in mesh order, and
//! parts of one axis in the order they are written.

use super::{Text, Transposed};

/// Some axes of a mesh: devices that differ only along those are one group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeshAxes {
    /// All axes of the mesh with their sizes, the most major first.
    pub mesh: Vec<(Text, u64)>,
    /// Which devices the mesh consists of.
    pub devices: Devices,
    /// The axes along which a group extends.
    pub axes: Vec<AxisRef>,
}

/// The devices of a mesh, in mesh order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Devices {
    /// 0, 1, 2, ….
    Counting,
    /// 0, 1, 2, …, transposed.
    Transposed(Transposed),
    /// One by one.
    Listed(Vec<u64>),
}

/// An axis of a mesh, or a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AxisRef {
    /// Which axis.
    pub axis: usize,
    /// `(pre, size)` where the axis is split into pre × size × rest and only the middle is meant.
    pub sub: Option<(u64, u64)>,
}

impl MeshAxes {
    /// Devices per group.
    pub fn size(&self) -> Option<u64> {
        self.axes.iter().try_fold(1_u64, |n, a| n.checked_mul(self.size_of(*a)?))
    }

    fn size_of(&self, axis: AxisRef) -> Option<u64> {
        match axis.sub {
            Some((_, size)) => Some(size),
            None => self.mesh.get(axis.axis).map(|(_, size)| *size),
        }
    }

    /// Its groups, one after the other; `None` as for [`ReplicaGroups::groups`](super::ReplicaGroups::groups).
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
            // Places are below `total`, which is how many devices there are.
            group.iter().filter_map(|i| devices.get(usize::try_from(*i).ok()?).copied()).collect()
        }))
    }

    /// The mesh with its split axes as axes of their own, transposed so that the grouped ones come last.
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
            // Parts of the axis from major to minor; between them, what is not named.
            let mut order: Vec<(usize, u64, u64)> = Vec::with_capacity(refs.len());
            for (i, part) in refs.iter().enumerate() {
                let (pre, size) = part.sub?;
                order.push((i, pre, size));
            }
            order.sort_by_key(|(_, pre, _)| *pre);
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

/// `a / b` if nothing is left over.
fn exactly(a: u64, b: u64) -> Option<u64> {
    (a.checked_rem(b)? == 0).then(|| a.checked_div(b))?
}
