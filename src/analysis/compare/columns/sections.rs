//! This module declares the fields of the parts of a comparison beside the time of ops: memory, communication and
//! programs.

use crate::analysis::comm::{Core, Primitive};
use crate::analysis::compare::sections::{
    BytesDelta, ChangeCounts, ChangedProperty, ClassDelta, CommRowDelta, CommSide, MemoryDelta, OpcodeDelta, PeakDelta,
    PeakSide, ProgramPair, Property, TimeDelta,
};
use crate::analysis::memory::{Basis, MemoryClass};
use crate::table::columns;

columns! {
    /// The fields of the memory of both sides.
    pub MEMORY(row: MemoryDelta) {
        /// The program with the highest peak in HBM, of the programs that have the same name and a known peak on both
        /// sides. Programs that ran come before others with higher peaks. Null if there is none.
        program: Object(PEAKS) or null = row.program.as_ref(),
        /// Why `program` is null.
        absent: Removed or null = row.absent.as_deref(),
        /// The largest memory in use by the allocators of devices. Null if a side has no events of allocators.
        in_use: Object(SIZES) or null = row.in_use.as_ref(),
    }

    PEAKS(row: PeakDelta) {
        /// Name of the program.
        name: Name(Program) = &row.program,
        /// Its peak in A.
        a: Object(PEAK_SIDES) = &row.a,
        /// Its peak in B.
        b: Object(PEAK_SIDES) = &row.b,
        /// The difference of the peaks.
        delta_bytes: Integer = row.delta,
        /// The classes of buffers, the largest difference first. Each side uses its own peak, so the classes sum to the
        /// peaks, and their differences to `delta_bytes`.
        parts: Rows(CLASSES) = &row.parts,
    }

    PEAK_SIDES(row: PeakSide) {
        /// The peak, with padding.
        peak_bytes: Bytes = row.peak,
        /// The instruction that first reaches the peak. Null if the program starts at its peak.
        peak_instruction: Name(Op) or null = row.instruction.as_deref(),
        /// Number of buffers that are alive at the peak.
        n_buffers: Count = row.n_buffers.into(),
        /// The source of the curve, as in `memory`.
        basis: Word(Basis) = row.basis,
    }

    CLASSES(row: ClassDelta) {
        /// The class of buffers.
        class: Word(MemoryClass) = row.class,
        /// Its bytes at the peak of A.
        a_bytes: Bytes = row.a,
        /// Its bytes at the peak of B.
        b_bytes: Bytes = row.b,
        /// The difference.
        delta_bytes: Integer = row.delta,
    }

    SIZES(row: BytesDelta) {
        /// Bytes in A.
        a_bytes: Bytes = row.a,
        /// Bytes in B.
        b_bytes: Bytes = row.b,
        /// The difference.
        delta_bytes: Integer = row.delta,
    }

    /// The fields of a time of both sides.
    pub TIMES(row: TimeDelta) {
        /// Time in A, per unit.
        a_ps: Integer = row.a_ps,
        /// Time in B, per unit.
        b_ps: Integer = row.b_ps,
        /// The difference.
        delta_ps: Integer = row.delta_ps,
    }

    /// The fields of the collectives of both sides with the same primitive, core, groups and scope.
    pub COMM_ROWS(row: CommRowDelta) {
        /// The primitive.
        primitive: Word(Primitive) = row.primitive,
        /// The core that runs them.
        core: Word(Core) = row.core,
        /// Devices in a group. Null if it is unknown.
        group_size: Count or null = row.group_size,
        /// Distance between neighbours of a group. Null if it is unknown or not constant.
        group_stride: Count or null = row.group_stride,
        /// The scope path. Null if it is unknown.
        scope: Name(Scope) or null = row.scope.as_deref(),
        /// The collectives of A. Null if B alone has such collectives.
        a: Object(COMM_SIDES) or null = row.a.as_ref(),
        /// The collectives of B. Null if A alone has such collectives.
        b: Object(COMM_SIDES) or null = row.b.as_ref(),
        /// The difference of the exposed time. A side without such collectives counts as 0. The differences of all rows
        /// sum to that of `comm`.
        exposed_delta_ps: Integer = row.exposed_delta_ps,
        /// The difference of the stall. A side without such collectives counts as 0. The differences of all rows sum to
        /// that of `comm`.
        stall_delta_ps: Integer = row.stall_delta_ps,
        /// The difference of the bytes. A side without such collectives counts as 0. Null if the bytes of a side are
        /// unknown.
        bytes_delta: Integer or null = row.bytes_delta,
    }

    COMM_SIDES(row: CommSide) {
        /// Names of the ops, the one with the longest exposed time first.
        ops: List(Name(Op)) = &row.ops,
        /// Executions, per unit.
        n_executions: Number = row.n_executions,
        /// Bytes of the messages, per unit. Null if a size is unknown.
        bytes: Integer or null = row.bytes,
        /// Time in flight without compute, per unit.
        exposed_ps: Integer = row.exposed_ps,
        /// Self time of waits and of synchronous ops, per unit.
        stall_ps: Integer = row.stall_ps,
        /// Bandwidth in bytes per second. Deprecated: use `bus_gbps`.
        bus_rate: Number or null = row.bus_rate,
        /// Bus bandwidth in 10⁹ bytes per second, the mean over the time of the executions. Null if that of an op is
        /// unknown.
        bus_gbps: Bandwidth or null = row.bus_rate,
    }

    /// The fields of a program of both sides.
    pub PROGRAM_PAIRS(row: ProgramPair) {
        /// Name of the program.
        name: Name(Program) = &row.name,
        /// Whether both sides are the same apart from names, ids, sources and the order of independent instructions.
        is_same: Flag = row.is_same,
    }

    /// The fields of a property that differs.
    pub CHANGED_PROPERTIES(row: ChangedProperty) {
        /// The property. `opcode` includes the target of a custom call, and `memory_space` is that of the result or of
        /// an operand. `grouping` means that another number of ops does the work: fusions were split or merged.
        /// Precision and sharding are compared only if the HLO of both sides has them.
        property: Word(Property) = row.property,
        /// The text of A. Empty if A has no such property.
        a: Removed = &row.a,
        /// The text of B. Empty if B has no such property.
        b: Removed = &row.b,
    }

    /// The fields of the numbers of changes.
    pub CHANGE_COUNTS(row: ChangeCounts) {
        /// Number of instructions that B alone has.
        added: Count = row.added.into(),
        /// Number of instructions that A alone has.
        removed: Count = row.removed.into(),
        /// Number of instructions that differ.
        changed: Count = row.changed.into(),
    }

    /// The fields of an opcode whose number differs.
    pub OPCODES(row: OpcodeDelta) {
        /// The opcode.
        opcode: Name(Category) = &row.opcode,
        /// Number of its instructions in A.
        a: Count = row.a.into(),
        /// Number of its instructions in B.
        b: Count = row.b.into(),
    }
}
