//! These tests check the timeline of a comparison: the steps that it shows, their events against those of the capture, and the
//! picture.

use crate::common;
use crate::compare_reports::{carried, full_report};
use crate::timeline::times;
use rooflight::analysis::base::Analysis;
use rooflight::analysis::compare::{CompareQuery, Comparison, Verdict};
use rooflight::analysis::timeline::PictureQuery;
use rooflight::chart::compare::{self, LEFT};
use rooflight::chart::plot::paint::Tone;
use rooflight::chart::plot::scene::Shape;
use rooflight::chart::timeline::Viewport;
use rooflight::protocol::{CompareTimeline, CompareTimelineQuery, SessionSlot, SideTimeline, ViewRequest};
use rooflight::session::{Input, OpenSession, OpenSessions};
use rooflight::share::pack;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use xla_profile::profile::Profile;
use xla_profile::units::Picos;

fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name)).unwrap()
}

fn sessions(a: (&str, Vec<u8>), b: (&str, Vec<u8>)) -> OpenSessions {
    let mut sessions = OpenSessions::default();
    for (slot, (name, bytes)) in [(SessionSlot::First, a), (SessionSlot::Second, b)] {
        let input = Input { name: name.to_owned(), source: Box::new(bytes), from_folder: false };
        let (session, info) = OpenSession::open(vec![input], &mut |_| {}).unwrap();
        sessions.set(slot, session, info);
    }
    sessions
}

fn captures(a: &str, b: &str) -> OpenSessions {
    sessions((a.rsplit('/').next().unwrap(), bytes(a)), (b.rsplit('/').next().unwrap(), bytes(b)))
}

fn drawn_steps(sessions: &mut OpenSessions, query: &CompareTimelineQuery) -> CompareTimeline {
    sessions.answer(&ViewRequest::CompareTimeline(query.clone()).into()).decode().unwrap()
}

fn compared(sessions: &mut OpenSessions, query: &CompareQuery) -> Comparison {
    sessions.answer(&ViewRequest::Compare(query.clone()).into()).decode().unwrap()
}

/// The name and the times of an event, in ps after the start of its step.
type Event = (String, u64, u64);

/// The events of the lines of a side that are at least three columns wide and in the part, from the capture.
fn expected(name: &str, side: &SideTimeline, query: &PictureQuery) -> BTreeSet<Event> {
    let opened = common::open(name, bytes(name)).unwrap();
    let analysis = Analysis::new(&opened.profile);
    let profile: &Profile = &opened.profile;
    let mut all = BTreeSet::new();
    for line in &query.lines {
        let plane = &profile.planes[line.plane as usize];
        let device = analysis.devices.iter().find(|device| device.plane == line.plane as usize).unwrap();
        let step = device.steps.iter().find(|step| Some(step.number) == side.step).unwrap();
        let (start, end) = step.event_window;
        assert_eq!(end - start, side.length.0, "{name}");
        let step_start = start + device.axis_offset;
        let (from, to) = (step_start + query.start.0, step_start + query.end().0);
        let events = &plane.lines[line.line as usize].events;
        for (event, (start, end)) in times(&opened, &analysis, *line).into_iter().enumerate() {
            if start < to && end > from && end - start >= PictureQuery::BOX_COLUMNS * query.column.0 {
                let name = profile.text(plane.op(events.op(event)).name).to_owned();
                all.insert((name, start.saturating_sub(step_start), (end - step_start).min(side.length.0)));
            }
        }
    }
    all
}

fn drawn(side: &SideTimeline) -> BTreeSet<Event> {
    let boxes = side.picture.lines.iter().flat_map(|line| &line.boxes);
    boxes
        .map(|event_box| (side.picture.names[event_box.name as usize].clone(), event_box.start.0, event_box.end.0))
        .collect()
}

