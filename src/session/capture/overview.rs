//! This module derives the overview from all other analyses, with the programs of the session.

use super::CaptureSession;
use super::memory::{guess_model, memory_programs, static_memory};
use crate::analysis::base::{Analysis, DeviceChoice, Filter, GroupBy, MissingDevices, Query};
use crate::analysis::comm::{Comm, CommQuery};
use crate::analysis::files::FileView;
use crate::analysis::flags::{Compiler, evaluate_flags};
use crate::analysis::ledger::LedgerByOp;
use crate::analysis::memory::{CrossCheck, MemoryPrograms, MemoryQuery, RuntimeMemory, SpaceMemory};
use crate::analysis::overview::{MAX_STEPS, Overview, OverviewInputs, OverviewQuery};
use crate::analysis::roofline::RooflineQuery;
use crate::session::programs::{Programs, QueryPrograms};
use xla_profile::profile::{NoteCode, Profile};
use xla_profile::small_sort::SmallSort;

/// Derives the overview. `None` if no device has the step, or if the device has no times on the event clock.
pub fn overview(
    analysis: &Analysis,
    profile: &Profile,
    programs: &mut Programs,
    files: &FileView,
    query: &OverviewQuery,
) -> Option<Overview> {
    overview_and_inputs(analysis, profile, programs, files, query).map(|derived| derived.overview)
}

/// An overview, with the analyses that it is derived from.
pub(crate) struct DerivedOverview {
    pub(crate) overview: Overview,
    pub(crate) by_op: LedgerByOp,
    /// The communication of the ledger's device, by op.
    pub(crate) comm: Comm,
    /// The peaks of all programs.
    pub(crate) peaks: MemoryPrograms,
    /// The report on the allocators.
    pub(crate) runtime: RuntimeMemory,
}

/// Derives the overview, and returns it with the analyses that it is derived from. `None` as for [`overview`].
pub(crate) fn overview_and_inputs(
    analysis: &Analysis,
    profile: &Profile,
    programs: &mut Programs,
    files: &FileView,
    query: &OverviewQuery,
) -> Option<DerivedOverview> {
    // Memory comes first, because a program that is read for it is read for all analyses.
    let peaks = memory_programs(profile, programs, &files.programs);
    let by_op = {
        let query_programs = QueryPrograms::new(profile, programs);
        analysis.ledger_by_op(profile, &query.ledger, Some(&|id| query_programs.module(id)))?
    };
    let runtime = analysis.runtime_memory(profile);
    let checks = analysis.cross_check(profile, &peaks, &runtime, None);
    let device = analysis.devices[by_op.ledger.device].label.clone();
    let checks: Vec<CrossCheck> = own_first(checks, &device);
    let main_program = main_program(analysis, profile, files, &by_op);
    let memory = main_program.and_then(|program| memory(profile, programs, files, program));
    let model_guess = main_program.and_then(|program| guess_model(profile, programs, &files.programs, program));
    let one = Query {
        device: DeviceChoice::One(by_op.ledger.device as u32),
        step: by_op.step,
        by: GroupBy::Op,
        filter: Filter::default(),
    };
    let comm = CommQuery { query: one.clone(), machine: query.machine.clone(), ..CommQuery::default() };
    let roofline = RooflineQuery { query: one.clone(), ..query.ledger.roofline.clone() };
    let gaps = analysis.gaps(profile, &one);
    let steps = analysis.step_stats_of(profile, by_op.ledger.device, MAX_STEPS)?;
    let query_programs = QueryPrograms::new(profile, programs);
    let module = |id| query_programs.module(id);
    let (comm, free_compute) = analysis.comm_without_balance(profile, &comm, Some(&module));
    // The query has no filter, so it is a valid one.
    let modules = analysis.modules(profile, &roofline, Some(&module));
    let roofline = analysis.roofline(profile, &roofline, Some(&module)).ok()?;
    let compiled = analysis.main_program(profile, &by_op).and_then(|id| module(id)?.devices());
    let of_program = compiled.and_then(|expected| MissingDevices::new(profile, &analysis.devices, expected));
    let of_groups = analysis.completeness.missing_devices;
    let missing_devices = of_groups.into_iter().chain(of_program).max_by_key(|missing| missing.expected);
    let flags = query.flags.as_deref().map(|text| evaluate_flags(text, Compiler::of_session(profile, analysis), &comm));
    let inputs = OverviewInputs {
        by_op: &by_op,
        gaps: &gaps,
        comm: &comm,
        roofline: &roofline.figures,
        modules: &modules,
        free_compute,
        steps: &steps,
        memory: memory.as_ref(),
        model_guess,
        checks: &checks,
        files,
        missing_devices,
        flags: flags.as_ref(),
    };
    let mut overview = analysis.overview(profile, &inputs, Some(&module))?;
    if let Some(missing) = missing_devices.filter(|_| missing_devices != of_groups) {
        overview.notes.retain(|note| note.code != NoteCode::DevicesMissing);
        overview.notes.push(missing.note());
    }
    Some(DerivedOverview { overview, by_op, comm, peaks, runtime })
}

impl CaptureSession {
    /// Returns the overview. The last one is cached, because the page first shows it and then may copy it.
    pub(super) fn overview_kept(&mut self, query: &OverviewQuery) -> &Option<Overview> {
        let Self { profile, analysis, programs, files, partial, overview: cached, .. } = self;
        if cached.as_ref().is_none_or(|(for_query, _)| for_query != query) {
            let files = analysis.file_view_without_times(profile, files, *partial);
            *cached = Some((query.clone(), overview(analysis, profile, programs, &files, query)));
        }
        cached.as_ref().map_or(&None, |(_, found)| found)
    }
}

/// Returns the checks with those of the device `label` first.
fn own_first(mut checks: Vec<CrossCheck>, label: &str) -> Vec<CrossCheck> {
    checks.small_sort_by_key(|check| check.label != label);
    checks
}

/// Returns the index of the program with the most time in the ledger. `None` if its ops name no program.
fn main_program(analysis: &Analysis, profile: &Profile, files: &FileView, by_op: &LedgerByOp) -> Option<usize> {
    let id = analysis.main_program(profile, by_op)?;
    files.programs.iter().position(|program| program.program_id == Some(id.0))
}

/// Returns the main memory of a program. `None` if its buffers are unknown.
fn memory(profile: &Profile, programs: &mut Programs, files: &FileView, program: usize) -> Option<SpaceMemory> {
    let query = MemoryQuery { program: program as u32, columns: 1, buffers: 0, ..MemoryQuery::default() };
    static_memory(profile, programs, &files.programs, &query).ok()?.space
}
