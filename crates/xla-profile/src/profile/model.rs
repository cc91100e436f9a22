//! This module defines the types of the model: planes, lines, and the distinct ops to which events refer.

use super::correlation_ids::CorrelationIds;
use super::counters::{COUNTER_LINE, CounterRow};
use super::event_links::{EventLink, StepMark};
use super::ids::{OpId, ProgramId};
use super::{AllocatorRow, Events, Memories, MemoryBytes, Note, StrId, Strings, memory, program_of};
use crate::wire::Span;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The captures of a session, which were opened together.
#[derive(Default)]
pub struct Profile {
    /// Names of the files, in the order in which they were opened.
    pub files: Vec<String>,
    /// All planes, in the order of the files.
    pub planes: Vec<Plane>,
    /// Every distinct text.
    pub strings: Strings,
    /// Names of programs by id, from module runs and from `/host:metadata`.
    pub programs: BTreeMap<ProgramId, String>,
    /// Positions of serialized HLO programs in their files.
    pub hlo: Vec<HloBlob>,
    pub notes: Vec<Note>,
    /// Host names in the captures.
    pub hosts: Vec<String>,
    /// Distinct values of `memory_access_breakdown`, to which [`Plane::memory`] refers.
    pub memories: Memories,
    /// Programs that are files of their own. `None` after [`Profile::finish_profile`].
    pub(super) pending_program_files: Option<Vec<ProgramFile>>,
}

/// A plane of a capture.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Plane {
    pub id: i64,
    /// Name, such as `/device:TPU:0`.
    pub name: String,
    /// Index in [`Profile::files`].
    pub file: usize,
    /// Stats of the plane, in the order of the file.
    pub stats: Vec<(String, PlaneStat)>,
    pub lines: Vec<Line>,
    /// Distinct ops: one per metadata entry, and one per further set of stats that events add to a metadata entry.
    pub ops: Vec<Op>,
    /// The ops with bytes by memory, sorted by op, each with its number in [`Profile::memories`].
    pub memory: Vec<(OpId, u32)>,
    /// Number of metadata entries, which are the first ops in [`Plane::ops`].
    pub n_metadata: usize,
    /// Number of occurrences of each stat, by name.
    pub stat_counts: BTreeMap<String, StatCount>,
    /// Size in the file; 0 for a [derived](Plane::is_derived) plane.
    pub bytes: u64,
    /// The file ends within the plane, so its further lines and events are not in the file.
    pub is_cut: bool,
}

/// Number of occurrences of a stat in a plane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatCount {
    pub on_events: u64,
    /// Occurrences on event metadata.
    pub on_metadata: u64,
}

/// The value of a stat of a plane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum PlaneStat {
    Text(String),
    Number(f64),
    /// Bytes, of which only the length is kept.
    Bytes(u64),
}

impl PlaneStat {
    /// Returns the value as text: a text or a number itself, and the length of bytes.
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) => number.to_string(),
            Self::Bytes(n) => format!("{n} bytes"),
        }
    }
}

/// A line of a plane.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Line {
    pub id: i64,
    pub name: String,
    /// Name for display; empty if there is none.
    pub display_name: String,
    /// Start of the line's time, in ns.
    pub timestamp_ns: i64,
    /// Events, in the order of the file.
    pub events: Events,
    /// States of the allocator at allocator events, in the order of the events.
    pub allocator: Vec<AllocatorRow>,
    /// Values of counter events, in the order of the events; only for [lines of counters](Line::has_counters).
    pub counters: Vec<CounterRow>,
    /// Indices of events with their `flow`, in order; only for a line of asynchronous ops. The events of one flow
    /// belong to one operation in flight.
    pub flows: Vec<(u32, u64)>,
    /// Links of events to other events, each with the index of its event, in the order of the events.
    pub links: Vec<(u32, EventLink)>,
    /// Indices of events that the program marked as steps, in order.
    pub step_marks: Vec<(u32, StepMark)>,
    /// Size in the file.
    pub bytes: u64,
    /// The line is not in a file, but was made from other lines: runs of programs, or the ops of a CPU device.
    pub derived: bool,
    /// The file ends within the line, or may end within it, so events after the last one are not in the file.
    pub is_cut: bool,
    /// Indices of events with their `correlation_id`, in order; only on planes of GPUs and hosts. A kernel and the host
    /// call that launched it have the same id.
    pub launches: Vec<(u32, u32)>,
    /// Indices of events with their `cuda_graph_node_id`, in order; only for kernels that a CUDA graph launched. The
    /// high 32 bits are the graph, and the low 32 bits the number of the node in it.
    pub graph_nodes: Vec<(u32, u64)>,
    /// Ids that join events to events of other planes. Empty after all files have been read.
    pub(super) correlation_ids: CorrelationIds,
}

impl Line {
    /// Returns whether the line is a stream of a GPU: `Stream #16(Kernel)`, `Stream #134(Compute,MemcpyD2D)`.
    pub fn is_stream(&self) -> bool {
        self.name.starts_with("Stream #")
    }

    /// Returns whether the line holds counters, whose events have values instead of durations.
    pub fn has_counters(&self) -> bool {
        self.name == COUNTER_LINE
    }

    /// Drops what only some lines have, once the name of the line is known.
    pub(super) fn end(&mut self) {
        if !self.is_async() {
            self.flows = Vec::new();
        }
    }

    /// Returns whether the line holds asynchronous ops, which run beside the ops of the core: `Async XLA Ops`.
    pub fn is_async(&self) -> bool {
        self.name.contains("Async")
    }
}

/// A distinct op: the stats of its metadata, overridden by the stats of its events.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Op {
    /// The op has metadata. If it has none, its name is made from its id.
    pub resolved: bool,
    /// Short name, without `%`.
    pub name: StrId,
    /// Name of the metadata, which is the whole HLO text on op lines of a TPU.
    pub text: StrId,
    pub stats: OpStats,
}

