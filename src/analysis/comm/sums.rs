//! This module adds spans, waits and self times up to rows, primitives and totals. It depends on cores and collectives,
//! and not on steps.
//!
//! Each transfer adds to three sums: its row, its primitive and its traffic. In each sum, the spans in flight are
//! merged per core before compute is subtracted. Two ops of a row that are in flight at the same time therefore count
//! once.

use super::accumulator::{CommAccumulator, CommonValue};
use super::arrangement::Arrangement;
use super::async_spans::SpanOrigin;
use super::collective::{CollectiveInfo, collective_info};
use super::core::CoreWindow;
use super::networks::Networks;
use super::query::CommBy;
use super::report::{CommRow, DeviceGroup, Pairing, PrimitiveSums, Traffic};
use super::suggested_flags::{Target, suggested};
use crate::analysis::base::Analysis;
use crate::analysis::base::scale::Scale;
use crate::analysis::classify::Kind;
use crate::analysis::classify::async_pairs::{AsyncPairs, Transfer, TransferRole};
use crate::analysis::classify::network::Network;
use crate::analysis::classify::primitive::{Core, Execution, Primitive};
use crate::analysis::data_movement::Programs;
use indexmap::IndexMap;
use std::cmp::Reverse;
use std::rc::Rc;
use xla_profile::hlo::ReplicaGroups;
use xla_profile::profile::{Op, OpKey, Plane, Profile, ProgramId, StrId};
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Picos;

/// Facts of a transfer that hold on every device.
#[derive(Default)]
struct TransferFacts {
    info: CollectiveInfo,
    /// The devices that take part, as text and numbers.
    group: Option<DeviceGroup>,
    /// Bytes on hardware links per byte of message; see [`CollectiveInfo::bus_factor`].
    factor: Option<f64>,
    /// The network over which it goes. `None` if it is unknown, and for copies within a device.
    network: Option<Network>,
}

/// The key of a row: whether the row holds copies, the core, the program where rows are ops, and the text of the row.
type RowKey = (bool, Core, Option<ProgramId>, String);

/// Facts of the ops of a row. Each is shown only if all ops of the row agree.
struct RowFacts {
    key: RowKey,
    primitive: CommonValue<Primitive>,
    network: CommonValue<Option<Network>>,
    op: CommonValue<OpKey>,
    source: CommonValue<Option<String>>,
    scope: CommonValue<Option<StrId>>,
    group: CommonValue<Option<DeviceGroup>>,
}

impl RowFacts {
    fn new(key: RowKey) -> Self {
        Self {
            key,
            primitive: CommonValue::default(),
            network: CommonValue::default(),
            op: CommonValue::default(),
            source: CommonValue::default(),
            scope: CommonValue::default(),
            group: CommonValue::default(),
        }
    }
}

/// The accumulators of a transfer (row, primitive, traffic: indices into [`Sums::accumulators`]), with the bytes of its
/// message and its bus factor.
#[derive(Clone, Copy)]
struct TransferSums {
    accumulators: [usize; 3],
    bytes: Option<u64>,
    factor: Option<f64>,
}

/// Adds an accumulator and returns its index.
fn add_accumulator(accumulators: &mut Vec<CommAccumulator>) -> usize {
    accumulators.push(CommAccumulator::default());
    accumulators.len() - 1
}

/// All sums of a [`CommQuery`](super::query::CommQuery).
pub struct Sums<'a> {
    profile: &'a Profile,
    analysis: &'a Analysis,
    by: CommBy,
    /// Facts by transfer. They name all devices of a collective, so its ops on these devices share them.
    facts: IndexMap<OpKey, Rc<TransferFacts>>,
    networks: Networks,
    /// The accumulators. The maps below hold indices into this list.
    accumulators: Vec<CommAccumulator>,
    /// The factor from sums over windows to the figures of the query. Self times have it already.
    scale: Scale,
    rows: IndexMap<RowKey, (RowFacts, usize)>,
    /// By whether they are copies, core, primitive and network.
    primitives: IndexMap<(bool, Core, Primitive, Option<Network>), usize>,
    traffic: IndexMap<(bool, Core), usize>,
    /// Counts of executions by the way in which they were found.
    pub pairing: Pairing,
}

