//! This module sends every request to captures and checks the rules that hold for any content: parts sum to wholes,
//! busy and idle time fill the window, time in flight is exposed or overlapped, and a report at every level gives the
//! same time as the capture. Tests and fuzz targets use the module.

use rooflight::analysis::base::{
    Analysis, DeviceChoice, Filter, GroupBy, Mean, Query, StepChoice, TimeRange, intervals,
};
use rooflight::analysis::breakdown::{Breakdown, StepStats};
use rooflight::analysis::classify::Kind;
use rooflight::analysis::comm::{CommBy, CommLanes, CommQuery, LaneQuery, TransferFilter};
use rooflight::analysis::memory::{MemoryQuery, Points};
use rooflight::analysis::roofline::RooflineQuery;
use rooflight::analysis::timeline::{
    EventDetail, EventQuery, EventsQuery, FlowsQuery, Picture, PictureQuery, SearchQuery, SeriesColumn, SeriesRange,
    Timeline, cells,
};
use rooflight::protocol::table_query::{ExportQuery, TableAction, TableQuery};
use rooflight::protocol::url::roofline::RoofBy;
use rooflight::protocol::{CommView, Export, OpRef, RooflineHead, ShareQuery, TimelineRequest, ViewRequest};
use rooflight::session::{Input, OpenSession, Opened, open};
use rooflight::share::{Level, Report, decode, decode_link, encode, encode_link, markdown};
use rooflight::table::filter::{FilterField, TextFilter};
use rooflight::table::page::{PageQuery, SortBy, TablePage, split_row_key};
use xla_profile::units::{Count, Picos};

fn inputs(files: &[(&str, &[u8])]) -> Vec<Input> {
    let input = |(name, bytes): &(&str, &[u8])| Input {
        name: (*name).to_owned(),
        source: Box::new(bytes.to_vec()),
        from_folder: false,
    };
    files.iter().map(input).collect()
}

/// Sends every request to the captures in `files` and checks the answers. Returns whether the captures open.
///
/// # Panics
/// Panics if a rule does not hold.
pub fn check(files: &[(&str, &[u8])]) -> bool {
    let Ok(opened) = open(inputs(files), &mut |_| {}) else { return false };
    let analysis = Analysis::new(&opened.profile);
    let exact = analysis.beyond_sums().is_none();
    for query in queries(&analysis) {
        sums(&opened, &analysis, &query, exact);
        gaps(&opened, &analysis, &query, exact);
    }
    if exact {
        steps(&opened, &analysis);
    }
    let view = analysis.file_view(&opened.profile, &opened.files, opened.partial.is_some());
    let of_planes: u64 = view.planes.iter().map(|plane| plane.n_events).sum();
    assert_eq!(of_planes, view.n_events, "events of the planes");
    let (mut engine, _) = OpenSession::open(inputs(files), &mut |_| {}).expect("it opened before");
    for query in queries(&analysis).iter().take(3) {
        views(&mut engine, query);
    }
    timelines(&mut engine);
    ops_and_programs(&mut engine);
    let report = engine.report(&ShareQuery::default()).expect("a report is made");
    levels(&report, exact);
    true
}

/// Returns queries for all devices and steps, and for single ones.
fn queries(analysis: &Analysis) -> Vec<Query> {
    let first = analysis.devices.first();
    let last_step = first
        .and_then(|device| device.steps.last())
        .map_or(StepChoice::Busiest, |step| StepChoice::Number(step.number));
    let last = DeviceChoice::One((analysis.devices.len() as u32).saturating_sub(1));
    let query = |device, step| Query { device, step, ..Query::busiest() };
    vec![
        query(DeviceChoice::Mean, StepChoice::Mean),
        query(DeviceChoice::All, StepChoice::All),
        query(DeviceChoice::One(0), last_step),
        query(DeviceChoice::One(0), StepChoice::Mean),
        query(last, StepChoice::All),
        query(DeviceChoice::All, StepChoice::Busiest),
        query(DeviceChoice::All, StepChoice::Range(TimeRange { start: Picos(1_000), end: Picos(u64::MAX / 3) })),
    ]
}

/// Returns whether two counts are equal, except for the rounding of a mean.
fn is_near(a: Count, b: Count) -> bool {
    (a.as_f64() - b.as_f64()).abs() <= b.as_f64() * 1e-9
}

