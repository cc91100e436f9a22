//! These tests compare the values over time of the timeline with the events of captures, and with the breakdown, the
//! roofline, the memory and the communication of the same time.

use crate::common::make::{self, Plane, int};
use crate::common::trace::open_all;
use crate::common::{self, bytes, open, roofline_query};
use crate::timeline::captures;
use rooflight::analysis::base::{Analysis, DeviceChoice, Query, StepChoice, TimeRange, intervals, self_time};
use rooflight::analysis::classify::Kind;
use rooflight::analysis::comm::{LaneQuery, TransferFilter};
use rooflight::analysis::timeline::{
    PictureQuery, SeriesColumn, SeriesRange, SeriesTrack, SeriesUnit, TimelineIndex, TrackGroup,
};
use rooflight::protocol::{TimelineRequest, ViewRequest};
use rooflight::session::{Input, OpenSession};
use serde_json::json;
use xla_profile::profile::{OpId, Profile};
use xla_profile::units::Picos;
use xla_profile::wire::proto::xspace::XSpace;
use xla_profile::wire::proto::xspace::x_stat::Value;

/// A timeline with the session that it shows.
pub struct Shown<'a> {
    profile: &'a Profile,
    pub analysis: Analysis,
    pub index: TimelineIndex,
}

impl<'a> Shown<'a> {
    pub fn new(profile: &'a Profile) -> Self {
        let analysis = Analysis::new(profile);
        Self { index: TimelineIndex::new(profile, &analysis), profile, analysis }
    }

    pub fn groups(&self) -> Vec<TrackGroup> {
        self.index.timeline.groups.clone()
    }

    /// The series of a name, of all groups.
    pub fn series(&self, name: &str) -> Vec<SeriesTrack> {
        self.groups().into_iter().flat_map(|group| group.series).filter(|track| track.name.starts_with(name)).collect()
    }

    pub fn range(&mut self, track: &SeriesTrack, (start, end): (u64, u64)) -> SeriesRange {
        let range = (Picos(start), Picos(end));
        self.index.series_range(self.profile, &self.analysis, track.id, range).unwrap()
    }

    pub fn integral(&mut self, track: &SeriesTrack, window: (u64, u64)) -> f64 {
        let range = self.range(track, window);
        range.mean.unwrap_or(0.0) * range.covered.0 as f64
    }

    fn columns(&mut self, track: &SeriesTrack, (start, column): (u64, u64), n_columns: u32) -> Vec<SeriesColumn> {
        let (start, column) = (Picos(start), Picos(column));
        let query = PictureQuery { series: vec![track.id], start, column, n_columns, ..PictureQuery::default() };
        let picture = self.index.picture(self.profile, &self.analysis, &query);
        assert_eq!(picture.series[0].id, track.id);
        picture.series[0].read().collect()
    }
}

fn assert_close(a: f64, b: f64, context: &str) {
    assert!((a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1e-300), "{context}: {a} is not {b}");
}

/// A device with the counters of a kernel capture: 221 windows of 1 µs, in each of which eight units and the vector spills
/// have a value.
fn kernel_capture() -> XSpace {
    let units = ["MXU", "Scalar ALU", "Vector ALU", "Vector Load", "Vector Store", "XLU", "Vector EUP"];
    let mut plane = Plane::new("/device:TPU:0");
    let op = plane.op("%fusion.1 = f32[8] fusion(%a), kind=kLoop", "fusion.1", &[("flops", int(4000))]);
    plane.line("XLA Ops", &[(op, 0, 221_000_000)]);
    let mut events = Vec::new();
    for window in 0..221_i64 {
        let mut add = |plane: &mut Plane, name: &str, stat: &str, value: Value| {
            let id = plane.op(name, "", &[]);
            let mut event = make::event(id, window * 1_000_000, 0);
            event.stats = vec![plane.stat(stat, value)];
            events.push(event);
        };
        for (unit, name) in units.iter().enumerate() {
            let value = (window * 7 + unit as i64 * 11) % 101;
            add(&mut plane, name, "% util", Value::DoubleValue(value as f64 / 2.0));
        }
        add(&mut plane, "Vector Spills", "spills", int(window % 3));
    }
    let id = plane.op("P state", "", &[]);
    let mut state = make::event(id, 5_000_000, 1);
    state.stats = vec![plane.stat("P State", make::text("3")), plane.stat("note", make::text("high"))];
    events.push(state);
    plane.line("_counters_", &[]).events = events;
    XSpace { planes: vec![plane.done()], ..XSpace::default() }
}

