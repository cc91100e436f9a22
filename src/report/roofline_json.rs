//! The roofline's JSON. This module knows names and order of fields; computes nothing but percentages.

use super::json::{GroupJson, HeadJson};
use crate::analysis::base::GroupBy;
use crate::analysis::roofline::{
    Bound, DevicePeaks, GapRank, Level, OpaqueKernel, Peak, PeakOf, Precision, ProgramRoof, Roof, RoofRow,
    RooflineFigures, Skipped, StepRoof, WindowUse, verify,
};
use crate::profile::Note;
use crate::units::Picos;
use serde::Serialize;
use std::collections::BTreeMap;

/// `rooflight roofline --json`.
#[derive(Serialize)]
pub struct RooflineJson<'a> {
    #[serde(flatten)]
    head: HeadJson<'a>,
    by: &'static str,
    /// Of the first device; null where there is none.
    peaks_used: Option<PeaksJson<'a>>,
    /// One entry per set of devices that have the same.
    peaks_by_device: Vec<PeaksJson<'a>>,
    considered_duration_ps: Picos,
    step_summary: SummaryJson<'a>,
    window: WindowJson,
    programs: Vec<ProgramJson<'a>>,
    steps: Vec<StepJson>,
    skipped: BTreeMap<&'static str, SkippedJson>,
    opaque_kernels: Vec<KernelJson<'a>>,
    groups: Vec<RowJson<'a>>,
    notes: &'a [Note],
}

#[derive(Serialize)]
struct PeaksJson<'a> {
    devices: &'a [String],
    device_type: Option<&'a str>,
    chip: Option<&'a str>,
    devices_per_chip: Option<u32>,
    tflops: BTreeMap<&'static str, f64>,
    hbm_gbps: Option<f64>,
    memory_gbps: BTreeMap<&'static str, f64>,
    ridge_points: BTreeMap<&'static str, f64>,
    /// Of the main peak of compute (bf16; f16 where there is no bf16) and HBM's; `mixed` where they differ.
    source: Option<&'static str>,
    sources: BTreeMap<&'static str, SourceJson<'a>>,
    offers: Vec<OfferJson<'a>>,
}

#[derive(Serialize)]
struct SourceJson<'a> {
    source: &'static str,
    from: &'a str,
}

#[derive(Serialize)]
struct OfferJson<'a> {
    of: &'static str,
    tflops: Option<f64>,
    gbps: Option<f64>,
    source: &'static str,
    from: &'a str,
}

const fn name(of: PeakOf) -> &'static str {
    match of {
        PeakOf::Compute(precision) => precision.key(),
        PeakOf::Memory(level) => level.key(),
    }
}

/// TFLOP/s, and GB/s.
fn units(peak: &Peak) -> (Option<f64>, Option<f64>) {
    match peak.of {
        PeakOf::Compute(_) => (Some(peak.value / 1e12), None),
        PeakOf::Memory(_) => (None, Some(peak.value / 1e9)),
    }
}

impl<'a> PeaksJson<'a> {
    fn new(peaks: &'a DevicePeaks) -> Self {
        let gbps = |level| Some(peaks.bytes(level)? / 1e9);
        let source = |of| peaks.peak(of).map(|peak| peak.source.key());
        let main = [PeakOf::Compute(peaks.main()), PeakOf::Memory(Level::Hbm)].map(source);
        let offer = |peak: &'a Peak| {
            let (tflops, gbps) = units(peak);
            OfferJson { of: name(peak.of), tflops, gbps, source: peak.source.key(), from: &peak.from }
        };
        Self {
            devices: &peaks.devices,
            device_type: peaks.device_type.as_deref(),
            chip: peaks.chip.as_deref(),
            devices_per_chip: peaks.devices_per_chip,
            tflops: Precision::ALL.into_iter().filter_map(|p| Some((p.key(), peaks.flops(p)? / 1e12))).collect(),
            hbm_gbps: gbps(Level::Hbm),
            memory_gbps: Level::ALL.into_iter().filter_map(|l| Some((l.key(), gbps(l)?))).collect(),
            ridge_points: Precision::ALL.into_iter().filter_map(|p| Some((p.key(), peaks.ridge(p)?))).collect(),
            source: match main {
                [Some(one), Some(other)] if one != other => Some("mixed"),
                [one, other] => one.or(other),
            },
            sources: peaks
                .used
                .iter()
                .map(|p| (name(p.of), SourceJson { source: p.source.key(), from: &p.from }))
                .collect(),
            offers: peaks.offers.iter().map(offer).collect(),
        }
    }
}

