//! This module defines the session of a capture: it holds the profile and the analysis, and answers every request from
//! them. It does not depend on a browser.

mod breakdown;
pub mod breakdown_rows;
pub mod comm;
pub mod data_movement;
mod event_rows;
mod export;
pub mod flags;
mod gaps;
pub mod ledger;
pub mod live_buffers;
pub mod memory;
pub mod memory_view;
pub mod op;
pub mod overview;
pub mod report;
pub mod roofline;
pub mod roofline_cache;
pub mod roofline_table;
mod timeline;
pub mod timeline_export;
pub mod utilization;

use super::capture::breakdown_rows::KeptBreakdowns;
use super::capture::memory::{alive_at, memory_curve, memory_lanes, peak_without, static_memory};
use super::open::read_files::{MAX_PROGRESS_NOTES, open_files};
use super::open::report_file::Captures;
use super::open::{Opened, messages};
use super::programs::Programs;
use super::programs::hlo_text_cache::{Listed, Listings};
use crate::analysis::base::{Analysis, Framework, StepsBy, device_type};
use crate::analysis::breakdown::StepStats;
use crate::analysis::files::{FileInfo, FileView};
use crate::analysis::overview::{Overview, OverviewQuery};
use crate::analysis::timeline::TimelineIndex;
use crate::protocol::{
    Capabilities, DeviceInfo, Failure, KindInfo, MAX_LISTED_STEPS, PlaneInfo, ProgramRef, Progress, Reply, Request,
    SessionInfo, Skip, Stage, StepInfo, ViewRequest, requests,
};
use crate::table::format::count;
use xla_profile::profile::{Note, NoteCode, Plane, Profile, Severity};

/// The session of one or several captures.
pub(crate) struct CaptureSession {
    pub(crate) profile: Profile,
    pub(crate) analysis: Analysis,
    pub(crate) files: Vec<FileInfo>,
    /// Whether a part of the data is missing; see [`SessionInfo::partial`].
    pub(crate) partial: bool,
    /// The first steps of all devices, after the first request for them.
    steps: Option<StepStats>,
    /// The programs of the capture, which are read on request.
    pub(crate) programs: Programs,
    /// The cached texts of programs.
    listings: Listings,
    /// The contents of the files, after the first request for them.
    pub(crate) file: Option<FileView>,
    /// The answers to the last breakdown queries.
    pub(crate) answers: KeptBreakdowns,
    /// The last answer of the roofline.
    pub(crate) roofline: Option<super::capture::roofline_cache::RooflineCache>,
    /// The memory of programs and allocators, after the first request for it.
    pub(crate) memory: Option<crate::protocol::MemorySession>,
    /// The live buffers whose table is shown.
    pub(crate) live_buffers: Option<super::capture::live_buffers::LiveBuffers>,
    /// The last query and answer of the overview.
    pub(crate) overview: Option<(OverviewQuery, Option<Overview>)>,
    /// The tracks of the timeline, after the first request for them.
    pub(crate) timeline: Option<TimelineIndex>,
    /// The events whose table is shown.
    pub(crate) event_rows: Option<super::capture::event_rows::EventRows>,
    /// The last query and answer of communication.
    pub(crate) comm: Option<(crate::analysis::comm::CommQuery, crate::analysis::comm::Comm)>,
}

impl CaptureSession {
    pub(super) fn answer(&mut self, request: &Request) -> Reply {
        match request {
            Request::View(request) => self.answer_view_request(request),
            Request::Hello { .. } => Reply::Hello { build: crate::BUILD.to_owned() },
            Request::Open { .. } | Request::OpenReport { .. } => Reply::Failed(Failure {
                title: "This worker has a session open".to_owned(),
                message: "A new session needs a worker of its own.".to_owned(),
            }),
            _ => Reply::Cancelled,
        }
    }
}

