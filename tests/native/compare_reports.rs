//! These tests compare reports with captures and with each other.

use crate::common;
use crate::compare::{gpu, opened, run, sample, side, simulated};
use crate::compare_sections::{check_equal, check_opposite};
use rooflight::analysis::compare::matching::Tier;
use rooflight::analysis::compare::{
    CompareBy, CompareOptions, CompareUnit, Comparison, Gate, GateFigure, GateResult, RowDelta, RowSide, Verdict,
    groups,
};
use rooflight::analysis::overview::OverviewQuery;
use rooflight::protocol::{SessionInfo, ShareQuery};
use rooflight::report::compare;
use rooflight::session::compare::{CompareSide, compare_sessions};
use rooflight::session::{Input, OpenSession};
use rooflight::share::html::{EmbeddedReport, page};
use rooflight::share::{Level, Report, decode_link, encode_link, pack, unpack};
use std::path::Path;
use xla_profile::units::Picos;

const LEVELS: [u8; 6] = [0, 12, 37, 50, 75, 100];

fn sample_bytes(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name)).unwrap()
}

/// Returns the report that the command line makes of a capture without options.
pub fn full_report(name: &str, bytes: Vec<u8>) -> Option<Report> {
    let input = Input { name: name.to_owned(), source: Box::new(bytes), from_folder: false };
    let (mut session, info): (OpenSession, SessionInfo) = OpenSession::open(vec![input], &mut |_| {}).ok()?;
    let mut query = ShareQuery { level: 100, with_sources: true, ..ShareQuery::default() };
    query.roofline.query.device = info.usual_query.device;
    query.comm.query.device = info.usual_query.device;
    session.report(&query).ok().filter(|report| report.overview.is_some())
}

/// Returns a report at a level as it comes out of a link or a file.
pub fn carried(full: &Report, level: u8, anonymise: bool) -> Report {
    let query = ShareQuery { level, anonymise, with_sources: true, ..ShareQuery::default() };
    let report = query.cut(full);
    if level < 50 { decode_link(&encode_link(&report)).unwrap() } else { unpack(&pack(&report, &[])).unwrap().report }
}

fn report_side(report: &Report) -> CompareSide {
    CompareSide::of_report(report.clone())
}

fn compared(a: &mut CompareSide, b: &mut CompareSide) -> Comparison {
    let comparison = compare_sessions(a, b, &CompareOptions::default()).unwrap();
    // The longest times of generated captures do not fit into a difference.
    let ps = |side: &Option<RowSide>| side.as_ref().map_or(0, |side| side.self_ps);
    let of_rows = comparison.rows.iter().flat_map(|row| [ps(&row.a), ps(&row.b)]);
    let of_parts = comparison.parts.iter().flat_map(|part| [part.a_ps, part.b_ps]);
    let is_short = of_rows.chain(of_parts).chain([comparison.a_ps, comparison.b_ps]).all(|time| time < i64::MAX / 64);
    assert!(!is_short || comparison.parts.iter().map(|part| part.delta_ps).sum::<i64>() == comparison.delta_ps);
    assert!(comparison.parts.iter().all(|part| part.children.is_empty()), "a report holds no owners of ops");
    assert!(
        comparison.program_changes.absent.is_some()
            && comparison.program_changes.changes.is_empty()
            && !comparison.notes.is_empty()
    );
    assert!(
        comparison.rows.iter().all(|row| row.p.is_none() && (row.a.is_some() && row.b.is_some()) == row.tier.is_some())
    );
    for row in &comparison.rows {
        if comparison.unit == CompareUnit::Step && is_short {
            assert_eq!(row.delta_ps, ps(&row.b) - ps(&row.a), "{}", row.name());
        }
    }
    comparison
}

/// Returns the sum of the times of the rows of each side.
fn row_sums(comparison: &Comparison) -> [u64; 2] {
    let sum = |side: fn(&RowDelta) -> Option<&RowSide>| {
        comparison.rows.iter().filter_map(side).map(|side| side.self_ps.unsigned_abs()).sum()
    };
    [sum(|row| row.a.as_ref()), sum(|row| row.b.as_ref())]
}