#[test]
fn steps_have_the_events_of_the_captures() {
    for (a, b) in [
        ("gpu/xla.graphs.xplane.pb.xz", "gpu/f32.graphs.xplane.pb.xz"),
        ("gpu/unrolled.kernels.xplane.pb.xz", "gpu/cudnn.kernels.xplane.pb.xz"),
        ("sample.xplane.pb.xz", "sample.xplane.pb.xz"),
    ] {
        let mut sessions = captures(a, b);
        let comparison = compared(&mut sessions, &CompareQuery::default());
        let whole = drawn_steps(&mut sessions, &CompareTimelineQuery { n_columns: 1200, ..Default::default() });
        for (name, side, periods) in
            [(a, &whole.sides[0], &comparison.a.periods_ps), (b, &whole.sides[1], &comparison.b.periods_ps)]
        {
            // The step is the one whose length is nearest to the mean.
            let mean = periods.iter().sum::<u64>() as f64 / periods.len() as f64;
            let distance = |length: u64| (length as f64 - mean).abs();
            let nearest = periods.iter().copied().map(distance).fold(f64::MAX, f64::min);
            assert!((distance(side.length.0) - nearest).abs() < 1.0, "{name}: {:?} of {periods:?}", side.length);
            assert_eq!(drawn(side), expected(name, side, &side.picture.query), "{name}");
            assert!(!drawn(side).is_empty() && side.tracks.len() == side.picture.lines.len(), "{name}");
        }
        assert_eq!(whole.duration, whole.sides[0].length.max(whole.sides[1].length));
        // After the end of the shorter step there is nothing.
        let (shorter, longer) = (whole.sides[0].length.min(whole.sides[1].length), whole.duration);
        if longer.0 > shorter.0 + 1000 {
            let part = Some((Picos(shorter.0 + 100), longer));
            let after =
                drawn_steps(&mut sessions, &CompareTimelineQuery { part, n_columns: 800, ..Default::default() });
            let n = after
                .sides
                .each_ref()
                .map(|side| side.picture.lines.iter().map(|line| line.boxes.len() + line.cells.len()).sum::<usize>());
            assert!(n.contains(&0) && n.iter().any(|n| *n > 0), "{n:?}");
        }
        // A part is drawn more finely, of both sides alike.
        let from = Picos(whole.duration.0 / 3);
        let part = Some((from, Picos(from.0 + whole.duration.0 / 50)));
        let zoomed = drawn_steps(&mut sessions, &CompareTimelineQuery { part, n_columns: 800, ..Default::default() });
        assert_eq!(zoomed.duration, whole.duration);
        for (name, side) in [a, b].into_iter().zip(&zoomed.sides) {
            assert_eq!(side.picture.query.start, from);
            assert_eq!(drawn(side), expected(name, side, &side.picture.query), "{name}");
        }
    }
}

#[test]
fn names_lead_to_their_rows() {
    let mut sessions = captures("gpu/xla.graphs.xplane.pb.xz", "gpu/f32.graphs.xplane.pb.xz");
    let steps = drawn_steps(&mut sessions, &CompareTimelineQuery { n_columns: 4000, ..Default::default() });
    for (is_b, side) in [false, true].into_iter().zip(&steps.sides) {
        let boxes: Vec<_> = side.picture.lines.iter().flat_map(|line| &line.boxes).collect();
        assert_eq!(side.row_of.len(), boxes.len());
        assert!(side.row_of.iter().all(Option::is_some), "every op of the step is in a row");
        let rows = side.row_of.iter().map(|index| &side.rows[index.unwrap() as usize]);
        let of_names: BTreeMap<&str, _> = boxes
            .iter()
            .zip(rows)
            .map(|(event_box, row)| (&*side.picture.names[event_box.name as usize], row))
            .collect();
        for (name, row) in of_names {
            let request = ViewRequest::CompareOps { query: CompareQuery::default(), key: row.key.clone() };
            let ops: rooflight::protocol::ComparedOps = sessions.answer(&request.into()).decode().unwrap();
            let ops = ops.row;
            let own = if is_b { &ops.b } else { &ops.a };
            assert!(own.as_ref().unwrap().ops.iter().any(|op| op == name), "{name}");
            assert_eq!((row.delta_ps, row.verdict), (ops.delta_ps, ops.verdict));
        }
    }
    let swapped = CompareQuery { is_swapped: true, ..CompareQuery::default() };
    let other = drawn_steps(&mut sessions, &CompareTimelineQuery { compare: swapped, part: None, n_columns: 4000 });
    for (side, swapped) in steps.sides.iter().zip(other.sides.iter().rev()) {
        assert_eq!((side.step, side.length, drawn(side)), (swapped.step, swapped.length, drawn(swapped)));
    }
}

#[test]
fn a_report_has_no_events() {
    let report = full_report("xla", bytes("gpu/xla.graphs.xplane.pb.xz")).unwrap();
    let report = pack(&carried(&report, 100, false), &[]);
    let mut sessions = sessions(("a.rooflight", report), ("b.xplane.pb.xz", bytes("gpu/f32.graphs.xplane.pb.xz")));
    let steps = drawn_steps(&mut sessions, &CompareTimelineQuery { n_columns: 800, ..Default::default() });
    assert_eq!(steps.sides[0].absent.as_deref(), Some("This side is a report, which has no events."));
    assert!(steps.sides[1].absent.is_none() && steps.duration == steps.sides[1].length);
    let comparison = compared(&mut sessions, &CompareQuery::default());
    let view = Viewport { start: 0, end: steps.duration.0 };
    let scene = compare::timeline(&comparison, &steps, view, 900.0).unwrap();
    assert!(scene.marks.iter().any(|mark| matches!(&mark.shape, Shape::Text { text, .. } if text.contains("report"))));
}

