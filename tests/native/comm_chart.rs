//! These tests compare the drawing of communication on the page (steps, lanes, bandwidth, rows) with the figures of the
//! analysis and with plain sums.

use rooflight::analysis::base::{Analysis, DeviceChoice, Platform, Query, StepChoice};
use rooflight::analysis::comm::{
    Comm, CommQuery, CommRow, LaneQuery, Machine, NamedMesh, StepComm, Topology, TransferFilter,
};
use rooflight::analysis::flags::{Verdict, evaluate_flags};
use rooflight::chart::comm::{bandwidth, figures, flags, key, lanes, steps, text, usual};
use rooflight::chart::plot::scene::{Mark, Scene, Shape};
use rooflight::protocol::CommView;
use rooflight::protocol::url::comm::CommRows;
use rooflight::session;
use rooflight::session::{Input, Programs};
use rooflight::table::format;
use xla_profile::units::Picos;

pub(crate) struct Session {
    profile: xla_profile::profile::Profile,
    analysis: Analysis,
    programs: Programs,
}

/// Opens the sample: eight devices of a real program, with collectives and copies of all kinds.
pub(crate) fn sample() -> Session {
    let packed = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/samples/sample.xplane.pb.xz")).unwrap();
    let input = Input { name: "sample.xplane.pb.xz".to_owned(), source: Box::new(packed), from_folder: false };
    let mut opened = session::open(vec![input], &mut |_| {}).unwrap();
    let analysis = Analysis::new(&opened.profile);
    let programs = Programs::new(std::mem::take(&mut opened.open_files));
    Session { profile: opened.profile, analysis, programs }
}

pub(crate) fn query() -> Query {
    Query { device: DeviceChoice::One(0), step: StepChoice::Number(1), ..Query::busiest() }
}

impl Session {
    pub(crate) fn view(&mut self, query: CommQuery) -> CommView {
        let comm: Comm = session::comm(&self.analysis, &self.profile, &mut self.programs, &query);
        CommView { query, comm, more: (0, Picos::ZERO), more_copies: (0, Picos::ZERO) }
    }
}

#[test]
fn steps_are_the_sums_of_their_parts() {
    let view = sample().view(CommQuery { query: query(), ..CommQuery::default() });
    for comm_rows in [CommRows::Collectives, CommRows::Copies] {
        let bars = steps::bars(&view.comm.steps, comm_rows);
        assert_eq!(bars.len(), 5);
        for (bar, step) in bars.iter().zip(&view.comm.steps) {
            let [alone, overlapped, exposed, moves, other, idle] = bar.parts[..] else { panic!("six parts") };
            assert_eq!(bar.parts.len(), steps::parts(comm_rows, true).len());
            assert_eq!(alone + overlapped + exposed + moves + other + idle, step.duration);
            assert_eq!(alone + overlapped, step.compute_busy);
            // The sample copies between layouts for 19 % of its time. This time is neither other nor idle.
            assert!(moves.as_f64() > 0.15 * step.duration.as_f64() && idle <= step.idle);
            let overlap = if comm_rows == CommRows::Copies { step.copies } else { step.collectives };
            assert_eq!((overlapped, exposed), (overlap.overlapped, overlap.exposed));
        }
    }
    // A report does not split the time beside communication, so the rest is one part.
    let report: Vec<StepComm> = view
        .comm
        .steps
        .iter()
        .map(|step| StepComm { beside_collectives: None, beside_copies: None, ..*step })
        .collect();
    let comm_rows = CommRows::Collectives;
    assert!(steps::is_split(&view.comm.steps, comm_rows) && !steps::is_split(&report, comm_rows));
    for (bar, whole) in steps::bars(&report, comm_rows).iter().zip(steps::bars(&view.comm.steps, comm_rows)) {
        assert_eq!(bar.parts.len(), steps::parts(comm_rows, false).len());
        assert_eq!(bar.parts.last().copied(), Some(whole.parts[3..].iter().copied().sum::<Picos>()));
    }
    assert_eq!(steps::step_index(&view.comm.steps, StepChoice::Number(3), "3"), Some(3));
    assert_eq!(steps::step_index(&view.comm.steps, StepChoice::All, "all"), None);
}

