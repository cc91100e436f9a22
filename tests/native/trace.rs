//! These tests read trace JSON: every form of the same events must give the same profile. Other tests cover unusual
//! events, missing data and bad input.

use crate::common;
use crate::common::trace::{events_of, gzip, open_all, planes_by_name, text};
use crate::common::{bytes, make};
use proptest::prelude::*;
use rooflight::analysis::base::{Analysis, Query, StepChoice};
use rooflight::session::Opened;
use serde_json::{Value, json};
use std::process::Command;
use xla_profile::profile::Note;
use xla_profile::source::{GZIP, Packing, Source, SourceError, Stream};
use xla_profile::wire::proto::xspace::XSpace;
use xla_profile::wire::trace::{Event, Id, Sink, walk};

fn open(bytes: &[u8]) -> Result<Opened, rooflight::protocol::Failure> {
    open_all(&[("host.trace.json", bytes)])
}

/// Returns the small capture without its host. The times of the host's line count from 1970, and a double of
/// microseconds cannot hold picoseconds at such times.
fn space() -> XSpace {
    let mut space = make::small();
    space.planes.pop();
    space
}

/// Opens a trace of `events` alone.
fn read(events: &[Value]) -> Opened {
    open(&text(events)).unwrap()
}

fn note<'a>(opened: &'a Opened, code: &str) -> Option<&'a Note> {
    opened.profile.notes.iter().find(|note| note.code == code)
}

fn x(tid: u32, ts: f64, dur: f64, name: &str) -> Value {
    json!({"ph": "X", "pid": 1, "tid": tid, "ts": ts, "dur": dur, "name": name})
}

#[test]
fn the_small_capture_is_the_same_from_json() {
    let whole = space();
    let xspace = common::open("host.xplane.pb", bytes(&whole)).unwrap();
    let json = read(&events_of(&whole));
    assert_eq!(planes_by_name(&json.profile), planes_by_name(&xspace.profile));
    let [json, xspace] = [json, xspace].map(|opened| {
        let analysis = Analysis::new(&opened.profile);
        let query = Query { step: StepChoice::All, ..Query::busiest() };
        analysis.breakdown(&opened.profile, &query).unwrap()
    });
    assert_eq!((json.totals, json.groups), (xspace.totals, xspace.groups));
}

/// Returns each form of the same events, with a name.
fn forms() -> Vec<(&'static str, Vec<u8>)> {
    let whole = space();
    let events = events_of(&whole);
    let whole = text(&events);
    let half = whole.len() / 2;
    let mut metadata_last = events.clone();
    metadata_last.sort_by_key(|e| e["ph"] == "M");
    let strings = events.iter().map(|e| {
        let mut e = e.clone();
        for key in ["pid", "tid", "ts", "dur"] {
            if let Some(number) = e.get(key).filter(|v| v.is_number()) {
                e[key] = number.to_string().into();
            }
        }
        e
    });
    let joined = |events: &[Value], by: &str| events.iter().map(Value::to_string).collect::<Vec<_>>().join(by);
    let backwards = |e: &Value| {
        let fields = e.as_object().unwrap().iter().rev();
        let fields: Vec<String> = fields.map(|(k, v)| format!("{}: {v}", Value::from(k.as_str()))).collect();
        format!("{{ {} }}", fields.join(" , "))
    };
    let backwards = events.iter().map(backwards).collect::<Vec<_>>().join(" ,\r\n\t");
    let escaped = |byte: char| if byte == 'a' { "\\u0061".to_owned() } else { byte.to_string() };
    vec![
        ("plain", whole.clone()),
        ("gzip", gzip(&whole)),
        ("two members", [gzip(&whole[..half]), gzip(&whole[half..])].concat()),
        ("bare array", format!("[{}]", joined(&events, ",")).into_bytes()),
        ("bare array, gzip", gzip(format!("[{}]", joined(&events, ",")).as_bytes())),
        ("trailing comma", format!("[{},{{}},\n]\n", joined(&events, ",\n")).into_bytes()),
        ("metadata last", text(&metadata_last)),
        ("numbers as strings", text(&strings.collect::<Vec<_>>())),
        (
            "events first",
            format!("{{\"traceEvents\":[{}],\"metadata\":{{\"a\":[1,[2]]}}}}", joined(&events, ",")).into_bytes(),
        ),
        ("keys backwards, spaces", format!("{{\"traceEvents\": [ {backwards} ]}}").into_bytes()),
        ("byte order mark", [b"\xef\xbb\xbf".as_slice(), &whole].concat()),
        (
            "escapes",
            text(&events)
                .iter()
                .map(|b| *b as char)
                .collect::<String>()
                .replace("\"name\"", "\"n\\u0061me\"")
                .into_bytes(),
        ),
        ("other events between", text(&with_others(&events, &escaped('a')))),
    ]
}

