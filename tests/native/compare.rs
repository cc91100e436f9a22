//! These tests compare captures: with themselves, the other way round, with simulated faults whose cost is known, and with real
//! captures of an H100.

use crate::common::{self, make, open};
use crate::compare_groups;
use crate::compare_program::{check_changes, check_no_changes, check_opposite_changes};
use crate::compare_scopes;
use crate::compare_sections::{check_equal, check_opposite, check_sections};
use crate::synth::made;
use rooflight::analysis::compare::matching::Tier;
use rooflight::analysis::compare::{
    CompareOptions, CompareUnit, Comparison, Gate, GateFigure, GateResult, PartDelta, RowDelta, RowSide, TierShare,
    Verdict,
};
use rooflight::analysis::gaps::GapClass;
use rooflight::analysis::ledger::Owner;
use rooflight::analysis::overview::OverviewQuery;
use rooflight::report::compare;
use rooflight::session::compare::{CompareSide, compare_sessions};
use std::path::Path;
use std::process::Command;
use xla_profile::wire::proto::xspace::XSpace;

pub fn side(name: &str, bytes: Vec<u8>) -> CompareSide {
    CompareSide::new(open(name, bytes).unwrap(), &OverviewQuery::default()).expect(name)
}

pub fn sample(name: &str) -> CompareSide {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name);
    side(name, std::fs::read(path).unwrap())
}

pub fn compared(mut a: CompareSide, mut b: CompareSide) -> Comparison {
    let comparison = compare_sessions(&mut a, &mut b, &CompareOptions::default()).unwrap();
    check_sums(&comparison);
    comparison
}

pub fn gpu(name: &str) -> CompareSide {
    sample(&format!("gpu/{name}.graphs.xplane.pb.xz"))
}

/// Every level sums to the one above, and every op is in one row.
pub fn check_sums(comparison: &Comparison) {
    check_sections(comparison);
    check_changes(comparison);
    compare_scopes::check_scopes(comparison);
    compare_groups::check_groups(comparison);
    assert_eq!(comparison.parts.iter().map(|part| part.delta_ps).sum::<i64>(), comparison.delta_ps, "owners");
    let idle = |part: &&PartDelta| matches!(part.owner, Owner::Gap(_));
    let without_idle: i64 = comparison.rows.iter().map(|row| row.delta_ps).sum();
    let idle: i64 = comparison.parts.iter().filter(idle).map(|part| part.delta_ps - children(part)).sum();
    // Rows and idle time are rounded together, so each class of idle time may differ by a picosecond.
    assert!(
        (without_idle + idle - comparison.delta_ps).abs() <= 20,
        "rows: {without_idle} + {idle} for {}",
        comparison.delta_ps
    );
    for part in comparison.parts.iter().filter(|part| !matches!(part.owner, Owner::Gap(_))) {
        assert_eq!(children(part), part.delta_ps, "{:?}", part.owner);
    }
    for row in &comparison.rows {
        let rest = row.work_ps.zip(row.efficiency_ps);
        assert!(rest.is_none_or(|(work, efficiency)| row.count_ps + work + efficiency == row.delta_ps));
        assert_eq!(row.a.is_some() && row.b.is_some(), row.tier.is_some());
    }
    type Sides = (fn(&TierShare) -> f64, fn(&RowDelta) -> Option<&RowSide>);
    let sides: [Sides; 2] = [(|share| share.a, |row| row.a.as_ref()), (|share| share.b, |row| row.b.as_ref())];
    for (share, side) in sides {
        let sum: f64 = comparison.matched.iter().map(share).sum();
        // Without ops that take time, there is nothing to share.
        let has_time = comparison.rows.iter().filter_map(side).any(|side| side.self_ps > 0);
        assert!((sum - 1.0).abs() < 1e-9 || !has_time, "{sum}");
    }
}

pub fn children(part: &PartDelta) -> i64 {
    part.children.iter().map(|(_, delta)| delta).sum()
}

