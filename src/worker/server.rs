//! This module is the worker's side: it receives requests, handles them one at a time, and posts the answers.
//!
//! ```text
//!   message ──► queue ──► (new task) ──► session ──► answer
//!                 ▲
//!   Cancel(id) ───┘ removes a request that still waits
//! ```
//!
//! Each request runs in a task of its own, not in the task of its message, so that a Cancel that has already arrived is
//! handled first. Large files are opened in many tasks, one for each plane ([`ParallelOpen`]).

use super::blob::BlobSource;
use super::helper::{self, HelperMessage};
use super::message::{decode_message, encode_answer, ports};
use super::parallel_open::ParallelOpen;
use super::runtime::{ProgressTimer, memory, now};
use crate::protocol::{
    Answer, Call, Failure, Progress, Reply, Request, RequestId, SessionInfo, SessionSlot, Skip, Stage, mismatch,
};
use crate::session::captures::{explain_change, summarise};
use crate::session::open::report_file::{Captures, Unpacked, unpack as unpack_reports};
use crate::session::open::{BUDGET, ESTIMATE_THRESHOLD, PlanesRead, estimate};
use crate::session::{Input, OpenSession, OpenSessions};
use gloo::timers::callback::Timeout;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::{Rc, Weak};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{DedicatedWorkerGlobalScope, File, MessageEvent, MessagePort};

/// After an answer, this worker reads no further plane for this time, in milliseconds, because the page often has the next
/// request, and a plane may take long.
const PAUSE: f64 = 100.0;
/// The time between two checks whether helpers are silent, in milliseconds.
const CHECK_EVERY: u32 = 5_000;

/// Serves the page until the page ends this worker. The worker's `main` calls this function once.
pub fn serve() {
    let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    if let Some(port) = helper::own_port() {
        return helper::serve(&port);
    }
    let server = Rc::new_cyclic(|this| {
        let (this, scope) = (Weak::clone(this), scope.clone());
        RefCell::new(Server {
            this,
            scope,
            sessions: OpenSessions::default(),
            queue: VecDeque::new(),
            opening: None,
            opening_slot: SessionSlot::First,
            paused_until: 0.0,
            helper_timer: ProgressTimer::default(),
        })
    });
    server.borrow().answer(RequestId::default(), Reply::Hello { build: crate::BUILD.to_owned() });
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| receive(&server, &event));
    scope.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();
}

struct Server {
    this: Weak<RefCell<Server>>,
    scope: DedicatedWorkerGlobalScope,
    sessions: OpenSessions,
    queue: VecDeque<(Call, Vec<File>, Vec<MessagePort>)>,
    /// The files that are being opened by several workers.
    opening: Option<ParallelOpen>,
    /// Which session these files become.
    opening_slot: SessionSlot,
    /// The time before which no plane is read.
    paused_until: f64,
    /// When the progress of helpers was last sent.
    helper_timer: ProgressTimer,
}

fn receive(server: &Rc<RefCell<Server>>, event: &MessageEvent) {
    let (call, files) = match decode_message::<Call>(event.data()) {
        Ok(message) => message,
        Err(reason) => {
            let failure = Failure { title: "A request could not be read".to_owned(), message: reason };
            if let Ok(server) = server.try_borrow() {
                server.answer(RequestId::default(), Reply::Failed(failure));
            }
            return;
        }
    };
    // A request that trapped keeps the server borrowed. This worker is dead, and the page has received the error.
    let Ok(mut this) = server.try_borrow_mut() else { return };
    if let Request::Cancel(id) = call.request {
        let before = this.queue.len();
        this.queue.retain(|(waiting, ..)| waiting.id != id);
        // Reading for a comparison can be given up: the first session stays.
        let is_read =
            this.opening_slot == SessionSlot::Second && this.opening.take_if(|opening| opening.id == id).is_some();
        if is_read || this.queue.len() < before {
            this.answer(id, Reply::Cancelled);
        }
        return;
    }
    let ports = ports(&event.data()).iter().filter_map(|port| port.dyn_into().ok()).collect();
    this.queue.push_back((call, files, ports));
    tick(Rc::clone(server));
}

/// Handles one request, or reads one plane, in a task of its own.
fn tick(server: Rc<RefCell<Server>>) {
    tick_after(server, 0);
}

fn tick_after(server: Rc<RefCell<Server>>, ms: u32) {
    Timeout::new(ms, move || {
        let more = server.try_borrow_mut().ok().and_then(|mut this| this.work());
        if let Some(ms) = more {
            tick_after(server, ms);
        }
    })
    .forget();
}

/// Handles a message of a helper.
fn handle_helper(server: &Weak<RefCell<Server>>, number: usize, message: Option<HelperMessage>) {
    let Some(server) = server.upgrade() else { return };
    if let Ok(mut this) = server.try_borrow_mut()
        && let Some(opening) = &mut this.opening
    {
        opening.handle(number, message);
        this.report_helpers();
    }
    tick(server);
}

