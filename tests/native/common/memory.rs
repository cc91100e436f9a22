//! This module builds a program whose memory is small enough to count by hand.

use xla_profile::wire::proto::hlo::buffer_allocation_proto::Assigned;
use xla_profile::wire::proto::hlo::heap_simulator_trace::Event;
use xla_profile::wire::proto::hlo::heap_simulator_trace::event::Kind;
use xla_profile::wire::proto::hlo::hlo_schedule_proto::InstructionSequence;
use xla_profile::wire::proto::hlo::logical_buffer_proto::Location;
use xla_profile::wire::proto::hlo::{
    BufferAllocationProto, BufferAssignmentProto, HeapSimulatorTrace, HloComputationProto, HloInstructionProto,
    HloModuleProto, HloProto, HloScheduleProto, LayoutProto, LogicalBufferProto, OpMetadata, ShapeProto, TileProto,
};

pub fn shape(dims: &[i64]) -> ShapeProto {
    let layout = LayoutProto {
        minor_to_major: (0..dims.len() as i64).rev().collect(),
        tiles: vec![TileProto { dimensions: vec![8, 128] }],
        ..LayoutProto::default()
    };
    // 11 is f32.
    ShapeProto { element_type: 11, dimensions: dims.to_vec(), layout: Some(Box::new(layout)), ..ShapeProto::default() }
}

fn instruction(
    id: i64,
    name: &str,
    opcode: &str,
    op_name: &str,
    dims: &[i64],
    operands: &[i64],
) -> HloInstructionProto {
    HloInstructionProto {
        id,
        name: name.to_owned(),
        opcode: opcode.to_owned(),
        shape: Some(shape(dims)),
        operand_ids: operands.to_vec(),
        metadata: Some(Box::new(OpMetadata { op_name: op_name.to_owned(), ..OpMetadata::default() })),
        ..HloInstructionProto::default()
    }
}

pub fn buffer(id: i64, instruction: i64, size: i64) -> LogicalBufferProto {
    let location = Location { instruction_id: instruction, ..Location::default() };
    LogicalBufferProto { id, size, defined_at: Some(location), color: 0 }
}

pub fn assigned(ids: &[i64]) -> Vec<Assigned> {
    ids.iter().map(|id| Assigned { logical_buffer_id: *id, ..Assigned::default() }).collect()
}

pub fn event(kind: Kind, buffer: i64, with: i64, instruction: &str) -> Event {
    Event {
        kind: kind.into(),
        buffer_id: buffer,
        share_with_canonical_id: with,
        instruction_name: instruction.to_owned(),
        ..Event::default()
    }
}

/// Returns a program with two weights as inputs, one of which is also an output. The logits have a vocabulary of 512,
/// which is also a dimension of the embedding.
///
/// ```text
/// event           0 +act      1 +logits   2 -act      3 softmax = act again   4 -logits   5 -softmax
/// heap      0     4,096       36,864      32,768      36,864                  4,096       0
/// ```
///
/// 16,384 + 4,096 bytes are alive all the time, so the peak is 57,344 bytes after event 1, and again after event 3.
pub fn tiny() -> HloProto {
    let instructions = vec![
        HloInstructionProto {
            parameter_number: 0,
            ..instruction(1, "emb", "parameter", "params['embed']", &[8, 512], &[])
        },
        HloInstructionProto {
            parameter_number: 1,
            ..instruction(2, "m", "parameter", "opt_state[0].mu['w']", &[3, 5], &[])
        },
        instruction(3, "act", "fusion", "jit(f)/jvp(M)/mlp/dot", &[8, 100], &[1, 2]),
        instruction(4, "logits", "fusion", "jit(f)/jvp(M)/logits/dot", &[16, 512], &[3, 1]),
        instruction(5, "softmax", "fusion", "jit(f)/transpose(jvp(M))/mlp/mul", &[8, 128], &[4]),
        instruction(6, "new_m", "fusion", "jit(f)/adam/mul", &[3, 5], &[5, 2]),
    ];
    let module = HloModuleProto {
        name: "jit_f".to_owned(),
        computations: vec![HloComputationProto {
            name: "main".to_owned(),
            id: 1,
            root_id: 6,
            instructions,
            ..HloComputationProto::default()
        }],
        entry_computation_id: 1,
        entry_computation_name: "main".to_owned(),
        schedule: Some(HloScheduleProto {
            sequences: [(1, InstructionSequence { instruction_ids: vec![1, 2, 3, 4, 5, 6] })].into(),
        }),
        ..HloModuleProto::default()
    };
    let allocation = |index, size, ids: &[i64]| BufferAllocationProto {
        index,
        size,
        assigned: assigned(ids),
        ..BufferAllocationProto::default()
    };
    let events = vec![
        event(Kind::Alloc, 3, 0, "act"),
        event(Kind::Alloc, 4, 0, "logits"),
        event(Kind::Free, 3, 0, "logits"),
        event(Kind::ShareWith, 5, 3, "softmax"),
        event(Kind::Free, 4, 0, "softmax"),
        event(Kind::Free, 5, 0, "new_m"),
    ];
    let buffers = [(1, 16_384), (2, 4096), (3, 4096), (4, 32_768), (5, 4096), (6, 4096)];
    let assignment = BufferAssignmentProto {
        logical_buffers: buffers.iter().map(|(id, size)| buffer(*id, *id, *size)).collect(),
        buffer_allocations: vec![
            BufferAllocationProto { is_entry_computation_parameter: true, ..allocation(0, 16_384, &[1]) },
            BufferAllocationProto {
                is_entry_computation_parameter: true,
                maybe_live_out: true,
                ..allocation(1, 4096, &[2, 6])
            },
            BufferAllocationProto { is_thread_local: true, ..allocation(2, 1 << 20, &[]) },
            allocation(3, 40_960, &[3, 4, 5]),
        ],
        heap_simulator_traces: vec![HeapSimulatorTrace { events, ..HeapSimulatorTrace::default() }],
        ..BufferAssignmentProto::default()
    };
    HloProto { hlo_module: Some(module), buffer_assignment: Some(assignment) }
}