#[test]
fn a_capture_does_not_differ_from_itself() {
    for name in ["sample.xplane.pb.xz", "gpu/xla.graphs.xplane.pb.xz", "gpu/cudnn.kernels.xplane.pb.xz"] {
        let comparison = compared(sample(name), sample(name));
        assert_eq!(
            (comparison.delta_ps, comparison.verdict, comparison.unit),
            (0, Verdict::WithinNoise, CompareUnit::Step),
            "{name}"
        );
        assert!(comparison.parts.iter().all(|part| part.delta_ps == 0 && part.a_ps == part.b_ps), "{name}");
        assert!(comparison.rows.iter().all(|row| row.delta_ps == 0 && row.tier.is_some()), "{name}");
        check_equal(&comparison);
        check_no_changes(&comparison.program_changes);
        assert!(
            comparison.findings.is_empty() && comparison.parity.iter().all(|parity| parity.is_equal != Some(false)),
            "{name}"
        );
        let gate = Gate { on: GateFigure::Period, limit: Some(0.0), rows_over: None };
        assert_eq!(gate.evaluate(&comparison), GateResult::Passed, "{name}");
    }
    for (name, bytes) in common::xspaces() {
        let (Some(mut a), Some(mut b)) = (
            CompareSide::new(open(name, bytes.clone()).unwrap(), &OverviewQuery::default()),
            CompareSide::new(open(name, bytes).unwrap(), &OverviewQuery::default()),
        ) else {
            continue;
        };
        let comparison = compare_sessions(&mut a, &mut b, &CompareOptions::default()).unwrap();
        check_sums(&comparison);
        assert_eq!(comparison.delta_ps, 0, "{name}");
        check_equal(&comparison);
        check_no_changes(&comparison.program_changes);
        assert!(
            matches!(comparison.verdict, Verdict::WithinNoise | Verdict::TooFewSteps),
            "{name}: {:?}",
            comparison.verdict
        );
        assert!(comparison.rows.iter().all(|row| row.tier.is_some()), "{name}");
    }
}

/// `compare A B` is the opposite of `compare B A`, part by part.
#[test]
fn the_other_way_round_everything_has_the_opposite_sign() {
    for (a, b) in [("xla", "again"), ("xla", "batch2"), ("xla", "f32"), ("unrolled", "cudnn")] {
        let (there, back) = (compared(gpu(a), gpu(b)), compared(gpu(b), gpu(a)));
        check_opposite(&there, &back);
        check_opposite_changes(&there, &back);
        assert_eq!((there.delta_ps, there.a_ps, there.b_ps), (-back.delta_ps, back.b_ps, back.a_ps));
        assert_eq!((there.p, there.unit), (back.p, back.unit));
        let parts = |comparison: &Comparison, sign: i64| {
            let mut all: Vec<_> = comparison.parts.iter().map(|part| (part.owner, sign * part.delta_ps)).collect();
            all.sort_unstable();
            all
        };
        assert_eq!(parts(&there, 1), parts(&back, -1), "{a} {b}");
        let key = |a: &Option<RowSide>, b: &Option<RowSide>, delta: i64| {
            let ops = |side: &Option<RowSide>| side.as_ref().map_or(Vec::new(), |side| side.ops.clone());
            (ops(a), ops(b), delta)
        };
        let mut forth: Vec<_> = there.rows.iter().map(|row: &RowDelta| key(&row.a, &row.b, row.delta_ps)).collect();
        let mut turned: Vec<_> = back.rows.iter().map(|row: &RowDelta| key(&row.b, &row.a, -row.delta_ps)).collect();
        forth.sort_unstable();
        turned.sort_unstable();
        let same = forth.iter().zip(&turned).all(|(a, b)| (&a.0, &a.1) == (&b.0, &b.1) && (a.2 - b.2).abs() <= 1);
        assert!(same && forth.len() == turned.len(), "{a} {b}");
    }
}

