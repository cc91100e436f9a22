//! This module defines the requests about parts of a view, with the types of their answers: the timeline, lists of captures and
//! tables.

use super::answer_type::{TypedRequest, typed_request};
use super::captures::CapturesRequest;
use super::table_query::{CopiedRows, TableAction, TableQuery};
use super::timeline::{ExcerptRequest, ExportedFile, TimelineRequest};
use super::view_request::ViewRequest;
use crate::analysis::captures::{CaptureFigure, CaptureSummary, CapturesView, ChangeCause};
use crate::analysis::timeline::{
    EventDetail, EventList, EventQuery, EventsQuery, FlowsQuery, FlowsReport, PictureQuery, SearchQuery, SearchReport,
    SeriesRange, SeriesRef, TraceQuery,
};
use crate::table::page::{PageQuery, TablePage};
use xla_profile::units::Picos;

impl From<TimelineRequest> for ViewRequest {
    fn from(request: TimelineRequest) -> Self {
        Self::Timeline(request)
    }
}

impl From<CapturesRequest> for ViewRequest {
    fn from(request: CapturesRequest) -> Self {
        Self::Captures(request)
    }
}

typed_request! {
    /// Requests the tracks of the timeline. Later requests are about the times that they display.
    TimelineRequest::Tracks: Tracks { is_aligned: Option<bool>, step: Option<u64> } -> crate::analysis::timeline::Timeline
}
typed_request! {
    /// Requests a picture of some lines and series.
    TimelineRequest::Picture: Picture(PictureQuery) -> crate::analysis::timeline::Picture
}
typed_request! {
    /// Requests an event. `None` if there is no event.
    TimelineRequest::Event: Event(EventQuery) -> Option<EventDetail>
}
typed_request! {
    /// Requests the events of a window.
    TimelineRequest::Events: Events(EventsQuery) -> EventList
}
typed_request! {
    /// Requests the links of a window.
    TimelineRequest::Flows: Flows(FlowsQuery) -> FlowsReport
}
typed_request! {
    /// Requests the values of some series in a range of time. A series that does not exist is left out.
    TimelineRequest::SeriesRanges: SeriesRanges { series: Vec<SeriesRef>, start: Picos, end: Picos } -> Vec<SeriesRange>
}
typed_request! {
    /// Searches the whole capture. The text may be refused with [`Reply::BadFilter`](super::Reply::BadFilter).
    TimelineRequest::Search: Search(SearchQuery) -> SearchReport
}
typed_request! {
    /// Requests the events of a range as smaller captures: one for each XSpace of the session.
    TimelineRequest::ExportXSpace: ExportXSpace(ExcerptRequest) -> Vec<ExportedFile>
}
typed_request! {
    /// Requests the events of a range as trace JSON.
    TimelineRequest::ExportTrace: ExportTrace(TraceQuery) -> ExportedFile
}
typed_request! {
    /// Requests all captures of a list at a glance.
    CapturesRequest::View: Captures(CaptureFigure) -> CapturesView
}
typed_request! {
    /// Records that a capture has been read, or why it could not be.
    CapturesRequest::Set: SetCapture { capture: u32, read: Result<Box<CaptureSummary>, String> } -> ()
}
typed_request! {
    /// Records what made most of the difference between two captures.
    CapturesRequest::SetCause: SetCause { between: (u32, u32), cause: ChangeCause } -> ()
}

/// Requests some rows of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    pub table: TableQuery,
    pub query: PageQuery,
}

impl From<Rows> for ViewRequest {
    fn from(request: Rows) -> Self {
        Self::Table { table: request.table, action: TableAction::Rows(request.query) }
    }
}

impl TypedRequest for Rows {
    type Answer = TablePage;
}

/// Requests rows of a table as text for the clipboard. The action is a [`TableAction::Copy`].
#[derive(Clone, Debug, PartialEq)]
pub struct CopyRows {
    pub table: TableQuery,
    pub action: TableAction,
}

impl From<CopyRows> for ViewRequest {
    fn from(request: CopyRows) -> Self {
        Self::Table { table: request.table, action: request.action }
    }
}

impl TypedRequest for CopyRows {
    type Answer = CopiedRows;
}