#[test]
fn the_picture_has_both_steps_on_one_axis() {
    let mut sessions = captures("gpu/xla.graphs.xplane.pb.xz", "gpu/f32.graphs.xplane.pb.xz");
    let comparison = compared(&mut sessions, &CompareQuery::default());
    assert_eq!(comparison.verdict, Verdict::Regression);
    let steps = drawn_steps(&mut sessions, &CompareTimelineQuery { n_columns: 1000, ..Default::default() });
    let view = Viewport { start: 0, end: steps.duration.0 };
    let (width, room) = (1000.0 + LEFT, 1000.0);
    let scene = compare::timeline(&comparison, &steps, view, width).unwrap();
    let n_boxes = |side: usize| steps.sides[side].picture.lines.iter().map(|line| line.boxes.len()).sum::<usize>();
    let with_id = scene.marks.iter().filter(|mark| mark.id.is_some()).count();
    assert_eq!(with_id, n_boxes(0) + n_boxes(1));
    assert_eq!(scene.table.rows.len(), with_id);
    let boxes = steps.sides.iter().flat_map(|side| {
        side.picture.lines.iter().flat_map(|line| &line.boxes).map(move |event_box| (side, event_box))
    });
    for (id, (side, event)) in boxes.enumerate() {
        let mark = scene.marks.iter().find(|mark| mark.id == Some(id as u32)).unwrap();
        let bounds = mark.shape.bounds();
        let x = LEFT + event.start.as_f64() / steps.duration.as_f64() * room;
        assert!((bounds.x - x).abs() < 1.0, "{} for {x}", bounds.x);
        let name = &side.picture.names[event.name as usize];
        assert_eq!(compare::timeline_tip(&comparison, &steps, id as u32).unwrap().title, *name);
        let index = if id < n_boxes(0) { id } else { id - n_boxes(0) };
        let row = &side.rows[side.row_of[index].unwrap() as usize];
        assert_eq!(compare::timeline_row(&steps, id as u32), Some(row.key.clone()));
    }
    // The end of the shorter step is marked, and ops of B that are slower are underlined.
    let ends: Vec<f64> = scene
        .marks
        .iter()
        .filter(|mark| mark.paint.dash && matches!(mark.shape, Shape::Line { .. }))
        .map(|mark| mark.shape.bounds().x)
        .collect();
    let a = LEFT + steps.sides[0].length.as_f64() / steps.duration.as_f64() * room;
    assert!(ends.len() == 2 && (ends[0] - a).abs() < 1.0, "{ends:?} for {a}");
    let underlined = |verdict: Verdict, tone: Tone| {
        let lines = scene.marks.iter().filter(|mark| mark.paint.fill == Some(tone)).count();
        let side = &steps.sides[1];
        let of_verdict = side.row_of.iter().flatten().filter(|index| side.rows[**index as usize].verdict == verdict);
        assert_eq!(lines, of_verdict.count(), "{tone:?}");
        lines
    };
    assert!(underlined(Verdict::Regression, Tone::Worse) > 5 && underlined(Verdict::Improvement, Tone::Better) > 0);
    // Of the same run, nothing is coloured.
    let mut same = captures("gpu/xla.graphs.xplane.pb.xz", "gpu/again.graphs.xplane.pb.xz");
    let comparison = compared(&mut same, &CompareQuery::default());
    let steps = drawn_steps(&mut same, &CompareTimelineQuery { n_columns: 1000, ..Default::default() });
    let scene = compare::timeline(&comparison, &steps, view, width).unwrap();
    assert!(scene.marks.iter().all(|mark| ![Some(Tone::Worse), Some(Tone::Better)].contains(&mark.paint.fill)));
    assert!(compare::timeline(&comparison, &steps, view, 30.0).is_none(), "no room");
}

/// A part that ends after the steps begins earlier, as the page shows it.
#[test]
fn parts_stay_within_the_steps() {
    let mut sessions = captures("gpu/xla.graphs.xplane.pb.xz", "gpu/f32.graphs.xplane.pb.xz");
    let whole = drawn_steps(&mut sessions, &CompareTimelineQuery { n_columns: 500, ..Default::default() });
    let (end, length) = (whole.duration.0, whole.duration.0 / 4);
    for ((from, to), start) in [
        ((end * 2, end * 2 + length), end - length),
        ((end - length / 2, end - length / 2 + length), end - length),
        ((5, u64::MAX), 0),
        ((length, 2 * length), length),
    ] {
        let query = CompareTimelineQuery { part: Some((Picos(from), Picos(to))), n_columns: 500, ..Default::default() };
        let steps = drawn_steps(&mut sessions, &query);
        assert_eq!(Viewport::within(Viewport { start: 0, end }, from, to).start, start);
        assert!(steps.sides.iter().all(|side| side.picture.query.start == Picos(start)), "{from} to {to}");
    }
}