/// Two sessions of the same program on the same H100 differ by a third of a percent.
#[test]
fn captures_of_an_h100() {
    let again = compared(gpu("xla"), gpu("again"));
    assert_eq!(again.verdict, Verdict::WithinNoise);
    assert!(again.matched.iter().all(|share| share.tier.is_some()), "{:?}", again.matched);
    assert!(compare::text::sentence(&again).starts_with("No difference beyond what captures vary by"));
    // Half the batch: per token, B is slower.
    let batch = compared(gpu("xla"), gpu("batch2"));
    assert_eq!((batch.unit, batch.verdict), (CompareUnit::MillionTokens, Verdict::Regression));
    assert_eq!((batch.a.tokens, batch.b.tokens), (Some(4096), Some(2048)));
    let precision = compared(gpu("xla"), gpu("f32"));
    assert_eq!((precision.unit, precision.verdict), (CompareUnit::Step, Verdict::Regression));
    assert!(precision.findings.iter().any(|finding| finding.is_new && finding.title.contains("f32")));
    let gate = Gate { on: GateFigure::Period, limit: Some(0.03), rows_over: None };
    assert_eq!(
        [&again, &precision].map(|comparison| gate.evaluate(comparison)),
        [GateResult::Passed, GateResult::Failed]
    );
}

pub fn simulated(options: &[&str]) -> (tempfile::TempDir, serde_json::Value) {
    let mut all = vec!["--steps", "8", "--no-trace"];
    all.extend(options);
    made(&all)
}

pub fn opened(folder: &tempfile::TempDir) -> CompareSide {
    side("worker-0.xplane.pb", std::fs::read(folder.path().join("worker-0.xplane.pb")).unwrap())
}

/// The cost of each fault is the difference, and the owner of the fault has it.
#[test]
fn faults_are_the_difference() {
    let (healthy, _) = simulated(&[]);
    let faults: &[(&str, &[Owner])] = &[
        ("straggler", &[Owner::Slower]),
        ("exposed-all-gather", &[Owner::Transfer]),
        ("retiling-copies", &[Owner::Layout]),
        ("idle-gaps", &[Owner::Loop]),
        ("host-bound", &[Owner::Gap(GapClass::Host)]),
        ("host-sync", &[Owner::Gap(GapClass::Sync)]),
        ("late-peers", &[Owner::Gap(GapClass::Barrier)]),
        ("dma-wait", &[Owner::Dma]),
        ("recompute", &[Owner::Excess, Owner::Floor]),
        ("opaque-kernel", &[Owner::Opaque]),
        ("slow-link", &[Owner::Transfer]),
        ("expert-imbalance", &[Owner::Slower]),
        ("f32", &[Owner::Excess, Owner::Floor]),
    ];
    for (fault, owners) in faults {
        let (broken, truth) = simulated(&["--fault", fault]);
        let comparison = compared(opened(&healthy), opened(&broken));
        let injected = truth["faults"][0]["injected_ps_per_step"].as_i64().unwrap();
        assert!(
            (comparison.delta_ps - injected).abs() * 100 <= injected,
            "{fault}: {} for {injected}",
            comparison.delta_ps
        );
        assert_eq!(comparison.verdict, Verdict::Regression, "{fault}");
        let of_owners: i64 =
            comparison.parts.iter().filter(|part| owners.contains(&part.owner)).map(|part| part.delta_ps).sum();
        assert!(of_owners * 10 >= comparison.delta_ps * 9, "{fault}: {of_owners} of {}", comparison.delta_ps);
        let ours =
            comparison.matched.iter().filter(|share| share.tier.is_none()).map(|share| share.a + share.b).sum::<f64>();
        assert!(ours < 0.001, "{fault}: {:?}", comparison.matched);
        let gate = Gate { on: GateFigure::Period, limit: Some(0.01), rows_over: None };
        assert_eq!(gate.evaluate(&comparison), GateResult::Failed, "{fault}");
    }
    // The device on which the steps depend is named.
    let (broken, _) = simulated(&["--fault", "straggler"]);
    assert_eq!(compared(opened(&healthy), opened(&broken)).b.device, "TPU:5");
    // One slow step is no regression.
    let (slow, _) = simulated(&["--fault", "slow-step"]);
    let comparison = compared(opened(&healthy), opened(&slow));
    assert_eq!(comparison.verdict, Verdict::WithinNoise);
    assert_eq!(
        Gate { on: GateFigure::Period, limit: Some(0.03), rows_over: None }.evaluate(&comparison),
        GateResult::Passed
    );
}

