//! This module reads a [`Module`] from a proto. The attributes are those of the module's text, in the same order.

use super::ids::Texts;
use super::proto_attributes::Names;
use super::{
    Computation, ComputationId, Frame, Frames, Instruction, InstructionId, Location, Module, Operand, proto_attributes,
    proto_shape, sharding,
};
use crate::wire::proto::hlo as proto;
use std::collections::HashMap;

impl Module {
    /// Reads the module of a proto. References to missing instructions and computations are counted in
    /// [`Module::damage`]. A proto without a module gives an empty module.
    pub fn from_proto(program: &proto::HloProto) -> Self {
        match &program.hlo_module {
            Some(module) => read(module),
            None => Self::default(),
        }
    }
}

fn read(from: &proto::HloModuleProto) -> Module {
    let mut texts = Texts::default();
    let mut module = Module {
        name: texts.get(&from.name),
        id: Some(from.id.cast_unsigned()),
        assigned: from.device_assignment.as_ref().and_then(|assignment| {
            Some((u64::try_from(assignment.replica_count).ok()?, u64::try_from(assignment.computation_count).ok()?))
        }),
        parameter_tiles: from.spmd_parameters_shardings.iter().map(sharding::tiles).collect(),
        frames: from.stack_frame_index.as_ref().map(|f| frames(f, &mut texts)).unwrap_or_default(),
        ..Module::default()
    };
    let computations = from.computations.iter().enumerate();
    let names =
        Names { computations: computations.map(|(i, c)| (c.id, (ComputationId::new(i), c.name.as_str()))).collect() };
    for computation in &from.computations {
        let start = module.instructions.len();
        let places: HashMap<i64, (usize, &str)> =
            computation.instructions.iter().enumerate().map(|(i, n)| (n.id, (i, n.name.as_str()))).collect();
        let operand = |id: &i64, texts: &mut Texts| match places.get(id) {
            Some((i, name)) => {
                Operand { name: texts.get(name), shape: None, id: Some(InstructionId::new(start.saturating_add(*i))) }
            }
            None => Operand { name: texts.get(&id.to_string()), shape: None, id: None },
        };
        for instruction in &computation.instructions {
            let before: Vec<Operand> =
                instruction.control_predecessor_ids.iter().map(|id| operand(id, &mut texts)).collect();
            module.instructions.push(Instruction {
                name: texts.get(&instruction.name),
                opcode: texts.get(&instruction.opcode),
                shape: proto_shape::read(instruction.shape.as_ref()),
                operands: instruction.operand_ids.iter().map(|id| operand(id, &mut texts)).collect(),
                argument: proto_attributes::argument(instruction),
                attributes: proto_attributes::read(instruction, before, &names, &mut texts),
                is_root: instruction.id == computation.root_id,
                computation: None,
                proto_id: Some(instruction.id),
            });
        }
        let place = |id: i64| places.get(&id).map(|(i, _)| InstructionId::new(start.saturating_add(*i)));
        let sequence = from.schedule.as_ref().and_then(|s| s.sequences.get(&computation.id));
        let thread = Some(computation.execution_thread.as_str()).filter(|t| !t.is_empty() && *t != "main");
        let is_entry = computation.id == from.entry_computation_id
            || (from.entry_computation_id == 0 && computation.name == from.entry_computation_name);
        let read = Computation {
            name: texts.get(&computation.name),
            proto_id: Some(computation.id),
            root: place(computation.root_id),
            is_fusion: computation.is_fusion_computation,
            thread: thread.map(|t| texts.get(t)),
            schedule: sequence.map(|s| s.instruction_ids.iter().filter_map(|id| place(*id)).collect()),
            ..Computation::default()
        };
        module.push_computation(start, read, is_entry);
    }
    if from.schedule.is_some() {
        module.attributes.push(proto_attributes::text("is_scheduled", "true", &mut texts));
    }
    module.link()
}

fn frames(from: &proto::StackFrameIndexProto, texts: &mut Texts) -> Frames {
    let n = |n: i32| u32::try_from(n).unwrap_or(0);
    Frames {
        files: from.file_names.iter().map(|t| texts.get(t)).collect(),
        functions: from.function_names.iter().map(|t| texts.get(t)).collect(),
        locations: from
            .file_locations
            .iter()
            .map(|l| Location {
                file: n(l.file_name_id),
                function: n(l.function_name_id),
                line: n(l.line),
                end_line: n(l.end_line),
                column: n(l.column),
                end_column: n(l.end_column),
            })
            .collect(),
        frames: from
            .stack_frames
            .iter()
            .map(|f| Frame { location: n(f.file_location_id), parent: n(f.parent_frame_id) })
            .collect(),
    }
}
