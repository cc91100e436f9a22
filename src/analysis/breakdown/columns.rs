//! The columns of the breakdown's tables.

use super::report::{Group, Part, Share};
use super::steps::{AcrossDevices, Spread, StepTime};
use crate::analysis::classify::Kind;
use crate::table::Column;
use crate::table::Value::{self, Absent, Count, Id, Number, Percent, Record, Time, Word};
use crate::units::Picos;

/// The columns of rows, in the order of JSON and CSV.
pub const GROUPS: &[Column<Group>] = &[
    Column::new("key", |row| Value::text(&row.key)),
    Column::new("key_kind", |row| Value::text(&row.key_kind)),
    Column::new("kind", |row| Word(row.kind.json_key())),
    Column::new("program", |row| Value::maybe_text(row.program.as_deref())),
    Column::new("program_id", |row| Value::maybe(row.program_id, Id)),
    Column::new("n_executions", |row| Count(row.n_executions)),
    Column::new("total_dur_ps", |row| Time(row.total)),
    Column::new("inclusive_dur_ps", |row| Time(row.inclusive)),
    Column::new("min_dur_ps", |row| if_executed(row, row.min)),
    Column::new("max_dur_ps", |row| if_executed(row, row.max)),
    Column::new("avg_dur_ps", |row| Value::maybe(row.mean, Time)),
    Column::new("pct_of_step", |row| Value::maybe(row.of_step, Percent)),
    Column::json("pct_of_kind", |row| Value::maybe(row.of_kind, Percent)),
    Column::new("flops_sum", |row| Value::maybe(row.flops, Number)),
    Column::json("model_flops_sum", |row| Value::maybe(row.model_flops, Number)),
    Column::new("bytes_accessed_sum", |row| Value::maybe(row.bytes_accessed, Number)),
    Column::json("hlo_categories", |row| {
        Value::map(row.categories.iter().map(|(name, share)| (name.as_str(), Value::record(SHARE, share))))
    }),
    Column::csv("hlo_category", |row| Value::maybe_text(row.main_category())),
    Column::json("hlo_op_breakdown", |row| {
        Value::List(row.parts.iter().map(|part| part_of(part, row.total)).collect())
    }),
    Column::new("op_group", |row| Value::maybe_text(row.op_group.as_deref())),
    Column::new("phase", |row| Value::maybe_text(row.phase.as_deref())),
    Column::new("layer", |row| Value::maybe_text(row.layer.as_deref())),
    Column::json("dtypes", |row| Value::texts(&row.dtypes)),
    Column::csv("dtype", |row| Value::maybe_text(row.dtypes.first().map(String::as_str))),
    Column::json("shapes", |row| Value::texts(&row.shapes)),
    Column::csv("shape", |row| Value::maybe_text(row.shapes.first().map(String::as_str))),
    Column::json("source_stack", |row| Value::maybe_text(row.source_stack.as_deref())),
    Column::new("source_inner", |row| Value::maybe_text(row.source_inner.as_deref())),
    Column::json_if_present("kernel", |row| Value::maybe_text(row.kernel.as_deref())),
    Column::new("tf_op", |row| Value::maybe_text(row.tf_op.as_deref())),
    Column::json("example_hlo_op", |row| Value::maybe_text(row.example.as_deref())),
    Column::json("example_hlo_op_dur_ps", |row| Value::maybe(row.example_dur, Time)),
];

/// The shortest or longest execution; absent where none starts in the window.
fn if_executed(row: &Group, time: Picos) -> Value<'_> {
    if row.n_executions > 0 { Time(time) } else { Absent }
}

/// A category's part of a row.
const SHARE: &[Column<Share>] =
    &[Column::new("n_executions", |row| Count(row.n)), Column::new("total_dur_ps", |row| Time(row.dur))];

/// An instruction's part of a row of `total`.
fn part_of(part: &Part, total: Picos) -> Value<'_> {
    Record(vec![
        ("signature".into(), Value::text(&part.signature)),
        ("hlo_category".into(), Value::maybe_text(part.category.as_deref())),
        ("total_dur_ps".into(), Time(part.total)),
        ("n_executions".into(), Count(part.n)),
        ("pct_of_group".into(), Value::maybe(part.total.fraction_of(total), Percent)),
    ])
}

/// The columns of steps.
pub const STEPS: &[Column<StepTime>] = &[
    Column::new("step", |row| Count(row.number)),
    Column::new("name", |row| Value::text(&row.name)),
    Column::new("dur_ps", |row| Time(row.duration)),
    Column::new("busy_ps", |row| Time(row.busy)),
    Column::new("idle_ps", |row| Time(row.idle)),
    Column::json_fields(|row| Value::record(KINDS, &row.by_kind)),
    Column::new("n_ops", |row| Count(row.n_ops)),
];

/// Times by [`Kind::index`], summed as JSON has them. The time of ops that compute and communicate at once is in `comm` and, once more,
/// in `fused`.
pub const KINDS: &[Column<[Picos; 7]>] = &[
    Column::new("compute_duration_ps", |row| Time(sum_of(row, &[Kind::Compute]))),
    Column::new("data_move_duration_ps", |row| Time(sum_of(row, &[Kind::DataMovement]))),
    Column::new("comm_duration_ps", |row| Time(sum_of(row, &[Kind::Communication, Kind::Fused]))),
    Column::new("fused_duration_ps", |row| Time(sum_of(row, &[Kind::Fused]))),
    Column::new("host_duration_ps", |row| Time(sum_of(row, &[Kind::Host]))),
    Column::new("other_duration_ps", |row| Time(sum_of(row, &[Kind::Other, Kind::Container]))),
];

fn sum_of(by_kind: &[Picos; 7], kinds: &[Kind]) -> Picos {
    kinds.iter().map(|kind| by_kind[kind.index()]).sum()
}

/// The statistics of the steps of a device. Means are rounded to the picosecond.
pub const SPREAD: &[Column<Spread>] = &[
    Column::new("n", |row| Count(row.n.into())),
    Column::new("mean_dur_ps", |row| rounded(row.mean)),
    Column::new("median_dur_ps", |row| rounded(row.median)),
    Column::new("min_dur_ps", |row| Time(row.min)),
    Column::new("max_dur_ps", |row| Time(row.max)),
    Column::new("std_dev_ps", |row| Value::maybe(row.std_dev, rounded)),
];

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a duration: positive; `as` saturates")]
fn rounded(ps: f64) -> Value<'static> {
    Count(ps.round() as u64)
}

/// The columns of steps over devices.
pub const ACROSS_DEVICES: &[Column<AcrossDevices>] = &[
    Column::new("step", |row| Count(row.number)),
    Column::new("n_devices", |row| Count(row.n_devices.into())),
    Column::new("min_dur_ps", |row| Time(row.min)),
    Column::new("max_dur_ps", |row| Time(row.max)),
    Column::new("mean_dur_ps", |row| Time(row.mean)),
    Column::new("slowest_device", |row| Value::text(&row.slowest)),
    Column::new("spread_pct", |row| Percent(row.spread)),
];
