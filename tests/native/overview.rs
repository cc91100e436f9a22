//! These tests check the overview: that findings never claim time twice, that a healthy run has none, that each fault of
//! a simulated run is found with the time that it costs, and what real captures say.

use crate::common::{self, open};
use crate::synth::{files, made};
use rooflight::analysis::base::Analysis;
use rooflight::analysis::classify::Kind;
use rooflight::analysis::ledger::{LedgerQuery, Owner};
use rooflight::analysis::overview::{
    DeviceShare, FigureId, Finding, N_COLUMNS, Overview, OverviewQuery, Picture, RuleId,
};
use rooflight::chart::overview::{self, Drawing, Mark};
use rooflight::session::{self, Input, Opened, Programs};
use serde_json::Value;
use std::borrow::Cow;
use xla_profile::units::Picos;

fn overview_of(mut opened: Opened, query: &OverviewQuery) -> Option<Overview> {
    let analysis = Analysis::new(&opened.profile);
    let mut programs = Programs::new(std::mem::take(&mut opened.open_files));
    let files = analysis.file_view(&opened.profile, &opened.files, opened.partial.is_some());
    session::overview(&analysis, &opened.profile, &mut programs, &files, query)
}

/// The overview of a simulated run of 12 steps, and the expected figures.
fn simulated(options: &[&str]) -> (Overview, Value) {
    let (folder, truth) = made(&[&["--steps", "12", "--no-trace"], options].concat());
    let bytes = files(folder.path()).remove("worker-0.xplane.pb").unwrap();
    let overview = overview_of(open("worker-0.xplane.pb", bytes).unwrap(), &OverviewQuery::default());
    (overview.unwrap(), truth)
}

fn share(overview: &Overview, time: Picos) -> f64 {
    time.fraction_of(overview.period).unwrap()
}

fn ids(findings: &[Finding]) -> Vec<Cow<'static, str>> {
    findings.iter().map(|finding| finding.id.key()).collect()
}

/// Checks what holds for every overview.
fn check(name: &str, overview: &Overview) {
    let recoverable: Picos = overview.findings.iter().map(|finding| finding.recoverable).sum();
    assert_eq!(recoverable, overview.recoverable, "{name}");
    // Each time of a step is rounded by itself.
    let slack = Picos(40);
    assert!(recoverable <= overview.period + slack, "{name}: {recoverable} of {}", overview.period);
    let claimed: Picos = overview.findings.iter().map(|finding| finding.claimed).sum();
    assert!(claimed <= overview.period + slack, "{name}: {claimed} of {}", overview.period);
    let owners: Picos = overview.ledger.owners.iter().map(|(_, time)| *time).sum();
    assert_eq!(owners, overview.ledger.window, "{name}");
    let kinds: Picos = overview.kinds.iter().map(|kind| kind.total).sum();
    assert!(kinds.0.abs_diff(overview.period.0) <= slack.0, "{name}: {kinds} of {}", overview.period);
    let moved = overview.kinds.iter().find(|kind| kind.kind == Some(Kind::DataMovement)).map(|kind| kind.total);
    let owned = overview.ledger.per_step(overview.ledger.time(Owner::Layout) + overview.ledger.time(Owner::Dma));
    // The copies and layout changes of a straggler may belong to its slowness.
    let slower = overview.ledger.per_step(overview.ledger.time(Owner::Slower));
    let moved = moved.unwrap_or_default();
    assert!(moved + slack >= owned && moved <= owned + slower + slack, "{name}: {owned} of {moved}");
    for kind in &overview.kinds {
        let parts = kind.needed + kind.lost + kind.not_judged;
        assert!(parts.0.abs_diff(kind.total.0) <= 2, "{name}");
    }
    // What could at most be gained contradicts no finding.
    let gain = overview.gain();
    assert!(recoverable <= gain.most + slack, "{name}: {recoverable} of {}", gain.most);
    assert!((gain.needed + gain.most + gain.not_judged).0.abs_diff(overview.period.0) <= slack.0, "{name}");
    for finding in &overview.findings {
        match finding.rule() {
            RuleId::AsyncCalls => assert!(finding.at_stake <= gain.most + slack, "{name}: {}", finding.at_stake),
            RuleId::NoRequests => assert!(finding.at_stake <= gain.requests + slack, "{name}: {}", finding.at_stake),
            _ => {}
        }
        assert!(finding.recoverable <= finding.claimed, "{name}: {}", finding.id);
        assert!(finding.claimed <= finding.at_stake + slack, "{name}: {}", finding.id);
    }
    // Every rule is in one of the three lists.
    let all = overview.findings.iter().chain(&overview.options).chain(&overview.memory).chain(&overview.quality);
    let mut rules: Vec<&str> = all.map(|finding| finding.rule().key()).collect();
    rules.extend(overview.checked.iter().map(|rule| rule.id.key()));
    rules.extend(overview.skipped.iter().map(|rule| rule.id.key()));
    rules.sort();
    rules.dedup();
    assert_eq!(rules.len(), RuleId::ALL.len(), "{name}: {rules:?}");
    let docs = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/OVERVIEW.md")).unwrap();
    let in_families = ["exposed_collective", "expanded_loop"];
    for rule in rules.iter().filter(|rule| !in_families.contains(rule)) {
        assert!(docs.contains(&format!("| `{rule}` |")), "docs/OVERVIEW.md lacks {rule}");
    }
}

