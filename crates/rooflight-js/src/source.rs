//! This module reads a source of bytes that is written in JavaScript: a Blob, an array of bytes, or a file of Node.js.

use js_sys::Uint8Array;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use xla_profile::source::{Source, SourceError, checked_end};

#[wasm_bindgen]
extern "C" {
    /// A source with a name and a size in bytes, which is read synchronously.
    pub type JsSource;

    #[wasm_bindgen(method, getter)]
    pub fn name(this: &JsSource) -> String;

    #[wasm_bindgen(method, getter)]
    fn size(this: &JsSource) -> f64;

    /// Whether the source is a file of a folder, which is skipped if it is no capture.
    #[wasm_bindgen(method, getter, js_name = fromFolder)]
    pub fn from_folder(this: &JsSource) -> bool;

    /// Returns the bytes from `start` to `end`.
    #[wasm_bindgen(method, catch)]
    fn read(this: &JsSource, start: f64, end: f64) -> Result<Uint8Array, JsValue>;
}

impl JsSource {
    /// Returns a second handle of the same source.
    pub fn share(&self) -> Self {
        AsRef::<JsValue>::as_ref(self).clone().unchecked_into()
    }
}

impl Source for JsSource {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a length: whole, positive, below 2⁵³")]
    fn size(&self) -> u64 {
        JsSource::size(self) as u64
    }

    fn stride(&self) -> u64 {
        // A read of a Blob goes through the browser's process, so few long reads are faster.
        16 << 20
    }

    #[expect(clippy::cast_precision_loss, reason = "offsets lie within the source, whose length is below 2⁵³")]
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), SourceError> {
        let end = checked_end(offset, buf.len(), Source::size(self))?;
        let failed = |reason: String| SourceError::Read { offset, reason };
        let bytes = self.read(offset as f64, end as f64).map_err(|error| failed(message(&error)))?;
        if bytes.length() as usize != buf.len() {
            return Err(failed(format!("{} bytes came instead of {}", bytes.length(), buf.len())));
        }
        bytes.copy_to(buf);
        Ok(())
    }
}

/// Returns the message of an exception.
fn message(error: &JsValue) -> String {
    let text = error.dyn_ref::<js_sys::Error>().map(|error| String::from(error.message()));
    text.unwrap_or_else(|| format!("{error:?}"))
}
