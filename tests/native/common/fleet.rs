//! This module makes small captures of many runs of one training job: four TPUs, ten steps each, with noise. Some runs have
//! a known fault, which the queries of `samples/fleet` have to find.

use super::make::{Plane, int, text};
use prost::Message;
use xla_profile::wire::proto::xspace::x_stat::Value;
use xla_profile::wire::proto::xspace::{XPlane, XSpace};

/// Runs of one commit.
pub const RUNS_PER_COMMIT: usize = 5;
/// The start of the first run in ns since 1970: 2026-10-01.
const FIRST_START: i64 = 1_790_812_800_000_000_000;
const HOUR: i64 = 3_600_000_000_000;
const DEVICES: i64 = 4;
const STEPS: i64 = 10;
const US: i64 = 1_000_000;

/// An op of the program.
struct Op {
    name: &'static str,
    /// The text of the instruction after its name.
    hlo: &'static str,
    category: &'static str,
    scope: &'static str,
    flops: i64,
    bytes: i64,
    /// Usual time in ps.
    length: i64,
}

impl Op {
    fn add(&self, p: &mut Plane) -> i64 {
        let path = format!("jit(train)/{}", self.scope);
        let mut stats = vec![("hlo_category", text(self.category)), ("program_id", int(7)), ("tf_op", text(&path))];
        if self.flops > 0 {
            stats.extend([("flops", int(self.flops)), ("bytes_accessed", int(self.bytes))]);
        }
        p.op(&format!("%{} = {}", self.name, self.hlo), self.name, &stats)
    }
}

/// A run of the job.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    pub number: usize,
    /// Number of all runs.
    pub index: usize,
}

impl Run {
    /// Returns the commit of the run.
    pub fn commit(self) -> String {
        format!("c{:04}", self.number / RUNS_PER_COMMIT)
    }

    /// Returns the first commit with a slower matmul: that at three fifths of the runs.
    pub fn slow_commit(index: usize) -> String {
        Self { number: index * 3 / 5, index }.commit()
    }

    /// Returns the version of libtpu: it changes at a third of the runs.
    pub const fn libtpu(self) -> &'static str {
        if self.number < self.index / 3 { "0.0.51" } else { "0.0.52" }
    }

    /// Returns whether this run is unlike its neighbours: one run waits for its host.
    pub const fn is_odd(self) -> bool {
        self.number == self.index / 7
    }

    /// Returns the bytes of the capture.
    pub fn capture(self) -> Vec<u8> {
        let devices = (0..DEVICES).map(|device| self.device(device));
        let mut environment = Plane::new("Task Environment");
        environment.own("profile_start_time", int(FIRST_START + self.number as i64 * HOUR));
        let planes: Vec<XPlane> = devices.chain([environment.done()]).collect();
        XSpace { planes, hostnames: vec!["host-a".into()], ..Default::default() }.encode_to_vec()
    }

    fn ops(self) -> [Op; 7] {
        let is_slow = self.commit() >= Self::slow_commit(self.index);
        let is_new = self.libtpu() != "0.0.51";
        let dot = |name, scope, length| Op {
            name,
            hlo: "bf16[4096,4096]{1,0} fusion(bf16[4096,4096]{1,0} %a, bf16[4096,4096]{1,0} %b), kind=kOutput, calls=%c",
            category: "convolution fusion",
            scope,
            flops: 137_438_953_472,
            bytes: 100_663_296,
            length,
        };
        let all =
            |name, hlo, category| Op { name, hlo, category, scope: "grads/psum", flops: 0, bytes: 0, length: 180 * US };
        [
            dot("fusion.1", "layer_0/attention/dot_general", 360 * US),
            Op {
                name: "fusion.2",
                hlo: "bf16[4096,4096]{1,0} fusion(bf16[4096,4096]{1,0} %d), kind=kLoop, calls=%e",
                category: "loop fusion",
                scope: "layer_0/norm/mul",
                flops: 33_554_432,
                bytes: 67_108_864,
                // The new libtpu takes longer for it.
                length: if is_new { 42 * US } else { 30 * US },
            },
            dot("fusion.3", "layer_0/mlp/dot_general", if is_slow { 440 * US } else { 380 * US }),
            Op {
                name: "copy.4",
                hlo: "bf16[4096,4096]{0,1} copy(bf16[4096,4096]{1,0} %f)",
                category: "data formatting",
                scope: "layer_0/mlp/transpose",
                flops: 0,
                bytes: 0,
                length: 60 * US,
            },
            dot("fusion.5", "transpose(jvp(layer_0))/mlp/dot_general", 390 * US),
            all(
                "all-reduce.6",
                "bf16[4096,4096]{1,0} all-reduce(bf16[4096,4096]{1,0} %g), replica_groups={{0,1,2,3}}, to_apply=%add",
                "all-reduce",
            ),
            all(
                "all-gather.7",
                "bf16[4096,4096]{1,0} all-gather(bf16[2048,4096]{1,0} %h), replica_groups={{0,1},{2,3}}, dimensions={0}",
                "all-gather",
            ),
        ]
    }

    fn device(self, device: i64) -> XPlane {
        let mut p = Plane::new(&format!("/device:TPU:{device}"));
        p.own("device_type_string", text("TPU v5p"));
        p.own("peak_teraflops_per_second", Value::DoubleValue(459.0));
        p.own("peak_hbm_bw_gigabytes_per_second", Value::DoubleValue(2765.0));
        let module = p.op("jit_train(7)", "", &[]);
        let ops: Vec<(i64, i64)> = self.ops().iter().map(|op| (op.add(&mut p), op.length)).collect();
        let mut random = fastrand::Rng::with_seed(self.number as u64 * 16 + device as u64);
        let (mut steps, mut events, mut now) = (Vec::new(), Vec::new(), 0);
        for number in 0..STEPS {
            let step = p.op(&number.to_string(), "", &[]);
            let start = now;
            for (op, length) in &ops {
                let noisy = length + length * random.i64(-100..=100) / 20_000;
                events.push((*op, now, noisy));
                now += noisy;
            }
            steps.push((step, start, now - start));
            now += if self.is_odd() { 600 * US } else { 20 * US };
        }
        let runs: Vec<(i64, i64, i64)> = steps.iter().map(|(_, start, length)| (module, *start, *length)).collect();
        p.line("Steps", &steps);
        p.line("XLA Modules", &runs);
        p.line("XLA Ops", &events);
        p.done()
    }
}
