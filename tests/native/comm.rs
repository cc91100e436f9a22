//! These tests compare the analysis of communication with a real capture, a brute-force sweep and real programs. The
//! tests in `synth.rs` use simulated captures.

use crate::common;
use crate::common::hlo::{AOT, aot};
use rooflight::analysis::base::{Analysis, DeviceChoice, Query, StepChoice};
use rooflight::analysis::classify::Kind;
use rooflight::analysis::comm::{
    Comm, CommBy, CommQuery, Core, Execution, LaneQuery, Machine, Primitive, Remainder, Topology, TransferFilter,
    message_of,
};
use rooflight::session;
use rooflight::session::{Opened, Programs};
use std::fmt::Write as _;
use xla_profile::hlo::Module;
use xla_profile::profile::{Line, Plane};
use xla_profile::units::{Count, Picos};

const V6E: &str = "tpu-v6e-host-offload/host.xplane.pb";

fn query(device: DeviceChoice, step: StepChoice) -> Query {
    Query { device, step, ..Query::busiest() }
}

struct Session {
    opened: Opened,
    analysis: Analysis,
    programs: Programs,
}

impl Session {
    fn open(name: &str) -> Option<Self> {
        let mut opened = common::open(name, common::profile(name)?).unwrap();
        let programs = Programs::new(std::mem::take(&mut opened.open_files));
        Some(Self { analysis: Analysis::new(&opened.profile), opened, programs })
    }

    fn query(&mut self, query: &CommQuery) -> Comm {
        session::comm(&self.analysis, &self.opened.profile, &mut self.programs, query)
    }

    fn comm(&mut self, device: DeviceChoice, step: StepChoice) -> Comm {
        self.query(&CommQuery { query: query(device, step), ..CommQuery::default() })
    }
}

fn seconds(time: Picos) -> f64 {
    time.0 as f64 / 1e12
}

fn assert_near(found: Picos, wanted: f64, what: &str) {
    assert!((seconds(found) - wanted).abs() < 0.5e-4, "{what}: {} s for {wanted} s", seconds(found));
}

#[test]
#[ignore = "needs captures of other projects"]
fn v6e_stall_and_overlap_match_known_values() {
    let mut session = Session::open(V6E).unwrap();
    for (device, stall) in [76.0095, 76.0192, 76.0107, 75.9938].into_iter().enumerate() {
        let comm = session.comm(DeviceChoice::One(device as u32), StepChoice::All);
        assert_near(comm.copies.stall, stall, "copy-done");
        assert_eq!(comm.copies.n, 600);
        assert_eq!(comm.copy_rows.iter().map(|row| row.stall).sum::<Picos>(), comm.copies.stall);
        if device == 0 {
            let line: Picos = comm.copy_rows.iter().map(|row| row.wall).sum();
            assert!((seconds(line) - 197.6).abs() < 0.05, "{}", seconds(line));
            let overlap = comm.copies.overlap;
            assert_near(overlap.in_flight, 78.4154, "in flight");
            assert_near(overlap.exposed, 76.0484, "exposed");
            assert_near(overlap.overlapped, 2.3670, "overlapped");
            assert!(!comm.pairing.device_clock, "the async line has no device clock");
            assert_eq!((comm.pairing.from_line, comm.pairing.from_ops, comm.pairing.unpaired), (600, 0, 0));
        } else {
            // The async lines of the other devices are empty, so pairs are made from starts and dones.
            assert_eq!((comm.pairing.from_line, comm.pairing.from_ops, comm.pairing.unpaired), (0, 600, 0));
            assert!(comm.notes.iter().any(|note| note.code == "no_async_line"));
        }
    }
    let all = session.comm(DeviceChoice::All, StepChoice::All);
    assert_near(all.copies.stall, 304.0332, "all chips");
    assert_eq!((all.tensor.n, all.copies.n), (12.into(), 2400.into()));
}

