//! This module holds what the rules read, and the claims: which time of the ledger a finding has already taken.

use super::alike::{AlikeOps, alike_ops};
use super::evidence::{Evidence, OpEvidence, host_events_of, telling_event};
use super::headline::main_modules;
use super::step_columns::StepColumns;
use crate::analysis::base::compilations::{Compilations, compilations};
use crate::analysis::base::framework::Framework;
use crate::analysis::base::op_times::{OpTimes, union_length};
use crate::analysis::base::periods::compile_times;
use crate::analysis::base::{Analysis, Device, Interval, MissingDevices, Platform, Sign, Spread, Step, StepChoice};
use crate::analysis::breakdown::row_label::function_name;
use crate::analysis::breakdown::{DeviceSteps, StepTime};
use crate::analysis::classify::kind_of_op::is_async;
use crate::analysis::classify::{OpFacts, opcode};
use crate::analysis::comm::{Comm, OpTransfer};
use crate::analysis::data_movement::Programs;
use crate::analysis::files::FileView;
use crate::analysis::flags::FlagsReport;
use crate::analysis::gaps::{GapClass, Gaps, host_class};
use crate::analysis::ledger::{LedgerByOp, Owner};
use crate::analysis::memory::{CrossCheck, SpaceMemory};
use crate::analysis::roofline::RooflineFigures;
use crate::table::format::{counted, middle_cut, time_text};
use crate::table::page::row_key;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::rc::Rc;
use xla_profile::profile::{Op, OpId, Plane, Profile, program_of};
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Picos;

/// Largest number of ops, and of host events, that a finding names.
const MAX_EVIDENCE: usize = 5;
/// Largest number of ops that a finding selects in the breakdown. The page sends their keys with each of its requests.
const MAX_KEYS: usize = 4_000;
/// Longest path in a sentence.
const MAX_PATH: usize = 32;
/// Longest name of an op in a sentence. Names of GPU kernels may have hundreds of characters.
pub(super) const MAX_NAME: usize = 60;

/// What the rules read. Times are sums over all steps of the ledger.
pub(super) struct Context<'a> {
    pub profile: &'a Profile,
    pub analysis: &'a Analysis,
    pub programs: Option<Programs<'a>>,
    pub by_op: &'a LedgerByOp,
    /// Gaps of the device in the steps.
    pub gaps: &'a Gaps,
    /// Communication of the device in the steps.
    pub comm: &'a Comm,
    pub transfers: FxHashMap<OpId, OpTransfer>,
    /// Compute of the steady steps during which no collective is in flight.
    pub free_compute: Picos,
    /// The statistics of the steps of the device. Not all steps are listed; see [`Context::all_step_times`].
    pub steps: &'a DeviceSteps,
    /// Memory of the program with the most time. `None` if it is unknown.
    pub memory: Option<&'a SpaceMemory>,
    pub checks: &'a [CrossCheck],
    pub roofline: &'a RooflineFigures,
    /// Costs of ops are known, but no peak of the device.
    pub lacks_peaks: bool,
    pub files: &'a FileView,
    pub framework: Framework,
    /// The XLA flags that the user gave. `None` if there are none.
    pub flags: Option<&'a FlagsReport>,
    /// Inclusive and self times of the device's ops in the steps.
    pub times: Rc<OpTimes>,
    /// The times of ops in the parts of one step.
    pub columns: StepColumns,
    pub claims: Claims,
    /// The sign that events of the device are missing in the steps. `None` if none are known to be missing.
    pub loss: Option<&'a Sign>,
    /// The devices that the captures lack. `None` if they lack none.
    pub missing_devices: Option<MissingDevices>,
    /// Why confidence in all findings is lower than usual.
    pub doubts: Vec<String>,
    /// Why confidence in findings that rest on the costs of ops is lower than usual.
    pub cost_doubt: Option<String>,
}

