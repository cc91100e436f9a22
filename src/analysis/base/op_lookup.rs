//! This module finds an op by program and name among the events of all devices. The module does not depend on HLO.

use super::op_times::OpTime;
use super::query::Query;
use super::rows::Slice;
use super::selection::Selection;
use crate::analysis::base::Analysis;
use crate::analysis::classify::Kind;
use indexmap::IndexMap;
use std::cmp::Reverse;
use xla_profile::profile::{OpId, Profile, ProgramId};
use xla_profile::units::Count;

/// A requested op, as far as it is known from events. The HLO of its program is found by these fields.
pub struct ResolvedOp {
    /// Name of the op, without `%`.
    pub name: String,
    /// Program of the op; `None` if its events have no program id.
    pub program: Option<ProgramId>,
    /// Index of the file with the op's events, because each file of a session may hold the same program. `None` without
    /// events.
    pub file: Option<usize>,
    /// `hlo_module` of the op's events: the name of the program, for programs without an id.
    pub module: Option<String>,
    pub(in crate::analysis) query: Query,
    pub(in crate::analysis) selection: Selection,
    /// The ops with this name and program, on all devices.
    pub(in crate::analysis) members: Vec<Member>,
}

/// An op with the requested name on one device.
#[derive(Clone, Copy, Debug)]
pub(in crate::analysis) struct Member {
    pub(in crate::analysis) device: usize,
    pub(crate) op: OpId,
    /// Whether the query selects the device.
    pub(crate) chosen: bool,
    /// Whether the op has events on the op lines of the device.
    pub(in crate::analysis) ran: bool,
    /// Time within the window of the query; no time if the device is not in the query.
    pub(crate) time: OpTime,
}

impl ResolvedOp {
    /// Returns whether no event has this name and program.
    pub const fn is_unseen(&self) -> bool {
        self.members.is_empty()
    }

    /// Returns the member that represents the op: the one with the most time on the selected devices, or else on any
    /// device. `None` if there are no members.
    pub(in crate::analysis) fn main(&self) -> Option<Member> {
        let weight = |m: &Member| (m.chosen && m.ran, m.ran, m.time.self_time, m.time.inclusive, m.time.n);
        self.members.iter().rev().max_by_key(|m| weight(m)).copied()
    }

    /// Iterates over the members that run on the selected devices, as (device, op, time in the window).
    pub(in crate::analysis) fn shown(&self) -> impl Iterator<Item = (usize, OpId, OpTime)> {
        self.members.iter().filter(|m| m.chosen && m.ran).map(|m| (m.device, m.op, m.time))
    }

    /// Returns whether the op runs by itself on a selected device.
    pub(crate) fn has_time(&self) -> bool {
        self.members.iter().any(|m| m.chosen && m.ran)
    }
}

/// The facts and times of the ops with one name.
#[derive(Clone, Copy, Debug)]
pub(in crate::analysis) struct NamedOpTimes {
    pub(in crate::analysis) kind: Kind,
    pub(in crate::analysis) self_time: u64,
    pub(in crate::analysis) n: Count,
    max_self_time: u64,
    pub(in crate::analysis) in_window: bool,
}

/// Returns the times of a device of a selection, whose devices are in order.
fn slice_of(selection: &Selection, device: usize) -> Option<&Slice> {
    let place = selection.slices.binary_search_by_key(&device, |slice| slice.device).ok()?;
    selection.slices.get(place)
}

