//! This module makes captures from any bytes. Each byte is a choice, so a changed byte changes a part of a capture, and
//! the result is still a capture. The planes are those of TPUs, GPUs and hosts, with steps, modules, nested and
//! overlapping ops, asynchronous pairs, collectives, costs, scopes, sources and allocators. Some captures have numbers
//! that no profiler writes, or are damaged. Tests and fuzz targets use the module.

use super::make::{Plane, int, text};
use xla_profile::wire::proto::xspace::x_stat::Value;
use xla_profile::wire::proto::xspace::{XPlane, XSpace, XStat};

/// The bytes, taken one by one. When no byte is left, every further byte is 0.
pub struct Choices<'a>(&'a [u8]);

const WILD: [i64; 12] = [
    0,
    -1,
    1,
    i64::MAX,
    i64::MIN,
    i64::MAX - 1000,
    1 << 62,
    1 << 53,
    1 << 32,
    9_223_372_036_854_775,
    18_446_744_073_709_551,
    1_700_000_000_000_000_000,
];

impl<'a> Choices<'a> {
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        *first
    }

    /// Returns a number below `n`, which is at most 256.
    fn below(&mut self, n: usize) -> usize {
        usize::from(self.byte()) % n.max(1)
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    /// Returns true for the `of_256` largest of the 256 bytes, and for the byte 0.
    fn rarely(&mut self, of_256: u8) -> bool {
        self.byte().wrapping_sub(1) >= u8::MAX - of_256
    }

    /// Returns a duration or a cost. With `is_wild`, some numbers are those that only a damaged file has.
    fn number(&mut self, is_wild: bool) -> i64 {
        if is_wild && self.rarely(64) {
            return self.one_of(&WILD);
        }
        let high = self.byte();
        i64::from(self.byte()) * [1, 7, 1000, 50_000][usize::from(high % 4)]
    }
}

/// Returns the bytes of a capture that is made from choices.
pub fn capture(choices: &[u8]) -> Vec<u8> {
    let mut choices = Choices::new(choices);
    let is_wild = choices.rarely(40);
    let damage = choices.rarely(30);
    let space = space(&mut choices, is_wild);
    let mut bytes = prost::Message::encode_to_vec(&space);
    if damage && !bytes.is_empty() {
        for _ in 0..=choices.below(3) {
            let offset = (choices.below(256) << 8 | choices.below(256)) % bytes.len();
            match choices.below(3) {
                0 => bytes.truncate(offset.max(1)),
                1 => bytes[offset] ^= 1 << choices.below(8),
                _ => bytes[offset] = 0xff,
            }
        }
    }
    bytes
}

fn space(choices: &mut Choices<'_>, is_wild: bool) -> XSpace {
    let n = 1 + choices.below(4);
    let style = choices.below(3);
    let mut planes: Vec<XPlane> = Vec::new();
    for i in 0..n {
        // Each plane has its own choices, so that a change in one plane does not shift the choices of the next.
        let own = choices.0.len() / (n - i);
        let (mine, rest) = choices.0.split_at(own);
        choices.0 = rest;
        let mut mine = Choices::new(mine);
        let is_host = style == 2 || mine.rarely(40);
        let name = match (is_host, style) {
            (true, _) => "/host:CPU".to_owned(),
            (_, 0) => format!("/device:TPU:{i}"),
            _ => format!("/device:GPU:{i}"),
        };
        planes.push(plane(&mut mine, &name, (is_host, style == 0), is_wild));
    }
    XSpace { planes, hostnames: vec!["host".into()], ..XSpace::default() }
}

