//! These tests align the clocks of hosts on the timeline: the offsets are those by which the clocks are apart, collectives of
//! several hosts end together, and no figure outside of the timeline changes.

use crate::common::checked::check;
use crate::common::make::{Plane, int, text};
use crate::common::trace::open_all;
use crate::common::{bytes, make};
use crate::synth::{files, made};
use rooflight::analysis::base::{Analysis, DeviceChoice, Query, StepChoice, TimeRange};
use rooflight::analysis::comm::CommQuery;
use rooflight::analysis::overview::OverviewQuery;
use rooflight::analysis::timeline::{
    Alignment, AlignmentBasis, EventDetail, EventQuery, EventsQuery, FlowsQuery, FlowsReport, HostOffset, LineRef,
    Picture, PictureQuery, SeriesRange, Timeline, TimelineIndex, TrackKind,
};
use rooflight::protocol::table_query::{TableAction, TableQuery};
use rooflight::protocol::{TimelineRequest, ViewRequest};
use rooflight::session::{Input, OpenSession, Opened};
use rooflight::table::page::{PageQuery, SortBy, TablePage};
use std::collections::BTreeMap;
use xla_profile::units::Picos;
use xla_profile::wire::proto::xspace::{XPlane, XSpace};

/// The capture of a host: its clock, and the ops of its two devices.
#[derive(Clone)]
struct Host {
    /// Time by which the host's clock is ahead, in ns.
    ahead_ns: i64,
    /// Time by which the profiler began later than on a host with 0, in ns.
    late_ns: i64,
    /// Numbers of the steps, which begin 10 µs after each other. Step n begins at 10 n µs.
    steps: std::ops::Range<i64>,
    /// The device groups of the all-reduces: HLO text.
    groups: &'static str,
    /// Name of the all-reduce.
    op: &'static str,
    /// Number of all-reduces in a step.
    n: i64,
    /// The time by which an all-reduce ends late, in ps, by the index of the step. It repeats.
    late_ps: &'static [i64],
}

const ALL_DEVICES: &str = ", replica_groups={{0,1,2,3}}, to_apply=%add";

impl Default for Host {
    fn default() -> Self {
        let (steps, groups, op) = (7..12, ALL_DEVICES, "all-reduce.3");
        Self { ahead_ns: 0, late_ns: 0, steps, groups, op, n: 2, late_ps: &[0] }
    }
}

/// Start of the profile of a host that is not late, on a clock that is not ahead, in ns since 1970.
const BEGAN_NS: i64 = 1_700_000_000_000_000_000;
const STEP_PS: i64 = 10_000_000;

fn device(host: &Host, n: i64) -> XPlane {
    let mut plane = Plane::new(&format!("/device:TPU:{n}"));
    let stats = |category| [("hlo_category", text(category)), ("program_id", int(-42))];
    let hlo = format!("%{} = f32[64]{{0}} all-reduce(f32[64]{{0}} %g){}", host.op, host.groups);
    let reduce = plane.op(&hlo, host.op, &stats("all-reduce"));
    let [category, program] = stats("loop fusion");
    let fusion = [category, program, ("flops", int(4000))];
    let dot = plane.op("%fusion.1 = f32[8]{0} fusion(f32[8]{0} %a)", "fusion.1", &fusion);
    let module = plane.op("jit_train(18446744073709551574)", "", &[]);
    let (mut steps, mut modules, mut ops) = (Vec::new(), Vec::new(), Vec::new());
    for (index, number) in host.steps.clone().enumerate() {
        let start = number * STEP_PS - host.late_ns * 1000;
        let step = plane.op(&number.to_string(), "", &[]);
        steps.push((step, start, STEP_PS));
        modules.push((module, start, STEP_PS));
        ops.push((dot, start + 1000, 400_000 + 1000 * n));
        for i in 0..host.n {
            let late = host.late_ps[index % host.late_ps.len()] + n * 100;
            // The device that arrives last does not wait; all end together.
            ops.push((reduce, start + 1_000_000 * (i + 1) - 5000 * n, 300_000 + 5000 * n + late));
        }
    }
    plane.line("Steps", &steps);
    plane.line("XLA Modules", &modules);
    plane.line("XLA Ops", &ops);
    let mut plane = plane.done();
    for line in &mut plane.lines {
        line.timestamp_ns = BEGAN_NS + host.ahead_ns + host.late_ns;
    }
    plane
}

