//! This module divides the time of a device among owners: each instant belongs to what it was spent on.
//!
//! ```text
//!  XLA Ops   ├── while ──────────────────────┤        ├─ fusion ─┤├─ all-reduce ─┤├ copy ┤
//!               ├ fusion ─────┤ ├ copy-done ┤
//!  owner     loop├ floor ┤excess┤loop dma ├loop┤ host ├ floor ────┤late┤ transfer ┤layout┤
//! ```
//!
//! The device is the one that the others wait for: what shortens another device shortens no step. An instant without an op
//! belongs to the class of its gap (`analysis::gaps`). The time of an op belongs to an owner of its kind: a collective first
//! waits for later devices and then transfers, and compute is divided by its roofline time. If ops run on several
//! lines at the same time, compute comes before communication, data movement and the host.
//!
//! All times are on the event clock. **The owners sum to the window, to the picosecond.** This module depends on gaps, on the
//! roofline and on the waits of collectives, and not on pages.

mod by_op;
mod by_step;
mod excess;
mod line_sweep;
mod report;

pub use by_op::{LedgerByOp, OwnedOp};
pub use by_step::{OpSteps, StepTimes};
pub use report::{Ledger, Owner};

use crate::analysis::base::op_times::{OpTime, OpTimes};
use crate::analysis::base::rows::Slice;
use crate::analysis::base::{Analysis, Interval, Merged, StepChoice};
use crate::analysis::classify::{Kind, category, opcode};
use crate::analysis::comm::{PeerWaits, least_wait};
use crate::analysis::data_movement::Programs;
use crate::analysis::gaps::GapClass;
use crate::analysis::roofline::RooflineQuery;
use excess::{ExcessTimes, median_time};
use indexmap::IndexMap;
use line_sweep::{op_lines, owned_times};
use serde::{Deserialize, Serialize};
use std::rc::Rc;
use xla_profile::hlo::opcode::{is_done, is_start};
use xla_profile::profile::{Op, OpId, OpKey, Profile};
use xla_profile::units::{Count, Picos};

/// The least share of a period by which a straggler is slower than the other devices, and by which these wait for it.
const STRAGGLER: f64 = 0.01;

/// A query of the ledger.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LedgerQuery {
    /// The device and the step, and the peaks and costs for the roofline time of ops. The grouping and the filter are
    /// ignored.
    pub roofline: RooflineQuery,
    /// The share of the roofline that ops are expected to attain.
    pub attainable: f64,
}

impl LedgerQuery {
    /// The default share of the roofline that ops are expected to attain.
    pub const ATTAINABLE: f64 = 0.8;
}

impl Default for LedgerQuery {
    fn default() -> Self {
        Self { roofline: RooflineQuery::default(), attainable: Self::ATTAINABLE }
    }
}

impl Analysis {
    /// Divides the time of a device among owners. Of several devices, it is the one that the others wait for. `None` if
    /// no device has the step, or if the device has no times on the event clock.
    pub fn ledger(&self, profile: &Profile, query: &LedgerQuery, programs: Option<Programs<'_>>) -> Option<Ledger> {
        self.ledger_by_op(profile, query, programs).map(|by_op| by_op.ledger)
    }

    /// Divides the time of a device among owners and ops, as [`Analysis::ledger`] does.
    pub fn ledger_by_op(
        &self,
        profile: &Profile,
        query: &LedgerQuery,
        programs: Option<Programs<'_>>,
    ) -> Option<LedgerByOp> {
        let chosen = self.chosen_devices(query.roofline.query.device);
        let step = self.step_or_busiest(query.roofline.query.step, &chosen);
        let has_step = |index: &&usize| self.devices[**index].choose(step).is_some();
        let first = *chosen.iter().find(has_step)?;
        let mut waits = self.peer_waits(profile, step, first, programs);
        self.add_waits_of_hosts(profile, step, &mut waits);
        let device = if chosen.len() > 1 { self.critical_device(step, first, &waits) } else { first };
        let (spans, gaps) = self.gap_times(profile, device, step)?;

        let n_steps = self.devices[device].choose(step).map_or(1, |window| window.n_steps);
        let period = Picos(spans.length() / u64::from(n_steps.max(1)));
        let compared: Vec<usize> = waits.iter().map(|peer| peer.device).collect();
        let excess = self.excess_times(profile, step, device, &compared);
        let sum = excess.as_ref().map(|excess| excess.values().copied().map(Picos).sum::<Picos>());
        let others = || waits.iter().filter(|peer| peer.device != device).map(|peer| peer.waited);
        let is_long = |time: Picos| time.fraction_of(period).is_some_and(|share| share > STRAGGLER);
        let is_straggler = sum.is_some_and(is_long) && is_long(median_time(others()));

        let own = waits.iter_mut().find(|peer| peer.device == device);
        let late = Merged::new(own.map_or_else(Vec::new, |peer| std::mem::take(&mut peer.times)));
        let (compute, mut ops) = self.owned_ops(profile, device, &spans, &late)?;
        let slower = excess.filter(|_| is_straggler).unwrap_or_default();
        self.divide_compute(profile, query, programs, (device, n_steps), compute, &slower, &mut ops);
        divide_layout(n_steps, &slower, &mut ops);

        let mut times = OwnerTimes::default();
        gaps.into_iter().for_each(|(class, time)| times.add(Owner::Gap(class), time.0));
        ops.values().flat_map(|op| &op.parts).for_each(|(owner, time)| times.add(*owner, time.0));
        let ledger = Ledger {
            device,
            n_steps,
            window: Picos(spans.length()),
            attainable: query.attainable,
            owners: times.owners(),
            excess: sum,
        };
        let waits = waits.iter().map(|peer| (peer.device, peer.waited)).collect();
        Some(LedgerByOp { ledger, step, ops: ops.into_values().collect(), waits, is_straggler })
    }

