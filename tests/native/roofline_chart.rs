//! The roofline as the page asks for it and draws it: rows in any order against sorting by brute force, marks where their
//! figures say, labels that cross nothing.

use crate::common::{bytes, hlo, profile};
use rooflight::analysis::base::{DeviceChoice, GroupBy, Query, StepChoice};
use rooflight::analysis::roofline::{Level, Precision, Roof, RooflineQuery};
use rooflight::chart::empty;
use rooflight::chart::plot::popover_position::Rect;
use rooflight::chart::plot::scene::{Scene, Shape};
use rooflight::chart::roofline::{
    Ceilings, ChartOptions, Dots, Form, brushed, coverage, dots, full_window, initial_window, scene, table, words,
    zoomed,
};
use rooflight::chart::widgets::table::Measure;
use rooflight::protocol::url::roofline::RoofBy;
use rooflight::protocol::{
    Export, Question, RoofColumn, RoofPoint, RoofRowsPage, RoofRowsQuery, RoofSort, RooflineHead,
};
use rooflight::session::{Input, OpenSession};
use rooflight::table::page::Cell;
use std::cmp::Ordering;
use std::fs;

const SIZE: (f64, f64) = (760.0, 620.0);

/// The sample of the repository, and a real capture where there is one.
fn engines() -> Vec<OpenSession> {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/sample.xplane.pb.xz");
    let real = profile("tpu-v6e-host-offload/host.xplane.pb");
    let all = [Some(fs::read(sample).unwrap()), real].into_iter().flatten();
    let open = |bytes: Vec<u8>| {
        let input = Input { name: "a.xplane.pb".to_owned(), source: Box::new(bytes), from_folder: false };
        OpenSession::open(vec![input], &mut |_| {}).unwrap().0
    };
    all.map(open).collect()
}

#[test]
fn what_has_a_roofline_lacks_nothing() {
    let sample = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/samples/sample.xplane.pb.xz")).unwrap();
    let v100 = profile("gpu-v100/host.xplane.pb");
    for (bytes, is_whole) in [(Some(sample), true), (v100, false)] {
        let Some(bytes) = bytes else { continue };
        let input = Input { name: "a.xplane.pb".to_owned(), source: Box::new(bytes), from_folder: false };
        let (mut engine, session) = OpenSession::open(vec![input], &mut |_| {}).unwrap();
        let query = Query { device: session.usual_device, ..roofline_query(GroupBy::Op).query };
        let head = head(&mut engine, &RooflineQuery { query, ..RooflineQuery::default() });
        let text = empty::roofline(&session, &head.figures, true);
        assert_eq!(text.is_none(), is_whole);
        if let Some(text) = text {
            let found: Vec<_> = text.needs.iter().map(|need| need.found.as_deref()).collect();
            assert_eq!(found, [Some("125.3 TFLOP/s fp16"), Some("898 GB/s HBM"), None], "{}", text.why);
            assert!(text.needs[2].how.contains("jit_compile") && !text.needs[2].how.contains("jax"));
            // A filter that lets nothing through is no lack of the capture.
            assert_eq!(empty::roofline(&session, &head.figures, false), None);
        }
    }
}

fn roofline_query(by: GroupBy) -> RooflineQuery {
    let query = Query { device: DeviceChoice::One(0), step: StepChoice::All, by, ..Query::default() };
    RooflineQuery { query, all_kinds: true, ..RooflineQuery::default() }
}

fn head(engine: &mut OpenSession, query: &RooflineQuery) -> RooflineHead {
    engine.answer(&Question::Roofline(query.clone()).into()).decode().unwrap()
}

fn page(engine: &mut OpenSession, request: &RooflineQuery, sort: RoofSort, first: u32, count: u32) -> Vec<RoofPoint> {
    let query = RoofRowsQuery { query: request.clone(), sort, first, count };
    let page: RoofRowsPage = engine.answer(&Question::RooflineRows(query).into()).decode().unwrap();
    assert_eq!(page.first, first);
    page.rows
}

/// All rows, a thousand at a time.
fn all_rows(engine: &mut OpenSession, query: &RooflineQuery, sort: RoofSort) -> Vec<RoofPoint> {
    let mut rows = Vec::new();
    loop {
        let more = page(engine, query, sort, rows.len() as u32, 1000);
        if more.is_empty() {
            return rows;
        }
        rows.extend(more);
    }
}

