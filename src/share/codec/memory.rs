//! This module visits memory: the peaks of programs, a curve, the buffers that are alive at its peak, and the
//! allocators.

use super::visit::{Number, Text, Visit, VisitResult, each};
use super::{defaults, origin};
use crate::analysis::memory::{
    AllocatorMemory, Basis, Buffer, BufferId, Capacity, CapacitySource, Category, CrossCheck, Curve, CurveColumn,
    MemoryClass, Moment, MomentPart, ProgramPeaks, SpacePeak, UseColumn, UseStep,
};
use crate::share::report::{MemoryPart, ReportSpace};
use crate::units::Picos;

pub(super) fn memory(v: &mut dyn Visit, of: &mut MemoryPart) -> VisitResult {
    v.rows(&mut of.programs, ProgramPeaks::default)?;
    each(&mut of.programs, |program| v.small(&mut program.program))?;
    each(&mut of.programs, |program| v.string(&mut program.name, Text::Program))?;
    each(&mut of.programs, |program| v.program_id(&mut program.program_id))?;
    each(&mut of.programs, |program| peaks(v, &mut program.spaces))?;
    each(&mut of.programs, |program| {
        let mut note: Vec<_> = program.note.take().into_iter().collect();
        origin::notes(v, &mut note)?;
        program.note = note.pop();
        Ok(())
    })?;
    v.rows(&mut of.spaces, ReportSpace::default)?;
    each(&mut of.spaces, |item| space(v, item))?;
    v.rows(&mut of.runtime.allocators, defaults::allocator)?;
    each(&mut of.runtime.allocators, |item| allocator(v, item))?;
    origin::notes(v, &mut of.runtime.notes)?;
    v.rows(&mut of.checks, CrossCheck::default)?;
    each(&mut of.checks, |item| check(v, item))?;
    origin::notes(v, &mut of.notes)
}

