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
use super::recognise::need_ways;
use super::sentences::{not_fetched, programs_not_read};
use super::told::{self, Captures, Unpacked};
use super::ways::Ways;
use super::{
    Answer, BUDGET, Call, Engine, Estimate, Failure, Fetch, Input, LOOKED_FROM, Progress, Reply, Request, RequestId,
    Session, Skip, Stage, estimate, mismatch,
};
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

/// What answers further requests ([`Request::is_further`]), what completes sessions of GPUs and CPUs, what reads trace JSON and
/// archives: what the part brings.
#[derive(Clone, Copy)]
pub struct Further {
    answer: fn(&mut Engine, &Request) -> Reply,
    complete: fn(&mut Engine, &mut Session),
    ways: Ways,
    estimate: fn(&[Input], u64) -> Result<Option<Estimate>, Failure>,
    open_link: fn(&str) -> Result<(Engine, Session), Failure>,
    take_out: fn(Vec<Input>) -> Result<Unpacked, Failure>,
}

impl Further {
    /// It. Nothing of the worker may name this: it would be no part.
    pub fn get() -> Self {
        Self {
            answer: Engine::further,
            complete: Engine::complete,
            ways: Ways::get(),
            estimate,
            open_link: Engine::open_link,
            take_out: told::unpack,
        }
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
    unopened: Option<(RequestId, Vec<Input>, Option<Vec<Skip>>)>,
    /// A session that is open but for what its programs say: it is answered when the part is here.
    incomplete: Option<(RequestId, Box<Session>)>,
}

fn receive(server: &Rc<RefCell<Server>>, fetch: Fetch<Further>, event: &MessageEvent) {
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
    // A request that trapped holds the server for ever: this worker is dead, and the page has heard of it.
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
    tick(Rc::clone(server), fetch);
}

/// Works off one request, a moment later.
fn tick(server: Rc<RefCell<Server>>, fetch: Fetch<Further>) {
    Timeout::new(0, move || {
        let Ok(mut this) = server.try_borrow_mut() else { return };
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
    if let Some((id, inputs, skips)) = this.unopened.take() {
        let reply = match further {
            Some(_) => this.open_inputs(id, inputs, skips),
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
            Request::Open { paths, skips } => match self.open(id, paths, files, skips.clone()) {
                Some(reply) => reply,
                None => return,
            },
            Request::OpenReport { link } => self.open_link(link),
            _ => self.engine.as_mut().map_or(Reply::Cancelled, |engine| match self.further {
                Some(further) if request.is_further() => (further.answer)(engine, &request),
                _ => engine.first(&request),
            }),
        };
        self.answer(id, reply);
    }

    /// Opens the report of a link: only asked when the part is here.
    fn open_link(&mut self, link: &str) -> Reply {
        self.engine = None;
        let Some(further) = self.further else { return Reply::NotFetched };
        match (further.open_link)(link) {
            Ok((engine, session)) => {
                self.engine = Some(engine);
                Reply::Opened(Box::new(session))
            }
            Err(failure) => Reply::Failed(failure),
        }
    }

    /// `None` where the answer waits for the part.
    fn open(&mut self, id: RequestId, paths: &[String], files: Vec<File>, skips: Option<Vec<Skip>>) -> Option<Reply> {
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
        if self.further.is_none() && ((skips.is_none() && is_looked_at(&inputs)) || need_ways(&inputs)) {
            self.unopened = Some((id, inputs, skips));
            return None;
        }
        self.open_inputs(id, inputs, skips)
    }

    /// `None` where the answer waits for the part.
    fn open_inputs(&mut self, id: RequestId, inputs: Vec<Input>, skips: Option<Vec<Skip>>) -> Option<Reply> {
        let found = match self.further {
            Some(further) => (further.take_out)(inputs),
            None => Ok(Unpacked::Captures(Captures { inputs, ..Captures::default() })),
        };
        let Captures { inputs, carries, failures } = match found {
            Ok(Unpacked::Captures(found)) => found,
            Ok(Unpacked::Report(told)) => {
                let (engine, session) = *told;
                self.engine = Some(engine);
                return Some(Reply::Opened(Box::new(session)));
            }
            Err(failure) => return Some(Reply::Failed(failure)),
        };
        if let (None, true, Some(further)) = (&skips, is_looked_at(&inputs), self.further) {
            self.looks_at(id, &inputs);
            match (further.estimate)(&inputs, BUDGET) {
                Ok(None) => {}
                Ok(Some(estimate)) => return Some(Reply::Large(estimate)),
                Err(failure) => return Some(Reply::Failed(failure)),
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
        match Engine::open_files(
            inputs,
            failures,
            &skips.unwrap_or_default(),
            self.further.map(|further| further.ways),
            &mut report,
        ) {
            Ok((mut engine, session)) => {
                engine.carries = carries;
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

    /// Says that the files are looked at: nothing else is heard of them until it is known what they would take.
    fn looks_at(&self, id: RequestId, inputs: &[Input]) {
        let progress = Progress {
            stage: Stage::Recognise,
            bytes_done: 0,
            bytes_total: inputs.iter().map(|input| input.source.size()).sum(),
            planes: 0,
            events: 0,
            place: "looking at how much there is".to_owned(),
            memory: memory(),
            notes: Vec::new(),
        };
        self.answer(id, Reply::Progress(progress));
    }

    fn answer(&self, id: RequestId, reply: Reply) {
        let sent = pack(&Answer { id, reply }, &[]).and_then(|m| self.scope.post_message(&m).map_err(describe));
        if let Err(reason) = sent {
            // The page hears of it as this worker's error.
            wasm_bindgen::throw_str(&format!("an answer could not be sent: {reason}"));
        }
    }
}

/// Whether files are so large that it is looked at what they would take.
fn is_looked_at(inputs: &[Input]) -> bool {
    inputs.iter().map(|input| input.source.size()).sum::<u64>() >= LOOKED_FROM
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
