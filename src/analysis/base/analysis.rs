//! This module holds the devices of a profile and the facts of their ops, which are computed once and used by every
//! query.
use super::after_backward::{after_backward, modules_after_backward};
use super::axis::Axis;
use super::completeness::Completeness;
use super::device::{Device, host_planes};
use super::device_notes::lost_ops;
use super::find_devices::devices;
use super::hosts;
use super::op_times::{OpTimeCache, OpTimes, OpTimesRequest, Window};
use super::query::{DeviceChoice, GroupBy, Query};
use super::rows::SessionFacts;
use super::steps::{StepKind, StepsBy, serves};
use crate::analysis::classify::async_pairs::AsyncPairs;
use crate::analysis::classify::{Finder, Kind, PlaneFacts};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::cell::{OnceCell, RefCell};
use std::hash::{Hash, Hasher};
use std::rc::Rc;
use std::sync::Arc;
use xla_profile::profile::{Note, NoteCode, Op, OpId, Profile, ProgramId, Severity, StrId, Strings};

/// The devices of a profile, the facts of their ops, and the caches of queries.
pub struct Analysis {
    /// The time axis that all lines share.
    pub axis: Axis,
    /// The devices that have ops, in the order of their planes.
    pub devices: Vec<Device>,
    /// The kinds of steps, the one with the most time first. Empty if there are no steps.
    pub kinds: Vec<StepKind>,
    /// Facts of each device's ops, by index into `devices`.
    pub facts: Vec<PlaneFacts>,
    /// Notes on devices, steps and hosts, and on what is missing from the capture.
    pub notes: Vec<Note>,
    /// What is missing from the capture.
    pub completeness: Completeness,
    /// The indices of the planes with the threads of each host, by file.
    pub(in crate::analysis) host_planes: Vec<Vec<usize>>,
    /// Whether steps with the same number are the same step on all hosts.
    pub(in crate::analysis) hosts_aligned: bool,
    /// The texts of the layers, signatures and scopes in `facts`.
    pub(in crate::analysis) words: Strings,
    /// Whether an op has several scope paths, of which only the first one counts.
    pub(in crate::analysis) merged_paths: bool,
    pub(in crate::analysis) measures: OpTimeCache,
    /// The transfers of each device's ops, by index into `devices`. `None` for devices that no query has read yet.
    async_pairs: RefCell<Vec<Option<Arc<AsyncPairs>>>>,
    /// For each hash of the ops of a device, the devices whose transfers are known.
    known_ops: RefCell<FxHashMap<u64, Vec<usize>>>,
    /// Row counts of recent queries without the text of their filter, the most recently computed one first. Counting
    /// 100,000 rows again for every typed letter would take as long as the answer itself.
    pub(in crate::analysis) counts: RefCell<Vec<(Query, u32)>>,
    /// Whether devices run programs of their own, such as the stages of a pipeline. It is found when it is asked for.
    pub(in crate::analysis) has_stages: OnceCell<bool>,
}

impl Analysis {
    /// Finds the devices of `profile` and classifies their ops. Steps are found by the first way that fits the capture.
    pub fn new(profile: &Profile) -> Self {
        Self::with_steps(profile, &StepsBy::default())
    }

    /// Finds the devices of `profile`, with the steps that the user wants, and classifies their ops.
    pub fn with_steps(profile: &Profile, by: &StepsBy) -> Self {
        let (mut devices, kinds, mut notes) = devices(profile, by);
        let axis = Axis::new(profile, &mut devices);
        let completeness = Completeness::new(profile, &mut devices);
        if devices.is_empty() && completeness.losses().next().is_some() {
            notes.iter_mut().filter(|note| note.code == NoteCode::NoTpuOps).for_each(|note| *note = lost_ops());
        }
        notes.extend(completeness.notes());
        let (hosts_aligned, of_hosts) = hosts::aligned(profile, &devices);
        notes.extend(of_hosts);
        let planes = || devices.iter().map(|d| &profile.planes[d.plane]);
        let mut finder = Finder::new(profile, planes());
        let mut facts: Vec<PlaneFacts> = planes().map(|plane| PlaneFacts::new(&mut finder, plane)).collect();
        let Finder { words, merged_paths, .. } = finder;
        let mut buffer = Vec::new();
        for (device, facts) in devices.iter().zip(&mut facts) {
            after_backward(&profile.planes[device.plane], device, &mut facts.ops, &mut buffer);
            modules_after_backward(&mut facts.ops);
        }
        Self {
            axis,
            devices,
            kinds,
            facts,
            notes,
            completeness,
            host_planes: host_planes(profile),
            hosts_aligned,
            words,
            merged_paths,
            measures: OpTimeCache::default(),
            known_ops: RefCell::default(),
            async_pairs: RefCell::default(),
            counts: RefCell::default(),
            has_stages: OnceCell::new(),
        }
    }

    /// Returns the devices and facts together with the profile that they come from.
    pub(in crate::analysis) fn session_facts<'a>(&'a self, profile: &'a Profile) -> SessionFacts<'a> {
        SessionFacts { profile, devices: &self.devices, facts: &self.facts, words: &self.words }
    }

    /// Returns whether the programs of the steps serve a model, as their names say.
    pub(in crate::analysis) fn serves(&self) -> bool {
        serves(&self.kinds)
    }

