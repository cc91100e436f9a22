//! This module holds the ledger with the ops behind it, which findings are derived from.

use super::report::{Ledger, Owner};
use crate::analysis::base::StepChoice;
use crate::analysis::base::op_times::OpTime;
use crate::analysis::classify::Kind;
use crate::analysis::roofline::OpFloor;
use xla_profile::profile::OpId;
use xla_profile::units::{Count, Picos};

/// A ledger, with the time of each op by owner.
pub struct LedgerByOp {
    /// The sums of all owners.
    pub ledger: Ledger,
    /// The step of the ledger. The mean of a capture without steady steps is the busiest step.
    pub step: StepChoice,
    /// The ops that have time, each name of a program once. Their parts and the gap classes sum to the ledger.
    pub ops: Vec<OwnedOp>,
    /// The devices that are compared, and how long each waits for the others per step: in collectives and, if there are
    /// several hosts, before its runs.
    pub waits: Vec<(usize, Picos)>,
    /// Whether the device is slower than the others, and these wait for it.
    pub is_straggler: bool,
}

/// The time of the ops of one name in a program, in all steps of the ledger.
pub struct OwnedOp {
    /// The op of this name with the most time.
    pub op: OpId,
    /// Number of executions that start in the steps, of the ops of this name that are of the same kind as `op`. The
    /// memset before a kernel of a library is not counted.
    pub n: Count,
    /// Self time of the ops of this name, as in the breakdown. Where ops of several streams run at once, it is more than the sum of `parts`.
    pub self_time: Picos,
    /// Time by owner. The sum is the time in which the op owns the device.
    pub parts: Vec<(Owner, Picos)>,
    /// The roofline time of an op of compute. `None` for other ops.
    pub floor: Option<OpFloor>,
    /// The kind of `op`, and its self time in ps.
    longest: Option<(Kind, u64)>,
}

impl OwnedOp {
    pub(super) fn new(op: OpId) -> Self {
        Self { op, n: Count::ZERO, self_time: Picos::ZERO, parts: Vec::new(), floor: None, longest: None }
    }

    /// Adds the executions of one op of this name.
    pub(super) fn add_op(&mut self, op: OpId, kind: Kind, time: &OpTime) {
        self.self_time += Picos(time.self_time);
        let longest = self.longest.filter(|(_, longest)| *longest >= time.self_time);
        match self.longest {
            Some((other, _)) if other == kind => self.n += time.n,
            _ if longest.is_none() => self.n = time.n,
            _ => {}
        }
        if longest.is_none() {
            (self.op, self.longest) = (op, Some((kind, time.self_time)));
        }
    }

    /// Adds time in ps.
    pub(super) fn add(&mut self, owner: Owner, time: u64) {
        match self.parts.iter_mut().find(|(other, _)| *other == owner) {
            _ if time == 0 => {}
            Some((_, sum)) => *sum += Picos(time),
            None => self.parts.push((owner, Picos(time))),
        }
    }

    /// Gives the time of one owner to another, at most `time`.
    pub(super) fn shift(&mut self, from: Owner, to: Owner, time: Picos) {
        let Some((_, own)) = self.parts.iter_mut().find(|(other, _)| *other == from) else { return };
        let time = time.min(*own);
        *own = own.saturating_sub(time);
        self.parts.retain(|(_, time)| *time > Picos::ZERO);
        self.add(to, time.0);
    }

    /// Returns the time of an owner.
    pub fn time(&self, owner: Owner) -> Picos {
        self.parts.iter().find(|(other, _)| *other == owner).map_or(Picos::ZERO, |(_, time)| *time)
    }

    /// Returns the time of all owners.
    pub fn total(&self) -> Picos {
        self.parts.iter().map(|(_, time)| *time).sum()
    }
}
