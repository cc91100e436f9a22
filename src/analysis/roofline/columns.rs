//! This module declares the columns of the roofline tables.

use super::peaks::{Peak, PeakResource};
use super::query::{Level, PeakSource, Precision};
use super::report::{
    CostSource, GapRank, OpaqueKernel, ProgramRoofline, RoofRow, RooflinePosition, Skipped, StepRoofline,
};
use super::verdict::{Bound, PossibleCause, ResourceKind, Verdict};
use super::verify::verify;
use super::window_use::{DeviceCountSource, WindowUse};
use crate::analysis::breakdown::columns::GROUPS;
use crate::table::{Value, columns};
use xla_profile::units::{Count, Picos};

columns! {
    /// The columns of a position in the roofline model. Nearly all are absent in a row without a roof.
    pub ROOF(row: Option<RooflinePosition>) {
        /// Self time of the ops that have a roofline time. Where no op has one, this and `n_executions_rooflined` are
        /// 0, `checks` is empty, and the other fields from `dtype` to `verdict` are null.
        rooflined_dur_ps: Time in json csv table = row.as_ref().map_or(Picos::ZERO, |roof| roof.total),
        /// Executions of the ops that have a roofline time.
        n_executions_rooflined: Executions in json = row.as_ref().map_or(Count::ZERO, |roof| roof.n),
        /// Data type of the operands of the dot or convolution, else of the result. Null if it is unknown or the ops
        /// differ.
        dtype: Text or null = row.as_ref().and_then(|roof| roof.dtype.as_deref()),
        /// The type whose peak is used. Null if the ops differ.
        peak_dtype: Word(Precision) or null = row.as_ref().and_then(|roof| roof.precision),
        /// Whether operands are unknown. `mfu` is then an upper bound.
        dtype_uncertain: Flag or null = row.as_ref().map(|roof| roof.dtype_uncertain),
        /// Whether the data types of operands differ.
        dtype_mixed: Flag or null in json = row.as_ref().map(|roof| roof.dtype_mixed),
        /// The source of the costs: the estimates in the capture, only the FLOPs of the model in the capture, or values
        /// of the user.
        cost_source: Word(CostSource) or null in json = row.as_ref().map(|roof| roof.cost),
        /// FLOPs of all executions.
        rooflined_flops_sum: Number or null = row.as_ref().map(|roof| roof.flops),
        /// Bytes of all executions, over all memories.
        rooflined_bytes_sum: Number or null = row.as_ref().map(|roof| roof.bytes),
        /// The bytes by memory.
        bytes_by_memory: Value(Map(Number)) or null in json = row.as_ref().map_or(Value::Absent, |roof| {
            by_memory(|level| Some(roof.level_bytes[level.index()]).filter(|bytes| *bytes > 0.0))
        }),
        /// FLOP per byte of HBM. Null if the ops move no bytes through HBM.
        arithmetic_intensity: Number or null = row.as_ref().and_then(|roof| roof.intensity),
        /// Peak FLOP/s ÷ bandwidth of HBM, in FLOP per byte of HBM. Null if it is unknown or the ops differ.
        ridge_point: Number or null = row.as_ref().and_then(|roof| roof.ridge),
        /// The kind of the resource with the longest time.
        bound: Word(ResourceKind) or null in json table = row.as_ref().map(|roof| roof.bound.kind()),
        /// The limit itself: compute, or a memory and a direction.
        roof: Word(Bound) or null = row.as_ref().map(|roof| roof.bound),
        /// The compute time: FLOPs ÷ peak FLOP/s.
        t_compute_ps: Time or null = row.as_ref().map(|roof| roof.t_compute),
        /// The HBM time: bytes of HBM ÷ HBM bandwidth.
        t_hbm_ps: Time or null = row.as_ref().map(RooflinePosition::t_hbm),
        /// The roofline time: the sum over the ops of the largest of the compute time and the times of all memories
        /// with a peak.
        t_roofline_ps: Time or null in json csv table = row.as_ref().map(|roof| roof.t_roof),
        /// The fraction of the peak FLOP/s that the ops reach: `t_compute_ps` ÷ `rooflined_dur_ps`.
        mfu: Number or null = row.as_ref().and_then(|roof| roof.mfu),
        /// The fraction of the HBM bandwidth that the ops reach: `t_hbm_ps` ÷ `rooflined_dur_ps`. Null without a known
        /// bandwidth.
        hbm_util: Number or null = row.as_ref().and_then(RooflinePosition::hbm_util),
        /// The fraction of the bandwidth of each memory with a peak.
        memory_util: Value(Map(Number)) or null in json = row.as_ref().map_or(Value::Absent, |roof| {
            by_memory(|level| roof.level_util[level.index()])
        }),
        /// The fraction of the roofline that the ops reach: `t_roofline_ps` ÷ `rooflined_dur_ps`.
        roofline_util: Number or null in json csv table = row.as_ref().and_then(|roof| roof.util),
        /// The roofline gap: `rooflined_dur_ps` − `t_roofline_ps`. It is negative above the peak.
        gap_ps: Integer or null in json csv table = row.as_ref().map(|roof| roof.gap),
        /// The roofline gap as a share of the time.
        gap_pct: Percent or null in json = row.as_ref().and_then(|roof| roof.gap_fraction),
        /// The sum of the positive gaps of ops.
        recoverable_ps: Time or null in json csv table = row.as_ref().map(|roof| roof.recoverable),
        /// Whether the ops together are faster than the peak permits.
        above_peak: Flag or null = row.as_ref().map(RooflinePosition::is_above),
        /// Self time of the ops that are faster than the peak permits.
        above_peak_dur_ps: Time or null in json = row.as_ref().map(|roof| roof.above),
        /// Whether every utilisation is below 20 % and an execution takes less than 10 µs.
        latency_bound: Flag or null = row.as_ref().map(|roof| roof.latency_bound),
        /// `fine` from 90 % of the roofline, `fair` from 50 %, `far` below, and `above_peak` above 100 %. Null without
        /// a roofline time or an execution.
        verdict: Word(Verdict) or null in json = row.as_ref().and_then(verify).map(|verified| verified.verdict),
        /// Possible causes of the verdict, the likeliest first.
        checks: List(Word(PossibleCause)) in json = {
            row.as_ref().and_then(verify).map_or_else(Vec::new, |verified| verified.checks)
        },
    }
}

