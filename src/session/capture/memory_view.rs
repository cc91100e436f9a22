//! This module answers the memory view: first the programs and the allocators, then one program at a time. It depends
//! on reports, not on a browser.

use super::CaptureSession;
use super::memory::{memory_programs, whole_memory};
use crate::analysis::base::{FilterError, GroupBy, Header, Query, Status};
use crate::analysis::files::FileProgram;
use crate::analysis::memory::{MemoryQuery, RequestedSizes};
use crate::protocol::requests::{self, TypedRequest};
use crate::protocol::{Export, Failure, MemorySession, Reply};
use crate::report::{json, memory};
use crate::session::programs::Programs;
use xla_profile::profile::{Note, Profile};

impl CaptureSession {
    /// Returns the memory of all programs and allocators. Every program is read for this answer, so the answer is
    /// cached.
    pub(crate) fn memory_session(&mut self) -> Reply {
        Reply::answer_to::<requests::Memory>(self.memory_kept())
    }

    /// Returns the memory of all programs and allocators from the cache, or computes it.
    pub(crate) fn memory_kept(&mut self) -> &MemorySession {
        self.file();
        let Self { profile, analysis, programs, file, memory, .. } = self;
        let all = file.as_ref().map_or(&[][..], |file| &file.programs);
        memory.get_or_insert_with(|| {
            let programs = memory_programs(profile, programs, all);
            let runtime = analysis.runtime_memory(profile);
            let checks = analysis.cross_check(profile, &programs, &runtime, None);
            MemorySession { programs, runtime, checks }
        })
    }

    /// Answers a request about the memory of programs with the value that `read` returns.
    pub(crate) fn answer_memory<A: TypedRequest>(
        &mut self,
        read: impl FnOnce(&mut Programs, &Profile, &[FileProgram]) -> Result<A::Answer, Note>,
    ) -> Reply {
        self.of_programs(read).map_or_else(|failure| failure, |view| Reply::answer_to::<A>(&view))
    }

    /// Calls `read` with the programs of the session.
    ///
    /// # Errors
    /// Returns the reply that gives the reason why the memory is unknown.
    pub(crate) fn of_programs<T>(
        &mut self,
        read: impl FnOnce(&mut Programs, &Profile, &[FileProgram]) -> Result<T, Note>,
    ) -> Result<T, Reply> {
        self.file();
        let all = self.file.as_ref().map_or(&[][..], |file| &file.programs);
        read(&mut self.programs, &self.profile, all).map_err(|note| {
            Reply::Failed(Failure { title: "The memory of this program is unknown".to_owned(), message: note.message })
        })
    }

    /// Returns the memory in the form that `rooflight memory` writes.
    pub(crate) fn export_memory(&mut self, format: Export) -> Result<String, FilterError> {
        let header = self.head(&Query { by: GroupBy::Kind, ..Query::default() })?;
        let request = MemoryQuery { buffers: u32::MAX, ..MemoryQuery::default() };
        let Self { profile, analysis, programs, files, partial, .. } = self;
        let all = whole_memory(analysis, profile, programs, &request, None, &|_| true, None);
        if format == Export::Csv {
            return Ok(memory::table::csv(&all, usize::MAX).csv());
        }
        let names: Vec<String> = files.iter().map(|file| file.name.clone()).collect();
        let notes: Vec<Note> = profile.notes.iter().chain(&all.notes).cloned().collect();
        let status = if all.is_empty() { Status::Absent } else { Status::Ok };
        let (header, totals) = (Header { status, ..header.header }, header.totals);
        let head = json::head_of("memory", &names, *partial, &header, &totals);
        Ok(json::text(&memory::json::memory(head, &all, usize::MAX, RequestedSizes::default(), &notes)))
    }
}
