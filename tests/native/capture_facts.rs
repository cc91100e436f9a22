//! These tests check what the list of captures shows before a capture has been read: the type of its devices and the names of its
//! programs, and how many bytes are read for them.

use crate::captures::{Counting, N, nights, open, set, view};
use crate::common::{answer_of, profile};
use crate::synth::made;
use proptest::prelude::*;
use rooflight::analysis::captures::CaptureFigure;
use rooflight::protocol::table_query::ExportQuery;
use rooflight::protocol::{Export, requests};
use rooflight::session::captures::summarise;
use rooflight::session::open::capture_facts::{CaptureFacts, capture_facts};
use rooflight::session::{Input, OpenSession};
use serde_json::Value;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Instant;

/// The most bytes that may be read of a capture before it is listed.
const MAX_BYTES: u64 = 4 << 20;

/// Returns an input of bytes, and the counter of the bytes that are read of it.
fn counting(name: &str, bytes: &Arc<Vec<u8>>) -> (Input, Arc<AtomicU64>) {
    let n_read = Arc::<AtomicU64>::default();
    let source = Counting { bytes: Arc::clone(bytes), n_read: Arc::clone(&n_read) };
    (Input { name: name.to_owned(), source: Box::new(source), from_folder: true }, n_read)
}

/// Returns the device type and the programs of each row, as the page saves them. Programs are in the order of the alphabet.
fn rows(session: &mut OpenSession) -> Vec<(Value, Vec<String>)> {
    let text = answer_of(session, requests::ExportRows { rows: ExportQuery::Captures, format: Export::Json });
    let json: Value = serde_json::from_str(&text).unwrap();
    let programs = |row: &Value| {
        let mut programs: Vec<String> = serde_json::from_value(row["programs"].clone()).unwrap();
        programs.sort_unstable();
        programs.dedup();
        programs
    };
    json["rows"].as_array().unwrap().iter().map(|row| (row["device_type"].clone(), programs(row))).collect()
}

#[test]
fn devices_and_programs_are_known_before_captures_are_read() {
    let nights = nights();
    let (mut session, _) = open(&nights.inputs(|_| true));
    assert_eq!(view(&mut session, CaptureFigure::StepTime).n_read, 0);
    let before = rows(&mut session);
    for night in 0..N {
        set(&mut session, night, Ok(nights.summary(night)));
    }
    assert_eq!(before, rows(&mut session));
    assert!(before.iter().all(|(device, programs)| device.is_string() && !programs.is_empty()), "{before:?}");
}

/// Of a large capture, little is read. The figures are printed with `--nocapture`.
#[test]
fn few_bytes_are_read_for_them() {
    let (folder, _) = made(&["--steps", "30", "--no-trace", "--devices", "4"]);
    let large = std::fs::read(folder.path().join("worker-0.xplane.pb")).unwrap();
    assert!(large.len() > 8 << 20);
    // The same capture twice would be one.
    let (folder, _) = made(&["--steps", "4", "--no-trace", "--day", "1"]);
    let other = Arc::new(std::fs::read(folder.path().join("worker-0.xplane.pb")).unwrap());
    let named = |name: &str| profile(name).map(|bytes| (name.to_owned(), bytes));
    let real = ["tpu-v6e-host-offload/host.xplane.pb", "gpu-v100/host.xplane.pb", "gpu-mi300/gemm.xplane.pb"];
    let files = [("large".to_owned(), large)].into_iter().chain(real.into_iter().filter_map(named));
    for (name, bytes) in files {
        let bytes = Arc::new(bytes);
        let ((first, n_read), (second, _)) = (counting("a/x.xplane.pb", &bytes), counting("b/x.xplane.pb", &other));
        let start = Instant::now();
        let (mut session, _) = open(&[first, second]);
        let n_read = n_read.load(Ordering::Relaxed);
        let took = start.elapsed() / 2;
        let (input, n_of_facts) = counting("x", &bytes);
        let CaptureFacts { device_type, programs } = capture_facts(&input);
        let n_of_facts = n_of_facts.load(Ordering::Relaxed);
        println!(
            "{name}: {} B, {n_read} B read, {n_of_facts} B for {device_type:?} and {programs:?}, {took:?}",
            bytes.len()
        );
        let is_large = bytes.len() > 8 << 20;
        let limit = if is_large { bytes.len() as u64 / 8 } else { MAX_BYTES };
        assert!(n_read < limit, "{name}: {n_read} of {} bytes", bytes.len());
        let before = rows(&mut session);
        let read = summarise(vec![counting("x", &bytes).0], &mut |_| ()).map_err(|failure| failure.message);
        set(&mut session, 0, read.clone());
        // The rows are in the order of their times.
        let of_first =
            |rows: Vec<(Value, Vec<String>)>| rows.into_iter().find(|(_, names)| *names == programs).unwrap();
        let (device, _) = of_first(before);
        if read.is_ok() {
            assert!(rows(&mut session).iter().any(|(other, _)| *other == device), "{name}");
        }
        assert_eq!(device.as_str(), device_type.as_deref(), "{name}");
    }
}

/// A capture whose stats lie behind more bytes than may be read has no type yet.
#[test]
fn reading_ends_at_the_limit() {
    let field = |number: u8, bytes: &[u8]| {
        let mut field = vec![number << 3 | 2];
        prost::encoding::encode_varint(bytes.len() as u64, &mut field);
        field.extend(bytes);
        field
    };
    // Event metadata: an id, and a value with a name and a long text.
    let metadata = field(2, &[field(2, b"fusion"), field(3, &[b'x'; 2_000])].concat());
    let entry = field(4, &[vec![8, 1], metadata].concat());
    let stat_name = field(5, &[vec![8, 1], field(2, &[vec![8, 1], field(2, b"device_type_string")].concat())].concat());
    let stat = field(6, &[vec![8, 1], field(5, b"TPU v5p")].concat());
    for (n, expected) in [(1_000, Some("TPU v5p")), (4_000, None)] {
        let plane = [field(2, b"/device:TPU:0"), entry.repeat(n), stat_name.clone(), stat.clone()].concat();
        let (input, n_read) = counting("x", &Arc::new(field(1, &plane)));
        assert_eq!(capture_facts(&input).device_type.as_deref(), expected, "{n} ops");
        let n_read = n_read.load(Ordering::Relaxed);
        assert!(n_read < MAX_BYTES, "{n_read} bytes");
    }
}

/// A small capture with all planes.
static SMALL: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let (folder, _) = made(&["--steps", "1", "--no-trace", "--devices", "1"]);
    std::fs::read(folder.path().join("worker-0.xplane.pb")).unwrap()
});

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn damaged_captures_do_not_panic(
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        end in any::<prop::sample::Index>(),
    ) {
        let mut bytes = SMALL.clone();
        for (place, byte) in flips {
            let index = place.index(bytes.len());
            bytes[index] = byte;
        }
        bytes.truncate(end.index(bytes.len()).max(bytes.len() / 4));
        capture_facts(&counting("x", &Arc::new(bytes)).0);
    }

    #[test]
    fn arbitrary_planes_do_not_panic(noise in prop::collection::vec(any::<u8>(), 0..120)) {
        let plane = [b"\x12\x0d/device:TPU:0".as_slice(), &noise].concat();
        let space = [&[0x0a, plane.len() as u8], plane.as_slice()].concat();
        capture_facts(&counting("x", &Arc::new(space)).0);
    }
}
