//! This module writes communication as JSON.

use crate::analysis::base::columns::NOTES;
use crate::analysis::comm::columns::{ARRIVAL_SPREADS, ARRIVALS, COMM, DCN, LINK, PAIRING, STEPS, TRAFFIC};
use crate::analysis::comm::suggested_flags::Flag;
use crate::analysis::comm::{Comm, Core, DeviceBalance, Network, Primitive, PrimitiveSums};
use crate::report::json::first;
use crate::table::{Object, object};
use xla_profile::profile::Note;

/// Returns the JSON of `rooflight comm --json`, with the first `top` entries of each list.
pub fn comm<'a>(head: Object<'a>, comm: &'a Comm, top: usize, notes: &'a [Note]) -> Object<'a> {
    let device_type = comm.header.device_type.as_deref();
    object!(Comm {
        head: OwnFields = head,
        /// Sums of the collectives of the device's own core.
        comm_totals: Object(TRAFFIC) = &comm.tensor,
        /// Sums of the collectives of its SparseCores. Null without SparseCores, and no sum adds it to `comm_totals`.
        sparse_core_totals: Object(TRAFFIC) or null = comm.sparse.as_ref(),
        /// Sums of copies and slices between memories that run beside the core. Synchronous copies are data movement.
        dma: Object(TRAFFIC) = &comm.copies,
        /// The sums by primitive, network and core.
        primitives: List(Own) = comm.primitives.iter().map(|sums| primitive(sums, device_type)),
        /// The collectives, the longest exposed time first.
        rows: Rows(COMM) = first(&comm.rows, top),
        /// The copies, the longest exposed time first.
        dma_rows: Rows(COMM) = first(&comm.copy_rows, top),
        /// The collectives between slices, the longest time in flight first.
        dcn: Rows(DCN) = first(&comm.dcn, top),
        /// All steps.
        steps: Rows(STEPS) = &comm.steps,
        /// The comparison of devices. Null for one device.
        balance: Own or null = comm.balance.as_ref().map(|devices| balance(comm, devices, top)),
        /// The executions by the way in which they were found.
        pairing: Object(PAIRING) = &comm.pairing,
        /// The links of the chip. Null where they are not known.
        link: Object(LINK) or null = comm.link.as_ref(),
        /// Notes on assumptions and on data that is missing.
        notes: Rows(NOTES) = notes,
    })
}

fn primitive<'a>(sums: &'a PrimitiveSums, device_type: Option<&str>) -> Object<'a> {
    let flags = sums.suggestions(device_type);
    object!(PrimitiveSums {
        /// The primitive.
        primitive: Word(Primitive) = sums.primitive,
        /// The network, as in a row.
        network: Word(Network) or null = sums.network,
        /// The core that runs it.
        core: Word(Core) = sums.core,
        traffic: Fields(TRAFFIC) = &sums.traffic,
        /// XLA flags to test on this chip, where the core waits for the primitive. Flags that are known to be on by default, that the
        /// compiler of the chip refuses, or whose chip was not checked are never listed. The capture does not record which flags were
        /// set.
        flags: List(Text) = flags.iter().map(|flag| flag.name),
        /// These flags with the values to set.
        flag_settings: List(Own) = flags.iter().map(flag_setting),
    })
}

fn flag_setting(flag: &Flag) -> Object<'static> {
    object!(FlagSetting {
        /// Name of the flag.
        flag: Text = flag.name,
        /// The value to try.
        value: Text = flag.value,
        /// The default. `auto` where the compiler decides.
        default: Text = flag.default,
        /// The version of the compiler that was checked.
        verified_with: Text = flag.checked_with(),
    })
}

fn balance<'a>(comm: &'a Comm, balance: &'a DeviceBalance, top: usize) -> Object<'a> {
    let straggler = comm.straggler().map(|straggler| {
        object!(Straggler {
            /// Name of the device.
            device: Name(Device) = &straggler.arrival.device,
            /// The median wait of the others − the wait of this device.
            delay_ps: Time = straggler.delay,
            /// The delay as a share of the window.
            pct_of_window: Percent = straggler.share,
        })
    });
    object!(Balance {
        /// Number of steps that several devices have.
        n_steps: Count = balance.n_steps.into(),
        /// The largest spread of a step: (longest − shortest) ÷ mean.
        worst_spread_pct: Percent or null = balance.worst_spread,
        /// The mean spread of a step.
        mean_spread_pct: Percent or null = balance.mean_spread,
        /// The step with the largest spread.
        worst_step: Count or null = balance.worst_step,
        /// The slowest device in that step.
        slowest: Name(Device) or null = balance.slowest.as_deref(),
        /// The device on which the length of a step depends: the one that waits least. Devices whose wait is within 1 % of the window
        /// of the shortest wait count as equal; the first of them is taken. Null where no device is compared.
        critical_device: Name(Device) or null = balance.critical.as_deref(),
        /// The compared devices in the file of the first selected device. The device that waits least is first.
        devices: Rows(ARRIVALS) = &balance.devices,
        /// At most 100 collectives by the skew of their arrivals.
        collectives: Rows(ARRIVAL_SPREADS) = first(&balance.collectives, top),
        /// Number of collectives that cannot be compared, because their groups are unknown or their executions differ in number.
        n_unmatched: Count = balance.n_unmatched.into(),
        /// The device that all others wait for. Null where the delay is at most 1 % of the window.
        straggler: Own or null = straggler,
    })
}