/// Finds the primitive, bytes and device groups of each transfer, once per op of a program, whatever devices run it.
pub fn collective_infos<'a>(
    profile: &Profile,
    cores: impl IntoIterator<Item = (&'a Plane, &'a AsyncPairs)>,
    programs: Option<Programs<'_>>,
) -> IndexMap<OpKey, CollectiveInfo> {
    let mut infos = IndexMap::default();
    for (plane, transfers) in cores {
        for transfer in &transfers.all {
            infos.entry(transfer.named).or_insert_with(|| {
                if let Some(dcn) = &transfer.dcn {
                    return CollectiveInfo::over_dcn(dcn, profile.text(plane.op(dcn.message).text));
                }
                let module = transfer.named.0.and_then(|id| programs.and_then(|module_of| module_of(id)));
                let name = profile.text(transfer.named.1);
                collective_info(profile, plane.op(transfer.op), name, transfer.is_copy, module)
            });
        }
    }
    infos
}

/// Returns the number of devices of a program, as far as its collectives name them. `None` if none of them does, or if
/// the number exceeds [`ReplicaGroups::LIMIT`].
pub fn n_devices(infos: &IndexMap<OpKey, CollectiveInfo>) -> Option<u64> {
    let group_size = |groups: &ReplicaGroups| match groups {
        ReplicaGroups::All => None,
        ReplicaGroups::Iota(iota) => iota.groups.checked_mul(iota.size),
        ReplicaGroups::Mesh(mesh) => mesh.mesh.iter().try_fold(1_u64, |n, (_, size)| n.checked_mul(*size)),
        ReplicaGroups::Lists(lists) => lists.iter().flatten().max().map(|last| last.saturating_add(1)),
        ReplicaGroups::Pairs(pairs) => pairs.iter().map(|(a, b)| a.max(b)).max().map(|last| last.saturating_add(1)),
    };
    infos.iter().filter_map(|(_, info)| group_size(info.groups.as_ref()?)).max().filter(|n| *n <= ReplicaGroups::LIMIT)
}

impl<'a> Sums<'a> {
    /// Creates empty sums. `infos` holds the facts of each transfer, from [`collective_infos`].
    pub fn new(
        profile: &'a Profile,
        analysis: &'a Analysis,
        by: CommBy,
        infos: IndexMap<OpKey, CollectiveInfo>,
        arrangement: Arrangement<'_>,
        networks: Networks,
        scale: Scale,
    ) -> Self {
        let with_group = |(named, info): (OpKey, CollectiveInfo)| {
            let group = info.groups.as_ref().map(|groups| arrangement.group(groups));
            let factor = info.bus_factor(group.as_ref().and_then(|group| group.size));
            let network = networks.network(&info, group.as_ref());
            (named, Rc::new(TransferFacts { info, group, factor, network }))
        };
        Self {
            profile,
            analysis,
            by,
            facts: infos.into_iter().map(with_group).collect(),
            networks,
            accumulators: Vec::new(),
            scale,
            rows: IndexMap::default(),
            primitives: IndexMap::default(),
            traffic: IndexMap::default(),
            pairing: Pairing::default(),
        }
    }

    /// Adds the transfers of a core in the window.
    pub fn add(&mut self, core_window: &CoreWindow<'_>) {
        // A core without transfers has sums of zero. Without this loop, its sums would be absent.
        for is_copy in [false, true] {
            self.traffic_of(is_copy, core_window.core);
        }
        let mut transfer_sums: Vec<Option<TransferSums>> = vec![None; core_window.transfers.all.len()];
        let mut sums_of = |sums: &mut Self, transfer: u32| {
            *transfer_sums[transfer as usize]
                .get_or_insert_with(|| sums.transfer_sums(core_window, &core_window.transfers.all[transfer as usize]))
        };
        for (op, role, transfer) in core_window.transfers.roles() {
            let self_time = Picos(core_window.self_times.get(op.0 as usize).copied().unwrap_or(0));
            if self_time == Picos::ZERO {
                continue;
            }
            let fused = core_window.kinds.get(op.0 as usize) == Some(&Kind::Fused);
            for index in sums_of(self, transfer).accumulators {
                let traffic = &mut self.accumulators[index].traffic;
                let sum = match role {
                    TransferRole::Start | TransferRole::Whole if fused => &mut traffic.fused,
                    TransferRole::Start | TransferRole::Update => &mut traffic.issue,
                    TransferRole::Done | TransferRole::Whole => &mut traffic.stall,
                };
                *sum += self_time;
            }
        }
        for span in &core_window.timeline.spans {
            let starts = core_window.starts(span.interval.0);
            if core_window.clip(span.interval).next().is_none() && !starts {
                continue;
            }
            let TransferSums { accumulators, bytes, factor } = sums_of(self, span.transfer);
            for index in accumulators {
                let accumulator = &mut self.accumulators[index];
                core_window.clip(span.interval).for_each(|cut| accumulator.add_span(cut));
                if starts {
                    accumulator.count(span.interval.1 - span.interval.0, bytes, factor);
                }
            }
            if starts {
                match span.from {
                    SpanOrigin::Line => self.pairing.from_line += 1,
                    SpanOrigin::Flow => self.pairing.from_flow += 1,
                    SpanOrigin::Ops => self.pairing.from_ops += 1,
                    SpanOrigin::Sync => self.pairing.sync += 1,
                }
            }
        }
        for (wait, transfer) in &core_window.timeline.waits {
            for (from, to) in core_window.clip(*wait) {
                for index in sums_of(self, *transfer).accumulators {
                    self.accumulators[index].traffic.overlap.waited += Picos(to - from);
                }
            }
        }
        let within = |all: &[u64]| all.iter().filter(|start| core_window.starts(**start)).count() as u64;
        self.pairing.unpaired += within(&core_window.timeline.unpaired);
        self.pairing.other += within(&core_window.timeline.other);
        // The spans were clipped to the window, so compute outside of it has no effect.
        self.accumulators.iter_mut().for_each(|accumulator| accumulator.finish_core(&core_window.timeline.compute));
    }

