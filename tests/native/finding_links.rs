//! These tests check the links of findings: the view that a link opens has the device, the step and the ops of the
//! finding.

use crate::common::{V6E, answer_of, profile};
use rooflight::analysis::base::{DeviceChoice, Filter, GroupBy, Query, StepChoice};
use rooflight::analysis::overview::{Finding, Overview, OverviewQuery, RuleId};
use rooflight::chart::overview::{FindingLink, sections};
use rooflight::protocol::url::comm::{CommRows, Pane};
use rooflight::protocol::url::{Picture, View};
use rooflight::protocol::{SessionInfo, requests};
use rooflight::session::{Input, OpenSession};

const SAMPLE: &str = "sample.xplane.pb.xz";
const LOADER: &str = "gpu/loader.graphs.xplane.pb.xz";

fn opened(name: &str, bytes: Vec<u8>) -> (OpenSession, SessionInfo) {
    let input = Input { name: name.to_owned(), source: Box::new(bytes), from_folder: false };
    OpenSession::open(vec![input], &mut |_| {}).unwrap()
}

fn sample(name: &str) -> (OpenSession, SessionInfo) {
    let path = format!("{}/samples/{name}", env!("CARGO_MANIFEST_DIR"));
    opened(name.rsplit('/').next().unwrap(), std::fs::read(path).unwrap())
}

/// Returns the overview, and its findings with their links.
fn links(engine: &mut OpenSession) -> (Overview, Vec<(Finding, FindingLink)>) {
    let mut overview = answer_of(engine, requests::Overview(OverviewQuery::default())).unwrap();
    let rows: Vec<_> = sections(&overview).into_iter().flat_map(|section| section.rows).collect();
    let of_row = |finding: &Finding| rows.iter().find(|row| row.id == finding.id.key()).map(|row| row.see.clone());
    let all: Vec<Finding> = overview.all_findings().map(|finding| finding.clone()).collect();
    let all =
        all.into_iter().map(|finding| (of_row(&finding).unwrap(), finding)).map(|(link, finding)| (finding, link));
    let all = all.collect();
    (overview, all)
}

fn link_of(all: &[(Finding, FindingLink)], rule: RuleId) -> &(Finding, FindingLink) {
    all.iter().find(|(finding, _)| finding.rule() == rule).unwrap_or_else(|| panic!("no {rule:?}"))
}

/// Asserts that the table which a link opens has as many rows as the finding counts ops. Returns how many links were
/// checked.
fn check_tables(name: &str, (mut engine, session): (OpenSession, SessionInfo)) -> usize {
    let (overview, all) = links(&mut engine);
    let mut n_checked = 0;
    for (finding, link) in all {
        if link.ops.is_empty() || !matches!(link.view, View::Breakdown | View::Roofline) {
            continue;
        }
        let index = session.devices.iter().position(|device| device.label == link.device).unwrap();
        let query = Query {
            device: DeviceChoice::One(index as u32),
            step: link.step.map_or_else(StepChoice::default, StepChoice::Number),
            by: GroupBy::Op,
            filter: Filter { kind: link.kind, ops: link.ops.clone(), ..Filter::default() },
        };
        let head = answer_of(&mut engine, requests::Breakdown(query));
        assert_eq!(head.n_groups, finding.evidence.n_ops, "{name}: {}", finding.title);
        assert_eq!(link.device, overview.device, "{name}: {}", finding.title);
        n_checked += 1;
    }
    n_checked
}

#[test]
fn the_table_of_a_link_lists_the_ops_of_the_finding() {
    assert!(check_tables(SAMPLE, sample(SAMPLE)) > 2);
    assert!(check_tables(LOADER, sample(LOADER)) > 0);
    if let Some(bytes) = profile(V6E) {
        check_tables("v6e", opened("host.xplane.pb", bytes));
    }
}

#[test]
fn a_link_of_idle_time_leads_to_the_longest_gap() {
    let (mut engine, _) = sample(LOADER);
    let (overview, all) = links(&mut engine);
    let idle: Vec<_> = all.iter().filter(|(finding, _)| finding.is_about_idle()).collect();
    assert!(!idle.is_empty());
    for (finding, link) in idle {
        let spans = &finding.evidence.spans;
        let longest = spans.iter().map(|span| span.end.saturating_sub(span.start)).max().unwrap();
        let (time, step) = link.gap.as_ref().unwrap();
        assert_eq!((link.view, link.picture), (View::Timeline, Some(Picture::Idle)));
        assert_eq!((&time.device, time.range.length()), (&overview.device, longest));
        assert!(step.start <= time.range.start && time.range.end <= step.end);
    }
}

#[test]
fn a_link_to_communication_shows_the_traffic_of_the_finding() {
    let (mut engine, _) = sample(SAMPLE);
    let (_, all) = links(&mut engine);
    let (_, straggler) = link_of(&all, RuleId::Straggler);
    assert_eq!((straggler.traffic, straggler.pane), (CommRows::Collectives, Some(Pane::Devices)));
    let exposed = link_of(&all, RuleId::ExposedCollective);
    assert!(!exposed.1.collectives.is_empty() && exposed.1.pane.is_none());
    let Some(bytes) = profile(V6E) else { return };
    let (mut engine, _) = opened("host.xplane.pb", bytes);
    let (_, all) = links(&mut engine);
    assert_eq!(link_of(&all, RuleId::DmaWait).1.traffic, CommRows::Copies);
}
