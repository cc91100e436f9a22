//! These tests check that many steps and many ops do not make answers large: answers to the page list a bounded number of steps,
//! and a short report of a large capture has the same contents as one that is cut from the whole report.

use crate::common;
use crate::common::bytes;
use crate::common::make::{self, Plane};
use rooflight::analysis::base::StepChoice;
use rooflight::analysis::comm::CommQuery;
use rooflight::analysis::op::OpDetail;
use rooflight::analysis::overview::{MAX_STEPS, Overview, OverviewQuery};
use rooflight::analysis::roofline::RooflineQuery;
use rooflight::analysis::timeline::Timeline;
use rooflight::chart::op::panel;
use rooflight::chart::timeline::sight::step_part;
use rooflight::protocol::{
    CommView, MAX_LISTED_STEPS, OpRef, RooflineHead, SessionInfo, ShareQuery, TimelineRequest, ViewRequest, requests,
};
use rooflight::session::{Input, OpenSession};
use rooflight::share::Level;
use xla_profile::wire::proto::xspace::{XPlane, XSpace};

fn open(planes: Vec<XPlane>) -> (OpenSession, SessionInfo) {
    let source = Box::new(bytes(&XSpace { planes, ..XSpace::default() }));
    let input = Input { name: "a.xplane.pb".to_owned(), source, from_folder: false };
    OpenSession::open(vec![input], &mut |_| {}).unwrap_or_else(|failure| panic!("{failure:?}"))
}

/// Returns a device with steps of 10 ps, of which each fifth one runs a collective and another op.
fn device_with_steps(n_steps: i64) -> XPlane {
    let mut plane = Plane::new("/device:TPU:0");
    let fusion = plane.op("%fusion.1 = f32[8]{0} fusion(%a), kind=kLoop", "fusion.1", &[]);
    let reduce = plane.op("%all-reduce.1 = f32[8]{0} all-reduce(%a), replica_groups={{0,1}}", "all-reduce.1", &[]);
    let step = plane.op("1", "", &[]);
    plane.line("Steps", &(0..n_steps).map(|number| (step, number * 10, 10)).collect::<Vec<_>>());
    let ops = (0..n_steps).step_by(5).flat_map(|number| [(fusion, number * 10, 4), (reduce, number * 10 + 5, 4)]);
    plane.line("XLA Ops", &ops.collect::<Vec<_>>());
    plane.done()
}

#[test]
fn answers_to_the_page_list_a_bounded_number_of_steps() {
    let n_steps = 3 * MAX_LISTED_STEPS;
    let (mut session, info) = open(vec![device_with_steps(n_steps as i64)]);
    let device = &info.devices[0];
    assert_eq!((device.steps.len(), device.n_steps as usize), (MAX_LISTED_STEPS, n_steps));
    assert!(info.notes.iter().any(|note| note.code == "steps_not_listed"), "{:?}", info.notes);

    let stats = common::answer_of(&mut session, requests::StepStats);
    assert_eq!(stats.devices[0].steps.len(), MAX_LISTED_STEPS);
    assert_eq!(stats.devices[0].all.unwrap().n as usize, n_steps, "the statistics are those of all steps");

    let comm: CommView = session.answer(&ViewRequest::Comm(CommQuery::default()).into()).decode().unwrap();
    let roofline: RooflineHead =
        session.answer(&ViewRequest::Roofline(RooflineQuery::default()).into()).decode().unwrap();
    assert_eq!((comm.comm.steps.len(), roofline.steps.len()), (MAX_LISTED_STEPS, MAX_LISTED_STEPS));

    let overview: Option<Overview> =
        session.answer(&ViewRequest::Overview(OverviewQuery::default()).into()).decode().unwrap();
    let overview = overview.unwrap();
    assert_eq!((overview.steps.len(), overview.n_steps as usize), (MAX_STEPS, n_steps));

    let op = ViewRequest::Op { query: RooflineQuery::default(), op: OpRef::new("fusion.1", None) };
    let figures = session.answer(&op.into()).decode::<OpDetail>().unwrap().figures.unwrap();
    assert_eq!((figures.steps.len(), figures.n_steps as usize), (MAX_LISTED_STEPS, n_steps));
    let (steps, words) = panel::steps(&figures).unwrap();
    assert_eq!(words, "0 to 9999; 10,000 of 30,000 shown; each bar is the longest of 20 steps");
    assert_eq!((steps.len(), steps.iter().all(|time| *time == 4)), (500, true), "each fifth step runs the op for 4 ps");

    // The timeline opens on the step that the page shows, or from the first to the last one.
    let mut tracks = |step| {
        let request = ViewRequest::Timeline(TimelineRequest::Tracks { is_aligned: None, step });
        session.answer(&request.into()).decode::<Timeline>().unwrap()
    };
    assert_eq!(tracks(None).groups[0].steps.len(), MAX_LISTED_STEPS + 1);
    let part = |timeline: &Timeline, step| step_part(timeline, Some(0), step);
    assert_eq!(part(&tracks(None), StepChoice::Mean), Some((0, 10 * n_steps as u64)));
    assert_eq!(part(&tracks(Some(20_007)), StepChoice::Number(20_007)), Some((200_070, 200_080)));

    // A capture with few steps lists all of them, without a note.
    let (_, info) = open(vec![device_with_steps(20)]);
    assert_eq!((info.devices[0].steps.len(), info.devices[0].n_steps), (20, 20));
    assert!(info.notes.iter().all(|note| note.code != "steps_not_listed"));
}

