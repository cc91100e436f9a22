//! These tests read the HLO protos of real captures. All references must resolve, the protos must agree with the texts,
//! and sizes must match the memory that XLA assigned.

use crate::common::hlo::{AOT, aot, corpora, llama, programs, xspace};
use std::collections::{BTreeMap, BTreeSet};
use xla_profile::hlo::{Damage, Instruction, Module, Shape, Style, Value, text};
use xla_profile::wire::proto::hlo::HloProto;
use xla_profile::wire::proto::xspace::{XEvent, XEventMetadata, XStat, x_stat};

const CAPTURES: [(&str, usize); 3] =
    [("tpu-v6e-host-offload/host.xplane.pb", 4), ("gpu-mi300/gemm.xplane.pb", 16), ("cpu-jax/vm.xplane.pb", 7)];

/// Returns every program of the real captures.
fn all() -> Option<Vec<HloProto>> {
    let mut found: Vec<HloProto> = AOT.iter().map(|name| aot(name)).collect::<Option<_>>()?;
    for (capture, expected) in CAPTURES {
        let programs = programs(&xspace(capture)?);
        assert_eq!(programs.len(), expected, "{capture}");
        found.extend(programs.into_iter().map(|(_, program)| program));
    }
    Some(found)
}

/// Returns an instruction that names others without their ids, which differ between a program and its text.
fn by_name(instruction: &Instruction) -> Instruction {
    let mut instruction = Instruction { proto_id: None, ..instruction.clone() };
    let before = instruction.attributes.iter_mut().filter_map(|attribute| match &mut attribute.value {
        Value::Instructions(before) => Some(before),
        _ => None,
    });
    before.flatten().chain(&mut instruction.operands).for_each(|operand| operand.id = None);
    instruction
}

#[test]
#[ignore = "needs captures of other projects"]
fn programs_resolve_and_agree_with_their_texts() {
    let all = all().unwrap();
    for program in all {
        let module = Module::from_proto(&program);
        let proto = program.hlo_module.as_ref().unwrap();
        assert_eq!(module.damage, Damage::default());
        assert_eq!((&*module.name, module.id), (proto.name.as_str(), Some(proto.id.cast_unsigned())));
        let entry = module.computation(module.entry.unwrap()).unwrap();
        assert_eq!(*entry.name, *proto.entry_computation_name);
        let instructions: usize = proto.computations.iter().map(|c| c.instructions.len()).sum();
        assert_eq!(module.instructions().len(), instructions);

        let style = Style { percent: true, counted: true };
        let (again, read_style) = text::module(&module.display(style).to_string()).unwrap();
        assert_eq!(again.damage, Damage::default());
        assert!(read_style.percent);
        assert_eq!(again.frames, module.frames);
        // A text has the instructions of a scheduled computation in the order of the schedule, so they are matched by
        // name.
        for ((_, a), (_, b)) in module.computations().zip(again.computations()) {
            let root = |module: &Module, root: Option<_>| module.instruction(root.unwrap()).unwrap().name.clone();
            assert_eq!((&a.name, a.is_fusion, &a.thread), (&b.name, b.is_fusion, &b.thread));
            assert_eq!(root(&module, a.root), root(&again, b.root));
        }
        let named = |module: &Module| -> BTreeMap<_, _> {
            module
                .instructions()
                .map(|(id, instruction)| {
                    ((instruction.computation, instruction.name.clone()), (id, by_name(instruction)))
                })
                .collect()
        };
        let (first, second) = (named(&module), named(&again));
        assert_eq!(first.len(), instructions);
        assert!(first.keys().eq(second.keys()));
        for ((id, a), (_, b)) in first.values().zip(second.values()) {
            assert_eq!(a, b);
            let proto_id = module.instruction(*id).unwrap().proto_id.unwrap();
            assert_eq!(module.instruction_of_proto(proto_id), Some(*id));
        }
    }
}

