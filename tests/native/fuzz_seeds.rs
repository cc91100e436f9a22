//! This module writes seeds for the fuzz targets: `cargo test --test native fuzz_seeds:: -- --ignored`
//! (fuzz/README.md). The seeds are small files that reach much code. The seeds are made from built captures, with their
//! programs, texts, traces, archives and reports, and from the first events and instructions of real captures and
//! programs, if there are any.

use crate::common;
use crate::common::trace::{events_of, gzip, text, xz};
use crate::common::{bytes, hlo, make, memory, profile, zip};
use flate2::read::DeflateDecoder;
use rooflight::protocol::ShareQuery;
use rooflight::session::{Input, OpenSession};
use rooflight::share::{Level, encode, pack};
use std::fs;
use std::io::Read;
use std::path::Path;
use xla_profile::wire::hlo::decode;
use xla_profile::wire::proto::hlo::HloProto;
use xla_profile::wire::proto::xspace::XSpace;

/// Number of events of a line, and of instructions of a computation, that a seed keeps of real data.
const KEPT: usize = 40;
/// Largest number of bytes of a capture in the seeds of packed files.
const PACKED_START: usize = 8 << 10;

fn put(target: &str, name: &str, bytes: &[u8]) {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(target);
    fs::create_dir_all(&dir).unwrap();
    fs::write(dir.join(name), bytes).unwrap();
}

/// Returns a capture with the first events of each line and the metadata that they name.
fn first_events(mut space: XSpace) -> XSpace {
    for plane in &mut space.planes {
        plane.lines.truncate(12);
        plane.lines.iter_mut().for_each(|line| line.events.truncate(KEPT));
        let named: Vec<i64> = plane.lines.iter().flat_map(|line| &line.events).map(|event| event.metadata_id).collect();
        // No event names the metadata of programs, which are seeds of their own.
        plane.event_metadata.retain(|id, _| named.contains(id));
    }
    space
}

/// Returns a program with its last four computations, and with their first instructions and the first buffers.
fn first_instructions(mut program: HloProto) -> HloProto {
    if let Some(module) = &mut program.hlo_module {
        let from = module.computations.len().saturating_sub(4);
        module.computations.drain(..from);
        module.computations.iter_mut().for_each(|computation| computation.instructions.truncate(KEPT));
    }
    if let Some(buffers) = &mut program.buffer_assignment {
        buffers.logical_buffers.truncate(4 * KEPT);
        buffers.buffer_aliases.truncate(KEPT);
        buffers.buffer_allocations.truncate(KEPT);
        buffers.buffer_allocations.iter_mut().for_each(|allocation| allocation.assigned.truncate(KEPT));
        buffers.heap_simulator_traces.truncate(2);
        buffers.heap_simulator_traces.iter_mut().for_each(|trace| trace.events.truncate(4 * KEPT));
    }
    program
}

fn spaces() -> Vec<(String, XSpace)> {
    let mut all = vec![("small".to_owned(), make::small()), ("kda".to_owned(), make::kda())];
    all.extend(
        common::xspaces()
            .into_iter()
            .map(|(name, bytes)| (name.replace('/', "-"), first_events(prost::Message::decode(&*bytes).unwrap()))),
    );
    all
}

fn programs() -> Vec<(String, HloProto)> {
    let mut all = vec![("tiny".to_owned(), memory::tiny())];
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/train_step.hlo_proto.pb.gz");
    let sample = xla_profile::source::inflate_slice(&fs::read(sample).unwrap(), 1 << 28).bytes;
    all.push(("sample".to_owned(), first_instructions(decode(&sample).unwrap())));
    for name in ["v5e_2x2_dense_L2_d1024_s1024_b8_tp2", "v6e_2x4_dense_L16_d2048_s2048_b16_tp2.after_codegen"] {
        let program = profile(&format!("tpu-aot/{name}.hlo_proto.pb")).map(|bytes| decode(&bytes).unwrap());
        all.extend(program.map(|program| (name.to_owned(), first_instructions(program))));
    }
    all
}

/// Returns the streams of a report, as the target `link` takes them: without the version, the length and the checksum
/// before them.
fn streams(report: &[u8]) -> Vec<u8> {
    let start = (1..11).find(|index| report[*index] < 0x80).unwrap() + 5;
    let mut streams = Vec::new();
    DeflateDecoder::new(&report[start..]).read_to_end(&mut streams).unwrap();
    streams
}

#[test]
#[ignore = "writes to fuzz/seeds"]
fn on_request_write() {
    for (name, space) in spaces() {
        let bytes = bytes(&space);
        put("analyses", &name, &bytes);
        // These two targets test unpacking. A whole capture would take seconds each time.
        let start = &bytes[..bytes.len().min(PACKED_START)];
        put("gzip", &name, &gzip(start));
        put("xz", &name, &xz(start));
        put(
            "zip",
            &name,
            &zip::zip(&[zip::deflated("run/a.xplane.pb", &bytes), zip::stored("b.json.gz", &gzip(&bytes))]),
        );
        for (i, line) in space.planes.iter().flat_map(hlo::op_texts).take(3 * KEPT).enumerate() {
            put("hlo_text", &format!("{name}-{i}"), line.as_bytes());
        }
        let input = Input { name: format!("{name}.xplane.pb"), source: Box::new(bytes), from_folder: false };
        let (mut engine, _) = OpenSession::open(vec![input], &mut |_| {}).unwrap();
        let report = engine.report(&ShareQuery::default()).unwrap();
        for level in [0, 60, 100] {
            let result = report.cut_to(Level::from_slider(level));
            put("link", &format!("{name}-{level}"), &streams(&encode(&result)));
            put("report_file", &format!("{name}-{level}"), &pack(&result, &[]));
        }
    }
    for mut space in [make::small(), make::kda()] {
        // Host planes are left out, because their times count from 1970.
        space.planes.retain(|plane| plane.name != "/host:CPU");
        let text = text(&events_of(&space));
        put("trace", &format!("made-{}", text.len()), &text);
    }
    if let Some(trace) = profile("cpu-jax/vm.trace.json.gz") {
        // Only the start of the trace is kept. The missing rest is reported as damage.
        let text = xla_profile::source::inflate_slice(&trace, 1 << 30).bytes;
        put("trace", "cpu-jax", &text[..40_000]);
    }
    for (name, program) in programs() {
        let bytes = prost::Message::encode_to_vec(&program);
        for target in ["hlo_proto", "memory"] {
            put(target, &name, &bytes);
        }
        let text = xla_profile::hlo::Module::from_proto(&program).to_string();
        put("hlo_text", &format!("module-{name}"), text.as_bytes());
    }
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/kernel")).unwrap().flatten() {
        put("mosaic", &entry.file_name().to_string_lossy(), &fs::read(entry.path()).unwrap());
    }
    // `tests/native/common/generated.rs` explains the choices.
    for n in 0..40 {
        let mut random = fastrand::Rng::with_seed(n);
        let choices: Vec<u8> = std::iter::once(0xff).chain((0..600).map(|_| random.u8(..))).collect();
        put("analyses", &format!("choices-{n}"), &choices);
    }
}
