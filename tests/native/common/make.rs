//! This module builds captures from the messages that `prost` generates: small captures to reason about, and large ones
//! to measure with.

use std::collections::BTreeMap;
use xla_profile::wire::proto::xspace::x_event::Data;
use xla_profile::wire::proto::xspace::x_stat::Value;
use xla_profile::wire::proto::xspace::{XEvent, XEventMetadata, XLine, XPlane, XSpace, XStat, XStatMetadata};

/// Builds one plane. Names get ids when they are first used.
#[derive(Default)]
pub struct Plane {
    plane: XPlane,
    stat_ids: BTreeMap<String, i64>,
    event_ids: BTreeMap<String, i64>,
}

impl Plane {
    pub fn new(name: &str) -> Self {
        Self { plane: XPlane { name: name.into(), ..XPlane::default() }, ..Self::default() }
    }

    /// Returns a stat, and adds its name to the plane's metadata.
    pub fn stat(&mut self, name: &str, value: Value) -> XStat {
        let next = self.stat_ids.len() as i64 + 1;
        let id = *self.stat_ids.entry(name.into()).or_insert(next);
        self.plane.stat_metadata.entry(id).or_insert_with(|| XStatMetadata {
            id,
            name: name.into(),
            ..Default::default()
        });
        XStat { metadata_id: id, value: Some(value) }
    }

    /// Returns a stat with a `ref_value`: its text is the name of another stat.
    pub fn ref_stat(&mut self, name: &str, text: &str) -> XStat {
        let target = self.stat(text, Value::Int64Value(0)).metadata_id;
        self.stat(name, Value::RefValue(target.cast_unsigned()))
    }

    /// Adds a stat of the plane itself.
    pub fn own(&mut self, name: &str, value: Value) {
        let stat = self.stat(name, value);
        self.plane.stats.push(stat);
    }

    /// Adds the metadata of an op: its HLO text, its short name and its stats. Returns the id of the metadata.
    pub fn op(&mut self, text: &str, display: &str, stats: &[(&str, Value)]) -> i64 {
        let next = self.event_ids.len() as i64 + 1;
        let id = *self.event_ids.entry(text.into()).or_insert(next);
        let stats = stats.iter().map(|(n, v)| self.stat(n, v.clone())).collect();
        let metadata =
            XEventMetadata { id, name: text.into(), display_name: display.into(), stats, ..Default::default() };
        self.plane.event_metadata.insert(id, metadata);
        id
    }

    /// Adds a line of events, given as (op, offset, duration) in ps.
    pub fn line(&mut self, name: &str, events: &[(i64, i64, i64)]) -> &mut XLine {
        let events = events.iter().map(|(id, offset, duration)| event(*id, *offset, *duration)).collect();
        let line = XLine { id: self.plane.lines.len() as i64, name: name.into(), events, ..Default::default() };
        self.plane.lines.push(line);
        self.plane.lines.last_mut().unwrap()
    }

    /// Returns the finished plane.
    pub fn done(self) -> XPlane {
        self.plane
    }
}

/// Returns an event without stats.
pub fn event(metadata_id: i64, offset_ps: i64, duration_ps: i64) -> XEvent {
    XEvent { metadata_id, duration_ps, data: Some(Data::OffsetPs(offset_ps)), ..Default::default() }
}

/// Returns a host whose allocators each allocate once.
pub fn allocators(n: usize) -> XPlane {
    let mut plane = Plane::new("/host:CPU");
    let id = plane.op("MemoryAllocation", "", &[]);
    let stats: Vec<Vec<XStat>> = (0..n)
        .map(|index| {
            let bytes = 1_000 + index as i64;
            let numbers = [("bytes_reserved", 0), ("bytes_allocated", bytes), ("bytes_available", 9_000)];
            let name = plane.stat("allocator_name", text(&format!("allocator_{index}")));
            numbers.into_iter().map(|(name, n)| plane.stat(name, int(n))).chain([name]).collect()
        })
        .collect();
    let events: Vec<(i64, i64, i64)> = (0..n as i64).map(|index| (id, index * 10, 1)).collect();
    let line = plane.line("python", &events);
    line.events.iter_mut().zip(stats).for_each(|(event, stats)| event.stats = stats);
    plane.done()
}

/// Returns a text value.
pub fn text(text: &str) -> Value {
    Value::StrValue(text.into())
}

/// Returns an integer value.
pub fn int(n: i64) -> Value {
    Value::Int64Value(n)
}

/// Returns a capture of two TPU planes and a host plane. Each TPU plane has steps, a loop, a collective and idle time,
/// and is small enough to sum by hand (in ps):
///
/// ```text
///  Steps    ├──────── 7: 0…1000 ────────┤├─── 8: 1000…1600 ───┤
///  XLA Ops   while 100…700 (its ops 100…300, 300…650)  all-reduce 750…900   copy 950…1100   fusion 1200…1500
/// ```
pub fn small() -> XSpace {
    XSpace { planes: vec![device(0), device(1), host()], hostnames: vec!["host-a".into()], ..Default::default() }
}

