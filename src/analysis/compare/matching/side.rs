//! This module defines one side of a comparison.

use super::digest::digest;
use crate::analysis::base::Analysis;
use crate::analysis::classify::OpFacts;
use crate::analysis::data_movement::Programs;
use xla_profile::profile::{Op, OpId, Profile};

/// One side of a comparison: the ops of one device.
pub struct Side<'a> {
    pub profile: &'a Profile,
    /// The analysis of `profile`.
    pub analysis: &'a Analysis,
    /// Index of the device in [`Analysis::devices`].
    pub device: usize,
    /// The programs of the capture. `None` if it has none.
    pub programs: Option<Programs<'a>>,
    /// The ops that run on the device, each once, in the order in which they first run.
    pub ops: Vec<SideOp>,
}

/// An op of a side, with its times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SideOp {
    /// The op in the plane of the device.
    pub op: OpId,
    /// Time in ps over all steps of the side.
    pub time: u64,
    /// Number of executions in all steps of the side.
    pub n: u64,
    /// Start of the first execution in ps, on the clock of the ops of the device.
    pub first_start: u64,
}

impl<'a> Side<'a> {
    /// Returns the op at an index of `ops`.
    pub(super) fn op(&self, index: usize) -> &'a Op {
        self.profile.planes[self.analysis.devices[self.device].plane].op(self.ops[index].op)
    }

    /// Returns the name of the op at an index of `ops`.
    pub fn name(&self, index: usize) -> &'a str {
        self.profile.text(self.op(index).name)
    }

    /// Returns the facts of the op at an index of `ops`.
    pub(super) fn facts(&self, index: usize) -> OpFacts {
        self.analysis.facts[self.device].get(self.ops[index].op)
    }

    /// Returns the digest of the scope path of the op at an index of `ops`. `None` if the capture has none.
    pub(super) fn scope(&self, index: usize) -> Option<u64> {
        let path = self.analysis.words.get(self.facts(index).scope?);
        (!path.is_empty()).then(|| digest(path))
    }
}
