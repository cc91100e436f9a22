//! This module finds the kinds of steps: steps of one kind have the same mark of the host and run the same programs, such
//! as the prefill and the decode steps of a server, or the training and the evaluation steps of a loop.

use super::super::device::Device;
use super::by_names::role;
use super::level::FoundSteps;
use super::source::{NameId, Names, Run, Source};
use crate::table::format::{counted, percent_text};
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};
use xla_profile::profile::{Note, NoteCode, ProgramId, Severity};
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Picos;

/// A program with less than this share of the time of runs does not make a kind, such as one that writes a log.
const LEAST_PROGRAM: f64 = 0.01;
/// Kinds with less than this share of the time of steps are taken together.
const LEAST_KIND: f64 = 0.01;
/// The largest number of kinds.
const MAX_KINDS: usize = 64;

/// Steps of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepKind {
    /// The name: that of the mark, the role of the program (such as `decode`), or the program. Names are distinct.
    pub name: String,
    /// Number of steps on the device that has most of them.
    pub n_steps: u64,
    /// The sum of the lengths of the steps over all devices.
    pub time: Picos,
    /// Number of programs of one name, if each of them ran in one step: the program is compiled again for each step.
    pub n_programs: Option<u64>,
    /// The name that the host gave these steps; empty if it gave none. `None` if steps of several kinds are taken together.
    pub annotation: Option<String>,
    /// The programs that run in a step, with the number of their runs. Empty if steps of several kinds are taken together.
    pub programs: Vec<(String, u32)>,
}

/// Words in the names of programs that train a model.
const TRAINS: [&str; 4] = ["train", "update", "grad", "loss"];
/// Words in the names of programs that serve a model, beside the roles.
const SERVES: [&str; 3] = ["predict", "infer", "serve"];

/// Returns whether the programs of the steps serve a model, and none trains one.
pub fn serves(kinds: &[StepKind]) -> bool {
    let names = || kinds.iter().flat_map(|kind| &kind.programs).map(|(name, _)| name.to_ascii_lowercase());
    let has = |name: &str, words: &[&str]| words.iter().any(|word| name.contains(word));
    names().any(|name| role(&name).is_some() || has(&name, &SERVES)) && !names().any(|name| has(&name, &TRAINS))
}

/// What the steps of a kind have in common.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    host_name: String,
    /// The programs of a step by name, with the number of their runs.
    programs: Vec<(NameId, u32)>,
    /// The id of the program with the most time. `None` if each step has another one.
    id: Option<ProgramId>,
}

/// A step with its programs.
struct StepRuns {
    key: Key,
    /// The program with the most time among the steps with the same programs.
    main: Option<NameId>,
    /// Number of ids of that program, if each of them ran in one step.
    n_programs: Option<u64>,
}

/// Sets the kind of each step, and [`Device::main_kind`]. Returns the kinds, the one with the most time first.
pub(super) fn mark(
    devices: &mut [Device],
    sources: &[Source],
    runs: &[Vec<Run>],
    names: &Names,
    found: &[Option<FoundSteps>],
) -> Vec<StepKind> {
    let mut kinds: IndexMap<Key, Kind> = IndexMap::default();
    // The kind of each step number on the first device that has it. Devices may run other programs in the same step.
    let mut of_number: FxHashMap<u64, usize> = FxHashMap::default();
    let mut of_steps: Vec<Vec<usize>> = Vec::with_capacity(devices.len());
    for (((device, source), runs), found) in devices.iter().zip(sources).zip(runs).zip(found) {
        let steps = step_runs(device, source, runs, found.as_ref());
        let mut by_key: IndexMap<&Key, Vec<usize>> = IndexMap::default();
        steps.iter().enumerate().for_each(|(index, step)| by_key.entry(&step.key).or_default().push(index));
        let mut taken: FxHashSet<usize> = FxHashSet::default();
        let mut of_device = vec![0; steps.len()];
        for (key, members) in by_key {
            let numbers = || members.iter().map(|index| device.steps[*index].number);
            let alike = || {
                let other = of_number.get(&numbers().next()?)?;
                let is_other = |number: u64| of_number.get(&number).is_none_or(|kind| kind == other);
                (kinds[*other].key_host == key.host_name && !taken.contains(other) && numbers().all(is_other))
                    .then_some(*other)
            };
            let kind = kinds.get_index_of(key).or_else(alike).unwrap_or_else(|| {
                let first = &steps[members[0]];
                let (main, n_programs) = (first.main, first.n_programs);
                let kind = Kind { main, n_programs, key_host: key.host_name.clone(), ..Kind::default() };
                kinds.insert_full(key.clone(), kind).0
            });
            taken.insert(kind);
            kinds[kind].add(device, &members);
            for member in &members {
                of_device[*member] = kind;
                of_number.entry(device.steps[*member].number).or_insert(kind);
            }
        }
        of_steps.push(of_device);
    }
    let (ranks, named) = ranked(&kinds, names);
    for (device, of_device) in devices.iter_mut().zip(of_steps) {
        let mut times: FxHashMap<u16, Picos> = FxHashMap::default();
        for (step, kind) in device.steps.iter_mut().zip(of_device) {
            step.kind = ranks[kind];
            *times.entry(step.kind).or_default() += step.length();
        }
        let main = times.into_iter().max_by_key(|(kind, time)| (*time, std::cmp::Reverse(*kind)));
        device.main_kind = main.map_or(0, |(kind, _)| kind);
    }
    named
}