fn capture(host: &Host) -> Vec<u8> {
    let mut threads = Plane::new("/host:CPU");
    let event = threads.op("PjitFunction(train)", "", &[]);
    threads.line("python/1", &[(event, 80_000_000 - host.late_ns * 1000, 1000)]).timestamp_ns =
        BEGAN_NS + host.ahead_ns + host.late_ns;
    bytes(&XSpace { planes: vec![device(host, 0), device(host, 1), threads.done()], ..XSpace::default() })
}

fn named(hosts: impl IntoIterator<Item = Vec<u8>>) -> Vec<(String, Vec<u8>)> {
    hosts.into_iter().enumerate().map(|(i, bytes)| (format!("worker-{i}.xplane.pb"), bytes)).collect()
}

fn captures(hosts: &[Host]) -> Vec<(String, Vec<u8>)> {
    named(hosts.iter().map(capture))
}

fn references(files: &[(String, Vec<u8>)]) -> Vec<(&str, &[u8])> {
    files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect()
}

fn open(files: &[(String, Vec<u8>)]) -> (Opened, Analysis) {
    let opened = open_all(&references(files)).unwrap();
    let analysis = Analysis::new(&opened.profile);
    (opened, analysis)
}

fn session(files: &[(String, Vec<u8>)]) -> OpenSession {
    let input = |(name, bytes): &(String, Vec<u8>)| Input {
        name: name.clone(),
        source: Box::new(bytes.clone()),
        from_folder: false,
    };
    OpenSession::open(files.iter().map(input).collect(), &mut |_| {}).unwrap().0
}

fn alignment(hosts: &[Host]) -> Option<Alignment> {
    let (opened, analysis) = open(&captures(hosts));
    TimelineIndex::aligned(&opened.profile, &analysis, None).timeline.alignment
}

fn second(hosts: &[Host]) -> HostOffset {
    alignment(hosts).unwrap().hosts[1].clone()
}

/// The displayed ends of the events of the all-reduce on each device, in order of time.
fn collective_ends(opened: &Opened, analysis: &Analysis, timeline: &Timeline, name: &str) -> Vec<Vec<i64>> {
    let devices = timeline.groups.iter().filter(|group| group.device.is_some());
    let ends = devices.map(|group| {
        let lines = group.tracks.iter().filter(|track| track.kind == TrackKind::Ops);
        let ends = lines.flat_map(|track| {
            let plane = &opened.profile.planes[track.line.plane as usize];
            let times = analysis.axis.times(&plane.lines[track.line.line as usize]).unwrap();
            let is_it = move |event: &usize| opened.profile.text(plane.op(times.op(*event)).name) == name;
            let events = (0..times.events.len()).filter(is_it);
            events.map(move |event| times.time(event).1.cast_signed() + timeline.offset(group))
        });
        ends.collect()
    });
    ends.collect()
}

#[test]
fn the_offset_is_the_difference_of_the_clocks() {
    for ahead_ns in [4_900_000_000, -900_000, 30_000] {
        for late_ns in [0, 2000, -2000] {
            let hosts = [Host::default(), Host { ahead_ns, late_ns, ..Host::default() }];
            let found = alignment(&hosts).unwrap();
            let reference =
                HostOffset { name: "worker-0".to_owned(), basis: AlignmentBasis::Reference, ..HostOffset::default() };
            let other = HostOffset {
                name: "worker-1".to_owned(),
                offset_ps: -ahead_ns * 1000,
                spread: Some(Picos(0)),
                basis: AlignmentBasis::Collectives,
                n: 10,
            };
            assert_eq!(found.hosts, [reference, other]);
            assert_eq!(found.shift, Picos(0));
            // The clocks differ by more than a step.
            assert!(found.is_default && found.is_applied);
        }
    }
}

/// Two hosts whose clocks are apart. The second one has events before the start of the first profile, which is 0 on the axis.
fn early_host() -> [Host; 2] {
    let ahead = Host { ahead_ns: 4_900_000_000, late_ns: -2000, steps: 5..12, ..Host::default() };
    [Host { late_ns: 60_000, ..Host::default() }, ahead]
}

