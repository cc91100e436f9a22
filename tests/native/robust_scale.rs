//! These tests read many devices, steps that overlap, many captures, and many empty planes and lines. Code that grows
//! with the square of their number would take minutes, and linear code takes a second or two. The limits are generous.

use crate::common;
use crate::common::bytes;
use crate::common::make::{self, Plane};
use rooflight::analysis::base::{Analysis, DeviceChoice, Query, StepChoice};
use rooflight::session::{Input, Opened, open};
use std::time::{Duration, Instant};
use xla_profile::profile::Note;
use xla_profile::wire::proto::xspace::{XPlane, XSpace};

/// Many times the time on a busy machine without optimisation, and a fraction of the time that quadratic code takes.
const LIMIT: Duration = Duration::from_secs(60);

fn in_time<T>(work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    assert!(start.elapsed() < LIMIT, "{:?}", start.elapsed());
    result
}

fn opened(planes: Vec<XPlane>) -> Opened {
    common::open("a.xplane.pb", bytes(&XSpace { planes, ..XSpace::default() })).unwrap()
}

fn note<'a>(notes: &'a [Note], code: &str) -> Option<&'a Note> {
    notes.iter().find(|note| note.code == code)
}

fn tiny(name: &str) -> XPlane {
    let mut plane = Plane::new(name);
    let op = plane.op("%copy.1 = f32[8] copy(%a)", "copy.1", &[]);
    plane.line("XLA Ops", &[(op, 0, 10)]);
    plane.done()
}

#[test]
fn many_devices() {
    let n = 8_000;
    let opened = opened((0..n).map(|i| tiny(&format!("/device:TPU:{i}"))).collect());
    in_time(|| {
        let analysis = Analysis::new(&opened.profile);
        assert_eq!(analysis.devices.len(), n);
        let query = Query { device: DeviceChoice::All, step: StepChoice::All, ..Query::busiest() };
        for _ in 0..3 {
            let breakdown = analysis.breakdown(&opened.profile, &query).unwrap();
            assert_eq!(breakdown.totals.busy.0, 10 * n as u64);
        }
        analysis.file_view(&opened.profile, &opened.files, false);
    });
}

#[test]
fn devices_of_one_name() {
    let opened = opened((0..8_000).map(|_| tiny("/device:TPU:0")).collect());
    let analysis = in_time(|| Analysis::new(&opened.profile));
    assert_eq!((analysis.devices[0].label.as_str(), analysis.devices[7_999].label.as_str()), ("TPU:0", "TPU:0 (8000)"));
}

#[test]
fn many_captures() {
    let inputs = (0..6_000).map(|i| {
        let space = XSpace { planes: vec![tiny("/device:TPU:0")], hostnames: vec![i.to_string()], ..XSpace::default() };
        Input { name: format!("run/{i}.xplane.pb"), source: Box::new(bytes(&space)), from_folder: true }
    });
    let opened = open(inputs.collect(), &mut |_| {}).unwrap();
    let analysis = in_time(|| Analysis::new(&opened.profile));
    assert_eq!(
        analysis.devices[17].label,
        format!("{} TPU:0", opened.files[17].name.trim_start_matches("run/").trim_end_matches(".xplane.pb"))
    );
}

fn with_steps(steps: &[(i64, i64)]) -> Opened {
    let mut plane = Plane::new("/device:TPU:0");
    let op = plane.op("%copy.1 = f32[8] copy(%a)", "copy.1", &[]);
    let events: Vec<_> =
        (0..).zip(steps).map(|(i, (start, length))| (plane.op(&i.to_string(), "", &[]), *start, *length)).collect();
    plane.line("Steps", &events);
    let ops: Vec<_> = (0..20_000).map(|i| (op, i * 10, 10)).collect();
    plane.line("XLA Ops", &ops);
    opened(vec![plane.done()])
}

