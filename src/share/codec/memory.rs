//! This module visits memory: the peaks of programs, a curve, the buffers that are alive at its peak, and the
//! allocators.

use super::visit::{Number, Text, Visit, VisitResult, each};
use super::{defaults, origin};
use crate::analysis::memory::{
    AllocatorMemory, Basis, Buffer, BufferId, Capacity, CapacitySource, Category, CrossCheck, Curve, CurveColumn,
    MemoryClass, Moment, MomentPart, ProgramPeaks, SpacePeak, UseColumn, UseStep,
};
use crate::share::report::{MemoryPart, ReportSpace};
use xla_profile::units::Picos;

pub(super) fn memory(v: &mut dyn Visit, memory: &mut MemoryPart) -> VisitResult {
    v.rows(&mut memory.programs, ProgramPeaks::default)?;
    each(&mut memory.programs, |program| v.small(&mut program.program))?;
    each(&mut memory.programs, |program| v.string(&mut program.name, Text::Program))?;
    each(&mut memory.programs, |program| v.program_id(&mut program.program_id))?;
    each(&mut memory.programs, |program| peaks(v, &mut program.spaces))?;
    each(&mut memory.programs, |program| {
        let mut note: Vec<_> = program.note.take().into_iter().collect();
        origin::notes(v, &mut note)?;
        program.note = note.pop();
        Ok(())
    })?;
    v.rows(&mut memory.spaces, ReportSpace::default)?;
    each(&mut memory.spaces, |item| space(v, item))?;
    v.rows(&mut memory.runtime.allocators, defaults::allocator)?;
    each(&mut memory.runtime.allocators, |item| allocator(v, item))?;
    origin::notes(v, &mut memory.runtime.notes)?;
    v.rows(&mut memory.checks, CrossCheck::default)?;
    each(&mut memory.checks, |item| check(v, item))?;
    origin::notes(v, &mut memory.notes)
}

fn peaks(v: &mut dyn Visit, peaks: &mut Vec<SpacePeak>) -> VisitResult {
    v.rows(peaks, SpacePeak::default)?;
    each(peaks, |space| {
        v.signed(&mut space.color)?;
        v.string(&mut space.space, Text::Word)?;
        v.exact(&mut space.peak)?;
        v.optional_small(&mut space.position)?;
        v.text(&mut space.instruction, None, Text::Op)?;
        v.exact(&mut space.total_allocation)?;
        v.exact(&mut space.indefinite)?;
        v.number(&mut space.parameters, space.indefinite, Number::Exact)?;
        v.exact(&mut space.live_out)?;
        v.exact(&mut space.constants)?;
        v.small(&mut space.n_events)?;
        v.one_of(&mut space.basis, &[Basis::Trace, Basis::Schedule, Basis::Constant, Basis::LiveRanges])
    })
}

fn moment(v: &mut dyn Visit, moment: &mut Option<Moment>) -> VisitResult {
    const PARTS: [MomentPart; 3] = [MomentPart::Forward, MomentPart::Turn, MomentPart::Backward];
    v.present(moment, || Moment { instruction: String::new(), place: 0, n_instructions: 0, part: None })?;
    let Some(moment) = moment else { return Ok(()) };
    v.string(&mut moment.instruction, Text::Op)?;
    v.small(&mut moment.place)?;
    v.small(&mut moment.n_instructions)?;
    v.optional_one_of(&mut moment.part, &PARTS)
}

fn space(v: &mut dyn Visit, space: &mut ReportSpace) -> VisitResult {
    v.small(&mut space.program)?;
    v.signed(&mut space.color)?;
    v.exact(&mut space.peak_unpadded)?;
    moment(v, &mut space.moment)?;
    curve(v, &mut space.curve)?;
    let alive = &mut space.alive;
    v.small(&mut alive.point)?;
    v.text(&mut alive.instruction, None, Text::Op)?;
    moment(v, &mut alive.moment)?;
    v.exact(&mut alive.size)?;
    v.number(&mut alive.unpadded, alive.size, Number::Exact)?;
    v.small(&mut alive.n)?;
    buffers(v, &mut alive.buffers)?;
    v.exact(&mut alive.rest)?;
    v.exact(&mut space.wasted)?;
    v.small(&mut space.n_padded)
}

fn curve(v: &mut dyn Visit, curve: &mut Curve) -> VisitResult {
    v.small(&mut curve.n_points)?;
    v.small(&mut curve.from)?;
    v.small_with_usual(&mut curve.to, curve.n_points)?;
    v.rows(&mut curve.columns, CurveColumn::default)?;
    let columns = &mut curve.columns;
    let mut next = curve.from;
    let height = |v: &mut dyn Visit, value: &mut u64, usual| v.number(value, usual, Number::Height);
    each(columns, |column| {
        // The value is the distance from the expected start of the column, which is small.
        let mut far = column.first.wrapping_sub(next);
        v.small(&mut far)?;
        column.first = next.wrapping_add(far);
        next = column.first;
        Ok(())
    })?;
    each(columns, |column| {
        let mut far = column.most_at.wrapping_sub(column.first);
        v.small(&mut far)?;
        column.most_at = column.first.wrapping_add(far);
        Ok(())
    })?;
    each(columns, |column| height(v, &mut column.most, 0))?;
    each(columns, |column| height(v, &mut column.least, column.most))?;
    each(columns, |column| height(v, &mut column.unpadded_most, column.most))?;
    each(columns, |column| height(v, &mut column.unpadded_least, column.least))?;
    v.texts(&mut curve.instructions, Text::Op)?;
    v.texts(&mut curve.phases, Text::Word)
}

