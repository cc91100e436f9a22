//! This module visits communication: sums, rows, steps, and the balance of the devices.

use super::visit::{Number, Text, Visit, VisitResult, each};
use super::{defaults, origin};
use crate::analysis::comm::{
    Arrival, CommRow, Core, DcnCollective, DeviceBalance, DeviceGroup, Execution, LinkPeak, Network, Overlap, Pairing,
    Primitive, PrimitiveSums, Role, StepComm, Traffic,
};
use crate::share::report::CommPart;
use xla_profile::units::Count;

pub(super) fn comm(v: &mut dyn Visit, part: &mut CommPart) -> VisitResult {
    let sums = &mut part.comm;
    traffic(v, &mut sums.tensor)?;
    v.present(&mut sums.sparse, Traffic::default)?;
    if let Some(sparse) = &mut sums.sparse {
        traffic(v, sparse)?;
    }
    traffic(v, &mut sums.copies)?;
    rows(v, &mut sums.rows)?;
    rows(v, &mut sums.copy_rows)?;
    v.rows(&mut sums.primitives, defaults::primitive)?;
    each(&mut sums.primitives, |sums: &mut PrimitiveSums| {
        v.one_of(&mut sums.primitive, &Primitive::ALL)?;
        network(v, &mut sums.network)?;
        v.one_of(&mut sums.core, &Core::ALL)?;
        traffic(v, &mut sums.traffic)?;
        v.texts(&mut sums.flags, Text::Word)
    })?;
    if v.version() >= 6 {
        dcn(v, &mut sums.dcn)?;
    }
    steps(v, &mut sums.steps)?;
    v.present(&mut sums.balance, DeviceBalance::default)?;
    if let Some(own_balance) = &mut sums.balance {
        balance(v, own_balance)?;
    }
    pairing(v, &mut sums.pairing)?;
    v.present(&mut sums.link, || LinkPeak {
        chip: String::new(),
        one_way: 0.0,
        source: String::new(),
        devices_per_chip: 0,
    })?;
    if let Some(link) = &mut sums.link {
        v.string(&mut link.chip, Text::Chip)?;
        v.float(&mut link.one_way, 0.0)?;
        v.string(&mut link.source, Text::Word)?;
        v.small(&mut link.devices_per_chip)?;
    }
    origin::notes(v, &mut sums.notes)?;
    for more in [&mut part.more, &mut part.more_copies] {
        v.small(&mut more.0)?;
        v.time(&mut more.1)?;
    }
    Ok(())
}

/// The time in flight is the sum of the exposed and the overlapped time, so it is not visited.
fn overlap(v: &mut dyn Visit, overlap: &mut Overlap) -> VisitResult {
    v.time(&mut overlap.exposed)?;
    v.time(&mut overlap.overlapped)?;
    v.time_with_usual(&mut overlap.waited, overlap.exposed)
}

fn traffic(v: &mut dyn Visit, traffic: &mut Traffic) -> VisitResult {
    v.executions(&mut traffic.n, Count::ZERO)?;
    v.time(&mut traffic.stall)?;
    v.time(&mut traffic.issue)?;
    v.time(&mut traffic.fused)?;
    overlap(v, &mut traffic.overlap)?;
    v.amount(&mut traffic.bytes)?;
    v.executions(&mut traffic.n_unsized, Count::ZERO)
}

fn rows(v: &mut dyn Visit, rows: &mut Vec<CommRow>) -> VisitResult {
    v.rows(rows, defaults::comm_row)?;
    each(rows, |row| v.string(&mut row.key, Text::Op))?;
    each(rows, |row| v.text(&mut row.op, Some(&row.key), Text::Op))?;
    each(rows, |row| v.optional_one_of(&mut row.primitive, &Primitive::ALL))?;
    each(rows, |row| network(v, &mut row.network))?;
    each(rows, |row| v.text(&mut row.program, None, Text::Program))?;
    each(rows, |row| v.program_id(&mut row.program_id))?;
    each(rows, |row| v.text(&mut row.source, None, Text::Source))?;
    each(rows, |row| v.text(&mut row.scope, None, Text::Scope))?;
    each(rows, |row| v.one_of(&mut row.core, &Core::ALL))?;
    each(rows, |row| v.one_of(&mut row.execution, &Execution::ALL))?;
    each(rows, |row| v.optional_one_of(&mut row.role, &Role::ALL))?;
    each(rows, |row| group(v, &mut row.group))?;
    each(rows, |row| v.small_with_usual(&mut row.n_ops, 1))?;
    each(rows, |row| v.executions(&mut row.n, Count::ONE))?;
    each(rows, |row| v.optional(&mut row.bytes_each))?;
    each(rows, |row| {
        let usual = row.bytes_each.map(|bytes| row.n.times(bytes));
        v.integer(&mut row.bytes, usual, Number::Exact)
    })?;
    each(rows, |row| v.time(&mut row.stall))?;
    each(rows, |row| v.time(&mut row.issue))?;
    each(rows, |row| v.time(&mut row.fused))?;
    each(rows, |row| overlap(v, &mut row.overlap))?;
    each(rows, |row| v.time(&mut row.wall))?;
    each(rows, |row| v.real(&mut row.alg_rate, None))?;
    each(rows, |row| v.real(&mut row.bus_rate, row.alg_rate))?;
    each(rows, |row| v.real(&mut row.peak, None))?;
    each(rows, |row| v.real(&mut row.util, None))
}

