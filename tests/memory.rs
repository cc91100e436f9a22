//! Static memory against what `xprof` says of the same programs, and against programs small enough to count by hand.
//! Where the two differ, docs/XPROF.md says why.

mod common;

use common::hlo::{AOT, aot, programs, xspace};
use rooflight::analysis::memory::{AliveAt, Buffer, BufferId, MemoryQuery, ProgramMemory, ProgramPeaks, SpaceMemory};
use rooflight::hlo::Module;
use rooflight::wire::proto::hlo::HloProto;
use serde_json::Value;
use std::collections::BTreeMap;

/// What xprof tells apart.
const SMALL: u64 = 16 << 10;
const MIB: f64 = 1_048_576.0;

fn held(proto: &HloProto) -> Option<(Module, ProgramMemory)> {
    let module = Module::from_proto(proto);
    let memory = ProgramMemory::new(proto.buffer_assignment.as_ref()?, &module);
    Some((module, memory))
}

fn ask(color: i64) -> MemoryQuery {
    MemoryQuery { color, buffers: u32::MAX, ..MemoryQuery::default() }
}

fn told(module: &Module, memory: &ProgramMemory, color: i64) -> Option<SpaceMemory> {
    memory.tell(module, ProgramPeaks::default(), &ask(color)).space
}

/// Bytes of a figure in MiB: they have few enough digits to be exact.
fn bytes(mib: &Value) -> u64 {
    let bytes = mib.as_f64().unwrap_or(0.0) * MIB;
    assert!((bytes - bytes.round()).abs() < 1e-3, "{mib}");
    bytes.round() as u64
}

fn all_bytes(list: &Value) -> Vec<u64> {
    list.as_array().map_or(Vec::new(), |list| list.iter().map(bytes).collect())
}

/// `a - b` where the two are given as unsigned.
fn difference(a: u64, b: u64) -> i64 {
    a as i64 - b as i64
}

/// A program in one memory against xprof's memory viewer.
fn agrees(what: &str, proto: &HloProto, color: i64, theirs: &Value) {
    let what = format!("{what} colour {color}");
    let (module, memory) = held(proto).unwrap();
    let Some(ours) = told(&module, &memory, color) else {
        assert_eq!(bytes(&theirs["peakHeapMib"]), 0, "{what}");
        assert_eq!(bytes(&theirs["totalBufferAllocationMib"]), 0, "{what}");
        return;
    };
    let peak = &ours.peak;
    for (figure, ours) in [
        ("peakHeapMib", peak.peak),
        ("totalBufferAllocationMib", peak.total_allocation),
        ("entryComputationParametersMib", peak.parameters),
        ("maybeLiveOutMib", peak.live_out),
        ("indefiniteBufferAllocationMib", peak.indefinite),
    ] {
        assert_eq!(ours, bytes(&theirs[figure]), "{what} {figure}");
    }
    assert_eq!(peak.position.map(u64::from), theirs["peakHeapSizePosition"].as_u64(), "{what} position");
    // xprof has no curve where nothing comes and goes; here it is one point.
    let curve = all_bytes(&theirs["heapSizes"]);
    let flat = vec![peak.indefinite];
    assert_eq!(memory.timeline(color).unwrap(), if curve.is_empty() { &flat } else { &curve }, "{what} curve");
    assert_eq!(*memory.timeline(color).unwrap().iter().max().unwrap(), peak.peak);

    let unpadded = all_bytes(&theirs["unpaddedHeapSizes"]);
    let theirs_less_ours: Vec<i64> = unpadded
        .iter()
        .zip(memory.unpadded_timeline(color).unwrap())
        .map(|(theirs, ours)| difference(*theirs, *ours))
        .collect();
    for (point, difference) in theirs_less_ours.iter().enumerate().filter(|(_, d)| **d != 0) {
        let alive = memory.alive_at(&module, &ask(color), point as u32).unwrap();
        let tuples: i64 = alive.buffers.iter().map(|buffer| tuple(&module, buffer)).sum();
        assert_eq!(*difference, tuples, "{what} unpadded at {point}");
    }
    if let Some(at) = peak.position {
        let at_peak = theirs_less_ours[at as usize + 1];
        assert_eq!(difference(bytes(&theirs["peakUnpaddedHeapMib"]), ours.peak_unpadded), at_peak, "{what} unpadded");
    }
    if let (Some(at), Some(names)) = (peak.position, theirs["hloInstructionNames"].as_array()) {
        assert_eq!(peak.instruction.as_deref(), names[at as usize].as_str(), "{what} instruction");
    }
    alive(&what, &ours.alive, theirs);
    assert_eq!(ours.alive.size, peak.peak, "{what}");
}

/// What xprof counts more for a buffer deep inside of a tuple: the pointers of the outermost one, in place of its own bytes.
fn tuple(module: &Module, buffer: &Buffer) -> i64 {
    let Some((name, index)) = buffer.instruction.strip_suffix('}').and_then(|name| name.split_once('{')) else {
        return 0;
    };
    let shape = &module.instruction(module.instruction_named(name).unwrap()).unwrap().shape;
    let pointers = 8 * shape.elements().len() as u64;
    if index.contains(',') { difference(pointers, buffer.unpadded.unwrap()) } else { 0 }
}

/// Σ alive = the peak, exactly, and each is one of theirs. What is smaller than 16 KiB they tell in one piece.
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
    let small: u64 = ours.buffers.iter().filter(|b| b.size < SMALL).map(|b| b.size).sum();
    let theirs: u64 = all.iter().filter(is_small).map(|row| bytes(&row["logicalBufferSizeMib"])).sum();
    assert_eq!(small, theirs, "{what} small");
}

/// `file:line`.
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

#[test]
fn v6e_programs() {
    let Some(space) = xspace("tpu-v6e-host-offload/host.xplane.pb") else { return };
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
