//! These tests check the findings about data that a session lacks. Each gap made by hand is found, counted and given a
//! remedy, and real captures have the gaps that are known.

use crate::common;
use crate::common::make::{self, int};
use crate::common::trace::{gzip, open_all};
use crate::common::{bytes, profile};
use rooflight::analysis::base::{Analysis, DeviceChoice, GroupBy, Query, StepChoice};
use rooflight::analysis::breakdown::Breakdown;
use rooflight::analysis::classify::Kind;
use rooflight::analysis::files::{FileView, Finding, FindingKind};
use rooflight::session::Opened;
use xla_profile::units::Picos;
use xla_profile::wire::proto::xspace::{XPlane, XSpace};

fn view(opened: &Opened) -> FileView {
    Analysis::new(&opened.profile).file_view(&opened.profile, &opened.files, opened.partial.is_some())
}

fn findings(space: &XSpace) -> Vec<Finding> {
    view(&common::open("a.xplane.pb", bytes(space)).unwrap()).quality
}

/// Returns the findings of a kind whose consequence contains `words`.
fn those<'a>(found: &'a [Finding], kind: FindingKind, words: &str) -> Vec<&'a Finding> {
    found.iter().filter(|finding| finding.kind == kind && finding.consequence.contains(words)).collect()
}

fn changed(change: impl Fn(&mut XPlane)) -> Vec<Finding> {
    let mut space = make::small();
    change(&mut space.planes[0]);
    findings(&space)
}

#[test]
fn missing_lines_are_found() {
    let without = |name: &str| changed(|plane| plane.lines.retain(|line| line.name != name));
    let whole = findings(&make::small());
    for (name, words) in [("Steps", "no “Steps” line"), ("XLA Modules", "no “XLA Modules” line")] {
        assert_eq!(those(&whole, FindingKind::Missing, words).len(), 0, "{name}");
        let found = without(name);
        let [one] = those(&found, FindingKind::Missing, words)[..] else { panic!("{name}: {found:#?}") };
        assert_eq!(one.place.as_deref(), Some("TPU:0"));
        assert!(one.remedy.is_some());
    }
    // A line that no plane of the capture has is reported once, for both devices.
    let [one] = those(&whole, FindingKind::Missing, "no “Async XLA Ops” line")[..] else { panic!("{whole:#?}") };
    assert_eq!((one.place.as_deref(), one.n, &one.remedy), (Some("2 devices, TPU:0 to TPU:1"), Some(2), &None));
    assert_eq!(those(&whole, FindingKind::Missing, "The capture has no HLO proto").len(), 1);
    assert_eq!(those(&whole, FindingKind::Missing, "where in the source").len(), 0);
    assert_eq!(those(&whole, FindingKind::Missing, "no host events").len(), 0);
    let alone = findings(&XSpace { planes: vec![make::device(0)], ..XSpace::default() });
    let [hosts] = those(&alone, FindingKind::Missing, "no host events")[..] else { panic!("{alone:#?}") };
    assert!(hosts.remedy.as_deref().unwrap().contains("host_tracer_level"));
}

