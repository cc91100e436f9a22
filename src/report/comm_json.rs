//! Communication's JSON. This module knows names and order of fields; computes nothing but percentages and GB/s.

use super::json::HeadJson;
use crate::analysis::comm::flags::Flag;
use crate::analysis::comm::{
    Arrival, ArrivalSpread, Balance, Comm, CommRow, LinkPeak, Overlap, Pairing, Primitive, PrimitiveSums, Remainder,
    Role, StepComm, Traffic,
};
use crate::profile::Note;
use crate::units::Picos;
use serde::Serialize;

/// `rooflight comm --json`.
#[derive(Serialize)]
pub struct CommJson<'a> {
    #[serde(flatten)]
    head: HeadJson<'a>,
    comm_totals: TrafficJson,
    /// Null where the capture has no SparseCore.
    sparse_core_totals: Option<TrafficJson>,
    dma: TrafficJson,
    primitives: Vec<PrimitiveJson>,
    rows: Vec<RowJson<'a>>,
    dma_rows: Vec<RowJson<'a>>,
    steps: Vec<StepJson>,
    balance: Option<BalanceJson<'a>>,
    pairing: PairingJson,
    link: Option<LinkJson<'a>>,
    notes: &'a [Note],
}

#[derive(Serialize)]
pub(super) struct TrafficJson {
    n_executions: u64,
    stall_ps: Picos,
    issue_ps: Picos,
    fused_ps: Picos,
    in_flight_ps: Picos,
    exposed_ps: Picos,
    overlapped_ps: Picos,
    overlap_pct: Option<f64>,
    /// The stall on the clock of the three before it.
    waited_ps: Picos,
    bytes: u64,
    n_unsized: u64,
}

fn percent(of: &Overlap) -> Option<f64> {
    of.share().map(|share| share * 100.0)
}

fn giga(rate: Option<f64>) -> Option<f64> {
    rate.map(|rate| rate / 1e9)
}

impl TrafficJson {
    pub(super) fn new(traffic: &Traffic) -> Self {
        let Traffic { n, stall, issue, fused, overlap, bytes, n_unsized } = traffic;
        Self {
            n_executions: *n,
            stall_ps: *stall,
            issue_ps: *issue,
            fused_ps: *fused,
            in_flight_ps: overlap.in_flight,
            exposed_ps: overlap.exposed,
            overlapped_ps: overlap.overlapped,
            overlap_pct: percent(overlap),
            waited_ps: overlap.waited,
            bytes: *bytes,
            n_unsized: *n_unsized,
        }
    }
}

#[derive(Serialize)]
struct PrimitiveJson {
    primitive: &'static str,
    core: &'static str,
    #[serde(flatten)]
    traffic: TrafficJson,
    flags: Vec<&'static str>,
    flag_settings: Vec<FlagJson>,
}

/// A flag worth trying.
#[derive(Serialize)]
struct FlagJson {
    flag: &'static str,
    value: &'static str,
    /// Null where it was not checked.
    default: Option<&'static str>,
    verified_with: &'static str,
}

impl PrimitiveJson {
    fn new(sums: &PrimitiveSums, device_type: Option<&str>) -> Self {
        let flags = sums.suggestions(device_type);
        let setting = |flag: &Flag| FlagJson {
            flag: flag.name,
            value: flag.value,
            default: flag.default,
            verified_with: flag.checked_with(),
        };
        Self {
            primitive: sums.primitive.key(),
            core: sums.core.key(),
            traffic: TrafficJson::new(&sums.traffic),
            flags: flags.iter().map(|flag| flag.name).collect(),
            flag_settings: flags.iter().map(setting).collect(),
        }
    }
}

#[derive(Serialize)]
struct RowJson<'a> {
    key: &'a str,
    primitive: Option<&'static str>,
    op: Option<&'a str>,
    program: Option<&'a str>,
    program_id: Option<String>,
    source: Option<&'a str>,
    scope: Option<&'a str>,
    core: &'static str,
    sync: &'static str,
    groups: Option<&'a str>,
    group_size: Option<u64>,
    group_stride: Option<u64>,
    first_group: Option<&'a [u64]>,
    n_groups: Option<u64>,
    axis: Option<&'a str>,
    role: Option<&'static str>,
    n_ops: u32,
    n_executions: u64,
    bytes_per_execution: Option<u64>,
    bytes: Option<u64>,
    stall_ps: Picos,
    issue_ps: Picos,
    fused_ps: Picos,
    in_flight_ps: Picos,
    exposed_ps: Picos,
    overlapped_ps: Picos,
    overlap_pct: Option<f64>,
    waited_ps: Picos,
    wall_ps: Picos,
    alg_gbps: Option<f64>,
    bus_gbps: Option<f64>,
    peak_gbps: Option<f64>,
    util: Option<f64>,
}

