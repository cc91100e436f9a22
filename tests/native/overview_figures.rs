//! These tests check what the figures of the overview say on their face: what could be gained, which figures are next to nothing,
//! which peak MFU and HFU are shares of, and which chip a device may be.

use rooflight::analysis::base::{DeviceChoice, Query};
use rooflight::analysis::ledger::LedgerQuery;
use rooflight::analysis::overview::{FigureId, FindingId, Overview, OverviewQuery, RuleId};
use rooflight::analysis::roofline::{PeakChoice, PeakResource, PeakSource, Precision, RooflineQuery};
use rooflight::chart::overview::{chip_text, peak_source, readout, slight};
use rooflight::chart::roofline::peaks;
use rooflight::chart::widgets::figure::Figure;
use rooflight::protocol::requests;
use rooflight::session::{Input, OpenSession};
use std::fs;
use xla_profile::units::Picos;

use crate::common::{answer_of, profile};

/// Opens a file, and returns its session.
fn session(name: &str, bytes: Vec<u8>) -> OpenSession {
    let input = Input { name: name.to_owned(), source: Box::new(bytes), from_folder: false };
    OpenSession::open(vec![input], &mut |_| {}).unwrap().0
}

/// Opens a sample of the repository.
fn sample(path: &str) -> OpenSession {
    session(path, fs::read(format!("{}/samples/{path}", env!("CARGO_MANIFEST_DIR"))).unwrap())
}

fn overview(session: &mut OpenSession, peaks: PeakChoice) -> Overview {
    let roofline = RooflineQuery { peaks, ..RooflineQuery::default() };
    let ledger = LedgerQuery { roofline, ..LedgerQuery::default() };
    let query = OverviewQuery { ledger, ..OverviewQuery::default() };
    let found: Option<Overview> = answer_of(session, requests::Overview(query));
    found.expect("an overview")
}

fn labels(figures: &[Figure]) -> Vec<&str> {
    figures.iter().map(|figure| &*figure.label).collect()
}

#[test]
fn what_could_be_gained_stands_with_its_assumption() {
    let overview = overview(&mut sample("sample.xplane.pb.xz"), PeakChoice::default());
    let figures = readout(&overview);
    let gain = &figures.main[0];
    assert_eq!((&*gain.label, &*gain.value, gain.unit), ("At most to gain", "99.19", "ms"));
    assert_eq!(gain.scope.as_deref(), Some("59.3 %"));
    assert_eq!(
        gain.note.as_deref(),
        Some(
            "if the same ops reached 80.0 % of their roofline and nothing else waited; the findings can recover 90.72 ms of it; 1.8 % of the step is not judged, and may add to it"
        )
    );
    // Findings promise less than that.
    assert!(overview.recoverable < overview.gain().most && overview.recoverable > Picos::ZERO);
    // What is next to nothing stands in a line of its own, and documents have all figures.
    let (main, small) = (labels(&figures.main), slight(&overview));
    assert_eq!(labels(&small), ["Idle", "Waiting on host"]);
    assert!(main.contains(&"HFU") && !main.contains(&"Idle"), "{main:?}");
    assert_eq!(overview.figures.len(), FigureId::ALL.len());
}

#[test]
fn waits_for_requests_are_no_loss() {
    let overview = overview(&mut sample("cases/tpu_server_idle.xplane.pb"), PeakChoice::default());
    let gain = overview.gain();
    let waits = overview.findings.iter().find(|finding| finding.rule() == RuleId::NoRequests).unwrap();
    assert!(waits.at_stake > Picos::ZERO && gain.requests >= waits.at_stake, "{gain:?} {}", waits.at_stake);
    assert!(gain.most + gain.requests <= overview.period, "{gain:?} of {}", overview.period);
    let assumption = overview.gain_assumption();
    assert!(assumption.contains("the waits for requests") && assumption.contains("are no loss"), "{assumption}");
    assert!(!overview.findings_sum_text().contains("together 0"), "{}", overview.findings_sum_text());
}

