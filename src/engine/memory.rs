//! Memory with the programs at hand: each is read when it is asked for, the last two stay. Knows reports; no browser.

use super::Programs;
use super::programs::HeldMemory;
use crate::analysis::FileProgram;
use crate::analysis::memory::{
    AliveAt, BufferId, Curve, Lanes, MemoryPrograms, MemoryQuery, Points, ProgramPeaks, StaticMemory, WhatIf,
};
use crate::profile::{Note, Profile, Severity};
use crate::sorted;
use std::cmp::Reverse;
use std::rc::Rc;

/// Every program of a session (`all` is [`crate::analysis::FileView::programs`]) with its peaks, the one with the highest in
/// HBM first. Each is read once for that.
pub fn memory_programs(profile: &Profile, programs: &mut Programs, all: &[FileProgram]) -> MemoryPrograms {
    let mut told: Vec<ProgramPeaks> = (0..all.len()).map(|i| peaks(profile, programs, all, i)).collect();
    let hbm = |program: &ProgramPeaks| program.spaces.iter().find(|space| space.color == 0).map(|space| space.peak);
    sorted::sort_by(&mut told, |a, b| {
        (Reverse(hbm(a)), &a.name, a.program).cmp(&(Reverse(hbm(b)), &b.name, b.program))
    });
    let mut notes = Vec::new();
    if !told.iter().any(|program| !program.spaces.is_empty()) {
        let message = "No program here says how its memory is planned: open the .hlo_proto.pb of one, alone or beside the capture.";
        notes.push(Note::new(Severity::Info, "no_buffer_assignment", message));
    }
    MemoryPrograms { programs: told, notes }
}

fn peaks(profile: &Profile, programs: &mut Programs, all: &[FileProgram], place: usize) -> ProgramPeaks {
    let program = all.get(place);
    let held = held(profile, programs, all, place);
    ProgramPeaks {
        program: place as u32,
        name: program.map_or(String::new(), |program| program.name.clone()),
        program_id: program.and_then(|program| program.program_id),
        spaces: held.as_ref().map_or(Vec::new(), |held| held.memory.peaks()),
        note: held.err(),
    }
}

fn held(profile: &Profile, programs: &mut Programs, all: &[FileProgram], place: usize) -> Result<Rc<HeldMemory>, Note> {
    let no_hlo = || {
        let message = "The HLO of this program is not in the capture: what it needs is not known.";
        Note::new(Severity::Info, "no_program", message)
    };
    let hlo = all.get(place).and_then(|program| program.hlo).ok_or_else(no_hlo)?;
    programs.memory(profile, hlo as usize)
}

/// All that is shown of one program's memory at once. The figures of all its memories are in it; the one asked for is told.
///
/// # Errors
/// A [`Note`] that says why nothing is known of the program's memory.
pub fn static_memory(
    profile: &Profile,
    programs: &mut Programs,
    all: &[FileProgram],
    ask: &MemoryQuery,
) -> Result<StaticMemory, Note> {
    let held = held(profile, programs, all, ask.program as usize)?;
    let peaks = peaks(profile, programs, all, ask.program as usize);
    Ok(held.memory.tell(&held.module, peaks, ask))
}

/// What is alive at a point of a program's curve. `Ok(None)` where it has nothing in this memory, as with all that follow.
///
/// # Errors
/// A [`Note`] that says why nothing is known of the program's memory.
pub fn alive_at(
    profile: &Profile,
    programs: &mut Programs,
    all: &[FileProgram],
    ask: &MemoryQuery,
    point: u32,
) -> Result<Option<AliveAt>, Note> {
    let held = held(profile, programs, all, ask.program as usize)?;
    Ok(held.memory.alive_at(&held.module, ask, point))
}

/// A program's peak without some of its buffers, replayed.
///
/// # Errors
/// A [`Note`] that says why nothing is known of the program's memory.
pub fn what_if(
    profile: &Profile,
    programs: &mut Programs,
    all: &[FileProgram],
    ask: &MemoryQuery,
    without: &[BufferId],
) -> Result<Option<WhatIf>, Note> {
    let held = held(profile, programs, all, ask.program as usize)?;
    Ok(held.memory.what_if(&held.module, ask, without))
}

/// A piece of a program's curve, in at most `ask.columns` columns.
///
/// # Errors
/// A [`Note`] that says why nothing is known of the program's memory.
pub fn memory_curve(
    profile: &Profile,
    programs: &mut Programs,
    all: &[FileProgram],
    ask: &MemoryQuery,
    points: Points,
) -> Result<Option<Curve>, Note> {
    Ok(held(profile, programs, all, ask.program as usize)?.memory.curve(ask, points))
}

/// Lives in a window of a program's curve, as lanes.
///
/// # Errors
/// A [`Note`] that says why nothing is known of the program's memory.
pub fn memory_lanes(
    profile: &Profile,
    programs: &mut Programs,
    all: &[FileProgram],
    ask: &MemoryQuery,
    window: Points,
) -> Result<Option<Lanes>, Note> {
    let held = held(profile, programs, all, ask.program as usize)?;
    Ok(held.memory.lanes(&held.module, ask, window))
}

/// Bytes at every point of a program's curve: for files, not for pages.
///
/// # Errors
/// A [`Note`] that says why nothing is known of the program's memory.
pub fn memory_timeline(
    profile: &Profile,
    programs: &mut Programs,
    all: &[FileProgram],
    ask: &MemoryQuery,
) -> Result<Option<Vec<u64>>, Note> {
    let held = held(profile, programs, all, ask.program as usize)?;
    Ok(held.memory.timeline(ask.color).map(<[u64]>::to_vec))
}