#[test]
fn sentence_and_figures_match_the_analysis() {
    let view = sample().view(CommQuery { query: query(), ..CommQuery::default() });
    let sentence = figures::sentence(&view, CommRows::Collectives);
    let (stall, step) = (view.comm.tensor.stall.as_f64(), view.comm.header.step_duration.unwrap().as_f64());
    let hidden = view.comm.tensor.overlap;
    let share = |a: f64, b: f64| format!("{:.1} %", a / b * 100.0);
    assert_eq!(
        sentence,
        format!(
            "Waits for communication take {} of step 1; {} of the time in flight is hidden behind compute. {} are exposed (no compute \
             beside them), {} more than the core waits: meanwhile it moves data, runs other ops or is idle.",
            share(stall, step),
            share(hidden.overlapped.as_f64(), hidden.in_flight.as_f64()),
            format::time_text(hidden.exposed),
            format::time_text(hidden.exposed.saturating_sub(hidden.waited)),
        )
    );
    let readout = figures::readout(&view, CommRows::Collectives);
    assert_eq!((&*readout.hero.label, readout.hero.scope.as_deref()), ("Communication stall", Some("step 1")));
    let worst = readout.main.iter().find(|figure| figure.label == "Lowest bus bandwidth").unwrap();
    let large = view.comm.rows.iter().filter(|row| row.bytes_each.is_some_and(|bytes| bytes >= 1 << 20));
    let least = large.filter_map(|row| row.bus_rate).fold(f64::INFINITY, f64::min);
    assert_eq!(worst.value, format!("{:.1}", least / 1e9));
    let result = text::balance(&view.comm);
    // The sample is simulated with a straggler.
    assert!(result[0].starts_with("Straggler: TPU:5. "), "{result:?}");
}

#[test]
fn flags_are_shown_with_their_verdicts_and_marks() {
    let view = sample().view(CommQuery { query: query(), ..CommQuery::default() });
    let text = "--xla_gpu_autotune_level=1\n--xla_tpu_enable_ici_ag_pipelining=true\n";
    let report = evaluate_flags(text, Some(Platform::Tpu), &view.comm);
    let lines = flags::lines(&report);
    let gather = lines.iter().find(|line| line.flags[0].contains("loop_variant")).unwrap();
    assert_eq!(gather.verdict, Verdict::ToTry);
    assert_eq!(flags::class(gather.verdict), "caution");
    let stall = view.comm.primitives.iter().find(|sums| sums.primitive.key() == "all-gather").unwrap().traffic.stall;
    assert_eq!(gather.stall, format::time_text(stall));
    let pieces = flags::pieces(text, &report).unwrap();
    let all: String = pieces.iter().map(|(text, _)| text.as_str()).collect();
    assert_eq!(all, format!("{text} "));
    let marked: Vec<&str> = pieces.iter().filter(|(_, verdict)| verdict.is_some()).map(|(text, _)| &**text).collect();
    assert_eq!(marked, ["--xla_gpu_autotune_level=1", "--xla_tpu_enable_ici_ag_pipelining=true"]);
    // Marks of another text are not drawn.
    assert_eq!(flags::pieces("--xla", &report), None);
}

#[test]
fn without_collectives_copies_are_shown() {
    let mut view = sample().view(CommQuery { query: query(), ..CommQuery::default() });
    assert_eq!(usual(&view.comm), CommRows::Collectives);
    view.comm.rows.clear();
    view.comm.tensor = Default::default();
    assert_eq!(usual(&view.comm), CommRows::Copies);
    view.comm.copies = Default::default();
    assert_eq!(usual(&view.comm), CommRows::Collectives);
}

fn named(scene: &Scene) -> Vec<&Mark> {
    scene.marks.iter().filter(|mark| mark.id.is_some()).collect()
}