/// The labels of a convolution must name dimensions of equal size. Swapped labels of the kernel would not be noticed
/// otherwise, because both letters stand for a number.
#[test]
#[ignore = "needs captures of other projects"]
fn the_features_of_convolutions_fit() {
    let all = all().unwrap();
    let mut n = 0;
    for module in all.iter().map(Module::from_proto) {
        for (id, convolution) in module.instructions().filter(|(_, i)| &*i.opcode == "convolution") {
            let labels = convolution.text("dim_labels").unwrap();
            let (from, to) = labels.split_once("->").unwrap();
            let (input, kernel) = from.split_once('_').unwrap();
            let operands: Vec<_> = module.operands(id).map(|id| &module.instruction(id).unwrap().shape).collect();
            let size = |shape: &Shape, labels: &str, label: char| {
                shape.as_array().unwrap().dims[labels.chars().position(|l| l == label).unwrap()]
            };
            assert_eq!(size(operands[0], input, 'f'), size(operands[1], kernel, 'i'), "{}", convolution.name);
            assert_eq!(size(&convolution.shape, to, 'f'), size(operands[1], kernel, 'o'), "{}", convolution.name);
            n += 1;
        }
    }
    assert!(n > 300, "{n}");
}

#[test]
#[ignore = "needs captures of other projects"]
fn padded_sizes_match_those_of_xla() {
    let all = all().unwrap();
    // Number of arrays with their padded size, of arrays without tiles, and of tuples.
    let (mut arrays, mut untiled, mut tables) = (0, 0, 0);
    for program in &all {
        let module = Module::from_proto(program);
        for buffer in program.buffer_assignment.iter().flat_map(|b| &b.logical_buffers) {
            let location = buffer.defined_at.as_ref().unwrap();
            let id = module.instruction_of_proto(location.instruction_id).unwrap();
            let shape = module.instruction(id).unwrap().shape.subshape(&location.shape_index).unwrap();
            let size = u64::try_from(buffer.size).unwrap();
            match shape {
                Shape::Array(array) if array.padded_bytes() == Some(size) => arrays += 1,
                // TPUs give a scalar, or a short vector without tiles, 1024 elements, which the layout does not show.
                Shape::Array(array) => {
                    assert!(array.dims.len() <= 1 && array.layout.as_ref().is_none_or(|l| l.tiles.is_empty()));
                    assert_eq!(Some(size), array.element_bits().map(|bits| 1024 * u64::from(bits / 8)), "{shape}");
                    untiled += 1;
                }
                // The buffer of a tuple is a table of pointers, of four or eight bytes each, rounded up by the
                // platform.
                Shape::Tuple(parts) => {
                    let (four, eight) = (4 * parts.len() as u64, 8 * parts.len() as u64);
                    let tables_of = [0, eight, eight.next_multiple_of(32), four.next_multiple_of(512)];
                    assert!(tables_of.contains(&size) || size == four.next_multiple_of(32), "{shape} {size}");
                    tables += 1;
                }
                other => panic!("{other} has a buffer of {size}"),
            }
        }
    }
    assert_eq!((arrays, untiled, tables), (6285, 130, 2006));
}

/// Returns the text of an instruction as an op's event has it: with the shapes of operands, and without metadata and
/// backend config.
fn as_event(module: &Module, id: xla_profile::hlo::InstructionId) -> String {
    let mut instruction = module.instruction(id).unwrap().clone();
    for operand in &mut instruction.operands {
        operand.shape = Some(module.instruction(operand.id.unwrap()).unwrap().shape.clone());
    }
    instruction.is_root = false;
    instruction.attributes.retain(|a| !matches!(&*a.key, "metadata" | "backend_config"));
    instruction.to_string()
}

#[test]
#[ignore = "needs captures of other projects"]
fn events_have_the_texts_of_their_programs() {
    let space = xspace("tpu-v6e-host-offload/host.xplane.pb").unwrap();
    // A program is found by the name of the event metadata that holds it, because `HloModuleProto.id` is another number
    // in this capture.
    let program_id = |name: &str| xla_profile::profile::program_of(name).unwrap().1.0;
    let modules: BTreeMap<u64, Module> =
        programs(&space).iter().map(|(name, program)| (program_id(name), Module::from_proto(program))).collect();
    let mut compared = (0, 0);
    for plane in space.planes.iter().filter(|p| p.name.starts_with("/device:TPU")) {
        let stat = |ed: &XEventMetadata, name: &str| {
            let named = |s: &&XStat| plane.stat_metadata.get(&s.metadata_id).is_some_and(|m| m.name == name);
            ed.stats.iter().find(named).and_then(|s| s.value.clone())
        };
        let text_of = |ed: &XEventMetadata, name: &str| match stat(ed, name) {
            Some(x_stat::Value::StrValue(text)) => Some(text),
            _ => None,
        };
        for ed in plane.event_metadata.values() {
            let Some(parsed) = text::instruction(&ed.name) else { continue };
            let Some(x_stat::Value::Uint64Value(program)) = stat(ed, "program_id") else { panic!("{}", ed.name) };
            let module = &modules[&program];
            let id = module.instruction_named(&parsed.instruction.name).unwrap();
            assert_eq!(as_event(module, id), ed.name);
            compared.0 += 1;
            // The source of the instruction is in the stats of the event.
            if let Some(stack) = text_of(ed, "source_stack") {
                let frames = module.stack(id);
                let lines = frames.iter().rev().map(|f| format!("{}:{}:{}\n", f.file, f.line, f.column));
                assert_eq!(lines.collect::<String>(), stack);
                assert_eq!(text_of(ed, "source").unwrap(), format!("{}:{}", frames[0].file, frames[0].line));
                let instruction = module.instruction(id).unwrap();
                assert_eq!(text_of(ed, "tf_op").unwrap(), format!("{}:", instruction.op_name()));
                compared.1 += 1;
            }
        }
    }
    // Copies have no source.
    assert_eq!(compared, (71, 17));
}

