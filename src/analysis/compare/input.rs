//! This module holds one side of a comparison as figures and a list of ops, whether they come from a capture or from a report.

use super::report::SideHead;
use crate::analysis::classify::{Kind, ModelModule, Phase};
use crate::analysis::comm::Comm;
use crate::analysis::ledger::{Ledger, Owner};
use crate::analysis::memory::{Basis, MemoryClass, RuntimeMemory};
use crate::analysis::overview::Overview;
use std::borrow::Cow;
use xla_profile::units::Picos;

/// One side of a comparison.
pub struct Input<'a> {
    pub head: SideHead,
    /// The owners of the time of the device on which the steps depend.
    pub ledger: &'a Ledger,
    pub ops: Vec<InputOp<'a>>,
    /// Number of all ops. More than those of `ops` if some of these stand for several.
    pub n_ops: u64,
    pub overview: &'a Overview,
    /// The peak of the program whose peaks are compared. The error is the reason why there is none.
    pub peak: Result<InputPeak<'a>, &'a str>,
    /// The report on the allocators.
    pub runtime: &'a RuntimeMemory,
    /// The communication in the steps, by op. The error is the reason why it is not compared.
    pub comm: Result<&'a Comm, &'a str>,
}

/// An op of a side. Times are in ps and sums over all steps.
pub struct InputOp<'a> {
    pub name: Cow<'a, str>,
    /// Id of the program. `None` if it is unknown.
    pub program_id: Option<u64>,
    /// Scope path. `None` if it is unknown.
    pub scope: Option<&'a str>,
    /// Innermost source frame in the user's own code, `file:line`. `None` if it is unknown.
    pub source: Option<&'a str>,
    /// Name of the group of work, such as matmul. `None` if it is unknown.
    pub op_group: Option<&'a str>,
    /// The sort of work in words, as [`work_name`](super::work_name) says it.
    pub work: Cow<'a, str>,
    /// Module of the model, if the scope names it. `None` otherwise: a guess would explain more than is certain.
    pub module: Option<ModelModule>,
    /// Phase of training. `None` if it is unknown.
    pub phase: Option<Phase>,
    pub kind: Kind,
    /// Number of executions in all steps, which may be a fraction.
    pub n: f64,
    pub total: u64,
    /// The time by owner. Empty if it is unknown.
    pub parts: &'a [(Owner, Picos)],
    /// Roofline time of all executions. `None` if the costs or peaks are unknown.
    pub roofline: Option<f64>,
    /// The steps in which it has time, by their indices in [`SideHead::periods_ps`], each with its time. `None` if they are
    /// unknown.
    pub steps: Option<&'a [(u32, u64)]>,
}

/// The peak of a program in the main memory.
pub struct InputPeak<'a> {
    /// Name of the program, without its id.
    pub program: &'a str,
    /// Bytes with padding.
    pub peak: u64,
    /// Name of the instruction that first reaches the peak. `None` if the program starts at its peak.
    pub instruction: Option<&'a str>,
    /// Number of buffers that are alive at the peak.
    pub n_buffers: u32,
    pub basis: Basis,
    /// Bytes of each class of buffers that are alive at the peak.
    pub classes: Vec<(MemoryClass, u64)>,
}

impl Input<'_> {
    /// Returns the number of steps of which times are sums, at least 1.
    pub fn n_steps(&self) -> u64 {
        self.ledger.n_steps.max(1).into()
    }

    /// Returns the sum of the time of some ops in ps; with an owner, only its part.
    pub fn time(&self, ops: &[usize], owner: Option<Owner>) -> u64 {
        ops.iter().fold(0, |sum: u64, op| sum.saturating_add(self.ops[*op].time(owner)))
    }
}

impl InputOp<'_> {
    fn time(&self, owner: Option<Owner>) -> u64 {
        let Some(owner) = owner else { return self.total };
        self.parts.iter().find(|(part_owner, _)| *part_owner == owner).map_or(0, |(_, time)| time.0)
    }
}