const OPCODES: [&str; 20] = [
    "fusion",
    "dot",
    "copy",
    "while",
    "all-reduce",
    "all-reduce-start",
    "all-reduce-done",
    "all-gather-start",
    "all-gather-done",
    "copy-start",
    "copy-done",
    "custom-call",
    "async-start",
    "async-done",
    "collective-permute-start",
    "collective-permute-done",
    "reduce-scatter",
    "transpose",
    "conditional",
    "send",
];
const CATEGORIES: [&str; 12] = [
    "loop fusion",
    "convolution fusion",
    "all-reduce",
    "data formatting",
    "while",
    "copy-start",
    "copy-done",
    "all-reduce fusion",
    "custom-call",
    "a category of tomorrow",
    "async-done",
    "",
];
const SHAPES: [&str; 8] = [
    "f32[8,128]{1,0:T(8,128)}",
    "bf16[64,64]{0,1:T(8,128)(2,1)S(1)}",
    "(f32[8], f32[8], u32[])",
    "s8[]",
    "f32[9223372036854775807,2]{1,0}",
    "pred[0,4]",
    "f8e4m3fn[16]{0:S(5)}",
    "token[]",
];
const GROUPS: [&str; 6] = [
    "",
    ", replica_groups={{0,1},{2,3}}",
    ", replica_groups=[2,2]<=[4]",
    ", replica_groups=[2,4]<=[2,2,2]T(2,1,0)",
    ", source_target_pairs={{0,1},{1,0}}",
    ", replica_groups=[1000000,1000000]<=[1000000,1000000]",
];
const PATHS: [&str; 8] = [
    "jit(f)/jvp(Model)/layers_0/mlp/dot_general",
    "jit(f)/transpose(jvp(Model))/layers_1/attn/q/dot_general",
    "jit(f)/rematted_computation/layers_0/mlp/add",
    "jit(f)/while/body/closed_call/layers/moe/gmm",
    "a/b/c/d/e/f/g/h",
    "",
    "////",
    "jit(f)/optimizer/adam",
];
/// Number of the suffixes of op names. The number is small, so that several programs, and ops of several kinds, share
/// names.
const NUMBERS: usize = 4;

fn op(choices: &mut Choices<'_>, plane: &mut Plane, (is_host, is_tpu): (bool, bool), is_wild: bool) -> i64 {
    let opcode = choices.one_of(&OPCODES);
    let name = format!("{opcode}.{}", choices.below(NUMBERS));
    let (shape, groups) = (choices.one_of(&SHAPES), choices.one_of(&GROUPS));
    let operand = format!("%{}.{}", opcode.replace("-done", "-start"), choices.below(NUMBERS));
    let target = if opcode == "custom-call" { ", custom_call_target=\"tpu_custom_call\"" } else { "" };
    let mut hlo = format!("%{name} = {shape} {opcode}({shape} {operand}){groups}{target}");
    let mut stats: Vec<(&str, Value)> = Vec::new();
    if choices.rarely(230) {
        stats.push(("hlo_category", text(choices.one_of(&CATEGORIES))));
    }
    let program = choices.below(4);
    if program > 0 {
        // Metadata entries are found by their text, so the texts of several programs must differ.
        hlo += &format!(", metadata={{op_name=\"p{program}\"}}");
        stats.push(("program_id", int(program as i64)));
    }
    for cost in ["flops", "bytes_accessed", "model_flops"] {
        if choices.rarely(140) {
            stats.push((cost, int(choices.number(is_wild))));
        }
    }
    if choices.rarely(170) {
        stats.push(("tf_op", text(choices.one_of(&PATHS))));
    }
    if choices.rarely(120) {
        stats.push(("source_stack", text(choices.one_of(&["a.py:1:0", "a.py:1:0\nb.py:2:3", "c.py:9:9", ""]))));
    }
    if choices.rarely(60) {
        stats.push(("deduplicated_name", text(choices.one_of(&["fusion.0", "copy.1"]))));
    }
    if is_host || !is_tpu {
        stats.push(("hlo_op", text(&name)));
        stats.push(("hlo_module", text(choices.one_of(&["jit_f", "jit_g"]))));
    }
    plane.op(&hlo, &name, &stats)
}