#[test]
fn findings_are_counted() {
    // Three of the six events lose their metadata: the one of the while op and both of the dot.
    let found = changed(|plane| {
        let ops = plane.lines.iter().find(|line| line.name == "XLA Ops").unwrap();
        for id in [ops.events[0].metadata_id, ops.events[1].metadata_id] {
            plane.event_metadata.remove(&id);
        }
    });
    let [one] = those(&found, FindingKind::Unresolved, "missing metadata")[..] else { panic!("{found:#?}") };
    assert_eq!((one.n, one.place.as_deref()), (Some(3), Some("/device:TPU:0")));

    // The plane has two starts and one done.
    let mut plane = make::Plane::new("/device:TPU:0");
    let start = plane.op("%all-gather-start.1 = (f32[8], f32[16]) all-gather-start(%a)", "all-gather-start.1", &[]);
    let done = plane.op("%all-gather-done.9 = f32[16] all-gather-done(%b)", "all-gather-done.9", &[]);
    plane.line("XLA Ops", &[(start, 0, 10), (done, 20, 5), (start, 30, 10)]);
    plane.own("dropped_traces", int(17));
    let found = findings(&XSpace { planes: vec![plane.done()], ..XSpace::default() });
    let [one] = those(&found, FindingKind::Unpaired, "")[..] else { panic!("{found:#?}") };
    assert_eq!((one.n, one.place.as_deref()), (Some(1), Some("TPU:0")));
    let [one] = those(&found, FindingKind::Dropped, "")[..] else { panic!("{found:#?}") };
    assert_eq!((one.n, one.place.as_deref()), (Some(17), Some("TPU:0")));
    assert!(findings(&make::small()).iter().all(|f| !matches!(f.kind, FindingKind::Unpaired | FindingKind::Dropped)));
}

#[test]
fn notes_appear_once_among_the_findings() {
    let mut space = make::small();
    space.errors.push("buffers were full".into());
    space.planes[0].lines.iter_mut().find(|line| line.name == "Steps").unwrap().events[0].duration_ps += 500;
    let whole = bytes(&space);
    let opened = common::open("a.xplane.pb", whole[..whole.len() - 40].to_vec()).unwrap();
    let view = view(&opened);
    let kinds: Vec<FindingKind> = view.quality.iter().map(|finding| finding.kind).collect();
    assert!(kinds.is_sorted(), "{kinds:?}");
    for (kind, code) in [(FindingKind::Truncated, "partial_file"), (FindingKind::Clock, "overlapping_steps")] {
        let notes: Vec<&str> = view.notes.iter().filter(|n| n.code == code).map(|n| n.message.as_str()).collect();
        let [note] = notes.as_slice() else { panic!("{notes:?}") };
        assert_eq!(those(&view.quality, kind, note).len(), 1);
    }
    let text = findings(&space);
    assert_eq!(those(&text, FindingKind::Profiler, "buffers were full").len(), 1);
}

#[test]
#[ignore = "needs captures of other projects"]
fn real_captures() {
    let v6e = profile("tpu-v6e-host-offload/host.xplane.pb").unwrap();
    let found = view(&common::open("a.xplane.pb", v6e).unwrap()).quality;
    // Only chip 0 has the async line, and all chips have their HLO.
    let [one] = those(&found, FindingKind::Missing, "no “Async XLA Ops” line")[..] else { panic!("{found:#?}") };
    assert_eq!(one.n, Some(3));
    assert!(those(&found, FindingKind::Missing, "HLO proto").is_empty());
    assert!(
        those(&found, FindingKind::Missing, "no “Steps” line").len() == 1
            && found.iter().all(|f| f.kind >= FindingKind::Clock)
    );
}

/// The first of these eight GPUs only copies, so the busiest of the others is shown.
#[test]
#[ignore = "needs captures of other projects"]
fn a_device_that_computes_is_shown_first() {
    let v100 = profile("gpu-v100/host.xplane.pb").unwrap();
    let opened = common::open("a.xplane.pb", v100).unwrap();
    let analysis = Analysis::new(&opened.profile);
    let moved = |index: u32| {
        let query = Query { device: DeviceChoice::One(index), step: StepChoice::All, ..Query::busiest() };
        let totals = analysis.breakdown(&opened.profile, &query).unwrap().totals;
        (totals.by_kind[Kind::DataMovement.index()] == totals.busy, totals.busy)
    };
    let all: Vec<(bool, _)> = (0..analysis.devices.len() as u32).map(moved).collect();
    assert!(all[0].0, "{all:?}");
    let most = all.iter().filter(|(only, _)| !only).map(|(_, busy)| *busy).max().unwrap();
    let DeviceChoice::One(shown) = analysis.usual_device(&opened.profile) else { panic!("one is shown") };
    assert_eq!(all[shown as usize], (false, most));
    // If all devices compute, their mean is shown.
    let v6e = profile("tpu-v6e-host-offload/host.xplane.pb").unwrap();
    let opened = common::open("a.xplane.pb", v6e).unwrap();
    assert_eq!(Analysis::new(&opened.profile).usual_device(&opened.profile), DeviceChoice::Mean);
}

