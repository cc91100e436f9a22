//! This module builds a [`Profile`] from the records of the XSpace walk: it resolves names, merges stats into ops, and
//! fills the columns of events.
//!
//! Events do not allocate memory of their own: columns grow by blocks, and nearly all events have a set of stats that
//! occurred before.
//!
//! ```text
//!  metadata 7 ──► op 0 ◄── events without stats of their own
//!                  └─ + {flops: 12} ──► op 9 ◄── events with the stat flops = 12   (stats of events win)
//! ```

use super::allocator::AllocatorStat;
use super::anomalies::Anomalies;
use super::correlation_ids::{self, Role};
use super::division::{AddedOps, Division};
use super::ids::{IdMap, OpId, program_of};
use super::listing_limit::ListingLimit;
use super::memory::{self, ValueNumbers};
use super::model::{HloBlob, HloForm, Line, Op, OpStats, Plane, PlaneStat, Profile, ProgramFile};
use super::pending::Pending;
use super::progress::ReadProgress;
use super::short_name::short_name;
use super::stats::{OpStat, WantedStat, flow, resolve, set, wanted_stat};
use super::value::Value;
use super::{Note, NoteCode, Severity, StrId};
use crate::wire::Span;
use crate::wire::xspace::{Event, LineHead, Outcome, PlaneHead, Sink, SpaceField, Stat, StatValue};
use rustc_hash::FxHashMap;

/// A builder of a profile, file by file.
pub struct Builder<'p> {
    pub(super) profile: Profile,
    pub(super) plane: Plane,
    role: Role,
    names: Names,
    /// Ops by the id of their metadata.
    pub(super) ops: IdMap<u32>,
    /// Ops by key: the op of the metadata and the stats of the event, as words.
    pub(super) variants: FxHashMap<Box<[u64]>, u32>,
    line: Option<Line>,
    /// Flows of the current line are stored, because it holds asynchronous ops or its name is not known yet.
    has_flows: bool,
    /// The current line holds counters, so that the numbers of its events are stored.
    has_counters: bool,
    /// Number of programs before the current plane.
    n_hlo: usize,
    /// How the current plane is divided, if only a part of it is read.
    pub(super) division: Option<Division>,
    /// The planes that are divided, by index in the profile.
    pub(super) divisions: Vec<(u32, Division)>,
    /// The ops that events have added to the last plane, if its other parts are still to be joined.
    pub(super) added_ops: AddedOps,
    pub(super) pending: Pending,
    pub(super) anomalies: Anomalies,
    pub(super) listing_limit: ListingLimit,
    pub(super) memories: ValueNumbers,
    /// The programs that are files of their own.
    program_files: Vec<ProgramFile>,
    pub(super) progress: &'p mut dyn FnMut(ReadProgress<'_>),
    pub(super) n_events: u64,
}

/// Stat names of the current plane.
#[derive(Default)]
struct Names {
    stat_names: Vec<StatName>,
    by_id: IdMap<u32>,
}

struct StatName {
    name: StrId,
    wanted: Option<WantedStat>,
    on_events: u64,
    on_metadata: u64,
}