#[test]
fn findings_never_claim_time_twice() {
    let query = OverviewQuery::default();
    for (name, capture) in common::xspaces() {
        let overview = overview_of(open("host.xplane.pb", capture).unwrap(), &query);
        check(name, &overview.unwrap_or_else(|| panic!("{name} has no overview")));
    }
    if let Some(capture) = common::profile("tpu-vllm-trace/vllm.trace.json.gz") {
        check("vLLM", &overview_of(open("vllm.trace.json.gz", capture).unwrap(), &query).unwrap());
    }
}

#[test]
fn a_healthy_run_has_no_finding_of_2_percent() {
    let (overview, _) = simulated(&["--healthy"]);
    check("healthy", &overview);
    for finding in &overview.findings {
        assert!(finding.share < 0.02, "{}: {}", finding.id, finding.share);
    }
    assert_eq!((ids(&overview.quality), ids(&overview.memory)), (vec![], vec![]));
    assert!(overview.verdict.starts_with("No finding is worth 2.0 % of a step."), "{}", overview.verdict);
}

/// The time of a finding in ps per step: what can be recovered, or what is at stake if that is unknown.
fn cost(finding: &Finding) -> f64 {
    if finding.recoverable > Picos::ZERO { finding.recoverable.as_f64() } else { finding.at_stake.as_f64() }
}

/// Runs `check` for each case, on two threads.
fn for_each_case<T: Sync>(cases: &[T], check: impl Fn(&T) + Sync) {
    std::thread::scope(|scope| {
        for part in cases.chunks(cases.len().div_ceil(2)) {
            let check = &check;
            scope.spawn(move || part.iter().for_each(check));
        }
    });
}

/// In a run that is healthy otherwise, a fault is the first finding, with the time that it costs.
#[test]
fn one_fault_is_the_first_finding_with_the_time_that_it_costs() {
    // The fault, its finding, and the largest relative error of the time.
    let cases = [
        ("straggler", "straggler", 0.05),
        ("idle-gaps", "loop_gaps", 0.01),
        ("host-bound", "host_dispatch", 0.01),
        ("recompile", "recompile", 0.01),
        ("slow-step", "slow_steps", 0.01),
        ("host-sync", "host_sync", 0.03),
        ("slow-host", "input_bound", 0.05),
        ("late-peers", "late_peers", 0.01),
        ("small-collectives", "small_collectives", 0.05),
        ("expert-imbalance", "expert_imbalance", 0.01),
        ("throttle", "throttled", 0.02),
    ];
    for_each_case(&cases, |(fault, id, error)| {
        let (overview, truth) = simulated(&["--healthy", "--fault", fault]);
        check(fault, &overview);
        let injected = truth["faults"][0]["injected_ps_per_step"].as_f64().unwrap();
        let first = &overview.findings[0];
        assert_eq!(first.id.key(), *id, "{fault}: {:?}", ids(&overview.findings));
        let found = cost(first);
        assert!((found / injected - 1.0).abs() < *error, "{fault}: {found} of {injected}");
        assert!(overview.verdict.contains(&first.title), "{}", overview.verdict);
    });
}

