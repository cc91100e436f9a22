//! Memory and communication of a report.

use super::{Answered, ReportSession, notes};
use crate::analysis::comm::{CommBy, CommQuery};
use crate::analysis::memory::{
    Estimate, Lanes, MemoryPrograms, MemoryQuery, Padding, RollUp, RollUpRow, SpaceMemory, SpacePeak, StaticMemory,
    roll_ups,
};
use crate::protocol::{CommView, MemorySession, Reply};
use crate::share::SpaceTold;

/// What a row of a roll-up is called that sums buffers which are not told.
const NOT_TOLD: &str = "not told in this summary";

impl ReportSession {
    pub(crate) fn memory(&self) -> Reply {
        let memory = &self.report.memory;
        let programs = MemoryPrograms { programs: memory.programs.clone(), notes: notes(&self.report, &memory.notes) };
        let (runtime, checks) = (memory.runtime.clone(), memory.checks.clone());
        Reply::further(&MemorySession { programs, runtime, checks })
    }

    fn space(&self, ask: &MemoryQuery) -> Result<&SpaceTold, Reply> {
        let found =
            self.report.memory.spaces.iter().find(|told| told.program == ask.program && told.color == ask.color);
        found.ok_or_else(|| self.lacks("what is alive in this memory of this program"))
    }

    pub(crate) fn memory_of(&self, ask: &MemoryQuery) -> Answered {
        let told = self.space(ask)?;
        let programs = &self.report.memory.programs;
        let program = programs.iter().find(|program| program.program == told.program).cloned().unwrap_or_default();
        let peak = program.spaces.iter().find(|space| space.color == told.color).cloned();
        let space = SpaceMemory {
            peak: peak.unwrap_or_else(|| SpacePeak {
                color: told.color,
                peak: told.alive.size,
                ..SpacePeak::default()
            }),
            peak_unpadded: told.peak_unpadded,
            moment: told.moment.clone(),
            curve: told.curve.clone(),
            alive: told.alive.clone(),
            rollups: rolled_up(told),
            padding: Padding { wasted: told.wasted, n: told.n_padded, worst: Vec::new() },
            long_lived: Vec::new(),
            jumps: Vec::new(),
            vocabulary: None,
            estimate: Estimate::default(),
            lanes: Lanes::default(),
        };
        Ok(Reply::further(&StaticMemory { program, space: Some(space), notes: notes(&self.report, &[]) }))
    }

    pub(crate) fn memory_at(&self, ask: &MemoryQuery, point: u32) -> Answered {
        let told = self.space(ask)?;
        if told.alive.point == point {
            Ok(Reply::further(&Some(&told.alive)))
        } else {
            Err(self.lacks("what is alive at other moments than the peak"))
        }
    }

    pub(crate) fn comm(&self, ask: &CommQuery) -> Answered {
        self.is_told(&ask.query)?;
        if ask.by != CommBy::Op {
            return Err(self.lacks("other groupings of communication"));
        }
        if ask.topology.is_some() || ask.mesh.is_some() {
            return Err(self.lacks("communication on other machines"));
        }
        let part = &self.report.comm;
        let mut comm = part.comm.clone();
        comm.notes = notes(&self.report, &comm.notes);
        Ok(Reply::further(&CommView { ask: ask.clone(), comm, more: part.more, more_copies: part.more_copies }))
    }
}

/// Sums of what is told, and of what is not: Σ = the peak.
fn rolled_up(told: &SpaceTold) -> Vec<RollUp> {
    let mut rollups = roll_ups(&told.alive.buffers);
    let n = told.alive.n.saturating_sub(told.alive.buffers.len() as u32);
    if n > 0 {
        for rollup in &mut rollups {
            let known = rollup.rows.iter().fold(0, |sum: u64, row| sum.saturating_add(row.unpadded));
            let unpadded = told.alive.unpadded.saturating_sub(known).min(told.alive.rest);
            rollup.rows.push(RollUpRow { key: NOT_TOLD.to_owned(), size: told.alive.rest, unpadded, n });
        }
    }
    rollups
}
