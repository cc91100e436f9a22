//! This module matches the executions of collectives on the devices of a file: which devices wait for each other, and
//! how long.
//!
//! A collective ends for all devices of a set at the same time, so the first part of its wait is a wait for the peers that
//! arrive later, and the device that arrives last does not wait. This module depends on transfers and spans, and not on
//! reports.

use super::async_spans::{CoreTimeline, Span, SpanOrigin};
use super::collective::CollectiveInfo;
use crate::analysis::base::device::device_number;
use crate::analysis::base::hosts::names;
use crate::analysis::base::{Analysis, Clock, Interval, StepChoice};
use crate::analysis::classify::async_pairs::AsyncPairs;
use crate::analysis::classify::primitive::Primitive;
use indexmap::IndexMap;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::Arc;
use xla_profile::hlo::ReplicaGroups;
use xla_profile::parallel;
use xla_profile::profile::{OpKey, Profile};

/// The executions of an op in the window, in order of time, by device. The list is `None` if a span was derived from a
/// start and a done: it then ends with the wait, which may be later than the end of the transfer.
pub(super) type Executions = Vec<DeviceLengths>;

/// The executions of an op on devices that wait for each other.
pub(super) type DeviceSet<'a> = Vec<&'a DeviceLengths>;

/// An execution of a collective on one device. Times are in ps.
#[derive(Clone, Copy)]
pub(super) struct ExecutionTimes {
    /// From the start to the end in flight.
    pub length: u64,
    /// The time in which the core waits for the execution.
    pub wait: Interval,
}

impl ExecutionTimes {
    /// Returns the length of the wait in ps.
    pub const fn exposed(self) -> u64 {
        self.wait.1 - self.wait.0
    }
}

/// The executions of an op on one device.
pub(super) type DeviceLengths = (usize, Option<Vec<ExecutionTimes>>);

/// Returns a name in the order of its last number: `worker-2` comes before `worker-10`.
fn by_number(name: &str) -> (&str, u64, &str) {
    let stem = name.trim_end_matches(|c: char| !c.is_ascii_digit());
    let text = stem.trim_end_matches(|c: char| c.is_ascii_digit());
    (text, stem[text.len()..].parse().unwrap_or(u64::MAX), name)
}

impl Analysis {
    /// Adds the executions of the devices' collectives in the window of `step` to `ops`. Returns the devices that have the
    /// step, with their transfers. `devices` are indices with the clock of the times, which must be that of the device's
    /// steps or the event clock.
    pub(super) fn add_executions(
        &self,
        profile: &Profile,
        devices: &[(usize, Clock)],
        step: StepChoice,
        ops: &mut IndexMap<OpKey, Executions>,
    ) -> Vec<(usize, Arc<AsyncPairs>)> {
        let request = |(index, clock): &(usize, Clock)| {
            let window = self.devices[*index].window_on(step, *clock)?;
            Some((*index, *clock, window, self.async_pairs(profile, *index)))
        };
        let requests: Vec<_> = devices.iter().filter_map(request).collect();
        let all = &self.devices;
        let timelines = parallel::map(&requests, |(index, clock, _, transfers)| {
            CoreTimeline::collective_spans(&profile.planes[all[*index].plane], &all[*index], *clock, transfers)
        });
        for ((index, _, (window, whole), transfers), timeline) in requests.iter().zip(timelines) {
            add(*index, transfers, &timeline, |span| *whole || window.contains(span.interval.0), ops);
        }
        requests.into_iter().map(|(index, _, _, transfers)| (index, transfers)).collect()
    }

