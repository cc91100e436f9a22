//! These tests check that names in a capture cannot act on a terminal, falsify a text or become markup: the program prints no
//! invisible character of a name, no name begins a line, and the page receives printable names only.

use crate::common::{bytes, make, memory};
use prost::Message;
use rooflight::analysis::base::{DeviceChoice, GroupBy, Query, StepChoice};
use rooflight::analysis::comm::{CommQuery, TransferFilter};
use rooflight::analysis::compare::{CompareBy, CompareQuery, Comparison, RowSelection};
use rooflight::analysis::files::FileView;
use rooflight::analysis::flags::FlagsQuery;
use rooflight::analysis::ledger::LedgerQuery;
use rooflight::analysis::memory::MemoryQuery;
use rooflight::analysis::op::OpDetail;
use rooflight::analysis::overview::OverviewQuery;
use rooflight::analysis::roofline::RooflineQuery;
use rooflight::analysis::timeline::Timeline;
use rooflight::chart::op::panel::op_ref;
use rooflight::protocol::page_text::encode_for_worker;
use rooflight::protocol::table_query::{TableAction, TableQuery};
use rooflight::protocol::url::roofline::RoofBy;
use rooflight::protocol::{
    Call, ProgramRef, Reply, Request, RequestId, SessionSlot, ShareQuery, TimelineRequest, ViewRequest,
};
use rooflight::session::{Input, OpenSession, OpenSessions};
use rooflight::share::html::{EmbeddedReport, page};
use rooflight::table::page::{PageQuery, TablePage};
use rooflight::table::text::is_invisible;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use xla_profile::wire::proto::hlo::HloProto;
use xla_profile::wire::proto::xspace::{XPlane, XSpace, XStat, x_stat};

/// Text that clears the screen, sets a title, moves the cursor, overwrites a line, reverses text, hides text, is markup
/// and begins a line of its own.
const HOSTILE: &str = "\u{1b}[2J\u{1b}]0;title\u{7}\u{1b}[1Aop\rOK\u{8}\u{7f}\u{9b}31m\u{202e}gnp\u{2066}x\u{200b}y\u{feff}\0\
                       |![i](http://evil.example/x.png)<img src=x>`code`\r\nFORGED: 0 ns";
/// Start of [`HOSTILE`] as text, Markdown and JSON show it.
const ESCAPES: [&str; 3] = ["\\u{1b}[2J", "\\\\u{1b}\\[2J", "\\u001b[2J"];

fn append_to_stats<'a>(stats: impl Iterator<Item = &'a mut XStat>) {
    for stat in stats {
        if let Some(x_stat::Value::StrValue(text)) = &mut stat.value {
            *text += HOSTILE;
        }
    }
}

fn append_to_plane(plane: &mut XPlane) {
    for line in &mut plane.lines {
        // The reader knows the lines of a device by their names.
        if line.name.contains("python") {
            line.name += HOSTILE;
        }
        line.display_name += HOSTILE;
        append_to_stats(line.events.iter_mut().flat_map(|event| &mut event.stats));
    }
    for metadata in plane.event_metadata.values_mut() {
        // Steps are known by their numbers.
        if metadata.name.parse::<u64>().is_err() {
            metadata.name += HOSTILE;
            metadata.display_name += HOSTILE;
        }
        append_to_stats(metadata.stats.iter_mut());
    }
    for metadata in
        plane.stat_metadata.values_mut().filter(|metadata| metadata.name.contains('/') || metadata.name.contains(':'))
    {
        metadata.name += HOSTILE;
    }
    append_to_stats(plane.stats.iter_mut());
}

/// Returns the small capture with the hostile text in all of its names and texts that do not decide what is read.
fn capture() -> Vec<u8> {
    let mut space = make::small();
    space.planes.iter_mut().for_each(append_to_plane);
    space.planes[1].name += HOSTILE;
    space.planes[2].name += HOSTILE;
    space.hostnames.iter_mut().for_each(|name| *name += HOSTILE);
    space.warnings.push(format!("beware {HOSTILE}"));
    space.errors.push(format!("error {HOSTILE}"));
    bytes(&space)
}

