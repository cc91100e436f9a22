//! This module visits the roofline: sums, peaks, and the position of each op.

use super::visit::{Text, Visit, VisitResult, each};
use super::{defaults, origin};
use crate::analysis::breakdown::Group;
use crate::analysis::roofline::{
    Bound, CostSource, DevicePeaks, GapRank, Level, OpaqueKernel, Peak, PeakOf, PeakSource, Precision,
    RooflinePosition, SkipReason, Skipped, WindowUse,
};
use crate::share::report::RooflinePart;
use crate::units::{Count, Picos};

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

const BOUNDS: [Bound; 6] = [
    Bound::Compute,
    Bound::Memory(Level::Hbm),
    Bound::Memory(Level::VmemRead),
    Bound::Memory(Level::VmemWrite),
    Bound::Memory(Level::CmemRead),
    Bound::Memory(Level::CmemWrite),
];

/// Visits roofs column by column. Most ratios follow from times. Those that were computed from exact floors differ in
/// the last digit, so ratios are visited as well.
pub(super) fn roofs(v: &mut dyn Visit, of: &mut [(&mut RooflinePosition, Whole)]) -> VisitResult {
    each(of, |(roof, whole)| v.time_with_usual(&mut roof.total, whole.total))?;
    each(of, |(roof, whole)| v.executions(&mut roof.n, whole.n))?;
    each(of, |(roof, whole)| v.float(&mut roof.flops, whole.flops))?;
    each(of, |(roof, whole)| v.float(&mut roof.bytes, whole.bytes))?;
    each(of, |(roof, _)| {
        let mut usual = roof.bytes;
        roof.level_bytes.iter_mut().try_for_each(|bytes| v.float(bytes, std::mem::take(&mut usual)))
    })?;
    each(of, |(roof, _)| v.text(&mut roof.dtype, None, Text::Word))?;
    each(of, |(roof, _)| v.optional_one_of(&mut roof.precision, &Precision::ALL))?;
    each(of, |(roof, _)| v.flag(&mut roof.dtype_uncertain))?;
    each(of, |(roof, _)| v.flag(&mut roof.dtype_mixed))?;
    each(of, |(roof, _)| v.one_of(&mut roof.cost, &CostSource::ALL))?;
    each(of, |(roof, _)| v.real(&mut roof.ridge, None))?;
    each(of, |(roof, _)| v.one_of(&mut roof.bound, &BOUNDS))?;
    each(of, |(roof, _)| v.amount(&mut roof.t_compute.0))?;
    each(of, |(roof, _)| roof.t_memory.iter_mut().try_for_each(|time| v.amount(&mut time.0)))?;
    each(of, |(roof, _)| {
        let longest = roof.t_memory.iter().fold(roof.t_compute, |most, time| most.max(*time));
        v.time_with_usual(&mut roof.t_roof, longest)
    })?;
    each(of, |(roof, _)| {
        let at = roof.bound.index();
        let usual = |i: usize| if i == at { roof.total } else { Picos::ZERO };
        roof.bound_total.iter_mut().enumerate().try_for_each(|(i, time)| v.time_with_usual(time, usual(i)))
    })?;
    each(of, |(roof, _)| v.real(&mut roof.mfu, roof.t_compute.fraction_of(roof.total)))?;
    each(of, |(roof, _)| {
        let (floors, total) = (roof.t_memory, roof.total);
        let usual = |time: Picos| time.fraction_of(total).filter(|_| time > Picos::ZERO);
        roof.level_util.iter_mut().zip(floors).try_for_each(|(util, time)| v.real(util, usual(time)))
    })?;
    each(of, |(roof, _)| v.real(&mut roof.util, roof.t_roof.fraction_of(roof.total)))?;
    each(of, |(roof, _)| v.time_with_usual(&mut roof.recoverable, roof.total.saturating_sub(roof.t_roof)))?;
    each(of, |(roof, _)| {
        let above = if roof.t_roof > roof.total { roof.total } else { Picos::ZERO };
        v.time_with_usual(&mut roof.above, above)
    })?;
    each(of, |(roof, _)| v.flag(&mut roof.latency_bound))
}

/// Visits the roofs of rows that are not ops.
fn row_roofs<T>(
    v: &mut dyn Visit,
    of: &mut [T],
    roof: impl Fn(&mut T) -> &mut Option<RooflinePosition>,
) -> VisitResult {
    each(of, |row| v.present(roof(row), defaults::roof))?;
    let known = of.iter_mut().filter_map(|row| roof(row).as_mut());
    roofs(v, &mut known.map(|roof| (roof, Whole::default())).collect::<Vec<_>>())
}