fn check_identity(name: &str, bytes: &[u8]) -> bool {
    let Some(full) = full_report(name, bytes.to_vec()) else { return false };
    for level in LEVELS {
        for anonymise in [false, true] {
            let report = carried(&full, level, anonymise);
            let name = format!("{name} at {level}, {anonymise}");
            let (mut of_report, mut of_capture) = (report_side(&report), side("capture.xplane.pb", bytes.to_vec()));
            for is_turned in [false, true] {
                let comparison = match is_turned {
                    false => compared(&mut of_report, &mut of_capture),
                    true => compared(&mut of_capture, &mut of_report),
                };
                assert_eq!(comparison.delta_ps, 0, "{name}");
                assert!(matches!(comparison.verdict, Verdict::WithinNoise | Verdict::TooFewSteps), "{name}");
                assert!(comparison.parts.iter().all(|part| part.delta_ps == 0 && part.a_ps == part.b_ps), "{name}");
                check_equal(&comparison);
                assert!(comparison.findings.is_empty(), "{name}: {:?}", comparison.findings);
                assert!(
                    comparison.parity.iter().all(|parity| parity.is_equal != Some(false)),
                    "{name}: {:?}",
                    comparison.parity
                );
                // Pseudonyms of ops match no names.
                if !anonymise {
                    let unequal = comparison.rows.iter().find(|row| row.delta_ps != 0 || row.tier.is_none());
                    assert!(unequal.is_none(), "{name}: {unequal:?}");
                }
                // The oracle is the breakdown of the whole report.
                assert_eq!(row_sums(&comparison), [full.totals.busy.0; 2], "{name}");
            }
        }
    }
    true
}

#[test]
fn a_report_does_not_differ_from_its_capture() {
    let n = common::xspaces().iter().filter(|(name, bytes)| check_identity(name, bytes)).count();
    assert!(n > 2, "{n}");
}

/// The captures of all pairs.
fn captures() -> Vec<(String, Vec<u8>)> {
    let own = ["xla", "f32", "batch2", "cudnn", "unrolled", "loader", "again"];
    let own = own.map(|name| format!("gpu/{name}.graphs.xplane.pb.xz"));
    let mut all: Vec<_> = own.into_iter().map(|name| (name.clone(), sample_bytes(&name))).collect();
    let others = common::xspaces().into_iter().filter(|(name, _)| !name.starts_with("gpu/"));
    all.extend(others.map(|(name, bytes)| (name.to_owned(), bytes)));
    all
}

