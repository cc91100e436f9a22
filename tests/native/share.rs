//! These tests check reports of real captures and of the sample: their contents, their lengths, the names and texts
//! that leave with them, and the answers of a session that is opened from a report.

use crate::common;
use crate::common::{bytes, make};
use regex_lite::Regex;
use rooflight::analysis::base::{Filter, GroupBy, Query, StepChoice};
use rooflight::analysis::breakdown::columns::GROUP_TABLE;
use rooflight::analysis::classify::Kind;
use rooflight::analysis::comm::CommQuery;
use rooflight::analysis::memory::{MemoryQuery, Points, StaticMemory};
use rooflight::analysis::overview::{Overview, OverviewQuery, RuleId};
use rooflight::analysis::roofline::RooflineQuery;
use rooflight::chart::overview;
use rooflight::protocol::table_query::{ExportQuery, TableAction, TableQuery};
use rooflight::protocol::url::address::PageAddress;
use rooflight::protocol::url::roofline::RoofBy;
use rooflight::protocol::{
    BreakdownHead, Capabilities, CommView, Export, MemorySession, Reply, Request, RooflineHead, SessionInfo,
    ShareAnswer, ShareQuery, ViewRequest, requests,
};
use rooflight::session::{Input, OpenSession};
use rooflight::share::{
    Fit, Level, MAX_LINK_LENGTH, OpRow, Report, TARGET_LINK_LENGTH, decode, decode_link, encode, encode_link, markdown,
    pack,
};
use rooflight::table::format::{TimeUnit, time, time_text};
use rooflight::table::page::{PageQuery, SortBy, TablePage};
use std::path::Path;
use xla_profile::units::{Count, Picos};
use xla_profile::wire::proto::xspace::XSpace;