#[test]
fn counters_of_a_kernel_capture() {
    let opened = open("kernel.xplane.pb", bytes(&kernel_capture())).unwrap();
    let mut shown = Shown::new(&opened.profile);
    let groups = shown.groups();
    let measured: Vec<&SeriesTrack> = groups[0].series.iter().filter(|series| !series.is_estimated).collect();
    assert_eq!(measured.len(), 9, "{measured:#?}");
    let mxu = measured[0];
    assert_eq!((mxu.name.as_str(), mxu.unit, mxu.max), ("MXU, % util", SeriesUnit::Percent, Some(50.0)));
    assert!(mxu.about.starts_with("Static slot occupancy over measured windows"), "{}", mxu.about);
    let spills = shown.series("Vector Spills")[0].clone();
    assert_eq!((spills.unit, spills.max), (SeriesUnit::Count, Some(2.0)));
    let state = shown.series("P state")[0].clone();
    assert_eq!((state.name.as_str(), state.unit), ("P state", SeriesUnit::Value));

    // The value of an instant holds until the next one, and the last one until the end of the session.
    let all = shown.range(mxu, (0, 221_000_000));
    let expected = (0..221).map(|window| f64::from(window * 7 % 101) / 2.0).sum::<f64>() / 221.0;
    assert_close(all.mean.unwrap(), expected, "mean of the MXU");
    assert_eq!((all.min, all.max, all.covered_share), (Some(0.0), Some(50.0), 1.0));
    let state = shown.range(&state, (0, 10_000_000));
    assert_eq!((state.mean, state.covered, state.covered_share), (Some(3.0), Picos(5_000_000), 0.5));
    let columns = shown.columns(mxu, (2_000_000, 500_000), 4);
    let value = |window: u32| (window * 7 % 101) as f32 / 2.0;
    let expected =
        [2, 2, 3, 3].map(|window| SeriesColumn { min: value(window), max: value(window), mean: value(window) });
    assert_eq!(columns, expected);
    let outside = shown.columns(mxu, (500_000_000, 1), 1);
    assert!(outside[0].min.is_nan() && outside[0].max.is_nan() && outside[0].mean.is_nan());
}

/// Values of counters with a duration hold for it alone.
#[test]
fn a_window_of_a_counter_has_an_end() {
    let mut plane = Plane::new("/device:TPU:0");
    let op = plane.op("%fusion.1 = f32[8] fusion(%a)", "fusion.1", &[]);
    plane.line("XLA Ops", &[(op, 0, 100_000)]);
    let id = plane.op("COUNT_MXU_BUSY_0", "", &[]);
    let mut events = [(10_000, 20_000, 4), (40_000, 30_000, 8), (60_000, 5_000, 6)].map(|(start, duration, value)| {
        let mut event = make::event(id, start, duration);
        event.stats = vec![plane.stat("counter_value", int(value))];
        event
    });
    events.reverse();
    plane.line("_counters_", &[]).events = events.into();
    let opened = open("it.xplane.pb", bytes(&XSpace { planes: vec![plane.done()], ..XSpace::default() })).unwrap();
    let mut shown = Shown::new(&opened.profile);
    let track = shown.series("COUNT_MXU_BUSY_0")[0].clone();
    assert_eq!((track.name.as_str(), track.unit), ("COUNT_MXU_BUSY_0", SeriesUnit::Count));
    let all = shown.range(&track, (0, 100_000));
    assert_eq!(all.covered, Picos(20_000 + 20_000 + 5_000));
    assert_close(all.mean.unwrap(), (4.0 * 20.0 + 8.0 * 20.0 + 6.0 * 5.0) / 45.0, "mean");
    assert_eq!(shown.range(&track, (30_000, 40_000)).mean, None);
}

