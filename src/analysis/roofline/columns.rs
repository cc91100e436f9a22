//! This module declares the columns of the roofline tables.

use super::query::{Level, Precision};
use super::report::{GapRank, OpaqueKernel, RooflinePosition, Skipped, StepRoofline};
use super::verdict::Bound;
use super::verify::verify;
use super::window_use::WindowUse;
use crate::table::Column;
use crate::table::Value::{self, Absent, Count, Executions, Flag, Id, Integer, List, Number, Percent, Time, Word};
use crate::units::{self, Picos};

fn roof<'r>(row: &'r Option<RooflinePosition>, value: impl FnOnce(&'r RooflinePosition) -> Value<'r>) -> Value<'r> {
    row.as_ref().map_or(Absent, value)
}

/// The columns of a position in the roofline model. Nearly all are absent in a row without a roof.
pub const ROOF: &[Column<Option<RooflinePosition>>] = &[
    Column::new("rooflined_dur_ps", |row| Time(row.as_ref().map_or(Picos::ZERO, |roof| roof.total))),
    Column::json("n_executions_rooflined", |row| Executions(row.as_ref().map_or(units::Count::ZERO, |roof| roof.n))),
    Column::new("dtype", |row| roof(row, |roof| Value::maybe_text(roof.dtype.as_deref()))),
    Column::new("peak_dtype", |row| roof(row, |roof| Value::maybe(roof.precision.map(Precision::key), Word))),
    Column::new("dtype_uncertain", |row| roof(row, |roof| Flag(roof.dtype_uncertain))),
    Column::json("dtype_mixed", |row| roof(row, |roof| Flag(roof.dtype_mixed))),
    Column::json("cost_source", |row| roof(row, |roof| Word(roof.cost.key()))),
    Column::new("rooflined_flops_sum", |row| roof(row, |roof| Number(roof.flops))),
    Column::new("rooflined_bytes_sum", |row| roof(row, |roof| Number(roof.bytes))),
    Column::json("bytes_by_memory", |row| {
        roof(row, |roof| by_memory(|level| Some(roof.level_bytes[level.index()]).filter(|bytes| *bytes > 0.0)))
    }),
    Column::new("arithmetic_intensity", |row| roof(row, |roof| Value::maybe(roof.intensity, Number))),
    Column::new("ridge_point", |row| roof(row, |roof| Value::maybe(roof.ridge, Number))),
    Column::json("bound", |row| {
        roof(row, |roof| Word(if roof.bound == Bound::Compute { "compute" } else { "memory" }))
    }),
    Column::new("roof", |row| roof(row, |roof| Word(roof.bound.key()))),
    Column::new("t_compute_ps", |row| roof(row, |roof| Time(roof.t_compute))),
    Column::new("t_hbm_ps", |row| roof(row, |roof| Time(roof.t_hbm()))),
    Column::new("t_roofline_ps", |row| roof(row, |roof| Time(roof.t_roof))),
    Column::new("mfu", |row| roof(row, |roof| Value::maybe(roof.mfu, Number))),
    Column::new("hbm_util", |row| roof(row, |roof| Value::maybe(roof.hbm_util(), Number))),
    Column::json("memory_util", |row| roof(row, |roof| by_memory(|level| roof.level_util[level.index()]))),
    Column::new("roofline_util", |row| roof(row, |roof| Value::maybe(roof.util, Number))),
    Column::new("gap_ps", |row| roof(row, |roof| Integer(roof.gap))),
    Column::json("gap_pct", |row| roof(row, |roof| Value::maybe(roof.gap_fraction, Percent))),
    Column::new("recoverable_ps", |row| roof(row, |roof| Time(roof.recoverable))),
    Column::new("above_peak", |row| roof(row, |roof| Flag(roof.is_above()))),
    Column::json("above_peak_dur_ps", |row| roof(row, |roof| Time(roof.above))),
    Column::new("latency_bound", |row| roof(row, |roof| Flag(roof.latency_bound))),
    Column::json("verdict", |row| {
        roof(row, |roof| Value::maybe(verify(roof), |verified| Word(verified.verdict.key())))
    }),
    Column::json("checks", |row| {
        let verified = row.as_ref().and_then(verify);
        List(verified.iter().flat_map(|verified| verified.checks.iter().map(|check| Word(check.key()))).collect())
    }),
];

