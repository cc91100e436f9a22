//! This module answers requests about memory and communication from a report.

use super::{Answered, ReportSession, notes};
use crate::analysis::base::Platform;
use crate::analysis::comm::{CommBy, CommQuery, Machine};
use crate::analysis::flags::{FlagsQuery, evaluate_flags};
use crate::analysis::memory::{
    Estimate, LiveRangeRows, MemoryPrograms, MemoryQuery, Padding, RollUp, RollUpRow, SpaceMemory, SpacePeak,
    StaticMemory, roll_ups,
};
use crate::protocol::{CommView, MemorySession, Reply, requests};
use crate::share::{CommPart, ReportSpace};

/// Key of the row that sums the buffers that the report leaves out.
const NOT_IN_SUMMARY: &str = "not in this summary";

impl ReportSession {
    /// Answers [`ViewRequest::Memory`](crate::protocol::ViewRequest::Memory).
    pub(crate) fn memory(&self) -> Reply {
        let memory = &self.report.memory;
        let programs = MemoryPrograms { programs: memory.programs.clone(), notes: notes(&self.report, &memory.notes) };
        let (runtime, checks) = (memory.runtime.clone(), memory.checks.clone());
        Reply::answer_to::<requests::Memory>(&MemorySession { programs, runtime, checks })
    }

    fn space(&self, query: &MemoryQuery) -> Result<&ReportSpace, Reply> {
        let found =
            self.report.memory.spaces.iter().find(|space| space.program == query.program && space.color == query.color);
        found.ok_or_else(|| self.missing("the live buffers of this memory"))
    }

    /// Answers [`ViewRequest::MemoryOf`](crate::protocol::ViewRequest::MemoryOf).
    pub(crate) fn memory_of(&self, query: &MemoryQuery) -> Answered {
        let saved = self.space(query)?;
        let programs = &self.report.memory.programs;
        let program = programs.iter().find(|program| program.program == saved.program).cloned().unwrap_or_default();
        let peak = program.spaces.iter().find(|space| space.color == saved.color).cloned();
        let space = SpaceMemory {
            peak: peak.unwrap_or_else(|| SpacePeak {
                color: saved.color,
                peak: saved.alive.size,
                ..SpacePeak::default()
            }),
            peak_unpadded: saved.peak_unpadded,
            moment: saved.moment.clone(),
            curve: saved.curve.clone(),
            alive: saved.alive.clone(),
            rollups: rolled_up(saved),
            padding: Padding { wasted: saved.wasted, n: saved.n_padded, worst: Vec::new() },
            long_lived: Vec::new(),
            jumps: Vec::new(),
            vocabulary: None,
            estimate: Estimate::default(),
            fit: None,
            lanes: LiveRangeRows::default(),
        };
        Ok(Reply::answer_to::<requests::MemoryOf>(&StaticMemory {
            program,
            space: Some(space),
            notes: notes(&self.report, &[]),
        }))
    }

    /// Answers [`ViewRequest::MemoryAt`](crate::protocol::ViewRequest::MemoryAt).
    pub(crate) fn memory_at(&self, query: &MemoryQuery, point: u32) -> Answered {
        self.space_at(query, point).map(|space| Reply::answer_to::<requests::MemoryAt>(&Some(space.alive.clone())))
    }

    /// Returns the memory of a program if `point` is the point whose live buffers the report holds.
    pub(crate) fn space_at(&self, query: &MemoryQuery, point: u32) -> Result<&ReportSpace, Reply> {
        let space = self.space(query)?;
        if space.alive.point == point {
            Ok(space)
        } else {
            Err(self.missing("the live buffers at other points than the peak"))
        }
    }

    /// Checks that a query is the one that the report answers.
    pub(crate) fn check_comm(&self, query: &CommQuery) -> Result<(), Reply> {
        self.check_device_and_step(&query.query)?;
        if query.by != CommBy::Op {
            return Err(self.missing("other groupings of communication"));
        }
        if query.machine != Machine::default() {
            return Err(self.missing("communication with another mesh, topology or bandwidth"));
        }
        Ok(())
    }

    /// Returns the part of the report about communication.
    pub(crate) const fn comm_part(&self) -> &CommPart {
        &self.report.comm
    }

    /// Answers [`ViewRequest::Comm`](crate::protocol::ViewRequest::Comm).
    pub(crate) fn comm(&self, query: &CommQuery) -> Answered {
        self.check_comm(query)?;
        let part = &self.report.comm;
        let mut comm = part.comm.clone();
        comm.notes = notes(&self.report, &comm.notes);
        Ok(Reply::answer_to::<requests::Comm>(&CommView {
            query: query.clone(),
            comm,
            more: part.more,
            more_copies: part.more_copies,
        }))
    }

    /// Answers [`ViewRequest::Flags`](crate::protocol::ViewRequest::Flags).
    pub(crate) fn flags(&self, query: &FlagsQuery) -> Answered {
        self.check_comm(&query.comm)?;
        let comm = &self.report.comm.comm;
        let platform = comm.header.device_type.as_deref().and_then(Platform::from_device_type);
        let mut report = evaluate_flags(&query.text, platform, comm);
        report.notes = notes(&self.report, &report.notes);
        Ok(Reply::answer_to::<requests::Flags>(&report))
    }
}

/// Sums the live buffers of the report, and adds a row for those that it leaves out. The rows sum to the peak.
fn rolled_up(space: &ReportSpace) -> Vec<RollUp> {
    let mut rollups = roll_ups(&space.alive.buffers);
    let n = space.alive.n.saturating_sub(space.alive.buffers.len() as u32);
    if n > 0 {
        for rollup in &mut rollups {
            let known = rollup.rows.iter().fold(0, |sum: u64, row| sum.saturating_add(row.unpadded));
            let unpadded = space.alive.unpadded.saturating_sub(known).min(space.alive.rest);
            rollup.rows.push(RollUpRow { key: NOT_IN_SUMMARY.to_owned(), size: space.alive.rest, unpadded, n });
        }
    }
    rollups
}
