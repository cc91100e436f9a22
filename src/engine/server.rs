//! The worker's end: takes messages in, works them off one at a time, posts answers. Knows the browser's
//! worker scope; knows nothing of what is drawn.
//!
//! ```text
//!   message ──► queue ──► (fresh task) ──► Engine ──► answer
//!                 ▲
//!   Cancel(id) ───┘ withdraws what still waits
//! ```
//!
//! Some requests are answered by a part of the program that is fetched for the first of them: that one keeps its place, and
//! those behind it wait with it.
//!
//! Work is done in a task of its own, never in the message's: so a Cancel that is waiting already is seen first.

use super::message::{pack, unpack};
use super::open::has_trace;
use super::sentences::{not_fetched, programs_not_read};
use super::traces::Traces;
use super::{Answer, Call, Engine, Failure, Fetch, Input, Progress, Reply, Request, RequestId, Session, mismatch};
use crate::source::BlobSource;
use gloo_timers::callback::Timeout;
use js_sys::{ArrayBuffer, WebAssembly};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::mem::replace;
use std::rc::Rc;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::spawn_local;
use web_sys::{DedicatedWorkerGlobalScope, File, MessageEvent};

/// Between two progress messages of one stage, at least, milliseconds.
const PROGRESS_EVERY: f64 = 50.0;

/// What answers further requests ([`Request::is_further`]), what completes sessions of GPUs and CPUs, what reads trace JSON: what
/// the part brings.
#[derive(Clone, Copy)]
pub struct Further {
    answer: fn(&mut Engine, &Request) -> Reply,
    complete: fn(&mut Engine, &mut Session),
    traces: Traces,
}

impl Further {
    /// It. Nothing of the worker may name this: it would be no part.
    pub fn get() -> Self {
        Self { answer: Engine::further, complete: Engine::complete, traces: Traces::get() }
    }
}

/// Serves the page until it ends this worker. Called once, from the worker's `main`.
pub fn serve(fetch: Fetch<Further>) {
    let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    let server = Rc::new(RefCell::new(Server {
        scope: scope.clone(),
        engine: None,
        queue: VecDeque::new(),
        further: None,
        fetching: false,
        unopened: None,
        incomplete: None,
    }));
    server.borrow().answer(RequestId::default(), Reply::Hello { build: crate::BUILD.to_owned() });
    let on_message =
        Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| receive(&server, fetch, &event));
    scope.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();
}

struct Server {
    scope: DedicatedWorkerGlobalScope,
    engine: Option<Engine>,
    queue: VecDeque<(Call, Vec<File>)>,
    further: Option<Further>,
    fetching: bool,
    /// Files that the part is needed for: they are opened when it is here.
    unopened: Option<(RequestId, Vec<Input>)>,
    /// A session that is open but for what its programs say: it is answered when the part is here.
    incomplete: Option<(RequestId, Box<Session>)>,
}

fn receive(server: &Rc<RefCell<Server>>, fetch: Fetch<Further>, event: &MessageEvent) {
    let (call, files) = match unpack::<Call>(event.data()) {
        Ok(message) => message,
        Err(reason) => {
            let failure = Failure { title: "A request could not be read".to_owned(), message: reason };
            return server.borrow().answer(RequestId::default(), Reply::Failed(failure));
        }
    };
    let mut this = server.borrow_mut();
    if let Request::Cancel(id) = call.request {
        let before = this.queue.len();
        this.queue.retain(|(waiting, _)| waiting.id != id);
        if this.queue.len() < before {
            this.answer(id, Reply::Cancelled);
        }
        return;
    }
    this.queue.push_back((call, files));
    tick(Rc::clone(server), fetch);
}

/// Works off one request, a moment later.
fn tick(server: Rc<RefCell<Server>>, fetch: Fetch<Further>) {
    Timeout::new(0, move || {
        let mut this = server.borrow_mut();
        if !this.needs_part() {
            this.work();
        }
        if this.needs_part() && !replace(&mut this.fetching, true) {
            spawn_local(get(Rc::clone(&server), fetch));
        }
    })
    .forget();
}