#[test]
fn no_time_is_before_zero() {
    let (opened, analysis) = open(&captures(&early_host()));
    let timeline = TimelineIndex::aligned(&opened.profile, &analysis, None).timeline;
    let alignment = timeline.alignment.as_ref().unwrap();
    // Step 5 begins 10 µs before the profile of the first host.
    assert_eq!((alignment.shift, alignment.hosts[1].offset_ps), (Picos(10_000_000), -4_900_000_000_000));
    assert_eq!((timeline.start, timeline.n_off_axis), (Picos(0), 0));
    let starts = |device: usize| timeline.groups[device].steps.iter().map(|step| (step.number, step.start.0));
    let expected = |steps: std::ops::Range<u64>| steps.map(|n| (n, (n - 5) * STEP_PS.cast_unsigned()));
    assert!(starts(0).eq(expected(7..12)) && starts(2).eq(expected(5..12)));
}

#[test]
fn clocks_that_agree_are_aligned_on_request_alone() {
    let files = captures(&[Host::default(), Host { ahead_ns: 2, ..Host::default() }]);
    let (opened, analysis) = open(&files);
    let mut index = TimelineIndex::aligned(&opened.profile, &analysis, None);
    let before = index.timeline.clone();
    let found = before.alignment.as_ref().unwrap();
    assert!(!found.is_default && !found.is_applied && found.hosts[1].offset_ps == -2000);
    assert_eq!(before.groups, TimelineIndex::new(&opened.profile, &analysis).timeline.groups);
    index.align(&opened.profile, &analysis, Some(true));
    assert!(index.timeline.is_aligned() && index.timeline.groups[2].steps != before.groups[2].steps);
    index.align(&opened.profile, &analysis, None);
    assert_eq!(index.timeline, before);
}

#[test]
fn collectives_end_together_after_alignment() {
    let late_ps: &[i64] = &[0, 300, -200, 100, -4000];
    let hosts = [Host::default(), Host { ahead_ns: 4_900_000_000, late_ps, ..Host::default() }];
    let (opened, analysis) = open(&captures(&hosts));
    let timeline = TimelineIndex::aligned(&opened.profile, &analysis, None).timeline;
    let offset = &timeline.alignment.as_ref().unwrap().hosts[1];
    // Twice each of −4000, −200, 0, 100, 300: the quartiles are −200 and 100.
    assert_eq!((offset.offset_ps, offset.spread, offset.n), (-4_900_000_000_000, Some(Picos(150)), 10));
    let ends = collective_ends(&opened, &analysis, &timeline, "all-reduce.3");
    let mut apart: Vec<u64> = ends[0].iter().zip(&ends[2]).map(|(a, b)| a.abs_diff(*b)).collect();
    apart.sort_unstable();
    assert_eq!(apart, [0, 0, 100, 100, 200, 200, 300, 300, 4000, 4000]);
}

/// The simulated clocks drift, and the compiler wrote the collectives.
#[test]
fn simulated_hosts_are_aligned() {
    let (folder, _) = made(&["--steps", "4", "--devices", "8", "--hosts", "2", "--no-trace", "--host-skew", "4900"]);
    let files: Vec<_> = files(folder.path()).into_iter().filter(|(name, _)| name.ends_with(".pb")).collect();
    let mut session = session(&files);
    let tracks = TimelineRequest::Tracks { is_aligned: None, step: None };
    let timeline = session.answer(&ViewRequest::Timeline(tracks).into()).decode::<Timeline>().unwrap();
    let offset = &timeline.alignment.as_ref().unwrap().hosts[1];
    assert_eq!(offset.basis, AlignmentBasis::Collectives, "{offset:?}");
    // The clocks differ by 4.9 s and 37 µs, and drift apart by 170 ns in a second.
    assert!((offset.offset_ps + 4_900_037_000_000).abs() < 500_000, "{offset:?}");
    let spread = offset.spread.unwrap();
    assert!(spread < Picos(300_000) && offset.n > 20, "{offset:?}");
    let (opened, analysis) = open(&files);
    let name = |event: usize| {
        let line = &opened.profile.planes[analysis.devices[0].plane].lines[analysis.devices[0].ops[0]];
        let plane = &opened.profile.planes[analysis.devices[0].plane];
        opened.profile.text(plane.op(line.events.op(event)).name)
    };
    let n_events = opened.profile.planes[analysis.devices[0].plane].lines[analysis.devices[0].ops[0]].events.len();
    let is_collective =
        |name: &&str| name.starts_with("all-reduce") && !name.contains("-start") && !name.contains("-done");
    let reduce = (0..n_events).map(name).find(is_collective).expect("the program has a synchronous all-reduce");
    let ends = collective_ends(&opened, &analysis, &timeline, reduce);
    assert!(!ends[0].is_empty() && ends[0].len() == ends[4].len());
    // The clocks of the devices of a host differ by up to 0.2 µs.
    assert!(ends[0].iter().zip(&ends[4]).all(|(a, b)| a.abs_diff(*b) < spread.0 + 500_000), "{reduce}");
}

