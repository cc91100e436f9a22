//! This module keeps the memory of one program for queries: the live buffers at a point, a piece of the curve, and the
//! peak without some buffers.
//!
//! ```text
//!  BufferAssignmentProto ─► buffers ─► live_ranges ─► spaces: curve, peak ─┬─► StaticMemory   (summary)
//!  Module ───────────────► schedule, vocabularies ─────────────────────────┴─► AliveAt, Curve, LiveRangeRows, WhatIf
//! ```

use super::addresses::own_bytes;
use super::buffers::Buffers;
use super::categories::{Category, MemoryClass};
use super::class::{Facts, Vocabularies, class};
use super::estimate;
use super::heap_trace::LiveRange;
use super::query::{BufferId, MemoryQuery, Points};
use super::report::{AliveAt, Basis, Buffer, Curve, Moment, SpacePeak, WhatIf, WhatIfColumn};
use super::schedule::Schedule;
use super::space::{Space, columns, curve, peak_of_curve, shares_addresses};
use super::train_state::TrainState;
use indexmap::IndexSet;
use xla_profile::hlo::{InstructionId, Module};
use xla_profile::profile::{Note, NoteCode, Severity};
use xla_profile::small_sort::SmallSort;
use xla_profile::wire::proto::hlo::BufferAssignmentProto;

/// The buffers of a program, and the curves of all its memories.
#[derive(Debug)]
pub struct ProgramMemory {
    pub(super) buffers: Buffers,
    /// By colour.
    pub(super) spaces: Vec<Space>,
    pub(super) schedule: Schedule,
    pub(super) vocabularies: Vocabularies,
    pub(super) train_state: TrainState,
    /// Number of memories that are left out, because no real program has so many.
    colors_left_out: usize,
}

impl ProgramMemory {
    /// Replays the buffer assignment of the compiler. `module` must be the same program, here and in every query.
    pub fn new(proto: &BufferAssignmentProto, module: &Module) -> Self {
        let buffers = Buffers::new(proto);
        let unpadded: Vec<u64> = buffers.all.iter().map(|b| b.unpadded(module).unwrap_or(b.size)).collect();
        let schedule = Schedule::new(module);
        let space = |color| Space::new(proto, &buffers, &unpadded, module, &schedule, color);
        let is_used = |space: &Space| space.peak.peak > 0 || space.peak.total_allocation > 0;
        let (colors, colors_left_out) = buffers.colors();
        let spaces = colors.into_iter().map(space).filter(is_used).collect();
        let train_state = TrainState::new(module, &buffers);
        Self { spaces, schedule, vocabularies: Vocabularies::new(module), train_state, buffers, colors_left_out }
    }

    /// Estimates the memory of a program whose text alone is known, from the live ranges of its schedule. `None` if the
    /// text has no schedule.
    pub fn from_schedule(module: &Module) -> Option<Self> {
        let mut memory = Self::new(&estimate::assignment(module)?, module);
        for space in &mut memory.spaces {
            (space.basis, space.peak.basis) = (Basis::LiveRanges, Basis::LiveRanges);
            // The text has no addresses, so the size of the allocations is unknown.
            space.peak.total_allocation = 0;
        }
        Some(memory)
    }

    /// Returns the peaks and sums of all memories, by colour.
    pub fn peaks(&self) -> Vec<SpacePeak> {
        self.spaces.iter().map(|space| space.peak.clone()).collect()
    }

    /// Returns the first note on a memory of the program that makes its figures less certain.
    pub fn caution(&self) -> Option<Note> {
        let notes = self.spaces.iter().flat_map(|space| self.notes(space));
        notes.into_iter().find(|note| note.severity > Severity::Info)
    }

    /// Returns the bytes at every point of a memory's curve. `None` if the program has nothing in this memory.
    pub fn timeline(&self, color: i64) -> Option<&[u64]> {
        self.space(color).map(|space| space.padded.as_slice())
    }