fn buffers(v: &mut dyn Visit, buffers: &mut Vec<Buffer>) -> VisitResult {
    v.rows(buffers, defaults::buffer)?;
    each(buffers, |buffer| {
        let BufferId(id) = &mut buffer.id;
        v.small(id)
    })?;
    each(buffers, |buffer| v.exact(&mut buffer.size))?;
    each(buffers, |buffer| v.integer(&mut buffer.unpadded, Some(buffer.size), Number::Exact))?;
    each(buffers, |buffer| v.string(&mut buffer.shape, Text::Shape))?;
    each(buffers, |buffer| v.text(&mut buffer.dtype, None, Text::Word))?;
    each(buffers, |buffer| v.string(&mut buffer.instruction, Text::Op))?;
    each(buffers, |buffer| v.string(&mut buffer.opcode, Text::Category))?;
    each(buffers, |buffer| v.string(&mut buffer.op_name, Text::Scope))?;
    each(buffers, |buffer| v.text(&mut buffer.source, None, Text::Source))?;
    each(buffers, |buffer| v.one_of(&mut buffer.category, &Category::ALL))?;
    each(buffers, |buffer| v.one_of(&mut buffer.class, &MemoryClass::ALL))?;
    each(buffers, |buffer| v.small(&mut buffer.first))?;
    each(buffers, |buffer| v.small(&mut buffer.last))
}

fn allocator(v: &mut dyn Visit, allocator: &mut AllocatorMemory) -> VisitResult {
    v.string(&mut allocator.label, Text::Device)?;
    v.optional_small(&mut allocator.device)?;
    v.optional(&mut allocator.ordinal)?;
    v.text(&mut allocator.allocator, None, Text::Allocator)?;
    v.string(&mut allocator.plane, Text::Device)?;
    v.small(&mut allocator.file)?;
    v.exact(&mut allocator.n_events)?;
    v.time(&mut allocator.peak.time)?;
    v.exact(&mut allocator.peak.reserved)?;
    v.exact(&mut allocator.peak.allocated)?;
    v.optional(&mut allocator.peak.available)?;
    v.optional(&mut allocator.peak.step)?;
    v.optional(&mut allocator.capacity)?;
    v.real(&mut allocator.fragmentation, None)?;
    v.optional(&mut allocator.lifetime_peak)?;
    v.exact(&mut allocator.persistent)?;
    v.exact(&mut allocator.transient)?;
    let columns = &mut allocator.timeline;
    v.rows(columns, UseColumn::default)?;
    each(columns, |column| v.time(&mut column.time))?;
    each(columns, |column| v.number(&mut column.most, 0, Number::Height))?;
    each(columns, |column| v.number(&mut column.least, column.most, Number::Height))?;
    each(columns, |column| v.number(&mut column.reserved, 0, Number::Height))?;
    each(columns, |column| v.time_with_usual(&mut column.most_at, column.time))?;
    each(columns, |column| v.number(&mut column.last, column.most, Number::Height))?;
    v.rows(&mut allocator.steps, || UseStep { number: 0, from: Picos::ZERO, to: Picos::ZERO })?;
    each(&mut allocator.steps, |step| v.exact(&mut step.number))?;
    each(&mut allocator.steps, |step| v.time(&mut step.from))?;
    each(&mut allocator.steps, |step| v.time(&mut step.to))
}

fn check(v: &mut dyn Visit, check: &mut CrossCheck) -> VisitResult {
    v.string(&mut check.label, Text::Device)?;
    v.optional(&mut check.static_peak)?;
    v.text(&mut check.program, None, Text::Program)?;
    v.optional(&mut check.runtime_peak)?;
    v.present(&mut check.capacity, || Capacity { size: 0, source: CapacitySource::Allocator })?;
    if let Some(capacity) = &mut check.capacity {
        v.exact(&mut capacity.size)?;
        let mut chip = match &capacity.source {
            CapacitySource::Allocator => None,
            CapacitySource::Chip(chip) => Some(chip.clone()),
        };
        v.text(&mut chip, None, Text::Chip)?;
        capacity.source = chip.map_or(CapacitySource::Allocator, CapacitySource::Chip);
    }
    v.real(&mut check.used, None)?;
    v.present(&mut check.headroom, || 0)?;
    if let Some(headroom) = &mut check.headroom {
        v.signed(headroom)?;
    }
    v.flag(&mut check.is_tight)?;
    v.real(&mut check.fragmentation, None)?;
    v.flag(&mut check.is_fragmented)
}