#[test]
fn collectives_within_hosts_do_not_align_hosts() {
    // The groups name the devices of each host, or are unknown.
    for groups in [", replica_groups={{0,1}}", ", replica_groups={{0},{1},{2},{3}}", ""] {
        let late_ps = &[9000];
        let hosts =
            [Host { groups, ..Host::default() }, Host { groups, ahead_ns: 4_900_000_000, late_ps, ..Host::default() }];
        let found = second(&hosts);
        assert_eq!((found.basis, found.n), (AlignmentBasis::Steps, 5), "{groups}");
        assert_eq!((found.offset_ps, found.spread), (-4_900_000_000_000, Some(Picos(0))), "{groups}");
    }
    // Two collectives are too few.
    let few = Host { n: 1, steps: 7..9, ..Host::default() };
    let found = second(&[few.clone(), Host { ahead_ns: 4_900_000_000, ..few }]);
    assert_eq!((found.basis, found.n, found.spread), (AlignmentBasis::Steps, 2, None));
}

/// Executions are matched by the number of their step and their place in it, and not by their place in the capture.
#[test]
fn only_the_same_executions_are_compared() {
    let ahead_ns = 4_900_000_000;
    // The second host missed the first two steps and has two more.
    let found = second(&[Host::default(), Host { ahead_ns, steps: 9..14, ..Host::default() }]);
    assert_eq!((found.offset_ps, found.basis, found.n), (-ahead_ns * 1000, AlignmentBasis::Collectives, 6));
    // Another number of executions, or another op, is another program.
    for other in [Host { n: 3, ..Host::default() }, Host { op: "all-reduce.4", ..Host::default() }] {
        let found = second(&[Host::default(), Host { ahead_ns, ..other }]);
        assert_eq!((found.basis, found.offset_ps), (AlignmentBasis::Steps, -ahead_ns * 1000));
    }
    // No step is on both hosts.
    assert_eq!(alignment(&[Host::default(), Host { ahead_ns, steps: 20..24, ..Host::default() }]), None);
    // A third host that cannot be compared stays where it is, and the others are aligned.
    let hosts =
        [Host::default(), Host { ahead_ns, ..Host::default() }, Host { groups: "", steps: 20..24, ..Host::default() }];
    let found = alignment(&hosts).unwrap();
    let basis: Vec<AlignmentBasis> = found.hosts.iter().map(|host| host.basis).collect();
    // The groups do not name the devices of three hosts.
    assert_eq!(basis, [AlignmentBasis::Reference, AlignmentBasis::Steps, AlignmentBasis::Unknown]);
    assert_eq!(found.hosts[2].offset_ps, 0);
}

#[test]
fn steps_that_cannot_be_matched_align_nothing() {
    let without_steps = |host: &Host| {
        let mut planes = vec![device(host, 0), device(host, 1)];
        planes.iter_mut().for_each(|plane| plane.lines.retain(|line| line.name != "Steps"));
        bytes(&XSpace { planes, ..XSpace::default() })
    };
    let found = |hosts: [Host; 2]| {
        let (opened, analysis) = open(&named(hosts.iter().map(without_steps)));
        TimelineIndex::aligned(&opened.profile, &analysis, None).timeline.alignment
    };
    let ahead = Host { ahead_ns: 4_900_000_000, ..Host::default() };
    assert_eq!(found([Host::default(), ahead.clone()]).unwrap().hosts[1].offset_ps, -4_900_000_000_000);
    // Runs are counted, and another number of them has no common numbers.
    assert_eq!(found([Host::default(), Host { steps: 7..11, ..ahead }]), None);
}

#[test]
fn a_single_file_has_no_alignment() {
    assert_eq!(alignment(&[Host::default()]), None);
    let mut session = session(&captures(&[Host::default()]));
    let mut tracks = |is_aligned| {
        session
            .answer(&ViewRequest::Timeline(TimelineRequest::Tracks { is_aligned, step: None }).into())
            .decode::<Timeline>()
            .unwrap()
    };
    let timeline = tracks(None);
    assert_eq!((timeline.alignment.as_ref(), timeline.device_offset(Some(0))), (None, 0));
    assert_eq!(tracks(Some(true)), timeline);
}