type Files = Vec<(&'static str, Vec<u8>)>;

/// Opens captures as one session.
fn open(files: &Files) -> (OpenSession, SessionInfo) {
    let input = |(name, bytes): &(&str, Vec<u8>)| Input {
        name: (*name).to_owned(),
        source: Box::new(bytes.clone()),
        from_folder: false,
    };
    OpenSession::open(files.iter().map(input).collect(), &mut |_| {}).unwrap_or_else(|failure| panic!("{failure:?}"))
}

/// Returns the sample that the page offers.
fn sample() -> Files {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/sample.xplane.pb.xz");
    vec![("sample.xplane.pb.xz", std::fs::read(path).unwrap())]
}

/// Returns the captures of this repository, and other real captures if there are any.
fn all() -> Vec<Files> {
    common::xspaces().into_iter().map(|capture| vec![capture]).collect()
}

fn report(files: &Files) -> Report {
    open(files).0.report(&ShareQuery::default()).unwrap()
}

#[test]
fn a_report_is_read_back_exactly() {
    for report in all().iter().map(report) {
        for level in [0, 10, 25, 50, 75, 99, 100] {
            let result = report.cut_to(Level::from_slider(level));
            let back =
                decode(&encode(&result)).unwrap_or_else(|error| panic!("{} at {level}: {error}", report.files()));
            assert!(back == result, "{} at {level}", report.files());
        }
    }
}

#[test]
fn shown_and_cut_parts_sum_to_the_whole() {
    for full in all().iter().map(report) {
        for level in [0, 25, 60, 99, 100] {
            let result = full.cut_to(Level::from_slider(level));
            let name = format!("{} at {level}", full.files());
            assert_eq!(result.n_rows(), full.n_rows(), "{name}");
            let rows_of = |report: &Report, kind| -> Picos {
                let rows = report.rows.iter().filter(|row| row.group.kind == kind).map(|row| row.group.total);
                rows.chain(report.rest.iter().filter(|rest| rest.kind == kind).map(|rest| rest.total)).sum()
            };
            // An op whose kernels are of several kinds counts as a whole for the kind with most of its time.
            let mixed = |kind| {
                let rows = full.rows.iter().filter(move |row| row.group.kind == kind);
                rows.map(|row| row.group.other_kinds)
            };
            let of_other_kinds: Picos = Kind::ALL.into_iter().flat_map(mixed).sum();
            for kind in Kind::ALL {
                assert_eq!(rows_of(&result, kind), rows_of(&full, kind), "{name}, {kind:?}");
                let own = rows_of(&full, kind).saturating_sub(mixed(kind).sum());
                let from_others = result.totals.time_of_kind(kind).0 - own.0;
                assert!(from_others <= of_other_kinds.0, "{name}, {kind:?}");
            }
            let totals = &result.totals;
            assert_eq!(totals.by_kind.iter().copied().sum::<Picos>(), totals.busy, "{name}");
            if let Some(window) = result.header.step_duration {
                assert_eq!(totals.union + totals.idle, window, "{name}");
            }
            for row in result.rows.iter().filter_map(|row| Some((row, row.point.as_ref()?))) {
                let skipped: Picos = row.1.skipped.iter().map(|skipped| skipped.total).sum();
                let roof = row.1.roof.as_ref().map_or(Picos::ZERO, |roof| roof.total);
                assert!(level < 100 || roof + skipped == row.0.roofline_group().total, "{name}, {}", row.0.group.key);
                if let Some(roof) = &row.1.roof {
                    assert_eq!(roof.bound_total.iter().copied().sum::<Picos>(), roof.total, "{name}");
                    assert_eq!(roof.gap, roof.total.0 as i64 - roof.t_roof.0 as i64, "{name}");
                }
            }
            for space in &result.memory.spaces {
                let buffers: u64 = space.alive.buffers.iter().map(|buffer| buffer.size).sum();
                assert_eq!(buffers + space.alive.rest, space.alive.size, "{name}");
                assert!(space.curve.columns.iter().all(|column| column.most <= space.alive.size), "{name}");
            }
            let comm = &result.comm.comm;
            for row in comm.rows.iter().chain(&comm.copy_rows) {
                assert_eq!(row.overlap.exposed + row.overlap.overlapped, row.overlap.in_flight, "{name}");
            }
            // Totals do not change. Ops are rounded to four digits, except for the longest ops of each kind, which take
            // the difference that rounding leaves.
            assert_eq!((&result.header, totals), (&full.header, &full.totals), "{name}");
            for row in &result.rows {
                let is = |other: &&OpRow| {
                    (&other.group.key, other.group.program_id) == (&row.group.key, row.group.program_id)
                };
                let expected = full.rows.iter().find(is).unwrap().group.total;
                assert!(
                    row.group.total.0.abs_diff(expected.0) as f64 <= 1e-3 * expected.as_f64(),
                    "{name}, {}",
                    row.group.key
                );
            }
        }
    }
}

/// Returns a trace whose programs have no ids. Ops of several programs share rows, so that rows hold ops of several
/// kinds.
fn mixed_rows(n_ops: u64, seed: u64) -> Files {
    let categories = ["loop fusion", "all-reduce fusion", "data formatting", "convolution fusion", "infeed", "while"];
    let mut random = fastrand::Rng::with_seed(seed);
    let mut events = String::from(
        r#"{"ph":"M","pid":1,"name":"process_name","args":{"name":"/device:TPU:0"}},{"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"XLA Ops"}}"#,
    );
    let mut time = 0;
    for _ in 0..n_ops {
        let (op, category) = (random.u64(0..n_ops / 4 + 1), categories[random.usize(0..categories.len())]);
        let dur = random.u64(1..1_000_000);
        events += &format!(
            r#",{{"ph":"X","pid":1,"tid":1,"ts":{time}.5,"dur":{dur}.123457,"name":"fusion.{op}","args":{{"hlo_category":"{category}","long_name":"%fusion.{op} = f32[8] fusion(%a)"}}}}"#
        );
        time += dur + 7;
    }
    vec![("mixed.trace.json", format!("{{\"traceEvents\":[{events}]}}").into_bytes())]
}

#[test]
fn rows_of_several_kinds_keep_their_time_at_every_level() {
    for seed in 0..12 {
        let full = report(&mixed_rows(4 << (seed % 6), seed));
        let is_mixed = |row: &&OpRow| row.group.categories.len() > 1;
        assert!(full.rows.iter().filter(is_mixed).count() > 0, "seed {seed}: no row holds ops of several kinds");
        for level in 0..=100 {
            let result = full.cut_to(Level::from_slider(level));
            let total = |report: &Report| -> Picos {
                let rows = report.rows.iter().map(|row| row.group.total);
                rows.chain(report.rest.iter().map(|rest| rest.total)).sum()
            };
            assert_eq!(total(&result), full.totals.busy, "seed {seed} at {level}");
            for kind in Kind::ALL {
                let sum = |report: &Report| -> Picos {
                    let rows = report.rows.iter().filter(|row| row.group.kind == kind).map(|row| row.group.total);
                    rows.chain(report.rest.iter().filter(|rest| rest.kind == kind).map(|rest| rest.total)).sum()
                };
                assert_eq!(sum(&result), sum(&full), "seed {seed} at {level}, {kind:?}");
            }
            let back = decode(&encode(&result)).unwrap();
            assert_eq!(total(&back), full.totals.busy, "seed {seed} at {level}, read back");
        }
    }
}

#[test]
fn figures_are_exact_and_rows_print_as_in_the_capture() {
    for full in all().iter().map(report) {
        for level in [0, 25, 60] {
            let result = full.cut_to(Level::from_slider(level));
            let name = format!("{} at {level}", full.files());
            assert_eq!((&result.header, &result.totals), (&full.header, &full.totals), "{name}");
            let (a, b) = (&result.roofline.figures, &full.roofline.figures);
            assert_eq!((&a.step, &a.window, &a.skipped), (&b.step, &b.window, &b.skipped), "{name}");
            assert_eq!(
                (a.considered, a.coverage, a.latency_bound),
                (b.considered, b.coverage, b.latency_bound),
                "{name}"
            );
            for (a, b) in result.steps.devices.iter().zip(&full.steps.devices) {
                for (a, b) in a.all.iter().chain(&a.steady).zip(b.all.iter().chain(&b.steady)) {
                    assert_eq!((a.n, a.min, a.max), (b.n, b.min, b.max), "{name}");
                    assert!((a.mean / b.mean - 1.0).abs() < 1e-6 && (a.median / b.median - 1.0).abs() < 1e-6, "{name}");
                    assert_eq!(time_text(Picos(a.mean as u64)), time_text(Picos(b.mean as u64)), "{name}");
                }
                for (a, b) in a.steps.iter().zip(&b.steps) {
                    assert_eq!(time_text(a.length), time_text(b.length), "{name}, step {}", a.number);
                    assert_eq!(time_text(a.duration), time_text(b.duration), "{name}, step {}", a.number);
                    assert_eq!(a.by_kind.iter().copied().sum::<Picos>(), a.busy, "{name}, step {}", a.number);
                }
            }
            let (a, b) = (&result.comm.comm, &full.comm.comm);
            assert_eq!((&a.tensor, &a.copies, &a.sparse), (&b.tensor, &b.copies, &b.sparse), "{name}");
            assert_eq!(result.memory.checks, full.memory.checks, "{name}");
            for row in &result.rows {
                let same = |counterpart: &&OpRow| {
                    (&counterpart.group.key, counterpart.group.program_id) == (&row.group.key, row.group.program_id)
                };
                let counterpart = full.rows.iter().find(same).unwrap();
                let text = time_text(counterpart.group.total);
                assert_eq!(time_text(row.group.total), text, "{name}, {}", row.group.key);
                let unit = TimeUnit::for_largest(full.totals.busy);
                assert_eq!(
                    time(row.group.total, unit),
                    time(counterpart.group.total, unit),
                    "{name}, {}",
                    row.group.key
                );
            }
        }
    }
}

/// Returns a trace with one op of any name and any category.
fn strange(name: &str, category: &str) -> Files {
    let (name, category) = (serde_json::json!(name), serde_json::json!(category));
    let events = format!(
        r#"{{"traceEvents":[{{"ph":"M","pid":1,"name":"process_name","args":{{"name":"/device:TPU:0"}}}},{{"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{{"name":"XLA Ops"}}}},{{"ph":"X","pid":1,"tid":1,"ts":0,"dur":1000,"name":{name},"args":{{"hlo_category":{category}}}}}]}}"#
    );
    vec![("strange.trace.json", events.into_bytes())]
}

#[test]
fn names_have_no_effect_in_exports() {
    for (name, csv, plain) in [
        ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0", None),
        ("@SUM(1)", "'@SUM(1)", None),
        ("+1+1", "'+1+1", None),
        ("![x](http://evil.example/track.png)", "![x](http://evil.example/track.png)", Some("![x](http:")),
        ("<img src=http://evil.example>", "<img src=http://evil.example>", Some("| <img")),
        ("a\r\u{1b}[2J| b", "a\\r\\u{1b}[2J| b", Some("\u{1b}")),
        ("`code`", "`code`", Some("| `code")),
    ] {
        let files = strange(name, "loop fusion");
        let (mut engine, _) = open(&files);
        let rows = ExportQuery::Breakdown { query: Query::default(), sort: None };
        let text = common::answer_of(&mut engine, requests::ExportRows { rows, format: Export::Csv });
        assert!(text.contains(&format!("\n{csv}")) || text.contains(&format!("\n\"{csv}")), "{text}");
        let text = markdown(&report(&files), None);
        assert!(plain.is_none_or(|plain| !text.contains(plain)), "{text}");
        assert!(!text.contains("http://") && !text.contains('\r'), "{text}");
    }
}

#[test]
fn categories_of_no_compiler_are_pseudonyms_too() {
    let anonymous_report = |category: &str| report(&strange("fusion.1", category)).anonymise();
    let secret = "acme sparse attention";
    let anonymous = anonymous_report(secret);
    assert!(!holds(&anonymous, secret) && !holds(&anonymous, "acme"));
    assert_eq!(anonymous.rows[0].group.main_category(), Some("category-1"));
    assert_eq!(anonymous_report("convolution fusion").rows[0].group.main_category(), Some("convolution fusion"));
    let sections = report(&strange("fusion.1", secret)).preview().texts;
    let telling = sections.iter().find(|section| section.texts.contains(&secret.to_owned())).unwrap();
    assert!(telling.is_telling, "{telling:?}");
}

/// Returns a title or a verdict as a report without source lines has it: without "(moe.py:33, :28)" and "at train.py:81".
fn without_lines(text: &str) -> String {
    let lines = r"[\w./]+\.py:\d+(, [\w./]*:\d+)*";
    Regex::new(&format!(r" \({lines}\)| at {lines}")).unwrap().replace_all(text, "").into_owned()
}

fn points(report: &Report) -> usize {
    report.rows.iter().filter(|row| row.point.as_ref().is_some_and(|point| point.roof.is_some())).count()
}

#[test]
fn the_link_of_the_sample_is_short_and_has_the_main_figures() {
    let full = report(&sample());
    let level = ShareQuery::default().fits(&full).unwrap();
    let result = ShareQuery { level, ..ShareQuery::default() }.cut(&full);
    let address = PageAddress { report: encode_link(&result), ..PageAddress::default() };
    let url = format!("https://someone.github.io/rooflight/#{address}");
    assert!(url.len() <= TARGET_LINK_LENGTH && Fit::from_length(url.len()) == Fit::Good, "{}", url.len());
    let back = decode_link(&url.split_once('#').unwrap().1.parse::<PageAddress>().unwrap().report).unwrap();
    assert_eq!(back, result);
    assert!(back.header.step_duration.is_some_and(|time| time > Picos::ZERO));
    assert!(back.totals.time_of_kind(Kind::Compute) > Picos::ZERO && back.totals.idle > Picos::ZERO);
    assert!(back.roofline.figures.window.hfu.is_some_and(|hfu| hfu > 0.0 && hfu < 1.0));
    assert!(back.memory.programs.iter().any(|program| program.spaces.iter().any(|space| space.peak > 0)));
    let space = &back.memory.spaces[0];
    assert!(
        back.rows.len() >= 4 && points(&back) >= 2 && back.groups.iter().all(|group| group.rows.len() >= 3),
        "{} {}",
        back.rows.len(),
        points(&back)
    );
    assert!(space.curve.columns.len() >= 16 && space.alive.buffers.len() >= 3);
    assert!(back.comm.comm.rows.len() >= 3);
    // The overview is in every link.
    let (overview, own) = (back.overview.as_ref().unwrap(), full.overview.as_ref().unwrap());
    assert_eq!((overview.findings.len(), &overview.verdict), (7, &without_lines(&own.verdict)));
    assert!(back.steps.devices[0].all.is_some());
}

/// The table in docs/SHARING.md has the values that are measured here.
#[test]
fn lengths_are_as_documented() {
    let report = report(&sample()).without_sources();
    let docs = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/SHARING.md")).unwrap();
    let mut missing = Vec::new();
    for level in [0, 12, 25, 37, 50, 62, 75, 87, 99] {
        let result = report.cut_to(Level::from_slider(level));
        let space = &result.memory.spaces[0];
        let (ops, points, length) = (result.rows.len(), points(&result), encode_link(&result).len());
        let (curve, buffers) = (space.curve.columns.len(), space.alive.buffers.len());
        // Lengths are rounded up to the hundred, because the next release of a packer may save a few bytes.
        let length = length.div_ceil(100) * 100;
        let line = format!(
            "| {level} | {ops} | {points} | {curve} | {buffers} | {} | {length} |",
            result.comm.comm.rows.len()
        );
        missing.extend((!docs.contains(&line)).then_some(line));
    }
    assert!(missing.is_empty(), "docs/SHARING.md lacks\n{}", missing.join("\n"));
}

#[test]
fn the_fit_of_a_link_depends_on_its_length() {
    assert_eq!(
        [
            Fit::from_length(TARGET_LINK_LENGTH),
            Fit::from_length(TARGET_LINK_LENGTH + 1),
            Fit::from_length(MAX_LINK_LENGTH),
            Fit::from_length(MAX_LINK_LENGTH + 1)
        ],
        [Fit::Good, Fit::Long, Fit::Long, Fit::TooLong]
    );
    assert_eq!(Fit::Good.sentence(1), None);
    assert!(Fit::TooLong.sentence(70_000).unwrap().contains("70000"));
}

/// Returns whether an encoded report contains a text, packed or unpacked.
fn holds(report: &Report, text: &str) -> bool {
    let bytes = encode(report);
    let mut packed = &bytes[1..];
    while packed[0] & 0x80 != 0 {
        packed = &packed[1..];
    }
    let mut open = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::DeflateDecoder::new(&packed[5..]), &mut open).unwrap();
    assert!(open.len() > packed.len());
    let has = |bytes: &[u8]| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    has(&bytes) || has(&open)
}

