//! This module defines the requests about a list of captures. It holds plain data and depends on neither side.

use crate::analysis::captures::{CaptureFigure, CaptureSummary, ChangeCause};
use serde::{Deserialize, Serialize};

/// A request about a list of captures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum CapturesRequest {
    /// Requests all captures at a glance, as [`crate::analysis::captures::CapturesView`].
    View(CaptureFigure),
    /// Records that a capture has been read, or why it could not be. The reply is `()`.
    Set { capture: u32, read: Result<Box<CaptureSummary>, String> },
    /// Records what made most of the difference between two captures. The reply is `()`.
    SetCause { between: (u32, u32), cause: ChangeCause },
}
