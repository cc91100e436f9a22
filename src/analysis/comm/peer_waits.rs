//! This module finds the times in which devices wait for each other in collectives, on the event clock, and the device
//! that the others wait for.

use super::executions::{matched, waits_for_peers};
use super::imbalance::DeviceBalance;
use super::sums::collective_infos;
use crate::analysis::base::{Analysis, Interval, StepChoice};
use crate::analysis::classify::async_pairs::AsyncPairs;
use crate::analysis::data_movement::Programs;
use indexmap::IndexMap;
use std::sync::Arc;
use xla_profile::profile::Profile;
use xla_profile::units::Picos;

/// The times in which one device waits for its peers.
pub struct PeerWaits {
    /// Index of the device in the session.
    pub device: usize,
    /// Times on the event clock in ps, in no order.
    pub times: Vec<Interval>,
    /// Sum of the waits per step, in ps.
    pub waited: Picos,
}

impl Analysis {
    /// Returns the waits of the devices that are compared with the device `first` and have the step, in the order of the
    /// session.
    pub(in crate::analysis) fn peer_waits(
        &self,
        profile: &Profile,
        step: StepChoice,
        first: usize,
        programs: Option<Programs<'_>>,
    ) -> Vec<PeerWaits> {
        let mut ops = IndexMap::default();
        let compared = self.compared_devices(profile, first);
        let compared: Vec<_> = compared.into_iter().map(|index| (index, self.devices[index].event_clock)).collect();
        let cores = self.add_executions(profile, &compared, step, &mut ops);
        let plane = |index: usize| &profile.planes[self.devices[index].plane];
        let infos =
            collective_infos(profile, cores.iter().map(|(index, transfers)| (plane(*index), &**transfers)), programs);
        let mut times: Vec<Vec<Interval>> = vec![Vec::new(); self.devices.len()];
        for (op, lengths) in &ops {
            let sets = infos.get(op).map_or_else(Vec::new, |info| self.sets(profile, lengths, info));
            for (members, n) in sets.iter().filter_map(matched) {
                for (device, wait) in (0..n).flat_map(|execution| waits_for_peers(&members, execution)) {
                    times[device].push(wait);
                }
            }
        }
        let waits = |(device, _): &(usize, Arc<AsyncPairs>)| {
            let times = std::mem::take(&mut times[*device]);
            let sum = times.iter().map(|(start, end)| Picos(end - start)).sum::<Picos>();
            let n_steps = self.devices[*device].choose(step).map_or(1, |window| u64::from(window.n_steps.max(1)));
            PeerWaits { device: *device, times, waited: Picos(sum.0 / n_steps) }
        };
        cores.iter().map(waits).collect()
    }
}

/// Returns the index of the first device that waits at most 1 % of the window longer than the device that waits least.
pub(in crate::analysis) fn least_wait(waits: &[Picos], window: Picos) -> Option<usize> {
    let limit = waits.iter().min()?.as_f64() + window.as_f64() * DeviceBalance::STRAGGLER;
    waits.iter().position(|wait| wait.as_f64() <= limit)
}