    /// Returns the bytes without padding at every point. Buffers that are alive all the time count with their padding.
    pub fn unpadded_timeline(&self, color: i64) -> Option<&[u64]> {
        self.space(color).map(|space| space.unpadded.as_slice())
    }

    /// Returns a piece of a memory's curve, in at most `query.columns` columns. `None` if the program has nothing in
    /// this memory.
    pub fn curve(&self, module: &Module, query: &MemoryQuery, points: Points) -> Option<Curve> {
        self.space(query.color).map(|space| space.curve(module, points.from, points.to, query.columns))
    }

    /// Returns the buffers that are alive at a point of the curve; a point beyond the end stands for the last one.
    /// `None` if the program has nothing in this memory.
    pub fn alive_at(&self, module: &Module, query: &MemoryQuery, point: u32) -> Option<AliveAt> {
        let space = self.space(query.color)?;
        let point = point.min(space.n_events);
        let all = self.alive(module, query, space, point);
        Some(self.buffers_alive(module, query, space, point, all))
    }

    /// Returns the peak of a memory without some buffers, given by [`Buffer::id`], and the curve over `points` without
    /// them. `None` if the program has nothing in this memory.
    pub fn peak_without(
        &self,
        module: &Module,
        query: &MemoryQuery,
        without: &[BufferId],
        points: Points,
    ) -> Option<WhatIf> {
        let space = self.space(query.color)?;
        let gone: IndexSet<u32> = without.iter().map(|id| id.0).collect();
        let n = self.buffers.all.len() as u32;
        let indefinite = self.buffers.of_color(space.color).filter(|(_, a)| a.is_indefinite());
        let gone_below =
            indefinite.filter(|(i, _)| gone.contains(&(n + i))).fold(0, |sum: u64, (_, a)| sum.saturating_add(a.size));
        let mut taken: IndexSet<u32> = IndexSet::default();
        for range in space.live_ranges.iter().filter(|range| gone.contains(&range.slot)) {
            taken.insert(range.slot);
        }
        let gone_above = taken.iter().fold(0, |sum: u64, slot| sum.saturating_add(self.size(*slot)));
        let below = space.peak.indefinite.saturating_sub(gone_below);
        let size = |slot| if gone.contains(&slot) { 0 } else { self.size(slot) };
        let all = curve(&space.live_ranges, (space.n_events, space.color), below, &self.buffers, size);
        let (peak, position) = peak_of_curve(&all);
        let instruction =
            position.and_then(|position| Some(module.instruction(space.instruction(position + 1)?)?.name.to_string()));
        let without = gone_below.saturating_add(gone_above);
        let curve = columns(points, all.len() as u32, query.columns)
            .filter_map(|(from, to)| {
                let points = &all[from as usize..to as usize];
                Some(WhatIfColumn { first: from, least: *points.iter().min()?, most: *points.iter().max()? })
            })
            .collect();
        Some(WhatIf { before: space.peak.peak, peak, position, instruction, without, curve })
    }

