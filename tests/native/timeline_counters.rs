//! These tests check counters that CUPTI samples at a fixed rate, and compare the measured traffic of a GPU's memory with the
//! bytes of the roofline.

use crate::common::make::{self, Plane, int};
use crate::common::{bytes, open, roofline_query};
use crate::timeline_series::Shown;
use prost::Message;
use rooflight::analysis::base::{Query, StepChoice};
use rooflight::analysis::timeline::SeriesUnit;
use std::io::Read;
use std::process::Command;
use xla_profile::profile::NoteCode;
use xla_profile::units::Picos;
use xla_profile::wire::proto::xspace::x_event::Data;
use xla_profile::wire::proto::xspace::x_stat::Value;
use xla_profile::wire::proto::xspace::{XEvent, XSpace, XStat};

/// A device with samples of one counter at times in ps.
fn samples(name: &str, samples: &[(i64, i64)]) -> Vec<u8> {
    let mut plane = Plane::new("/device:GPU:0");
    let op = plane.op("fusion_1", "", &[]);
    plane.line("Stream #1(Compute)", &[(op, 0, 10_000_000)]);
    let id = plane.op(name, "", &[]);
    let event = |(start, value): &(i64, i64)| {
        let mut event = make::event(id, *start, 0);
        event.stats = vec![plane.stat(name, int(*value))];
        event
    };
    let events = samples.iter().map(event).collect();
    plane.line("_counters_", &[]).events = events;
    bytes(&XSpace { planes: vec![plane.done()], ..XSpace::default() })
}

/// Amounts of bytes are divided by the time to the next sample. Where samples are missing, no value is shown.
#[test]
fn sampled_bytes_are_rates() {
    let name = "dram__bytes_read.sum";
    let times = [(2_000_000, 4000), (3_000_000, 6000), (4_000_000, 2000), (7_000_000, 8000), (-5_000_000, 77)];
    let opened = open("it.xplane.pb", samples(name, &times)).unwrap();
    let notes: Vec<NoteCode> = opened.profile.notes.iter().map(|note| note.code).collect();
    assert!(notes.contains(&NoteCode::NegativeTime), "{notes:?}");
    let mut shown = Shown::new(&opened.profile);
    let track = shown.series(name)[0].clone();
    // 8,000 bytes in 1 µs are 8 GB/s.
    assert_eq!((track.unit, track.max, track.is_estimated), (SeriesUnit::BytesPerSecond, Some(8e9), false));
    let mean = |shown: &mut Shown<'_>, range| shown.range(&track, range).mean;
    assert_eq!(mean(&mut shown, (0, 2_000_000)), None, "the sample at a negative time is left out");
    assert_eq!(mean(&mut shown, (2_000_000, 3_000_000)), Some(4e9));
    assert_eq!(mean(&mut shown, (4_000_000, 5_000_000)), Some(2e9));
    assert_eq!(mean(&mut shown, (5_000_000, 7_000_000)), None, "samples are missing");
    let all = shown.range(&track, (0, 10_000_000));
    assert_eq!((all.covered, all.mean), (Picos(4_000_000), Some(5e9)));

    // Sums of bytes of other units are rates as well.
    let opened = open("it.xplane.pb", samples("lts__t_bytes.sum", &times)).unwrap();
    let track = Shown::new(&opened.profile).series("lts__t_bytes.sum")[0].clone();
    assert_eq!((track.unit, track.max), (SeriesUnit::BytesPerSecond, Some(8e9)));

    // One sample has no interval.
    let opened = open("it.xplane.pb", samples(name, &times[..1])).unwrap();
    let mut shown = Shown::new(&opened.profile);
    let track = shown.series(name)[0].clone();
    assert_eq!((track.max, shown.range(&track, (0, 10_000_000)).mean), (None, None));

    // Rates and shares of CUPTI are shown as they are.
    for (name, unit) in [
        ("dram__bytes_read.sum.per_second", SeriesUnit::BytesPerSecond),
        ("dram__throughput.avg.pct_of_peak_sustained_elapsed", SeriesUnit::Percent),
        ("sm__cycles_active.avg", SeriesUnit::Value),
    ] {
        let opened = open("it.xplane.pb", samples(name, &times)).unwrap();
        let mut shown = Shown::new(&opened.profile);
        let track = shown.series(name)[0].clone();
        assert_eq!((track.unit, track.max), (unit, Some(8000.0)));
        assert_eq!(shown.range(&track, (3_000_000, 4_000_000)).mean, Some(6000.0));
    }
}

