//! The page's end: one [`Link`] is one worker. This module knows how a worker is started, spoken to and ended; knows
//! nothing of what is drawn, and never reads a file.
//!
//! The worker starts from a Blob: a worker loaded from the network would not be bound by the page's content security
//! policy, a Blob's worker inherits it. It is handed its program as it was compiled ([`program`](super::program)).
//!
//! A worker holds a lock of the browser's for as long as it lives. The page waits for the same lock: so it hears also of an end without
//! an `error` event, as when the browser discards the worker or it closes itself.

use super::lock;
use super::message::{pack, unpack};
use super::program::program;
use crate::protocol::{Answer, Call, Failure, Reply, Request, RequestId, Skip, mismatch};
use js_sys::{Array, Math, Reflect};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::spawn_local;
use web_sys::{Blob, BlobPropertyBag, ErrorEvent, Event, File, MessageEvent, Url, Worker, WorkerOptions};

/// A file someone chose, and its path within what they chose.
#[derive(Clone, Debug)]
pub struct Picked {
    /// Its name, with folders where it came in one.
    pub path: String,
    /// The browser's handle on it.
    pub file: File,
}

/// What a link reports.
#[derive(Clone, Debug)]
pub enum Report {
    /// An answer, or a piece of one.
    Answer(Answer),
    /// The worker is gone: nothing more will come. Said once.
    Died(Failure),
}

/// A worker and the way to talk to it. Dropping it ends the worker.
pub struct Link {
    worker: Worker,
    next: Cell<u32>,
    outbox: Outbox,
    script: String,
    alive: Rc<Cell<bool>>,
    _listeners: [Closure<dyn FnMut(Event)>; 3],
}

/// Messages that wait for the worker's Hello; `None` once it came.
type Outbox = Rc<RefCell<Option<Vec<JsValue>>>>;

impl Link {
    /// Starts a worker. `report` hears all that comes from it.
    ///
    /// # Errors
    /// A [`Failure`] where the browser starts no worker.
    pub fn start(report: impl Fn(Report) + 'static) -> Result<Self, Failure> {
        let Spawned { worker, script, lock } = spawn().map_err(|e| Failure {
            title: "The analysis could not be started".to_owned(),
            message: format!("The browser does not start a worker for this page: {}", sentence(&error_text(&e))),
        })?;
        let outbox: Outbox = Rc::new(RefCell::new(Some(Vec::new())));
        let alive = Rc::new(Cell::new(true));
        // A worker that trapped may go on hearing messages, and complain of each: of a dead one nothing is heard.
        let report: Rc<dyn Fn(Report)> = {
            let alive = Rc::clone(&alive);
            Rc::new(move |reported: Report| {
                let was_alive = if matches!(reported, Report::Died(_)) { alive.replace(false) } else { alive.get() };
                if was_alive {
                    report(reported);
                }
            })
        };
        let on_message = {
            let (worker, outbox, report) = (worker.clone(), Rc::clone(&outbox), Rc::clone(&report));
            Closure::<dyn FnMut(Event)>::new(move |event: Event| {
                let event: &MessageEvent = event.unchecked_ref();
                if event.data().as_string().as_deref() == Some(LOCKED) {
                    watch(lock.clone(), Rc::clone(&report));
                } else {
                    receive(&worker, &outbox, event, &*report);
                }
            })
        };
        let on_error = {
            let report = Rc::clone(&report);
            Closure::<dyn FnMut(Event)>::new(move |event: Event| {
                event.prevent_default();
                let reason = event.dyn_ref::<ErrorEvent>().map(ErrorEvent::message).unwrap_or_default();
                report(Report::Died(died(&reason)));
            })
        };
        let on_garbled = {
            let report = Rc::clone(&report);
            Closure::<dyn FnMut(Event)>::new(move |_: Event| {
                report(Report::Died(died("a message could not be passed on")));
            })
        };
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        let _ = worker.add_event_listener_with_callback("messageerror", on_garbled.as_ref().unchecked_ref());
        hand_over(worker.clone(), report);
        let link =
            Self { worker, next: Cell::new(1), outbox, script, alive, _listeners: [on_message, on_error, on_garbled] };
        link.send(&Request::Hello { build: crate::BUILD.to_owned() });
        Ok(link)
    }

    /// Sends a request.
    pub fn send(&self, request: &Request) -> RequestId {
        self.send_with(request, &[])
    }

    /// Opens files as one session.
    pub fn open(&self, picked: &[Picked], skips: Option<Vec<Skip>>) -> RequestId {
        let paths = picked.iter().map(|one| one.path.clone()).collect();
        let files: Vec<File> = picked.iter().map(|one| one.file.clone()).collect();
        self.send_with(&Request::Open { paths, skips }, &files)
    }