/// Maps the JSON name of each memory to its number. Memories without a number are left out.
fn by_memory(number: impl Fn(Level) -> Option<f64>) -> Value<'static> {
    Value::map(Level::ALL.into_iter().filter_map(|level| Some((level.key(), Number(number(level)?)))))
}

/// The columns of time without a roof, for one reason.
pub const SKIPPED: &[Column<Skipped>] =
    &[Column::new("n_groups", |row| Count(row.n_ops.into())), Column::new("dur_ps", |row| Time(row.total))];

/// The columns of steps. They are few, because a capture may have thousands of steps.
pub const STEPS: &[Column<StepRoofline>] = &[
    Column::new("step", |row| Count(row.number)),
    Column::new("total_dur_ps", |row| Time(row.total)),
    Column::new("rooflined_dur_ps", |row| Time(row.roof.as_ref().map_or(Picos::ZERO, |roof| roof.total))),
    Column::new("arithmetic_intensity", |row| roof(&row.roof, |roof| Value::maybe(roof.intensity, Number))),
    Column::new("t_roofline_ps", |row| roof(&row.roof, |roof| Time(roof.t_roof))),
    Column::new("mfu", |row| roof(&row.roof, |roof| Value::maybe(roof.mfu, Number))),
    Column::new("hbm_util", |row| roof(&row.roof, |roof| Value::maybe(roof.hbm_util(), Number))),
    Column::new("roofline_util", |row| roof(&row.roof, |roof| Value::maybe(roof.util, Number))),
    Column::new("gap_ps", |row| roof(&row.roof, |roof| Integer(roof.gap))),
    Column::new("recoverable_ps", |row| roof(&row.roof, |roof| Time(roof.recoverable))),
];

/// The columns of the largest gaps.
pub const GAPS: &[Column<GapRank>] = &[
    Column::new("key", |row| Value::text(&row.key)),
    Column::new("program_id", |row| Value::maybe(row.program_id, Id)),
    Column::new("rooflined_dur_ps", |row| Time(row.total)),
    Column::new("recoverable_ps", |row| Time(row.recoverable)),
    Column::new("cumulative_pct", |row| Percent(row.cumulative)),
];

/// The columns of kernels without a cost estimate.
pub const KERNELS: &[Column<OpaqueKernel>] = &[
    Column::new("hlo_op", |row| Value::text(&row.op)),
    Column::new("program_id", |row| Value::maybe(row.program_id, Id)),
    Column::new("custom_call_target", |row| Value::maybe_text(row.target.as_deref())),
    Column::new("n_executions", |row| Executions(row.n)),
    Column::new("total_dur_ps", |row| Time(row.total)),
    Column::new("source_inner", |row| Value::maybe_text(row.source_inner.as_deref())),
];

/// The fields of the window. `useful_devices` is the number of devices that share the useful FLOPs of a step.
pub const WINDOW: &[Column<WindowUse>] = &[
    Column::new("window_ps", |row| Time(row.window)),
    Column::new("flops_sum", |row| Value::maybe(row.flops, Number)),
    Column::new("model_flops_sum", |row| Value::maybe(row.model_flops, Number)),
    Column::new("bytes_accessed_sum", |row| Value::maybe(row.bytes, Number)),
    Column::new("peak_tflops", |row| Value::maybe(row.peak_flops, |peak| Number(peak / 1e12))),
    Column::new("mfu", |row| Value::maybe(row.mfu, Number)),
    Column::new("model_mfu", |row| Value::maybe(row.model_mfu, Number)),
    Column::new("hbm_util", |row| Value::maybe(row.hbm_util, Number)),
    Column::new("hbm_util_measured", |row| Value::maybe(row.hbm_util_measured, Number)),
    Column::new("sm_active", |row| Value::maybe(row.sm_active, Number)),
    Column::new("useful_flops", |row| Value::maybe(row.useful_flops, Number)),
    Column::new("useful_mfu", |row| Value::maybe(row.useful_mfu, Number)),
    Column::new("useful_devices", |row| Value::maybe(row.useful_devices, |devices| Count(devices.n.into()))),
    Column::new("useful_devices_source", |row| Value::maybe(row.useful_devices, |devices| Word(devices.source.key()))),
];