fn total<T>(items: &[T], time: impl Fn(&T) -> Picos) -> u128 {
    items.iter().map(|item| u128::from(time(item).0)).sum()
}

/// Checks the sums of a query. With `exact`, no sum exceeds the range of its type, and the sums must be equal.
fn sums(opened: &Opened, analysis: &Analysis, query: &Query, exact: bool) {
    let profile = &opened.profile;
    for by in GroupBy::ALL {
        let query = Query { by, ..query.clone() };
        let Breakdown { header, totals, shown, groups, .. } = analysis.breakdown(profile, &query).expect("no filter");
        let filter = Filter { text: "fusion".into(), ..Filter::default() };
        let filtered = analysis.breakdown(profile, &Query { filter, ..query.clone() }).expect("a plain text");
        if !exact {
            continue;
        }
        let busy = u128::from(totals.busy.0);
        assert_eq!(total(&groups, |group| group.total), busy, "rows by {by:?} are the busy time: {query:?}");
        assert_eq!(total(&totals.by_kind, |time| *time), busy, "kinds are the busy time: {query:?}");
        assert_eq!(shown.total, totals.busy);
        let executions = groups.iter().map(|group| group.n_executions).sum();
        assert!(is_near(executions, totals.n_events), "executions by {by:?}: {executions}, {}", totals.n_events);
        assert!(totals.union <= totals.busy);
        if let Some(window) = header.step_duration {
            assert_eq!(totals.union + totals.idle, window, "union and idle are the window: {query:?}");
        }
        assert!(filtered.shown.total <= totals.busy && filtered.totals == totals, "a filter changes no total");
    }
    let scopes = analysis.scopes(profile, query, "", 0.01).expect("no filter");
    let data_movement = analysis.data_movement(profile, query, None);
    let roofs =
        analysis.roofline_steps(profile, &RooflineQuery { query: query.clone(), ..RooflineQuery::default() }, None);
    assert!(roofs.is_ok());
    if exact {
        assert_eq!(total(&scopes.nodes, |node| node.self_time), u128::from(scopes.total.0), "scopes: {query:?}");
        assert_eq!(
            total(&data_movement.by_category, |row| row.total),
            u128::from(data_movement.total.0),
            "data movement: {query:?}"
        );
        assert_eq!(
            total(&data_movement.by_source, |row| row.total),
            u128::from(data_movement.total.0),
            "data movement by source: {query:?}"
        );
        let moves =
            [Kind::DataMovement, Kind::Communication, Kind::Fused].map(|kind| data_movement.totals.time_of_kind(kind));
        assert!(u128::from(data_movement.total.0) <= total(&moves, |time| *time));
    }
}

/// Checks that busy time and gaps fill the window, that the parts of a gap are the gap, and that the busy time is the
/// length of the union of all ops.
pub fn gaps(opened: &Opened, analysis: &Analysis, query: &Query, exact: bool) {
    let profile = &opened.profile;
    let found = analysis.gaps(profile, query);
    for gap in &found.gaps {
        assert_eq!(total(&gap.parts, |(_, time)| *time), u128::from(gap.total.0), "parts of {gap:?}");
    }
    // A window at the end of the clock's range is cut off.
    if !exact || found.window.0 == u64::MAX {
        return;
    }
    let idle = total(&found.classes, |class| class.total);
    if found.header.mean == Mean::default() {
        assert_eq!(total(&found.gaps, |gap| gap.total) + u128::from(found.rest.0), idle, "gaps: {query:?}");
    }
    assert_eq!(idle + u128::from(found.busy.0), u128::from(found.window.0), "busy and gaps: {query:?}");
    if query.step != StepChoice::All {
        return;
    }
    let chosen = |index: usize| query.device == DeviceChoice::All || query.device == DeviceChoice::One(index as u32);
    let mut union = 0;
    for (_, device) in analysis.devices.iter().enumerate().filter(|(index, _)| chosen(*index)) {
        let lines = device.ops.iter().map(|line| &profile.planes[device.plane].lines[*line]);
        let times: Option<Vec<_>> = lines.map(|line| intervals(line, device.event_clock)).collect();
        let Some(times) = times else { continue };
        let mut times: Vec<_> = times.into_iter().flatten().collect();
        times.sort_unstable();
        let mut now = 0;
        for (start, end) in times {
            union += u128::from(end.saturating_sub(start.max(now)));
            now = now.max(end);
        }
    }
    assert_eq!(u128::from(found.busy.0), union, "the union of all ops: {query:?}");
}

