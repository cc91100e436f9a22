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
use super::helper::{self, HelperEvent};
use super::message::{pack, unpack};
use super::parallel_open::{ParallelOpen, START_TIME};
use crate::protocol::{Answer, Call, Failure, Progress, Reply, Request, RequestId, SessionInfo, Skip, Stage, mismatch};
use crate::session::open::report_file::{Unpacked, unpack as unpack_reports};
use crate::session::open::{BUDGET, ESTIMATE_THRESHOLD, estimate};
use crate::session::{Input, OpenSession};
use gloo::timers::callback::Timeout;
use js_sys::{ArrayBuffer, WebAssembly};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::{Rc, Weak};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{DedicatedWorkerGlobalScope, File, MessageEvent};

/// The shortest time between two progress messages of one stage, in milliseconds.
const PROGRESS_EVERY: f64 = 50.0;
/// The time between two checks whether helpers are silent, in milliseconds.
const CHECK_EVERY: u32 = 5_000;

/// Serves the page until the page ends this worker. The worker's `main` calls this function once.
pub fn serve() {
    let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    if helper::is_helper(&scope) {
        return helper::serve(&scope);
    }
    let server = Rc::new_cyclic(|this| {
        let (this, scope) = (Weak::clone(this), scope.clone());
        RefCell::new(Server { this, scope, session: None, queue: VecDeque::new(), opening: None })
    });
    server.borrow().answer(RequestId::default(), Reply::Hello { build: crate::BUILD.to_owned() });
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| receive(&server, &event));
    scope.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();
}

struct Server {
    this: Weak<RefCell<Server>>,
    scope: DedicatedWorkerGlobalScope,
    session: Option<OpenSession>,
    queue: VecDeque<(Call, Vec<File>)>,
    /// The files that are being opened by several workers.
    opening: Option<ParallelOpen>,
}

fn receive(server: &Rc<RefCell<Server>>, event: &MessageEvent) {
    let (call, files) = match unpack::<Call>(event.data()) {
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
        this.queue.retain(|(waiting, _)| waiting.id != id);
        if this.queue.len() < before {
            this.answer(id, Reply::Cancelled);
        }
        return;
    }
    this.queue.push_back((call, files));
    tick(Rc::clone(server));
}

/// Handles one request, or reads one plane, in a task of its own.
fn tick(server: Rc<RefCell<Server>>) {
    Timeout::new(0, move || {
        let has_more = server.try_borrow_mut().is_ok_and(|mut this| this.work());
        if has_more {
            tick(server);
        }
    })
    .forget();
}

/// Handles an event of a helper.
fn handle_helper(server: &Weak<RefCell<Server>>, number: usize, event: HelperEvent) {
    let Some(server) = server.upgrade() else { return };
    if let Ok(mut this) = server.try_borrow_mut()
        && let Some(opening) = &mut this.opening
    {
        opening.handle(number, event);
    }
    tick(server);
}

/// Begins to read when the helpers have had time to start.
fn begin_soon(server: Weak<RefCell<Server>>) {
    Timeout::new(START_TIME, move || {
        let Some(server) = server.upgrade() else { return };
        if let Ok(mut this) = server.try_borrow_mut()
            && let Some(opening) = &mut this.opening
        {
            opening.begin();
        }
        tick(server);
    })
    .forget();
}

/// Ends silent helpers, from time to time as long as files are being opened.
fn watch_helpers(server: Weak<RefCell<Server>>) {
    Timeout::new(CHECK_EVERY, move || {
        let Some(of) = server.upgrade() else { return };
        let is_opening = of
            .try_borrow_mut()
            .is_ok_and(|mut this| this.opening.as_mut().map(ParallelOpen::end_silent_helpers).is_some());
        if is_opening {
            tick(of);
            watch_helpers(server);
        }
    })
    .forget();
}

impl Server {
    /// Handles the request that has waited longest, or reads a plane if no request waits. Returns whether there is more to
    /// read.
    fn work(&mut self) -> bool {
        let Some((Call { id, request }, files)) = self.queue.pop_front() else { return self.read_on() };
        let reply = match &request {
            Request::Hello { build } if build == crate::BUILD => return false,
            Request::Hello { build } => Reply::Failed(mismatch(build, crate::BUILD)),
            Request::Open { paths, skips, n_cores } => {
                match self
                    .open(id, paths, files, skips.clone(), *n_cores)
                    .unwrap_or_else(|why| Some(Reply::Failed(why)))
                {
                    Some(reply) => reply,
                    None => return true,
                }
            }
            Request::OpenReport { link } => self.open_link(link),
            _ => self.session.as_mut().map_or(Reply::Cancelled, |session| session.answer(&request)),
        };
        self.answer(id, reply);
        self.opening.is_some()
    }

