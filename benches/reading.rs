//! This benchmark measures how fast a capture is read, step by step, and compares it with the speed that its bytes
//! allow: `cargo bench --bench reading`.
//!
//! ```text
//!  copy       memcpy of the file's bytes: no reader can be faster
//!  skip       steps over every field of every message and examines nothing: the least that a protobuf reader does
//!  walk       our walk: finds everything and keeps nothing
//!  open       the walk into the columns that the page holds
//!  …          each analysis of the open capture
//! ```
//! The capture is a run of the sample's program on two devices.

#[path = "../examples/synth/main.rs"]
#[allow(dead_code, reason = "the program has a main of its own")]
mod synth;

use clap::Parser;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rooflight::analysis::base::{Analysis, GroupBy, Query, StepChoice};
use rooflight::analysis::comm::CommQuery;
use rooflight::analysis::roofline::RooflineQuery;
use rooflight::session::{Input, Opened, Programs, comm, data_movement, memory_programs, roofline, roofline_steps};
use std::hint::black_box;
use xla_profile::wire::xspace::{Event, LineHead, PlaneHead, Sink, SpaceField, Stat, walk};

const MB: &str = "20";

fn capture() -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().to_str().expect("a name");
    let args = ["synth", "--out", out, "--devices", "2", "--size-mb", MB, "--no-trace"];
    synth::make(&synth::args::Args::parse_from(args)).expect("a capture");
    std::fs::read(folder.path().join("worker-0.xplane.pb")).expect("a capture")
}

/// Steps over every field, and into each field that holds a message by its field number. Returns the number of fields,
/// or `None` if the bytes are damaged.
fn skip(mut bytes: &[u8], message: Message) -> Option<u64> {
    let mut n = 0;
    while !bytes.is_empty() {
        let key = varint(&mut bytes)?;
        n += 1;
        match key & 7 {
            0 => drop(varint(&mut bytes)?),
            1 => bytes = bytes.get(8..)?,
            5 => bytes = bytes.get(4..)?,
            2 => {
                let length = usize::try_from(varint(&mut bytes)?).ok()?;
                let (inside, rest) = bytes.split_at_checked(length)?;
                if let Some(message) = message.field(key >> 3) {
                    n += skip(inside, message)?;
                }
                bytes = rest;
            }
            _ => return None,
        }
    }
    Some(n)
}

#[derive(Clone, Copy)]
enum Message {
    Space,
    Plane,
    Line,
    Event,
    Entry,
    Metadata,
    Leaf,
}

impl Message {
    const fn field(self, number: u64) -> Option<Self> {
        match (self, number) {
            (Self::Space, 1) => Some(Self::Plane),
            (Self::Plane, 3) => Some(Self::Line),
            (Self::Plane, 4 | 5) => Some(Self::Entry),
            (Self::Entry, 2) => Some(Self::Metadata),
            (Self::Line, 4) => Some(Self::Event),
            (Self::Event, 4) | (Self::Plane, 6) | (Self::Metadata, 5) => Some(Self::Leaf),
            _ => None,
        }
    }
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..70).step_by(7) {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(first & 0x7f).checked_shl(shift)?;
        if *first < 0x80 {
            return Some(value);
        }
    }
    None
}

/// A sink that counts events and their stats, and keeps nothing else.
#[derive(Default)]
struct Nothing(u64);

impl Sink for Nothing {
    fn plane(&mut self, _: PlaneHead) {}
    fn stat_name(&mut self, _: i64, _: &str) {}
    fn plane_stat(&mut self, _: Stat<'_>) {}
    fn event_metadata(&mut self, _: i64, _: &str, _: &str) {}
    fn metadata_stat(&mut self, _: Stat<'_>) {}
    fn line(&mut self, _: &LineHead) {}
    fn event_stat(&mut self, _: Stat<'_>) {
        self.0 += 1;
    }
    fn event(&mut self, _: Event) {
        self.0 += 1;
    }
    fn discard(&mut self) {}
    fn line_end(&mut self, _: &LineHead) {}
    fn plane_end(&mut self) {}
    fn space_field(&mut self, _: SpaceField) {}
    fn progress(&mut self, _: u64) {}
}

fn input(bytes: &[u8]) -> Vec<Input> {
    vec![Input { name: "bench.xplane.pb".into(), source: Box::new(bytes.to_vec()), from_folder: false }]
}

fn reading(criterion: &mut Criterion) {
    let bytes = capture();
    let mut group = criterion.benchmark_group("reading");
    group.throughput(Throughput::Bytes(bytes.len() as u64)).sample_size(20);
    let mut copy = vec![0; bytes.len()];
    group.bench_function("copy", |b| b.iter(|| copy.copy_from_slice(black_box(&bytes))));
    assert!(skip(&bytes, Message::Space).is_some(), "the capture is whole");
    group.bench_function("skip", |b| b.iter(|| skip(black_box(&bytes), Message::Space)));
    group.bench_function("walk", |b| {
        b.iter(|| {
            let mut nothing = Nothing::default();
            walk(black_box(&bytes), &mut nothing);
            nothing.0
        });
    });
    group.bench_function("open", |b| {
        b.iter_batched(
            || input(&bytes),
            |input| rooflight::session::open(input, &mut |_| {}),
            criterion::BatchSize::LargeInput,
        );
    });
    group.finish();
    analyses(criterion, &bytes);
}

/// Measures each analysis of the whole capture. An analysis of one device takes the first device.
fn analyses(criterion: &mut Criterion, bytes: &[u8]) {
    let mut opened = rooflight::session::open(input(bytes), &mut |_| {}).expect("a capture");
    let mut programs = Programs::new(std::mem::take(&mut opened.open_files));
    let Opened { profile, .. } = opened;
    let mut group = criterion.benchmark_group("analysis");
    group.throughput(Throughput::Bytes(bytes.len() as u64)).sample_size(20);
    group.bench_function("ops, devices and steps", |b| b.iter(|| Analysis::new(&profile)));
    let analysis = Analysis::new(&profile);
    for by in [GroupBy::Op, GroupBy::Source] {
        let query = Query { by, step: StepChoice::All, ..Query::busiest() };
        group.bench_function(format!("breakdown by {}", by.key()), |b| {
            b.iter(|| analysis.breakdown(&profile, &query));
        });
    }
    group.bench_function("tree of scopes", |b| {
        b.iter(|| analysis.scopes(&profile, &Query::busiest(), "", 0.001));
    });
    group.bench_function("steps", |b| b.iter(|| analysis.step_stats(&profile)));
    let query = Query { step: StepChoice::All, ..Query::busiest() };
    group.bench_function("non-compute", |b| b.iter(|| data_movement(&analysis, &profile, &mut programs, &query)));
    let request = RooflineQuery { query: query.clone(), ..RooflineQuery::default() };
    group.bench_function("roofline", |b| b.iter(|| roofline(&analysis, &profile, &mut programs, &request)));
    group.bench_function("roofline of all steps", |b| {
        b.iter(|| roofline_steps(&analysis, &profile, &mut programs, &request));
    });
    group.bench_function("memory", |b| {
        b.iter(|| {
            let result = analysis.programs(&profile);
            (memory_programs(&profile, &mut programs, &result), analysis.runtime_memory(&profile))
        });
    });
    let request = CommQuery { query, ..CommQuery::default() };
    group.bench_function("comm", |b| b.iter(|| comm(&analysis, &profile, &mut programs, &request)));
    group.finish();
}

criterion_group!(benches, reading);
criterion_main!(benches);
