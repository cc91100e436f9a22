//! This module writes the roofline as JSON. It defines the names and the order of the fields.

use crate::analysis::base::columns::NOTES;
use crate::analysis::base::{Analysis, GroupBy};
use crate::analysis::roofline::columns::{GAPS, KERNELS, OFFERS, PROGRAMS, ROWS, SKIPPED, STEPS, WINDOW, skipped};
use crate::analysis::roofline::{
    DevicePeaks, Level, MainPeakSource, Peak, PeakSource, Precision, Quadrant, RoofRow, RooflineAnswer,
    RooflineFigures, RooflinePosition, StepRoofline,
};
use crate::report::json::first;
use crate::table::{Object, RowList, Value, object};
use std::rc::Rc;
use xla_profile::profile::{Note, Profile};
use xla_profile::units::Picos;

/// The rows of a roofline.
pub enum RoofRows<'a> {
    Listed(&'a [RoofRow]),
    /// Rows that are built one at a time while they are written: the row of an op takes more memory than the op.
    /// `order` has their numbers.
    Built {
        answer: &'a RooflineAnswer,
        profile: &'a Profile,
        analysis: &'a Analysis,
        order: &'a [u32],
    },
}

impl RowList for RoofRows<'_> {
    fn for_each(&self, write: &mut dyn FnMut(Value<'_>)) {
        match self {
            Self::Listed(rows) => rows.iter().for_each(|row| write(Value::record(ROWS, row))),
            Self::Built { answer, profile, analysis, order } => {
                let rows = order.iter().filter_map(|row| answer.row(profile, analysis, *row));
                rows.for_each(|row| write(Value::record(ROWS, &row)));
            }
        }
    }
}

fn peaks(device: &DevicePeaks) -> Object<'_> {
    let by_type = |number: &dyn Fn(Precision) -> Option<f64>| {
        Value::map(Precision::ALL.into_iter().filter_map(|p| Some((p.key(), Value::Number(number(p)?)))))
    };
    let by_memory = Level::ALL.into_iter().filter_map(|l| Some((l.key(), Value::Bandwidth(device.bytes(l)?))));
    let sources = device.used.iter().map(|peak| (peak.resource.key(), Value::Object(source(peak))));
    object!(Peaks {
        /// The devices with these peaks.
        devices: List(Name(Device)) = &device.devices,
        /// Type of the devices in the capture.
        device_type: Name(Chip) or null = device.device_type.as_deref(),
        /// Name of the chip in the table of chips. Null if the chip is unknown.
        chip: Name(Chip) or null = device.chip.as_deref(),
        /// Number of device planes per chip. Null if the chip is unknown.
        devices_per_chip: Count or null = device.devices_per_chip.map(u64::from),
        /// TFLOP/s by data type.
        tflops: Value(Map(Number)) = by_type(&|precision| Some(device.flops(precision)? / 1e12)),
        /// Bandwidth of HBM in GB/s. Null if it is unknown.
        hbm_gbps: Bandwidth or null = device.bytes(Level::Hbm),
        /// GB/s by memory.
        memory_gbps: Value(Map(Bandwidth)) = Value::map(by_memory),
        /// FLOP per byte by data type.
        ridge_points: Value(Map(Number)) = by_type(&|precision| device.ridge(precision)),
        /// Source of the compute peak of bf16, or of f16 without bf16, and of the HBM peak. `mixed` where the two have
        /// different sources. Null if both peaks are unknown.
        source: Word(MainPeakSource) or null = device.main_source(),
        /// The source of each peak, by data type or memory.
        sources: Value(Map(Own)) = Value::map(sources),
        /// Every peak that is available.
        offers: Rows(OFFERS) = &device.offers,
    })
}

fn source(peak: &Peak) -> Object<'_> {
    object!(PeakOrigin {
        /// The source of the peak: the capture, the figures of the vendor, or the user.
        source: Word(PeakSource) = peak.source,
        /// The source in words: the name of a stat, or a web page.
        from: Text = &peak.from,
    })
}