/// Kinds and idle sum to each step. Periods follow each other without a gap, and sum to the time from the first start to
/// the last. The figures of steady steps are those of a plain computation.
fn steps(opened: &Opened, analysis: &Analysis) {
    let StepStats { devices, .. } = analysis.step_stats(&opened.profile);
    for (index, (stats, device)) in devices.iter().zip(&analysis.devices).enumerate() {
        assert_eq!(stats.steps.len(), device.steps.len());
        // A step that the event clock has at another place in the order has no period.
        let is_in_order = device.steps.is_sorted_by_key(|step| step.event_window.0);
        for (step, next) in device.steps.iter().zip(device.steps.iter().skip(1)) {
            let starts_before = step.window.0 < next.window.0 && step.event_window.0 < next.event_window.0;
            assert!(if is_in_order { step.has_period == starts_before } else { !step.has_period || starts_before });
            assert!(!step.has_period || (step.window.1, step.event_window.1) == (next.window.0, next.event_window.0));
        }
        assert!(device.steps.last().is_none_or(|last| !last.has_period && last.length() == last.duration));
        if let (Some(first), Some(last)) = (device.steps.first(), device.steps.last())
            && device.steps.iter().rev().skip(1).all(|step| step.has_period)
        {
            let periods = stats
                .steps
                .iter()
                .filter_map(rooflight::analysis::breakdown::StepTime::period)
                .map(|time| u128::from(time.0))
                .sum::<u128>();
            assert_eq!(periods, u128::from(last.window.0 - first.window.0));
        }
        let steady = stats.steps.iter().filter(|step| step.not_steady.is_none()).map(|step| step.length.0);
        assert_eq!(
            stats.steady.map(|steady| (u64::from(steady.n), steady.max.0)),
            steady.clone().max().map(|max| {
                assert!(stats.has_few_steady || steady.clone().count() >= 3);
                (steady.clone().count() as u64, max)
            })
        );
        for step in &stats.steps {
            assert_eq!(total(&step.by_kind, |time| *time), u128::from(step.busy.0), "kinds of step {}", step.number);
            assert!(device.ops.len() > 1 || step.busy + step.idle == step.length, "busy and idle of {step:?}");
            if index == 0 {
                let query = Query { step: StepChoice::Number(step.number), ..Query::busiest() };
                let requested = analysis.breakdown(&opened.profile, &query).expect("no filter").totals;
                assert_eq!((requested.busy, requested.by_kind), (step.busy, step.by_kind), "step {}", step.number);
            }
        }
    }
}

/// Sends the requests of the page.
fn views(engine: &mut OpenSession, query: &Query) {
    for column in ["key", "byte_rate"] {
        let sort = Some(SortBy::new(column, true));
        let table = TableQuery::Breakdown(query.clone());
        let action = TableAction::Rows(PageQuery { sort: sort.clone(), first: 1, count: 50, ..PageQuery::default() });
        let page = engine.answer(&ViewRequest::Table { table, action }.into()).decode::<TablePage>();
        assert!(page.is_ok(), "{page:?}");
        for format in [Export::Csv, Export::Json] {
            let rows = ExportQuery::Breakdown { query: query.clone(), sort: sort.clone() };
            engine.answer(&ViewRequest::ExportRows { rows, format }.into());
        }
    }
    engine.answer(&ViewRequest::DataMovement(query.clone()).into());
    for all_kinds in [false, true] {
        let request = RooflineQuery { query: query.clone(), all_kinds, ..RooflineQuery::default() };
        let head = engine.answer(&ViewRequest::Roofline(request.clone()).into()).decode::<RooflineHead>();
        let Ok(RooflineHead { figures, .. }) = head else { panic!("the roofline has an answer") };
        let held = figures.step.as_ref().map_or(0, |roof| u128::from(roof.total.0));
        let skipped = total(&figures.skipped, |skipped| skipped.total);
        let is_beyond = figures.considered == Picos(u64::MAX);
        assert!(
            is_beyond || held + skipped == u128::from(figures.considered.0),
            "held against roofs, and not: {query:?}"
        );
        for by in RoofBy::ALL {
            let table = TableQuery::Roofline(request.clone(), by);
            let action = TableAction::Rows(PageQuery { count: 50, ..PageQuery::default() });
            engine.answer(&ViewRequest::Table { table, action }.into());
        }
        let sort = Some(SortBy::new("key", true));
        let rows = ExportQuery::Roofline { query: request, sort };
        engine.answer(&ViewRequest::ExportRows { rows, format: Export::Json }.into());
    }
    for by in [CommBy::Op, CommBy::Source] {
        let request = CommQuery { query: query.clone(), by, ..CommQuery::default() };
        let Ok(CommView { comm, .. }) = engine.answer(&ViewRequest::Comm(request).into()).decode::<CommView>() else {
            panic!("communication has an answer")
        };
        for row in comm.rows.iter().chain(&comm.copy_rows) {
            let (all, parts) = (row.overlap.in_flight, row.overlap.exposed + row.overlap.overlapped);
            assert_eq!(all, parts, "what is in flight is exposed or overlapped: {}", row.key);
        }
    }
    let lanes = LaneQuery { query: query.clone(), transfers: TransferFilter::All, part: None, max_spans: 0 };
    if let Ok(lanes) = engine.answer(&ViewRequest::CommLanes(lanes).into()).decode::<CommLanes>() {
        assert!(lanes.spans.iter().all(|span| span.lane < lanes.n_lanes && span.start < span.end), "{query:?}");
    }
}