/// Returns a capture without ops of a device, with hostile notes and names.
fn without_ops() -> Vec<u8> {
    let mut space = XSpace { planes: make::small().planes.split_off(2), ..XSpace::default() };
    append_to_plane(&mut space.planes[0]);
    space.planes[0].name += HOSTILE;
    space.warnings.push(format!("beware {HOSTILE}"));
    bytes(&space)
}

/// Returns a program with the hostile text in its names.
fn program() -> Vec<u8> {
    let mut proto: HloProto = memory::tiny();
    let module = proto.hlo_module.as_mut().unwrap();
    // A file whose module has control characters in its name is not taken for a program.
    module.name += "\u{202e}|<img src=x>";
    for computation in &mut module.computations {
        for instruction in &mut computation.instructions {
            instruction.name += HOSTILE;
            let metadata = instruction.metadata.as_mut().unwrap();
            metadata.op_name += HOSTILE;
            metadata.source_file = format!("file.py{HOSTILE}");
            metadata.source_line = 7;
        }
    }
    let traces = &mut proto.buffer_assignment.as_mut().unwrap().heap_simulator_traces;
    traces.iter_mut().flat_map(|trace| &mut trace.events).for_each(|event| event.instruction_name += HOSTILE);
    proto.encode_to_vec()
}

/// Files with hostile names and contents in a folder.
struct Files {
    dir: tempfile::TempDir,
    capture: PathBuf,
    without_ops: PathBuf,
    program: PathBuf,
}

impl Files {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: &[u8]| {
            let path = dir.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            path
        };
        let name = "hostile\u{1b}[2J\u{202e}<img>\nFORGED.xplane.pb";
        let (capture, without_ops) = (write(name, &capture()), write("without-ops\u{1b}[2J.xplane.pb", &without_ops()));
        let program = write("program\u{1b}[2J.hlo.pb", &program());
        Self { dir, capture, without_ops, program }
    }

    /// Writes a second capture, whose ops take half the time, and returns its path.
    fn other(&self) -> PathBuf {
        let mut space = XSpace::decode(std::fs::read(&self.capture).unwrap().as_slice()).unwrap();
        space.planes[0].lines.iter_mut().flat_map(|line| &mut line.events).for_each(|event| event.duration_ps /= 2);
        let path = self.dir.path().join("other\u{1b}[2J.xplane.pb");
        std::fs::write(&path, bytes(&space)).unwrap();
        path
    }
}

fn run(arguments: &str, files: &[&Path]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rooflight")).args(arguments.split(' ')).args(files).output().unwrap()
}

/// Checks that a text has no invisible character but the ends of its lines, and that no name begins a line. Returns whether it
/// holds the hostile text with escapes.
fn check_text(what: &str, text: &str, is_csv: bool) -> bool {
    let acts = |c: &char| *c != '\n' && !(is_csv && *c == '\r') && is_invisible(*c);
    assert_eq!(text.chars().find(acts), None, "{what}: {text:?}");
    assert!(!is_csv || text.matches('\r').count() == text.matches("\r\n").count(), "{what}: {text:?}");
    for line in text.lines() {
        let start = line.trim_start_matches([' ', '|', '-', '"']);
        assert!(!start.starts_with("FORGED"), "{what}: a name begins a line: {text}");
    }
    ESCAPES.iter().any(|escape| text.contains(escape))
}

/// Checks that no name became an image, a link, HTML, code or a cell of its own.
fn check_markdown(what: &str, text: &str) {
    for (index, _) in text.match_indices("<img").chain(text.match_indices("[i]")).chain(text.match_indices("`code")) {
        assert_eq!(text.as_bytes()[index - 1], b'\\', "{what}: {text}");
    }
    assert!(!text.contains("://"), "{what}: {text}");
    let tables = text.split("\n\n").flat_map(|block| block.split("\n\n"));
    for table in tables {
        let cells: Vec<usize> = table
            .lines()
            .filter(|line| line.starts_with('|'))
            .map(|line| line.matches('|').count() - line.matches("\\|").count())
            .collect();
        assert!(cells.iter().all(|n| *n == cells[0]), "{what}: {table}");
    }
}

const VIEWS: [&str; 14] = [
    "breakdown",
    "breakdown --by scope",
    "breakdown --by source",
    "breakdown --by program",
    "breakdown --step all --filter mlp",
    "summary",
    "non-compute",
    "roofline",
    "memory",
    "memory --fit-parameters 8B",
    "comm",
    "gaps",
    "flags",
    "overview",
];