/// These faults cost nothing that a roofline could tell, or almost nothing if the run is healthy otherwise. The finding
/// rises by the time that the fault costs.
#[test]
fn a_finding_rises_by_the_time_that_its_fault_costs() {
    let before = simulated(&[]).0;
    // The fault, its findings, and the least and the largest share of its time by which these rise. Copies that feed only
    // dots, and the collectives of each primitive, are findings of their own.
    let collectives = ["exposed_all_reduce", "exposed_all_gather", "exposed_all_to_all", "exposed_reduce_scatter"];
    let cases: [(&str, &[&str], [f64; 2]); 7] = [
        ("exposed-all-gather", &["exposed_all_gather"], [0.95, 1.05]),
        ("retiling-copies", &["layout_copies", "copy_before_dot"], [0.95, 1.05]),
        ("dma-wait", &["dma_wait"], [0.95, 1.05]),
        ("slow-link", &collectives, [0.95, 1.05]),
        ("recompute", &["recompute"], [0.95, 1.05]),
        // The rest are copies of less than 9 µs, which belong to the finding about copies.
        ("tiny-ops", &["tiny_ops"], [0.65, 1.05]),
        // The finding is about all time of these matmuls, of which the fault is a half.
        ("f32", &["f32_matmul"], [0.95, 2.0]),
    ];
    for_each_case(&cases, |(fault, ids_of_fault, [least, most])| {
        let (after, truth) = simulated(&["--fault", fault]);
        check(fault, &after);
        let injected = truth["faults"][0]["injected_ps_per_step"].as_f64().unwrap();
        let time = |overview: &Overview| {
            let all = overview.findings.iter().chain(&overview.options);
            let own = all.filter(|finding| ids_of_fault.contains(&&*finding.id.key()));
            own.map(|finding| finding.at_stake.as_f64()).sum::<f64>()
        };
        let rise = time(&after) - time(&before);
        let is_near = rise > least * injected && rise < most * injected;
        assert!(is_near, "{fault}: {rise} of {injected}: {:?}", ids(&after.findings));
    });
    let (overview, truth) = simulated(&["--fault", "opaque-kernel", "--healthy"]);
    let kernel = &overview.findings[0];
    assert_eq!((kernel.rule(), kernel.recoverable), (RuleId::OpaqueKernels, Picos::ZERO));
    // The kernel takes three times as long, and all of it is unknown: half as much again as the fault costs.
    let injected = truth["faults"][0]["injected_ps_per_step"].as_f64().unwrap();
    assert!(kernel.at_stake.as_f64() > 1.4 * injected, "{:?}", kernel.at_stake);
}

#[test]
fn two_faults_are_among_the_first_three_findings() {
    let cases = [
        ("straggler", "host-bound", ["straggler", "host_dispatch"]),
        ("throttle", "idle-gaps", ["throttled", "loop_gaps"]),
        ("late-peers", "small-collectives", ["late_peers", "small_collectives"]),
        ("expert-imbalance", "host-sync", ["expert_imbalance", "host_sync"]),
    ];
    for_each_case(&cases, |(one, other, expected)| {
        let (overview, truth) = simulated(&["--healthy", "--fault", one, "--fault", other]);
        let first = &overview.findings[..overview.findings.len().min(3)];
        for id in expected {
            assert!(
                first.iter().any(|finding| finding.id.key() == *id),
                "{one}, {other}: {:?}",
                ids(&overview.findings)
            );
        }
        let injected: f64 = truth["faults"]
            .as_array()
            .unwrap()
            .iter()
            .map(|fault_truth| fault_truth["injected_ps_per_step"].as_f64().unwrap())
            .sum();
        let found: f64 = first.iter().filter(|finding| expected.contains(&&*finding.id.key())).map(cost).sum();
        assert!((found / injected - 1.0).abs() < 0.1, "{one}, {other}: {found} of {injected}");
    });
}

#[test]
fn faults_of_memory_and_of_captures_are_found() {
    for (fault, id) in [("hbm-tight", "hbm_tight"), ("fragmented", "fragmented")] {
        let (overview, _) = simulated(&["--healthy", "--fault", fault]);
        assert_eq!((ids(&overview.memory), ids(&overview.quality)), (vec![id.into()], vec![]), "{fault}");
    }
    for (fault, expected) in
        [("lost-events", &["dropped"][..]), ("lost-device", &["dropped", "device_missing", "warm_up"][..])]
    {
        let (overview, truth) = simulated(&["--healthy", "--fault", fault]);
        assert_eq!(ids(&overview.quality), expected, "{fault}");
        let device = truth["faults"][0]["device"].as_str();
        let named = overview.quality.iter().find_map(|finding| finding.evidence.devices.first()).map(String::as_str);
        assert_eq!(device.and_then(|device| device.strip_prefix("/device:")), named, "{fault}");
        // The run itself is healthy.
        assert!(overview.findings.iter().all(|finding| finding.share < 0.02), "{fault}: {:?}", ids(&overview.findings));
    }
}

