//! These tests compare real trace JSON with known numbers, with its events summed by `serde_json`, and with the XSpace
//! of the same capture.

use crate::common;
use crate::common::trace::planes_by_name;
use rooflight::analysis::base::{Analysis, DeviceChoice, GroupBy, Query, StepChoice};
use rooflight::analysis::breakdown::Breakdown;
use rooflight::analysis::comm::CommQuery;
use rooflight::analysis::roofline::{PeakChoice, RooflineQuery};
use rooflight::session::Opened;
use serde_json::Value;
use std::collections::BTreeMap;
use xla_profile::units::Picos;

const VLLM: &str = "tpu-vllm-trace/vllm.trace.json.gz";

fn vllm() -> Option<(Opened, Analysis)> {
    let opened = common::open("vllm.trace.json.gz", common::profile(VLLM)?).unwrap();
    assert_eq!(opened.partial, None);
    let analysis = Analysis::new(&opened.profile);
    Some((opened, analysis))
}

fn breakdown((opened, analysis): &(Opened, Analysis), query: &Query) -> Breakdown {
    analysis.breakdown(&opened.profile, query).unwrap()
}

fn millis(p: Picos) -> String {
    format!("{:.3}", p.as_f64() / 1e9)
}

/// Returns the events of a thread.
fn events(file: &Value, pid: u64, thread: &str) -> Vec<Value> {
    let all = file["traceEvents"].as_array().unwrap();
    let named = |e: &&Value| e["name"] == "thread_name" && e["pid"] == pid && e["args"]["name"] == thread;
    let tid = &all.iter().find(named).unwrap()["tid"];
    all.iter().filter(|e| e["ph"] == "X" && e["pid"] == pid && &e["tid"] == tid).cloned().collect()
}

fn number(value: &Value) -> u64 {
    value.as_str().unwrap().parse().unwrap()
}

#[test]
#[ignore = "needs captures of other projects"]
fn the_vllm_step_has_the_known_figures() {
    let session = vllm().unwrap();
    let step = breakdown(&session, &Query { by: GroupBy::Category, ..Query::busiest() });
    assert_eq!(step.header.step_duration, Some(Picos(66_914_493_397)));
    let all_reduce = step.groups.iter().find(|g| g.key == "all-reduce").unwrap();
    assert_eq!((all_reduce.n_executions, millis(all_reduce.total)), (129.into(), "3.434".into()));
    let whole = breakdown(&session, &Query { step: StepChoice::All, ..Query::busiest() });
    // 0.2 ms of the busy time belong to other programs, before and after the step.
    assert_eq!(format!("{:.2}", whole.totals.busy.as_f64() / 1e9), "67.21");
    for device in [0, 1] {
        let query = Query { device: DeviceChoice::One(device), step: StepChoice::All, ..Query::busiest() };
        let flops: f64 = breakdown(&session, &query).groups.iter().filter_map(|g| g.model_flops).sum();
        assert_eq!(format!("{:.2}", flops / 1e12), "31.98");
    }
}

#[test]
#[ignore = "needs captures of other projects"]
fn vllm_collectives_are_synchronous_and_exposed() {
    let (opened, analysis) = vllm().unwrap();
    for (device, n) in [(DeviceChoice::One(0), 129), (DeviceChoice::All, 258)] {
        let request = CommQuery { query: Query { device, ..Query::busiest() }, ..CommQuery::default() };
        let comm = analysis.comm(&opened.profile, &request, None);
        let overlap = comm.tensor.overlap;
        assert_eq!((comm.tensor.n, overlap.overlapped, overlap.exposed), (n.into(), Picos::ZERO, overlap.in_flight));
        if n == 129 {
            assert_eq!(millis(comm.tensor.stall), "3.434");
        }
    }
}