impl<'a> Context<'a> {
    pub fn device(&self) -> &'a Device {
        &self.analysis.devices[self.by_op.ledger.device]
    }

    /// Iterates over the steps that count for means of the overview, in order of their start.
    pub fn steady_steps(&self) -> impl Iterator<Item = &'a Step> {
        self.device().steady_steps_of(self.by_op.step)
    }

    pub fn platform(&self) -> Platform {
        self.device().platform
    }

    pub fn plane(&self) -> &'a Plane {
        &self.profile.planes[self.device().plane]
    }

    /// Returns an op of the ledger and its facts.
    pub fn op(&self, index: usize) -> (&'a Op, &'a OpFacts) {
        let op = self.by_op.ops[index].op;
        (self.plane().op(op), &self.analysis.facts[self.by_op.ledger.device].ops[op.0 as usize])
    }

    /// Returns the HLO text of an op. Empty if the capture has none.
    pub fn op_text(&self, index: usize) -> &'a str {
        self.profile.text(self.op(index).0.text)
    }

    /// Returns whether an op is the end of a call that runs beside the compute of the device.
    pub fn waits_for_call(&self, index: usize) -> bool {
        opcode(self.op_text(index)).is_some_and(|word| is_async(word) && word.ends_with("-done"))
    }

    /// Returns the name of an op, cut if it is long.
    pub fn op_name(&self, index: usize) -> String {
        middle_cut(&function_name(self.profile.text(self.op(index).0.name)), MAX_NAME)
    }

    /// Returns the mean self time of an execution of an op, in ps. `None` if no execution starts in the steps.
    pub fn mean_time(&self, index: usize) -> Option<Picos> {
        let op = &self.by_op.ops[index];
        op.n.mean_of(op.total())
    }

    /// Returns whether nothing tells what the host did in the gaps of the device: no run is linked to a call, and no
    /// thread is the main one.
    pub fn lacks_host(&self) -> bool {
        self.gaps.n_linked_runs == 0 && self.gaps.host_late() == Picos::ZERO && self.gaps.idle() > Picos::ZERO
    }

    pub const fn n_steps(&self) -> u64 {
        let n = self.by_op.ledger.n_steps as u64;
        if n == 0 { 1 } else { n }
    }

    /// Returns whether the capture lacks devices of its host, so that its devices are not compared.
    pub fn lacks_neighbours(&self) -> bool {
        self.missing_devices.is_some_and(|missing| !missing.has_whole_hosts())
    }

    /// Returns the number of steps as a float.
    #[expect(clippy::cast_precision_loss, reason = "a count of steps")]
    pub const fn n_steps_f64(&self) -> f64 {
        self.n_steps() as f64
    }

    /// Returns the programs that run in a step of the overview, with the number of their runs. Empty if they are
    /// unknown.
    pub fn programs_of_step(&self) -> &'a [(String, u32)] {
        let kind = if let StepChoice::Kind(kind) = self.by_op.step { kind } else { self.device().main_kind };
        self.analysis.kinds.get(usize::from(kind)).map_or(&[], |kind| &kind.programs)
    }

    /// Returns the compilations of each jitted function on the host of the device, in the whole capture.
    pub fn compilations(&self) -> Vec<Compilations> {
        compilations(self.profile, &self.analysis.host_planes[self.plane().file])
    }

    /// Returns the time in which the host compiled or loaded programs during the steps of the overview.
    pub fn compile_time(&self) -> Picos {
        let (device, plane) = (self.device(), self.plane());
        let planes = &self.analysis.host_planes[plane.file];
        let mut compiles = compile_times(self.profile, planes, device.event_clock);
        let mut steps: Vec<Interval> = self.steady_steps().map(|step| step.event_window).collect();
        let mut both: Vec<Interval> = compiles.iter().chain(&steps).copied().collect();
        let sum = union_length(&mut compiles).saturating_add(union_length(&mut steps));
        Picos(sum.saturating_sub(union_length(&mut both)))
    }

    /// Returns the statistics of the periods of the device's steady steps. `None` without steps.
    pub fn periods(&self) -> Option<&'a Spread> {
        self.steps.steady.as_ref()
    }

    /// Returns the times of all steps of the device. They are large, so that a rule reads them only if it needs them.
    pub fn all_step_times(&self) -> Vec<StepTime> {
        self.analysis.step_times(self.profile, self.by_op.ledger.device, usize::MAX).unwrap_or_default()
    }

    /// Returns a sum over all steps as the mean of a step, rounded half to even.
    pub const fn per_step(&self, time: Picos) -> Picos {
        self.by_op.ledger.per_step(time)
    }

    /// Returns a time as text, as the mean of a step.
    pub fn step_text(&self, time: Picos) -> String {
        time_text(self.per_step(time))
    }

    /// Returns the share of all steps that a time is.
    pub fn share(&self, time: Picos) -> f64 {
        time.fraction_of(self.by_op.ledger.window).unwrap_or(0.0)
    }

    /// Returns the time of the gaps of some classes, without that of ops.
    pub fn gap_time(&self, classes: &[GapClass]) -> Picos {
        classes.iter().map(|class| self.claims.gaps_at_start[*class as usize]).sum()
    }

    /// Returns the ops that match, with their time of the owners, the longest first.
    pub fn ops_of(&self, owners: &[Owner], matches: &dyn Fn(usize) -> bool) -> Vec<(usize, Picos)> {
        let time = |index: usize| owners.iter().map(|owner| self.by_op.ops[index].time(*owner)).sum::<Picos>();
        let all = (0..self.by_op.ops.len()).map(|index| (index, time(index)));
        longest_first(all.filter(|(index, time)| *time > Picos::ZERO && matches(*index)).collect())
    }

    /// Returns the ops that match, with their time of an owner that no finding has claimed, the longest first.
    pub fn ops_left(&self, owner: Owner, matches: &dyn Fn(usize) -> bool) -> Vec<(usize, Picos)> {
        let all = (0..self.by_op.ops.len()).map(|index| (index, self.claims.left(index, owner)));
        longest_first(all.filter(|(index, time)| *time > Picos::ZERO && matches(*index)).collect())
    }

    /// Returns evidence of ops, which must be in order of their time.
    pub fn op_evidence(&self, ops: &[(usize, Picos)]) -> Evidence {
        let describe = |alike: &AlikeOps| {
            let op = self.op(alike.members[0]).0;
            let program = op.stats.program;
            let facts = &self.analysis.facts[self.by_op.ledger.device];
            let program_name = program.and_then(|id| self.profile.programs.get(&id));
            OpEvidence {
                name: self.profile.text(op.name).to_owned(),
                program: program_name.map(|name| program_of(name).map_or(&**name, |(name, _)| name).to_owned()),
                program_id: program.map(|id| id.0),
                source: facts.source_inner(self.profile, op).map(str::to_owned),
                n_layers: alike.layers.len() as u32,
                n_alike: alike.members.len() as u32,
                time: self.per_step(alike.time),
                self_time: Some(
                    self.per_step(alike.members.iter().map(|index| self.by_op.ops[*index].self_time).sum()),
                ),
            }
        };
        let groups = alike_ops(ops, &self.analysis.words, &|index| self.op(index));
        let key = |(index, _): &(usize, Picos)| {
            let names = &self.analysis.facts[self.by_op.ledger.device].names;
            let program = self.op(*index).0.stats.program;
            row_key(names.get(self.by_op.ops[*index].op.0 as usize), program.map(|id| id.0))
        };
        let mut kinds = ops.iter().map(|(index, _)| self.op(*index).1.kind);
        let first = kinds.next();
        // Ops without a noticeable part of the time are no evidence.
        let most = groups.first().map_or(Picos::ZERO, |group| group.time);
        let is_noticeable = |group: &&AlikeOps| group.time.fraction_of(most).is_some_and(|share| share > 0.01);
        Evidence {
            ops: groups.iter().filter(is_noticeable).take(MAX_EVIDENCE).map(describe).collect(),
            n_ops: ops.len() as u32,
            modules: main_modules(ops.iter().map(|(index, time)| (self.op(*index).1.module.module, *time))),
            op_keys: if ops.len() > MAX_KEYS { Vec::new() } else { ops.iter().map(key).collect() },
            kind: first.filter(|kind| kinds.all(|other| other == *kind)),
            ..Evidence::default()
        }
    }

    /// Returns a sentence about ops: their number, their time per step and the largest of them.
    pub fn ops_text(&self, ops: &[(usize, Picos)]) -> String {
        self.ops_text_with(ops, "per step")
    }

    /// Returns the sentence of [`Context::ops_text`] with other words behind the time, such as "more per step".
    pub fn ops_text_with(&self, ops: &[(usize, Picos)], words: &str) -> String {
        let evidence = self.op_evidence(ops);
        let largest = evidence.ops.first().map(|op| {
            let source = op.source.as_ref().map_or(String::new(), |source| format!(", {}", short_path(source)));
            let name = op.label(MAX_NAME);
            if ops.len() == 1 {
                format!("{name}, {} {words}{source}.", time_text(op.time))
            } else {
                format!(" Largest: {name}, {}{source}.", time_text(op.time))
            }
        });
        match ops.len() {
            0 => String::new(),
            1 => largest.unwrap_or_default(),
            n => {
                format!(
                    "{}, {} {words}.{}",
                    counted(n as u64, "op", "ops"),
                    self.step_text(total(ops)),
                    largest.unwrap_or_default()
                )
            }
        }
    }

    /// Returns evidence of gaps: the host events in gaps that are mostly of these classes.
    pub fn gap_evidence(&self, classes: &[GapClass]) -> Evidence {
        let of_classes = self.gaps.gaps.iter().filter(|gap| classes.contains(&gap.main_class()));
        let mut host_events = host_events_of(of_classes);
        host_events.truncate(MAX_EVIDENCE);
        host_events.iter_mut().for_each(|(_, time)| *time = self.per_step(*time));
        Evidence { host_events, ..Evidence::default() }
    }

    /// Returns a sentence about gaps and the host events during them.
    pub fn gaps_text(&self, classes: &[GapClass], evidence: &Evidence) -> String {
        let n: u64 =
            self.gaps.classes.iter().filter(|class| classes.contains(&class.class)).map(|class| class.n_all).sum();
        let mut text = format!(
            "{} in {}, {} per step.",
            counted(n, "gap", "gaps"),
            counted(self.n_steps(), "step", "steps"),
            self.step_text(self.gap_time(classes))
        );
        let events = &evidence.host_events;
        let is_of_class = |(name, _): &&(String, Picos)| host_class(name).is_some_and(|class| classes.contains(&class));
        let event = telling_event(events, classes);
        let least = Picos(self.per_step(self.gap_time(classes)).0 / 10);
        // Without links, several events of the main thread may explain a gap together.
        let named: Vec<&(String, Picos)> = match event {
            Some(event) if self.gaps.n_linked_runs == 0 && !is_of_class(&event) => events.iter().take(2).collect(),
            event => event.into_iter().collect(),
        };
        let named = named.into_iter().filter(|(_, time)| *time >= least);
        let named: Vec<String> = named.map(|(name, time)| format!("{name}, {}", time_text(*time))).collect();
        if !named.is_empty() {
            text += &format!(" Host meanwhile: {} per step.", named.join("; "));
        }
        text
    }

    /// Returns whether the capture has no host events during most of the time of gaps. Functions of Python have names such as
    /// `$train.py:12 load`. A capture with one has traced Python.
    pub fn is_untraced(&self, classes: &[GapClass], evidence: &Evidence) -> bool {
        let mut hosts = self.profile.planes.iter().filter(|plane| plane.is_host());
        if hosts.any(|plane| plane.ops.iter().any(|op| self.profile.text(op.name).starts_with('$'))) {
            return false;
        }
        let longest = evidence.host_events.first().map_or(Picos::ZERO, |(_, time)| *time);
        longest > Picos::ZERO && longest.0 < self.per_step(self.gap_time(classes)).0 / 2
    }
}

