//! The contract between the page and the worker. Plain data; knows neither side.
//!
//! A worker holds at most one session. The page starts a fresh worker for each load and keeps the one it
//! has until the load succeeds: so a failed or cancelled load, or a worker that dies, loses nothing, and
//! Cancel is immediate even inside a tight loop (the page ends the worker). Within a session requests
//! carry ids, are answered in order, and can be withdrawn while they wait.

use super::capabilities::Capabilities;
use super::program_text::ProgramRef;
use super::tables::{BreakdownHead, Export};
use crate::analysis::base::{DeviceChoice, FilterError, Framework, Query, StepChoice};
use crate::analysis::breakdown::{Scopes, StepStats};
pub use crate::analysis::files::FileInfo;
use crate::profile::Note;
use crate::protocol::{Estimate, Skip};
use crate::table::page::SortBy;
use crate::units::Picos;
use serde::{Deserialize, Serialize};

/// Names a request; answers carry it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RequestId(pub u32);

/// What the page asks. `Open` travels with the JS `File` objects beside it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// First message: the page's build, to be compared with the worker's.
    Hello {
        /// [`crate::BUILD`] of the page.
        build: String,
    },
    /// Read the files that came with this message as one session. `paths` are their names with folders.
    Open {
        /// One path per file, in the order of the files.
        paths: Vec<String>,
        /// What is not read. `None`: nobody was asked yet, and [`Reply::Large`] asks where it would take too much memory.
        skips: Option<Vec<Skip>>,
    },
    /// Open the report of a link: what follows `report=` in its address. Answered as `Open` is.
    OpenReport {
        /// The report.
        link: String,
    },
    /// The figures of one query, without rows.
    Breakdown(Query),
    /// The tree of scopes at and below `root`.
    Scopes {
        /// Which device, step and ops; the grouping of rows plays no part.
        query: Query,
        /// A scope path; empty: everything.
        root: String,
        /// Nodes of a smaller fraction of the root's time are reported together.
        min_share: f64,
    },
    /// The steps of all devices.
    StepStats,
    /// A query's rows as a file, as the command line writes it.
    Export {
        /// Of which query.
        query: Query,
        /// In which order; `None`: the table's own.
        sort: Option<SortBy>,
        /// As what.
        format: Export,
    },
    /// Withdraw a request that has not been answered yet.
    Cancel(RequestId),
    /// Data movement as a file, as the command line writes it.
    ExportDataMovement {
        /// Which device and step.
        query: Query,
        /// As what.
        format: Export,
    },
    /// What a part of the page asks: a [`super::view_request::Question`] in bytes.
    Question(Vec<u8>),
}

/// Names an op.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpRef {
    /// Its name, without `%`.
    pub name: String,
    /// Its program.
    pub program: ProgramOf,
}

impl OpRef {
    /// An op of a program with an id; `None` for ops without one, and where any will do.
    pub fn new(name: &str, id: Option<u64>) -> Self {
        Self { name: name.to_owned(), program: id.map_or(ProgramOf::Any, ProgramOf::Id) }
    }

    /// An instruction of a listed program: that one is read, also where several have its id or it has none.
    pub fn listed(name: &str, program: ProgramRef) -> Self {
        Self { name: name.to_owned(), program: ProgramOf::Listed(program) }
    }
}

/// Which program an op is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProgramOf {
    /// The one that has it.
    Any,
    /// The one with this id.
    Id(u64),
    /// The one at this place in the list.
    Listed(ProgramRef),
}

/// A message to the worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// Which request this is.
    pub id: RequestId,
    /// What is asked.
    pub request: Request,
}

/// A message from the worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Which request it answers.
    pub id: RequestId,
    /// The answer, or a piece of it.
    pub reply: Reply,
}

/// What the worker answers. `Progress` may come many times before the answer proper.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    /// The worker's build.
    Hello {
        /// [`crate::BUILD`] of the worker.
        build: String,
    },
    /// How far a load is.
    Progress(Progress),
    /// Nothing was read: it would take more memory than there is. What there is to choose from.
    Large(Estimate),
    /// The load succeeded, wholly or in part (see `SessionInfo::partial`).
    Opened(Box<SessionInfo>),
    /// The figures of a query.
    Breakdown(Box<BreakdownHead>),
    /// A tree of scopes.
    Scopes(Scopes),
    /// The steps of all devices.
    StepStats(StepStats),
    /// A file's text.
    Exported(String),
    /// The query's filter is no regular expression.
    BadFilter(FilterError),
    /// The request was withdrawn before it was worked on.
    Cancelled,
    /// It could not be done. Nothing that was open is lost.
    Failed(Failure),
    /// The answer to a view's question, in bytes: [`Reply::decode`].
    Answer(Vec<u8>),
}