impl<'p> Builder<'p> {
    /// Creates an empty builder, which calls `progress` about once per MiB.
    pub fn new(progress: &'p mut dyn FnMut(ReadProgress<'_>)) -> Self {
        Self {
            profile: Profile::default(),
            plane: Plane::default(),
            role: Role::default(),
            names: Names::default(),
            ops: IdMap::default(),
            variants: FxHashMap::default(),
            line: None,
            has_flows: false,
            has_counters: false,
            n_hlo: 0,
            division: None,
            divisions: Vec::new(),
            added_ops: AddedOps::default(),
            pending: Pending::default(),
            anomalies: Anomalies::default(),
            listing_limit: ListingLimit::default(),
            memories: ValueNumbers::default(),
            program_files: Vec::new(),
            progress,
            n_events: 0,
        }
    }

    /// Starts a file. All planes and programs that follow belong to it.
    pub fn file(&mut self, name: &str) {
        self.profile.files.push(name.to_owned());
    }

    /// Adds the current file as a program. `span` is its position in the file. An `id` of 0 means that its module has none.
    pub fn program(&mut self, name: &str, id: u64, span: Span, form: HloForm) {
        let file = self.profile.files.len().saturating_sub(1);
        self.program_files.push(ProgramFile { hlo: self.profile.hlo.len(), id });
        self.profile.hlo.push(HloBlob { name: name.to_owned(), program: None, file, span, form });
    }

    /// Marks the planes and the lines of the current file within which the file ends.
    pub fn mark_cut(&mut self, outcome: &Outcome) {
        let file = self.profile.files.len().saturating_sub(1);
        for damage in outcome.damage.iter().filter(|damage| damage.cut && damage.plane.is_some()) {
            let mut planes = self.profile.planes.iter_mut().rev();
            let Some(plane) = planes.find(|plane| plane.file == file && plane.name == damage.plane_name) else {
                continue;
            };
            plane.is_cut = true;
            let Some(name) = &damage.line else { continue };
            if let Some(line) = plane.lines.last_mut().filter(|line| line.name == *name) {
                line.is_cut = true;
            }
        }
    }

    pub fn note(&mut self, note: Note) {
        self.profile.notes.push(note);
    }

    /// Returns the profile with a note for each kind of anomaly. It may [need deriving](Profile::needs_deriving).
    pub fn finish(mut self) -> Profile {
        self.profile.notes.extend(std::mem::take(&mut self.anomalies).notes());
        self.profile.notes.extend(self.listing_limit.notes());
        self.profile.pending_program_files = Some(self.program_files);
        if !self.profile.needs_deriving() {
            self.profile.finish_profile();
        }
        self.profile
    }

    /// Returns the value of a stat that describes an op.
    fn op_value(&mut self, which: OpStat, value: StatValue<'_>) -> Option<Value> {
        if which != OpStat::Memory {
            return self.value(value);
        }
        let StatValue::Bytes(_, bytes) = value else { return None };
        self.profile.memories.add(&mut self.memories, bytes).map(Value::Memory)
    }

    fn value(&mut self, value: StatValue<'_>) -> Option<Value> {
        let names = &self.names;
        resolve(value, &mut self.profile.strings, |id| Some(names.stat_names.get(names.by_id.get(id)? as usize)?.name))
    }
}

pub(super) fn push_op(ops: &mut Vec<Op>, op: Op) -> u32 {
    ops.push(op);
    // 2³² ops would not fit the memory of any machine.
    u32::try_from(ops.len() - 1).unwrap_or(u32::MAX)
}

