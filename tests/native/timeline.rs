//! These tests compare the timeline and the sums of ranges with sums over all events, on the sample and on real captures.

use crate::common::{self, open};
use rooflight::analysis::base::{Analysis, Clock, DeviceChoice, GroupBy, Query, StepChoice, TimeRange, intervals};
use rooflight::analysis::timeline::{
    EventDetail, EventQuery, EventsQuery, Flow, FlowKind, FlowLine, FlowsQuery, IdleBox, LineRef, Neighbour,
    PictureQuery, SearchQuery, TimelineIndex, TrackKind, cells, parse_event_key,
};
use rooflight::protocol::ViewRequest;
use rooflight::protocol::table_query::{TableAction, TableQuery};
use rooflight::session::{Input, OpenSession, Opened};
use rooflight::table::filter::TextFilter;
use rooflight::table::page::{PageQuery, SortBy, TablePage};
use std::collections::{BTreeMap, BTreeSet};
use xla_profile::profile::Line;
use xla_profile::units::Picos;

/// The captures of this repository, and every other real capture that is there.
pub fn captures() -> Vec<(String, Opened)> {
    let trace = "tpu-vllm-trace/vllm.trace.json.gz";
    let trace = common::profile(trace).map(|bytes| (trace, bytes));
    common::xspaces()
        .into_iter()
        .chain(trace)
        .map(|(name, bytes)| (name.to_owned(), open(name, bytes).unwrap()))
        .collect()
}

fn line(opened: &Opened, line: LineRef) -> &Line {
    &opened.profile.planes[line.plane as usize].lines[line.line as usize]
}

/// Start and end of each event of a line, on the axis.
pub fn times(opened: &Opened, analysis: &Analysis, line_ref: LineRef) -> Vec<(u64, u64)> {
    let times = analysis.axis.times(line(opened, line_ref)).unwrap();
    (0..times.events.len()).map(|event| times.time(event)).collect()
}

/// Windows at random places and of random lengths, from a few events to the whole capture.
fn windows(start: u64, end: u64, n: usize) -> Vec<(u64, u64)> {
    let mut random = fastrand::Rng::with_seed(7);
    let one = |_| {
        let length = ((end - start).max(2) >> random.u32(0..20)).max(1);
        let from = random.u64(start..=end.max(start + 1) - length.min(end - start));
        (from, from + length)
    };
    (0..n).map(one).collect()
}

#[test]
fn tracks_hold_all_events() {
    for (name, opened) in captures() {
        let analysis = Analysis::new(&opened.profile);
        let index = TimelineIndex::new(&opened.profile, &analysis);
        let timeline = &index.timeline;
        let tracks = || timeline.groups.iter().flat_map(|group| &group.tracks);
        assert_eq!(timeline.n_off_axis, 0, "{name}");
        // Lines that were made from others show their events again.
        let derived: u64 = tracks().filter(|track| line(&opened, track.line).derived).map(|track| track.n_events).sum();
        assert_eq!(timeline.n_events - derived, opened.profile.n_events() as u64, "{name}");
        let all = || tracks().flat_map(|track| times(&opened, &analysis, track.line));
        assert_eq!(all().map(|(from, _)| from).min(), Some(timeline.start.0), "{name}");
        assert_eq!(all().map(|(_, to)| to).max(), Some(timeline.end.0), "{name}");
        for group in timeline.groups.iter().filter(|group| group.device.is_some()) {
            let device = &analysis.devices[group.device.unwrap() as usize];
            assert_eq!(group.steps.len(), device.steps.len(), "{name}");
            assert!(group.steps.is_sorted_by_key(|step| step.start), "{name}");
        }
    }
}

