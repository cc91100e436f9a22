//! This module writes the roofline as JSON. It defines the names and the order of the fields, and computes nothing but
//! percentages.

use super::json::{HeadJson, first};
use crate::analysis::base::{Analysis, GroupBy};
use crate::analysis::breakdown::Group;
use crate::analysis::breakdown::columns::GROUPS;
use crate::analysis::roofline::columns::{GAPS, KERNELS, ROOF, SKIPPED, STEPS, WINDOW};
use crate::analysis::roofline::{
    DevicePeaks, GapRank, Level, OpaqueKernel, Peak, PeakOf, Precision, ProgramRoofline, Quadrant, RoofRow,
    RooflineAnswer, RooflineFigures, RooflinePosition, Skipped, StepRoofline, WindowUse,
};
use crate::profile::{Note, Profile};
use crate::small_sort::collect_map;
use crate::table::json::{Row, Rows};
use crate::units::Picos;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// The JSON of `rooflight roofline --json`.
#[derive(Serialize)]
pub struct RooflineJson<'a> {
    #[serde(flatten)]
    head: HeadJson<'a>,
    by: &'static str,
    /// Peaks of the first device. Null if there is no device.
    peaks_used: Option<PeaksJson<'a>>,
    /// One entry per set of devices with the same peaks.
    peaks_by_device: Vec<PeaksJson<'a>>,
    considered_duration_ps: Picos,
    step_summary: SummaryJson<'a>,
    window: Row<'a, WindowUse>,
    /// Null if the use of compute or of memory is unknown.
    used_much: Option<&'static str>,
    programs: Vec<ProgramJson<'a>>,
    steps: Rows<'a, StepRoofline>,
    skipped: BTreeMap<&'static str, Row<'a, Skipped>>,
    opaque_kernels: Rows<'a, OpaqueKernel>,
    groups: RoofRows<'a>,
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
    /// Source of the main compute peak (bf16, or f16 if there is no bf16) and of the HBM peak. `mixed` if they differ.
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

const fn name(peak: PeakOf) -> &'static str {
    match peak {
        PeakOf::Compute(precision) => precision.key(),
        PeakOf::Memory(level) => level.key(),
    }
}

/// Returns the value of a compute peak in TFLOP/s, or the value of a memory peak in GB/s.
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
            tflops: collect_map(Precision::ALL.into_iter().filter_map(|p| Some((p.key(), peaks.flops(p)? / 1e12)))),
            hbm_gbps: gbps(Level::Hbm),
            memory_gbps: collect_map(Level::ALL.into_iter().filter_map(|l| Some((l.key(), gbps(l)?)))),
            ridge_points: collect_map(Precision::ALL.into_iter().filter_map(|p| Some((p.key(), peaks.ridge(p)?)))),
            source: match main {
                [Some(one), Some(other)] if one != other => Some("mixed"),
                [one, other] => one.or(other),
            },
            sources: collect_map(
                peaks.used.iter().map(|p| (name(p.of), SourceJson { source: p.source.key(), from: &p.from })),
            ),
            offers: peaks.offers.iter().map(offer).collect(),
        }
    }
}

#[derive(Serialize)]
struct RowJson<'a> {
    #[serde(flatten)]
    group: Row<'a, Group>,
    #[serde(flatten)]
    roof: Row<'a, Option<RooflinePosition>>,
    skipped: BTreeMap<&'static str, Row<'a, Skipped>>,
}

/// The rows of a roofline.
pub enum RoofRows<'a> {
    Listed(&'a [RoofRow]),
    /// Rows that are built one at a time while they are written: the row of an op takes more memory than the op. `order` has
    /// their numbers.
    Built {
        answer: &'a RooflineAnswer,
        profile: &'a Profile,
        analysis: &'a Analysis,
        order: &'a [u32],
    },
}

impl Serialize for RoofRows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Listed(rows) => serializer.collect_seq(rows.iter().map(RowJson::new)),
            Self::Built { answer, profile, analysis, order } => {
                let rows = order.iter().filter_map(|row| answer.row(profile, analysis, *row));
                serializer.collect_seq(rows.map(BuiltRow))
            }
        }
    }
}

struct BuiltRow(RoofRow);

impl Serialize for BuiltRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RowJson::new(&self.0).serialize(serializer)
    }
}

impl<'a> RowJson<'a> {
    fn new(row: &'a RoofRow) -> Self {
        Self {
            group: Row { columns: GROUPS, row: &row.group },
            roof: Row { columns: ROOF, row: &row.roof },
            skipped: skipped(&row.skipped),
        }
    }
}

fn skipped(all: &[Skipped]) -> BTreeMap<&'static str, Row<'_, Skipped>> {
    collect_map(all.iter().map(|row| (row.reason.key(), Row { columns: SKIPPED, row })))
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
    top_gaps: Rows<'a, GapRank>,
}

impl<'a> SummaryJson<'a> {
    pub(super) fn new(f: &'a RooflineFigures, top: usize) -> Self {
        let roof = f.step.as_ref();
        let recoverable = roof.map_or(Picos::ZERO, |r| r.recoverable);
        Self {
            weighted_avg_mfu: roof.and_then(|r| r.mfu),
            weighted_avg_hbm_util: roof.and_then(RooflinePosition::hbm_util),
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
            top_gaps: Rows { columns: GAPS, rows: first(&f.gaps, top) },
        }
    }
}

#[derive(Serialize)]
struct ProgramJson<'a> {
    program: Option<&'a str>,
    program_id: Option<String>,
    total_dur_ps: Picos,
    #[serde(flatten)]
    roof: Row<'a, Option<RooflinePosition>>,
}

impl<'a> ProgramJson<'a> {
    fn new(p: &'a ProgramRoofline) -> Self {
        Self {
            program: p.program.as_deref(),
            program_id: p.program_id.map(|id| id.to_string()),
            total_dur_ps: p.total,
            roof: Row { columns: ROOF, row: &p.roof },
        }
    }
}

/// Returns a roofline as JSON, with the given rows and the first `top` gaps.
pub fn roofline<'a>(
    head: HeadJson<'a>,
    by: GroupBy,
    figures: &'a RooflineFigures,
    rows: RoofRows<'a>,
    steps: &'a [StepRoofline],
    top: usize,
    notes: &'a [Note],
) -> RooflineJson<'a> {
    RooflineJson {
        head,
        by: by.key(),
        peaks_used: figures.peaks.first().map(PeaksJson::new),
        peaks_by_device: figures.peaks.iter().map(PeaksJson::new).collect(),
        considered_duration_ps: figures.considered,
        step_summary: SummaryJson::new(figures, top),
        window: Row { columns: WINDOW, row: &figures.window },
        used_much: figures.window.quadrant(figures.coverage).map(Quadrant::key),
        programs: figures.programs.iter().map(ProgramJson::new).collect(),
        steps: Rows { columns: STEPS, rows: steps },
        skipped: skipped(&figures.skipped),
        opaque_kernels: Rows { columns: KERNELS, rows: &figures.opaque },
        groups: rows,
        notes,
    }
}
