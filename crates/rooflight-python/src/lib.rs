//! This crate is the native half of the Python package `rooflight`: it opens captures, answers with the JSON of the
//! command line, runs the command line, and exports columns to Arrow.
//!
//! ```text
//!  python/rooflight/  ──►  this module  ──►  rooflight::cli   the commands, their arguments and their sentences
//!  types, tables            threads
//! ```
//!
//! Python waits without its global lock (GIL), so that other threads of Python run while a capture is read.

mod arrow;
mod capture;

use capture::OpenCapture;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use rooflight::cli::{self, Document, DocumentError};
use std::ffi::OsString;

create_exception!(
    rooflight,
    RooflightError,
    PyException,
    "A capture or an argument cannot be used. The text is the sentence that the command line prints."
);

/// The command that the Python package adds to the command line.
const OTHERS: [(&str, &str); 1] =
    [("view", "Opens captures in the page, which this machine serves for this user alone")];

/// Returns the exception for an error of a command.
fn exception(error: &DocumentError) -> PyErr {
    match error {
        DocumentError::Arguments(text) => PyValueError::new_err(text.clone()),
        DocumentError::Failed(_) => RooflightError::new_err(error.to_string()),
    }
}

/// Returns the text and the messages of a command.
fn parts(document: Document) -> (String, Vec<String>) {
    (document.text, document.messages)
}

/// Runs a command that opens its own files. Returns its text, and the messages that the command line prints to stderr.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "arguments of a function of Python are owned")]
fn document(py: Python<'_>, arguments: Vec<OsString>) -> PyResult<(String, Vec<String>)> {
    py.detach(|| cli::document(&arguments, None)).map(parts).map_err(|error| exception(&error))
}

/// Runs the command line. The first argument is the name of the program. Returns the exit code.
#[pyfunction]
fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| cli::run_arguments(arguments, &OTHERS))
}

/// The native half of the package `rooflight`.
#[pymodule]
fn _rooflight(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("RooflightError", module.py().get_type::<RooflightError>())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<OpenCapture>()?;
    module.add_function(wrap_pyfunction!(document, module)?)?;
    module.add_function(wrap_pyfunction!(main, module)?)?;
    module.add_function(wrap_pyfunction!(arrow::arrow_stream, module)?)
}