    fn traffic_of(&mut self, is_copy: bool, core: Core) -> usize {
        let accumulators = &mut self.accumulators;
        *self.traffic.entry((is_copy, core)).or_insert_with(|| add_accumulator(accumulators))
    }

    /// Returns the accumulators of a transfer and adds its facts to its row.
    fn transfer_sums(&mut self, core_window: &CoreWindow<'_>, transfer: &Transfer) -> TransferSums {
        // `collective_infos` was called with all cores, so every transfer has an entry.
        let facts = self.facts.get(&transfer.named).cloned().unwrap_or_default();
        let op = core_window.plane.op(transfer.op);
        let source = self.source(core_window, op);
        let primitive = facts.info.primitive;
        let key = self.row_key(core_window, transfer, &facts, source.as_deref());
        let traffic = self.traffic_of(transfer.is_copy, core_window.core);
        let accumulators = &mut self.accumulators;
        let of_primitive = *self
            .primitives
            .entry((transfer.is_copy, core_window.core, primitive, facts.network))
            .or_insert_with(|| add_accumulator(accumulators));
        let (row_facts, row) =
            self.rows.entry(key.clone()).or_insert_with(|| (RowFacts::new(key), add_accumulator(accumulators)));
        row_facts.primitive.add(primitive);
        row_facts.network.add(facts.network);
        row_facts.op.add(transfer.named);
        row_facts.source.add(source);
        row_facts.scope.add(op.stats.tf_op);
        row_facts.group.add(facts.group.clone());
        let execution = match transfer {
            Transfer { is_fused: true, .. } => Execution::Fused,
            Transfer { is_whole: true, .. } => Execution::Sync,
            _ => Execution::Async,
        };
        let accumulators = [*row, of_primitive, traffic];
        let bytes = facts.info.bytes;
        accumulators.into_iter().for_each(|index| self.accumulators[index].op(transfer.named, execution, bytes));
        TransferSums { accumulators, bytes, factor: facts.factor }
    }

    /// Returns the innermost source line of an op.
    fn source(&self, core_window: &CoreWindow<'_>, op: &Op) -> Option<String> {
        let source = match core_window.core {
            Core::Tensor => self.analysis.facts[core_window.device].source_inner(self.profile, op),
            Core::Sparse => op.stats.source.map(|source| self.profile.text(source)),
        };
        source.map(str::to_owned)
    }

    fn row_key(
        &self,
        core_window: &CoreWindow<'_>,
        transfer: &Transfer,
        facts: &TransferFacts,
        source: Option<&str>,
    ) -> RowKey {
        let primitive = facts.info.primitive.label(facts.network);
        let (program, key) = match self.by {
            CommBy::Op => (transfer.named.0, self.profile.text(transfer.named.1).to_owned()),
            CommBy::Source => {
                let path = || core_window.plane.op(transfer.op).stats.tf_op.map(|path| self.profile.text(path));
                (None, source.or_else(path).map_or_else(|| format!("<no source>:{primitive}"), str::to_owned))
            }
            CommBy::Group => {
                let group = facts.group.as_ref().map_or("groups not known", |group| &group.text);
                (
                    None,
                    if transfer.is_copy || facts.info.is_over_dcn() {
                        primitive
                    } else {
                        format!("{primitive} {group}")
                    },
                )
            }
            CommBy::Primitive => (None, primitive),
        };
        (transfer.is_copy, core_window.core, program, key)
    }

    /// Returns the traffic of an accumulator, times the factor of the query.
    fn traffic_at(&self, index: usize) -> Traffic {
        scaled(self.accumulators[index].traffic, self.scale)
    }

