//! This module defines what explains a difference. It is plain data and does not depend on the analysis.
//!
//! All times are in ps per unit of the comparison. A difference is B − A.

use crate::analysis::classify::Phase;
use crate::analysis::ledger::Owner;
use serde::{Deserialize, Serialize};
use xla_profile::keyed_enum;

/// What explains the difference of two sessions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Explanation {
    /// The smallest part of the work that explains the difference. `None` if no part explains half of it.
    pub main: Option<MainCause>,
    /// What is certain of the whole and changes many ops: another batch, another type, or more layers. The strongest is first.
    pub whole: Vec<Cause>,
    /// The ops of both sides by scope, module or group of work: each row of the comparison is in one pair. The largest
    /// difference is first. The differences sum to those of the rows.
    pub pairs: Vec<WorkPair>,
    /// The shares of the time of the ops of A and of B that are in a pair of both sides, as fractions.
    pub paired_a: f64,
    pub paired_b: f64,
}

/// The part of the work that explains a difference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MainCause {
    pub work: WorkPair,
    /// The owner of the time, if the part is one and not some ops.
    pub owner: Option<Owner>,
    /// Its difference as a fraction of the whole difference.
    pub share: f64,
}

keyed_enum! {
    /// What the ops of a pair have in common, the most precise first.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum PairLevel {
        /// The deepest scope that both sides have, without transformations, loops and the numbers of layers.
        Scope = "scope": "scope",
        /// The module of the model, such as attention.
        Module = "module": "module",
        /// The group of work, such as matmul.
        OpGroup = "op_group": "op group",
        /// Nothing: the ops have no counterpart on the other side.
        OneSide = "one_side": "one side only",
        /// The sort of work, such as all-gathers. Only of the part that explains the difference.
        Work = "work": "work",
        /// The phase of a training step. Only of the part that explains the difference.
        Phase = "phase": "phase",
        /// The owner of the time, such as a class of idle time. Only of the part that explains the difference.
        Owner = "owner": "owner of time",
    }
}

/// Work of both sides that belongs together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkPair {
    /// The scope path, the module or the group.
    pub name: String,
    pub level: PairLevel,
    pub a_ps: i64,
    pub b_ps: i64,
    /// The sum of the differences of the rows.
    pub delta_ps: i64,
    /// Number of distinct ops.
    pub n_ops_a: u32,
    pub n_ops_b: u32,
    /// The time of the ops that have no partner of their own on the other side.
    pub unmatched_a_ps: i64,
    pub unmatched_b_ps: i64,
    /// The phases of a training step, in the order of [`Phase`]. Empty if no phase is known.
    pub phases: Vec<PhaseDelta>,
    /// What changed, the strongest evidence first.
    pub causes: Vec<Cause>,
}

/// The work of one phase of a training step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseDelta {
    pub phase: Phase,
    pub a_ps: i64,
    pub b_ps: i64,
    pub delta_ps: i64,
}

keyed_enum! {
    /// A sort of change.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum CauseKind {
        /// Other kernels do the work: `a` and `b` name them.
        Replaced = "replaced",
        /// The same sort of work, which `label` names, in another number of ops.
        Fusion = "fusion",
        /// The element type of ops: `a` and `b` name the types.
        Dtype = "dtype",
        /// Copies and changes of layout, within other work.
        Copies = "copies",
        /// Recomputation, within other work.
        Recompute = "recompute",
        /// Shapes of ops: `a` and `b` are an example.
        Shape = "shape",
        /// The devices that a collective joins: `a` and `b` are an example.
        Groups = "groups",
        /// The same ops run another number of times: `a` and `b` are executions per unit, and `label` is b ÷ a of each op.
        Executions = "executions",
        /// The layers run in a loop on one side, and one by one on the other: `a` and `b` say which.
        Loop = "loop",
        /// Ops that did not change take another time.
        Speed = "speed",
        /// Work that one side alone does: `a` or `b` names it.
        OneSide = "one_side",
        /// A property of the whole session, such as the batch: `label` names it.
        Session = "session",
    }
}

/// A change, with its evidence on both sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cause {
    pub kind: CauseKind,
    /// What changed, where the kind does not say it. Empty otherwise.
    pub label: String,
    /// The evidence of each side in words. Empty if a side has none.
    pub a: String,
    pub b: String,
    /// Number of ops that the change concerns.
    pub n_ops_a: u32,
    pub n_ops_b: u32,
    /// The time of these ops.
    pub a_ps: i64,
    pub b_ps: i64,
    /// Their difference.
    pub delta_ps: i64,
}