/// Opens a simulated run whose devices are spread over four hosts.
fn on_hosts(options: &[&str]) -> (Overview, Value) {
    let (folder, truth) = made(&[&["--steps", "8", "--hosts", "4", "--no-trace"], options].concat());
    let captures = files(folder.path()).into_iter().filter(|(name, _)| name.ends_with(".xplane.pb"));
    let input = |(name, bytes): (String, Vec<u8>)| Input { name, source: Box::new(bytes), from_folder: false };
    let opened = session::open(captures.map(input).collect(), &mut |_| {}).unwrap();
    (overview_of(opened, &OverviewQuery::default()).unwrap(), truth)
}

/// The cause of a wait is found on the host that causes it, and not on the hosts that wait.
#[test]
fn a_fault_of_one_host_is_found_among_all_hosts() {
    for (fault, id, device) in
        [("straggler", "straggler", "worker-2 TPU:1"), ("slow-host", "input_bound", "worker-3 TPU:0")]
    {
        let (overview, truth) = on_hosts(&["--healthy", "--fault", fault]);
        check(fault, &overview);
        assert_eq!((&*overview.findings[0].id.key(), &*overview.device), (id, device), "{fault}");
        let injected = truth["faults"][0]["injected_ps_per_step"].as_f64().unwrap();
        assert!((cost(&overview.findings[0]) / injected - 1.0).abs() < 0.05, "{fault}");
        let waited = |device: &&DeviceShare| device.waited.is_some_and(|wait| wait.as_f64() > 0.9 * injected);
        let n_waiting = overview.devices.iter().filter(waited).count();
        let n_of_host = if fault == "slow-host" { 2 } else { 1 };
        assert_eq!((overview.devices.len(), n_waiting), (8, 8 - n_of_host), "{fault}: {:?}", overview.devices);
        assert_eq!(overview::hosts(&overview).len(), 4, "{fault}");
    }
}

/// A drawing over one step shows as much time as the finding concerns, if all steps are alike. The ledger gives the time of
/// the finding, and the events of one step the drawing.
#[test]
fn drawings_show_the_time_of_their_findings() {
    let cases =
        ["exposed-all-gather", "retiling-copies", "dma-wait", "recompute", "opaque-kernel", "host-bound", "idle-gaps"];
    for_each_case(&cases, |fault| {
        let (overview, _) = simulated(&["--fault", fault]);
        assert_eq!(overview.shown_step.kinds.len(), N_COLUMNS, "{fault}");
        let mut n_drawn = 0;
        for finding in overview.findings.iter().chain(&overview.options) {
            assert!(overview::drawing(&overview, finding).is_some(), "{fault}: {} has no drawing", finding.id);
            let Some(Picture::When(columns)) = &finding.evidence.picture else { continue };
            let shares: f64 = columns.iter().map(|share| f64::from(*share) / 255.0).sum();
            let shown = shares / N_COLUMNS as f64 * overview.period.as_f64();
            // Each part is rounded by itself.
            let slack = 0.02 * finding.at_stake.as_f64() + 0.002 * overview.period.as_f64();
            let error = (shown - finding.at_stake.as_f64()).abs();
            assert!(error < slack, "{fault}: {} shows {shown} of {}", finding.id, finding.at_stake);
            let spans = &finding.evidence.spans;
            assert!((1..=5).contains(&spans.len()), "{fault}: {}", finding.id);
            assert!(spans.windows(2).all(|pair| pair[0].end < pair[1].start), "{fault}: {spans:?}");
            // Each stretch is where the drawing shows something, unless it is too short to be drawn.
            let column = overview.period.as_f64() / N_COLUMNS as f64;
            for span in spans.iter().filter(|span| span.end.saturating_sub(span.start).as_f64() > column / 100.0) {
                let middle = Picos(u64::midpoint(span.start.0, span.end.0));
                let index = (middle.as_f64() / column) as usize;
                assert!(columns[index.min(N_COLUMNS - 1)] > 0, "{fault}: {span:?}");
            }
            let longest: f64 = spans.iter().map(|span| span.end.saturating_sub(span.start).as_f64()).sum();
            assert!(longest <= finding.at_stake.as_f64() + slack, "{fault}: {} has {longest} in spans", finding.id);
            n_drawn += 1;
        }
        assert!(n_drawn > 0, "{fault}");
    });
}