#[test]
fn no_name_acts_in_any_output() {
    let files = Files::new();
    let (capture, program) = (files.capture.as_path(), files.program.as_path());
    let sets: [&[&Path]; 4] = [&[capture], &[capture, program], &[&files.without_ops], &[program]];
    let mut n_escaped = 0;
    for (view, files) in VIEWS.iter().chain(&["inspect"]).flat_map(|view| sets.map(|files| (view, files))) {
        for form in ["", " --markdown", " --csv", " --json"] {
            let arguments = format!("{view}{form}");
            let out = run(&arguments, files);
            let (text, messages) = (String::from_utf8(out.stdout).unwrap(), String::from_utf8(out.stderr).unwrap());
            let what = format!("{arguments} {files:?}");
            n_escaped += usize::from(check_text(&what, &text, form == " --csv"));
            check_text(&what, &messages, false);
            match form {
                " --markdown" => check_markdown(&what, &text),
                " --json" if !text.is_empty() => {
                    serde_json::from_str::<serde_json::Value>(&text).unwrap_or_else(|e| panic!("{what}: {e}"));
                }
                _ => {}
            }
        }
    }
    assert!(n_escaped > 100, "the names are there, as escapes: {n_escaped}");
}

#[test]
fn json_has_exact_names() {
    let files = Files::new();
    let out = run("breakdown --json", &[&files.capture]);
    let json: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    let keys: Vec<&str> = json["groups"].as_array().unwrap().iter().filter_map(|row| row["key"].as_str()).collect();
    assert!(keys.iter().any(|key| key.ends_with(HOSTILE)), "{keys:?}");
    assert!(json["files"][0].as_str().unwrap().ends_with("hostile\u{1b}[2J\u{202e}<img>\nFORGED.xplane.pb"));
}

#[test]
fn no_name_acts_in_reports_and_comparisons() {
    let files = Files::new();
    let (capture, other) = (files.capture.as_path(), files.other());
    for (arguments, files) in [
        ("report", vec![capture]),
        ("report --with-sources", vec![capture, &files.program]),
        ("report --markdown", vec![capture]),
        ("report --anonymise", vec![capture]),
        ("report --markdown", vec![&files.without_ops]),
        ("report", vec![&files.without_ops]),
        ("compare", vec![capture, &other]),
        ("compare --by scope", vec![capture, &other]),
        ("compare --fail-over 1% --rows-over 1%", vec![&other, capture]),
        ("compare --markdown", vec![capture, &other]),
        ("compare --json", vec![capture, &other]),
        ("compare --series", vec![capture, &other]),
        ("compare", vec![capture, &files.without_ops]),
        ("breakdown --device nine", vec![capture]),
        ("breakdown --step 99", vec![capture]),
        ("memory --program nine", vec![capture, &files.program]),
    ] {
        let out = run(arguments, &files);
        let (text, messages) = (String::from_utf8(out.stdout).unwrap(), String::from_utf8(out.stderr).unwrap());
        assert!(!text.is_empty() || !messages.is_empty(), "{arguments}");
        check_text(arguments, &text, false);
        check_text(arguments, &messages, false);
        if arguments.contains("--markdown") {
            check_markdown(arguments, &text);
        }
        if arguments.contains("--anonymise") {
            assert!(!text.contains("2J") && !text.contains("evil") && !text.contains("FORGED"), "{text}");
        }
    }
}

#[test]
fn exported_files_have_printable_names() {
    let files = Files::new();
    let (out, other) = (files.dir.path().join("out"), files.other());
    let exported = run("export --xspace", &[&out, &files.capture, &other]);
    let (text, messages) = (String::from_utf8(exported.stdout).unwrap(), String::from_utf8(exported.stderr).unwrap());
    assert!(exported.status.success(), "{messages}");
    check_text("export", &text, false);
    assert_eq!(text.lines().count(), 2, "{text}");
    let mut names: Vec<String> =
        std::fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["hostile-[2J--img--FORGED.xplane.pb", "other-[2J.xplane.pb"]);
    let trace = files.dir.path().join("trace\u{1b}[2J.json");
    let exported = run("export --trace-json", &[&trace, &files.capture]);
    check_text("export", &String::from_utf8(exported.stdout).unwrap(), false);
}