/// The sums of a kind.
#[derive(Clone, Debug, Default)]
struct Kind {
    key_host: String,
    main: Option<NameId>,
    n_programs: Option<u64>,
    n_steps: u64,
    time: Picos,
}

impl Kind {
    fn add(&mut self, device: &Device, members: &[usize]) {
        self.n_steps = self.n_steps.max(members.len() as u64);
        self.time += members.iter().map(|index| device.steps[*index].length()).sum::<Picos>();
    }
}

/// The runs of one program name in a step.
struct ProgramRuns {
    name: NameId,
    n: u32,
    time: u64,
    /// The length of the longest run, and its program.
    longest: (u64, Option<ProgramId>),
}

/// Returns the programs of each step: those of its runs, or of the runs that start in its window if events of a line make it.
fn step_runs(device: &Device, source: &Source, runs: &[Run], found: Option<&FoundSteps>) -> Vec<StepRuns> {
    let total: u128 = runs.iter().map(|run| u128::from(run.length)).sum();
    let mut times: FxHashMap<NameId, u128> = FxHashMap::default();
    runs.iter().for_each(|run| *times.entry(run.name).or_default() += u128::from(run.length));
    times.retain(|_, time| *time as f64 >= total as f64 * LEAST_PROGRAM);
    let units = &source.runs.all;
    let before = |time: u64| units.partition_point(|unit| unit.event_window.0 < time);
    let mut programs_of: Vec<Vec<ProgramRuns>> = Vec::with_capacity(device.steps.len());
    let mut groups: IndexMap<Key, Vec<usize>> = IndexMap::default();
    for (index, step) in device.steps.iter().enumerate() {
        let found_step = found.and_then(|found| found.steps.get(index));
        let of_step = match found_step.filter(|_| found.is_some_and(|found| !found.of_line)) {
            Some(unit) => unit.first..unit.end,
            None => before(step.event_window.0)..before(step.event_window.1.max(step.event_window.0 + 1)),
        };
        let mut programs: Vec<ProgramRuns> = Vec::new();
        for run in runs[of_step].iter().filter(|run| times.contains_key(&run.name)) {
            let longest = (run.length, run.program);
            match programs.iter_mut().find(|program| program.name == run.name) {
                Some(program) => {
                    (program.n, program.time) = (program.n + 1, program.time.saturating_add(run.length));
                    program.longest = program.longest.max(longest);
                }
                None => programs.push(ProgramRuns { name: run.name, n: 1, time: run.length, longest }),
            }
        }
        programs.small_sort_by_key(|program| program.name);
        let host_name = found.and_then(|found| found.host_names.get(index)).cloned().unwrap_or_default();
        let key =
            Key { host_name, programs: programs.iter().map(|program| (program.name, program.n)).collect(), id: None };
        groups.entry(key).or_default().push(index);
        programs_of.push(programs);
    }
    let mut all: Vec<Option<StepRuns>> = Vec::new();
    all.resize_with(device.steps.len(), || None);
    // Of the steps with the same programs: the program with the most time, and its id in each step.
    for (key, members) in groups {
        let mut times: IndexMap<NameId, u128> = IndexMap::default();
        for program in members.iter().flat_map(|index| &programs_of[*index]) {
            *times.entry(program.name).or_default() += u128::from(program.time);
        }
        let main = times.into_iter().max_by_key(|(name, time)| (*time, std::cmp::Reverse(*name))).map(|(name, _)| name);
        let id = |index: usize| {
            programs_of[index].iter().find(|program| Some(program.name) == main).and_then(|program| program.longest.1)
        };
        let mut n_of: FxHashMap<Option<ProgramId>, u64> = FxHashMap::default();
        members.iter().for_each(|index| *n_of.entry(id(*index)).or_default() += 1);
        let is_once = n_of.len() > 1 && n_of.values().all(|n| *n == 1);
        let n_programs = is_once.then_some(n_of.len() as u64);
        for index in members {
            let key = Key { id: id(index).filter(|_| !is_once), ..key.clone() };
            all[index] = Some(StepRuns { key, main, n_programs });
        }
    }
    all.into_iter().flatten().collect()
}

