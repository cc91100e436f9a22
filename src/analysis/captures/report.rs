//! This module defines what is known about each of many captures. It is plain data and does not depend on the analysis.

use crate::analysis::classify::Kind;
use crate::analysis::compare::{SeriesPoint, SideHead, Verdict};
use crate::analysis::overview::{FigureId, Unit};
use serde::{Deserialize, Serialize};
use xla_profile::units::Picos;

/// What the start of a file says, before its events are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileHead {
    /// Name with folders.
    pub path: String,
    pub bytes: u64,
    pub kind: HeadKind,
    /// When the profile was started, in ns since 1970. `None` if the file does not record it, or if it was not unpacked.
    pub start_ns: Option<u64>,
    /// When the profile was stopped, in ns since 1970. `None` as for the start.
    pub stop_ns: Option<u64>,
    /// Names of the hosts that the file records.
    pub hosts: Vec<String>,
    /// Id of the process that was profiled. `None` if the file does not record it, as those before jaxlib 0.10.
    pub process: Option<u64>,
    /// Version of jaxlib. `None` if the file does not record it.
    pub jaxlib: Option<String>,
    /// Type of the devices in the names of the planes, such as `TPU`. `None` if the file has no device, or if it was not unpacked.
    pub platform: Option<String>,
    /// Type of the first device, such as `TPU v5e`. `None` if it was not read: it is read only of files that could be of one run.
    pub device_type: Option<String>,
    pub n_devices: u32,
}

/// The kind of a file among many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HeadKind {
    XSpace,
    /// A capture that is packed and was not unpacked, or trace JSON.
    Packed,
    /// A report that was made of a capture.
    Report,
    Program,
    /// JSON lines of tables of captures.
    Table,
    /// Anything else.
    #[default]
    Other,
}

impl HeadKind {
    /// Returns whether a file of this kind holds events.
    pub const fn has_events(self) -> bool {
        matches!(self, Self::XSpace | Self::Packed)
    }
}

/// One of many captures: what its files say, and its summary once it has been read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaptureRow {
    /// Names the row in addresses: the path of its first file, or the id of a capture in a table.
    pub key: String,
    /// Name for users: the folder of the run, or the name of its file.
    pub name: String,
    /// Indices of its files among those that were opened. Empty for a row of a table, whose capture cannot be opened.
    pub files: Vec<u32>,
    /// Number of files that hold events: one for each host. `None` if a table does not name the hosts.
    pub n_hosts: Option<u32>,
    /// Size of all files in bytes. `None` if a table does not tell it.
    pub bytes: Option<u64>,
    /// When the profile was started, in ns since 1970. `None` if nothing records it.
    pub start_ns: Option<u64>,
    /// Type of the devices, such as `TPU`; a better name once the capture has been read. `None` if it is unknown.
    pub device_type: Option<String>,
    /// Number of devices. `None` if it is unknown.
    pub n_devices: Option<u32>,
    /// Names of its programs. Empty if they are unknown.
    pub programs: Vec<String>,
    /// What the user who exported the capture added to it, such as the commit. Only rows of tables have keys.
    pub keys: Vec<(String, String)>,
    pub progress: CaptureProgress,
    /// Median of the lengths of its steps, in ps. `None` before it has been read, and without steps.
    pub median_ps: Option<f64>,
    /// Tokens of a step. A report does not tell them: it has those of the other captures, if these all have the same number. `None` if
    /// they are unknown.
    pub tokens: Option<u64>,
    /// Difference of the median from that of the last comparable capture, and whether it is more than noise. The verdict is `None` if
    /// the lengths of the steps of one of both are unknown, as of a row of a table without the table of steps.
    pub change: Option<(i64, Option<Verdict>)>,
}

/// Whether a capture has been read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum CaptureProgress {
    /// It has not been read yet.
    #[default]
    Waits,
    /// It was read, and closed again.
    Read(Box<CaptureSummary>),
    /// It could not be read. The text is the reason.
    Failed(String),
}

/// What is kept of a capture after it was read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaptureSummary {
    /// Its steps and its figures.
    pub point: SeriesPoint,
    /// Mean length of a step, or the length of the capture if it has no steps. `None` if a table does not tell it.
    pub period: Option<Picos>,
    /// First and third quartile of the lengths of its steps in ps, for a row of a table that does not list these lengths.
    pub quartiles_ps: Option<(f64, f64)>,
    /// Names of its programs, the one with the most time first. Empty if they are unknown.
    pub programs: Vec<String>,
    /// Time of a step by kind; idle time has no kind. Empty if a table does not tell it.
    pub kinds: Vec<(Option<Kind>, Picos)>,
    /// The verdict of the overview in one sentence.
    pub verdict: String,
    /// The finding with the most recoverable time. `None` if there is no finding, or if it is unknown.
    pub top_finding: Option<TopFinding>,
    /// Number of findings about time, memory and options. `None` if the table of findings is missing.
    pub n_findings: Option<u32>,
    /// Whether only a part of it could be read.
    pub is_partial: bool,
}

/// The first finding of a capture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TopFinding {
    pub title: String,
    /// `None` if a table does not tell it.
    pub at_stake: Option<Picos>,
}

impl CaptureRow {
    /// Returns whether the capture is among the files, so that it can be opened. A row of a table alone cannot.
    pub const fn has_files(&self) -> bool {
        !self.files.is_empty()
    }

    /// Returns the summary. `None` if the capture has not been read.
    pub const fn summary(&self) -> Option<&CaptureSummary> {
        match &self.progress {
            CaptureProgress::Read(summary) => Some(summary),
            CaptureProgress::Waits | CaptureProgress::Failed(_) => None,
        }
    }

