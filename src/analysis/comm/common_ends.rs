//! This module compares the ends of synchronous collectives on different hosts. Such a collective ends at the same time on all
//! devices of its group, so ends that differ show that the clocks of the hosts differ.
//!
//! ```text
//!  host-a TPU:0    ├── all-reduce.3 ──┤           step 7, first execution
//!  host-b TPU:0            ├── all-reduce.3 ──┤   the same: the ends differ by the difference of the clocks
//! ```
//!
//! Two executions are the same if they are of the same op in the step with the same number, are the n-th ones of their step,
//! and the step has the same number of executions of the op on both hosts.

use super::async_spans::{CoreTimeline, SpanOrigin};
use super::executions::Executions;
use super::sums::collective_infos;
use crate::analysis::base::{Analysis, Device};
use crate::analysis::classify::async_pairs::AsyncPairs;
use crate::analysis::classify::primitive::Primitive;
use crate::analysis::data_movement::Programs;
use indexmap::IndexMap;
use std::collections::BTreeMap;
use std::sync::Arc;
use xla_profile::parallel;
use xla_profile::profile::{OpKey, Profile};

/// The number of a step, and an end in it in ps on the axis of the session.
type StepEnd = (u64, u64);

/// The ends of the executions of an op on a host, by the number of the step, in order of time.
type HostEnds = BTreeMap<u64, Vec<u64>>;

impl Analysis {
    /// Returns the ends of synchronous collectives on each host minus the ends of the same executions on the host `first`, in
    /// ps on the axis of the session. Hosts are indices of files; a host without common collectives is not in the result. Steps with
    /// the same number must be the same step on all hosts.
    pub(in crate::analysis) fn end_differences(
        &self,
        profile: &Profile,
        first: usize,
        programs: Option<Programs<'_>>,
    ) -> BTreeMap<usize, Vec<i64>> {
        let is_on_axis = |device: &Device| {
            let line = device.ops.first().map(|line| &profile.planes[device.plane].lines[*line]);
            line.is_some_and(|line| self.axis.times(line).is_some())
        };
        let devices = (0..self.devices.len()).filter(|index| is_on_axis(&self.devices[*index]));
        let requests: Vec<(usize, Arc<AsyncPairs>)> =
            devices.map(|index| (index, self.async_pairs(profile, index))).collect();
        let all = &self.devices;
        let ends = parallel::map(&requests, |(index, transfers)| {
            let device = &all[*index];
            let core =
                CoreTimeline::collective_spans(&profile.planes[device.plane], device, device.event_clock, transfers);
            synchronous_ends(device, transfers, &core)
        });
        let plane = |index: usize| &profile.planes[all[index].plane];
        let mut ops: IndexMap<OpKey, BTreeMap<usize, Vec<StepEnd>>> = IndexMap::default();
        for ((index, _), ends) in requests.iter().zip(ends) {
            for (op, ends) in ends {
                ops.entry(op).or_default().insert(*index, ends);
            }
        }
        let infos = |programs| {
            collective_infos(profile, requests.iter().map(|(index, transfers)| (plane(*index), &**transfers)), programs)
        };
        let mut infos_by_op = infos(None);
        // Programs are large, and are read only for groups that no text has.
        if ops.keys().any(|op| infos_by_op.get(op).is_none_or(|info| info.groups.is_none())) {
            infos_by_op = infos(programs);
        }
        let mut differences: BTreeMap<usize, Vec<i64>> = BTreeMap::new();
        for (op, ends) in &ops {
            let Some(info) = infos_by_op.get(op).filter(|info| ends_together(info.primitive)) else { continue };
            let members: Executions = ends.keys().map(|device| (*device, None)).collect();
            for set in self.sets(profile, &members, info) {
                let mut hosts: BTreeMap<usize, Vec<&[StepEnd]>> = BTreeMap::new();
                for (device, ends) in set.iter().filter_map(|(device, _)| Some((*device, ends.get(device)?))) {
                    hosts.entry(plane(device).file).or_default().push(ends);
                }
                let Some(reference) = hosts.remove(&first).map(|devices| earliest(&devices)) else { continue };
                for (host, devices) in &hosts {
                    differences.entry(*host).or_default().extend(compare(&earliest(devices), &reference));
                }
            }
        }
        differences.retain(|_, differences| !differences.is_empty());
        differences
    }
}

