//! This module holds the geometry and the texts of the timeline: the visible part of the axis, the places of the tracks, the
//! pixels of narrow events, and the ruler. It does not depend on a browser.

pub mod area;
pub mod layout;
pub mod pixels;
pub mod ruler;
pub mod scene;
mod snap;
pub mod text;
pub mod viewport;

pub use layout::{Band, BandKind, Layout, VisibleBand};
pub use snap::snap;
pub use viewport::Viewport;