/// What a row is sorted by: a number, or a text.
fn value(point: &RoofPoint, column: RoofColumn) -> Option<(f64, String)> {
    let roof = point.roof.as_ref();
    let number = |value: Option<f64>| value.map(|value| (value, String::new()));
    match column {
        RoofColumn::Name => Some((0.0, point.key.clone())),
        RoofColumn::Gap => number(roof.map(|r| r.recoverable.0 as f64)),
        RoofColumn::Total => number(Some(point.total.0 as f64)),
        RoofColumn::Util => number(roof.and_then(|r| r.util)),
        RoofColumn::Intensity => number(roof.and_then(|r| r.intensity)),
        RoofColumn::Bound => number(roof.map(|r| if r.bound.key() == "compute" { 0.0 } else { 1.0 })),
        RoofColumn::Mfu => number(roof.and_then(|r| r.mfu)),
        RoofColumn::HbmUtil => number(roof.and_then(Roof::hbm_util)),
        RoofColumn::FlopRate => number(roof.and_then(Roof::flop_rate)),
        RoofColumn::ByteRate => number(roof.and_then(|r| r.byte_rate(Level::Hbm))),
        RoofColumn::Dtype => roof.and_then(|r| Some((0.0, r.dtype.clone()?))),
        RoofColumn::Executions => number(Some(point.n as f64)),
        RoofColumn::OpGroup => point.op_group.clone().map(|group| (0.0, group)),
    }
}

#[test]
fn rows_come_in_any_order_and_in_pieces() {
    for mut engine in engines() {
        for by in [GroupBy::Op, GroupBy::Source] {
            let query = roofline_query(by);
            let n = head(&mut engine, &query).n_rows;
            for (column, descending) in RoofColumn::ALL.into_iter().flat_map(|column| [(column, false), (column, true)])
            {
                let sort = RoofSort { column, descending };
                let rows = page(&mut engine, &query, sort, 0, 1000);
                assert_eq!(rows.len() as u32, n.min(1000));
                for pair in rows.windows(2) {
                    let (a, b) = (value(&pair[0], column), value(&pair[1], column));
                    let order = match (&a, &b) {
                        (Some(a), Some(b)) => a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)),
                        (Some(_), None) => Ordering::Less,
                        (None, Some(_)) => panic!("{column:?}: what is absent comes last"),
                        (None, None) => Ordering::Equal,
                    };
                    let order = if descending && a.is_some() && b.is_some() { order.reverse() } else { order };
                    assert!(order.is_le(), "{column:?} {descending}: {} before {}", pair[0].key, pair[1].key);
                    if order.is_eq() {
                        assert!((&pair[0].key, pair[0].program_id) <= (&pair[1].key, pair[1].program_id), "{column:?}");
                    }
                }
                let (middle, few) = (n / 2, page(&mut engine, &query, sort, n / 2, 5));
                assert_eq!(few, rows[middle as usize..].iter().take(5).cloned().collect::<Vec<_>>());
                assert!(page(&mut engine, &query, sort, n, 5).is_empty());
            }
        }
    }
}

#[test]
fn figures_marks_and_rows_tell_the_same() {
    for mut engine in engines() {
        let query = roofline_query(GroupBy::Op);
        let head = head(&mut engine, &query);
        let rows = all_rows(&mut engine, &query, RoofSort::default());
        // By what could be won, the share so far only grows, and ends at all of it.
        let shares: Vec<f64> = rows.iter().filter_map(|row| row.cumulative).collect();
        assert!(shares.windows(2).all(|pair| pair[0] <= pair[1]));
        assert!(shares.last().is_none_or(|last| (last - 1.0).abs() < 1e-9));
        assert_eq!(rows.iter().map(|row| row.total).sum::<rooflight::units::Picos>(), head.figures.considered);
        for point in &head.points {
            assert!(rows.contains(point), "{}", point.key);
        }
        let parts = coverage::parts(&head.figures);
        assert!((parts.iter().map(|part| part.share).sum::<f64>() - 1.0).abs() < 1e-9, "{parts:?}");
        let found = dots::dots(&head, RoofBy::Op, Level::Hbm);
        let held = rows.iter().filter(|row| row.roof.is_some()).count();
        assert_eq!(found.n_rows() + found.nowhere.0 as usize + found.more.0 as usize, held);
        for dot in &found.all {
            assert!((dot.x - dot.roof.flops / dot.roof.level_bytes[0]).abs() <= 1e-9 * dot.x);
            assert!((dot.y - dot.roof.flops / (dot.roof.total.0 as f64 / 1e12)).abs() <= 1e-9 * dot.y);
        }
        // Steps loaded, in any order.
        let order = |column, descending| {
            let sort = RoofSort { column, descending };
            table::steps(&head.steps, sort).iter().map(|row| row.key.parse::<u64>().unwrap()).collect::<Vec<_>>()
        };
        let numbers: Vec<u64> = head.steps.iter().map(|step| step.number).collect();
        assert_eq!(order(RoofColumn::Name, false), numbers);
        assert_eq!(order(RoofColumn::Name, true), numbers.into_iter().rev().collect::<Vec<_>>());
    }
}

