//! This module makes captures whose lists are those of devices: planes, lines, steps, ops and their texts, collectives,
//! notes, and the files of a session.

use crate::Files;
use crate::make::{self, Plane, int, text};
use xla_profile::wire::proto::xspace::{XLine, XPlane, XSpace};

/// The file of a capture with these planes.
pub fn capture(planes: Vec<XPlane>) -> Files {
    file(&XSpace { planes, ..XSpace::default() })
}

fn file(space: &XSpace) -> Files {
    vec![("a.xplane.pb".to_owned(), prost::Message::encode_to_vec(space))]
}

/// A device with two steps and an op in each.
pub fn device(name: &str) -> Plane {
    let mut plane = Plane::new(name);
    let op = plane.op("%copy.1 = f32[8]{0} copy(f32[8]{0} %a)", "copy.1", &[("program_id", int(7))]);
    let steps = [plane.op("1", "", &[]), plane.op("2", "", &[])];
    plane.line("Steps", &[(steps[0], 0, 100), (steps[1], 100, 100)]);
    plane.line("XLA Ops", &[(op, 10, 50), (op, 110, 50)]);
    plane
}

pub fn allocators(n: usize) -> Files {
    capture(vec![device("/device:TPU:0").done(), make::allocators(n)])
}

pub fn empty_planes(n: usize) -> Files {
    let empty = (0..n).map(|_| XPlane { name: "p".into(), ..XPlane::default() });
    capture([device("/device:TPU:0").done()].into_iter().chain(empty).collect())
}

pub fn empty_lines(n: usize) -> Files {
    let mut plane = device("/device:TPU:0").done();
    plane.lines.extend((0..n).map(|_| XLine::default()));
    capture(vec![plane])
}

pub fn lines(n: usize) -> Files {
    let mut plane = device("/device:TPU:0");
    for i in 0..n {
        plane.line(&format!("line {i}"), &[(1, i as i64, 10)]);
    }
    capture(vec![plane.done()])
}

pub fn tpus(n: usize) -> Files {
    capture((0..n).map(|i| device(&format!("/device:TPU:{i}")).done()).collect())
}

pub fn gpus(n: usize) -> Files {
    let gpu = |i: usize| {
        let mut plane = Plane::new(&format!("/device:GPU:{i}"));
        let op = plane.op("loop_add_fusion", "", &[("hlo_op", text("add.1")), ("hlo_module", text("jit_f"))]);
        let correlations: Vec<_> = (0..2).map(|run| plane.stat("correlation_id", int(2 * i as i64 + run))).collect();
        let line = plane.line("Stream #7(Compute)", &[(op, 10, 50), (op, 110, 50)]);
        for (event, id) in line.events.iter_mut().zip(correlations) {
            event.stats.push(id);
        }
        plane.done()
    };
    let mut host = Plane::new("/host:CPU");
    let launch = host.op("cuLaunchKernel", "", &[]);
    let ids: Vec<_> = (0..2 * n as i64).map(|i| host.stat("correlation_id", int(i))).collect();
    let line = host.line("python", &(0..2 * n as i64).map(|i| (launch, i % 100, 1)).collect::<Vec<_>>());
    for (event, id) in line.events.iter_mut().zip(ids) {
        event.stats.push(id);
    }
    capture((0..n).map(gpu).chain([host.done()]).collect())
}

pub fn cpus(n: usize) -> Files {
    let mut host = Plane::new("/host:CPU");
    let op = host.op("add.1", "", &[]);
    let mut lines = Vec::new();
    for thread in 0..4 {
        let own: Vec<i64> = (0..n as i64).filter(|i| i % 4 == thread).collect();
        let mut line = host.line("tf_XLAEigen", &own.iter().map(|i| (op, 100 * i, 50)).collect::<Vec<_>>()).clone();
        for (event, i) in line.events.iter_mut().zip(own) {
            let stats = [("hlo_op", text("add.1")), ("hlo_module", text("jit_f")), ("program_id", int(7))];
            event.stats.extend(stats.map(|(name, value)| host.stat(name, value)));
            event.stats.extend([("device_ordinal", i), ("run_id", i)].map(|(name, id)| host.stat(name, int(id))));
        }
        lines.push(line);
    }
    let mut plane = host.done();
    plane.lines = lines;
    capture(vec![plane])
}

pub fn sparse_cores(n: usize) -> Files {
    let planes = (0..n).flat_map(|i| {
        let name = format!("/device:TPU:{i}");
        let mut sparse = Plane::new(&format!("{name} SparseCore 0"));
        let op = sparse.op("%fusion.2 = f32[8]{0} fusion(f32[8]{0} %a)", "fusion.2", &[]);
        sparse.line("Sparse Core Ops", &[(op, 20, 30)]);
        [device(&name).done(), sparse.done()]
    });
    capture(planes.collect())
}

