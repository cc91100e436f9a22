//! This module compares the times of ops between devices: how much longer an op takes on one device than on the median of all.

use crate::analysis::base::op_times::Window;
use crate::analysis::base::{Analysis, StepChoice};
use crate::analysis::classify::Kind;
use rustc_hash::FxHashMap;
use xla_profile::profile::{OpKey, Profile};
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Picos;

/// The times of ops beyond the median of the devices, per step and in ps.
pub(super) type ExcessTimes = FxHashMap<OpKey, u64>;

impl Analysis {
    /// Returns the excess of the ops of `device` that do not communicate: the mean self time over the steps of the choice,
    /// minus the median of the means of the devices that run the op. `None` if fewer than two of `compared` have the
    /// step.
    pub(super) fn excess_times(
        &self,
        profile: &Profile,
        step: StepChoice,
        device: usize,
        compared: &[usize],
    ) -> Option<ExcessTimes> {
        let mut means: FxHashMap<OpKey, Vec<u64>> = FxHashMap::default();
        let mut own = ExcessTimes::default();
        let mut n_devices = 0;
        let windows: Vec<(usize, Window)> =
            compared.iter().filter_map(|index| Some((*index, self.devices[*index].choose(step)?))).collect();
        for ((index, window), measured) in windows.iter().zip(self.op_times(profile, &windows)) {
            let plane = &profile.planes[self.devices[*index].plane];
            n_devices += 1;
            let mut times = ExcessTimes::default();
            for ((op, facts), time) in plane.ops.iter().zip(&self.facts[*index].ops).zip(&measured.ops) {
                if time.self_time > 0 && !matches!(facts.kind, Kind::Communication | Kind::Fused) {
                    *times.entry(op.key()).or_default() += time.self_time;
                }
            }
            for (key, time) in &mut times {
                *time /= u64::from(window.n_steps.max(1));
                means.entry(*key).or_default().push(*time);
            }
            if *index == device {
                own = times;
            }
        }
        for (key, time) in &mut own {
            *time = time.saturating_sub(means.get_mut(key).map_or(0, |all| median(all)));
        }
        (n_devices > 1).then_some(own)
    }
}

/// Returns the median. Of an even number of times, it is the mean of the two in the middle.
fn median(times: &mut [u64]) -> u64 {
    times.small_sort_by_key(|time| *time);
    let [low, high] =
        [times.len().saturating_sub(1) / 2, times.len() / 2].map(|place| times.get(place).map_or(0, |time| *time));
    low.midpoint(high)
}

/// Returns the median of times that are not empty.
pub(super) fn median_time(times: impl Iterator<Item = Picos>) -> Picos {
    Picos(median(&mut times.map(|time| time.0).collect::<Vec<u64>>()))
}
