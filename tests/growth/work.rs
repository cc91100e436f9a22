//! This module runs every command and every request of the page on the files of a capture, and returns the cost of each.

use crate::Files;
use crate::measure::{Cost, measure};
use rooflight::analysis::base::{DeviceChoice, Query, StepChoice};
use rooflight::analysis::comm::{CommQuery, LaneQuery, TransferFilter};
use rooflight::analysis::flags::FlagsQuery;
use rooflight::analysis::memory::{MemoryQuery, Points};
use rooflight::analysis::overview::OverviewQuery;
use rooflight::analysis::roofline::RooflineQuery;
use rooflight::analysis::timeline::{EventsQuery, FlowsQuery, PictureQuery, SearchQuery, Timeline, TraceQuery};
use rooflight::cli::{OpenFiles, document, run_arguments};
use rooflight::protocol::program_text::{ProgramQuery, ProgramRef};
use rooflight::protocol::table_query::{ExportQuery, TableAction, TableQuery};
use rooflight::protocol::url::roofline::RoofBy;
use rooflight::protocol::{Export, OpRef, Request, ShareQuery, TimelineRequest, ViewRequest};
use rooflight::session::{Input, OpenSession};
use rooflight::table::filter::{FilterField, TextFilter};
use rooflight::table::page::{PageQuery, SortBy, TablePage, split_row_key};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use xla_profile::units::Picos;

/// Commands that print figures of opened files.
const COMMANDS: [&str; 17] = [
    "inspect --json",
    "inspect",
    "summary --json",
    "summary",
    "overview --json",
    "overview",
    "breakdown --json",
    "breakdown --json --by scope --device all --step all",
    "data-movement --json",
    "roofline --json",
    "memory --json",
    "memory",
    "comm --json --device all",
    "comm",
    "gaps --json --device all --step all",
    "gaps",
    "flags --json",
];

/// Commands that open files and write others. `IN` stands for the files and `OUT` for a file or a folder.
const WRITING: [&str; 7] = [
    "report --link IN",
    "report --markdown IN",
    "report --rooflight OUT IN",
    "export --xspace OUT IN",
    "export --trace-json OUT IN",
    "export --jsonl OUT IN",
    "compare --json IN -- IN",
];

/// Returns the cost of each command and of each request.
pub fn costs(files: &Files) -> BTreeMap<&'static str, Cost> {
    let folder = tempfile::tempdir().expect("a folder");
    let input = folder.path().join("in");
    std::fs::create_dir(&input).expect("a folder");
    for (name, bytes) in files {
        std::fs::write(input.join(name), bytes).expect("a file");
    }
    let mut costs = BTreeMap::new();
    let (opened, cost) = measure(|| OpenFiles::open(std::slice::from_ref(&input)).expect("the capture opens"));
    costs.insert("open", cost);
    for command in COMMANDS {
        let arguments: Vec<OsString> = command.split(' ').chain(["x"]).map(OsString::from).collect();
        // Some captures have no figures of a command. Its reason is as much work as it needs.
        costs.insert(command, measure(|| black_box(document(&arguments, Some(&opened)).ok())).1);
    }
    drop(opened);
    for (index, command) in WRITING.into_iter().enumerate() {
        let out = folder.path().join(format!("out{index}"));
        let arguments = arguments(command, &input, &out);
        costs.insert(command, measure(|| black_box(document(&arguments, None).ok())).1);
    }
    page(files, &mut costs);
    costs
}

/// Opens files and runs one command. Returns its text, and the cost of both.
pub fn document_of(files: &Files, command: &str) -> (String, Cost) {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, bytes) in files {
        std::fs::write(folder.path().join(name), bytes).expect("a file");
    }
    let arguments: Vec<OsString> =
        command.split(' ').map(OsString::from).chain([folder.path().as_os_str().to_owned()]).collect();
    measure(|| document(&arguments, None).expect("the command has an output").text)
}