#[test]
fn mfu_by_the_other_peak_is_what_the_other_choice_shows() {
    let mut session = sample("gpu/xla.graphs.xplane.pb.xz");
    let by_clock = overview(&mut session, PeakChoice::default());
    let line = peak_source(&by_clock).unwrap();
    assert_eq!((line.other, line.button), (PeakSource::Published, "Use the data sheet"));
    assert!(
        line.sentence.contains("TFLOP/s, by the clock in the capture. By the data sheet, 989"),
        "{}",
        line.sentence
    );
    let published = PeakChoice { prefer: PeakSource::Published, ..PeakChoice::default() };
    let by_data_sheet = overview(&mut session, published);
    let back = peak_source(&by_data_sheet).unwrap();
    assert_eq!((back.other, back.button), (PeakSource::Profile, "Use the clock"));
    for (one, other) in [(&by_clock, &by_data_sheet), (&by_data_sheet, &by_clock)] {
        let hfu = |overview: &Overview| overview.figure(FigureId::HardwareMfu).cloned().unwrap();
        let promised = hfu(one).by_other_peak().unwrap().value;
        assert!((promised / hfu(other).value.unwrap() - 1.0).abs() < 1e-9, "{promised}");
    }
    // A peak that the user gives has no other source.
    let given = PeakChoice { flops: vec![(Precision::Bf16, 500e12)], ..PeakChoice::default() };
    assert_eq!(peak_source(&overview(&mut session, given)), None);
}

#[test]
fn the_peaks_of_all_types_have_one_source() {
    let mut session = sample("gpu/xla.graphs.xplane.pb.xz");
    for source in [PeakSource::Profile, PeakSource::Published] {
        let query = RooflineQuery {
            query: Query { device: DeviceChoice::One(0), ..Query::default() },
            peaks: PeakChoice { prefer: source, ..PeakChoice::default() },
            ..RooflineQuery::default()
        };
        let head = answer_of(&mut session, requests::Roofline(query));
        let lines = peaks::lines(&head.figures.peaks[0]);
        let line = |precision| lines.iter().find(|line| line.resource == PeakResource::Compute(precision)).unwrap();
        for precision in [Precision::Bf16, Precision::F16, Precision::Fp8, Precision::Int8] {
            assert_eq!(line(precision).source, Some(source), "{precision:?}");
        }
        let value = |precision| line(precision).value.unwrap();
        assert!((value(Precision::F16) - value(Precision::Bf16)).abs() < 1.0);
        assert!((value(Precision::Int8) / value(Precision::Fp8) - 1.0).abs() < 0.001);
    }
}

#[test]
fn a_chip_without_a_name_is_proposed() {
    let Some(capture) = profile("tpu-vllm-trace/vllm.trace.json.gz") else { return };
    let mut session = session("vllm.trace.json.gz", capture);
    let found = overview(&mut session, PeakChoice::default());
    let guess = found.chip_guess.clone().unwrap();
    assert_eq!(guess.chips, ["TPU v7x"]);
    assert!(guess.reason.contains("ops reach 839.7 TFLOP/s"), "{}", guess.reason);
    assert!(chip_text(&found, false).unwrap().starts_with("Looks like TPU"));
    // Figures that lack only the chip say so.
    let figures = readout(&found);
    let needs = figures.main.iter().filter(|figure| figure.scope.as_deref() == Some("needs the chip"));
    assert!(needs.count() > 0, "{:?}", labels(&figures.main));
    // The times of collectives are measured, whatever the chip is. The capture has a single step.
    let exposed = found.findings.iter().find(|finding| matches!(finding.id, FindingId::Exposed { .. })).unwrap();
    assert!(!exposed.reason.contains("costs"), "{}", exposed.reason);
    // The largest of many copies of an op is named with all of them.
    let most = found.findings.iter().find(|finding| finding.rule() == RuleId::OpaqueKernels).unwrap();
    assert!(most.detail.contains("ops like it") || most.detail.contains("layers"), "{}", most.detail);
    let chosen = PeakChoice { chip: Some("TPU v7x".to_owned()), ..PeakChoice::default() };
    assert_eq!(overview(&mut session, chosen).chip_guess, None, "the user chose the chip");
}
