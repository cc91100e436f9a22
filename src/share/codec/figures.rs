//! This module visits the roofline: sums, peaks, and the position of each op.

use super::visit::{Text, Visit, VisitResult, each};
use super::{defaults, origin};
use crate::analysis::breakdown::Group;
use crate::analysis::roofline::{
    Bound, CostSource, DevicePeaks, GapRank, Level, OpaqueKernel, Peak, PeakResource, PeakSource, Precision,
    RooflinePosition, SkipReason, Skipped, WindowUse,
};
use crate::share::report::RooflinePart;
use xla_profile::units::{Count, Picos};

/// The figures of the whole row, which are the most frequent values of the roof.
#[derive(Clone, Copy, Default)]
pub(super) struct Whole {
    total: Picos,
    n: Count,
    flops: f64,
    bytes: f64,
}

impl Whole {
    pub(super) fn from_group(group: &Group) -> Self {
        Self {
            total: group.total,
            n: group.n_executions,
            flops: group.flops.unwrap_or_default(),
            bytes: group.bytes_accessed.unwrap_or_default(),
        }
    }
}

/// Visits roofs column by column. Most ratios follow from times. Those that were computed from exact floors differ in
/// the last digit, so ratios are visited as well.
pub(super) fn roofs(v: &mut dyn Visit, positions: &mut [(&mut RooflinePosition, Whole)]) -> VisitResult {
    each(positions, |(roof, whole)| v.time_with_usual(&mut roof.total, whole.total))?;
    each(positions, |(roof, whole)| v.executions(&mut roof.n, whole.n))?;
    each(positions, |(roof, whole)| v.float(&mut roof.flops, whole.flops))?;
    each(positions, |(roof, whole)| v.float(&mut roof.bytes, whole.bytes))?;
    each(positions, |(roof, _)| {
        let mut usual = roof.bytes;
        roof.level_bytes.iter_mut().try_for_each(|bytes| v.float(bytes, std::mem::take(&mut usual)))
    })?;
    each(positions, |(roof, _)| v.text(&mut roof.dtype, None, Text::Word))?;
    each(positions, |(roof, _)| v.optional_one_of(&mut roof.precision, &Precision::ALL))?;
    each(positions, |(roof, _)| v.flag(&mut roof.dtype_uncertain))?;
    each(positions, |(roof, _)| v.flag(&mut roof.dtype_mixed))?;
    each(positions, |(roof, _)| v.one_of(&mut roof.cost, &CostSource::ALL))?;
    each(positions, |(roof, _)| v.real(&mut roof.ridge, None))?;
    each(positions, |(roof, _)| v.one_of(&mut roof.bound, &Bound::ALL))?;
    each(positions, |(roof, _)| v.amount(&mut roof.t_compute.0))?;
    each(positions, |(roof, _)| roof.t_memory.iter_mut().try_for_each(|time| v.amount(&mut time.0)))?;
    each(positions, |(roof, _)| {
        let longest = roof.t_memory.iter().fold(roof.t_compute, |most, time| most.max(*time));
        v.time_with_usual(&mut roof.t_roof, longest)
    })?;
    each(positions, |(roof, _)| {
        let bound = roof.bound.index();
        let usual = |i: usize| if i == bound { roof.total } else { Picos::ZERO };
        roof.bound_total.iter_mut().enumerate().try_for_each(|(i, time)| v.time_with_usual(time, usual(i)))
    })?;
    each(positions, |(roof, _)| v.real(&mut roof.mfu, roof.t_compute.fraction_of(roof.total)))?;
    each(positions, |(roof, _)| {
        let (floors, total) = (roof.t_memory, roof.total);
        let usual = |time: Picos| time.fraction_of(total).filter(|_| time > Picos::ZERO);
        roof.level_util.iter_mut().zip(floors).try_for_each(|(util, time)| v.real(util, usual(time)))
    })?;
    each(positions, |(roof, _)| v.real(&mut roof.util, roof.t_roof.fraction_of(roof.total)))?;
    each(positions, |(roof, _)| v.time_with_usual(&mut roof.recoverable, roof.total.saturating_sub(roof.t_roof)))?;
    each(positions, |(roof, _)| {
        let above = if roof.t_roof > roof.total { roof.total } else { Picos::ZERO };
        v.time_with_usual(&mut roof.above, above)
    })?;
    each(positions, |(roof, _)| v.flag(&mut roof.latency_bound))
}

/// Visits the roofs of rows that are not ops.
fn row_roofs<T>(
    v: &mut dyn Visit,
    rows: &mut [T],
    roof: impl Fn(&mut T) -> &mut Option<RooflinePosition>,
) -> VisitResult {
    each(rows, |row| v.present(roof(row), defaults::roof))?;
    let known = rows.iter_mut().filter_map(|row| roof(row).as_mut());
    roofs(v, &mut known.map(|roof| (roof, Whole::default())).collect::<Vec<_>>())
}

