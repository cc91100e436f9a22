//! These tests cut captures, and check that the time after the end of the file is "not in the file": it is neither idle nor
//! lost, in the analysis, in the command line and in the texts of the page.

use crate::common::trace::{events_of, gzip, text};
use crate::common::{answer_of, bytes, make, open};
use prost::Message;
use rooflight::analysis::base::{Analysis, NotSteady, Query, StepChoice, TimeRange};
use rooflight::chart::breakdown::figures;
use rooflight::chart::empty;
use rooflight::protocol::requests;
use rooflight::session::{Input, OpenSession};
use serde_json::Value;
use std::process::Command;
use xla_profile::profile::{Note, NoteCode};
use xla_profile::units::Picos;
use xla_profile::wire::proto::xspace::{XPlane, XSpace};

/// Length of a step and of an op, in ps. A step has ten ops without time between them.
const STEP: i64 = 100_000_000;
const OP: i64 = STEP / 10;

/// A device with steps that are filled by ops.
fn device(n: u32, n_steps: i64) -> XPlane {
    let mut plane = make::Plane::new(&format!("/device:TPU:{n}"));
    let steps: Vec<_> =
        (0..n_steps).map(|number| (plane.op(&number.to_string(), "", &[]), number * STEP, STEP)).collect();
    let op = plane.op("%fusion.1 = f32[8] fusion(%a)", "fusion.1", &[("hlo_category", make::text("loop fusion"))]);
    plane.line("Steps", &steps);
    plane.line("XLA Ops", &(0..n_steps * 10).map(|number| (op, number * OP, OP)).collect::<Vec<_>>());
    plane.done()
}

fn space(planes: Vec<XPlane>) -> XSpace {
    XSpace { planes, ..XSpace::default() }
}

/// The trace JSON of a capture, up to its last `n_left` events. Its events are in the order of the lines.
fn cut_trace(space: &XSpace, n_left: usize) -> Vec<u8> {
    let mut events = events_of(space);
    events.truncate(events.len() - n_left);
    let text = text(&events);
    // The text ends within the list of events.
    let end = text.iter().rposition(|byte| *byte == b'}').unwrap() - 4;
    text[..end].to_vec()
}

/// An XSpace that ends within the last line of its last plane.
fn cut_space(mut space: XSpace) -> Vec<u8> {
    let whole = bytes(&space);
    let plane = space.planes.last_mut().unwrap();
    let line = plane.lines.last().unwrap().encoded_len();
    let metadata: usize = {
        let with = plane.encoded_len();
        plane.event_metadata.clear();
        plane.stat_metadata.clear();
        with - plane.encoded_len()
    };
    whole[..whole.len() - metadata - line * 4 / 7].to_vec()
}

fn note(notes: &[Note], code: NoteCode) -> Option<&Note> {
    notes.iter().find(|note| note.code == code)
}

#[test]
fn the_end_of_a_step_after_the_end_of_a_trace_is_not_idle() {
    // The last step lacks its last four ops.
    let opened = open("cut.trace.json", cut_trace(&space(vec![device(0, 1)]), 4)).unwrap();
    assert!(opened.partial.is_some());
    let analysis = Analysis::new(&opened.profile);
    let found = analysis.breakdown(&opened.profile, &Query::busiest()).unwrap();
    let in_file = found.header.step_duration.unwrap();
    assert_eq!(found.totals.idle, Picos::ZERO, "what is not in the file is not idle");
    assert_eq!(in_file, found.totals.busy);
    assert_eq!(found.header.not_in_file, Some(Picos(STEP as u64).saturating_sub(in_file)), "the rest of the step");
    assert!(in_file >= Picos(5 * OP as u64) && in_file <= Picos(6 * OP as u64), "{in_file}");
    let note = note(&found.notes, NoteCode::StepNotInFile).unwrap();
    assert!(note.message.contains("count as neither idle nor lost"), "{}", note.message);
    // A gap would be idle time.
    let gaps = analysis.gaps(&opened.profile, &Query::busiest());
    assert_eq!((gaps.idle(), gaps.n_all), (Picos::ZERO, 0));
}

