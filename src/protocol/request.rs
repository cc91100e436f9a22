//! This module defines the messages of the page to the worker, and what a session that was opened holds. It holds plain data and
//! depends on neither side. A message opens, chooses or ends something, or passes on a request of a view ([`ViewRequest`]).
//!
//! A worker holds one session, or two that are compared. The page starts a fresh worker for each load, and keeps the current worker until
//! the load succeeds. Therefore a failed or cancelled load, or a worker that dies, loses nothing, and a load can be
//! cancelled at once, even inside a tight loop, because the page ends the worker. Within a session, requests carry ids,
//! are answered in order, and can be withdrawn while they wait.

use super::capabilities::Capabilities;
use super::estimate::Skip;
use super::view_request::ViewRequest;
use crate::analysis::base::{DeviceChoice, Framework, Query, StepChoice, StepsBy};
pub use crate::analysis::files::FileInfo;
use serde::{Deserialize, Serialize};
use xla_profile::profile::Note;
use xla_profile::units::Picos;

/// The id of a request. The replies to the request carry the same id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RequestId(pub u32);

/// A request of the page. `Open` travels together with the JavaScript `File` objects, and with the ports to the helpers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// The first message. It carries the page's build, which the worker compares with its own.
    Hello {
        /// [`crate::BUILD`] of the page.
        build: String,
    },
    /// Reads the files of this message as one session.
    Open {
        /// Which of the open sessions this becomes. The second one is compared with the first one, which stays open.
        slot: SessionSlot,
        /// Path of each file with its folders, in the order of the files.
        paths: Vec<String>,
        /// Files and planes that are not read. `None` if the user has not chosen yet: the reply is [`Reply::Large`](super::Reply::Large) if
        /// the files would take too much memory.
        skips: Option<Vec<Skip>>,
        /// Whether the files are of one run. If not, files of several runs are listed, and none of them is read.
        is_one_run: bool,
    },
    /// Reads the files of this message as one capture, closes it, and returns what a list of captures keeps of it, as
    /// [`crate::analysis::captures::CaptureSummary`].
    Summarise {
        /// Path of each file with its folders, in the order of the files.
        paths: Vec<String>,
    },
    /// Reads the files of this message as two captures, closes them, and returns the largest part of their difference, as
    /// `Option<`[`crate::analysis::captures::ChangeCause`]`>`.
    ExplainChange {
        /// Path of each file with its folders, those of the first capture first.
        paths: Vec<String>,
        /// Number of files of the first capture.
        n_before: u32,
    },
    /// Makes this session the one that answers all later requests. The reply is [`Reply::Opened`](super::Reply::Opened).
    Show(SessionSlot),
    /// Closes the second session. The first one is shown. The reply is [`Reply::Opened`](super::Reply::Opened) with the first one.
    CloseSecond,
    /// Reports that a helper has ended before its time. The worker reads the helper's planes.
    HelperEnded {
        /// Index of the helper's port among the ports of `Open`.
        helper: u32,
    },
    /// Opens the report of a link. The replies are those of `Open`.
    OpenReport {
        /// The text that follows `report=` in the address.
        link: String,
    },
    /// Finds the steps of the session in another way. The reply is [`Reply::Opened`](super::Reply::Opened), with other steps and devices. A report
    /// stays as it is.
    FindSteps(StepsBy),
    /// Ends the reading of files. The answer to `Open` is then of the planes that have been read, if there are any.
    StopReading,
    /// Withdraws a request that has not been answered yet.
    Cancel(RequestId),
    /// A request of a view.
    View(Box<ViewRequest>),
}

/// One of the sessions that a worker has open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum SessionSlot {
    #[default]
    First,
    /// The session that is compared with the first one.
    Second,
}

/// A message to the worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Call {
    pub id: RequestId,
    pub request: Request,
}