#[test]
#[ignore = "needs captures of other projects"]
fn v6e_all_reduce() {
    let mut session = Session::open(V6E).unwrap();
    let topology = |wrap| Some(Topology { sides: vec![2, 2, 2], wrap });
    let query = query(DeviceChoice::All, StepChoice::All);
    let comm = session.query(&CommQuery {
        query,
        machine: Machine { topology: topology(true), ..Machine::default() },
        ..CommQuery::default()
    });
    let [row] = comm.rows.as_slice() else { panic!("{:?}", comm.rows) };
    assert_eq!(
        (row.primitive, row.op.as_deref(), row.execution),
        (Some(Primitive::AllReduce), Some("all-reduce"), Execution::Sync)
    );
    assert_eq!((row.n, row.bytes_each, row.bytes), (12.into(), Some(5_368_709_120), Some(12 * 5_368_709_120)));
    assert!((row.stall.0 as f64 / 12e9 - 121.695).abs() < 5e-4, "{}", row.stall.0 as f64 / 12e9);
    let group = row.group.as_ref().unwrap();
    assert_eq!((group.size, group.stride, group.n_groups), (Some(2), Some(4), Some(4)));
    assert_eq!((group.first.as_slice(), group.text.as_str()), (&[0, 4][..], "[4,2]<=[2,4]T(1,0)"));
    assert_eq!((group.axis.as_deref(), group.n_axes), (Some("z"), Some(1)));
    // A synchronous collective is never overlapped, because nothing else runs on its line.
    assert_eq!((row.overlap.exposed, row.overlap.overlapped), (row.overlap.in_flight, Picos::ZERO));
    let rate = row.bytes.unwrap() as f64 / seconds(row.wall);
    assert!((row.alg_rate.unwrap() / rate - 1.0).abs() < 1e-12);
    // For two devices, the factor of the bus bandwidth is 2 (2 − 1) / 2 = 1.
    assert_eq!(row.bus_rate, row.alg_rate);
    let link = comm.link.as_ref().unwrap();
    assert_eq!((link.chip.as_str(), row.peak), ("TPU v6e", Some(2.0 * link.one_way)));
    assert_eq!(row.util, Some(rate / (2.0 * link.one_way)));

    let query = self::query(DeviceChoice::All, StepChoice::All);
    let open = session.query(&CommQuery {
        query: query.clone(),
        machine: Machine { topology: topology(false), ..Machine::default() },
        ..CommQuery::default()
    });
    assert_eq!(open.rows[0].peak, Some(link.one_way));
    let without = session.query(&CommQuery { query, ..CommQuery::default() });
    assert_eq!((without.rows[0].util, without.rows[0].peak), (None, None));
    assert!(without.notes.iter().any(|note| note.code == "no_topology"));
}

/// Returns the time in flight, and the part of it that overlaps compute, by a sweep over all instants at which an
/// interval starts or ends.
fn brute(flying: &[(u64, u64)], computing: &[(u64, u64)]) -> (u64, u64) {
    let mut changes: Vec<(u64, i32, i32)> = Vec::new();
    for (intervals, (fly, compute)) in [(flying, (1, 0)), (computing, (0, 1))] {
        changes.extend(
            intervals
                .iter()
                .filter(|(start, end)| start < end)
                .flat_map(|(start, end)| [(*start, fly, compute), (*end, -fly, -compute)]),
        );
    }
    changes.sort_unstable();
    let (mut fly, mut compute, mut now) = (0, 0, 0);
    let (mut in_flight, mut overlapped) = (0, 0);
    for (time, of_fly, of_compute) in changes {
        if fly > 0 {
            in_flight += time - now;
            overlapped += if compute > 0 { time - now } else { 0 };
        }
        (fly, compute, now) = (fly + of_fly, compute + of_compute, time);
    }
    (in_flight, overlapped)
}

fn line<'a>(plane: &'a Plane, name: &str) -> &'a Line {
    plane.lines.iter().find(|line| line.name == name).unwrap()
}

/// Returns the raw events of a line with their texts, on the event clock.
fn events<'a>(session: &'a Session, plane: &'a Plane, name: &str) -> impl Iterator<Item = ((u64, u64), &'a str)> {
    let events = &line(plane, name).events;
    let intervals = events.times().map(|(start, length)| (start, start + length));
    intervals.zip(events.ops().map(|op| session.opened.profile.text(plane.op(op).text)))
}

