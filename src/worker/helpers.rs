//! This module is the page's side of helpers: it starts them beside a worker that opens large files, connects them to the
//! worker by ports, and ends them.

use super::program::program;
use super::spawn::{Spawned, spawn};
use js_sys::Array;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::spawn_local;
use web_sys::{Event, MessageChannel, MessagePort, Url, Worker, window};

/// Largest number of workers that read the files of a request, its own worker included.
const MAX_WORKERS: u64 = 8;
/// Bytes that each of them should have to read, because starting one takes as long as reading a few megabytes.
const BYTES_PER_WORKER: u64 = 8 << 20;

/// A helper. Dropping it ends the helper.
pub(super) struct HelperWorker {
    worker: Worker,
    script: String,
    _on_error: Closure<dyn FnMut(Event)>,
}

impl HelperWorker {
    /// Starts a helper. Returns it and the port for the worker that it helps. `on_error` is called if it fails.
    pub(super) fn start(on_error: impl Fn() + 'static) -> Result<(Self, MessagePort), JsValue> {
        let Spawned { worker, script, .. } = spawn()?;
        let channel = MessageChannel::new()?;
        let on_error = Closure::<dyn FnMut(Event)>::new(move |event: Event| {
            event.prevent_default();
            on_error();
        });
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        let (to, port) = (worker.clone(), channel.port1());
        spawn_local(async move {
            // If the program cannot be fetched, the worker reports it.
            let Ok(program) = program().await else { return };
            let message: Array = program.unchecked_into::<Array>().concat(&Array::of1(&port));
            let _ = to.post_message_with_transfer(&message, &Array::of1(&port));
        });
        Ok((Self { worker, script, _on_error: on_error }, channel.port2()))
    }
}

impl Drop for HelperWorker {
    fn drop(&mut self) {
        self.worker.set_onerror(None);
        self.worker.terminate();
        let _ = Url::revoke_object_url(&self.script);
    }
}

/// Returns the number of helpers for files of this size: one for each core but one, and none for small files.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small whole number")]
pub(super) fn number_for(bytes: u64) -> u64 {
    let n_cores = window().map_or(1, |window| window.navigator().hardware_concurrency() as u64);
    n_cores.min(MAX_WORKERS).min(bytes / BYTES_PER_WORKER).saturating_sub(1)
}
