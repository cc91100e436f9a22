//! This module declares the columns of the memory tables. Sizes are bytes.

use super::categories::{Category, MemoryClass};
use super::report::{Basis, Buffer, Estimate, EstimateRow, Jump, Moment, MomentPart, Padded, RollUpRow, SpaceMemory};
use super::runtime_report::{AllocatorMemory, CapacitySource, CrossCheck, UseColumn};
use crate::table::page::{Mark, Name};
use crate::table::shown::{Format, RowTip, Shown, Table, TipLine};
use crate::table::{Value, columns};

columns! {
    /// The columns of buffers.
    pub BUFFERS(row: Buffer) {
        /// Size with padding.
        size_bytes: Bytes = row.size,
        /// Size without padding. Null if the shape is unknown.
        unpadded_bytes: Bytes or null = row.unpadded,
        /// The shape. Empty if it is unknown.
        shape: Name(Shape) = &row.shape,
        /// The element type. Null for the pointer table of a tuple, or if it is unknown.
        dtype: Text or null = row.dtype.as_deref(),
        /// The path of the argument for a parameter (`state[0]['w1']`), else the instruction.
        name: Name(Op) = row.label(),
        /// The instruction that defines the buffer. `fusion.1{0}` is the first part of its result. Empty if it is
        /// unknown.
        instruction: Name(Op) = &row.instruction,
        /// The opcode of the instruction. Empty if it is unknown.
        opcode: Name(Category) = &row.opcode,
        /// The scope path of the instruction. Empty if it is unknown.
        op_name: Name(Scope) = &row.op_name,
        /// The innermost source line of the instruction.
        source: Removed or null = row.source.as_deref(),
        /// The role of the buffer in the program.
        category: Labelled(Category) = row.category,
        /// The role of the buffer in the model.
        class: Labelled(MemoryClass) = row.class,
        /// The event that allocates the buffer. 0 for a buffer that is alive all the time.
        first: Count = row.first.into(),
        /// The event that frees the buffer, or the number of events if none frees it.
        last: Count = row.last.into(),
        live_range: Pair in page = (row.first.into(), row.last.into()),
        padding: Percent or null in page = row.padding(),
        wasted_bytes: Bytes or null in page = row.wasted().filter(|wasted| *wasted > 0),
        other_instruction: Name(Op) or null in page = other_than_name(row, &row.instruction),
        other_scope: Name(Scope) or null in page = other_than_name(row, &row.op_name),
    }
}

/// Returns a text. `None` if the text equals the name of the buffer.
fn other_than_name<'r>(row: &Buffer, text: &'r str) -> Option<&'r str> {
    (text != row.label()).then_some(text)
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

