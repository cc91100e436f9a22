//! Memory with the programs loaded: each is read when it is requested, the last two stay. This module knows reports; no browser.

use super::programs::{LoadedMemory, Programs};
use crate::analysis::base::Analysis;
use crate::analysis::files::FileProgram;
use crate::analysis::memory::{
    AliveAt, BufferId, CrossCheck, Curve, LiveRangeRows, MemoryPrograms, MemoryQuery, Points, ProgramPeaks,
    ProgramWithTimelines, SpaceWithTimeline, StaticMemory, WhatIf, WholeMemory,
};
use crate::chip::Chip;
use crate::profile::{Note, NoteCode, Profile, Severity};
use crate::small_sort::SmallSort;
use std::cmp::Reverse;
use std::rc::Rc;

/// Every program of a session (`all` is [`crate::analysis::files::FileView::programs`]) with its peaks, the one with the highest in
/// HBM first; where those are equal or not known, in the order of `all`: the one that ran longest first. Each is read once for that.
pub fn memory_programs(profile: &Profile, programs: &mut Programs, all: &[FileProgram]) -> MemoryPrograms {
    let mut result: Vec<ProgramPeaks> = (0..all.len()).map(|i| peaks(profile, programs, all, i)).collect();
    let hbm = |program: &ProgramPeaks| program.spaces.iter().find(|space| space.color == 0).map(|space| space.peak);
    result.small_sort_by_key(|one| (Reverse(hbm(one)), one.program));
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

/// All that is shown of one program's memory at once. The figures of all its memories are in it; the one asked for is reported.
///
/// # Errors
/// A [`Note`] that says why nothing is known of the program's memory.
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

/// What is alive at a point of a program's curve. `Ok(None)` where it has nothing in this memory, as with all that follow.
///
/// # Errors
/// A [`Note`] that says why nothing is known of the program's memory.
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

/// How many points the curve of a program has.
///
/// # Errors
/// A [`Note`] that says why nothing is known of the program's memory.
pub(crate) fn curve_points(
    profile: &Profile,
    programs: &mut Programs,
    all: &[FileProgram],
    query: &MemoryQuery,
) -> Result<u32, Note> {
    let peaks = program_memory(profile, programs, all, query.program as usize)?.memory.peaks();
    Ok(peaks.iter().find(|space| space.color == query.color).map_or(0, |space| space.n_events + 1))
}

/// A program's peak without some of its buffers, replayed.
///
/// # Errors
/// A [`Note`] that says why nothing is known of the program's memory.
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

/// A piece of a program's curve, in at most `query.columns` columns.
///
/// # Errors
/// A [`Note`] that says why nothing is known of the program's memory.
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

/// Lives in a window of a program's curve, as lanes.
///
/// # Errors
/// A [`Note`] that says why nothing is known of the program's memory.
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

/// Everything, for files: `is_asked` chooses programs, `color` a memory (`None`: all of them), `chip` whose memory counts
/// where no allocator says how much there is. The program of `query` plays no part.
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
        for color in peaks.spaces.iter().map(|space| space.color).filter(|of| color.is_none_or(|color| color == *of)) {
            let query = MemoryQuery { program: peaks.program, color, ..query.clone() };
            let Ok(loaded) = program_memory(profile, programs, &all, peaks.program as usize) else { continue };
            let StaticMemory { space, notes: more, .. } =
                loaded.memory.summarize(&loaded.module, peaks.clone(), &query);
            let timeline = loaded.memory.timeline(color).map(<[u64]>::to_vec).unwrap_or_default();
            spaces.extend(space.map(|memory| SpaceWithTimeline { memory, timeline }));
            notes.extend(more.into_iter().map(|note| note.with_place(&peaks.name)));
        }
        notes.extend(peaks.note.clone().filter(|_| peaks.spaces.is_empty()).map(|note| note.with_place(&peaks.name)));
        result.push(ProgramWithTimelines { peaks, spaces });
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
