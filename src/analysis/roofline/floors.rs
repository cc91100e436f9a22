//! This module computes the roofline time of each op of one device, without rows and figures.

use super::evaluate::{KernelGroups, RooflineModel};
use super::query::RooflineQuery;
use super::sums::OpPoint;
use crate::analysis::base::Analysis;
use crate::analysis::base::rows::{Slice, each};
use crate::analysis::data_movement::Programs;
use crate::profile::{Profile, ProgramId, StrId};
use crate::units::Count;
use indexmap::IndexMap;

/// The times of the ops of one name in a program, in ps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OpFloor {
    /// Self time of the ops that have a roofline time.
    pub self_time: u64,
    /// Roofline time of these ops.
    pub roofline_time: f64,
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
            let op = session.op(slices[0].device, member.op).0;
            let floor = floors.entry((op.stats.program, op.name)).or_default();
            let Ok(point) = model.evaluate_op(&slices, member) else {
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
        self.self_time = self.self_time.saturating_add(self_time);
        self.roofline_time += point.roofline_time(n);
    }
}
