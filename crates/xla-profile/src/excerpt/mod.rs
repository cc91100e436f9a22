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
//! Nothing is decoded and encoded again: an excerpt is a list of byte ranges of the source (`pieces.rs`) with new lengths in
//! front. Fields that are not known are copied as well. The lines without events stay, because their timestamps define the
//! time axis of a session. The ranges of one plane at a time are in memory. The module does not depend on ops and devices.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)
)]

mod line;
mod pieces;
mod plane;
mod query;
mod report;

pub use query::{EpochRange, ExcerptQuery};
pub use report::{ExcerptError, ExcerptReport};

use crate::source::Source;
use crate::wire::xspace::{Next, next_or_clipped};
use crate::wire::{SpanValue, Walker, Window};
use pieces::Pieces;
use report::undamaged;
use std::io::Write;

/// Field numbers of an `XSpace`.
mod field {
    pub(super) const PLANE: u32 = 1;
    pub(super) const WARNING: u32 = 3;
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
