//! What a session's files hold, as reported. Plain data; knows nothing of how it was found or how it looks.

use crate::profile::{Note, PlaneStat};
use crate::units::Picos;
use serde::{Deserialize, Serialize};

/// What is in a session's files: counts and sizes, and the programs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FileView {
    /// The files that were read, in the order that [`FilePlane::file`] counts them.
    pub files: Vec<FileInfo>,
    /// Hosts that the captures name.
    pub hosts: Vec<String>,
    /// Planes, in file order.
    pub planes: Vec<FilePlane>,
    /// Programs: those with the most time first, then by size, name and id.
    pub programs: Vec<FileProgram>,
    /// Events of all planes.
    pub n_events: u64,
    /// Lines of all planes.
    pub n_lines: u64,
    /// Bytes of all files, as stored.
    pub bytes: u64,
    /// Only a part of the files could be read.
    pub partial: bool,
    /// What the reader and the analysis had to say.
    pub notes: Vec<Note>,
    /// What the session lacks, the worst kinds first.
    pub quality: Vec<Finding>,
}

/// What a session lacks. In order of how much figures suffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum FindingKind {
    /// A file is cut, capped or not read.
    Truncated,
    /// The profiler dropped traces.
    Dropped,
    /// The profiler itself says that something went wrong.
    Profiler,
    /// Times that cannot be.
    Clock,
    /// Events or stats whose names are not there.
    Unresolved,
    /// Starts without dones.
    Unpaired,
    /// A line, a stat or a program that is not there.
    Missing,
}

impl FindingKind {
    /// The name in JSON.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Truncated => "truncated",
            Self::Dropped => "dropped",
            Self::Profiler => "profiler",
            Self::Clock => "clock",
            Self::Unresolved => "unresolved",
            Self::Unpaired => "unpaired",
            Self::Missing => "missing",
        }
    }
}

/// One thing that a session lacks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What is wrong.
    pub kind: FindingKind,
    /// Which plane, device or file; `None` of the session.
    pub place: Option<String>,
    /// How many events, stats or devices; `None` where it is no count.
    pub n: Option<u64>,
    /// What is so, and what follows.
    pub consequence: String,
    /// What fills the gap. `None` where nothing is known to.
    pub remedy: Option<String>,
}

/// One file of a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileInfo {
    /// Name, with its folder where it came in one.
    pub name: String,
    /// Size in bytes, as stored.
    pub bytes: u64,
    /// What it is, in words: "XSpace", "XSpace, gzip", "HLO proto".
    pub format: String,
}

/// What a plane is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PlaneRole {
    /// A device, or a part of one.
    Device,
    /// Threads of a host.
    Host,
    /// Programs and the environment: no run.
    Metadata,
    /// Anything else.
    Other,
}

impl PlaneRole {
    /// The name in JSON.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Device => "device",
            Self::Host => "host",
            Self::Metadata => "metadata",
            Self::Other => "other",
        }
    }
}

/// A plane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FilePlane {
    /// Its name.
    pub name: String,
    /// Its id in the file.
    pub id: i64,
    /// What it is.
    pub role: PlaneRole,
    /// The same in words, and what it is for here: "TPU device (analysed)".
    pub words: String,
    /// Which file: index into [`FileView::files`].
    pub file: u32,
    /// Bytes of the plane, its lines included. Of a packed file, as unpacked.
    pub bytes: u64,
    /// Bytes of the plane without its lines: names, metadata, stats.
    pub metadata_bytes: u64,
    /// Events of its lines.
    pub n_events: u64,
    /// Its metadata entries.
    pub n_metadata: u64,
    /// Distinct ops: metadata entries and what events' own stats make of them.
    pub n_ops: u64,
    /// Its own stats, in file order.
    pub stats: Vec<FileStat>,
    /// Stats of its events and metadata, by name.
    pub stat_names: Vec<StatUse>,
    /// Its lines, in file order.
    pub lines: Vec<FileLine>,
    /// The timestamp that [`FileLine::span`] counts from, ns: the least of its lines with events.
    pub origin_ns: Option<i64>,
}

/// A stat of a plane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileStat {
    /// Its name.
    pub name: String,
    /// Its value; [`PlaneStat::text`] tells it.
    pub value: PlaneStat,
}

/// How often a stat occurs in a plane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatUse {
    /// Its name.
    pub name: String,
    /// On events.
    pub on_events: u64,
    /// On event metadata.
    pub on_metadata: u64,
}

/// What a line is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LineUse {
    /// Its events are the ops that are counted.
    Ops,
    /// Its events are the steps.
    Steps,
    /// Its events are runs of programs: they name programs, and are the steps where no line has those.
    Modules,
    /// Its events are what goes on beside the core: communication and copies in flight.
    Async,
    /// Nothing reads it yet.
    NotUsed,
}

impl LineUse {
    /// The name in JSON.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Ops => "ops",
            Self::Steps => "steps",
            Self::Modules => "modules",
            Self::Async => "async",
            Self::NotUsed => "not_used",
        }
    }

    /// The name people read.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Ops => "ops",
            Self::Steps => "steps",
            Self::Modules => "modules",
            Self::Async => "in flight",
            Self::NotUsed => "not used",
        }
    }
}

/// A line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileLine {
    /// Its name.
    pub name: String,
    /// The name to show, where it differs.
    pub display_name: Option<String>,
    /// Its id in the file.
    pub id: i64,
    /// Where its own time starts, ns, as the file says.
    pub timestamp_ns: i64,
    /// Its events.
    pub n_events: u64,
    /// Its bytes.
    pub bytes: u64,
    /// Start of its first event and end of its last, on the event clock, after [`FilePlane::origin_ns`]. `None` without
    /// events, and where they do not fit.
    pub span: Option<(Picos, Picos)>,
    /// All its events have a time on the device's clock.
    pub device_clock: bool,
    /// What it is used for.
    pub used: LineUse,
}

/// Where a program's text is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProgramSource {
    /// An HLO proto inside a capture.
    Capture,
    /// An HLO proto that is a file of its own.
    Dropped,
    /// Only the texts of its ops' events.
    Events,
    /// HLO text that is a file of its own.
    Text,
}

impl ProgramSource {
    /// The name in JSON.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Capture => "capture",
            Self::Dropped => "hlo_proto",
            Self::Events => "events",
            Self::Text => "hlo_text",
        }
    }

    /// The name people read.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Capture => "HLO proto in the capture",
            Self::Dropped => "HLO proto of its own",
            Self::Events => "only events’ text",
            Self::Text => "HLO text",
        }
    }
}

/// A program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileProgram {
    /// Its name, without its id.
    pub name: String,
    /// Its id, as events have it; of a program that no event is of, what its file says, where no other has the same.
    pub program_id: Option<u64>,
    /// Where its text is from.
    pub source: ProgramSource,
    /// The file that its HLO proto is in, or is: index into [`FileView::files`].
    pub file: Option<u32>,
    /// Bytes of its HLO proto.
    pub bytes: Option<u64>,
    /// Runs on all devices, as their module lines tell. `None` where it did not run.
    pub n_runs: Option<u64>,
    /// Σ lengths of these runs. `None` where no run is reported.
    pub run_time: Option<Picos>,
    /// Self time of its ops on all devices over the whole capture. `None` where it did not run, or where no op says that it is of it.
    pub busy: Option<Picos>,
    /// Its computations. `None` until its text was requested.
    pub n_computations: Option<u32>,
    /// Its instructions. `None` until its text was requested.
    pub n_instructions: Option<u32>,
    /// Its HLO proto: index into [`crate::profile::Profile::hlo`].
    pub hlo: Option<u32>,
}
