//! Step statistics as JSON. This module knows names and order of fields; durations that are means are rounded to the picosecond.

use super::json::KindsJson;
use crate::analysis::breakdown::{Spread, StepStats, StepTime};
use crate::units::Picos;
use serde::Serialize;

/// The steps of all devices.
#[derive(Serialize)]
pub struct StepsJson<'a> {
    devices: Vec<DeviceJson<'a>>,
    across_devices: Vec<AcrossJson<'a>>,
}

#[derive(Serialize)]
struct DeviceJson<'a> {
    device: &'a str,
    all: Option<SpreadJson>,
    steady: Option<SpreadJson>,
    steps: Vec<StepJson<'a>>,
}

#[derive(Serialize)]
struct SpreadJson {
    n: u32,
    mean_dur_ps: u64,
    median_dur_ps: u64,
    min_dur_ps: Picos,
    max_dur_ps: Picos,
    std_dev_ps: Option<u64>,
}

#[derive(Serialize)]
struct StepJson<'a> {
    step: u64,
    name: &'a str,
    dur_ps: Picos,
    busy_ps: Picos,
    idle_ps: Picos,
    #[serde(flatten)]
    kinds: KindsJson,
    n_ops: u64,
}

#[derive(Serialize)]
struct AcrossJson<'a> {
    step: u64,
    n_devices: u32,
    min_dur_ps: Picos,
    max_dur_ps: Picos,
    mean_dur_ps: Picos,
    slowest_device: &'a str,
    spread_pct: f64,
}

impl<'a> StepsJson<'a> {
    /// The statistics, named.
    pub fn new(stats: &'a StepStats) -> Self {
        let devices = stats.devices.iter().map(|device| DeviceJson {
            device: &device.label,
            all: device.all.map(spread),
            steady: device.steady.map(spread),
            steps: device.steps.iter().map(step).collect(),
        });
        let across = stats.spread.iter().map(|step| AcrossJson {
            step: step.number,
            n_devices: step.n_devices,
            min_dur_ps: step.min,
            max_dur_ps: step.max,
            mean_dur_ps: step.mean,
            slowest_device: &step.slowest,
            spread_pct: step.spread * 100.0,
        });
        Self { devices: devices.collect(), across_devices: across.collect() }
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a duration: positive; `as` saturates")]
fn spread(of: Spread) -> SpreadJson {
    let whole = |ps: f64| ps.round() as u64;
    SpreadJson {
        n: of.n,
        mean_dur_ps: whole(of.mean),
        median_dur_ps: whole(of.median),
        min_dur_ps: of.min,
        max_dur_ps: of.max,
        std_dev_ps: of.std_dev.map(whole),
    }
}

fn step(s: &StepTime) -> StepJson<'_> {
    StepJson {
        step: s.number,
        name: &s.name,
        dur_ps: s.duration,
        busy_ps: s.busy,
        idle_ps: s.idle,
        kinds: KindsJson::new(&s.by_kind),
        n_ops: s.n_ops,
    }
}
