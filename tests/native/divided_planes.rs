//! These tests compare a plane whose events several threads or workers read with the same plane read by one thread. The plane has
//! everything that the reader keeps from one event for others: ops and texts that events add, values beside events, and counts.

use crate::common::make::{Plane, int, text};
use crate::parallel::{assert_same, equal_parts, read, read_apart};
use prost::Message;
use xla_profile::wire::proto::xspace::x_event::Data;
use xla_profile::wire::proto::xspace::x_stat::Value;
use xla_profile::wire::proto::xspace::{XEvent, XLine, XSpace, XStat};

/// Number of events of each line; no multiple of the number of events that stay together.
const N_EVENTS: usize = 5_000;

/// A small generator of numbers that look random.
fn numbers(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = seed;
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    }
}

/// Returns the value of `memory_access_breakdown` for some bytes of HBM.
fn memory(bytes: u8) -> Value {
    Value::BytesValue(vec![0x0a, 6, 0x08, 1, 0x10, 1, 0x18, bytes])
}

/// Returns a capture of one plane with this name. Its lines have these names.
fn capture(plane: &str, lines: &[&str], seed: u64) -> XSpace {
    let (mut random, mut p) = (numbers(seed), Plane::new(plane));
    let ops: Vec<i64> = (0..40)
        .map(|n| p.op(&format!("%fusion.{n} = f32[8] fusion(%a)"), &format!("fusion.{n}"), &[("flops", int(n))]))
        .collect();
    for line in lines {
        let mut events = Vec::new();
        for n in 0..N_EVENTS {
            // An id without metadata, now and then, and new ones late in the line.
            let id = if random(50) == 0 {
                1_000 + random(5 + n as u64 / 500).cast_signed()
            } else {
                ops[random(40) as usize]
            };
            let offset = if random(400) == 0 { -5 } else { (n as i64) * 1_000 + random(100).cast_signed() };
            let mut event = XEvent {
                metadata_id: id,
                duration_ps: random(900).cast_signed(),
                data: Some(if random(900) == 0 { Data::NumOccurrences(3) } else { Data::OffsetPs(offset) }),
                ..XEvent::default()
            };
            let late = n as u64 / 700;
            let mut add = |name: &str, value: Value| event.stats.push(p.stat(name, value));
            match random(12) {
                0 => add("hlo_op", text(&format!("op.{}", random(20 + late)))),
                1 => add("flops", Value::Uint64Value(random(9 + late))),
                2 => add("memory_access_breakdown", memory((random(10 + late)) as u8)),
                3 => {
                    add("hlo_op", text(&format!("op.{}", random(20))));
                    add("hlo_module", text(&format!("jit_{}", random(3 + late))));
                    add("run_id", int(random(90).cast_signed()));
                    add("device_ordinal", int(random(2).cast_signed()));
                }
                4 => add("correlation_id", int(random(5_000).cast_signed())),
                5 => add("flow", Value::Uint64Value(random(5_000) << 8)),
                6 => {
                    add("bytes_reserved", int(random(1 << 20).cast_signed()));
                    add("bytes_allocated", int(random(1 << 20).cast_signed()));
                    add("allocator_name", text(&format!("GPU_{}", random(2 + late))));
                }
                7 => add("cuda_graph_node_id", Value::Uint64Value(1 << 32 | random(60))),
                8 => {
                    add("_pt", int(random(9).cast_signed()));
                    add("_p", Value::Uint64Value(random(900)));
                }
                9 => add("% util", Value::DoubleValue(random(100) as f64)),
                10 => {
                    event.stats.push(XStat { metadata_id: 7_777, value: Some(int(1)) });
                }
                _ => {}
            }
            // One line has times on the device clock for all events, one for events of its second half alone.
            if line.starts_with("XLA") || line.starts_with("mixed") && n > N_EVENTS / 2 {
                let mut add = |name: &str, value: Value| event.stats.push(p.stat(name, value));
                add("device_offset_ps", int((n as i64) * 1_001));
                add("device_duration_ps", int(7));
            }
            events.push(event);
        }
        p.line(line, &[]).events = events;
    }
    p.op("jit_train(42)", "", &[("hlo_proto", Value::BytesValue(vec![1, 2, 3]))]);
    XSpace { planes: vec![p.done()], hostnames: vec!["host-a".into()], ..XSpace::default() }
}

/// Moves the name of each line behind its events, which a writer may do.
fn with_names_at_the_end(space: &XSpace) -> Vec<u8> {
    let mut plane = Vec::new();
    let field = |number: u32, bytes: &[u8], to: &mut Vec<u8>| {
        prost::encoding::encode_key(number, prost::encoding::WireType::LengthDelimited, to);
        prost::encoding::encode_varint(bytes.len() as u64, to);
        to.extend(bytes);
    };
    let mut rest = space.planes[0].clone();
    for line in std::mem::take(&mut rest.lines) {
        let name = line.name.clone();
        let mut line = XLine { name: String::new(), ..line }.encode_to_vec();
        field(2, name.as_bytes(), &mut line);
        field(3, &line, &mut plane);
    }
    plane.extend(rest.encode_to_vec());
    let mut bytes = Vec::new();
    field(1, &plane, &mut bytes);
    bytes
}

#[test]
fn the_parts_of_a_plane_are_joined_to_the_whole() {
    let lines = ["XLA Ops", "mixed", "Async XLA Ops", "Stream #1(Compute)", "_counters_"];
    for (seed, plane) in (1..).zip(["/device:TPU:0", "/device:GPU:3", "/host:CPU", "/device:CUSTOM:x"]) {
        let space = capture(plane, &lines, seed);
        for (order, bytes) in [("names first", space.encode_to_vec()), ("names last", with_names_at_the_end(&space))] {
            let (one, outcome, _) = read(&bytes, 1);
            assert_eq!((outcome.n_damage, one.planes[0].lines.len()), (0, lines.len()));
            assert!(one.planes[0].ops.len() > 150, "events add ops: {}", one.planes[0].ops.len());
            assert!(one.notes.len() > 1, "{:?}", one.notes);
            for n in [1, 2, 3, 8, 50, 300] {
                let name = format!("{plane}, {order}, {n} parts");
                assert_same(&name, &one, &read_apart(&bytes, |span| equal_parts(span, n)));
            }
            for n in [2, 3, 8] {
                let (many, of_many, n_reports) = read(&bytes, n);
                assert_same(&format!("{plane}, {order}, {n} threads"), &one, &many);
                assert!(of_many == outcome && n_reports > 0);
            }
        }
    }
}

#[test]
fn damage_in_a_divided_plane_is_reported_as_by_one_thread() {
    let whole = capture("/device:TPU:0", &["XLA Ops", "Async XLA Ops"], 9).encode_to_vec();
    let mut n_damaged = 0;
    for place in (0..whole.len()).step_by(whole.len() / 37) {
        let mut bytes = whole.clone();
        let end = (place + 16).min(bytes.len());
        bytes[place..end].fill(0xff);
        let (one, outcome, _) = read(&bytes, 1);
        let (many, of_many, _) = read(&bytes, 3);
        assert_eq!(outcome, of_many, "damage at {place}");
        assert_same(&format!("damage at {place}"), &one, &many);
        n_damaged += u32::from(outcome.n_damage > 0);
    }
    assert!(n_damaged > 30, "{n_damaged}");
}