    fn send_with(&self, request: &Request, files: &[File]) -> RequestId {
        let id = RequestId(self.next.get());
        self.next.set(id.0.wrapping_add(1).max(1));
        let Ok(message) = pack(&Call { id, request: request.clone() }, files) else { return id };
        match self.outbox.borrow_mut().as_mut() {
            Some(waiting) => waiting.push(message),
            None => drop(self.worker.post_message(&message)),
        }
        id
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.alive.set(false);
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
        let _ = Url::revoke_object_url(&self.script);
    }
}

/// Takes in a message. By the first the worker says that it has started: what was to be sent until then is sent.
fn receive(worker: &Worker, outbox: &Outbox, event: &MessageEvent, report: &dyn Fn(Report)) {
    match unpack::<Answer>(event.data()) {
        Ok((Answer { reply: Reply::Hello { build }, .. }, _)) if build == crate::BUILD => {
            for message in outbox.borrow_mut().take().unwrap_or_default() {
                drop(worker.post_message(&message));
            }
        }
        Ok((Answer { reply: Reply::Hello { build }, .. }, _)) => report(Report::Died(mismatch(crate::BUILD, &build))),
        Ok((answer, _)) => report(Report::Answer(answer)),
        Err(reason) => report(Report::Died(died(&reason))),
    }
}

/// Waits for the end of the worker that holds a lock. It ends with the worker: where the page ended that, nobody hears of it.
fn watch(name: String, report: Rc<dyn Fn(Report)>) {
    spawn_local(async move {
        // A worker that could not take its lock is not taken for dead.
        if matches!(lock::try_acquire(&name).await, Ok(None)) && lock::acquire(&name).await.is_some() {
            report(Report::Died(died("")));
        }
    });
}

fn died(reason: &str) -> Failure {
    let reason = reason.trim_start_matches("Uncaught ");
    let why = if reason.is_empty() { "The browser gives no reason".to_owned() } else { format!("Its error: {reason}") };
    Failure {
        title: "The analysis stopped".to_owned(),
        message: format!("The worker that reads the file ended. {}", sentence(&why)),
    }
}

/// Words as a sentence: with one full stop.
fn sentence(words: &str) -> String {
    format!("{}.", words.trim_end_matches('.'))
}

fn error_text(error: &JsValue) -> String {
    Reflect::get(error, &"message".into()).ok().and_then(|m| m.as_string()).unwrap_or_else(|| format!("{error:?}"))
}

/// A worker that was started.
struct Spawned {
    worker: Worker,
    /// The address of its first script.
    script: String,
    /// The name of the worker, and of the lock that it holds.
    lock: String,
}

/// What it posts then.
const LOCKED: &str = "locked";

/// What a worker runs first: it takes its lock, says so, then starts the program that it is handed.
const FIRST_SCRIPT: &str = r"
const forEver = () => new Promise(() => {});
const locked = new Promise((done) =>
  navigator.locks ? navigator.locks.request(name, () => (done(), forEver())).catch(done) : done());
locked.then(() => postMessage('locked'));
onmessage = async ({ data: [script, program] }) => {
  onmessage = null;
  await locked;
  try {
    importScripts(script instanceof Blob ? URL.createObjectURL(script) : script);
    await wasm_bindgen({ module_or_path: program });
  } catch (error) {
    setTimeout(() => { throw error; });
  }
};
";

/// Starts a worker. It waits for the program that [`hand_over`] sends.
fn spawn() -> Result<Spawned, JsValue> {
    let options = BlobPropertyBag::new();
    options.set_type("text/javascript");
    let blob = Blob::new_with_str_sequence_and_options(&Array::of1(&FIRST_SCRIPT.into()), &options)?;
    let url = Url::create_object_url_with_blob(&blob)?;
    let options = WorkerOptions::new();
    let lock = format!("rooflight worker {}", Math::random());
    options.set_name(&lock);
    let worker = Worker::new_with_options(&url, &options)?;
    Ok(Spawned { worker, script: url, lock })
}

/// Hands a worker its program, once that is here.
fn hand_over(worker: Worker, report: Rc<dyn Fn(Report)>) {
    spawn_local(async move {
        let sent = program().await.and_then(|program| worker.post_message(&program));
        if let Err(error) = sent {
            report(Report::Died(Failure {
                title: "The program that reads files could not be fetched".to_owned(),
                message: format!(
                    "The browser says: {} Check the connection and try again. If the site was updated meanwhile, reload the page.",
                    sentence(&error_text(&error))
                ),
            }));
        }
    });
}