/// Returns whether the primitive ends on a device only when it has the data of all others. A permute, a broadcast and a
/// message may end on some devices before others have begun.
const fn ends_together(primitive: Primitive) -> bool {
    matches!(primitive, Primitive::AllReduce | Primitive::AllGather | Primitive::ReduceScatter | Primitive::AllToAll)
}

/// Returns the ends of the synchronous collectives of a device by op, each with its step, in order of time. Executions outside of
/// all steps are left out, and so are those whose end does not fit the axis.
fn synchronous_ends(device: &Device, transfers: &AsyncPairs, core: &CoreTimeline) -> IndexMap<OpKey, Vec<StepEnd>> {
    let mut ops: IndexMap<OpKey, Vec<StepEnd>> = IndexMap::default();
    for span in core.spans.iter().filter(|span| span.from == SpanOrigin::Sync) {
        let transfer = &transfers.all[span.transfer as usize];
        let (start, end) = span.interval;
        let last = device.steps.partition_point(|step| step.event_window.0 <= start).checked_sub(1);
        let step = last.and_then(|last| device.steps.get(last)).filter(|step| start < step.event_window.1);
        let end = end.checked_add(device.axis_offset).filter(|end| i64::try_from(*end).is_ok());
        if let (false, Some(step), Some(end)) = (transfer.is_copy, step, end) {
            ops.entry(transfer.named).or_default().push((step.number, end));
        }
    }
    ops
}

/// Returns the earliest end of each execution on the devices of one host. A device may record an end late, for reasons of its own,
/// but never early. Steps in which the devices have different numbers of executions are left out.
fn earliest(devices: &[&[StepEnd]]) -> HostEnds {
    let by_step = |ends: &[StepEnd]| {
        let mut steps = HostEnds::new();
        ends.iter().for_each(|(step, end)| steps.entry(*step).or_default().push(*end));
        steps
    };
    let Some((first, others)) = devices.split_first() else { return HostEnds::new() };
    let mut earliest = by_step(first);
    for other in others.iter().map(|ends| by_step(ends)) {
        earliest.retain(|step, ends| other.get(step).is_some_and(|other| other.len() == ends.len()));
        for (step, ends) in &mut earliest {
            let other = other.get(step).into_iter().flatten();
            ends.iter_mut().zip(other).for_each(|(end, other)| *end = (*end).min(*other));
        }
    }
    earliest
}

/// Returns the ends of `host` minus those of `reference`, of the steps that have the same number of executions on both.
fn compare(host: &HostEnds, reference: &HostEnds) -> Vec<i64> {
    let common = host.iter().filter_map(|(step, ends)| Some((ends, reference.get(step)?)));
    let pairs =
        common.filter(|(ends, other)| ends.len() == other.len()).flat_map(|(ends, other)| ends.iter().zip(other));
    pairs.map(|(end, other)| end.cast_signed() - other.cast_signed()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn executions_are_matched_by_step_and_number() {
        let (a, b) = ([(7, 100), (7, 200), (8, 300)], [(7, 102), (7, 199), (8, 301), (8, 350)]);
        let host = earliest(&[&a, &b]);
        assert_eq!(host, HostEnds::from([(7, vec![100, 199])]), "step 8 has more executions on one device");
        let other = earliest(&[&[(6, 10), (7, 5100), (7, 5200)]]);
        assert_eq!(compare(&other, &host), [5000, 5001]);
        assert_eq!(compare(&host, &other), [-5000, -5001]);
        let fewer = earliest(&[&[(7, 5200)]]);
        assert_eq!(compare(&fewer, &host), [0_i64; 0], "the first of two is not the only one");
    }
}