/// Runs one command as a program that uses the library does, and as the command line does. Returns the text and the cost of
/// both.
pub fn document_and_output_of(files: &Files, command: &str) -> [(String, Cost); 2] {
    let folder = tempfile::tempdir().expect("a folder");
    let (input, out) = (folder.path().join("in"), folder.path().join("out"));
    std::fs::create_dir(&input).expect("a folder");
    for (name, bytes) in files {
        std::fs::write(input.join(name), bytes).expect("a file");
    }
    let arguments: Vec<OsString> =
        command.split(' ').map(OsString::from).chain([input.as_os_str().to_owned()]).collect();
    let (document, kept) = measure(|| document(&arguments, None).expect("the command has an output"));
    let program = std::iter::once(OsString::from("rooflight"));
    let to_file = [OsString::from("--out"), out.as_os_str().to_owned()];
    let (code, written) = measure(|| run_arguments(program.chain(arguments).chain(to_file), &[]));
    assert_eq!(code, 0);
    [(document.text, kept), (std::fs::read_to_string(&out).expect("an output"), written)]
}

fn arguments(command: &str, input: &Path, out: &Path) -> Vec<OsString> {
    let argument = |word: &str| match word {
        "IN" => input.into(),
        "OUT" => out.into(),
        _ => OsString::from(word),
    };
    command.split(' ').map(argument).collect()
}

/// Returns the cost of `rooflight flags` for a text with flags.
pub fn cost_of_flags(files: &Files, text: &str) -> Cost {
    let mut session = session(files);
    let query = FlagsQuery { text: text.to_owned(), ..FlagsQuery::default() };
    measure(|| black_box(session.answer(&ViewRequest::Flags(query).into()))).1
}

fn session(files: &Files) -> OpenSession {
    let input = |(name, bytes): &(String, Vec<u8>)| Input {
        name: PathBuf::from("in").join(name).display().to_string(),
        source: Box::new(bytes.clone()),
        from_folder: true,
    };
    OpenSession::open(files.iter().map(input).collect(), &mut |_| {}).expect("the capture opens").0
}

