//! These tests compare smaller captures with the full decode of the original by `prost`, and with its breakdown, and read trace
//! JSON again, on the sample and on real captures.

use crate::common::generated::capture;
use crate::common::make::{Plane, small, text};
use crate::common::{self, bytes, open};
use proptest::prelude::*;
use prost::Message;
use rooflight::analysis::base::{Analysis, Device, DeviceChoice, GroupBy, Query, StepChoice, TimeRange};
use rooflight::analysis::timeline::{TimelineIndex, TraceQuery, TrackKind};
use rooflight::protocol::{ExcerptRequest, ExportedFile, Failure, Reply, TimelineRequest, ViewRequest};
use rooflight::report::timeline;
use rooflight::session::{Input, OpenSession, Opened};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};
use xla_profile::excerpt::{EpochRange, ExcerptQuery, ExcerptReport, write_excerpt};
use xla_profile::profile::{Plane as ProfilePlane, Profile};
use xla_profile::source::{Source, SourceError};
use xla_profile::units::Picos;
use xla_profile::wire::proto::xspace::x_event::Data;
use xla_profile::wire::proto::xspace::{XEvent, XLine, XPlane, XSpace};

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/sample.xplane.pb.xz");
const CONV: &str = "gpu-mi300-conv-legacy/host.xplane.pb";
const TRACE: &str = "tpu-vllm-trace/vllm.trace.json.gz";

/// The XSpaces of this repository, and every other real XSpace that is there, unpacked.
fn xspaces() -> Vec<(&'static str, Vec<u8>)> {
    common::xspaces().into_iter().chain(common::profile(CONV).map(|bytes| (CONV, bytes))).collect()
}

fn unpacked(xz: &[u8]) -> Vec<u8> {
    let packing = xla_profile::source::XZ.into();
    xla_profile::source::inflate(&xz.to_vec(), packing, 1 << 30, &mut |_| {}).bytes
}

fn excerpt(bytes: &Vec<u8>, query: &ExcerptQuery) -> (Vec<u8>, ExcerptReport) {
    let mut out = Vec::new();
    let report = write_excerpt(bytes, query, &mut out).unwrap();
    assert_eq!(report.bytes, out.len() as u64);
    (out, report)
}

fn range_of(analysis: &Analysis, (from, to): (u64, u64)) -> (TimeRange, ExcerptQuery) {
    let range = TimeRange { start: Picos(from), end: Picos(to) };
    let query = ExcerptQuery {
        range: Some(analysis.axis.epoch_range(range)),
        warning: "cut".to_owned(),
        ..ExcerptQuery::default()
    };
    (range, query)
}

/// Windows at random places and of random lengths, from a few events to the whole capture, and one before all events.
fn windows(start: u64, end: u64, n: usize) -> Vec<(u64, u64)> {
    let mut random = fastrand::Rng::with_seed(11);
    let one = |_| {
        let length = ((end - start).max(2) >> random.u32(0..16)).max(1);
        let from = random.u64(start..=end - length.min(end - start));
        (from, from + length)
    };
    (0..n).map(one).chain([(0, start.max(1)), (start, end + 1)]).collect()
}

/// Whether an event touches a range, by the definition.
fn touches(line: &XLine, event: &XEvent, range: EpochRange) -> bool {
    let offset = if let Some(Data::OffsetPs(ps)) = event.data { ps.max(0) } else { 0 };
    let start = i128::from(line.timestamp_ns) * 1000 + i128::from(offset);
    let end = start + i128::from(event.duration_ps.max(0));
    start < range.end && (end > range.start || start >= range.start)
}