#[test]
fn pictures_show_every_event_at_any_scale() {
    for (name, opened) in captures() {
        let analysis = Analysis::new(&opened.profile);
        let mut index = TimelineIndex::new(&opened.profile, &analysis);
        let (start, end) = (index.timeline.start.0, index.timeline.end.0);
        let tracks: Vec<_> = index.timeline.groups.iter().flat_map(|group| group.tracks.clone()).collect();
        for track in tracks.iter().take(60) {
            let all = times(&opened, &analysis, track.line);
            for (from, to) in windows(start, end, 12) {
                let n_columns = 400;
                let column = ((to - from) / u64::from(n_columns)).max(1);
                let (start, column) = (Picos(from), Picos(column));
                let query = PictureQuery { lines: vec![track.line], start, column, n_columns, ..Default::default() };
                let column = column.0;
                let to = query.end().0;
                let picture = index.picture(&opened.profile, &analysis, &query);
                let [shown] = &picture.lines[..] else { panic!("{name}") };
                let boxes: u64 =
                    shown.boxes.iter().map(|event_box| event_box.end.0.min(to) - event_box.start.0.max(from)).sum();
                // Each share is rounded down by less than a 255th of a column, or up to one.
                let (mut shares, mut n_shares) = (0_u64, 0_u64);
                for cell in cells::read(&shown.cells) {
                    shares += cell.shares.iter().map(|share| u64::from(*share)).sum::<u64>();
                    n_shares += cell.shares.iter().filter(|share| **share > 0).count() as u64;
                }
                let touching = || all.iter().filter(|(a, b)| *a < to && (*b > from || *a >= from));
                let exact: u64 = touching().map(|(a, b)| (*b).min(to) - (*a).max(from)).sum();
                // Columns of events at the same time hold no more than a whole column.
                if shown.n_overlapping == 0 {
                    let drawn = boxes as f64 + shares as f64 / 255.0 * column as f64;
                    let tolerance = n_shares as f64 / 255.0 * column as f64 + n_shares as f64 * 1000.0;
                    assert!(
                        (drawn - exact as f64).abs() <= tolerance + 1.0,
                        "{name}: {drawn} for {exact}, {tolerance}"
                    );
                }
                // Nothing disappears.
                assert_eq!(touching().count() == 0, shown.boxes.is_empty() && shown.cells.is_empty(), "{name}");
                for event_box in &shown.boxes {
                    assert_eq!((event_box.start.0, event_box.end.0), all[event_box.event as usize], "{name}");
                }
            }
        }
    }
}

/// The boxes of idle time add up to the report of gaps, whose numbers are tested against brute force.
#[test]
fn idle_time_is_drawn_without_a_loss() {
    for (name, opened) in captures() {
        let analysis = Analysis::new(&opened.profile);
        let mut index = TimelineIndex::new(&opened.profile, &analysis);
        let (start, end) = (index.timeline.start, index.timeline.end.0 + 1);
        for device in 0..analysis.devices.len().min(4) as u32 {
            let query = Query { device: DeviceChoice::One(device), step: StepChoice::All, ..Query::default() };
            let gaps = analysis.gaps(&opened.profile, &query);
            for n_columns in [1, 100, 4000] {
                let column = Picos((end - start.0).div_ceil(n_columns.into()));
                let query = PictureQuery { idle: vec![device], start, column, n_columns, ..Default::default() };
                let picture = index.picture(&opened.profile, &analysis, &query);
                let boxes = &picture.idle[0].boxes;
                assert_eq!(boxes.iter().map(|idle_box| idle_box.time).sum::<Picos>(), gaps.idle(), "{name}");
                assert!(boxes.windows(2).all(|pair| pair[0].end <= pair[1].start), "{name}");
                if let Some(longest) = gaps.gaps.first() {
                    let gap = (longest.axis_start, longest.axis_start + longest.total);
                    let is_in = |idle_box: &IdleBox| idle_box.gap.0 <= gap.0 && gap.1 <= idle_box.gap.1;
                    assert!(boxes.iter().any(is_in), "{name}: the longest gap");
                    let exact = |idle_box: &IdleBox| {
                        idle_box.n_gaps > 1 || gap.1 <= idle_box.gap.0 || idle_box.gap.1 <= gap.0 || idle_box.gap == gap
                    };
                    assert!(boxes.iter().all(exact), "{name}: the longest gap");
                }
            }
        }
    }
}

