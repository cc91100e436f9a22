//! This module does the second walk: it finds the op of each event, and adds the event to the columns of its line.

use super::super::builder::push_op;
use super::super::correlation_ids::Role;
use super::super::counters::COUNTER_LINE;
use super::super::model::{Line, Op, OpStats, Plane, StatCount};
use super::super::stats::{OpStat, set};
use super::super::{Builder, Note, NoteCode, ReadProgress, Severity, StrId};
use super::Survey;
use super::event_args::{CounterArgs, EventArgs, Names};
use super::survey::has_place;
use super::tree::{Process, Thread, ThreadKind, Tree};
use crate::profile::ids::OpId;
use crate::profile::value::Value;
use crate::small_sort::{SmallSort, collect_map};
use crate::wire::trace::{Event, Id, Sink};
use rustc_hash::FxHashMap;

/// The sink of the second walk.
pub(super) struct Fill<'b, 'p> {
    builder: &'b mut Builder<'p>,
    tree: Tree,
    origin_ns: i64,
    planes: Vec<Ops>,
    lines: Vec<Line>,
    names: Names,
    args: EventArgs,
    key: Vec<u64>,
    /// Indices of the events that have begun and not ended; the innermost is the last.
    open: FxHashMap<PairKey, Vec<usize>>,
    left_out: LeftOut,
    /// A line holds counters, so that the line of each event is looked up before its arguments are read.
    has_counters: bool,
    order: LineOrder,
}

/// The key that joins the end of an event to its begin: the line, and for asynchronous events their id and name.
type PairKey = (usize, Option<(StrId, StrId)>);

/// The order of lines in the file. If the events of a line follow each other, only the last line can lack events at the end
/// of a cut file. Otherwise every line can.
#[derive(Default)]
struct LineOrder {
    /// The line of the last event.
    last: Option<usize>,
    /// Lines whose events have come, by index.
    has_come: Vec<bool>,
    /// Events of a line have come after events of another line that came after it.
    is_mixed: bool,
}

impl LineOrder {
    fn add(&mut self, line: usize) {
        if self.last == Some(line) {
            return;
        }
        self.last = Some(line);
        if self.has_come.len() <= line {
            self.has_come.resize(line + 1, false);
        }
        if let Some(has_come) = self.has_come.get_mut(line) {
            self.is_mixed |= *has_come;
            *has_come = true;
        }
    }

    /// Returns whether a line can lack events at the end of a cut file.
    fn can_be_cut(&self, line: usize) -> bool {
        self.is_mixed || self.last.is_none_or(|last| last == line)
    }
}

/// The distinct ops of a plane.
#[derive(Default)]
struct Ops {
    ops: Vec<Op>,
    /// Ops by key: name, text and stats, as words.
    by_words: FxHashMap<Box<[u64]>, u32>,
    /// The last key and its op. Events of one op often follow each other.
    last: (Vec<u64>, u32),
    /// Number of occurrences of each argument, by its index in [`Names`].
    counts: Vec<u64>,
}

/// Numbers of events that are not on a line, for notes.
#[derive(Default)]
struct LeftOut {
    untimed: u64,
    other: u64,
    unmatched: u64,
}

impl<'b, 'p> Fill<'b, 'p> {
    pub(super) fn new(builder: &'b mut Builder<'p>, survey: Survey) -> Self {
        let origin_ns = survey.origin_ns();
        let tree = survey.tree;
        let line = |t: &Thread| Line { id: t.id, name: line_name(t), timestamp_ns: origin_ns, ..Line::default() };
        let lines: Vec<Line> = tree.threads.iter().map(line).collect();
        Self {
            has_counters: lines.iter().any(Line::has_counters),
            order: LineOrder::default(),
            builder,
            origin_ns,
            planes: tree.processes.iter().map(|_| Ops::default()).collect(),
            lines,
            tree,
            names: Names::default(),
            args: EventArgs::default(),
            key: Vec::new(),
            open: FxHashMap::default(),
            left_out: LeftOut::default(),
        }
    }

