//! These tests check that a comparison does not depend on the order of lines, planes, devices and files.

use crate::common::bytes;
use crate::compare::{compared, side};
use crate::synth::{files, made};
use prost::Message;
use rooflight::analysis::compare::Comparison;
use rooflight::analysis::overview::OverviewQuery;
use rooflight::session::Input;
use rooflight::session::compare::CompareSide;
use std::io::Read;
use xla_profile::wire::proto::xspace::XSpace;

/// Returns a capture whose planes and lines are in another order.
fn shuffled(capture: &[u8], random: &mut fastrand::Rng) -> Vec<u8> {
    let mut space = XSpace::decode(capture).unwrap();
    random.shuffle(&mut space.planes);
    space.planes.iter_mut().for_each(|plane| random.shuffle(&mut plane.lines));
    bytes(&space)
}

fn unpacked(name: &str) -> Vec<u8> {
    let packed = std::fs::read(format!("{}/samples/{name}.xplane.pb.xz", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let mut bytes = Vec::new();
    lzma_rust2::XzReader::new(&packed[..], true).read_to_end(&mut bytes).unwrap();
    bytes
}

fn json(comparison: &Comparison) -> serde_json::Value {
    serde_json::to_value(comparison).unwrap()
}

#[test]
fn order_of_planes_and_lines() {
    let mut random = fastrand::Rng::with_seed(11);
    let pairs = [("gpu/xla.graphs", "gpu/f32.graphs"), ("gpu/xla.kernels", "gpu/cudnn.kernels"), ("sample", "sample")];
    let (slower, _) = made(&["--steps", "6", "--no-trace", "--fault", "straggler", "--seed", "3", "--renumber"]);
    for (a, b) in pairs {
        println!("{a} against {b}");
        let a = unpacked(a);
        let b = if b == "sample" { files(slower.path())["worker-0.xplane.pb"].clone() } else { unpacked(b) };
        let plain = json(&compared(side("a.xplane.pb", a.clone()), side("b.xplane.pb", b.clone())));
        for _ in 0..3 {
            let (a, b) = (shuffled(&a, &mut random), shuffled(&b, &mut random));
            let other = json(&compared(side("a.xplane.pb", a), side("b.xplane.pb", b)));
            assert!(plain == other, "{}", differing(&plain, &other));
        }
    }
}

/// The captures of the hosts of a session may be opened in any order.
#[test]
fn order_of_files() {
    let sides = ["1", "2"].map(|seed| made(&["--steps", "6", "--no-trace", "--hosts", "2", "--seed", seed]).0);
    let side = |folder: &tempfile::TempDir, names: [&str; 2]| {
        let files = files(folder.path());
        let input = |name: &str| {
            let (name, source) = (format!("{name}.xplane.pb"), files[&format!("{name}.xplane.pb")].clone());
            Input { name, source: Box::new(source), from_folder: false }
        };
        let opened = rooflight::session::open(names.map(input).into(), &mut |_| {}).unwrap();
        CompareSide::new(opened, &OverviewQuery::default()).unwrap()
    };
    let (order, other) = (["worker-0", "worker-1"], ["worker-1", "worker-0"]);
    let mut plain = json(&compared(side(&sides[0], order), side(&sides[1], order)));
    let mut turned = json(&compared(side(&sides[0], other), side(&sides[1], other)));
    for document in [&mut plain, &mut turned] {
        // The head lists files as they were opened.
        for head in ["a", "b"] {
            document[head]["files"].take();
        }
    }
    assert!(plain == turned, "{}", differing(&plain, &turned));
}

/// Returns the first part that differs, for messages.
fn differing(a: &serde_json::Value, b: &serde_json::Value) -> String {
    use serde_json::Value::{Array, Object};
    match (a, b) {
        (Object(a), Object(b)) if a.len() == b.len() => {
            let (key, value) = a.iter().find(|(key, value)| b.get(*key) != Some(value)).unwrap();
            format!(".{key}{}", differing(value, &b[key]))
        }
        (Array(a), Array(b)) if a.len() == b.len() => {
            let index = (0..a.len()).find(|index| a[*index] != b[*index]).unwrap();
            format!("[{index}]{}", differing(&a[index], &b[index]))
        }
        _ => format!(": {a} and {b}"),
    }
}