/// Another compile of the same program gives other names and numbers, and an edit of the sources other lines.
#[test]
fn the_same_run_of_another_compile_is_the_same() {
    let (plain, _) = simulated(&[]);
    for options in [&["--renumber"][..], &["--edit-lines"], &["--renumber", "--edit-lines"]] {
        let (other, _) = simulated(options);
        let comparison = compared(opened(&plain), opened(&other));
        assert!(comparison.delta_ps.abs() * 10_000 < comparison.a_ps, "{options:?}: {}", comparison.delta_ps);
        let is_sure = |share: &&TierShare| matches!(share.tier, Some(Tier::Exact | Tier::ScopeAndShape));
        let sure: f64 = comparison.matched.iter().filter(is_sure).map(|share| share.a).sum();
        assert!(sure >= 0.995, "{options:?}: {:?}", comparison.matched);
        assert_eq!(comparison.verdict, Verdict::WithinNoise);
    }
}

/// An op that takes longer is the first row, and no other row is slower.
#[test]
fn a_slower_op_is_the_first_row() {
    let (plain, _) = simulated(&[]);
    for op in ["fusion", "all-gather", "copy"] {
        let (other, truth) = simulated(&["--scale", &format!("{op}=1.50")]);
        let comparison = compared(opened(&plain), opened(&other));
        let scale = &truth["scales"][0];
        let injected = scale["injected_ps_per_step"].as_i64().unwrap();
        assert!(
            (comparison.delta_ps - injected).abs() * 100 <= injected,
            "{op}: {} for {injected}",
            comparison.delta_ps
        );
        let ops: Vec<&str> = scale["ops"].as_array().unwrap().iter().filter_map(|name| name.as_str()).collect();
        assert!(ops.contains(&comparison.rows[0].name()), "{op}: {}", comparison.rows[0].name());
        for row in comparison.rows.iter().filter(|row| row.verdict == Verdict::Regression) {
            assert!(ops.contains(&row.name()), "{op}: {}", row.name());
        }
    }
}

/// Captures of the same program that differ by chance are within noise.
#[test]
fn runs_that_differ_by_chance_are_within_noise() {
    let sides: Vec<_> = ["1", "2", "3", "4"].map(|seed| simulated(&["--seed", seed]).0).into();
    for (index, a) in sides.iter().enumerate() {
        for b in &sides[index + 1..] {
            let comparison = compared(opened(a), opened(b));
            assert_eq!(comparison.verdict, Verdict::WithinNoise, "{}", comparison.delta_ps);
            assert!(comparison.rows.iter().all(|row| row.verdict == Verdict::WithinNoise));
        }
    }
}