columns! {
    /// The figures of a memory at the peak of a program.
    pub SPACE(row: SpaceMemory) {
        /// The number of the memory: 0 is the main memory of the device.
        color: Integer in json table = row.peak.color,
        /// Its name: `HBM`, `VMEM`, `S(n)`, or `device memory` for colour 0 of a device that is not a TPU.
        memory_space: Text in json table = &row.peak.space,
        /// What the curve and the peak are computed from.
        basis: Word(Basis) in json table = row.peak.basis,
        /// The peak: the most bytes that are alive at once.
        peak_bytes: Bytes in json table = row.peak.peak,
        /// The peak without padding. Buffers that are alive all the time count with their padding here, too.
        peak_unpadded_bytes: Bytes in json table = row.peak_unpadded,
        /// The event that first reaches the peak. The curve has the peak at index `peak_position + 1` of `timeline`.
        /// Null where nothing is allocated or freed.
        peak_position: Count or null in json = row.peak.position.map(u64::from),
        /// The instruction of that event.
        peak_instruction: Name(Op) or null in json table = row.peak.instruction.as_deref(),
        /// The place of the peak in the schedule of the entry. Null if the place is unknown.
        peak_in_schedule: Object(MOMENT) or null in json = row.moment.as_ref(),
        /// Size of all allocations. Null for HLO text.
        total_allocation_bytes: Bytes or null in json = row.peak.allocated(),
        /// Memory that is alive all the time.
        indefinite_bytes: Bytes in json table = row.peak.indefinite,
        /// The part of `indefinite_bytes` that is parameters.
        parameter_bytes: Bytes in json table = row.peak.parameters,
        /// The part of `indefinite_bytes` that may outlive the program. A parameter that is updated in place counts
        /// here and in `parameter_bytes`.
        live_out_bytes: Bytes in json = row.peak.live_out,
        /// The part of `indefinite_bytes` that is constants.
        constant_bytes: Bytes in json = row.peak.constants,
        /// Number of the buffers that are alive at the peak.
        n_alive: Count in table = row.alive.n.into(),
    }

    /// The columns of sums over buffers.
    pub ROLL_UPS(row: RollUpRow) {
        /// The property that the buffers share. Empty for buffers without it.
        key: Removed = &row.key,
        /// Size of the buffers with padding.
        size_bytes: Bytes = row.size,
        /// Size of the buffers without padding. A buffer of unknown shape counts with its padding.
        unpadded_bytes: Bytes = row.unpadded,
        /// Number of the buffers.
        n: Count = row.n.into(),
    }

    /// The columns of buffers with padding.
    pub PADDED(row: Padded) {
        /// The instruction that defines the buffer.
        instruction: Name(Op) = &row.buffer.instruction,
        /// The shape of the buffer.
        shape: Name(Shape) = &row.buffer.shape,
        /// Size with padding.
        size_bytes: Bytes = row.buffer.size,
        /// Size of the padding.
        wasted_bytes: Bytes = row.wasted,
        /// Padded ÷ unpadded size − 1. Null if the buffer has no element.
        overhead: Number or null = row.overhead,
    }

    /// The columns of the largest rises of the curve.
    pub JUMPS(row: Jump) {
        /// The event that causes the rise.
        position: Count = row.position.into(),
        /// Height of the rise.
        size_bytes: Bytes = row.size,
        /// Size of all live buffers after the event.
        after_bytes: Bytes = row.after,
        /// The instruction that defines the buffer which the event allocates.
        instruction: Name(Op) = &row.buffer.instruction,
        /// The shape of this buffer.
        shape: Name(Shape) = &row.buffer.shape,
    }

    /// The fields of a place in the schedule.
    pub MOMENT(row: Moment) {
        /// The instruction of the entry that runs or calls the instruction of the event.
        instruction: Name(Op) = &row.instruction,
        /// Its place in the schedule, from 0.
        place: Count = row.place.into(),
        /// Number of instructions in the schedule.
        of: Count = row.n_instructions.into(),
        /// The part of a training step: `forward` (0–50 % of the schedule), `turn` (50–70 %) or `backward` (70–100 %).
        /// Null if the program computes no gradient.
        part: Word(MomentPart) or null = row.part,
    }

    /// The comparison of the classes at the peak with a rule of thumb.
    pub ESTIMATE(row: Estimate) {
        /// Number of parameters on one device. Null if it is not given and no buffer is a weight.
        n_parameters: Count or null = row.n_parameters,
        /// Whether the parameters were counted from the weights.
        counted: Flag = row.counted,
        /// The sizes by class. Per parameter, weights take 2 bytes, gradients 2, and the two moments and the master
        /// weights of Adam 4 each.
        by_class: Value(Map(Object(ESTIMATES))) = {
            Value::map(row.rows.iter().map(|row| (row.class.key(), Value::record(ESTIMATES, row))))
        },
    }

    ESTIMATES(row: EstimateRow) {
        /// Size by the rule of thumb. Null if the number of parameters is unknown.
        expected_bytes: Bytes or null = row.expected,
        /// Size of the buffers of this class that are alive at the peak.
        measured_bytes: Bytes = row.measured,
    }

    /// The columns of allocators.
    pub ALLOCATORS(row: AllocatorMemory) {
        /// The device of the allocator. If events do not name it, the name of the allocator.
        device: Name(Device) in json csv table = &row.label,
        /// Name of the allocator.
        allocator: Name(Allocator) or null in json csv table = row.allocator.as_deref(),
        /// Number of the device in the events.
        ordinal: Count or null = row.ordinal,
        /// Number of events of the allocator.
        n_events: Count = row.n_events,
        /// The most bytes in use: the largest sum of reserved and allocated memory.
        peak_in_use_bytes: Bytes in json csv table = row.peak.in_use(),
        /// The first moment of that peak on the clock of events.
        peak_ps: Time = row.peak.time,
        /// The step of that moment. Null outside of steps, or if the clocks cannot be compared.
        peak_step: Count or null = row.peak.step,
        /// The part of the peak for programs.
        reserved_bytes: Bytes in json csv table = row.peak.reserved,
        /// The part of the peak for arrays.
        allocated_bytes: Bytes in json csv table = row.peak.allocated,
        /// Memory that is free at the peak. Null if events do not have it.
        available_bytes: Bytes or null = row.peak.available,
        /// The sum of the reserved, allocated and available bytes at the peak.
        capacity_bytes: Bytes or null = row.capacity,
        /// The fragmentation that the allocator reports at its peak, as a fraction.
        fragmentation: Number or null in json csv table = row.fragmentation,
        /// The most bytes that the allocator recorded as allocated since the start of the process, also before the
        /// capture, without what it reserves for programs.
        lifetime_peak_bytes: Bytes or null in json csv table = row.lifetime_peak,
        /// The least memory in use.
        persistent_bytes: Bytes = row.persistent,
        /// The rest of the peak.
        transient_bytes: Bytes = row.transient,
        /// The memory in use over time, in at most 1,000 columns.
        timeline: Rows(TIMELINE) in json = &row.timeline,
    }

    /// The columns of an allocator's timeline.
    TIMELINE(row: UseColumn) {
        /// Time of the first event of the column.
        at_ps: Time = row.time,
        /// The least memory in use.
        least_bytes: Bytes = row.least,
        /// The most memory in use.
        most_bytes: Bytes = row.most,
        /// Time of the first event with the most memory in use.
        most_at_ps: Time = row.most_at,
        /// The memory in use after the last event, until the next column.
        last_bytes: Bytes = row.last,
    }

    /// The columns of devices: the peak of programs, the peak in use, and the capacity.
    pub CROSS_CHECKS(row: CrossCheck) {
        /// Name of the device.
        device: Name(Device) = &row.label,
        /// The program with the highest peak, of those that ran.
        program: Name(Program) or null = row.program.as_deref(),
        /// The peak of that program.
        static_peak_bytes: Bytes or null = row.static_peak,
        /// The peak of the allocator.
        runtime_peak_bytes: Bytes or null = row.runtime_peak,
        /// The memory of the device. Null if no allocator and no chip gives it.
        capacity_bytes: Bytes or null = row.capacity.as_ref().map(|capacity| capacity.size),
        /// The source of the capacity: `allocator`, or the name of the chip whose published memory counts.
        capacity_source: Name(Chip) or null = row.capacity.as_ref().map(|capacity| match &capacity.source {
            CapacitySource::Allocator => "allocator",
            CapacitySource::Chip(name) => name,
        }),
        /// The larger peak ÷ the capacity.
        used: Number or null = row.used,
        /// The capacity − the larger peak. It is negative if the memory is too small.
        headroom_bytes: Integer or null = row.headroom,
        /// Whether `used` is above 90 %.
        is_tight: Flag = row.is_tight,
        /// The fragmentation that the allocator reports at its peak, as a fraction.
        fragmentation: Number or null = row.fragmentation,
        /// Whether the fragmentation is above 10 %.
        is_fragmented: Flag = row.is_fragmented,
    }
}
