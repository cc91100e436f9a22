//! This example writes TPU captures of any size, for measurements and tests: `many_ops OUT --mb 100 [--devices 4]`.
//!
//! Each device runs the steps of a transformer: a scanned layer (`while`) of matmul fusions, attention kernels,
//! collectives with their waits, copies and elementwise ops. A plane has the lines `Steps`, `XLA Modules` and
//! `XLA Ops`, and its ops have times on both clocks. The same arguments give the same bytes. Times and names are
//! invented, but the file has the shape of a real one.

#[path = "../tests/native/common/make.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
mod make;

use make::{Plane, event, int, text};
use prost::Message;
use std::io::Write;
use xla_profile::wire::proto::xspace::x_stat::Value;
use xla_profile::wire::proto::xspace::{XPlane, XSpace};

const USAGE: &str = "usage: many_ops OUT [--mb N] [--devices N] [--ops N]   (N ops per step and device; default 400)";

struct Args {
    out: String,
    mb: usize,
    devices: u32,
    ops: usize,
}

fn args() -> Result<Args, String> {
    let mut args = Args { out: String::new(), mb: 50, devices: 4, ops: 400 };
    let mut rest = std::env::args().skip(1);
    while let Some(arg) = rest.next() {
        let mut number =
            || rest.next().and_then(|n| n.parse::<usize>().ok()).ok_or_else(|| format!("{arg} needs a number"));
        match arg.as_str() {
            "--mb" => args.mb = number()?,
            "--devices" => args.devices = number()?.try_into().map_err(|_| "too many devices")?,
            "--ops" => args.ops = number()?,
            _ if args.out.is_empty() && !arg.starts_with('-') => args.out = arg,
            _ => return Err(USAGE.into()),
        }
    }
    if args.out.is_empty() || args.devices == 0 || args.ops < 10 { Err(USAGE.into()) } else { Ok(args) }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args = args()?;
    let per_device = args.mb * 1_000_000 / args.devices as usize;
    // One device is made at a time, so that a large file takes little memory. The number of steps follows from the size
    // of one step.
    let one = plane(0, 1, args.ops).encoded_len();
    let step = plane(0, 2, args.ops).encoded_len() - one;
    let steps = per_device.saturating_sub(one - step).max(step) / step;
    let mut out = std::io::BufWriter::new(std::fs::File::create(&args.out)?);
    for device in 0..args.devices {
        let space = XSpace { planes: vec![plane(device, steps, args.ops)], ..Default::default() };
        out.write_all(&space.encode_to_vec())?;
    }
    out.write_all(&XSpace { hostnames: vec!["synthetic".into()], ..Default::default() }.encode_to_vec())?;
    out.flush()?;
    eprintln!(
        "{}: {} bytes, {steps} steps of {} ops on {} devices",
        args.out,
        std::fs::metadata(&args.out)?.len(),
        args.ops,
        args.devices
    );
    Ok(())
}

/// An op of the step: its texts, its duration in ps, its FLOPs and its bytes.
struct Kind {
    name: &'static str,
    category: &'static str,
    opcode: &'static str,
    scope: &'static str,
    source: &'static str,
    ps: i64,
    flops: i64,
    bytes: i64,
}

const KINDS: [Kind; 10] = [
    Kind {
        name: "fusion",
        category: "convolution fusion",
        opcode: "fusion",
        scope: "mlp/dot_general",
        source: "model/mlp.py:41",
        ps: 152_000_000,
        flops: 30_000_000_000,
        bytes: 42_000_000,
    },
    Kind {
        name: "all-gather-start",
        category: "all-gather-start",
        opcode: "all-gather-start",
        scope: "mlp/all_gather",
        source: "model/mlp.py:38",
        ps: 90_000,
        flops: 0,
        bytes: 0,
    },
    Kind {
        name: "fusion",
        category: "loop fusion",
        opcode: "fusion",
        scope: "norm/mul",
        source: "model/norm.py:17",
        ps: 21_000_000,
        flops: 40_000_000,
        bytes: 33_000_000,
    },
    Kind {
        name: "all-gather-done",
        category: "all-gather-done",
        opcode: "all-gather-done",
        scope: "mlp/all_gather",
        source: "model/mlp.py:38",
        ps: 12_000_000,
        flops: 0,
        bytes: 9_000_000,
    },
    Kind {
        name: "splash_mha_fwd",
        category: "custom-call",
        opcode: "custom-call",
        scope: "attention/kda_mha",
        source: "model/attention.py:88",
        ps: 118_000_000,
        flops: 21_000_000_000,
        bytes: 18_000_000,
    },
    Kind {
        name: "copy",
        category: "data formatting",
        opcode: "copy",
        scope: "attention/transpose",
        source: "model/attention.py:63",
        ps: 9_000_000,
        flops: 0,
        bytes: 16_000_000,
    },
    Kind {
        name: "fusion",
        category: "convolution fusion",
        opcode: "fusion",
        scope: "attention/out_proj/dot_general",
        source: "model/attention.py:95",
        ps: 87_000_000,
        flops: 17_000_000_000,
        bytes: 25_000_000,
    },
    Kind {
        name: "reduce-scatter",
        category: "reduce-scatter",
        opcode: "reduce-scatter",
        scope: "mlp/psum_scatter",
        source: "model/mlp.py:52",
        ps: 26_000_000,
        flops: 0,
        bytes: 14_000_000,
    },
    Kind {
        name: "dynamic-update-slice",
        category: "dynamic-update-slice",
        opcode: "dynamic-update-slice",
        scope: "scan/save",
        source: "model/layers.py:120",
        ps: 14_000_000,
        flops: 0,
        bytes: 12_000_000,
    },
    Kind {
        name: "async-collective-start",
        category: "custom fusion",
        opcode: "fusion",
        scope: "mlp/dot_general",
        source: "model/mlp.py:41",
        ps: 64_000_000,
        flops: 9_000_000_000,
        bytes: 15_000_000,
    },
];

