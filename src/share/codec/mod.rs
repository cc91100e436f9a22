//! This module visits each value of a report once, column by column, with its kind. Writing, reading, rounding,
//! renaming and the preview are visitors of the same traversal, so that none can miss a value.
//!
//! A field that is visited is never removed, moved or given another meaning. A new field is visited only if the version
//! of the report has it ([`visit::Visit::version`]), so older reports can still be read. Enums are stored as an index
//! into a list of their variants; new variants are added at the end. Values that follow from other values are not
//! visited: `derive.rs` computes them.
//!
//! Version 2 added the periods of steps, the waits of devices, and the time of phases. Version 3 added the overview,
//! version 4 groups of ops and comparisons, version 5 the conditions of advice, version 6 the networks of collectives, and version 7
//! modules and what explains a comparison.

mod comm;
mod comparison;
mod comparison_parts;
mod defaults;
mod explanation;
mod figures;
mod memory;
mod modules;
mod ops;
mod origin;
mod overview;
pub(super) mod visit;

use super::codec::visit::{Visit, VisitResult, each};
use crate::analysis::classify::Phase;
use crate::share::report::Report;
use xla_profile::units::Picos;

/// Visits all values of a report.
pub(super) fn report(v: &mut dyn Visit, report: &mut Report) -> VisitResult {
    origin::origin(v, &mut report.origin)?;
    origin::header(v, &mut report.header)?;
    origin::totals(v, &mut report.totals)?;
    origin::notes(v, &mut report.notes)?;
    ops::rows(v, &mut report.rows)?;
    ops::rest(v, &mut report.rest)?;
    figures::roofline(v, &mut report.roofline)?;
    origin::steps(v, &mut report.steps)?;
    memory::memory(v, &mut report.memory)?;
    comm::comm(v, &mut report.comm)?;
    if v.version() >= 2 {
        v.rows(&mut report.phases, || (Phase::Forward, Picos::ZERO))?;
        each(&mut report.phases, |(phase, _)| v.one_of(phase, &Phase::ALL))?;
        each(&mut report.phases, |(_, time)| v.time(time))?;
    }
    if v.version() >= 3 {
        overview::overview(v, &mut report.overview)?;
    }
    if v.version() >= 4 {
        ops::groups(v, &mut report.groups)?;
        comparison::comparison(v, &mut report.comparison)?;
    }
    Ok(())
}

pub(super) use defaults::report as blank;
