//! This module holds a session of many captures: their files, and what has been read of each. It reads only the starts of captures.
//! Each capture is read by a worker of its own, which hands over a summary. Tables of captures are read whole, and need no captures.

mod imported_lines;
mod imported_row;
pub mod imported_tables;

use super::captures::imported_tables::{ImportedRow, ImportedTables};
use super::compare::{CompareSide, compare_sessions};
use super::open::Input;
use super::open::capture_facts::{CaptureFacts, capture_facts};
use super::open::capture_heads::heads;
use super::open::detect::format as detect_format;
use super::open::session_messages::runs_listed;
use super::open::sessions::runs_of;
use super::table_answer;
use crate::analysis::base::{Framework, Query, StepsBy};
use crate::analysis::captures::columns::{CAPTURES, CAPTURES_TABLE, heading as captures_heading};
use crate::analysis::captures::{
    CaptureFiles, CaptureRow, CaptureRows, CaptureSummary, ChangeCause, FileHead, HeadKind, change_cause, group,
};
use crate::analysis::compare::CompareOptions;
use crate::analysis::files::FileInfo;
use crate::protocol::table_query::{ExportQuery, TableAction, TableQuery};
use crate::protocol::{
    Capabilities, CapturesRequest, Export, Failure, Progress, Reply, Request, SessionInfo, Stage, ViewRequest, requests,
};
use crate::report::captures;
use crate::report::json;
use crate::table::answer::{CachedOrder, TableRows};
use crate::table::csv;
use xla_profile::wire::Format;

/// A session of many captures.
pub struct CapturesSession {
    rows: CaptureRows,
    /// The order of the rows of the last table. It is dropped when a row changes.
    order: CachedOrder,
}

impl CapturesSession {
    /// Reads the starts of files, and calls `progress` before each. Tables of captures are read whole. Returns a session if the files are
    /// several captures or tables of captures; `None` if they are one capture or none.
    ///
    /// # Errors
    /// Returns a [`Failure`] if there is no capture, and tables without a row that can be read.
    pub fn open(inputs: &[Input], progress: &mut dyn FnMut(Progress)) -> Result<Option<(Self, SessionInfo)>, Failure> {
        let has_table = |input: &Input| matches!(detect_format(input.source.as_ref()), Ok(Format::TableRows));
        if inputs.len() < 2 && !inputs.first().is_some_and(has_table) {
            return Ok(None);
        }
        let mut state = Progress::new(Stage::Detect, inputs.iter().map(|input| input.source.size()).sum(), "");
        let heads = heads(inputs, &mut |input| {
            input.name.clone_into(&mut state.place);
            progress(state.clone());
            state.bytes_done += input.source.size();
        });
        let (captures, n_left_out) = group(&heads);
        let mut tables = read_tables(inputs, &heads, progress);
        let mut table_rows = tables.rows();
        table_rows.retain(|row| !captures.iter().any(|capture| is_same_capture(row, capture, &heads)));
        if captures.is_empty() && table_rows.is_empty() {
            let is_used = |head: &FileHead| matches!(head.kind, HeadKind::Program | HeadKind::Report);
            let first = heads.iter().find(|head| head.kind == HeadKind::Table).filter(|_| !heads.iter().any(is_used));
            return first.map_or(Ok(None), |first| Err(tables.failure(&first.path)));
        }
        if table_rows.is_empty() && captures.len() < 2 {
            return Ok(None);
        }
        let mut files: Vec<Vec<u32>> = captures.iter().map(|capture| capture.files.clone()).collect();
        files.resize(files.len() + table_rows.len(), Vec::new());
        let runs = runs_of(captures.clone(), &heads);
        let several = (runs.len() > 1).then(|| runs_listed(&runs));
        let firsts: Vec<Option<u32>> = captures.iter().map(|capture| capture.files.first().copied()).collect();
        let mut rows = CaptureRows::new(captures, &heads, n_left_out);
        for (index, first) in firsts.into_iter().enumerate() {
            if let Some(input) = first.and_then(|first| inputs.get(first as usize)) {
                input.name.clone_into(&mut state.place);
                progress(state.clone());
                let CaptureFacts { device_type, programs } = capture_facts(input);
                rows.set_facts(index, device_type, programs);
            }
        }
        rows.add(table_rows.into_iter().map(|ImportedRow { row, read, .. }| (row, read)).collect());
        let notes = several.into_iter().chain(tables.notes()).collect();
        let info = SessionInfo { notes, ..info(&heads, files) };
        Ok(Some((Self { rows, order: CachedOrder::default() }, info)))
    }

    fn answer_view_request(&mut self, request: ViewRequest) -> Reply {
        match request {
            ViewRequest::Captures(CapturesRequest::View(figure)) => {
                Reply::answer_to::<requests::Captures>(&self.rows.view(figure))
            }
            ViewRequest::Captures(CapturesRequest::Set { capture, read }) => {
                self.rows.set(capture, read.map(|summary| *summary));
                self.order = CachedOrder::default();
                Reply::answer_to::<requests::SetCapture>(&())
            }
            ViewRequest::Captures(CapturesRequest::SetCause { between, cause }) => {
                self.rows.set_cause(between, cause);
                Reply::answer_to::<requests::SetCause>(&())
            }
            ViewRequest::Table { table: TableQuery::Captures { .. }, action } => self.table(&action),
            ViewRequest::ExportRows { rows: ExportQuery::Captures, format } => {
                Reply::answer_to::<requests::ExportRows>(&match format {
                    Export::Csv => csv::table(CAPTURES, self.in_order()).csv(),
                    Export::Json => json::text(&captures::json::captures(self.in_order())),
                })
            }
            // Every other request is about one capture.
            _ => Reply::Failed(several()),
        }
    }