/// Answers outside of the timeline, as text.
fn figures(session: &mut OpenSession) -> Vec<String> {
    let query = |device, step| Query { device, step, ..Query::default() };
    let all = query(DeviceChoice::All, StepChoice::All);
    let range = TimeRange { start: Picos(4_900_080_000_000), end: Picos(4_900_100_000_000) };
    let requests = [
        ViewRequest::Breakdown(all.clone()),
        ViewRequest::Breakdown(query(DeviceChoice::One(3), StepChoice::Range(range))),
        ViewRequest::StepStats,
        ViewRequest::Gaps(all.clone()),
        ViewRequest::Gaps(query(DeviceChoice::One(3), StepChoice::Range(range))),
        ViewRequest::Comm(CommQuery { query: all, ..CommQuery::default() }),
        ViewRequest::Overview(OverviewQuery::default()),
        ViewRequest::File,
    ];
    requests.map(|request| format!("{:?}", session.answer(&request.into()))).to_vec()
}

#[test]
fn no_figure_depends_on_the_alignment() {
    let late_ps = &[5, 900, 1700];
    let files = captures(&[Host::default(), Host { ahead_ns: 4_900_000_000, late_ps, ..Host::default() }]);
    let expected = figures(&mut session(&files));
    for is_aligned in [true, false] {
        let mut session = session(&files);
        let request = TimelineRequest::Tracks { is_aligned: Some(is_aligned), step: None };
        let timeline = session.answer(&ViewRequest::Timeline(request).into()).decode::<Timeline>().unwrap();
        assert_eq!(timeline.is_aligned(), is_aligned);
        let found = figures(&mut session);
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found, expected, "the same bytes");
        }
    }
}

/// Every answer of the timeline about a device of the second host is that of the event clock, moved by the offset.
#[test]
fn all_answers_are_moved_by_the_offset() {
    let mut session = session(&captures(&early_host()));
    let mut answers = |is_aligned: bool| {
        let mut answer = |request| session.answer(&ViewRequest::Timeline(request).into());
        let timeline =
            answer(TimelineRequest::Tracks { is_aligned: Some(is_aligned), step: None }).decode::<Timeline>().unwrap();
        let group = timeline.groups.iter().find(|group| group.device == Some(2)).unwrap();
        let (by, steps) = (timeline.device_offset(Some(2)), &group.steps);
        assert_eq!(by, if is_aligned { 10_000_000 - 4_900_000_000_000 } else { 0 });
        let (start, end) = (steps[1].start, steps[3].end);
        let lines: Vec<LineRef> = group.tracks.iter().map(|track| track.line).collect();
        let series: Vec<_> = group.series.iter().map(|series| series.id).collect();
        assert!(series.len() > 1);
        let column = Picos(100_000);
        let query =
            PictureQuery { lines: lines.clone(), idle: vec![2], series: series.clone(), start, column, n_columns: 300 };
        let picture = answer(TimelineRequest::Picture(query)).decode::<Picture>().unwrap();
        let ranges = TimelineRequest::SeriesRanges { series, start, end };
        let ranges = answer(ranges).decode::<Vec<SeriesRange>>().unwrap();
        let flows = answer(TimelineRequest::Flows(FlowsQuery { lines: lines.clone(), start, end }));
        assert!(flows.decode::<FlowsReport>().is_ok());
        let line =
            picture.lines.iter().find(|line| line.boxes.iter().any(|event_box| event_box.kind.is_some())).unwrap();
        let event = EventQuery::Index { line: line.line, event: line.boxes[0].event };
        let event = answer(TimelineRequest::Event(event)).decode::<Option<EventDetail>>().unwrap().unwrap();
        let table = TableQuery::Events(EventsQuery { lines, start, end });
        let sort = Some(SortBy::new("start_ps", false));
        let action = TableAction::Rows(PageQuery { sort, count: 50, ..PageQuery::default() });
        let table = session.answer(&ViewRequest::Table { table, action }.into()).decode::<TablePage>().unwrap();
        (by, start, picture, ranges, event, table)
    };
    let (by, start, aligned, aligned_ranges, event, table) = answers(true);
    let (_, before, apart, apart_ranges, event_apart, table_apart) = answers(false);
    assert_eq!(start, before.moved(by));
    assert_eq!((event.start, event.event_start), (event_apart.start.moved(by), Some(event_apart.start)));
    assert_eq!((event_apart.event_start, event.step), (None, event_apart.step));
    assert!(event.step.is_some());
    for (aligned, apart) in aligned.lines.iter().zip(&apart.lines) {
        assert_eq!(aligned.cells, apart.cells);
        let moved = |event_box: &rooflight::analysis::timeline::EventBox| {
            (event_box.event, event_box.start.moved(by), event_box.end.moved(by))
        };
        let boxes: Vec<_> =
            aligned.boxes.iter().map(|event_box| (event_box.event, event_box.start, event_box.end)).collect();
        assert_eq!(boxes, apart.boxes.iter().map(moved).collect::<Vec<_>>());
    }
    let idle: Vec<_> = aligned.idle[0]
        .boxes
        .iter()
        .map(|idle_box| (idle_box.start, idle_box.end, idle_box.gap, idle_box.class))
        .collect();
    let moved = |(start, end): (Picos, Picos)| (start.moved(by), end.moved(by));
    let expected = apart.idle[0]
        .boxes
        .iter()
        .map(|idle_box| (idle_box.start.moved(by), idle_box.end.moved(by), moved(idle_box.gap), idle_box.class));
    assert_eq!(idle, expected.collect::<Vec<_>>());
    assert!(!idle.is_empty());
    assert_eq!(aligned.series, apart.series);
    let values =
        |ranges: &[SeriesRange]| ranges.iter().map(|range| (range.id, range.mean, range.covered)).collect::<Vec<_>>();
    assert_eq!(values(&aligned_ranges), values(&apart_ranges));
    assert!(aligned_ranges.iter().any(|range| range.mean.is_some_and(|mean| mean > 0.0)));
    // The rows are not those of the other alignment.
    assert_eq!(table.rows.len(), table_apart.rows.len());
    assert!(!table.rows.is_empty() && table.rows[0].cells != table_apart.rows[0].cells);
}

