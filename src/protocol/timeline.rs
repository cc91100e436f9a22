//! This module defines the requests of the timeline. It depends on the report types of the timeline and on times alone.

use crate::analysis::base::TimeRange;
use crate::analysis::timeline::{
    EventQuery, EventsQuery, FlowsQuery, PictureQuery, SearchQuery, SeriesRef, TraceQuery,
};
use serde::{Deserialize, Serialize};
use xla_profile::units::Picos;

/// A request about the timeline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TimelineRequest {
    /// Requests the tracks, as [`crate::analysis::timeline::Timeline`]. Later requests are about the times that it displays.
    Tracks {
        /// Whether the clocks of hosts are aligned. `None` aligns them if they are known to differ.
        is_aligned: Option<bool>,
        /// The number of a step that is listed even if the devices have more steps than are listed.
        step: Option<u64>,
    },
    /// Requests a picture of some lines and series, as [`crate::analysis::timeline::Picture`].
    Picture(PictureQuery),
    /// Requests an event, as `Option<`[`crate::analysis::timeline::EventDetail`]`>`. `None` if there is no event.
    Event(EventQuery),
    /// Requests the events of a window, as [`crate::analysis::timeline::EventList`].
    Events(EventsQuery),
    /// Requests the links of a window, as [`crate::analysis::timeline::FlowsReport`].
    Flows(FlowsQuery),
    /// Requests the values of some series in a range of time, as `Vec<`[`crate::analysis::timeline::SeriesRange`]`>`. A series that
    /// does not exist is left out.
    SeriesRanges { series: Vec<SeriesRef>, start: Picos, end: Picos },
    /// Searches the whole capture. The reply is a [`crate::analysis::timeline::SearchReport`] or
    /// [`Reply::BadFilter`](super::Reply::BadFilter).
    Search(SearchQuery),
    /// Requests the events of a range as smaller captures, as `Vec<`[`ExportedFile`]`>`: one for each XSpace of the session.
    /// The reply is [`Reply::Failed`](super::Reply::Failed) if the session has none, or if a file has changed.
    ExportXSpace(ExcerptRequest),
    /// Requests the events of a range as trace JSON, as [`ExportedFile`].
    ExportTrace(TraceQuery),
}

/// Selects the content of smaller captures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExcerptRequest {
    /// The range of the axis, on the event clock. `None` keeps all events.
    pub range: Option<TimeRange>,
    /// Whether the programs (HLO) are kept. They hold no times, and may be larger than the events.
    pub with_programs: bool,
}

/// A file that the worker has made, for the page to save.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportedFile {
    /// Name without folders.
    pub name: String,
    #[serde(with = "serde_bytes")]
    pub bytes: Vec<u8>,
    /// One or two sentences about the content: how much it is, and what is left out.
    pub summary: String,
}
