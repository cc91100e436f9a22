//! This module reads what a device says about its steps: the events of its `Steps` line, and the runs of its programs.

use super::super::device::{Clock, Device, intervals, program_of_run};
use indexmap::IndexMap;
use rustc_hash::FxHashMap;
use xla_profile::intervals::Interval;
use xla_profile::profile::{EventLink, OpId, Plane, Profile, ProgramId, program_of};
use xla_profile::small_sort::SmallSort;

/// An event of a `Steps` line, or a run of a program.
#[derive(Clone, Copy, Debug)]
pub struct Unit {
    pub op: OpId,
    /// `[start, end)` in ps on the clock of the units.
    pub window: Interval,
    /// `[start, end)` in ps on the event clock.
    pub event_window: Interval,
    /// The line of the event in its plane, and its index in the line.
    line: u32,
    event: u32,
}

impl Unit {
    /// Returns the links of the event to other events.
    pub fn links<'p>(&self, plane: &'p Plane) -> &'p [(u32, EventLink)] {
        let links = &plane.lines[self.line as usize].links;
        let first = links.partition_point(|(event, _)| *event < self.event);
        let n = links[first..].partition_point(|(event, _)| *event == self.event);
        &links[first..first + n]
    }
}

/// Events in order of their start, and the clock of their times.
#[derive(Clone, Debug)]
pub struct Units {
    pub clock: Clock,
    pub all: Vec<Unit>,
}

impl Units {
    /// Reads the events of `lines`.
    fn new(profile: &Profile, plane: &Plane, lines: &[usize], (clock, event): (Clock, Clock)) -> Self {
        let mut all: Vec<Unit> = Vec::new();
        for i in lines {
            let line = &plane.lines[*i];
            let windows = intervals(line, clock).unwrap_or_default();
            let on_event = if event == clock { None } else { intervals(line, event) };
            all.reserve_exact(windows.len());
            for (index, (window, op)) in windows.iter().zip(line.events.ops()).enumerate() {
                let event_window = on_event.as_ref().and_then(|times| times.get(index)).copied().unwrap_or(*window);
                all.push(Unit { op, window: *window, event_window, line: *i as u32, event: index as u32 });
            }
        }
        let name = |unit: &Unit| profile.text(plane.op(unit.op).name);
        let order = |a: &Unit, b: &Unit| a.window.cmp(&b.window).then_with(|| name(a).cmp(name(b)));
        if !all.is_sorted_by(|a, b| order(a, b).is_le()) {
            all.small_sort_by(order);
        }
        Self { clock, all }
    }
}

/// What a device says about its steps.
#[derive(Clone, Debug)]
pub struct Source {
    pub steps: Units,
    pub runs: Units,
    /// The runs are inferred from ops.
    pub is_derived: bool,
}

impl Source {
    /// Returns whether the device has neither runs nor a `Steps` line.
    pub fn is_empty(&self) -> bool {
        self.steps.all.is_empty() && self.runs.all.is_empty()
    }
}

/// Reads the lines of steps and of program runs of a plane. The clock of each is that of the device, if ops and events
/// have it.
pub fn source(profile: &Profile, plane: &Plane, (op_clock, event): (Clock, Clock)) -> Source {
    let named = |name: &str| -> Vec<usize> {
        let is = |i: &usize| plane.lines[*i].name == name && !plane.lines[*i].events.is_empty();
        (0..plane.lines.len()).filter(is).collect()
    };
    let units = |lines: &[usize]| {
        let has_device_clock = lines.iter().all(|i| plane.lines[*i].events.has_device_clock());
        let clock = if op_clock == Clock::Device && has_device_clock { Clock::Device } else { event };
        Units::new(profile, plane, lines, (clock, event))
    };
    let (steps, runs) = (named("Steps"), named("XLA Modules"));
    let is_derived = runs.iter().any(|i| plane.lines[*i].derived);
    Source { steps: units(&steps), runs: units(&runs), is_derived }
}

/// A name of programs, by its number in [`Names`].
pub type NameId = u32;

/// The names of the programs of a session, without their ids. The names of programs that PyTorch/XLA numbers are equal.
#[derive(Default)]
pub struct Names(IndexMap<String, String>);

impl Names {
    /// Returns the number of a name. Of several numbered names, all have the name without a number.
    fn number(&mut self, name: &str) -> NameId {
        let stem = without_number(name);
        if let Some((index, _, text)) = self.0.get_full_mut(stem) {
            if text != name {
                stem.clone_into(text);
            }
            return index as NameId;
        }
        self.0.insert_full(stem.to_owned(), name.to_owned()).0 as NameId
    }

    /// Returns a name.
    pub fn get(&self, name: NameId) -> &str {
        self.0.get_index(name as usize).map_or("", |(_, text)| text)
    }
}

/// A run of a program: its name, its id, and its length in ps.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    pub name: NameId,
    pub program: Option<ProgramId>,
    pub length: u64,
}

/// Returns the name of a program without the number that PyTorch/XLA appends to each compilation:
/// `SyncTensorsGraph` of `SyncTensorsGraph.2104`.
fn without_number(name: &str) -> &str {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    stem.strip_suffix('.').filter(|stem| !stem.is_empty() && stem.len() + 1 < name.len()).unwrap_or(name)
}

impl Source {
    /// Returns the programs of the runs, in the order of the runs.
    pub fn runs(&self, profile: &Profile, device: &Device, names: &mut Names) -> Vec<Run> {
        let plane = &profile.planes[device.plane];
        let mut by_op: FxHashMap<OpId, (NameId, Option<ProgramId>)> = FxHashMap::default();
        let mut run = |unit: &Unit| {
            let (name, program) = *by_op.entry(unit.op).or_insert_with(|| {
                let program = program_of_run(profile, plane, unit.op);
                let text = profile.text(plane.op(unit.op).text);
                let stated = program_of(text).map(|(name, _)| name);
                let known = program.and_then(|id| profile.programs.get(&id)).map(String::as_str);
                (names.number(stated.or(known).unwrap_or(text)), program)
            });
            Run { name, program, length: unit.window.1 - unit.window.0 }
        };
        self.runs.all.iter().map(&mut run).collect()
    }
}