#[test]
fn source_lines_are_shared_only_if_requested() {
    for full in all().iter().map(report) {
        let groups = full.rows.iter().map(|row| &row.group);
        let mut sources: Vec<&str> = groups.filter_map(|group| group.source_inner.as_deref()).collect();
        sources.sort_unstable();
        sources.dedup();
        let file = |source: &&str| source.split(':').next().unwrap().to_owned();
        let files: std::collections::BTreeSet<String> = sources.iter().map(file).collect();
        let result = full.without_sources();
        for file in files.iter().filter(|file| file.len() > 3) {
            assert!(!holds(&result, file), "{}: {file}", full.files());
        }
        if let Some(source) = sources.first() {
            // The preview is compared, because the encoded table stores a text only from the point at which it differs
            // from the text before.
            assert!(
                full.preview()
                    .texts
                    .iter()
                    .any(|s| s.title.contains("source") && s.texts.contains(&(*source).to_owned()))
            );
        }
        assert!(result.preview().texts.iter().all(|section| !section.title.contains("source")));
        assert!(!result.origin.has_sources && full.origin.has_sources);
    }
}

#[test]
fn equal_names_get_equal_pseudonyms() {
    let full = report(&sample());
    let result = full.anonymise();
    let section = |title: &str| {
        let found = result.preview().texts.into_iter().find(|section| section.title == title);
        found.map(|section| section.texts).unwrap_or_default()
    };
    for scope in section("Scopes and layers") {
        assert!(scope.starts_with("scope-"), "{scope}");
    }
    for program in section("Programs") {
        assert!(program.starts_with("program-") || program.bytes().all(|b| b.is_ascii_digit()), "{program}");
    }
    assert!(section("Shapes").iter().all(|shape| !shape.contains(|c: char| c == ',' && shape.contains("[8"))));
    assert!(section("Notes").is_empty() && section("Lines of source code").is_empty());
    for (a, b) in full.rows.iter().zip(&result.rows) {
        let same = full.rows.iter().zip(&result.rows).filter(|(other, _)| other.group.tf_op == a.group.tf_op);
        assert!(same.take(20).all(|(_, other)| other.group.tf_op == b.group.tf_op));
        assert_eq!(a.group.total, b.group.total);
    }
    for row in full.rows.iter().filter_map(|row| row.group.tf_op.as_deref()).take(50) {
        assert!(!holds(&result, row), "{row}");
    }
    assert_eq!(result.anonymise(), result, "twice is once");
}