/// Returns device `n` of [`small`].
pub fn device(n: u32) -> XPlane {
    let mut p = Plane::new(&format!("/device:TPU:{n}"));
    p.own("device_type_string", text("TPU v5e"));
    p.own("peak_teraflops_per_second", Value::DoubleValue(197.0));
    let program = ("program_id", int(-42));
    let op = |p: &mut Plane, text_: &str, name: &str, category: &str, more: &[(&str, Value)]| {
        let mut stats = vec![("hlo_category", text(category)), program.clone()];
        stats.extend(more.iter().cloned());
        p.op(text_, name, &stats)
    };
    let module = p.op("jit_train(18446744073709551574)", "", &[]);
    let (seven, eight) = (p.op("7", "", &[]), p.op("8", "", &[]));
    let while_ = op(&mut p, "%while.1 = (s32[]) while((s32[]) %t), body=%b", "while.1", "while", &[]);
    let dot = op(
        &mut p,
        "%fusion.1 = bf16[8,128]{1,0:T(8,128)(2,1)} fusion(bf16[8,8]{1,0} %a), kind=kOutput, calls=%c",
        "fusion.1",
        "convolution fusion",
        &[
            ("flops", int(4000)),
            ("bytes_accessed", int(100)),
            ("tf_op", text("jit(train)/layer_0/mlp/dot_general")),
            ("source", text("model.py:12")),
            ("source_stack", text("train.py:3:1\nmodel.py:12:5")),
        ],
    );
    let dus =
        op(&mut p, "%dus = f32[8] dynamic-update-slice(%a)", "dus", "dynamic-update-slice", &[("flops", int(-1))]);
    let ar = op(
        &mut p,
        "%all-reduce.3 = f32[64] all-reduce(%g)",
        "all-reduce.3",
        "all-reduce",
        &[("bytes_accessed", int(512))],
    );
    let copy = op(&mut p, "%copy.2 = f32[8] copy(%a)", "copy.2", "data formatting", &[]);
    p.line("Steps", &[(seven, 0, 1000), (eight, 1000, 600)]);
    p.line("XLA Modules", &[(module, 0, 1000), (module, 1000, 600)]);
    p.line(
        "XLA Ops",
        &[(while_, 100, 600), (dot, 100, 200), (dus, 300, 350), (ar, 750, 150), (copy, 950, 150), (dot, 1200, 300)],
    );
    p.done()
}

/// Returns a capture for searches in scope paths: `kda` names a block of the model, which is in the path of all ops
/// inside the block, and also a kernel. The capture has one step of 1000 ps without idle time.
///
/// ```text
///  0…300    fusion.1   …/layers_0/kda/proj/q/dot_general      an op of the block
///  300…500  kda_fwd.1  …/layers_0/kda/chunk/inner/pallas_call the kernel
///  500…575  fusion.4   …/layers_0/kda/mul                     an op with `kda` in the last three segments
///  575…790  fusion.2   …/layers_0/kda/out/o/mul               an op of the block
///  790…1000 fusion.3   …/layers_0/mlp/wi/dot_general
/// ```
pub fn kda() -> XSpace {
    let mut p = Plane::new("/device:TPU:0");
    let op = |p: &mut Plane, name: &str, category: &str, path: &str| {
        let opcode = if category == "custom-call" { "custom-call" } else { "fusion" };
        let hlo = format!("%{name} = f32[8]{{0}} {opcode}(%a), custom_call_target=\"tpu_custom_call\"");
        let tf_op = format!("jit(f)/jvp(Model)/layers_0/{path}:");
        p.op(&hlo, name, &[("hlo_category", text(category)), ("program_id", int(1)), ("tf_op", text(&tf_op))])
    };
    let q = op(&mut p, "fusion.1", "convolution fusion", "kda/proj/q/dot_general");
    let kernel = op(&mut p, "kda_fwd.1", "custom-call", "kda/chunk/inner/pallas_call");
    let gate = op(&mut p, "fusion.4", "loop fusion", "kda/mul");
    let out = op(&mut p, "fusion.2", "loop fusion", "kda/out/o/mul");
    let mlp = op(&mut p, "fusion.3", "convolution fusion", "mlp/wi/dot_general");
    let step = p.op("1", "", &[]);
    p.line("Steps", &[(step, 0, 1000)]);
    p.line("XLA Ops", &[(q, 0, 300), (kernel, 300, 200), (gate, 500, 75), (out, 575, 215), (mlp, 790, 210)]);
    XSpace { planes: vec![p.done()], ..Default::default() }
}

fn host() -> XPlane {
    let mut p = Plane::new("/host:CPU");
    let e = p.op("ThreadpoolListener::Record", "", &[]);
    let line = p.line("python/1", &[(e, 0, 10), (e, 20, 10)]);
    line.timestamp_ns = 1_700_000_000_000_000_000;
    p.done()
}
