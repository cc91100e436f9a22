//! This module computes the HBM that a program needs from its buffer assignment: its peak, its parameters and its
//! scratch memory.
//!
//! The peak is computed as in xprof's memory viewer: the heap simulator trace is replayed (a shared buffer is free when
//! its last user is), and the memory that is alive all the time is added.

use std::collections::HashMap;
use xla_profile::wire::proto::hlo::heap_simulator_trace::event::Kind;
use xla_profile::wire::proto::hlo::{BufferAllocationProto, BufferAssignmentProto, HloProto};

/// The memory of a program, in bytes of HBM.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Memory {
    /// Largest number of bytes that are alive at once.
    pub peak: u64,
    /// Parameters of the step: the weights and the optimizer's state, which are updated in place, and the batch.
    pub parameters: u64,
    /// Scratch memory that the program takes while it is loaded.
    pub arena: u64,
}

/// Returns the memory of a program in HBM, which has colour 0. `None` without a buffer assignment.
pub fn memory(program: &HloProto) -> Option<Memory> {
    let assignment = program.buffer_assignment.as_ref()?;
    let colour = |allocation: &&BufferAllocationProto| allocation.color == 0 && !allocation.is_thread_local;
    let hbm = || assignment.buffer_allocations.iter().filter(colour);
    let sum = |is_wanted: &dyn Fn(&BufferAllocationProto) -> bool| {
        hbm().filter(|a| is_wanted(a)).map(|a| a.size.unsigned_abs()).sum()
    };
    let always = |a: &BufferAllocationProto| a.is_entry_computation_parameter || a.is_constant || a.maybe_live_out;
    let indefinite: u64 = sum(&always);
    Some(Memory {
        peak: indefinite + heap_peak(assignment),
        parameters: sum(&|a| a.is_entry_computation_parameter),
        arena: sum(&|a| !always(a)),
    })
}

/// Returns the largest number of bytes that the heap of colour 0 holds at once.
fn heap_peak(assignment: &BufferAssignmentProto) -> u64 {
    let size: HashMap<i64, (u64, i64)> =
        assignment.logical_buffers.iter().map(|b| (b.id, (b.size.unsigned_abs(), b.color))).collect();
    let of_hbm = assignment.heap_simulator_traces.iter().filter(|trace| {
        trace.events.first().is_some_and(|event| size.get(&event.buffer_id).is_some_and(|(_, colour)| *colour == 0))
    });
    let Some(trace) = of_hbm.max_by_key(|trace| trace.events.len()) else { return 0 };
    // The number of users of each buffer's memory, and the buffer that owns the memory of each buffer.
    let (mut users, mut memory) = (HashMap::<i64, i64>::new(), HashMap::<i64, i64>::new());
    let (mut live, mut peak) = (0, 0);
    for event in &trace.events {
        let id = event.buffer_id;
        let bytes = |id: i64| size.get(&id).map_or(0, |(bytes, _)| *bytes);
        match event.kind() {
            Kind::Alloc => {
                memory.insert(id, id);
                users.insert(id, 1);
                live += bytes(id);
            }
            Kind::ShareWith => {
                let shared =
                    memory.get(&event.share_with_canonical_id).copied().unwrap_or(event.share_with_canonical_id);
                memory.insert(id, shared);
                let users = users.entry(shared).or_default();
                if *users == 0 {
                    live += bytes(shared);
                }
                *users += 1;
            }
            Kind::Free => {
                let own = memory.get(&id).copied().unwrap_or(id);
                let users = users.entry(own).or_default();
                *users -= 1;
                if *users == 0 {
                    live -= bytes(own);
                }
            }
        }
        peak = peak.max(live);
    }
    peak
}