/// The bytes of the roofline come from the shapes of the program. They are those that the memory moves, but for repeated reads
/// and for the L2 cache. All eight steps of `samples/gpu/train.py --counters` are in the samples.
#[test]
fn measured_traffic_agrees_with_the_roofline() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/gpu/counters.graphs.xplane.pb.xz");
    let packed = std::fs::read(path).unwrap();
    let mut file = Vec::new();
    lzma_rust2::XzReader::new(&*packed, true).read_to_end(&mut file).unwrap();

    // The oracle: a full decode of the file.
    let space = XSpace::decode(&*file).unwrap();
    let plane = space.planes.iter().find(|plane| plane.name == "/device:GPU:0").unwrap();
    let line = plane.lines.iter().find(|line| line.name == "_counters_").unwrap();
    let sum = |name: &str| {
        let is_in_capture = |event: &&XEvent| matches!(event.data, Some(Data::OffsetPs(offset)) if offset >= 0);
        let events = line.events.iter().filter(is_in_capture);
        let events = events.filter(|event| plane.event_metadata[&event.metadata_id].name == name);
        let value = |stats: &[XStat]| match stats[0].value {
            Some(Value::DoubleValue(value)) => value,
            _ => panic!("{stats:?}"),
        };
        events.map(|event| value(&event.stats)).sum::<f64>()
    };
    let [read, write] = ["dram__bytes_read.sum", "dram__bytes_write.sum"].map(sum);

    let opened = open("counters.graphs.xplane.pb", file.clone()).unwrap();
    let mut shown = Shown::new(&opened.profile);
    let end = shown.index.timeline.end.0;
    let mut measured = 0.0;
    for (name, expected) in [("dram__bytes_read.sum", read), ("dram__bytes_write.sum", write)] {
        let track = shown.series(name)[0].clone();
        assert_eq!(track.unit, SeriesUnit::BytesPerSecond);
        // The integral is in bytes per second times ps. The interval of the last sample lies after the end of the session.
        let bytes = shown.integral(&track, (0, end)) * 1e-12;
        assert!((bytes / expected - 1.0).abs() < 1e-6, "{name}: {bytes} of {expected}");
        // 3,352 GB/s is the bandwidth of the memory.
        assert!(track.max.is_some_and(|max| max > 1e12 && max < 3.352e12), "{name}: {:?}", track.max);
        measured += bytes;
    }
    let query = roofline_query(Query { step: StepChoice::All, ..Query::busiest() });
    let roofline = shown.analysis.roofline(&opened.profile, &query, None).unwrap();
    let estimated = roofline.figures.window.bytes.unwrap();
    println!("measured {measured}, estimated {estimated}");
    assert!(measured < estimated && measured > 0.88 * estimated, "{measured} of {estimated}");

    // The overview has both, and the bytes are those of the samples in the steady steps.
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("counters.graphs.xplane.pb");
    std::fs::write(&input, &file).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_rooflight"));
    let json = command.arg("overview").arg("--json").arg(&input).output().unwrap().stdout;
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    let share = |name: &str| json["figures"][name]["value"].as_f64().unwrap();
    let (measured, estimated) = (share("hbm_bandwidth_measured"), share("hbm_bandwidth"));
    assert!((measured - 0.47).abs() < 0.01 && (estimated - 0.52).abs() < 0.01, "{measured}, {estimated}");
}

/// A trace for Perfetto has the samples of counters as counters, with their values.
#[test]
fn exported_traces_have_counters() {
    let folder = tempfile::tempdir().unwrap();
    let (input, out) = (folder.path().join("it.xplane.pb"), folder.path().join("it.trace.json"));
    std::fs::write(&input, samples("dram__bytes_read.sum", &[(2_000_000, 4000), (3_000_000, 6000)])).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_rooflight"));
    let status = command.arg("export").arg("--trace-json").arg(&out).arg(&input).output().unwrap().status;
    assert!(status.success());
    let trace: serde_json::Value = serde_json::from_slice(&std::fs::read(&out).unwrap()).unwrap();
    let of_phase = |phase: &str| -> Vec<&serde_json::Value> {
        trace["traceEvents"].as_array().unwrap().iter().filter(|event| event["ph"] == phase).collect()
    };
    let counters = of_phase("C");
    let values: Vec<_> = counters.iter().map(|event| (event["ts"].as_f64(), event["args"].clone())).collect();
    let name = "dram__bytes_read.sum";
    let expected = |ts: f64, value: f64| (Some(ts), serde_json::json!({name: value}));
    assert_eq!(values, [expected(2.0, 4000.0), expected(3.0, 6000.0)]);
    assert!(counters.iter().all(|event| event["name"] == name && event["pid"] == 1));
    assert_eq!(of_phase("X").len(), 1, "only the kernel");
}