#[test]
fn a_file_that_cannot_be_read_is_named_safely() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a\u{1b}[2J\u{202e}.xplane.pb");
    std::fs::write(&path, b"\xff\xff\xff\xff").unwrap();
    let out = Command::new(env!("CARGO_BIN_EXE_rooflight")).args(["summary"]).arg(&path).output().unwrap();
    let text = String::from_utf8(out.stderr).unwrap();
    assert_eq!(out.status.code(), Some(2), "{text}");
    assert!(text.contains("a\\u{1b}[2J\\u{202e}.xplane.pb") && !text.contains('\u{1b}'), "{text:?}");
}

#[test]
fn an_html_page_has_a_printable_title() {
    let name = format!("a{HOSTILE}");
    let report = EmbeddedReport { name, bytes: vec![1], place: HOSTILE.to_owned(), base: HOSTILE.to_owned() };
    let html = page(b"packed", &report);
    assert_eq!(html.chars().find(|c| !matches!(c, '\n' | '\t') && is_invisible(*c)), None);
    assert!(!html.contains("<img") && html.contains("<title>Rooflight: a\\u{1b}[2J"));
}

fn opened(name: &str, bytes: Vec<u8>) -> (OpenSession, rooflight::protocol::SessionInfo) {
    let input =
        |name: &str, bytes: Vec<u8>| Input { name: name.to_owned(), source: Box::new(bytes), from_folder: false };
    let inputs = vec![input(name, bytes), input("program\u{202e}.hlo.pb", program())];
    OpenSession::open(inputs, &mut |_| {}).unwrap()
}

fn table(table: TableQuery) -> ViewRequest {
    ViewRequest::Table { table, action: TableAction::Rows(PageQuery { count: 100, ..PageQuery::default() }) }
}

/// Returns requests of all views of a capture. `program` is the index of the program whose HLO is there.
fn requests(program: u32) -> Vec<ViewRequest> {
    let query = Query { step: StepChoice::All, device: DeviceChoice::One(0), ..Query::default() };
    let roofline = RooflineQuery { query: query.clone(), ..RooflineQuery::default() };
    let comm = CommQuery { query: query.clone(), ..CommQuery::default() };
    let ledger = LedgerQuery { roofline: roofline.clone(), ..LedgerQuery::default() };
    let overview = OverviewQuery { ledger, ..OverviewQuery::default() };
    let share = ShareQuery { roofline: roofline.clone(), with_sources: true, level: 100, ..ShareQuery::default() };
    let flags = FlagsQuery { comm: comm.clone(), text: String::new() };
    let memory = MemoryQuery { program, buffers: 100, columns: 100, ..MemoryQuery::default() };
    let program = ProgramRef(program);
    let by = |by| TableQuery::Breakdown(Query { by, ..query.clone() });
    let mut all = vec![
        ViewRequest::DataMovement(query.clone()),
        ViewRequest::Utilization(roofline.clone()),
        ViewRequest::Gaps(query.clone()),
        ViewRequest::Overview(overview.clone()),
        ViewRequest::OverviewMarkdown(overview),
        ViewRequest::File,
        ViewRequest::ProgramText { program, first: 0, count: 100 },
        ViewRequest::ProgramOutline(program),
        ViewRequest::Roofline(roofline.clone()),
        ViewRequest::Memory,
        ViewRequest::MemoryOf(memory.clone()),
        ViewRequest::MemoryAt { query: memory.clone(), point: 1 },
        ViewRequest::Comm(comm.clone()),
        ViewRequest::Flags(flags),
        ViewRequest::Share(share.clone()),
        ViewRequest::ShareMarkdown { query: share, url: None },
        ViewRequest::Timeline(TimelineRequest::Tracks { is_aligned: None, step: None }),
        table(TableQuery::Buffers(memory, 1)),
        table(TableQuery::Comm(comm.clone(), TransferFilter::Collectives)),
        table(TableQuery::Comm(comm, TransferFilter::Copies)),
    ];
    all.extend(GroupBy::ALL.map(|grouping| table(by(grouping))));
    all.extend(RoofBy::ALL.map(|by| table(TableQuery::Roofline(roofline.clone(), by))));
    all
}

