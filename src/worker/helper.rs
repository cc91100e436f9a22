//! This module is a helper: a worker that another worker starts to read planes of large files. A helper reads one plane at
//! a time, and posts it as bytes that are moved, not copied. It ends when the worker that started it drops it.
//!
//! ```text
//!   worker  ── plane 3 of file.xplane.pb ──►  helper: reads it into columns
//!           ◄──── progress, progress, part ──
//! ```

use super::blob::BlobSource;
use super::message::{pack, transfer_list, unpack};
use super::spawn::{HELPER, Spawned, own_program, spawn};
use crate::profile::{Part, ReadProgress};
use crate::session::open::PlaneAt;
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{DedicatedWorkerGlobalScope, Event, File, MessageEvent, Url, Worker};

/// The shortest time between two progress messages, in milliseconds.
const PROGRESS_EVERY: f64 = 50.0;

/// A message of a helper.
#[derive(Serialize, Deserialize)]
pub(super) enum FromHelper {
    /// The helper has started.
    Ready,
    Progress(HelperProgress),
    /// The helper has read a plane; `None` if the plane is damaged or cannot be read.
    Read(PlaneAt, Option<Part>),
}

/// How far a helper has read its plane.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct HelperProgress {
    /// Bytes of the plane that have been read.
    pub(super) bytes: u64,
    pub(super) events: u64,
    /// Size of the helper's WebAssembly memory in bytes.
    pub(super) memory: u64,
}

/// An event of a helper, for the worker that started it.
pub(super) enum HelperEvent {
    Message(FromHelper),
    /// The helper has ended.
    Died,
}

/// A helper, as the worker sees it that started it. Dropping it ends the helper.
pub(super) struct Helper {
    worker: Worker,
    script: String,
    _listeners: [Closure<dyn FnMut(Event)>; 2],
}

impl Helper {
    /// Starts a helper. `on_event` is called with everything that comes from it.
    pub(super) fn start(on_event: impl Fn(HelperEvent) + Clone + 'static) -> Result<Self, JsValue> {
        let program = own_program()?;
        let Spawned { worker, script, .. } = spawn(HELPER)?;
        let died = on_event.clone();
        let on_message = Closure::<dyn FnMut(Event)>::new(move |event: Event| {
            let data = event.unchecked_ref::<MessageEvent>().data();
            // The first script reports its lock with a text.
            if !data.is_string() {
                on_event(unpack(data).map_or(HelperEvent::Died, |(message, _)| HelperEvent::Message(message)));
            }
        });
        let on_error = Closure::<dyn FnMut(Event)>::new(move |event: Event| {
            event.prevent_default();
            died(HelperEvent::Died);
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        worker.post_message(&program)?;
        Ok(Self { worker, script, _listeners: [on_message, on_error] })
    }

    /// Tells the helper to read a plane. Planes are read in the order of the calls.
    pub(super) fn read(&self, at: PlaneAt, file: &File) -> Result<(), String> {
        let message = pack(&at, std::slice::from_ref(file))?;
        self.worker.post_message(&message).map_err(|error| format!("{error:?}"))
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
        let _ = Url::revoke_object_url(&self.script);
    }
}

/// Returns whether this worker is a helper.
pub(super) fn is_helper(scope: &DedicatedWorkerGlobalScope) -> bool {
    scope.name().starts_with(HELPER)
}

/// Reads planes until the worker that started this helper drops it.
pub(super) fn serve(scope: &DedicatedWorkerGlobalScope) {
    post(scope, &FromHelper::Ready);
    let to = scope.clone();
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        let Ok((at, files)) = unpack::<PlaneAt>(event.data()) else { return };
        let part = files.into_iter().next().and_then(|file| read(&to, at, file));
        post(&to, &FromHelper::Read(at, part));
    });
    scope.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();
}

fn read(scope: &DedicatedWorkerGlobalScope, at: PlaneAt, file: File) -> Option<Part> {
    let source = BlobSource::new(file.into()).ok()?;
    let mut last = super::server::now();
    let mut report = |progress: ReadProgress<'_>| {
        let now = super::server::now();
        if now - last >= PROGRESS_EVERY {
            last = now;
            let (bytes, memory) = (progress.at.saturating_sub(at.start), super::server::memory().unwrap_or_default());
            post(scope, &FromHelper::Progress(HelperProgress { bytes, events: progress.events, memory }));
        }
    };
    Part::read(&source, at.span(), &mut report)
}

fn post(scope: &DedicatedWorkerGlobalScope, message: &FromHelper) {
    let sent = pack(message, &[]).map_err(JsValue::from);
    let sent = sent.and_then(|message| scope.post_message_with_transfer(&message, &transfer_list(&message)));
    if let Err(reason) = sent {
        // The worker that started this helper receives this as an error.
        wasm_bindgen::throw_val(reason);
    }
}