#[test]
fn lanes_show_every_span_and_fill_its_exposed_part() {
    let mut session = sample();
    for transfers in [TransferFilter::Collectives, TransferFilter::Copies, TransferFilter::All] {
        let request = LaneQuery { query: query(), transfers, ..LaneQuery::default() };
        let result = session::comm_lanes(&session.analysis, &session.profile, &mut session.programs, &request);
        assert_eq!(result.left_out.0, 0);
        let kind = steps::kind(CommRows::Collectives);
        // Few rows fill the chart. Lanes are lower if there are many.
        let n_rows = 2.0 + f64::from(result.n_lanes.max(1));
        let pitch = if result.n_lanes > 7 { 25.0 } else { (198.0_f64 / n_rows).floor().clamp(25.0, 64.0) };
        let row = if result.n_lanes > 7 { 13.0 } else { pitch };
        let lane_y = |lane: u32| 20.0 + 2.0 * pitch + row * f64::from(lane);
        for (from, to) in [(0, result.duration.0), (result.duration.0 / 3, result.duration.0 / 2)] {
            let width = 1000.0;
            let look = lanes::LaneOptions { part: (Picos(from), Picos(to)), kind, chosen: None, width };
            let scene = lanes::scene(&result, &look);
            let (left, right) = (66.0, width - 14.0);
            let x = |time: Picos| (time.as_f64() - from as f64) / (to - from) as f64 * (right - left) + left;
            let seen = |start: Picos, end: Picos| x(end) > left && x(start) < right;
            // Each visible span lies inside a mark of its lane, and no two marks of a lane overlap.
            let marks = named(&scene);
            let boxes: Vec<_> = marks.iter().map(|mark| mark.shape.bounds()).collect();
            for span in result.spans.iter().filter(|span| seen(span.start, span.end)) {
                let y = lane_y(span.lane);
                let (a, b) = (x(span.start).max(left), x(span.end).min(right));
                let holds = boxes
                    .iter()
                    .any(|rect| (rect.y - y).abs() < 1e-6 && rect.x <= a + 1e-6 && rect.x + rect.width + 1e-6 >= b);
                assert!(holds, "{} in lane {}", span.name, span.lane);
            }
            let mut by_lane = boxes.clone();
            by_lane.sort_by(|a, b| (a.y, a.x).partial_cmp(&(b.y, b.x)).unwrap());
            for pair in by_lane.windows(2).filter(|pair| pair[0].y == pair[1].y) {
                assert!(pair[0].x + pair[0].width <= pair[1].x + 1.0 + 1e-6, "{pair:?}");
            }
            assert!(scene.marks.iter().all(|mark| {
                let rect = mark.shape.bounds();
                rect.y >= 0.0 && rect.y + rect.height <= scene.height + 1e-6
            }));
            assert_eq!(scene.table.rows.len(), result.spans.len());
        }
        // For one span at a large scale, the filled part is the exposed part, to a pixel.
        let span = result.spans.iter().find(|span| {
            let length = span.end.0 - span.start.0;
            span.exposed.0 > length / 5 && span.exposed.0 < length * 4 / 5
        });
        if let Some(span) = span {
            let alone = rooflight::analysis::comm::CommLanes { spans: vec![span.clone()], ..result.clone() };
            let look = lanes::LaneOptions { part: (span.start, span.end), kind, chosen: None, width: 5000.0 };
            let scene = lanes::scene(&alone, &look);
            let tone =
                rooflight::chart::plot::paint::Tone::Kind(rooflight::chart::plot::time_part::TimePart::Kind(kind));
            let y = lane_y(span.lane);
            let filled: f64 = scene
                .marks
                .iter()
                .filter(|mark| mark.id.is_none() && mark.paint.fill == Some(tone))
                .map(|mark| mark.shape.bounds())
                .filter(|rect| (rect.y - y).abs() < 1e-6)
                .map(|rect| rect.width)
                .sum();
            let part = filled / (5000.0 - 66.0 - 14.0);
            let exposed = span.exposed.as_f64() / (span.end.0 - span.start.0) as f64;
            assert!((part - exposed).abs() < 0.01, "{part} of {exposed}");
        }
    }
}

