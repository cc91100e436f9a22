//! This module lets workers read the captures of a list, one after the other, the newest first. Each worker holds one capture at a
//! time and hands over its summary, so that the memory does not grow with the number of captures.
//!
//! ```text
//!   waiting captures ──► worker 1 ─┬─ Summarise ──► summary ──► the worker of the list
//!                   └──► worker 2 ─┘
//!   all read ──► worker 1 ── ExplainChange ──► what made most of each change ──► the worker of the list
//! ```

use crate::analysis::captures::{CaptureProgress, CaptureRow, CaptureSummary, CapturesView, ChangeCause};
use crate::protocol::{Answer, CapturesRequest, Failure, Reply, RequestId, ViewRequest};
use crate::view::state::{SharedSignal, State};
use crate::view::type_erasure::effect;
use crate::worker::client::{WorkerEvent, WorkerHandle};
use leptos::prelude::*;

/// Number of workers that read captures.
const N_WORKERS: usize = 2;

/// What a worker does.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Job {
    Read(u32),
    /// Captures before and after a change.
    Explain(u32, u32),
}

/// A worker that reads captures.
struct SummaryWorker {
    link: WorkerHandle,
    job: Option<(RequestId, Job)>,
}

/// The workers, and what they have started.
#[derive(Default)]
struct WorkerPool {
    /// A slot is empty before its worker is needed, and after it ended.
    slots: [Option<SummaryWorker>; N_WORKERS],
    /// Captures and changes that have been started.
    started_jobs: Vec<Job>,
}

/// A capture that is being read, with its bytes read and in all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BeingRead {
    pub(super) capture: u32,
    pub(super) bytes: (u64, u64),
}

/// Handles on the reading of captures. They are cheap to copy.
#[derive(Clone, Copy)]
pub(super) struct SummaryWorkers {
    state: State,
    found: SharedSignal<CapturesView>,
    revision: RwSignal<u32>,
    pool: StoredValue<WorkerPool, LocalStorage>,
    /// The captures that are being read, one for each worker.
    pub(super) now: RwSignal<[Option<BeingRead>; N_WORKERS]>,
    /// Whether the user has stopped the reading.
    pub(super) is_stopped: RwSignal<bool>,
}

impl SummaryWorkers {
    /// Starts to read the captures that have not been read. The workers end with the owner.
    pub(super) fn start(state: State, found: SharedSignal<CapturesView>, revision: RwSignal<u32>) -> Self {
        let workers = Self {
            state,
            found,
            revision,
            pool: StoredValue::new_local(WorkerPool::default()),
            now: RwSignal::new([None; N_WORKERS]),
            is_stopped: RwSignal::new(false),
        };
        effect(move || {
            found.track();
            let is_stopped = workers.is_stopped.get();
            if !is_stopped {
                untrack(|| workers.assign_jobs());
            }
        });
        workers
    }

    /// Stops the reading. What has been read stays.
    pub(super) fn stop(self) {
        self.is_stopped.set(true);
        let stopped = self.pool.try_update_value(|pool| {
            let now: Vec<Job> = pool.slots.iter().flatten().filter_map(|worker| Some(worker.job?.1)).collect();
            pool.started_jobs.retain(|job| !now.contains(job));
            std::mem::take(&mut pool.slots)
        });
        drop(stopped);
        self.now.set([None; N_WORKERS]);
    }

    /// Goes on with the reading.
    pub(super) fn resume(self) {
        self.is_stopped.set(false);
    }

    /// Gives each worker without a job the next one.
    fn assign_jobs(self) {
        for slot in 0..N_WORKERS {
            let is_busy = |pool: &WorkerPool| pool.slots[slot].as_ref().is_some_and(|worker| worker.job.is_some());
            if self.pool.with_value(is_busy) {
                continue;
            }
            match self.next_job() {
                Some(job) => self.start_job(slot, job),
                None => return self.end_if_idle(),
            }
        }
    }

    /// Returns the newest capture that has not been started; then the first change whose cause is not known.
    fn next_job(self) -> Option<Job> {
        let found = self.found.get_untracked()?;
        let is_started = |job: &Job| self.pool.with_value(|pool| pool.started_jobs.contains(job));
        let waits = |capture: u32| {
            found.captures.get(capture as usize).is_some_and(|row| row.progress == CaptureProgress::Waits)
        };
        let captures = found.series.marks.iter().rev().map(|mark| mark.capture);
        let next = captures.filter(|capture| waits(*capture)).map(Job::Read).find(|job| !is_started(job));
        let is_reading = self.now.with_untracked(|now| now.iter().any(Option::is_some));
        if next.is_some() || is_reading {
            return next;
        }
        let unexplained = found.series.changes.iter().filter(|change| change.cause.is_none());
        let is_time = found.series.figure == crate::analysis::captures::CaptureFigure::StepTime;
        // A capture that is not among the files cannot be looked into.
        let has_files = |capture: &u32| found.captures.get(*capture as usize).is_some_and(CaptureRow::has_files);
        let capture = |mark: u32| found.series.marks.get(mark as usize).map(|mark| mark.capture).filter(has_files);
        let explain = unexplained
            .filter_map(|change| Some(Job::Explain(capture(change.last_before)?, capture(change.first_after)?)));
        explain.filter(|_| is_time).find(|job| !is_started(job))
    }

