//! This module holds an open capture in a thread of its own.
//!
//! A capture cannot move between threads, because its files share counters without locks. The thread that opens the
//! capture therefore also answers all requests about it, and Python may ask from any thread.

use crate::{exception, parts};
use pyo3::prelude::*;
use rooflight::cli::{self, Document, DocumentError, OpenFiles};
use rooflight::protocol::Failure;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// The stack of the thread in bytes: as much as the main thread of the command line has on Linux.
const STACK: usize = 8 << 20;
/// The longest time after which a waiting thread looks for an interrupt by the user.
const PATIENCE: Duration = Duration::from_millis(100);

type Answer = Result<Document, DocumentError>;

/// The arguments of a command, and the sender of its answer.
struct CommandRequest {
    arguments: Vec<OsString>,
    answer: Sender<Answer>,
}

/// Files that are open as one session.
#[pyclass(frozen, module = "rooflight._rooflight")]
pub struct OpenCapture {
    requests: Mutex<Sender<CommandRequest>>,
    /// The process that has the thread: a fork of it has none.
    process: u32,
}

#[pymethods]
impl OpenCapture {
    /// Opens files, and the files of folders, as one session. Returns the capture, and the sentences about missing parts.
    #[staticmethod]
    fn open(py: Python<'_>, paths: Vec<PathBuf>) -> PyResult<(Self, Vec<String>)> {
        let (requests, receiver) = channel();
        let (opened, is_open) = channel();
        let thread = std::thread::Builder::new().name("rooflight".to_owned()).stack_size(STACK);
        thread.spawn(move || serve(&paths, &opened, &receiver))?;
        let messages = wait(py, is_open)?.map_err(|error| exception(&error))?;
        Ok((Self { requests: Mutex::new(requests), process: std::process::id() }, messages))
    }

    /// Runs a command on the open files. Returns its text, and the messages that the command line prints to stderr.
    fn document(&self, py: Python<'_>, arguments: Vec<OsString>) -> PyResult<(String, Vec<String>)> {
        if self.process != std::process::id() {
            return Err(failed("The capture was opened in another process", "Open it again in this one."));
        }
        let (answer, receiver) = channel();
        let sent = self.requests.lock().map(|requests| requests.send(CommandRequest { arguments, answer }));
        if !matches!(sent, Ok(Ok(()))) {
            return Err(ended());
        }
        wait(py, receiver)?.map(parts).map_err(|error| exception(&error))
    }
}

/// Opens the files, and answers requests until the capture is dropped in Python.
fn serve(paths: &[PathBuf], opened: &Sender<Result<Vec<String>, DocumentError>>, requests: &Receiver<CommandRequest>) {
    let files = match OpenFiles::open(paths) {
        Ok(files) => files,
        Err(failure) => return drop(opened.send(Err(DocumentError::Failed(failure)))),
    };
    if opened.send(Ok(files.partial_messages())).is_err() {
        return;
    }
    for CommandRequest { arguments, answer } in requests {
        // The user may have interrupted the request.
        let _ = answer.send(cli::document(&arguments, Some(&files)));
    }
}

/// Waits for a message without the lock of Python. An interrupt by the user ends the wait.
fn wait<T: Send>(py: Python<'_>, mut receiver: Receiver<T>) -> PyResult<T> {
    loop {
        let (back, received) = py.detach(move || {
            let received = receiver.recv_timeout(PATIENCE);
            (receiver, received)
        });
        receiver = back;
        match received {
            Ok(message) => return Ok(message),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => return Err(ended()),
        }
    }
}

fn failed(title: &str, message: &str) -> PyErr {
    exception(&DocumentError::Failed(Failure { title: title.to_owned(), message: message.to_owned() }))
}

fn ended() -> PyErr {
    failed("Rooflight failed on this capture", "This is an error of the program: please report it.")
}