#[test]
#[ignore = "needs captures of other projects"]
fn overlap_equals_a_sweep_instant_by_instant() {
    let mut session = Session::open(V6E).unwrap();
    let steps: Vec<(u64, (u64, u64))> =
        session.analysis.devices[0].steps.iter().map(|step| (step.number, step.event_window)).collect();
    for device in 0..4 {
        let comm = session.comm(DeviceChoice::One(device), StepChoice::All);
        let plane = &session.opened.profile.planes[session.analysis.devices[device as usize].plane];
        let is = |text: &str, opcode: &str| text.contains(&format!(" {opcode}("));
        let ops: Vec<((u64, u64), &str)> = events(&session, plane, "XLA Ops").collect();
        let computing: Vec<(u64, u64)> =
            ops.iter().filter(|(_, text)| is(text, "fusion")).map(|(interval, _)| *interval).collect();
        assert_eq!(computing.len(), 300);
        let mut flying: Vec<(u64, u64)> =
            events(&session, plane, "Async XLA Ops").map(|(interval, _)| interval).collect();
        if flying.is_empty() {
            // Each start is paired with the first done after it that has the same name.
            let name = |text: &str| text.split(" = ").next().unwrap().trim_start_matches('%').to_owned();
            for (start, text) in ops.iter().filter(|(_, text)| is(text, "copy-start")) {
                let wanted = name(text).replace("-start", "-done");
                let done =
                    ops.iter().filter(|(interval, text)| interval.0 >= start.0 && name(text) == wanted).min().unwrap();
                flying.push((start.0, done.0.1));
            }
        }
        let (in_flight, overlapped) = brute(&flying, &computing);
        let overlap = comm.copies.overlap;
        assert_eq!((overlap.in_flight.0, overlap.overlapped.0), (in_flight, overlapped), "device {device}");
        assert_eq!(overlap.exposed, Picos(in_flight - overlapped));
        if device > 0 {
            continue;
        }
        assert_eq!(comm.steps.len(), steps.len());
        for (number, window) in &steps {
            let cut = |list: &[(u64, u64)]| -> Vec<(u64, u64)> {
                list.iter().map(|(start, end)| (*start.max(&window.0), *end.min(&window.1))).collect()
            };
            let (in_flight, overlapped) = brute(&cut(&flying), &cut(&computing));
            let step = comm.steps.iter().find(|step| step.number == *number).unwrap();
            assert_eq!((step.copies.in_flight.0, step.copies.overlapped.0), (in_flight, overlapped), "step {number}");
            let requested = session.comm(DeviceChoice::One(0), StepChoice::Number(*number));
            assert_eq!(requested.copies.overlap, step.copies, "a step asked for is the step of the list");
        }
    }
}

#[test]
#[ignore = "needs captures of other projects"]
fn lanes_hold_all_spans_without_overlap() {
    let mut session = Session::open(V6E).unwrap();
    let whole = session.comm(DeviceChoice::One(0), StepChoice::All);
    let n_collectives = whole.tensor.n.whole().unwrap() as usize;
    let Session { opened, analysis, programs } = &mut session;
    let request = LaneQuery {
        query: query(DeviceChoice::One(0), StepChoice::All),
        transfers: TransferFilter::All,
        ..LaneQuery::default()
    };
    let lanes = session::comm_lanes(analysis, &opened.profile, programs, &request);
    assert_eq!((lanes.spans.len(), lanes.left_out), (600 + n_collectives, (0, Picos::ZERO)));
    let mut ends = vec![Picos::ZERO; lanes.n_lanes as usize];
    for span in &lanes.spans {
        let end = &mut ends[span.lane as usize];
        assert!(*end <= span.start && span.start < span.end && span.end <= lanes.duration);
        assert!(span.exposed.0 <= span.end.0 - span.start.0);
        *end = span.end;
    }
    let sum: u64 = lanes.spans.iter().map(|span| span.end.0 - span.start.0).sum();
    assert_eq!(sum, whole.copies_wall() + whole.rows[0].wall.0);
    let few = session::comm_lanes(analysis, &opened.profile, programs, &LaneQuery { max_spans: 10, ..request.clone() });
    assert_eq!((few.spans.len(), few.left_out.0), (10, 590 + n_collectives as u64));
    assert!(few.notes.iter().any(|note| note.code == "spans_left_out"));
    let result: u64 = few.spans.iter().map(|span| span.end.0 - span.start.0).sum();
    assert_eq!(result + few.left_out.1.0, sum);
    let half = Picos(lanes.duration.0 / 2);
    let part = session::comm_lanes(
        analysis,
        &opened.profile,
        programs,
        &LaneQuery { part: Some((half, Picos(u64::MAX))), ..request },
    );
    assert_eq!(part.part, (half, lanes.duration));
    assert!(!part.spans.is_empty() && part.spans.iter().all(|span| span.start >= half));
}

