//! This module declares the columns of the memory tables. Sizes are bytes.

use super::report::{Buffer, Jump, Moment, MomentPart, Padded, RollUpRow};
use super::runtime_report::{AllocatorMemory, CapacitySource, CrossCheck, UseColumn};
use crate::table::Column;
use crate::table::Value::{self, Absent, Bytes, Count, Flag, Integer, Labelled, Number, Percent, Range, Time, Word};
use crate::table::page::{Mark, Name};
use crate::table::shown::{Format, RowTip, Shown, Table, TipLine};

/// The columns of buffers.
pub const BUFFERS: &[Column<Buffer>] = &[
    Column::new("size_bytes", |row| Bytes(row.size)),
    Column::new("unpadded_bytes", |row| Value::maybe(row.unpadded, Bytes)),
    Column::new("shape", |row| Value::text(&row.shape)),
    Column::new("dtype", |row| Value::maybe_text(row.dtype.as_deref())),
    Column::new("name", |row| Value::Text(row.label().into())),
    Column::new("instruction", |row| Value::text(&row.instruction)),
    Column::new("opcode", |row| Value::text(&row.opcode)),
    Column::new("op_name", |row| Value::text(&row.op_name)),
    Column::new("source", |row| Value::maybe_text(row.source.as_deref())),
    Column::new("category", |row| Labelled(row.category.key(), row.category.label())),
    Column::new("class", |row| Labelled(row.class.key(), row.class.label())),
    Column::new("first", |row| Count(row.first.into())),
    Column::new("last", |row| Count(row.last.into())),
    Column::shown("live_range", |row| Range(row.first.into(), row.last.into())),
    Column::shown("padding", |row| Value::maybe(row.padding(), Percent)),
    Column::shown("wasted_bytes", |row| Value::maybe(row.wasted().filter(|wasted| *wasted > 0), Bytes)),
    Column::shown("other_instruction", |row| other_than_name(row, &row.instruction)),
    Column::shown("other_scope", |row| other_than_name(row, &row.op_name)),
];

/// Returns a text, or an absent value if the text equals the name of the buffer.
fn other_than_name<'r>(row: &Buffer, text: &'r str) -> Value<'r> {
    if text == row.label() { Absent } else { Value::text(text) }
}

/// The table of live buffers.
pub const BUFFER_TABLE: Table<Buffer> = Table {
    columns: BUFFERS,
    shown: &[
        Shown::name("name", "Buffer"),
        Shown::new("size_bytes", "Size", Format::Mib, 10, 0).with_total(),
        Shown::new("class", "Class", Format::Marked, 15, 1),
        Shown::new("shape", "Shape", Format::Mono, 30, 2).stretching(),
        Shown::new("live_range", "Live range", Format::Range, 11, 3),
        Shown::new("padding", "Padding", Format::Percent, 9, 4),
        Shown::new("category", "Category", Format::Text, 11, 5),
        Shown::new("op_name", "Scope", Format::Soft, 34, 6).stretching(),
        Shown::new("source", "Source", Format::Soft, 24, 7).stretching(),
    ],
    tips: &[RowTip::of_all(&[
        TipLine::new("size_bytes", "Size"),
        TipLine::new("wasted_bytes", "Padding"),
        TipLine::new("shape", "Shape"),
        TipLine::new("class", "Class"),
        TipLine::new("category", "Category"),
        TipLine::new("other_instruction", "Instruction"),
        TipLine::new("opcode", "Opcode"),
        TipLine::new("other_scope", "Scope"),
        TipLine::new("source", "Source"),
        TipLine::new("live_range", "Live range"),
    ])],
    key: |row| row.id.0.to_string(),
    name: |row, _| Name {
        text: row.label(),
        mono: true,
        second: Some((None, format!("{}, {}", row.class.label(), row.category.label()))),
        ..Name::default()
    },
    mark: |row| Some(Mark::Memory(row.class.key().to_owned())),
    opens: |_| true,
    parts: |_| Vec::new(),
    nouns: ("buffer", "buffers"),
    default_sort: "size_bytes",
    leaf: &["name", "op_name"],
};

/// The columns of sums over buffers.
pub const ROLL_UPS: &[Column<RollUpRow>] = &[
    Column::new("key", |row| Value::text(&row.key)),
    Column::new("size_bytes", |row| Bytes(row.size)),
    Column::new("unpadded_bytes", |row| Bytes(row.unpadded)),
    Column::new("n", |row| Count(row.n.into())),
];

/// The columns of buffers with padding.
pub const PADDED: &[Column<Padded>] = &[
    Column::new("instruction", |row| Value::text(&row.buffer.instruction)),
    Column::new("shape", |row| Value::text(&row.buffer.shape)),
    Column::new("size_bytes", |row| Bytes(row.buffer.size)),
    Column::new("wasted_bytes", |row| Bytes(row.wasted)),
    Column::new("overhead", |row| Value::maybe(row.overhead, Number)),
];

/// The columns of the largest rises of the curve.
pub const JUMPS: &[Column<Jump>] = &[
    Column::new("position", |row| Count(row.position.into())),
    Column::new("size_bytes", |row| Bytes(row.size)),
    Column::new("after_bytes", |row| Bytes(row.after)),
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
    Column::new("peak_in_use_bytes", |row| Bytes(row.peak.in_use())),
    Column::new("peak_ps", |row| Time(row.peak.at)),
    Column::new("peak_step", |row| Value::maybe(row.peak.step, Count)),
    Column::new("reserved_bytes", |row| Bytes(row.peak.reserved)),
    Column::new("allocated_bytes", |row| Bytes(row.peak.allocated)),
    Column::new("available_bytes", |row| Value::maybe(row.peak.available, Bytes)),
    Column::new("capacity_bytes", |row| Value::maybe(row.capacity, Bytes)),
    Column::new("fragmentation", |row| Value::maybe(row.fragmentation, Number)),
    Column::new("lifetime_peak_bytes", |row| Value::maybe(row.lifetime_peak, Bytes)),
    Column::new("persistent_bytes", |row| Bytes(row.persistent)),
    Column::new("transient_bytes", |row| Bytes(row.transient)),
    Column::json("timeline", |row| Value::records(TIMELINE, &row.timeline)),
];

/// The columns of an allocator's timeline.
const TIMELINE: &[Column<UseColumn>] = &[
    Column::new("at_ps", |row| Time(row.at)),
    Column::new("least_bytes", |row| Bytes(row.least)),
    Column::new("most_bytes", |row| Bytes(row.most)),
    Column::new("most_at_ps", |row| Time(row.most_at)),
    Column::new("last_bytes", |row| Bytes(row.last)),
];

/// The columns of devices: the peak of programs, the peak in use, and the capacity. `capacity_source` is `allocator`,
/// or the name of the chip whose published memory counts.
pub const CROSS_CHECKS: &[Column<CrossCheck>] = &[
    Column::new("device", |row| Value::text(&row.label)),
    Column::new("program", |row| Value::maybe_text(row.program.as_deref())),
    Column::new("static_peak_bytes", |row| Value::maybe(row.static_peak, Bytes)),
    Column::new("runtime_peak_bytes", |row| Value::maybe(row.runtime_peak, Bytes)),
    Column::new("capacity_bytes", |row| Value::maybe(row.capacity.as_ref(), |capacity| Bytes(capacity.size))),
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