    /// Returns whether an op has several scope paths, of which only the first one counts.
    pub(in crate::analysis) const fn merged_paths(&self) -> bool {
        self.merged_paths
    }

    /// Returns the times of the ops of devices in their windows. They are measured on all cores.
    pub(in crate::analysis) fn op_times(&self, profile: &Profile, windows: &[(usize, Window)]) -> Vec<Rc<OpTimes>> {
        let request = |(index, window)| {
            let device: &Device = &self.devices[index];
            OpTimesRequest { plane: &profile.planes[device.plane], index, device, window }
        };
        let requests: Vec<OpTimesRequest<'_>> =
            windows.iter().map(|(index, window)| request((*index, window))).collect();
        self.measures.get_or_compute_all(&requests)
    }

    /// Returns the devices that a device is compared with, itself included: those of all hosts, if steps with the same
    /// number are the same step on all of them, else those of its own host.
    pub(in crate::analysis) fn compared_devices(&self, profile: &Profile, device: usize) -> Vec<usize> {
        let file = |other: usize| profile.planes[self.devices[other].plane].file;
        (0..self.devices.len()).filter(|other| self.hosts_aligned || file(*other) == file(device)).collect()
    }

    /// Returns the transfers of a device's ops. They are computed once, and devices with the same ops share them.
    pub(in crate::analysis) fn async_pairs(&self, profile: &Profile, device: usize) -> Arc<AsyncPairs> {
        let mut known = self.async_pairs.borrow_mut();
        known.resize(self.devices.len(), None);
        if let Some(pairs) = &known[device] {
            return Arc::clone(pairs);
        }
        let ops = |device: usize| {
            let key = |op: &Op| (op.stats.program, op.name, op.text, op.stats.kernel);
            let kinds = self.facts[device].ops.iter().map(|facts| facts.kind);
            profile.planes[self.devices[device].plane].ops.iter().map(key).zip(kinds)
        };
        let mut hasher = FxHasher::default();
        ops(device).for_each(|op| op.hash(&mut hasher));
        let mut known_ops = self.known_ops.borrow_mut();
        let alike = known_ops.entry(hasher.finish()).or_default();
        let like = alike.iter().find(|other| ops(**other).eq(ops(device))).and_then(|other| known[*other].clone());
        let new = || {
            let kinds: Vec<Kind> = ops(device).map(|(_, kind)| kind).collect();
            Arc::new(AsyncPairs::new(profile, &profile.planes[self.devices[device].plane], &kinds))
        };
        let pairs = like.unwrap_or_else(|| {
            alike.push(device);
            new()
        });
        known[device] = Some(Arc::clone(&pairs));
        pairs
    }

    /// Returns the note that durations sum to more than fits. `None` if there is no such note.
    pub fn beyond_sums(&self) -> Option<&Note> {
        self.notes.iter().find(|note| note.code == NoteCode::TimeOverflow)
    }

    /// Iterates over the notes that say why times and counts are too small: those of severity [`Severity::Partial`].
    pub fn partial_notes(&self) -> impl Iterator<Item = &Note> {
        self.notes.iter().filter(|note| note.severity == Severity::Partial)
    }

    /// Returns the devices that are shown first: the mean of all devices, or the only one. If some devices run only ops
    /// of data movement and of the host, it is the busiest device that computes.
    pub fn usual_device(&self, profile: &Profile) -> DeviceChoice {
        let computes = |index: &usize| {
            let (device, facts) = (&self.devices[*index], &self.facts[*index].ops);
            let lines = device.ops.iter().map(|i| &profile.planes[device.plane].lines[*i]);
            let moves = |op: OpId| matches!(facts[op.0 as usize].kind, Kind::DataMovement | Kind::Host);
            lines.flat_map(|line| line.events.ops()).any(|op| !moves(op))
        };
        let n = self.devices.len();
        if n < 2 {
            return DeviceChoice::One(0);
        }
        let computing: Vec<usize> = (0..n).filter(computes).collect();
        let busiest = computing.iter().rev().max_by_key(|index| self.devices[**index].busy);
        let one = busiest.filter(|_| computing.len() < n).map(|index| DeviceChoice::One(*index as u32));
        one.unwrap_or_default()
    }

    /// Returns the query that is shown first: the usual device, and identical ops in place of single ops if an op is one of more
    /// than two identical ones on average. A program whose layers are unrolled has the same ops once for each layer.
    pub fn usual_query(&self, profile: &Profile) -> Query {
        let device = self.usual_device(profile);
        let plane = self.devices.get(device.single().unwrap_or(0) as usize).map(|device| &profile.planes[device.plane]);
        let ops = plane.map_or(&[][..], |plane| &plane.ops);
        let mut alike: FxHashMap<(Option<ProgramId>, StrId), FxHashSet<StrId>> = FxHashMap::default();
        for op in ops {
            alike.entry((op.stats.program, op.stats.dedup.unwrap_or(op.name))).or_default().insert(op.name);
        }
        let n_ops: usize = alike.values().map(FxHashSet::len).sum();
        let n_pairs: usize = alike.values().map(|ops| ops.len().saturating_mul(ops.len())).sum();
        let by = if n_pairs > 2 * n_ops { GroupBy::Dedup } else { GroupBy::Op };
        Query { device, by, ..Query::default() }
    }
}