/// Returns the scope path of an op: the phase of training, the layer and the block. `kda` names a block of every other
/// layer and also begins the name of a kernel's scope in all layers, so that a search for the kernel can be tested not
/// to match the block.
fn scope(i: usize, kind: &Kind) -> String {
    let phase = ["jvp(Model)", "transpose(jvp(Model))", "transpose(jvp(Model))/rematted_computation"][i % 3];
    let layer = i / KINDS.len() % 16;
    let block = if layer % 2 == 1 { "kda" } else { "mla" };
    format!("jit(train_step)/{phase}/layers_{layer}/{block}/mixer/{}", kind.scope)
}

fn plane(device: u32, steps: usize, ops: usize) -> XPlane {
    let mut p = Plane::new(&format!("/device:TPU:{device}"));
    p.own("device_type_string", text("TPU v5e"));
    p.own("peak_teraflops_per_second", Value::DoubleValue(197.0));
    p.own("peak_hbm_bw_gigabytes_per_second", Value::DoubleValue(819.0));
    let program = 8_123_456_789_012_345_678_i64;
    let module = p.op(&format!("jit_train_step({program})"), "", &[]);
    let loop_text = "%while.7 = (s32[]{:T(128)}, bf16[8,2048,4096]{2,1,0:T(8,128)(2,1)}) while((s32[], bf16[8,2048,4096]) %tuple.3), condition=%cond, body=%body";
    let loop_ = p.op(
        loop_text,
        "while.7",
        &[("hlo_category", text("while")), ("program_id", int(program)), ("tf_op", text("jit(train_step)/while"))],
    );
    let ids: Vec<i64> = (0..ops)
        .map(|i| {
            let k = &KINDS[i % KINDS.len()];
            let name = format!("{}.{i}", k.name);
            let scope = scope(i, k);
            let hlo = format!(
                "%{name} = bf16[8,2048,4096]{{2,1,0:T(8,128)(2,1)}} {}(bf16[8,2048,4096]{{2,1,0:T(8,128)(2,1)}} %param.{i}), metadata={{op_name=\"{scope}\"}}",
                k.opcode
            );
            let mut stats = vec![
                ("hlo_category", text(k.category)),
                ("program_id", int(program)),
                ("tf_op", text(&format!("{scope}:"))),
                ("source", text(k.source)),
                ("source_stack", text(&format!("train.py:210:4\n{}:9", k.source))),
                ("shape_with_layout", text("bf16[8,2048,4096]{2,1,0:T(8,128)(2,1)}")),
                ("bytes_accessed", int(k.bytes)),
            ];
            if k.flops > 0 {
                stats.extend([("flops", int(k.flops)), ("model_flops", int(k.flops))]);
            }
            p.op(&hlo, &name, &stats)
        })
        .collect();
    let step_names: Vec<i64> = (0..steps).map(|s| p.op(&(s + 10).to_string(), "", &[])).collect();
    let mut random = 1_u64 + u64::from(device);
    let mut below = |n: i64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33).cast_signed() % n
    };
    let (mut step_events, mut module_events, mut op_events, mut now) = (Vec::new(), Vec::new(), Vec::new(), 1_000_000);
    for name in step_names {
        let start = now;
        let loop_at = op_events.len();
        op_events.push((loop_, now, 0));
        now += 40_000;
        for (i, id) in ids.iter().enumerate() {
            let k = &KINDS[i % KINDS.len()];
            let duration = k.ps + below(k.ps / 10 + 1);
            op_events.push((*id, now, duration));
            now += duration + below(2_000);
            // The scan covers the first nine tenths of the ops, and the rest is the optimizer.
            if i == ids.len() * 9 / 10 {
                op_events[loop_at].2 = now - op_events[loop_at].1;
            }
        }
        module_events.push((module, start, now - start));
        now += 3_000_000 + below(2_000_000);
        step_events.push((name, start, now - start));
    }
    p.line("Steps", &step_events);
    p.line("XLA Modules", &module_events);
    let (offset, duration) =
        (p.stat("device_offset_ps", int(0)).metadata_id, p.stat("device_duration_ps", int(0)).metadata_id);
    let line = p.line("XLA Ops", &[]);
    // The device's clock started 198 ms before the host's.
    line.events = op_events
        .into_iter()
        .map(|(id, start, length)| {
            let stat = |metadata_id, v| xla_profile::wire::proto::xspace::XStat { metadata_id, value: Some(int(v)) };
            let mut e = event(id, start, length);
            e.stats = vec![stat(offset, start + 198_000_000_000), stat(duration, length)];
            e
        })
        .collect();
    p.done()
}
