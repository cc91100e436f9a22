//! This module compares the devices of a session: the durations of their steps, and their waits for each other in
//! collectives.
//!
//! ```text
//!  TPU:0  ├──── all-reduce, execution 7 ────┤     waits 14
//!  TPU:1       ├─── same execution ─────────┤     waits  9
//!  TPU:2                    ├─── same ──────┤     waits  0: it arrived last
//! ```
//!
//! A collective ends for all devices of a group at the same time, so the durations show the order of arrival, and the
//! clocks of two devices are never compared. A device waits while the collective holds up its core: during the whole of
//! a synchronous collective, and during the done of an asynchronous one. Times in flight are not summed as waits,
//! because one late device lengthens all collectives that are in flight at the same time, and compute overlaps much of
//! that time. A permute ends for each device when its own sender is done. The device that waits for nobody still has
//! the shortest duration, but it need not be the last one to arrive.
//!
//! Executions of an op are matched by their number in the window, among the devices of one file, because groups name
//! devices by number and the planes of each host count from 0. This module depends on devices, transfers and spans, and
//! not on bytes.

use super::async_spans::{Span, clock};
use super::collective::CollectiveInfo;
use super::core::CoreWindow;
use super::executions::{DeviceSet, Executions, add, matched, waits_for_peers};
use super::imbalance::{Arrival, ArrivalSpread, DeviceBalance};
use super::peer_waits::least_wait;
use crate::analysis::base::scale::Scale;
use crate::analysis::base::{Analysis, StepChoice};
use crate::analysis::classify::primitive::{Core, Primitive};
use indexmap::IndexMap;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use xla_profile::profile::{OpKey, Profile, ProgramId};
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Picos;

