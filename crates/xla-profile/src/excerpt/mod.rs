//! This module writes a part of an XSpace as a smaller XSpace: the events that touch a range of time, and the metadata that
//! these events name.
//!
//! ```text
//!  source  plane ┬ id, name ─────────────────────► copied
//!                ├ line ┬ id, name, timestamp … ─► copied
//!                │      └ events ────────────────► copied if they touch the range
//!                ├ event metadata ───────────────► copied if a copied event names it
//!                └ stat metadata, stats ─────────► copied
//!          errors, warnings, host names ─────────► copied, and one more warning
//! ```
//!
//! Nothing is decoded and encoded again: an excerpt is a list of byte ranges of the source ([`pieces`]) with new lengths in
//! front. Fields that are not known are copied as well. The lines without events stay, because their timestamps define the
//! time axis of a session. The ranges of one plane at a time are in memory. The module does not depend on ops and devices.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)
)]

mod line;
mod pieces;
mod plane;

use crate::source::{Source, SourceError};
use crate::wire::xspace::{Next, next_or_clipped};
use crate::wire::{SpanValue, Walker, Window, WireError};
use pieces::Pieces;
use std::io::Write;
use thiserror::Error;

/// Field numbers of an `XSpace`.
mod field {
    pub(super) const PLANE: u32 = 1;
    pub(super) const WARNING: u32 = 3;
}

/// Selects the content of an excerpt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExcerptQuery {
    /// The range of time. `None` keeps all events.
    pub range: Option<EpochRange>,
    /// Whether the programs are left out: the event metadata of the plane `/host:metadata`.
    pub without_programs: bool,
    /// Indices of planes that are left out. Planes are counted from 0 in the order of the file.
    pub without_planes: Vec<u32>,
    /// The text that is added to the warnings of the XSpace.
    pub warning: String,
}

/// A range `[start, end)` in ps on the clock on which the timestamps of lines are in ns. Only the difference between two
/// times matters if a profiler does not count from the epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EpochRange {
    pub start: i128,
    pub end: i128,
}

impl EpochRange {
    /// Returns whether an event touches the range. An event without a duration touches the range in which it starts.
    const fn is_touched_by(self, start: i128, end: i128) -> bool {
        start < self.end && (end > self.start || start >= self.start)
    }
}

/// The content of an excerpt that was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExcerptReport {
    /// Number of events in the excerpt.
    pub n_events: u64,
    /// Number of events in the planes of the source that are not left out.
    pub n_source_events: u64,
    /// Size of the excerpt in bytes.
    pub bytes: u64,
    /// Whether the source is damaged. The parts that can be read are in the excerpt.
    pub is_damaged: bool,
}

/// The error of writing an excerpt.
#[derive(Debug, Error)]
pub enum ExcerptError {
    /// The source cannot be read.
    #[error(transparent)]
    Read(#[from] SourceError),
    /// The excerpt cannot be written.
    #[error(transparent)]
    Write(#[from] std::io::Error),
}

/// Writes the excerpt of an XSpace. Parts of the source that are damaged are left out, as they are when the source is read.
///
/// # Errors
/// Returns an error if the source cannot be read, or if `out` cannot be written.
pub fn write_excerpt(
    source: &dyn Source,
    query: &ExcerptQuery,
    out: &mut dyn Write,
) -> Result<ExcerptReport, ExcerptError> {
    let mut window = Window::new(source);
    let mut report = ExcerptReport::default();
    let whole = window.whole();
    let (mut walker, mut index) = (Walker::new(whole), 0_u32);
    loop {
        let start = walker.position();
        let next = next_or_clipped(&mut walker, whole, &mut window, true);
        let Some(Next { number, value, clipped }) = undamaged(next, &mut report)?.flatten() else { break };
        report.is_damaged |= clipped.is_some();
        let mut pieces = Pieces::default();
        match (number, value) {
            (field::PLANE, SpanValue::Span(span)) => {
                let is_left_out = query.without_planes.contains(&index);
                index = index.saturating_add(1);
                if !is_left_out {
                    let plane = plane::excerpt(span, clipped.is_some(), &mut window, query, &mut report)?;
                    pieces.push_message(field::PLANE, plane);
                }
            }
            _ if clipped.is_none() => pieces.push_source(start, walker.position()),
            _ => {}
        }
        report.bytes = report.bytes.saturating_add(pieces.write(&mut window, out)?);
    }
    let mut warning = Pieces::default();
    warning.push_bytes(field::WARNING, query.warning.as_bytes());
    report.bytes = report.bytes.saturating_add(warning.write(&mut window, out)?);
    Ok(report)
}

/// Returns a value, or notes the damage and returns `None`.
///
/// # Errors
/// Returns the error of the source itself.
fn undamaged<T>(result: Result<T, WireError>, report: &mut ExcerptReport) -> Result<Option<T>, SourceError> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(WireError::Source(error)) => Err(error),
        Err(_) => {
            report.is_damaged = true;
            Ok(None)
        }
    }
}
