//! This module reads a buffer assignment into tables of buffers and allocations. It does not depend on time.

use super::categories::Category;
use indexmap::map::Entry;
use indexmap::{IndexMap, IndexSet};
use xla_profile::hlo::{InstructionId, Module, Shape};
use xla_profile::small_sort::SmallSort;
use xla_profile::wire::proto::hlo::{BufferAllocationProto, BufferAssignmentProto, LogicalBufferProto};

/// Bytes of an entry in the table of pointers that represents a tuple in memory.
const POINTER: u64 = 8;

/// Maximum number of memories in a report. Real programs have a dozen. Each memory has its own curves, so a damaged
/// file with as many colours as events would take their product.
const MAX_COLORS: usize = 64;

/// The buffers and the allocations of a program.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    /// In the order of the file.
    pub(super) all: Vec<LogicalBuffer>,
    /// In the order of the file.
    pub(super) allocations: Vec<Allocation>,
    index_by_id: IndexMap<i64, u32>,
    /// Number of negative sizes, which no compiler writes. They count as 0.
    pub(super) damaged: u32,
}

/// The result of an instruction, or a part of it.
#[derive(Debug)]
pub(super) struct LogicalBuffer {
    /// Bytes with padding.
    pub(super) size: u64,
    pub(super) color: i64,
    /// Place of the buffer in an allocation. `None` if the buffer has no allocation.
    pub(super) allocation: Option<Assigned>,
    /// The instruction that defines the buffer: newer files give its id, older files its name.
    instruction: i64,
    name: Box<str>,
    /// Shape index of the buffer in the result of that instruction.
    index: Box<[i64]>,
}

/// The place of a buffer in an allocation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Assigned {
    /// Index in [`Buffers::allocations`].
    pub(super) allocation: u32,
    /// Offset of the buffer in the allocation, in bytes.
    pub(super) offset: i64,
}

/// A piece of memory that the compiler requests.
#[derive(Debug)]
pub(super) struct Allocation {
    /// Bytes.
    pub(super) size: u64,
    pub(super) color: i64,
    pub(super) category: Category,
    /// Whether only one thread of a called computation uses the allocation. It is left out of all sums here, because it
    /// counts where that computation runs.
    pub(super) is_thread_local: bool,
    /// Whether the allocation may outlive the program.
    pub(super) is_live_out: bool,
    pub(super) is_constant: bool,
    /// Index of the buffer that represents the allocation in lists. `None` if the allocation has no buffer.
    pub(super) shown: Option<u32>,
    /// Start address if the allocations of a memory lie one behind the other.
    start: u64,
}

impl Allocation {
    fn new(proto: &BufferAllocationProto, size: u64) -> Self {
        Self {
            size,
            color: proto.color,
            category: if proto.is_entry_computation_parameter {
                Category::Parameter
            } else if proto.maybe_live_out {
                Category::Output
            } else if proto.is_constant {
                Category::Constant
            } else {
                Category::Temporary
            },
            is_thread_local: proto.is_thread_local,
            is_live_out: proto.maybe_live_out,
            is_constant: proto.is_constant,
            shown: None,
            start: 0,
        }
    }

    /// Returns whether the allocation is alive from before the program until after it.
    pub(super) fn is_indefinite(&self) -> bool {
        !self.is_thread_local && self.category != Category::Temporary
    }

    /// Returns whether the allocation is taken and freed while the program runs.
    pub(super) fn is_temporary(&self) -> bool {
        !self.is_thread_local && self.category == Category::Temporary
    }
}

impl Buffers {
    pub(super) fn new(proto: &BufferAssignmentProto) -> Self {
        let mut buffers = Self::default();
        for LogicalBufferProto { id, size, defined_at, color } in &proto.logical_buffers {
            let location = defined_at.as_ref();
            let logical = LogicalBuffer {
                size: buffers.size(*size),
                color: *color,
                allocation: None,
                instruction: location.map_or(-1, |location| location.instruction_id),
                name: location.map_or("", |location| &location.instruction_name).into(),
                index: location.map_or(&[][..], |location| &location.shape_index).into(),
            };
            if let Entry::Vacant(place) = buffers.index_by_id.entry(*id) {
                place.insert(buffers.all.len() as u32);
                buffers.all.push(logical);
            }
        }
        let mut ends: IndexMap<i64, u64> = IndexMap::default();
        for (place, allocation) in proto.buffer_allocations.iter().enumerate() {
            let size = buffers.size(allocation.size);
            let mut entry = Allocation::new(allocation, size);
            let end = ends.entry(allocation.color).or_default();
            entry.start = *end;
            *end = end.saturating_add(size);
            for assigned in &allocation.assigned {
                let Some(slot) = buffers.index(assigned.logical_buffer_id) else { continue };
                buffers.all[slot as usize].allocation =
                    Some(Assigned { allocation: place as u32, offset: assigned.offset });
                // The first buffer that fills the allocation represents it. The buffer of a parameter comes before that
                // of its update in place.
                let fills = |slot: u32| buffers.all[slot as usize].size == size;
                if entry.shown.is_none_or(|shown| fills(slot) && !fills(shown)) {
                    entry.shown = Some(slot);
                }
            }
            buffers.allocations.push(entry);
        }
        buffers
    }

