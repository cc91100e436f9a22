//! This module writes estimated buffers and live ranges as the message in which the compiler describes its own.

use super::estimate::LiveRanges;
use indexmap::IndexMap;
use xla_profile::small_sort::SmallSort;
use xla_profile::wire::proto::hlo::buffer_allocation_proto::Assigned;
use xla_profile::wire::proto::hlo::heap_simulator_trace::Event;
use xla_profile::wire::proto::hlo::heap_simulator_trace::event::Kind;
use xla_profile::wire::proto::hlo::logical_buffer_proto::Location;
use xla_profile::wire::proto::hlo::{
    BufferAllocationProto, BufferAssignmentProto, HeapSimulatorTrace, LogicalBufferProto,
};

impl LiveRanges<'_> {
    /// Converts the result to the message that the compiler writes.
    pub(super) fn into_assignment(mut self) -> BufferAssignmentProto {
        let memory: Vec<u32> = (0..self.made.len() as u32).map(|buffer| self.memory(buffer)).collect();
        let mut assignment = BufferAssignmentProto::default();
        let mut places: IndexMap<u32, usize> = IndexMap::default();
        let mut temporaries: IndexMap<i64, BufferAllocationProto> = IndexMap::default();
        let mut events: IndexMap<i64, Vec<(u32, Kind, u32)>> = IndexMap::default();
        for (i, made) in (0_u32..).zip(&self.made) {
            let name = self
                .module
                .instruction(made.instruction)
                .map_or(String::new(), |instruction| instruction.name.to_string());
            let size = i64::try_from(made.size).unwrap_or(i64::MAX);
            let defined_at =
                Some(Location { instruction_name: name, shape_index: made.index.clone(), instruction_id: -1 });
            assignment.logical_buffers.push(LogicalBufferProto { id: i.into(), size, defined_at, color: made.color });
            let assigned = Assigned { logical_buffer_id: i.into(), offset: 0, size };
            if memory[i as usize] != i {
                // A buffer that updates a parameter belongs to the allocation of that parameter.
                if let Some(place) = places.get(&memory[i as usize]) {
                    assignment.buffer_allocations[*place].assigned.push(assigned);
                }
                continue;
            }
            if made.is_parameter || made.is_constant || made.is_output {
                places.entry(i).or_insert(assignment.buffer_allocations.len());
                assignment.buffer_allocations.push(BufferAllocationProto {
                    size,
                    color: made.color,
                    is_entry_computation_parameter: made.is_parameter,
                    is_constant: made.is_constant,
                    maybe_live_out: made.is_output,
                    assigned: vec![assigned],
                    ..BufferAllocationProto::default()
                });
                continue;
            }
            let heap = temporaries
                .entry(made.color)
                .or_insert_with(|| BufferAllocationProto { color: made.color, ..BufferAllocationProto::default() });
            // The addresses of temporaries are unknown, so each temporary has an offset of its own.
            heap.assigned.push(Assigned { offset: heap.size, ..assigned });
            heap.size = heap.size.saturating_add(size);
            let events = events.entry(made.color).or_default();
            events.push((made.first, Kind::Alloc, i));
            events.push((made.last, Kind::Free, i));
        }
        assignment.buffer_allocations.extend(temporaries.into_iter().map(|(_, heap)| heap));
        for (_, mut events) in events {
            // The results of an instruction are allocated before its operands are freed.
            events.small_sort_by_key(|(place, kind, buffer)| (*place, *kind == Kind::Free, *buffer));
            let event = |(place, kind, buffer): (u32, Kind, u32)| Event {
                kind: kind.into(),
                buffer_id: buffer.into(),
                instruction_name: self
                    .order
                    .get(place as usize)
                    .and_then(|id| self.module.instruction(*id))
                    .map_or(String::new(), |instruction| instruction.name.to_string()),
                ..Event::default()
            };
            let events = events.into_iter().map(event).collect();
            assignment.heap_simulator_traces.push(HeapSimulatorTrace { events, ..HeapSimulatorTrace::default() });
        }
        assignment
    }
}