    /// Adds the idle time in which the runs of a host wait for the other hosts. The first device of each host is read,
    /// because all devices of a host start together.
    fn add_waits_of_hosts(&self, profile: &Profile, step: StepChoice, waits: &mut [PeerWaits]) {
        let file = |peer: &PeerWaits| profile.planes[self.devices[peer.device].plane].file;
        let mut hosts: Vec<&mut [PeerWaits]> = waits.chunk_by_mut(|a, b| file(a) == file(b)).collect();
        if hosts.len() < 2 {
            return;
        }
        for host in &mut hosts {
            let Some(device) = host.first().map(|peer| peer.device) else { continue };
            let Some((_, gaps)) = self.gap_times(profile, device, step) else { continue };
            let barrier = gaps.into_iter().find(|(class, _)| *class == GapClass::Barrier);
            let n_steps = self.devices[device].choose(step).map_or(1, |window| u64::from(window.n_steps.max(1)));
            let per_step = Picos(barrier.map_or(0, |(_, time)| time.0) / n_steps);
            host.iter_mut().for_each(|peer| peer.waited += per_step);
        }
    }

    /// Returns the device that the others wait for. `first` is the first device that has the step.
    fn critical_device(&self, step: StepChoice, first: usize, waits: &[PeerWaits]) -> usize {
        let window = self.devices[first].choose(step);
        let period =
            window.map_or(Picos::ZERO, |chosen| Picos(chosen.spans.length() / u64::from(chosen.n_steps.max(1))));
        let all: Vec<Picos> = waits.iter().map(|peer| peer.waited).collect();
        least_wait(&all, period).map_or(first, |index| waits[index].device)
    }

    /// Returns the times of the ops of compute, and all ops that have time with their owners, but without those of
    /// compute. `None` if a line has no times on the event clock.
    fn owned_ops(
        &self,
        profile: &Profile,
        device: usize,
        spans: &Merged,
        late: &Merged,
    ) -> Option<(OpTimes, IndexMap<OpKey, OwnedOp>)> {
        let info = &self.devices[device];
        let plane = &profile.planes[info.plane];
        let facts = &self.facts[device].ops;
        let lines = op_lines(plane, info)?;
        let mut times = OpTimes { ops: vec![OpTime::NONE; plane.ops.len()], union: 0, lost_lines: 0 };
        let mut waited = vec![0; plane.ops.len()];
        let kind = |op: OpId| facts[op.0 as usize].kind;
        owned_times(&lines, spans, kind, |op, (from, to): Interval| {
            times.ops[op.0 as usize].self_time += to - from;
            if kind(op) == Kind::Communication {
                waited[op.0 as usize] += late.length_in((from, to));
            }
        });
        for line in &lines {
            for ((start, _), op) in line.times.iter().zip(&line.ops) {
                times.ops[op.0 as usize].n += Count::from(u64::from(spans.contains(*start)));
            }
        }
        let has_all_events = !self.completeness.hides_idle(info);
        let mut ops: IndexMap<OpKey, OwnedOp> = IndexMap::default();
        for (id, ((op, facts), waited)) in (0..).zip(plane.ops.iter().zip(facts).zip(waited)) {
            let time = &mut times.ops[id as usize];
            if time.self_time == 0 {
                continue;
            }
            let owned = ops.entry(op.key()).or_insert_with(|| OwnedOp::new(OpId(id)));
            owned.add_op(OpId(id), facts.kind, time);
            let self_time = time.self_time;
            match facts.kind {
                Kind::Compute | Kind::Fused => continue,
                Kind::Communication => {
                    owned.add(Owner::Late, waited);
                    owned.add(Owner::Transfer, self_time - waited);
                }
                Kind::DataMovement if has_all_events && is_upload(profile, op) => {
                    owned.add(Owner::Gap(GapClass::Input), self_time);
                }
                Kind::DataMovement if is_async(profile, op) => owned.add(Owner::Dma, self_time),
                Kind::DataMovement => owned.add(Owner::Layout, self_time),
                Kind::Host => owned.add(Owner::Gap(GapClass::Input), self_time),
                Kind::Other => owned.add(Owner::Opaque, self_time),
                Kind::Container => owned.add(Owner::Loop, self_time),
            }
            *time = OpTime::NONE;
        }
        Some((times, ops))
    }