pub(super) fn roofline(v: &mut dyn Visit, of: &mut RooflinePart) -> VisitResult {
    let figures = &mut of.figures;
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
    v.rows(&mut of.steps, defaults::step_roof)?;
    each(&mut of.steps, |step| v.exact(&mut step.number))?;
    each(&mut of.steps, |step| v.time(&mut step.total))?;
    row_roofs(v, &mut of.steps, |step| &mut step.roof)?;
    v.small(&mut of.n_rows)?;
    v.small(&mut of.more.0)?;
    v.time(&mut of.more.1)
}

fn peaks(v: &mut dyn Visit, of: &mut DevicePeaks) -> VisitResult {
    v.texts(&mut of.devices, Text::Device)?;
    v.text(&mut of.device_type, None, Text::Chip)?;
    v.text(&mut of.chip, None, Text::Chip)?;
    v.optional_small(&mut of.devices_per_chip)?;
    for list in [&mut of.used, &mut of.offers] {
        v.rows(list, || Peak {
            of: PeakOf::Compute(Precision::Bf16),
            value: 0.0,
            source: PeakSource::Profile,
            from: String::new(),
        })?;
        each(list, |peak| {
            let compute = Precision::ALL.map(PeakOf::Compute).into_iter();
            let all: Vec<PeakOf> = Level::ALL.map(PeakOf::Memory).into_iter().chain(compute).collect();
            v.one_of(&mut peak.of, &all)
        })?;
        each(list, |peak| v.float(&mut peak.value, 0.0))?;
        each(list, |peak| v.one_of(&mut peak.source, &PeakSource::ALL))?;
        each(list, |peak| v.string(&mut peak.from, Text::Word))?;
    }
    Ok(())
}

fn opaque(v: &mut dyn Visit, of: &mut Vec<OpaqueKernel>) -> VisitResult {
    v.rows(of, defaults::opaque)?;
    each(of, |kernel| v.string(&mut kernel.op, Text::Op))?;
    each(of, |kernel| v.program_id(&mut kernel.program_id))?;
    each(of, |kernel| v.text(&mut kernel.target, None, Text::Op))?;
    each(of, |kernel| v.executions(&mut kernel.n, Count::ZERO))?;
    each(of, |kernel| v.time(&mut kernel.total))?;
    each(of, |kernel| v.text(&mut kernel.source_inner, None, Text::Source))
}

fn gaps(v: &mut dyn Visit, of: &mut Vec<GapRank>) -> VisitResult {
    v.rows(of, defaults::gap)?;
    each(of, |gap| v.string(&mut gap.key, Text::Op))?;
    each(of, |gap| v.program_id(&mut gap.program_id))?;
    each(of, |gap| v.time(&mut gap.total))?;
    each(of, |gap| v.time(&mut gap.recoverable))?;
    each(of, |gap| v.float(&mut gap.cumulative, 0.0))
}

fn window(v: &mut dyn Visit, of: &mut WindowUse) -> VisitResult {
    v.time(&mut of.window)?;
    v.real(&mut of.flops, None)?;
    v.real(&mut of.model_flops, of.flops)?;
    v.real(&mut of.bytes, None)?;
    v.real(&mut of.peak_flops, None)?;
    v.real(&mut of.mfu, None)?;
    v.real(&mut of.model_mfu, of.mfu)?;
    v.real(&mut of.hbm_util, None)?;
    v.real(&mut of.useful_flops, None)?;
    v.real(&mut of.useful_mfu, None)?;
    if v.version() >= 6 {
        v.real(&mut of.hbm_util_measured, None)?;
        v.real(&mut of.sm_active, None)?;
    }
    Ok(())
}

/// Visits the time of ops without a roof.
pub(super) fn skipped(v: &mut dyn Visit, of: &mut Vec<Skipped>) -> VisitResult {
    v.rows(of, || Skipped { reason: SkipReason::NoFlops, n_ops: 0, total: Picos::ZERO })?;
    each(of, |skipped| {
        v.one_of(&mut skipped.reason, &SkipReason::ALL)?;
        v.small_with_usual(&mut skipped.n_ops, 1)?;
        v.time(&mut skipped.total)
    })
}
