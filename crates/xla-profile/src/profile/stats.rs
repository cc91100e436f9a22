//! This module selects the stats that are kept, and stores their values in an op. The names of stats are those of
//! files.

use super::allocator::AllocatorStat;
use super::correlation_ids::{CorrelationStat, Role};
use super::event_links::LinkStat;
use super::model::OpStats;
use super::value::Value;
use super::{StrId, Strings};
use crate::source::inflate_slice;
use crate::wire::xspace::StatValue;

/// A stat that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WantedStat {
    /// A stat that describes the op, and is equal for (nearly) all of its events.
    Op(OpStat),
    /// Start on the device clock.
    DeviceOffset,
    /// Duration on the device clock.
    DeviceDuration,
    /// A serialized HLO program.
    HloProto,
    /// A stat of an allocator event.
    Allocator(AllocatorStat),
    /// The flow of an event on a line of asynchronous ops.
    Flow,
    /// An id that joins the event to events of other planes.
    Correlation(CorrelationStat),
    /// A part of a link to another event.
    Link(LinkStat),
}

/// A stat that describes an op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum OpStat {
    Category,
    TfOp,
    Source,
    SourceStack,
    Dedup,
    Shape,
    HloOp,
    HloModule,
    Program,
    Flops,
    ModelFlops,
    BytesAccessed,
    Memory,
    /// The replacement for `tf_op` of a GPU kernel without one.
    Annotation,
}

impl OpStat {
    pub(super) const COUNT: usize = Self::ALL.len();
    /// All stats, each at the index of its number.
    pub(super) const ALL: [Self; 14] = [
        Self::Category,
        Self::TfOp,
        Self::Source,
        Self::SourceStack,
        Self::Dedup,
        Self::Shape,
        Self::HloOp,
        Self::HloModule,
        Self::Program,
        Self::Flops,
        Self::ModelFlops,
        Self::BytesAccessed,
        Self::Memory,
        Self::Annotation,
    ];
}

/// The `tf_op` of every kernel that XLA launches. It counts as absent, because it is not the scope of the kernel.
const XLA_MODULE: &str = "XlaModule:";

/// Returns the stat with this name on a plane of this role, or `None` if the stat is not kept.
pub(super) fn wanted_stat(name: &str, role: Role) -> Option<WantedStat> {
    Some(match name {
        "correlation_id" if role != Role::Other => WantedStat::Correlation(CorrelationStat::Correlation),
        "cuda_graph_node_id" if role == Role::Gpu => WantedStat::Correlation(CorrelationStat::GraphNode),
        "run_id" if role != Role::Gpu => WantedStat::Correlation(CorrelationStat::Run),
        // XLA writes the op name as `name`, TensorFlow writes it as the outermost annotation.
        "name" | "level 0" if role == Role::Gpu => WantedStat::Op(OpStat::Annotation),
        "device_offset_ps" => WantedStat::DeviceOffset,
        "device_duration_ps" => WantedStat::DeviceDuration,
        "flow" => WantedStat::Flow,
        "Hlo Proto" | "hlo_proto" => WantedStat::HloProto,
        "hlo_category" => WantedStat::Op(OpStat::Category),
        "tf_op" => WantedStat::Op(OpStat::TfOp),
        "source" => WantedStat::Op(OpStat::Source),
        "source_stack" => WantedStat::Op(OpStat::SourceStack),
        "deduplicated_name" => WantedStat::Op(OpStat::Dedup),
        "shape_with_layout" => WantedStat::Op(OpStat::Shape),
        "hlo_op" => WantedStat::Op(OpStat::HloOp),
        "hlo_module" => WantedStat::Op(OpStat::HloModule),
        "program_id" => WantedStat::Op(OpStat::Program),
        "flops" => WantedStat::Op(OpStat::Flops),
        "model_flops" => WantedStat::Op(OpStat::ModelFlops),
        "bytes_accessed" => WantedStat::Op(OpStat::BytesAccessed),
        "memory_access_breakdown" => WantedStat::Op(OpStat::Memory),
        _ => {
            let link = LinkStat::named(name).map(WantedStat::Link);
            return link.or_else(|| AllocatorStat::named(name).map(WantedStat::Allocator));
        }
    })
}

/// Largest size, in bytes, to which the text of a compressed stat may unpack.
const MAX_TEXT: u64 = 64 << 20;

/// Interns the value of a stat. Returns `None` for bytes, for an absent value, and for a reference to an unknown name.
pub(super) fn resolve(
    value: StatValue<'_>,
    strings: &mut Strings,
    name_of: impl Fn(i64) -> Option<StrId>,
) -> Option<Value> {
    Some(match value {
        StatValue::Absent | StatValue::Bytes(..) => return None,
        StatValue::Double(v) => Value::Double(v),
        StatValue::Uint(v) => Value::Uint(v),
        StatValue::Int(v) => Value::Int(v),
        StatValue::Text(bytes) => Value::Text(strings.intern(&String::from_utf8_lossy(bytes))),
        StatValue::Ref(id) => Value::Text(name_of(id.cast_signed())?),
        StatValue::Gzip(bytes) => {
            Value::Text(strings.intern(&String::from_utf8_lossy(&inflate_slice(bytes, MAX_TEXT).bytes)))
        }
    })
}

/// Returns the number of a flow.
pub(super) fn flow(value: StatValue<'_>) -> Option<u64> {
    match value {
        StatValue::Uint(flow) => Some(flow),
        StatValue::Int(flow) => Some(flow.cast_unsigned()),
        _ => None,
    }
}

fn is_text(value: Value, text: &str, strings: &Strings) -> bool {
    matches!(value, Value::Text(id) if strings.get(id) == text)
}

/// Sets one stat. An empty text and a negative cost (−1 is unknown) count as absent, and do not replace a value.
pub(super) fn set(stats: &mut OpStats, which: OpStat, value: Value, strings: &mut Strings) {
    let text = |slot: &mut Option<StrId>, strings: &mut Strings| {
        let id = value.text(strings);
        if !strings.get(id).is_empty() {
            *slot = Some(id);
        }
    };
    let cost = |slot: &mut Option<f64>, strings: &Strings| {
        if let Some(v) = value.number(strings).filter(|v| *v >= 0.0) {
            *slot = Some(v);
        }
    };
    match which {
        OpStat::Category => text(&mut stats.category, strings),
        OpStat::TfOp | OpStat::Annotation if is_text(value, XLA_MODULE, strings) => {}
        OpStat::Annotation if stats.tf_op.is_some() => {}
        OpStat::TfOp | OpStat::Annotation => text(&mut stats.tf_op, strings),
        OpStat::Source => text(&mut stats.source, strings),
        OpStat::SourceStack => text(&mut stats.source_stack, strings),
        OpStat::Dedup => text(&mut stats.dedup, strings),
        OpStat::Shape => text(&mut stats.shape, strings),
        OpStat::HloOp => text(&mut stats.hlo_op, strings),
        OpStat::HloModule => text(&mut stats.hlo_module, strings),
        OpStat::Program => stats.program = value.program(strings).or(stats.program),
        OpStat::Flops => cost(&mut stats.flops, strings),
        OpStat::ModelFlops => cost(&mut stats.model_flops, strings),
        OpStat::BytesAccessed => cost(&mut stats.bytes_accessed, strings),
        // Few captures have this stat, so its value is in `Plane::memory` instead.
        OpStat::Memory => {}
    }
}