impl Analysis {
    /// Compares the devices of the session in a step. `None` if the session has one device, or
    /// lacks devices of the program. Collectives are compared
    /// among the devices with which the device `first` is compared. `read_windows` holds the cores that were read already,
    /// and `infos` the facts of each transfer.
    pub(super) fn balance(
        &self,
        profile: &Profile,
        step: StepChoice,
        first: usize,
        read_windows: &[CoreWindow<'_>],
        infos: &IndexMap<OpKey, CollectiveInfo>,
    ) -> Option<DeviceBalance> {
        let compared = self.compared_devices(profile, first);
        let lacks_neighbours = self.completeness.missing_devices.is_some_and(|missing| !missing.has_whole_hosts());
        if self.devices.len() < 2 || lacks_neighbours {
            return None;
        }
        let mut balance = self.step_balance(profile);
        let mut ops: IndexMap<OpKey, Executions> = IndexMap::default();
        let tensor_cores = read_windows.iter().filter(|core_window| core_window.core == Core::Tensor);
        let read: FxHashMap<usize, &CoreWindow<'_>> = tensor_cores.map(|window| (window.device, window)).collect();
        for index in &compared {
            let core_window = read.get(index).copied();
            if let Some(CoreWindow { transfers, timeline, .. }) = core_window {
                let is_in = |span: &Span| core_window.is_some_and(|core_window| core_window.starts(span.interval.0));
                add(*index, transfers, timeline, is_in, &mut ops);
            } else {
                let device = &self.devices[*index];
                let clock = clock(&profile.planes[device.plane], device, step);
                self.add_executions(profile, &[(*index, clock)], step, &mut ops);
            }
        }
        let mut arrivals: Vec<Sum> = vec![Sum::default(); self.devices.len()];
        // Times are those of one step, also if the window has several.
        let scale = Scale::new(1, self.devices[first].choose(step).map_or(1, |window| window.n_steps.into()));
        for (named, lengths) in ops {
            let sets = infos.get(&named).map_or_else(Vec::new, |info| self.sets(profile, &lengths, info));
            let at_once = infos.get(&named).is_some_and(|info| info.primitive != Primitive::Permute);
            match self.spread(profile, named, (&sets, at_once), &mut arrivals) {
                Some(spread) => {
                    balance.collectives.push(ArrivalSpread { total: scale.time(spread.total), ..spread });
                }
                None => balance.n_unmatched += 1,
            }
        }
        balance.collectives.small_sort_by(|a, b| {
            (Reverse(a.total), &a.op, a.program_id).cmp(&(Reverse(b.total), &b.op, b.program_id))
        });
        balance.collectives.truncate(DeviceBalance::MAX_COLLECTIVES);
        let to_arrival = |index: &usize| {
            let Sum { n_last, n, late, waited } = arrivals[*index];
            let device = self.devices[*index].label.clone();
            Arrival { device, n_last, n, late: scale.time(Picos(late)), waited: Some(scale.time(Picos(waited))) }
        };
        balance.devices = compared.iter().map(to_arrival).filter(|arrival| arrival.n > 0).collect();
        let window = self.devices[first].choose(step).map(|window| scale.time(Picos(window.spans.length())));
        balance.critical = critical(&balance.devices, window).map(|arrival| arrival.device.clone());
        balance.devices.small_sort_by_key(|arrival| (arrival.waited, Reverse(arrival.late)));
        Some(balance)
    }

    /// Compares the durations of the devices' steps.
    pub(in crate::analysis) fn step_balance(&self, profile: &Profile) -> DeviceBalance {
        let all = self.step_spread(profile);
        let worst = all.iter().rev().max_by(|a, b| a.spread.total_cmp(&b.spread));
        #[expect(clippy::cast_precision_loss, reason = "a mean of ratios")]
        let mean = (!all.is_empty()).then(|| all.iter().map(|step| step.spread).sum::<f64>() / all.len() as f64);
        DeviceBalance {
            n_steps: all.len() as u32,
            worst_spread: worst.map(|step| step.spread),
            mean_spread: mean,
            worst_step: worst.map(|step| step.number),
            slowest: worst.map(|step| step.slowest.clone()),
            ..DeviceBalance::default()
        }
    }

    /// Adds up the arrivals of a collective. `None` if no set has several devices with the same number of executions.
    /// With `at_once`, an execution ends for all devices of a set at the same time, so the device with the shortest
    /// duration arrived last.
    fn spread(
        &self,
        profile: &Profile,
        (program, name): OpKey,
        (sets, at_once): (&[DeviceSet<'_>], bool),
        arrivals: &mut [Sum],
    ) -> Option<ArrivalSpread> {
        let mut last: FxHashMap<usize, u64> = FxHashMap::default();
        let (mut n, mut n_devices, mut total, mut max) = (0_u64, 0, 0_u64, 0);
        for (members, runs) in sets.iter().filter_map(matched) {
            n_devices += members.len() as u32;
            for run in 0..runs {
                let mut order: Vec<(u64, usize)> =
                    members.iter().map(|(device, lengths)| (lengths[run].length, *device)).collect();
                order.sort_unstable();
                let [(shortest, device), (next, _), ..] = order[..] else { continue };
                // If two devices arrive last together, the others do not wait for either alone.
                if next > shortest && at_once {
                    arrivals[device].last(next - shortest);
                    *last.entry(device).or_default() += 1;
                }
                for (device, (start, end)) in waits_for_peers(&members, run) {
                    let waited = &mut arrivals[device].waited;
                    *waited = waited.saturating_add(end - start);
                }
                let apart = order.last().map_or(0, |(longest, _)| longest - shortest);
                total = total.saturating_add(apart);
                max = max.max(apart);
            }
            members.iter().for_each(|(device, _)| arrivals[*device].n += if at_once { runs as u64 } else { 0 });
            n += runs as u64;
        }
        let most = last.into_iter().max_by_key(|(device, n)| (*n, Reverse(*device)));
        let (straggler, n_last) = most.unwrap_or_default();
        (n > 0).then(|| ArrivalSpread {
            op: profile.text(name).to_owned(),
            program_id: program.map(|ProgramId(id)| id),
            n,
            n_devices,
            total: Picos(total),
            max: Picos(max),
            straggler: (n_last > 0).then(|| self.devices[straggler].label.clone()),
            n_last,
        })
    }
}

/// Returns the critical device: the one that waits least for the others. Of the devices that wait at most 1 % of the
/// window longer, this is the first. `devices` must be in the order of the session.
fn critical(devices: &[Arrival], window: Option<Picos>) -> Option<&Arrival> {
    let waits: Option<Vec<Picos>> = devices.iter().map(|arrival| arrival.waited).collect();
    devices.get(least_wait(&waits?, window?)?)
}

/// Sums of a device's arrivals; times are in ps.
#[derive(Clone, Copy, Default)]
struct Sum {
    n_last: u64,
    n: u64,
    late: u64,
    waited: u64,
}

impl Sum {
    fn last(&mut self, by: u64) {
        self.n_last += 1;
        self.late = self.late.saturating_add(by);
    }
}