/// Ends silent helpers, from time to time as long as files are being opened.
fn watch_helpers(server: Weak<RefCell<Server>>) {
    Timeout::new(CHECK_EVERY, move || {
        let Some(strong) = server.upgrade() else { return };
        let is_opening = strong
            .try_borrow_mut()
            .is_ok_and(|mut this| this.opening.as_mut().map(ParallelOpen::end_silent_helpers).is_some());
        if is_opening {
            tick(strong);
            watch_helpers(server);
        }
    })
    .forget();
}

impl Server {
    /// Handles the request that has waited longest, or reads a plane if no request waits. Returns the time in milliseconds
    /// after which there is more to read, if there is.
    fn work(&mut self) -> Option<u32> {
        let Some((Call { id, request }, files, ports)) = self.queue.pop_front() else { return self.read_on() };
        let reply = match &request {
            Request::Hello { build } if build == crate::BUILD => return None,
            Request::Hello { build } => Reply::Failed(mismatch(build, crate::BUILD)),
            Request::Open { slot, paths, skips, is_one_run } => {
                let folder = if *is_one_run { Ok(None) } else { self.open_folder(id, paths, &files) };
                let opened = match folder {
                    Err(failure) => Err(failure),
                    Ok(Some(folder)) => Ok(Some(self.set_session(*slot, folder))),
                    Ok(None) => self.open(id, *slot, (paths, files), skips.clone(), ports),
                };
                match opened.unwrap_or_else(|why| Some(Reply::Failed(why))) {
                    Some(reply) => reply,
                    None => return Some(0),
                }
            }
            Request::Summarise { paths } => {
                let read = inputs(paths, &files).and_then(|inputs| summarise(inputs, &mut self.reporter(id)));
                read.map_or_else(Reply::Failed, |summary| Reply::encode_answer(&summary))
            }
            Request::ExplainChange { paths, n_before } => {
                let cause = inputs(paths, &files).and_then(|mut before| {
                    let after = before.split_off((*n_before as usize).min(before.len()));
                    explain_change(before, after, &mut self.reporter(id))
                });
                cause.map_or_else(Reply::Failed, |cause| Reply::encode_answer(&cause))
            }
            Request::OpenReport { link } => self.open_link(link),
            Request::HelperEnded { helper } => {
                if let Some(opening) = &mut self.opening {
                    opening.end(*helper as usize);
                }
                return Some(0);
            }
            Request::StopReading => {
                self.opening.as_mut().map(ParallelOpen::stop);
                return Some(0);
            }
            _ => self.sessions.answer(&request),
        };
        self.answer(id, reply);
        self.pause()
    }

    /// Begins a pause. Returns its length in milliseconds, if files are being opened.
    fn pause(&mut self) -> Option<u32> {
        self.paused_until = now() + PAUSE;
        self.opening.as_ref().map(|_| PAUSE as u32)
    }

    /// Sends the progress of helpers while this worker has no plane to read.
    fn report_helpers(&mut self) {
        let Some(opening) = self.opening.as_ref().filter(|opening| !opening.has_planes()) else { return };
        if self.helper_timer.is_due() {
            self.answer(opening.id, Reply::Progress(opening.progress(None)));
        }
    }

    /// Reads a plane of the files that are being opened, or opens what has been read. Returns the time in milliseconds after
    /// which there is more to read, if there is.
    fn read_on(&mut self) -> Option<u32> {
        let mut opening = self.opening.take()?;
        let id = opening.id;
        if self.opening_slot == SessionSlot::First
            && let Some((planes, reading)) = opening.take_first()
        {
            let opened = Self::open_first(&opening, planes);
            self.opening = Some(opening);
            let Ok((session, info)) = opened else { return Some(0) };
            let reply = self.set_first((session, SessionInfo { reading: Some(reading), ..info }));
            self.answer(id, reply);
            return self.pause();
        }
        let left = self.paused_until - now();
        if left > 0.0 && !self.sessions.is_empty() && opening.has_planes() {
            self.opening = Some(opening);
            return Some(left.ceil() as u32);
        }
        let has_read = opening.read_one(&mut self.reporter(id));
        if has_read || !opening.is_done() {
            self.opening = Some(opening);
            return has_read.then_some(0);
        }
        let (captures, skips) = opening.finish();
        let mut report = self.reporter(id);
        // All bytes have been read and reported.
        let mut report_analysis = |progress: Progress| {
            if progress.stage == Stage::Analyse {
                report(progress);
            }
        };
        let opened = OpenSession::open_captures(captures, &skips, &mut report_analysis);
        drop(report);
        let slot = self.opening_slot;
        let reply = opened.map_or_else(Reply::Failed, |opened| self.set_session(slot, opened));
        self.answer(id, reply);
        None
    }

    /// Opens the planes that are shown before the others have been read.
    fn open_first(opening: &ParallelOpen, planes: PlanesRead) -> Result<(OpenSession, SessionInfo), Failure> {
        let inputs = inputs(&opening.paths, &opening.files)?;
        let captures = Captures { inputs, planes, is_one_run: true, ..Captures::default() };
        // The bytes that have been read are reported while the rest is read.
        OpenSession::open_captures(captures, &[], &mut |_| ())
    }

