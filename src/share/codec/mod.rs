//! The walk over a report: each datum once, column by column, with what it is. Writing, reading, rounding, renaming and showing
//! are visitors of it, so none can forget what another knows.
//!
//! **This is version 1 of the format.** A field that is visited is never taken away, moved or given another meaning: the version
//! that does so gets a walk of its own, and this one stays to read what was written. Enums go by their place in the list beside
//! them: added at the end. What follows from other data is not visited: `derive.rs` works it out.

mod comm;
mod defaults;
mod figures;
mod memory;
mod ops;
mod origin;
pub(super) mod visit;

use super::codec::visit::{Done, Visit};
use crate::share::report::Report;

/// Walks all of a report.
pub(super) fn report(v: &mut dyn Visit, of: &mut Report) -> Done {
    origin::origin(v, &mut of.origin)?;
    origin::header(v, &mut of.header)?;
    origin::totals(v, &mut of.totals)?;
    origin::notes(v, &mut of.notes)?;
    ops::rows(v, &mut of.rows)?;
    ops::rest(v, &mut of.rest)?;
    figures::roofline(v, &mut of.roofline)?;
    origin::steps(v, &mut of.steps)?;
    memory::memory(v, &mut of.memory)?;
    comm::comm(v, &mut of.comm)
}

pub(super) use defaults::report as blank;
