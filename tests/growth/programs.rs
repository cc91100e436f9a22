//! This module makes programs whose lists grow: their instructions, computations, tuples and buffers, the programs of a
//! capture, and the kernels of CUDA graphs, which name programs.

use crate::Files;
use crate::lists::{capture, device};
use crate::make::{Plane, int, text};
use prost::Message;
use std::fmt::Write;
use xla_profile::wire::proto::hlo::hlo_schedule_proto::InstructionSequence;
use xla_profile::wire::proto::hlo::logical_buffer_proto::Location;
use xla_profile::wire::proto::hlo::{
    BufferAllocationProto, BufferAssignmentProto, HloComputationProto, HloInstructionProto, HloModuleProto, HloProto,
    HloScheduleProto, LogicalBufferProto, ShapeProto, buffer_allocation_proto::Assigned,
};
use xla_profile::wire::proto::xspace::x_stat::Value;
use xla_profile::wire::proto::xspace::{XPlane, XStat};

/// A program whose instructions form a chain. `name` is that of each instruction but for its number.
fn program(module: &str, name: &str, n: usize) -> HloProto {
    let shape = ShapeProto { element_type: 11, dimensions: vec![8], ..ShapeProto::default() };
    let instructions = (0..n as i64).map(|id| HloInstructionProto {
        name: format!("{name}.{id}"),
        opcode: if id == 0 { "parameter" } else { "negate" }.into(),
        shape: Some(shape.clone()),
        id,
        operand_ids: (id > 0).then_some(id - 1).into_iter().collect(),
        ..HloInstructionProto::default()
    });
    let computation = HloComputationProto {
        name: "main".into(),
        instructions: instructions.collect(),
        id: 1,
        root_id: n as i64 - 1,
        ..HloComputationProto::default()
    };
    let module = HloModuleProto {
        name: module.to_owned(),
        computations: vec![computation],
        entry_computation_id: 1,
        schedule: Some(HloScheduleProto {
            sequences: [(1, InstructionSequence { instruction_ids: (0..n as i64).collect() })].into(),
        }),
        ..HloModuleProto::default()
    };
    HloProto { hlo_module: Some(module), buffer_assignment: None }
}

/// The plane of a capture that holds programs.
fn metadata(programs: impl Iterator<Item = (i64, HloProto)>) -> XPlane {
    let mut plane = Plane::new("/host:metadata");
    for (id, program) in programs {
        let name = format!("jit_f{id}({id})");
        plane.op(&name, "", &[("Hlo Proto", Value::BytesValue(program.encode_to_vec()))]);
    }
    plane.done()
}

pub fn embedded(n: usize) -> Files {
    let mut device = device("/device:TPU:0");
    let op = |i: usize| (format!("%negate.1 = f32[8]{{0}} negate(f32[8]{{0}} %a.{i})"), i as i64 + 1);
    let ops: Vec<i64> =
        (0..n).map(op).map(|(hlo, id)| device.op(&hlo, "negate.1", &[("program_id", int(id))])).collect();
    let mut plane = device.done();
    plane.lines[0].events[1].duration_ps = 10 * n as i64 + 200;
    plane.lines[1].events.extend(ops.iter().enumerate().map(|(i, op)| crate::make::event(*op, 200 + 10 * i as i64, 8)));
    capture(vec![plane, metadata((0..n as i64).map(|id| (id + 1, program("jit_f", "negate", 3))))])
}

pub fn files(n: usize) -> Files {
    let mut all = capture(vec![device("/device:TPU:0").done()]);
    all.extend((0..n).map(|i| (format!("m{i}.hlo_proto.pb"), program("jit_f", "negate", 3).encode_to_vec())));
    all
}

