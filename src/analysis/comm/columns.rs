//! This module declares the columns of the communication tables.

use super::dcn::DcnCollective;
use super::imbalance::{Arrival, ArrivalSpread};
use super::report::{CommRow, DeviceGroup, LinkPeak, Overlap, Pairing, Remainder, StepComm, Traffic};
use crate::analysis::breakdown::is_unrated;
use crate::analysis::classify::network::Network;
use crate::analysis::classify::primitive::{Core, Execution, Primitive, Role};
use crate::table::columns;
use crate::table::format::bytes_text;
use crate::table::page::{Name, row_key};
use crate::table::shown::{Format, RowTip, Shown, Table, TipLine};
use xla_profile::units::Picos;

columns! {
    /// The columns of collectives and copies, in the order of JSON and CSV. Fields are null where the ops of a row differ.
    pub COMM(row: CommRow) {
        /// Name of the row: the op, or what its ops have in common.
        key: Name(Op) = &row.key,
        /// The primitive. In `dma_rows` it is `copy` or `slice`.
        primitive: Word(Primitive) or null in json csv table = row.primitive,
        /// `DCN` for transfers between slices of TPUs over the data center network, whose primitive is that of the transfer. `ICI` for
        /// other collectives of TPUs, and `chip` within one chip. For GPUs it is `NVLink`, `Infinity Fabric` or `PCIe` within a host,
        /// by the model, and `network` between hosts. Copies from and to the memory of the host have `PCIe`, and collectives of CPUs
        /// `host`. Null where it is unknown, and for copies within a device.
        network: Word(Network) or null = row.network,
        /// The op. An asynchronous pair has the name of its start.
        op: Name(Op) or null in json table = row.op.as_deref(),
        /// The program.
        program: Name(Program) or null in json table = row.program.as_deref(),
        /// Id of the program in the capture, as decimal digits.
        program_id: ProgramId or null in json csv table = row.program_id,
        /// The innermost source line.
        source: Removed or null in json csv table = row.source.as_deref(),
        /// The scope path.
        scope: Name(Scope) or null in json table = row.scope.as_deref(),
        /// The core that runs it.
        core: Word(Core) in json csv table = row.core,
        /// How it is executed: `fused` computes and communicates at once.
        sync: Word(Execution) in json csv table = row.execution,
        /// The groups of devices, as HLO writes them.
        groups: Name(Axis) or null in json csv table = row.group.as_ref().map(|group| &group.text),
        /// Devices in a group.
        group_size: Count or null in json csv table = row.group.as_ref().and_then(|group| group.size),
        /// Distance between neighbours of a group.
        group_stride: Count or null in json table = row.group.as_ref().and_then(|group| group.stride),
        /// The devices of the first group, at most 16.
        first_group: List(Count) or null in json = row.group.as_ref().map(|group| group.first.iter().copied()),
        /// Number of groups.
        n_groups: Count or null in json table = row.group.as_ref().and_then(|group| group.n_groups),
        /// The axes along which a group extends: of the mesh of `--mesh`, else of the topology, else of a mesh that HLO names.
        axis: Name(Axis) or null in json csv table = row.group.as_ref().and_then(|group| group.axis.as_deref()),
        /// The likely role in training, a guess from the primitive.
        role: Word(Role) or null in json table = row.role,
        /// Number of ops of the row.
        n_ops: Count in json = row.n_ops.into(),
        /// Executions that start in the window. A mean may be a fraction. 0 for ops whose other halves are outside of the capture.
        n_executions: Executions in json csv table = row.n,
        /// Bytes of the message of one execution, from shapes: the result of an all-gather, broadcast, recv, copy or slice, and the
        /// operands of all others. Null for unknown collectives.
        bytes_per_execution: Bytes or null in json csv table = row.bytes_each,
        /// Bytes of all messages.
        bytes: Bytes or null in json csv table = row.bytes,
        /// Self time of `-done` halves and of synchronous ops, on the clock of `breakdown`: compute waits.
        stall_ps: Time in json csv table = row.stall,
        /// Self time of `-start` and `-update` halves.
        issue_ps: Time in json table = row.issue,
        /// Self time of ops that compute and communicate at once.
        fused_ps: Time in json table = row.fused,
        /// Length of the union of the times in flight.
        in_flight_ps: Time in json csv table = row.overlap.in_flight,
        /// The part of `in_flight_ps` in which the same core computes nothing.
        exposed_ps: Time in json csv table = row.overlap.exposed,
        /// The other part of `in_flight_ps`.
        overlapped_ps: Time in json csv table = row.overlap.overlapped,
        /// `overlapped_ps` as a share of `in_flight_ps`.
        overlap_pct: Percent or null in json = row.overlap.share(),
        /// The stall, on the clock of `in_flight_ps`.
        waited_ps: Time in json table = row.overlap.waited,
        /// Sum of the lengths of the executions that start in the window. The window does not cut them.
        wall_ps: Time in json table = row.wall,
        /// Algorithm bandwidth in 10⁹ bytes per second: bytes ÷ wall time. Null where executions take less than 100 ns on average.
        alg_gbps: Bandwidth or null in json csv table = row.alg_rate,
        /// Bus bandwidth in 10⁹ bytes per second: `alg_gbps` × 2(N−1)/N for an all-reduce, × (N−1)/N for an all-gather, a
        /// reduce-scatter and an all-to-all, × 1 for other primitives. Copies and unknown collectives have none.
        bus_gbps: Bandwidth or null in json csv table = row.bus_rate,
        /// Bandwidth of the network for one device in one direction. For ICI it is that of one link, × 2 with `--wrap`, × the number of
        /// axes. For DCN it is as published or `--dcn`, for NVLink half of the published sum of both directions, for Infinity Fabric
        /// that of one link × the number of other devices of the group, for PCIe that of its generation, and for a network between
        /// hosts `--network`.
        peak_gbps: Bandwidth or null in json = row.peak,
        /// `bus_gbps` ÷ `peak_gbps`, and `alg_gbps` ÷ `peak_gbps` for copies. Null for ICI without a topology.
        util: Number or null = row.util,
        share: Time in page = row.stall,
        executions: Executions or null in page = (!row.is_unpaired()).then_some(row.n),
        rate: Bandwidth or null in page = row.rate(),
        primitive_core: Text or null in page = {
            let core = if row.core == Core::Sparse && row.network != Some(Network::Dcn) { ", SparseCore" } else { "" };
            row.primitive_text().map(|primitive| primitive + core)
        },
        axes: Text or null in page = row.group.as_ref().map(|group| without_mesh(&group.text)),
        likely_role: Text or null in page = row.role.map(|role| role.label().trim_start_matches("likely ")),
        several_ops: Count or null in page = (row.n_ops > 1).then(|| row.n_ops.into()),
        execution: Text in page = row.execution.label(),
        group_text: Text or null in page = row.group.as_ref().and_then(size_and_stride),
        unpaired: Text or null in page =
            row.is_unpaired().then_some("none: the capture has only one half of each pair"),
        fused_part: Time or null in page = (row.fused > Picos::ZERO).then_some(row.fused),
        too_short: Text or null in page =
            (row.n > 0 && is_unrated(row.wall, row.n)).then_some("less than 100 ns per execution"),
        // Collectives of TPUs go over ICI, unless a row says otherwise.
        unusual_network: Word(Network) or null in page = row.network.filter(|network| *network != Network::Ici),
        above_peak: Text or null in page = row
            .is_above_peak()
            .then_some("check the topology and its wrap-around links, or more links carry it"),
    }
}