/// Without a requested step, the longest step is shown, and not the first, which may be a warm-up.
#[test]
#[ignore = "needs captures of other projects"]
fn the_longest_step_is_shown_first() {
    let v6e = profile("tpu-v6e-host-offload/host.xplane.pb").unwrap();
    let opened = common::open("a.xplane.pb", v6e).unwrap();
    let analysis = Analysis::new(&opened.profile);
    let all = analysis.devices.iter().flat_map(|device| &device.steps);
    let longest = all.rev().max_by_key(|step| step.length()).unwrap();
    assert_ne!(longest.number, 0, "the first step is shorter");
    // Every device shows the same step, so that figures of one step are compared.
    for device in [DeviceChoice::One(0), DeviceChoice::One(1), DeviceChoice::One(3), DeviceChoice::All] {
        let query = Query { device, ..Query::busiest() };
        let header = analysis.breakdown(&opened.profile, &query).unwrap().header;
        assert_eq!(header.step, longest.number.to_string(), "{device:?}");
    }
}

/// The trace JSON and the XSpace of one run on CPUs give the same times, op by op and to the picosecond.
#[test]
fn a_trace_and_its_xspace_agree_on_cpus() {
    let Some((trace, space)) = profile("cpu-jax/vm.trace.json.gz").zip(profile("cpu-jax/vm.xplane.pb")) else { return };
    let result = |name: &str, bytes: Vec<u8>| {
        let opened = common::open(name, bytes).unwrap();
        let analysis = Analysis::new(&opened.profile);
        let totals = |device| {
            let query = Query { device, step: StepChoice::All, by: GroupBy::Op, ..Query::busiest() };
            let Breakdown { totals, groups, .. } = analysis.breakdown(&opened.profile, &query).unwrap();
            let mut rows: Vec<_> = groups.iter().map(|row| (row.key.clone(), row.n_executions, row.total)).collect();
            rows.sort();
            // Names determine the kind communication. For the other kinds, a trace lacks the program.
            (totals.busy, totals.idle, totals.by_kind[Kind::Communication.index()], rows)
        };
        let devices = analysis.devices.iter().map(|device| device.label.clone()).collect::<Vec<_>>();
        (devices, (0..4).map(|i| totals(DeviceChoice::One(i))).collect::<Vec<_>>(), totals(DeviceChoice::All))
    };
    let (trace, space) = (result("vm.trace.json.gz", trace), result("vm.xplane.pb", space));
    assert_eq!(trace.0.len(), 4);
    assert!(trace.2.3.len() > 10);
    assert!(trace == space, "they differ: {:?} and {:?}", (trace.2.0, trace.2.1), (space.2.0, space.2.1));
}