/// Filters a decoded XSpace.
fn filtered(space: &XSpace, query: &ExcerptQuery) -> XSpace {
    let mut space = space.clone();
    for plane in &mut space.planes {
        let mut used = BTreeSet::new();
        for line in &mut plane.lines {
            let head = XLine { events: Vec::new(), ..line.clone() };
            line.events.retain(|event| query.range.is_none_or(|range| touches(&head, event, range)));
            used.extend(line.events.iter().map(|event| event.metadata_id));
        }
        let without_programs = query.without_programs && plane.name == "/host:metadata";
        if without_programs {
            plane.event_metadata.clear();
        } else if query.range.is_some() && !plane.lines.is_empty() {
            let mut open: Vec<i64> = used.iter().copied().collect();
            while let Some(id) = open.pop() {
                let children = plane.event_metadata.get(&id).map_or(&[][..], |metadata| &metadata.child_id);
                open.extend(children.iter().filter(|child| used.insert(**child)));
            }
            plane.event_metadata.retain(|id, _| used.contains(id));
        }
    }
    space.warnings.push(query.warning.clone());
    space
}

#[test]
fn excerpts_hold_what_a_filter_of_the_decoded_capture_holds() {
    for (name, bytes) in xspaces() {
        let space = XSpace::decode(bytes.as_slice()).unwrap();
        let opened = open(name, bytes.clone()).unwrap();
        let analysis = Analysis::new(&opened.profile);
        let timeline = TimelineIndex::new(&opened.profile, &analysis).timeline;
        let n_source_events: usize = space.planes.iter().flat_map(|plane| &plane.lines).map(|l| l.events.len()).sum();
        for window in windows(timeline.start.0, timeline.end.0, 10) {
            for without_programs in [false, true] {
                let query = ExcerptQuery { without_programs, ..range_of(&analysis, window).1 };
                let (excerpt, report) = excerpt(&bytes, &query);
                let expected = filtered(&space, &query);
                // The message is long if they differ, so it is not printed.
                assert!(XSpace::decode(excerpt.as_slice()).unwrap() == expected, "{name}: {window:?}");
                let n_events: usize = expected.planes.iter().flat_map(|p| &p.lines).map(|l| l.events.len()).sum();
                assert_eq!((report.n_events, report.n_source_events), (n_events as u64, n_source_events as u64));
                assert!(!report.is_damaged);
            }
        }
        let all = ExcerptQuery { warning: "all".to_owned(), ..ExcerptQuery::default() };
        let (copy, report) = excerpt(&bytes, &all);
        assert!(copy.starts_with(&bytes), "{name}: without a range, all bytes are copied");
        assert_eq!(report.n_events, report.n_source_events);
    }
}

/// The device with the plane of another session's device.
fn same_device(profile: &Profile, analysis: &Analysis, plane: &ProfilePlane) -> Option<u32> {
    let is_same = |device: &Device| profile.planes[device.plane].name == plane.name;
    analysis.devices.iter().position(is_same).map(|position| position as u32)
}

#[test]
fn the_breakdown_of_a_window_is_equal_in_the_excerpt() {
    let mut n_compared = 0;
    // A window may begin within the launch of a CUDA graph, whose kernels get their ops from the whole launch.
    for (name, bytes) in xspaces().into_iter().filter(|(name, _)| !name.starts_with("gpu/")) {
        let opened = open(name, bytes.clone()).unwrap();
        let profile = &opened.profile;
        let analysis = Analysis::new(profile);
        let timeline = TimelineIndex::new(profile, &analysis).timeline;
        for window in windows(timeline.start.0, timeline.end.0, 12) {
            let (range, query) = range_of(&analysis, window);
            let cut = open("excerpt.xplane.pb", excerpt(&bytes, &query).0).unwrap();
            let of_cut = Analysis::new(&cut.profile);
            assert!(cut.partial.is_none());
            let middle = Picos(range.start.0 + range.length().0 / 3);
            let parts = [Some(range), TimeRange::between(range.start, middle), TimeRange::between(middle, range.end)];
            for (position, device) in analysis.devices.iter().enumerate() {
                for part in parts.into_iter().flatten() {
                    let query = |position: u32, by: GroupBy| Query {
                        device: DeviceChoice::One(position),
                        step: StepChoice::Range(part),
                        by,
                        ..Query::default()
                    };
                    let expected = analysis.breakdown(profile, &query(position as u32, GroupBy::Op)).unwrap();
                    let plane = &profile.planes[device.plane];
                    let Some(same) = same_device(&cut.profile, &of_cut, plane) else {
                        assert_eq!(expected.totals.busy, Picos::ZERO, "{name}: a device with ops is in the excerpt");
                        continue;
                    };
                    let found = of_cut.breakdown(&cut.profile, &query(same, GroupBy::Op)).unwrap();
                    assert_eq!(found.totals, expected.totals, "{name}: {part:?}, {}", device.label);
                    assert_eq!(found.header.step_duration, expected.header.step_duration);
                    let rows = |breakdown: &rooflight::analysis::breakdown::Breakdown| -> Vec<_> {
                        let rows = breakdown.groups.iter().map(|row| {
                            (row.key.clone(), row.program_id, row.kind, row.total, row.inclusive, row.n_executions)
                        });
                        rows.collect()
                    };
                    assert_eq!(rows(&found), rows(&expected), "{name}: {part:?}, {}", device.label);
                    n_compared += usize::from(expected.totals.busy > Picos::ZERO);
                }
            }
        }
    }
    assert!(n_compared > 100, "{n_compared}");
}