/// The differences of steps and of owners are those of the captures at every level. Rows sum to the busy times of both sides, and
/// the other way round everything has the opposite sign.
#[test]
fn pairs_of_reports_have_exact_sums() {
    let captures: Vec<(String, Vec<u8>, Report)> = captures()
        .into_iter()
        .filter_map(|(name, bytes)| {
            let report = full_report(&name, bytes.clone())?;
            Some((name, bytes, report))
        })
        .collect();
    assert!(captures.len() >= 8);
    let mut random = fastrand::Rng::with_seed(11);
    let mut n_exact = 0;
    for _ in 0..24 {
        let (a, b) = (random.usize(..captures.len()), random.usize(..captures.len()));
        let level = LEVELS[random.usize(..LEVELS.len())];
        let ((name_a, bytes_a, full_a), (name_b, bytes_b, full_b)) = (&captures[a], &captures[b]);
        let name = format!("{name_a} and {name_b} at {level}");
        let mut report_a = report_side(&carried(full_a, level, false));
        let mut side_b = match random.u8(..2) {
            0 => report_side(&carried(full_b, 100, false)),
            _ => side("b.xplane.pb", bytes_b.clone()),
        };
        let mut there = compared(&mut report_a, &mut side_b);
        let mut back = compared(&mut side_b, &mut report_a);
        // The reasons name the sides.
        assert_eq!(there.comm.absent.take().is_some(), back.comm.absent.take().is_some(), "{name}");
        assert_eq!(row_sums(&there), [full_a.totals.busy.0, full_b.totals.busy.0], "{name}");
        let sum: i64 = there.rows.iter().map(|row| row.delta_ps).sum();
        assert_eq!(sum, full_b.totals.busy.0 as i64 - full_a.totals.busy.0 as i64, "{name}");
        check_opposite(&there, &back);
        assert_eq!((there.delta_ps, there.a_ps, there.b_ps), (-back.delta_ps, back.b_ps, back.a_ps), "{name}");
        let parts = |comparison: &Comparison, sign: i64| {
            let mut all: Vec<_> = comparison.parts.iter().map(|part| (part.owner, sign * part.delta_ps)).collect();
            all.sort_unstable();
            all
        };
        assert_eq!(parts(&there, 1), parts(&back, -1), "{name}");
        let ops = |side: &Option<RowSide>| side.as_ref().map_or(Vec::new(), |side| side.ops.clone());
        let mut forth: Vec<_> =
            there.rows.iter().map(|row| (ops(&row.a), ops(&row.b), row.tier, row.delta_ps)).collect();
        let mut turned: Vec<_> =
            back.rows.iter().map(|row| (ops(&row.b), ops(&row.a), row.tier, -row.delta_ps)).collect();
        forth.sort_unstable();
        turned.sort_unstable();
        assert_eq!(forth, turned, "{name}");
        // The oracle is the comparison of the captures.
        let exact = compare_sessions(
            &mut side("a.xplane.pb", bytes_a.clone()),
            &mut side("b.xplane.pb", bytes_b.clone()),
            &CompareOptions::default(),
        );
        let exact = exact.unwrap();
        if exact.unit == CompareUnit::Step && (&exact.a.device, &exact.b.device) == (&there.a.device, &there.b.device) {
            n_exact += 1;
            assert_eq!((there.delta_ps, there.a_ps, there.b_ps), (exact.delta_ps, exact.a_ps, exact.b_ps), "{name}");
            let waterfall = |comparison: &Comparison| {
                let parts = comparison.parts.iter().map(|part| (part.owner, part.a_ps, part.b_ps, part.delta_ps));
                parts.collect::<Vec<_>>()
            };
            assert_eq!(waterfall(&there), waterfall(&exact), "{name}");
            if level == 100 {
                assert_eq!((&there.a.periods_ps, &there.b.periods_ps), (&exact.a.periods_ps, &exact.b.periods_ps));
                assert_eq!((there.p, there.shift), (exact.p, exact.shift), "{name}");
                let is_comparable = |comparison: &Comparison| comparison.verdict != Verdict::Incomparable;
                assert!(!is_comparable(&exact) || there.verdict == exact.verdict, "{name}");
                assert_eq!(there.memory.program, exact.memory.program, "{name}");
                assert_eq!(there.memory.in_use, exact.memory.in_use, "{name}");
                assert_eq!(there.findings, exact.findings, "{name}");
            }
        }
    }
    assert!(n_exact >= 10, "{n_exact}");
}

/// At full detail, a report finds the op that became slower, although names and numbers differ.
#[test]
fn a_report_finds_the_slower_op_of_another_compile() {
    let (plain, _) = simulated(&[]);
    let bytes = std::fs::read(plain.path().join("worker-0.xplane.pb")).unwrap();
    let report = full_report("plain", bytes).unwrap();
    let (other, _) = simulated(&["--renumber"]);
    let comparison = compared(&mut report_side(&report), &mut opened(&other));
    let sure = comparison
        .matched
        .iter()
        .filter(|share| share.tier == Some(Tier::ScopeAndShape))
        .map(|share| share.a)
        .sum::<f64>();
    assert!(sure >= 0.95, "{:?}", comparison.matched);
    assert_eq!(comparison.verdict, Verdict::WithinNoise);
    let (scaled, truth) = simulated(&["--scale", "fusion=1.50"]);
    let comparison = compared(&mut report_side(&report), &mut opened(&scaled));
    let scale = &truth["scales"][0];
    let injected = scale["injected_ps_per_step"].as_i64().unwrap();
    assert!((comparison.delta_ps - injected).abs() * 100 <= injected, "{} for {injected}", comparison.delta_ps);
    let ops: Vec<&str> = scale["ops"].as_array().unwrap().iter().filter_map(|name| name.as_str()).collect();
    assert!(ops.contains(&comparison.rows[0].name()), "{}", comparison.rows[0].name());
}

