//! These tests check the parts of a comparison beside the time of ops: memory and communication.

use crate::common;
use crate::compare::{compared, gpu, opened, run, sample, side, simulated};
use crate::synth::{files, made};
use rooflight::analysis::comm::Primitive;
use rooflight::analysis::compare::{CommDelta, CommRowDelta, CompareOptions, Comparison, MemoryDelta};
use rooflight::analysis::overview::OverviewQuery;
use rooflight::session::compare::{CompareSide, compare_sessions};
use rooflight::session::{Input, open as open_inputs};
use std::path::Path;

/// The parts of each section sum to its whole.
pub fn check_sections(comparison: &Comparison) {
    if let Some(peak) = &comparison.memory.program {
        assert_eq!(peak.parts.iter().map(|part| part.delta).sum::<i64>(), peak.delta);
        assert_eq!(peak.parts.iter().map(|part| part.a).sum::<u64>(), peak.a.peak);
        assert_eq!(peak.parts.iter().map(|part| part.b).sum::<u64>(), peak.b.peak);
        assert!(peak.parts.is_sorted_by_key(|part| std::cmp::Reverse(part.delta.unsigned_abs())));
    }
    assert_eq!(comparison.memory.program.is_none(), comparison.memory.absent.is_some());
    let sum = |value: fn(&CommRowDelta) -> i64| comparison.comm.rows.iter().map(value).sum::<i64>();
    assert_eq!(sum(|row| row.exposed_delta_ps), comparison.comm.exposed.delta_ps);
    assert_eq!(sum(|row| row.stall_delta_ps), comparison.comm.stall.delta_ps);
    assert!(comparison.comm.rows.iter().all(|row| row.a.is_some() || row.b.is_some()));
}

/// A capture has no differences from itself.
pub fn check_equal(comparison: &Comparison) {
    if let Some(peak) = &comparison.memory.program {
        assert!(peak.delta == 0 && peak.a == peak.b && peak.parts.iter().all(|part| part.delta == 0));
    }
    assert!(comparison.memory.in_use.is_none_or(|sizes| sizes.delta == 0));
    for row in &comparison.comm.rows {
        assert_eq!(row.a, row.b);
        assert_eq!((row.exposed_delta_ps, row.stall_delta_ps, row.bytes_delta.unwrap_or(0)), (0, 0, 0));
    }
}

/// Returns the other way round: A and B are exchanged.
fn turned_memory(memory: &MemoryDelta) -> MemoryDelta {
    let mut turned = memory.clone();
    if let Some(peak) = &mut turned.program {
        std::mem::swap(&mut peak.a, &mut peak.b);
        peak.delta = -peak.delta;
        for part in &mut peak.parts {
            (part.a, part.b, part.delta) = (part.b, part.a, -part.delta);
        }
    }
    if let Some(sizes) = &mut turned.in_use {
        (sizes.a, sizes.b, sizes.delta) = (sizes.b, sizes.a, -sizes.delta);
    }
    turned
}

fn turned_comm(comm_delta: &CommDelta) -> CommDelta {
    let mut turned = comm_delta.clone();
    for time in [&mut turned.exposed, &mut turned.stall] {
        (time.a_ps, time.b_ps, time.delta_ps) = (time.b_ps, time.a_ps, -time.delta_ps);
    }
    for row in &mut turned.rows {
        std::mem::swap(&mut row.a, &mut row.b);
        row.exposed_delta_ps = -row.exposed_delta_ps;
        row.stall_delta_ps = -row.stall_delta_ps;
        row.bytes_delta = row.bytes_delta.map(|delta| -delta);
    }
    turned
}

/// The sections of `there` are the opposite of those of `back`.
pub fn check_opposite(there: &Comparison, back: &Comparison) {
    let memory = turned_memory(&back.memory);
    assert_eq!((&there.memory.program, there.memory.in_use), (&memory.program, memory.in_use));
    assert_eq!(there.comm, turned_comm(&back.comm));
}

