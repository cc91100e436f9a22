//! These tests check what the reader of a link or a report file sees beside its numbers: the pickers, the sentence about the rows
//! that were sent, sentences without source lines, and filters of groups. Links and files of older versions are opened as well.

use crate::common;
use rooflight::analysis::base::{Filter, FilterField, GroupBy, Query, StepChoice};
use rooflight::analysis::classify::Kind;
use rooflight::analysis::compare::Verdict;
use rooflight::chart::widgets::picker_options;
use rooflight::protocol::url::View;
use rooflight::protocol::url::address::PageAddress;
use rooflight::protocol::{Reply, SessionInfo, ShareAnswer, ShareQuery, requests};
use rooflight::report::compare;
use rooflight::session::compare::CompareSide;
use rooflight::session::{Input, OpenSession};
use rooflight::share::{Level, Report, decode_link, encode_link, markdown};
use std::path::{Path, PathBuf};
use xla_profile::profile::{Note, NoteCode, Severity};

fn open(name: &str, bytes: Vec<u8>) -> (OpenSession, SessionInfo) {
    let input = Input { name: name.to_owned(), source: Box::new(bytes), from_folder: false };
    OpenSession::open(vec![input], &mut |_| {}).unwrap_or_else(|failure| panic!("{name}: {failure:?}"))
}

fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn sample() -> (OpenSession, SessionInfo) {
    open("sample.xplane.pb.xz", std::fs::read(in_repository("samples/sample.xplane.pb.xz")).unwrap())
}

/// Returns the session of the link of a report without source lines.
fn reader(full: &Report, level: Level) -> (OpenSession, SessionInfo) {
    let link = encode_link(&full.cut_to(level).without_sources());
    OpenSession::open_link(&link).unwrap_or_else(|failure| panic!("{failure:?}"))
}

/// The pickers of the device and of the step show what the sender's pickers show, although most steps were not sent.
#[test]
fn the_pickers_of_a_link_show_the_choice_of_its_sender() {
    let mut n_kinds = 0;
    let decode = "gpu/decode.graphs.xplane.pb";
    let server = common::profile(decode).map(|bytes| (decode, bytes));
    for (name, bytes) in common::xspaces().into_iter().chain(server) {
        let (mut sender, session) = open(name, bytes);
        let query =
            picker_options::clamp_query(&session, Query { device: session.usual_query.device, ..Query::default() });
        let share = ShareQuery {
            roofline: rooflight::analysis::roofline::RooflineQuery { query: query.clone(), ..Default::default() },
            ..ShareQuery::default()
        };
        let full = sender.report(&share).unwrap_or_else(|failure| panic!("{name}: {failure:?}"));
        let (_, received) = reader(&full, Level::SMALL);
        let summary = received.summary.clone().unwrap();
        let choices = picker_options::devices(&received);
        assert!(session.devices.is_empty() || choices.len() == 1, "{name}: {choices:?}");
        let own = picker_options::devices(&session).into_iter().find(|choice| choice.value == summary.device);
        assert_eq!(choices.first().map(|choice| &choice.label), own.as_ref().map(|choice| &choice.label), "{name}");
        if !summary.step.is_mean() {
            continue;
        }
        let shown = picker_options::steps(&received, summary.device).get(0).unwrap();
        let steps = picker_options::steps(&session, query.device);
        let own = steps.get(steps.position(summary.step).unwrap()).unwrap();
        assert_eq!((shown.label, shown.detail), (own.label, own.detail), "{name}");
        n_kinds += usize::from(session.devices.iter().any(|device| device.kinds.len() > 1));
    }
    assert!(n_kinds > 0, "a capture has steps of several kinds");
}

#[test]
fn a_link_says_which_rows_were_sent() {
    let (mut sender, _) = sample();
    let full = sender.report(&ShareQuery::default()).unwrap();
    let (_, small) = reader(&full, Level::SMALL);
    assert_eq!(
        small.summary.unwrap().sentence,
        "This is a summary of sample.xplane.pb.xz; it holds the mean of 3 steps of 8 devices by op. Its figures are those of its \
         sender; 4 of 1,019 ops, 3 of 93 collectives, 3 of 252 copies and 3 of 201 buffers at the peak were sent, with 4 digits in rows."
    );
    let (_, whole) = OpenSession::of_report(full);
    assert_eq!(
        whole.summary.unwrap().sentence,
        "This is a summary of sample.xplane.pb.xz; it holds the mean of 3 steps of 8 devices by op."
    );
}

