//! This module runs the memory analysis with the programs of the session. A program is read on request, and the last
//! two stay in memory. This module depends on reports, not on a browser.

use crate::analysis::base::Analysis;
use crate::analysis::files::FileProgram;
use crate::analysis::memory::{
    AliveAt, BufferId, CrossCheck, Curve, LiveRangeRows, MemoryPrograms, MemoryQuery, ModelGuess, Points, ProgramPeaks,
    ProgramWithTimelines, SpaceWithTimeline, StaticMemory, WhatIf, WholeMemory,
};
use crate::chip::Chip;
use crate::session::programs::{LoadedMemory, Programs};
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use std::rc::Rc;
use xla_profile::profile::{Note, NoteCode, Profile, Severity};
use xla_profile::small_sort::SmallSort;

/// Returns every program of a session with its peaks. Programs that ran in the capture come before those that were only
/// compiled, and the highest peak in HBM comes first. Programs with equal or unknown peaks keep the order of `all`, in which
/// the program with the most time is first. `all` is [`crate::analysis::files::FileView::programs`]. Every program is read
/// once.
pub fn memory_programs(profile: &Profile, programs: &mut Programs, all: &[FileProgram]) -> MemoryPrograms {
    let mut result: Vec<ProgramPeaks> = (0..all.len()).map(|i| peaks(profile, programs, all, i)).collect();
    // A program file that is joined to no run counts as the program of the same name.
    let ran: FxHashSet<&str> =
        all.iter().filter(|program| program.n_runs.is_some()).map(|program| &*program.name).collect();
    let has_run = |peaks: &ProgramPeaks| {
        all[peaks.program as usize].n_runs.is_some() || peaks.program_id.is_none() && ran.contains(&*peaks.name)
    };
    result.small_sort_by_key(|one| {
        let peak = one.hbm_peak();
        (Reverse(peak.is_some() && has_run(one)), Reverse(peak), one.program)
    });
    let mut notes = Vec::new();
    if !result.iter().any(|program| !program.spaces.is_empty()) {
        let message = "No program has a buffer assignment. Open its .hlo_proto.pb, alone or beside the capture.";
        notes.push(Note::new(Severity::Info, NoteCode::NoBufferAssignment, message));
    }
    MemoryPrograms { programs: result, notes }
}

fn peaks(profile: &Profile, programs: &mut Programs, all: &[FileProgram], place: usize) -> ProgramPeaks {
    let program = all.get(place);
    let loaded = program_memory(profile, programs, all, place);
    ProgramPeaks {
        program: place as u32,
        name: program.map_or(String::new(), |program| program.name.clone()),
        program_id: program.and_then(|program| program.program_id),
        spaces: loaded.as_ref().map_or(Vec::new(), |loaded| loaded.memory.peaks()),
        note: loaded.map_or_else(Some, |loaded| loaded.memory.caution()),
    }
}

fn program_memory(
    profile: &Profile,
    programs: &mut Programs,
    all: &[FileProgram],
    place: usize,
) -> Result<Rc<LoadedMemory>, Note> {
    let no_hlo = || {
        let message = "The HLO of this program is not in the capture, so its memory is unknown.";
        Note::new(Severity::Info, NoteCode::NoProgram, message)
    };
    let hlo = all.get(place).and_then(|program| program.hlo).ok_or_else(no_hlo)?;
    programs.memory(profile, hlo as usize)
}

/// Returns the memory of one program: the peaks in all its memory spaces, and the details of the space that the query
/// selects.
///
/// # Errors
/// Returns a [`Note`] with the reason why the memory of the program is unknown.
pub fn static_memory(
    profile: &Profile,
    programs: &mut Programs,
    all: &[FileProgram],
    query: &MemoryQuery,
) -> Result<StaticMemory, Note> {
    let loaded = program_memory(profile, programs, all, query.program as usize)?;
    let peaks = peaks(profile, programs, all, query.program as usize);
    Ok(loaded.memory.summarize(&loaded.module, peaks, query))
}

/// Returns the size of the model and of a batch, as the parameters of a program suggest it. `None` if the memory of the
/// program is unknown.
pub fn guess_model(
    profile: &Profile,
    programs: &mut Programs,
    all: &[FileProgram],
    program: usize,
) -> Option<ModelGuess> {
    let loaded = program_memory(profile, programs, all, program).ok()?;
    Some(loaded.memory.guess_model(&loaded.module))
}

/// Returns the buffers that are alive at a point of a program's memory curve. Returns `Ok(None)` if the program has
/// nothing in this memory space.
///
/// # Errors
/// Returns a [`Note`] with the reason why the memory of the program is unknown.
pub fn alive_at(
    profile: &Profile,
    programs: &mut Programs,
    all: &[FileProgram],
    query: &MemoryQuery,
    point: u32,
) -> Result<Option<AliveAt>, Note> {
    let loaded = program_memory(profile, programs, all, query.program as usize)?;
    Ok(loaded.memory.alive_at(&loaded.module, query, point))
}

