//! These tests compare each table of the page with its copies as Markdown and as tab-separated text: the same heads, the
//! same rows and the same cells.

use crate::captures::{nights, open as open_folder, set};
use crate::common::{bytes, make, memory};
use prost::Message;
use rooflight::analysis::base::{DeviceChoice, GroupBy, Query, StepChoice};
use rooflight::analysis::comm::{CommBy, CommQuery, TransferFilter};
use rooflight::analysis::compare::{CompareBy, CompareQuery, RowSelection};
use rooflight::analysis::files::FileView;
use rooflight::analysis::memory::MemoryQuery;
use rooflight::analysis::roofline::RooflineQuery;
use rooflight::analysis::timeline::{EventsQuery, LineRef, SearchQuery, Timeline};
use rooflight::protocol::table_query::{CopiedRows, TableAction, TableQuery};
use rooflight::protocol::url::roofline::RoofBy;
use rooflight::protocol::{Reply, SessionSlot, TimelineRequest, ViewRequest};
use rooflight::session::{Input, OpenSession, OpenSessions};
use rooflight::table::copy::CopyForm;
use rooflight::table::filter::TextFilter;
use rooflight::table::page::{Cell, PageQuery, TablePage};
use rooflight::table::text::{markdown_text, spreadsheet_cell};
use std::path::Path;
use xla_profile::units::Picos;

/// Splits a line of a Markdown table into its cells.
fn markdown_cells(line: &str) -> Vec<String> {
    let line = line.strip_prefix("| ").and_then(|line| line.strip_suffix(" |")).unwrap_or_else(|| panic!("{line}"));
    line.split(" | ").map(str::to_owned).collect()
}

/// Returns whether a copied text is that of a cell, whose middle may be cut. `title` is the whole name of the row, which the
/// table shows in a tooltip.
fn is_text_of_cell(copied: &str, (cell, title): (&Cell, &str), escaped: impl Fn(&str) -> String) -> bool {
    if matches!(cell, Cell::Name(_)) && copied == escaped(title) {
        return true;
    }
    let shown = cell.plain();
    match shown.split_once('…') {
        Some((start, end)) if escaped(shown) != copied => {
            copied.starts_with(&escaped(start)) && copied.ends_with(&escaped(end))
        }
        _ => copied == escaped(shown),
    }
}

/// Checks a table against its copies, and returns the number of its rows.
fn check(table: &TableQuery, mut answer: impl FnMut(ViewRequest) -> Reply) -> usize {
    let query = PageQuery { count: 1000, ..PageQuery::default() };
    let request = ViewRequest::Table { table: table.clone(), action: TableAction::Rows(query.clone()) };
    let page: TablePage = answer(request).decode().unwrap_or_else(|reply| panic!("{table:?}: {reply:?}"));
    let columns: Vec<String> = page.columns.iter().map(|column| column.id.clone()).collect();
    let mut copy = |form: CopyForm| -> CopiedRows {
        let action = TableAction::Copy { query: query.clone(), columns: columns.clone(), keys: None, form };
        answer(ViewRequest::Table { table: table.clone(), action }).decode().unwrap()
    };
    let (markdown, tsv) = (copy(CopyForm::Markdown), copy(CopyForm::Tsv));
    assert_eq!((markdown.n, tsv.n), (page.n_rows, page.n_rows), "{table:?}");
    let head = |column: &rooflight::table::page::Head| {
        if column.unit.is_empty() { column.head.clone() } else { format!("{} ({})", column.head, column.unit) }
    };
    let heads: Vec<String> = page.columns.iter().map(head).collect();
    let mut lines = markdown.text.lines();
    assert_eq!(markdown_cells(lines.next().unwrap()), heads, "{table:?}");
    let rule = page.columns.iter().map(|column| if column.numeric { "---:" } else { "---" });
    assert_eq!(markdown_cells(lines.next().unwrap()), rule.collect::<Vec<_>>(), "{table:?}");
    let mut tsv_lines = tsv.text.lines();
    assert_eq!(tsv_lines.next().unwrap().split('\t').collect::<Vec<_>>(), heads, "{table:?}");
    for row in &page.rows {
        let markdown = markdown_cells(lines.next().unwrap());
        let tsv: Vec<&str> = tsv_lines.next().unwrap().split('\t').collect();
        assert_eq!((markdown.len(), tsv.len()), (row.cells.len(), row.cells.len()), "{table:?}: {}", row.key);
        for (index, cell) in row.cells.iter().enumerate() {
            let what = format!("{table:?}, {}, {}: {cell:?}", row.key, columns[index]);
            let escaped = |text: &str| markdown_text(text).into_owned();
            assert!(is_text_of_cell(&markdown[index], (cell, &row.title), escaped), "{what}: {}", markdown[index]);
            // Numbers of tab-separated text are plain numbers.
            let plain = |text: &str| {
                let number = text.replace(',', "").replace('\u{2212}', "-");
                let is_number = page.columns[index].numeric && number.parse::<f64>().is_ok();
                if is_number { number } else { spreadsheet_cell(text).into_owned() }
            };
            assert!(is_text_of_cell(tsv[index], (cell, &row.title), plain), "{what}: {}", tsv[index]);
        }
    }
    assert_eq!((lines.next(), tsv_lines.next()), (None, None), "{table:?}");
    page.rows.len()
}

fn input(name: &str, bytes: Vec<u8>) -> Input {
    Input { name: name.to_owned(), source: Box::new(bytes), from_folder: false }
}