/// The peaks are those that `rooflight memory` reports, and the classes those of its live buffers.
#[test]
fn peaks_are_those_of_the_memory_view() {
    let names = ["xla", "f32", "batch2"].map(|name| format!("gpu/{name}.graphs.xplane.pb.xz"));
    let memory = |name: &String| {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_rooflight"))
            .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("samples"))
            .args(["memory", name, "--json", "--color", "0"])
            .output()
            .unwrap();
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()
    };
    for other in &names[1..] {
        let (code, json, _) = run(&[&names[0], other, "--json"]);
        assert_eq!(code, 0);
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        let program = &json["memory"]["program"];
        for (side, name) in [("a", &names[0]), ("b", other)] {
            let view = memory(name);
            let programs = view["programs"].as_array().unwrap();
            let ours = programs.iter().find(|other| other["name"] == program["name"]).unwrap();
            assert_eq!(program[side]["peak_bytes"], ours["spaces"][0]["peak_bytes"], "{name}");
            // The classes are summed from the list of buffers, which holds all of them.
            let buffers = ours["spaces"][0]["alive"].as_array().unwrap();
            for part in program["parts"].as_array().unwrap() {
                let of_class = buffers.iter().filter(|buffer| buffer["class"] == part["class"]);
                let sum: u64 = of_class.map(|buffer| buffer["size_bytes"].as_u64().unwrap()).sum();
                assert_eq!(part[format!("{side}_bytes")].as_u64(), Some(sum), "{name} {part}");
            }
        }
        assert_ne!(program["delta_bytes"], 0);
    }
}

/// Links that are slower appear in the collectives that use them.
#[test]
fn a_fault_of_collectives_is_in_their_rows() {
    let (healthy, _) = simulated(&[]);
    let (broken, truth) = simulated(&["--fault", "exposed-all-gather"]);
    let comparison = compared(opened(&healthy), opened(&broken));
    let injected = truth["faults"][0]["injected_ps_per_step"].as_i64().unwrap();
    assert!(
        (comparison.comm.stall.delta_ps - injected).abs() * 50 <= injected,
        "{} {injected}",
        comparison.comm.stall.delta_ps
    );
    let gathers = comparison.comm.rows.iter().filter(|row| row.primitive == Primitive::AllGather);
    let gathered: i64 = gathers.map(|row| row.stall_delta_ps).sum();
    assert!(gathered * 10 >= injected * 9, "{gathered} of {injected}");
    let first = &comparison.comm.rows[0];
    let (a, b) = (first.a.as_ref().unwrap(), first.b.as_ref().unwrap());
    assert!(a.bus_rate.unwrap() > b.bus_rate.unwrap() && a.bytes == b.bytes && a.n_executions == b.n_executions);
    assert!(comparison.comm.rows.iter().all(|row| row.a.is_some() && row.b.is_some()));
}

/// A side without buffers, and sides without a common program.
#[test]
fn a_side_without_buffers_has_a_reason() {
    let whole = common::bytes(&common::make::small());
    let comparison = compared(side("small.xplane.pb", whole.clone()), gpu("xla"));
    assert!(
        comparison.memory.program.is_none() && comparison.memory.absent.as_ref().unwrap().contains("programs of A"),
        "{:?}",
        comparison.memory
    );
    let comparison = compared(gpu("xla"), side("small.xplane.pb", whole));
    assert!(comparison.memory.absent.unwrap().contains("programs of B"));
    let comparison = compared(gpu("xla"), sample("sample.xplane.pb.xz"));
    check_sections(&comparison);
}

/// The order of the files of a side changes nothing.
#[test]
fn hosts_in_another_order() {
    let (a, _) = made(&["--steps", "4", "--no-trace", "--hosts", "2", "--devices", "8"]);
    let (b, _) = made(&["--steps", "4", "--no-trace", "--hosts", "2", "--devices", "8", "--fault", "slow-link"]);
    let side = |folder: &Path, is_reversed: bool| {
        let mut all: Vec<_> = files(folder).into_iter().filter(|(name, _)| name.ends_with(".xplane.pb")).collect();
        assert_eq!(all.len(), 2);
        if is_reversed {
            all.reverse();
        }
        let input = |(name, bytes)| Input { name, source: Box::new(bytes), from_folder: false };
        let opened = open_inputs(all.into_iter().map(input).collect(), &mut |_| {}).unwrap();
        CompareSide::new(opened, &OverviewQuery::default()).unwrap()
    };
    let read = |is_reversed| {
        let (mut a, mut b) = (side(a.path(), is_reversed), side(b.path(), is_reversed));
        let mut comparison = compare_sessions(&mut a, &mut b, &CompareOptions::default()).unwrap();
        (comparison.a.files, comparison.b.files) = (Vec::new(), Vec::new());
        comparison
    };
    let (one, other) = (read(false), read(true));
    check_sections(&one);
    assert_eq!((&one.memory, &one.comm), (&other.memory, &other.comm));
    assert_eq!((one.delta_ps, one.verdict, &one.parts), (other.delta_ps, other.verdict, &other.parts));
}