/// The program and the name of an op. They are the same on every device.
pub type OpKey = (Option<ProgramId>, StrId);

impl Op {
    /// Returns the program and the name of the op. Several ops of a plane have the same key if their stats differ.
    pub const fn key(&self) -> OpKey {
        (self.stats.program, self.name)
    }
}

/// The stats of an op that analyses use. Costs are per execution; a cost of −1 in the file is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OpStats {
    /// `hlo_category`.
    pub category: Option<StrId>,
    /// `tf_op`: the scope path.
    pub tf_op: Option<StrId>,
    /// The scope path of the nearest instruction of the program that names a part of the model, if [`Self::tf_op`]
    /// names none.
    pub nearest_scope: Option<StrId>,
    /// `source`: `file:line`.
    pub source: Option<StrId>,
    /// `source_stack`: one frame per line.
    pub source_stack: Option<StrId>,
    /// `deduplicated_name`.
    pub dedup: Option<StrId>,
    /// `shape_with_layout`.
    pub shape: Option<StrId>,
    /// `hlo_op`, on lines whose events do not have the name of the op.
    pub hlo_op: Option<StrId>,
    /// `hlo_module`.
    pub hlo_module: Option<StrId>,
    /// Name of the kernel of a GPU op. [`Op::name`] is then the name of the HLO op, if it is known.
    pub kernel: Option<StrId>,
    /// `program_id`.
    pub program: Option<ProgramId>,
    /// `flops`.
    pub flops: Option<f64>,
    /// `model_flops`.
    pub model_flops: Option<f64>,
    /// `bytes_accessed`.
    pub bytes_accessed: Option<f64>,
    /// Number of events per execution of the instruction, if it is more than one, such as the kernels of a library
    /// call. The costs above are then the share of one event.
    pub events_per_execution: Option<std::num::NonZeroU32>,
}

/// The format of a serialized program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HloBlob {
    /// `module(program_id)` for a program inside a capture, else the name of the module.
    pub name: String,
    /// The id in the name. For a file of its own, the id of the matching program; `None` if no program matches.
    pub program: Option<ProgramId>,
    /// Index in [`Profile::files`].
    pub file: usize,
    /// Position in the (unpacked) file.
    pub span: Span,
    pub form: HloForm,
}

impl HloBlob {
    /// Returns whether the program is a file of its own.
    pub fn is_dropped(&self) -> bool {
        self.form != HloForm::Embedded
    }

    /// Returns the name of the module.
    pub fn module(&self) -> &str {
        if self.is_dropped() { &self.name } else { program_of(&self.name).map_or(&self.name, |(name, _)| name) }
    }
}

impl Plane {
    /// Returns an op by id. The id must come from an event of this plane.
    ///
    /// # Panics
    /// Panics if the plane has no such op.
    pub fn op(&self, id: OpId) -> &Op {
        &self.ops[id.0 as usize]
    }

    /// Returns the text of a stat, or `None` if the plane has no text stat of this name.
    pub fn text_stat(&self, name: &str) -> Option<&str> {
        self.stats.iter().find_map(|(n, v)| match v {
            PlaneStat::Text(text) if n == name => Some(text.as_str()),
            _ => None,
        })
    }

    /// Returns the number of a stat, or `None` if the plane has no number stat of this name.
    pub fn number_stat(&self, name: &str) -> Option<f64> {
        self.stats.iter().find_map(|(n, v)| match v {
            PlaneStat::Number(number) if n == name => Some(*number),
            _ => None,
        })
    }

    /// Returns the time at which the profile was started, in ns since 1970. `None` if the plane does not record it.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a positive time in ns since 1970")]
    pub fn start_ns(&self) -> Option<u64> {
        self.number_stat("profile_start_time").filter(|start| *start > 0.0).map(|start| start as u64)
    }

    /// Returns the time at which the profile was stopped, in ns since 1970. `None` if the plane does not record it.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a positive time in ns since 1970")]
    pub fn stop_ns(&self) -> Option<u64> {
        self.number_stat("profile_stop_time").filter(|stop| *stop > 0.0).map(|stop| stop as u64)
    }

    /// Returns whether the plane belongs to a host: its threads, or data of its own such as compiled programs.
    pub fn is_host(&self) -> bool {
        self.name.starts_with("/host:")
    }

    /// Returns whether the plane is not in a file, but was made from the threads of a host: the device of a CPU.
    pub fn is_derived(&self) -> bool {
        !self.lines.is_empty() && self.lines.iter().all(|line| line.derived)
    }

    /// Returns the number of events in the file, without those of derived lines.
    pub fn n_events(&self) -> usize {
        self.lines.iter().filter(|l| !l.derived).map(|l| l.events.len()).sum()
    }
}

impl Profile {
    /// Returns a text of this profile.
    pub fn text(&self, id: StrId) -> &str {
        self.strings.get(id)
    }

    /// Returns the bytes by memory that one execution of an op of `plane` reads and writes, or `None` if the capture
    /// does not have them.
    pub fn memory(&self, plane: &Plane, op: OpId) -> Option<&MemoryBytes> {
        self.memories.get(memory::value_of(&plane.memory, op)?)
    }

    /// Returns the number of events in all files, without those of derived lines.
    pub fn n_events(&self) -> usize {
        self.planes.iter().map(Plane::n_events).sum()
    }
}

/// A program that is a file of its own.
pub(super) struct ProgramFile {
    /// Index in [`Profile::hlo`].
    pub(super) hlo: usize,
    /// `HloModuleProto.id`; 0 if there is none.
    pub(super) id: u64,
}