/// Maps the JSON name of each memory to its number. Memories without a number are left out.
fn by_memory(number: impl Fn(Level) -> Option<f64>) -> Value<'static> {
    Value::map(Level::ALL.into_iter().filter_map(|level| Some((level.key(), Value::Number(number(level)?)))))
}

columns! {
    /// The columns of time without a roof, for one reason.
    pub SKIPPED(row: Skipped) {
        /// Number of ops without a roofline time, by program and name.
        n_groups: Count = row.n_ops.into(),
        /// Their self time.
        dur_ps: Time = row.total,
    }

    /// The columns of rows in JSON.
    pub ROWS(row: RoofRow) {
        group: Fields(GROUPS) in json = &row.group,
        roof: Fields(ROOF) in json = &row.roof,
        /// The ops of the row without a roofline time, by reason. `rooflined_dur_ps` and their times sum to
        /// `total_dur_ps`.
        skipped: Value(Map(Object(SKIPPED))) in json = skipped(&row.skipped),
    }

    /// The columns of programs.
    pub PROGRAMS(row: ProgramRoofline) {
        /// Name of the program.
        program: Name(Program) or null = row.program.as_deref(),
        /// Id of the program in the capture, as decimal digits.
        program_id: ProgramId or null = row.program_id,
        /// Self time of the selected ops of the program.
        total_dur_ps: Time = row.total,
        roof: Fields(ROOF) in json = &row.roof,
    }

    /// The columns of steps. They are few, because a capture may have thousands of steps.
    pub STEPS(row: StepRoofline) {
        /// Number of the step.
        step: Count = row.number,
        /// Self time of the selected ops in the step.
        total_dur_ps: Time = row.total,
        /// The part of it that has a roofline time. If it is 0, the other fields may be null.
        rooflined_dur_ps: Time = row.roof.as_ref().map_or(Picos::ZERO, |roof| roof.total),
        /// FLOP per byte of HBM.
        arithmetic_intensity: Number or null = row.roof.as_ref().and_then(|roof| roof.intensity),
        /// The roofline time.
        t_roofline_ps: Time or null = row.roof.as_ref().map(|roof| roof.t_roof),
        /// The fraction of the peak FLOP/s that the ops reach.
        mfu: Number or null = row.roof.as_ref().and_then(|roof| roof.mfu),
        /// The fraction of the HBM bandwidth that the ops reach.
        hbm_util: Number or null = row.roof.as_ref().and_then(RooflinePosition::hbm_util),
        /// The fraction of the roofline that the ops reach.
        roofline_util: Number or null = row.roof.as_ref().and_then(|roof| roof.util),
        /// The roofline gap. It is negative above the peak.
        gap_ps: Integer or null = row.roof.as_ref().map(|roof| roof.gap),
        /// The sum of the positive gaps of ops.
        recoverable_ps: Time or null = row.roof.as_ref().map(|roof| roof.recoverable),
    }

    /// The columns of the largest gaps.
    pub GAPS(row: GapRank) {
        /// Key of the row.
        key: Name(Op) = &row.key,
        /// Id of the program of the row, as decimal digits. Null if the ops have no program or several.
        program_id: ProgramId or null = row.program_id,
        /// Self time of the ops that have a roofline time.
        rooflined_dur_ps: Time = row.total,
        /// The sum of the positive gaps of ops.
        recoverable_ps: Time = row.recoverable,
        /// The share of this row and of all rows before it in all recoverable time.
        cumulative_pct: Percent = row.cumulative,
    }

    /// The columns of kernels without a cost estimate.
    pub KERNELS(row: OpaqueKernel) {
        /// Name of the op.
        hlo_op: Name(Op) = &row.op,
        /// Id of the program of the op, as decimal digits.
        program_id: ProgramId or null = row.program_id,
        /// Target of the custom call, such as `tpu_custom_call`.
        custom_call_target: Name(Op) or null = row.target.as_deref(),
        /// Number of executions that start in the window.
        n_executions: Executions = row.n,
        /// Self time of the op.
        total_dur_ps: Time = row.total,
        /// The innermost source line in the user’s own code.
        source_inner: Removed or null = row.source_inner.as_deref(),
    }

    /// The fields of the window.
    pub WINDOW(row: WindowUse) {
        /// Length of the window, idle time included. Of several devices, it is the sum.
        window_ps: Time = row.window,
        /// FLOPs of all ops except loops. An asynchronous pair counts at its done. Null if no op has FLOPs.
        flops_sum: Number or null = row.flops,
        /// FLOPs of the model without recompute, of the same ops.
        model_flops_sum: Number or null = row.model_flops,
        /// Bytes that the same ops access.
        bytes_accessed_sum: Number or null = row.bytes,
        /// The peak of bf16, or of f16 on a GPU without bf16. Null if it is unknown or the devices differ.
        peak_tflops: Number or null = row.peak_flops.map(|peak| peak / 1e12),
        /// All FLOPs that ran ÷ (peak × window). Text calls it “HFU”.
        mfu: Number or null = row.hfu,
        /// FLOPs of the model ÷ (peak × window). Text calls it “MFU”.
        model_mfu: Number or null = row.model_mfu,
        /// Bytes of HBM ÷ (bandwidth × window).
        hbm_util: Number or null = row.hbm_util,
        /// The traffic of the memory ÷ its bandwidth, by counters that CUPTI sampled. Null where the capture has no
        /// such counters, or where samples cover less than 80 % of the window.
        hbm_util_measured: Number or null = row.hbm_util_measured,
        /// The cycles in which multiprocessors were active ÷ cycles at the clock of the driver, by counters that CUPTI
        /// sampled. Null where the capture has no such counters, or where samples cover less than 80 % of the window.
        sm_active: Number or null = row.sm_active,
        /// The useful FLOPs by `--batch`, `--sequence` and `--flops-per-token`.
        useful_flops: Number or null = row.useful_flops,
        /// `useful_flops` ÷ (peak × window). Text calls it “MFU from tokens”.
        useful_mfu: Number or null = row.useful_mfu,
        /// Number of devices that share a step. Null without useful FLOPs.
        useful_devices: Count or null = row.useful_devices.map(|devices| devices.n.into()),
        /// The source of that number: the user, the compiled program, or the devices in the capture.
        useful_devices_source: Word(DeviceCountSource) or null = row.useful_devices.map(|devices| devices.source),
    }

    /// The columns of peaks that are available.
    pub OFFERS(row: Peak) {
        /// The data type or the memory.
        of: Word = row.resource.key(),
        /// A compute peak in TFLOP/s. Null for a memory.
        tflops: Number or null = matches!(row.resource, PeakResource::Compute(_)).then_some(row.value / 1e12),
        /// The bandwidth of a memory in GB/s. Null for compute.
        gbps: Bandwidth or null = matches!(row.resource, PeakResource::Memory(_)).then_some(row.value),
        /// The source of the peak: the capture, the figures of the vendor, or the user.
        source: Word(PeakSource) = row.source,
        /// The source in words: the name of a stat, or a web page.
        from: Text = &row.from,
    }
}

/// Returns time without a roof by the name of the reason.
pub fn skipped(all: &[Skipped]) -> Value<'_> {
    Value::map(all.iter().map(|row| (row.reason.key(), Value::record(SKIPPED, row))))
}