/// Self time by op of the events in a window: each instant counts for the event that started last among the open ones, and
/// of those with the same start for the shortest one.
fn by_brute_force(events: &[((u64, u64), u32)], (from, to): (u64, u64)) -> (BTreeMap<u32, u64>, u64) {
    let touching: Vec<_> = events.iter().filter(|((a, b), _)| *a < to && *b > from).collect();
    let mut edges: Vec<u64> = touching.iter().flat_map(|((a, b), _)| [*a, *b]).chain([from, to]).collect();
    edges.retain(|edge| (from..=to).contains(edge));
    edges.sort_unstable();
    edges.dedup();
    let (mut by_op, mut busy) = (BTreeMap::new(), 0);
    for pair in edges.windows(2) {
        let open = touching.iter().enumerate().filter(|(_, ((a, b), _))| *a <= pair[0] && *b >= pair[1]);
        let innermost = open.max_by_key(|(index, ((a, b), _))| (*a, std::cmp::Reverse(*b), *index));
        if let Some((_, (_, op))) = innermost {
            *by_op.entry(*op).or_default() += pair[1] - pair[0];
            busy += pair[1] - pair[0];
        }
    }
    (by_op, busy)
}

#[test]
fn sums_of_a_range_are_those_of_its_events() {
    for (name, opened) in captures() {
        let profile = &opened.profile;
        let analysis = Analysis::new(profile);
        for (index, device) in analysis.devices.iter().enumerate().take(2) {
            let Clock::Event { .. } = device.event_clock else { panic!("{name}") };
            let plane = &profile.planes[device.plane];
            // One line per device is compared, because lines at the same time count each.
            let [ops] = device.ops[..] else { continue };
            let line = &plane.lines[ops];
            let intervals: Vec<_> = intervals(line, device.event_clock).unwrap();
            let events: Vec<((u64, u64), u32)> = intervals.into_iter().zip(line.events.ops().map(|op| op.0)).collect();
            let first = events.iter().map(|(time, _)| time.0).min().unwrap();
            let last = events.iter().map(|(time, _)| time.1).max().unwrap();
            let mut n_compared = 0;
            for (from, to) in windows(first, last, 1000) {
                let touching = events.iter().filter(|((a, b), _)| *a < to && *b > from);
                if touching.count() > 150 {
                    continue;
                }
                n_compared += 1;
                let (by_op, busy) = by_brute_force(&events, (from, to));
                let axis = |time: u64| Picos(time + device.axis_offset);
                let range = TimeRange { start: axis(from), end: axis(to) };
                let query = Query {
                    device: DeviceChoice::One(index as u32),
                    step: StepChoice::Range(range),
                    by: GroupBy::Op,
                    ..Query::default()
                };
                let found = analysis.breakdown(profile, &query).unwrap();
                assert_eq!(found.totals.busy, Picos(busy), "{name}: {query:?}");
                assert_eq!(found.totals.union + found.totals.idle, range.length(), "{name}");
                let mut by_name: BTreeMap<(Option<u64>, String), u64> = BTreeMap::new();
                for (op, time) in by_op {
                    let op = plane.op(xla_profile::profile::OpId(op));
                    let key = (op.stats.program.map(|program| program.0), profile.text(op.name).to_owned());
                    *by_name.entry(key).or_default() += time;
                }
                let rows = found.groups.iter().filter(|row| row.total > Picos::ZERO);
                let rows: BTreeMap<(Option<u64>, String), u64> =
                    rows.map(|row| ((row.program_id, row.key.clone()), row.total.0)).collect();
                assert_eq!(rows, by_name, "{name}: {query:?}");
            }
            assert!(n_compared > 100, "{name}: {n_compared} windows");
        }
    }
}