#[test]
fn counters_of_trace_json() {
    let counter = |ts: f64, args: serde_json::Value| json!({"ph": "C", "pid": 1, "tid": 9, "ts": ts, "name": "memory", "args": args});
    let events = json!([
        {"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "/device:TPU:0"}},
        {"ph": "M", "pid": 1, "tid": 3, "name": "thread_name", "args": {"name": "XLA Ops"}},
        {"ph": "M", "pid": 1, "tid": 4, "name": "thread_name", "args": {"name": "_counters_"}},
        counter(2.0, json!({"used_bytes": 7_000_000_000_001_u64, "free": "1.5", "source": "x"})),
        counter(1.0, json!({"used_bytes": 5, "free": 2.5})),
        {"ph": "X", "pid": 1, "tid": 3, "ts": 0, "dur": 4, "name": "fusion.1", "args": {"n": "12"}},
        {"ph": "X", "pid": 1, "tid": 4, "ts": 3, "dur": 1e-6, "name": "P state", "args": {"P State": "2", "flow": "4"}},
        {"ph": "s", "pid": 1, "tid": 3, "ts": 0, "name": "a flow", "id": 1},
    ]);
    let text = json!({ "traceEvents": events }).to_string();
    let opened = open_all(&[("it.trace.json", text.as_bytes())]).unwrap();
    let mut shown = Shown::new(&opened.profile);
    let measured = |series: &&SeriesTrack| !series.is_estimated;
    let groups = shown.groups();
    let names: Vec<&str> = groups[0].series.iter().filter(measured).map(|series| &*series.name).collect();
    assert_eq!(names, ["memory, free", "memory, used_bytes", "P state"]);
    let [free, used, state] = [0, 1, 2].map(|index| groups[0].series[index].clone());
    assert_eq!((used.unit, used.max), (SeriesUnit::Bytes, Some(7_000_000_000_001.0)));
    let range = shown.range(&used, (0, 4_000_000));
    assert_eq!((range.min, range.max, range.covered), (Some(5.0), Some(7_000_000_000_001.0), Picos(3_000_000)));
    assert_eq!(shown.range(&free, (1_500_000, 2_500_000)).mean, Some(2.0));
    assert_eq!(shown.range(&state, (0, 4_000_000)).covered, Picos(1_000_000));
    let others: Vec<&str> = opened.profile.notes.iter().map(|note| &*note.message).collect();
    assert!(others.iter().any(|note| note.starts_with("1 flows and similar events")), "{others:?}");
}

#[test]
#[ignore = "needs captures of other projects"]
fn power_states_of_a_real_trace() {
    let capture = common::profile("tpu-vllm-trace/vllm.trace.json.gz").unwrap();
    let opened = open("vllm.trace.json.gz", capture).unwrap();
    let mut shown = Shown::new(&opened.profile);
    let states = shown.series("P state");
    assert_eq!(states.len(), 2, "one of each device");
    let end = shown.index.timeline.end.0;
    for state in states {
        let range = shown.range(&state, (0, end));
        assert_eq!((state.max, range.mean, range.min), (Some(3.0), Some(3.0), Some(3.0)));
    }
}

/// Values that hold at the same time on several planes are kept apart, and the names of stats are those of each plane.
#[test]
fn counters_of_planes_that_are_read_apart() {
    use xla_profile::profile::{Builder, ProfilePart};
    let device = |n: u32| {
        let mut plane = Plane::new(&format!("/device:TPU:{n}"));
        for other in 0..n {
            plane.stat(&format!("other {other}"), int(1));
        }
        let id = plane.op(if n == 0 { "MXU" } else { "XLU" }, "", &[]);
        let mut event = make::event(id, 10, 1);
        event.stats = vec![plane.stat("% util", int(n.into())), plane.stat("spills", int(n.into()))];
        plane.line("_counters_", &[]).events = vec![event];
        plane.done()
    };
    let capture = bytes(&XSpace { planes: vec![device(0), device(3)], ..XSpace::default() });
    let mut whole_progress = |_: xla_profile::profile::ReadProgress<'_>| ();
    let mut whole = Builder::new(&mut whole_progress);
    whole.file("it.xplane.pb");
    xla_profile::wire::xspace::walk(&&capture[..], &mut whole);
    let mut progress = |_: xla_profile::profile::ReadProgress<'_>| ();
    let mut joined = Builder::new(&mut progress);
    joined.file("it.xplane.pb");
    let found = xla_profile::wire::xspace::outline(&&capture[..], usize::MAX).unwrap();
    let read = |span| {
        let part = ProfilePart::read(&&capture[..], span, xla_profile::wire::Span::ALL, &mut |_| ()).unwrap();
        postcard::from_bytes::<ProfilePart>(&postcard::to_allocvec(&part).unwrap()).unwrap()
    };
    // The planes are joined in another order than they are read.
    let parts: Vec<ProfilePart> = found.planes.into_iter().map(|(span, _)| read(span)).collect();
    assert!(joined.join(parts));
    let (whole, joined) = (whole.finish(), joined.finish());
    assert!(whole.planes == joined.planes);
    let names = |profile: &Profile| {
        let rows = profile.planes.iter().flat_map(|plane| &plane.lines).flat_map(|line| &line.counters);
        rows.map(|row| (profile.text(row.stat).to_owned(), row.value)).collect::<Vec<_>>()
    };
    let expected = [("% util", 0.0), ("spills", 0.0), ("% util", 3.0), ("spills", 3.0)];
    assert_eq!(names(&joined), expected.map(|(name, value)| (name.to_owned(), value)));
    assert_eq!(names(&whole), names(&joined));
}

/// Start, self time and op of each event of a device, on the axis.
fn executions(shown: &Shown<'_>, device: usize) -> Vec<(u64, u64, OpId)> {
    let device = &shown.analysis.devices[device];
    let mut all = Vec::new();
    for line in device.ops.iter().map(|line| &shown.profile.planes[device.plane].lines[*line]) {
        let events = intervals(line, device.event_clock).unwrap();
        let mut self_times = vec![0; events.len()];
        self_time(&events, |event, from, to| self_times[event] += to - from);
        let starts = events.iter().map(|(start, _)| start + device.axis_offset);
        all.extend(starts.zip(self_times).zip(line.events.ops()).map(|((start, time), op)| (start, time, op)));
    }
    all
}

/// FLOPs over a range are those of its executions: the integral of the rate over whole steps is the sum of the roofline. An
/// execution without self time has no rate.
#[test]
fn the_integral_of_flops_is_the_sum_of_the_roofline() {
    for (name, opened) in captures() {
        let mut shown = Shown::new(&opened.profile);
        for group in shown.groups() {
            let Some(flops) = group.series.iter().find(|series| series.unit == SeriesUnit::FlopsPerSecond) else {
                continue;
            };
            let device = group.device.unwrap();
            let executions = executions(&shown, device as usize);
            let plane = &opened.profile.planes[shown.analysis.devices[device as usize].plane];
            let whole = (shown.index.timeline.start.0, shown.index.timeline.end.0);
            let windows = group.steps.iter().take(30).map(|step| (step.start.0, step.end.0)).chain([whole]);
            for (start, end) in windows.collect::<Vec<_>>() {
                let range = TimeRange::between(Picos(start), Picos(end)).unwrap();
                let query =
                    Query { device: DeviceChoice::One(device), step: StepChoice::Range(range), ..Query::default() };
                let roofline = shown.analysis.roofline(&opened.profile, &roofline_query(query), None).unwrap();
                let used = roofline.figures.window.clone();
                let sum = used.flops.or(used.model_flops).unwrap_or(0.0);
                let instants = executions.iter().filter(|(begin, time, _)| *time == 0 && (start..end).contains(begin));
                let flops_of = |op: OpId| plane.op(op).stats.flops.or(plane.op(op).stats.model_flops).unwrap_or(0.0);
                let sum = sum - instants.map(|(_, _, op)| flops_of(*op)).sum::<f64>();
                let integral = shown.integral(flops, (start, end)) / 1e12;
                assert_close(integral, sum, &format!("{name}, {}: {start} to {end}", group.name));
            }
        }
    }
}

/// The bytes of ops and transfers over the whole capture are those of all executions.
#[test]
fn the_integral_of_bandwidth_is_the_sum_of_all_bytes() {
    for (name, opened) in captures() {
        let profile = &opened.profile;
        let mut shown = Shown::new(profile);
        for group in shown.groups() {
            let Some(track) = group.series.iter().find(|series| series.unit == SeriesUnit::BytesPerSecond) else {
                continue;
            };
            let device = group.device.unwrap() as usize;
            let (plane, facts) = (&profile.planes[shown.analysis.devices[device].plane], &shown.analysis.facts[device]);
            let mut sum = 0.0;
            for (_, time, op) in executions(&shown, device) {
                let stats = &plane.op(op).stats;
                let bytes = profile.memory(plane, op).map(|memory| memory.hbm as f64).or(stats.bytes_accessed);
                let word = profile.text(plane.op(op).name).split('.').next().unwrap();
                let is_rate = time > 0 || word.ends_with("-done");
                if facts.ops[op.0 as usize].kind != Kind::Container && !word.ends_with("-start") && is_rate {
                    sum += bytes.unwrap_or(0.0);
                }
            }
            let integral = shown.integral(track, (0, i64::MAX as u64)) / 1e12;
            assert_close(integral, sum, &format!("{name}, {}", group.name));
        }
    }
}

#[test]
fn the_peak_of_bytes_in_use_is_that_of_the_allocator() {
    let mut n_allocators = 0;
    for (name, opened) in captures() {
        let mut shown = Shown::new(&opened.profile);
        let memory = shown.analysis.runtime_memory(&opened.profile);
        let mut expected: Vec<(Option<u32>, u64)> =
            memory.allocators.iter().map(|allocator| (allocator.device, allocator.peak.in_use())).collect();
        let mut found = Vec::new();
        let end = shown.index.timeline.end.0;
        for group in shown.groups() {
            for track in group.series.iter().filter(|series| series.name.starts_with("Bytes in use")) {
                let range = shown.range(track, (0, end));
                assert_eq!((track.unit, track.max), (SeriesUnit::Bytes, range.max), "{name}");
                let columns = shown.columns(track, (0, end / 100 + 1), 100);
                let most = columns.iter().map(|column| column.max).fold(f32::NAN, f32::max);
                assert_eq!(most, range.max.unwrap() as f32, "{name}: no column loses the peak");
                found.push((group.device, range.max.unwrap() as u64));
            }
        }
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected, "{name}");
        n_allocators += found.len();
    }
    assert!(n_allocators > 0);
}