/// A slow step names what it has more of.
#[test]
fn a_slow_step_is_explained_by_its_ops() {
    let (overview, truth) = simulated(&["--healthy", "--fault", "slow-step"]);
    let finding = &overview.findings[0];
    assert!(finding.detail.contains("Most of the difference is Compute"), "{}", finding.detail);
    // The evidence sums the time beyond the median of each op over all steps.
    let injected = truth["faults"][0]["injected_ps_per_step"].as_f64().unwrap();
    assert!(finding.evidence.n_ops > 100 && !finding.evidence.ops.is_empty());
    assert!(finding.evidence.ops[0].time.as_f64() < 0.1 * injected);
    let Some(Drawing { marks, caption, .. }) = overview::drawing(&overview, finding) else { panic!("no drawing") };
    let marked = marks.iter().filter(|mark| matches!(mark, Mark::Rect { class, .. } if class == "mark-marked"));
    assert_eq!((marked.count(), marks.len(), &*caption), (1, 12, "1 of 12 steps"));
}

/// What limits real captures.
#[test]
fn real_captures_have_the_findings_that_experts_have() {
    let real = |name: &str, file: &str| {
        let capture = common::profile(name)?;
        overview_of(open(file, capture).unwrap(), &OverviewQuery::default())
    };
    if let Some(v6e) = real("tpu-v6e-host-offload/host.xplane.pb", "host.xplane.pb") {
        assert_eq!(v6e.findings[0].rule(), RuleId::DmaWait);
        assert!(share(&v6e, v6e.findings[0].at_stake) > 0.95);
        // A step has 23 ms of compute, which is all that can hide its copies.
        assert!((0.02..0.04).contains(&share(&v6e, v6e.findings[0].recoverable)));
        assert!(v6e.findings[0].detail.contains("host memory"), "{}", v6e.findings[0].detail);
        let try_flags: Vec<&str> = v6e.findings[0].tries.iter().filter_map(|advice| advice.code.as_deref()).collect();
        assert_eq!(try_flags, ["--xla_tpu_host_transfer_overlap_limit"]);
    }
    if let Some(vllm) = real("tpu-vllm-trace/vllm.trace.json.gz", "vllm.trace.json.gz") {
        assert!(vllm.findings.iter().all(|finding| finding.rule() != RuleId::Straggler));
    }
}

/// The MFU of a simulated run is that of the FLOPs and the periods that were simulated.
#[test]
fn the_mfu_is_that_of_the_simulated_flops() {
    let (overview, truth) = simulated(&[]);
    let ops = truth["ops"].as_array().unwrap();
    let sum = |field: &str| -> f64 {
        ops.iter().map(|op| op[field].as_f64().unwrap() * op["runs_per_step"].as_f64().unwrap()).sum()
    };
    let figure = |id: FigureId| overview.figure(id).unwrap();
    let inputs = &figure(FigureId::ModelMfu).inputs;
    let peak = inputs.iter().find(|input| input.name == "peak_flops").unwrap().value;
    for (id, field) in [(FigureId::ModelMfu, "model_flops"), (FigureId::HardwareMfu, "flops")] {
        let expected = sum(field) / (peak * overview.period.as_f64() / 1e12);
        let found = figure(id).value.unwrap();
        assert!((found / expected - 1.0).abs() < 0.001, "{}: {found} {expected}", id.key());
    }
    // Tokens, FLOPs per token, devices and the period give the useful MFU.
    assert_eq!(figure(FigureId::UsefulMfu).value, None);
}