/// Sends every request of the timeline, with the clocks of hosts aligned and as they are.
fn timelines(engine: &mut OpenSession) {
    if timeline(engine, None).alignment.is_none() {
        return;
    }
    let [aligned, apart] = [true, false].map(|is_aligned| timeline(engine, Some(is_aligned)));
    assert!(aligned.is_aligned() && !apart.is_aligned());
    let shift = aligned.alignment.as_ref().map_or(Picos(0), |alignment| alignment.shift);
    if !aligned.has_tracks_of(&apart) {
        return;
    }
    for (group, before) in aligned.groups.iter().zip(&apart.groups) {
        assert_eq!(apart.offset(before), 0);
        let by = aligned.applied_offset(group).map_or(0, |host| i128::from(host.offset_ps)) + i128::from(shift.0);
        for (step, before) in group.steps.iter().zip(&before.steps) {
            // Steps of a device whose clock is not on the axis may be before 0.
            assert_eq!(i128::from(step.start.0), (i128::from(before.start.0) + by).max(0), "{}", group.name);
        }
    }
}

/// Draws, searches and lists the events of the first tracks, at the ends of the timeline and in between. Returns the tracks.
fn timeline(engine: &mut OpenSession, is_aligned: Option<bool>) -> Timeline {
    let ask = |engine: &mut OpenSession, request| engine.answer(&ViewRequest::Timeline(request).into());
    let tracks = ask(engine, TimelineRequest::Tracks { is_aligned, step: None }).decode::<Timeline>();
    let Ok(timeline) = tracks else { panic!("the tracks are listed") };
    let lines: Vec<_> = timeline.groups.iter().flat_map(|group| &group.tracks).map(|track| track.line).collect();
    let lines = lines[..lines.len().min(20)].to_vec();
    let series: Vec<_> = timeline.groups.iter().flat_map(|group| &group.series).map(|series| series.id).collect();
    let (start, length) = (timeline.start, Picos(timeline.end.0.saturating_sub(timeline.start.0)));
    for (from, column) in
        [(start, Picos(length.0 / 300)), (Picos(start.0 + length.0 / 2), Picos(0)), (timeline.end, length)]
    {
        let query = PictureQuery {
            lines: lines.clone(),
            start: from,
            column,
            n_columns: 300,
            idle: vec![0, 9],
            series: series.clone(),
        };
        let picture = ask(engine, TimelineRequest::Picture(query.clone())).decode::<Picture>();
        let Ok(picture) = picture else { panic!("the lines are drawn") };
        for shown in &picture.lines {
            for event_box in &shown.boxes {
                assert!(
                    (event_box.name as usize) < picture.names.len()
                        && event_box.lane < shown.n_lanes
                        && event_box.start <= event_box.end
                );
                let event = EventQuery::Index { line: shown.line, event: event_box.event };
                let event = ask(engine, TimelineRequest::Event(event)).decode::<Option<EventDetail>>();
                assert!(matches!(event, Ok(Some(_))), "a box is an event");
            }
            assert!(cells::read(&shown.cells).all(|cell| u32::from(cell.lane) < shown.n_lanes && cell.column < 300));
        }
        assert_eq!(picture.series.iter().map(|shown| shown.id).collect::<Vec<_>>(), series);
        for shown in &picture.series {
            assert_eq!(shown.read().count(), 300);
            let is_in_order = |column: SeriesColumn| column.min.is_nan() || column.min <= column.max;
            assert!(shown.read().all(is_in_order) && shown.top.is_finite(), "{:?}", shown.id);
            let request = TimelineRequest::SeriesRanges { series: vec![shown.id], start: from, end: query.end() };
            let ranges = ask(engine, request).decode::<Vec<SeriesRange>>();
            let Ok([range]) = ranges.as_deref() else { panic!("a series has a range") };
            assert!(range.covered_share <= 1.0 && range.mean.is_none_or(f64::is_finite), "{range:?}");
        }
        let window = EventsQuery { lines: lines.clone(), start: from, end: query.end() };
        ask(engine, TimelineRequest::Events(window));
        let links = FlowsQuery { lines: lines.clone(), start: from, end: query.end() };
        ask(engine, TimelineRequest::Flows(links));
    }
    let filter = TextFilter { text: "a".to_owned(), within: FilterField::Anywhere, ..TextFilter::default() };
    ask(engine, TimelineRequest::Search(SearchQuery { filter, n_columns: 100 }));
    timeline
}