/// Returns the averages over the ops that have a roof, with the first `top` gaps.
pub(in crate::report) fn step_summary(figures: &RooflineFigures, top: usize) -> Object<'_> {
    let roof = figures.step.as_ref();
    let recoverable = roof.map_or(Picos::ZERO, |roof| roof.recoverable);
    object!(StepSummary {
        /// Average of `mfu` over `rooflined_dur_ps`, weighted by time.
        weighted_avg_mfu: Number or null = roof.and_then(|roof| roof.mfu),
        /// Average of `hbm_util` over `rooflined_dur_ps`, weighted by time.
        weighted_avg_hbm_util: Number or null = roof.and_then(RooflinePosition::hbm_util),
        /// Average of `roofline_util` over `rooflined_dur_ps`, weighted by time.
        weighted_avg_roofline_util: Number or null = roof.and_then(|roof| roof.util),
        /// Self time of the ops with a roofline time.
        rooflined_dur_ps: Time = roof.map_or(Picos::ZERO, |roof| roof.total),
        /// The share of `rooflined_dur_ps` in `considered_duration_ps`.
        rooflined_pct_of_compute: Percent or null = figures.coverage,
        /// Sum of the roofline times.
        t_roofline_ps: Time or null = roof.map(|roof| roof.t_roof),
        /// The roofline gap. It is negative above the peak.
        gap_ps: Integer or null = roof.map(|roof| roof.gap),
        /// The roofline gap as a share of the time.
        gap_pct: Percent or null = roof.and_then(|roof| roof.gap_fraction),
        /// Sum of the positive gaps. Ops above their roof do not reduce it.
        recoverable_ps: Time = recoverable,
        /// The share of `recoverable_ps` in the window.
        recoverable_pct_of_step: Percent or null = {
            figures.header.step_duration.and_then(|window| recoverable.fraction_of(window))
        },
        /// Time of ops above the peak.
        above_peak_dur_ps: Time = roof.map_or(Picos::ZERO, |roof| roof.above),
        /// Time of ops that latency limits.
        latency_bound_dur_ps: Time = figures.latency_bound,
        /// The rows with the largest gaps: 20 unless `--top` is given, and at most 100. `summary` has none.
        top_gaps: Rows(GAPS) = first(&figures.gaps, top),
    })
}

/// Returns a roofline as JSON, with the given rows and the first `top` gaps.
pub fn roofline<'a>(
    head: Object<'a>,
    by: GroupBy,
    figures: &'a RooflineFigures,
    rows: RoofRows<'a>,
    steps: &'a [StepRoofline],
    top: usize,
    notes: &'a [Note],
) -> Object<'a> {
    object!(Roofline {
        head: OwnFields = head,
        /// The grouping.
        by: Word(GroupBy) = by,
        /// The peaks of the first device. Null without a device.
        peaks_used: Own or null = figures.peaks.first().map(peaks),
        /// The peaks of each set of devices with equal peaks.
        peaks_by_device: List(Own) = figures.peaks.iter().map(peaks),
        /// Self time of the selected ops. It is the sum of `rooflined_dur_ps` and the times in `skipped`.
        considered_duration_ps: Time = figures.considered,
        /// Averages over the ops that have a roofline time.
        step_summary: Own = step_summary(figures, top),
        /// Figures of the whole window.
        window: Object(WINDOW) = &figures.window,
        /// Which of compute and memory reaches half of its peak in the window. Measured traffic of the memory counts
        /// before the estimate. Null where a share is unknown, or is below half and may be higher because costs are
        /// known in part.
        used_much: Word(Quadrant) or null = figures.window.quadrant(figures.coverage),
        /// The programs, most time first.
        programs: Rows(PROGRAMS) = &figures.programs,
        /// All steps.
        steps: Rows(STEPS) = steps,
        /// The ops without a roofline time, by reason.
        skipped: Value(Map(Object(SKIPPED))) = skipped(&figures.skipped),
        /// Kernels without a cost, most time first.
        opaque_kernels: Rows(KERNELS) = &figures.opaque,
        /// The rows by self time.
        groups: Value(Rows(ROWS)) = Value::Rows(Rc::new(rows)),
        /// Notes on assumptions and on data that is missing.
        notes: Rows(NOTES) = notes,
    })
}