#[test]
fn transfers_in_flight_are_the_spans_of_communication() {
    let mut n_compared = 0;
    for (name, opened) in captures() {
        let mut shown = Shown::new(&opened.profile);
        for group in shown.groups() {
            for (title, transfers) in
                [("Collectives in flight", TransferFilter::Collectives), ("Copies in flight", TransferFilter::Copies)]
            {
                let Some(track) = group.series.iter().find(|series| series.name == title) else { continue };
                for step in group.steps.iter().take(4) {
                    let range = TimeRange::between(step.start, step.end).unwrap();
                    let query = Query {
                        device: DeviceChoice::One(group.device.unwrap()),
                        step: StepChoice::Range(range),
                        ..Query::default()
                    };
                    let query = LaneQuery { query, transfers, part: None, max_spans: 20_000 };
                    let lanes = shown.analysis.comm_lanes(&opened.profile, &query, None);
                    assert_eq!(lanes.left_out.0, 0, "{name}");
                    let sum: u64 = lanes.spans.iter().map(|span| span.end.0 - span.start.0).sum();
                    let window = (step.start.0, step.end.0);
                    assert_eq!(shown.integral(track, window).round() as u64, sum, "{name}, {title}: {window:?}");
                    let most = shown.range(track, window).max.unwrap_or(0.0);
                    assert_eq!(most as u32, lanes.n_lanes, "{name}, {title}: {window:?}");
                    n_compared += 1;
                }
            }
        }
    }
    assert!(n_compared > 10, "{n_compared}");
}

