//! This module declares the fields of the sides of a comparison, of what they share, and of their scopes, figures and
//! findings.

use crate::analysis::compare::report::{FigureDelta, FindingDelta, Parity, RowSide, ScopeDelta, SideHead, Verdict};
use crate::analysis::compare::series_report::SeriesCapture;
use crate::analysis::overview::Unit;
use crate::table::columns;
use xla_profile::units::Picos;

columns! {
    /// The fields of a side.
    pub SIDES(row: SideHead) {
        /// Names of its files.
        files: List(Name(File)) = &row.files,
        /// The device on which its steps depend.
        device: Name(Device) = &row.device,
        /// Type of the device.
        device_type: Name(Chip) or null = row.device_type.as_deref(),
        /// Number of devices.
        n_devices: Count = row.n_devices.into(),
        /// Number of steps. 0 if the window is the whole capture.
        n_steps: Count = row.n_steps.into(),
        /// The kind of the steps. Null if all steps are of one kind, or if a report does not tell.
        step_kind: Name(Program) or null = row.step_kind.as_deref(),
        /// Mean length of a step.
        period_ps: Time = Picos(row.period_ps),
        /// Length of each step. Empty if a report leaves some out.
        periods_ps: List(Time) = row.periods_ps.iter().map(|period| Picos(*period)),
        /// Median length of a step. Null without steps.
        median_ps: Number or null = row.median_ps,
        /// Tokens of a step of the whole job, a guess from the inputs of the program. Null if they are unknown.
        tokens: Count or null = row.tokens,
        /// Whether only a part of the side was read.
        is_partial: Flag = row.is_partial,
        /// The level of detail of a report, from 0 to 100. Null for a capture.
        report_level: Count or null = row.report_level.map(u64::from),
    }

    /// The fields of a property that both sides should share.
    pub PARITY(row: Parity) {
        /// Name of the property.
        key: Text = &row.key,
        /// Its label.
        label: Text = &row.label,
        /// The value of A. Null if A does not tell.
        a: Removed or null = row.a.as_deref(),
        /// The value of B. Null if B does not tell.
        b: Removed or null = row.b.as_deref(),
        /// Whether both are equal. Null if a side does not tell.
        is_equal: Flag or null = row.is_equal,
    }

    /// The fields of the ops of a row on one side.
    pub ROW_SIDES(row: RowSide) {
        /// Names of the ops, the one with the most time first.
        ops: List(Name(Op)) = &row.ops,
        /// Id of the program of the first op, as decimal digits. Null if its events name none.
        program_id: ProgramId or null = row.program_id,
        /// Scope path of the op with the most time.
        scope: Name(Scope) or null = row.scope.as_deref(),
        /// The innermost source line in the user's own code of the op with the most time, as `source_inner` of
        /// `breakdown`.
        source: Removed or null = row.source.as_deref(),
        /// Group of work of that op, such as matmul.
        op_group: Text or null = row.op_group.as_deref(),
        /// Executions, per unit.
        n_executions: Number = row.n_executions,
        /// Self time, per unit.
        self_ps: Integer = row.self_ps,
        /// Roofline time, per unit. Null if it is unknown.
        roofline_ps: Number or null = row.roofline_ps,
    }

    /// The fields of a scope of both sides.
    pub SCOPES(row: ScopeDelta) {
        /// The path of the scope, with `*` for the number of an unrolled layer. That of a node “N smaller”, which sums
        /// small scopes, is the path of their parent.
        path: Name(Scope) = &row.path,
        /// Name of the scope.
        name: Name(Scope) = &row.name,
        /// Time in A of all ops at and below the scope, per unit.
        a_ps: Time = Picos(row.a.total),
        /// Time in B of all ops at and below the scope, per unit.
        b_ps: Time = Picos(row.b.total),
        /// The difference.
        delta_ps: Integer = row.delta_ps(),
    }

    /// The fields of a figure of both sides.
    pub FIGURES(row: FigureDelta) {
        /// Name of the figure, as in `overview`.
        name: Text = &row.name,
        /// The unit of its values.
        unit: Word(Unit) = row.unit,
        /// The value of A. Null if A does not have the figure.
        a: Number or null = row.a,
        /// The value of B. Null if B does not have the figure.
        b: Number or null = row.b,
    }

    /// The fields of a finding of one side alone.
    pub FINDINGS(row: FindingDelta) {
        /// Name of its rule.
        id: Text = &row.id,
        /// Its title.
        title: Removed = &row.title,
        /// Whether B alone has the finding. Otherwise A alone has it.
        is_new: Flag = row.is_new,
    }

    /// The fields of a capture of a series.
    pub SERIES_CAPTURES(row: SeriesCapture) {
        /// Names of its files.
        files: List(Name(File)) = &row.head.files,
        /// When the profile was started, in nanoseconds since 1970. Null if the capture does not record it.
        start_ns: Count or null = row.start_ns,
        /// The device on which its steps depend.
        device: Name(Device) = &row.head.device,
        /// Number of steps.
        n_steps: Count = row.head.n_steps.into(),
        /// Median of the lengths of the steps, per unit. Null without steps.
        median_ps: Number or null = row.median,
        /// The change of the median from that of the base, as a share of the base.
        change: Number or null = row.change,
        /// The verdict on the difference from the base.
        verdict: Word(Verdict) = row.verdict,
        /// Whether only a part of the capture was read.
        is_partial: Flag = row.head.is_partial,
    }
}