/// Returns the number of points of a program's memory curve; 0 if the program has nothing in this memory space.
///
/// # Errors
/// Returns a [`Note`] with the reason why the memory of the program is unknown.
pub(crate) fn curve_points(
    profile: &Profile,
    programs: &mut Programs,
    all: &[FileProgram],
    query: &MemoryQuery,
) -> Result<u32, Note> {
    let peaks = program_memory(profile, programs, all, query.program as usize)?.memory.peaks();
    Ok(peaks.iter().find(|space| space.color == query.color).map_or(0, |space| space.n_events + 1))
}

/// Replays the allocations of a program without some buffers, and returns the new peak. Returns `Ok(None)` if the
/// program has nothing in this memory space.
///
/// # Errors
/// Returns a [`Note`] with the reason why the memory of the program is unknown.
pub fn peak_without(
    profile: &Profile,
    programs: &mut Programs,
    all: &[FileProgram],
    query: &MemoryQuery,
    without: &[BufferId],
    points: Points,
) -> Result<Option<WhatIf>, Note> {
    let loaded = program_memory(profile, programs, all, query.program as usize)?;
    Ok(loaded.memory.peak_without(&loaded.module, query, without, points))
}

/// Returns a part of a program's memory curve, in at most `query.columns` columns. Returns `Ok(None)` if the program
/// has nothing in this memory space.
///
/// # Errors
/// Returns a [`Note`] with the reason why the memory of the program is unknown.
pub fn memory_curve(
    profile: &Profile,
    programs: &mut Programs,
    all: &[FileProgram],
    query: &MemoryQuery,
    points: Points,
) -> Result<Option<Curve>, Note> {
    let loaded = program_memory(profile, programs, all, query.program as usize)?;
    Ok(loaded.memory.curve(&loaded.module, query, points))
}

/// Returns the live ranges in a part of a program's memory curve, in rows without overlap. Returns `Ok(None)` if the
/// program has nothing in this memory space.
///
/// # Errors
/// Returns a [`Note`] with the reason why the memory of the program is unknown.
pub fn memory_lanes(
    profile: &Profile,
    programs: &mut Programs,
    all: &[FileProgram],
    query: &MemoryQuery,
    window: Points,
) -> Result<Option<LiveRangeRows>, Note> {
    let loaded = program_memory(profile, programs, all, query.program as usize)?;
    Ok(loaded.memory.lanes(&loaded.module, query, window))
}

/// Returns the memory of all programs and allocators for an exported file.
///
/// `is_asked` selects programs. `color` selects a memory space; `None` selects all. `chip` gives the capacity if no
/// allocator reports one. The program in `query` has no effect.
pub fn whole_memory(
    analysis: &Analysis,
    profile: &Profile,
    programs: &mut Programs,
    query: &MemoryQuery,
    color: Option<i64>,
    is_asked: &dyn Fn(&ProgramPeaks) -> bool,
    chip: Option<&Chip>,
) -> WholeMemory {
    let all = analysis.programs(profile);
    let MemoryPrograms { programs: mut peaks, mut notes } = memory_programs(profile, programs, &all);
    peaks.retain(is_asked);
    let mut result = Vec::new();
    for peaks in peaks {
        let mut spaces = Vec::new();
        for color in
            peaks.spaces.iter().map(|space| space.color).filter(|other| color.is_none_or(|color| color == *other))
        {
            let query = MemoryQuery { program: peaks.program, color, ..query.clone() };
            let Ok(loaded) = program_memory(profile, programs, &all, peaks.program as usize) else { continue };
            let StaticMemory { space, notes: more, .. } =
                loaded.memory.summarize(&loaded.module, peaks.clone(), &query);
            let timeline = loaded.memory.timeline(color).map(<[u64]>::to_vec).unwrap_or_default();
            spaces.extend(space.map(|memory| SpaceWithTimeline { memory, timeline }));
            notes.extend(more.into_iter().map(|note| note.with_place(&peaks.name)));
        }
        notes.extend(peaks.note.clone().filter(|_| peaks.spaces.is_empty()).map(|note| note.with_place(&peaks.name)));
        let file = all.get(peaks.program as usize).and_then(|program| profile.files.get(program.file? as usize));
        let file = file.map(|name| name.rsplit('/').next().unwrap_or(name).to_owned());
        result.push(ProgramWithTimelines { peaks, file, spaces });
    }
    let runtime = analysis.runtime_memory(profile);
    notes.extend(runtime.notes.iter().cloned());
    let peaks = result.iter().map(|program| program.peaks.clone()).collect();
    let checks = analysis.cross_check(profile, &MemoryPrograms { programs: peaks, notes: Vec::new() }, &runtime, chip);
    notes
        .extend(checks.iter().filter(|check| check.static_peak.is_some() && check.capacity.is_none()).map(no_capacity));
    WholeMemory { programs: result, runtime, checks, notes }
}

fn no_capacity(check: &CrossCheck) -> Note {
    let message = "The memory capacity of the device is unknown: no allocator and no plane reports it. Choose the chip to compare.";
    Note::new(Severity::Info, NoteCode::NoCapacity, message).with_place(&check.label)
}
