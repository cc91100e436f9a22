//! These tests compare the memory of programs and of allocators with xprof's results for the same captures.
//! docs/XPROF.md explains where the two differ.

use crate::common;
use crate::common::hlo::{AOT, aot, programs, xspace};
use rooflight::analysis::base::Analysis;
use rooflight::analysis::memory::{
    AliveAt, AllocatorMemory, Basis, Buffer, Capacity, CapacitySource, Category, MemoryClass, MemoryQuery,
    ProgramMemory, ProgramPeaks, RollUpBy, SpaceMemory, WholeMemory,
};
use rooflight::session;
use rooflight::session::Programs;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use xla_profile::hlo::{Attribute, InstructionId, Module};
use xla_profile::wire::proto::hlo::heap_simulator_trace::event::Kind;
use xla_profile::wire::proto::hlo::{HeapSimulatorTrace, HloProto};

/// Size in bytes from which xprof lists a buffer on its own.
const SMALL: u64 = 16 << 10;
const MIB: f64 = 1_048_576.0;

fn held(proto: &HloProto) -> Option<(Module, ProgramMemory)> {
    let module = Module::from_proto(proto);
    let memory = ProgramMemory::new(proto.buffer_assignment.as_ref()?, &module);
    Some((module, memory))
}

fn memory_query(color: i64) -> MemoryQuery {
    MemoryQuery { color, buffers: u32::MAX, ..MemoryQuery::default() }
}

fn space_memory(module: &Module, memory: &ProgramMemory, color: i64) -> Option<SpaceMemory> {
    memory.summarize(module, ProgramPeaks::default(), &memory_query(color)).space
}

/// Returns the bytes of a figure in MiB. Such figures have few enough digits to be exact.
fn bytes(mib: &Value) -> u64 {
    let bytes = mib.as_f64().unwrap_or(0.0) * MIB;
    assert!((bytes - bytes.round()).abs() < 1e-3, "{mib}");
    bytes.round() as u64
}

fn all_bytes(list: &Value) -> Vec<u64> {
    list.as_array().map_or(Vec::new(), |list| list.iter().map(bytes).collect())
}

/// Returns `a - b`, which may be negative.
fn difference(a: u64, b: u64) -> i64 {
    a as i64 - b as i64
}

/// Compares a program in one memory with xprof's memory viewer.
fn agrees(what: &str, proto: &HloProto, color: i64, theirs: &Value) {
    let what = format!("{what} colour {color}");
    let (module, memory) = held(proto).unwrap();
    let Some(ours) = space_memory(&module, &memory, color) else {
        assert_eq!(bytes(&theirs["peakHeapMib"]), 0, "{what}");
        assert_eq!(bytes(&theirs["totalBufferAllocationMib"]), 0, "{what}");
        return;
    };
    let peak = &ours.peak;
    // xprof sums sizes in memories whose buffers share addresses, so its peak of VMEM may exceed the memory.
    let shared = if color == 0 { Vec::new() } else { shared_bytes(proto, color) };
    let shared_at = |point: usize| shared.get(point).copied().unwrap_or(0);
    for (figure, ours) in [
        ("peakHeapMib", if color == 0 { peak.peak } else { summed_peak(&memory, color, &shared) }),
        ("totalBufferAllocationMib", peak.total_allocation),
        ("entryComputationParametersMib", peak.parameters),
        ("maybeLiveOutMib", peak.live_out),
        ("indefiniteBufferAllocationMib", peak.indefinite),
    ] {
        assert_eq!(ours, bytes(&theirs[figure]), "{what} {figure}");
    }
    assert!(peak.peak <= peak.total_allocation, "{what}: {} of {}", peak.peak, peak.total_allocation);
    if shared.iter().all(|bytes| *bytes == 0) {
        assert_eq!(peak.position.map(u64::from), theirs["peakHeapSizePosition"].as_u64(), "{what} position");
    }
    // xprof has no curve if nothing is allocated and freed. Rooflight's curve has one point then.
    let curve = all_bytes(&theirs["heapSizes"]);
    let flat = vec![peak.indefinite];
    let summed: Vec<u64> =
        memory.timeline(color).unwrap().iter().enumerate().map(|(point, bytes)| bytes + shared_at(point)).collect();
    assert_eq!(&summed, if curve.is_empty() { &flat } else { &curve }, "{what} curve");
    assert_eq!(*memory.timeline(color).unwrap().iter().max().unwrap(), peak.peak);

    if shared.iter().any(|bytes| *bytes > 0) {
        let alive = &ours.alive;
        assert_eq!(alive.buffers.iter().map(|buffer| buffer.size).sum::<u64>(), peak.peak, "{what} Σ alive");
        let padded = memory.timeline(color).unwrap();
        let unpadded = memory.unpadded_timeline(color).unwrap();
        assert!(unpadded.iter().zip(padded).all(|(unpadded, padded)| unpadded <= padded), "{what}");
        return;
    }
    let unpadded = all_bytes(&theirs["unpaddedHeapSizes"]);
    let theirs_less_ours: Vec<i64> = unpadded
        .iter()
        .zip(memory.unpadded_timeline(color).unwrap())
        .map(|(theirs, ours)| difference(*theirs, *ours))
        .collect();
    for (point, difference) in theirs_less_ours.iter().enumerate().filter(|(_, d)| **d != 0) {
        let alive = memory.alive_at(&module, &memory_query(color), point as u32).unwrap();
        let tuples: i64 = alive.buffers.iter().map(|buffer| tuple(&module, buffer)).sum();
        assert_eq!(*difference, tuples, "{what} unpadded at {point}");
    }
    if let Some(position) = peak.position {
        let at_peak = theirs_less_ours[position as usize + 1];
        assert_eq!(difference(bytes(&theirs["peakUnpaddedHeapMib"]), ours.peak_unpadded), at_peak, "{what} unpadded");
    }
    if let (Some(position), Some(names)) = (peak.position, theirs["hloInstructionNames"].as_array()) {
        assert_eq!(peak.instruction.as_deref(), names[position as usize].as_str(), "{what} instruction");
    }
    alive(&what, &ours.alive, theirs);
    assert_eq!(ours.alive.size, peak.peak, "{what}");
}

