//! This module holds the report of a session's files. It is plain data and does not depend on the analysis or on the
//! view.

use serde::{Deserialize, Serialize};
use xla_profile::keyed_enum;
use xla_profile::profile::{Note, PlaneStat};
use xla_profile::units::Picos;

/// The contents of a session's files: counts, sizes and programs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FileView {
    /// Files that were read. [`FilePlane::file`] is an index into this list.
    pub files: Vec<FileInfo>,
    /// Names of the hosts in the captures.
    pub hosts: Vec<String>,
    /// Planes, in the order of the files.
    pub planes: Vec<FilePlane>,
    /// Programs, the one with the most time first. Ties are ordered by number of runs, size, name and id.
    pub programs: Vec<FileProgram>,
    pub n_events: u64,
    pub n_lines: u64,
    /// Stored bytes of all files.
    pub bytes: u64,
    /// Whether only a part of the files could be read.
    pub partial: bool,
    /// Notes of the reader and of the analysis.
    pub notes: Vec<Note>,
    /// Gaps of the session, the worst kinds first.
    pub quality: Vec<Finding>,
}

keyed_enum! {
    /// The kind of a gap in the data. Kinds are ordered by their effect on the figures, the worst first.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    pub enum FindingKind {
        /// A file is cut, limited in size or not read.
        Truncated = "truncated",
        /// The profiler dropped traces.
        Dropped = "dropped",
        /// The profiler reported an error or a warning.
        Profiler = "profiler",
        /// Some times are impossible or unreliable.
        Clock = "clock",
        /// Events or stats have no names.
        Unresolved = "unresolved",
        /// Starts have no dones, or dones have no starts.
        Unpaired = "unpaired",
        /// A line, a stat or a program is absent.
        Missing = "missing",
    }
}

/// One gap in the data of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    pub kind: FindingKind,
    /// The plane, device or file with the gap. `None` for the whole session.
    pub place: Option<String>,
    /// Number of events, stats or devices. `None` if the gap has no number.
    pub n: Option<u64>,
    /// The gap and its consequence.
    pub consequence: String,
    /// The way to fill the gap. `None` if none is known.
    pub remedy: Option<String>,
}

/// One file of a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileInfo {
    /// Name, with the folder if the file was opened with one.
    pub name: String,
    /// Stored size in bytes.
    pub bytes: u64,
    /// The format in words: "XSpace", "XSpace, gzip", "HLO proto".
    pub format: String,
}

keyed_enum! {
    /// The role of a plane.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub enum PlaneRole {
        /// A device, or a part of one.
        Device = "device",
        Host = "host",
        /// Programs and the environment, without events of a run.
        Metadata = "metadata",
        Other = "other",
    }
}

/// A plane of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FilePlane {
    pub name: String,
    /// The id in the file.
    pub id: i64,
    pub role: PlaneRole,
    /// The role and its use in words: "TPU device (analysed)".
    pub words: String,
    /// Index into [`FileView::files`].
    pub file: u32,
    /// Bytes of the plane with its lines. In a packed file, the unpacked bytes.
    pub bytes: u64,
    /// Bytes of the plane without its lines: names, metadata, stats.
    pub metadata_bytes: u64,
    pub n_events: u64,
    /// Number of event metadata entries.
    pub n_metadata: u64,
    /// Number of distinct ops: metadata entries, and their variants by the stats of events.
    pub n_ops: u64,
    /// Stats of the plane itself, in file order.
    pub stats: Vec<FileStat>,
    /// Stats of its events and event metadata, by name.
    pub stat_names: Vec<StatUse>,
    /// Lines, in file order.
    pub lines: Vec<FileLine>,
    /// The time from which [`FileLine::span`] counts, in ns: the smallest timestamp of the lines with events. `None`
    /// without such a line.
    pub origin_ns: Option<i64>,
}

/// A stat of a plane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileStat {
    pub name: String,
    /// The value. [`PlaneStat::text`] writes it.
    pub value: PlaneStat,
}

/// Number of occurrences of a stat in a plane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatUse {
    pub name: String,
    pub on_events: u64,
    /// Occurrences on event metadata.
    pub on_metadata: u64,
}

keyed_enum! {
    /// The use of a line in the analyses.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub enum LineUse {
        /// The events are the ops of a device.
        Ops = "ops": "ops",
        /// The events are the steps.
        Steps = "steps": "steps",
        /// The events are runs of programs. They name programs, and serve as steps if there is no line of steps.
        Modules = "modules": "modules",
        /// The events run beside the core: collectives and copies in flight.
        Async = "async": "in flight",
        /// The events tell what a device waited for in its idle gaps: the threads of a host, and the waits of runs.
        Gaps = "gaps": "idle gaps",
        /// The events have the values of counters.
        Counters = "counters": "counters",
        /// No analysis reads the line.
        NotUsed = "not_used": "not used",
    }
}

/// A line of a plane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileLine {
    pub name: String,
    /// The display name, if it differs from `name`.
    pub display_name: Option<String>,
    /// The id in the file.
    pub id: i64,
    /// Start of the line's time in ns, from the file.
    pub timestamp_ns: i64,
    pub n_events: u64,
    pub bytes: u64,
    /// Start of the first event and end of the last one, on the event clock, in ps after [`FilePlane::origin_ns`].
    /// `None` without events, and if the times do not fit.
    pub span: Option<(Picos, Picos)>,
    /// Whether all events have a time on the device clock.
    pub device_clock: bool,
    pub used: LineUse,
}

keyed_enum! {
    /// The source of a program's HLO text.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub enum ProgramSource {
        /// An HLO proto inside a capture.
        Capture = "capture": "HLO proto in the capture",
        /// An HLO proto in a file of its own.
        Dropped = "hlo_proto": "HLO proto of its own",
        /// Only the texts of its ops' events.
        Events = "events": "only events’ text",
        /// HLO text in a file of its own.
        Text = "hlo_text": "HLO text",
    }
}

/// A program of a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FileProgram {
    /// The name without the id.
    pub name: String,
    /// The id in events. For a program without events, it is the id in its file, if no other program has it. `None` if
    /// unknown.
    pub program_id: Option<u64>,
    pub source: ProgramSource,
    /// The file that contains or is its HLO proto or text: index into [`FileView::files`].
    pub file: Option<u32>,
    /// Bytes of its HLO proto or text.
    pub bytes: Option<u64>,
    /// Runs on all devices, from their module lines. `None` if there is no run.
    pub n_runs: Option<u64>,
    /// Σ duration of these runs. `None` without runs.
    pub run_time: Option<Picos>,
    /// Self time of its ops on all devices over the whole capture. `None` if no op ran that names the program.
    pub busy: Option<Picos>,
    /// Number of computations. `None` until the program's text was requested.
    pub n_computations: Option<u32>,
    /// Number of instructions. `None` until the program's text was requested.
    pub n_instructions: Option<u32>,
    /// Its HLO proto or text: index into [`xla_profile::profile::Profile::hlo`].
    pub hlo: Option<u32>,
}