pub(super) fn roofline(v: &mut dyn Visit, roofline: &mut RooflinePart) -> VisitResult {
    let figures = &mut roofline.figures;
    v.time(&mut figures.considered)?;
    v.rows(&mut figures.peaks, DevicePeaks::default)?;
    each(&mut figures.peaks, |device| peaks(v, device))?;
    row_roofs(v, std::slice::from_mut(&mut figures.step), |step| step)?;
    v.rows(&mut figures.programs, defaults::program_roof)?;
    each(&mut figures.programs, |program| v.text(&mut program.program, None, Text::Program))?;
    each(&mut figures.programs, |program| v.program_id(&mut program.program_id))?;
    each(&mut figures.programs, |program| v.time(&mut program.total))?;
    row_roofs(v, &mut figures.programs, |program| &mut program.roof)?;
    skipped(v, &mut figures.skipped)?;
    opaque(v, &mut figures.opaque)?;
    gaps(v, &mut figures.gaps)?;
    v.time(&mut figures.latency_bound)?;
    window(v, &mut figures.window)?;
    origin::notes(v, &mut figures.notes)?;
    v.rows(&mut roofline.steps, defaults::step_roof)?;
    each(&mut roofline.steps, |step| v.exact(&mut step.number))?;
    each(&mut roofline.steps, |step| v.time(&mut step.total))?;
    row_roofs(v, &mut roofline.steps, |step| &mut step.roof)?;
    v.small(&mut roofline.n_rows)?;
    v.small(&mut roofline.more.0)?;
    v.time(&mut roofline.more.1)
}

fn peaks(v: &mut dyn Visit, peaks: &mut DevicePeaks) -> VisitResult {
    v.texts(&mut peaks.devices, Text::Device)?;
    v.text(&mut peaks.device_type, None, Text::Chip)?;
    v.text(&mut peaks.chip, None, Text::Chip)?;
    v.optional_small(&mut peaks.devices_per_chip)?;
    for list in [&mut peaks.used, &mut peaks.offers] {
        v.rows(list, || Peak {
            resource: PeakResource::Compute(Precision::Bf16),
            value: 0.0,
            source: PeakSource::Profile,
            from: String::new(),
        })?;
        each(list, |peak| {
            let compute = Precision::ALL.map(PeakResource::Compute).into_iter();
            let all: Vec<PeakResource> = Level::ALL.map(PeakResource::Memory).into_iter().chain(compute).collect();
            v.one_of(&mut peak.resource, &all)
        })?;
        each(list, |peak| v.float(&mut peak.value, 0.0))?;
        each(list, |peak| v.one_of(&mut peak.source, &PeakSource::ALL))?;
        each(list, |peak| v.string(&mut peak.from, Text::Word))?;
    }
    Ok(())
}

fn opaque(v: &mut dyn Visit, kernels: &mut Vec<OpaqueKernel>) -> VisitResult {
    v.rows(kernels, defaults::opaque)?;
    each(kernels, |kernel| v.string(&mut kernel.op, Text::Op))?;
    each(kernels, |kernel| v.program_id(&mut kernel.program_id))?;
    each(kernels, |kernel| v.text(&mut kernel.target, None, Text::Op))?;
    each(kernels, |kernel| v.executions(&mut kernel.n, Count::ZERO))?;
    each(kernels, |kernel| v.time(&mut kernel.total))?;
    each(kernels, |kernel| v.text(&mut kernel.source_inner, None, Text::Source))
}

fn gaps(v: &mut dyn Visit, ranks: &mut Vec<GapRank>) -> VisitResult {
    v.rows(ranks, defaults::gap)?;
    each(ranks, |gap| v.string(&mut gap.key, Text::Op))?;
    each(ranks, |gap| v.program_id(&mut gap.program_id))?;
    each(ranks, |gap| v.time(&mut gap.total))?;
    each(ranks, |gap| v.time(&mut gap.recoverable))?;
    each(ranks, |gap| v.float(&mut gap.cumulative, 0.0))
}

fn window(v: &mut dyn Visit, window: &mut WindowUse) -> VisitResult {
    v.time(&mut window.window)?;
    v.real(&mut window.flops, None)?;
    v.real(&mut window.model_flops, window.flops)?;
    v.real(&mut window.bytes, None)?;
    v.real(&mut window.peak_flops, None)?;
    v.real(&mut window.hfu, None)?;
    v.real(&mut window.model_mfu, window.hfu)?;
    v.real(&mut window.hbm_util, None)?;
    v.real(&mut window.useful_flops, None)?;
    v.real(&mut window.useful_mfu, None)?;
    if v.version() >= 6 {
        v.real(&mut window.hbm_util_measured, None)?;
        v.real(&mut window.sm_active, None)?;
    }
    Ok(())
}

/// Visits the time of ops without a roof.
pub(super) fn skipped(v: &mut dyn Visit, skippeds: &mut Vec<Skipped>) -> VisitResult {
    v.rows(skippeds, || Skipped { reason: SkipReason::NoFlops, n_ops: 0, total: Picos::ZERO })?;
    each(skippeds, |skipped| {
        v.one_of(&mut skipped.reason, &SkipReason::ALL)?;
        v.small_with_usual(&mut skipped.n_ops, 1)?;
        v.time(&mut skipped.total)
    })
}