/// Returns the highest sum of sizes, from the curve and the bytes that buffers share.
fn summed_peak(memory: &ProgramMemory, color: i64, shared: &[u64]) -> u64 {
    memory.timeline(color).unwrap().iter().zip(shared).map(|(bytes, shared)| bytes + shared).max().unwrap()
}

/// Returns for each point of a memory's trace the bytes by which the sizes of the live buffers exceed the addresses
/// that they take. Every range is compared with every other, from the proto alone.
fn shared_bytes(proto: &HloProto, color: i64) -> Vec<u64> {
    let buffers = proto.buffer_assignment.as_ref().unwrap();
    let colors: BTreeMap<i64, i64> = buffers.logical_buffers.iter().map(|b| (b.id, b.color)).collect();
    let assigned = buffers.buffer_allocations.iter().flat_map(|a| &a.assigned);
    let places: BTreeMap<i64, (i64, i64)> =
        assigned.map(|a| (a.logical_buffer_id, (a.offset, a.offset + a.size))).collect();
    let is_of = |trace: &&HeapSimulatorTrace| trace.events.first().is_some_and(|e| colors[&e.buffer_id] == color);
    let Some(trace) = buffers.heap_simulator_traces.iter().find(is_of) else { return vec![0] };
    let mut alive: Vec<i64> = Vec::new();
    let mut shared = vec![0];
    for event in &trace.events {
        match event.kind() {
            Kind::Alloc => alive.push(event.buffer_id),
            Kind::Free => alive.retain(|id| *id != event.buffer_id),
            Kind::ShareWith => panic!("no trace of VMEM has one"),
        }
        let ranges: Vec<(i64, i64)> = alive.iter().map(|id| places[id]).collect();
        let edges: BTreeSet<i64> = ranges.iter().flat_map(|(from, to)| [*from, *to]).collect();
        let between = edges.iter().zip(edges.iter().skip(1));
        let taken = between.filter(|(from, _)| ranges.iter().any(|(a, b)| (a..b).contains(from)));
        let union: i64 = taken.map(|(from, to)| to - from).sum();
        let sum: i64 = ranges.iter().map(|(from, to)| to - from).sum();
        shared.push((sum - union).cast_unsigned());
    }
    shared
}