/// The windows of steps that follow each other are one window, however many they are.
#[test]
fn the_mean_of_many_steps_is_one_window() {
    let space = XSpace { planes: vec![device_with_steps(5_000)], ..XSpace::default() };
    let opened = common::open("a.xplane.pb", bytes(&space)).unwrap();
    let analysis = rooflight::analysis::base::Analysis::new(&opened.profile);
    let step = &analysis.devices[0].steps[7];
    assert_eq!((step.number, step.window, step.name(&opened.profile, &opened.profile.planes[0])), (7, (70, 80), "1"));
    let windows: xla_profile::intervals::Merged = analysis.devices[0].steps.iter().map(|step| step.window).collect();
    assert_eq!(windows.intervals(), [(0, 50_000)]);
}

/// Returns a capture with more ops, steps and memory than the most detailed report below full detail.
fn large() -> Vec<XPlane> {
    let n_ops = 6_000;
    let mut plane = Plane::new("/device:TPU:0");
    plane.own("device_type_string", make::text("TPU v5e"));
    let step = plane.op("1", "", &[]);
    plane.line("Steps", &(0..1_000).map(|number| (step, number * 600, 600)).collect::<Vec<_>>());
    let mut events = Vec::new();
    for number in 0..n_ops {
        let costs = [("flops", make::int(1_000 + number % 7)), ("bytes_accessed", make::int(100 + number % 11))];
        let (text, stats) = match number % 4 {
            0 => (format!("%copy.{number} = f32[{number}]{{0}} copy(%a)"), &costs[..0]),
            1 => {
                (format!("%all-reduce.{number} = f32[8]{{0}} all-reduce(%a), replica_groups={{{{0,1}}}}"), &costs[..0])
            }
            _ => (format!("%fusion.{number} = f32[8]{{0}} fusion(%a), kind=kLoop"), &costs[..]),
        };
        let op = plane.op(&text, "", stats);
        events.push((op, number * 100, 20 + number % 70));
    }
    plane.line("XLA Ops", &events);
    vec![plane.done()]
}

#[test]
fn a_report_that_is_made_short_equals_one_that_is_cut() {
    let (mut session, info) = open(large());
    for step in [StepChoice::All, StepChoice::Mean] {
        let mut query = ShareQuery { with_sources: true, ..ShareQuery::default() };
        query.roofline.query.device = info.usual_query.device;
        query.roofline.query.step = step;
        query.comm.query = query.roofline.query.clone();
        let full = session.report(&query).unwrap();
        let short = session.report_within(&query, Level::LARGEST_CUT).unwrap();
        assert!(full.rows.len() > 5_000 && short.rows.len() < full.rows.len(), "{}", short.rows.len());
        assert_eq!((full.n_rows(), full.origin.level), (short.n_rows(), 100));
        assert_eq!(short.origin.level, Level::LARGEST_CUT.position, "a report that lacks rows says so");
        assert_eq!(short.steps.devices[0].steps.len(), Level::LARGEST_CUT.steps as usize);
        for level_number in [0, 25, 60, 99] {
            let level = Level::from_slider(level_number);
            let (full, short) = (full.cut_to(level), short.cut_to(level));
            assert_eq!(full.rows, short.rows, "level {level_number}");
            assert_eq!(full, short, "level {level_number}");
        }
        assert_eq!(query.fits(&full), query.fits(&short));
    }
    // A small capture lacks nothing.
    let (mut session, _) = open(vec![device_with_steps(20)]);
    let query = ShareQuery::default();
    let (full, short) = (session.report(&query).unwrap(), session.report_within(&query, Level::LARGEST_CUT).unwrap());
    assert_eq!(full, short);
}

/// The outline of a file ends at the largest number of planes that its reader takes.
#[test]
fn an_outline_of_too_many_planes_is_not_kept() {
    let planes = (0..4).map(|number| XPlane { name: format!("p{number}"), ..XPlane::default() }).collect();
    let file = bytes(&XSpace { planes, ..XSpace::default() });
    let n_planes =
        |most: usize| xla_profile::wire::xspace::outline(&&file[..], most).map(|outline| outline.planes.len());
    assert_eq!((n_planes(4), n_planes(3)), (Some(4), None));
}