    /// Divides the times of compute ops: first the time beyond that of the other devices, then the roofline time ÷ the
    /// attainable share, and the rest.
    #[expect(clippy::too_many_arguments, reason = "the parts of one computation")]
    fn divide_compute(
        &self,
        profile: &Profile,
        query: &LedgerQuery,
        programs: Option<Programs<'_>>,
        (device, n_steps): (usize, u32),
        compute: OpTimes,
        slower: &ExcessTimes,
        ops: &mut IndexMap<OpKey, OwnedOp>,
    ) {
        let slice = Slice { device, measured: Rc::new(compute), chosen: None };
        for (op, floor) in self.op_floors(profile, &query.roofline, programs, slice) {
            let all = floor.self_time + floor.unknown;
            let excess = slower.get(&op).map_or(0, |excess| excess.saturating_mul(n_steps.into()));
            let excess = excess.min(all);
            // The time beyond the other devices is taken from the time with a roofline time first.
            let judged = floor.self_time.saturating_sub(excess);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
            let least = (floor.roofline_time / query.attainable).round() as u64;
            let least = least.min(judged);
            let Some(owned) = ops.get_mut(&op) else { continue };
            owned.add(Owner::Slower, excess);
            owned.add(Owner::Floor, least);
            owned.add(Owner::Excess, judged - least);
            owned.add(Owner::Opaque, all - excess - judged);
            owned.floor = Some(floor);
        }
    }
}

/// Divides the times of copies and layout changes of a straggler: first the time beyond that of the other devices, and the
/// rest.
fn divide_layout(n_steps: u32, slower: &ExcessTimes, ops: &mut IndexMap<OpKey, OwnedOp>) {
    for (op, excess) in slower {
        let Some(owned) = ops.get_mut(op) else { continue };
        let excess = Picos(excess.saturating_mul(n_steps.into())).saturating_sub(owned.time(Owner::Slower));
        owned.shift(Owner::Layout, Owner::Slower, excess);
    }
}

/// The sums of owners in ps, in the order of [`Owner::ALL`].
#[derive(Default)]
struct OwnerTimes([u64; Owner::ALL.len()]);

impl OwnerTimes {
    fn add(&mut self, owner: Owner, time: u64) {
        if let Some(sum) = Owner::ALL.iter().position(|other| *other == owner).and_then(|index| self.0.get_mut(index)) {
            *sum = sum.saturating_add(time);
        }
    }

    /// Returns the owners that have time.
    fn owners(self) -> Vec<(Owner, Picos)> {
        Owner::ALL.into_iter().zip(self.0.map(Picos)).filter(|(_, time)| *time > Picos::ZERO).collect()
    }
}

/// Returns whether an op of data movement starts an asynchronous copy or slice, or waits for one.
/// Returns whether an op is a copy from the host to a GPU that no instruction of a program makes: its input.
fn is_upload(profile: &Profile, op: &Op) -> bool {
    let is_of_program = op.stats.program.is_some() || opcode(profile.text(op.text)).is_some();
    !is_of_program && profile.text(op.name) == "MemcpyH2D"
}

fn is_async(profile: &Profile, op: &Op) -> bool {
    let name = profile.text(op.name);
    let word = opcode(profile.text(op.text)).unwrap_or_else(|| category(profile, op));
    let stem = name.split('.').next().unwrap_or(name);
    [word, stem].into_iter().any(|word| is_start(word) || is_done(word))
}
