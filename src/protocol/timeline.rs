//! This module defines the questions of the timeline. It depends on the report types of the timeline and on times alone.

use crate::analysis::timeline::{EventQuery, EventsQuery, PictureQuery, SearchQuery, SeriesRef};
use crate::units::Picos;
use serde::{Deserialize, Serialize};

/// A question about the timeline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TimelineQuestion {
    /// Requests the tracks, as [`crate::analysis::timeline::Timeline`].
    Tracks,
    /// Requests a picture of some lines and series, as [`crate::analysis::timeline::Picture`].
    Picture(PictureQuery),
    /// Requests an event, as `Option<`[`crate::analysis::timeline::EventDetail`]`>`. `None` if there is no event.
    Event(EventQuery),
    /// Requests the events of a window, as [`crate::analysis::timeline::EventList`].
    Events(EventsQuery),
    /// Requests the values of a series in a range of time, as `Option<`[`crate::analysis::timeline::SeriesRange`]`>`. `None`
    /// if there is no such series.
    SeriesRange { series: SeriesRef, start: Picos, end: Picos },
    /// Searches the whole capture. The reply is a [`crate::analysis::timeline::SearchReport`] or
    /// [`Reply::BadFilter`](super::Reply::BadFilter).
    Search(SearchQuery),
}
