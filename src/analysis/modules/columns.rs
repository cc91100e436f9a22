//! This module declares the fields of the time by module.

use super::report::{AlikeOps, CertaintyShare, ModuleCell, ModuleSum, Modules};
use crate::analysis::classify::{Certainty, Kind, ModelModule};
use crate::table::columns;

columns! {
    /// The fields of the time by module. Times are those of a step, as in the totals.
    pub MODULES(row: Modules) {
        /// Self time of all ops. The times of `modules` and of `cells` sum to it.
        busy_ps: Time in json = row.busy,
        /// The modules, most time first. `unknown` holds the ops that nothing names.
        modules: Rows(MODULE_SUMS) in json = &row.modules,
        /// The parts of the modules by phase and kind.
        cells: Rows(MODULE_CELLS) in json = &row.cells,
        /// The time by how the modules are known.
        certainties: Rows(CERTAINTIES) in json = &row.certainties,
    }

    /// The fields of a module.
    pub MODULE_SUMS(row: ModuleSum) {
        /// The module, such as `attention`, and `unknown` for ops that nothing names.
        module: Word(ModelModule) in json = row.module,
        /// Self time.
        total_ps: Time in json = row.total,
        /// Share of the busy time. Null if the device is idle.
        pct_of_busy: Percent or null in json = row.of_busy,
        /// The part of `total_ps` of ops that have a roofline time.
        judged_ps: Time in json = row.judged,
        /// Roofline time of these ops.
        roofline_ps: Time in json = row.roofline,
        /// The part of `judged_ps` beyond the roofline.
        over_roofline_ps: Time in json = row.judged.saturating_sub(row.roofline),
        /// Roofline time ÷ `judged_ps`. Null if no op has a roofline time.
        pct_of_roofline: Percent or null in json = row.roofline.fraction_of(row.judged),
        /// Number of layers that have the module. Null if its ops name no layer, or if a loop over layers has an
        /// unknown number of iterations.
        n_layers: Count or null in json = row.n_layers,
        /// The identical ops with the most time. Null if no op has time.
        largest: Object(ALIKE_OPS) or null in json = row.largest.as_ref(),
    }

    /// The fields of the part of a module in one phase and of one kind.
    pub MODULE_CELLS(row: ModuleCell) {
        /// The module.
        module: Word(ModelModule) in json = row.module,
        /// The phase, as in the rows of the breakdown.
        phase: Text in json = row.phase.label(),
        /// The kind of time.
        kind: Word(Kind) in json = row.kind,
        /// Self time.
        total_ps: Time in json = row.total,
        /// Share of the busy time. Null if the device is idle.
        pct_of_busy: Percent or null in json = row.of_busy,
        /// Number of executions. A mean may be a fraction.
        n_executions: Executions in json = row.n_executions,
        /// The part of `total_ps` of ops that have a roofline time. Zero but for compute.
        judged_ps: Time in json = row.judged,
        /// Roofline time of these ops.
        roofline_ps: Time in json = row.roofline,
        /// The part of `judged_ps` beyond the roofline.
        over_roofline_ps: Time in json = row.judged.saturating_sub(row.roofline),
        /// Roofline time ÷ `judged_ps`. Null if no op has a roofline time.
        pct_of_roofline: Percent or null in json = row.roofline.fraction_of(row.judged),
    }

    /// The fields of identical ops: those with the same deduplicated name, or else with the same type, shape and FLOPs.
    pub ALIKE_OPS(row: AlikeOps) {
        /// The op with the most time.
        name: Name(Op) in json = &row.name,
        /// Its program. Null if it is unknown.
        program: Name(Program) or null in json = row.program.as_deref(),
        /// The id of its program. Null if it is unknown.
        program_id: ProgramId or null in json = row.program_id,
        /// Number of ops.
        n_ops: Count in json = row.n_ops.into(),
        /// Self time of all of them.
        total_ps: Time in json = row.total,
        /// Innermost line of the user's code of the op. Null if it is unknown.
        source: Removed or null in json = row.source.as_deref(),
    }

    /// The fields of the time of ops whose module is known in one way.
    pub CERTAINTIES(row: CertaintyShare) {
        /// `certain` (the scope path names the module), `likely` (a function, a source file, a kernel or the nearest
        /// named instruction does), `guess` (neighbours in the data flow, the place in the step, or what the program
        /// computes), or `unknown`.
        certainty: Word(Certainty) in json = row.certainty,
        /// Self time.
        total_ps: Time in json = row.total,
        /// Share of the busy time. Null if the device is idle.
        pct_of_busy: Percent or null in json = row.of_busy,
    }
}
