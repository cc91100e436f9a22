//! This module writes the summary of a capture, which combines the figures of all analyses. It defines the names and
//! the order of the fields.

use super::comm_json::traffic;
use super::json::{HeadJson, first};
use super::ledger_json::LedgerJson;
use super::ledger_table::ledger;
use super::steps_json::StepsJson;
use super::{comm_table, roofline_json, roofline_table};
use crate::analysis::breakdown::columns::GROUPS;
use crate::analysis::breakdown::{Breakdown, Group, StepStats};
use crate::analysis::comm::{Comm, Traffic};
use crate::analysis::ledger::Ledger;
use crate::analysis::memory::{AllocatorMemory, ProgramPeaks, SpacePeak};
use crate::analysis::roofline::RooflineFigures;
use crate::profile::Note;
use crate::table::format::bytes_text;
use crate::table::json::{Row, Rows};
use crate::table::text::TextForm;
use crate::units::Picos;
use serde::Serialize;

/// The reports that the summary combines.
#[derive(Clone, Copy)]
pub struct Summary<'a> {
    /// The verdict of the overview. `None` if no device has the step.
    pub verdict: Option<&'a str>,
    /// Time by kind.
    pub kinds: &'a Breakdown,
    /// Time by source.
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

/// The JSON of `rooflight summary --json`.
#[derive(Serialize)]
pub struct SummaryJson<'a> {
    #[serde(flatten)]
    head: HeadJson<'a>,
    verdict: Option<&'a str>,
    kinds: Rows<'a, Group>,
    by_source: Rows<'a, Group>,
    tail: TailJson,
    step_stats: StepsJson<'a>,
    roofline: roofline_json::SummaryJson<'a>,
    memory: MemoryJson<'a>,
    comm_totals: Row<'a, Traffic>,
    dma: Row<'a, Traffic>,
    ledger: Option<LedgerJson<'a>>,
    notes: &'a [Note],
}

#[derive(Serialize)]
struct TailJson {
    n_groups: u64,
    dur_ps: Picos,
}

#[derive(Serialize)]
struct MemoryJson<'a> {
    programs: Vec<ProgramJson<'a>>,
    runtime: Vec<RuntimeJson<'a>>,
}

#[derive(Serialize)]
struct ProgramJson<'a> {
    name: &'a str,
    program_id: Option<String>,
    /// Empty if the buffers of the program are unknown.
    spaces: Vec<SpaceJson<'a>>,
}

#[derive(Serialize)]
struct SpaceJson<'a> {
    color: i64,
    memory_space: &'a str,
    peak_bytes: u64,
}

#[derive(Serialize)]
struct RuntimeJson<'a> {
    device: &'a str,
    allocator: Option<&'a str>,
    peak_in_use_bytes: u64,
    capacity_bytes: Option<u64>,
}

/// Returns the JSON with the first `top` sources. A tail sums the others.
pub fn json<'a>(head: HeadJson<'a>, summary: Summary<'a>, top: usize, notes: &'a [Note]) -> SummaryJson<'a> {
    let rest = summary.sources.rest_after(top);
    let space =
        |space: &'a SpacePeak| SpaceJson { color: space.color, memory_space: &space.space, peak_bytes: space.peak };
    let program = |program: &'a ProgramPeaks| ProgramJson {
        name: &program.name,
        program_id: program.program_id.map(|id| id.to_string()),
        spaces: program.spaces.iter().map(space).collect(),
    };
    let runtime = |of: &'a AllocatorMemory| RuntimeJson {
        device: &of.label,
        allocator: of.allocator.as_deref(),
        peak_in_use_bytes: of.peak.in_use(),
        capacity_bytes: of.capacity,
    };
    SummaryJson {
        head,
        verdict: summary.verdict,
        kinds: Rows { columns: GROUPS, rows: &summary.kinds.groups },
        by_source: Rows { columns: GROUPS, rows: first(&summary.sources.groups, top) },
        tail: TailJson { n_groups: rest.n, dur_ps: rest.total },
        step_stats: StepsJson::new(summary.steps),
        roofline: roofline_json::SummaryJson::new(summary.roofline, 0),
        memory: MemoryJson {
            programs: summary.programs.iter().map(program).collect(),
            runtime: summary.allocators.iter().map(runtime).collect(),
        },
        comm_totals: traffic(&summary.comm.tensor),
        dma: traffic(&summary.comm.copies),
        ledger: summary.ledger.map(|(ledger, device)| LedgerJson::new(ledger, device)),
        notes,
    }
}

/// Writes the ledger, and a few lines about the roofline, communication and memory.
pub fn lines(summary: Summary<'_>) -> String {
    let mut text = summary.ledger.map_or_else(String::new, |(of, device)| ledger(of, device));
    text = text + &roofline_table::head(summary.roofline) + &comm_table::head(summary.comm);
    let mut memory = Vec::new();
    if let Some((name, space)) =
        summary.programs.iter().find_map(|program| Some((&program.name, program.main_memory()?)))
    {
        memory.push(format!("Memory: {name} needs {} of {} at its peak", bytes_text(space.peak), space.space));
    }
    if let Some(most) = summary.allocators.iter().max_by_key(|of| of.peak.in_use()) {
        let of_all = most.capacity.map_or(String::new(), |capacity| format!(" of {}", bytes_text(capacity)));
        memory.push(format!(
            "Memory: {} had {}{of_all} in use at its peak",
            most.label,
            bytes_text(most.peak.in_use())
        ));
    }
    text + &TextForm::Terminal.lines(memory)
}