#[test]
fn a_complete_trace_keeps_its_idle_time() {
    let mut plane = device(0, 1);
    plane.lines[1].events.truncate(6);
    let opened = open("idle.trace.json", text(&events_of(&space(vec![plane])))).unwrap();
    let analysis = Analysis::new(&opened.profile);
    let found = analysis.breakdown(&opened.profile, &Query::busiest()).unwrap();
    assert_eq!((found.totals.idle, found.header.not_in_file), (Picos(4 * OP as u64), None));
}

#[test]
fn devices_that_were_read_before_the_end_are_complete() {
    // TPU:0 is idle at the end of its step. The file ends within the ops of TPU:1.
    let mut first = device(0, 1);
    first.lines[1].events.truncate(7);
    let opened = open("cut.trace.json", cut_trace(&space(vec![first, device(1, 1)]), 4)).unwrap();
    let analysis = Analysis::new(&opened.profile);
    let breakdown = |device: u32| {
        let device = rooflight::analysis::base::DeviceChoice::One(device);
        analysis.breakdown(&opened.profile, &Query { device, ..Query::busiest() }).unwrap()
    };
    assert_eq!((breakdown(0).totals.idle, breakdown(0).header.not_in_file), (Picos(3 * OP as u64), None));
    assert_eq!(breakdown(1).totals.idle, Picos::ZERO);
    assert!(breakdown(1).header.not_in_file.is_some());
}

#[test]
fn events_in_the_order_of_time_are_cut_on_all_lines() {
    let mut events = events_of(&space(vec![device(0, 1), device(1, 1)]));
    let is_meta = |event: &Value| event["ph"] == "M";
    let (mut all, mut timed): (Vec<Value>, Vec<Value>) = events.drain(..).partition(is_meta);
    timed.sort_by(|a, b| a["ts"].as_f64().partial_cmp(&b["ts"].as_f64()).unwrap());
    timed.truncate(timed.len() - 8);
    all.extend(timed);
    let whole = text(&all);
    let opened = open("cut.trace.json.gz", gzip(&whole)[..].to_vec()).unwrap();
    assert!(opened.profile.planes.iter().flat_map(|plane| &plane.lines).all(|line| !line.is_cut), "nothing is cut");
    let end = whole.iter().rposition(|byte| *byte == b'}').unwrap() - 4;
    let opened = open("cut.trace.json", whole[..end].to_vec()).unwrap();
    let analysis = Analysis::new(&opened.profile);
    for device in &analysis.devices {
        let [step] = &device.steps[..] else { panic!("{:?}", device.steps) };
        assert!(step.not_in_file > Picos::ZERO, "{}", device.label);
        assert_eq!(step.not_steady, Some(NotSteady::Cut));
    }
}

#[test]
fn steps_of_a_cut_xspace_end_where_its_ops_end() {
    let opened = open("cut.xplane.pb", cut_space(space(vec![device(0, 8)]))).unwrap();
    let analysis = Analysis::new(&opened.profile);
    let device = &analysis.devices[0];
    let last = device.steps.last().unwrap();
    assert!(device.steps.len() < 8, "steps after the end are left out");
    assert_eq!(last.not_steady, Some(NotSteady::Cut));
    assert!(last.not_in_file > Picos::ZERO && last.length() + last.not_in_file == Picos(STEP as u64));
    for step in &device.steps {
        let step = StepChoice::Number(step.number);
        let found = analysis.breakdown(&opened.profile, &Query { step, ..Query::busiest() }).unwrap();
        assert_eq!(found.totals.idle, Picos::ZERO, "{step}");
    }
    // A mean is of whole steps.
    let mean = analysis.breakdown(&opened.profile, &Query { step: StepChoice::Mean, ..Query::busiest() }).unwrap();
    assert_eq!((mean.header.step_duration, mean.header.not_in_file), (Some(Picos(STEP as u64)), None));
    // A range that the timeline shows ends there, too.
    let end = Picos(device.file_end.unwrap());
    let range = TimeRange::between(end.saturating_sub(Picos(10)), end + Picos(30)).unwrap();
    let query = Query { step: StepChoice::Range(range), ..Query::busiest() };
    let found = analysis.breakdown(&opened.profile, &query).unwrap();
    assert_eq!(found.header.step_duration, Some(Picos(10)));
    assert_eq!((found.header.not_in_file, found.totals.idle), (Some(Picos(30)), Picos::ZERO));
}