fn peaks(v: &mut dyn Visit, of: &mut Vec<SpacePeak>) -> VisitResult {
    v.rows(of, SpacePeak::default)?;
    each(of, |space| {
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

fn moment(v: &mut dyn Visit, of: &mut Option<Moment>) -> VisitResult {
    const PARTS: [MomentPart; 3] = [MomentPart::Forward, MomentPart::Turn, MomentPart::Backward];
    v.present(of, || Moment { instruction: String::new(), place: 0, of: 0, part: None })?;
    let Some(of) = of else { return Ok(()) };
    v.string(&mut of.instruction, Text::Op)?;
    v.small(&mut of.place)?;
    v.small(&mut of.of)?;
    v.optional_one_of(&mut of.part, &PARTS)
}

fn space(v: &mut dyn Visit, of: &mut ReportSpace) -> VisitResult {
    v.small(&mut of.program)?;
    v.signed(&mut of.color)?;
    v.exact(&mut of.peak_unpadded)?;
    moment(v, &mut of.moment)?;
    curve(v, &mut of.curve)?;
    let alive = &mut of.alive;
    v.small(&mut alive.point)?;
    v.text(&mut alive.instruction, None, Text::Op)?;
    moment(v, &mut alive.moment)?;
    v.exact(&mut alive.size)?;
    v.number(&mut alive.unpadded, alive.size, Number::Exact)?;
    v.small(&mut alive.n)?;
    buffers(v, &mut alive.buffers)?;
    v.exact(&mut alive.rest)?;
    v.exact(&mut of.wasted)?;
    v.small(&mut of.n_padded)
}

fn curve(v: &mut dyn Visit, of: &mut Curve) -> VisitResult {
    v.small(&mut of.n_points)?;
    v.small(&mut of.from)?;
    v.small_with_usual(&mut of.to, of.n_points)?;
    v.rows(&mut of.columns, CurveColumn::default)?;
    let columns = &mut of.columns;
    let mut next = of.from;
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
    v.texts(&mut of.instructions, Text::Op)?;
    v.texts(&mut of.phases, Text::Word)
}

fn buffers(v: &mut dyn Visit, of: &mut Vec<Buffer>) -> VisitResult {
    v.rows(of, defaults::buffer)?;
    each(of, |buffer| {
        let BufferId(id) = &mut buffer.id;
        v.small(id)
    })?;
    each(of, |buffer| v.exact(&mut buffer.size))?;
    each(of, |buffer| v.integer(&mut buffer.unpadded, Some(buffer.size), Number::Exact))?;
    each(of, |buffer| v.string(&mut buffer.shape, Text::Shape))?;
    each(of, |buffer| v.text(&mut buffer.dtype, None, Text::Word))?;
    each(of, |buffer| v.string(&mut buffer.instruction, Text::Op))?;
    each(of, |buffer| v.string(&mut buffer.opcode, Text::Category))?;
    each(of, |buffer| v.string(&mut buffer.op_name, Text::Scope))?;
    each(of, |buffer| v.text(&mut buffer.source, None, Text::Source))?;
    each(of, |buffer| v.one_of(&mut buffer.category, &Category::ALL))?;
    each(of, |buffer| v.one_of(&mut buffer.class, &MemoryClass::ALL))?;
    each(of, |buffer| v.small(&mut buffer.first))?;
    each(of, |buffer| v.small(&mut buffer.last))
}

fn allocator(v: &mut dyn Visit, of: &mut AllocatorMemory) -> VisitResult {
    v.string(&mut of.label, Text::Device)?;
    v.optional_small(&mut of.device)?;
    v.optional(&mut of.ordinal)?;
    v.text(&mut of.allocator, None, Text::Allocator)?;
    v.string(&mut of.plane, Text::Device)?;
    v.small(&mut of.file)?;
    v.exact(&mut of.n_events)?;
    v.time(&mut of.peak.at)?;
    v.exact(&mut of.peak.reserved)?;
    v.exact(&mut of.peak.allocated)?;
    v.optional(&mut of.peak.available)?;
    v.optional(&mut of.peak.step)?;
    v.optional(&mut of.capacity)?;
    v.real(&mut of.fragmentation, None)?;
    v.optional(&mut of.lifetime_peak)?;
    v.exact(&mut of.persistent)?;
    v.exact(&mut of.transient)?;
    let columns = &mut of.timeline;
    v.rows(columns, UseColumn::default)?;
    each(columns, |column| v.time(&mut column.at))?;
    each(columns, |column| v.number(&mut column.most, 0, Number::Height))?;
    each(columns, |column| v.number(&mut column.least, column.most, Number::Height))?;
    each(columns, |column| v.number(&mut column.reserved, 0, Number::Height))?;
    each(columns, |column| v.time_with_usual(&mut column.most_at, column.at))?;
    each(columns, |column| v.number(&mut column.last, column.most, Number::Height))?;
    v.rows(&mut of.steps, || UseStep { number: 0, from: Picos::ZERO, to: Picos::ZERO })?;
    each(&mut of.steps, |step| v.exact(&mut step.number))?;
    each(&mut of.steps, |step| v.time(&mut step.from))?;
    each(&mut of.steps, |step| v.time(&mut step.to))
}

fn check(v: &mut dyn Visit, of: &mut CrossCheck) -> VisitResult {
    v.string(&mut of.label, Text::Device)?;
    v.optional(&mut of.static_peak)?;
    v.text(&mut of.program, None, Text::Program)?;
    v.optional(&mut of.runtime_peak)?;
    v.present(&mut of.capacity, || Capacity { size: 0, source: CapacitySource::Allocator })?;
    if let Some(capacity) = &mut of.capacity {
        v.exact(&mut capacity.size)?;
        let mut chip = match &capacity.source {
            CapacitySource::Allocator => None,
            CapacitySource::Chip(chip) => Some(chip.clone()),
        };
        v.text(&mut chip, None, Text::Chip)?;
        capacity.source = chip.map_or(CapacitySource::Allocator, CapacitySource::Chip);
    }
    v.real(&mut of.used, None)?;
    v.present(&mut of.headroom, || 0)?;
    if let Some(headroom) = &mut of.headroom {
        v.signed(headroom)?;
    }
    v.flag(&mut of.is_tight)?;
    v.real(&mut of.fragmentation, None)?;
    v.flag(&mut of.is_fragmented)
}