/// Columns are ranges, and ranges of parts sum to the range of the whole.
#[test]
fn columns_and_ranges_agree() {
    for (name, opened) in captures() {
        let mut shown = Shown::new(&opened.profile);
        let (start, end) = (shown.index.timeline.start.0, shown.index.timeline.end.0);
        for track in shown.groups().into_iter().flat_map(|group| group.series).take(40) {
            for n_columns in [1, 7, 300] {
                let column = ((end - start) / u64::from(n_columns)).max(1);
                let columns = shown.columns(&track, (start, column), n_columns);
                assert_eq!(columns.len(), n_columns as usize);
                let (mut integral, mut covered) = (0.0, 0);
                for (index, drawn) in columns.into_iter().enumerate() {
                    let from = start + column * index as u64;
                    let range = shown.range(&track, (from, from + column));
                    let bits = |value: Option<f64>| value.map_or(f32::NAN, |value| value as f32).to_bits();
                    let drawn = [drawn.min, drawn.max, drawn.mean].map(f32::to_bits);
                    assert_eq!(drawn, [range.min, range.max, range.mean].map(bits), "{name}: {}", track.name);
                    integral += range.mean.unwrap_or(0.0) * range.covered.0 as f64;
                    covered += range.covered.0;
                }
                let whole = (start, start + column * u64::from(n_columns));
                assert_close(integral, shown.integral(&track, whole), &format!("{name}: {}", track.name));
                assert_eq!(covered, shown.range(&track, whole).covered.0, "{name}: {}", track.name);
            }
        }
    }
}

