//! This module writes the summary of a capture, which combines the figures of all analyses.

use super::{comm, ledger, roofline};
use crate::analysis::base::columns::NOTES;
use crate::analysis::breakdown::columns::{GROUPS, STEP_STATS};
use crate::analysis::breakdown::{Breakdown, StepStats};
use crate::analysis::comm::Comm;
use crate::analysis::comm::columns::TRAFFIC;
use crate::analysis::ledger::Ledger;
use crate::analysis::memory::{AllocatorMemory, ProgramPeaks, SpacePeak};
use crate::analysis::roofline::RooflineFigures;
use crate::report::json::first;
use crate::table::Object;
use crate::table::format::bytes_text;
use crate::table::text::TextForm;
use crate::table::{columns, object};
use xla_profile::profile::Note;

/// The reports that the summary combines.
#[derive(Clone, Copy)]
pub struct Summary<'a> {
    /// The verdict of the overview. `None` if no device has the step.
    pub verdict: Option<&'a str>,
    pub kinds: &'a Breakdown,
    pub sources: &'a Breakdown,
    /// Durations of each step, and their spread over devices.
    pub steps: &'a StepStats,
    /// Position of the ops in the roofline model.
    pub roofline: &'a RooflineFigures,
    /// Programs: those that ran first, and of these the one with the highest peak in HBM.
    pub programs: &'a [ProgramPeaks],
    /// Memory use that the allocators recorded.
    pub allocators: &'a [AllocatorMemory],
    /// Collectives, copies and their exposed time.
    pub comm: &'a Comm,
    /// What the time of a device was spent on, and the label of the device. `None` if no device has the step.
    pub ledger: Option<(&'a Ledger, &'a str)>,
}

columns! {
    PROGRAMS(row: ProgramPeaks) {
        /// Name of the program.
        name: Name(Program) = &row.name,
        /// Id of the program. Null if it has none.
        program_id: ProgramId or null = row.program_id,
        /// The peak in each memory. Empty if the buffers of the program are unknown.
        spaces: Rows(SPACES) = &row.spaces,
    }

    SPACES(row: SpacePeak) {
        /// Colour of the memory.
        color: Integer = row.color,
        /// Name of the colour: `HBM`, `VMEM`, `S(n)`, or `device memory` for colour 0 of a device that is not a TPU.
        memory_space: Text = &row.space,
        /// The most bytes that are alive at once.
        peak_bytes: Bytes = row.peak,
    }
}

/// Returns the JSON of `rooflight summary --json` with the first `top` sources. A tail sums the others.
pub fn json<'a>(head: Object<'a>, summary: Summary<'a>, top: usize, notes: &'a [Note]) -> Object<'a> {
    let rest = summary.sources.rest_after(top);
    let tail = object!(Tail {
        /// Number of sources.
        n_groups: Count = rest.n,
        /// Their self time.
        dur_ps: Time = rest.total,
    });
    let memory = object!(MemoryPeaks {
        /// Programs, those that ran first, and of these the one with the highest peak in HBM.
        programs: Rows(PROGRAMS) = summary.programs,
        /// The memory in use that the allocators recorded.
        runtime: List(Own) = summary.allocators.iter().map(allocator),
    });
    object!(Summary {
        head: OwnFields = head,
        /// The verdict of `overview`. Null if no device has the step.
        verdict: Text or null = summary.verdict,
        /// Rows of `breakdown`, one per kind.
        kinds: Rows(GROUPS) = &summary.kinds.groups,
        /// Rows of `breakdown`: the sources with the most time.
        by_source: Rows(GROUPS) = first(&summary.sources.groups, top),
        /// The sources that `by_source` leaves out.
        tail: Own = tail,
        /// The steps of each device.
        step_stats: Object(STEP_STATS) = summary.steps,
        /// The `step_summary` of `roofline`, with an empty `top_gaps`.
        roofline: Own = roofline::json::step_summary(summary.roofline, 0),
        /// The peaks of programs and of allocators.
        memory: Own = memory,
        /// Sums over collectives, as in `comm`.
        comm_totals: Object(TRAFFIC) = &summary.comm.tensor,
        /// Sums over copies and slices, as in `comm`.
        dma: Object(TRAFFIC) = &summary.comm.copies,
        /// The time of one device, divided among owners. Null where no device has the step.
        ledger: Own or null = summary.ledger.map(|(ledger, device)| ledger::json::ledger(ledger, device)),
        /// Notes on assumptions and on data that is missing.
        notes: Rows(NOTES) = notes,
    })
}

/// Returns the peak of an allocator.
fn allocator(memory: &AllocatorMemory) -> Object<'_> {
    object!(AllocatorPeak {
        /// Name of the device.
        device: Name(Device) = &memory.label,
        /// Name of the allocator. Null if the events do not have it.
        allocator: Name(Allocator) or null = memory.allocator.as_deref(),
        /// The largest sum of reserved and allocated memory.
        peak_in_use_bytes: Bytes = memory.peak.in_use(),
        /// Sum of the reserved, allocated and available bytes at that moment. Null if the events do not have the
        /// available bytes.
        capacity_bytes: Bytes or null = memory.capacity,
    })
}

/// Writes the ledger, and a few lines about the roofline, communication and memory.
pub fn lines(summary: Summary<'_>) -> String {
    let mut text = summary.ledger.map_or_else(String::new, |(ledger, device)| ledger::table::ledger(ledger, device));
    text = text + &roofline::table::head(summary.roofline) + &comm::table::head(summary.comm);
    let mut memory = Vec::new();
    if let Some((name, space)) =
        summary.programs.iter().find_map(|program| Some((&program.name, program.main_memory()?)))
    {
        memory.push(format!("Memory: {name} needs {} of {} at its peak", bytes_text(space.peak), space.space));
    }
    if let Some(most) = summary.allocators.iter().max_by_key(|memory| memory.peak.in_use()) {
        let of_all = most.capacity.map_or(String::new(), |capacity| format!(" of {}", bytes_text(capacity)));
        memory.push(format!(
            "Memory: {} had {}{of_all} in use at its peak",
            most.label,
            bytes_text(most.peak.in_use())
        ));
    }
    text + &TextForm::Terminal.lines(memory)
}
