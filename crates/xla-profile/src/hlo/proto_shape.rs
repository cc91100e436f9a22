//! This module reads shapes, layouts and replica groups from protos.

use super::{
    ArrayShape, AxisRef, DType, Devices, Iota, Layout, MeshAxes, ReplicaGroups, Shape, Tail, Tile, Transposed,
};
use crate::wire::proto::hlo as proto;

/// Reads a shape. Shapes that are nested deeper than [`Shape::DEPTH`] become [`Shape::Other`]. The decoder limits the
/// nesting as well.
pub(super) fn read(shape: Option<&proto::ShapeProto>) -> Shape {
    shape.map_or_else(unknown, |shape| nested(shape, Shape::DEPTH))
}

/// Returns the shape of a proto that has none. Its text reads back as the same shape.
fn unknown() -> Shape {
    Shape::Other("unknown[]".into())
}

fn nested(shape: &proto::ShapeProto, depth: usize) -> Shape {
    let Some(deeper) = depth.checked_sub(1) else { return unknown() };
    match DType::from_number(shape.element_type) {
        DType::Tuple => Shape::Tuple(shape.tuple_shapes.iter().map(|s| nested(s, deeper)).collect()),
        DType::Token => Shape::Token,
        DType::Opaque => Shape::Opaque,
        DType::Buffer => match shape.tuple_shapes.first() {
            Some(inner) => Shape::Buffer(Box::new(nested(inner, deeper))),
            None => unknown(),
        },
        dtype => {
            let rank = shape.dimensions.len();
            // In older files this list is absent.
            let dynamic = if shape.is_dynamic_dimension.contains(&true) {
                shape.is_dynamic_dimension.iter().copied().chain(std::iter::repeat(false)).take(rank).collect()
            } else {
                Vec::new()
            };
            let dims = shape.dimensions.iter().map(|d| u64::try_from(*d).unwrap_or(ArrayShape::UNBOUNDED)).collect();
            let layout = shape.layout.as_ref().map(|l| layout(l));
            // In a proto, every scalar has a layout. Text leaves out a layout without content.
            let layout = layout.filter(|l| rank > 0 || *l != Layout::default());
            Shape::Array(ArrayShape { dtype, dims, dynamic, layout: layout.map(Box::new) })
        }
    }
}

fn layout(layout: &proto::LayoutProto) -> Layout {
    let tile_dim = |d: &i64| u64::try_from(*d).unwrap_or(Tile::COMBINE);
    let prefix = layout.dynamic_shape_metadata_prefix_bytes;
    let prefix = (prefix != 0).then(|| Tail { key: "M".into(), value: prefix.to_string().into() });
    // Text leaves out an alignment of 1.
    let tail = u64::try_from(layout.tail_padding_alignment_in_elements).ok().filter(|n| *n > 1);
    Layout {
        minor_to_major: layout.minor_to_major.iter().map(|d| u32::try_from(*d).unwrap_or(u32::MAX)).collect(),
        tiles: layout.tiles.iter().map(|t| Tile { dims: t.dimensions.iter().map(tile_dim).collect() }).collect(),
        element_bits: u32::try_from(layout.element_size_in_bits).unwrap_or(0),
        memory_space: layout.memory_space,
        tail_alignment: tail.unwrap_or(0),
        others: prefix.into_iter().collect(),
    }
}

/// Reads the replica groups of an instruction, in the newest form that the proto has. Returns `None` if the instruction
/// has no groups, or if a number is negative.
pub(super) fn groups(from: &proto::HloInstructionProto) -> Option<ReplicaGroups> {
    if let Some(mesh) = &from.mesh_axes_replica_group_list {
        return self::mesh(mesh).map(ReplicaGroups::Mesh);
    }
    let list = from.collective_device_list.as_ref();
    let iota = from.iota_collective_device_list.as_deref();
    if let Some(iota) = iota.or(list.and_then(|l| l.iota_replica_group_list.as_ref())) {
        return self::iota(iota).map(ReplicaGroups::Iota);
    }
    let lists = list.map(|l| &l.replica_groups).filter(|l| !l.is_empty()).unwrap_or(&from.replica_groups);
    if !lists.is_empty() {
        return lists.iter().map(|l| unsigned(&l.replica_ids)).collect::<Option<_>>().map(ReplicaGroups::Lists);
    }
    let is_grouped = super::opcode::is_collective(&from.opcode) && from.source_target_pairs.is_empty();
    let starts = !super::opcode::is_done(&from.opcode) && !from.opcode.starts_with("collective-permute");
    (is_grouped && starts).then_some(ReplicaGroups::All)
}

/// Reads the source-target pairs of a collective-permute. Returns `None` if there are none, or if a number is negative.
pub(super) fn pairs(from: &proto::HloInstructionProto) -> Option<ReplicaGroups> {
    let pair = |p: &proto::SourceTarget| Some((u64::try_from(p.source).ok()?, u64::try_from(p.target).ok()?));
    let pairs: Vec<_> = from.source_target_pairs.iter().map(pair).collect::<Option<_>>()?;
    (!pairs.is_empty()).then_some(ReplicaGroups::Pairs(pairs))
}

fn unsigned(numbers: &[i64]) -> Option<Vec<u64>> {
    numbers.iter().map(|n| u64::try_from(*n).ok()).collect()
}

fn iota(from: &proto::IotaReplicaGroupListProto) -> Option<Iota> {
    let perm: Vec<i64> = from.iota_transpose_perm.iter().map(|p| i64::from(*p)).collect();
    // Text leaves out the identity.
    let moves = (0_i64..).zip(&perm).any(|(i, p)| i != *p);
    let perm = if moves { unsigned(&perm)? } else { Vec::new() };
    Some(Iota {
        groups: u64::try_from(from.num_replica_groups).ok()?,
        size: u64::try_from(from.num_devices_per_group).ok()?,
        order: Transposed { dims: unsigned(&from.iota_reshape_dims)?, perm },
    })
}

fn mesh(from: &proto::MeshAxesReplicaGroupListProto) -> Option<MeshAxes> {
    let mesh = from.mesh.as_ref()?;
    let devices = match unsigned(&mesh.device_ids)? {
        ids if ids.is_empty() => Devices::Counting,
        ids => Devices::Listed(ids),
    };
    let axis = |a: &proto::mesh_axes_replica_group_list_proto::AxisRef| {
        let sub = match &a.sub_axis_info {
            Some(sub) => Some((u64::try_from(sub.pre_size).ok()?, u64::try_from(sub.size).ok()?)),
            None => None,
        };
        Some(AxisRef { axis: usize::try_from(a.mesh_axis_index).ok()?, sub })
    };
    Some(MeshAxes {
        mesh: mesh
            .axes
            .iter()
            .map(|a| Some((a.name.as_str().into(), u64::try_from(a.size).ok()?)))
            .collect::<Option<_>>()?,
        devices,
        axes: from.axes.iter().map(axis).collect::<Option<_>>()?,
    })
}
