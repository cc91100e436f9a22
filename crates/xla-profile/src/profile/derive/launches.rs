//! This module finds the ops of kernels without an op stat, by the host calls that launched them. A kernel and its call
//! have the same correlation id.

use super::super::correlation_ids::Role;
use super::super::cupti_copy_name;
use super::super::model::Profile;
use super::kernels::COMMAND_BUFFER;
use crate::profile::ids::OpId;
use crate::small_sort::SmallSort;
use rustc_hash::{FxHashMap, FxHashSet};

/// A launch: the index of its plane, and its op in that plane.
type Launch = (usize, OpId);

/// Copies op, program and scope from launches to the kernels that have no op. A copy also gets its direction from its
/// launch. Only launches of the same file count, because correlation ids belong to one process. The launches of a file are
/// read once for all its planes of GPUs.
pub(super) fn join(profile: &mut Profile, gpus: &[usize], hosts: &Hosts) {
    let mut wanted: FxHashMap<usize, FxHashSet<u32>> = FxHashMap::default();
    for gpu in gpus {
        wanted.entry(profile.planes[*gpu].file).or_default().extend(lacking(profile, *gpu));
    }
    wanted.retain(|_, correlations| !correlations.is_empty());
    let of_file = |(file, wanted)| (file, launches(profile, hosts.of_file(file), &wanted));
    let by_file: FxHashMap<usize, FxHashMap<u32, Launch>> = wanted.into_iter().map(of_file).collect();
    for gpu in gpus {
        if let Some(launches) = by_file.get(&profile.planes[*gpu].file) {
            join_plane(profile, *gpu, launches);
        }
    }
}

/// The planes of hosts, by file.
#[derive(Default)]
pub(super) struct Hosts(FxHashMap<usize, Vec<usize>>);

impl Hosts {
    pub(super) fn new(profile: &Profile) -> Self {
        let mut hosts = Self::default();
        for (index, plane) in profile.planes.iter().enumerate().filter(|(_, p)| Role::from_plane(&p.name) == Role::Host)
        {
            hosts.0.entry(plane.file).or_default().push(index);
        }
        hosts
    }

    fn of_file(&self, file: usize) -> &[usize] {
        self.0.get(&file).map_or(&[], Vec::as_slice)
    }
}

fn join_plane(profile: &mut Profile, gpu: usize, launches: &FxHashMap<u32, Launch>) {
    let Profile { planes, strings, .. } = profile;
    let mut joined: FxHashMap<(OpId, Launch), OpId> = FxHashMap::default();
    let mut plane = std::mem::take(&mut planes[gpu]);
    for line in plane.lines.iter_mut().filter(|line| line.is_stream()) {
        for (event, correlation) in &line.correlation_ids.launches {
            let Some(launch) = launches.get(correlation) else { continue };
            let event = *event as usize;
            let op = line.events.op(event);
            if plane.ops[op.0 as usize].stats.hlo_op.is_some() {
                continue;
            }
            let op = *joined.entry((op, *launch)).or_insert_with(|| {
                let mut named = plane.ops[op.0 as usize].clone();
                let from = planes[launch.0].op(launch.1);
                let (own, stated) = (&mut named.stats, from.stats);
                own.hlo_op = stated.hlo_op;
                own.hlo_module = own.hlo_module.or(stated.hlo_module);
                own.program = own.program.or(stated.program);
                own.tf_op = own.tf_op.or(stated.tf_op);
                let call = strings.get(from.name);
                if stated.hlo_op.is_none() && call.contains("GraphLaunch") {
                    own.category = Some(strings.intern(COMMAND_BUFFER));
                } else if cupti_copy_name(strings.get(named.text)) == Some("Memcpy") {
                    own.category = cupti_copy_name(call).map(|word| strings.intern(word)).or(own.category);
                }
                plane.ops.push(named);
                OpId((plane.ops.len() - 1) as u32)
            });
            line.events.set_op(event, op);
        }
    }
    planes[gpu] = plane;
}

/// Returns the correlation ids of kernels without an op.
fn lacking(profile: &Profile, gpu: usize) -> FxHashSet<u32> {
    let plane = &profile.planes[gpu];
    let mut lacking = FxHashSet::default();
    for line in plane.lines.iter().filter(|line| line.is_stream()) {
        let lacks = |event: u32| plane.op(line.events.op(event as usize)).stats.hlo_op.is_none();
        lacking.extend(line.correlation_ids.launches.iter().filter(|(event, _)| lacks(*event)).map(|(_, id)| *id));
    }
    lacking
}

/// Returns the launches with the ids in `wanted`. Both the runtime and the driver report a launch; the one with an op
/// counts, else the first one.
fn launches(profile: &Profile, hosts: &[usize], wanted: &FxHashSet<u32>) -> FxHashMap<u32, Launch> {
    let mut found: FxHashMap<u32, Launch> = FxHashMap::default();
    for (index, plane) in hosts.iter().map(|index| (*index, &profile.planes[*index])) {
        for line in &plane.lines {
            for (event, correlation) in &line.correlation_ids.launches {
                if !wanted.contains(correlation) {
                    continue;
                }
                let op = line.events.op(*event as usize);
                let names_op = |(plane, op): &Launch| profile.planes[*plane].op(*op).stats.hlo_op.is_some();
                let launch = found.entry(*correlation).or_insert((index, op));
                if !names_op(launch) && names_op(&(index, op)) {
                    *launch = (index, op);
                }
            }
        }
    }
    found
}

/// Returns the correlation ids of launches, sorted, each with the run of a program in which a host call launched the
/// kernels. A launch that no such call encloses is left out. Only launches of the file count.
pub(super) fn program_calls(profile: &Profile, hosts: &Hosts, file: usize) -> Vec<(u32, u64)> {
    let mut run = 0_u64;
    let mut found = Vec::new();
    for plane in hosts.of_file(file).iter().map(|index| &profile.planes[*index]) {
        for line in plane.lines.iter().filter(|line| !line.correlation_ids.launches.is_empty()) {
            let is_call = |op: OpId| profile.text(plane.op(op).text).ends_with(PROGRAM_CALL);
            let calls = line.events.times().zip(line.events.ops()).filter(|(_, op)| is_call(*op));
            let mut calls: Vec<(u64, u64)> = calls.map(|((start, duration), _)| (start, duration)).collect();
            calls.small_sort_by_key(|call| *call);
            for (event, correlation) in &line.correlation_ids.launches {
                let (start, _) = line.events.time(*event as usize);
                let Some(index) = calls.partition_point(|(begin, _)| *begin <= start).checked_sub(1) else { continue };
                if start - calls[index].0 < calls[index].1 {
                    found.push((*correlation, run + index as u64));
                }
            }
            run += calls.len() as u64;
        }
    }
    found.small_sort_by_key(|call| *call);
    found
}

/// The end of the name of the host event that spans the launches of one run: `jit_train_step:XLA GPU module`.
const PROGRAM_CALL: &str = ":XLA GPU module";
