//! The columns of the tables of memory. Sizes are bytes.

use super::report::{Buffer, Jump, Moment, MomentPart, Padded, RollUpRow};
use super::runtime_report::{AllocatorMemory, CapacitySource, CrossCheck, UseColumn};
use crate::table::Column;
use crate::table::Value::{self, Absent, Count, Flag, Integer, Number, Time, Word};

/// The columns of buffers.
pub const BUFFERS: &[Column<Buffer>] = &[
    Column::new("size_bytes", |row| Count(row.size)),
    Column::new("unpadded_bytes", |row| Value::maybe(row.unpadded, Count)),
    Column::new("shape", |row| Value::text(&row.shape)),
    Column::new("dtype", |row| Value::maybe_text(row.dtype.as_deref())),
    Column::new("name", |row| Value::Text(row.label().into())),
    Column::new("instruction", |row| Value::text(&row.instruction)),
    Column::new("opcode", |row| Value::text(&row.opcode)),
    Column::new("op_name", |row| Value::text(&row.op_name)),
    Column::new("source", |row| Value::maybe_text(row.source.as_deref())),
    Column::new("category", |row| Word(row.category.key())),
    Column::new("class", |row| Word(row.class.key())),
    Column::new("first", |row| Count(row.first.into())),
    Column::new("last", |row| Count(row.last.into())),
];

/// The columns of sums over buffers.
pub const ROLL_UPS: &[Column<RollUpRow>] = &[
    Column::new("key", |row| Value::text(&row.key)),
    Column::new("size_bytes", |row| Count(row.size)),
    Column::new("unpadded_bytes", |row| Count(row.unpadded)),
    Column::new("n", |row| Count(row.n.into())),
];

/// The columns of buffers with padding.
pub const PADDED: &[Column<Padded>] = &[
    Column::new("instruction", |row| Value::text(&row.buffer.instruction)),
    Column::new("shape", |row| Value::text(&row.buffer.shape)),
    Column::new("size_bytes", |row| Count(row.buffer.size)),
    Column::new("wasted_bytes", |row| Count(row.wasted)),
    Column::new("overhead", |row| Value::maybe(row.overhead, Number)),
];

/// The columns of the largest rises of the curve.
pub const JUMPS: &[Column<Jump>] = &[
    Column::new("position", |row| Count(row.position.into())),
    Column::new("size_bytes", |row| Count(row.size)),
    Column::new("after_bytes", |row| Count(row.after)),
    Column::new("instruction", |row| Value::text(&row.buffer.instruction)),
    Column::new("shape", |row| Value::text(&row.buffer.shape)),
];

/// The fields of a place in the schedule.
pub const MOMENT: &[Column<Moment>] = &[
    Column::new("instruction", |row| Value::text(&row.instruction)),
    Column::new("place", |row| Count(row.place.into())),
    Column::new("of", |row| Count(row.of.into())),
    Column::new("part", |row| match row.part {
        Some(MomentPart::Forward) => Word("forward"),
        Some(MomentPart::Turn) => Word("turn"),
        Some(MomentPart::Backward) => Word("backward"),
        None => Absent,
    }),
];

/// The columns of allocators.
pub const ALLOCATORS: &[Column<AllocatorMemory>] = &[
    Column::new("device", |row| Value::text(&row.label)),
    Column::new("allocator", |row| Value::maybe_text(row.allocator.as_deref())),
    Column::new("ordinal", |row| Value::maybe(row.ordinal, Count)),
    Column::new("n_events", |row| Count(row.n_events)),
    Column::new("peak_in_use_bytes", |row| Count(row.peak.in_use())),
    Column::new("peak_ps", |row| Time(row.peak.at)),
    Column::new("peak_step", |row| Value::maybe(row.peak.step, Count)),
    Column::new("reserved_bytes", |row| Count(row.peak.reserved)),
    Column::new("allocated_bytes", |row| Count(row.peak.allocated)),
    Column::new("available_bytes", |row| Value::maybe(row.peak.available, Count)),
    Column::new("capacity_bytes", |row| Value::maybe(row.capacity, Count)),
    Column::new("fragmentation", |row| Value::maybe(row.fragmentation, Number)),
    Column::new("lifetime_peak_bytes", |row| Value::maybe(row.lifetime_peak, Count)),
    Column::new("persistent_bytes", |row| Count(row.persistent)),
    Column::new("transient_bytes", |row| Count(row.transient)),
    Column::json("timeline", |row| Value::records(TIMELINE, &row.timeline)),
];

/// A stretch of time of an allocator.
const TIMELINE: &[Column<UseColumn>] = &[
    Column::new("at_ps", |row| Time(row.at)),
    Column::new("least_bytes", |row| Count(row.least)),
    Column::new("most_bytes", |row| Count(row.most)),
    Column::new("most_at_ps", |row| Time(row.most_at)),
    Column::new("last_bytes", |row| Count(row.last)),
];

/// The columns of devices: the peak of programs, the peak in use and the capacity. The source of the capacity is `allocator`, or the
/// chip with that published memory.
pub const CROSS_CHECKS: &[Column<CrossCheck>] = &[
    Column::new("device", |row| Value::text(&row.label)),
    Column::new("program", |row| Value::maybe_text(row.program.as_deref())),
    Column::new("static_peak_bytes", |row| Value::maybe(row.static_peak, Count)),
    Column::new("runtime_peak_bytes", |row| Value::maybe(row.runtime_peak, Count)),
    Column::new("capacity_bytes", |row| Value::maybe(row.capacity.as_ref(), |capacity| Count(capacity.size))),
    Column::new("capacity_source", |row| match row.capacity.as_ref().map(|capacity| &capacity.source) {
        Some(CapacitySource::Allocator) => Word("allocator"),
        Some(CapacitySource::Chip(name)) => Value::text(name),
        None => Absent,
    }),
    Column::new("used", |row| Value::maybe(row.used, Number)),
    Column::new("headroom_bytes", |row| Value::maybe(row.headroom, Integer)),
    Column::new("is_tight", |row| Flag(row.is_tight)),
    Column::new("fragmentation", |row| Value::maybe(row.fragmentation, Number)),
    Column::new("is_fragmented", |row| Flag(row.is_fragmented)),
];
