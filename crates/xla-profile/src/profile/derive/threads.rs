//! This module derives the devices of a CPU from the ops on the threads of a host.

use super::super::Events;
use super::super::correlation_ids::OpRun;
use super::super::model::{Line, Plane, Profile};
use super::runs::{self, RunKey};
use crate::profile::ids::OpId;
use std::collections::HashMap;

/// Adds a plane for each device whose ops run on the threads of a host. The plane has a line for the ops of each
/// thread, and a line of runs. Calls of the runtime around the ops stay on the host only.
pub(super) fn devices(profile: &mut Profile) {
    for host in 0..profile.planes.len() {
        let plane = &profile.planes[host];
        let mut ordinals: Vec<u32> =
            plane.lines.iter().flat_map(|l| &l.correlation_ids.runs).map(|op_run| op_run.device).collect();
        ordinals.sort_unstable();
        ordinals.dedup();
        for ordinal in ordinals {
            let device = device(profile, host, ordinal);
            profile.planes.push(device);
        }
    }
}

fn device(profile: &mut Profile, host: usize, ordinal: u32) -> Plane {
    let Profile { planes, strings, .. } = profile;
    let host = &planes[host];
    let mut device =
        Plane { id: ordinal.into(), name: format!("/device:CPU:{ordinal}"), file: host.file, ..Plane::default() };
    let mut ops: HashMap<OpId, OpId> = HashMap::default();
    let mut executions = Vec::new();
    let is_own = |op_run: &&OpRun| op_run.device == ordinal;
    let lines =
        || host.lines.iter().filter(|line| line.correlation_ids.runs.iter().any(|op_run| op_run.device == ordinal));
    let origin_ns = lines().map(|line| line.timestamp_ns).min().unwrap_or(0);
    for line in lines() {
        let op_runs: Vec<&OpRun> = line.correlation_ids.runs.iter().filter(is_own).collect();
        let mut events = Events::default();
        for op_run in &op_runs {
            let at = op_run.event as usize;
            let op = *ops.entry(line.events.op(at)).or_insert_with(|| {
                let mut op = host.op(line.events.op(at)).clone();
                op.name = op.stats.hlo_op.unwrap_or(op.name);
                device.ops.push(op);
                OpId((device.ops.len() - 1) as u32)
            });
            events.push(op, line.events.time(at), None);
        }
        events.close();
        let Line { id, name, display_name, timestamp_ns, .. } = line;
        let line = Line {
            id: *id,
            name: name.clone(),
            display_name: display_name.clone(),
            timestamp_ns: *timestamp_ns,
            events,
            derived: true,
            ..Line::default()
        };
        runs::add(&mut executions, &line, origin_ns, &mut |event| RunKey { run: op_runs[event].run, launch: None });
        device.lines.push(line);
    }
    runs::add_line(&mut device, origin_ns, executions, strings, true);
    device
}
