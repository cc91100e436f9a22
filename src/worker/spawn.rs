//! This module starts workers. A worker starts from a Blob, because a worker that is loaded from the network would not be
//! bound by the page's content security policy, but a worker from a Blob inherits the policy.

use js_sys::{Array, Math};
use wasm_bindgen::JsValue;
use web_sys::{Blob, BlobPropertyBag, Url, Worker, WorkerOptions};

/// The message that a worker posts after it has taken its lock.
pub(super) const LOCKED: &str = "locked";

/// The first script of a worker. It takes the lock, posts [`LOCKED`], and then starts the program that it receives. A helper
/// also receives the port to the worker that it helps.
const FIRST_SCRIPT: &str = r"
const forEver = () => new Promise(() => {});
const locked = new Promise((done) =>
  navigator.locks ? navigator.locks.request(name, () => (done(), forEver())).catch(done) : done());
locked.then(() => postMessage('locked'));
onmessage = async ({ data: [script, program, port] }) => {
  onmessage = null;
  self.rooflightPort = port;
  await locked;
  try {
    importScripts(script instanceof Blob ? URL.createObjectURL(script) : script);
    await wasm_bindgen({ module_or_path: program });
  } catch (error) {
    setTimeout(() => { throw error; });
  }
};
";

/// A worker that was started, and waits for its program.
pub(super) struct Spawned {
    pub(super) worker: Worker,
    /// The address of its first script.
    pub(super) script: String,
    /// The name of the worker, which is also the name of its lock.
    pub(super) name: String,
}

/// Starts a worker.
pub(super) fn spawn() -> Result<Spawned, JsValue> {
    let options = BlobPropertyBag::new();
    options.set_type("text/javascript");
    let blob = Blob::new_with_str_sequence_and_options(&Array::of1(&FIRST_SCRIPT.into()), &options)?;
    let script = Url::create_object_url_with_blob(&blob)?;
    let options = WorkerOptions::new();
    let name = format!("rooflight worker {}", Math::random());
    options.set_name(&name);
    let worker = Worker::new_with_options(&script, &options)?;
    Ok(Spawned { worker, script, name })
}