/// Returns a path with its last folder and file alone, if it is long: `…/models/qwen2.py:305`.
fn short_path(path: &str) -> String {
    let tail = path.rmatch_indices('/').nth(1).filter(|_| path.chars().count() > MAX_PATH);
    tail.map_or_else(|| path.to_owned(), |(offset, _)| format!("…{}", &path[offset..]))
}

/// Returns the sum of the times of ops.
pub(super) fn total(ops: &[(usize, Picos)]) -> Picos {
    ops.iter().map(|(_, time)| *time).sum()
}

/// Sorts ops by their time, the longest first.
pub(super) fn longest_first(mut ops: Vec<(usize, Picos)>) -> Vec<(usize, Picos)> {
    ops.small_sort_by_key(|(index, time)| (Reverse(*time), *index));
    ops
}

/// The time that no finding has claimed yet.
pub(super) struct Claims {
    /// By op of the ledger.
    ops: Vec<Vec<(Owner, Picos)>>,
    /// By gap class.
    gaps: [Picos; GapClass::ALL.len()],
    /// The time of gaps before any claim.
    gaps_at_start: [Picos; GapClass::ALL.len()],
}

impl Claims {
    pub fn new(by_op: &LedgerByOp) -> Self {
        let ops: Vec<Vec<(Owner, Picos)>> = by_op.ops.iter().map(|op| op.parts.clone()).collect();
        let of_ops = |owner: Owner| by_op.ops.iter().map(|op| op.time(owner)).sum::<Picos>();
        let gaps = GapClass::ALL.map(|class| {
            let owner = Owner::Gap(class);
            by_op.ledger.time(owner).saturating_sub(of_ops(owner))
        });
        Self { ops, gaps_at_start: gaps, gaps }
    }

