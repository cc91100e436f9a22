//! This module opens captures for JavaScript, and runs commands on them.

use crate::answer::js_object;
use crate::source::JsSource;
use js_sys::{Array, Function};
use rooflight::cli::{self, DocumentError, OpenFiles};
use rooflight::protocol::{Failure, Progress, Stage};
use rooflight::report::json;
use rooflight::session::Input;
use rooflight::table::Object;
use std::cell::RefCell;
use std::ffi::OsString;
use std::path::PathBuf;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

/// Shows panics on the console of the worker.
#[wasm_bindgen(start)]
pub fn start() {
    console_error_panic_hook::set_once();
}

/// Files that are open as one session.
#[wasm_bindgen]
pub struct OpenCapture {
    sources: Vec<JsSource>,
    files: OpenFiles,
}

#[wasm_bindgen]
impl OpenCapture {
    /// Opens sources as one session. Calls `progress` with the stage, the bytes read and the bytes in all.
    ///
    /// # Errors
    /// Throws `["failed", sentence]` if nothing could be read.
    #[wasm_bindgen(constructor)]
    pub fn new(sources: Vec<JsSource>, progress: &Function) -> Result<Self, JsValue> {
        let files = OpenFiles::open_inputs(inputs(&sources), &mut |step| report(progress, &step));
        Ok(Self { files: files.map_err(|failure| exception(&DocumentError::Failed(failure)))?, sources })
    }

    /// Returns the sentences about parts that could not be read.
    pub fn partial(&self) -> Vec<String> {
        self.files.partial_messages()
    }

    /// Runs a command with `--json`. Returns its document as an object, or as the text that the command line prints. In the arguments
    /// of `compare`, `a` is this capture and `b` are the sources `others`.
    ///
    /// # Errors
    /// Throws `["argument", sentence]` if the arguments cannot be used, and `["failed", sentence]` if the input cannot.
    #[expect(clippy::needless_pass_by_value, reason = "JavaScript passes owned arrays")]
    pub fn document(&self, arguments: Vec<String>, others: Vec<JsSource>, as_text: bool) -> Result<JsValue, JsValue> {
        let arguments: Vec<OsString> = arguments.into_iter().map(OsString::from).collect();
        let open = |paths: &[PathBuf]| -> Result<Vec<Input>, Failure> {
            Ok(inputs(if paths == [PathBuf::from("b")] { &others } else { &self.sources }))
        };
        let answer = RefCell::new(JsValue::UNDEFINED);
        let json = |object: &Object<'_>| {
            *answer.borrow_mut() = if as_text { json::text(object).into() } else { js_object(object) };
            String::new()
        };
        match cli::document_with(&arguments, Some(&self.files), &open, &json) {
            Ok(_) => Ok(answer.into_inner()),
            Err(error) => Err(exception(&error)),
        }
    }
}

fn inputs(sources: &[JsSource]) -> Vec<Input> {
    let input = |source: &JsSource| Input {
        name: source.name(),
        source: Box::new(source.share()),
        from_folder: source.from_folder(),
    };
    sources.iter().map(input).collect()
}

#[expect(clippy::cast_precision_loss, reason = "sizes of files are below 2⁵³")]
fn report(progress: &Function, step: &Progress) {
    let stage = match step.stage {
        Stage::Fetch => "fetch",
        Stage::Detect => "recognise",
        Stage::Inflate => "inflate",
        Stage::Read => "read",
        Stage::Analyse => "analyse",
    };
    // The function posts a message, which does not fail.
    let _ = progress.call3(
        &JsValue::NULL,
        &stage.into(),
        &(step.bytes_done as f64).into(),
        &(step.bytes_total as f64).into(),
    );
}

fn exception(error: &DocumentError) -> JsValue {
    let kind = match error {
        DocumentError::Arguments(_) => "argument",
        DocumentError::Failed(_) => "failed",
    };
    Array::of2(&kind.into(), &error.to_string().into()).unchecked_into()
}
