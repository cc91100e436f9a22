//! These tests compare the roofline on the page with plain computations: rows in any order with a brute-force sort, and
//! marks with the places that follow from their figures. Labels must not overlap.

use crate::common::{answer_of, bytes, hlo, profile};
use rooflight::analysis::base::{DeviceChoice, GroupBy, Query, StepChoice};
use rooflight::analysis::roofline::{Level, Precision, RooflinePosition, RooflineQuery};
use rooflight::chart::empty;
use rooflight::chart::plot::popover_position::Rect;
use rooflight::chart::plot::scene::{Scene, Shape};
use rooflight::chart::roofline::{
    Ceilings, ChartOptions, Dots, WorkGroup, brushed, coverage, dots, full_window, initial_window, labels, scene,
    zoomed,
};
use rooflight::protocol::table_query::{ExportQuery, TableAction, TableQuery};
use rooflight::protocol::url::roofline::RoofBy;
use rooflight::protocol::{Export, RoofPoint, RooflineHead, ViewRequest, requests};
use rooflight::session::{Input, OpenSession};
use rooflight::table::format::{self, TimeUnit};
use rooflight::table::page::{Cell, PageQuery, Row, SortBy, TablePage};
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::fs;
use xla_profile::units::Picos;

const SIZE: (f64, f64) = (760.0, 620.0);

/// Opens the sample in the repository, and a real capture if there is one.
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
fn a_missing_roofline_is_explained() {
    let sample = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/samples/sample.xplane.pb.xz")).unwrap();
    let v100 = profile("gpu-v100/host.xplane.pb");
    for (bytes, is_whole) in [(Some(sample), true), (v100, false)] {
        let Some(bytes) = bytes else { continue };
        let input = Input { name: "a.xplane.pb".to_owned(), source: Box::new(bytes), from_folder: false };
        let (mut engine, session) = OpenSession::open(vec![input], &mut |_| {}).unwrap();
        let query = Query { device: session.usual_query.device, ..roofline_query(GroupBy::Op).query };
        let head = head(&mut engine, &RooflineQuery { query, ..RooflineQuery::default() });
        let text = empty::roofline(&session, &head.figures, true);
        assert_eq!(text.is_none(), is_whole);
        if let Some(text) = text {
            let found: Vec<_> = text.needs.iter().map(|need| need.found.as_deref()).collect();
            assert_eq!(found, [Some("125.3 TFLOP/s fp16"), Some("898 GB/s HBM"), None], "{}", text.why);
            assert!(text.needs[2].how.contains("jit_compile") && !text.needs[2].how.contains("jax"));
            // A filter without matches is not a lack of the capture.
            assert_eq!(empty::roofline(&session, &head.figures, false), None);
        }
    }
}

fn roofline_query(by: GroupBy) -> RooflineQuery {
    let query = Query { device: DeviceChoice::One(0), step: StepChoice::All, by, ..Query::busiest() };
    RooflineQuery { query, all_kinds: true, ..RooflineQuery::default() }
}

fn head(engine: &mut OpenSession, query: &RooflineQuery) -> RooflineHead {
    engine.answer(&ViewRequest::Roofline(query.clone()).into()).decode().unwrap()
}

/// Requests rows of the table, as the page does.
fn page(engine: &mut OpenSession, (request, by): (&RooflineQuery, RoofBy), query: PageQuery) -> TablePage {
    let (table, first) = (TableQuery::Roofline(request.clone(), by), query.first);
    let request = ViewRequest::Table { table, action: TableAction::Rows(query) };
    let page: TablePage = engine.answer(&request.into()).decode().unwrap();
    assert_eq!(page.first, first);
    page
}

/// Requests all rows in an order.
fn all_rows(engine: &mut OpenSession, table: (&RooflineQuery, RoofBy), sort: &SortBy) -> TablePage {
    page(engine, table, PageQuery { sort: Some(sort.clone()), count: u32::MAX, ..PageQuery::default() })
}

fn keys(page: &TablePage) -> Vec<&str> {
    page.rows.iter().map(|row| row.key.as_str()).collect()
}