fn with_others(events: &[Value], name: &str) -> Vec<Value> {
    let flow = json!({"ph": "s", "pid": 0, "tid": 0, "ts": 5, "name": name, "id": 1, "args": {"value": 1}});
    let mut all = vec![flow];
    all.extend(events.iter().cloned());
    all.extend([Value::Null, json!(7), json!([1, {"ph": "X"}])]);
    all
}

#[test]
fn every_form_gives_the_same_profile() {
    let forms = forms();
    let expected = planes_by_name(&open(&forms[0].1).unwrap().profile);
    assert_eq!(expected[0].1[2].1.len(), 6);
    for (form, bytes) in forms {
        let opened = open(&bytes).unwrap_or_else(|e| panic!("{form}: {e:?}"));
        assert_eq!(opened.partial, None, "{form}");
        assert_eq!(planes_by_name(&opened.profile), expected, "{form}");
    }
}

/// A source that is read in pieces of the given number of bytes.
struct Pieces<'a>(&'a [u8], u64);

impl Source for Pieces<'_> {
    fn size(&self) -> u64 {
        self.0.len() as u64
    }
    fn stride(&self) -> u64 {
        self.1
    }
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), SourceError> {
        self.0.read_at(offset, buf)
    }
}

/// Everything that a walk passes to its sink, as texts.
#[derive(Default)]
struct RecordingSink(Vec<String>);

impl Sink for RecordingSink {
    fn wants_args(&mut self, phase: u8, _: Id<'_>, _: Id<'_>) -> bool {
        phase != b's'
    }
    fn wants(&mut self, name: &[u8]) -> bool {
        self.0.push(String::from_utf8_lossy(name).into_owned());
        name != b"source"
    }
    fn arg(&mut self, value: &[u8]) {
        self.0.push(String::from_utf8_lossy(value).into_owned());
    }
    fn event(&mut self, event: &Event<'_>) {
        self.0.push(format!("{event:?}"));
    }
    fn discard(&mut self) {
        self.0.push("discard".into());
    }
    fn progress(&mut self, _: u64) {}
}

#[test]
fn the_size_of_pieces_does_not_matter() {
    for (form, bytes) in forms() {
        let packed = bytes.starts_with(&[0x1f, 0x8b]);
        let packing = if packed { GZIP.into() } else { Packing::default() };
        let walked = |stride: u64| {
            let mut sink = RecordingSink::default();
            let outcome = walk(Stream::new(&Pieces(&bytes, stride), packing), &mut sink);
            (sink.0, outcome)
        };
        let whole = walked(1 << 20);
        assert_eq!(whole.1.damage, None);
        for stride in (1..40).chain([100, 1000]) {
            assert!(walked(stride) == whole, "{form} in pieces of {stride}");
        }
    }
}