/// Kernels of CUDA graphs. `of_kernel` returns the name of the module, the graph and the number of the node.
fn cuda_graphs(n: usize, of_kernel: impl Fn(usize) -> (String, u64, u64)) -> Files {
    let mut plane = Plane::new("/device:GPU:0");
    let kernels: Vec<i64> = (0..n).map(|i| plane.op(&format!("negate_{}", i + 1), "", &[])).collect();
    let events: Vec<_> = kernels.iter().enumerate().map(|(i, op)| (*op, 100 * i as i64, 50)).collect();
    let mut line = plane.line("Stream #16(Kernel)", &events).clone();
    for (i, event) in line.events.iter_mut().enumerate() {
        let (module, graph, number) = of_kernel(i);
        let id = (graph << 32 | number).cast_signed();
        let stats: [XStat; 4] = [
            plane.stat("hlo_module", text(&module)),
            plane.stat("program_id", int(7)),
            plane.stat("hlo_op", text("command_buffer_1")),
            plane.stat("cuda_graph_node_id", int(id)),
        ];
        event.stats.extend(stats);
    }
    let mut plane = plane.done();
    plane.lines = vec![line];
    capture(vec![plane, metadata([(7, program("jit_f", "negate", n + 2))].into_iter())])
}

pub fn modules_of_cuda_graphs(n: usize) -> Files {
    cuda_graphs(n, |i| (format!("jit_f{i}"), i as u64 + 1, 1))
}

pub fn nodes_of_cuda_graphs(n: usize) -> Files {
    cuda_graphs(n, |i| ("jit_f".to_owned(), 1, i as u64))
}

fn text_file(text: String) -> Files {
    vec![("a.hlo".to_owned(), text.into_bytes())]
}

pub fn tuple_operands(n: usize) -> Files {
    let tuple = |text: &str| vec![text; n].join(", ");
    text_file(format!(
        "HloModule m, is_scheduled=true\n\nENTRY %e (p: f32[8]) -> f32[8] {{\n  %p = f32[8]{{0}} parameter(0)\n  \
         %t1 = (f32[8]{{0}}) tuple({})\n  %t2 = (f32[8]{{0}}) tuple({})\n  ROOT %n = f32[8]{{0}} negate(%p)\n}}\n",
        tuple("%p"),
        tuple("%t1")
    ))
}

pub fn instructions(n: usize) -> Files {
    let mut text =
        "HloModule m, is_scheduled=true\n\nENTRY %e (p: f32[8]) -> f32[8] {\n  %n.0 = f32[8]{0} parameter(0)\n"
            .to_owned();
    for i in 1..n {
        let _ = writeln!(text, "  %n.{i} = f32[8]{{0}} negate(%n.{})", i - 1);
    }
    let _ = writeln!(text, "  ROOT %r = f32[8]{{0}} negate(%n.0)\n}}");
    text_file(text)
}

pub fn computations(n: usize) -> Files {
    let mut text = "HloModule m, is_scheduled=true\n".to_owned();
    for i in 0..n {
        let _ = writeln!(
            text,
            "\n%c.{i} {{\n  %q.{i} = f32[8]{{0}} parameter(0)\n  ROOT %x.{i} = f32[8]{{0}} negate(%q.{i})\n}}"
        );
    }
    let _ = writeln!(text, "\nENTRY %e (p: f32[8]) -> f32[8] {{\n  %p = f32[8]{{0}} parameter(0)");
    for i in 0..n {
        let _ = writeln!(text, "  %k.{i} = f32[8]{{0}} call(%p), to_apply=%c.{i}");
    }
    let _ = writeln!(text, "  ROOT %r = f32[8]{{0}} negate(%p)\n}}");
    text_file(text)
}

pub fn buffers(n: usize) -> Files {
    let mut program = program("jit_f", "negate", n);
    let logical = |id: i64| LogicalBufferProto {
        id,
        size: 32,
        defined_at: Some(Location { instruction_id: id, ..Location::default() }),
        color: 0,
    };
    let assigned = |id: i64| Assigned { logical_buffer_id: id, offset: 32 * id, size: 32 };
    program.buffer_assignment = Some(BufferAssignmentProto {
        logical_buffers: (0..n as i64).map(logical).collect(),
        buffer_allocations: vec![BufferAllocationProto {
            size: 32 * n as i64,
            assigned: (0..n as i64).map(assigned).collect(),
            ..BufferAllocationProto::default()
        }],
        ..BufferAssignmentProto::default()
    });
    vec![("a.hlo_proto.pb".to_owned(), program.encode_to_vec())]
}