/// Returns the value by which a row is sorted: a number or a text. Columns of rates leave out rows that take next to no
/// time, as the table does.
fn value(point: &RoofPoint, column: &str, whole: Picos) -> Option<(f64, String)> {
    let roof = point.roof.as_ref();
    let rated = roof.filter(|roof| !roof.is_too_short(whole));
    let number = |value: Option<f64>| value.map(|value| (value, String::new()));
    let text = |value: Option<&str>| value.map(|text| (0.0, text.to_owned()));
    match column {
        "recoverable_ps" => number(roof.map(|r| r.recoverable.0 as f64)),
        "cumulative_pct" => number(point.cumulative),
        "total_dur_ps" => number(Some(point.total.0 as f64)),
        "roofline_util" => number(rated.and_then(|r| r.util)),
        "arithmetic_intensity" => number(roof.and_then(|r| r.intensity)),
        "roof" => {
            let skipped = point.skipped.first().map(|skipped| skipped.reason.label());
            text(roof.map(|r| if r.bound.key() == "compute" { "compute" } else { "HBM" }).or(skipped))
        }
        "mfu" => number(rated.and_then(|r| r.mfu)),
        "hbm_util" => number(rated.and_then(RooflinePosition::hbm_util)),
        "flop_rate" => number(rated.and_then(RooflinePosition::flop_rate)),
        "hbm_rate" => number(rated.and_then(|r| r.byte_rate(Level::Hbm))),
        "dtype" => text(roof.and_then(|r| r.dtype.as_deref())),
        "n_executions" => number(Some(point.n.as_f64())),
        "op_group" => text(point.op_group.as_deref()),
        other => panic!("no oracle for the column {other}"),
    }
}

/// Rows with a roof come in the order of their values in every column, and absent values come last. A page of rows is a
/// part of all rows.
#[test]
fn rows_come_in_any_order_and_in_pieces() {
    for mut engine in engines() {
        for by in [GroupBy::Op, GroupBy::Source] {
            let query = roofline_query(by);
            let table = (&query, if by == GroupBy::Op { RoofBy::Op } else { RoofBy::Source });
            let head = head(&mut engine, &query);
            let points: HashMap<String, &RoofPoint> =
                head.points.iter().map(|point| (point.row_key(), point)).collect();
            let columns = page(&mut engine, table, PageQuery::default()).columns;
            assert_eq!(columns.len(), 15);
            let sortable = columns.iter().filter(|column| column.sort.is_some() && column.id != "key");
            for (column, descending) in sortable.flat_map(|column| [(&column.id, false), (&column.id, true)]) {
                let sort = SortBy::new(column, descending);
                let rows = all_rows(&mut engine, table, &sort);
                assert_eq!((rows.rows.len() as u32, &rows.sort), (head.n_rows, &sort));
                let known: Vec<&RoofPoint> = keys(&rows).iter().filter_map(|key| points.get(*key).copied()).collect();
                assert_eq!(known.len(), points.len());
                for pair in known.windows(2) {
                    let [a, b] = [pair[0], pair[1]].map(|point| value(point, column, head.figures.considered));
                    let order = match (&a, &b) {
                        (Some(a), Some(b)) => a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)),
                        (Some(_), None) => Ordering::Less,
                        (None, Some(_)) => panic!("{column}: what is absent comes last"),
                        (None, None) => Ordering::Equal,
                    };
                    let order = if descending && a.is_some() && b.is_some() { order.reverse() } else { order };
                    assert!(order.is_le(), "{column} {descending}: {} before {}", pair[0].key, pair[1].key);
                }
                let few = PageQuery { sort: Some(sort), first: head.n_rows / 2, count: 5, ..PageQuery::default() };
                let few = page(&mut engine, table, few);
                assert_eq!(few.rows, rows.rows[head.n_rows as usize / 2..].iter().take(5).cloned().collect::<Vec<_>>());
                let end = PageQuery { first: head.n_rows, count: 5, ..PageQuery::default() };
                assert!(page(&mut engine, table, end).rows.is_empty());
            }
            // In the order of names, numbers at the ends of names compare by value.
            let named = all_rows(&mut engine, table, &SortBy::new("key", false));
            let names: Vec<&str> = named.rows.iter().map(|row| row.title.as_str()).collect();
            for pair in names.windows(2) {
                let [a, b] = [pair[0], pair[1]].map(|name| {
                    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
                    (stem, name[stem.len()..].parse::<u64>().ok(), name)
                });
                assert!(a <= b, "{} before {}", a.2, b.2);
            }
        }
    }
}