impl<'a> RowJson<'a> {
    fn new(row: &'a CommRow) -> Self {
        let group = row.group.as_ref();
        Self {
            key: &row.key,
            primitive: row.primitive.map(Primitive::key),
            op: row.op.as_deref(),
            program: row.program.as_deref(),
            program_id: row.program_id.map(|id| id.to_string()),
            source: row.source.as_deref(),
            scope: row.scope.as_deref(),
            core: row.core.key(),
            sync: row.execution.key(),
            groups: group.map(|group| group.text.as_str()),
            group_size: group.and_then(|group| group.size),
            group_stride: group.and_then(|group| group.stride),
            first_group: group.map(|group| group.first.as_slice()),
            n_groups: group.and_then(|group| group.n_groups),
            axis: group.and_then(|group| group.axis.as_deref()),
            role: row.role.map(Role::key),
            n_ops: row.n_ops,
            n_executions: row.n,
            bytes_per_execution: row.bytes_each,
            bytes: row.bytes,
            stall_ps: row.stall,
            issue_ps: row.issue,
            fused_ps: row.fused,
            in_flight_ps: row.overlap.in_flight,
            exposed_ps: row.overlap.exposed,
            overlapped_ps: row.overlap.overlapped,
            overlap_pct: percent(&row.overlap),
            waited_ps: row.overlap.waited,
            wall_ps: row.wall,
            alg_gbps: giga(row.alg_rate),
            bus_gbps: giga(row.bus_rate),
            peak_gbps: giga(row.peak),
            util: row.util,
        }
    }
}

#[derive(Serialize)]
struct OverlapJson {
    in_flight_ps: Picos,
    exposed_ps: Picos,
    overlapped_ps: Picos,
    overlap_pct: Option<f64>,
    waited_ps: Picos,
}

impl OverlapJson {
    fn new(of: &Overlap) -> Self {
        let Overlap { in_flight, exposed, overlapped, waited } = *of;
        Self {
            in_flight_ps: in_flight,
            exposed_ps: exposed,
            overlapped_ps: overlapped,
            overlap_pct: percent(of),
            waited_ps: waited,
        }
    }
}

#[derive(Serialize)]
struct StepJson {
    step: u64,
    duration_ps: Picos,
    compute_busy_ps: Picos,
    idle_ps: Picos,
    #[serde(flatten)]
    collectives: OverlapJson,
    /// The rest of the step: no compute, no collective in flight. Null in a report.
    rest: Option<RemainderJson>,
    dma: OverlapJson,
    /// The same beside copies.
    dma_rest: Option<RemainderJson>,
}

#[derive(Serialize)]
struct RemainderJson {
    data_movement_ps: Picos,
    communication_ps: Picos,
    other_ps: Picos,
    idle_ps: Picos,
}

impl RemainderJson {
    fn new(of: Remainder) -> Self {
        let Remainder { data_movement, communication, other, idle } = of;
        Self { data_movement_ps: data_movement, communication_ps: communication, other_ps: other, idle_ps: idle }
    }
}

impl StepJson {
    fn new(step: &StepComm) -> Self {
        Self {
            step: step.number,
            duration_ps: step.duration,
            compute_busy_ps: step.compute_busy,
            idle_ps: step.idle,
            collectives: OverlapJson::new(&step.collectives),
            rest: step.beside_collectives.map(RemainderJson::new),
            dma: OverlapJson::new(&step.copies),
            dma_rest: step.beside_copies.map(RemainderJson::new),
        }
    }
}

#[derive(Serialize)]
struct BalanceJson<'a> {
    n_steps: u32,
    worst_spread_pct: Option<f64>,
    mean_spread_pct: Option<f64>,
    worst_step: Option<u64>,
    slowest: Option<&'a str>,
    devices: Vec<ArrivalJson<'a>>,
    collectives: Vec<SpreadJson<'a>>,
    n_unmatched: u32,
    straggler: Option<StragglerJson<'a>>,
}

