//! What a capture holds: planes, lines, and the distinct ops that events point at.
//!
//! Knows XSpace's words (plane, line, op stats) but nothing of its bytes, and not what a step or a kind is.

use super::correlation_ids::CorrelationIds;
use super::ids::{OpId, ProgramId};
use super::{AllocatorRow, Events, Memories, MemoryBytes, Note, StrId, Strings, memory, program_of};
use crate::wire::Span;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A session: the captures that were opened together.
#[derive(Default)]
pub struct Profile {
    /// The files, in the order they were opened.
    pub files: Vec<String>,
    /// All planes, in file order.
    pub planes: Vec<Plane>,
    /// Every text, once.
    pub strings: Strings,
    /// Names of programs by id, from module runs and from `/host:metadata`.
    pub programs: BTreeMap<ProgramId, String>,
    /// Serialized HLO programs, by place in their file.
    pub hlo: Vec<HloBlob>,
    /// What reading had to say.
    pub notes: Vec<Note>,
    /// Hosts named by the captures.
    pub hosts: Vec<String>,
    /// What ops say of the memories they read and write, each distinct answer once.
    pub memories: Memories,
    /// Programs that are files of their own, until all that is to be worked out is.
    pub(super) unsettled: Option<Vec<Dropped>>,
}

/// One plane.
#[derive(Default)]
pub struct Plane {
    /// Its id in the file.
    pub id: i64,
    /// Its name, `/device:TPU:0`.
    pub name: String,
    /// Index into [`Profile::files`].
    pub file: usize,
    /// Its stats, in file order.
    pub stats: Vec<(String, PlaneStat)>,
    /// Its lines, in file order.
    pub lines: Vec<Line>,
    /// Distinct ops: one per metadata entry, and one per further set of stats that events give it.
    pub ops: Vec<Op>,
    /// Numbers in [`Profile::memories`] of those ops that say which memories they read and write, by op.
    pub memory: Vec<(OpId, u32)>,
    /// Metadata entries; the first of [`Plane::ops`].
    pub n_metadata: usize,
    /// How often each stat occurs, by name.
    pub stat_counts: BTreeMap<String, StatCount>,
    /// Bytes in the file; 0 of a plane that is [derived](Plane::is_derived).
    pub bytes: u64,
}

/// How often a stat occurs in a plane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StatCount {
    /// On events.
    pub on_events: u64,
    /// On event metadata.
    pub on_metadata: u64,
}

/// A plane stat's value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum PlaneStat {
    /// Text.
    Text(String),
    /// A number.
    Number(f64),
    /// Bytes, by length.
    Bytes(u64),
}

impl PlaneStat {
    /// As text: a number as it is, of bytes how many.
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) => number.to_string(),
            Self::Bytes(n) => format!("{n} bytes"),
        }
    }
}

/// One line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    /// Its id in the file.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// The name to show, where it differs.
    pub display_name: String,
    /// Where its own time starts, ns.
    pub timestamp_ns: i64,
    /// Its events, in file order.
    pub events: Events,
    /// What an allocator said at some of them, in their order.
    pub allocator: Vec<AllocatorRow>,
    /// Of a line of what is asynchronous: events' places with their `flow`, in order. Events of one flow are one thing in flight.
    pub flows: Vec<(u32, u64)>,
    /// Bytes in the file.
    pub bytes: u64,
    /// It is in no file, but was made of what is: runs of programs, ops of a host's threads by device.
    pub derived: bool,
    /// What joins its events to others, until all files are read.
    pub(super) correlation_ids: CorrelationIds,
}

impl Line {
    /// It is a GPU's queue of kernels and copies: `Stream #16(Kernel)`, `Stream #134(Compute,MemcpyD2D)`.
    pub fn is_stream(&self) -> bool {
        self.name.starts_with("Stream #")
    }

    /// What it shows goes on beside the core: `Async XLA Ops`.
    pub fn is_async(&self) -> bool {
        self.name.contains("Async")
    }
}

/// A distinct op: what metadata says, overridden by what its events say.
#[derive(Clone, Debug, PartialEq)]
pub struct Op {
    /// Whether there is metadata for it. If not, `name` is made from the id.
    pub resolved: bool,
    /// Short name, without `%`.
    pub name: StrId,
    /// The metadata's name: on TPU op lines the whole HLO text.
    pub text: StrId,
    /// The stats that analyses use.
    pub stats: OpStats,
}