    /// Claims the time of gaps of a class that is left.
    pub fn gap(&mut self, class: GapClass) -> Picos {
        std::mem::take(&mut self.gaps[class as usize])
    }

    /// Returns the time of all gaps that no finding has claimed yet.
    pub fn gaps_left(&self) -> Picos {
        self.gaps.iter().copied().sum()
    }

    /// Returns the time of an op that is left for an owner.
    pub fn left(&self, op: usize, owner: Owner) -> Picos {
        self.ops[op].iter().find(|(other, _)| *other == owner).map_or(Picos::ZERO, |(_, time)| *time)
    }

    /// Claims at most the time of each op that is left for an owner. Returns the sum of what is claimed.
    pub fn ops(&mut self, ops: &[(usize, Picos)], owner: Owner) -> Picos {
        ops.iter().map(|(index, most)| self.op(*index, owner, *most)).sum()
    }

    /// Claims at most `most` of the time of an op that is left for an owner.
    pub fn op(&mut self, op: usize, owner: Owner, most: Picos) -> Picos {
        let left = self.ops[op].iter_mut().find(|(other, _)| *other == owner);
        left.map_or(Picos::ZERO, |(_, time)| {
            let claimed = most.min(*time);
            *time = time.saturating_sub(claimed);
            claimed
        })
    }
}
