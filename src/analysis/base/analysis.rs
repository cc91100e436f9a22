//! A profile with its devices, and the class of each op: computed once, used by every query.
use super::after_backward::after_backward;
use super::device::Device;
use super::find_devices::devices;
use super::hosts;
use super::op_times::OpTimeCache;
use super::query::{DeviceChoice, Query};
use super::rows::Known;
use crate::analysis::classify::{Finder, Kind, PlaneFacts};
use crate::profile::{Note, OpId, Profile, Severity, Strings};
use std::cell::RefCell;

/// Devices of a profile with what is known of their ops: found once, asked often.
pub struct Analysis {
    /// Devices with ops.
    pub devices: Vec<Device>,
    /// Facts of each device's ops, by device.
    pub facts: Vec<PlaneFacts>,
    /// Notes on devices and steps.
    pub notes: Vec<Note>,
    /// Steps of one number are the same step on all hosts.
    pub(in crate::analysis) hosts_aligned: bool,
    /// Texts that the facts name.
    pub(in crate::analysis) words: Strings,
    /// Whether ops merged of several count under the first of their paths.
    pub(in crate::analysis) merged_paths: bool,
    pub(in crate::analysis) measures: OpTimeCache,
    /// How many rows questions have without the text of their filter, the last asked first: counting 100,000 of them
    /// for every letter typed would take as long as the answer.
    pub(in crate::analysis) counts: RefCell<Vec<(Query, u32)>>,
}

impl Analysis {
    /// Looks at a profile.
    pub fn new(profile: &Profile) -> Self {
        let (devices, mut notes) = devices(profile);
        let (hosts_aligned, of_hosts) = hosts::aligned(profile, &devices);
        notes.extend(of_hosts);
        let planes = || devices.iter().map(|d| &profile.planes[d.plane]);
        let mut finder = Finder::new(profile, planes());
        let mut facts: Vec<PlaneFacts> = planes().map(|plane| PlaneFacts::new(&mut finder, plane)).collect();
        let Finder { words, merged_paths, .. } = finder;
        for (device, facts) in devices.iter().zip(&mut facts) {
            after_backward(&profile.planes[device.plane], device, &mut facts.ops);
        }
        Self {
            devices,
            facts,
            notes,
            hosts_aligned,
            words,
            merged_paths,
            measures: OpTimeCache::default(),
            counts: RefCell::default(),
        }
    }

    pub(in crate::analysis) fn known<'a>(&'a self, profile: &'a Profile) -> Known<'a> {
        Known { profile, devices: &self.devices, facts: &self.facts, words: &self.words }
    }

    /// Whether ops merged of several count under the first of their paths.
    pub(in crate::analysis) const fn merged_paths(&self) -> bool {
        self.merged_paths
    }

    /// Why every sum of times is only a part of what the capture says, where it is.
    pub fn beyond_sums(&self) -> Option<String> {
        self.notes.iter().find(|note| note.severity == Severity::Partial).map(|note| note.message.clone())
    }

    /// The device that is shown first: the first, or where that only moves data the busiest that computes.
    pub fn usual_device(&self, profile: &Profile) -> DeviceChoice {
        let computes = |at: &usize| {
            let (device, facts) = (&self.devices[*at], &self.facts[*at].ops);
            let lines = device.ops.iter().map(|i| &profile.planes[device.plane].lines[*i]);
            let moves = |op: OpId| matches!(facts[op.0 as usize].kind, Kind::DataMovement | Kind::Host);
            lines.flat_map(|line| line.events.ops()).any(|op| !moves(op))
        };
        if self.devices.len() < 2 || computes(&0) {
            return DeviceChoice::default();
        }
        let busiest = (1..self.devices.len()).rev().filter(computes).max_by_key(|at| self.devices[*at].busy);
        busiest.map_or_else(DeviceChoice::default, |at| DeviceChoice::One(at as u32))
    }
}
