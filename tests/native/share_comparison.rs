//! These tests share comparisons: a link, a report file and Markdown of a comparison have the figures of its sender at every
//! level, rows that are left out are sums that say so, and removed texts are in none of them.

use crate::compare::side;
use rooflight::analysis::compare::matching::Tier;
use rooflight::analysis::compare::{
    CompareBy, CompareOptions, CompareQuery, CompareRows, Comparison, RowDelta, RowSelection, groups,
};
use rooflight::protocol::table_query::{TableAction, TableQuery};
use rooflight::protocol::{
    CompareDots, CompareTimeline, CompareTimelineQuery, ComparedOps, Reply, SessionSlot, ShareAnswer, ShareQuery,
    ViewRequest, requests,
};
use rooflight::report::compare;
use rooflight::session::compare::{CompareSide, compare_sessions};
use rooflight::session::{Input, OpenSession, OpenSessions};
use rooflight::share::{Level, Report, decode, decode_link, encode, encode_link, markdown, pack, unpack};
use rooflight::table::page::{PageQuery, TablePage};
use std::path::Path;
use std::process::Command;

const LEVELS: [u8; 6] = [0, 12, 37, 50, 75, 99];

fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name)).unwrap()
}

/// Pairs of the samples: GPU programs, and the sample of the page with itself.
const PAIRS: [(&str, &str); 4] = [
    ("gpu/xla.graphs.xplane.pb.xz", "gpu/cudnn.graphs.xplane.pb.xz"),
    ("gpu/xla.graphs.xplane.pb.xz", "gpu/loader.graphs.xplane.pb.xz"),
    ("gpu/unrolled.graphs.xplane.pb.xz", "gpu/f32.graphs.xplane.pb.xz"),
    ("sample.xplane.pb.xz", "sample.xplane.pb.xz"),
];

fn compared((a, b): (&str, &str)) -> Comparison {
    let (mut a, mut b) = (side(a, bytes(a)), side(b, bytes(b)));
    compare_sessions(&mut a, &mut b, &CompareOptions::default()).unwrap()
}

fn query(level: u8) -> ShareQuery {
    ShareQuery { level, with_sources: true, ..ShareQuery::default() }
}

/// Returns everything of a comparison but rows of tables: the figures that a reader must see as the sender does.
fn figures(comparison: &Comparison) -> Comparison {
    let mut comparison = comparison.clone();
    (comparison.rows, comparison.scopes) = (Vec::new(), Vec::new());
    comparison.comm.rows.clear();
    comparison.explanation.pairs.clear();
    comparison.program_changes.changes.clear();
    comparison.parts.iter_mut().for_each(|part| (part.children, part.groups) = (Vec::new(), Vec::new()));
    comparison
}

fn sums(rows: &[RowDelta]) -> (i64, i64, i64) {
    let time = |side: &Option<_>| side.as_ref().map_or(0, |side: &rooflight::analysis::compare::RowSide| side.self_ps);
    rows.iter().fold((0, 0, 0), |(a, b, d), row| (a + time(&row.a), b + time(&row.b), d + row.delta_ps))
}

#[test]
fn a_shared_comparison_has_the_figures_of_its_sender_at_every_level() {
    for pair in PAIRS {
        let sent = compared(pair);
        let full = Report::of_comparison(sent.clone());
        let back = unpack(&pack(&full, &[])).unwrap().report;
        assert!(back.comparison.as_ref().unwrap().comparison == sent, "{pair:?}: a file at full detail is exact");
        for level in LEVELS {
            let cut = query(level).cut(&full);
            let back = decode(&encode(&cut)).unwrap();
            assert!(back == cut, "{pair:?} at {level}");
            let comparison = &back.comparison.as_ref().unwrap().comparison;
            assert_eq!(figures(comparison), figures(&sent), "{pair:?} at {level}");
            assert_eq!(compare::text::sentence(comparison), compare::text::sentence(&sent), "{pair:?} at {level}");
            assert_eq!(sums(&comparison.rows), sums(&sent.rows), "{pair:?} at {level}");
            let kinds = |comparison: &Comparison| {
                let mut kinds = groups(&comparison.rows, CompareBy::Kind);
                kinds.iter_mut().for_each(|group| group.n_rows = 0);
                kinds.sort_by(|a, b| a.name.cmp(&b.name));
                kinds
            };
            assert_eq!(kinds(comparison), kinds(&sent), "{pair:?} at {level}");
            // Rows that are there are those of the sender.
            let own = comparison.rows.iter().filter(|row| row.tier != Some(Tier::LeftOut));
            assert!(own.clone().all(|row| sent.rows.contains(row)), "{pair:?} at {level}");
            let (n, n_cut) = (own.count() as u32, back.comparison.as_ref().unwrap().n_cut);
            assert_eq!(n + n_cut, sent.rows.len() as u32, "{pair:?} at {level}");
            let summed: u32 = comparison
                .rows
                .iter()
                .filter(|row| row.tier == Some(Tier::LeftOut))
                .map(|row| row.name().split(' ').next().unwrap().replace(',', "").parse::<u32>().unwrap())
                .sum();
            assert_eq!(summed, n_cut, "{pair:?} at {level}: each sum says how many rows it has");
            for part in &comparison.parts {
                assert!(
                    part.children.iter().all(|(row, _)| comparison.rows[*row as usize].tier != Some(Tier::LeftOut))
                );
            }
            for change in &comparison.program_changes.changes {
                assert_eq!(comparison.rows[change.row as usize].delta_ps, change.delta_ps, "{pair:?} at {level}");
            }
            // A second cut gives the same as the first one alone.
            assert!(level > 0 || back.cut_to(Level::SMALL) == back, "{pair:?}");
        }
    }
}