/// What the worker is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Stage {
    /// Fetching it from another host: the page's, before the worker has anything to do.
    Fetch,
    /// Telling the format by content.
    Recognise,
    /// Unpacking.
    Inflate,
    /// Walking planes into columns.
    Read,
    /// Steps, self time, classification.
    Analyse,
}

impl Stage {
    /// All stages, in order.
    pub const ALL: [Self; 5] = [Self::Fetch, Self::Recognise, Self::Inflate, Self::Read, Self::Analyse];
}

/// How far a load is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// The stage under way; those before it are done, or were not needed.
    pub stage: Stage,
    /// Bytes of the session read so far.
    pub bytes_done: u64,
    /// Bytes of the session.
    pub bytes_total: u64,
    /// Planes read so far.
    pub planes: u32,
    /// Events read so far.
    pub events: u64,
    /// The file or plane being read.
    pub place: String,
    /// WebAssembly memory in use, bytes. `None` where not known (native).
    pub memory: Option<u64>,
    /// What there is to say of the files so far.
    pub notes: Vec<String>,
}

/// Why something could not be done: what, where, what was kept, what to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// A short title: "run-17.xplane.pb could not be read".
    pub title: String,
    /// One sentence, or two: what is wrong and where, what was kept, what to do.
    pub message: String,
}

/// Page and worker are of different builds: a host served an old copy of one of them.
pub fn mismatch(page: &str, worker: &str) -> Failure {
    Failure {
        title: "Page and worker are of different builds".to_owned(),
        message: format!(
            "The page is build {page}, its worker {worker}: the site was updated meanwhile, or a cache has an old copy. Nothing was opened. Reload the page; if that does not help, try again in ten minutes."
        ),
    }
}

/// What was opened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionInfo {
    /// The files that were read, and those that were left out.
    pub files: Vec<FileInfo>,
    /// Devices with ops, in order: [`crate::analysis::base::DeviceChoice::One`] is an index into this list.
    pub devices: Vec<DeviceInfo>,
    /// The device to show first.
    pub usual_device: DeviceChoice,
    /// All planes of the capture.
    pub planes: Vec<PlaneInfo>,
    /// What the reader had to say.
    pub notes: Vec<Note>,
    /// The file is damaged or cut and only a part was read: the sentence that says what.
    pub partial: Option<String>,
    /// Events read.
    pub n_events: u64,
    /// It is of a report, not of a capture: what that holds. Every view says so.
    pub summary: Option<SummaryInfo>,
    /// The questions that the session answers.
    pub capabilities: Capabilities,
    /// Which framework made the capture: advice on how to record depends on it.
    pub framework: Framework,
}

/// A capture of the session, within a file that was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Carries {
    /// Its name, with folders.
    pub name: String,
    /// In which of the files.
    pub file: u32,
    /// Where in it its bytes begin.
    pub start: u64,
    /// How many there are.
    pub bytes: u64,
}

/// What a session of a report alone holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SummaryInfo {
    /// What it is: "This is a summary of run.xplane.pb; it holds step 12 of TPU:0 by op."
    pub sentence: String,
    /// The device it holds: the one to ask about.
    pub device: DeviceChoice,
    /// The step it holds.
    pub step: StepChoice,
    /// From 0 to 100, full detail. Below, amounts are rounded.
    pub level: u8,
    /// Lines of source are in it.
    pub has_sources: bool,
    /// Names are pseudonyms.
    pub is_anonymous: bool,
}

/// A device with ops.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceInfo {
    /// Plane name, `/device:TPU:0`.
    pub name: String,
    /// What people call it: `TPU:0`.
    pub label: String,
    /// `device_type_string`.
    pub device_type: Option<String>,
    /// Events on its op lines.
    pub n_ops: u64,
    /// Busy time over the whole capture.
    pub busy: Picos,
    /// Its steps, by start.
    pub steps: Vec<StepInfo>,
}

/// One step of a device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepInfo {
    /// Its number: [`crate::analysis::base::StepChoice::Number`].
    pub number: u64,
    /// The event's name: the number, or the program's name where steps are derived.
    pub name: String,
    /// Length.
    pub duration: Picos,
    /// Ops that start in it.
    pub n_ops: u64,
}

/// A plane of the capture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlaneInfo {
    /// Its name.
    pub name: String,
    /// Its lines.
    pub n_lines: u32,
    /// Its events.
    pub n_events: u64,
}