#[derive(Serialize)]
struct StragglerJson<'a> {
    device: &'a str,
    delay_ps: Picos,
    pct_of_window: f64,
}

#[derive(Serialize)]
struct ArrivalJson<'a> {
    device: &'a str,
    n_last: u64,
    n_executions: u64,
    late_ps: Picos,
    /// Null in a report.
    waited_ps: Option<Picos>,
}

#[derive(Serialize)]
struct SpreadJson<'a> {
    op: &'a str,
    program_id: Option<String>,
    n_executions: u64,
    n_devices: u32,
    total_spread_ps: Picos,
    max_spread_ps: Picos,
    straggler: Option<&'a str>,
    n_last: u64,
}

impl<'a> BalanceJson<'a> {
    fn new(comm: &'a Comm, balance: &'a Balance, top: usize) -> Self {
        let arrival = |of: &'a Arrival| ArrivalJson {
            device: &of.device,
            n_last: of.n_last,
            n_executions: of.n,
            late_ps: of.late,
            waited_ps: of.waited,
        };
        let spread = |of: &'a ArrivalSpread| SpreadJson {
            op: &of.op,
            program_id: of.program_id.map(|id| id.to_string()),
            n_executions: of.n,
            n_devices: of.n_devices,
            total_spread_ps: of.total,
            max_spread_ps: of.max,
            straggler: of.straggler.as_deref(),
            n_last: of.n_last,
        };
        Self {
            n_steps: balance.n_steps,
            worst_spread_pct: balance.worst_spread.map(|spread| spread * 100.0),
            mean_spread_pct: balance.mean_spread.map(|spread| spread * 100.0),
            worst_step: balance.worst_step,
            slowest: balance.slowest.as_deref(),
            devices: balance.devices.iter().map(arrival).collect(),
            collectives: balance.collectives.iter().take(top).map(spread).collect(),
            n_unmatched: balance.n_unmatched,
            straggler: comm.straggler().map(|of| StragglerJson {
                device: &of.arrival.device,
                delay_ps: of.delay,
                pct_of_window: of.share * 100.0,
            }),
        }
    }
}

#[derive(Serialize)]
struct PairingJson {
    from_async_line: u64,
    from_flows: u64,
    from_starts_and_dones: u64,
    synchronous: u64,
    unpaired: u64,
    unpaired_pct: Option<f64>,
    other: u64,
    device_clock: bool,
}

impl PairingJson {
    fn new(pairing: &Pairing) -> Self {
        Self {
            from_async_line: pairing.from_line,
            from_flows: pairing.from_flow,
            from_starts_and_dones: pairing.from_ops,
            synchronous: pairing.sync,
            unpaired: pairing.unpaired,
            unpaired_pct: pairing.unpaired_ratio().map(|ratio| ratio * 100.0),
            other: pairing.other,
            device_clock: pairing.device_clock,
        }
    }
}

#[derive(Serialize)]
struct LinkJson<'a> {
    chip: &'a str,
    one_way_gbps: f64,
    source: &'a str,
    devices_per_chip: u32,
}

/// The view, the first `top` of each list.
pub fn comm<'a>(head: HeadJson<'a>, comm: &'a Comm, top: usize, notes: &'a [Note]) -> CommJson<'a> {
    let rows = |rows: &'a [CommRow]| rows.iter().take(top).map(RowJson::new).collect();
    let primitive = |sums: &PrimitiveSums| PrimitiveJson::new(sums, comm.header.device_type.as_deref());
    let link = |link: &'a LinkPeak| LinkJson {
        chip: &link.chip,
        one_way_gbps: link.one_way / 1e9,
        source: &link.source,
        devices_per_chip: link.devices_per_chip,
    };
    CommJson {
        head,
        comm_totals: TrafficJson::new(&comm.tensor),
        sparse_core_totals: comm.sparse.as_ref().map(TrafficJson::new),
        dma: TrafficJson::new(&comm.copies),
        primitives: comm.primitives.iter().map(primitive).collect(),
        rows: rows(&comm.rows),
        dma_rows: rows(&comm.copy_rows),
        steps: comm.steps.iter().map(StepJson::new).collect(),
        balance: comm.balance.as_ref().map(|balance| BalanceJson::new(comm, balance, top)),
        pairing: PairingJson::new(&comm.pairing),
        link: comm.link.as_ref().map(link),
        notes,
    }
}
