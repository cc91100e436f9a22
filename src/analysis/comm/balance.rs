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

use super::async_pairs::{AsyncPairs, OpKey};
use super::async_spans::{CoreTimeline, Span, SpanOrigin, clock};
use super::collective::CollectiveInfo;
use super::core::CoreWindow;
use super::imbalance::{Arrival, ArrivalSpread, DeviceBalance};
use super::primitive::{Core, Primitive};
use crate::analysis::base::scale::Scale;
use crate::analysis::base::{Analysis, StepChoice};
use crate::analysis::classify::Kind;
use crate::hlo::ReplicaGroups;
use crate::profile::{Profile, ProgramId};
use crate::small_sort::SmallSort;
use crate::units::Picos;
use indexmap::IndexMap;
use std::cmp::Reverse;
use std::collections::VecDeque;

/// The executions of an op in the window, in order of time, by device. The list is `None` if a span was derived from a
/// start and a done: it then ends with the wait, which may be later than the end of the transfer.
type Executions = Vec<(usize, Option<Vec<ExecutionTimes>>)>;

/// An execution of a collective on one device. Times are in ps.
#[derive(Clone, Copy)]
struct ExecutionTimes {
    /// From the start to the end in flight.
    length: u64,
    /// Time for which the core waits for the execution.
    exposed: u64,
}