/// The sums of buffer sizes in these programs exceed VMEM. Each peak must be at most the allocation.
#[test]
fn vmem_is_never_fuller_than_its_allocation() {
    let mib = |bytes: u64| bytes as f64 / MIB;
    for (name, color, peak) in [
        ("v5e_2x2_dense_L2_d1024_s1024_b8_tp2", 1, 112.0),
        ("v6e_2x4_dense_L16_d2048_s2048_b16_tp2", 1, 95.378_906_25),
        ("v5p_2x2x2_dense_L16_d4096_s2048_b16_tp2", 1, 41.218_75),
        ("tpu7x_2x2x1_dense_L16_d4096_s2048_b16_tp2", 1, 31.25),
        ("v4_2x2x1_dense_L8_d2048_s2048_b16_tp2", 3, 64.0),
    ] {
        let Some(proto) = aot(name) else { return };
        let (module, memory) = held(&proto).unwrap();
        let space = space_memory(&module, &memory, color).unwrap();
        assert_eq!(mib(space.peak.peak), peak, "{name}");
        for space in memory.peaks() {
            assert!(space.peak <= space.total_allocation, "{name}: {} {}", space.space, space.peak);
        }
    }
}

/// Returns the attribute that a compiler prints for outputs that use a parameter's memory, from the allocations that
/// hold both.
fn aliases(proto: &HloProto, module: &Module) -> Attribute {
    let assignment = proto.buffer_assignment.as_ref().unwrap();
    let root = module.computation(module.entry.unwrap()).unwrap().root.unwrap();
    let outputs: Vec<InstructionId> = module.operands(root).collect();
    let mut pairs = Vec::new();
    for allocation in &assignment.buffer_allocations {
        let held: Vec<i64> = allocation.assigned.iter().map(|assigned| assigned.logical_buffer_id).collect();
        let held_buffers = assignment.logical_buffers.iter().filter(|buffer| held.contains(&buffer.id));
        let made: Vec<(InstructionId, String)> = held_buffers
            .filter_map(|buffer| {
                let location = buffer.defined_at.as_ref()?;
                let index = location.shape_index.first().map_or(String::new(), ToString::to_string);
                Some((module.instruction_of_proto(location.instruction_id)?, index))
            })
            .collect();
        let is_given = |output: &InstructionId| {
            let instruction = module.instruction(*output).unwrap();
            made.iter().any(|(id, index)| match &*instruction.opcode {
                "get-tuple-element" => {
                    module.operands(*output).next() == Some(*id) && instruction.text("index") == Some(index)
                }
                // These ops pass a buffer on, or end a copy to it.
                "bitcast" | "copy-done" => output == id || module.operands(*output).next() == Some(*id),
                _ => output == id,
            })
        };
        if let (true, Some(output)) = (allocation.is_entry_computation_parameter, outputs.iter().position(is_given)) {
            pairs.push(format!("{{{output}}}: ({}, {{}}, may-alias)", allocation.parameter_number));
        }
    }
    Attribute {
        key: "input_output_alias".into(),
        value: xla_profile::hlo::Value::Text(format!("{{ {} }}", pairs.join(", ")).into()),
    }
}

/// The live ranges of the text alone give a peak near the one that the compiler assigned.
#[test]
fn live_ranges_are_near_the_assigned_memory() {
    for name in AOT.into_iter().filter(|name| !name.contains("after_codegen")) {
        let Some(proto) = aot(name) else { return };
        let (module, memory) = held(&proto).unwrap();
        let exact = memory.peaks().into_iter().find(|space| space.color == 0).unwrap();
        let mut printed = Module::from_proto(&proto);
        printed.attributes.push(aliases(&proto, &module));
        let (read, _) = xla_profile::hlo::text::module(&printed.to_string()).unwrap();
        let memory = ProgramMemory::from_schedule(&read).unwrap();
        let space = space_memory(&read, &memory, 0).unwrap();
        let peak = &space.peak;
        let ratio = peak.peak as f64 / exact.peak as f64;
        assert!((0.93..1.01).contains(&ratio), "{name}: {} of {}", peak.peak, exact.peak);
        assert_eq!(peak.parameters, exact.parameters, "{name}");
        assert!(peak.live_out.abs_diff(exact.live_out) < 1024, "{name}: {} {}", peak.live_out, exact.live_out);
        assert!(peak.constants <= exact.constants, "{name}: constants of what is called are not walked");
        assert_eq!(space.alive.buffers.iter().map(|buffer| buffer.size).sum::<u64>(), peak.peak, "{name} Σ alive");
        assert_eq!((peak.basis, peak.allocated()), (Basis::LiveRanges, None));
    }
}