impl Analysis {
    /// Finds an op among the events by its name, which may begin with `%`. If `program` is `None`, the op without a
    /// program counts if it ran, and otherwise the op of the program with the most time.
    pub fn find_op(&self, profile: &Profile, query: &Query, program: Option<u64>, name: &str) -> ResolvedOp {
        let name = name.strip_prefix('%').unwrap_or(name);
        let selection = self.selection(profile, query);
        let mut members = Vec::new();
        for (device, info) in self.devices.iter().enumerate() {
            let plane = &profile.planes[info.plane];
            let names = &self.facts[device].names;
            let matching: Vec<usize> = (0..plane.ops.len()).filter(|i| names.get(*i) == name).collect();
            if matching.is_empty() {
                continue;
            }
            let ran = self.ran(profile, device);
            let slice = slice_of(&selection, device);
            members.extend(matching.into_iter().map(|i| Member {
                device,
                op: OpId(i as u32),
                chosen: selection.chosen.binary_search(&device).is_ok(),
                ran: ran[i],
                time: slice.map_or(OpTime::NONE, |s| s.measured.ops[i]),
            }));
        }
        let op = |m: &Member| profile.planes[self.devices[m.device].plane].op(m.op);
        let program = program.map(ProgramId).or_else(|| {
            let mut times: IndexMap<Option<ProgramId>, (bool, u64)> = IndexMap::default();
            for member in &members {
                let time = times.entry(op(member).stats.program).or_default();
                *time = (time.0 || member.ran, time.1 + member.time.self_time);
            }
            let ran_without = times.get(&None).is_some_and(|(ran, _)| *ran);
            let heaviest = times.into_iter().max_by_key(|(program, time)| (*time, Reverse(*program)));
            if ran_without { None } else { heaviest?.0 }
        });
        members.retain(|m| op(m).stats.program == program);
        let mut found = ResolvedOp {
            name: name.to_owned(),
            program,
            file: None,
            module: None,
            query: query.clone(),
            selection,
            members,
        };
        if let Some(main) = found.main() {
            found.file = Some(profile.planes[self.devices[main.device].plane].file);
            found.module = op(&main).stats.hlo_module.map(|m| profile.text(m).to_owned());
        }
        found
    }

    /// Returns an op without events, for a program that did not run.
    pub fn unseen_op(&self, profile: &Profile, query: &Query, name: &str) -> ResolvedOp {
        ResolvedOp {
            name: name.strip_prefix('%').unwrap_or(name).to_owned(),
            program: None,
            file: None,
            module: None,
            query: query.clone(),
            selection: self.selection(profile, query),
            members: Vec::new(),
        }
    }

    /// Returns for each op of a device whether it has events on the op lines.
    fn ran(&self, profile: &Profile, device: usize) -> Vec<bool> {
        let info = &self.devices[device];
        let plane = &profile.planes[info.plane];
        let mut ran = vec![false; plane.ops.len()];
        for op in info.ops.iter().flat_map(|line| plane.lines[*line].events.ops()) {
            ran[op.0 as usize] = true;
        }
        ran
    }

    /// Returns the facts and times of other ops of the same program, by name. Ops without events on the op lines of the
    /// selected devices are left out.
    pub(in crate::analysis) fn op_times_by_name<'n>(
        &self,
        profile: &Profile,
        found: &ResolvedOp,
        names: impl Iterator<Item = &'n str>,
    ) -> IndexMap<&'n str, NamedOpTimes> {
        let mut by_name: IndexMap<&str, Option<NamedOpTimes>> = names.map(|name| (name, None)).collect();
        for (device, info) in found.selection.chosen.iter().map(|device| (*device, &self.devices[*device])) {
            let plane = &profile.planes[info.plane];
            let (facts, ran) = (&self.facts[device], self.ran(profile, device));
            let slice = slice_of(&found.selection, device);
            for (i, op) in plane.ops.iter().enumerate() {
                if !ran[i] || op.stats.program != found.program {
                    continue;
                }
                let Some(entry) = by_name.get_mut(facts.names.get(i)) else { continue };
                let kind = facts.ops[i].kind;
                let time = slice.map_or(OpTime::NONE, |s| s.measured.ops[i]);
                let entry = entry.get_or_insert(NamedOpTimes {
                    kind,
                    self_time: 0,
                    n: Count::ZERO,
                    max_self_time: 0,
                    in_window: false,
                });
                entry.self_time = entry.self_time.saturating_add(time.self_time);
                entry.n += time.n;
                entry.in_window |= time.n > 0 || time.self_time > 0;
                if time.self_time > entry.max_self_time {
                    (entry.kind, entry.max_self_time) = (kind, time.self_time);
                }
            }
        }
        by_name.into_iter().filter_map(|(name, times)| Some((name, times?))).collect()
    }
}