trait CopiesWall {
    fn copies_wall(&self) -> u64;
}

impl CopiesWall for Comm {
    fn copies_wall(&self) -> u64 {
        self.copy_rows.iter().map(|row| row.wall.0).sum()
    }
}

/// Every grouping has the same stall, because each op is in one row.
#[test]
#[ignore = "needs captures of other projects"]
fn every_grouping_sums_to_the_whole() {
    let mut session = Session::open(V6E).unwrap();
    for by in CommBy::ALL {
        let request = CommQuery { query: query(DeviceChoice::All, StepChoice::All), by, ..CommQuery::default() };
        let comm = session.query(&request);
        let sum = |rows: &[rooflight::analysis::comm::CommRow]| {
            rows.iter().map(|row| row.stall + row.issue + row.fused).sum::<Picos>()
        };
        assert_eq!(
            sum(&comm.rows),
            comm.totals.by_kind[Kind::Communication.index()] + comm.totals.by_kind[Kind::Fused.index()]
        );
        assert_eq!(sum(&comm.copy_rows), comm.copies.stall + comm.copies.issue);
        assert_eq!(comm.rows.iter().map(|row| row.n).sum::<Count>(), comm.tensor.n);
        assert!(comm.sparse.is_none() && comm.rows.iter().all(|row| row.core == Core::Tensor));
    }
}

/// Returns a capture with one step that is small enough to sum by hand, in ps:
///
/// ```text
///  async  ag 5…100, 250…390 (one flow)          acs 400…590                                 other 900…950
///  ops    ags 0…10 │ fusion 10…300 │ agd 300…400 │ acs 400…500 │ fusion …550 │ acd …600 │ ps 600…605  pd 700…710  cd 800…810
///  sparse              all-reduce 100…200, fusion 210…260
/// ```
fn by_hand() -> xla_profile::wire::proto::xspace::XSpace {
    use common::make::{Plane, event, int, text};
    let mut p = Plane::new("/device:TPU:0");
    let op = |p: &mut Plane, hlo: &str, category: &str| {
        let name = hlo.split(" = ").next().unwrap().trim_start_matches('%').to_owned();
        p.op(hlo, &name, &[("hlo_category", text(category)), ("program_id", int(9))])
    };
    let groups = "replica_groups={{0,1,2,3}}, dimensions={0}";
    let ags = format!("%ags.1 = (f32[2]{{0}}, f32[8]{{0}}) all-gather-start(f32[2]{{0}} %p), {groups}");
    let gather = op(&mut p, &ags, "all-gather-start");
    let gathered = op(&mut p, "%agd.1 = f32[8]{0} all-gather-done((f32[2]{0}, f32[8]{0}) %ags.1)", "all-gather-done");
    let fusion = op(&mut p, "%fusion.1 = f32[8]{0} fusion(f32[8]{0} %x), kind=kLoop, calls=%f", "loop fusion");
    let fused = "%async-collective-start.1 = f32[8]{0} fusion(f32[8]{0} %x), kind=kCustom, calls=%g";
    let fused = op(&mut p, fused, "custom fusion");
    let done = "%async-collective-done.1 = f32[8]{0} fusion(f32[8]{0} %gte.4), kind=kCustom, calls=%h";
    let done = op(&mut p, done, "custom fusion");
    let pairs = "source_target_pairs={{0,1},{1,0}}";
    let permute = format!("%ps = (f32[4]{{0}}, f32[4]{{0}}) collective-permute-start(f32[4]{{0}} %x), {pairs}");
    let permute = op(&mut p, &permute, "collective-permute-start");
    let permuted = op(&mut p, "%pd = f32[4]{0} collective-permute-done(%ps)", "collective-permute-done");
    let orphan = op(&mut p, "%copy-done.9 = f32[4]{0} copy-done(%copy-start.9)", "copy-done");
    let other = op(&mut p, "%other.1 = ((), f32[4]{0}) async-start(), calls=%kernel", "async-start");
    let step = p.op("0", "", &[]);
    p.line("Steps", &[(step, 0, 1000)]);
    p.line(
        "XLA Ops",
        &[
            (gather, 0, 10),
            (fusion, 10, 290),
            (gathered, 300, 100),
            (fused, 400, 100),
            (fusion, 500, 50),
            (done, 550, 50),
            (permute, 600, 5),
            (permuted, 700, 10),
            (orphan, 800, 10),
        ],
    );
    let flows = [(gather, 5, 95, 7), (gather, 250, 140, 7), (fused, 400, 190, 8), (other, 900, 50, 9)];
    let flows: Vec<_> = flows
        .into_iter()
        .map(|(op, start, length, flow)| {
            let mut event = event(op, start, length);
            event.stats.push(p.stat("flow", int(flow)));
            event
        })
        .collect();
    p.line("Async XLA Ops", &[]).events = flows;
    let mut sparse = Plane::new("/device:TPU:0 SparseCore 0");
    let reduce = op(&mut sparse, "%all-reduce.5 = f32[4]{0} all-reduce(f32[4]{0} %x), replica_groups={}", "all-reduce");
    let fusion = op(&mut sparse, "%fusion.9 = f32[8]{0} fusion(f32[8]{0} %x), kind=kLoop, calls=%f", "loop fusion");
    sparse.line("Sparse Core Ops", &[(reduce, 100, 100), (fusion, 210, 50)]);
    xla_profile::wire::proto::xspace::XSpace { planes: vec![p.done(), sparse.done()], ..Default::default() }
}