    fn start_job(self, slot: usize, job: Job) {
        self.pool.update_value(|pool| pool.started_jobs.push(job));
        let is_there = self.pool.with_value(|pool| pool.slots[slot].is_some());
        if !is_there {
            match WorkerHandle::start(move |report| self.handle_report(slot, report)) {
                Ok(link) => {
                    self.pool.update_value(|pool| pool.slots[slot] = Some(SummaryWorker { link, job: None }));
                }
                Err(failure) => return self.finish_job(slot, job, Reply::Failed(failure)),
            }
        }
        let files = |capture: u32| self.state.files_of_capture(capture);
        self.pool.update_value(|pool| {
            let Some(worker) = &mut pool.slots[slot] else { return };
            let id = match job {
                Job::Read(capture) => worker.link.summarise(&files(capture)),
                Job::Explain(before, after) => worker.link.explain_change(&files(before), &files(after)),
            };
            worker.job = Some((id, job));
        });
        if let Job::Read(capture) = job {
            let bytes = self.found.with_untracked(|found| found.as_ref()?.captures.get(capture as usize)?.bytes);
            let being_read = BeingRead { capture, bytes: (0, bytes.unwrap_or_default()) };
            self.now.update(|now| now[slot] = Some(being_read));
        }
    }

    fn handle_report(self, slot: usize, report: WorkerEvent) {
        let job = self.pool.try_with_value(|pool| pool.slots[slot].as_ref().and_then(|worker| worker.job));
        let Some((id, job)) = job.flatten() else { return };
        match report {
            WorkerEvent::Answer(Answer { reply: Reply::Progress(progress), .. }) => self.now.update(|now| {
                if let Some(now) = &mut now[slot] {
                    now.bytes = (progress.bytes_done, progress.bytes_total);
                }
            }),
            WorkerEvent::Answer(answer) if answer.id == id => self.finish_job(slot, job, answer.reply),
            WorkerEvent::Answer(_) => {}
            WorkerEvent::Died(failure) => {
                let ended = self.pool.try_update_value(|pool| pool.slots[slot].take());
                crate::view::state::end_later(ended);
                self.finish_job(slot, job, Reply::Failed(failure));
            }
        }
    }

    /// Hands over the result of a job to the worker of the list.
    fn finish_job(self, slot: usize, job: Job, reply: Reply) {
        self.pool.update_value(|pool| {
            if let Some(worker) = &mut pool.slots[slot] {
                worker.job = None;
            }
        });
        self.now.update(|now| now[slot] = None);
        let request = match job {
            Job::Read(capture) => {
                let read = reply.decode::<CaptureSummary>().map(Box::new).map_err(reason);
                Some(CapturesRequest::Set { capture, read })
            }
            // A change without a cause is shown without one.
            Job::Explain(before, after) => {
                let cause = reply.decode::<Option<ChangeCause>>().ok().flatten();
                cause.map(|cause| CapturesRequest::SetCause { between: (before, after), cause })
            }
        };
        if let Some(request) = request {
            let update = move |_| self.revision.update(|revision| *revision += 1);
            self.state.request(&ViewRequest::Captures(request).into(), update);
        }
        if !self.is_stopped.get_untracked() {
            self.assign_jobs();
        }
    }

    /// Ends the workers once there is nothing left to read.
    fn end_if_idle(self) {
        let is_idle = self.pool.with_value(|pool| pool.slots.iter().flatten().all(|slot| slot.job.is_none()));
        let waits = |found: &CapturesView| found.captures.iter().any(|row| row.progress == CaptureProgress::Waits);
        let is_done = self.found.with_untracked(|found| found.as_ref().is_some_and(|found| !waits(found)));
        if is_idle && is_done {
            let ended = self.pool.try_update_value(|pool| std::mem::take(&mut pool.slots));
            crate::view::state::end_later(ended);
        }
    }
}

/// Returns the reason why a capture has no summary.
fn reason(reply: Reply) -> String {
    match reply {
        Reply::Failed(Failure { title, message }) => format!("{title}. {message}"),
        _ => "The worker gave no answer.".to_owned(),
    }
}