/// The contents of a session that was opened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionInfo {
    /// All files, including those that were not read.
    pub files: Vec<FileInfo>,
    /// Devices with ops, in order. [`crate::analysis::base::DeviceChoice::One`] is an index into this list.
    pub devices: Vec<DeviceInfo>,
    /// The device and the grouping to show first.
    pub usual_query: Query,
    /// The way in which the steps of the devices were found.
    pub steps_by: StepsBy,
    /// All planes of the capture.
    pub planes: Vec<PlaneInfo>,
    pub notes: Vec<Note>,
    /// A sentence about the data that is missing, if a file is damaged or cut, or if sums of durations overflow.
    /// `None` if everything was read.
    pub partial: Option<String>,
    /// Number of events that were read.
    pub n_events: u64,
    /// Contents of the report, if the session is a summary. `None` for a capture. Every view shows that the session is
    /// a summary.
    pub summary: Option<SharedReportInfo>,
    /// The requests that the session answers.
    pub capabilities: Capabilities,
    /// Framework that made the capture. The advice on how to record a capture depends on it.
    pub framework: Framework,
    /// The devices read so far, if the rest of the files is still being read. Another [`Reply::Opened`](super::Reply::Opened) follows then, with
    /// all of them.
    pub reading: Option<DevicesRead>,
    /// The files of each capture, as indices in `files`, if the session lists several captures. Empty for one capture.
    pub captures: Vec<Vec<u32>>,
}

impl SessionInfo {
    /// Returns whether the session is a comparison that was shared, which has no other view.
    pub fn is_comparison(&self) -> bool {
        self.summary.as_ref().is_some_and(|summary| summary.comparison.is_some())
    }
}

/// The number of devices that have been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DevicesRead {
    pub read: u32,
    /// Number of devices in the files.
    pub total: u32,
}

/// The contents of a summary: a session that is opened from a report alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedReportInfo {
    /// The names of both sides, if the report is a comparison. `None` for the report of a session.
    pub comparison: Option<[String; 2]>,
    /// A sentence such as "This is a summary of run.xplane.pb; it holds step 12 of TPU:0 by op."
    pub sentence: String,
    /// The device of the report. Queries name this device.
    pub device: DeviceChoice,
    /// The step of the report.
    pub step: StepChoice,
    /// Level of detail from 0 to 100. Below 100, amounts are rounded.
    pub level: u8,
    /// Whether the report holds source lines.
    pub has_sources: bool,
    /// Whether names are pseudonyms.
    pub is_anonymous: bool,
}

/// The largest number of steps of a device that an answer to the page lists: the first ones. The page decodes an answer at
/// once, and draws no more than a few thousand steps apart.
pub const MAX_LISTED_STEPS: usize = 10_000;

/// A device with ops.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceInfo {
    /// Name of the plane, such as `/device:TPU:0`.
    pub name: String,
    /// Short name, such as `TPU:0`.
    pub label: String,
    /// The stat `device_type_string` of the plane.
    pub device_type: Option<String>,
    /// Number of events on the op lines.
    pub n_ops: u64,
    /// Busy time over the whole capture.
    pub busy: Picos,
    /// The first [`MAX_LISTED_STEPS`] steps by start.
    pub steps: Vec<StepInfo>,
    pub n_steps: u32,
    /// Number of steady steps of the kind with the most time, whose mean is shown by default.
    pub n_steady: u32,
    /// The kinds of steps of a device with several of them; the first one is that of the mean.
    #[serde(default)]
    pub kinds: Vec<KindInfo>,
}

/// A kind of steps of a device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KindInfo {
    /// The kind, as [`crate::analysis::base::StepChoice::Kind`] uses it.
    pub kind: u16,
    /// The name, such as `decode`.
    pub name: String,
    pub n_steady: u32,
}

/// One step of a device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepInfo {
    /// Number of the step, as [`crate::analysis::base::StepChoice::Number`] uses it.
    pub number: u64,
    /// Name of the step's event: the number of the step, or the name of the program if steps are derived from runs.
    pub name: String,
    pub duration: Picos,
    /// Number of op events that start in the step.
    pub n_ops: u64,
}

/// A plane of the capture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlaneInfo {
    pub name: String,
    /// Number of lines, without derived ones.
    pub n_lines: u32,
    pub n_events: u64,
}

impl From<ViewRequest> for Request {
    fn from(request: ViewRequest) -> Self {
        Self::View(Box::new(request))
    }
}
