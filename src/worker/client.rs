//! This module is the page's side of a worker: a [`WorkerHandle`] starts one worker, sends requests to it and ends it.
//!
//! The page hands the compiled program to the worker ([`program`](super::program)).
//!
//! A worker holds a lock of the browser for as long as it lives, and the page waits for the same lock. The page
//! therefore also notices an end without an `error` event, for example if the browser discards the worker, or if the
//! worker closes itself.

use super::helpers::{HelperWorker, number_for};
use super::lock;
use super::message::{decode_message, encode_call, ports};
use super::program::program;
use super::spawn::{LOCKED, Spawned, spawn};
use crate::protocol::{Answer, Call, Failure, Reply, Request, RequestId, SessionSlot, Skip, mismatch};
use crate::table::text::escape_page_text;
use js_sys::Reflect;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::spawn_local;
use web_sys::{ErrorEvent, Event, File, MessageEvent, MessagePort, Url, Worker};

/// A file that the user chose or dropped.
#[derive(Clone, Debug)]
pub struct Picked {
    /// The name of the file, with its folders if the file came in a folder. Its invisible characters are escaped.
    pub path: String,
    pub file: File,
}

impl Picked {
    /// Creates a file with its name.
    pub fn new(path: &str, file: File) -> Self {
        Self { path: escape_page_text(path).into_owned(), file }
    }
}

/// A message from a worker.
#[derive(Clone, Debug)]
pub enum WorkerEvent {
    /// An answer, or the progress of one.
    Answer(Answer),
    /// The worker has ended. This is reported once, and nothing follows it.
    Died(Failure),
}

/// A worker, and the way to send requests to it. Dropping the link ends the worker.
pub struct WorkerHandle {
    worker: Worker,
    next: Cell<u32>,
    outbox: Outbox,
    script: String,
    alive: Rc<Cell<bool>>,
    /// The helpers that read planes for the worker, until the files are open.
    helpers: Rc<RefCell<Vec<HelperWorker>>>,
    /// The request that opens the files.
    opening: Rc<Cell<RequestId>>,
    _listeners: [Closure<dyn FnMut(Event)>; 3],
}

/// The messages that wait for the worker's Hello; `None` after the Hello came.
type Outbox = Rc<RefCell<Option<Vec<JsValue>>>>;

impl WorkerHandle {
    /// Starts a worker. `report` is called with everything that comes from the worker.
    ///
    /// # Errors
    /// Returns a [`Failure`] if the browser starts no worker.
    pub fn start(report: impl Fn(WorkerEvent) + 'static) -> Result<Self, Failure> {
        let Spawned { worker, script, name } = spawn().map_err(|e| Failure {
            title: "The analysis could not be started".to_owned(),
            message: format!("The browser does not start a worker for this page: {}", sentence(&error_text(&e))),
        })?;
        let outbox: Outbox = Rc::new(RefCell::new(Some(Vec::new())));
        let alive = Rc::new(Cell::new(true));
        let (helpers, opening) = (Rc::new(RefCell::new(Vec::new())), Rc::new(Cell::new(RequestId::default())));
        // A worker that trapped may still receive messages, and raise an error for each. Nothing is reported after its
        // end.
        let report: Rc<dyn Fn(WorkerEvent)> = {
            let alive = Rc::clone(&alive);
            Rc::new(move |reported: WorkerEvent| {
                let was_alive =
                    if matches!(reported, WorkerEvent::Died(_)) { alive.replace(false) } else { alive.get() };
                if was_alive {
                    report(reported);
                }
            })
        };
        let on_message = {
            let (worker, outbox, report) = (worker.clone(), Rc::clone(&outbox), Rc::clone(&report));
            let (helpers, opening, report_end) = (Rc::clone(&helpers), Rc::clone(&opening), Rc::clone(&report));
            let report = move |reported: WorkerEvent| {
                if is_end_of_reading(&reported, opening.get()) {
                    helpers.borrow_mut().clear();
                }
                report(reported);
            };
            Closure::<dyn FnMut(Event)>::new(move |event: Event| {
                let event: &MessageEvent = event.unchecked_ref();
                if event.data().as_string().as_deref() == Some(LOCKED) {
                    watch(name.clone(), Rc::clone(&report_end));
                } else {
                    receive(&worker, &outbox, event, &report);
                }
            })
        };
        let on_error = {
            let report = Rc::clone(&report);
            Closure::<dyn FnMut(Event)>::new(move |event: Event| {
                event.prevent_default();
                let reason = event.dyn_ref::<ErrorEvent>().map(ErrorEvent::message).unwrap_or_default();
                report(WorkerEvent::Died(died(&reason)));
            })
        };
        let on_garbled = {
            let report = Rc::clone(&report);
            Closure::<dyn FnMut(Event)>::new(move |_: Event| {
                report(WorkerEvent::Died(died("a message could not be passed on")));
            })
        };
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        let _ = worker.add_event_listener_with_callback("messageerror", on_garbled.as_ref().unchecked_ref());
        hand_over(worker.clone(), report);
        let (next, _listeners) = (Cell::new(1), [on_message, on_error, on_garbled]);
        let link = Self { worker, next, outbox, script, alive, helpers, opening, _listeners };
        link.send(&Request::Hello { build: crate::BUILD.to_owned() });
        Ok(link)
    }