    /// Returns the sets of devices that wait for each other in a collective. These are the replica groups, if their
    /// numbers are exactly those of the devices of all hosts or of each host. All devices are one set if the groups say so, and for permutes in
    /// which every device takes part, because the messages have one size. Empty if the sets are unknown, and for send
    /// and recv.
    pub(super) fn sets<'a>(
        &self,
        profile: &Profile,
        lengths: &'a Executions,
        info: &CollectiveInfo,
    ) -> Vec<DeviceSet<'a>> {
        let Some(groups) =
            info.groups.as_ref().filter(|_| !matches!(info.primitive, Primitive::Send | Primitive::Recv))
        else {
            return Vec::new();
        };
        let all: DeviceSet<'a> = lengths.iter().collect();
        match groups {
            ReplicaGroups::All => return vec![all],
            ReplicaGroups::Pairs(pairs) => {
                return if all_take_part(pairs, lengths.len()) { vec![all] } else { Vec::new() };
            }
            _ => {}
        }
        let Some(lists) = groups.groups() else { return Vec::new() };
        // Groups may name the devices of all hosts, or those of each host by itself.
        self.divided(profile, &all, &lists).unwrap_or_else(|| {
            let file = |lengths: &DeviceLengths| profile.planes[self.devices[lengths.0].plane].file;
            let hosts = all.chunk_by(|a, b| file(a) == file(b));
            hosts.filter_map(|host| self.divided(profile, host, &lists)).flatten().collect()
        })
    }

    /// Divides devices into the groups that name them. `None` if the numbers in the groups are not those of the devices.
    fn divided<'a>(
        &self,
        profile: &Profile,
        devices: &[&'a DeviceLengths],
        groups: &[Vec<u64>],
    ) -> Option<Vec<DeviceSet<'a>>> {
        let indices: Vec<usize> = devices.iter().map(|(device, _)| *device).collect();
        let numbers = self.device_numbers(profile, &indices)?;
        let mut named: Vec<u64> = groups.iter().flatten().copied().collect();
        let mut known = numbers.clone();
        named.sort_unstable();
        known.sort_unstable();
        let mut places: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
        numbers.iter().enumerate().for_each(|(place, number)| places.entry(*number).or_default().push(place));
        let places_in = |group: &Vec<u64>| {
            let mut members: Vec<usize> =
                group.iter().filter_map(|number| places.get(number)).flatten().copied().collect();
            members.sort_unstable();
            members.dedup();
            members.into_iter().map(|place| devices[place]).collect()
        };
        (named == known).then(|| groups.iter().map(places_in).collect())
    }

    /// Returns the numbers of devices in replica groups: the numbers in their names. Hosts that each count their devices
    /// from 0 follow each other in the order of their names. `None` if a name has no number.
    fn device_numbers(&self, profile: &Profile, devices: &[usize]) -> Option<Vec<u64>> {
        let plane = |device: &usize| &profile.planes[self.devices[*device].plane];
        let by_name = |device: &usize| device_number(plane(device));
        let numbers: Vec<u64> = devices.iter().map(by_name).collect::<Option<_>>()?;
        let mut distinct = numbers.clone();
        distinct.sort_unstable();
        distinct.dedup();
        if distinct.len() == numbers.len() {
            return Some(numbers);
        }
        let hosts = names(profile);
        let place = |(device, number): (&usize, &u64)| (by_number(&hosts[plane(device).file]), *number);
        let places: Vec<_> = devices.iter().zip(&numbers).map(place).collect();
        let mut sorted = places.clone();
        sorted.sort_unstable();
        Some(places.iter().map(|place| sorted.partition_point(|other| other < place) as u64).collect())
    }
}

/// The executions of an op on one device, with the index of the device.
pub(super) type DeviceExecutions<'a> = (usize, &'a [ExecutionTimes]);

/// Returns the executions of a set by device, and their number on each device. `None` if the set has one device, or if
/// the executions of its devices cannot be matched.
pub(super) fn matched<'a>(set: &DeviceSet<'a>) -> Option<(Vec<DeviceExecutions<'a>>, usize)> {
    let members: Option<Vec<DeviceExecutions<'a>>> =
        set.iter().map(|(device, lengths)| Some((*device, lengths.as_deref()?))).collect();
    let members = members.filter(|members| members.len() > 1)?;
    let n = members.first().map_or(0, |(_, lengths)| lengths.len());
    (n > 0 && members.iter().all(|(_, lengths)| lengths.len() == n)).then_some((members, n))
}

/// Iterates over the times in which each device waits for its peers in an execution: the first part of its wait, which
/// is longer than the shortest wait of the set by this part.
pub(super) fn waits_for_peers(
    members: &[DeviceExecutions<'_>],
    execution: usize,
) -> impl Iterator<Item = (usize, Interval)> {
    let least = members.iter().map(|(_, lengths)| lengths[execution].exposed()).min().unwrap_or_default();
    members.iter().map(move |(device, lengths)| {
        let ExecutionTimes { wait: (start, end), .. } = lengths[execution];
        (*device, (start, end - least))
    })
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
pub(super) fn add(
    index: usize,
    transfers: &AsyncPairs,
    timeline: &CoreTimeline,
    is_in: impl Fn(&Span) -> bool,
    ops: &mut IndexMap<OpKey, Executions>,
) {
    let mut dones: Vec<VecDeque<Interval>> = vec![VecDeque::new(); transfers.all.len()];
    for (time, transfer) in &timeline.dones {
        dones[*transfer as usize].push_back(*time);
    }
    let mut n_spans = vec![0_usize; transfers.all.len()];
    timeline.spans.iter().for_each(|span| n_spans[span.transfer as usize] += 1);
    for (dones, n) in dones.iter_mut().zip(n_spans) {
        if dones.len() != n {
            dones.clear();
        }
    }
    // The place of each transfer in `ops`.
    let mut places: Vec<Option<usize>> = vec![None; transfers.all.len()];
    for span in &timeline.spans {
        let transfer = &transfers.all[span.transfer as usize];
        let length = span.interval.1 - span.interval.0;
        let wait = dones[span.transfer as usize].pop_front().unwrap_or(span.interval);
        if transfer.is_copy || !is_in(span) {
            continue;
        }
        let place = *places[span.transfer as usize].get_or_insert_with(|| {
            let entry = ops.entry(transfer.named);
            let place = entry.index();
            entry.or_default();
            place
        });
        let lengths = &mut ops[place];
        if lengths.last().is_none_or(|(device, _)| *device != index) {
            lengths.push((index, Some(Vec::new())));
        }
        if let Some((_, lengths)) = lengths.last_mut() {
            match lengths {
                Some(lengths) if span.from != SpanOrigin::Ops => lengths.push(ExecutionTimes { length, wait }),
                _ => *lengths = None,
            }
        }
    }
}