/// Returns the bytes that xprof counts in addition for a buffer deep inside a tuple, which may be negative: xprof
/// counts the pointers of the outermost tuple instead of the buffer's own bytes.
fn tuple(module: &Module, buffer: &Buffer) -> i64 {
    let Some((name, index)) = buffer.instruction.strip_suffix('}').and_then(|name| name.split_once('{')) else {
        return 0;
    };
    let shape = &module.instruction(module.instruction_named(name).unwrap()).unwrap().shape;
    let pointers = 8 * shape.elements().len() as u64;
    if index.contains(',') { difference(pointers, buffer.unpadded.unwrap()) } else { 0 }
}

/// Compares the live buffers with xprof's. The sizes of the live buffers sum exactly to the peak, and each buffer is in
/// xprof's list. xprof lists the buffers below 16 KiB as one sum.
fn alive(what: &str, ours: &AliveAt, theirs: &Value) {
    assert_eq!(ours.buffers.iter().map(|b| b.size).sum::<u64>(), ours.size, "{what} Σ alive");
    assert_eq!((ours.buffers.len(), ours.rest), (ours.n as usize, 0));
    let none = Vec::new();
    let all = theirs["maxHeap"].as_array().unwrap_or(&none);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let is_small = |row: &&Value| row["instructionName"].is_null();
    let mut known: Vec<_> = all
        .iter()
        .filter(|row| !is_small(row))
        .map(|row| {
            let names =
                ["instructionName", "groupName", "shapeString", "tfOpName", "opCode"].map(|name| text(&row[name]));
            (bytes(&row["logicalBufferSizeMib"]), names, source(&row["sourceInfo"]))
        })
        .collect();
    let mut found: Vec<_> = ours
        .buffers
        .iter()
        .filter(|b| b.size >= SMALL)
        .map(|b| {
            let category = b.category.key().to_owned();
            let names = [b.instruction.clone(), category, b.shape.clone(), b.op_name.clone(), b.opcode.clone()];
            (b.size, names, b.source.clone())
        })
        .collect();
    known.sort();
    found.sort();
    type Row = (u64, [String; 5], Option<String>);
    let only = |a: &[Row], b: &[Row]| a.iter().filter(|row| !b.contains(row)).cloned().collect::<Vec<_>>();
    assert_eq!((only(&found, &known), only(&known, &found)), (Vec::new(), Vec::new()), "{what} alive");
    assert_eq!(found.len(), known.len(), "{what} alive");
    // The points at which each buffer is allocated and freed are compared.
    let (mut n_lives, mut n_shared) = (0, 0);
    for (row, b) in all.iter().flat_map(|row| {
        ours.buffers.iter().filter(move |b| b.instruction == text(&row["instructionName"])).map(move |b| (row, b))
    }) {
        let life = &theirs["logicalBufferSpans"][row["logicalBufferId"].to_string()];
        if b.category == Category::Temporary && !life.is_null() {
            let last = u64::from(b.last).min(theirs["heapSizes"].as_array().unwrap().len() as u64 - 2);
            assert_eq!(u64::from(b.first), life["start"].as_u64().unwrap_or(0), "{what} {}", b.instruction);
            let limit = life["limit"].as_u64().unwrap_or(0);
            // xprof's limit is the point at which the buffer itself is freed. Buffers that share its memory may hold
            // the memory longer.
            assert!(limit <= last, "{what} {} {limit} {last}", b.instruction);
            n_shared += usize::from(limit < last);
            n_lives += 1;
        }
    }
    let is_temporary = |b: &&Buffer| b.category == Category::Temporary && b.size >= SMALL;
    assert!(n_lives + 3 >= ours.buffers.iter().filter(is_temporary).count(), "{what}: {n_lives} lives compared");
    assert!(n_shared <= 1, "{what}: {n_shared} lives are longer here");
    let small: u64 = ours.buffers.iter().filter(|b| b.size < SMALL).map(|b| b.size).sum();
    let theirs: u64 = all.iter().filter(is_small).map(|row| bytes(&row["logicalBufferSizeMib"])).sum();
    assert_eq!(small, theirs, "{what} small");
}

/// Formats a source as `file:line`; `None` if there is no file.
fn source(info: &Value) -> Option<String> {
    Some(format!("{}:{}", info["fileName"].as_str()?, info["lineNumber"]))
}

#[test]
fn aot_programs() {
    for name in AOT.into_iter().filter(|name| !name.contains("after_codegen")) {
        let Some(proto) = aot(name) else { return };
        for color in [0, 1] {
            let theirs = common::json(&format!("tpu-aot/xprof/{name}.memory_viewer.ms{color}.json.gz")).unwrap();
            agrees(name, &proto, color, &theirs);
        }
    }
}