    /// Adds the planes to the profile, in the order of their sort indices, like trace viewers. With `is_cut`, the file lacks
    /// its last events.
    pub(super) fn finish(mut self, is_cut: bool) {
        let unended: usize = self.open.values().map(Vec::len).sum();
        self.left_out.unmatched += unended as u64;
        let file = self.builder.profile.files.len().saturating_sub(1);
        let mut order: Vec<usize> = (0..self.lines.len()).collect();
        order.small_sort_by_key(|index| {
            let t = &self.tree.threads[*index];
            (t.order, t.id, t.kind, t.name.clone())
        });
        let mut planes: Vec<(&Process, Plane)> = Vec::new();
        for (process, read) in self.tree.processes.iter().zip(self.planes) {
            let counts = read.counts.iter().enumerate().filter(|(_, n)| **n > 0);
            let count = |n: u64| StatCount { on_events: n, on_metadata: 0 };
            let mut ops = read.ops;
            ops.shrink_to_fit();
            let name = process.name.clone().unwrap_or_else(|| format!("process {}", process.id));
            let stat_counts = collect_map(counts.map(|(index, n)| (self.names.names[index].clone(), count(*n))));
            planes.push((process, Plane { id: process.id, name, file, ops, stat_counts, ..Plane::default() }));
        }
        for index in order {
            let mut line = std::mem::take(&mut self.lines[index]);
            line.is_cut = is_cut && self.order.can_be_cut(index);
            let plane = &mut planes[self.tree.threads[index].process].1;
            if line.events.close() {
                self.builder.anomalies.mixed_clock_lines.push(format!("{}, {}", plane.name, line.name));
            }
            plane.bytes += line.bytes;
            plane.is_cut |= line.is_cut;
            plane.lines.push(line);
        }
        planes.small_sort_by(|(a, x), (b, y)| (a.order, a.id, &x.name).cmp(&(b.order, b.id, &y.name)));
        let profile = &mut self.builder.profile;
        profile.planes.extend(planes.into_iter().map(|(_, plane)| plane));
        // All trace JSON files share one note.
        let nature = nature();
        match profile.notes.iter_mut().find(|note| note.code == nature.code) {
            Some(note) => note.place = None,
            None => profile.notes.push(nature.with_place(profile.files[file].clone())),
        }
        profile.notes.extend(self.left_out.notes());
        profile.notes.extend(self.tree.listing_limit.notes());
    }

    /// Returns the op of the current event, and adds the op if it is new.
    fn op(&mut self, plane: usize, name: &[u8]) -> u32 {
        let strings = &mut self.builder.profile.strings;
        let name = strings.intern(&String::from_utf8_lossy(name));
        let text = match self.args.text {
            Some(Value::Text(text)) => text,
            _ => name,
        };
        self.key.clear();
        self.key.extend([u64::from(name.number()), u64::from(text.number())]);
        for (which, value) in self.args.stats.iter().enumerate() {
            if let Some(value) = value {
                let [tag, word] = value.words();
                self.key.extend([(which as u64) << 8 | tag, word]);
            }
        }
        let plane = &mut self.planes[plane];
        if plane.last.0 == self.key {
            return plane.last.1;
        }
        let id = match plane.by_words.get(self.key.as_slice()) {
            Some(id) => *id,
            None => {
                let mut stats = OpStats::default();
                for (which, value) in OpStat::ALL.into_iter().zip(self.args.stats) {
                    if let Some(value) = value {
                        set(&mut stats, which, value, strings);
                    }
                }
                let id = push_op(&mut plane.ops, Op { resolved: true, name, text, stats });
                plane.by_words.insert(self.key.as_slice().into(), id);
                id
            }
        };
        std::mem::swap(&mut plane.last.0, &mut self.key);
        plane.last.1 = id;
        id
    }

    /// Adds the current event to its line. Returns its index there, or `None` if the event is left out.
    fn add(&mut self, event: &Event<'_>, start_ps: i128) -> Option<usize> {
        // If the thread is unknown, the first walk had no room for it, and has counted the event.
        let index = self.tree.find(event)?;
        let Some(start) = self.since_origin(start_ps) else {
            self.left_out.untimed += 1;
            return None;
        };
        let process = self.tree.threads[index].process;
        let role = Role::from_plane(self.tree.processes[process].name.as_deref().unwrap_or_default());
        self.args.keep_for_role(role);
        let op = self.op(process, event.name);
        let counts = &mut self.planes[process].counts;
        counts.resize(self.names.names.len(), 0);
        self.args.names.iter().for_each(|name| counts[*name] += 1);
        let duration = self.builder.anomalies.clamped_wide(event.duration_ps.unwrap_or_default());
        let line = &mut self.lines[index];
        let place = line.events.len();
        let (run, device) = (self.args.correlation_ids.run(), self.args.allocator.ordinal());
        self.args.links.take(&mut line.links, &mut line.step_marks, place, run, device);
        if role != Role::Other {
            let has_op = self.args.stats[OpStat::HloOp as usize].is_some();
            self.args.correlation_ids.take(
                &mut line.correlation_ids,
                role,
                place,
                has_op,
                self.args.allocator.ordinal(),
            );
        }
        line.allocator.extend(self.args.allocator.take(place));
        if line.has_counters() {
            self.args.counters.take(&mut line.counters, place);
        }
        if let Some(flow) = self.args.flow.filter(|_| line.is_async()) {
            line.flows.push((place as u32, flow));
        }
        line.events.push(OpId(op), (start, duration), self.args.device_start.zip(self.args.device_duration));
        line.bytes += event.bytes;
        self.order.add(index);
        self.builder.n_events += 1;
        Some(place)
    }