#[test]
fn small_capture_matches_sums_by_hand() {
    let mut opened = common::open("hand.xplane.pb", common::bytes(&by_hand())).unwrap();
    let programs = Programs::new(std::mem::take(&mut opened.open_files));
    let mut session = Session { analysis: Analysis::new(&opened.profile), opened, programs };
    let comm = session.comm(DeviceChoice::One(0), StepChoice::Number(0));
    let figures = |traffic: &rooflight::analysis::comm::Traffic| {
        let overlap = traffic.overlap;
        let times = [
            traffic.stall,
            traffic.issue,
            traffic.fused,
            overlap.in_flight,
            overlap.exposed,
            overlap.overlapped,
            overlap.waited,
        ];
        (traffic.n, times.map(|time| time.0))
    };
    assert_eq!(figures(&comm.tensor), (3.into(), [160, 15, 100, 685, 245, 440, 160]));
    assert_eq!(figures(comm.sparse.as_ref().unwrap()), (1.into(), [100, 0, 0, 100, 100, 0, 100]));
    assert_eq!(figures(&comm.copies), (0.into(), [10, 0, 0, 0, 0, 0, 10]));
    let found = comm.pairing;
    assert_eq!((found.from_flow, found.from_line, found.from_ops, found.sync), (1, 1, 1, 1));
    assert_eq!((found.unpaired, found.other, found.device_clock), (1, 1, false));
    let result =
        |row: &rooflight::analysis::comm::CommRow| (row.key.clone(), row.core, row.execution, row.overlap.exposed.0);
    let rows: Vec<_> = comm.rows.iter().map(result).collect();
    let wanted = [
        ("ps", Core::Tensor, Execution::Async, 110),
        ("all-reduce.5", Core::Sparse, Execution::Sync, 100),
        ("ags.1", Core::Tensor, Execution::Async, 95),
        ("async-collective-start.1", Core::Tensor, Execution::Fused, 40),
    ];
    assert_eq!(rows, wanted.map(|(key, core, way, exposed)| (key.to_owned(), core, way, exposed)));
    let gather = &comm.rows[2];
    assert_eq!((gather.bytes_each, gather.wall, gather.group.as_ref().unwrap().size), (Some(32), Picos(385), Some(4)));
    // A time of 385 ps is too short for a rate.
    assert_eq!((gather.alg_rate, gather.bus_rate), (None, None));
    // Sizes and groups that the text lacks are absent, not zero. Empty `replica_groups` mean all devices, which are the
    // four that other groups name.
    assert_eq!((comm.rows[3].bytes, comm.rows[3].bus_rate, &comm.rows[3].group), (None, None, &None));
    assert_eq!(comm.rows[1].group.as_ref().unwrap().size, Some(4));
    for code in ["unpaired", "other_async", "no_async_line", "unknown_sizes", "unknown_groups", "no_topology"] {
        assert!(comm.notes.iter().any(|note| note.code == code), "{code}");
    }
    assert_eq!(comm.steps.len(), 1);
    assert_eq!((comm.steps[0].compute_busy, comm.steps[0].idle), (Picos(440), Picos(1000 - 625)));
    assert_eq!(comm.steps[0].collectives, comm.tensor.overlap);
    // Neither computed nor in flight are 0…5 of a start, 390…400 and 590…600 of dones, and 800…810 of a copy.
    let rest = Remainder { data_movement: Picos(10), communication: Picos(25), other: Picos(0), idle: Picos(280) };
    assert_eq!(comm.steps[0].beside_collectives, Some(rest));

    let Session { opened, analysis, programs } = &mut session;
    let request = LaneQuery { query: query(DeviceChoice::One(0), StepChoice::Number(0)), ..LaneQuery::default() };
    let lanes = session::comm_lanes(analysis, &opened.profile, programs, &request);
    let spans: Vec<_> = lanes.spans.iter().map(|s| (s.lane, s.start.0, s.end.0, s.exposed.0)).collect();
    assert_eq!(spans, [(0, 5, 390, 95), (0, 400, 590, 40), (0, 600, 710, 110)]);
    assert_eq!(lanes.compute, [(Picos(10), Picos(300)), (Picos(400), Picos(550))]);
    assert_eq!((lanes.n_lanes, lanes.duration), (1, Picos(1000)));
}