/// A capture whose fields are in another order than writers have them: metadata, then lines whose timestamps come last.
#[test]
fn the_order_of_fields_does_not_matter() {
    let mut p = Plane::new("/device:TPU:0");
    let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| p.op(name, "", &[("hlo_category", text("fusion"))]));
    p.line("XLA Ops", &[(a, 0, 10), (b, 10, 10), (c, 30, 10)]).timestamp_ns = 5;
    let mut plane = p.done();
    plane.event_metadata.get_mut(&b).unwrap().child_id = vec![d, b];
    let mut programs = Plane::new("/host:metadata");
    programs.op("jit_f(1)", "", &[("hlo_proto", text("bytes"))]);
    let programs = programs.done();
    let head = XPlane { lines: Vec::new(), ..plane.clone() };
    // Messages that follow each other are merged.
    let mut line = XLine { events: plane.lines[0].events.clone(), ..XLine::default() }.encode_to_vec();
    line.extend(XLine { events: Vec::new(), ..plane.lines[0].clone() }.encode_to_vec());
    let mut swapped = head.encode_to_vec();
    prost::encoding::bytes::encode(3, &line, &mut swapped);
    let mut bytes = Vec::new();
    prost::encoding::bytes::encode(1, &swapped, &mut bytes);
    bytes.extend(XSpace { planes: vec![programs], ..XSpace::default() }.encode_to_vec());
    let range = Some(EpochRange { start: 5012, end: 5030 });
    for without_programs in [false, true] {
        let query = ExcerptQuery { range, without_programs, ..ExcerptQuery::default() };
        let found = XSpace::decode(excerpt(&bytes, &query).0.as_slice()).unwrap();
        assert_eq!(found, filtered(&XSpace::decode(bytes.as_slice()).unwrap(), &query));
        assert_eq!(found.planes[0].event_metadata.keys().copied().collect::<BTreeSet<_>>(), BTreeSet::from([b, d]));
        assert_eq!(found.planes[0].lines[0].events.len(), 1);
        assert_eq!(found.planes[1].event_metadata.len(), usize::from(!without_programs));
    }
    let query = ExcerptQuery { without_planes: vec![0], ..ExcerptQuery::default() };
    let found = XSpace::decode(excerpt(&bytes, &query).0.as_slice()).unwrap();
    assert_eq!(found.planes.iter().map(|plane| &plane.name).collect::<Vec<_>>(), ["/host:metadata"]);
}

