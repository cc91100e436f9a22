//! This module writes gaps as JSON.

use crate::analysis::base::columns::NOTES;
use crate::analysis::gaps::Gaps;
use crate::analysis::gaps::columns::{CLASSES, GAPS};
use crate::report::json::first;
use crate::table::{Object, object};
use xla_profile::profile::Note;

/// Returns the JSON of `rooflight gaps --json`, with the `top` longest gaps.
pub fn gaps<'a>(head: Object<'a>, gaps: &'a Gaps, top: usize, notes: &'a [Note]) -> Object<'a> {
    let in_loops = object!(GapsInLoops {
        /// Number of gaps.
        n_gaps: Executions = gaps.in_loops.0,
        /// Their time.
        total_ps: Time = gaps.in_loops.1,
    });
    object!(Gaps {
        head: OwnFields = head,
        /// Length of the window.
        window_ps: Time = gaps.window,
        /// Time in which any op runs. It can differ slightly from `totals`, which may use the clock of the device.
        busy_ps: Time = gaps.busy,
        /// Sum of all gaps. `busy_ps` and `idle_ps` sum to `window_ps`.
        idle_ps: Time = gaps.idle(),
        /// Number of gaps.
        n_gaps: Executions = gaps.n_gaps,
        /// The idle time by class, the longest class first. The times sum to `idle_ps`.
        classes: Rows(CLASSES) = &gaps.classes,
        /// The gaps of at least 1 µs between the ops of a loop. They are self time of the loop and not part of `idle_ps`.
        in_loops: Own = in_loops,
        /// Number of program runs in the window. On GPUs, kernels count instead of runs.
        n_runs: Count = gaps.n_runs,
        /// Number of those whose host call is in the capture.
        n_linked_runs: Count = gaps.n_linked_runs,
        /// The gaps, the longest first, and at most 1,000.
        gaps: Rows(GAPS) = first(&gaps.gaps, top),
        /// Notes on assumptions and on data that is missing.
        notes: Rows(NOTES) = notes,
    })
}
