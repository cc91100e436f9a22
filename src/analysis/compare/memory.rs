//! This module compares the memory of two sessions: the peak of a program by the classes of its buffers, and the memory in use.

use super::input::{Input, InputPeak};
use super::sections::{BytesDelta, ClassDelta, MemoryDelta, PeakDelta, PeakSide};
use crate::analysis::memory::{MemoryClass, MemoryPrograms, ProgramPeaks, RollUp, RollUpBy, RuntimeMemory, SpacePeak};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use xla_profile::small_sort::SmallSort;

/// Returns the program whose memory is compared, as indices in the programs of both sides: of the programs with the same name and a
/// known peak on both sides, the one with the highest peak. Programs that ran come before others with higher peaks. Several programs of one
/// name are represented by the highest of them.
///
/// # Errors
/// Returns the reason if there is no such program.
pub fn paired_program(a: &MemoryPrograms, b: &MemoryPrograms) -> Result<(u32, u32), String> {
    let [has_a, has_b] = [a, b].map(|side| side.programs.iter().any(|program| program.hbm_peak().is_some()));
    let no_buffers =
        |side: &str| format!("The memory of the programs of {side} is unknown: they have no buffer assignment.");
    match (has_a, has_b) {
        (false, false) => return Err(no_buffers("both sides")),
        (false, true) => return Err(no_buffers("A")),
        (true, false) => return Err(no_buffers("B")),
        (true, true) => {}
    }
    let highest = highest_pair(a.leading(), b.leading()).or_else(|| highest_pair(&a.programs, &b.programs));
    let none = || "No program with a known memory has the same name on both sides.".to_owned();
    highest.map(|(a, b)| (a.program, b.program)).ok_or_else(none)
}

/// Returns the pair of programs of the same name with the highest peak.
fn highest_pair<'p>(a: &'p [ProgramPeaks], b: &'p [ProgramPeaks]) -> Option<(&'p ProgramPeaks, &'p ProgramPeaks)> {
    // The programs of a side are in the order of their peaks, so the first of a name is the highest.
    let by_name = |all: &'p [ProgramPeaks]| -> FxHashMap<&'p str, &'p ProgramPeaks> {
        all.iter()
            .rev()
            .filter(|program| program.hbm_peak().is_some())
            .map(|program| (&*program.name, program))
            .collect()
    };
    let (of_a, of_b) = (by_name(a), by_name(b));
    let pairs = a.iter().filter_map(|program| Some((*of_a.get(&*program.name)?, *of_b.get(&*program.name)?)));
    // Of equal peaks, the name decides, so that the order of the sides does not.
    pairs.max_by_key(|(a, b)| (a.hbm_peak().max(b.hbm_peak()), Reverse(&a.name), a.hbm_peak()))
}

/// Compares the memory of two sides.
pub fn memory(a: &Input<'_>, b: &Input<'_>) -> MemoryDelta {
    let peak = match (&a.peak, &b.peak) {
        (Ok(a), Ok(b)) => peak(a, b).ok_or("The buffers of a side do not sum to its peak."),
        (Err(absent), _) | (_, Err(absent)) => Err(*absent),
    };
    let in_use = highest_in_use(a.runtime).zip(highest_in_use(b.runtime));
    MemoryDelta {
        absent: peak.as_ref().err().map(|absent| (*absent).to_owned()),
        program: peak.ok(),
        in_use: in_use.and_then(|(a, b)| Some(BytesDelta { a, b, delta: difference(a, b)? })),
    }
}

/// Returns the largest memory in use during the capture, of the allocators of devices. `None` if no such allocator has events.
fn highest_in_use(runtime: &RuntimeMemory) -> Option<u64> {
    let of_devices = runtime.allocators.iter().filter(|allocator| !allocator.is_of_host());
    of_devices.map(|allocator| allocator.peak.in_use()).max()
}

/// Returns B − A. `None` if the difference does not fit.
fn difference(a: u64, b: u64) -> Option<i64> {
    i64::try_from(i128::from(b) - i128::from(a)).ok()
}

/// Compares the peaks of a program. `None` if the buffers of a side do not sum to the peak, as those of a damaged file.
fn peak(a: &InputPeak<'_>, b: &InputPeak<'_>) -> Option<PeakDelta> {
    let bytes = |peak: &InputPeak<'_>, class: MemoryClass| {
        peak.classes.iter().find(|(known, _)| *known == class).map_or(0, |(_, bytes)| *bytes)
    };
    let classes = MemoryClass::ALL.iter().filter_map(|class| {
        let (a, b) = (bytes(a, *class), bytes(b, *class));
        (a > 0 || b > 0).then(|| Some(ClassDelta { class: *class, a, b, delta: difference(a, b)? }))
    });
    let mut parts: Vec<ClassDelta> = classes.collect::<Option<_>>()?;
    let sum =
        |bytes_of: fn(&ClassDelta) -> u64| parts.iter().try_fold(0_u64, |sum, part| sum.checked_add(bytes_of(part)));
    if sum(|part| part.a) != Some(a.peak) || sum(|part| part.b) != Some(b.peak) {
        return None;
    }
    parts.small_sort_by_key(|part| (Reverse(part.delta.unsigned_abs()), part.class));
    Some(PeakDelta {
        program: a.program.to_owned(),
        delta: difference(a.peak, b.peak)?,
        a: peak_side(a),
        b: peak_side(b),
        parts,
    })
}

fn peak_side(peak: &InputPeak<'_>) -> PeakSide {
    PeakSide {
        peak: peak.peak,
        instruction: peak.instruction.map(str::to_owned),
        n_buffers: peak.n_buffers,
        basis: peak.basis,
    }
}

impl<'a> InputPeak<'a> {
    /// Returns the peak of a program by the roll-ups of the buffers that are alive at it.
    pub fn of_roll_ups(program: &'a str, peak: &'a SpacePeak, n_buffers: u32, roll_ups: &[RollUp]) -> Self {
        let by_class = roll_ups.iter().find(|roll_up| roll_up.by == RollUpBy::Class);
        let bytes = |class: &MemoryClass| {
            let row = by_class?.rows.iter().find(|row| row.key == class.key())?;
            Some((*class, row.size))
        };
        Self {
            program,
            peak: peak.peak,
            instruction: peak.instruction.as_deref(),
            n_buffers,
            basis: peak.basis,
            classes: MemoryClass::ALL.iter().filter_map(bytes).collect(),
        }
    }
}