/// Returns events as (op, offset, duration): one after the other, with gaps, overlapping, or at any offset.
fn events(choices: &mut Choices<'_>, ops: &[i64], most: usize, is_wild: bool) -> Vec<(i64, i64, i64)> {
    let n = choices.below(most);
    let way = choices.below(4);
    let (mut now, mut events) = (0_i64, Vec::new());
    for _ in 0..n {
        let (op, length) = (choices.one_of(ops), choices.number(is_wild));
        let start = match way {
            0 => now,
            1 => now.saturating_add(choices.number(is_wild)),
            2 => now.saturating_sub(length.saturating_abs() / 2),
            _ => choices.number(is_wild),
        };
        events.push((op, start, length));
        now = start.saturating_add(length).max(now);
    }
    events
}

fn plane(choices: &mut Choices<'_>, name: &str, what: (bool, bool), is_wild: bool) -> XPlane {
    let (is_host, is_tpu) = what;
    let mut plane = Plane::new(name);
    if choices.rarely(180) {
        plane.own("device_type_string", text(choices.one_of(&["TPU v5e", "TPU v6 lite", "TPU v7x", "a chip"])));
        plane.own("peak_teraflops_per_second", Value::DoubleValue(f64::from(choices.byte())));
        plane.own("peak_hbm_bw_gigabytes_per_second", Value::DoubleValue(f64::from(choices.byte()) * 10.0));
    }
    let ops: Vec<i64> = (0..=choices.below(12)).map(|_| op(choices, &mut plane, what, is_wild)).collect();
    let steps: Vec<i64> = (0..=choices.below(5)).map(|i| plane.op(&format!("{i}"), "", &[])).collect();
    let modules: Vec<i64> = (1..=3).map(|i| plane.op(&format!("jit_f({i})"), "", &[])).collect();
    let clock = choices.rarely(60);
    let lines: &[&str] = match (is_host, is_tpu) {
        (true, _) => &["python/1", "tf_XLAEigen/2", "tf_XLAEigen/3", "XLA Modules", "_counters_"],
        (_, true) => &["Steps", "XLA Modules", "XLA Ops", "Async XLA Ops", "XLA Ops", "XLA TraceMe", "_counters_"],
        _ => &["Stream #16(Kernel)", "Stream #17(Compute,MemcpyD2D)", "Stream #9(MemcpyH2D)", "Steps", "_counters_"],
    };
    for line in lines {
        if choices.rarely(70) {
            continue;
        }
        let (of_line, most) = match *line {
            "Steps" => (&steps, 6),
            "XLA Modules" => (&modules, 6),
            _ => (&ops, 40),
        };
        let events = events(choices, of_line, most, is_wild);
        let mut own: Vec<Vec<XStat>> = Vec::new();
        for _ in &events {
            own.push(event_stats(choices, &mut plane, is_host, clock));
        }
        let made = plane.line(line, &events);
        made.timestamp_ns = if is_wild && choices.rarely(30) { choices.one_of(&WILD) } else { 1_000_000 };
        made.events.iter_mut().zip(own).for_each(|(event, stats)| event.stats = stats);
    }
    plane.done()
}

/// Returns the stats of a single event: times on the device clock, flows, runs, launches, allocators,
/// counters.
fn event_stats(choices: &mut Choices<'_>, plane: &mut Plane, is_host: bool, clock: bool) -> Vec<XStat> {
    let mut stats = Vec::new();
    let mut say = |name: &str, n: i64| stats.push(plane.stat(name, int(n)));
    if clock {
        say("device_offset_ps", choices.number(false));
        say("device_duration_ps", choices.number(false));
    }
    match choices.below(10) {
        0 => say("flow", choices.below(6) as i64),
        1 => say("correlation_id", choices.below(6) as i64),
        2 => say("run_id", choices.below(4) as i64),
        3 => say("device_ordinal", choices.below(3) as i64),
        5 | 6 => say("% util", choices.number(true)),
        4 if is_host => {
            for name in ["bytes_reserved", "bytes_allocated", "bytes_available", "peak_bytes_in_use"] {
                say(name, choices.number(true));
            }
        }
        _ => {}
    }
    stats
}
