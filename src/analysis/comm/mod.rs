//! This module reports the communication for which the compute of a device waits.
//!
//! ```text
//!  ops line ──role of an op─► transfers: start, done, or one op ─┐
//!  async line ──flows───────► spans in flight ───────────────────┼─► by op ─► union − compute = exposed ─► rows, steps
//!  ops line ──compute kinds─► merged intervals ──────────────────┘
//! ```
//!
//! A *transfer* (`classify::async_pairs::Transfer`) is a collective or a copy: an async start with its done, or a single op. The
//! stall is the self time of waits. The time in flight is the length of the union of spans. The exposed time is the
//! part of the time in flight without compute, and the overlapped time is the rest. Stall and exposed time differ by
//! idle time and by dones that end later than their transfer, so the report has both. This module depends on ops,
//! programs and chips, and not on pages.

mod accumulator;
mod arrangement;
pub(in crate::analysis) mod async_spans;
mod balance;
mod collective;
pub mod columns;
mod common_ends;
mod core;
mod dcn;
mod executions;
mod imbalance;
mod lanes;
mod networks;
mod notes;
mod op_transfers;
mod peer_waits;
mod query;
mod report;
mod steps;
pub mod suggested_flags;
mod sums;

pub use crate::analysis::classify::network::Network;
pub use crate::analysis::classify::primitive::{Core, Execution, Primitive, Role};
pub use collective::{CollectiveInfo, of_module as message_of};
pub use dcn::DcnCollective;
pub use imbalance::{Arrival, ArrivalSpread, DeviceBalance, Straggler};
pub(in crate::analysis) use op_transfers::OpTransfer;
pub(in crate::analysis) use peer_waits::{PeerWaits, least_wait};
pub use query::{CommBy, CommQuery, LaneQuery, Machine, NamedMesh, NetworkRates, Topology, TransferFilter};
pub use report::{
    Comm, CommLanes, CommRow, DeviceGroup, LaneSpan, LinkPeak, Overlap, Pairing, PrimitiveSums, Remainder, StepComm,
    Traffic,
};

use crate::analysis::base::hardware::devices_per_chip;
use crate::analysis::base::selection::Selection;
use crate::analysis::base::{Analysis, DeviceChoice, Query, StepChoice};
use crate::analysis::data_movement::Programs;
use crate::chip::Chip;
use arrangement::Arrangement;
use core::{CoreWindow, SparsePlanes};
use networks::Networks;
use sums::Sums;
use xla_profile::profile::{Note, NoteCode, Plane, Profile, Severity};
use xla_profile::units::Picos;

impl Analysis {
    /// Reports the communication of the devices and the step of `query`. The grouping and the filter of the inner query
    /// are ignored. `programs` supplies message sizes and device groups that the texts of ops lack.
    pub fn comm(&self, profile: &Profile, query: &CommQuery, programs: Option<Programs<'_>>) -> Comm {
        self.comm_within(profile, query, programs, usize::MAX)
    }

    /// Reports the communication as [`Analysis::comm`] does, but only of the `max_steps` steps with the lowest numbers.
    pub fn comm_within(
        &self,
        profile: &Profile,
        query: &CommQuery,
        programs: Option<Programs<'_>>,
        max_steps: usize,
    ) -> Comm {
        self.comm_and_cores(profile, query, programs, true, max_steps).0
    }

    /// Reports the communication as [`Analysis::comm`] does, but without its steps, and does not compare the devices. Comparing
    /// reads all devices, whatever the query selects. Returns also the compute of steady steps during which no collective is in
    /// flight.
    pub fn comm_without_balance(
        &self,
        profile: &Profile,
        query: &CommQuery,
        programs: Option<Programs<'_>>,
    ) -> (Comm, Picos) {
        let (comm, cores) = self.comm_and_cores(profile, query, programs, false, 0);
        (comm, self.compute_beside_collectives(&cores, query.query.step))
    }

    /// Returns the collectives in flight on the devices' own cores, as [`Analysis::comm`] reports them. The intervals of one
    /// device are held at a time, so that many devices need no more memory than one. `None` if no collective ran.
    pub fn collectives_in_flight(
        &self,
        profile: &Profile,
        query: &CommQuery,
        programs: Option<Programs<'_>>,
    ) -> Option<Overlap> {
        let Selection { slices, step, scale, .. } = self.selection(profile, &query.query);
        let unread = slices.iter().filter_map(|slice| self.unread_core(profile, slice, step));
        let cores: Vec<CoreWindow<'_>> = unread.collect();
        let infos = sums::collective_infos(profile, cores.iter().map(CoreWindow::transfers), programs);
        let arrangement =
            Arrangement { topology: None, mesh: None, devices_per_chip: 1, n_devices: sums::n_devices(&infos) };
        let mut sums = Sums::new(profile, self, query.by, infos, arrangement, Networks::default(), scale);
        for mut core in cores {
            core.timeline = core.read(&self.devices[core.device]);
            sums.add(&core);
        }
        let traffic = sums.traffic(false, Core::Tensor).filter(|traffic| traffic.n > 0)?;
        Some(traffic.overlap)
    }