/// A report that leaves out steps has no samples, so that the band decides, by the median of the report.
#[test]
fn a_report_without_all_steps_is_judged_by_its_median() {
    let full = full_report("xla", sample_bytes("gpu/xla.graphs.xplane.pb.xz")).unwrap();
    let small = carried(&full, 0, false);
    let gate = Gate { on: GateFigure::Period, limit: Some(0.03), rows_over: None };
    for (other, verdict, result) in
        [("f32", Verdict::Regression, GateResult::Failed), ("again", Verdict::WithinNoise, GateResult::Passed)]
    {
        let comparison = compared(&mut report_side(&small), &mut gpu(other));
        assert!(comparison.a.has_no_samples() && comparison.p.is_none() && comparison.shift.is_none(), "{other}");
        assert_eq!((comparison.verdict, gate.evaluate(&comparison)), (verdict, result), "{other}");
        let text = compare::text::text(&comparison, CompareBy::Op, Some(&gate), 20);
        assert!(text.contains("There is no test, because the report of A leaves out lengths of steps"), "{text}");
        // The oracle is the gate of the captures.
        let exact = compare_sessions(&mut gpu("xla"), &mut gpu(other), &CompareOptions::default()).unwrap();
        let (ours, exact) = (gate.change(&comparison).unwrap(), gate.change(&exact).unwrap());
        assert!((ours - exact).abs() < 1e-8, "{ours} {exact}");
    }
}