fn look(dots: &Dots, ceilings: &Ceilings) -> ChartOptions {
    let window = initial_window(dots, ceilings);
    ChartOptions { window, level: Level::Hbm, hidden: Vec::new(), selected: Vec::new(), size: SIZE, pinned: false }
}

fn ids_of(scene: &Scene) -> usize {
    scene.marks.iter().filter(|mark| mark.id.is_some()).count()
}

fn texts(scene: &Scene) -> Vec<Rect> {
    let text = |shape: &Shape| matches!(shape, Shape::Text { halo: true, .. });
    scene.marks.iter().filter(|mark| text(&mark.shape)).map(|mark| mark.shape.bounds()).collect()
}

#[test]
fn the_chart_shows_what_is_there() {
    for mut engine in engines() {
        let head = head(&mut engine, &roofline_query(GroupBy::Op));
        let dots = dots::dots(&head, RoofBy::Op, Level::Hbm);
        let ceilings = Ceilings::from_figures(&head.figures, &[Precision::Bf16], Level::Hbm);
        let mut look = look(&dots, &ceilings);
        let first = scene(&dots, &ceilings, &look, "TPU:0");
        for (at, a) in texts(&first).iter().enumerate() {
            assert!(texts(&first)[at + 1..].iter().all(|b| !a.overlaps(*b)), "labels lie over each other");
        }
        // Rows beyond the axes are drawn at their edge: every row is there, and none outside of the frame.
        look.pinned = true;
        let pinned = scene(&dots, &ceilings, &look, "TPU:0");
        assert_eq!(pinned.marks.iter().filter(|mark| mark.id.is_some()).count(), dots.all.len());
        for mark in pinned.marks.iter().filter(|mark| mark.id.is_some()) {
            let (cx, cy) = mark.shape.bounds().centre();
            assert!((51.0..=SIZE.0 - 19.0).contains(&cx) && (15.0..=SIZE.1 - 31.0).contains(&cy), "{cx}, {cy}");
        }
        let beyond = words::elsewhere(&dots, &look).unwrap_or_default();
        let unpinned = ids_of(&first) < dots.all.len();
        assert_eq!(beyond.contains("drawn at the edge"), unpinned, "{beyond}");
        look.pinned = false;
        // All of it: every mark is there, and a brush over all takes all rows.
        look.window = full_window(&dots, &ceilings);
        let all = scene(&dots, &ceilings, &look, "TPU:0");
        let ids = |scene: &Scene| scene.marks.iter().filter(|mark| mark.id.is_some()).count();
        assert_eq!(ids(&all), dots.all.len());
        let frame = Rect { x: 0.0, y: 0.0, width: SIZE.0, height: SIZE.1 };
        assert_eq!(brushed(&dots, &look, frame).len(), dots.n_rows());
        // A brush takes those whose place is within, by arithmetic of its own.
        let (x, y) = (look.window.x, look.window.y);
        let area = Rect { x: 100.0, y: 100.0, width: 300.0, height: 250.0 };
        let taken = brushed(&dots, &look, area);
        let part = |value: f64, (lo, hi): (f64, f64)| (value / lo).log10() / (hi / lo).log10();
        let (left, right, top, bottom) = (52.0, SIZE.0 - 20.0, 24.0, SIZE.1 - 40.0);
        for dot in dots.all.iter().filter(|dot| dot.form.is_some()) {
            let px = left + part(dot.x, x) * (right - left);
            let py = bottom - part(dot.y, y) * (bottom - top);
            let edge = [px - 100.0, px - 400.0, py - 100.0, py - 350.0].iter().any(|by| by.abs() < 0.01);
            let inside = (100.0..=400.0).contains(&px) && (100.0..=350.0).contains(&py);
            assert!(edge || taken.contains(&dot.key) == inside, "{} at {px}, {py}", dot.name);
        }
        // Forms that are left out are gone, sums stay.
        look.hidden = Form::ALL.to_vec();
        assert_eq!(
            ids(&scene(&dots, &ceilings, &look, "TPU:0")),
            dots.all.iter().filter(|dot| dot.form.is_none()).count()
        );
        // Zoomed anywhere, nothing is drawn beyond the frame.
        look.hidden.clear();
        for at in [(100.0, 100.0), (400.0, 300.0), (700.0, 500.0)] {
            look.window = zoomed(full_window(&dots, &ceilings), full_window(&dots, &ceilings), SIZE, at, 5.0);
            let near = scene(&dots, &ceilings, &look, "TPU:0");
            for mark in near.marks.iter().filter(|mark| mark.id.is_some()) {
                let (cx, cy) = mark.shape.bounds().centre();
                assert!(cx >= left - 1.0 && cx <= right + 1.0 && cy >= top - 9.0 && cy <= bottom + 9.0, "{cx}, {cy}");
            }
        }
        assert_eq!(all.table.rows.len(), dots.all.len());
        assert!(all.table.rows.iter().all(|row| row.len() == all.table.heads.len()));
    }
}