/// Source lines are removed from sentences and from notes, which stay.
#[test]
fn sentences_stay_without_their_source_lines() {
    let (mut sender, _) = sample();
    let mut full = sender.report(&ShareQuery { with_sources: true, ..ShareQuery::default() }).unwrap();
    let note = |message: &str| Note::new(Severity::Info, NoteCode::Summary, message.to_owned());
    full.notes.push(note("The op copy.787 (model/moe.py:33) has no cost."));
    let without = full.without_sources();
    assert!(without.notes.contains(&note("The op copy.787 has no cost.")), "{:?}", without.notes);
    let details = |report: &Report| -> Vec<String> {
        let mut overview = report.overview.clone().unwrap();
        overview.all_findings().map(|finding| finding.detail.clone()).collect()
    };
    let (own, shared) = (details(&full), details(&without));
    assert!(own.iter().any(|text| text.contains(".py:")), "{own:?}");
    for (own, shared) in own.iter().zip(&shared) {
        assert!(!shared.contains(".py") && shared.is_empty() == own.is_empty(), "{own:?}, {shared:?}");
    }
}

/// A filter selects ops before they are grouped. The groups of a link cannot be made again from some of their ops, and say so.
#[test]
fn groups_of_a_link_refuse_filters_that_they_cannot_answer() {
    let (mut sender, _) = sample();
    let full = sender.report(&ShareQuery::default()).unwrap();
    let (mut link, session) = reader(&full, Level::SMALL);
    let query =
        |by, filter: Filter| picker_options::available_query(&session, Query { by, filter, ..Query::default() });
    let text = |within| Filter { text: "layers".to_owned(), within, ..Filter::default() };
    let mut refuses = |query: &Query| {
        let reply = link.answer(&rooflight::protocol::ViewRequest::Breakdown(query.clone()).into());
        matches!(reply, Reply::Failed(failure) if failure.title.contains("this grouping of some of the ops"))
    };
    assert!(refuses(&query(GroupBy::Category, text(FilterField::Leaf))));
    assert!(refuses(&query(GroupBy::Scope, Filter { kind: Some(Kind::Compute), ..Filter::default() })));
    assert!(!refuses(&query(GroupBy::Scope, Filter::default())));
    let head = common::answer_of(&mut link, requests::Breakdown(query(GroupBy::Scope, text(FilterField::Anywhere))));
    let note = head.notes.iter().find(|note| note.code == NoteCode::SummaryFilter).unwrap();
    assert!(note.message.contains(" groups are only a sum in this summary"), "{note:?}");
}

/// The reader can choose the groupings that the preview names.
#[test]
fn the_preview_names_the_groupings_of_the_reader() {
    let (mut sender, _) = sample();
    for level in [0, 12, 60] {
        let shared: ShareAnswer =
            common::answer_of(&mut sender, requests::Share(ShareQuery { level, ..ShareQuery::default() }));
        let (_, session) = OpenSession::open_link(&shared.link).unwrap_or_else(|failure| panic!("{failure:?}"));
        assert_eq!(shared.breakdown_groups, session.capabilities.breakdown_groups);
        for by in [GroupBy::Category, GroupBy::Scope, GroupBy::Kind] {
            assert!(shared.breakdown_groups.contains(&by), "{level}: {by:?}");
        }
        assert_eq!(shared.breakdown_groups.contains(&GroupBy::Module), level >= 12);
    }
}

/// Returns the address of an old link. The folder has a file for each version whose links differ. Files are added and never changed.
fn old_link(name: &str) -> PageAddress {
    let text = std::fs::read_to_string(in_repository("tests/native/links").join(name)).unwrap();
    text.trim().split_once('#').unwrap().1.parse().unwrap()
}

#[test]
fn links_of_version_6_open() {
    let report = decode_link(&old_link("v6.txt").report).unwrap();
    let (mut engine, session) = OpenSession::of_report(report.clone());
    let query = picker_options::available_query(&session, Query::default());
    assert_eq!(query.step, StepChoice::Mean);
    let head = common::answer_of(&mut engine, requests::Breakdown(query));
    assert_eq!(head.header.step_duration.map(|time| time.0 / 1_000_000_000), Some(V6_STEP_MS));
    let overview = report.overview.as_ref().unwrap();
    assert!(!overview.findings.is_empty() && overview.n_steps == 5 && overview.devices.len() == 8);
    let held: Vec<GroupBy> = report.groups.iter().map(|grouped| grouped.by).collect();
    assert_eq!(held, [GroupBy::Category, GroupBy::Scope]);
    assert!(!session.capabilities.groups_breakdown_by(GroupBy::Module), "modules came with version 7");
    assert!(markdown(&report, None).contains("sample.xplane.pb.xz"));
}

/// Duration of the step in that link, in whole ms.
const V6_STEP_MS: u64 = 167;

#[test]
fn comparisons_of_version_6_open() {
    let address = old_link("v6-comparison.txt");
    assert_eq!(address.view, View::Compare);
    let report = decode_link(&address.report).unwrap();
    let comparison = CompareSide::of_report(report).received().unwrap();
    assert_eq!(comparison.verdict, Verdict::Improvement);
    assert!(compare::text::sentence(&comparison).starts_with("B is faster: mean "));
    assert!(!comparison.rows.is_empty() && !comparison.parts.is_empty() && !comparison.figures.is_empty());
}