/// The excerpt of all events of a damaged capture holds the events that are read from the capture.
fn check_damaged(bytes: &[u8]) {
    let bytes = bytes.to_vec();
    let (copy, _) = excerpt(&bytes, &ExcerptQuery { warning: "all".to_owned(), ..ExcerptQuery::default() });
    if let Ok(opened) = open("damaged.xplane.pb", bytes.clone()) {
        // A plane of which only a part of the name is left is not copied.
        let copied = open("copy.xplane.pb", copy).map_or(0, |copied| copied.profile.n_events());
        assert_eq!(copied, opened.profile.n_events());
    }
    for (start, end) in [(0, 1), (500, 700), (i128::MIN, i128::MAX), (i128::MAX, i128::MIN)] {
        excerpt(&bytes, &ExcerptQuery { range: Some(EpochRange { start, end }), ..ExcerptQuery::default() });
    }
}

#[test]
fn damaged_captures_have_excerpts() {
    let whole = bytes(&small());
    for n in 0..whole.len() {
        check_damaged(&whole[..n]);
    }
    for position in 0..whole.len() {
        let mut flipped = whole.clone();
        flipped[position] ^= 1 << (position % 8);
        check_damaged(&flipped);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn generated_captures_have_excerpts_and_traces(choices in prop::collection::vec(any::<u8>(), 0..600)) {
        let bytes = capture(&choices);
        if let Ok(opened) = open("it.xplane.pb", bytes.clone()) {
            trace(&opened, None, 300);
        }
        check_damaged(&bytes);
    }
}

/// The events of a trace by thread: name, start and duration in ps.
type Threads = BTreeMap<(u64, u64), Vec<(String, u128, u128)>>;
/// The key of the samples of counters in [`Threads`].
const NO_THREAD: (u64, u64) = (0, 0);

/// Writes a trace, checks that it is well-formed, and returns its text and its events.
fn trace(opened: &Opened, range: Option<TimeRange>, max_events: u64) -> (Vec<u8>, Threads) {
    let analysis = Analysis::new(&opened.profile);
    let mut index = TimelineIndex::new(&opened.profile, &analysis);
    let mut text = Vec::new();
    let query = TraceQuery { range, max_events };
    let report = timeline::trace_json::write(&mut index, &opened.profile, &query, &mut text).unwrap();
    let json: Value = serde_json::from_slice(&text).unwrap();
    let mut threads = Threads::new();
    let mut named = BTreeSet::new();
    let mut flows: BTreeMap<u64, Vec<&Value>> = BTreeMap::new();
    let mut counters = Vec::new();
    let lines: Vec<&str> = std::str::from_utf8(&text).unwrap().lines().filter(|line| line.starts_with('{')).collect();
    let events = json["traceEvents"].as_array().unwrap();
    // Numbers of serde_json are doubles, so that the digits are taken from the text. Each event is on a line of its own.
    for (event, line) in events.iter().zip(&lines[1..]) {
        let digits = |key: &str| {
            let (_, rest) = line.split_once(&format!("\"{key}\":")).unwrap();
            let number: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
            let (whole, fraction) = number.split_once('.').unwrap();
            assert_eq!(fraction.len(), 6, "{line}");
            format!("{whole}{fraction}").parse::<u128>().unwrap()
        };
        let thread = (event["pid"].as_u64().unwrap(), event["tid"].as_u64().unwrap_or(0));
        match event["ph"].as_str().unwrap() {
            "M" => {
                named.insert((thread, event["name"].as_str().unwrap()));
            }
            "X" => {
                assert!(named.contains(&(thread, "thread_name")), "a thread has its name before its events");
                assert!(named.contains(&((thread.0, 0), "process_name")));
                let name = event["name"].as_str().unwrap().to_owned();
                threads.entry(thread).or_default().push((name, digits("ts"), digits("dur")));
            }
            "C" => {
                assert!(named.contains(&((thread.0, 0), "process_name")));
                assert!(event["args"].as_object().unwrap().values().all(Value::is_number), "{line}");
                let name = event["name"].as_str().unwrap().to_owned();
                counters.push((name, digits("ts"), 0));
            }
            "s" | "f" => flows.entry(event["id"].as_u64().unwrap()).or_default().push(event),
            other => panic!("{other}"),
        }
    }
    for events in threads.values() {
        let overlaps = |pair: &[(String, u128, u128)]| pair[0].1 + pair[0].2 > pair[1].1;
        assert!(!events.windows(2).any(overlaps), "events of a thread overlap");
    }
    let starts: BTreeSet<(u64, u64, String)> = events
        .iter()
        .filter(|event| event["ph"] == "X")
        .map(|event| (event["pid"].as_u64().unwrap(), event["tid"].as_u64().unwrap(), event["ts"].to_string()))
        .collect();
    for pair in flows.values() {
        let [source, target] = pair[..] else { panic!("a link has two ends") };
        assert_eq!((&source["ph"], &target["ph"], &source["name"]), (&"s".into(), &"f".into(), &target["name"]));
        for end in pair {
            let instant = (end["pid"].as_u64().unwrap(), end["tid"].as_u64().unwrap(), end["ts"].to_string());
            assert!(starts.contains(&instant), "a link ends at the start of an event");
        }
    }
    // Samples of counters belong to no thread.
    threads.insert(NO_THREAD, counters);
    let n_events: usize = threads.values().map(Vec::len).sum();
    assert_eq!((n_events as u64, flows.len() as u64), (report.n_events, report.n_flows));
    assert_eq!(n_events as u64, report.n_in_range.min(max_events));
    assert_eq!(report.until.is_some(), n_events as u64 != report.n_in_range);
    (text, threads)
}

/// Names and durations of the events of a session's tracks, and how often they occur.
fn events(opened: &Opened, with_derived: bool) -> BTreeMap<(String, u128), usize> {
    let analysis = Analysis::new(&opened.profile);
    let index = TimelineIndex::new(&opened.profile, &analysis);
    let mut all = BTreeMap::new();
    for track in index.timeline.groups.iter().flat_map(|group| &group.tracks) {
        let plane = &opened.profile.planes[track.line.plane as usize];
        let line = &plane.lines[track.line.line as usize];
        if line.derived && !with_derived {
            continue;
        }
        for ((_, duration), op) in line.events.times().zip(line.events.ops()) {
            let name = opened.profile.text(plane.op(op).name).to_owned();
            // A trace has no durations of samples.
            let duration = if line.has_counters() { 0 } else { u128::from(duration) };
            *all.entry((name, duration)).or_default() += 1;
        }
    }
    all
}

#[test]
fn traces_hold_every_event_and_open_again() {
    let mut captures = xspaces();
    captures.extend(common::profile(TRACE).map(|bytes| (TRACE, bytes)));
    let mut n_flows = 0;
    for (name, bytes) in captures {
        let opened = open(name, bytes).unwrap();
        let (text, threads) = trace(&opened, None, u64::MAX);
        let mut all: BTreeMap<(String, u128), usize> = BTreeMap::new();
        for (event, _, duration) in threads.values().flatten() {
            *all.entry((event.clone(), *duration)).or_default() += 1;
        }
        assert_eq!(all, events(&opened, true), "{name}");
        n_flows += String::from_utf8_lossy(&text).matches("\"ph\":\"s\"").count();
        let again = open("again.trace.json", text).unwrap();
        assert!(again.partial.is_none(), "{name}: {:?}", again.partial);
        let reopened = events(&again, false);
        // A kernel whose launch names its op has the name of the op, which trace JSON has as well.
        assert_eq!(reopened, all, "{name}");
    }
    assert!(n_flows > 414, "{n_flows}");
}

#[test]
fn the_durations_of_a_track_are_those_of_the_breakdown() {
    for (name, bytes) in xspaces() {
        let opened = open(name, bytes).unwrap();
        let analysis = Analysis::new(&opened.profile);
        let index = TimelineIndex::new(&opened.profile, &analysis);
        let (text, _) = trace(&opened, None, u64::MAX);
        let again = open("again.trace.json", text).unwrap();
        for (position, device) in analysis.devices.iter().enumerate() {
            let range = TimeRange { start: Picos(0), end: Picos(index.timeline.end.0 + 1) };
            let query = Query {
                device: DeviceChoice::One(position as u32),
                step: StepChoice::Range(range),
                by: GroupBy::Op,
                ..Query::default()
            };
            let rows = analysis.breakdown(&opened.profile, &query).unwrap().groups;
            let mut expected: BTreeMap<String, u128> = BTreeMap::new();
            rows.iter().for_each(|row| *expected.entry(row.key.clone()).or_default() += u128::from(row.inclusive.0));
            // The ops of the device are the tracks of this kind; their names are the names of their lines, and of their lanes.
            let group = index.timeline.groups.iter().find(|group| group.device == Some(position as u32)).unwrap();
            let ops = group.tracks.iter().filter(|track| track.kind == TrackKind::Ops);
            let names: Vec<&str> = ops.map(|track| track.name.as_str()).collect();
            let plane_name = &opened.profile.planes[device.plane].name;
            let plane = again.profile.planes.iter().find(|plane| plane.name == *plane_name).unwrap();
            let is_of =
                |line: &str| names.iter().any(|name| line == *name || line.starts_with(&format!("{name} (lane ")));
            let mut found: BTreeMap<String, u128> = BTreeMap::new();
            for line in plane.lines.iter().filter(|line| !line.derived && is_of(&line.name)) {
                for ((_, duration), op) in line.events.times().zip(line.events.ops()) {
                    let name = again.profile.text(plane.op(op).name).to_owned();
                    *found.entry(name).or_default() += u128::from(duration);
                }
            }
            assert_eq!(found, expected, "{name}: {}", device.label);
        }
    }
}

#[test]
fn a_trace_of_a_range_holds_its_events_up_to_the_limit() {
    let opened = open("sample.xplane.pb", unpacked(&std::fs::read(SAMPLE).unwrap())).unwrap();
    let analysis = Analysis::new(&opened.profile);
    let index = TimelineIndex::new(&opened.profile, &analysis);
    let (start, end) = (index.timeline.start, index.timeline.end);
    let range =
        TimeRange { start: Picos(start.0 + (end.0 - start.0) / 3), end: Picos(start.0 + (end.0 - start.0) / 2) };
    let mut all: Vec<(u64, u64)> = Vec::new();
    for track in index.timeline.groups.iter().flat_map(|group| &group.tracks) {
        let line = &opened.profile.planes[track.line.plane as usize].lines[track.line.line as usize];
        let times = analysis.axis.times(line).unwrap();
        all.extend((0..times.events.len()).map(|event| times.time(event)));
    }
    all.retain(|(a, b)| *a < range.end.0 && (*b > range.start.0 || *a >= range.start.0));
    all.sort_unstable();
    let (_, threads) = trace(&opened, Some(range), u64::MAX);
    let starts = |threads: &Threads| {
        let mut starts: Vec<u64> = threads.values().flatten().map(|(_, start, _)| *start as u64).collect();
        starts.sort_unstable();
        starts
    };
    let expected: Vec<u64> = all.iter().map(|(start, _)| *start).collect();
    assert_eq!(starts(&threads), expected);
    for max in [0, 1, 1000, all.len() as u64 - 1] {
        assert_eq!(starts(&trace(&opened, Some(range), max).1), expected[..max as usize]);
    }
}

fn session(name: &str, source: Box<dyn Source>) -> OpenSession {
    OpenSession::open(vec![Input { name: name.to_owned(), source, from_folder: false }], &mut |_| {}).unwrap().0
}

fn reply_to(engine: &mut OpenSession, request: TimelineRequest) -> Reply {
    engine.answer(&ViewRequest::Timeline(request).into())
}

#[test]
fn the_session_answers_with_files() {
    let sample = std::fs::read(SAMPLE).unwrap();
    let mut engine = session("folder/sample.xplane.pb.xz", Box::new(sample));
    let range = Some(TimeRange { start: Picos(1_200_500_000_000), end: Picos(1_300_000_000_000) });
    let request = ExcerptRequest { range, with_programs: true };
    let files: Vec<ExportedFile> = reply_to(&mut engine, TimelineRequest::ExportXSpace(request)).decode().unwrap();
    let [file] = &files[..] else { panic!() };
    assert_eq!(file.name, "sample.1.2005s-1.3s.xplane.pb");
    assert!(file.summary.contains(" of ") && file.summary.ends_with('.'), "{}", file.summary);
    let opened = open(&file.name, file.bytes.clone()).unwrap();
    let notes: Vec<&str> = opened.profile.notes.iter().map(|note| note.message.as_str()).collect();
    let warning = "The profiler says: cut to 1.2005 s to 1.3 s of sample.xplane.pb.xz by Rooflight";
    assert!(notes.contains(&warning), "{notes:?}");
    assert!(!opened.profile.hlo.is_empty());
    let request = ExcerptRequest { with_programs: false, ..request };
    let files: Vec<ExportedFile> = reply_to(&mut engine, TimelineRequest::ExportXSpace(request)).decode().unwrap();
    assert!(open("it", files[0].bytes.clone()).unwrap().profile.hlo.is_empty());
    let query = TraceQuery { range, max_events: 10 };
    let file: ExportedFile = reply_to(&mut engine, TimelineRequest::ExportTrace(query)).decode().unwrap();
    assert_eq!(file.name, "sample.1.2005s-1.3s.trace.json");
    assert!(file.summary.starts_with("10 events, ") && file.summary.contains("10 of "), "{}", file.summary);
    assert!(serde_json::from_slice::<Value>(&file.bytes).is_ok());
}

/// A file that can be changed while it is open.
struct Changing(Arc<Mutex<Vec<u8>>>, u64);

impl Source for Changing {
    fn size(&self) -> u64 {
        self.1
    }
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), SourceError> {
        self.0.lock().unwrap().read_at(offset, buf)
    }
}