/// Where ops lie. All null where none is compared with a roof.
#[derive(Default, Serialize)]
struct RoofJson<'a> {
    rooflined_dur_ps: Picos,
    n_executions_rooflined: u64,
    dtype: Option<&'a str>,
    peak_dtype: Option<&'static str>,
    dtype_uncertain: Option<bool>,
    dtype_mixed: Option<bool>,
    cost_source: Option<&'static str>,
    rooflined_flops_sum: Option<f64>,
    rooflined_bytes_sum: Option<f64>,
    bytes_by_memory: Option<BTreeMap<&'static str, f64>>,
    arithmetic_intensity: Option<f64>,
    ridge_point: Option<f64>,
    bound: Option<&'static str>,
    roof: Option<&'static str>,
    t_compute_ps: Option<Picos>,
    t_hbm_ps: Option<Picos>,
    t_roofline_ps: Option<Picos>,
    mfu: Option<f64>,
    hbm_util: Option<f64>,
    memory_util: Option<BTreeMap<&'static str, f64>>,
    roofline_util: Option<f64>,
    gap_ps: Option<i64>,
    gap_pct: Option<f64>,
    recoverable_ps: Option<Picos>,
    above_peak: Option<bool>,
    above_peak_dur_ps: Option<Picos>,
    latency_bound: Option<bool>,
    verdict: Option<&'static str>,
    checks: Vec<&'static str>,
}

impl<'a> RoofJson<'a> {
    fn new(roof: Option<&'a Roof>) -> Self {
        let Some(roof) = roof else { return Self::default() };
        let verified = verify(roof);
        let bytes = Level::ALL.into_iter().map(|level| (level.key(), roof.level_bytes[level.index()]));
        let utils = Level::ALL.into_iter().filter_map(|level| Some((level.key(), roof.level_util[level.index()]?)));
        Self {
            rooflined_dur_ps: roof.total,
            n_executions_rooflined: roof.n,
            dtype: roof.dtype.as_deref(),
            peak_dtype: roof.precision.map(Precision::key),
            dtype_uncertain: Some(roof.dtype_uncertain),
            dtype_mixed: Some(roof.dtype_mixed),
            cost_source: Some(roof.cost.key()),
            rooflined_flops_sum: Some(roof.flops),
            rooflined_bytes_sum: Some(roof.bytes),
            bytes_by_memory: Some(bytes.filter(|(_, bytes)| *bytes > 0.0).collect()),
            arithmetic_intensity: roof.intensity,
            ridge_point: roof.ridge,
            bound: Some(if roof.bound == Bound::Compute { "compute" } else { "memory" }),
            roof: Some(roof.bound.key()),
            t_compute_ps: Some(roof.t_compute),
            t_hbm_ps: Some(roof.t_hbm()),
            t_roofline_ps: Some(roof.t_roof),
            mfu: roof.mfu,
            hbm_util: roof.hbm_util(),
            memory_util: Some(utils.collect()),
            roofline_util: roof.util,
            gap_ps: Some(roof.gap),
            gap_pct: roof.gap_fraction.map(|f| f * 100.0),
            recoverable_ps: Some(roof.recoverable),
            above_peak: Some(roof.is_above()),
            above_peak_dur_ps: Some(roof.above),
            latency_bound: Some(roof.latency_bound),
            verdict: verified.as_ref().map(|v| v.verdict.key()),
            checks: verified.map_or_else(Vec::new, |v| v.checks.iter().map(|c| c.key()).collect()),
        }
    }
}