#[test]
fn escapes_in_texts_are_decoded() {
    let texts = [
        ("\"\\n\\t\\r\\b\\f\\/\\\\\\\"\"", "\n\t\r\u{8}\u{c}/\\\""),
        (r#""A\u00e9\ud83d\ude00b""#, "Aé😀b"),
        // These surrogates lack their other half.
        (r#""\ud83d""#, "\u{fffd}"),
        (r#""\ud83dx\ude00""#, "\u{fffd}x\u{fffd}"),
        (r#""\ud83d\ud83d\ude00""#, "\u{fffd}😀"),
        (r#""\ud83d\n""#, "\u{fffd}\n"),
    ];
    for (json, expected) in texts {
        let text = format!("[{{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1,\"name\":{json}}}]");
        let opened = open(text.as_bytes()).unwrap();
        let plane = &opened.profile.planes[0];
        assert_eq!(opened.profile.text(plane.ops[0].name), expected, "{json}");
    }
}

#[test]
fn begins_and_ends() {
    let event =
        |ph: &str, ts: f64, name: &str| json!({"ph": ph, "pid": 1, "tid": 1, "ts": ts, "name": name, "id": "0x1"});
    let opened = read(&[
        event("B", 1.0, "outer"),
        event("B", 2.0, "inner"),
        event("b", 2.5, "copy"),
        event("i", 2.75, "now"),
        event("E", 3.0, ""),
        event("e", 9.0, "copy"),
        event("E", 4.0, ""),
        event("E", 5.0, ""),
        event("B", 6.0, "open"),
        json!({"ph": "M", "pid": 1, "tid": 1, "name": "thread_name", "args": {"name": "main"}}),
    ]);
    let lines = &planes_by_name(&opened.profile)[0].1;
    let short = |n: usize| lines[n].1.iter().map(|e| (e.0 / 10_000, e.1 / 10_000)).collect::<Vec<_>>();
    assert_eq!((lines[0].0.as_str(), short(0)), ("main", vec![(100, 300), (200, 100), (275, 0), (600, 0)]));
    assert_eq!((lines[1].0.as_str(), short(1)), ("(Async)", vec![(250, 650)]));
    // One end has no begin, and one begin has no end.
    assert!(note(&opened, "unmatched_events").unwrap().message.starts_with("2 events"));
}

#[test]
fn ids_that_are_texts_and_times_since_1970() {
    let opened = read(&[
        json!({"ph": "X", "pid": "python", "tid": "stream 7", "ts": 1_700_000_000_000_000.5, "dur": 2, "name": "a"}),
        json!({"ph": "X", "pid": "python", "tid": "stream 7", "ts": "1700000000000003.25", "dur": 1, "name": "b"}),
    ]);
    let profile = &opened.profile;
    assert_eq!((profile.planes[0].name.as_str(), profile.planes[0].lines[0].name.as_str()), ("python", "stream 7"));
    let line = &profile.planes[0].lines[0];
    let times: Vec<_> = line.events.times().collect();
    assert_eq!((line.timestamp_ns, times), (1_700_000_000_000_000_500, vec![(0, 2_000_000), (2_750_000, 1_000_000)]));
    let odd =
        read(&[x(1, 5.0, 1.0, "a"), x(1, 1.7e15, 1.0, "b"), x(1, -3.0, -1.0, "c"), json!({"ph": "X", "name": "d"})]);
    assert_eq!(odd.profile.n_events(), 2);
    assert!(note(&odd, "untimed_events").unwrap().message.starts_with("2 events"));
    assert!(note(&odd, "negative_time").unwrap().message.starts_with("2 events"));
}

#[test]
fn an_argument_that_is_no_number_is_absent() {
    let mut event = x(3, 1.0, 1.0, "dot.1");
    event["args"] = json!({"bytes_accessed": "<opaque bytes>", "model_flops": 12.0, "memory_access_breakdown": "<opaque bytes>",
        "flops": -1, "tf_op": "", "nested": {"a": [1]}, "nothing": null, "program_id": "-1"});
    let opened = read(&[event]);
    let stats = opened.profile.planes[0].ops[0].stats;
    assert_eq!((stats.bytes_accessed, stats.model_flops, stats.flops, stats.tf_op), (None, Some(12.0), None, None));
    assert_eq!(stats.program.map(|id| id.0), Some(u64::MAX));
    assert!(note(&opened, "trace_json").is_some());
}

/// Returns a trace of `n` events of three names on two threads.
fn many(n: u32) -> Vec<u8> {
    let mut text = String::from("[");
    for i in 0..n {
        let (tid, name) = (i % 2, i % 3);
        text.push_str(&format!(
            "{{\"ph\":\"X\",\"pid\":1,\"tid\":{tid},\"ts\":{i},\"dur\":1,\"name\":\"op.{name}\"}},"
        ));
    }
    text.push(']');
    text.into_bytes()
}

#[test]
fn a_million_events_are_reported_as_partial() {
    let whole = open(&many(999_999)).unwrap();
    assert_eq!((whole.partial, whole.profile.n_events(), whole.profile.planes[0].ops.len()), (None, 999_999, 3));
    let capped = open(&gzip(&many(1_000_000))).unwrap();
    let message = capped.partial.unwrap();
    assert!(
        message.contains("1,000,000 events") && message.contains("too small") && message.contains(".xplane.pb"),
        "{message}"
    );
    let events = &capped.profile.planes[0].lines[0].events;
    assert_eq!(events.len(), 500_000);
    assert!(events.bytes() < 8 * 500_000, "no room is left for more: {}", events.bytes());
}

#[test]
fn a_trace_beside_its_xspace_is_skipped() {
    let whole = space();
    let xspace = bytes(&whole);
    let mut events = events_of(&whole);
    events.truncate(events.len() - 2);
    let json = gzip(&text(&events));
    let alone = planes_by_name(&common::open("a.xplane.pb", xspace.clone()).unwrap().profile);
    // The trace is recognised by its times, whatever its name is, or by its name.
    let by_name = text(&[
        json!({"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "/device:TPU:0"}}),
        x(77, 1.0, 1.0, "of a line that the other has not"),
    ]);
    for (name, json, lost) in [
        ("dir/aaa.json.gz", &json, Some("lacks 2 of 20 events (10.0 %)")),
        ("dir/worker.trace.json.gz", &by_name, Some("lacks 9 of 10 events")),
        ("dir/perfetto_trace.json.gz", &gzip(&text(&events_of(&whole))), None),
    ] {
        let files: [(&str, &[u8]); 2] = [(name, json), ("dir/worker.xplane.pb", &xspace)];
        let opened = open_all(&files).unwrap();
        assert_eq!(planes_by_name(&opened.profile), alone);
        assert_eq!((opened.files.len(), opened.open_files.len(), opened.partial.as_deref()), (1, 1, None));
        let message = &note(&opened, "same_capture").unwrap().message;
        assert!(message.contains("worker.xplane.pb is the same capture"), "{message}");
        assert_eq!(lost.is_some(), message.contains("It lacks"), "{message}");
        assert!(message.contains(lost.unwrap_or_default()), "{message}");
    }
    // The trace of another host is a further file.
    let mut later = space();
    later.planes.truncate(1);
    for line in &mut later.planes[0].lines {
        line.timestamp_ns += 5;
    }
    let files: [(&str, &[u8]); 2] = [("host-b.trace.json", &text(&events_of(&later))), ("host-a.xplane.pb", &xspace)];
    let opened = open_all(&files).unwrap();
    assert_eq!((opened.profile.planes.len(), opened.files.len()), (3, 2));
    assert_eq!(Analysis::new(&opened.profile).devices.len(), 3);
}

#[test]
fn a_cut_trace_keeps_the_events_before_the_cut() {
    let whole = space();
    let whole = text(&events_of(&whole));
    let n_whole = open(&whole).unwrap().profile.n_events();
    let mut most = 0;
    for n in 0..whole.len() {
        match open(&whole[..n]) {
            Ok(opened) => {
                let message = opened.partial.unwrap_or_else(|| panic!("a cut at {n} goes unnoticed"));
                assert!(message.contains(&format!("ends at byte {}", thousands(n))), "{message}");
                assert!(opened.profile.n_events() >= most);
                most = opened.profile.n_events();
            }
            Err(failure) => assert_eq!((most, failure.message.ends_with('.')), (0, true), "{failure:?}"),
        }
    }
    assert_eq!(most, n_whole);
    let packed = gzip(&whole);
    for n in 0..packed.len() {
        assert!(open(&packed[..n]).is_err() || open(&packed[..n]).unwrap().partial.is_some(), "{n}");
    }
}

fn thousands(n: usize) -> String {
    if n < 1000 { n.to_string() } else { format!("{},{:03}", n / 1000, n % 1000) }
}

#[test]
fn deep_and_long_input_ends() {
    let deep = format!("{{\"metadata\":{}", "[".repeat(100_000));
    assert!(open(deep.as_bytes()).err().unwrap().message.contains("a thousand deep"));
    let event = x(1, 1.0, 1.0, "a").to_string();
    let deep = format!("[{event},{{\"args\":{}", "{\"a\":".repeat(100_000));
    assert!(open(deep.as_bytes()).unwrap().partial.unwrap().contains("a thousand deep"));
    // Only the start of a name of 50 MB is kept, also if the name is in a gzip file of a few kB.
    let long = gzip(format!("[{}]", event.replace("\"a\"", &format!("\"{}\"", "x".repeat(50_000_000)))).as_bytes());
    let opened = open(&long).unwrap();
    assert_eq!(opened.profile.text(opened.profile.planes[0].ops[0].name).len(), 1 << 20);
    assert!(note(&opened, "long_texts").is_some());
}

#[test]
fn ten_thousand_corruptions() {
    let whole = text(&events_of(&space()));
    let mut random = 1u64;
    let mut below = |n: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((random >> 33) as usize) % n
    };
    for round in 0..10_000 {
        let mut damaged = whole.clone();
        let index = below(damaged.len());
        damaged[index] = if round % 2 == 0 { damaged[index] ^ 1 << below(8) } else { below(256) as u8 };
        if let Ok(opened) = open(&damaged) {
            let analysis = Analysis::new(&opened.profile);
            let b = analysis.breakdown(&opened.profile, &Query { step: StepChoice::All, ..Query::busiest() }).unwrap();
            assert!(b.groups.iter().map(|g| g.total).sum::<xla_profile::units::Picos>() == b.totals.busy);
        }
    }
}

proptest! {
    #[test]
    fn noise(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = open(&[b"{\"traceEvents\":[".as_slice(), &bytes].concat());
    }

    #[test]
    fn noise_of_tokens(tokens in prop::collection::vec(0..17usize, 0..120)) {
        const TOKENS: [&str; 17] = ["{", "}", "[", "]", ",", ":", "\"", "\\", "\"ph\":\"X\"", "\"ts\":1", "\"pid\":", "\"args\":{",
            "1e99", "-", "\"B\"", "null", "\"name\":\"a\""];
        let text: String = tokens.iter().map(|t| TOKENS[*t]).collect();
        let _ = open(format!("[{{\"ph\":\"X\",\"ts\":1}},{text}").as_bytes());
    }

    #[test]
    fn order_does_not_matter(seed in any::<u64>()) {
        let events = events_of(&space());
        let mut mixed = events.clone();
        fastrand::Rng::with_seed(seed).shuffle(&mut mixed);
        let sorted = |events: &[Value]| {
            let mut planes = planes_by_name(&read(events).profile);
            planes.iter_mut().flat_map(|p| &mut p.1).for_each(|line| line.1.sort());
            planes
        };
        prop_assert_eq!(sorted(&mixed), sorted(&events));
    }
}

/// Returns the exit code, standard output and standard error of `rooflight VIEW --json FILE`.
fn run(view: &str, name: &str, bytes: &[u8]) -> (Option<i32>, String, String) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let out = Command::new(env!("CARGO_BIN_EXE_rooflight")).args([view, "--json"]).arg(&path).output().unwrap();
    let [out_, err] = [out.stdout, out.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    (out.status.code(), out_, err)
}

#[test]
fn on_the_command_line() {
    let whole = text(&events_of(&space()));
    for view in ["breakdown", "summary", "roofline", "comm", "inspect", "memory", "non-compute"] {
        let (code, out, text) = run(view, "it", &whole);
        assert_eq!(code, Some(0), "{view}: {text}");
        assert!(serde_json::from_str::<Value>(&out).is_ok());
    }
    let (code, out, text) = run("breakdown", "cut.json", &whole[..whole.len() - 400]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("cut.json: The text ends at byte") && text.contains("events before are kept"), "{text}");
    assert!(out.contains("\"status\": \"partial\""), "{out}");
    for (bytes, words) in [
        (b"{\"a\": 1}".as_slice(), "has no list of traceEvents"),
        (b"{\"traceEvents\": [{}]}", "no event with a time"),
        (b"{\"traceEvents\": [{\"ph\"", "ends at byte 22"),
        (b"{\"traceEvents\": [{\"ph\": @", "“@” is not valid JSON"),
        (b"[1, 2, \x01]", "byte 01 is not valid JSON"),
    ] {
        let (code, out, text) = run("breakdown", "x.json", bytes);
        assert_eq!((code, out.as_str(), text.trim_end().lines().count()), (Some(2), "", 1), "{text}");
        assert!(text.contains("x.json could not be read") && text.contains(words) && text.len() < 420, "{text}");
    }
}
