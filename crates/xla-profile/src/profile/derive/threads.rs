//! This module derives the devices of a CPU from the ops on the threads of a host.

use super::super::Events;
use super::super::correlation_ids::OpRun;
use super::super::model::{Line, Plane, Profile};
use super::runs::{self, RunKey};
use crate::profile::ids::OpId;
use std::collections::{BTreeMap, HashMap};

/// Adds a plane for each device whose ops run on the threads of a host. The plane has a line for the ops of each
/// thread, and a line of runs. Calls of the runtime around the ops stay on the host only.
pub(super) fn devices(profile: &mut Profile) {
    for host in 0..profile.planes.len() {
        // The runs of each device, by line.
        let mut ordinals: BTreeMap<u32, Vec<LineRuns>> = BTreeMap::new();
        for (line, host_line) in profile.planes[host].lines.iter().enumerate() {
            for (run, op_run) in host_line.correlation_ids.runs.iter().enumerate() {
                let lines = ordinals.entry(op_run.device).or_default();
                match lines.last_mut().filter(|(last, _)| *last == line) {
                    Some((_, runs)) => runs.push(run),
                    None => lines.push((line, vec![run])),
                }
            }
        }
        for (ordinal, lines) in ordinals {
            let device = device(profile, host, ordinal, &lines);
            profile.planes.push(device);
        }
    }
}

/// A line of a host, and the places of the runs of one device among the runs of the line.
type LineRuns = (usize, Vec<usize>);

fn device(profile: &mut Profile, host: usize, ordinal: u32, lines: &[LineRuns]) -> Plane {
    let Profile { planes, strings, .. } = profile;
    let host = &planes[host];
    let mut device =
        Plane { id: ordinal.into(), name: format!("/device:CPU:{ordinal}"), file: host.file, ..Plane::default() };
    let mut ops: HashMap<OpId, OpId> = HashMap::default();
    let mut executions = Vec::new();
    let origin_ns = lines.iter().map(|(line, _)| host.lines[*line].timestamp_ns).min().unwrap_or(0);
    for (line, runs) in lines {
        let line = &host.lines[*line];
        let op_runs: Vec<&OpRun> = runs.iter().map(|run| &line.correlation_ids.runs[*run]).collect();
        let mut events = Events::default();
        for op_run in &op_runs {
            let event = op_run.event as usize;
            let op = *ops.entry(line.events.op(event)).or_insert_with(|| {
                let mut op = host.op(line.events.op(event)).clone();
                op.name = op.stats.hlo_op.unwrap_or(op.name);
                device.ops.push(op);
                OpId((device.ops.len() - 1) as u32)
            });
            events.push(op, line.events.time(event), None);
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