#[test]
fn the_range_of_a_step_is_the_step() {
    for (name, opened) in captures() {
        let profile = &opened.profile;
        let analysis = Analysis::new(profile);
        let index = TimelineIndex::new(profile, &analysis);
        for group in &index.timeline.groups {
            let Some(device) =
                group.device.filter(|index| analysis.devices[*index as usize].step_clock != Clock::Device)
            else {
                continue;
            };
            for step in group.steps.iter().take(20) {
                let totals = |step: StepChoice| {
                    let query = Query { device: DeviceChoice::One(device), step, ..Query::default() };
                    let found = analysis.breakdown(profile, &query).unwrap();
                    (found.totals, found.header.step_duration)
                };
                let range = TimeRange::between(step.start, step.end).unwrap();
                assert_eq!(totals(StepChoice::Range(range)), totals(StepChoice::Number(step.number)), "{name}");
            }
        }
    }
}

/// The times of trace JSON are decimals, and they are read exactly. Therefore no op overlaps its successor.
#[test]
#[ignore = "needs captures of other projects"]
fn ops_of_trace_json_are_in_the_lanes_of_their_nesting() {
    let capture = common::profile("tpu-vllm-trace/vllm.trace.json.gz").unwrap();
    let opened = open("vllm.trace.json.gz", capture).unwrap();
    let analysis = Analysis::new(&opened.profile);
    let mut index = TimelineIndex::new(&opened.profile, &analysis);
    let tracks: Vec<_> = index.timeline.groups.iter().flat_map(|group| group.tracks.clone()).collect();
    for track in tracks.iter().filter(|track| track.kind == TrackKind::Ops) {
        let mut all = times(&opened, &analysis, track.line);
        all.sort_by_key(|(start, end)| (*start, std::cmp::Reverse(*end)));
        let mut open: Vec<u64> = Vec::new();
        let mut depth = 0;
        for (start, end) in all {
            open.retain(|until| *until > start);
            assert!(open.iter().all(|until| *until >= end), "{start} overlaps its predecessor");
            open.push(end);
            depth = depth.max(open.len());
        }
        let (start, column) = (index.timeline.start, Picos(1 << 40));
        let query = PictureQuery { lines: vec![track.line], start, column, n_columns: 1, ..Default::default() };
        assert_eq!(index.picture(&opened.profile, &analysis, &query).lines[0].n_lanes as usize, depth);
    }
}

#[test]
fn events_are_found_and_described() {
    for (name, opened) in captures() {
        let profile = &opened.profile;
        let analysis = Analysis::new(profile);
        let mut index = TimelineIndex::new(profile, &analysis);
        let tracks: Vec<_> = index.timeline.groups.iter().flat_map(|group| group.tracks.clone()).collect();
        for track in tracks.iter().take(40) {
            let all = times(&opened, &analysis, track.line);
            for event in (0..all.len()).step_by((all.len() / 9).max(1)) {
                let query = EventQuery::Index { line: track.line, event: event as u32 };
                let detail = index.event(profile, &analysis, query).unwrap();
                assert_eq!((detail.start.0, detail.end.0), all[event], "{name}");
                assert!(detail.self_time.0 <= detail.end.0 - detail.start.0);
                assert!(detail.execution.0 >= 1 && detail.execution.0 <= detail.execution.1);
                let query =
                    EventQuery::At { line: track.line, lane: detail.lane, time: detail.start, tolerance: Picos(0) };
                assert!(index.event(profile, &analysis, query).is_some(), "{name}: {}", detail.name);
                // The neighbours of its neighbours are the event itself.
                for (there, back) in [(Neighbour::Next, Neighbour::Previous), (Neighbour::Previous, Neighbour::Next)] {
                    let next = |event: u32, to| EventQuery::Next { line: track.line, event, to };
                    if let Some(other) = index.event(profile, &analysis, next(event as u32, there)) {
                        assert_eq!(other.lane, detail.lane);
                        let again = index.event(profile, &analysis, next(other.event, back)).unwrap();
                        assert_eq!(again, detail, "{name}");
                    }
                }
            }
            let (from, to) = (all[all.len() / 2].0, all[all.len() / 2].0 + 1_000_000_000);
            let query = EventsQuery { lines: vec![track.line], start: Picos(from), end: Picos(to) };
            let list = index.events(profile, &query);
            let n = all.iter().filter(|(a, b)| *a < to && (*b > from || *a >= from)).count();
            assert_eq!(list.n, n as u64, "{name}");
            assert!(list.events.is_sorted_by_key(|event| event.start));
        }
    }
}