/// Without HLO, names determine the kinds of ops on CPUs. No op is left as other, and the kinds are those that the HLO
/// gives.
#[test]
fn a_trace_of_cpus_is_classified_by_name() {
    let Some((trace, space)) = profile("cpu-jax/vm.trace.json.gz").zip(profile("cpu-jax/vm.xplane.pb")) else { return };
    let result = |name: &str, bytes: Vec<u8>| {
        let opened = common::open(name, bytes).unwrap();
        let analysis = Analysis::new(&opened.profile);
        let query = Query { device: DeviceChoice::All, step: StepChoice::All, by: GroupBy::Op, ..Query::busiest() };
        (analysis.breakdown(&opened.profile, &query).unwrap(), opened)
    };
    let (of_trace, opened) = result("vm.trace.json.gz", trace);
    let (of_space, _) = result("vm.xplane.pb", space);
    let totals = &of_trace.totals;
    assert_eq!((totals.by_kind[Kind::Other.index()], totals.unknown_categories.len()), (Picos::ZERO, 0));
    assert_eq!(totals.by_kind, of_space.totals.by_kind);
    // The sums come from an independent reader of the file: those of dots, of plain copies and concatenations, and of
    // loops with everything inside them.
    let near = |ps: Picos, seconds: f64| (ps.as_f64() / 1e12 - seconds).abs() < 0.0005;
    let total = |is: &dyn Fn(&str) -> bool| -> Picos {
        of_trace.groups.iter().filter(|row| is(row.key.split('.').next().unwrap())).map(|row| row.total).sum()
    };
    assert!(near(total(&|name| name == "dot"), 0.983));
    assert!(near(total(&|name| name == "copy" || name == "concatenate"), 0.0096));
    assert!(near(totals.container_inclusive, 0.230));
    assert!(of_trace.groups.iter().all(|row| row.main_category() != Some("<none>")));
    // The program has a name and no id.
    assert_eq!(of_trace.groups[0].program.as_deref(), Some("jit_train_step"));
    assert!(opened.profile.notes.iter().any(|note| note.code == "program_numbers"));
}

/// Two programs that a trace JSON distinguishes only by `hlo_module` stay two programs, with their own runs.
#[test]
fn programs_of_a_trace_do_not_merge() {
    let event = |module: &str, run: u32, ts: u32| {
        format!(
            r#"{{"ph":"X","pid":1,"tid":2,"ts":{ts},"dur":5,"name":"dot.1","args":{{"hlo_op":"dot.1","hlo_module":"{module}","device_ordinal":"0","run_id":"{run}"}}}}"#
        )
    };
    let events = [
        event("jit_a", 1, 10),
        event("jit_b", 2, 20),
        event("jit_a", 3, 30),
        event("jit_b", 4, 40),
        event("jit_a", 5, 50),
    ];
    let text = format!(
        r#"{{"traceEvents":[{{"ph":"M","pid":1,"name":"process_name","args":{{"name":"/host:CPU"}}}},{{"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{{"name":"worker"}}}},{}]}}"#,
        events.join(",")
    );
    let opened = common::open("a.trace.json.gz", gzip(text.as_bytes())).unwrap();
    let analysis = Analysis::new(&opened.profile);
    // Both programs have much of the time, so a run of each is a step, of a kind of its own.
    let kinds: Vec<u16> = analysis.devices[0].steps.iter().map(|step| step.kind).collect();
    assert_eq!(kinds, [0, 1, 0, 1, 0], "runs of jit_a and of jit_b");
    let query = Query { step: StepChoice::All, by: GroupBy::Op, ..Query::busiest() };
    let rows = analysis.breakdown(&opened.profile, &query).unwrap().groups;
    let rows: Vec<_> =
        rows.iter().map(|row| (row.program.as_deref().unwrap(), row.key.as_str(), row.n_executions)).collect();
    assert_eq!(rows, [("jit_a", "dot.1", 3.into()), ("jit_b", "dot.1", 2.into())]);
}

/// The data that trace JSON leaves out are reported once. For a single file, the note has the name of the file.
#[test]
fn missing_data_of_traces_are_reported_once() {
    let trace = |n| {
        let space = XSpace { planes: vec![make::device(n)], ..XSpace::default() };
        gzip(&common::trace::text(&common::trace::events_of(&space)))
    };
    for n in [1u32, 3] {
        let files: Vec<(String, Vec<u8>)> = (0..n).map(|i| (format!("{i}.trace.json.gz"), trace(i))).collect();
        let files: Vec<(&str, &[u8])> = files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
        let notes = open_all(&files).unwrap().profile.notes;
        let text: Vec<_> =
            notes.iter().filter(|note| note.code == "trace_json").map(|note| note.place.as_deref()).collect();
        assert_eq!(text, [(n == 1).then_some("0.trace.json.gz")]);
    }
}