#[test]
fn files_that_cannot_be_cut_are_reported() {
    let failure = |engine: &mut OpenSession| -> Failure {
        let request = ExcerptRequest { range: None, with_programs: true };
        match reply_to(engine, TimelineRequest::ExportXSpace(request)) {
            Reply::Failed(failure) => failure,
            reply => panic!("{reply:?}"),
        }
    };
    let json = br#"{"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":1.0,"dur":2.0,"name":"a"}]}"#;
    let mut engine = session("run.trace.json", Box::new(json.to_vec()));
    assert_eq!(failure(&mut engine).title, "run.trace.json is not an XSpace");
    let content = bytes(&small());
    let fewer = bytes(&XSpace { planes: small().planes[..2].to_vec(), ..XSpace::default() });
    for changed in
        [Vec::new(), content[..100].to_vec(), [&fewer[..], &vec![0x22; content.len() - fewer.len()]].concat()]
    {
        let shared = Arc::new(Mutex::new(content.clone()));
        let mut engine = session("run.xplane.pb", Box::new(Changing(Arc::clone(&shared), content.len() as u64)));
        *shared.lock().unwrap() = changed;
        let failure = failure(&mut engine);
        assert_eq!(failure.title, "run.xplane.pb could not be read again");
        assert!(failure.message.contains("changed, moved or deleted"), "{}", failure.message);
    }
}

