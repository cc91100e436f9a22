//! This module defines the open session: a capture, a list of captures, or a report from a file or a link.

use super::capture::CaptureSession;
use super::captures::{CapturesSession, several};
use super::from_report::{ReportSession, bad_link};
use super::open::report_file::{Captures, Unpacked, unpack};
use super::open::{Input, SessionChoice};
use super::share::ReportCache;
use crate::analysis::base::StepsBy;
use crate::protocol::{CaptureRange, Failure, Progress, Reply, Request, SessionInfo, ShareQuery, Skip};
use crate::share::{Level, Report, decode_link};

pub(super) enum SessionKind {
    Capture(Box<CaptureSession>),
    Captures(Box<CapturesSession>),
    Report(Box<ReportSession>),
}

impl SessionKind {
    /// Answers a request. Returns [`Reply::Failed`] if the session does not hold the answer.
    fn answer(&mut self, request: &Request) -> Reply {
        match self {
            Self::Capture(capture) => capture.answer(request),
            Self::Captures(captures) => captures.answer(request),
            Self::Report(report) => report.answer(request),
        }
    }

    /// Returns the report of the session with at most the rows of a level of detail. The others are summed.
    fn report_within(&mut self, query: &ShareQuery, level: Level) -> Result<Report, Failure> {
        match self {
            Self::Capture(capture) => capture.make_report_within(query, level),
            Self::Captures(_) => Err(several()),
            Self::Report(report) => Ok(report.own_report().clone()),
        }
    }
}

/// An open session. It answers every [`Request`] except those that open another session.
pub struct OpenSession {
    session: SessionKind,
    /// Position of each capture within the report files. Empty if each file is itself a capture.
    capture_ranges: Vec<CaptureRange>,
    reports: ReportCache,
}

impl OpenSession {
    /// Opens files as one session. Calls `progress` while the files are read.
    ///
    /// # Errors
    /// Returns a [`Failure`] if nothing could be read.
    pub fn open(inputs: Vec<Input>, progress: &mut dyn FnMut(Progress)) -> Result<(Self, SessionInfo), Failure> {
        Self::open_chosen(inputs, &SessionChoice::Newest, progress)
    }

    /// Opens files like [`Self::open`]. `choice` tells which session is opened if the files are of several.
    ///
    /// # Errors
    /// Returns a [`Failure`] if nothing could be read, or if there is no such session.
    pub fn open_chosen(
        inputs: Vec<Input>,
        choice: &SessionChoice,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(Self, SessionInfo), Failure> {
        match unpack(inputs)? {
            Unpacked::Captures(captures) => {
                Self::open_captures(Captures { choice: choice.clone(), ..captures }, &[], progress)
            }
            Unpacked::Report(report) => Ok(Self::of_report(*report)),
        }
    }

    /// Opens captures without the files and planes in `skips`.
    ///
    /// # Errors
    /// Returns a [`Failure`] if nothing could be read.
    pub(crate) fn open_captures(
        captures: Captures,
        skips: &[Skip],
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(Self, SessionInfo), Failure> {
        let capture_ranges = captures.capture_ranges.clone();
        let (session, info) = CaptureSession::open_files(captures, skips, progress)?;
        Ok((Self::new(SessionKind::Capture(Box::new(session)), capture_ranges), info))
    }

    /// Opens files as a list of captures. `None` if they are one capture or none; then nothing but the starts of the files was read.
    ///
    /// # Errors
    /// As for [`CapturesSession::open`].
    pub fn open_folder(
        inputs: &[Input],
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Option<(Self, SessionInfo)>, Failure> {
        let opened = CapturesSession::open(inputs, progress)?;
        Ok(opened.map(|(session, info)| (Self::new(SessionKind::Captures(Box::new(session)), Vec::new()), info)))
    }

    /// Opens the report of a link. `text` is the part of the address after `report=`.
    ///
    /// # Errors
    /// Returns a [`Failure`] that describes the fault of the link.
    pub fn open_link(text: &str) -> Result<(Self, SessionInfo), Failure> {
        decode_link(text).map(Self::of_report).map_err(|error| bad_link(&error))
    }

    /// Opens a report as a session.
    pub fn of_report(report: Report) -> (Self, SessionInfo) {
        let (session, info) = ReportSession::new(report);
        (Self::new(SessionKind::Report(Box::new(session)), Vec::new()), info)
    }

    pub(super) fn new(session: SessionKind, capture_ranges: Vec<CaptureRange>) -> Self {
        Self { session, capture_ranges, reports: ReportCache::default() }
    }

    /// Answers a request about the session.
    pub fn answer(&mut self, request: &Request) -> Reply {
        let Self { session, capture_ranges, reports } = self;
        match request {
            Request::View(view) if view.is_share() => {
                reports.answer(&mut |query| session.report_within(query, Level::FULL), capture_ranges, view)
            }
            _ => session.answer(request),
        }
    }

    /// Finds the steps of a capture again, in the way that the user wants, and changes what `info` says of them. A report stays
    /// as it is.
    pub fn find_steps(&mut self, by: &StepsBy, info: &mut SessionInfo) {
        if let Some(capture) = self.capture() {
            capture.find_steps(by, info);
            self.reports = ReportCache::default();
        }
    }

    /// Returns the session as one of a capture. `None` for a report.
    pub(super) fn capture(&mut self) -> Option<&mut CaptureSession> {
        match &mut self.session {
            SessionKind::Capture(capture) => Some(capture),
            SessionKind::Captures(_) | SessionKind::Report(_) => None,
        }
    }

    /// Returns the report if the session is one of a report alone.
    pub(super) fn own_report(&self) -> Option<&Report> {
        match &self.session {
            SessionKind::Report(report) => Some(report.own_report()),
            SessionKind::Capture(_) | SessionKind::Captures(_) => None,
        }
    }

    /// Returns the report of one device and step at full detail.
    ///
    /// # Errors
    /// Returns a [`Failure`] if no report can be made.
    pub fn report(&mut self, query: &ShareQuery) -> Result<Report, Failure> {
        self.session.report_within(query, Level::FULL)
    }

    /// Returns the report with at most the rows of a level of detail, which is all that a shorter report needs.
    ///
    /// # Errors
    /// Returns a [`Failure`] if no report can be made.
    pub fn report_within(&mut self, query: &ShareQuery, level: Level) -> Result<Report, Failure> {
        self.session.report_within(query, level)
    }
}