/// Devices that each take part in the collectives of one group of all devices.
pub fn collectives_of_devices(n: usize) -> Files {
    let members: Vec<String> = (0..n).map(|i| i.to_string()).collect();
    let hlo = format!(
        "%all-reduce.1 = f32[64]{{0}} all-reduce(f32[64]{{0}} %g), replica_groups={{{{{}}}}}, to_apply=%sum",
        members.join(",")
    );
    let planes = (0..n).map(|i| {
        let mut plane = device(&format!("/device:TPU:{i}"));
        // The text of one device names all groups; that of the others would make the file itself grow with the square.
        let hlo = if i == 0 { &hlo } else { "%all-reduce.1 = f32[64]{0} all-reduce(f32[64]{0} %g), to_apply=%sum" };
        let op = plane.op(hlo, "all-reduce.1", &[("hlo_category", text("all-reduce")), ("program_id", int(7))]);
        let mut plane = plane.done();
        let late = i as i64 % 20;
        plane.lines[1].events.extend([60, 160].map(|start| crate::make::event(op, start + late, 35 - late)));
        plane
    });
    capture(planes.collect())
}

pub fn captures(n: usize) -> Files {
    let capture = |i: usize| {
        let planes = vec![device("/device:TPU:0").done()];
        let space = XSpace { planes, hostnames: vec![format!("host-{i}")], ..XSpace::default() };
        (format!("host-{i}.xplane.pb"), prost::Message::encode_to_vec(&space))
    };
    (0..n).map(capture).collect()
}

pub fn steps(n: usize) -> Files {
    let mut plane = Plane::new("/device:TPU:0");
    let op = plane.op("%copy.1 = f32[8]{0} copy(f32[8]{0} %a)", "copy.1", &[("program_id", int(7))]);
    let steps: Vec<_> = (0..n as i64).map(|i| (plane.op(&i.to_string(), "", &[]), 100 * i, 100)).collect();
    plane.line("Steps", &steps);
    plane.line("XLA Ops", &(0..n as i64).map(|i| (op, 100 * i + 10, 50 + i % 7)).collect::<Vec<_>>());
    capture(vec![plane.done()])
}

/// A device with two executions of each of `n` ops that `op` adds.
fn with_ops(n: usize, op: impl Fn(&mut Plane, usize) -> i64) -> Files {
    let mut plane = Plane::new("/device:TPU:0");
    let ops: Vec<i64> = (0..n).map(|i| op(&mut plane, i)).collect();
    let steps = [plane.op("1", "", &[]), plane.op("2", "", &[])];
    let length = 10 * n as i64;
    plane.line("Steps", &[(steps[0], 0, length), (steps[1], length, length)]);
    let timed = |(i, op): (usize, &i64)| (*op, 10 * i as i64, 8);
    let events: Vec<_> = ops.iter().enumerate().map(timed).collect();
    let again: Vec<_> = events.iter().map(|(op, start, time)| (*op, start + length, *time)).collect();
    plane.line("XLA Ops", &[events, again].concat());
    capture(vec![plane.done()])
}

pub fn ops(n: usize) -> Files {
    with_ops(n, |plane, i| {
        let hlo = format!("%fusion.{i} = f32[8,{i}]{{1,0}} fusion(f32[8]{{0}} %a.{i}), kind=kLoop, calls=%c.{i}");
        let stats = [
            ("program_id", int(7)),
            ("hlo_category", text("loop fusion")),
            ("flops", int(i as i64)),
            ("bytes_accessed", int(100)),
            ("source", text(&format!("model.py:{i}"))),
        ];
        plane.op(&hlo, &format!("fusion.{i}"), &stats)
    })
}

pub fn executions(n: usize) -> Files {
    let mut plane = device("/device:TPU:0").done();
    plane.lines[0].events[1].duration_ps = 20 * n as i64;
    plane.lines[1].events.extend((0..n as i64).map(|i| crate::make::event(1, 200 + 10 * i, 8)));
    capture(vec![plane])
}

pub fn nested_ops(n: usize) -> Files {
    let mut plane = device("/device:TPU:0").done();
    plane.lines[0].events[1].duration_ps = 10 * n as i64;
    plane.lines[1].events.extend((0..n as i64).map(|i| crate::make::event(1, 200 + i, 3 * (n as i64 - i))));
    capture(vec![plane])
}

pub fn scopes(n: usize) -> Files {
    with_ops(n, |plane, i| {
        let hlo = format!("%fusion.{i} = f32[8]{{0}} fusion(f32[8]{{0}} %a), kind=kLoop, calls=%c");
        let path = format!("jit(train)/jvp(Model)/layers_{i}/mlp_{i}/mul");
        let stats = [
            ("program_id", int(7)),
            ("tf_op", text(&path)),
            ("source_stack", text(&format!("train.py:{i}:1\nmodel.py:{i}:5"))),
        ];
        plane.op(&hlo, &format!("fusion.{i}"), &stats)
    })
}

