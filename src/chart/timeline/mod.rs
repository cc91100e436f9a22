//! This module holds the geometry and the texts of the timeline: the visible part of the axis, the places of the tracks, the
//! pixels of narrow events, and the ruler. It does not depend on a browser.

use crate::analysis::base::TimeRange;

pub mod area;
pub mod layout;
mod line_frame;
pub mod pixels;
pub mod ruler;
pub mod scene;
pub mod sight;
mod snap;
pub mod text;
pub mod viewport;

pub use layout::{Band, BandKind, Layout, VisibleBand};
pub(in crate::chart) use line_frame::{LanePlace, LineFrame};
pub use snap::snap;
pub use viewport::Viewport;

/// A time of a device that the timeline can show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceTime {
    /// Label of the device.
    pub device: String,
    /// The time on the axis of the session, by the event clock of the device.
    pub range: TimeRange,
}
