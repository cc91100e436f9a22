//! This module says why two sessions differ: which part of the work explains the difference, and what changed there.
//!
//! ```text
//!  rows ─► WorkRows: scopes, sort of work, phase ─┬─► pairs: deepest common scope, module, group of work ─┐
//!                                                 └─► parts: scope, work, phase, owner ─► the main one   ─┴─► evidence
//! ```
//!
//! Rows are pairs of ops. Ops without a partner of their own still do the work of a scope that both sides have, so they are
//! summed with those of that scope. A part of the work explains a difference if its own difference is most of it, if no others
//! cancel each other beside it, and if it is small: the whole program always explains everything.

mod compared;
mod evidence;
mod main_cause;
mod pairs;
mod report;
mod scope_names;
mod session;
mod work_names;
mod work_pair;
mod work_rows;

pub use compared::Compared;
pub use report::{Cause, CauseKind, Explanation, MainCause, PairLevel, PhaseDelta, WorkPair};
pub(super) use scope_names::common_scopes;
pub use work_names::{WorkFacts, op_group_name, work_name};

use super::rows::Pairs;
use work_rows::WorkRows;

/// Explains a difference. A difference within noise has no main cause.
pub fn explain(pairs: &Pairs<'_, '_, '_>, compared: &Compared<'_>) -> Explanation {
    let work = WorkRows::new(pairs, compared.rows, compared.program_changes);
    let main = compared.is_real().then(|| main_cause::main_cause(&work, compared)).flatten();
    let mut whole = session::session_causes(pairs, compared);
    if compared.is_real() {
        // What the main cause says first is not said again.
        let is_said =
            |cause: &Cause| main.iter().filter_map(|main| main.work.causes.first()).any(|said| said.kind == cause.kind);
        whole.extend(session::program_causes(&work, compared).into_iter().filter(|cause| !is_said(cause)));
    }
    let pairs = pairs::pairs(&work);
    let (paired_a, paired_b) = (paired(&pairs, |pair| pair.a_ps), paired(&pairs, |pair| pair.b_ps));
    Explanation { main, whole, pairs, paired_a, paired_b }
}

/// Returns the share of the time of a side that is in a pair of both sides.
#[expect(clippy::cast_precision_loss, reason = "a share")]
fn paired(pairs: &[WorkPair], time: fn(&WorkPair) -> i64) -> f64 {
    let (mut all, mut paired) = (0.0, 0.0);
    for pair in pairs {
        all += time(pair) as f64;
        paired += if pair.level == PairLevel::OneSide { 0.0 } else { time(pair) as f64 };
    }
    if all > 0.0 { paired / all } else { 1.0 }
}