fn answer<T: serde::de::DeserializeOwned>(engine: &mut OpenSession, request: ViewRequest) -> T {
    engine.answer(&request.into()).decode().unwrap_or_else(|reply| panic!("{reply:?}"))
}

#[test]
fn a_full_summary_answers_as_its_capture_does() {
    for files in all() {
        let (mut capture, _) = open(&files);
        let full = capture.report(&ShareQuery::default()).unwrap();
        let (mut summary, session) = OpenSession::of_report(full);
        assert!(session.summary.is_some());
        for by in [GroupBy::Op, GroupBy::Kind] {
            let query = Query { by, ..Query::default() };
            let head = |engine: &mut OpenSession| {
                let head = common::answer_of(engine, requests::Breakdown(query.clone()));
                BreakdownHead { notes: Vec::new(), ..head }
            };
            let (a, b) = (head(&mut capture), head(&mut summary));
            if by == GroupBy::Op {
                assert_eq!(a, b);
            }
            assert_eq!((a.header, a.totals, a.shown.total), (b.header, b.totals, b.shown.total));
            for column in GROUP_TABLE.shown.iter().filter(|_| by == GroupBy::Op) {
                let sort = Some(SortBy::new(column.id, true));
                let page = PageQuery { sort, first: 3, count: 40, ..PageQuery::default() };
                let rows = |engine: &mut OpenSession| common::breakdown_page(engine, &query, page.clone());
                let (a, b) = (rows(&mut capture), rows(&mut summary));
                let keys = |page: &TablePage| page.rows.iter().map(|row| row.key.clone()).collect::<Vec<String>>();
                assert_eq!(keys(&a), keys(&b), "{} of {}", column.id, files[0].0);
                let differing = a.rows.iter().zip(&b.rows).find(|(a, b)| a != b);
                assert!(a == b, "{} of {}: {differing:#?}", column.id, files[0].0);
            }
        }
        let roof = |engine: &mut OpenSession| {
            let mut head: RooflineHead = answer(engine, ViewRequest::Roofline(RooflineQuery::default()));
            head.figures.notes.clear();
            head
        };
        assert_eq!(roof(&mut capture), roof(&mut summary), "{}", files[0].0);
        for by in RoofBy::ALL.into_iter().filter(|by| matches!(by, RoofBy::Op | RoofBy::Step)) {
            let table = TableQuery::Roofline(RooflineQuery::default(), by);
            let action = TableAction::Rows(PageQuery { count: 50, ..PageQuery::default() });
            let request = ViewRequest::Table { table, action };
            let rows = |engine: &mut OpenSession| answer::<TablePage>(engine, request.clone());
            assert_eq!(rows(&mut capture), rows(&mut summary));
        }
        let steps = |engine: &mut OpenSession| common::answer_of(engine, requests::StepStats);
        assert_eq!(steps(&mut capture), steps(&mut summary));
        let memory = |engine: &mut OpenSession| {
            let mut session: MemorySession = answer(engine, ViewRequest::Memory);
            session.programs.notes.clear();
            session
        };
        let session = memory(&mut capture);
        assert_eq!(session, memory(&mut summary));
        if let Some(program) = session.programs.programs.iter().find(|program| !program.spaces.is_empty()) {
            let request = MemoryQuery {
                program: program.program,
                color: program.spaces[0].color,
                columns: 4096,
                buffers: u32::MAX,
                ..MemoryQuery::default()
            };
            let space = |engine: &mut OpenSession| {
                answer::<StaticMemory>(engine, ViewRequest::MemoryOf(request.clone())).space.unwrap()
            };
            let (a, b) = (space(&mut capture), space(&mut summary));
            assert_eq!((a.peak, a.curve, a.alive, a.rollups), (b.peak, b.curve, b.alive, b.rollups));
        }
        let comm = |engine: &mut OpenSession| {
            let mut view: CommView = answer(engine, ViewRequest::Comm(CommQuery::default()));
            view.comm.notes.clear();
            view.comm = view.comm.as_in_report();
            view
        };
        assert_eq!(comm(&mut capture), comm(&mut summary));
    }
}

