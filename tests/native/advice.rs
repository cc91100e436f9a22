//! These tests check that advice fits the capture it is given for: each piece names things that the capture must have
//! or lack.

use crate::common::{self, open};
use rooflight::analysis::base::{Analysis, Platform};
use rooflight::analysis::overview::{Finding, FindingId, Overview, OverviewQuery, RuleId};
use rooflight::session::{self, Opened, Programs};
use std::path::Path;
use xla_profile::profile::Profile;

/// A capture with its overview.
struct Capture {
    name: String,
    profile: Profile,
    platform: Platform,
    overview: Overview,
}

fn overview_of(name: &str, mut opened: Opened) -> Option<Capture> {
    let analysis = Analysis::new(&opened.profile);
    let platform = analysis.devices.first()?.platform;
    let mut programs = Programs::new(std::mem::take(&mut opened.open_files));
    let files = analysis.file_view(&opened.profile, &opened.files, opened.partial.is_some());
    let overview = session::overview(&analysis, &opened.profile, &mut programs, &files, &OverviewQuery::default())?;
    Some(Capture { name: name.to_owned(), profile: opened.profile, platform, overview })
}

/// Returns all captures and cases with an overview.
fn all() -> Vec<Capture> {
    let captures = common::xspaces().into_iter();
    let mut all: Vec<Capture> =
        captures.filter_map(|(name, bytes)| overview_of(name, open("host.xplane.pb", bytes).ok()?)).collect();
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/cases");
    for entry in std::fs::read_dir(cases).unwrap().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".xplane.pb") {
            let opened = open("host.xplane.pb", std::fs::read(entry.path()).unwrap());
            all.extend(opened.ok().and_then(|opened| overview_of(&name, opened)));
        }
    }
    assert!(all.len() >= 15, "{}", all.len());
    all
}

/// Returns what is wrong with a piece of advice of a finding. `None` if it fits.
fn fault(capture: &Capture, finding: &Finding, advice: &str) -> Option<&'static str> {
    let Capture { profile, platform, overview, .. } = capture;
    let has_op = |is: &dyn Fn(&str) -> bool| {
        profile.planes.iter().any(|plane| plane.ops.iter().any(|op| is(profile.text(op.name))))
    };
    let has_host_events = profile.planes.iter().any(|plane| plane.is_host() && plane.n_events() > 0);
    let is_pytorch = || {
        let starts = |name: &str| name.starts_with("SyncTensorsGraph");
        profile.programs.values().any(|name| starts(name)) || has_op(&|name| name.starts_with("aten::"))
    };
    let names = |word: &str| advice.contains(word);
    let is_synchronous = finding.detail.contains("synchronous");
    let faults = [
        (names("--chip") && (*platform == Platform::Cpu || !overview.lacks_peaks), "the chip is known, or is a CPU"),
        (names("HLO proto") && !profile.hlo.is_empty(), "the HLO is in the file"),
        (names("jax.") && is_pytorch(), "the program is of PyTorch"),
        (names("--xla_tpu") && *platform != Platform::Tpu, "the flag is for TPUs"),
        (names("--xla_gpu") && *platform != Platform::Gpu, "the flag is for GPUs"),
        (names("Capture again with host events") && has_host_events, "there are host events"),
        (names("latency_hiding") && is_synchronous, "nothing overlaps a synchronous collective"),
        (names("data loader") && matches!(finding.id, FindingId::Exposed { .. }), "a collective loads no data"),
        (names("lax.scan(f") && finding.rule() == RuleId::ExpandedLoop, "the program has no scan"),
        (names("einsum") && finding.detail.contains("concatenate"), "a concatenation is no transpose"),
    ];
    faults.into_iter().find(|(is_wrong, _)| *is_wrong).map(|(_, why)| why)
}

#[test]
fn advice_fits_each_capture() {
    let mut faults = Vec::new();
    let mut n_advice = 0;
    for capture in all() {
        let Overview { findings, options, memory, quality, .. } = &capture.overview;
        for finding in findings.iter().chain(options).chain(memory).chain(quality) {
            for one in &finding.tries {
                let code = one.code.as_deref().or(one.flag.as_deref()).unwrap_or_default();
                n_advice += 1;
                let advice = format!("{} {code}", one.text);
                faults.extend(
                    fault(&capture, finding, &advice)
                        .map(|why| format!("{}, {}: {advice}: {why}", capture.name, finding.id)),
                );
            }
        }
    }
    assert!(n_advice > 50, "{n_advice}");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Each check of advice can fail.
#[test]
fn unfit_advice_is_found() {
    let mut found: Vec<&str> = Vec::new();
    let all = all();
    let texts = [
        "--chip v5e",
        "Open the HLO protos",
        "jax.jit(step)",
        "--xla_tpu_flag",
        "--xla_gpu_flag",
        "Capture again with host events.",
        "a data loader",
        "jax.lax.scan(f, init, xs)",
    ];
    for capture in &all {
        for finding in &capture.overview.findings {
            found.extend(texts.iter().filter_map(|text| fault(capture, finding, text)));
        }
    }
    found.sort_unstable();
    found.dedup();
    assert!(found.len() >= 7, "{found:?}");
}