    /// Iterates over the rows by time.
    fn in_order(&self) -> impl Iterator<Item = &CaptureRow> {
        let (order, _) = self.rows.order();
        order.into_iter().filter_map(|index| self.rows.rows().get(index as usize))
    }

    fn table(&mut self, action: &TableAction) -> Reply {
        let order = std::mem::take(&mut self.order);
        let mut table = TableRows::new(
            &CAPTURES_TABLE,
            self.rows.rows(),
            None,
            |shown| captures_heading(self.rows.rows(), shown),
            order,
        );
        let reply = table_answer::answer(&mut table, action);
        self.order = table.into_cached_order();
        reply
    }
}

impl CapturesSession {
    pub(super) fn answer(&mut self, request: &Request) -> Reply {
        match request {
            Request::View(request) => self.answer_view_request(ViewRequest::clone(request)),
            _ => Reply::Failed(several()),
        }
    }
}

/// Reads the files with tables.
fn read_tables(inputs: &[Input], heads: &[FileHead], progress: &mut dyn FnMut(Progress)) -> ImportedTables {
    let mut tables = ImportedTables::default();
    let files = || inputs.iter().zip(heads).filter(|(_, head)| head.kind == HeadKind::Table).map(|(input, _)| input);
    let mut state = Progress::new(Stage::Read, files().map(|input| input.source.size()).sum(), "");
    for input in files() {
        input.name.clone_into(&mut state.place);
        progress(state.clone());
        tables.read(&input.name, input.source.as_ref());
        state.bytes_done += input.source.size();
    }
    tables
}

/// Returns whether a row of a table is about a capture that is among the files: the row names all files of the capture, and both have the
/// same start or the same size. The row may name further files, which lie beside the capture.
fn is_same_capture(row: &ImportedRow, capture: &CaptureFiles, heads: &[FileHead]) -> bool {
    let files = || capture.files.iter().filter_map(|index| heads.get(*index as usize));
    let has_size = row.row.bytes == Some(files().map(|head| head.bytes).sum());
    // The time of a table is in µs.
    let in_us = |start_ns: Option<u64>| start_ns.map(|ns| ns / 1000);
    let has_start = capture.start_ns.is_some() && in_us(row.row.start_ns) == in_us(capture.start_ns);
    let is_named = |head: &FileHead| {
        let name = head.path.rsplit('/').next().unwrap_or_default();
        row.file_names.iter().any(|other| other == name)
    };
    (has_start || has_size) && files().all(is_named)
}

/// Reads a capture, and returns what a list of captures keeps of it.
///
/// # Errors
/// Returns a [`Failure`] if nothing could be read, or if no device has steps that can be compared.
pub fn summarise(inputs: Vec<Input>, progress: &mut dyn FnMut(Progress)) -> Result<CaptureSummary, Failure> {
    open_side(inputs, progress)?.summary()
}

/// Reads two captures, and returns the largest part of the difference between the lengths of their steps. `None` if they do not
/// differ.
///
/// # Errors
/// Returns a [`Failure`] if one of them cannot be read.
pub fn explain_change(
    before: Vec<Input>,
    after: Vec<Input>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Option<ChangeCause>, Failure> {
    let mut sides = (open_side(before, progress)?, open_side(after, progress)?);
    Ok(change_cause(&compare_sessions(&mut sides.0, &mut sides.1, &CompareOptions::default())?))
}

fn open_side(inputs: Vec<Input>, progress: &mut dyn FnMut(Progress)) -> Result<CompareSide, Failure> {
    let name = inputs.first().map(|input| input.name.clone()).unwrap_or_default();
    CompareSide::open(inputs, &name, progress)
}

pub(super) fn several() -> Failure {
    Failure { title: "Several captures are open".to_owned(), message: "Open one of them first.".to_owned() }
}

fn info(heads: &[FileHead], captures: Vec<Vec<u32>>) -> SessionInfo {
    let format = |kind: HeadKind| match kind {
        HeadKind::XSpace => "XSpace",
        HeadKind::Packed => "packed",
        HeadKind::Report => "report",
        HeadKind::Program => "HLO",
        HeadKind::Table => "rows of a table",
        HeadKind::Other => "not read",
    };
    let file =
        |head: &FileHead| FileInfo { name: head.path.clone(), bytes: head.bytes, format: format(head.kind).to_owned() };
    SessionInfo {
        files: heads.iter().map(file).collect(),
        devices: Vec::new(),
        usual_query: Query::default(),
        steps_by: StepsBy::default(),
        planes: Vec::new(),
        notes: Vec::new(),
        partial: None,
        n_events: 0,
        summary: None,
        capabilities: Capabilities::captures(),
        framework: Framework::default(),
        reading: None,
        captures,
    }
}
