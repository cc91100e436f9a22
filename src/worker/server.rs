//! This module is the worker's side: it receives requests, handles them one at a time, and posts the answers.
//!
//! ```text
//!   message ──► queue ──► (new task) ──► session ──► answer
//!                 ▲
//!   Cancel(id) ───┘ removes a request that still waits
//! ```
//!
//! Each request runs in a task of its own, not in the task of its message, so that a Cancel that has already arrived is
//! handled first.

use super::blob::BlobSource;
use super::message::{pack, unpack};
use crate::protocol::{Answer, Call, Failure, Progress, Reply, Request, RequestId, SessionInfo, Skip, Stage, mismatch};
use crate::session::open::report_file::{Unpacked, unpack as unpack_reports};
use crate::session::open::{BUDGET, ESTIMATE_THRESHOLD, estimate};
use crate::session::{Input, OpenSession};
use gloo::timers::callback::Timeout;
use js_sys::{ArrayBuffer, WebAssembly};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{DedicatedWorkerGlobalScope, File, MessageEvent};

/// The shortest time between two progress messages of one stage, in milliseconds.
const PROGRESS_EVERY: f64 = 50.0;

/// Serves the page until the page ends this worker. The worker's `main` calls this function once.
pub fn serve() {
    let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    let server = Rc::new(RefCell::new(Server { scope: scope.clone(), session: None, queue: VecDeque::new() }));
    server.borrow().answer(RequestId::default(), Reply::Hello { build: crate::BUILD.to_owned() });
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| receive(&server, &event));
    scope.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();
}

struct Server {
    scope: DedicatedWorkerGlobalScope,
    session: Option<OpenSession>,
    queue: VecDeque<(Call, Vec<File>)>,
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

/// Handles one request in a task of its own.
fn tick(server: Rc<RefCell<Server>>) {
    Timeout::new(0, move || {
        if let Ok(mut this) = server.try_borrow_mut() {
            this.work();
        }
    })
    .forget();
}

impl Server {
    /// Handles the request that has waited longest, if any request waits.
    fn work(&mut self) {
        let Some((Call { id, request }, files)) = self.queue.pop_front() else { return };
        let reply = match &request {
            Request::Hello { build } if build == crate::BUILD => return,
            Request::Hello { build } => Reply::Failed(mismatch(build, crate::BUILD)),
            Request::Open { paths, skips } => self.open(id, paths, files, skips.clone()).unwrap_or_else(Reply::Failed),
            Request::OpenReport { link } => self.open_link(link),
            _ => self.session.as_mut().map_or(Reply::Cancelled, |session| session.answer(&request)),
        };
        self.answer(id, reply);
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
    ) -> Result<Reply, Failure> {
        self.session = None;
        let input = |(file, path): (File, &String)| {
            let source = BlobSource::new(file.into()).map_err(|e| Failure {
                title: format!("{path} could not be read"),
                message: format!("{e}. Nothing was opened."),
            })?;
            Ok(Input { name: path.clone(), source: Box::new(source), from_folder: path.contains('/') })
        };
        let inputs = files.into_iter().zip(paths).map(input).collect::<Result<Vec<_>, Failure>>()?;
        let captures = match unpack_reports(inputs)? {
            Unpacked::Captures(captures) => captures,
            Unpacked::Report(report) => return Ok(self.set_session(OpenSession::of_report(*report))),
        };
        if skips.is_none() && needs_estimate(&captures.inputs) {
            self.report_estimating(id, &captures.inputs);
            if let Some(estimate) = estimate(&captures.inputs, BUDGET)? {
                return Ok(Reply::Large(estimate));
            }
        }
        let mut last = None;
        let mut report = |mut progress: Progress| {
            let now = now();
            let due = last.is_none_or(|(stage, at)| stage != progress.stage || now - at >= PROGRESS_EVERY);
            if due {
                last = Some((progress.stage, now));
                progress.memory = memory();
                self.answer(id, Reply::Progress(progress));
            }
        };
        Ok(self.set_session(OpenSession::open_captures(captures, &skips.unwrap_or_default(), &mut report)?))
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
fn now() -> f64 {
    js_sys::Date::now()
}

/// Returns the size of this worker's WebAssembly memory in bytes.
fn memory() -> Option<u64> {
    let memory: WebAssembly::Memory = wasm_bindgen::memory().dyn_into().ok()?;
    let buffer: ArrayBuffer = memory.buffer().dyn_into().ok()?;
    Some(buffer.byte_length().into())
}