    /// Returns the sums of collectives (or of copies, with `is_copy`) on a core. `None` if the session has no such
    /// core.
    pub fn traffic(&self, is_copy: bool, core: Core) -> Option<Traffic> {
        self.traffic.get(&(is_copy, core)).map(|index| self.traffic_at(*index))
    }

    /// Returns the rows of collectives, or of copies with `is_copy`. The row with the longest exposed time comes first;
    /// ties are ordered by stall, time in flight, key, program and core.
    pub fn rows(&self, is_copy: bool) -> Vec<CommRow> {
        let facts_and_index = self.rows.iter().map(|(_, row)| row).filter(|(facts, _)| facts.key.0 == is_copy);
        let mut rows: Vec<CommRow> =
            facts_and_index.map(|(facts, index)| self.row(facts, &self.accumulators[*index])).collect();
        rows.small_sort_by(|a, b| {
            let order =
                |row: &CommRow| (Reverse(row.overlap.exposed), Reverse(row.stall), Reverse(row.overlap.in_flight));
            order(a).cmp(&order(b)).then_with(|| (&a.key, a.program_id, a.core).cmp(&(&b.key, b.program_id, b.core)))
        });
        rows
    }

    fn row(&self, facts: &RowFacts, accumulator: &CommAccumulator) -> CommRow {
        let (_, core, _, key) = &facts.key;
        let named = facts.op.clone().value();
        let program = named.and_then(|(program, _)| program);
        let primitive = facts.primitive.clone().value();
        let group = facts.group.clone().value().flatten();
        let (alg_rate, bus_rate) = accumulator.rates();
        let Traffic { n, stall, issue, fused, overlap, bytes, n_unsized } = scaled(accumulator.traffic, self.scale);
        let network = facts.network.clone().value().flatten();
        let peak = network.and_then(|network| self.networks.peak(network, group.as_ref()));
        let mut row = CommRow {
            key: key.clone(),
            primitive,
            network,
            op: named.map(|(_, name)| self.profile.text(name).to_owned()),
            program: program.and_then(|id| self.profile.programs.get(&id).cloned()),
            program_id: program.map(|id| id.0),
            source: facts.source.clone().value().flatten(),
            scope: facts.scope.clone().value().flatten().map(|path| self.profile.text(path).to_owned()),
            core: *core,
            execution: accumulator.execution.clone().value().unwrap_or(Execution::Mixed),
            group,
            role: primitive.and_then(Primitive::role),
            n_ops: accumulator.n_ops(),
            n,
            bytes_each: accumulator.each.clone().value().flatten(),
            bytes: (n_unsized == 0).then_some(bytes),
            stall,
            issue,
            fused,
            overlap,
            wall: self.scale.time(accumulator.wall),
            alg_rate,
            bus_rate,
            peak,
            util: None,
        };
        row.util = row.rate().zip(row.peak).map(|(rate, peak)| rate / peak);
        row
    }

    /// Returns the sums of collectives by primitive and core, the longest stall first.
    pub fn primitives(&self) -> Vec<PrimitiveSums> {
        let target = self.analysis.devices.first().and_then(|device| {
            Target::for_device(device.platform, self.profile.planes[device.plane].text_stat("device_type_string"))
        });
        let to_sums = |((_, core, primitive, network), index): (&(bool, Core, Primitive, Option<Network>), &usize)| {
            let traffic = self.traffic_at(*index);
            // No flag of the compiler changes what the runtime does between slices.
            let waits = traffic.stall > Picos::ZERO && *core == Core::Tensor && *network != Some(Network::Dcn);
            let flags = target.filter(|_| waits).map_or_else(Vec::new, |target| suggested(*primitive, target));
            let flags = flags.iter().map(|flag| flag.name.to_owned()).collect();
            PrimitiveSums { primitive: *primitive, network: *network, core: *core, traffic, flags }
        };
        let mut all: Vec<PrimitiveSums> =
            self.primitives.iter().filter(|((is_copy, ..), _)| !is_copy).map(to_sums).collect();
        all.small_sort_by_key(|sums| {
            (Reverse(sums.traffic.stall), Reverse(sums.traffic.overlap.exposed), sums.primitive, sums.core)
        });
        all
    }
}

/// Returns traffic times the factor of a query. Stall, issue and fused time are self times, which have it already.
fn scaled(traffic: Traffic, scale: Scale) -> Traffic {
    Traffic {
        n: scale.count(traffic.n),
        n_unsized: scale.count(traffic.n_unsized),
        bytes: scale.amount(traffic.bytes),
        overlap: traffic.overlap.scaled(scale),
        ..traffic
    }
}