#[test]
fn copies_of_a_capture_have_the_cells_of_its_tables() {
    let inputs =
        vec![input("small.xplane.pb", bytes(&make::small())), input("program.hlo.pb", memory::tiny().encode_to_vec())];
    let (mut session, _) = OpenSession::open(inputs, &mut |_| {}).unwrap();
    let query = Query { step: StepChoice::All, device: DeviceChoice::One(0), ..Query::default() };
    let roofline = RooflineQuery { query: query.clone(), ..RooflineQuery::default() };
    let comm = |by| CommQuery { query: query.clone(), by, ..CommQuery::default() };
    let file: FileView = session.answer(&ViewRequest::File.into()).decode().unwrap();
    let program = file.programs.iter().position(|program| program.name == "jit_f").unwrap() as u32;
    let memory = MemoryQuery { program, buffers: 100, columns: 100, ..MemoryQuery::default() };
    let tracks = ViewRequest::Timeline(TimelineRequest::Tracks { is_aligned: None, step: None });
    let timeline: Timeline = session.answer(&tracks.into()).decode().unwrap();
    let lines: Vec<LineRef> = timeline.groups.iter().flat_map(|group| &group.tracks).map(|track| track.line).collect();
    let mut tables = vec![
        TableQuery::Comm(comm(CommBy::Op), TransferFilter::Copies),
        TableQuery::Buffers(memory, 1),
        TableQuery::Events(EventsQuery { lines, start: Picos::ZERO, end: Picos(u64::MAX) }),
        TableQuery::Hits(SearchQuery { filter: TextFilter::anywhere("a"), n_columns: 10 }),
    ];
    tables.extend(GroupBy::ALL.map(|by| TableQuery::Breakdown(Query { by, ..query.clone() })));
    tables.extend(CommBy::ALL.map(|by| TableQuery::Comm(comm(by), TransferFilter::Collectives)));
    tables.extend(RoofBy::ALL.map(|by| TableQuery::Roofline(roofline.clone(), by)));
    let mut n_filled = 0;
    for table in &tables {
        n_filled += usize::from(check(table, |request| session.answer(&request.into())) > 0);
    }
    assert!(n_filled > tables.len() * 3 / 4, "{n_filled} of {} tables have rows", tables.len());
}

#[test]
fn copies_of_a_folder_have_the_cells_of_its_table() {
    let nights = nights();
    let (mut session, info) = open_folder(&nights.inputs(|_| true));
    for night in 0..2 {
        set(&mut session, night, Ok(nights.summary(night)));
    }
    let n = check(&TableQuery::Captures { revision: 0 }, |request| session.answer(&request.into()));
    assert_eq!(n, info.captures.len());
}

fn compared() -> OpenSessions {
    let mut sessions = OpenSessions::default();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/gpu");
    for (slot, name) in [(SessionSlot::First, "xla"), (SessionSlot::Second, "cudnn")] {
        let name = format!("{name}.graphs.xplane.pb.xz");
        let bytes = std::fs::read(folder.join(&name)).unwrap();
        let (session, info) = OpenSession::open(vec![input(&name, bytes)], &mut |_| {}).unwrap();
        sessions.set(slot, session, info);
    }
    sessions
}

#[test]
fn copies_of_a_comparison_have_the_cells_of_its_tables() {
    let mut sessions = compared();
    for by in CompareBy::ALL {
        let selection = RowSelection { by, ..RowSelection::default() };
        let table = TableQuery::Compare(CompareQuery::default(), selection);
        assert!(check(&table, |request| sessions.answer(&request.into())) > 1, "{by:?}");
    }
}

/// The Markdown of a whole comparison lists the ops with the largest differences, with the words of the table.
#[test]
fn the_markdown_of_a_comparison_has_the_cells_of_its_table() {
    let mut sessions = compared();
    let query = CompareQuery::default();
    let markdown: String = sessions.answer(&ViewRequest::CompareMarkdown(query.clone()).into()).decode().unwrap();
    let mut lines = markdown.lines().skip_while(|line| !line.starts_with("| Op |"));
    let heads = markdown_cells(lines.next().unwrap());
    let column = |head: &str| heads.iter().position(|other| other == head).unwrap();
    let (verdict, matched) = (column("Verdict"), column("Matched by"));
    let rows: Vec<Vec<String>> = lines.skip(1).take_while(|line| line.starts_with('|')).map(markdown_cells).collect();
    let table = TableQuery::Compare(query, RowSelection::default());
    let action = TableAction::Rows(PageQuery { count: 1000, ..PageQuery::default() });
    let page: TablePage = sessions.answer(&ViewRequest::Table { table, action }.into()).decode().unwrap();
    let shown = |id: &str| page.columns.iter().position(|column| column.id == id).unwrap();
    let (shown_verdict, shown_matched, difference) = (shown("verdict"), shown("matched_by"), shown("delta_ps"));
    let mut n_one_side = 0;
    for cells in &rows {
        let is_row = |row: &&rooflight::table::page::Row| {
            cells[0].starts_with(row.cells[0].plain()) && cells[3] == row.cells[difference].plain()
        };
        let row = page.rows.iter().find(is_row).unwrap_or_else(|| panic!("{cells:?}"));
        assert_eq!(cells[verdict], row.cells[shown_verdict].plain(), "{cells:?}");
        assert_eq!(cells[matched], row.cells[shown_matched].plain(), "{cells:?}");
        n_one_side += usize::from(cells[matched].starts_with("only in "));
        assert_eq!(cells[matched].starts_with("only in "), ["gone", "new"].contains(&cells[verdict].as_str()));
    }
    assert!(rows.len() > 5 && n_one_side > 0, "{n_one_side} of {} rows", rows.len());
}
