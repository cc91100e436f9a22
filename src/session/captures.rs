//! This module holds a session of many captures: their files, and what has been read of each. It reads only the starts of the files.
//! Each capture is read by a worker of its own, which hands over a summary.

use super::OpenSession;
use super::compare::{CompareSide, compare_sessions};
use super::open::capture_heads::heads;
use super::open::{Input, messages};
use super::session_trait::Session;
use super::tables;
use crate::analysis::base::{DeviceChoice, Framework};
use crate::analysis::captures::columns::{CAPTURES, CAPTURES_TABLE};
use crate::analysis::captures::{
    CaptureRow, CaptureRows, CaptureSummary, ChangeCause, FileHead, HeadKind, change_cause, group,
};
use crate::analysis::compare::CompareOptions;
use crate::analysis::files::FileInfo;
use crate::protocol::table_query::{TableAction, TableOf};
use crate::protocol::view_request::decode_view_request;
use crate::protocol::{
    Capabilities, CapturesRequest, Export, Failure, Progress, Reply, Request, SessionInfo, ShareQuery, Stage,
    ViewRequest,
};
use crate::report::captures_json;
use crate::report::json;
use crate::share::Report;
use crate::table::answer::{CachedOrder, TableRows};
use crate::table::csv;

/// A session of many captures.
pub struct CapturesSession {
    rows: CaptureRows,
    /// The order of the rows of the last table. It is dropped when a row changes.
    order: CachedOrder,
}

impl CapturesSession {
    /// Reads the starts of files, and calls `progress` before each. Returns a session if they are several captures; `None` if they are
    /// one or none.
    pub fn open(inputs: &[Input], progress: &mut dyn FnMut(Progress)) -> Option<(Self, SessionInfo)> {
        if inputs.len() < 2 {
            return None;
        }
        let mut state = Progress::new(Stage::Detect, inputs.iter().map(|input| input.source.size()).sum(), "");
        let heads = heads(inputs, &mut |input| {
            input.name.clone_into(&mut state.place);
            progress(state.clone());
            state.bytes_done += input.source.size();
        });
        let (captures, n_left_out) = group(&heads);
        if captures.len() < 2 {
            return None;
        }
        let files = captures.iter().map(|capture| capture.files.clone()).collect();
        let rows = CaptureRows::new(captures, &heads, n_left_out);
        let info = info(&heads, files);
        Some((Self { rows, order: CachedOrder::default() }, info))
    }

    fn answer_view_request(&mut self, request: ViewRequest) -> Reply {
        match request {
            ViewRequest::Captures(CapturesRequest::View(figure)) => Reply::encode_answer(&self.rows.view(figure)),
            ViewRequest::Captures(CapturesRequest::Set { capture, read }) => {
                self.rows.set(capture, read.map(|summary| *summary));
                self.order = CachedOrder::default();
                Reply::encode_answer(&())
            }
            ViewRequest::Captures(CapturesRequest::SetCause { between, cause }) => {
                self.rows.set_cause(between, cause);
                Reply::encode_answer(&())
            }
            ViewRequest::Table { of: TableOf::Captures { .. }, action } => self.table(&action),
            ViewRequest::Captures(CapturesRequest::Export(format)) => Reply::Exported(match format {
                Export::Csv => csv::table(CAPTURES, self.in_order()).csv(),
                Export::Json => json::text(&captures_json::captures(self.in_order())),
            }),
            _ => Reply::Failed(messages::unknown_request()),
        }
    }

    /// Iterates over the rows by time.
    fn in_order(&self) -> impl Iterator<Item = &CaptureRow> {
        let (order, _) = self.rows.order();
        order.into_iter().filter_map(|at| self.rows.rows().get(at as usize))
    }

    fn table(&mut self, action: &TableAction) -> Reply {
        let order = std::mem::take(&mut self.order);
        let mut table = TableRows::new(&CAPTURES_TABLE, self.rows.rows(), None, |shown| Some(shown.head), order);
        let reply = tables::answer(&mut table, action);
        self.order = table.into_cached_order();
        reply
    }
}

impl Session for CapturesSession {
    fn answer(&mut self, request: &Request) -> Reply {
        match request {
            Request::ViewRequest(bytes) => decode_view_request(bytes)
                .map_or_else(|| Reply::Failed(messages::unknown_request()), |of| self.answer_view_request(of)),
            _ => Reply::Failed(several()),
        }
    }

    fn report(&mut self, _: &ShareQuery) -> Result<Report, Failure> {
        Err(several())
    }
}

impl OpenSession {
    /// Opens files as a list of captures. `None` if they are one capture or none; then nothing but the starts of the files was read.
    pub fn open_folder(inputs: &[Input], progress: &mut dyn FnMut(Progress)) -> Option<(Self, SessionInfo)> {
        let (session, info) = CapturesSession::open(inputs, progress)?;
        Some((Self::new(Box::new(session), Vec::new()), info))
    }
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

fn several() -> Failure {
    Failure { title: "Several captures are open".to_owned(), message: "Open one of them first.".to_owned() }
}

fn info(heads: &[FileHead], captures: Vec<Vec<u32>>) -> SessionInfo {
    let format = |kind: HeadKind| match kind {
        HeadKind::XSpace => "XSpace",
        HeadKind::Packed => "packed",
        HeadKind::Report => "report",
        HeadKind::Program => "HLO",
        HeadKind::Other => "not read",
    };
    let file =
        |head: &FileHead| FileInfo { name: head.path.clone(), bytes: head.bytes, format: format(head.kind).to_owned() };
    SessionInfo {
        files: heads.iter().map(file).collect(),
        devices: Vec::new(),
        usual_device: DeviceChoice::default(),
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