#[test]
fn a_summary_refuses_requests_for_missing_data() {
    let result = report(&sample()).cut_to(Level::USUAL);
    let (mut engine, session) = OpenSession::of_report(result.clone());
    let summary = session.summary.unwrap();
    assert!(
        summary
            .sentence
            .starts_with("This is a summary of sample.xplane.pb.xz; it holds the mean of 3 steps of 8 devices by op"),
        "{}",
        summary.sentence
    );
    // Some ops have no row of their own.
    assert!(result.rows.len() < result.n_rows() as usize);
    // No ops of the sample are identical.
    let follows = Capabilities::report(false, true);
    let is_offered = |by: &GroupBy| {
        follows.groups_breakdown_by(*by) || matches!(by, GroupBy::Category | GroupBy::Scope | GroupBy::Module)
    };
    let breakdown_groups = GroupBy::ALL.into_iter().filter(is_offered).collect();
    let capabilities = Capabilities { breakdown_groups, ..follows };
    assert_eq!((summary.level, session.capabilities), (Level::USUAL.position, capabilities));
    let query = |by| Query { by, ..Query::default() };
    let other = Query { step: StepChoice::Number(999), ..Query::default() };
    let filtered = RooflineQuery {
        query: Query { filter: Filter { text: "x".into(), ..Filter::default() }, ..Query::default() },
        ..RooflineQuery::default()
    };
    let all_kinds = RooflineQuery { all_kinds: true, ..RooflineQuery::default() };
    let export = |rows| ViewRequest::ExportRows { rows, format: Export::Csv };
    let requests = [
        ViewRequest::Breakdown(query(GroupBy::Source)),
        ViewRequest::Breakdown(query(GroupBy::Layer)),
        ViewRequest::Breakdown(Query {
            filter: Filter { kind: Some(Kind::Compute), ..Filter::default() },
            ..query(GroupBy::Category)
        }),
        ViewRequest::Breakdown(other),
        ViewRequest::Scopes { query: Query::default(), root: String::new(), min_share: 0.0 },
        export(ExportQuery::Breakdown { query: Query::default(), sort: None }),
        export(ExportQuery::Memory),
        ViewRequest::File,
        ViewRequest::DataMovement(Query::default()),
        ViewRequest::Roofline(filtered),
        ViewRequest::Roofline(all_kinds),
        ViewRequest::MemoryAt { query: MemoryQuery::default(), point: 0 },
        ViewRequest::MemoryLiveRanges { query: MemoryQuery::default(), points: Points::default() },
    ];
    for request in requests.map(Request::from) {
        match engine.answer(&request) {
            Reply::Failed(failure) => {
                assert!(failure.message.ends_with("Open the capture for this."), "{request:?}: {failure:?}");
            }
            other => panic!("{request:?}: {other:?}"),
        }
    }
    // Summed rows are rows, too, and all rows sum to the whole. They come last in every order.
    for sort in [
        None,
        Some(SortBy::new("total_dur_ps", false)),
        Some(SortBy::new("key", true)),
        Some(SortBy::new("kind", false)),
    ] {
        let page = PageQuery { count: 1000, sort: sort.clone(), ..PageQuery::default() };
        let page = common::breakdown_page(&mut engine, &Query::default(), page);
        assert_eq!(page.rows.iter().map(common::self_time).sum::<Picos>(), result.totals.busy);
        let is_rest = |key: &str| key.contains(" other ");
        let first = page.rows.iter().position(|row| is_rest(&row.key)).unwrap();
        assert!(first > 0 && page.rows[first..].iter().all(|row| is_rest(&row.key) && !row.opens), "{sort:?}");
    }
}