pub fn run(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_rooflight"))
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("samples"))
        .arg("compare")
        .args(arguments)
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// Every exit code of the gate.
#[test]
fn the_gate_has_exit_codes() {
    let [xla, f32, again] = ["xla", "f32", "again"].map(|name| format!("gpu/{name}.graphs.xplane.pb.xz"));
    assert_eq!(run(&[&xla, &f32]).0, 0, "without a gate");
    assert_eq!(run(&[&xla, &again, "--fail-over", "3%"]).0, 0);
    let (code, text, _) = run(&[&xla, "--fail-over", "3%", "--markdown", "--", &f32]);
    assert_eq!(code, 3);
    assert!(text.starts_with("**B is slower") && text.contains("Failed: median time +8") && text.lines().count() <= 60);
    assert_eq!(run(&[&xla, &f32, "--fail-over", "1.5"]).0, 0, "a limit of 150 %");
    assert_eq!(run(&[&xla, &f32, "--fail-over", "50%", "--on", "peak-hbm"]).0, 3);
    for wrong in [&[&*xla][..], &[&xla, &f32, "--fail-over", "x"], &[&xla, &f32, "--on", "peak-hbm"], &["none", "none"]]
    {
        let (code, text, error) = run(wrong);
        assert!(code == 2 && text.is_empty() && !error.is_empty(), "{wrong:?}: {error}");
    }
    // Rows that are slower.
    let (code, text, _) = run(&[&xla, &f32, "--rows-over", "1%", "--markdown"]);
    assert_eq!(code, 3);
    assert!(
        text.contains("Failed: ") && text.contains(" ops are slower by more than 1.0 % of A (custom-call.22 and"),
        "{text}"
    );
    assert_eq!(run(&[&xla, &f32, "--rows-over", "20%"]).0, 0, "no op is slower by a fifth of a step");
    assert_eq!(run(&[&xla, &f32, "--rows-over", "20%", "--fail-over", "3%"]).0, 3);
    assert_eq!(run(&[&xla, &f32, "--rows-over", "1%", "--fail-over", "1.5"]).0, 3);
    assert_eq!(run(&[&xla, &again, "--rows-over", "0"]).0, 0, "rows within noise do not count");
    let (_, json, _) = run(&[&xla, &f32, "--rows-over", "1%", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let limit = json["a_ps"].as_f64().unwrap() * 0.01;
    let rows = json["rows"].as_array().unwrap().iter();
    let slower = rows.filter(|row| row["verdict"] == "regression" && row["delta_ps"].as_f64().unwrap() > limit);
    let slower: Vec<_> = slower.map(|row| row["name"].clone()).collect();
    assert!(slower.len() > 3 && json["gate"]["slower_rows"].as_array() == Some(&slower), "{}", json["gate"]);
    // The sentences say which figure is the mean and which the median.
    let (_, text, _) = run(&[&xla, &f32, "--fail-over", "3%"]);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("B is slower: mean +") && lines[1].starts_with("Failed: median time +"), "{text}");
    // A file whose end is missing.
    let folder = tempfile::tempdir().unwrap();
    let whole = common::bytes(&common::make::small());
    let path = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (whole, cut) = (path("whole.xplane.pb", &whole), path("cut.xplane.pb", &whole[..whole.len() - 5]));
    let (code, text, _) = run(&[&whole, &whole]);
    assert_eq!(code, 0);
    assert!(text.contains("1 and 1 steps are too few for a test: differences above 1.0 % count."), "{text}");
    assert_eq!(run(&[&whole, &cut]).0, 1);
    assert_eq!(run(&[&whole, &whole, "--fail-over", "3%"]).0, 0);
    // Another chip, and the work in a step is unknown.
    let (code, json, _) = run(&[&whole, &xla, "--fail-over", "3%", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["gate"]["limit"], json["verdict"].as_str()), (&0.03.into(), Some("incomparable")));
    assert_eq!(code, 4);
    let inconclusive = |how: &str| run(&[&whole, &xla, "--fail-over", "3%", "--inconclusive", how]).0;
    assert_eq!((inconclusive("fail"), inconclusive("pass")), (4, 0));
    assert_eq!(run(&[&whole, &xla, "--rows-over", "1%"]).0, 4);
}

/// cuDNN does the attention of B with three kernels of its own. They are new, and B is faster: no row is a regression for that.
/// The other way round, B is slower, and its new ops count.
#[test]
fn new_ops_are_no_regressions() {
    let [xla, cudnn] = ["xla", "cudnn"].map(|name| format!("gpu/{name}.graphs.xplane.pb.xz"));
    let json = |a: &str, b: &str| -> serde_json::Value {
        serde_json::from_str(&run(&[a, b, "--rows-over", "1%", "--json"]).1).unwrap()
    };
    let names = |list: &serde_json::Value| -> Vec<String> {
        list.as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
    };
    let faster = json(&xla, &cudnn);
    assert_eq!((&faster["verdict"], &faster["gate"]["result"]), (&"improvement".into(), &"passed".into()));
    let new = names(&faster["gate"]["new_rows"]);
    assert!(names(&faster["gate"]["slower_rows"]).is_empty());
    assert!(new.len() == 3 && new.iter().all(|name| name.starts_with("dot_product_attention_")), "{new:?}");
    for row in faster["rows"].as_array().unwrap() {
        match (row["a"].is_null(), row["b"].is_null()) {
            (true, false) => assert_eq!(row["verdict"], "new", "{row}"),
            (false, true) => assert_eq!(row["verdict"], "gone", "{row}"),
            _ => assert!(!["new", "gone"].contains(&row["verdict"].as_str().unwrap()), "{row}"),
        }
    }
    let (code, text, _) = run(&[&xla, &cudnn, "--rows-over", "1%"]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains(
        "Passed: 0 ops are slower by more than 1.0 % of A; 3 ops are new and longer than 1.0 % of A (dot_product"
    ));
    assert!(text.contains("which counts only if B is slower."), "{text}");
    let row = text.lines().find(|line| line.starts_with("dot_product_attention_bwd.8 ")).unwrap();
    assert!(row.contains(" new ") && row.contains("only in B") && !row.contains("slower"), "{row}");
    // The whole is slower.
    let (code, text, _) = run(&[&cudnn, &xla, "--rows-over", "1%"]);
    assert!(code == 3 && text.contains(" ops are new and longer than 1.0 % of A (fusion."), "{text}");
    let slower = json(&cudnn, &xla);
    assert_eq!((&slower["verdict"], &slower["gate"]["result"]), (&"regression".into(), &"failed".into()));
    assert!(names(&slower["gate"]["new_rows"]).len() > 3);
}

/// Captures of any content are compared without a panic, and every level sums to the one above.
#[test]
fn generated_captures_are_compared() {
    let mut random = fastrand::Rng::with_seed(27);
    let mut sides: Vec<CompareSide> = Vec::new();
    let mut n_compared = 0;
    for _ in 0..150 {
        let choices: Vec<u8> = (0..random.usize(20..400)).map(|_| random.u8(..)).collect();
        let bytes = common::generated::capture(&choices);
        let side = || CompareSide::new(open("a.xplane.pb", bytes.clone()).ok()?, &OverviewQuery::default());
        let (Some(mut a), Some(mut b)) = (side(), side()) else { continue };
        let same = compare_sessions(&mut a, &mut b, &CompareOptions::default()).unwrap();
        check_sums(&same);
        assert_eq!(same.delta_ps, 0);
        check_equal(&same);
        check_no_changes(&same.program_changes);
        if let Some(before) = sides.last_mut() {
            let comparison = compare_sessions(before, &mut a, &CompareOptions::default()).unwrap();
            check_sums(&comparison);
            compare::text::markdown(
                &comparison,
                Some(&Gate { on: GateFigure::Exposed, limit: Some(0.1), rows_over: None }),
            );
            n_compared += 1;
        }
        sides.push(a);
    }
    assert!(n_compared > 5, "{n_compared}");
}

/// The band of a history is the fence of its differences, as `--series` computes it, whether it is of captures or of reports.
#[test]
fn a_history_gives_the_band() {
    let folder = tempfile::tempdir().unwrap();
    let path = |n: usize, end: &str| folder.path().join(format!("{n}{end}")).display().to_string();
    let run = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_rooflight")).args(arguments).output().unwrap();
        (output.status.code().unwrap(), output.stdout, String::from_utf8_lossy(&output.stderr).into_owned())
    };
    for n in 0..9 {
        let (made, _) = made(&["--steps", "4", "--no-trace", "--devices", "1", "--seed", &n.to_string()]);
        std::fs::copy(made.path().join("worker-0.xplane.pb"), path(n, ".xplane.pb")).unwrap();
        assert_eq!(run(&["report", &path(n, ".xplane.pb"), "--rooflight", &path(n, ".rooflight")]).0, 0);
    }
    let json = |arguments: &[&str]| {
        let (code, text, error) = run(arguments);
        assert_eq!(code, 0, "{error}");
        serde_json::from_slice::<serde_json::Value>(&text).unwrap()
    };
    let [captures, reports] =
        [".xplane.pb", ".rooflight"].map(|end| (0..9).map(|n| path(n, end)).collect::<Vec<String>>());
    let mut arguments = vec!["compare", "--series", "--json"];
    arguments.extend(captures.iter().map(String::as_str));
    let series = json(&arguments);
    let period = &series["series"][0];
    let mut values: Vec<f64> =
        period["values"].as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect();
    values.sort_by(f64::total_cmp);
    let expected = period["fence"].as_f64().unwrap() / values[4];
    assert!(expected > 0.0);
    for history in [&captures, &reports] {
        let mut arguments = vec!["compare", &*captures[0], &*captures[1], "--json", "--history"];
        arguments.extend(history.iter().map(String::as_str));
        let band = json(&arguments)["band"].as_f64().unwrap();
        assert!((band - expected).abs() < 1e-9, "{band} for {expected}");
        // Seven captures are too few.
        let (code, _, error) = run(&arguments[..arguments.len() - 2]);
        assert!(code == 2 && error.contains("at least 8 captures"), "{error}");
    }
}