#[derive(Serialize)]
struct RowJson<'a> {
    #[serde(flatten)]
    group: GroupJson<'a>,
    #[serde(flatten)]
    roof: RoofJson<'a>,
    skipped: BTreeMap<&'static str, SkippedJson>,
}

#[derive(Serialize)]
struct SkippedJson {
    n_groups: u32,
    dur_ps: Picos,
}

fn skipped(all: &[Skipped]) -> BTreeMap<&'static str, SkippedJson> {
    all.iter().map(|s| (s.reason.key(), SkippedJson { n_groups: s.n_ops, dur_ps: s.total })).collect()
}

#[derive(Serialize)]
pub(super) struct SummaryJson<'a> {
    weighted_avg_mfu: Option<f64>,
    weighted_avg_hbm_util: Option<f64>,
    weighted_avg_roofline_util: Option<f64>,
    rooflined_dur_ps: Picos,
    rooflined_pct_of_compute: Option<f64>,
    t_roofline_ps: Option<Picos>,
    gap_ps: Option<i64>,
    gap_pct: Option<f64>,
    recoverable_ps: Picos,
    recoverable_pct_of_step: Option<f64>,
    above_peak_dur_ps: Picos,
    latency_bound_dur_ps: Picos,
    top_gaps: Vec<GapJson<'a>>,
}

#[derive(Serialize)]
struct GapJson<'a> {
    key: &'a str,
    program_id: Option<String>,
    rooflined_dur_ps: Picos,
    recoverable_ps: Picos,
    cumulative_pct: f64,
}

impl<'a> GapJson<'a> {
    fn new(gap: &'a GapRank) -> Self {
        Self {
            key: &gap.key,
            program_id: gap.program_id.map(|id| id.to_string()),
            rooflined_dur_ps: gap.total,
            recoverable_ps: gap.recoverable,
            cumulative_pct: gap.cumulative * 100.0,
        }
    }
}

impl<'a> SummaryJson<'a> {
    pub(super) fn new(f: &'a RooflineFigures, top: usize) -> Self {
        let roof = f.step.as_ref();
        let recoverable = roof.map_or(Picos::ZERO, |r| r.recoverable);
        Self {
            weighted_avg_mfu: roof.and_then(|r| r.mfu),
            weighted_avg_hbm_util: roof.and_then(Roof::hbm_util),
            weighted_avg_roofline_util: roof.and_then(|r| r.util),
            rooflined_dur_ps: roof.map_or(Picos::ZERO, |r| r.total),
            rooflined_pct_of_compute: f.coverage.map(|c| c * 100.0),
            t_roofline_ps: roof.map(|r| r.t_roof),
            gap_ps: roof.map(|r| r.gap),
            gap_pct: roof.and_then(|r| r.gap_fraction).map(|g| g * 100.0),
            recoverable_ps: recoverable,
            recoverable_pct_of_step: f.header.step_duration.and_then(|w| recoverable.fraction_of(w)).map(|p| p * 100.0),
            above_peak_dur_ps: roof.map_or(Picos::ZERO, |r| r.above),
            latency_bound_dur_ps: f.latency_bound,
            top_gaps: f.gaps.iter().take(top).map(GapJson::new).collect(),
        }
    }
}

#[derive(Serialize)]
struct WindowJson {
    window_ps: Picos,
    flops_sum: Option<f64>,
    model_flops_sum: Option<f64>,
    bytes_accessed_sum: Option<f64>,
    peak_tflops: Option<f64>,
    mfu: Option<f64>,
    model_mfu: Option<f64>,
    hbm_util: Option<f64>,
    useful_flops: Option<f64>,
    useful_mfu: Option<f64>,
    /// Devices that share the useful FLOPs of a step.
    useful_devices: Option<u32>,
    /// `yours`, `program`, `capture`.
    useful_devices_source: Option<&'static str>,
}