/// A start that takes long overlaps the time in flight only if the start computes:
///
/// ```text
///  async  ag 0…106 µs                                 in flight
///  ops    async-collective-start 1…106 µs             overlaps only with FLOPs
/// ```
#[test]
fn a_start_without_flops_covers_nothing() {
    use common::make::{Plane, event, int, text};
    let us = |n: i64| n * 1_000_000;
    for (flops, wanted) in [(0, (Kind::Communication, 106, 0)), (2_000_000_000, (Kind::Fused, 1, 105))] {
        let mut p = Plane::new("/device:TPU:0");
        let mut op = |hlo: &str, category: &str, flops: Option<i64>| {
            let name = hlo.split(" = ").next().unwrap().trim_start_matches('%').to_owned();
            let mut stats = vec![("hlo_category", text(category)), ("program_id", int(9))];
            stats.extend(flops.map(|flops| ("flops", int(flops))));
            p.op(hlo, &name, &stats)
        };
        let groups = "replica_groups={{0,1}}, dimensions={0}";
        let gather = op(
            &format!("%ags = (f32[2]{{0}}, f32[4]{{0}}) all-gather-start(f32[2]{{0}} %p), {groups}"),
            "all-gather-start",
            None,
        );
        let start = op(
            "%async-collective-start.1 = f32[8]{0} fusion(f32[8]{0} %x), kind=kCustom, calls=%g",
            "custom fusion",
            Some(flops),
        );
        let step = op("0", "", None);
        p.line("Steps", &[(step, 0, us(200))]);
        p.line("XLA Ops", &[(start, us(1), us(105))]);
        p.line("Async XLA Ops", &[]).events = vec![event(gather, 0, us(106))];
        let space = xla_profile::wire::proto::xspace::XSpace { planes: vec![p.done()], ..Default::default() };
        let opened = common::open("start.xplane.pb", common::bytes(&space)).unwrap();
        let analysis = Analysis::new(&opened.profile);
        let request = CommQuery { query: query(DeviceChoice::One(0), StepChoice::Number(0)), ..CommQuery::default() };
        let comm = analysis.comm(&opened.profile, &request, None);
        let (kind, exposed, overlapped) = wanted;
        assert_eq!(comm.totals.by_kind[kind.index()], Picos(us(105) as u64), "{flops:?}");
        let overlap = comm.tensor.overlap;
        assert_eq!(
            (overlap.exposed, overlap.overlapped),
            (Picos(us(exposed) as u64), Picos(us(overlapped) as u64)),
            "{flops:?}"
        );
    }
}

