//! This module defines the parts of a comparison beside the time of ops: memory, communication and programs. It is plain data and does not
//! depend on the analysis. A difference is B − A.

use crate::analysis::comm::{Core, Primitive};
use crate::analysis::memory::{Basis, MemoryClass};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use xla_profile::keyed_enum;
use xla_profile::small_sort::SmallSort;

/// The difference of the memory of two sessions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MemoryDelta {
    /// The program with the highest peak in the main memory (HBM), of the programs that both sides have. `None` if no such program
    /// has a known peak on both sides.
    pub program: Option<PeakDelta>,
    /// Why `program` is `None`.
    pub absent: Option<String>,
    /// The largest memory in use that the allocators of devices show during the captures. `None` if a side has no allocator events.
    pub in_use: Option<BytesDelta>,
}

/// The difference of the peaks of a program in the main memory, each side at the moment of its own peak.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PeakDelta {
    /// Name of the program, without its id.
    pub program: String,
    pub a: PeakSide,
    pub b: PeakSide,
    /// Bytes.
    pub delta: i64,
    /// The classes of buffers with bytes on either side, the largest difference first. The differences sum to `delta`, and the
    /// bytes of each side to its peak.
    pub parts: Vec<ClassDelta>,
}

/// The peak of one side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PeakSide {
    /// Bytes with padding.
    pub peak: u64,
    /// Name of the instruction that first reaches the peak. `None` if the program starts at its peak.
    pub instruction: Option<String>,
    /// Number of buffers that are alive at the peak.
    pub n_buffers: u32,
    pub basis: Basis,
}

/// The bytes of one class of buffers at the peaks of both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassDelta {
    pub class: MemoryClass,
    pub a: u64,
    pub b: u64,
    pub delta: i64,
}

/// Sizes of both sides in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BytesDelta {
    pub a: u64,
    pub b: u64,
    pub delta: i64,
}

/// The difference of the collectives of two sessions, per unit of the comparison.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CommDelta {
    /// The largest difference of exposed time first, then of stall.
    pub rows: Vec<CommRowDelta>,
    /// Sums of the rows. Collectives that are in flight together count several times, so the exposed time of a step can be less.
    pub exposed: TimeDelta,
    pub stall: TimeDelta,
    /// Why collectives are not compared; there are no rows then, and the sums are unknown. `None` if they are compared.
    pub absent: Option<String>,
}

/// Times of both sides in ps per unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeDelta {
    pub a_ps: i64,
    pub b_ps: i64,
    pub delta_ps: i64,
}

/// Collectives of both sides with the same primitive, size and stride of groups, and scope.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CommRowDelta {
    pub primitive: Primitive,
    pub core: Core,
    /// Devices in a group. `None` if it is unknown.
    pub group_size: Option<u64>,
    /// Distance between neighbours in a group. `None` if it is unknown or not constant.
    pub group_stride: Option<u64>,
    /// Scope path. `None` if the capture has none.
    pub scope: Option<String>,
    /// `None` if only B has such collectives.
    pub a: Option<CommSide>,
    /// `None` if only A has such collectives.
    pub b: Option<CommSide>,
    /// Differences of times and of bytes; a side without such collectives counts as 0. The differences of all rows sum to those
    /// of [`CommDelta`].
    pub exposed_delta_ps: i64,
    pub stall_delta_ps: i64,
    /// `None` if the bytes of a side are unknown.
    pub bytes_delta: Option<i64>,
}

/// The collectives of a row on one side, per unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CommSide {
    /// Names of the ops, the longest exposed time first.
    pub ops: Vec<String>,
    pub n_executions: f64,
    /// Message bytes. `None` if a size is unknown.
    pub bytes: Option<i64>,
    /// Time in flight without compute, in ps.
    pub exposed_ps: i64,
    /// Self time of waits and of synchronous ops, in ps.
    pub stall_ps: i64,
    /// Bus bandwidth in bytes per second: the mean over the time of the executions. `None` if that of an op is unknown.
    pub bus_rate: Option<f64>,
}