/// The arguments of these training steps are `st = (weights, first moments, second moments, step)` and `tok`. The paths
/// of the arguments contain no word for a class, so the classes follow from the use of the arguments.
#[test]
fn train_state_is_classified_by_its_use() {
    let mut n = 0;
    for name in AOT.into_iter().filter(|name| !name.contains("after_codegen")) {
        let Some(proto) = aot(name) else { continue };
        let (module, memory) = held(&proto).unwrap();
        let space = space_memory(&module, &memory, 0).unwrap();
        let truth = |buffer: &Buffer| match buffer.op_name.get(..5) {
            Some("st[0]") => MemoryClass::Weights,
            Some("st[1]" | "st[2]") => MemoryClass::Optimizer,
            _ => MemoryClass::Inputs,
        };
        let parameters: Vec<&Buffer> =
            space.alive.buffers.iter().filter(|buffer| buffer.category == Category::Parameter).collect();
        for buffer in &parameters {
            assert_eq!(buffer.class, truth(buffer), "{name}: {}", buffer.op_name);
            assert_eq!(buffer.label(), buffer.op_name, "{name}");
        }
        let size = |class: MemoryClass| -> u64 {
            parameters.iter().filter(|buffer| truth(buffer) == class).map(|buffer| buffer.size).sum()
        };
        assert!(size(MemoryClass::Weights) > 0, "{name}");
        assert_eq!(size(MemoryClass::Optimizer), 2 * size(MemoryClass::Weights), "{name}: Adam keeps two moments");
        let rollup = space.rollups.iter().find(|rollup| rollup.by == RollUpBy::Class).unwrap();
        for class in [MemoryClass::Weights, MemoryClass::Optimizer, MemoryClass::Inputs] {
            let row = rollup.rows.iter().find(|row| row.key == class.key()).unwrap();
            assert_eq!(row.size, size(class), "{name}: {}", class.key());
        }
        n += 1;
    }
    assert!(n > 0, "no program was read");
}

#[test]
#[ignore = "needs captures of other projects"]
fn v6e_programs() {
    let space = xspace("tpu-v6e-host-offload/host.xplane.pb").unwrap();
    let all = programs(&space);
    assert_eq!(all.len(), 4);
    for (name, proto) in all {
        let name = name.split('(').next().unwrap();
        for color in [0, 1] {
            let file = format!("tpu-v6e-host-offload/xprof/memory_viewer.{name}.ms{color}.json.gz");
            agrees(name, &proto, color, &common::json(&file).unwrap());
        }
    }
}

#[test]
fn cpu_program() {
    let Some(space) = xspace("cpu-jax/vm.xplane.pb") else { return };
    let theirs = common::json("cpu-jax/xprof/memory_viewer.jit_train_step.ms0.json.gz").unwrap();
    let (name, proto) = programs(&space).into_iter().find(|(name, _)| name.starts_with("jit_train_step(")).unwrap();
    agrees(&name, &proto, 0, &theirs);
}

/// Returns the memory of a capture as the command line requests it.
fn whole(name: &str, bytes: Vec<u8>) -> (Analysis, WholeMemory) {
    let mut opened = common::open(name, bytes).unwrap();
    let analysis = Analysis::new(&opened.profile);
    let mut programs = Programs::new(std::mem::take(&mut opened.open_files));
    let query = MemoryQuery::default();
    let whole = session::whole_memory(&analysis, &opened.profile, &mut programs, &query, None, &|_| true, None);
    (analysis, whole)
}

