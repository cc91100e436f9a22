//! This module reads the clock, and the size of the memory of the worker that calls it.

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
