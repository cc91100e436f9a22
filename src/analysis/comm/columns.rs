//! This module declares the columns of the communication tables.

use super::dcn::DcnCollective;
use super::imbalance::{Arrival, ArrivalSpread};
use super::report::{CommRow, DeviceGroup, LinkPeak, Overlap, Pairing, Remainder, StepComm, Traffic};
use crate::analysis::breakdown::is_unrated;
use crate::analysis::classify::network::Network;
use crate::analysis::classify::primitive::{Core, Primitive, Role};
use crate::table::Column;
use crate::table::Value::{self, Absent, Bandwidth, Bytes, Count, Executions, Flag, Id, Number, Percent, Time, Word};
use crate::table::format::bytes_text;
use crate::table::page::{Name, row_key};
use crate::table::shown::{Format, RowTip, Shown, Table, TipLine};
use crate::units::Picos;

fn group(row: &CommRow, value: impl FnOnce(&DeviceGroup) -> Value<'_>) -> Value<'_> {
    row.group.as_ref().map_or(Absent, value)
}

/// The columns of collectives and copies, in the order of JSON and CSV.
pub const COMM: &[Column<CommRow>] = &[
    Column::new("key", |row| Value::text(&row.key)),
    Column::new("primitive", |row| Value::maybe(row.primitive.map(Primitive::key), Word)),
    Column::new("network", |row| Value::maybe(row.network.map(Network::key), Word)),
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
    Column::new("n_executions", |row| Executions(row.n)),
    Column::new("bytes_per_execution", |row| Value::maybe(row.bytes_each, Bytes)),
    Column::new("bytes", |row| Value::maybe(row.bytes, Bytes)),
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
    Column::shown("share", |row| Time(row.stall)),
    Column::shown("executions", |row| if row.is_unpaired() { Absent } else { Executions(row.n) }),
    Column::shown("rate", |row| Value::maybe(row.rate(), Bandwidth)),
    Column::shown("primitive_core", |row| {
        let core = if row.core == Core::Sparse && row.network != Some(Network::Dcn) { ", SparseCore" } else { "" };
        Value::maybe(row.primitive_text(), |primitive| Value::Text((primitive + core).into()))
    }),
    Column::shown("axes", |row| group(row, |group| Value::text(without_mesh(&group.text)))),
    Column::shown("likely_role", |row| {
        Value::maybe_text(row.role.map(|role| role.label().trim_start_matches("likely ")))
    }),
    Column::shown("several_ops", |row| if row.n_ops > 1 { Count(row.n_ops.into()) } else { Absent }),
    Column::shown("execution", |row| Value::text(row.execution.label())),
    Column::shown("group_text", |row| {
        group(row, |group| {
            let stride = group.stride.filter(|stride| *stride != 1);
            let every = stride.map_or_else(String::new, |stride| format!(", every {stride}"));
            Value::maybe(group.size, |size| Value::Text(format!("{size}{every}").into()))
        })
    }),
    Column::shown("unpaired", |row| {
        if row.is_unpaired() { Value::text("none: the capture has only one half of each pair") } else { Absent }
    }),
    Column::shown("fused_part", |row| if row.fused > Picos::ZERO { Time(row.fused) } else { Absent }),
    Column::shown("too_short", |row| {
        let is_short = row.n > 0 && is_unrated(row.wall, row.n);
        if is_short { Value::text("less than 100 ns per execution") } else { Absent }
    }),
    // Collectives of TPUs go over ICI, unless a row says otherwise.
    Column::shown("unusual_network", |row| {
        Value::maybe(row.network.filter(|network| *network != Network::Ici).map(Network::key), Word)
    }),
    Column::shown("above_peak", |row| {
        if row.is_above_peak() {
            Value::text("check the topology and its wrap-around links, or more links carry it")
        } else {
            Absent
        }
    }),
];

/// Returns the text of groups without the mesh in front: `{'data'}` of `mesh['data'=2,'model'=4] {'data'}`.
fn without_mesh(groups: &str) -> &str {
    let axes = groups.strip_prefix("mesh[").and_then(|rest| rest.rsplit_once(' '));
    axes.map_or(groups, |(_, axes)| axes)
}

/// The table of collectives, which also shows copies.
pub const COMM_TABLE: Table<CommRow> = Table {
    columns: COMM,
    shown: &[
        Shown::name("key", "Collective"),
        Shown::new("stall_ps", "Stall", Format::Time, 9, 0).in_unit_of("in_flight_ps").with_total(),
        Shown::new("share", "Step", Format::Share, 11, 1).with_total(),
        Shown::new("primitive_core", "Primitive", Format::Text, 16, 2),
        Shown::new("axes", "Groups", Format::Mono, 15, 7).stretching(),
        Shown::new("axis", "Axis", Format::Text, 9, 9),
        Shown::new("executions", "Count", Format::Count, 6, 8).with_total(),
        Shown::new("in_flight_ps", "In flight", Format::Time, 10, 3),
        Shown::new("exposed_ps", "Exposed", Format::Time, 12, 11).in_unit_of("in_flight_ps"),
        Shown::new("overlap_pct", "Overlap", Format::FractionBar, 12, 4),
        Shown::new("bytes_per_execution", "Message", Format::Mib, 11, 6),
        Shown::new("rate", "Bus", Format::Gbps, 9, 5),
        Shown::new("util", "% of peak", Format::OfPeak, 10, 12),
        Shown::new("likely_role", "Likely role", Format::Soft, 21, 10).stretching(),
        Shown::new("source", "Source", Format::Soft, 18, 13).stretching(),
    ],
    tips: &[RowTip::of_all(&[
        TipLine::new("program", "Program"),
        TipLine::new("several_ops", "Ops"),
        TipLine::new("execution", "Execution"),
        TipLine::new("groups", "Groups"),
        TipLine::new("group_text", "Group size"),
        TipLine::new("first_group", "First group"),
        TipLine::new("axis", "Axis"),
        TipLine::new("unpaired", "Executions"),
        TipLine::new("executions", "Executions"),
        TipLine::new("stall_ps", "Stall"),
        TipLine::new("in_flight_ps", "In flight"),
        TipLine::new("exposed_ps", "Exposed"),
        TipLine::new("overlapped_ps", "Overlapped"),
        TipLine::new("fused_part", "Fused with compute"),
        TipLine::new("bytes_per_execution", "Message"),
        TipLine::new("alg_gbps", "Algorithm bandwidth"),
        TipLine::new("bus_gbps", "Bus bandwidth"),
        TipLine::new("too_short", "No bandwidth"),
        TipLine::new("unusual_network", "Network"),
        TipLine::new("peak_gbps", "Bandwidth of the network"),
        TipLine::new("above_peak", "Above its bandwidth"),
        TipLine::new("scope", "Scope"),
        TipLine::new("source", "Source"),
    ])],
    key: |row| row_key(&row.key, row.program_id),
    name: |row, _| Name {
        text: row.key.clone(),
        mono: row.op.is_some(),
        second: Some((None, second_line(row))),
        ..Name::default()
    },
    mark: |_| None,
    opens: |row| row.op.is_some(),
    parts: |_| Vec::new(),
    nouns: ("row", "rows"),
    default_sort: "stall_ps",
    leaf: &["key", "scope"],
};

/// Returns primitive, groups and message size: the second line of a row on a narrow screen, below the name.
fn second_line(row: &CommRow) -> String {
    let primitive = row.primitive.map(|primitive| primitive.key().to_owned());
    let groups = row.group.as_ref().map(|group| group.text.clone()).filter(|text| !text.is_empty());
    let message = row.bytes_each.map(bytes_text);
    [primitive, groups, message].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The columns of collectives between slices.
pub const DCN: &[Column<DcnCollective>] = &[
    Column::new("rendezvous", |row| Value::text(&row.rendezvous)),
    Column::new("op", |row| Value::text(&row.op)),
    Column::new("program", |row| Value::maybe_text(row.program.as_deref())),
    Column::new("program_id", |row| Value::maybe(row.program_id, Id)),
    Column::new("primitive", |row| Word(row.primitive.key())),
    Column::new("n_slices", |row| Value::maybe(row.n_slices, Count)),
    Column::new("n_executions", |row| Executions(row.n)),
    Column::new("message_bytes", |row| Value::maybe(row.bytes, Bytes)),
    Column::new("sent_bytes", |row| Value::maybe(row.sent, Bytes)),
    Column::new("sent_is_at_least", |row| Flag(row.is_at_least())),
    Column::new("in_flight_ps", |row| Time(row.in_flight)),
    Column::new("stall_ps", |row| Time(row.stall)),
    Column::new("exposed_ps", |row| Time(row.exposed)),
    Column::new("slack_ps", |row| Time(row.slack)),
    Column::new("gbps", |row| Value::maybe(row.rate(), Bandwidth)),
    Column::new("peak_gbps", |row| Value::maybe(row.peak, Bandwidth)),
    Column::new("util", |row| Value::maybe(row.util(), Number)),
    Column::new("gbps_to_hide", |row| Value::maybe(row.rate_to_hide(), Bandwidth)),
    Column::new("time_at_peak_ps", |row| Value::maybe(row.time_at_peak(), Time)),
    Column::new("missing_work_ps", |row| Value::maybe(row.missing_work(), Time)),
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

/// The sums of one traffic.
pub const TRAFFIC: &[Column<Traffic>] = &[
    Column::new("n_executions", |row| Executions(row.n)),
    Column::new("stall_ps", |row| Time(row.stall)),
    Column::new("issue_ps", |row| Time(row.issue)),
    Column::new("fused_ps", |row| Time(row.fused)),
    Column::json_fields(|row| Value::record(OVERLAP, &row.overlap)),
    Column::new("bytes", |row| Bytes(row.bytes)),
    Column::new("n_unsized", |row| Executions(row.n_unsized)),
];

/// The columns of steps. `rest` is the time of the step without compute and without a collective in flight. `dma` and
/// `dma_rest` are the same values for copies. A report holds no `rest` and no `dma_rest`.
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

/// The columns of devices that wait for each other. A report holds no waits.
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
