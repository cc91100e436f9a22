//! The page's end: one [`Link`] is one worker. Knows how a worker is started, spoken to and ended; knows
//! nothing of what is drawn, and never reads a file.
//!
//! The worker starts from a Blob: a worker loaded from the network would not be bound by the page's content security
//! policy, a Blob's worker inherits it. It runs the page's own program, handed over as it was compiled: nothing is fetched
//! or compiled twice, and page and worker cannot be of different builds.

use super::message::{pack, unpack};
use super::{Answer, Call, Failure, Reply, Request, RequestId, Skip, mismatch};
use js_sys::{Array, Reflect, global};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{
    Blob, BlobPropertyBag, ErrorEvent, Event, File, MessageEvent, Url, Worker, WorkerOptions, WorkerType, window,
};

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
    /// The worker is gone: nothing more will come.
    Died(Failure),
}

/// A worker and the way to talk to it. Dropping it ends the worker.
pub struct Link {
    worker: Worker,
    next: Cell<u32>,
    outbox: Outbox,
    script: String,
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
        let (worker, script) = spawn().map_err(|e| Failure {
            title: "The analysis could not be started".to_owned(),
            message: format!("The browser starts no worker for this page: {}..", say(&e)),
        })?;
        let outbox: Outbox = Rc::new(RefCell::new(Some(Vec::new())));
        let report = Rc::new(report);
        let on_message = {
            let (worker, outbox, report) = (worker.clone(), Rc::clone(&outbox), Rc::clone(&report));
            Closure::<dyn FnMut(Event)>::new(move |event: Event| {
                receive(&worker, &outbox, event.unchecked_ref(), &*report);
            })
        };
        let on_error = {
            let report = Rc::clone(&report);
            Closure::<dyn FnMut(Event)>::new(move |event: Event| {
                event.prevent_default();
                let said = event.dyn_ref::<ErrorEvent>().map(ErrorEvent::message).unwrap_or_default();
                report(Report::Died(died(&said)));
            })
        };
        let on_garbled = Closure::<dyn FnMut(Event)>::new(move |_: Event| {
            report(Report::Died(died("a message could not be passed on")));
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        let _ = worker.add_event_listener_with_callback("messageerror", on_garbled.as_ref().unchecked_ref());
        let link = Self { worker, next: Cell::new(1), outbox, script, _listeners: [on_message, on_error, on_garbled] };
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
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
        let _ = Url::revoke_object_url(&self.script);
    }
}

fn receive(worker: &Worker, outbox: &Outbox, event: &MessageEvent, report: &impl Fn(Report)) {
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

fn died(said: &str) -> Failure {
    let said = said.trim_start_matches("Uncaught ");
    let why = if said.is_empty() { "The browser gives no reason".to_owned() } else { format!("It said: {said}") };
    Failure {
        title: "The analysis stopped".to_owned(),
        message: format!("The worker that reads the file ended. {why}."),
    }
}

fn say(error: &JsValue) -> String {
    Reflect::get(error, &"message".into()).ok().and_then(|m| m.as_string()).unwrap_or_else(|| format!("{error:?}"))
}

/// The worker, and the address of its first script: that takes the page's own program, which is compiled already, under the page's
/// policy.
fn spawn() -> Result<(Worker, String), JsValue> {
    // In a page that is one file there is nothing beside it: `share/boot.js` says how a worker starts there.
    let single = Reflect::get(&global(), &"rooflightWorker".into()).ok().filter(JsValue::is_object);
    let (script, kind, message) = match single {
        Some(of) => {
            let of = |name: &str| Reflect::get(&of, &name.into());
            let script = of("source")?.as_string().unwrap_or_default();
            let message = Array::of3(&wasm_bindgen::module(), &of("script")?, &of("files")?).into();
            (script, WorkerType::Classic, message)
        }
        None => (first_script()?, WorkerType::Module, wasm_bindgen::module()),
    };
    let options = BlobPropertyBag::new();
    options.set_type("text/javascript");
    let blob = Blob::new_with_str_sequence_and_options(&Array::of1(&script.into()), &options)?;
    let url = Url::create_object_url_with_blob(&blob)?;
    let options = WorkerOptions::new();
    options.set_type(kind);
    let worker = Worker::new_with_options(&url, &options)?;
    worker.post_message(&message)?;
    Ok((worker, url))
}

/// It imports the script that loads the program; that one's name carries the build.
fn first_script() -> Result<String, JsValue> {
    let document = window().and_then(|w| w.document()).ok_or("no document")?;
    let glue = document.query_selector("link[rel=modulepreload]")?.ok_or("no link to the page's script")?;
    let address = glue.get_attribute("href").unwrap_or_default();
    let address = Url::new_with_base(&address, &document.base_uri()?.unwrap_or_default())?.href();
    Ok(format!(
        "import start from {address:?};\nonmessage = (event) => {{\n  onmessage = null;\n  \
         start({{ module_or_path: event.data }}).catch((e) => setTimeout(() => {{ throw e; }}));\n}};\n"
    ))
}