/// Returns a request as the worker receives it from the page.
fn sent(request: impl Into<Request>) -> Request {
    let call = Call { id: RequestId::default(), request: request.into() };
    postcard::from_bytes::<Call>(&encode_for_worker(&call).unwrap()).unwrap().request
}

/// Checks that the bytes of an answer hold none of the hostile characters. Returns whether they hold them as escapes.
fn check_answer(request: &ViewRequest, reply: Reply) -> bool {
    let Reply::Answer(bytes) = reply else { panic!("{request:?}: {reply:?}") };
    let has = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    for hostile in [
        "\u{1b}[2J",
        "\u{7}\u{1b}",
        "op\rOK",
        "\u{8}\u{7f}",
        "\u{9b}31m",
        "\u{202e}",
        "\u{2066}x",
        "x\u{200b}y",
        "\0|!",
    ] {
        assert!(!has(hostile), "{request:?}: {hostile:?}");
    }
    ESCAPES.iter().any(|escape| has(escape))
}

#[test]
fn the_page_receives_printable_names() {
    let (mut session, _) = opened("capture\u{202e}.xplane.pb", capture());
    let file: FileView = session.answer(&sent(ViewRequest::File)).decode().unwrap();
    let program = file.programs.iter().position(|program| program.name.starts_with("jit_f")).unwrap();
    let mut n_escaped = 0;
    for request in requests(program as u32) {
        let reply = session.answer(&sent(request.clone()));
        n_escaped += usize::from(check_answer(&request, reply));
    }
    assert!(n_escaped > 20, "the names are there, as escapes: {n_escaped}");
}

#[test]
fn the_page_finds_ops_by_their_printable_names() {
    let (mut session, _) = opened("capture.xplane.pb", capture());
    let query = Query { step: StepChoice::All, ..Query::default() };
    let page: TablePage = session.answer(&sent(table(TableQuery::Breakdown(query.clone())))).decode().unwrap();
    assert!(page.rows.len() > 3);
    for row in page.rows {
        assert!(row.key.contains("\\u{202e}gnp") && row.opens, "{}", row.key);
        let request = ViewRequest::Op {
            query: RooflineQuery { query: query.clone(), ..RooflineQuery::default() },
            op: op_ref(&row.key),
        };
        let detail: OpDetail = session.answer(&sent(request)).decode().unwrap_or_else(|reply| panic!("{reply:?}"));
        assert!(detail.name.contains("\\u{202e}gnp"), "{}", detail.name);
    }
    let tracks = ViewRequest::Timeline(TimelineRequest::Tracks { is_aligned: None, step: None });
    let timeline: Timeline = session.answer(&sent(tracks)).decode().unwrap();
    assert!(format!("{timeline:?}").contains("u{202e}gnp"));
}

#[test]
fn the_page_receives_printable_names_in_a_comparison() {
    let mut sessions = OpenSessions::default();
    for (slot, name) in [(SessionSlot::First, "a\u{202e}.xplane.pb"), (SessionSlot::Second, "b\u{202e}.xplane.pb")] {
        let (session, info) = opened(name, capture());
        sessions.set(slot, session, info);
    }
    let query = CompareQuery::default();
    let by = |by| table(TableQuery::Compare(query.clone(), RowSelection { by, ..RowSelection::default() }));
    let mut requests = vec![
        ViewRequest::Compare(query.clone()),
        ViewRequest::CompareDots(query.clone()),
        ViewRequest::CompareMarkdown(query.clone()),
    ];
    requests.extend(CompareBy::ALL.into_iter().map(by));
    let mut n_escaped = 0;
    for request in requests {
        n_escaped += usize::from(check_answer(&request, sessions.answer(&sent(request.clone()))));
    }
    assert!(n_escaped > 2, "the names are there, as escapes: {n_escaped}");
    let compared: Comparison = sessions.answer(&sent(ViewRequest::Compare(query.clone()))).decode().unwrap();
    let key = compared.rows.first().unwrap().key();
    let request = ViewRequest::CompareOps { query, key };
    assert!(check_answer(&request, sessions.answer(&sent(request.clone()))));
}