/// None of the 14 starts in the published output of a real run on v5p has FLOPs, so none is compute.
#[test]
#[ignore = "needs captures of other projects"]
fn starts_of_the_v5p_golden_capture_compute_nothing() {
    let table = common::json("tpu-v5p-golden/hlo_stats.json.gz").unwrap();
    let column = |id: &str| table["cols"].as_array().unwrap().iter().position(|col| col["id"] == id).unwrap();
    let (name, time, rate) = (column("hlo_op_name"), column("total_self_time"), column("model_flop_rate"));
    let starts: Vec<(f64, Kind)> = table["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| &row["c"])
        .filter(|row| row[name]["v"].as_str().unwrap().starts_with("async-collective-start"))
        .map(|row| (row[time]["v"].as_f64().unwrap(), Kind::Fused.with_flops(row[rate]["v"].as_f64())))
        .collect();
    assert_eq!((starts.len(), starts.iter().map(|(time, _)| time).sum::<f64>().round()), (14, 470_570.0));
    assert!(starts.iter().all(|(_, kind)| *kind == Kind::Communication));
}

/// Two devices of vLLM run 129 all-reduces each and wait for each other, so neither is a straggler.
#[test]
#[ignore = "needs captures of other projects"]
fn vllm_has_no_straggler() {
    let mut session = Session::open("tpu-vllm-trace/vllm.trace.json.gz").unwrap();
    let comm = session.comm(DeviceChoice::One(0), StepChoice::All);
    let mut waits: Vec<u64> =
        comm.balance.as_ref().unwrap().devices.iter().map(|device| device.waited.unwrap().0 / 1_000_000).collect();
    waits.sort_unstable();
    assert_eq!(waits, [63, 84], "µs");
    assert_eq!(comm.straggler(), None);
}

/// A request and an answer are equal after they are encoded and decoded, as between page and worker.
#[test]
fn requests_and_answers_round_trip() {
    let opened = common::open("hand.xplane.pb", common::bytes(&by_hand())).unwrap();
    let analysis = Analysis::new(&opened.profile);
    let query =
        CommQuery { machine: Machine { topology: "2x2".parse().ok(), ..Machine::default() }, ..CommQuery::default() };
    let comm = analysis.comm(&opened.profile, &query, None);
    let bytes = postcard::to_allocvec(&(&query, &comm)).unwrap();
    assert_eq!(postcard::from_bytes::<(CommQuery, Comm)>(&bytes).unwrap(), (query, comm));
}

/// Compares each collective of real programs with a snapshot: its primitive, its bytes and its replica groups.
#[test]
fn collectives_of_real_programs() {
    for name in AOT {
        let Some(proto) = aot(name) else { return };
        let module = Module::from_proto(&proto);
        let mut result = String::new();
        for (id, instruction) in module.instructions() {
            // A done is left out, because it has the message of its start.
            let inside = instruction.computation.and_then(|c| module.computation(c)).is_some_and(|c| c.is_fusion);
            if inside || instruction.opcode.ends_with("-done") || !instruction_communicates(&module, id) {
                continue;
            }
            let message = message_of(&module, id).unwrap();
            let groups = message.groups.map_or("–".to_owned(), |groups| groups.to_string());
            let bytes = message.bytes.map_or("–".to_owned(), |bytes| bytes.to_string());
            let _ = writeln!(result, "{:<18} {bytes:>12} {groups:<32} {}", message.primitive.key(), instruction.name);
        }
        assert!(!result.is_empty(), "{name}");
        insta::assert_snapshot!(name, result);
    }
}

/// Returns whether an instruction communicates, by a method of this test: by its opcode, by the op that it wraps, or by
/// the ops of its fusion.
fn instruction_communicates(module: &Module, id: xla_profile::hlo::InstructionId) -> bool {
    let is = |opcode: &str| xla_profile::hlo::opcode::is_collective(opcode);
    let Some(instruction) = module.instruction(module.wrapped(id)) else { return false };
    let bodies = instruction.calls().filter_map(|call| call.id).flat_map(|body| module.instructions_of(body));
    is(&instruction.opcode)
        || (&*instruction.opcode == "fusion"
            && bodies.filter_map(|inner| module.instruction(inner)).any(|inner| is(&inner.opcode)))
}

#[test]
fn captures_of_other_devices_do_not_panic() {
    for name in common::XSPACES {
        let Some(mut session) = Session::open(name) else { continue };
        for step in [StepChoice::All, StepChoice::Busiest, StepChoice::Number(0), StepChoice::Number(u64::MAX)] {
            for device in [DeviceChoice::All, DeviceChoice::One(0), DeviceChoice::One(u32::MAX)] {
                let comm = session.comm(device, step);
                let overlap = comm.tensor.overlap;
                assert_eq!(overlap.in_flight, overlap.exposed + overlap.overlapped);
                let request =
                    LaneQuery { query: query(device, step), transfers: TransferFilter::All, ..LaneQuery::default() };
                let Session { opened, analysis, programs } = &mut session;
                session::comm_lanes(analysis, &opened.profile, programs, &request);
            }
        }
    }
}

/// The shorter way to the overlap of collectives holds one device at a time, and has the same result.
#[test]
fn collectives_in_flight_are_those_of_the_whole_report() {
    let mut n_with = 0;
    for (name, bytes) in common::xspaces() {
        let opened = common::open(name, bytes).unwrap();
        let analysis = Analysis::new(&opened.profile);
        for (device, step) in [
            (DeviceChoice::Mean, StepChoice::Mean),
            (DeviceChoice::All, StepChoice::All),
            (DeviceChoice::One(0), StepChoice::Busiest),
        ] {
            let query = CommQuery { query: query(device, step), ..CommQuery::default() };
            let comm = analysis.comm(&opened.profile, &query, None);
            let found = analysis.collectives_in_flight(&opened.profile, &query, None);
            let expected = (comm.tensor.n > 0).then_some(comm.tensor.overlap);
            assert_eq!(found, expected, "{name}: {query:?}");
            n_with += u32::from(found.is_some());
        }
    }
    // Each window of the sample has collectives, and so have windows of the captures of other projects.
    let least = if common::profile(common::V6E).is_some() { 4 } else { 3 };
    assert!(n_with >= least, "{n_with} windows have collectives");
}

/// Returns the communication of two devices whose steps take 1,000 and 900 ps.
fn two_devices(ops: [&[(&str, i64, i64)]; 2]) -> Comm {
    let plane = |device: usize| {
        let mut plane = common::make::Plane::new(&format!("/device:TPU:{device}"));
        let step = plane.op("1", "", &[]);
        let category = |text: &str| if text.contains("all-reduce(") { "all-reduce" } else { "loop fusion" };
        let mut events = Vec::new();
        for (text, start, length) in ops[device] {
            let name = text.trim_start_matches('%').split(' ').next().unwrap();
            let stats = [("hlo_category", common::make::text(category(text)))];
            events.push((plane.op(text, name, &stats), *start, *length));
        }
        plane.line("Steps", &[(step, 0, if device == 0 { 1000 } else { 900 })]);
        plane.line("XLA Ops", &events);
        plane.done()
    };
    let space = xla_profile::wire::proto::xspace::XSpace { planes: vec![plane(0), plane(1)], ..Default::default() };
    let mut opened = common::open("two.xplane.pb", common::bytes(&space)).unwrap();
    let programs = Programs::new(std::mem::take(&mut opened.open_files));
    let mut session = Session { analysis: Analysis::new(&opened.profile), opened, programs };
    session.comm(DeviceChoice::Mean, StepChoice::Busiest)
}

/// Devices wait for each other only in collectives.
#[test]
fn a_slow_device_holds_up_others_only_in_collectives() {
    let note = |comm: &Comm| comm.notes.iter().find(|note| note.code == "step_imbalance").unwrap().message.clone();
    const FUSION: &str = "%fusion.1 = f32[8] fusion(f32[8] %x), kind=kLoop, calls=%c";
    const REDUCE: &str = "%all-reduce.1 = f32[8] all-reduce(f32[8] %x), replica_groups={{0,1}}, to_apply=%add";
    let alone = two_devices([&[(FUSION, 0, 900)], &[(FUSION, 0, 800)]]);
    assert_eq!(note(&alone), "Step times differ by 10.5 % between devices in step 1. TPU:0 is the slowest.");
    // TPU:1 waits in the all-reduce.
    let together = two_devices([&[(FUSION, 0, 700), (REDUCE, 700, 200)], &[(FUSION, 0, 300), (REDUCE, 300, 600)]]);
    assert!(
        note(&together).ends_with("TPU:0 is the slowest, and the others wait for it in collectives."),
        "{}",
        note(&together)
    );
    // TPU:0 is the slowest, but TPU:1 arrives last.
    let other = two_devices([&[(FUSION, 0, 300), (REDUCE, 300, 600)], &[(FUSION, 0, 700), (REDUCE, 700, 200)]]);
    assert!(note(&other).ends_with("TPU:0 is the slowest."), "{}", note(&other));
}

/// The v6e runs no collective in its steps, and no device waits for another.
#[test]
#[ignore = "needs captures of other projects"]
fn v6e_devices_do_not_wait_for_each_other() {
    let mut session = Session::open(V6E).unwrap();
    let comm = session.comm(DeviceChoice::One(0), StepChoice::Mean);
    let note = comm.notes.iter().find(|note| note.code == "step_imbalance").unwrap();
    assert!(note.message.ends_with("TPU:0 is the slowest.") && !note.message.contains("wait"), "{}", note.message);
}