/// The network of collectives. Version 5 says only whether it is DCN.
fn network(v: &mut dyn Visit, network: &mut Option<Network>) -> VisitResult {
    if v.version() >= 6 {
        return v.optional_one_of(network, &Network::ALL);
    }
    if v.version() == 5 {
        let mut is_over_dcn = *network == Some(Network::Dcn);
        v.flag(&mut is_over_dcn)?;
        *network = is_over_dcn.then_some(Network::Dcn);
    }
    Ok(())
}

fn dcn(v: &mut dyn Visit, collectives: &mut Vec<DcnCollective>) -> VisitResult {
    v.rows(collectives, defaults::dcn_collective)?;
    each(collectives, |row| {
        v.string(&mut row.rendezvous, Text::Op)?;
        v.string(&mut row.op, Text::Op)?;
        v.text(&mut row.program, None, Text::Program)?;
        v.program_id(&mut row.program_id)?;
        v.one_of(&mut row.primitive, &Primitive::ALL)?;
        v.optional(&mut row.n_slices)?;
        v.executions(&mut row.n, Count::ONE)?;
        v.optional(&mut row.bytes)?;
        v.optional(&mut row.sent)?;
        v.time(&mut row.in_flight)?;
        v.time(&mut row.stall)?;
        v.time(&mut row.exposed)?;
        v.time(&mut row.slack)?;
        v.real(&mut row.peak, None)
    })
}

fn group(v: &mut dyn Visit, group: &mut Option<DeviceGroup>) -> VisitResult {
    v.present(group, defaults::device_group)?;
    let Some(group) = group else { return Ok(()) };
    v.string(&mut group.text, Text::Word)?;
    v.optional(&mut group.size)?;
    v.optional(&mut group.stride)?;
    v.rows(&mut group.first, || 0)?;
    each(&mut group.first, |device| v.exact(device))?;
    v.optional(&mut group.n_groups)?;
    v.text(&mut group.axis, None, Text::Axis)?;
    v.optional_small(&mut group.n_axes)
}

fn steps(v: &mut dyn Visit, steps: &mut Vec<StepComm>) -> VisitResult {
    v.rows(steps, StepComm::default)?;
    each(steps, |step| v.exact(&mut step.number))?;
    each(steps, |step| v.time(&mut step.duration))?;
    each(steps, |step| v.time(&mut step.compute_busy))?;
    each(steps, |step| v.time(&mut step.idle))?;
    each(steps, |step| overlap(v, &mut step.collectives))?;
    each(steps, |step| overlap(v, &mut step.copies))
}

fn balance(v: &mut dyn Visit, balance: &mut DeviceBalance) -> VisitResult {
    v.small(&mut balance.n_steps)?;
    v.real(&mut balance.worst_spread, None)?;
    v.real(&mut balance.mean_spread, None)?;
    v.optional(&mut balance.worst_step)?;
    v.text(&mut balance.slowest, None, Text::Device)?;
    v.rows(&mut balance.devices, defaults::arrival)?;
    each(&mut balance.devices, |arrival: &mut Arrival| {
        v.string(&mut arrival.device, Text::Device)?;
        v.exact(&mut arrival.n_last)?;
        v.exact(&mut arrival.n)?;
        v.time(&mut arrival.late)
    })?;
    v.rows(&mut balance.collectives, defaults::arrival_spread)?;
    each(&mut balance.collectives, |spread| {
        v.string(&mut spread.op, Text::Op)?;
        v.program_id(&mut spread.program_id)?;
        v.exact(&mut spread.n)?;
        v.small(&mut spread.n_devices)?;
        v.time(&mut spread.total)?;
        v.time(&mut spread.max)?;
        v.text(&mut spread.straggler, None, Text::Device)?;
        v.exact(&mut spread.n_last)
    })?;
    v.small(&mut balance.n_unmatched)?;
    if v.version() >= 2 {
        each(&mut balance.devices, |arrival| v.optional_time(&mut arrival.waited))?;
        v.text(&mut balance.critical, None, Text::Device)?;
    }
    Ok(())
}

fn pairing(v: &mut dyn Visit, pairing: &mut Pairing) -> VisitResult {
    let Pairing { from_line, from_flow, from_ops, sync, unpaired, other, device_clock } = pairing;
    for count in [from_line, from_flow, from_ops, sync, unpaired, other] {
        v.exact(count)?;
    }
    v.flag(device_clock)
}