#[test]
fn a_search_finds_the_events_of_the_whole_capture() {
    for (name, opened) in captures() {
        let profile = &opened.profile;
        let analysis = Analysis::new(profile);
        let mut index = TimelineIndex::new(profile, &analysis);
        let tracks: Vec<_> = index.timeline.groups.iter().flat_map(|group| group.tracks.clone()).collect();
        for text in ["fusion", "COPY", "no such op", ""] {
            let filter = TextFilter { text: text.to_owned(), ..TextFilter::default() };
            let found = index.search(profile, &SearchQuery { filter, n_columns: 300 }).unwrap();
            let (mut n, mut time) = (0, 0);
            for track in &tracks {
                let plane = &profile.planes[track.line.plane as usize];
                for (op, (start, end)) in
                    line(&opened, track.line).events.ops().zip(times(&opened, &analysis, track.line))
                {
                    let op = profile.text(plane.op(op).name).to_lowercase();
                    if !text.is_empty() && op.contains(&text.to_lowercase()) {
                        n += 1;
                        time += end - start;
                    }
                }
            }
            assert_eq!((found.n, found.time.0), (n, time), "{name}: {text}");
            assert_eq!(found.columns.contains(&1), n > 0);
            assert!(found.hits.is_sorted_by_key(|hit| hit.start) && found.hits.len() as u64 == n.min(1000));
        }
        let wrong = TextFilter { text: "(".to_owned(), regex: true, ..TextFilter::default() };
        assert!(index.search(profile, &SearchQuery { filter: wrong, n_columns: 1 }).is_err());
    }
}

/// A script that reads the file without the code of Rooflight joins 414 runs to the calls that enqueued them.
#[test]
#[ignore = "needs captures of other projects"]
fn runs_are_linked_to_the_calls_that_enqueued_them() {
    let capture = common::profile(common::V6E).unwrap();
    let opened = open("host.xplane.pb", capture).unwrap();
    let analysis = Analysis::new(&opened.profile);
    let mut index = TimelineIndex::new(&opened.profile, &analysis);
    let tracks: Vec<_> = index.timeline.groups.iter().flat_map(|group| group.tracks.clone()).collect();
    let mut n_linked = 0;
    for track in tracks.iter().filter(|track| track.kind == TrackKind::Modules) {
        for event in 0..track.n_events as u32 {
            let query = EventQuery::Index { line: track.line, event };
            let run = index.event(&opened.profile, &analysis, query).unwrap();
            let is_enqueue = |flow: &&Flow| flow.is_source && flow.event.name.contains("DoEnqueueProgram");
            let Some(enqueue) = run.flows.iter().find(is_enqueue) else { continue };
            n_linked += 1;
            assert!(enqueue.event.start <= run.start, "a run starts after its call has begun");
            // The call has the link back to the run.
            let query = EventQuery::Index { line: enqueue.event.line, event: enqueue.event.event };
            let call = index.event(&opened.profile, &analysis, query).unwrap();
            let is_run =
                |flow: &Flow| (flow.event.line, flow.event.event, flow.is_source) == (run.line, run.event, false);
            assert!(call.flows.iter().any(is_run), "{:?}", call.flows);
        }
    }
    assert_eq!(n_linked, 414);
}