    fn size(&mut self, wire: i64) -> u64 {
        self.damaged += u32::from(wire < 0);
        u64::try_from(wire).unwrap_or_default()
    }

    /// Returns the index of the buffer with the file's `id`.
    pub(super) fn index(&self, id: i64) -> Option<u32> {
        self.index_by_id.get(&id).copied()
    }

    /// Returns the allocation of a buffer.
    pub(super) fn allocation(&self, slot: u32) -> Option<&Allocation> {
        let assigned = self.all.get(slot as usize)?.allocation?;
        self.allocations.get(assigned.allocation as usize)
    }

    /// Returns the start and the end address of the first `size` bytes of a buffer, cut at the end of its allocation.
    /// Empty for a buffer without an allocation.
    pub(super) fn addresses(&self, slot: u32, size: u64) -> (u64, u64) {
        let assigned = self.all.get(slot as usize).and_then(|buffer| buffer.allocation);
        let Some((assigned, allocation)) =
            assigned.and_then(|assigned| Some((assigned, self.allocations.get(assigned.allocation as usize)?)))
        else {
            return (0, 0);
        };
        let offset = u64::try_from(assigned.offset).unwrap_or_default().min(allocation.size);
        let end = offset.saturating_add(size).min(allocation.size);
        (allocation.start.saturating_add(offset), allocation.start.saturating_add(end))
    }

    /// Iterates over the allocations of a memory, with their indices. Thread-local allocations are left out.
    pub(super) fn of_color(&self, color: i64) -> impl Iterator<Item = (u32, &Allocation)> {
        let own = move |(_, a): &(usize, &Allocation)| a.color == color && !a.is_thread_local;
        self.allocations.iter().enumerate().filter(own).map(|(i, a)| (i as u32, a))
    }

    /// Returns the colours of the memories that the program uses, in order, and the number of memories beyond
    /// [`MAX_COLORS`].
    pub(super) fn colors(&self) -> (Vec<i64>, usize) {
        let mut seen: IndexSet<i64> = IndexSet::default();
        for allocation in self.allocations.iter().filter(|a| !a.is_thread_local) {
            seen.insert(allocation.color);
        }
        let mut colors: Vec<i64> = seen.into_iter().collect();
        colors.small_sort_by_key(|color| *color);
        let more = colors.len().saturating_sub(MAX_COLORS);
        colors.truncate(MAX_COLORS);
        (colors, more)
    }
}

impl LogicalBuffer {
    /// Returns the instruction that defines the buffer.
    pub(super) fn instruction(&self, module: &Module) -> Option<InstructionId> {
        module.instruction_of_proto(self.instruction).or_else(|| module.instruction_named(&self.name))
    }

    /// Returns the shape of the buffer: for a part of a tuple, the shape of that part.
    pub(super) fn shape<'m>(&self, module: &'m Module) -> Option<&'m Shape> {
        module.instruction(self.instruction(module)?)?.shape.subshape(&self.index)
    }

    /// Returns the bytes of the elements, or the bytes of the pointer table for a tuple, because the parts of a tuple
    /// are buffers of their own. `None` if the shape is unknown or opaque.
    pub(super) fn unpadded(&self, module: &Module) -> Option<u64> {
        match self.shape(module)? {
            Shape::Tuple(parts) => (parts.len() as u64).checked_mul(POINTER),
            Shape::Token => Some(0),
            shape @ (Shape::Array(_) | Shape::Buffer(_)) => shape.bytes(),
            Shape::Opaque | Shape::Other(_) => None,
        }
    }

    /// Returns the name of the defining instruction, with the shape index of a part, such as `fusion.12{0}`.
    pub(super) fn name(&self, module: &Module) -> String {
        let name = self.instruction(module).and_then(|id| module.instruction(id)).map_or(&*self.name, |i| &i.name);
        if self.index.is_empty() {
            return name.to_owned();
        }
        let index: Vec<String> = self.index.iter().map(i64::to_string).collect();
        format!("{name}{{{}}}", index.join(","))
    }
}