/// Compares the allocators of a capture with xprof's memory profile. The time of the peak is not compared: of several
/// times with the same peak, xprof takes any, and Rooflight takes the first.
fn allocators(name: &str, folder: &str, key: impl Fn(&AllocatorMemory) -> String) -> Option<WholeMemory> {
    let (_, whole) = whole(name, common::profile(&format!("{folder}/{name}"))?);
    let theirs = common::json(&format!("{folder}/xprof/memory_profile.json.gz"))?;
    let theirs = theirs["memoryProfilePerAllocator"].as_object().unwrap();
    assert_eq!(whole.runtime.allocators.len(), theirs.len(), "{folder}");
    for ours in &whole.runtime.allocators {
        let theirs = &theirs[&key(ours)];
        let (summary, peak) = (&theirs["profileSummary"], &theirs["profileSummary"]["peakStats"]);
        let number = |value: &Value| value.as_str().map(|text| text.parse::<u64>().unwrap());
        assert_eq!(Some(ours.peak.in_use()), number(&peak["peakBytesInUse"]), "{folder}");
        assert_eq!(Some(ours.peak.reserved), number(&peak["stackReservedBytes"]));
        assert_eq!(Some(ours.peak.allocated), number(&peak["heapAllocatedBytes"]));
        assert_eq!(ours.peak.available, number(&peak["freeMemoryBytes"]));
        assert_eq!(ours.capacity, number(&summary["memoryCapacity"]));
        // On one GPU, xprof's value is less than the bytes in use at the peak in the same profile.
        assert!(ours.lifetime_peak >= number(&summary["peakBytesUsageLifetime"]));
        // xprof prints six digits.
        let fragmentation = peak["fragmentation"].as_f64().unwrap();
        assert!((ours.fragmentation.unwrap() - fragmentation).abs() <= 1e-5 * fragmentation, "{fragmentation}");
        let all = theirs["sampledTimelineSnapshots"].as_array().unwrap();
        assert_eq!(ours.n_events, all.len() as u64, "{folder}");
        let least = all.iter().map(|event| {
            let stat = |field: &str| number(&event["aggregationStats"][field]).unwrap();
            stat("stackReservedBytes") + stat("heapAllocatedBytes")
        });
        assert_eq!(Some(ours.persistent), least.min());
        assert_eq!(ours.persistent + ours.transient, ours.peak.in_use());
        assert_eq!(ours.timeline.iter().map(|column| column.most).max(), Some(ours.peak.in_use()));
    }
    Some(whole)
}

#[test]
#[ignore = "needs captures of other projects"]
fn v6e_runtime() {
    let by_ordinal = |a: &AllocatorMemory| a.ordinal.unwrap().to_string();
    let whole = allocators("host.xplane.pb", "tpu-v6e-host-offload", by_ordinal).unwrap();
    let first = &whole.runtime.allocators[0];
    assert_eq!((first.label.as_str(), first.device), ("TPU:0", Some(0)));
    assert_eq!((first.peak.in_use(), first.capacity), (21_492_569_216, Some(33_550_237_696)));
    // The first event of that height is 19,503,197,106 ns after the start of its line. On the session's clock, the line
    // starts at 212,990 ns.
    assert_eq!((first.peak.time.0, first.peak.step), (19_503_410_096_000, Some(0)));
    let check = &whole.checks[0];
    let capacity = Capacity { size: 33_550_237_696, source: CapacitySource::Allocator };
    assert_eq!((check.static_peak, check.runtime_peak), (Some(21_474_836_512), Some(21_492_569_216)));
    assert_eq!((check.program.as_deref(), check.capacity.as_ref()), (Some("jit_f"), Some(&capacity)));
    assert_eq!((check.headroom, check.is_tight, check.is_fragmented), (Some(12_057_668_480), false, false));
    assert!(whole.checks[1].is_fragmented);
    let names: Vec<&str> = whole.programs.iter().map(|program| program.peaks.name.as_str()).collect();
    assert_eq!(names, ["jit_f", "jit__psum", "jit_broadcast_in_dim", "jit_convert_element_type"]);
}

#[test]
#[ignore = "needs captures of other projects"]
fn gpu_runtime() {
    let by_name = |a: &AllocatorMemory| a.allocator.clone().unwrap();
    let whole = allocators("gemm.xplane.pb", "gpu-mi300", by_name).unwrap();
    let of_host = whole.checks.iter().find(|check| check.label.contains("host")).unwrap();
    assert_eq!(of_host.static_peak, None, "what a host keeps for devices is no device's memory");
    allocators("host.xplane.pb", "gpu-v100", by_name);
}

/// A program in a file of its own gives the whole static view.
#[test]
fn a_program_alone() {
    let Some(bytes) = common::profile("tpu-aot/v5e_2x2_dense_L2_d1024_s1024_b8_tp2.hlo_proto.pb") else { return };
    let (_, whole) = whole("v5e.hlo_proto.pb", bytes);
    let hbm = &whole.programs[0].spaces[0];
    assert_eq!((hbm.memory.peak.space.as_str(), hbm.memory.peak.peak), ("HBM", 314_813_440));
    assert_eq!(hbm.timeline.iter().copied().max(), Some(314_813_440));
    assert!(!whole.is_empty() && whole.runtime.allocators.is_empty());
}