/// Each form of a report is a side on the command line, with every form of output and every exit code.
#[test]
fn the_command_line_compares_reports() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let [xla, f32, again] = ["xla", "f32", "again"].map(|name| format!("gpu/{name}.graphs.xplane.pb.xz"));
    let report = |capture: &str, name: &str| {
        let full = full_report(capture, sample_bytes(capture)).unwrap();
        std::fs::write(path(name), pack(&carried(&full, 100, false), &[])).unwrap();
        (path(name), full)
    };
    let ((xla_file, xla_report), (f32_file, _)) = (report(&xla, "xla.rooflight"), report(&f32, "f32.rooflight"));
    // An HTML page, of which only the block with the report counts here.
    let html = path("xla.html");
    let inside = EmbeddedReport {
        name: "a > b.rooflight".to_owned(),
        bytes: std::fs::read(&xla_file).unwrap(),
        place: String::new(),
        base: "https://page.example/".to_owned(),
    };
    std::fs::write(&html, page(b"a page", &inside)).unwrap();
    let link = format!("https://page.example/r/#v=1&report={}", encode_link(&carried(&xla_report, 12, false)));
    for (a, b, code) in [
        (&xla_file, &xla, 0),
        (&xla_file, &again, 0),
        (&xla_file, &f32, 3),
        (&f32, &xla_file, 0),
        (&xla, &f32_file, 3),
        (&xla_file, &f32_file, 3),
        (&html, &xla, 0),
        (&html, &f32, 3),
        (&link, &f32, 3),
        (&link, &again, 0),
        (&f32_file, &link, 0),
    ] {
        let (found, text, error) = run(&[a, "--fail-over", "3%", "--", b]);
        assert_eq!(found, code, "{a} {b}: {text} {error}");
        assert!(text.contains("is a report of the mean of 6 steps"), "{text}");
    }
    let (code, text, _) = run(&[&xla_file, &f32, "--markdown"]);
    assert!(code == 0 && text.starts_with("**B is slower") && text.lines().count() <= 60, "{text}");
    assert!(text.contains("Programs are not compared. A is a report, which holds no HLO."), "{text}");
    let (_, json, _) = run(&[&link, &f32_file, "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((json["a"]["report_level"].as_u64(), json["b"]["report_level"].as_u64()), (Some(12), Some(100)));
    assert!(json["notes"].as_array().unwrap().len() >= 3, "{}", json["notes"]);
    assert!(json["matched_pct"]["left_out"][0].as_f64().unwrap() > 0.0, "{}", json["matched_pct"]);
    assert!(json["memory"]["program"].is_null() && json["memory"]["absent"].is_string());
    // A report of an older version, a link without a report, a damaged link, and a series.
    let old = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/native/links/v1.txt")).unwrap();
    // In a series, reports have the figures of their captures.
    let series = |files: &[&str]| {
        let (code, text, error) = run(&[files, &["--series", "--order", "name", "--json"]].concat());
        assert_eq!(code, 0, "{error}");
        serde_json::from_str::<serde_json::Value>(&text).unwrap()
    };
    // Captures are in the order of their files, and reports in that of their own names.
    let periods = |files: &[&str]| {
        let values = series(files)["series"][0]["values"].clone();
        let mut values: Vec<f64> = serde_json::from_value(values).unwrap();
        values.sort_by(f64::total_cmp);
        values
    };
    assert_eq!(periods(&[&xla, &f32, &again]), periods(&[&xla_file, &f32_file, &again]));
    for (wrong, why) in [
        (&[old.trim(), &*xla][..], "without an overview"),
        (&["https://page.example/r/#v=1", &xla], "It holds no report"),
        (&[&link[..link.len() - 9], &xla], "The link is cut"),
        (&[&xla, old.trim(), "--series"], "without an overview"),
    ] {
        let (code, text, error) = run(wrong);
        assert!(code == 2 && text.is_empty() && error.contains(why), "{wrong:?}: {error}");
    }
}

/// Reports of any content are compared without a panic.
#[test]
fn generated_reports_are_compared() {
    let mut random = fastrand::Rng::with_seed(5);
    let mut last: Option<CompareSide> = None;
    let mut n_compared = 0;
    for _ in 0..150 {
        let choices: Vec<u8> = (0..random.usize(20..400)).map(|_| random.u8(..)).collect();
        let bytes = common::generated::capture(&choices);
        let Some(full) = full_report("a.xplane.pb", bytes.clone()) else { continue };
        let level = random.u8(..=100);
        let mut report = report_side(&full.cut_to(Level::from_slider(level)));
        let opened = common::open("a.xplane.pb", bytes).unwrap();
        let Some(mut capture) = CompareSide::new(opened, &OverviewQuery::default()) else { continue };
        let comparison = compared(&mut report, &mut capture);
        assert_eq!(comparison.delta_ps, 0);
        assert!(comparison.rows.iter().all(|row| row.delta_ps == 0 && row.tier.is_some()));
        assert!(
            CompareBy::ALL.into_iter().all(|by| groups(&comparison.rows, by).iter().all(|group| group.delta_ps == 0))
        );
        if let Some(before) = &mut last {
            let comparison = compared(before, &mut capture);
            compare::text::markdown(
                &comparison,
                Some(&Gate { on: GateFigure::Exposed, limit: Some(0.1), rows_over: None }),
            );
            n_compared += 1;
        }
        last = Some(report);
    }
    assert!(n_compared > 5, "{n_compared}");
    // The largest numbers, as a damaged or a hostile file has them.
    let mut report = full_report("sample", sample_bytes("sample.xplane.pb.xz")).unwrap();
    report.rows.iter_mut().for_each(|row| row.group.total = Picos(u64::MAX));
    let overview = report.overview.as_mut().unwrap();
    overview.ledger.owners.iter_mut().for_each(|(_, time)| *time = Picos(u64::MAX));
    overview.ledger.window = Picos(u64::MAX);
    for (mut a, mut b) in [
        (report_side(&report), sample("sample.xplane.pb.xz")),
        (sample("sample.xplane.pb.xz"), report_side(&report)),
        (report_side(&report), report_side(&report)),
    ] {
        let comparison = compare_sessions(&mut a, &mut b, &CompareOptions::default()).unwrap();
        CompareBy::ALL.into_iter().for_each(|by| _ = compare::text::text(&comparison, by, None, 20));
    }
}
