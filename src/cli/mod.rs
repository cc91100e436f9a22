//! This module is the command line: it parses the arguments, runs one command and writes the output. Figures and texts
//! come from the library.
//!
//! The exit code is 0 if all input was read, 1 if only a part was read (the notes are on stderr), and 2 if the input or
//! the arguments cannot be used (the reason is on stderr, and stdout is empty). `compare` also returns 3 if its gate fails,
//! and 4 if the gate is inconclusive.

mod args;
mod caller;
mod comm;
mod compare;
mod document;
mod exit_code;
mod export;
mod files;
mod flags;
#[cfg(all(feature = "tables", not(target_arch = "wasm32")))]
mod fleet;
mod gaps;
mod memory;
mod open_capture;
mod output;
mod overview;
#[cfg(not(target_arch = "wasm32"))]
mod pipe;
#[cfg(not(target_arch = "wasm32"))]
mod program;
#[cfg(not(target_arch = "wasm32"))]
mod progress_line;
mod report;
mod roofline_args;
mod run;
mod shared_form;
mod summary;
mod view_args;

#[cfg(not(target_arch = "wasm32"))]
pub use document::declared;
pub use document::{Document, DocumentError, document, document_with};
pub use files::Inputs;
pub use open_capture::OpenFiles;
pub use output::PrintJson;
#[cfg(not(target_arch = "wasm32"))]
pub use program::{main, run_arguments};
