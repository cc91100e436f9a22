//! The columns of the tables of communication.

use super::imbalance::{Arrival, ArrivalSpread};
use super::primitive::{Primitive, Role};
use super::report::{CommRow, DeviceGroup, LinkPeak, Overlap, Pairing, Remainder, StepComm, Traffic};
use crate::table::Column;
use crate::table::Value::{self, Absent, Bandwidth, Count, Flag, Id, Number, Percent, Time, Word};

fn group(row: &CommRow, value: impl FnOnce(&DeviceGroup) -> Value<'_>) -> Value<'_> {
    row.group.as_ref().map_or(Absent, value)
}

/// The columns of collectives and copies, in the order of JSON and CSV.
pub const COMM: &[Column<CommRow>] = &[
    Column::new("key", |row| Value::text(&row.key)),
    Column::new("primitive", |row| Value::maybe(row.primitive.map(Primitive::key), Word)),
    Column::json("op", |row| Value::maybe_text(row.op.as_deref())),
    Column::json("program", |row| Value::maybe_text(row.program.as_deref())),
    Column::new("program_id", |row| Value::maybe(row.program_id, Id)),
    Column::new("source", |row| Value::maybe_text(row.source.as_deref())),
    Column::json("scope", |row| Value::maybe_text(row.scope.as_deref())),
    Column::new("core", |row| Word(row.core.key())),
    Column::new("sync", |row| Word(row.execution.key())),
    Column::new("groups", |row| group(row, |group| Value::text(&group.text))),
    Column::new("group_size", |row| group(row, |group| Value::maybe(group.size, Count))),
    Column::json("group_stride", |row| group(row, |group| Value::maybe(group.stride, Count))),
    Column::json("first_group", |row| {
        group(row, |group| Value::List(group.first.iter().map(|device| Count(*device)).collect()))
    }),
    Column::json("n_groups", |row| group(row, |group| Value::maybe(group.n_groups, Count))),
    Column::new("axis", |row| group(row, |group| Value::maybe_text(group.axis.as_deref()))),
    Column::json("role", |row| Value::maybe(row.role.map(Role::key), Word)),
    Column::json("n_ops", |row| Count(row.n_ops.into())),
    Column::new("n_executions", |row| Count(row.n)),
    Column::new("bytes_per_execution", |row| Value::maybe(row.bytes_each, Count)),
    Column::new("bytes", |row| Value::maybe(row.bytes, Count)),
    Column::new("stall_ps", |row| Time(row.stall)),
    Column::json("issue_ps", |row| Time(row.issue)),
    Column::json("fused_ps", |row| Time(row.fused)),
    Column::new("in_flight_ps", |row| Time(row.overlap.in_flight)),
    Column::new("exposed_ps", |row| Time(row.overlap.exposed)),
    Column::new("overlapped_ps", |row| Time(row.overlap.overlapped)),
    Column::json("overlap_pct", |row| Value::maybe(row.overlap.share(), Percent)),
    Column::json("waited_ps", |row| Time(row.overlap.waited)),
    Column::json("wall_ps", |row| Time(row.wall)),
    Column::new("alg_gbps", |row| Value::maybe(row.alg_rate, Bandwidth)),
    Column::new("bus_gbps", |row| Value::maybe(row.bus_rate, Bandwidth)),
    Column::json("peak_gbps", |row| Value::maybe(row.peak, Bandwidth)),
    Column::new("util", |row| Value::maybe(row.util, Number)),
];

/// The fields of an [`Overlap`].
const OVERLAP: &[Column<Overlap>] = &[
    Column::new("in_flight_ps", |row| Time(row.in_flight)),
    Column::new("exposed_ps", |row| Time(row.exposed)),
    Column::new("overlapped_ps", |row| Time(row.overlapped)),
    Column::new("overlap_pct", |row| Value::maybe(row.share(), Percent)),
    Column::new("waited_ps", |row| Time(row.waited)),
];

/// The fields of a [`Remainder`].
const REMAINDER: &[Column<Remainder>] = &[
    Column::new("data_movement_ps", |row| Time(row.data_movement)),
    Column::new("communication_ps", |row| Time(row.communication)),
    Column::new("other_ps", |row| Time(row.other)),
    Column::new("idle_ps", |row| Time(row.idle)),
];

/// The sums of a kind of traffic.
pub const TRAFFIC: &[Column<Traffic>] = &[
    Column::new("n_executions", |row| Count(row.n)),
    Column::new("stall_ps", |row| Time(row.stall)),
    Column::new("issue_ps", |row| Time(row.issue)),
    Column::new("fused_ps", |row| Time(row.fused)),
    Column::json_fields(|row| Value::record(OVERLAP, &row.overlap)),
    Column::new("bytes", |row| Count(row.bytes)),
    Column::new("n_unsized", |row| Count(row.n_unsized)),
];

/// The columns of steps. `rest` is the time of the step without compute and without a collective in flight; `dma` and `dma_rest`
/// are the same for copies. A report has no rest.
pub const STEPS: &[Column<StepComm>] = &[
    Column::new("step", |row| Count(row.number)),
    Column::new("duration_ps", |row| Time(row.duration)),
    Column::new("compute_busy_ps", |row| Time(row.compute_busy)),
    Column::new("idle_ps", |row| Time(row.idle)),
    Column::json_fields(|row| Value::record(OVERLAP, &row.collectives)),
    Column::json("rest", |row| Value::maybe(row.beside_collectives.as_ref(), |rest| Value::record(REMAINDER, rest))),
    Column::json("dma", |row| Value::record(OVERLAP, &row.copies)),
    Column::json("dma_rest", |row| Value::maybe(row.beside_copies.as_ref(), |rest| Value::record(REMAINDER, rest))),
];

/// The columns of devices that wait for each other. A report has no waits.
pub const ARRIVALS: &[Column<Arrival>] = &[
    Column::new("device", |row| Value::text(&row.device)),
    Column::new("n_last", |row| Count(row.n_last)),
    Column::new("n_executions", |row| Count(row.n)),
    Column::new("late_ps", |row| Time(row.late)),
    Column::new("waited_ps", |row| Value::maybe(row.waited, Time)),
];

/// The columns of collectives with arrival skew.
pub const ARRIVAL_SPREADS: &[Column<ArrivalSpread>] = &[
    Column::new("op", |row| Value::text(&row.op)),
    Column::new("program_id", |row| Value::maybe(row.program_id, Id)),
    Column::new("n_executions", |row| Count(row.n)),
    Column::new("n_devices", |row| Count(row.n_devices.into())),
    Column::new("total_spread_ps", |row| Time(row.total)),
    Column::new("max_spread_ps", |row| Time(row.max)),
    Column::new("straggler", |row| Value::maybe_text(row.straggler.as_deref())),
    Column::new("n_last", |row| Count(row.n_last)),
];

/// The fields of a [`Pairing`].
pub const PAIRING: &[Column<Pairing>] = &[
    Column::new("from_async_line", |row| Count(row.from_line)),
    Column::new("from_flows", |row| Count(row.from_flow)),
    Column::new("from_starts_and_dones", |row| Count(row.from_ops)),
    Column::new("synchronous", |row| Count(row.sync)),
    Column::new("unpaired", |row| Count(row.unpaired)),
    Column::new("unpaired_pct", |row| Value::maybe(row.unpaired_ratio(), Percent)),
    Column::new("other", |row| Count(row.other)),
    Column::new("device_clock", |row| Flag(row.device_clock)),
];

/// The fields of a [`LinkPeak`].
pub const LINK: &[Column<LinkPeak>] = &[
    Column::new("chip", |row| Value::text(&row.chip)),
    Column::new("one_way_gbps", |row| Bandwidth(row.one_way)),
    Column::new("source", |row| Value::text(&row.source)),
    Column::new("devices_per_chip", |row| Count(row.devices_per_chip.into())),
];