#[test]
fn a_link_of_a_comparison_is_short_and_its_markdown_is_that_of_the_sender() {
    for pair in PAIRS {
        let sent = compared(pair);
        let full = Report::of_comparison(sent.clone());
        let level =
            query(0).fits(&full).unwrap_or_else(|| panic!("{pair:?}: {}", encode_link(&query(0).cut(&full)).len()));
        let back = decode_link(&encode_link(&query(level).cut(&full))).unwrap();
        let expected = compare::text::markdown(&sent, None);
        let of_file = markdown(&full, Some("https://x/#y"));
        assert_eq!(of_file, format!("{expected}\n[Open in Rooflight](https://x/#y)\n"));
        // A link has fewer rows, and the lines of Markdown above the rows are the same.
        let head = |text: &str| {
            text.lines().take_while(|line| !line.starts_with("| Op")).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(head(&markdown(&back, None)), head(&expected), "{pair:?} at {level}");
    }
}

/// Opens both captures of a pair as the page does.
fn opened(pair: (&str, &str)) -> OpenSessions {
    let mut sessions = OpenSessions::default();
    for (slot, name) in [(SessionSlot::First, pair.0), (SessionSlot::Second, pair.1)] {
        let input = Input { name: name.to_owned(), source: Box::new(bytes(name)), from_folder: false };
        let (session, info) = OpenSession::open(vec![input], &mut |_| {}).map_err(|failure| failure.message).unwrap();
        sessions.set(slot, session, info);
    }
    sessions
}

fn answer<T: serde::de::DeserializeOwned>(sessions: &mut OpenSessions, request: ViewRequest) -> T {
    sessions.answer(&request.into()).decode().unwrap_or_else(|reply| panic!("{reply:?}"))
}

#[test]
fn the_page_shares_and_opens_a_comparison() {
    let mut sender = opened(PAIRS[0]);
    let sent: Comparison = answer(&mut sender, ViewRequest::Compare(CompareQuery::default()));
    let share = ShareQuery { comparison: Some(CompareQuery::default()), with_sources: true, ..ShareQuery::default() };
    let shared: ShareAnswer = answer(&mut sender, ViewRequest::Share(share.clone()));
    assert!(shared.preview.tables.iter().any(|table| table.title == "Ops" && table.shown < table.total), "{shared:?}");
    assert!(!shared.first.is_empty() && shared.n_sources > 0);
    let file: Vec<u8> = answer(
        &mut sender,
        ViewRequest::ShareFile { query: ShareQuery { level: 100, ..share.clone() }, captures: vec![] },
    );
    let url = Some("https://x/#y".to_owned());
    let text: String = answer(&mut sender, ViewRequest::ShareMarkdown { query: share.clone(), url });
    let markdown: String = answer(&mut sender, ViewRequest::CompareMarkdown(CompareQuery::default()));
    assert_eq!(text, format!("{markdown}\n[Open in Rooflight](https://x/#y)\n"));

    let input = Input { name: "c.rooflight".to_owned(), source: Box::new(file), from_folder: false };
    let of_link = OpenSession::open_link(&shared.link).map_err(|failure| failure.message).unwrap();
    let of_file = OpenSession::open(vec![input], &mut |_| {}).map_err(|failure| failure.message).unwrap();
    for (is_link, (session, info)) in [(true, of_link), (false, of_file)] {
        let summary = info.summary.clone().unwrap();
        assert_eq!(summary.comparison.as_ref().map(|names| names.len()), Some(2));
        assert!(summary.sentence.starts_with("This is a shared comparison of gpu/xla"), "{}", summary.sentence);
        // Tables that lack rows are counted.
        for table in
            shared.preview.tables.iter().filter(|table| ["Ops", "Scopes", "Collectives"].contains(&&*table.title))
        {
            let rows = format!("{} of {} {}", table.shown, table.total, table.title.to_lowercase());
            let is_said = is_link && table.shown < table.total;
            assert_eq!(summary.sentence.contains(&rows), is_said, "{rows}: {}", summary.sentence);
        }
        assert_eq!(summary.sentence.contains("were sent"), is_link, "{}", summary.sentence);
        let mut reader = OpenSessions::default();
        reader.set(SessionSlot::First, session, info);
        let found: Comparison = answer(&mut reader, ViewRequest::Compare(CompareQuery::default()));
        let names = |comparison: &Comparison| [comparison.a.files.clone(), comparison.b.files.clone()].concat();
        assert_eq!(names(&found).len(), 2);
        let plain = |comparison: &Comparison| {
            let mut bare = figures(comparison);
            (bare.a.files, bare.b.files) = (Vec::new(), Vec::new());
            bare
        };
        assert_eq!(plain(&found), plain(&sent), "link: {is_link}");
        let parts = |comparison: &Comparison| {
            comparison.parts.iter().map(|part| (part.owner, part.delta_ps)).collect::<Vec<_>>()
        };
        assert_eq!(parts(&found), parts(&sent));
        // Sums come last in the table, whatever its order.
        let selection = RowSelection { rows: CompareRows::All, ..RowSelection::default() };
        let table = TableQuery::Compare(CompareQuery::default(), selection);
        let action = TableAction::Rows(PageQuery { count: 5_000, ..PageQuery::default() });
        let page: TablePage = answer(&mut reader, ViewRequest::Table { table, action });
        let is_sum = |key: &str| key.contains(" other row");
        let first = page.rows.iter().position(|row| is_sum(&row.key)).unwrap_or(page.rows.len());
        assert!(page.rows[first..].iter().all(|row| is_sum(&row.key)));
        assert_eq!(first < page.rows.len(), is_link);
        let key = found.rows[0].key();
        let ops: ComparedOps =
            answer(&mut reader, ViewRequest::CompareOps { query: CompareQuery::default(), key: key.clone() });
        assert!(ops.row.key() == key && ops.a.is_none() && ops.b.is_none());
        let dots: CompareDots = answer(&mut reader, ViewRequest::CompareDots(CompareQuery::default()));
        assert!(!dots.dots.is_empty());
        let timeline: CompareTimeline = answer(
            &mut reader,
            ViewRequest::CompareTimeline(CompareTimelineQuery { n_columns: 10, ..Default::default() }),
        );
        assert!(timeline.sides.iter().all(|side| side.absent.is_some()));
        // It can be passed on, and gains nothing by that.
        let again: ShareAnswer = answer(&mut reader, ViewRequest::Share(share.clone()));
        assert_eq!(again.link == shared.link, is_link || share.level == 0);
        // It is no session with ops.
        let reply = reader.answer(&ViewRequest::Breakdown(Default::default()).into());
        let head = reply.answer::<requests::Breakdown>();
        assert!(matches!(&head, Ok(head) if head.n_groups == 0) || matches!(head, Err(Reply::Failed(_))));
    }
}

#[test]
fn a_shared_comparison_is_no_side_of_another_one() {
    let report = Report::of_comparison(compared(PAIRS[0]));
    let mut a = CompareSide::of_report(report.clone());
    let mut b = side(PAIRS[0].0, bytes(PAIRS[0].0));
    let failure = compare_sessions(&mut a, &mut b, &CompareOptions::default()).err().unwrap();
    assert!(failure.message.contains("shared comparison"), "{failure:?}");
    assert!(CompareSide::of_report(report).received().is_some());
}

#[test]
fn removed_texts_are_in_no_shared_comparison() {
    let mut sent = compared(PAIRS[0]);
    let source = sent.rows.iter().find_map(|row| row.a.as_ref()?.source.clone()).unwrap();
    sent.notes.push(format!("The op at {source} has no partner."));
    let full = Report::of_comparison(sent.clone());
    let texts = |report: &Report| -> Vec<String> {
        report.preview().texts.into_iter().flat_map(|section| section.texts).collect()
    };
    let sides = || sent.rows.iter().flat_map(|row| [&row.a, &row.b]).flatten();
    let sources: Vec<&str> = sides().filter_map(|side| side.source.as_deref()).collect();
    let files: Vec<&str> = sources.iter().filter_map(|source| source.split(':').next()).collect();
    assert!(files.iter().any(|file| file.ends_with(".py")));
    let without = full.without_sources();
    let notes = &without.comparison.as_ref().unwrap().comparison.notes;
    assert!(notes.contains(&"The op has no partner.".to_owned()), "the sentence stays: {notes:?}");
    assert_eq!(notes.len(), sent.notes.len());
    for text in texts(&without) {
        assert!(!files.iter().any(|file| text.contains(file)), "{text}");
    }
    assert!(texts(&full).iter().any(|text| text.ends_with(".py") || text.contains(".py:")));
    let anonymous = query(100).cut(&full).anonymise();
    let scopes: Vec<&str> = sides().filter_map(|side| side.scope.as_deref()).filter(|scope| scope.len() > 8).collect();
    assert!(!scopes.is_empty());
    for text in texts(&anonymous) {
        assert!(!scopes.contains(&text.as_str()) && !text.contains("train_step"), "{text}");
    }
    let comparison = &anonymous.comparison.as_ref().unwrap().comparison;
    assert!(
        comparison.notes.is_empty() && comparison.parity.iter().all(|parity| parity.a.is_none() && parity.b.is_none())
    );
    assert_eq!((comparison.delta_ps, comparison.p, sums(&comparison.rows)), (sent.delta_ps, sent.p, sums(&sent.rows)));
    // Sums of rows keep their names after names are replaced.
    let cut = full.cut_to(Level::SMALL).anonymise();
    let rows = &cut.comparison.as_ref().unwrap().comparison.rows;
    assert!(rows.iter().filter(|row| row.tier == Some(Tier::LeftOut)).all(|row| row.name().contains(" other row")));
}

#[test]
fn the_command_line_shares_and_prints_a_comparison() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for (name, capture) in [("a.xplane.pb.xz", PAIRS[0].0), ("b.xplane.pb.xz", PAIRS[0].1)] {
        std::fs::write(path(name), bytes(capture)).unwrap();
    }
    let run = |args: &[&str]| {
        let out = Command::new(env!("CARGO_BIN_EXE_rooflight"))
            .arg("compare")
            .args(args)
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8(out.stdout).unwrap()
    };
    let pair = ["a.xplane.pb.xz", "b.xplane.pb.xz"];
    let with = |options: &[&'static str]| run(&[&pair[..], options].concat());
    with(&["--rooflight", "c.rooflight"]);
    let json = with(&["--json"]);
    assert_eq!(run(&["c.rooflight", "--json"]), json, "a file at full detail prints the same JSON");
    assert_eq!(run(&["c.rooflight", "--markdown"]), with(&["--markdown"]));
    assert_eq!(run(&["c.rooflight"]), with(&[]));
    // One HTML page holds the comparison, too.
    std::fs::create_dir(path("app")).unwrap();
    std::fs::write(path("app/page.pack"), "the page, packed").unwrap();
    with(&["--html", "c.html", "--app", "app"]);
    assert_eq!(run(&["c.html", "--json"]), json);
    with(&["--rooflight", "anonymous.rooflight", "--anonymise", "--level", "0"]);
    let anonymous = run(&["anonymous.rooflight", "--json"]);
    assert!(!anonymous.contains("train_step") && !anonymous.contains(".py") && anonymous.contains(" other row"));
    let link = with(&["--link", "https://example.com/r/"]);
    assert!(with(&["--link", "https://example.com/r/", "--level", "0"]).len() < link.len());
    assert!(
        link.starts_with("https://example.com/r/#v=1&view=compare&report=") && link.len() <= 8_000,
        "{}",
        link.len()
    );
    let of_link: serde_json::Value = serde_json::from_str(&run(&[link.trim(), "--json"])).unwrap();
    let own: serde_json::Value = serde_json::from_str(&json).unwrap();
    for field in [
        "sentence",
        "verdict",
        "a_ps",
        "b_ps",
        "delta_ps",
        "p",
        "interval_ps",
        "figures",
        "findings",
        "memory",
        "parity",
    ] {
        assert_eq!(of_link[field], own[field], "{field}");
    }
    let waterfall = |document: &serde_json::Value| -> Vec<serde_json::Value> {
        document["waterfall"].as_array().unwrap().iter().map(|part| part["delta_ps"].clone()).collect()
    };
    assert_eq!(waterfall(&of_link), waterfall(&own));
}
