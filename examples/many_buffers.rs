//! This example writes a compiled program of any size, to measure the memory view with:
//! `many_buffers OUT [--instructions N]`.
//!
//! The program repeats the sample's train step. Each copy has its own computations, instructions and buffers, with
//! their own names and ids, and the events of its heap simulator follow those of the copy before. The computation makes
//! no sense, but the file has the shape of a real one.

use flate2::read::GzDecoder;
use prost::Message;
use std::error::Error;
use std::io::Read;
use std::path::Path;
use xla_profile::wire::proto::hlo::{HloComputationProto, HloProto, HloScheduleProto, LogicalBufferProto};

/// Number of instructions in the largest programs that users have: 6 MB of proto.
const INSTRUCTIONS: usize = 37_000;
const USAGE: &str = "usage: many_buffers OUT [--instructions N]";

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let out = args.next().ok_or(USAGE)?;
    let wanted = match (args.next().as_deref(), args.next()) {
        (None, _) => INSTRUCTIONS,
        (Some("--instructions"), Some(n)) => n.parse()?,
        _ => return Err(USAGE.into()),
    };
    let one = sample()?;
    let count = |program: &HloProto| {
        program.hlo_module.iter().flat_map(|module| &module.computations).map(|c| c.instructions.len()).sum::<usize>()
    };
    let mut program = one.clone();
    for copy in 1.. {
        if count(&program) >= wanted {
            break;
        }
        add(&mut program, &one, copy);
    }
    let bytes = program.encode_to_vec();
    std::fs::write(&out, &bytes)?;
    println!("{out}: {} instructions, {} bytes", count(&program), bytes.len());
    Ok(())
}

fn sample() -> Result<HloProto, Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/train_step.hlo_proto.pb.gz");
    let mut bytes = Vec::new();
    GzDecoder::new(std::fs::File::open(path)?).read_to_end(&mut bytes)?;
    Ok(HloProto::decode(&*bytes)?)
}

/// Adds all of `one` to `program` once more. `copy` is the number of the copy, which changes all names and ids.
fn add(program: &mut HloProto, one: &HloProto, copy: i64) {
    let id = |id: i64| id + (copy << 44);
    let name = |name: &str| format!("{name}.c{copy}");
    if let (Some(to), Some(from)) = (&mut program.hlo_module, &one.hlo_module) {
        let computation = |computation: &HloComputationProto| {
            let mut copy = computation.clone();
            (copy.name, copy.id, copy.root_id) = (name(&copy.name), id(copy.id), id(copy.root_id));
            for instruction in &mut copy.instructions {
                (instruction.name, instruction.id) = (name(&instruction.name), id(instruction.id));
                let ids = [
                    &mut instruction.operand_ids,
                    &mut instruction.called_computation_ids,
                    &mut instruction.control_predecessor_ids,
                ];
                ids.into_iter().flatten().for_each(|other| *other = id(*other));
            }
            copy
        };
        to.computations.extend(from.computations.iter().map(computation));
        if let (Some(to), Some(HloScheduleProto { sequences })) = (&mut to.schedule, &from.schedule) {
            for (key, sequence) in sequences {
                let mut sequence = sequence.clone();
                sequence.instruction_ids.iter_mut().for_each(|other| *other = id(*other));
                to.sequences.insert(id(*key), sequence);
            }
        }
    }
    let (Some(to), Some(from)) = (&mut program.buffer_assignment, &one.buffer_assignment) else { return };
    let buffer = |buffer: &LogicalBufferProto| {
        let mut copy = buffer.clone();
        copy.id = id(copy.id);
        if let Some(location) = &mut copy.defined_at {
            location.instruction_name =
                if location.instruction_name.is_empty() { String::new() } else { name(&location.instruction_name) };
            location.instruction_id = if location.instruction_id == 0 { 0 } else { id(location.instruction_id) };
        }
        copy
    };
    to.logical_buffers.extend(from.logical_buffers.iter().map(buffer));
    for (to, from) in to.buffer_allocations.iter_mut().zip(&from.buffer_allocations) {
        let mut assigned = from.assigned.clone();
        assigned.iter_mut().for_each(|assigned| assigned.logical_buffer_id = id(assigned.logical_buffer_id));
        to.assigned.extend(assigned);
    }
    for (to, from) in to.heap_simulator_traces.iter_mut().zip(&from.heap_simulator_traces) {
        let mut events = from.events.clone();
        for event in &mut events {
            (event.buffer_id, event.share_with_canonical_id) = (id(event.buffer_id), id(event.share_with_canonical_id));
            (event.instruction_name, event.computation_name) =
                (name(&event.instruction_name), name(&event.computation_name));
        }
        to.events.extend(events);
    }
}