/// The executions, time, FLOPs and bytes of each op on each device are those of the events in the JSON.
#[test]
#[ignore = "needs captures of other projects"]
fn ops_are_the_sums_of_their_events() {
    let (Some(session), Some(file)) = (vllm(), common::json(VLLM)) else { return };
    for (device, pid) in [(0, 3), (1, 4)] {
        let mut expected: BTreeMap<String, (u64, u64, u64, u64)> = BTreeMap::new();
        for event in events(&file, pid, "XLA Ops") {
            let sum = expected.entry(event["name"].as_str().unwrap().to_owned()).or_default();
            let args = &event["args"];
            sum.0 += 1;
            sum.1 += number(&args["device_duration_ps"]);
            sum.2 += number(&args["model_flops"]);
            sum.3 += number(&args["bytes_accessed"]);
        }
        let query = Query { device: DeviceChoice::One(device), step: StepChoice::All, ..Query::busiest() };
        let result = breakdown(&session, &query);
        let rows = result.groups.iter().map(|g| {
            let [flops, bytes] = [g.model_flops, g.bytes_accessed].map(|n| n.unwrap_or_default() as u64);
            (g.key.clone(), (g.n_executions.whole().unwrap(), g.inclusive.0, flops, bytes))
        });
        assert_eq!(rows.collect::<BTreeMap<_, _>>(), expected);
        // No events nest. Self time is less by the picosecond by which some neighbours overlap.
        let lost: u64 = result.groups.iter().map(|g| g.inclusive.0 - g.total.0).sum();
        assert!(lost < 400, "{lost}");
        assert_eq!(result.groups.iter().map(|g| g.total).sum::<Picos>(), result.totals.busy);
    }
}

#[test]
#[ignore = "needs captures of other projects"]
fn times_match_the_json_to_the_picosecond() {
    let (Some((opened, _)), Some(file)) = (vllm(), common::json(VLLM)) else { return };
    let device = &planes_by_name(&opened.profile)[0];
    for (line, events_) in &device.1 {
        let expected = if events_.is_empty() { Vec::new() } else { events(&file, 3, line) };
        assert_eq!(events_.len(), expected.len(), "{line}");
        for (result, event) in events_.iter().zip(&expected) {
            let ps = |v: &Value| (v.as_f64().unwrap() * 1e6).round() as u64;
            assert_eq!((result.0, result.1), (ps(&event["ts"]), ps(&event["dur"])), "{event}");
            let args = &event["args"];
            let clock =
                args.get("device_offset_ps").map(|offset| (number(offset), number(&args["device_duration_ps"])));
            assert_eq!(result.2, clock, "{event}");
        }
    }
}

#[test]
#[ignore = "needs captures of other projects"]
fn the_vllm_roofline_uses_model_flops_and_a_given_chip() {
    let (opened, analysis) = vllm().unwrap();
    let none = analysis.roofline(&opened.profile, &RooflineQuery::default(), None).unwrap().figures;
    assert!(none.notes.iter().any(|n| n.message.contains("Choose a chip")), "{:?}", none.notes);
    let peaks = PeakChoice { chip: Some("TPU7x".into()), ..PeakChoice::default() };
    let query = RooflineQuery { query: Query::busiest(), peaks, ..RooflineQuery::default() };
    let held = analysis.roofline(&opened.profile, &query, None).unwrap().figures;
    assert!(held.notes.iter().any(|n| n.code == "model_flops_used"));
    assert_eq!(millis(held.considered), "61.757");
}

/// The profiler wrote both files, so a line has the same events in both. In the JSON, no event is shorter than a
/// picosecond.
#[test]
fn cpu_events_are_those_of_the_xspace() {
    let (Some(xspace), Some(json)) =
        (common::profile("cpu-jax/vm.xplane.pb"), common::profile("cpu-jax/vm.trace.json.gz"))
    else {
        return;
    };
    let lines = |name: &str, bytes: Vec<u8>| {
        let opened = common::open(name, bytes).unwrap();
        assert_eq!(opened.partial, None);
        let host = planes_by_name(&opened.profile).into_iter().find(|p| p.0 == "/host:CPU").unwrap().1;
        let line = |(name, events): common::trace::Line| {
            let name_of = |op: &str| op.split_once(", Some").unwrap().0.to_owned();
            let mut events: Vec<_> = events.iter().map(|e| (e.0, e.1.max(1), name_of(&e.3))).collect();
            events.sort();
            (name, events)
        };
        host.into_iter().map(line).collect::<BTreeMap<_, _>>()
    };
    let (xspace, json) = (lines("vm.xplane.pb", xspace), lines("vm.trace.json.gz", json));
    assert_eq!(xspace.keys().collect::<Vec<_>>(), json.keys().collect::<Vec<_>>());
    for (line, events) in &xspace {
        assert_eq!(events.len(), json[line].len(), "{line}");
        assert!(events == &json[line], "{line}");
    }
    assert_eq!(json.values().map(Vec::len).sum::<usize>(), 49_929);
}