/// The stats of an op that analyses use. Costs are per execution; −1 on the wire is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OpStats {
    /// `hlo_category`.
    pub category: Option<StrId>,
    /// `tf_op`: the scope path.
    pub tf_op: Option<StrId>,
    /// `source`: `file:line`.
    pub source: Option<StrId>,
    /// `source_stack`: one frame per line.
    pub source_stack: Option<StrId>,
    /// `deduplicated_name`.
    pub dedup: Option<StrId>,
    /// `shape_with_layout`.
    pub shape: Option<StrId>,
    /// `hlo_op`: on lines whose events are not named by op.
    pub hlo_op: Option<StrId>,
    /// `hlo_module`.
    pub hlo_module: Option<StrId>,
    /// Of a GPU's op the kernel that ran; `name` then is the HLO op it is of, where that is known.
    pub kernel: Option<StrId>,
    /// `program_id`.
    pub program: Option<ProgramId>,
    /// `flops`.
    pub flops: Option<f64>,
    /// `model_flops`.
    pub model_flops: Option<f64>,
    /// `bytes_accessed`.
    pub bytes_accessed: Option<f64>,
    /// As how many events one execution of its instruction is seen, where it is more than one: kernels of a library call. The
    /// costs above are then one event's share.
    pub events_per_execution: Option<std::num::NonZeroU32>,
}

/// What the bytes of a serialized program are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HloForm {
    /// An `HloProto` in a stat of a capture.
    Embedded,
    /// An `HloProto` that is a file of its own.
    Proto,
    /// An `HloModuleProto` that is, or is in, a file of its own.
    Module,
    /// The text of a module, which is a file of its own.
    Text,
}

/// A serialized HLO program: inside a capture, or a file of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HloBlob {
    /// `module(program_id)` where it is inside a capture, else the module's name.
    pub name: String,
    /// The id in the name; of a file of its own that of the program it was joined to.
    pub program: Option<ProgramId>,
    /// Index into [`Profile::files`].
    pub file: usize,
    /// Where its bytes are.
    pub span: Span,
    /// What they are.
    pub form: HloForm,
}

impl HloBlob {
    /// It is a file of its own.
    pub fn is_dropped(&self) -> bool {
        self.form != HloForm::Embedded
    }

    /// The module's name.
    pub fn module(&self) -> &str {
        if self.is_dropped() { &self.name } else { program_of(&self.name).map_or(&self.name, |(name, _)| name) }
    }
}

impl Plane {
    /// An op by id. Ids come from this plane's own events.
    pub fn op(&self, id: OpId) -> &Op {
        &self.ops[id.0 as usize]
    }

    /// A stat's text.
    pub fn text_stat(&self, name: &str) -> Option<&str> {
        self.stats.iter().find_map(|(n, v)| match v {
            PlaneStat::Text(text) if n == name => Some(text.as_str()),
            _ => None,
        })
    }

    /// A stat's number.
    pub fn number_stat(&self, name: &str) -> Option<f64> {
        self.stats.iter().find_map(|(n, v)| match v {
            PlaneStat::Number(number) if n == name => Some(*number),
            _ => None,
        })
    }

    /// It is in no file, but was made of a host's threads: a CPU's device.
    pub fn is_derived(&self) -> bool {
        !self.lines.is_empty() && self.lines.iter().all(|line| line.derived)
    }

    /// Events of all lines that are in the file.
    pub fn n_events(&self) -> usize {
        self.lines.iter().filter(|l| !l.derived).map(|l| l.events.len()).sum()
    }
}

impl Profile {
    /// A text of this profile.
    pub fn text(&self, id: StrId) -> &str {
        self.strings.get(id)
    }

    /// Bytes that one execution of an op of `plane` reads and writes, by memory; `None` where nothing splits them.
    pub fn memory(&self, plane: &Plane, op: OpId) -> Option<&MemoryBytes> {
        self.memories.get(memory::value_of(&plane.memory, op)?)
    }

    /// Events of all planes, as they are in the files.
    pub fn n_events(&self) -> usize {
        self.planes.iter().map(Plane::n_events).sum()
    }
}

/// A program that is a file of its own.
pub(super) struct Dropped {
    /// Its place in [`Profile::hlo`].
    pub(super) hlo: usize,
    /// `HloModuleProto.id`; 0 where there is none.
    pub(super) id: u64,
}
