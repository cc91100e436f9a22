//! This module is a helper: a worker of the page that reads planes of large files for another worker. A helper reads one
//! plane, or one part of a plane, at a time, and posts it as bytes that are moved, not copied. The page starts and ends helpers. A worker that reads
//! cannot start one: the browser needs the event loop of that worker to start another one, and reading blocks the loop.
//!
//! ```text
//!   page ── starts, connects by a port ──┬────────────────────────────────┐
//!   worker  ── plane 3 of file.xplane.pb ──►  helper: reads it into columns
//!           ◄──── progress, progress, part ──
//! ```

use super::blob::BlobSource;
use super::message::{decode_message, encode_message, transfer_list};
use super::runtime::{ProgressTimer, memory};
use crate::session::open::PlaneAt;
use js_sys::{Reflect, global};
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{File, MessageEvent, MessagePort};
use xla_profile::profile::{ProfilePart, ReadProgress};

/// A message of a helper.
#[derive(Serialize, Deserialize)]
pub(super) enum HelperMessage {
    /// The helper has started.
    Ready,
    Progress(HelperProgress),
    /// The helper has read a plane or a part; `None` if it is damaged or cannot be read.
    Read(PlaneAt, Option<Box<ProfilePart>>),
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

/// A helper, as the worker sees it that it helps.
pub(super) struct HelperPort {
    port: MessagePort,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
}

impl HelperPort {
    /// Listens to the helper at a port. `on_message` is called with everything that comes from it; `None` stands for a
    /// message that cannot be read.
    pub(super) fn new(port: MessagePort, on_message: impl Fn(Option<HelperMessage>) + 'static) -> Self {
        let listener = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            on_message(decode_message(event.data()).ok().map(|(message, _)| message));
        });
        port.set_onmessage(Some(listener.as_ref().unchecked_ref()));
        Self { port, _on_message: listener }
    }

    /// Tells the helper to read a plane. Planes are read in the order of the calls.
    pub(super) fn read(&self, plane_at: PlaneAt, file: &File) -> Result<(), String> {
        let message = encode_message(&plane_at, std::slice::from_ref(file))?;
        self.port.post_message(&message).map_err(|error| format!("{error:?}"))
    }
}

impl Drop for HelperPort {
    fn drop(&mut self) {
        self.port.set_onmessage(None);
        self.port.close();
    }
}

/// Returns the port to the worker that this worker helps. `None` if this worker is not a helper.
pub(super) fn own_port() -> Option<MessagePort> {
    Reflect::get(&global(), &"rooflightPort".into()).ok()?.dyn_into().ok()
}

/// Reads planes for the worker at `port` until the page ends this helper.
pub(super) fn serve(port: &MessagePort) {
    post(port, &HelperMessage::Ready);
    let to = port.clone();
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        let Ok((plane_at, files)) = decode_message::<PlaneAt>(event.data()) else { return };
        let part = files.into_iter().next().and_then(|file| read(&to, plane_at, file));
        post(&to, &HelperMessage::Read(plane_at, part.map(Box::new)));
    });
    port.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();
}

fn read(port: &MessagePort, plane_at: PlaneAt, file: File) -> Option<ProfilePart> {
    let source = BlobSource::new(file.into()).ok()?;
    let mut timer = ProgressTimer::default();
    let mut report = |progress: ReadProgress<'_>| {
        if timer.is_due() {
            let (bytes, memory) = (plane_at.bytes_before(progress.bytes), memory().unwrap_or_default());
            post(port, &HelperMessage::Progress(HelperProgress { bytes, events: progress.events, memory }));
        }
    };
    ProfilePart::read(&source, plane_at.span(), plane_at.events(), &mut report)
}

fn post(port: &MessagePort, message: &HelperMessage) {
    let sent = encode_message(message, &[]).map_err(JsValue::from);
    let sent = sent.and_then(|message| port.post_message_with_transferable(&message, &transfer_list(&message)));
    if let Err(reason) = sent {
        // The page receives this as an error of the helper.
        wasm_bindgen::throw_val(reason);
    }
}