/// Thousands of steps that run at the same time are not the steps of a program. The whole capture is shown, and a note
/// reports the overlap.
#[test]
fn steps_that_overlap() {
    let all = with_steps(&vec![(0, 200_000); 20_000]);
    in_time(|| {
        let analysis = Analysis::new(&all.profile);
        let text = note(&analysis.notes, "overlapping_steps").unwrap();
        assert!(text.message.starts_with("20000 of the 20000 steps run at the same time"), "{}", text.message);
        assert!(analysis.devices[0].steps.is_empty());
        let stats = analysis.step_stats(&all.profile);
        assert!(stats.devices[0].steps.is_empty());
        let whole = analysis.breakdown(&all.profile, &Query::busiest()).unwrap();
        assert_eq!((whole.header.step.as_str(), whole.totals.busy.0), ("all", 200_000));
    });
    // Each step overlaps the one before it. A step ends where the next one starts, and a note reports the overlap.
    let chain = with_steps(&(0..20_000).map(|i| (i * 10, 20)).collect::<Vec<_>>());
    in_time(|| {
        let analysis = Analysis::new(&chain.profile);
        assert!(note(&analysis.notes, "overlapping_steps").unwrap().message.starts_with("Steps overlap."));
        let stats = analysis.step_stats(&chain.profile);
        assert_eq!(
            (stats.devices[0].steps.len(), stats.devices[0].steps[7].busy.0, stats.devices[0].steps[7].n_ops),
            (20_000, 10, 1)
        );
    });
}

/// An empty plane or line takes a few bytes in the file and hundreds in memory. Planes and lines beyond the number that
/// the size of the file allows are only counted.
#[test]
fn planes_and_lines_without_events() {
    let empty = |n: usize| (0..n).map(|_| XPlane { name: "p".into(), ..XPlane::default() });
    let mut planes = vec![make::device(0)];
    planes.extend(empty(200_000));
    let opened = opened(planes);
    let n = opened.profile.planes.len();
    assert!(n > 10_000 && n < 25_000, "{n}");
    let text = &note(&opened.profile.notes, "planes_not_listed").unwrap().message;
    assert!(text.starts_with(&format!("{} further planes", 200_001 - n)), "{text}");
    assert!(opened.partial.is_none(), "nothing that is shown is less for it");

    let mut plane = make::device(0);
    plane.lines.extend((0..200_000).map(|_| Default::default()));
    let opened = self::opened(vec![plane]);
    let n = opened.profile.planes[0].lines.len();
    assert!(n < 25_000 && note(&opened.profile.notes, "planes_not_listed").is_some(), "{n}");
    assert_eq!(Analysis::new(&opened.profile).devices.len(), 1);
}

/// A trace JSON with a thread per event.
#[test]
fn threads_without_end() {
    let events: Vec<String> =
        (0..100_000).map(|i| format!(r#"{{"ph":"X","pid":{i},"tid":{i},"ts":{i},"dur":1,"name":"a"}}"#)).collect();
    let text = format!(r#"{{"traceEvents":[{}]}}"#, events.join(","));
    let opened = common::open("a.trace.json", text.into_bytes()).unwrap();
    let n = opened.profile.n_events();
    assert!(n > 8_000 && n < 25_000, "{n}");
    let message = note(&opened.profile.notes, "lines_left_out").unwrap();
    assert!(message.message.starts_with(&format!("{} events", 100_000 - n)), "{}", message.message);
    assert!(opened.partial.is_some_and(|partial| partial.contains("are left out")));
}

/// A program of the plainest instructions, which take 38 bytes each.
#[test]
fn a_long_chain_of_instructions_is_a_program() {
    use xla_profile::wire::proto::hlo::{
        HloComputationProto, HloInstructionProto, HloModuleProto, HloProto, ShapeProto,
    };
    let shape = ShapeProto { element_type: 11, dimensions: vec![8], ..ShapeProto::default() };
    let instructions = (2..100_000_i64).map(|id| HloInstructionProto {
        name: format!("add.{id}"),
        opcode: "add".into(),
        shape: Some(shape.clone()),
        id,
        operand_ids: vec![id - 1, id - 1],
        ..HloInstructionProto::default()
    });
    let computation = HloComputationProto {
        name: "main".into(),
        instructions: instructions.collect(),
        id: 1,
        root_id: 99_999,
        ..Default::default()
    };
    let module = HloModuleProto { name: "m".into(), computations: vec![computation], ..HloModuleProto::default() };
    let program = prost::Message::encode_to_vec(&HloProto { hlo_module: Some(module), buffer_assignment: None });
    assert!(program.len() < 4_500_000, "{}", program.len());
    let read = xla_profile::wire::hlo::decode(&program).unwrap();
    assert_eq!(read.hlo_module.unwrap().computations[0].instructions.len(), 99_998);
}