impl WindowJson {
    fn new(w: &WindowUse) -> Self {
        Self {
            window_ps: w.window,
            flops_sum: w.flops,
            model_flops_sum: w.model_flops,
            bytes_accessed_sum: w.bytes,
            peak_tflops: w.peak_flops.map(|peak| peak / 1e12),
            mfu: w.mfu,
            model_mfu: w.model_mfu,
            hbm_util: w.hbm_util,
            useful_flops: w.useful_flops,
            useful_mfu: w.useful_mfu,
            useful_devices: w.useful_devices.map(|devices| devices.n),
            useful_devices_source: w.useful_devices.map(|devices| devices.source.key()),
        }
    }
}

#[derive(Serialize)]
struct ProgramJson<'a> {
    program: Option<&'a str>,
    program_id: Option<String>,
    total_dur_ps: Picos,
    #[serde(flatten)]
    roof: RoofJson<'a>,
}

impl<'a> ProgramJson<'a> {
    fn new(p: &'a ProgramRoof) -> Self {
        Self {
            program: p.program.as_deref(),
            program_id: p.program_id.map(|id| id.to_string()),
            total_dur_ps: p.total,
            roof: RoofJson::new(p.roof.as_ref()),
        }
    }
}

/// A step, in few figures: there may be thousands.
#[derive(Serialize)]
struct StepJson {
    step: u64,
    total_dur_ps: Picos,
    rooflined_dur_ps: Picos,
    arithmetic_intensity: Option<f64>,
    t_roofline_ps: Option<Picos>,
    mfu: Option<f64>,
    hbm_util: Option<f64>,
    roofline_util: Option<f64>,
    gap_ps: Option<i64>,
    recoverable_ps: Option<Picos>,
}

impl StepJson {
    fn new(step: &StepRoof) -> Self {
        let roof = step.roof.as_ref();
        Self {
            step: step.number,
            total_dur_ps: step.total,
            rooflined_dur_ps: roof.map_or(Picos::ZERO, |r| r.total),
            arithmetic_intensity: roof.and_then(|r| r.intensity),
            t_roofline_ps: roof.map(|r| r.t_roof),
            mfu: roof.and_then(|r| r.mfu),
            hbm_util: roof.and_then(Roof::hbm_util),
            roofline_util: roof.and_then(|r| r.util),
            gap_ps: roof.map(|r| r.gap),
            recoverable_ps: roof.map(|r| r.recoverable),
        }
    }
}

#[derive(Serialize)]
struct KernelJson<'a> {
    hlo_op: &'a str,
    program_id: Option<String>,
    custom_call_target: Option<&'a str>,
    n_executions: u64,
    total_dur_ps: Picos,
    source_inner: Option<&'a str>,
}

impl<'a> KernelJson<'a> {
    fn new(k: &'a OpaqueKernel) -> Self {
        Self {
            hlo_op: &k.op,
            program_id: k.program_id.map(|id| id.to_string()),
            custom_call_target: k.target.as_deref(),
            n_executions: k.n,
            total_dur_ps: k.total,
            source_inner: k.source_inner.as_deref(),
        }
    }
}

/// A roofline: the rows that are given, and `top` gaps.
pub fn roofline<'a>(
    head: HeadJson<'a>,
    by: GroupBy,
    figures: &'a RooflineFigures,
    rows: &'a [RoofRow],
    steps: &[StepRoof],
    top: usize,
    notes: &'a [Note],
) -> RooflineJson<'a> {
    let row = |row: &'a RoofRow| RowJson {
        group: GroupJson::new(&row.group),
        roof: RoofJson::new(row.roof.as_ref()),
        skipped: skipped(&row.skipped),
    };
    RooflineJson {
        head,
        by: by.key(),
        peaks_used: figures.peaks.first().map(PeaksJson::new),
        peaks_by_device: figures.peaks.iter().map(PeaksJson::new).collect(),
        considered_duration_ps: figures.considered,
        step_summary: SummaryJson::new(figures, top),
        window: WindowJson::new(&figures.window),
        programs: figures.programs.iter().map(ProgramJson::new).collect(),
        steps: steps.iter().map(StepJson::new).collect(),
        skipped: skipped(&figures.skipped),
        opaque_kernels: figures.opaque.iter().map(KernelJson::new).collect(),
        groups: rows.iter().map(row).collect(),
        notes,
    }
}