#[test]
fn files_have_all_rows_in_the_order_shown() {
    let query = roofline_query(GroupBy::Op);
    for mut engine in engines() {
        let sort = RoofSort { column: RoofColumn::Name, descending: true };
        let names: Vec<String> = all_rows(&mut engine, &query, sort).into_iter().map(|row| row.key).collect();
        let mut export = |format| {
            let question = Question::ExportRoofline { query: query.clone(), sort, format };
            match engine.answer(&question.into()) {
                rooflight::protocol::Reply::Exported(text) => text,
                other => panic!("{other:?}"),
            }
        };
        let csv = export(Export::Csv);
        let first = |line: &str| line.split(',').next().unwrap_or_default().to_owned();
        assert!(csv.lines().skip(1).map(first).take(names.len()).eq(names.iter().cloned()), "another order");
        let json: serde_json::Value = serde_json::from_str(&export(Export::Json)).unwrap();
        let keys = json["groups"].as_array().unwrap().iter().map(|row| row["key"].as_str().unwrap().to_owned());
        assert!(keys.eq(names), "another order");
    }
}

#[test]
fn without_peaks_nothing_is_drawn_and_the_bar_says_why() {
    let Some(mut space) = hlo::xspace("tpu-v6e-host-offload/host.xplane.pb") else { return };
    for plane in &mut space.planes {
        plane.stats.clear();
    }
    let input = Input { name: "a.xplane.pb".to_owned(), source: Box::new(bytes(&space)), from_folder: false };
    let (mut engine, session) = OpenSession::open(vec![input], &mut |_| {}).unwrap();
    let head = head(&mut engine, &roofline_query(GroupBy::Op));
    let dots = dots::dots(&head, RoofBy::Op, Level::Hbm);
    assert!(dots.all.is_empty());
    let ceilings = Ceilings::from_figures(&head.figures, &[], Level::Hbm);
    assert_eq!(ceilings, Ceilings::default());
    let look = look(&dots, &ceilings);
    assert!(scene(&dots, &ceilings, &look, "TPU:0").title.contains("no known roof"));
    let parts = coverage::parts(&head.figures);
    assert!(parts.iter().all(|part| part.reason.is_some()) && !parts.is_empty());
    let text = empty::roofline(&session, &head.figures, true).unwrap();
    assert!(text.title == "No peaks for this device" && text.why.contains("how fast this device is"), "{}", text.why);
    let found: Vec<_> = text.needs.iter().map(|need| need.found.as_deref()).collect();
    assert_eq!(found, [None, None, Some("100.0 % of op time")]);
}

#[test]
fn bars_of_steps_are_as_long_as_their_times() {
    for mut engine in engines() {
        let head = head(&mut engine, &roofline_query(GroupBy::Op));
        let units = table::Units::of_steps(&head.steps);
        let look = table::TableOptions { by: RoofBy::Step, units, room: 20, two_lines: false };
        let columns: Vec<_> = table::columns(RoofBy::Step, units, false, Measure { width: 1400.0, ..Measure::START });
        let at = columns.iter().position(|column| column.id == "bar").unwrap();
        let most = head.steps.iter().map(|step| step.total).max().unwrap();
        let mut n_bars = 0;
        for point in table::steps(&head.steps, RoofSort::default()) {
            let Cell::Gap(roof, gap, _) = table::row((&point, &[]), &columns, look, false).cells[at].clone() else {
                continue;
            };
            let held = point.roof.unwrap();
            let share = held.total.fraction_of(most).unwrap();
            assert!((gap - held.recoverable.fraction_of(most).unwrap()).abs() < 1e-9, "the gap has its length");
            let parts = held.t_roof + held.recoverable == held.total;
            assert!(!parts || (roof + gap - share).abs() < 1e-9, "{roof} {gap} {share}");
            n_bars += u32::from(parts);
        }
        assert!(n_bars > 0);
    }
}