impl Sink for Builder<'_> {
    fn plane(&mut self, head: PlaneHead) {
        self.names = Names::default();
        self.ops = IdMap::default();
        self.variants.clear();
        self.pending = Pending::default();
        self.role = Role::from_plane(&head.name);
        self.division = Division::new(head.continues, head.is_continued);
        self.listing_limit.read(head.bytes);
        self.n_hlo = self.profile.hlo.len();
        self.plane = Plane {
            id: head.id,
            name: head.name,
            file: self.profile.files.len().saturating_sub(1),
            ops: Vec::with_capacity(head.n_event_metadata),
            lines: Vec::with_capacity(head.n_lines.min(self.listing_limit.left() as usize)),
            bytes: head.bytes,
            ..Plane::default()
        };
    }

    fn stat_name(&mut self, id: i64, name: &str) {
        let stat_name = StatName {
            name: self.profile.strings.intern(name),
            wanted: wanted_stat(name, self.role),
            on_events: 0,
            on_metadata: 0,
        };
        self.names.by_id.insert(id, self.names.stat_names.len() as u32);
        self.names.stat_names.push(stat_name);
    }

    fn plane_stat(&mut self, stat: Stat<'_>) {
        let Some(index) = self.names.by_id.get(stat.metadata_id) else {
            // The stats of this plane are pairs of a scope range and the range around it, which have no names.
            self.anomalies.unnamed_stats += u64::from(self.plane.name != "/host:__ScopeRangeCallStack__");
            return;
        };
        let name = self.names.stat_names[index as usize].name;
        let value = match (stat.value, self.value(stat.value)) {
            (StatValue::Bytes(span, _), _) => PlaneStat::Bytes(span.len()),
            (_, None | Some(Value::Memory(_))) => return,
            (_, Some(Value::Text(id))) => PlaneStat::Text(self.profile.text(id).to_owned()),
            (_, Some(Value::Double(v))) => PlaneStat::Number(v),
            #[expect(clippy::cast_precision_loss, reason = "peaks and capacities; shown, not summed")]
            (_, Some(Value::Int(v))) => PlaneStat::Number(v as f64),
            #[expect(clippy::cast_precision_loss, reason = "peaks and capacities; shown, not summed")]
            (_, Some(Value::Uint(v))) => PlaneStat::Number(v as f64),
        };
        let name = self.profile.text(name).to_owned();
        self.plane.stats.push((name, value));
    }

    fn event_metadata(&mut self, id: i64, name: &str, display_name: &str) {
        let strings = &mut self.profile.strings;
        let text = strings.intern(name);
        let short = strings.intern(if display_name.is_empty() { short_name(name) } else { display_name });
        let op = Op { resolved: true, name: short, text, stats: OpStats::default() };
        let index = push_op(&mut self.plane.ops, op);
        // As in every protobuf map, the last entry of an id counts.
        self.ops.insert(id, index);
        self.plane.n_metadata = self.plane.ops.len();
    }

    fn metadata_stat(&mut self, stat: Stat<'_>) {
        let Some(index) = self.names.by_id.get(stat.metadata_id) else {
            self.anomalies.unnamed_stats += 1;
            return;
        };
        let stat_name = &mut self.names.stat_names[index as usize];
        stat_name.on_metadata += 1;
        match stat_name.wanted {
            Some(WantedStat::Op(which)) => {
                let value = self.op_value(which, stat.value);
                let id = self.plane.ops.len().saturating_sub(1) as u32;
                if let (Some(value), Some(op)) = (value, self.plane.ops.last_mut()) {
                    set(&mut op.stats, which, value, &mut self.profile.strings);
                    value.memory().into_iter().for_each(|number| memory::put(&mut self.plane.memory, id, number));
                }
            }
            Some(WantedStat::HloProto) => {
                if let (StatValue::Bytes(span, _), Some(op)) = (stat.value, self.plane.ops.last()) {
                    let name = self.profile.strings.get(op.text).to_owned();
                    let program = program_of(&name).map(|(_, id)| id);
                    self.profile.hlo.push(HloBlob {
                        name,
                        program,
                        file: self.plane.file,
                        span,
                        form: HloForm::Embedded,
                    });
                }
            }
            Some(
                WantedStat::DeviceOffset
                | WantedStat::DeviceDuration
                | WantedStat::Allocator(_)
                | WantedStat::Flow
                | WantedStat::Correlation(_)
                | WantedStat::Link(_),
            )
            | None => {}
        }
    }

    fn line(&mut self, head: &LineHead) {
        if self.plane.lines.is_empty() {
            self.end_metadata();
        }
        let line = Line { name: head.name.clone(), ..Line::default() };
        self.has_flows = line.is_async() || line.name.is_empty();
        self.has_counters = line.has_counters();
        self.line = Some(line);
    }

    #[inline]
    fn event_stat(&mut self, stat: Stat<'_>) {
        let Some(index) = self.names.by_id.get(stat.metadata_id) else {
            self.anomalies.unnamed_stats += 1;
            return;
        };
        let stat_name = &mut self.names.stat_names[index as usize];
        stat_name.on_events += 1;
        match stat_name.wanted {
            None if self.has_counters => {
                let (name, value) = (stat_name.name, self.value(stat.value));
                self.pending.counters.set(name, value, &self.profile.strings);
            }
            None | Some(WantedStat::HloProto) => {}
            Some(WantedStat::DeviceOffset) => self.pending.device_start = self.anomalies.picos(stat.value),
            Some(WantedStat::DeviceDuration) => self.pending.device_duration = self.anomalies.picos(stat.value),
            Some(WantedStat::Flow) => self.pending.flow = flow(stat.value),
            Some(WantedStat::Correlation(which)) => {
                if let Some(value) = self.value(stat.value) {
                    self.pending.correlation_ids.set(which, value, &self.profile.strings);
                }
            }
            Some(WantedStat::Link(which)) => {
                let value = self.value(stat.value);
                value.into_iter().for_each(|value| self.pending.links.set(which, value));
            }
            Some(WantedStat::Allocator(which)) => match self.value(stat.value) {
                Some(Value::Text(name)) if which == AllocatorStat::Name => self.pending.allocator.name(name),
                Some(value) => {
                    let number = value.number(&self.profile.strings);
                    number.into_iter().for_each(|number| self.pending.allocator.number(which, number));
                }
                None => {}
            },
            Some(WantedStat::Op(which)) => {
                if let Some(value) = self.op_value(which, stat.value) {
                    self.pending.overrides.push((which, value));
                }
            }
        }
    }

    #[inline]
    fn event(&mut self, event: Event) {
        let op = self.op_of(event.metadata_id);
        let [start, duration] = [event.offset_ps.unwrap_or(0), event.duration_ps].map(|ps| self.anomalies.clamped(ps));
        self.anomalies.aggregated += u64::from(event.num_occurrences.is_some());
        let flow = self.pending.flow.take().filter(|_| self.has_flows);
        // A sample of a counter before the capture is of no time. CUPTI writes such samples when its buffer is full.
        let is_lost = self.has_counters && event.offset_ps.is_some_and(i64::is_negative);
        let Some(line) = self.line.as_mut().filter(|_| !is_lost) else { return self.discard() };
        line.flows.extend(flow.map(|flow| (line.events.len() as u32, flow)));
        let Line { events, allocator, counters, correlation_ids, links, step_marks, .. } = line;
        let run = self.pending.correlation_ids.run();
        let device = self.pending.allocator.ordinal();
        self.pending.links.take(links, step_marks, events.len(), run, device);
        // This is skipped for TPUs, because the access to the op of every event would wait for memory.
        if self.role != Role::Other {
            let has_op = self.plane.ops[op as usize].stats.hlo_op.is_some();
            self.pending.correlation_ids.take(correlation_ids, self.role, events.len(), has_op, device);
        } else if run.is_some() {
            self.pending.correlation_ids = correlation_ids::Pending::default();
        }
        allocator.extend(self.pending.allocator.take(events.len()));
        self.pending.counters.take(counters, events.len());
        let device = self.pending.device_start.take().zip(self.pending.device_duration.take());
        events.push(OpId(op), (start, duration), device);
        self.pending.overrides.clear();
        self.n_events += 1;
    }

    fn discard(&mut self) {
        self.pending.clear();
    }

    fn line_end(&mut self, head: &LineHead) {
        let Some(mut line) = self.line.take() else { return };
        (line.id, line.timestamp_ns, line.bytes) = (head.id, head.timestamp_ns, head.bytes);
        (line.name, line.display_name) = (head.name.clone(), head.display_name.clone());
        if self.division.is_none() {
            line.end();
        }
        if !self.listing_limit.take() {
            return self.listing_limit.leave_out(line.events.len() as u64);
        }
        if line.events.close() && self.division.is_none() {
            self.anomalies.mixed_clock(&self.plane.name, &line.name);
        }
        self.plane.lines.push(line);
    }

    fn plane_end(&mut self) {
        if self.plane.lines.is_empty() {
            self.end_metadata();
        }
        let mut plane = std::mem::take(&mut self.plane);
        // A plane with lines or programs is always listed, because its size is in proportion to its content.
        let is_empty = plane.lines.is_empty() && self.profile.hlo.len() == self.n_hlo;
        if !self.listing_limit.take() && is_empty {
            return self.listing_limit.leave_out(0);
        }
        for stat_name in &self.names.stat_names {
            let count = plane.stat_counts.entry(self.profile.text(stat_name.name).to_owned()).or_default();
            count.on_events += stat_name.on_events;
            count.on_metadata += stat_name.on_metadata;
        }
        plane.stat_counts.retain(|_, c| c.on_events + c.on_metadata > 0);
        plane.ops.shrink_to_fit();
        self.end_part_of_plane();
        self.profile.planes.push(plane);
    }

    fn space_field(&mut self, field: SpaceField) {
        let (severity, code, text) = match field {
            SpaceField::Error(text) => (Severity::Caution, NoteCode::ProfilerError, text),
            SpaceField::Warning(text) => (Severity::Info, NoteCode::ProfilerWarning, text),
            SpaceField::Host(name) => return self.profile.hosts.push(name),
        };
        self.note(Note::new(severity, code, format!("The profiler says: {text}")));
    }

    fn progress(&mut self, bytes: u64) {
        let planes = self.profile.planes.len();
        (self.progress)(ReadProgress { bytes, planes, events: self.n_events, plane: &self.plane.name });
    }
}