/// A link shows the figures of the overview of its capture, and what it lacks is said.
#[test]
fn the_overview_of_a_link_has_the_figures_of_its_sender() {
    for files in all() {
        let (mut capture, _) = open(&files);
        let query = OverviewQuery::default();
        let Some(own): Option<Overview> = answer(&mut capture, ViewRequest::Overview(query.clone())) else { continue };
        let full = capture.report(&ShareQuery::default()).unwrap();
        for (level, with_sources) in [(0, false), (0, true), (10, false), (25, false), (60, true)] {
            let what = format!("{} at {level}, sources: {with_sources}", files[0].0);
            let link = encode_link(&ShareQuery { level, with_sources, ..ShareQuery::default() }.cut(&full));
            let (mut reader, _) = OpenSession::of_report(decode(&rooflight_bytes(&link)).unwrap());
            let overview: Option<Overview> = answer(&mut reader, ViewRequest::Overview(query.clone()));
            let overview = overview.unwrap();
            let (steps, steps_own) = (overview::steps(&overview), overview::steps(&own));
            let shown = format!("; {} of {} shown", steps.0.len(), own.steps.len());
            let is_cut = steps.0.len() < own.steps.len() && !steps_own.1.is_empty();
            let plain = |text: &str| text.split(';').next().unwrap().to_owned();
            assert_eq!(plain(&steps.1), plain(&steps_own.1), "{what}");
            assert_eq!(steps.1.ends_with(&shown), is_cut, "{what}: {}", steps.1);
            if own.devices.len() <= 64 {
                assert_eq!(overview::devices(&overview), overview::devices(&own), "{what}");
            }
            let rows = |overview: &Overview| -> Vec<(String, String, String, Option<String>)> {
                let rows = overview::sections(overview).into_iter().flat_map(|section| section.rows);
                let caption = |row: &overview::FindingRow| row.drawing.as_ref().map(|drawing| drawing.caption.clone());
                rows.map(|row| (row.id.clone(), row.cost.clone(), row.title.clone(), caption(&row))).collect()
            };
            for (found, own) in rows(&overview).into_iter().zip(rows(&own)) {
                assert_eq!((&found.0, &found.1), (&own.0, &own.1), "{what}");
                // A short link holds fewer ops of a finding, so that its title names fewer source lines.
                assert_eq!(without_lines(&found.2), without_lines(&own.2), "{what}");
                let is_part = own.2.starts_with(found.2.trim_end_matches(')')) || !with_sources;
                assert!(is_part, "{what}: {}, {}", found.2, own.2);
                // A report has no drawings of events. Those of steps and of devices have the same caption.
                assert!(found.3.is_none() || found.3 == own.3, "{what}: {found:?}, {own:?}");
            }
            let details = |overview: &Overview| -> Vec<String> {
                let mut overview = overview.clone();
                overview.all_findings().map(|finding| finding.detail.clone()).collect()
            };
            for (found, own) in details(&overview).iter().zip(details(&own)) {
                let is_path = |word: &str| word.contains(".py") || word.contains('/');
                let without: Vec<&str> = own.split(' ').filter(|word| !is_path(word)).collect();
                let bare = |text: &str| text.replace([',', '.'], "");
                match with_sources {
                    true => assert_eq!(*found, own, "{what}"),
                    false => assert!(
                        bare(found) == bare(&without.join(" ")) || bare(found) == bare(&own) || !own.contains(".py"),
                        "{what}: {found:?}, {own:?}"
                    ),
                }
            }
        }
    }
}

fn rooflight_bytes(link: &str) -> Vec<u8> {
    encode(&decode_link(link).unwrap())
}