#[test]
fn figures_marks_and_rows_agree() {
    for mut engine in engines() {
        let query = roofline_query(GroupBy::Op);
        let head = head(&mut engine, &query);
        let page = all_rows(&mut engine, (&query, RoofBy::Op), &SortBy::new("recoverable_ps", true));
        // In the order of the gaps, the cumulative share only grows, and ends at 1.
        let rows: HashSet<&str> = keys(&page).into_iter().collect();
        let by_gap = keys(&page);
        let points: HashMap<String, &RoofPoint> = head.points.iter().map(|point| (point.row_key(), point)).collect();
        let shares: Vec<f64> =
            by_gap.iter().filter_map(|key| points.get(*key)).filter_map(|point| point.cumulative).collect();
        assert!(shares.windows(2).all(|pair| pair[0] <= pair[1]));
        assert!(head.more.0 > 0 || shares.last().is_none_or(|last| (last - 1.0).abs() < 1e-9));
        assert!(points.keys().all(|key| rows.contains(key.as_str())));
        // The exact times in the tooltips sum to the figure.
        let own = |row: &Row| {
            let (_, text) = row.tips[0].iter().find(|(label, _)| label == "Self").unwrap();
            text.trim_end_matches(" ps").replace(',', "").parse::<u64>().unwrap()
        };
        assert_eq!(page.rows.iter().map(own).sum::<u64>(), head.figures.considered.0);
        // The totals are those of the figures, in the units of their columns.
        let total = |id: &str| page.totals.iter().find(|(other, _)| other == id).map(|(_, text)| text.as_str());
        let unit = |id: &str| {
            let head = page.columns.iter().find(|column| column.id == id).unwrap();
            TimeUnit::ALL.into_iter().find(|unit| unit.symbol() == head.unit).unwrap()
        };
        let considered = format::time(head.figures.considered, unit("total_dur_ps"));
        assert_eq!(total("total_dur_ps"), Some(&*considered));
        let gap = head.figures.step.as_ref().map(|roof| format::time(roof.recoverable, unit("recoverable_ps")));
        assert_eq!(total("recoverable_ps"), gap.as_deref());
        let parts = coverage::parts(&head.figures);
        assert!((parts.iter().map(|part| part.share).sum::<f64>() - 1.0).abs() < 1e-9, "{parts:?}");
        let found = dots::dots(&head, RoofBy::Op, Level::Hbm);
        assert_eq!(found.n_rows() + found.unplottable.0 as usize, head.points.len());
        for dot in &found.all {
            assert!((dot.x - dot.roof.flops / dot.roof.level_bytes[0]).abs() <= 1e-9 * dot.x);
            assert!((dot.y - dot.roof.flops / (dot.roof.total.0 as f64 / 1e12)).abs() <= 1e-9 * dot.y);
        }
        // Steps come in both orders.
        let mut order = |descending| {
            let page = all_rows(&mut engine, (&query, RoofBy::Step), &SortBy::new("key", descending));
            keys(&page).iter().map(|key| key.parse::<u64>().unwrap()).collect::<Vec<_>>()
        };
        let numbers: Vec<u64> = head.steps.iter().map(|step| step.number).collect();
        assert_eq!(order(false), numbers);
        assert_eq!(order(true), numbers.into_iter().rev().collect::<Vec<_>>());
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
fn the_chart_shows_every_row() {
    for mut engine in engines() {
        let head = head(&mut engine, &roofline_query(GroupBy::Op));
        let dots = dots::dots(&head, RoofBy::Op, Level::Hbm);
        let ceilings = Ceilings::from_figures(&head.figures, &[Precision::Bf16], Level::Hbm);
        let mut look = look(&dots, &ceilings);
        let first = scene(&dots, &ceilings, &look, "TPU:0");
        for (index, a) in texts(&first).iter().enumerate() {
            assert!(texts(&first)[index + 1..].iter().all(|b| !a.overlaps(*b)), "labels lie over each other");
        }
        // Rows beyond the axes are drawn at the edge. Every row is drawn, and none outside of the frame.
        look.pinned = true;
        let pinned = scene(&dots, &ceilings, &look, "TPU:0");
        assert_eq!(pinned.marks.iter().filter(|mark| mark.id.is_some()).count(), dots.all.len());
        for mark in pinned.marks.iter().filter(|mark| mark.id.is_some()) {
            let (cx, cy) = mark.shape.bounds().centre();
            assert!((51.0..=SIZE.0 - 19.0).contains(&cx) && (15.0..=SIZE.1 - 31.0).contains(&cy), "{cx}, {cy}");
        }
        let beyond = labels::hidden_rows_text(&dots, &look).unwrap_or_default();
        let unpinned = ids_of(&first) < dots.all.len();
        assert_eq!(beyond.contains("drawn at the edge"), unpinned, "{beyond}");
        look.pinned = false;
        // In the full window, every mark is drawn, and a brush over the whole chart selects all rows.
        look.window = full_window(&dots, &ceilings);
        let all = scene(&dots, &ceilings, &look, "TPU:0");
        let ids = |scene: &Scene| scene.marks.iter().filter(|mark| mark.id.is_some()).count();
        assert_eq!(ids(&all), dots.all.len());
        let frame = Rect { x: 0.0, y: 0.0, width: SIZE.0, height: SIZE.1 };
        assert_eq!(brushed(&dots, &look, frame).len(), dots.n_rows());
        // A brush selects the rows whose place is inside. The places are computed here independently.
        let (x, y) = (look.window.x, look.window.y);
        let area = Rect { x: 100.0, y: 100.0, width: 300.0, height: 250.0 };
        let taken = brushed(&dots, &look, area);
        let part = |value: f64, (lo, hi): (f64, f64)| (value / lo).log10() / (hi / lo).log10();
        let (left, right, top, bottom) = (52.0, SIZE.0 - 20.0, 24.0, SIZE.1 - 40.0);
        for dot in dots.all.iter().filter(|dot| dot.group.is_some()) {
            let px = left + part(dot.x, x) * (right - left);
            let py = bottom - part(dot.y, y) * (bottom - top);
            let edge = [px - 100.0, px - 400.0, py - 100.0, py - 350.0].iter().any(|by| by.abs() < 0.01);
            let inside = (100.0..=400.0).contains(&px) && (100.0..=350.0).contains(&py);
            assert!(edge || taken.contains(&dot.key) == inside, "{} at {px}, {py}", dot.name);
        }
        // Hidden groups are not drawn, and sums remain.
        look.hidden = WorkGroup::ALL.to_vec();
        assert_eq!(
            ids(&scene(&dots, &ceilings, &look, "TPU:0")),
            dots.all.iter().filter(|dot| dot.group.is_none()).count()
        );
        // In every zoomed window, nothing is drawn outside of the frame.
        look.hidden.clear();
        for pointer in [(100.0, 100.0), (400.0, 300.0), (700.0, 500.0)] {
            look.window = zoomed(full_window(&dots, &ceilings), full_window(&dots, &ceilings), SIZE, pointer, 5.0);
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

/// The labels name the largest gaps and the sum, and not short ops above their roof.
#[test]
fn labels_name_the_largest_gaps_and_the_sum() {
    let mut engine = engines().remove(0);
    let head = head(&mut engine, &roofline_query(GroupBy::Op));
    let mut dots = dots::dots(&head, RoofBy::Op, Level::Hbm);
    let ceilings = Ceilings::from_figures(&head.figures, &[Precision::Bf16], Level::Hbm);
    let short = dots.all.iter().find(|dot| dot.group.is_some()).unwrap().clone();
    for index in 0..4 {
        let mut above = short.clone();
        (above.name, above.key) = (format!("short.{index}"), format!("short.{index}"));
        (above.roof.total, above.roof.t_roof, above.roof.gap) = (Picos(1_000_000), Picos(1_100_000), -100_000);
        (above.roof.recoverable, above.roof.util) = (Picos::ZERO, Some(1.1));
        // Below the other marks, there is room for labels.
        above.y *= f64::from(index + 1) / 100.0;
        assert!(above.roof.is_above());
        dots.all.insert(0, above);
    }
    let mut look = look(&dots, &ceilings);
    let labels = |look: &ChartOptions| -> Vec<String> {
        let text = |shape: Shape| match shape {
            Shape::Text { halo: true, text, .. } => Some(text),
            _ => None,
        };
        scene(&dots, &ceilings, look, "TPU:0").marks.into_iter().filter_map(|mark| text(mark.shape)).collect()
    };
    let shown = labels(&look);
    assert!(shown.iter().all(|label| !label.contains("short.")), "{shown:?}");
    assert!(shown.iter().filter(|label| label.contains(", gap ")).count() >= 3, "{shown:?}");
    let sum = dots.all.iter().find(|dot| dot.group.is_none()).unwrap();
    let util = format::percent_text(sum.roof.util.unwrap());
    assert!(shown.iter().any(|label| label.contains(&util)), "the diamond has a label: {shown:?}");
    // A selected row has a label whatever it is.
    look.selected = vec!["short.2".to_owned()];
    assert!(labels(&look).iter().any(|label| label.contains("short.2")));
}

#[test]
fn exports_have_all_rows_in_the_shown_order() {
    let query = roofline_query(GroupBy::Op);
    for mut engine in engines() {
        let sort = SortBy::new("key", true);
        let page = all_rows(&mut engine, (&query, RoofBy::Op), &sort);
        let names: Vec<String> = page.rows.into_iter().map(|row| row.title).collect();
        let mut export = |format| {
            let rows = ExportQuery::Roofline { query: query.clone(), sort: Some(sort.clone()) };
            answer_of(&mut engine, requests::ExportRows { rows, format })
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
#[ignore = "needs captures of other projects"]
fn without_peaks_nothing_is_drawn_and_the_reason_is_shown() {
    let mut space = hlo::xspace("tpu-v6e-host-offload/host.xplane.pb").unwrap();
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
    assert!(text.title == "No peaks for this device" && text.why.contains("no peaks of this device"), "{}", text.why);
    let found: Vec<_> = text.needs.iter().map(|need| need.found.as_deref()).collect();
    assert_eq!(found, [None, None, Some("100.0 % of op time")]);
}

#[test]
fn bars_of_steps_are_as_long_as_their_times() {
    for mut engine in engines() {
        let head = head(&mut engine, &roofline_query(GroupBy::Op));
        let query = roofline_query(GroupBy::Op);
        let page = page(&mut engine, (&query, RoofBy::Step), PageQuery { count: u32::MAX, ..PageQuery::default() });
        let index = page.columns.iter().position(|column| column.id == "parts").unwrap();
        let most = head.steps.iter().map(|step| step.total).max().unwrap();
        let mut n_bars = 0;
        for row in &page.rows {
            let Cell::Gap(roof, gap, _) = row.cells[index].clone() else { continue };
            let step = head.steps.iter().find(|step| step.number.to_string() == row.key).unwrap();
            let held = step.roof.as_ref().unwrap();
            let share = held.total.fraction_of(most).unwrap();
            assert!((gap - held.recoverable.fraction_of(most).unwrap()).abs() < 1e-9, "the gap has its length");
            let parts = held.t_roof + held.recoverable == held.total;
            assert!(!parts || (roof + gap - share).abs() < 1e-9, "{roof} {gap} {share}");
            n_bars += u32::from(parts);
        }
        assert!(n_bars > 0);
    }
}