impl Analysis {
    /// Compares the devices of the session in a step. `None` if the session has one device. Collectives are compared
    /// among the devices in the file of the device `first`. `read_windows` holds the cores that were read already, and
    /// `infos` the facts of each transfer.
    pub(super) fn balance(
        &self,
        profile: &Profile,
        step: StepChoice,
        first: usize,
        read_windows: &[CoreWindow<'_>],
        infos: &IndexMap<OpKey, CollectiveInfo>,
    ) -> Option<DeviceBalance> {
        let file = profile.planes[self.devices.get(first)?.plane].file;
        let compared: Vec<usize> =
            (0..self.devices.len()).filter(|at| profile.planes[self.devices[*at].plane].file == file).collect();
        if self.devices.len() < 2 {
            return None;
        }
        let mut balance = self.step_balance(profile);
        let mut ops: IndexMap<OpKey, Executions> = IndexMap::default();
        for at in &compared {
            let core_window =
                read_windows.iter().find(|core_window| core_window.device == *at && core_window.core == Core::Tensor);
            self.lengths(profile, *at, step, core_window, &mut ops);
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
        let to_arrival = |at: &usize| {
            let Sum { n_last, n, late, waited } = arrivals[*at];
            let device = self.devices[*at].label.clone();
            Arrival { device, n_last, n, late: scale.time(Picos(late)), waited: Some(scale.time(Picos(waited))) }
        };
        balance.devices = compared.iter().map(to_arrival).filter(|arrival| arrival.n > 0).collect();
        let window = self.devices[first].choose(step).map(|window| scale.time(Picos(window.spans.length())));
        balance.critical = critical(&balance.devices, window).map(|arrival| arrival.device.clone());
        balance.devices.small_sort_by_key(|arrival| (arrival.waited, Reverse(arrival.late)));
        Some(balance)
    }

    fn step_balance(&self, profile: &Profile) -> DeviceBalance {
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

    /// Adds the executions of a device's collectives in the window to `ops`.
    fn lengths(
        &self,
        profile: &Profile,
        at: usize,
        step: StepChoice,
        core_window: Option<&CoreWindow<'_>>,
        ops: &mut IndexMap<OpKey, Executions>,
    ) {
        if let Some(core_window) = core_window {
            return add(at, &core_window.transfers, &core_window.timeline, |span| core_window.starts(span.at.0), ops);
        }
        let device = &self.devices[at];
        let plane = &profile.planes[device.plane];
        let clock = clock(plane, device);
        let Some((window, whole)) = device.window_on(step, clock) else { return };
        let kinds: Vec<Kind> = self.facts[at].ops.iter().map(|facts| facts.kind).collect();
        let transfers = AsyncPairs::new(profile, plane, &kinds);
        let timeline = CoreTimeline::spans(plane, device, clock, &transfers);
        add(at, &transfers, &timeline, |span| whole || window.contains(span.at.0), ops);
    }

    /// Returns the sets of devices that wait for each other in a collective. These are the replica groups, if their
    /// numbers are exactly those of the devices. All devices are one set if the groups say so, and for permutes in
    /// which every device takes part, because the messages have one size. Empty if the sets are unknown, and for send
    /// and recv.
    fn sets(&self, profile: &Profile, lengths: &Executions, info: &CollectiveInfo) -> Vec<Executions> {
        let Some(groups) =
            info.groups.as_ref().filter(|_| !matches!(info.primitive, Primitive::Send | Primitive::Recv))
        else {
            return Vec::new();
        };
        match groups {
            ReplicaGroups::All => return vec![lengths.clone()],
            ReplicaGroups::Pairs(pairs) => {
                return if all_take_part(pairs, lengths.len()) { vec![lengths.clone()] } else { Vec::new() };
            }
            _ => {}
        }
        let number = |device: usize| {
            let name = &profile.planes[self.devices[device].plane].name;
            name.rsplit(':').next().and_then(|n| n.parse::<u64>().ok())
        };
        let numbers: Option<Vec<u64>> = lengths.iter().map(|(device, _)| number(*device)).collect();
        let fits = |lists: &Vec<Vec<u64>>, numbers: &Vec<u64>| {
            let mut named: Vec<u64> = lists.iter().flatten().copied().collect();
            let mut known = numbers.clone();
            named.sort_unstable();
            known.sort_unstable();
            named == known
        };
        let Some((lists, numbers)) = groups.groups().zip(numbers).filter(|(lists, numbers)| fits(lists, numbers))
        else {
            return Vec::new();
        };
        let of = |group: &Vec<u64>| {
            let members = lengths.iter().zip(&numbers).filter(|(_, number)| group.contains(number));
            members.map(|(lengths, _)| lengths.clone()).collect()
        };
        lists.iter().map(of).collect()
    }

    /// Adds up the arrivals of a collective. `None` if no set has several devices with the same number of executions.
    /// With `at_once`, an execution ends for all devices of a set at the same time, so the device with the shortest
    /// duration arrived last.
    fn spread(
        &self,
        profile: &Profile,
        (program, name): OpKey,
        (sets, at_once): (&[Executions], bool),
        arrivals: &mut [Sum],
    ) -> Option<ArrivalSpread> {
        let mut last: Vec<u64> = vec![0; self.devices.len()];
        let (mut n, mut n_devices, mut total, mut max) = (0_u64, 0, 0_u64, 0);
        for set in sets {
            let members: Option<Vec<(usize, &[ExecutionTimes])>> =
                set.iter().map(|(device, lengths)| Some((*device, lengths.as_deref()?))).collect();
            let Some(members) = members.filter(|members| members.len() > 1) else { continue };
            let runs = members.first().map_or(0, |(_, lengths)| lengths.len());
            if runs == 0 || members.iter().any(|(_, lengths)| lengths.len() != runs) {
                continue;
            }
            n_devices += members.len() as u32;
            for run in 0..runs {
                let mut order: Vec<(u64, usize)> =
                    members.iter().map(|(device, lengths)| (lengths[run].length, *device)).collect();
                order.sort_unstable();
                let [(shortest, device), (next, _), ..] = order[..] else { continue };
                // If two devices arrive last together, the others do not wait for either alone.
                if next > shortest && at_once {
                    arrivals[device].last(next - shortest);
                    last[device] += 1;
                }
                let least = members.iter().map(|(_, lengths)| lengths[run].exposed).min().unwrap_or_default();
                for (device, lengths) in &members {
                    let waited = &mut arrivals[*device].waited;
                    *waited = waited.saturating_add(lengths[run].exposed - least);
                }
                let apart = order.last().map_or(0, |(longest, _)| longest - shortest);
                total = total.saturating_add(apart);
                max = max.max(apart);
            }
            members.iter().for_each(|(device, _)| arrivals[*device].n += if at_once { runs as u64 } else { 0 });
            n += runs as u64;
        }
        let (straggler, n_last) = last.into_iter().enumerate().rev().max_by_key(|(_, n)| *n)?;
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
    let least = devices.iter().filter_map(|arrival| arrival.waited).min()?;
    let limit = least.as_f64() + window?.as_f64() * DeviceBalance::STRAGGLER;
    devices.iter().find(|arrival| arrival.waited.is_some_and(|waited| waited.as_f64() <= limit))
}

/// Whether `pairs` name exactly `n` devices as senders or receivers.
fn all_take_part(pairs: &[(u64, u64)], n: usize) -> bool {
    let mut members: Vec<u64> = pairs.iter().flat_map(|(from, to)| [*from, *to]).collect();
    members.sort_unstable();
    members.dedup();
    members.len() == n
}

/// Adds the executions of a device, in order of time. The spans and dones of a transfer are paired in order: the first
/// with the first. If they differ in number, the whole duration counts as waiting.
fn add(
    at: usize,
    transfers: &AsyncPairs,
    timeline: &CoreTimeline,
    is_in: impl Fn(&Span) -> bool,
    ops: &mut IndexMap<OpKey, Executions>,
) {
    let mut dones: Vec<VecDeque<u64>> = vec![VecDeque::new(); transfers.all.len()];
    for ((start, end), transfer) in &timeline.dones {
        dones[*transfer as usize].push_back(end - start);
    }
    let mut n_spans = vec![0_usize; transfers.all.len()];
    timeline.spans.iter().for_each(|span| n_spans[span.transfer as usize] += 1);
    for (dones, n) in dones.iter_mut().zip(n_spans) {
        if dones.len() != n {
            dones.clear();
        }
    }
    for span in &timeline.spans {
        let transfer = &transfers.all[span.transfer as usize];
        let length = span.at.1 - span.at.0;
        let exposed = dones[span.transfer as usize].pop_front().unwrap_or(length);
        if transfer.is_copy || !is_in(span) {
            continue;
        }
        let lengths = ops.entry(transfer.named).or_default();
        if lengths.last().is_none_or(|(device, _)| *device != at) {
            lengths.push((at, Some(Vec::new())));
        }
        if let Some((_, lengths)) = lengths.last_mut() {
            match lengths {
                Some(lengths) if span.from != SpanOrigin::Ops => lengths.push(ExecutionTimes { length, exposed }),
                _ => *lengths = None,
            }
        }
    }
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