    /// Reads a plane of the files that are being opened, or opens them if all planes have been read. Returns whether there
    /// is more to read.
    fn read_on(&mut self) -> bool {
        let Some(mut opening) = self.opening.take() else { return false };
        let id = opening.id;
        let mut report = self.reporter(id);
        if opening.read_one(&mut report) {
            drop(report);
            self.opening = Some(opening);
            return true;
        }
        if opening.is_done() {
            let (captures, skips) = opening.finish();
            let opened = OpenSession::open_captures(captures, &skips, &mut report);
            drop(report);
            let reply = opened.map_or_else(Reply::Failed, |opened| self.set_session(opened));
            self.answer(id, reply);
        } else {
            drop(report);
            self.opening = Some(opening);
        }
        false
    }

    /// Opens the report of a link.
    fn open_link(&mut self, link: &str) -> Reply {
        self.session = None;
        OpenSession::open_link(link).map_or_else(Reply::Failed, |opened| self.set_session(opened))
    }

    fn set_session(&mut self, (session, info): (OpenSession, SessionInfo)) -> Reply {
        self.session = Some(session);
        Reply::Opened(Box::new(info))
    }

    fn open(
        &mut self,
        id: RequestId,
        paths: &[String],
        files: Vec<File>,
        skips: Option<Vec<Skip>>,
        n_cores: u32,
    ) -> Result<Option<Reply>, Failure> {
        self.session = None;
        let input = |(file, path): (File, &String)| {
            let source = BlobSource::new(file.into()).map_err(|e| Failure {
                title: format!("{path} could not be read"),
                message: format!("{e}. Nothing was opened."),
            })?;
            Ok(Input { name: path.clone(), source: Box::new(source), from_folder: path.contains('/') })
        };
        let inputs = files.iter().cloned().zip(paths).map(input).collect::<Result<Vec<_>, Failure>>()?;
        let captures = match unpack_reports(inputs)? {
            Unpacked::Captures(captures) => captures,
            Unpacked::Report(report) => return Ok(Some(self.set_session(OpenSession::of_report(*report)))),
        };
        if skips.is_none() && needs_estimate(&captures.inputs) {
            self.report_estimating(id, &captures.inputs);
            if let Some(estimate) = estimate(&captures.inputs, BUDGET)? {
                return Ok(Some(Reply::Large(estimate)));
            }
        }
        let skips = skips.unwrap_or_default();
        let this = Weak::clone(&self.this);
        let on_event = move |number: usize, event: HelperEvent| handle_helper(&this, number, event);
        match ParallelOpen::start(id, captures, files, skips, n_cores, on_event) {
            Ok(opening) => {
                self.opening = Some(opening);
                begin_soon(Weak::clone(&self.this));
                watch_helpers(Weak::clone(&self.this));
                Ok(None)
            }
            Err((captures, skips)) => {
                let opened = OpenSession::open_captures(captures, &skips, &mut self.reporter(id))?;
                Ok(Some(self.set_session(opened)))
            }
        }
    }

    /// Returns a function that sends progress to the page, at most every [`PROGRESS_EVERY`] milliseconds.
    fn reporter(&self, id: RequestId) -> impl FnMut(Progress) + use<'_> {
        let mut last = None;
        move |mut progress: Progress| {
            let now = now();
            let due = last.is_none_or(|(stage, at)| stage != progress.stage || now - at >= PROGRESS_EVERY);
            if due {
                last = Some((progress.stage, now));
                progress.memory = progress.memory.or_else(memory);
                self.answer(id, Reply::Progress(progress));
            }
        }
    }

    /// Reports that the memory that the files need is being estimated. No other progress message comes before the
    /// estimate is ready.
    fn report_estimating(&self, id: RequestId, inputs: &[Input]) {
        let progress = Progress {
            stage: Stage::Recognise,
            bytes_done: 0,
            bytes_total: inputs.iter().map(|input| input.source.size()).sum(),
            planes: 0,
            events: 0,
            place: "estimating the size".to_owned(),
            memory: memory(),
            notes: Vec::new(),
        };
        self.answer(id, Reply::Progress(progress));
    }

    fn answer(&self, id: RequestId, reply: Reply) {
        let sent = pack(&Answer { id, reply }, &[]).and_then(|m| self.scope.post_message(&m).map_err(describe));
        if let Err(reason) = sent {
            // The page receives this as an error of the worker.
            wasm_bindgen::throw_str(&format!("an answer could not be sent: {reason}"));
        }
    }
}

/// Returns whether the files are so large that the memory they need is estimated first.
fn needs_estimate(inputs: &[Input]) -> bool {
    inputs.iter().map(|input| input.source.size()).sum::<u64>() >= ESTIMATE_THRESHOLD
}

#[expect(clippy::needless_pass_by_value, reason = "the shape map_err wants")]
fn describe(error: JsValue) -> String {
    format!("{error:?}")
}

/// Returns the current time in milliseconds.
pub(super) fn now() -> f64 {
    js_sys::Date::now()
}

/// Returns the size of this worker's WebAssembly memory in bytes.
pub(super) fn memory() -> Option<u64> {
    let memory: WebAssembly::Memory = wasm_bindgen::memory().dyn_into().ok()?;
    let buffer: ArrayBuffer = memory.buffer().dyn_into().ok()?;
    Some(buffer.byte_length().into())
}
