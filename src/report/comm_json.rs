//! This module writes communication as JSON. It defines the names and the order of the fields, and computes nothing but
//! percentages and GB/s.

use super::json::{HeadJson, first};
use crate::analysis::comm::columns::{ARRIVAL_SPREADS, ARRIVALS, COMM, DCN, LINK, PAIRING, STEPS, TRAFFIC};
use crate::analysis::comm::flags::Flag;
use crate::analysis::comm::{
    Arrival, ArrivalSpread, Comm, CommRow, DcnCollective, DeviceBalance, LinkPeak, Network, Pairing, PrimitiveSums,
    StepComm, Traffic,
};
use crate::profile::Note;
use crate::table::json::{Row, Rows};
use crate::units::Picos;
use serde::Serialize;

/// The JSON of `rooflight comm --json`.
#[derive(Serialize)]
pub struct CommJson<'a> {
    #[serde(flatten)]
    head: HeadJson<'a>,
    comm_totals: Row<'a, Traffic>,
    /// Null if the capture has no SparseCore.
    sparse_core_totals: Option<Row<'a, Traffic>>,
    dma: Row<'a, Traffic>,
    primitives: Vec<PrimitiveJson<'a>>,
    rows: Rows<'a, CommRow>,
    dma_rows: Rows<'a, CommRow>,
    dcn: Rows<'a, DcnCollective>,
    steps: Rows<'a, StepComm>,
    balance: Option<BalanceJson<'a>>,
    pairing: Row<'a, Pairing>,
    link: Option<Row<'a, LinkPeak>>,
    notes: &'a [Note],
}

#[derive(Serialize)]
struct PrimitiveJson<'a> {
    primitive: &'static str,
    network: Option<&'static str>,
    core: &'static str,
    #[serde(flatten)]
    traffic: Row<'a, Traffic>,
    flags: Vec<&'static str>,
    flag_settings: Vec<FlagJson>,
}

/// An XLA flag that is worth trying.
#[derive(Serialize)]
struct FlagJson {
    flag: &'static str,
    value: &'static str,
    default: &'static str,
    verified_with: &'static str,
}

impl<'a> PrimitiveJson<'a> {
    fn new(sums: &'a PrimitiveSums, device_type: Option<&str>) -> Self {
        let flags = sums.suggestions(device_type);
        let setting = |flag: &Flag| FlagJson {
            flag: flag.name,
            value: flag.value,
            default: flag.default,
            verified_with: flag.checked_with(),
        };
        Self {
            primitive: sums.primitive.key(),
            network: sums.network.map(Network::key),
            core: sums.core.key(),
            traffic: traffic(&sums.traffic),
            flags: flags.iter().map(|flag| flag.name).collect(),
            flag_settings: flags.iter().map(setting).collect(),
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
    critical_device: Option<&'a str>,
    devices: Rows<'a, Arrival>,
    collectives: Rows<'a, ArrivalSpread>,
    n_unmatched: u32,
    straggler: Option<StragglerJson<'a>>,
}

#[derive(Serialize)]
struct StragglerJson<'a> {
    device: &'a str,
    delay_ps: Picos,
    pct_of_window: f64,
}

impl<'a> BalanceJson<'a> {
    fn new(comm: &'a Comm, balance: &'a DeviceBalance, top: usize) -> Self {
        Self {
            n_steps: balance.n_steps,
            worst_spread_pct: balance.worst_spread.map(|spread| spread * 100.0),
            mean_spread_pct: balance.mean_spread.map(|spread| spread * 100.0),
            worst_step: balance.worst_step,
            slowest: balance.slowest.as_deref(),
            critical_device: balance.critical.as_deref(),
            devices: Rows { columns: ARRIVALS, rows: &balance.devices },
            collectives: Rows { columns: ARRIVAL_SPREADS, rows: first(&balance.collectives, top) },
            n_unmatched: balance.n_unmatched,
            straggler: comm.straggler().map(|of| StragglerJson {
                device: &of.arrival.device,
                delay_ps: of.delay,
                pct_of_window: of.share * 100.0,
            }),
        }
    }
}

/// Returns communication as JSON, with the first `top` entries of each list.
pub fn comm<'a>(head: HeadJson<'a>, comm: &'a Comm, top: usize, notes: &'a [Note]) -> CommJson<'a> {
    let device_type = comm.header.device_type.as_deref();
    CommJson {
        head,
        comm_totals: traffic(&comm.tensor),
        sparse_core_totals: comm.sparse.as_ref().map(traffic),
        dma: traffic(&comm.copies),
        primitives: comm.primitives.iter().map(|sums| PrimitiveJson::new(sums, device_type)).collect(),
        rows: Rows { columns: COMM, rows: first(&comm.rows, top) },
        dma_rows: Rows { columns: COMM, rows: first(&comm.copy_rows, top) },
        dcn: Rows { columns: DCN, rows: first(&comm.dcn, top) },
        steps: Rows { columns: STEPS, rows: &comm.steps },
        balance: comm.balance.as_ref().map(|balance| BalanceJson::new(comm, balance, top)),
        pairing: Row { columns: PAIRING, row: &comm.pairing },
        link: comm.link.as_ref().map(|link| Row { columns: LINK, row: link }),
        notes,
    }
}

/// Returns the sums of one kind of traffic as an object.
pub(super) fn traffic(row: &Traffic) -> Row<'_, Traffic> {
    Row { columns: TRAFFIC, row }
}