/// Returns a capture with steps of two programs, of which the first runs seldom and irregularly, as the prefill of a server.
pub fn two_programs(names: [&str; 2], lengths: [i64; 2]) -> Vec<u8> {
    let mut plane = make::Plane::new("/device:TPU:0");
    let [seldom, often] = [0, 1].map(|index| {
        let (name, id) = (names[index], index as i64 + 1);
        let text = format!("%{name}.1 = f32[8]{{0}} copy(f32[8]{{0}} %a)");
        let op = plane.op(&text, name, &[("program_id", make::int(id))]);
        (plane.op(&format!("jit_{name}({id})"), "", &[]), op, lengths[index])
    });
    let (mut modules, mut ops, mut now) = (Vec::new(), Vec::new(), 0);
    for index in 0..32 {
        let (module, op, length) = if [0, 5, 14, 24].contains(&index) { seldom } else { often };
        modules.push((module, now, length));
        ops.push((op, now, length));
        now += length + 1_000_000;
    }
    plane.line("XLA Modules", &modules);
    plane.line("XLA Ops", &ops);
    let space = XSpace { planes: vec![plane.done()], ..XSpace::default() };
    prost::Message::encode_to_vec(&space)
}

/// In B, prefilling takes most of the time. Its steps are not compared with those that decode in A.
#[test]
fn steps_of_one_kind_are_compared() {
    let kinds = |comparison: &Comparison| {
        let kind = comparison.parity.iter().find(|parity| parity.key == "step_kind").expect("the kinds");
        (kind.a.clone().unwrap(), kind.b.clone().unwrap(), kind.is_equal)
    };
    let server = |lengths| side("server.xplane.pb", two_programs(["prefill", "decode"], lengths));
    let a = || server([4_000_000_000, 2_000_000_000]);
    let comparison = compared(a(), server([40_000_000_000, 2_200_000_000]));
    assert_eq!(kinds(&comparison), ("decode".to_owned(), "decode".to_owned(), Some(true)));
    assert_eq!((comparison.delta_ps, comparison.a.n_steps, comparison.b.n_steps), (200_000_000, 27, 27));
    // A session that lacks the kind keeps its own, and the comparison says so.
    let training = two_programs(["evaluate", "train"], [4_000_000_000, 2_000_000_000]);
    let comparison = compared(a(), side("training.xplane.pb", training));
    assert_eq!(kinds(&comparison), ("decode".to_owned(), "jit_train".to_owned(), Some(false)));
    let text = compare::text::differences(&comparison).join("\n");
    assert!(text.contains("Kind of steps: decode in A, jit_train in B."), "{text}");
}
