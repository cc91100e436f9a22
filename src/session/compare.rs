//! This module compares two sessions, with the programs of both.

use super::Opened;
use super::memory::static_memory;
use super::overview::{DerivedOverview, overview_and_inputs};
use super::programs::{Programs, QueryPrograms};
use crate::analysis::base::Analysis;
use crate::analysis::compare::{Comparison, SeriesPoint, Session, compare, paired_program};
use crate::analysis::data_movement::Programs as Modules;
use crate::analysis::files::FileProgram;
use crate::analysis::ledger::OpSteps;
use crate::analysis::memory::{MemoryQuery, StaticMemory};
use crate::analysis::overview::OverviewQuery;
use crate::profile::Plane;

/// The stat of a plane with the time at which the profile was started, in ns since 1970.
const START: &str = "profile_start_time";

/// A session that is compared.
pub struct CompareSide {
    programs: Programs,
    analysed: Analysed,
}

/// A session with its analyses.
struct Analysed {
    opened: Opened,
    analysis: Analysis,
    derived: DerivedOverview,
    file_programs: Vec<FileProgram>,
    steps: OpSteps,
    is_partial: bool,
}

impl CompareSide {
    /// Analyses a session for a comparison. `None` if no device has the step of the query, or if the device has no times on the
    /// event clock.
    pub fn new(mut opened: Opened, query: &OverviewQuery) -> Option<Self> {
        let mut programs = Programs::new(std::mem::take(&mut opened.open_files));
        let analysis = Analysis::new(&opened.profile);
        let is_partial = opened.partial.is_some() || analysis.beyond_sums().is_some();
        let files = analysis.file_view_without_times(&opened.profile, &opened.files, is_partial);
        let mut derived = overview_and_inputs(&analysis, &opened.profile, &mut programs, &files, query)?;
        let by_op = &mut derived.by_op;
        let steps = analysis.op_steps(&opened.profile, by_op.ledger.device, by_op.step)?;
        // Ops are matched in the order in which they first run.
        let plane = &opened.profile.planes[analysis.devices[by_op.ledger.device].plane];
        by_op.ops.sort_by_key(|of| steps.first_start(plane, of.op));
        Some(Self {
            programs,
            analysed: Analysed { opened, analysis, derived, file_programs: files.programs, steps, is_partial },
        })
    }

    /// Returns what a series of captures needs of this one.
    pub fn series_point(&self) -> SeriesPoint {
        let memory = Err(String::new());
        let session = self.analysed.session(&|_| None, &memory);
        let stat = |plane: &Plane| plane.number_stat(START).filter(|start| *start > 0.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a positive time in ns since 1970")]
        let start_ns = session.profile.planes.iter().filter_map(stat).map(|start| start as u64).min();
        SeriesPoint { head: session.head(), start_ns, figures: session.overview.figures.clone() }
    }

    /// Returns the main memory of a program. The error is the reason why it is unknown.
    fn memory(&mut self, program: u32) -> Result<StaticMemory, String> {
        let query = MemoryQuery { program, columns: 1, buffers: 0, ..MemoryQuery::default() };
        let Analysed { opened, file_programs, .. } = &self.analysed;
        static_memory(&opened.profile, &mut self.programs, file_programs, &query).map_err(|note| note.message)
    }

    /// Returns whether only a part of the input was read.
    pub const fn is_partial(&self) -> bool {
        self.analysed.is_partial
    }
}

impl Analysed {
    fn session<'a>(&'a self, programs: Modules<'a>, memory: &'a Result<StaticMemory, String>) -> Session<'a> {
        let DerivedOverview { overview, by_op, comm, runtime, .. } = &self.derived;
        Session {
            profile: &self.opened.profile,
            analysis: &self.analysis,
            programs: Some(programs),
            by_op,
            steps: &self.steps,
            overview,
            memory: memory.as_ref().map_err(String::as_str),
            runtime,
            comm,
            is_partial: self.is_partial,
        }
    }
}

/// Compares two sessions, a baseline and an experiment. `band` is the share of the baseline's time below which a difference is
/// noise between captures.
pub fn compare_sessions(a: &mut CompareSide, b: &mut CompareSide, band: f64) -> Comparison {
    let paired = paired_program(&a.analysed.derived.peaks, &b.analysed.derived.peaks);
    let (memory_a, memory_b) = match paired {
        Ok((program_a, program_b)) => (a.memory(program_a), b.memory(program_b)),
        Err(absent) => (Err(absent.clone()), Err(absent)),
    };
    let programs_a = QueryPrograms::new(&a.analysed.opened.profile, &mut a.programs);
    let programs_b = QueryPrograms::new(&b.analysed.opened.profile, &mut b.programs);
    let (module_a, module_b) = (|id| programs_a.module(id), |id| programs_b.module(id));
    compare(&a.analysed.session(&module_a, &memory_a), &b.analysed.session(&module_b, &memory_b), band)
}