    fn comm_and_cores<'a>(
        &self,
        profile: &'a Profile,
        query: &CommQuery,
        programs: Option<Programs<'_>>,
        has_balance: bool,
        max_steps: usize,
    ) -> (Comm, Vec<CoreWindow<'a>>) {
        let Selection { header, totals, slices, chosen, step, scale, notes: selection_notes } =
            self.selection(profile, &query.query);
        let tensor_cores = self.tensor_cores(profile, &slices, step);
        let sparse = SparsePlanes::new(profile);
        let sparse_cores: Vec<CoreWindow<'_>> =
            slices.iter().flat_map(|slice| self.sparse_cores(profile, &sparse, slice.device, step, scale)).collect();
        let all_cores = tensor_cores.iter().chain(&sparse_cores);
        let infos = sums::collective_infos(profile, all_cores.map(CoreWindow::transfers), programs);
        let link = chosen.first().and_then(|index| link_peak(&profile.planes[self.devices[*index].plane]));
        let devices_per_chip = link.as_ref().map_or(1, |link| link.devices_per_chip);
        let on_topology = |topology: &Topology| topology.chips().saturating_mul(devices_per_chip.into());
        let (topology, mesh) = (query.machine.topology.as_ref(), query.machine.mesh.as_ref());
        let n_devices = topology.map(on_topology).or(mesh.map(NamedMesh::devices)).or_else(|| sums::n_devices(&infos));
        let arrangement = Arrangement { topology, mesh, devices_per_chip, n_devices };
        let first = chosen.first().filter(|_| has_balance);
        let balance = first.and_then(|first| self.balance(profile, step, *first, &tensor_cores, &infos));
        let networks = chosen.first().map_or_else(Networks::default, |index| {
            Networks::new(profile, self, *index, (arrangement, link.as_ref()), query.machine.rates)
        });
        let dcn = dcn::collectives(profile, &tensor_cores, &infos, (networks.peak(Network::Dcn, None), scale));
        let mut sums = Sums::new(profile, self, query.by, infos, arrangement, networks, scale);
        tensor_cores.iter().chain(&sparse_cores).for_each(|core_window| sums.add(core_window));
        let pairing = Pairing {
            device_clock: !tensor_cores.is_empty()
                && tensor_cores
                    .iter()
                    .all(|core_window| core_window.timeline.clock == crate::analysis::base::Clock::Device),
            ..sums.pairing
        };
        let topology_facts = notes::TopologyFacts { topology: topology.is_some(), mesh, link: link.is_some() };
        let mut comm = Comm {
            tensor: sums.traffic(false, Core::Tensor).unwrap_or_default(),
            sparse: sums.traffic(false, Core::Sparse),
            copies: sums.traffic(true, Core::Tensor).unwrap_or_default(),
            rows: sums.rows(false),
            copy_rows: sums.rows(true),
            dcn,
            primitives: sums.primitives(),
            steps: self.comm_steps(&tensor_cores, query.query.device, max_steps),
            balance,
            pairing,
            link,
            header,
            totals,
            notes: selection_notes,
        };
        let more = notes::notes(&comm, &tensor_cores, self, &topology_facts);
        comm.notes.extend(more);
        (comm, tensor_cores)
    }

    /// Reports the transfers in flight in one step of one device, in lanes, together with the compute intervals. If the
    /// query selects several devices, the first device is used, and the steady step with the median length for the mean.
    pub fn comm_lanes(&self, profile: &Profile, query: &LaneQuery, programs: Option<Programs<'_>>) -> CommLanes {
        let device = match query.query.device {
            DeviceChoice::Mean | DeviceChoice::All => DeviceChoice::One(0),
            one @ DeviceChoice::One(_) => one,
        };
        let median = match (query.query.step, device) {
            (StepChoice::Mean | StepChoice::Kind(_), DeviceChoice::One(index)) => {
                self.devices.get(index as usize).and_then(|device| device.median_step(query.query.step))
            }
            _ => None,
        };
        let step = median.map_or(query.query.step, |step| StepChoice::Number(step.number));
        let request = Query { device, step, ..query.query.clone() };
        let Selection { header, slices, step, notes, .. } = self.selection(profile, &request);
        let Some(core_window) = slices.first().and_then(|slice| self.tensor_core(profile, slice, step)) else {
            return CommLanes { device: header.device, notes, ..CommLanes::default() };
        };
        let step = if core_window.whole { core_window.timeline.extent() } else { core_window.window.hull() };
        let part = query.part.map_or(step, |(from, to)| {
            let moment = |offset: Picos| step.0.saturating_add(offset.0).min(step.1);
            (moment(from), moment(to).max(moment(from)))
        });
        let max_spans = if query.max_spans == 0 {
            LaneQuery::DEFAULT_MAX_SPANS
        } else {
            query.max_spans.min(10 * LaneQuery::DEFAULT_MAX_SPANS)
        } as usize;
        let infos = sums::collective_infos(profile, [core_window.transfers()], programs);
        let mut lanes = lanes::lanes(profile, &core_window, &infos, (part, step), query.transfers, max_spans);
        (lanes.step, lanes.device, lanes.notes) = (header.step_text(), header.device, notes);
        if lanes.left_out.0 > 0 {
            let message = format!("{} shorter spans are not drawn: a part of the step shows them.", lanes.left_out.0);
            lanes.notes.push(Note::new(Severity::Info, NoteCode::SpansLeftOut, message));
        }
        lanes
    }
}

/// Returns the published bandwidth of the links of the device's chip. `None` if the chip or its links are unknown.
fn link_peak(plane: &Plane) -> Option<LinkPeak> {
    let chip = Chip::named(plane.text_stat("device_type_string")?)?;
    let link = chip.link?;
    Some(LinkPeak {
        chip: chip.name.to_owned(),
        one_way: link.bytes.value,
        source: link.bytes.source.to_owned(),
        devices_per_chip: devices_per_chip(plane, chip),
    })
}