#[test]
fn neighbours_below_a_pixel_are_drawn_together_and_none_is_lost() {
    let mut session = sample();
    let request = LaneQuery {
        query: Query { step: StepChoice::All, ..query() },
        transfers: TransferFilter::All,
        max_spans: 20_000,
        ..LaneQuery::default()
    };
    let result = session::comm_lanes(&session.analysis, &session.profile, &mut session.programs, &request);
    assert!(result.spans.len() > 2000);
    let look = lanes::LaneOptions {
        part: (Picos::ZERO, result.duration),
        kind: steps::kind(CommRows::Collectives),
        chosen: None,
        width: 600.0,
    };
    let scene = lanes::scene(&result, &look);
    let marks = named(&scene);
    assert!(marks.len() < result.spans.len());
    let mut shown = 0;
    for mark in &marks {
        let id = mark.id.unwrap();
        let tip = lanes::tip(&result, &scene, id).expect("each says something");
        if (id as usize) < result.spans.len() {
            shown += 1;
            assert_eq!(tip.title, result.spans[id as usize].name);
        } else {
            shown += tip.title.split(' ').next().unwrap().replace(',', "").parse::<usize>().unwrap();
        }
    }
    assert_eq!(shown, result.spans.len());
}

#[test]
fn bandwidth_marks_are_placed_by_size_and_rate() {
    let mut session = sample();
    let topology = Some(Topology { sides: vec![2, 2, 2], wrap: true });
    let mesh = "data=2,model=4".parse::<NamedMesh>().ok();
    let view = session.view(CommQuery {
        query: query(),
        machine: Machine { topology, mesh, ..Machine::default() },
        ..CommQuery::default()
    });
    let comm_rows = CommRows::Collectives;
    let scene = bandwidth::scene(&view.comm.rows, comm_rows, None, (800.0, 260.0));
    let marks = named(&scene);
    let placed =
        |row: &&CommRow| row.bytes_each.is_some_and(|bytes| bytes > 0) && row.bus_rate.is_some_and(|r| r > 0.0);
    let all: u64 = view.comm.rows.iter().filter(placed).map(|row| row.wall.0).sum();
    let matter = |row: &&CommRow| row.wall.0 * 500 >= all;
    assert_eq!(marks.len(), view.comm.rows.iter().filter(placed).filter(matter).count());
    let left = view.comm.rows.len() - marks.len();
    assert!(left > 0 && bandwidth::left_out(&view.comm.rows, comm_rows).unwrap().starts_with(&left.to_string()));
    assert!(marks.len() > 20);
    // A larger message is farther right and a faster one is higher. Both scales are logarithmic and the same for all
    // marks.
    let centre = |mark: &Mark| match &mark.shape {
        Shape::Circle { x, y, .. } => (*x, *y),
        shape => {
            let rect = shape.bounds();
            (rect.x + rect.width / 2.0, rect.y + rect.height / 2.0)
        }
    };
    let of_row = |mark: &Mark| &view.comm.rows[mark.id.unwrap() as usize];
    let discs: Vec<&&Mark> = marks.iter().filter(|mark| matches!(mark.shape, Shape::Circle { .. })).collect();
    let log = |row: &CommRow| ((row.bytes_each.unwrap() as f64).ln(), row.bus_rate.unwrap().ln());
    let (first, last) = (discs[0], discs[discs.len() - 1]);
    for mark in &discs {
        let (x, y) = centre(mark);
        let (size, rate) = log(of_row(mark));
        let line = |a: f64, b: f64, pa: f64, pb: f64, v: f64| pa + (v - a) / (b - a) * (pb - pa);
        let ((fx, fy), (lx, ly)) = (centre(first), centre(last));
        let ((fs, fr), (ls, lr)) = (log(of_row(first)), log(of_row(last)));
        if (ls - fs).abs() > 1e-9 && (lr - fr).abs() > 1e-9 {
            assert!((line(fs, ls, fx, lx, size) - x).abs() < 1e-3);
            assert!((line(fr, lr, fy, ly, rate) - y).abs() < 1e-3);
        }
    }
    // The peak bandwidth of links is drawn once per value.
    let mut peaks: Vec<f64> = view.comm.rows.iter().filter_map(|row| row.peak).collect();
    peaks.sort_by(f64::total_cmp);
    peaks.dedup();
    assert!(!peaks.is_empty());
    let result = |mark: &&Mark| matches!(&mark.shape, Shape::Text { text, .. } if text.starts_with("links along"));
    assert_eq!(scene.marks.iter().filter(result).count(), peaks.len());
    // The given mesh names the axes.
    assert!(view.comm.rows.iter().any(|row| row.group.as_ref().is_some_and(|g| g.axis.as_deref() == Some("model"))));
    assert!(key(&view.comm.rows[0]).starts_with(&view.comm.rows[0].key));
}