    /// Sends a request, and returns its id.
    pub fn send(&self, request: &Request) -> RequestId {
        self.send_with(request, &[], &[])
    }

    /// Opens files as one session, without the parts in `skips`. Large files are read with helpers. Unless `is_one_run`, files of
    /// several runs become a list of captures. Returns the id of the request.
    pub fn open(&self, slot: SessionSlot, picked: &[Picked], skips: Option<Vec<Skip>>, is_one_run: bool) -> RequestId {
        let (paths, files) = paths_and_files(picked);
        let ports = self.start_helpers(number_for(total_size(picked)));
        let id = self.send_with(&Request::Open { slot, paths, skips, is_one_run }, &files, &ports);
        self.opening.set(id);
        id
    }

    /// Reads files as one capture of many. The answer is its summary.
    pub fn summarise(&self, picked: &[Picked]) -> RequestId {
        let (paths, files) = paths_and_files(picked);
        self.send_with(&Request::Summarise { paths }, &files, &[])
    }

    /// Reads the files of two captures. The answer is what made most of their difference.
    pub fn explain_change(&self, before: &[Picked], after: &[Picked]) -> RequestId {
        let (paths, files) = paths_and_files(&[before, after].concat());
        self.send_with(&Request::ExplainChange { paths, n_before: before.len() as u32 }, &files, &[])
    }

    /// Starts helpers, and returns the ports to them. A helper that cannot be started is left out.
    fn start_helpers(&self, n: u64) -> Vec<MessagePort> {
        let mut ports = Vec::new();
        for helper in 0..n {
            let worker = self.worker.clone();
            let on_error = move || {
                let call = Call { id: RequestId::default(), request: Request::HelperEnded { helper: helper as u32 } };
                drop(encode_call(&call, &[], &[]).map(|message| worker.post_message(&message)));
            };
            let Ok((started, port)) = HelperWorker::start(on_error) else { break };
            self.helpers.borrow_mut().push(started);
            ports.push(port);
        }
        ports
    }

    fn send_with(&self, request: &Request, files: &[File], ports: &[MessagePort]) -> RequestId {
        let id = RequestId(self.next.get());
        self.next.set(id.0.wrapping_add(1).max(1));
        let Ok(message) = encode_call(&Call { id, request: request.clone() }, files, ports) else { return id };
        match self.outbox.borrow_mut().as_mut() {
            Some(waiting) => waiting.push(message),
            None => post(&self.worker, &message),
        }
        id
    }
}

