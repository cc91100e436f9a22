//! This module runs the analyses from which the rows of a capture are made. Each of them runs once.

use crate::analysis::base::{DeviceChoice, Query, Status, StepChoice};
use crate::analysis::breakdown::{Breakdown, StepStats};
use crate::analysis::comm::{Comm, CommQuery};
use crate::analysis::compare::matching::{ProgramKeys, Side, SideOp, op_keys};
use crate::analysis::files::FileView;
use crate::analysis::gaps::ClassIdle;
use crate::analysis::ledger::{OpSteps, OwnedOp};
use crate::analysis::memory::{MemoryQuery, WholeMemory};
use crate::analysis::overview::OverviewQuery;
use crate::analysis::roofline::{RooflineAnswer, RooflineQuery};
use crate::session::capture::CaptureSession;
use crate::session::capture::comm::comm_within;
use crate::session::capture::overview::{DerivedOverview, overview_and_inputs};
use crate::session::programs::QueryPrograms;
use crate::session::{roofline, whole_memory};
use indexmap::IndexMap;
use xla_profile::profile::OpKey;

/// The analyses of a capture. Figures of ops and of communication are those of the default device and of the mean of steady steps.
pub struct Analysed {
    pub files: FileView,
    pub breakdown: Breakdown,
    pub roofline: RooflineAnswer,
    pub comm: Comm,
    pub memory: WholeMemory,
    pub steps: StepStats,
    /// Self times in ps on each device.
    pub by_device: IndexMap<OpKey, Vec<u64>>,
    /// The steps of the critical device. `None` if no device has times on the event clock.
    pub critical: Option<Critical>,
}

/// The analyses of the device on which the time of a step depends.
pub struct Critical {
    pub derived: DerivedOverview,
    pub op_steps: OpSteps,
    /// Idle time by class in its steady steps, by the number of the step.
    pub idle_by_step: IndexMap<u64, Vec<ClassIdle>>,
    /// The keys of its ops by program. The indices are those of [`DerivedOverview::by_op`].
    pub programs: Vec<ProgramKeys>,
}

/// Analyses a capture.
///
/// # Errors
/// Returns a sentence if the query of an analysis fails, which is a fault of this program.
pub fn analyse(session: &mut CaptureSession) -> Result<Analysed, String> {
    let device = session.analysis.usual_device(&session.profile);
    let files = session.analysis.file_view_without_times(&session.profile, &session.files, session.partial);
    let critical = critical(session, &files, device);
    let CaptureSession { profile, analysis, programs, .. } = session;
    let query = Query { device, ..Query::default() };
    let breakdown = analysis.breakdown(profile, &query).map_err(|error| error.to_string())?;
    let request = RooflineQuery { query: query.clone(), ..RooflineQuery::default() };
    let roofline = roofline(analysis, profile, programs, &request).map_err(|error| error.to_string())?;
    let comm = comm_within(analysis, profile, programs, &CommQuery { query, ..CommQuery::default() }, 0);
    let memory_query = MemoryQuery { columns: 1, buffers: 0, ..MemoryQuery::default() };
    let memory = whole_memory(analysis, profile, programs, &memory_query, None, &|_| true, None);
    let steps = analysis.step_stats(profile);
    let by_device = analysis.self_times_by_device(profile, StepChoice::Mean);
    Ok(Analysed { files, breakdown, roofline, comm, memory, steps, by_device, critical })
}

fn critical(session: &mut CaptureSession, files: &FileView, device: DeviceChoice) -> Option<Critical> {
    let CaptureSession { profile, analysis, programs, .. } = session;
    let mut query = OverviewQuery::default();
    query.ledger.roofline.query.device = device;
    let mut derived = overview_and_inputs(analysis, profile, programs, files, &query)?;
    let by_op = &mut derived.by_op;
    let op_steps = analysis.op_steps(profile, by_op.ledger.device, by_op.step)?;
    let plane = &profile.planes[analysis.devices[by_op.ledger.device].plane];
    // Ops of the same key are counted in the order in which they first run.
    by_op.ops.sort_by_key(|op| op_steps.first_start(plane, op.op));
    let op = |owned: &OwnedOp| SideOp {
        op: owned.op,
        time: owned.total().0,
        n: owned.n.as_f64().round() as u64,
        first_start: op_steps.first_start(plane, owned.op),
    };
    let ops = by_op.ops.iter().map(op).collect();
    let query_programs = QueryPrograms::new(profile, programs);
    let module = |id| query_programs.module(id);
    let side = Side { profile, analysis, device: by_op.ledger.device, programs: Some(&module), ops };
    let programs = op_keys(&side);
    let idle_by_step = match by_op.step {
        StepChoice::Mean | StepChoice::Kind(_) => analysis.idle_by_step(profile, by_op.ledger.device, StepChoice::Mean),
        _ => IndexMap::default(),
    };
    Some(Critical { derived, op_steps, idle_by_step, programs })
}

impl Analysed {
    /// Returns whether the capture has no times of a device.
    pub fn is_absent(&self) -> bool {
        self.breakdown.header.status == Status::Absent
    }
}