/// The differences of the programs of two sessions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProgramDiff {
    /// The programs of both sides whose HLO is compared.
    pub programs: Vec<ProgramPair>,
    /// Names of the programs that one side alone runs.
    pub only_in_a: Vec<String>,
    pub only_in_b: Vec<String>,
    /// Why no programs are compared. `None` if some are.
    pub absent: Option<String>,
    /// The changes of ops, the largest difference first.
    pub changes: Vec<ProgramChange>,
    /// Numbers of the changes of ops.
    pub n_changes: ChangeCounts,
    /// The number of changes of each property, the most frequent first.
    pub properties: Vec<(Property, u32)>,
    /// Σ difference of `changes`, in ps per unit.
    pub delta_ps: i64,
    /// Changes of instructions that no op of the captures stands for.
    pub n_without_time: ChangeCounts,
    /// Number of ops that run in another order.
    pub n_moved: u32,
    /// Opcodes whose number differs, the largest difference first. Instructions inside fusions and reductions are not counted.
    pub opcodes: Vec<OpcodeDelta>,
}

/// A program of both sides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramPair {
    /// Name without id.
    pub name: String,
    /// Whether both sides are the same apart from names, ids, sources and the order of independent instructions.
    pub is_same: bool,
}

/// A change of one op, or of a group of ops.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProgramChange {
    /// Index in [`Comparison::rows`](super::Comparison::rows).
    pub row: u32,
    pub kind: ChangeKind,
    /// The properties that differ. Empty for ops of one side.
    pub what: Vec<ChangedProperty>,
    /// The difference of the row.
    pub delta_ps: i64,
}

keyed_enum! {
    /// The kind of a change.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum ChangeKind {
        /// B alone has the op.
        Added = "added",
        /// A alone has the op.
        Removed = "removed",
        Changed = "changed",
    }
}

/// A property that differs, with its texts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ChangedProperty {
    pub property: Property,
    /// Empty if the instruction has no such property.
    pub a: String,
    pub b: String,
}

keyed_enum! {
    /// A property of an instruction.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Property {
        /// The opcode, the target of a custom call, or the function of a reduction.
        Opcode = "opcode",
        /// Dimensions of the result or of an operand.
        Shape = "shape",
        Dtype = "dtype",
        Layout = "layout",
        MemorySpace = "memory_space",
        /// The kind of a fusion, and the opcodes inside of it.
        FusedSet = "fused_set",
        Groups = "groups",
        Precision = "precision",
        Sharding = "sharding",
        /// The number of ops that do the work: fusions were split or merged.
        Grouping = "grouping",
        Attributes = "attributes",
    }
}

impl Property {
    /// Returns the label for users.
    pub const fn label(self) -> &'static str {
        match self {
            Self::MemorySpace => "memory space",
            Self::FusedSet => "fused ops",
            Self::Grouping => "split or merged",
            _ => self.key(),
        }
    }
}

/// Numbers of changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeCounts {
    pub added: u32,
    pub removed: u32,
    pub changed: u32,
}

impl ProgramDiff {
    /// Counts the changes by kind and by property.
    pub(super) fn count_changes(&mut self) {
        let mut counts: BTreeMap<Property, u32> = BTreeMap::new();
        for change in &self.changes {
            match change.kind {
                ChangeKind::Added => self.n_changes.added += 1,
                ChangeKind::Removed => self.n_changes.removed += 1,
                ChangeKind::Changed => self.n_changes.changed += 1,
            }
            let mut properties: Vec<Property> = change.what.iter().map(|what| what.property).collect();
            properties.dedup();
            properties.into_iter().for_each(|property| *counts.entry(property).or_default() += 1);
        }
        self.properties = counts.into_iter().collect();
        self.properties.small_sort_by_key(|(property, n)| (Reverse(*n), *property));
    }
}

/// The number of instructions with an opcode on both sides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpcodeDelta {
    pub opcode: String,
    pub a: u32,
    pub b: u32,
}