#[test]
fn a_session_answers_for_series() {
    let sample = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/samples/sample.xplane.pb.xz")).unwrap();
    let input = Input { name: "sample.xplane.pb.xz".to_owned(), source: Box::new(sample), from_folder: false };
    let (mut session, _) = OpenSession::open(vec![input], &mut |_| {}).unwrap();
    let mut ask = |request: TimelineRequest| session.answer(&ViewRequest::Timeline(request).into());
    let timeline = ask(TimelineRequest::Tracks { is_aligned: None, step: None })
        .decode::<rooflight::analysis::timeline::Timeline>()
        .unwrap();
    let track = timeline.groups[0].series.iter().find(|series| series.name == "FLOP/s").unwrap().clone();
    assert_eq!((track.is_estimated, track.max), (true, None));
    let mut range = |series| {
        let request = TimelineRequest::SeriesRanges { series: vec![series], start: timeline.start, end: timeline.end };
        ask(request).decode::<Vec<SeriesRange>>().unwrap().pop()
    };
    let found = range(track.id).unwrap();
    assert!(found.mean.unwrap() > 1e12 && found.max.unwrap() > found.mean.unwrap() && found.covered_share > 0.5);
    let missing = rooflight::analysis::timeline::SeriesRef { group: 1000, ..track.id };
    assert_eq!(range(missing), None);
    let query = PictureQuery {
        series: vec![missing, track.id],
        start: timeline.start,
        column: Picos(1 << 30),
        n_columns: 3,
        ..PictureQuery::default()
    };
    let picture = ask(TimelineRequest::Picture(query)).decode::<rooflight::analysis::timeline::Picture>().unwrap();
    assert_eq!(picture.series.iter().map(|track| track.id).collect::<Vec<_>>(), [track.id]);
    assert_eq!(picture.series[0].top, found.max.unwrap());
}

/// `make::small` shows the ops: two of them have FLOPs, and the others have no cost.
#[test]
fn a_rate_is_zero_while_idle_and_unknown_without_a_cost() {
    let opened = open("small.xplane.pb", bytes(&make::small())).unwrap();
    let mut shown = Shown::new(&opened.profile);
    let flops = shown.series("FLOP/s")[0].clone();
    let start = shown.groups()[0].steps[0].start.0;
    let mut mean = |from, to| {
        let range = shown.range(&flops, (start + from, start + to));
        range.mean.map(|mean| (mean.round(), range.covered.0))
    };
    assert_eq!(mean(100, 300), Some((4000.0 / 200e-12, 200)));
    assert_eq!(mean(300, 700), None, "an op without a cost, and a loop");
    assert_eq!(mean(700, 750), Some((0.0, 50)), "idle");
    assert_eq!(mean(200, 750), Some((4000.0 / 200e-12 * 100.0 / 150.0_f64).round()).map(|mean| (mean, 150)));
    assert_eq!(mean(1200, 1500), Some(((4000.0 / 300e-12_f64).round(), 300)));
    assert_eq!((mean(0, 100), mean(1500, 9000)), (None, None), "before the first op and after the last one");
    let collectives = shown.series("Collectives in flight")[0].clone();
    assert_eq!(shown.integral(&collectives, (start, start + 1600)), 150.0);
}