/// Orders kinds by their time, and names them. Returns the place of each kind, and the kinds in their order.
fn ranked(kinds: &IndexMap<Key, Kind>, names: &Names) -> (Vec<u16>, Vec<StepKind>) {
    let total: Picos = kinds.values().map(|kind| kind.time).sum();
    let mut order: Vec<usize> = (0..kinds.len()).collect();
    order.small_sort_by_key(|index| (std::cmp::Reverse(kinds[*index].time), *index));
    let is_small = |index: usize| kinds[index].time.as_f64() < total.as_f64() * LEAST_KIND;
    let n_large = order.iter().filter(|index| !is_small(**index)).count().min(MAX_KINDS - 1);
    // A single small kind keeps its name.
    let n_own = if order.len() <= n_large + 1 { order.len() } else { n_large };
    let mut texts: Vec<String> = order[..n_own].iter().map(|index| kinds[*index].text(names)).collect();
    let mut numbers: FxHashMap<String, u64> = FxHashMap::default();
    let mut by_first: Vec<usize> = (0..n_own).collect();
    by_first.small_sort_by_key(|place| order[*place]);
    for place in by_first {
        if texts.iter().filter(|text| **text == texts[place]).count() > 1 || numbers.contains_key(&texts[place]) {
            let n = numbers.entry(texts[place].clone()).or_default();
            *n += 1;
            texts[place] = format!("{} #{n}", texts[place]);
        }
    }
    let named = |(index, name): (&usize, String)| {
        let Kind { n_steps, time, n_programs, .. } = kinds[*index];
        let key = kinds.get_index(*index).map(|(key, _)| key);
        let programs = key.map_or(&[][..], |key| &key.programs);
        let programs = programs.iter().map(|(name, n)| (names.get(*name).to_owned(), *n)).collect();
        let annotation = key.map(|key| key.host_name.clone());
        StepKind { name, n_steps, time, n_programs, annotation, programs }
    };
    let mut all: Vec<StepKind> = order.iter().zip(texts).map(named).collect();
    let rest = &order[n_own..];
    if !rest.is_empty() {
        let n_steps = rest.iter().map(|index| kinds[*index].n_steps).sum();
        let time = rest.iter().map(|index| kinds[*index].time).sum();
        let name = "other".to_owned();
        all.push(StepKind { name, n_steps, time, n_programs: None, annotation: None, programs: Vec::new() });
    }
    let mut ranks = vec![0; kinds.len()];
    for (place, index) in order.into_iter().enumerate() {
        ranks[index] = place.min(n_own) as u16;
    }
    (ranks, all)
}

impl Kind {
    /// Returns the name of the kind: that of the mark, the role of its program, or the program.
    fn text(&self, names: &Names) -> String {
        let program = self.main.map_or("step", |main| names.get(main));
        match &*self.key_host {
            "" => role(program).unwrap_or(program).to_owned(),
            host => host.to_owned(),
        }
    }
}

/// Returns notes on the kinds of a session with several of them, and on programs that are compiled for each step.
pub(super) fn notes(kinds: &[StepKind]) -> Vec<Note> {
    let mut notes = Vec::new();
    let total: Picos = kinds.iter().map(|kind| kind.time).sum();
    if kinds.len() > 1 {
        let text = |kind: &StepKind| {
            let share = kind.time.fraction_of(total).map_or_else(String::new, percent_text);
            format!("{} ({}, {share} of the time of steps)", kind.name, counted(kind.n_steps, "step", "steps"))
        };
        let listed: Vec<String> = kinds.iter().map(text).collect();
        let message = format!(
            "There are {} kinds of steps: {}. Means are of {}, the kind with the most time.",
            kinds.len(),
            listed.join(", "),
            kinds[0].name
        );
        notes.push(Note::new(Severity::Info, NoteCode::StepsKinds, message));
    }
    for (kind, n) in kinds.iter().filter_map(|kind| Some((kind, kind.n_programs?))) {
        let message = format!(
            "The {n} steps of kind {} run {n} programs of one name, each of them once. They count as one kind.",
            kind.name
        );
        notes.push(Note::new(Severity::Info, NoteCode::ProgramsOneRunEach, message));
    }
    notes
}