pub fn collectives(n: usize) -> Files {
    with_ops(n, |plane, i| {
        let hlo = match i % 4 {
            0 => format!(
                "%all-gather-start.{i} = (f32[2]{{0}}, f32[8]{{0}}) all-gather-start(f32[2]{{0}} %p.{i}), replica_groups={{{{0,1,2,3}}}}, dimensions={{0}}"
            ),
            1 => {
                let before = i - 1;
                format!(
                    "%all-gather-done.{i} = f32[8]{{0}} all-gather-done((f32[2]{{0}}, f32[8]{{0}}) %all-gather-start.{before})"
                )
            }
            2 => format!("%copy-start.{i} = (f32[8]{{0:S(1)}}, f32[8]{{0}}, u32[]) copy-start(f32[8]{{0}} %x.{i})"),
            _ => {
                let before = i - 1;
                format!(
                    "%copy-done.{i} = f32[8]{{0:S(1)}} copy-done((f32[8]{{0:S(1)}}, f32[8]{{0}}, u32[]) %copy-start.{before})"
                )
            }
        };
        let name = hlo[1..].split(' ').next().unwrap_or_default().to_owned();
        plane.op(&hlo, &name, &[("program_id", int(7)), ("bytes_accessed", int(64))])
    })
}

pub fn executions_of_collectives(n: usize) -> Files {
    let planes = (0..2).map(|device| {
        let mut plane = Plane::new(&format!("/device:TPU:{device}"));
        let stats = [("program_id", int(7)), ("hlo_category", text("all-reduce"))];
        let hlo = "%all-reduce.1 = f32[64]{0} all-reduce(f32[64]{0} %g), replica_groups={{0,1}}, to_apply=%sum";
        let op = plane.op(hlo, "all-reduce.1", &stats);
        let step = plane.op("1", "", &[]);
        plane.line("Steps", &[(step, 0, 20 * n as i64)]);
        let timed = |i: i64| (op, 20 * i + (i + device) % 3, 10 - (i + device) % 3);
        plane.line("XLA Ops", &(0..n as i64).map(timed).collect::<Vec<_>>());
        plane.done()
    });
    capture(planes.collect())
}

pub fn categories(n: usize) -> Files {
    with_ops(n, |plane, i| {
        let hlo = format!("%strange.{i} = f32[8]{{0}} strange-{i}(f32[8]{{0}} %a)");
        plane.op(&hlo, &format!("strange.{i}"), &[("hlo_category", text(&format!("category {i}")))])
    })
}

pub fn notes(n: usize) -> Files {
    file(&XSpace {
        planes: vec![device("/device:TPU:0").done()],
        errors: (0..n).map(|i| format!("error {i}")).collect(),
        warnings: (0..n).map(|i| format!("warning {i}")).collect(),
        ..XSpace::default()
    })
}

pub fn programs_in_events(n: usize) -> Files {
    with_ops(n, |plane, i| {
        let hlo = format!("%fusion.{i} = f32[8]{{0}} fusion(f32[8]{{0}} %a), kind=kLoop, calls=%c");
        plane.op(&hlo, &format!("fusion.{i}"), &[("program_id", int(i as i64 + 1))])
    })
}

fn trace(events: &[String]) -> Files {
    vec![("a.trace.json".to_owned(), format!("{{\"traceEvents\":[{}]}}", events.join(",")).into_bytes())]
}

pub fn trace_threads(n: usize) -> Files {
    let event = |i: usize| {
        [
            format!(r#"{{"ph":"M","pid":{i},"name":"process_name","args":{{"name":"/device:TPU:{i}"}}}}"#),
            format!(r#"{{"ph":"M","pid":{i},"tid":1,"name":"thread_name","args":{{"name":"XLA Ops"}}}}"#),
            format!(r#"{{"ph":"X","pid":{i},"tid":1,"ts":{i},"dur":5,"name":"fusion.{i}"}}"#),
        ]
    };
    trace(&(0..n).flat_map(event).collect::<Vec<_>>())
}

pub fn trace_events(n: usize) -> Files {
    let head = [
        r#"{"ph":"M","pid":1,"name":"process_name","args":{"name":"/device:TPU:0"}}"#.to_owned(),
        r#"{"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"XLA Ops"}}"#.to_owned(),
    ];
    let event = |i: usize| {
        [
            format!(r#"{{"ph":"X","pid":1,"tid":1,"ts":{},"dur":5,"name":"fusion.{}"}}"#, 10 * i, i % 100),
            format!(r#"{{"ph":"s","pid":1,"tid":1,"ts":{},"id":{i},"name":"flow"}}"#, 10 * i + 1),
            format!(r#"{{"ph":"f","pid":1,"tid":1,"ts":{},"id":{i},"name":"flow"}}"#, 10 * i + 11),
        ]
    };
    trace(&head.into_iter().chain((0..n).flat_map(event)).collect::<Vec<_>>())
}