/// The sample has eight devices and five steps, more than the lowest level keeps of other tables.
#[test]
fn a_link_of_the_sample_counts_all_steps_and_devices() {
    let full = report(&sample());
    let overview = full.cut_to(Level::SMALL).without_sources().overview.unwrap();
    assert_eq!(overview::steps(&overview).1.split(", ").next(), Some("3 of 5 counted"));
    assert!(overview::steps(&overview).1.ends_with("; 1 of 5 shown"), "{}", overview::steps(&overview).1);
    let (dots, words) = overview::devices(&overview);
    assert_eq!(dots.len(), 8);
    assert!(words.contains("at most 9.5 %") && dots.iter().any(|dot| dot.time == "15.82 ms"), "{words} {dots:?}");
    let copies = overview.findings.iter().find(|finding| finding.rule() == RuleId::LayoutCopies).unwrap();
    assert_eq!(copies.detail, "145 ops, 28.39 ms per step. Largest: copy.787, 2.30 ms.");
}

/// Of many devices, those that wait longest and least are kept, and the page says that there are more.
#[test]
fn waits_of_many_devices_are_cut_and_counted() {
    let mut full = report(&sample());
    let balance = full.comm.comm.balance.as_mut().unwrap();
    let one = balance.devices[0].clone();
    let devices = 0..200_u64;
    balance.devices = devices
        .clone()
        .map(|index| rooflight::analysis::comm::Arrival {
            device: format!("TPU:{index}"),
            waited: Some(Picos(index * 7 % 200 * 1_000_000)),
            ..one.clone()
        })
        .collect();
    let step = full.steps.devices[0].clone();
    full.steps.devices = devices
        .map(|index| rooflight::analysis::breakdown::DeviceSteps { label: format!("TPU:{index}"), ..step.clone() })
        .collect();
    let small = full.cut_to(Level::SMALL);
    let (dots, words) = overview::devices(small.overview.as_ref().unwrap());
    assert_eq!(dots.len(), 64);
    assert!(words.ends_with("; 64 of 200 shown"), "{words}");
    assert!(
        dots.iter().any(|dot| dot.time.starts_with("199")) && dots.iter().any(|dot| dot.position == 0.0),
        "{dots:?}"
    );
}

#[test]
fn a_cut_report_has_groups_of_ops_with_exact_sums() {
    for files in common::xspaces().into_iter().map(|capture| vec![capture]) {
        let (mut capture, _) = open(&files);
        let full = capture.report(&ShareQuery::default()).unwrap();
        for level in [0, 25, 60, 100] {
            let result = decode(&encode(&full.cut_to(Level::from_slider(level)))).unwrap();
            let what = format!("{} at {level}", full.files());
            let (mut reader, session) = OpenSession::of_report(result.clone());
            for (grouped, all) in result.groups.iter().zip(&full.groups) {
                let by = grouped.by;
                assert!(session.capabilities.groups_breakdown_by(by), "{what}");
                let rows = grouped.rows.iter().map(|group| group.total);
                let sum = rows.chain(grouped.rest.iter().map(|rest| rest.total)).sum::<Picos>();
                assert_eq!(sum, full.totals.busy, "{what}, {by:?}");
                let n_rest: u32 = grouped.rest.iter().map(|rest| rest.n_rows).sum();
                assert_eq!(grouped.rows.len() + n_rest as usize, all.rows.len(), "{what}, {by:?}");
                for (group, counterpart) in grouped.rows.iter().zip(&all.rows) {
                    assert_eq!(group.key, counterpart.key, "{what}");
                    assert_eq!(time_text(group.total), time_text(counterpart.total), "{what}, {}", group.key);
                    // Means of executions are rounded as all numbers of a row.
                    let [n, exact] = [group.n_executions, counterpart.n_executions].map(Count::as_f64);
                    assert!((n - exact).abs() <= 5e-4 * exact, "{what}, {}: {n} of {exact}", group.key);
                }
                let query = Query { by, ..Query::default() };
                let head = |engine: &mut OpenSession| common::answer_of(engine, requests::Breakdown(query.clone()));
                let (a, b) = (head(&mut capture), head(&mut reader));
                assert_eq!((a.shown.total, a.shown.n_all), (b.shown.total, b.shown.n_all), "{what}, {by:?}");
                let rows = |engine: &mut OpenSession| {
                    let page = PageQuery { count: 1000, ..PageQuery::default() };
                    let rows = common::breakdown_page(engine, &query, page).rows;
                    let own = rows.into_iter().filter(|row| !row.key.contains(" other "));
                    own.map(|row| (row.key.clone(), time_text(common::self_time(&row)))).collect::<Vec<_>>()
                };
                let (a, b) = (rows(&mut capture), rows(&mut reader));
                // Rows whose times print alike may have another order, because times are rounded.
                for (index, (key, time)) in b.iter().enumerate().take(8) {
                    let own = a.iter().find(|(own, _)| own == key).unwrap_or_else(|| panic!("{what}, {by:?}: {key}"));
                    assert_eq!((&own.1, &a[index].1), (time, time), "{what}, {by:?}, {key}");
                }
            }
        }
    }
}

#[test]
fn a_report_can_be_shared_again_without_gaining_data() {
    let full = report(&sample());
    let (mut engine, _) = OpenSession::of_report(full.cut_to(Level::SMALL).without_sources());
    let query = ShareQuery { level: 100, with_sources: true, ..ShareQuery::default() };
    let shared: ShareAnswer = answer(&mut engine, ViewRequest::Share(query.clone()));
    assert_eq!(decode_link(&shared.link).unwrap(), full.cut_to(Level::SMALL).without_sources());
    let (_, session) = OpenSession::open_link(&shared.link).unwrap_or_else(|failure| panic!("{failure:?}"));
    assert_eq!(session.summary.unwrap().level, 0);
    let text: String = answer(&mut engine, ViewRequest::ShareMarkdown { query, url: Some("https://x/#y".into()) });
    assert!(text.contains("| Compute") && text.contains("(https://x/#y)") && text.contains("MFU"), "{text}");
}