fn run(args: &[&str], paths: &[&Path]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rooflight")).arg("export").args(args).args(paths).output().unwrap()
}

#[test]
fn the_command_line_writes_files() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let text = |path: &Path| path.display().to_string();
    let capture = path("small.xplane.pb");
    std::fs::write(&capture, bytes(&small())).unwrap();
    let out = path("out.xplane.pb");
    let written = run(&["--window", "0..1000ps", "--xspace", &text(&out)], &[&capture]);
    assert_eq!(written.status.code(), Some(0), "{}", String::from_utf8_lossy(&written.stderr));
    let said = String::from_utf8(written.stdout).unwrap();
    assert_eq!(said.lines().count(), 1);
    assert!(said.starts_with(&text(&out)) && said.contains("14 of 22 events"), "{said}");
    assert_eq!(open("out", std::fs::read(&out).unwrap()).unwrap().profile.n_events(), 14);
    // A folder gets the name of the capture and of the range. Several captures need one.
    let (planes, hostnames) = (small().planes[..1].to_vec(), vec!["host-b".to_owned()]);
    std::fs::write(path("other.xplane.pb"), bytes(&XSpace { planes, hostnames, ..small() })).unwrap();
    let folder = path("cut");
    let written = run(&["--window", "0..1ns", "--xspace", &text(&folder)], &[&capture, &path("other.xplane.pb")]);
    assert_eq!(written.status.code(), Some(0), "{}", String::from_utf8_lossy(&written.stderr));
    let mut names: Vec<String> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["other.0ps-1ns.xplane.pb", "small.0ps-1ns.xplane.pb"]);
    let json = path("out.trace.json");
    let written = run(&["--trace-json", &text(&json), "--max-events", "3"], &[&capture]);
    let said = String::from_utf8(written.stdout).unwrap();
    assert!(said.contains("3 events, 0 links. 3 of 20 events of the range are in the trace"), "{said}");
    assert!(serde_json::from_slice::<Value>(&std::fs::read(&json).unwrap()).is_ok());
}

