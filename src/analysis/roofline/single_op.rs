//! This module computes the roofline position of one op, for the details of that op. It does not depend on rows.

use super::evaluate::{KernelGroups, RooflineModel};
use super::peaks::DevicePeaks;
use super::query::RooflineQuery;
use super::report::{OpRoofline, Skipped};
use super::sums::Sums;
use super::verdict::PossibleCause;
use super::verify::verify;
use crate::analysis::base::rows::Member;
use crate::analysis::base::{Analysis, ResolvedOp};
use crate::analysis::data_movement::Programs;
use std::cmp::Reverse;
use xla_profile::profile::Profile;
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Picos;

impl Analysis {
    /// Computes the roofline position of one op, on the devices and in the window of `found`. The result is that of the
    /// op's row in the roofline, but for ops of every kind. `None` if the op does not run there. Only the peaks, the
    /// costs and the latency thresholds of `query` count.
    pub fn op_roof(
        &self,
        profile: &Profile,
        found: &ResolvedOp,
        query: &RooflineQuery,
        programs: Option<Programs<'_>>,
    ) -> Option<OpRoofline> {
        let slices = &found.selection.slices;
        let peaks: Vec<DevicePeaks> =
            slices.iter().map(|slice| self.device_peaks(profile, slice.device, &query.peaks)).collect();
        let mut holder = RooflineModel::new(self.session_facts(profile), programs, &query.costs, peaks.iter());
        let (mut sums, mut skipped): (Option<Sums>, Vec<Skipped>) = (None, Vec::new());
        let (mut kernel_groups, mut ran) = (KernelGroups::default(), false);
        for (device, op, time) in found.shown() {
            let Some(slice) = slices.binary_search_by_key(&device, |slice| slice.device).ok() else { continue };
            if time.n == 0 && time.self_time == 0 && time.inclusive == 0 {
                continue;
            }
            ran = true;
            let member = Member { slice: slice as u32, op };
            match holder.evaluate_op(slices, member) {
                Ok(held) => {
                    if !kernel_groups.add_kernel(holder.instruction(slices, member), &held, time.n, time.self_time) {
                        sums.get_or_insert_default().add(&held, time.n, time.self_time);
                    }
                }
                Err(reason) => match skipped.iter_mut().find(|s| s.reason == reason) {
                    Some(known) => known.total += Picos(time.self_time),
                    None => skipped.push(Skipped { reason, n_ops: 1, total: Picos(time.self_time) }),
                },
            }
        }
        for (_, held, n, self_time) in kernel_groups.into_iter() {
            sums.get_or_insert_default().add(&held, n, self_time);
        }
        skipped.small_sort_by_key(|s| (Reverse(s.total), s.reason));
        let roof = sums.map(|sums| sums.evaluate(query.latency));
        let mut verified = roof.as_ref().and_then(verify);
        if let Some(verified) = &mut verified
            && self.devices.len() < 2
        {
            // One device has no one to communicate with.
            verified.checks.retain(|cause| *cause != PossibleCause::UnexpectedCollectives);
        }
        ran.then(|| OpRoofline { verified, roof, skipped, peaks: super::kernel_groups(peaks.into_iter()) })
    }
}