    /// Returns whether the thread of an event holds counters.
    fn is_counter_line(&self, phase: u8, process: Id<'_>, thread: Id<'_>) -> bool {
        let thread = self.tree.find_thread(phase, process, thread);
        thread.is_some_and(|index| self.lines[index].has_counters())
    }

    /// Returns the time since the origin, in ps, or `None` if it does not fit. A time before the origin becomes 0 and
    /// is counted as negative.
    fn since_origin(&mut self, ps: i128) -> Option<u64> {
        let since = i64::try_from(ps.checked_sub(i128::from(self.origin_ns) * 1000)?).ok()?;
        Some(self.builder.anomalies.clamped(since))
    }

    /// Returns the key of a begin or an end, or `None` if the thread is unknown.
    fn joint(&mut self, event: &Event<'_>) -> Option<PairKey> {
        let line = self.tree.find(event)?;
        let strings = &mut self.builder.profile.strings;
        let mut text = |bytes: &[u8]| strings.intern(&String::from_utf8_lossy(bytes));
        Some((line, matches!(event.phase, b'b' | b'e').then(|| (text(event.id), text(event.name)))))
    }

    fn end(&mut self, event: &Event<'_>) {
        let end = event.start_ps.and_then(|end| self.since_origin(end));
        let joint = self.joint(event);
        let place = joint.and_then(|joint| Some((joint.0, self.open.get_mut(&joint)?.pop()?)));
        let (Some((line, place)), Some(end)) = (place, end) else {
            self.left_out.unmatched += 1;
            return;
        };
        let events = &mut self.lines[line].events;
        events.set_duration(place, end.saturating_sub(events.time(place).0));
    }
}

impl Sink for Fill<'_, '_> {
    fn wants_args(&mut self, phase: u8, process: Id<'_>, thread: Id<'_>) -> bool {
        self.args.counter_args = match phase {
            b'C' => CounterArgs::All,
            // The arguments of an event may come before its phase. They are dropped if the event has no counters.
            0 => CounterArgs::Others,
            _ if self.has_counters && self.is_counter_line(phase, process, thread) => CounterArgs::Others,
            _ => CounterArgs::None,
        };
        phase == 0 || has_place(phase)
    }

    fn wants(&mut self, name: &[u8]) -> bool {
        self.names.take(name, &mut self.args)
    }

    fn arg(&mut self, value: &[u8]) {
        self.names.value(value, &mut self.args, &mut self.builder.profile.strings);
    }

    fn event(&mut self, event: &Event<'_>) {
        match (event.phase, event.start_ps) {
            (phase, Some(start)) if has_place(phase) => {
                let place = self.add(event, start);
                if let (Some(place), b'B' | b'b') = (place, phase)
                    && let Some(joint) = self.joint(event)
                {
                    self.open.entry(joint).or_default().push(place);
                }
            }
            (phase, None) if has_place(phase) => self.left_out.untimed += 1,
            (b'E' | b'e', _) => self.end(event),
            (b'M', _) => {}
            _ => self.left_out.other += 1,
        }
        self.args.clear();
    }

    fn discard(&mut self) {
        self.args.clear();
    }

    fn progress(&mut self, bytes: u64) {
        let (planes, events) = (self.builder.profile.planes.len(), self.builder.n_events);
        (self.builder.progress)(ReadProgress { bytes, planes, events, plane: "" });
    }
}

impl LeftOut {
    fn notes(self) -> impl Iterator<Item = Note> {
        let stated =
            |n: u64, severity, code, rest: &str| (n > 0).then(|| Note::new(severity, code, format!("{n} {rest}")));
        let untimed = "events have no time, or a time centuries away from the others, and are left out.";
        let unmatched = "events begin without an end or end without a begin. The former have no duration, and the latter are left out.";
        let other = "flows and similar events are not on a line and are left out.";
        [
            stated(self.untimed, Severity::Caution, NoteCode::UntimedEvents, untimed),
            stated(self.unmatched, Severity::Caution, NoteCode::UnmatchedEvents, unmatched),
            stated(self.other, Severity::Info, NoteCode::OtherEvents, other),
        ]
        .into_iter()
        .flatten()
    }
}

/// Returns the name of the line of a thread. The name of a line of asynchronous events contains "Async".
fn line_name(thread: &Thread) -> String {
    let name = thread.name.clone().unwrap_or_default();
    match (thread.kind, name.contains("Async")) {
        (ThreadKind::Counters, _) => COUNTER_LINE.to_owned(),
        (ThreadKind::Async, false) => format!("{name} (Async)").trim_start().to_owned(),
        _ => name,
    }
}

/// Returns the note on the data that every trace JSON lacks.
fn nature() -> Note {
    let message = "Trace JSON lacks FLOPs (except model FLOPs), program ids, the chip and its peaks, bytes by memory, and HLO. \
                   The .xplane.pb beside it has them.";
    Note::new(Severity::Info, NoteCode::TraceJson, message)
}