    /// Returns the row without what is only needed for the analysis: the steps and the figures, which are most of its bytes.
    #[must_use]
    pub fn without_figures(&self) -> Self {
        let brief = |summary: &CaptureSummary| {
            let SeriesPoint { head, start_ns, .. } = &summary.point;
            let head = SideHead {
                files: Vec::new(),
                device: head.device.clone(),
                device_type: head.device_type.clone(),
                step_kind: head.step_kind.clone(),
                periods_ps: Vec::new(),
                ..*head
            };
            let point = SeriesPoint { head, start_ns: *start_ns, figures: Vec::new() };
            let (programs, kinds, verdict, top_finding) = (Vec::new(), Vec::new(), String::new(), None);
            CaptureSummary { point, programs, kinds, verdict, top_finding, ..*summary }
        };
        let progress = match &self.progress {
            CaptureProgress::Read(summary) => CaptureProgress::Read(Box::new(brief(summary))),
            other => other.clone(),
        };
        Self {
            key: self.key.clone(),
            name: self.name.clone(),
            files: self.files.clone(),
            device_type: self.device_type.clone(),
            programs: Vec::new(),
            keys: Vec::new(),
            progress,
            ..*self
        }
    }

    /// Returns the value of a figure. `None` if it is unknown.
    pub fn figure(&self, name: &str) -> Option<f64> {
        self.summary()?.point.figures.iter().find(|figure| figure.id.key() == name)?.value
    }

    /// Returns the work of the capture: its device type, its number of devices and the tokens of a step. Captures with the same
    /// work are comparable. `None` if the capture has not been read.
    pub(super) fn work(&self) -> Option<Work<'_>> {
        let head = &self.summary()?.point.head;
        Some((head.device_type.as_deref(), head.n_devices, self.tokens))
    }

    /// Returns whether times of both captures can be compared: they ran the same amount of work on the same devices.
    pub fn is_comparable(&self, other: &Self) -> bool {
        self.work().is_some_and(|work| other.work() == Some(work))
    }
}

/// The work of a capture: see [`CaptureRow::work`].
pub(super) type Work<'a> = (Option<&'a str>, u32, Option<u64>);

/// A figure that the page draws over all captures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CaptureFigure {
    #[default]
    StepTime,
    Mfu,
    ExposedComm,
    PeakHbm,
}

impl CaptureFigure {
    /// All figures, in order.
    pub const ALL: [Self; 4] = [Self::StepTime, Self::Mfu, Self::ExposedComm, Self::PeakHbm];

    /// Returns the name of the figure in the overview and in a series.
    pub const fn name(self) -> &'static str {
        match self {
            Self::StepTime => "period",
            Self::Mfu => FigureId::ModelMfu.key(),
            Self::ExposedComm => FigureId::ExposedCommunication.key(),
            Self::PeakHbm => FigureId::PeakHbm.key(),
        }
    }

    /// Returns the label for users.
    pub const fn label(self) -> &'static str {
        match self {
            Self::StepTime => "Step time",
            Self::Mfu => "MFU",
            Self::ExposedComm => "Exposed comm.",
            Self::PeakHbm => "Peak HBM",
        }
    }

    /// Returns the unit of the figure in a series.
    pub const fn unit(self) -> Unit {
        match self {
            Self::StepTime => Unit::Ps,
            Self::Mfu | Self::ExposedComm | Self::PeakHbm => Unit::Fraction,
        }
    }
}

/// All captures at a glance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CapturesView {
    pub n_captures: u32,
    pub n_read: u32,
    pub n_failed: u32,
    pub n_partial: u32,
    /// Captures that were read and cannot be compared with most others.
    pub n_other: u32,
    /// Size of all files in bytes, as far as it is known.
    pub bytes: u64,
    /// Rows of tables, whose captures cannot be opened.
    pub n_without_files: u32,
    /// Files that belong to none of the captures.
    pub n_left_out: u32,
    /// The index of the newest capture that has a step time and is comparable with most others; the fastest one; the slowest one.
    /// `None` if no capture has been read.
    pub latest: Option<u32>,
    pub best: Option<u32>,
    pub worst: Option<u32>,
    /// MFU of the newest of these captures, a fraction. `None` if it is unknown.
    pub latest_mfu: Option<f64>,
    /// All captures, in the order of their files, without their steps and figures.
    pub captures: Vec<CaptureRow>,
    pub series: CapturesSeries,
}

/// A figure of all captures, in the order of time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CapturesSeries {
    pub figure: CaptureFigure,
    /// Whether the captures are in the order of time. If not, one of them does not record its time, and they are in the order of
    /// their names.
    pub is_by_time: bool,
    pub marks: Vec<SeriesMark>,
    /// Where the figure changes for good, in the order of the marks.
    pub changes: Vec<SeriesChange>,
}

/// A capture in a series.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeriesMark {
    /// Index of the capture.
    pub capture: u32,
    /// `None` if the figure is unknown, or if the capture has not been read.
    pub value: Option<f64>,
    /// First and third quartile of its steps. `None` for figures without a spread, and with fewer than four steps.
    pub spread: Option<(f64, f64)>,
    /// Whether it can be compared with most others. If not, it is no part of the levels.
    pub is_comparable: bool,
    pub is_partial: bool,
}

/// A place where a figure changes for good.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeriesChange {
    /// Index of the first mark after the change, and of the last comparable mark before it.
    pub first_after: u32,
    pub last_before: u32,
    /// Median of the three values before and after it.
    pub before: f64,
    pub after: f64,
    /// What made most of the change of the step time. `None` if it is not known, or not known yet.
    pub cause: Option<ChangeCause>,
}

/// The largest part of a difference between two captures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChangeCause {
    pub label: String,
    pub delta_ps: i64,
}
