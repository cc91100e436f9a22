//! This module divides the time of a device among owners, with the programs of the session.

use crate::analysis::base::Analysis;
use crate::analysis::ledger::{Ledger, LedgerQuery};
use crate::session::programs::{Programs, QueryPrograms};
use xla_profile::profile::Profile;

/// Divides the time of a device among owners. `None` if no device has the step.
pub fn ledger(analysis: &Analysis, profile: &Profile, programs: &mut Programs, query: &LedgerQuery) -> Option<Ledger> {
    let query_programs = QueryPrograms::new(profile, programs);
    analysis.ledger(profile, query, Some(&|id| query_programs.module(id)))
}