/// Adds the costs of the requests that the page sends when it opens a capture, and when its views are shown.
fn page(files: &Files, costs: &mut BTreeMap<&'static str, Cost>) {
    let (mut session, cost) = measure(|| session(files));
    costs.insert("page: open", cost);
    let mut send = |name: &'static str, request: Request| {
        let (reply, cost) = measure(|| session.answer(&request));
        costs.insert(name, cost);
        reply
    };
    let query = Query::default();
    let all = Query { device: DeviceChoice::All, step: StepChoice::All, ..Query::default() };
    let roofline = RooflineQuery { query: query.clone(), ..RooflineQuery::default() };
    let comm = CommQuery { query: query.clone(), ..CommQuery::default() };
    let lanes = LaneQuery { query: query.clone(), transfers: TransferFilter::All, part: None, max_spans: 0 };
    let rows = || TableAction::Rows(PageQuery { count: 50, ..PageQuery::default() });
    let by_key = SortBy::new("key", true);
    let sorted = TableAction::Rows(PageQuery { sort: Some(by_key), count: 50, ..PageQuery::default() });
    send("page: breakdown", ViewRequest::Breakdown(query.clone()).into());
    send("page: breakdown of all", ViewRequest::Breakdown(all.clone()).into());
    send("page: steps", ViewRequest::StepStats.into());
    let scopes = ViewRequest::Scopes { query: all.clone(), root: String::new(), min_share: 0.001 };
    send("page: scopes", scopes.into());
    let page =
        send("page: rows", ViewRequest::Table { table: TableQuery::Breakdown(all.clone()), action: sorted }.into());
    let memory = MemoryQuery::default();
    let points = Points { from: 0, to: u32::MAX };
    let whole = [
        ("page: files", ViewRequest::File),
        ("page: overview", ViewRequest::Overview(OverviewQuery::default())),
        ("page: data movement", ViewRequest::DataMovement(all.clone())),
        ("page: utilization", ViewRequest::Utilization(roofline.clone())),
        ("page: gaps", ViewRequest::Gaps(all.clone())),
        ("page: gaps as CSV", ViewRequest::ExportRows { rows: ExportQuery::Gaps(all.clone()), format: Export::Csv }),
        ("page: roofline", ViewRequest::Roofline(roofline.clone())),
        (
            "page: rows of the roofline",
            ViewRequest::Table { table: TableQuery::Roofline(roofline.clone(), RoofBy::ALL[0]), action: rows() },
        ),
        ("page: memory", ViewRequest::Memory),
        ("page: memory of a program", ViewRequest::MemoryOf(memory.clone())),
        ("page: curve", ViewRequest::MemoryCurve { query: memory.clone(), points }),
        ("page: live ranges", ViewRequest::MemoryLiveRanges { query: memory.clone(), points }),
        ("page: rows of buffers", ViewRequest::Table { table: TableQuery::Buffers(memory, 0), action: rows() }),
        ("page: communication", ViewRequest::Comm(comm.clone())),
        ("page: lanes", ViewRequest::CommLanes(lanes)),
        (
            "page: rows of communication",
            ViewRequest::Table { table: TableQuery::Comm(comm.clone(), TransferFilter::All), action: rows() },
        ),
        ("page: flags", ViewRequest::Flags(FlagsQuery { comm, text: String::new() })),
        ("page: outline", ViewRequest::ProgramOutline(ProgramRef(0))),
        ("page: text", ViewRequest::ProgramText { program: ProgramRef(0), first: 0, count: 100 }),
        (
            "page: search in a text",
            ViewRequest::ProgramSearch(ProgramQuery { program: ProgramRef(0), text: "a".to_owned(), regex: false }),
        ),
        ("page: share", ViewRequest::Share(ShareQuery::default())),
        ("page: share as Markdown", ViewRequest::ShareMarkdown { query: ShareQuery::default(), url: None }),
    ];
    for (name, request) in whole {
        send(name, request.into());
    }
    if let Some(row) = page.decode::<TablePage>().ok().and_then(|page| page.rows.into_iter().next()) {
        let (name, program) = split_row_key(&row.key);
        let op = OpRef::new(name, program);
        send("page: op", ViewRequest::Op { query: roofline, op: op.clone() }.into());
        send("page: graph", ViewRequest::Graph { query, op, open: Vec::new() }.into());
    }
    timeline(&mut send);
}

fn timeline(send: &mut dyn FnMut(&'static str, Request) -> rooflight::protocol::Reply) {
    let request = |request: TimelineRequest| Request::from(ViewRequest::Timeline(request));
    let tracks = send("page: tracks", request(TimelineRequest::Tracks { is_aligned: None, step: None }));
    let Ok(timeline) = tracks.decode::<Timeline>() else { return };
    // The page draws the lines that are in view.
    let lines: Vec<_> =
        timeline.groups.iter().flat_map(|group| &group.tracks).map(|track| track.line).take(30).collect();
    let series = timeline.groups.iter().flat_map(|group| &group.series).map(|series| series.id).take(10).collect();
    let (start, end) = (timeline.start, timeline.end);
    let column = Picos(end.0.saturating_sub(start.0) / 300 + 1);
    let picture = PictureQuery { lines: lines.clone(), start, column, n_columns: 300, idle: vec![0, 1], series };
    send("page: picture", request(TimelineRequest::Picture(picture)));
    send("page: events", request(TimelineRequest::Events(EventsQuery { lines: lines.clone(), start, end })));
    send("page: flows", request(TimelineRequest::Flows(FlowsQuery { lines, start, end })));
    let filter = TextFilter { text: "a".to_owned(), within: FilterField::Anywhere, ..TextFilter::default() };
    send("page: search", request(TimelineRequest::Search(SearchQuery { filter, n_columns: 100 })));
    let trace = TraceQuery { range: None, max_events: TraceQuery::MAX_EVENTS };
    send("page: trace", request(TimelineRequest::ExportTrace(trace)));
}