    /// Opens the report of a link.
    fn open_link(&mut self, link: &str) -> Reply {
        OpenSession::open_link(link).map_or_else(Reply::Failed, |opened| self.set_first(opened))
    }

    fn set_first(&mut self, opened: (OpenSession, SessionInfo)) -> Reply {
        self.set_session(SessionSlot::First, opened)
    }

    fn set_session(&mut self, slot: SessionSlot, (session, info): (OpenSession, SessionInfo)) -> Reply {
        self.sessions.set(slot, session, info.clone());
        Reply::Opened(Box::new(info))
    }

    fn open(
        &mut self,
        id: RequestId,
        slot: SessionSlot,
        (paths, files): (&[String], Vec<File>),
        skips: Option<Vec<Skip>>,
        ports: Vec<MessagePort>,
    ) -> Result<Option<Reply>, Failure> {
        if self.opening.is_some() {
            return Err(Failure {
                title: "The open capture is still being read".to_owned(),
                message: "Choose the capture to compare with when all of its devices are there.".to_owned(),
            });
        }
        let captures = match unpack_reports(inputs(paths, &files)?)? {
            Unpacked::Captures(captures) => captures,
            Unpacked::Report(report) => return Ok(Some(self.set_session(slot, OpenSession::of_report(*report)))),
        };
        if skips.is_none() && needs_estimate(&captures.inputs) {
            self.report_estimating(id, &captures.inputs);
            // The session that stays open has its part of the memory.
            let used = if slot == SessionSlot::Second { memory().unwrap_or_default() } else { 0 };
            if let Some(estimate) = estimate(&captures.inputs, BUDGET.saturating_sub(used))? {
                return Ok(Some(Reply::Large(estimate)));
            }
        }
        let skips = skips.unwrap_or_default();
        let this = Weak::clone(&self.this);
        let on_message = move |number: usize, message: Option<HelperMessage>| handle_helper(&this, number, message);
        match ParallelOpen::start(id, captures, (paths.to_vec(), files), skips, ports, on_message) {
            Ok(opening) => {
                (self.opening, self.opening_slot) = (Some(opening), slot);
                watch_helpers(Weak::clone(&self.this));
                Ok(None)
            }
            Err((captures, skips)) => {
                let opened = OpenSession::open_captures(captures, &skips, &mut self.reporter(id))?;
                Ok(Some(self.set_session(slot, opened)))
            }
        }
    }

    /// Opens files as a list of captures. `None` if they are not several captures.
    fn open_folder(
        &self,
        id: RequestId,
        paths: &[String],
        files: &[File],
    ) -> Result<Option<(OpenSession, SessionInfo)>, Failure> {
        OpenSession::open_folder(&inputs(paths, files)?, &mut self.reporter(id))
    }

    /// Returns a function that sends progress to the page: when a stage begins, and when it is due.
    fn reporter(&self, id: RequestId) -> impl FnMut(Progress) + use<'_> {
        let (mut stage, mut timer) = (None, ProgressTimer::default());
        move |mut progress: Progress| {
            let is_new = stage.replace(progress.stage) != Some(progress.stage);
            if timer.is_due() || is_new {
                progress.memory = progress.memory.or_else(memory);
                self.answer(id, Reply::Progress(progress));
            }
        }
    }

    /// Reports that the memory that the files need is being estimated. No other progress message comes before the
    /// estimate is ready.
    fn report_estimating(&self, id: RequestId, inputs: &[Input]) {
        let bytes_total = inputs.iter().map(|input| input.source.size()).sum();
        let progress = Progress::new(Stage::Detect, bytes_total, "estimating the size");
        let progress = Progress { memory: memory(), ..progress };
        self.answer(id, Reply::Progress(progress));
    }

    fn answer(&self, id: RequestId, reply: Reply) {
        let sent = encode_answer(&Answer { id, reply }).and_then(|m| self.scope.post_message(&m).map_err(describe));
        if let Err(reason) = sent {
            // The page receives this as an error of the worker.
            wasm_bindgen::throw_str(&format!("an answer could not be sent: {reason}"));
        }
    }
}

/// Returns the files of a request as inputs.
fn inputs(paths: &[String], files: &[File]) -> Result<Vec<Input>, Failure> {
    let input = |(file, path): (&File, &String)| {
        let source = BlobSource::new(file.clone().into()).map_err(|e| Failure {
            title: format!("{path} could not be read"),
            message: format!("{e}. Nothing was opened."),
        })?;
        Ok(Input { name: path.clone(), source: Box::new(source), from_folder: path.contains('/') })
    };
    files.iter().zip(paths).map(input).collect()
}

/// Returns whether the files are so large that the memory they need is estimated first.
fn needs_estimate(inputs: &[Input]) -> bool {
    inputs.iter().map(|input| input.source.size()).sum::<u64>() >= ESTIMATE_THRESHOLD
}

#[expect(clippy::needless_pass_by_value, reason = "the shape map_err wants")]
fn describe(error: JsValue) -> String {
    format!("{error:?}")
}