#[test]
fn the_command_line_refuses_what_it_cannot_write() {
    let dir = tempfile::tempdir().unwrap();
    let capture = dir.path().join("small.xplane.pb");
    std::fs::write(&capture, bytes(&small())).unwrap();
    let json = dir.path().join("run.trace.json");
    std::fs::write(&json, br#"{"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":1.0,"dur":2.0,"name":"a"}]}"#).unwrap();
    let (itself, absent) = (capture.display().to_string(), dir.path().join("no/folder.pb").display().to_string());
    let out = dir.path().join("out.pb").display().to_string();
    for (args, file, words) in [
        (vec!["--xspace", &itself], &capture, "is the capture itself"),
        (vec!["--xspace", &absent], &capture, "could not be written"),
        (vec!["--xspace", &out], &json, "run.trace.json is not an XSpace"),
        (vec![], &capture, "--xspace <OUT>|--trace-json <OUT>"),
        (vec!["--xspace", &out, "--trace-json", &out], &capture, "cannot be used with"),
        (vec!["--trace-json", &out, "--no-hlo"], &capture, "cannot be used with"),
        (vec!["--xspace", &out, "--max-events", "3"], &capture, "cannot be used with"),
        (vec!["--xspace", &out, "--window", "2ms..1ms"], &capture, "ends before it starts"),
    ] {
        let refused = run(&args, &[file]);
        let text = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(2), "{text}");
        assert!(refused.stdout.is_empty() && text.contains(words), "{words}: {text}");
    }
    assert!(!Path::new(&out).exists(), "no half of a file is left");
    assert_eq!(std::fs::read(&capture).unwrap(), bytes(&small()));
    // A damaged capture is cut as far as it can be read.
    std::fs::write(&capture, &bytes(&small())[..700]).unwrap();
    let written = run(&["--xspace", &out], &[&capture]);
    assert_eq!(written.status.code(), Some(1), "{}", String::from_utf8_lossy(&written.stderr));
    assert!(String::from_utf8_lossy(&written.stderr).contains("partial: "));
    // The copies say so, too.
    let copy = open("out.pb", std::fs::read(&out).unwrap()).unwrap();
    let says = |text: &str| text.contains("Only a part of the capture could be read: ");
    assert!(copy.profile.notes.iter().any(|note| says(&note.message)), "{:?}", copy.profile.notes);
    assert_eq!(run(&["--trace-json", &out], &[&capture]).status.code(), Some(1));
    let trace: Value = serde_json::from_slice(&std::fs::read(&out).unwrap()).unwrap();
    assert!(says(trace["otherData"]["partial"].as_str().unwrap()));
}