/// The owners of the overview are those of the ledger.
#[test]
fn owners_are_those_of_the_ledger() {
    let (folder, _) = made(&["--steps", "6", "--no-trace"]);
    let bytes = files(folder.path()).remove("worker-0.xplane.pb").unwrap();
    let input = Input { name: "it.xplane.pb".to_owned(), source: Box::new(bytes), from_folder: false };
    let mut opened = session::open(vec![input], &mut |_| {}).unwrap();
    let analysis = Analysis::new(&opened.profile);
    let mut programs = Programs::new(std::mem::take(&mut opened.open_files));
    let ledger = session::ledger(&analysis, &opened.profile, &mut programs, &LedgerQuery::default()).unwrap();
    let files = analysis.file_view(&opened.profile, &opened.files, false);
    let overview =
        session::overview(&analysis, &opened.profile, &mut programs, &files, &OverviewQuery::default()).unwrap();
    assert_eq!(overview.ledger, ledger);
}

/// The guess of useful FLOPs and the FLOPs that ran are those of one step. A dense model has fewer useful ones than ran, because
/// some run twice; a model with experts is guessed too high, because a token uses few of them.
#[test]
fn the_guess_of_useful_flops_is_compared_with_those_of_one_step() {
    let sample = |name: &str| {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name);
        overview_of(open(name, std::fs::read(path).unwrap()).unwrap(), &OverviewQuery::default()).unwrap()
    };
    for name in ["xla", "batch2", "f32", "unrolled"] {
        let overview = sample(&format!("gpu/{name}.graphs.xplane.pb.xz"));
        assert!(
            overview.ledger.n_steps > 1 && overview.guess_sentence().is_some() && !overview.is_guess_too_high(),
            "{name}"
        );
    }
    let overview = sample("sample.xplane.pb.xz");
    assert!(overview.is_guess_too_high());
    // 16 × 2,048 tokens with 6,168,408,576 FLOPs each, on 8 devices, of which each ran 20,202,112,529,972.
    assert!(overview.guess_sentence().unwrap().contains("That is 1.25 × the FLOPs that ran"));
}

/// A capture that does not name its chip is judged after the user chose one.
#[test]
#[ignore = "needs captures of other projects"]
fn peaks_are_missing_until_the_chip_is_chosen() {
    let bytes = common::profile("tpu-vllm-trace/vllm.trace.json.gz").unwrap();
    let opened = || open("vllm.trace.json.gz", bytes.clone()).unwrap();
    let overview = overview_of(opened(), &OverviewQuery::default()).unwrap();
    assert!(overview.lacks_peaks && overview.kinds.iter().all(|kind| kind.needed == Picos::ZERO));
    let mut query = OverviewQuery::default();
    query.ledger.roofline.peaks.chip = Some("TPU v6e".to_owned());
    let overview = overview_of(opened(), &query).unwrap();
    assert!(!overview.lacks_peaks && overview.kinds.iter().any(|kind| kind.needed > Picos::ZERO));
    let mfu = overview.figure(FigureId::ModelMfu).and_then(|figure| figure.value);
    assert!(mfu.is_some_and(|mfu| mfu > 0.1 && mfu < 1.0), "{mfu:?}");
}

#[test]
fn all_steps_are_drawn_and_figures_above_their_peak_are_marked() {
    let (mut overview, _) = simulated(&[]);
    let one = overview.steps[1].clone();
    let (n, longest) = (168, 101);
    overview.steps = (0..n).map(|number| rooflight::analysis::overview::StepShare { number, ..one.clone() }).collect();
    overview.steps[longest].length = Picos(2 * one.length.0);
    let (rows, about) = overview::steps(&overview);
    assert_eq!((&*rows[0].number, &*rows.last().unwrap().number), ("0 to 1", "166 to 167"), "no step is left out");
    assert!(about.ends_with("each column is the longest of 2 steps"), "{about}");
    let shown = rows.iter().find(|row| row.number == "100 to 101").unwrap();
    assert_eq!(shown.time, rooflight::table::format::time_text(overview.steps[longest].length));

    let figure = overview.figures.iter_mut().find(|figure| figure.id == FigureId::HbmBandwidth).unwrap();
    (figure.value, figure.absent) = (Some(1.769), None);
    let shown = overview::readout(&overview).main.into_iter().find(|figure| figure.label == "HBM bandwidth").unwrap();
    assert_eq!((&*shown.value, shown.scope.as_deref()), ("▲ 176.9", Some("above the peak")));
    let style = rooflight::report::overview::text::TextStyle { width: 400, is_coloured: false };
    let text = rooflight::report::overview::text::text(&overview, style);
    assert!(text.contains("HBM bandwidth ▲ 176.9 % (above the peak)"), "{text}");
}
