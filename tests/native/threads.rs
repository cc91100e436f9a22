//! These tests compare CPUs as devices, whose ops run on a host's threads, with sums over the messages that `prost`
//! decodes.

use crate::common;
use prost::Message;
use rooflight::analysis::base::{Analysis, DeviceChoice, GroupBy, Query, StepChoice};
use rooflight::analysis::classify::Kind;
use std::collections::BTreeMap;
use xla_profile::units::{Count, Picos};
use xla_profile::wire::proto::xspace::x_event::Data;
use xla_profile::wire::proto::xspace::x_stat::Value;
use xla_profile::wire::proto::xspace::{XEvent, XPlane, XSpace};

const FILE: &str = "cpu-jax/vm.xplane.pb";

fn text(event: &XEvent, plane: &XPlane, name: &str) -> Option<String> {
    let stat = event.stats.iter().find(|s| plane.stat_metadata[&s.metadata_id].name == name)?;
    Some(match stat.value.as_ref()? {
        Value::StrValue(text) => text.clone(),
        Value::RefValue(id) => plane.stat_metadata[&id.cast_signed()].name.clone(),
        Value::Int64Value(n) => n.to_string(),
        Value::Uint64Value(n) => n.to_string(),
        other => panic!("{other:?}"),
    })
}

/// The executions, the durations, and the durations without the ops nested in them on their thread, in ps, of each
/// (device, op).
type Sums = BTreeMap<(String, String), (u64, u64, u64)>;

/// The start and the end of each (device, run), in ps.
type Runs = BTreeMap<(String, String), (i64, i64)>;

fn brute(space: &XSpace) -> (Sums, Runs) {
    let plane = space.planes.iter().find(|plane| plane.name == "/host:CPU").unwrap();
    let (mut sums, mut runs) = (Sums::new(), Runs::new());
    for line in &plane.lines {
        let mut own: Vec<(i64, i64, (String, String))> = Vec::new();
        for event in &line.events {
            let Some(op) = text(event, plane, "hlo_op") else { continue };
            let device = text(event, plane, "device_ordinal").unwrap();
            let Some(Data::OffsetPs(start)) = event.data else { panic!("no start") };
            let run = runs.entry((device.clone(), text(event, plane, "run_id").unwrap())).or_insert((i64::MAX, 0));
            let begin = line.timestamp_ns * 1000 + start;
            *run = (run.0.min(begin), run.1.max(begin + event.duration_ps));
            own.push((start, start + event.duration_ps, (device, op)));
        }
        for (i, (start, end, key)) in own.iter().enumerate() {
            // An event encloses directly those events inside it that no other event inside it encloses.
            let within = |a: &(i64, i64, (String, String)), b: &(i64, i64, (String, String))| {
                a != b && b.0 <= a.0 && a.1 <= b.1 && a.2.0 == b.2.0
            };
            let inner: Vec<_> = own.iter().enumerate().filter(|(j, e)| *j != i && within(e, &own[i])).collect();
            let direct = inner.iter().filter(|(j, e)| !inner.iter().any(|(k, o)| k != j && within(e, o)));
            let held: i64 = direct.map(|(_, e)| e.1 - e.0).sum();
            let sum = sums.entry(key.clone()).or_default();
            let length = u64::try_from(end - start).unwrap();
            *sum = (sum.0 + 1, sum.1 + length, sum.2 + length - u64::try_from(held).unwrap());
        }
    }
    (sums, runs)
}

#[test]
fn every_op_equals_the_sum_of_its_events() {
    let Some(bytes) = common::profile(FILE) else { return };
    let (mut expected, runs) = brute(&XSpace::decode(bytes.as_slice()).unwrap());
    assert_eq!(expected.values().map(|(n, ..)| n).sum::<u64>(), 5880);
    let opened = common::open(FILE, bytes).unwrap();
    let analysis = Analysis::new(&opened.profile);
    let labels: Vec<&str> = analysis.devices.iter().map(|device| device.label.as_str()).collect();
    assert_eq!(labels, ["CPU:0", "CPU:1", "CPU:2", "CPU:3"]);
    for (i, device) in analysis.devices.iter().enumerate() {
        let query = Query { device: DeviceChoice::One(i as u32), step: StepChoice::All, ..Query::busiest() };
        let b = analysis.breakdown(&opened.profile, &query).unwrap();
        for group in &b.groups {
            let (n, _, own) = expected.remove(&(i.to_string(), group.key.clone())).unwrap();
            assert_eq!((group.n_executions, group.total), (n.into(), Picos(own)), "{} {}", device.label, group.key);
        }
        let mut windows: Vec<(i64, i64)> =
            runs.iter().filter(|((number, _), _)| *number == i.to_string()).map(|(_, run)| *run).collect();
        windows.sort_unstable();
        let first = windows[0].0;
        let expected: Vec<(i64, i64)> = windows.iter().map(|(from, to)| (from - first, to - first)).collect();
        let base = device.steps[0].window.0;
        let steps: Vec<(i64, i64)> = device
            .steps
            .iter()
            .map(|s| ((s.window.0 - base).cast_signed(), (s.window.0 + s.duration.0 - base).cast_signed()))
            .collect();
        assert_eq!((steps.len(), &steps), (5, &expected), "{}", device.label);
    }
    assert!(expected.is_empty(), "{:?}", expected.keys());
}

#[test]
fn every_grouping_sums_and_every_kind_is_known() {
    let Some(bytes) = common::profile(FILE) else { return };
    let opened = common::open(FILE, bytes).unwrap();
    let analysis = Analysis::new(&opened.profile);
    for by in GroupBy::ALL {
        for device in [DeviceChoice::All, DeviceChoice::One(2)] {
            for step in [StepChoice::All, StepChoice::Busiest, StepChoice::Number(3)] {
                let b = analysis.breakdown(&opened.profile, &Query { device, step, by, ..Query::busiest() }).unwrap();
                assert_eq!(b.groups.iter().map(|g| g.total).sum::<Picos>(), b.totals.busy);
                assert_eq!(b.totals.by_kind.iter().copied().sum::<Picos>(), b.totals.busy);
                assert_eq!(Some(b.totals.union + b.totals.idle), b.header.step_duration);
                assert!(b.totals.unknown_categories.is_empty(), "{:?}", b.totals.unknown_categories);
            }
        }
    }
    let kinds = Query { device: DeviceChoice::All, step: StepChoice::All, by: GroupBy::Kind, ..Query::busiest() };
    let b = analysis.breakdown(&opened.profile, &kinds).unwrap();
    let n = |kind| b.groups.iter().find(|g| g.kind == kind).map_or(Count::ZERO, |g| g.n_executions);
    assert_eq!((n(Kind::Communication), n(Kind::Container), n(Kind::Other)), (640.into(), 40.into(), Count::ZERO));
}

/// Derived planes are in no file, so the file's own counts do not include them.
#[test]
fn derived_planes_are_no_planes_of_the_file() {
    let Some(bytes) = common::profile(FILE) else { return };
    let n: usize =
        XSpace::decode(bytes.as_slice()).unwrap().planes.iter().flat_map(|p| &p.lines).map(|l| l.events.len()).sum();
    let opened = common::open(FILE, bytes).unwrap();
    assert_eq!(opened.profile.n_events(), n);
    let analysis = Analysis::new(&opened.profile);
    let view = analysis.file_view(&opened.profile, &opened.files, false);
    assert_eq!(view.planes.len(), 3);
    assert!(view.planes.iter().all(|plane| !plane.name.starts_with("/device:")));
}