impl CaptureSession {
    /// Opens captures without the files and planes in `skips`.
    ///
    /// # Errors
    /// Returns a [`Failure`] if nothing could be read.
    pub(crate) fn open_files(
        captures: Captures,
        skips: &[Skip],
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(Self, SessionInfo), Failure> {
        let mut last = None;
        let opened = open_files(captures, skips, &mut |p| {
            last = Some(p.clone());
            progress(p);
        })?;
        let Opened { profile, files, partial, open_files } = opened;
        if let Some(last) = last {
            let (planes, events) = (profile.planes.len() as u32, profile.n_events() as u64);
            // Notes of a higher severity come before notes of severity `Info`.
            let (info, grave): (Vec<&Note>, _) = profile.notes.iter().partition(|note| note.severity == Severity::Info);
            let notes =
                grave.into_iter().chain(info).map(|note| note.message.clone()).take(MAX_PROGRESS_NOTES).collect();
            progress(Progress { stage: Stage::Analyse, bytes_done: last.bytes_total, planes, events, notes, ..last });
        }
        let mut programs = Programs::new(open_files);
        let analysis = programs.analysis(&profile, &StepsBy::default());
        // What was not recorded on purpose is a note of each view.
        let lost = analysis.completeness.notes().into_iter().filter(|note| note.severity > Severity::Info);
        let session = SessionInfo {
            files,
            devices: device_infos(&profile, &analysis),
            usual_query: analysis.usual_query(&profile),
            steps_by: StepsBy::default(),
            planes: profile.planes.iter().filter(|plane| !plane.is_derived()).map(plane_info).collect(),
            notes: profile.notes.iter().cloned().chain(lost).chain(steps_note(&analysis)).collect(),
            partial: partial.or_else(|| analysis.partial_notes().next().map(|note| note.message.clone())),
            n_events: profile.n_events() as u64,
            summary: None,
            capabilities: Capabilities::capture(),
            framework: Framework::detect(&profile),
            reading: None,
            captures: Vec::new(),
        };
        let (files, partial) = (session.files.clone(), session.partial.is_some());
        Ok((Self { files, partial, programs, ..Self::new(profile, analysis) }, session))
    }

    /// Creates the session of files that have been read.
    pub(crate) fn of_opened(opened: Opened) -> Self {
        let Opened { profile, files, partial, open_files } = opened;
        let mut programs = Programs::new(open_files);
        let analysis = programs.analysis(&profile, &StepsBy::default());
        let partial = partial.is_some() || analysis.partial_notes().next().is_some();
        Self { files, partial, programs, ..Self::new(profile, analysis) }
    }

    /// Finds the steps again, in the way that the user wants, and forgets what was computed of the steps before. `info` is what
    /// the user was told of the session.
    pub(crate) fn find_steps(&mut self, by: &StepsBy, info: &mut SessionInfo) {
        let before: Vec<Note> = steps_note(&self.analysis).into_iter().collect();
        let analysis = self.programs.analysis(&self.profile, by);
        let programs = std::mem::replace(&mut self.programs, Programs::new(Vec::new()));
        let (files, partial) = (std::mem::take(&mut self.files), self.partial);
        *self = Self { files, partial, programs, ..Self::new(std::mem::take(&mut self.profile), analysis) };
        info.devices = device_infos(&self.profile, &self.analysis);
        info.steps_by = by.clone();
        info.notes.retain(|note| !before.contains(note));
        info.notes.extend(steps_note(&self.analysis));
    }

    /// Creates a session without files and with empty caches.
    fn new(profile: Profile, analysis: Analysis) -> Self {
        Self {
            profile,
            analysis,
            files: Vec::new(),
            partial: false,
            steps: None,
            programs: Programs::new(Vec::new()),
            listings: Listings::default(),
            file: None,
            answers: KeptBreakdowns::default(),
            roofline: None,
            memory: None,
            live_buffers: None,
            overview: None,
            timeline: None,
            event_rows: None,
            comm: None,
        }
    }

    /// Returns the names of the files, for the head of a JSON document.
    pub(super) fn file_names(&self) -> Vec<String> {
        self.files.iter().map(|file| file.name.clone()).collect()
    }

    /// Returns the notes of the capture, followed by those of a report.
    pub(super) fn notes_and(&self, of_report: &[Note]) -> Vec<Note> {
        self.profile.notes.iter().chain(of_report).cloned().collect()
    }

    /// Answers a request of a view.
    fn answer_view_request(&mut self, request: &ViewRequest) -> Reply {
        match request {
            ViewRequest::Breakdown(query) => Reply::answer_or_bad_filter::<requests::Breakdown>(self.head(query)),
            ViewRequest::Scopes { query, root, min_share } => Reply::answer_or_bad_filter::<requests::Scopes>(
                self.analysis.scopes(&self.profile, query, root, *min_share),
            ),
            ViewRequest::StepStats => Reply::answer_to::<requests::StepStats>(self.step_stats()),
            ViewRequest::ExportRows { rows, format } => self.export(rows, *format),
            ViewRequest::Op { query, op } => self.op(query, op),
            ViewRequest::Graph { query, op, open } => self.graph(query, op, open),
            ViewRequest::DataMovement(query) => Reply::answer_to::<requests::DataMovement>(&self.data_movement(query)),
            ViewRequest::Utilization(query) => self.utilization(query),
            ViewRequest::Gaps(query) => Reply::answer_to::<requests::Gaps>(&self.gaps(query)),
            ViewRequest::Overview(query) => Reply::answer_to::<requests::Overview>(self.overview_kept(query)),
            ViewRequest::OverviewMarkdown(query) => {
                let text = self.overview_kept(query).as_ref().map(crate::report::overview::text::markdown);
                Reply::answer_to::<requests::OverviewMarkdown>(&text.unwrap_or_default())
            }
            ViewRequest::File => Reply::answer_to::<requests::File>(self.file()),
            ViewRequest::ProgramText { program, first, count } => self.listed(*program, |listed| {
                Reply::answer_to::<requests::ProgramText>(&listed.page(*program, *first, *count))
            }),
            ViewRequest::ProgramOutline(program) => {
                self.listed(*program, |listed| Reply::answer_to::<requests::ProgramOutline>(&listed.outline(*program)))
            }
            ViewRequest::Roofline(query) => self.roofline_head(query),
            ViewRequest::Memory => self.memory_session(),
            ViewRequest::MemoryOf(query) => self.answer_memory::<requests::MemoryOf>(|programs, profile, all| {
                static_memory(profile, programs, all, query)
            }),
            ViewRequest::MemoryAt { query, point } => {
                self.answer_memory::<requests::MemoryAt>(|programs, profile, all| {
                    alive_at(profile, programs, all, query, *point)
                })
            }
            ViewRequest::MemoryWithout { query, without, points } => {
                self.answer_memory::<requests::MemoryWithout>(|programs, profile, all| {
                    peak_without(profile, programs, all, query, without, *points)
                })
            }
            ViewRequest::MemoryCurve { query, points } => {
                self.answer_memory::<requests::MemoryCurve>(|programs, profile, all| {
                    memory_curve(profile, programs, all, query, *points)
                })
            }
            ViewRequest::MemoryLiveRanges { query, points } => {
                self.answer_memory::<requests::MemoryLiveRanges>(|programs, profile, all| {
                    memory_lanes(profile, programs, all, query, *points)
                })
            }
            ViewRequest::Comm(query) => self.comm_view(query),
            ViewRequest::Flags(query) => Reply::answer_to::<requests::Flags>(&self.flags(query)),
            ViewRequest::Table { table, action } => self.table(table, action),
            ViewRequest::Timeline(request) => self.timeline(request),
            ViewRequest::CommLanes(query) => self.comm_lanes_view(query),
            ViewRequest::Captures(_)
            | ViewRequest::Compare(_)
            | ViewRequest::CompareOps { .. }
            | ViewRequest::CompareDots(_)
            | ViewRequest::CompareTimeline(_)
            | ViewRequest::CompareMarkdown(_)
            | ViewRequest::Share(_)
            | ViewRequest::ShareFile { .. }
            | ViewRequest::ShareMarkdown { .. } => Reply::Failed(messages::unknown_request()),
            ViewRequest::ProgramSearch(query) => self.listed(query.program, |listed| {
                Reply::answer_or_bad_filter::<requests::ProgramSearch>(listed.search(query))
            }),
        }
    }

    /// Returns the first steps of all devices, from the cache or computed.
    fn step_stats(&mut self) -> &StepStats {
        let Self { profile, analysis, steps, .. } = self;
        steps.get_or_insert_with(|| analysis.step_stats_within(profile, MAX_LISTED_STEPS))
    }

    /// Returns the contents of the files, from the cache or computed.
    pub(crate) fn file(&mut self) -> &FileView {
        let Self { profile, analysis, files, partial, .. } = self;
        self.file.get_or_insert_with(|| analysis.file_view(profile, files, *partial))
    }

    /// Answers a request about the text of a program with the reply that `to_reply` returns. Prints the text if it is
    /// not cached.
    fn listed(&mut self, program: ProgramRef, to_reply: impl FnOnce(&Listed) -> Reply) -> Reply {
        self.file();
        let entry = self.file.as_mut().and_then(|file| file.programs.get_mut(program.0 as usize));
        let Some(entry) = entry else { return Reply::Failed(no_program()) };
        match self.listings.get(&self.profile, &mut self.programs, entry, program) {
            Ok(listed) => {
                if entry.hlo.is_some() {
                    entry.n_computations = listed.head.n_computations;
                    entry.n_instructions = Some(listed.head.n_instructions);
                }
                to_reply(&listed)
            }
            Err(note) => Reply::Failed(messages::no_text(&entry.name, note.message)),
        }
    }
}

/// Returns the failure for an index at which there is no program.
pub(crate) fn no_program() -> Failure {
    messages::no_text("It", "There is no such program in this session.".to_owned())
}

/// Returns the note that the views list the first steps alone. `None` if a session has few steps.
fn steps_note(analysis: &Analysis) -> Option<Note> {
    let most = analysis.devices.iter().map(|device| device.steps.len()).max().filter(|n| *n > MAX_LISTED_STEPS)?;
    let message = format!(
        "The first {} of {} steps are listed. Figures cover all steps; the command line lists all of them.",
        count(MAX_LISTED_STEPS as u64),
        count(most as u64)
    );
    Some(Note::new(Severity::Info, NoteCode::StepsNotListed, message))
}

fn device_infos(profile: &Profile, analysis: &Analysis) -> Vec<DeviceInfo> {
    let info = |device: &crate::analysis::base::Device| {
        let plane = &profile.planes[device.plane];
        DeviceInfo {
            name: plane.name.clone(),
            label: device.label.clone(),
            device_type: device_type(plane),
            n_ops: device.ops.iter().map(|l| plane.lines[*l].events.len() as u64).sum(),
            busy: device.busy,
            n_steps: device.steps.len() as u32,
            steps: device
                .steps
                .iter()
                .take(MAX_LISTED_STEPS)
                .map(|s| StepInfo {
                    number: s.number,
                    name: analysis.step_name(profile, device, s).to_owned(),
                    duration: s.length(),
                    n_ops: s.n_ops.into(),
                })
                .collect(),
            n_steady: device.steady_steps().count() as u32,
            kinds: analysis.kinds_of(device).map(|(kind, name, n_steady)| KindInfo { kind, name, n_steady }).collect(),
        }
    };
    analysis.devices.iter().map(info).collect()
}

fn plane_info(plane: &Plane) -> PlaneInfo {
    PlaneInfo {
        name: plane.name.clone(),
        n_lines: plane.lines.iter().filter(|line| !line.derived).count() as u32,
        n_events: plane.n_events() as u64,
    }
}