    /// Returns the notes on the figures of a memory.
    pub(super) fn notes(&self, space: &Space) -> Vec<Note> {
        let mut notes = Vec::new();
        let mut note = |severity, code, message: String| notes.push(Note::new(severity, code, message));
        if space.basis == Basis::LiveRanges {
            let message = "HLO text has no buffer assignment, so memory is estimated from live ranges: from the schedule, from loops and aliased \
                           outputs that share memory, and from updates in place. The compiler may share more memory, and needs \
                           more for alignment. A proto from --xla_dump_hlo_as_proto gives exact values.";
            note(Severity::Caution, NoteCode::LiveRanges, message.to_owned());
        }
        if space.basis == Basis::Schedule {
            let message = "The program has no heap trace for this memory. Live ranges come from the schedule of the entry computation, without \
                           the bodies of loops, so the real peak may be higher.";
            note(Severity::Caution, NoteCode::NoHeapTrace, message.to_owned());
        }
        if space.basis == Basis::Constant
            && self.buffers.of_color(space.color).any(|(_, a)| a.is_temporary() && a.size > 0)
        {
            let message = "The program has neither a heap trace nor a schedule. Only buffers that live for the whole program are counted, so \
                           the real peak is higher.";
            note(Severity::Caution, NoteCode::NoSchedule, message.to_owned());
        }
        if space.overlaps {
            let message = "The compiler reuses addresses of this memory before the heap trace frees the earlier buffer. Each address counts once, \
                           for the latest buffer. The sum of all sizes would exceed the memory.";
            note(Severity::Info, NoteCode::AddressesShared, message.to_owned());
        }
        if space.other_traces > 0 {
            let message = format!(
                "This memory has {} more heap traces. The curve follows the trace with the most events, so the real peak may be higher.",
                space.other_traces
            );
            note(Severity::Caution, NoteCode::SeveralHeapTraces, message);
        }
        if space.invalid_events > 0 {
            let message = format!(
                "{} events of the heap trace are ignored, because they refer to a missing buffer, or free or allocate a buffer \
                 twice.",
                space.invalid_events
            );
            note(Severity::Partial, NoteCode::HeapTraceDamaged, message);
        }
        if self.colors_left_out > 0 {
            let message =
                format!("{} more memory spaces are left out: no real program has so many.", self.colors_left_out);
            note(Severity::Partial, NoteCode::MemoriesLeftOut, message);
        }
        if self.buffers.damaged > 0 {
            let message = format!("{} buffers have a negative size, which counts as 0.", self.buffers.damaged);
            note(Severity::Partial, NoteCode::SizesDamaged, message);
        }
        notes
    }

    pub(super) fn space(&self, color: i64) -> Option<&Space> {
        self.spaces.iter().find(|space| space.color == color)
    }

    pub(super) fn size(&self, slot: u32) -> u64 {
        self.buffers.all[slot as usize].size
    }

    /// Returns all buffers that are alive at a point, the largest first.
    pub(super) fn alive(&self, module: &Module, query: &MemoryQuery, space: &Space, point: u32) -> Vec<Buffer> {
        let vocabularies = self.vocabularies(query);
        let n = self.buffers.all.len() as u32;
        let indefinite = self.buffers.of_color(space.color).filter(|(_, a)| a.is_indefinite()).map(|(i, a)| {
            let buffer = self.buffer(module, &vocabularies, a.shown, a.category, (0, space.n_events));
            let unpadded = a.shown.and_then(|slot| self.buffers.all[slot as usize].unpadded(module));
            // If several buffers share an allocation, the one that represents it may be smaller than the allocation.
            Buffer { id: BufferId(n + i), size: a.size, unpadded, ..buffer }
        });
        let live_ranges: Vec<LiveRange> = space.alive(point).copied().collect();
        let sizes = self.own_sizes(space, &live_ranges);
        let temporary = live_ranges.iter().zip(sizes).filter(|(range, size)| *size > 0 || self.size(range.slot) == 0);
        let temporary =
            temporary.map(|(range, size)| Buffer { size, ..self.describe_range(module, &vocabularies, *range) });
        let mut all: Vec<Buffer> = indefinite.chain(temporary).collect();
        all.small_sort_by_key(|buffer| (std::cmp::Reverse(buffer.size), buffer.id));
        all
    }

    /// Returns the bytes that count for each live range. Where buffers share addresses, these are the bytes that no
    /// later one has taken.
    pub(super) fn own_sizes(&self, space: &Space, live_ranges: &[LiveRange]) -> Vec<u64> {
        if shares_addresses(space.color) {
            return own_bytes(live_ranges, &self.buffers, |slot| self.size(slot));
        }
        live_ranges.iter().map(|range| self.size(range.slot)).collect()
    }