/// The attributes made from protos are in an order that no real text contradicts.
#[test]
#[ignore = "needs captures of other projects"]
fn attributes_are_in_the_order_of_texts() {
    let (Some(corpora), Some(llama), Some(all)) = (corpora(), llama(), all()) else { return };
    let mut orders: BTreeSet<(String, String, String)> = BTreeSet::new();
    let mut learn = |instruction: &Instruction| {
        let keys: Vec<&str> = instruction.attributes.iter().map(|a| &*a.key).collect();
        for (i, before) in keys.iter().enumerate() {
            for after in &keys[i + 1..] {
                orders.insert((instruction.opcode.to_string(), (*before).to_owned(), (*after).to_owned()));
            }
        }
    };
    corpora.iter().flat_map(|c| &c.texts).for_each(|t| learn(&text::instruction(t).unwrap().instruction));
    text::module(&llama).unwrap().0.instructions().for_each(|(_, i)| learn(i));
    assert!(orders.len() > 50);
    let mut reversed: BTreeSet<(String, String, String)> = BTreeSet::new();
    for program in &all {
        for (_, instruction) in Module::from_proto(program).instructions() {
            let keys: Vec<&str> = instruction.attributes.iter().map(|a| &*a.key).collect();
            for (i, before) in keys.iter().enumerate() {
                for after in &keys[i + 1..] {
                    reversed.insert((instruction.opcode.to_string(), (*after).to_owned(), (*before).to_owned()));
                }
            }
        }
    }
    assert_eq!(orders.intersection(&reversed).collect::<Vec<_>>(), Vec::<&(String, String, String)>::new());
}

/// Kernels of a GPU and ops of a CPU name an instruction and its program.
#[test]
#[ignore = "needs captures of other projects"]
fn kernels_name_instructions_of_their_programs() {
    for (capture, expected) in [("gpu-mi300/gemm.xplane.pb", 84), ("cpu-jax/vm.xplane.pb", 5880)] {
        let space = xspace(capture).unwrap();
        let modules: BTreeMap<String, Module> =
            programs(&space).iter().map(|(name, program)| (name.clone(), Module::from_proto(program))).collect();
        let mut found = 0;
        for plane in &space.planes {
            let name_of = |id: i64| plane.stat_metadata.get(&id).map_or("", |m| m.name.as_str());
            let stat = |event: &XEvent, name: &str| {
                let stat = event.stats.iter().find(|s| name_of(s.metadata_id) == name)?;
                match stat.value.as_ref()? {
                    x_stat::Value::StrValue(text) => Some(text.clone()),
                    x_stat::Value::RefValue(id) => Some(name_of(id.cast_signed()).to_owned()),
                    x_stat::Value::Uint64Value(n) => Some(n.to_string()),
                    x_stat::Value::Int64Value(n) => Some(n.to_string()),
                    _ => None,
                }
            };
            for event in plane.lines.iter().flat_map(|l| &l.events) {
                let (Some(op), Some(module)) = (stat(event, "hlo_op"), stat(event, "hlo_module")) else { continue };
                let Some(program) = stat(event, "program_id") else {
                    println!("{op} {module}");
                    continue;
                };
                let module = &modules[&format!("{module}({program})")];
                assert!(module.instruction_named(&op).is_some(), "{op}");
                found += 1;
            }
        }
        assert_eq!(found, expected, "{capture}");
    }
}