#[test]
fn the_command_line_tells_what_is_not_in_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("cut.trace.json");
    std::fs::write(&path, cut_trace(&space(vec![device(0, 1)]), 4)).unwrap();
    let run = |args: &[&str]| {
        let out = Command::new(env!("CARGO_BIN_EXE_rooflight")).args(args).arg(&path).output().unwrap();
        String::from_utf8(out.stdout).unwrap()
    };
    for command in ["breakdown", "overview", "gaps"] {
        let json: Value = serde_json::from_str(&run(&[command, "--json"])).unwrap();
        let missing = json["not_in_file_ps"].as_u64().unwrap_or_else(|| panic!("{command}: {json}"));
        assert_eq!(json["step_duration_ps"].as_u64().unwrap() + missing, STEP as u64, "{command}");
        assert_eq!(json["totals"]["idle_duration_ps"], 0, "{command}");
        assert_eq!(json["status"], "partial", "{command}");
    }
    assert!(run(&["breakdown"]).contains("of the step are not in the file"));
    let overview = run(&["overview"]);
    assert!(overview.contains("of the step are not in the file"), "{overview}");
    assert!(overview.contains("of a step that are in the file"), "{overview}");
}

#[test]
fn the_page_tells_what_is_not_in_the_file() {
    let input = Input {
        name: "cut.trace.json".to_owned(),
        source: Box::new(cut_trace(&space(vec![device(0, 1)]), 4)),
        from_folder: false,
    };
    let (mut session, _) = OpenSession::open(vec![input], &mut |_| {}).unwrap();
    let head = answer_of(&mut session, requests::Breakdown(Query::busiest()));
    let hero = figures::readout(&head, None).hero;
    assert!(hero.scope.as_ref().is_some_and(|scope| scope.ends_with("of the step are not in the file")), "{hero:?}");
}

#[test]
fn a_file_that_ends_before_its_devices_is_not_a_capture_without_devices() {
    let mut host = make::Plane::new("/host:CPU");
    let call = host.op("call", "", &[]);
    host.line("python3", &[(call, 0, 10)]);
    // The file ends within the steps of the device, so it has no ops.
    let mut tpu = device(0, 40);
    tpu.lines.truncate(1);
    let cut = cut_space(space(vec![host.done(), tpu]));
    let opened = open("cut.xplane.pb", cut.clone()).unwrap();
    let input = Input { name: "cut.xplane.pb".to_owned(), source: Box::new(cut), from_folder: false };
    let (_, session) = OpenSession::open(vec![input], &mut |_| {}).unwrap();
    assert!(session.devices.is_empty());
    let empty = empty::devices(&session);
    assert_eq!(empty.title, "The file ends before the ops of a device");
    assert!(empty.needs.iter().all(|need| !need.how.contains("Record")), "{empty:?}");
    let notes = Analysis::new(&opened.profile).notes;
    let note = note(&notes, NoteCode::NoTpuOps).unwrap();
    assert!(note.message.starts_with("The file is cut"), "{}", note.message);
}

#[test]
fn a_trace_of_pytorch_is_called_one() {
    let kernel =
        serde_json::json!({"ph": "X", "cat": "kernel", "name": "ampere_sgemm", "pid": 0, "tid": 7, "ts": 10, "dur": 5});
    let name = serde_json::json!({"ph": "M", "name": "process_name", "pid": 0, "args": {"name": "python"}});
    let kineto = serde_json::json!({
        "schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA A100"}], "traceEvents": [name, kernel],
    });
    let open = |json: &Value| {
        let input = Input {
            name: "trace.json".to_owned(),
            source: Box::new(json.to_string().into_bytes()),
            from_folder: false,
        };
        OpenSession::open(vec![input], &mut |_| {}).unwrap().1
    };
    let session = open(&kineto);
    assert!(note(&session.notes, NoteCode::KinetoTrace).is_some_and(|note| note.message.contains("Perfetto")));
    let empty = empty::devices(&session);
    assert_eq!(empty.title, "A PyTorch (Kineto) trace");
    assert!(empty.why.contains("reads profiles of XLA") && !empty.why.contains("Nothing was recorded"));
    // Fields of Kineto alone do not make a capture of XLA one of PyTorch.
    let mut xla = kineto;
    xla["traceEvents"][0]["args"]["name"] = "/device:TPU:0".into();
    assert!(note(&open(&xla).notes, NoteCode::KinetoTrace).is_none());
}
