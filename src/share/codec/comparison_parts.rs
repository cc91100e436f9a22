//! This module visits the parts of a comparison beside the time of ops: memory, collectives and programs.

use super::visit::{Text, Visit, VisitResult, each};
use crate::analysis::comm::{Core, Primitive};
use crate::analysis::compare::{
    BytesDelta, ChangeCounts, ChangeKind, ChangedProperty, ClassDelta, CommDelta, CommRowDelta, CommSide, MemoryDelta,
    OpcodeDelta, PeakDelta, PeakSide, ProgramChange, ProgramDiff, ProgramPair, Property, TimeDelta,
};
use crate::analysis::memory::{Basis, MemoryClass};

const BASES: [Basis; 4] = [Basis::Trace, Basis::Schedule, Basis::Constant, Basis::LiveRanges];
const CHANGES: [ChangeKind; 3] = [ChangeKind::Added, ChangeKind::Removed, ChangeKind::Changed];

pub(super) fn memory(v: &mut dyn Visit, memory: &mut MemoryDelta) -> VisitResult {
    let side = || PeakSide { peak: 0, instruction: None, n_buffers: 0, basis: Basis::Trace };
    v.present(&mut memory.program, || PeakDelta {
        program: String::new(),
        a: side(),
        b: side(),
        delta: 0,
        parts: Vec::new(),
    })?;
    if let Some(peak) = &mut memory.program {
        v.string(&mut peak.program, Text::Program)?;
        for side in [&mut peak.a, &mut peak.b] {
            v.exact(&mut side.peak)?;
            v.text(&mut side.instruction, None, Text::Op)?;
            v.small(&mut side.n_buffers)?;
            v.one_of(&mut side.basis, &BASES)?;
        }
        v.signed(&mut peak.delta)?;
        v.rows(&mut peak.parts, || ClassDelta { class: MemoryClass::default(), a: 0, b: 0, delta: 0 })?;
        each(&mut peak.parts, |part| {
            v.one_of(&mut part.class, &MemoryClass::ALL)?;
            v.exact(&mut part.a)?;
            v.exact(&mut part.b)?;
            v.difference(&mut part.delta, part.b.wrapping_sub(part.a).cast_signed())
        })?;
    }
    v.text(&mut memory.absent, None, Text::Sentence)?;
    v.present(&mut memory.in_use, || BytesDelta { a: 0, b: 0, delta: 0 })?;
    let Some(in_use) = &mut memory.in_use else { return Ok(()) };
    v.exact(&mut in_use.a)?;
    v.exact(&mut in_use.b)?;
    v.difference(&mut in_use.delta, in_use.b.wrapping_sub(in_use.a).cast_signed())
}

pub(super) fn comm(v: &mut dyn Visit, comm: &mut CommDelta, primitives: &[Primitive], cores: &[Core]) -> VisitResult {
    for TimeDelta { a_ps, b_ps, delta_ps } in [&mut comm.exposed, &mut comm.stall] {
        for time in [a_ps, b_ps, delta_ps] {
            v.signed(time)?;
        }
    }
    v.text(&mut comm.absent, None, Text::Sentence)?;
    let row = || CommRowDelta {
        primitive: Primitive::Unknown,
        core: Core::Tensor,
        group_size: None,
        group_stride: None,
        scope: None,
        a: None,
        b: None,
        exposed_delta_ps: 0,
        stall_delta_ps: 0,
        bytes_delta: None,
    };
    v.rows(&mut comm.rows, row)?;
    each(&mut comm.rows, |row| {
        v.one_of(&mut row.primitive, primitives)?;
        v.one_of(&mut row.core, cores)?;
        v.optional(&mut row.group_size)?;
        v.optional(&mut row.group_stride)?;
        v.text(&mut row.scope, None, Text::Scope)?;
        comm_side(v, &mut row.a)?;
        comm_side(v, &mut row.b)?;
        v.signed(&mut row.exposed_delta_ps)?;
        v.signed(&mut row.stall_delta_ps)?;
        v.optional_signed(&mut row.bytes_delta)
    })
}

fn comm_side(v: &mut dyn Visit, side: &mut Option<CommSide>) -> VisitResult {
    let empty =
        || CommSide { ops: Vec::new(), n_executions: 0.0, bytes: None, exposed_ps: 0, stall_ps: 0, bus_rate: None };
    v.present(side, empty)?;
    let Some(side) = side else { return Ok(()) };
    v.texts(&mut side.ops, Text::Op)?;
    v.float(&mut side.n_executions, 1.0)?;
    v.optional_signed(&mut side.bytes)?;
    v.signed(&mut side.exposed_ps)?;
    v.signed(&mut side.stall_ps)?;
    v.real(&mut side.bus_rate, None)
}

pub(super) fn programs(v: &mut dyn Visit, programs: &mut ProgramDiff) -> VisitResult {
    v.rows(&mut programs.programs, || ProgramPair { name: String::new(), is_same: false })?;
    each(&mut programs.programs, |pair| {
        v.string(&mut pair.name, Text::Program)?;
        v.flag(&mut pair.is_same)
    })?;
    v.texts(&mut programs.only_in_a, Text::Program)?;
    v.texts(&mut programs.only_in_b, Text::Program)?;
    v.text(&mut programs.absent, None, Text::Sentence)?;
    v.rows(&mut programs.changes, || ProgramChange {
        row: 0,
        kind: ChangeKind::Changed,
        what: Vec::new(),
        delta_ps: 0,
    })?;
    each(&mut programs.changes, |change| {
        v.small(&mut change.row)?;
        v.one_of(&mut change.kind, &CHANGES)?;
        v.signed(&mut change.delta_ps)?;
        v.rows(&mut change.what, || ChangedProperty {
            property: Property::Opcode,
            a: String::new(),
            b: String::new(),
        })?;
        each(&mut change.what, |what| {
            v.one_of(&mut what.property, &Property::ALL)?;
            v.string(&mut what.a, Text::Sentence)?;
            v.string(&mut what.b, Text::Sentence)
        })
    })?;
    counts(v, &mut programs.n_changes)?;
    v.rows(&mut programs.properties, || (Property::Opcode, 0))?;
    each(&mut programs.properties, |(property, n)| {
        v.one_of(property, &Property::ALL)?;
        v.small(n)
    })?;
    v.signed(&mut programs.delta_ps)?;
    counts(v, &mut programs.n_without_time)?;
    v.small(&mut programs.n_moved)?;
    v.rows(&mut programs.opcodes, || OpcodeDelta { opcode: String::new(), a: 0, b: 0 })?;
    each(&mut programs.opcodes, |opcode| {
        v.string(&mut opcode.opcode, Text::Category)?;
        v.small(&mut opcode.a)?;
        v.small(&mut opcode.b)
    })
}

fn counts(v: &mut dyn Visit, counts: &mut ChangeCounts) -> VisitResult {
    let ChangeCounts { added, removed, changed } = counts;
    for n in [added, removed, changed] {
        v.small(n)?;
    }
    Ok(())
}