    pub(super) fn buffers_alive(
        &self,
        module: &Module,
        query: &MemoryQuery,
        space: &Space,
        point: u32,
        mut all: Vec<Buffer>,
    ) -> AliveAt {
        let instruction_id = space.instruction(point);
        let n = all.len();
        let rest =
            all.drain(n.min(query.buffers as usize)..).fold(0, |sum: u64, buffer| sum.saturating_add(buffer.size));
        AliveAt {
            point,
            instruction: instruction_id.and_then(|id| Some(module.instruction(id)?.name.to_string())),
            moment: instruction_id.and_then(|id| self.moment(module, id)),
            size: space.padded[point as usize],
            unpadded: space.unpadded[point as usize],
            n: n as u32,
            buffers: all,
            rest,
        }
    }

    pub(super) fn moment(&self, module: &Module, id: InstructionId) -> Option<Moment> {
        self.schedule.moment(module, id)
    }

    pub(super) fn vocabularies(&self, query: &MemoryQuery) -> Vocabularies {
        self.vocabularies.with_least(query.vocabulary)
    }

    /// Describes a buffer that is allocated and freed while the program runs.
    pub(super) fn describe_range(&self, module: &Module, vocabularies: &Vocabularies, range: LiveRange) -> Buffer {
        let category = self.category(range);
        let buffer = self.buffer(module, vocabularies, Some(range.holder), category, (range.first, range.last));
        Buffer { id: BufferId(range.slot), size: self.size(range.slot), ..buffer }
    }

    /// Returns the category of the buffer of a live range.
    pub(super) fn category(&self, range: LiveRange) -> Category {
        self.buffers.allocation(range.holder).map_or(Category::Temporary, |a| a.category)
    }

    /// Returns the class of a buffer. `slot` is `None` if only its category is known.
    pub(super) fn class_of_slot(
        &self,
        module: &Module,
        vocabularies: &Vocabularies,
        slot: Option<u32>,
        category: Category,
    ) -> MemoryClass {
        let logical = slot.and_then(|slot| self.buffers.all.get(slot as usize));
        let id = logical.and_then(|logical| logical.instruction(module));
        let instruction = id.and_then(|id| module.instruction(id));
        let shape = logical.and_then(|logical| logical.shape(module));
        let (opcode, op_name) = instruction.map_or(("", ""), |i| (&*i.opcode, i.op_name()));
        let by_use = id.and_then(|id| self.train_state.class(id));
        class(&Facts { category, opcode, op_name, shape, by_use }, vocabularies)
    }

    fn buffer(
        &self,
        module: &Module,
        vocabularies: &Vocabularies,
        slot: Option<u32>,
        category: Category,
        (first, last): (u32, u32),
    ) -> Buffer {
        let logical = slot.and_then(|slot| self.buffers.all.get(slot as usize));
        let id = logical.and_then(|logical| logical.instruction(module));
        let instruction = id.and_then(|id| module.instruction(id));
        let shape = logical.and_then(|logical| logical.shape(module));
        let (opcode, op_name) = instruction.map_or(("", ""), |i| (&*i.opcode, i.op_name()));
        let source = id.and_then(|id| module.stack(id).first().map(|frame| format!("{}:{}", frame.file, frame.line)));
        Buffer {
            id: BufferId(slot.unwrap_or_default()),
            size: logical.map_or(0, |logical| logical.size),
            unpadded: logical.and_then(|logical| logical.unpadded(module)),
            shape: shape.map_or(String::new(), ToString::to_string),
            dtype: shape.and_then(|shape| Some(shape.as_array()?.dtype.to_string())),
            instruction: logical.map_or(String::new(), |logical| logical.name(module)),
            opcode: opcode.to_owned(),
            op_name: op_name.to_owned(),
            source,
            category,
            class: self.class_of_slot(module, vocabularies, slot, category),
            first,
            last,
        }
    }
}