/// A displayed range has the sums of its range on the event clock.
#[test]
fn a_displayed_range_is_converted_to_the_event_clock() {
    let (opened, analysis) = open(&captures(&early_host()));
    let aligned = TimelineIndex::aligned(&opened.profile, &analysis, None).timeline;
    let apart = TimelineIndex::new(&opened.profile, &analysis).timeline;
    for (displayed, expected) in aligned.groups.iter().zip(&apart.groups).filter(|(group, _)| group.device.is_some()) {
        let range = |step: &rooflight::analysis::timeline::StepSpan| TimeRange { start: step.start, end: step.end };
        let by = aligned.device_offset(displayed.device);
        let converted: Vec<_> = displayed.steps.iter().map(|step| range(step).moved(-by)).collect();
        assert_eq!(converted, expected.steps.iter().map(|step| Some(range(step))).collect::<Vec<_>>());
    }
    let range = TimeRange { start: Picos(5), end: Picos(9) };
    assert_eq!(range.moved(-7), TimeRange::between(Picos(0), Picos(2)));
    assert_eq!(range.moved(-9), None);
}

#[test]
fn damaged_hosts_do_not_panic() {
    let files = captures(&early_host());
    assert!(check(&references(&files)));
    let mut random = fastrand::Rng::with_seed(3);
    let mut opened: BTreeMap<bool, u32> = BTreeMap::new();
    for _ in 0..60 {
        let mut damaged = files.clone();
        for _ in 0..random.u32(1..4) {
            let file = random.usize(0..2);
            let index = random.usize(0..damaged[file].1.len());
            damaged[file].1[index] = random.u8(..);
        }
        *opened.entry(check(&references(&damaged))).or_default() += 1;
    }
    assert!(opened[&true] > 30, "{opened:?}");
    // Timestamps at the ends of their range, and steps of another order.
    for ahead_ns in [i64::MAX - BEGAN_NS - 5000, -BEGAN_NS + 5000, 5_000_000_000_000_000] {
        let mut other = device(&Host::default(), 0);
        for (i, line) in other.lines.iter_mut().enumerate() {
            line.timestamp_ns = BEGAN_NS + ahead_ns + i as i64;
            line.events.reverse();
        }
        let other = bytes(&XSpace { planes: vec![other], ..XSpace::default() });
        check(&references(&named([capture(&Host::default()), other])));
    }
    // The small capture has an op line that begins after its steps.
    let mut small = make::small();
    small.planes[0].lines[2].timestamp_ns = 40;
    check(&references(&named([bytes(&make::small()), bytes(&small)])));
}
