//! This module reads the clock and the size of the memory of the worker that calls it, and says when progress is due.

use js_sys::{ArrayBuffer, WebAssembly};
use wasm_bindgen::JsCast;

/// Returns the current time in milliseconds.
pub(super) fn now() -> f64 {
    js_sys::Date::now()
}

/// Returns the size of this worker's WebAssembly memory in bytes.
pub(super) fn memory() -> Option<u64> {
    let memory: WebAssembly::Memory = wasm_bindgen::memory().dyn_into().ok()?;
    let buffer: ArrayBuffer = memory.buffer().dyn_into().ok()?;
    Some(buffer.byte_length().into())
}

/// The shortest time between two progress messages of one stage, in milliseconds.
const PROGRESS_EVERY: f64 = 50.0;

/// The time of the last progress message.
#[derive(Default)]
pub(super) struct ProgressTimer(f64);

impl ProgressTimer {
    /// Returns whether a message is due. If it is, the time starts again. The first message is always due.
    pub(super) fn is_due(&mut self) -> bool {
        let now = now();
        let is_due = now - self.0 >= PROGRESS_EVERY;
        self.0 = if is_due { now } else { self.0 };
        is_due
    }
}