/// Returns the size of a group, and its stride unless that is 1: "8, every 4".
fn size_and_stride(group: &DeviceGroup) -> Option<String> {
    let stride = group.stride.filter(|stride| *stride != 1);
    let every = stride.map_or_else(String::new, |stride| format!(", every {stride}"));
    group.size.map(|size| format!("{size}{every}"))
}

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

columns! {
    /// The columns of collectives between slices.
    pub DCN(row: DcnCollective) {
        /// Name of the transfer in the Megascale runtime.
        rendezvous: Name(Op) = &row.rendezvous,
        /// The send of the transfer.
        op: Name(Op) = &row.op,
        /// The program.
        program: Name(Program) or null = row.program.as_deref(),
        /// Id of the program in the capture, as decimal digits.
        program_id: ProgramId or null = row.program_id,
        /// What the transfer does.
        primitive: Word(Primitive) = row.primitive,
        /// Number of slices of the target in the program. Null if it is unknown.
        n_slices: Count or null = row.n_slices,
        /// Executions that start in the window. All other fields are means of one execution.
        n_executions: Executions = row.n,
        /// Bytes of the result.
        message_bytes: Bytes or null = row.bytes,
        /// Bytes that a device sends for n slices: 2(n−1)/n of the message for an all-reduce, (n−1)/n for an all-gather and an
        /// all-to-all, n−1 for a reduce-scatter, and 1 for a permute. Where n is unknown it is 2.
        sent_bytes: Bytes or null = row.sent,
        /// Whether the number of slices is unknown: `sent_bytes` and the rates are then at least what they say.
        sent_is_at_least: Flag = row.is_at_least(),
        /// Time from the start of the send to the end of the wait for the result.
        in_flight_ps: Time = row.in_flight,
        /// Self time of the four ops.
        stall_ps: Time = row.stall,
        /// Time in flight without compute.
        exposed_ps: Time = row.exposed,
        /// Time from the start of the send to the start of the wait for the result, without ops of the runtime: the work that is
        /// scheduled meanwhile.
        slack_ps: Time = row.slack,
        /// Bytes sent ÷ the time in flight.
        gbps: Bandwidth or null = row.rate(),
        /// Bandwidth of the network for one device.
        peak_gbps: Bandwidth or null = row.peak,
        /// `gbps` ÷ `peak_gbps`.
        util: Number or null = row.util(),
        /// Bytes sent ÷ the slack: the bandwidth at which the scheduled work would hide the transfer. Null where nothing is scheduled.
        gbps_to_hide: Bandwidth or null = row.rate_to_hide(),
        /// Bytes sent ÷ the bandwidth of the network.
        time_at_peak_ps: Time or null = row.time_at_peak(),
        /// The part of `time_at_peak_ps` that the slack does not cover.
        missing_work_ps: Time or null = row.missing_work(),
    }

    /// The fields of an [`Overlap`].
    OVERLAP(row: Overlap) {
        /// Length of the union of the times in flight.
        in_flight_ps: Time = row.in_flight,
        /// The part of `in_flight_ps` in which the same core computes nothing.
        exposed_ps: Time = row.exposed,
        /// The other part of `in_flight_ps`.
        overlapped_ps: Time = row.overlapped,
        /// `overlapped_ps` as a share of `in_flight_ps`.
        overlap_pct: Percent or null = row.share(),
        /// The stall, on the clock of `in_flight_ps`.
        waited_ps: Time = row.waited,
    }

    /// The fields of a [`Remainder`].
    REMAINDER(row: Remainder) {
        /// Time of data movement.
        data_movement_ps: Time = row.data_movement,
        /// Time of communication.
        communication_ps: Time = row.communication,
        /// Time of other ops.
        other_ps: Time = row.other,
        /// Time without an op.
        idle_ps: Time = row.idle,
    }

    /// The sums of one traffic.
    pub TRAFFIC(row: Traffic) {
        /// Executions that start in the window.
        n_executions: Executions = row.n,
        /// Self time of `-done` halves and of synchronous collectives, on the clock of `breakdown`.
        stall_ps: Time = row.stall,
        /// Self time of `-start` and `-update` halves.
        issue_ps: Time = row.issue,
        /// Self time of ops that compute and communicate at once. For `comm_totals`, `stall_ps`, `issue_ps` and `fused_ps` sum to
        /// `comm_duration_ps`.
        fused_ps: Time = row.fused,
        fields: Fields(OVERLAP) in json = &row.overlap,
        /// Bytes of the executions with a known size.
        bytes: Bytes = row.bytes,
        /// Number of the executions without a known size.
        n_unsized: Executions = row.n_unsized,
    }

    /// The columns of steps. `rest` is the time of the step without compute and without a collective in flight. `dma` and
    /// `dma_rest` are the same values for copies. A report holds no `rest` and no `dma_rest`.
    pub STEPS(row: StepComm) {
        /// Number of the step.
        step: Count = row.number,
        /// Length of the step.
        duration_ps: Time = row.duration,
        /// Time with compute.
        compute_busy_ps: Time = row.compute_busy,
        /// Time without any op.
        idle_ps: Time = row.idle,
        fields: Fields(OVERLAP) in json = &row.collectives,
        /// The time in which the core computes nothing and has no collective in flight. Null for a report.
        rest: Object(REMAINDER) or null in json = row.beside_collectives.as_ref(),
        /// The times in flight of copies.
        dma: Object(OVERLAP) in json = &row.copies,
        /// The time in which the core computes nothing and has no copy in flight. Null for a report.
        dma_rest: Object(REMAINDER) or null in json = row.beside_copies.as_ref(),
    }

    /// The columns of devices that wait for each other. A report holds no waits.
    pub ARRIVALS(row: Arrival) {
        /// Name of the device.
        device: Name(Device) = &row.device,
        /// Executions at which the device arrives last.
        n_last: Count = row.n_last,
        /// Compared executions, without permutes.
        n_executions: Count = row.n,
        /// Sum of the delays of its last arrivals after the second to last device.
        late_ps: Time = row.late,
        /// Sum, over the executions, of the time that the core waits minus the shortest wait in the group. A collective ends for the whole
        /// group at once, so the last device to arrive waits 0, and no clocks are compared. The core waits for the whole length of a
        /// synchronous collective, and for the done of an asynchronous one. Null for a report.
        waited_ps: Time or null = row.waited,
    }

    /// The columns of collectives with arrival skew.
    pub ARRIVAL_SPREADS(row: ArrivalSpread) {
        /// The collective.
        op: Name(Op) = &row.op,
        /// Id of the program in the capture, as decimal digits.
        program_id: ProgramId or null = row.program_id,
        /// Number of compared executions.
        n_executions: Count = row.n,
        /// Number of devices.
        n_devices: Count = row.n_devices.into(),
        /// Sum of the differences between the longest and the shortest wait.
        total_spread_ps: Time = row.total,
        /// The largest of these differences.
        max_spread_ps: Time = row.max,
        /// The device that is last most often. Null if there is none.
        straggler: Name(Device) or null = row.straggler.as_deref(),
        /// The executions at which that device is last.
        n_last: Count = row.n_last,
    }

    /// The fields of a [`Pairing`].
    pub PAIRING(row: Pairing) {
        /// Asynchronous executions from one event of the async line.
        from_async_line: Count = row.from_line,
        /// Asynchronous executions from several events of one flow.
        from_flows: Count = row.from_flow,
        /// Asynchronous executions from a start and a done on the line of ops.
        from_starts_and_dones: Count = row.from_ops,
        /// Synchronous executions.
        synchronous: Count = row.sync,
        /// Halves without their other half.
        unpaired: Count = row.unpaired,
        /// These halves as a share of all asynchronous executions.
        unpaired_pct: Percent or null = row.unpaired_ratio(),
        /// Asynchronous work that is neither a collective nor a copy.
        other: Count = row.other,
        /// Whether the device's own clock is used, and not the event clock.
        device_clock: Flag = row.device_clock,
    }

    /// The fields of a [`LinkPeak`].
    pub LINK(row: LinkPeak) {
        /// Name of the chip.
        chip: Name(Chip) = &row.chip,
        /// Bandwidth of one link in one direction.
        one_way_gbps: Bandwidth = row.one_way,
        /// Where the figure comes from.
        source: Text = &row.source,
        /// Devices of a chip.
        devices_per_chip: Count = row.devices_per_chip.into(),
    }
}