/// Fetches the part that the first request waits for; all that waited are then worked off.
async fn get(server: Rc<RefCell<Server>>, fetch: Fetch<Further>) {
    let further = fetch().await;
    let mut this = server.borrow_mut();
    this.fetching = false;
    this.further = further;
    if let Some((id, inputs)) = this.unopened.take() {
        let reply = match further {
            Some(_) => this.open_inputs(id, inputs),
            None => Some(Reply::Failed(not_fetched())),
        };
        reply.into_iter().for_each(|reply| this.answer(id, reply));
    }
    this.complete();
    if further.is_none()
        && this.needs_part()
        && let Some((call, _)) = this.queue.pop_front()
    {
        this.answer(call.id, Reply::NotFetched);
    }
    for _ in &this.queue {
        tick(Rc::clone(&server), fetch);
    }
}

impl Server {
    /// Whether the request that waits longest is for a part that is not here.
    fn needs_part(&self) -> bool {
        let asked = || self.queue.front().is_some_and(|(call, _)| call.request.is_further());
        self.further.is_none() && (self.unopened.is_some() || self.incomplete.is_some() || asked())
    }

    /// Answers with the session that waits for its programs; where the part did not come, as it is, and says so.
    fn complete(&mut self) {
        let Some((id, mut session)) = self.incomplete.take() else { return };
        match (self.further, &mut self.engine) {
            (Some(further), Some(engine)) => (further.complete)(engine, &mut session),
            _ => session.notes.push(programs_not_read()),
        }
        self.answer(id, Reply::Opened(session));
    }

    /// Works off the request that waits longest, if one still waits.
    fn work(&mut self) {
        let Some((Call { id, request }, files)) = self.queue.pop_front() else { return };
        let reply = match &request {
            Request::Hello { build } if build == crate::BUILD => return,
            Request::Hello { build } => Reply::Failed(mismatch(build, crate::BUILD)),
            Request::Open { paths } => match self.open(id, paths, files) {
                Some(reply) => reply,
                None => return,
            },
            _ => self.engine.as_mut().map_or(Reply::Cancelled, |engine| match self.further {
                Some(further) if request.is_further() => (further.answer)(engine, &request),
                _ => engine.first(&request),
            }),
        };
        self.answer(id, reply);
    }

    /// `None` where the answer waits for the part.
    fn open(&mut self, id: RequestId, paths: &[String], files: Vec<File>) -> Option<Reply> {
        self.engine = None;
        let input = |(file, path): (File, &String)| {
            let source = BlobSource::new(file.into()).map_err(|e| Failure {
                title: format!("{path} could not be read"),
                message: format!("{e}. Nothing was opened."),
            })?;
            Ok(Input { name: path.clone(), source: Box::new(source), from_folder: path.contains('/') })
        };
        let inputs = match files.into_iter().zip(paths).map(input).collect::<Result<Vec<_>, Failure>>() {
            Ok(inputs) => inputs,
            Err(failure) => return Some(Reply::Failed(failure)),
        };
        if self.further.is_none() && has_trace(&inputs) {
            self.unopened = Some((id, inputs));
            return None;
        }
        self.open_inputs(id, inputs)
    }

    /// `None` where the answer waits for the part.
    fn open_inputs(&mut self, id: RequestId, inputs: Vec<Input>) -> Option<Reply> {
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
        match Engine::open_files(inputs, self.further.map(|further| further.traces), &mut report) {
            Ok((engine, session)) => {
                let lacks = engine.is_incomplete();
                let (engine, mut session) = (self.engine.insert(engine), Box::new(session));
                match self.further {
                    Some(further) if lacks => (further.complete)(engine, &mut session),
                    None if lacks => {
                        self.incomplete = Some((id, session));
                        return None;
                    }
                    _ => {}
                }
                Some(Reply::Opened(session))
            }
            Err(failure) => Some(Reply::Failed(failure)),
        }
    }

    fn answer(&self, id: RequestId, reply: Reply) {
        let sent = pack(&Answer { id, reply }, &[]).and_then(|m| self.scope.post_message(&m).map_err(describe));
        if let Err(reason) = sent {
            // The page hears of it as this worker's error.
            wasm_bindgen::throw_str(&format!("an answer could not be sent: {reason}"));
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the shape map_err wants")]
fn describe(error: JsValue) -> String {
    format!("{error:?}")
}

/// Milliseconds of the worker's clock.
fn now() -> f64 {
    js_sys::Date::now()
}

/// WebAssembly memory of this worker, bytes.
fn memory() -> Option<u64> {
    let memory: WebAssembly::Memory = wasm_bindgen::memory().dyn_into().ok()?;
    let buffer: ArrayBuffer = memory.buffer().dyn_into().ok()?;
    Some(buffer.byte_length().into())
}
