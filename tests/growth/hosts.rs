//! This module makes captures whose lists are those of hosts: events that are nested or overlap, threads, and tasks that
//! one thread produces for another.

use crate::Files;
use crate::lists::capture;
use crate::make::{Plane, int};
use xla_profile::wire::proto::xspace::{XLine, XPlane, XStat};

/// A device with `n` runs of one op, from `start` on, one run in 100 ps.
fn runs(number: usize, n: usize, start: i64) -> XPlane {
    let mut device = Plane::new(&format!("/device:TPU:{number}"));
    let op = device.op("%fusion.1 = f32[8]{0} fusion(f32[8]{0} %x)", "fusion.1", &[]);
    let run = device.op("jit_f(7)", "jit_f(7)", &[]);
    let times = || (0..n as i64).map(|i| start + 100 * i);
    device.line("XLA Ops", &times().map(|start| (op, start, 50)).collect::<Vec<_>>());
    let ids: Vec<[XStat; 2]> =
        (0..n).map(|i| [device.stat("run_id", int(i as i64)), device.stat("queue_id", int(0))]).collect();
    let line = device.line("XLA Modules", &times().map(|start| (run, start, 50)).collect::<Vec<_>>());
    for (event, ids) in line.events.iter_mut().zip(ids) {
        event.stats.extend(ids);
    }
    device.done()
}

/// Gives the last `n` events of a line the ids of runs.
fn with_runs(host: &mut Plane, line: XLine, n: usize) -> XLine {
    let mut line = line;
    let first = line.events.len() - n;
    for (i, event) in line.events[first..].iter_mut().enumerate() {
        event.stats.extend([host.stat("run_id", int(i as i64)), host.stat("queue_id", int(0))]);
    }
    line
}

/// A host with a line of events around the calls of `n` runs from `start` on.
fn host(n: usize, start: i64, events: &[(&str, i64, i64)]) -> XPlane {
    let mut host = Plane::new("/host:CPU");
    let mut all: Vec<(i64, i64, i64)> =
        events.iter().map(|(name, start, length)| (host.op(name, name, &[]), *start, *length)).collect();
    let call = host.op("DoEnqueueProgram", "DoEnqueueProgram", &[]);
    all.extend((0..n as i64).map(|i| (call, start + 100 * i - 30, 20)));
    let line = host.line("python", &all).clone();
    let line = with_runs(&mut host, line, n);
    let mut plane = host.done();
    plane.lines = vec![line];
    plane
}

pub fn nested(n: usize) -> Files {
    let names = ["device_put", "PjitFunction(f)", "np.asarray", "RunTask"];
    let start = 2 * n as i64;
    let length = 100 * n as i64;
    let events: Vec<_> = (0..n).map(|i| (names[i % 4], i as i64, length + 2 * (start - i as i64))).collect();
    capture(vec![runs(0, n, start), host(n, start, &events)])
}

pub fn overlapping(n: usize) -> Files {
    let names = ["device_put", "PjitFunction(f)", "np.asarray", "RunTask"];
    let start = 2 * n as i64;
    let events: Vec<_> = (0..n).map(|i| (names[i % 4], i as i64, start + 90 * i as i64)).collect();
    capture(vec![runs(0, n, start), host(n, start, &events)])
}

pub fn names(n: usize) -> Files {
    let names: Vec<String> = (0..n).map(|i| format!("device_put {i}")).collect();
    let events: Vec<_> = names.iter().enumerate().map(|(i, name)| (name.as_str(), 10 * i as i64, 8)).collect();
    let start = 10 * n as i64 + 100;
    let mut device = runs(0, 3, start);
    // An op before all others, so that a gap is as long as all events of the host.
    device.lines[0].events.insert(0, crate::make::event(1, 0, 5));
    capture(vec![device, host(3, start, &events)])
}