impl Drop for WorkerHandle {
    fn drop(&mut self) {
        self.alive.set(false);
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
        let _ = Url::revoke_object_url(&self.script);
    }
}

/// Handles a message. The first message shows that the worker has started, so the waiting messages are sent.
fn receive(worker: &Worker, outbox: &Outbox, event: &MessageEvent, report: &dyn Fn(WorkerEvent)) {
    match decode_message::<Answer>(event.data()) {
        Ok((Answer { reply: Reply::Hello { build }, .. }, _)) if build == crate::BUILD => {
            for message in outbox.borrow_mut().take().unwrap_or_default() {
                post(worker, &message);
            }
        }
        Ok((Answer { reply: Reply::Hello { build }, .. }, _)) => {
            report(WorkerEvent::Died(mismatch(crate::BUILD, &build)));
        }
        Ok((answer, _)) => report(WorkerEvent::Answer(answer)),
        Err(reason) => report(WorkerEvent::Died(died(&reason))),
    }
}

/// Waits for the end of the worker that holds the lock `name`, and reports it. If the page itself ended the worker, the
/// report is ignored.
fn watch(name: String, report: Rc<dyn Fn(WorkerEvent)>) {
    spawn_local(async move {
        // A worker that could not take its lock is not considered dead.
        if matches!(lock::try_acquire(&name).await, Ok(None)) && lock::acquire(&name).await.is_some() {
            report(WorkerEvent::Died(died("")));
        }
    });
}

/// Posts a message, and hands over its ports.
fn post(worker: &Worker, message: &JsValue) {
    drop(worker.post_message_with_transfer(message, &ports(message)));
}

fn paths_and_files(picked: &[Picked]) -> (Vec<String>, Vec<File>) {
    picked.iter().map(|one| (one.path.clone(), one.file.clone())).unzip()
}

/// Returns the size of all files in bytes.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "lengths: whole, below 2⁵³")]
pub fn total_size(files: &[Picked]) -> u64 {
    files.iter().map(|picked| picked.file.size() as u64).sum()
}

/// Returns whether the worker needs no helpers any more, because the request `opening` has been answered.
fn is_end_of_reading(report: &WorkerEvent, opening: RequestId) -> bool {
    match report {
        WorkerEvent::Answer(Answer { id, .. }) if *id != opening => false,
        WorkerEvent::Answer(Answer { reply: Reply::Opened(session), .. }) => session.reading.is_none(),
        WorkerEvent::Answer(Answer { reply: Reply::Failed(_) | Reply::Large(_) | Reply::Cancelled, .. })
        | WorkerEvent::Died(_) => true,
        WorkerEvent::Answer(_) => false,
    }
}

fn died(reason: &str) -> Failure {
    let reason = reason.trim_start_matches("Uncaught ");
    let why = if reason.is_empty() { "The browser gives no reason".to_owned() } else { format!("Its error: {reason}") };
    Failure {
        title: "The analysis stopped".to_owned(),
        message: format!("The worker that reads the file ended. {}", sentence(&why)),
    }
}

/// Ends a text with exactly one full stop.
fn sentence(words: &str) -> String {
    format!("{}.", words.trim_end_matches('.'))
}

fn error_text(error: &JsValue) -> String {
    Reflect::get(error, &"message".into()).ok().and_then(|m| m.as_string()).unwrap_or_else(|| format!("{error:?}"))
}

/// Sends the program to a worker, once the program is compiled.
fn hand_over(worker: Worker, report: Rc<dyn Fn(WorkerEvent)>) {
    spawn_local(async move {
        let sent = program().await.and_then(|program| worker.post_message(&program));
        if let Err(error) = sent {
            report(WorkerEvent::Died(Failure {
                title: "The program that reads files could not be fetched".to_owned(),
                message: format!(
                    "The browser says: {} Check the connection and try again. If the site was updated meanwhile, reload the page.",
                    sentence(&error_text(&error))
                ),
            }));
        }
    });
}