#[test]
fn report_files_open_alone_or_as_their_captures() {
    let files = sample();
    let full = report(&files);
    let name = "sample.rooflight";
    let (_, session) = open(&vec![(name, pack(&full, &[]))]);
    assert_eq!(session.summary.map(|summary| summary.level), Some(100));
    let mut with = pack(&full, &[(files[0].0.to_owned(), files[0].1.len() as u64)]);
    with.extend(&files[0].1);
    let (mut engine, session) = open(&vec![(name, with.clone())]);
    assert_eq!((session.summary, session.files[0].name.as_str()), (None, files[0].0));
    assert!(engine.report(&ShareQuery::default()).unwrap() == full);
    let refused = |bytes: &[u8]| {
        let input = Input { name: name.to_owned(), source: Box::new(bytes.to_vec()), from_folder: false };
        OpenSession::open(vec![input], &mut |_| {}).map(|_| ()).unwrap_err()
    };
    for end in [8, 9, 20, 1000, with.len() - 1] {
        assert!(refused(&with[..end]).message.contains("cut"), "{end}");
    }
    let mut flipped = with.clone();
    flipped[200] ^= 1;
    assert!(refused(&flipped).message.contains("checksum"));
    // A report beside a capture does not keep the capture from opening: neither a whole report, nor a damaged one, nor
    // one that carries captures.
    let beside = |name: &str, report: Vec<u8>| {
        let input = |name: &str, bytes: Vec<u8>| Input {
            name: format!("run/{name}"),
            source: Box::new(bytes),
            from_folder: true,
        };
        OpenSession::open(vec![input(name, report), input(files[0].0, files[0].1.clone())], &mut |_| {})
    };
    for (report, why) in [(pack(&full, &[]), "holds numbers, not events"), (flipped, "checksum")] {
        let (mut engine, session) = beside(name, report).map_err(|failure| failure.message).unwrap();
        assert_eq!((session.files.len(), &session.summary, &session.partial), (1, &None, &None));
        let notes: Vec<_> = session.notes.iter().filter(|note| note.code == "file_not_read").collect();
        assert!(notes.len() == 1 && notes[0].message.contains(why) && notes[0].message.contains(name), "{notes:?}");
        assert!(engine.report(&ShareQuery::default()).is_ok());
    }
    let (_, session) = beside(name, with).map_err(|failure| failure.message).unwrap();
    // The capture in the report is the one beside it, so it counts once.
    assert_eq!(session.files.len(), 1);
    assert!(session.notes.iter().any(|note| note.code == "duplicate_file"), "{:?}", session.notes);
    // Two reports without a capture do not open.
    let inputs = [("a", 100), ("b", 50)].map(|(name, level)| Input {
        name: format!("{name}.rooflight"),
        source: Box::new(pack(&full.cut_to(Level::from_slider(level)), &[])),
        from_folder: false,
    });
    let failure = OpenSession::open(inputs.into(), &mut |_| {}).map(|_| ()).unwrap_err();
    assert!(
        failure.title.starts_with("a.rooflight") && failure.message.contains("holds numbers, not events"),
        "{failure:?}"
    );
}

#[test]
fn old_links_open() {
    // The folder has one file per version of links. Files are added and never changed.
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/native/links/v1.txt");
    let text = std::fs::read_to_string(path).unwrap();
    let address: PageAddress = text.trim().split_once('#').unwrap().1.parse().unwrap();
    let (mut engine, session) = OpenSession::open_link(&address.report).unwrap_or_else(|failure| panic!("{failure:?}"));
    assert_eq!(session.files[0].name, "sample.xplane.pb.gz");
    let query = rooflight::chart::widgets::picker_options::available_query(&session, address.query);
    let head = common::answer_of(&mut engine, requests::Breakdown(query));
    assert_eq!(head.header.step_duration.map(|time| time.0 / 1_000_000_000), Some(V1_STEP_MS));
    let report = decode_link(&address.report).unwrap();
    assert!(markdown(&report, None).contains("sample.xplane.pb.gz"));
    // Version 1 has no periods: the length of a step is that of its event.
    let steps = report.steps.devices.iter().flat_map(|device| &device.steps);
    assert!(steps.clone().count() > 0 && steps.clone().all(|step| step.length == step.duration));
}

/// Duration of the step in that link, in whole ms.
const V1_STEP_MS: u64 = 166;

/// Each allocator takes some twenty characters of a link at any level of detail.
#[test]
fn a_cut_report_has_a_limited_number_of_allocators() {
    let space = XSpace { planes: vec![make::device(0), make::allocators(300)], ..XSpace::default() };
    let full = report(&vec![("a.xplane.pb", bytes(&space))]);
    let [all, most, least] = [full.clone(), full.cut_to(Level::LARGEST_CUT), full.cut_to(Level::SMALL)].map(|report| {
        report.memory.runtime.allocators.into_iter().map(|allocator| allocator.allocator.unwrap()).collect::<Vec<_>>()
    });
    assert_eq!((all.len(), &all[..256]), (300, &most[..]));
    assert_eq!(most, least);
}