fn ops_and_programs(engine: &mut OpenSession) {
    let query = Query { device: DeviceChoice::All, step: StepChoice::All, ..Query::busiest() };
    let action = TableAction::Rows(PageQuery { count: 6, ..PageQuery::default() });
    let rows = ViewRequest::Table { table: TableQuery::Breakdown(query.clone()), action };
    let Ok(page) = engine.answer(&rows.into()).decode::<TablePage>() else { panic!("the rows have an answer") };
    for row in page.rows {
        let (name, program) = split_row_key(&row.key);
        let op = OpRef::new(name, program);
        let request = RooflineQuery { query: query.clone(), ..RooflineQuery::default() };
        engine.answer(&ViewRequest::Op { query: request, op: op.clone() }.into());
        engine.answer(&ViewRequest::Graph { query: query.clone(), op, open: Vec::new() }.into());
    }
    let export = ViewRequest::ExportRows { rows: ExportQuery::Memory, format: Export::Json };
    for request in [ViewRequest::Memory, ViewRequest::File, export] {
        engine.answer(&request.into());
    }
    for color in [0, 1] {
        let request = MemoryQuery { color, ..MemoryQuery::default() };
        engine.answer(&ViewRequest::MemoryOf(request.clone()).into());
        engine.answer(&ViewRequest::MemoryCurve { query: request, points: Points { from: 0, to: u32::MAX } }.into());
    }
    engine.answer(&ViewRequest::StepStats.into());
}

/// Checks a report at several levels: it must decode to what was encoded, and no time may be lost or added.
fn levels(full: &Report, exact: bool) {
    let time = |report: &Report| total(&report.rows, |row| row.group.total) + total(&report.rest, |rest| rest.total);
    if exact {
        assert_eq!(time(full), u128::from(full.totals.busy.0), "a full report");
    }
    for level in [0, 25, 99] {
        let result = full.cut_to(Level::from_slider(level));
        let written = encode(&result);
        let again = decode(&written).expect("what is written is read");
        assert!(encode(&again) == written, "what is read is written the same");
        let text = encode_link(&result);
        assert!(text.len() > 64_000 || decode_link(&text).is_ok());
        for result in [result.without_sources(), result.anonymise()] {
            let _ = (result.preview(), markdown(&result, None));
        }
        assert_eq!((&result.totals, result.n_rows()), (&full.totals, full.n_rows()));
        if exact {
            assert_eq!(time(&result), time(full), "at level {level}");
            for row in &result.rows {
                let is = |other: &&rooflight::share::OpRow| {
                    (&other.group.key, other.group.program_id) == (&row.group.key, row.group.program_id)
                };
                let expected = full.rows.iter().find(is).expect("a row of the report").group.total;
                let by = u128::from(row.group.total.0.abs_diff(expected.0));
                // Rows are rounded to four digits, and the longest rows take the difference that rounding leaves.
                assert!(by * 20 <= u128::from(expected.0) + 1000, "{} at level {level}: {expected:?}", row.group.key);
            }
        }
    }
}