pub fn steps_that_compile(n: usize) -> Files {
    let mut device = runs(0, n, 100);
    let step = i64::from(device.event_metadata.len() as i32) + 1;
    device.event_metadata.insert(
        step,
        xla_profile::wire::proto::xspace::XEventMetadata { id: step, name: "step".into(), ..Default::default() },
    );
    let mut line = XLine { id: 9, name: "Steps".into(), ..XLine::default() };
    let number = device.stat_metadata.len() as i64 + 1;
    device.stat_metadata.insert(
        number,
        xla_profile::wire::proto::xspace::XStatMetadata { id: number, name: "group_id".into(), ..Default::default() },
    );
    for i in 0..n as i64 {
        let mut event = crate::make::event(step, 100 * i, 100);
        event.stats.push(XStat { metadata_id: number, value: Some(int(i)) });
        line.events.push(event);
    }
    device.lines.push(line);
    let events: Vec<_> = (0..n as i64).map(|i| ("backend_compile", 100 + 100 * i - 45, 10)).collect();
    capture(vec![device, host(n, 100, &events)])
}

/// Threads that produce tasks for each other: each task is produced by the one before it.
fn chained(n: usize, n_devices: usize) -> Files {
    let mut host = Plane::new("/host:CPU");
    let [task, produce, call] = ["RunTask", "np.asarray", "DoEnqueueProgram"].map(|name| host.op(name, name, &[]));
    let mut lines = Vec::new();
    for thread in 0..2_i64 {
        let mut all = Vec::new();
        for i in (0..n as i64).filter(|i| i % 2 == thread) {
            all.extend([(task, 10 * i, 9), (produce, 10 * i + 2, 3)]);
        }
        let line = host.line(["queue", "worker"][thread as usize], &all).clone();
        lines.push(line);
    }
    for (thread, line) in lines.iter_mut().enumerate() {
        for (index, event) in line.events.iter_mut().enumerate() {
            let i = (index / 2 * 2 + thread) as i64;
            let link = |host: &mut Plane, names: [&str; 2], id| {
                [(names[0], 5), (names[1], id)].map(|(name, n)| host.stat(name, int(n)))
            };
            if index % 2 == 1 {
                event.stats.extend(link(&mut host, ["_pt", "_p"], i + 1));
            } else if i > 0 {
                event.stats.extend(link(&mut host, ["_ct", "_c"], i));
            }
        }
    }
    // The last task enqueues the runs of all devices.
    let end = 10 * n as i64;
    let last = &mut lines[(n - 1) % 2];
    for device in 0..n_devices as i64 {
        let mut event = crate::make::event(call, end - 4 + device % 2, 2);
        let ids = [("run_id", 0), ("queue_id", 0), ("device_ordinal", device)];
        event.stats.extend(ids.map(|(name, id)| host.stat(name, int(id))));
        last.events.push(event);
    }
    let mut plane = host.done();
    plane.lines = lines;
    let device = |number: usize| {
        let mut device = runs(number, 1, end + 20);
        device.lines[0].events.insert(0, crate::make::event(1, 0, 1 + number as i64 % 5));
        device
    };
    capture((0..n_devices).map(device).chain([plane]).collect())
}

pub fn chain(n: usize) -> Files {
    chained(n, 1)
}

pub fn devices_and_chain(n: usize) -> Files {
    chained(20 * n, n)
}

pub fn threads(n: usize) -> Files {
    let mut host = Plane::new("/host:CPU");
    let event = host.op("device_put", "device_put", &[]);
    for i in 0..n {
        host.line(&format!("thread {i}"), &[(event, i as i64, 50)]);
    }
    let call = host.op("DoEnqueueProgram", "DoEnqueueProgram", &[]);
    let calls: Vec<_> = (0..20).map(|i| (call, 200 + 100 * i - 30, 20)).collect();
    let line = host.line("python", &calls).clone();
    let line = with_runs(&mut host, line, 20);
    let mut plane = host.done();
    plane.lines.pop();
    plane.lines.push(line);
    capture(vec![runs(0, 20, 200), plane])
}
