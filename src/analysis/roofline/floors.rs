//! This module computes the roofline time of each op of one device, without rows and figures.

use super::evaluate::{KernelGroups, RooflineModel};
use super::query::RooflineQuery;
use super::sums::OpPoint;
use crate::analysis::base::Analysis;
use crate::analysis::base::rows::{Slice, each};
use crate::analysis::data_movement::Programs;
use indexmap::IndexMap;
use xla_profile::hlo::DType;
use xla_profile::profile::{Profile, ProgramId, StrId};
use xla_profile::units::Count;

/// The times of the ops of one name in a program, in ps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OpFloor {
    /// Self time of the ops that have a roofline time.
    pub self_time: u64,
    /// Roofline time of these ops.
    pub roofline_time: f64,
    /// The part of `roofline_time` of ops that compute limits more than memory.
    pub compute_bound: f64,
    /// The least time that the peak of compute allows these ops.
    pub compute_time: f64,
    /// The least time that the memories allow these ops.
    pub memory_time: f64,
    /// The type that the first of the ops computes with. `None` if it is unknown.
    pub dtype: Option<DType>,
    /// Whether the type of an op is uncertain.
    pub is_uncertain: bool,
    /// Self time of the ops that have none: their cost is unknown, or a peak of the device.
    pub unknown: u64,
}

impl Analysis {
    /// Returns the roofline time of the selected ops of one device, by program and name. Only the peaks and the costs of
    /// `query` count.
    pub(in crate::analysis) fn op_floors(
        &self,
        profile: &Profile,
        query: &RooflineQuery,
        programs: Option<Programs<'_>>,
        slice: Slice,
    ) -> IndexMap<(Option<ProgramId>, StrId), OpFloor> {
        let session = self.session_facts(profile);
        let peaks = self.device_peaks(profile, slice.device, &query.peaks);
        let mut model = RooflineModel::new(session, programs, &query.costs, std::iter::once(&peaks));
        let mut floors: IndexMap<(Option<ProgramId>, StrId), OpFloor> = IndexMap::default();
        let mut kernels = KernelGroups::default();
        let slices = [slice];
        each(&slices, |member, time| {
            let (op, facts) = session.op(slices[0].device, member.op);
            let floor = floors.entry(op.key()).or_default();
            floor.dtype = floor.dtype.or_else(|| model.compute_type(op, facts).dtype);
            // The cost of an execution that starts outside of the window is not counted, so its time has no roofline.
            let Some(point) = model.evaluate_op(&slices, member).ok().filter(|_| time.n > 0) else {
                floor.unknown = floor.unknown.saturating_add(time.self_time);
                return;
            };
            if !kernels.add_kernel(model.instruction(&slices, member), &point, time.n, time.self_time) {
                floor.add(&point, time.n, time.self_time);
            }
        });
        for ((_, program, name), point, n, self_time) in kernels.into_iter() {
            floors.entry((program, name)).or_default().add(&point, n, self_time);
        }
        floors
    }
}

impl OpFloor {
    fn add(&mut self, point: &OpPoint, n: Count, self_time: u64) {
        let (roofline_time, is_compute_bound) = point.roofline_time(n);
        self.self_time = self.self_time.saturating_add(self_time);
        self.roofline_time += roofline_time;
        let [compute, memories @ ..] = point.floors(n);
        self.compute_time += compute;
        self.memory_time += memories.into_iter().fold(0.0, f64::max);
        if is_compute_bound {
            self.compute_bound += roofline_time;
        }
        self.is_uncertain |= point.uncertain;
    }
}