/// The links of a window are those that the events of the window have, one by one.
#[test]
fn links_of_a_window_are_those_of_its_events() {
    for (name, opened) in captures() {
        let analysis = Analysis::new(&opened.profile);
        let mut index = TimelineIndex::new(&opened.profile, &analysis);
        let (start, end) = (index.timeline.start.0, index.timeline.end.0);
        let lines: Vec<LineRef> =
            index.timeline.groups.iter().flat_map(|group| &group.tracks).map(|track| track.line).collect();
        let mut window = (start + (end - start) / 3, end);
        let one_by_one = loop {
            let query = EventsQuery { lines: lines.clone(), start: Picos(window.0), end: Picos(window.1) };
            let events = index.events(&opened.profile, &query);
            if events.n > 1000 {
                window.1 = window.0 + (window.1 - window.0) / 2;
                continue;
            }
            let mut links = BTreeSet::new();
            for row in events.events.iter().filter(|row| query.start <= row.start && row.start < query.end) {
                let query = EventQuery::Index { line: row.line, event: row.event };
                let event = index.event(&opened.profile, &analysis, query).unwrap();
                assert!(event.flows.len() < EventDetail::MAX_FLOWS, "{name}");
                let sources = event.flows.iter().filter(|flow| flow.is_source);
                links.extend(sources.map(|flow| (event.line, event.event, flow.event.line, flow.event.event)));
            }
            break links;
        };
        let query = FlowsQuery { lines: lines.clone(), start: Picos(window.0), end: Picos(window.1) };
        let report = index.all_flows(&opened.profile, &query);
        assert_eq!(report.n, one_by_one.len() as u64, "{name}");
        for FlowLine { source, target } in &report.flows {
            assert!(one_by_one.contains(&(target.line, target.event, source.line, source.event)), "{name}");
        }
        let whole = FlowsQuery { lines, start: Picos(start), end: Picos(end + 1) };
        assert!(index.all_flows(&opened.profile, &whole).n >= report.n, "{name}");
    }
}

#[test]
#[ignore = "needs captures of other projects"]
fn kernels_are_linked_to_their_launches() {
    let capture = common::profile("gpu-v100/host.xplane.pb").unwrap();
    let opened = open("host.xplane.pb", capture).unwrap();
    let analysis = Analysis::new(&opened.profile);
    let mut index = TimelineIndex::new(&opened.profile, &analysis);
    let tracks: Vec<_> = index.timeline.groups.iter().flat_map(|group| group.tracks.clone()).collect();
    let (mut n, mut n_linked) = (0, 0);
    for track in tracks.iter().filter(|track| track.kind == TrackKind::Ops) {
        for event in (0..track.n_events as u32).step_by(7) {
            let query = EventQuery::Index { line: track.line, event };
            let kernel = index.event(&opened.profile, &analysis, query).unwrap();
            n += 1;
            n_linked += usize::from(kernel.flows.iter().any(|flow| flow.is_source && flow.kind == FlowKind::Launch));
        }
    }
    assert!(n > 50 && n_linked == n, "{n_linked} of {n} kernels have a launch");
}

#[test]
fn tables_list_the_events_of_a_window_and_of_a_search() {
    let sample = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/samples/sample.xplane.pb.xz")).unwrap();
    let input = Input { name: "sample.xplane.pb.xz".to_owned(), source: Box::new(sample), from_folder: false };
    let (mut engine, _) = OpenSession::open(vec![input], &mut |_| {}).unwrap();
    let mut rows = |table: TableQuery, sort: SortBy| {
        let action = TableAction::Rows(PageQuery { sort: Some(sort), count: 50, ..PageQuery::default() });
        engine.answer(&ViewRequest::Table { table, action }.into()).decode::<TablePage>().unwrap()
    };
    let filter = TextFilter { text: "all-reduce".to_owned(), ..TextFilter::default() };
    let hits = rows(TableQuery::Hits(SearchQuery { filter, n_columns: 10 }), SortBy::new("start_ps", false));
    assert!(hits.n_rows > 100 && hits.rows.iter().all(|row| row.title.contains("all-reduce")), "{}", hits.n_rows);
    let lines = vec![parse_event_key(&hits.rows[0].key).unwrap().0];
    let window = EventsQuery { lines, start: Picos(0), end: Picos(1 << 60) };
    let events = rows(TableQuery::Events(window), SortBy::new("duration_ps", true));
    assert_eq!(events.n_rows, 1000, "the first thousand are listed");
    assert_eq!(events.totals[0].1, "1,000 of 8,415 events");
}
