//! This module is the command line: it parses the arguments, runs one command and writes the output. Figures and texts
//! come from the library.
//!
//! The exit code is 0 if all input was read, 1 if only a part was read (the notes are on stderr), and 2 if the input or
//! the arguments cannot be used (the reason is on stderr, and stdout is empty). `compare` also returns 3 if its gate fails,
//! and 4 if the gate is inconclusive.

mod args;
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
mod report;
mod roofline_args;
mod run;
mod summary;
mod view_args;

use args::Args;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches};
pub use document::{Document, DocumentError, document, document_with};
use exit_code::Exit;
pub use files::Inputs;
pub use open_capture::OpenFiles;
use output::{JsonReport, print_error};
use std::cell::RefCell;
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

/// Runs the command line with the arguments of this process, and returns the exit code.
pub fn main() -> ExitCode {
    ExitCode::from(run_arguments(std::env::args_os(), &[]))
}

/// Runs the command line with `arguments`, of which the first is the name of the program, and returns the exit code. The
/// program adds the commands `others`, each a name with a description: they are listed, and the caller runs them.
pub fn run_arguments(arguments: impl IntoIterator<Item = OsString>, others: &[(&'static str, &'static str)]) -> u8 {
    let mut command = Args::command();
    for (name, about) in others {
        command = command.subcommand(clap::Command::new(name).about(about));
    }
    let parsed = command.try_get_matches_from_mut(arguments);
    let args = match parsed.and_then(|matches| Args::from_arg_matches(&matches).map_err(|e| e.format(&mut command))) {
        Ok(args) => args,
        // clap suggests a command with similar letters, which may do something else. The error lists all commands
        // instead.
        Err(error) if error.kind() == ErrorKind::InvalidSubcommand => {
            let typed = match error.get(ContextKind::InvalidSubcommand) {
                Some(ContextValue::String(typed)) => typed.as_str(),
                _ => "",
            };
            // clap adds `help` when it parses. It is not listed.
            let known = command.get_subcommands().map(clap::Command::get_name).filter(|name| *name != "help");
            return fail(&format!("There is no command {typed}. Commands: {}.", known.collect::<Vec<_>>().join(", ")));
        }
        Err(error) => {
            let help = error.use_stderr();
            // A failed write is ignored, because the terminal may be gone.
            let _ = error.print();
            return if help { Exit::Unusable } else { Exit::Complete }.code();
        }
    };
    let written = RefCell::new(None);
    let json = |report: &dyn JsonReport| {
        *written.borrow_mut() = Some(deliver(&args, |out| report.write_to(out)));
        String::new()
    };
    match run::run(&args, &files::inputs, &print_error, &json) {
        Ok((text, exit)) => {
            let written = written.into_inner();
            match written.unwrap_or_else(|| deliver(&args, |out| out.write_all(text.as_bytes()))) {
                Ok(()) => exit.code(),
                Err(message) => fail(&message),
            }
        }
        Err(failure) => fail(&format!("{}. {}", failure.title, failure.message)),
    }
}

fn fail(message: &str) -> u8 {
    print_error(message);
    Exit::Unusable.code()
}

/// Prints what `write` writes, or writes it to a file. The names in it are escaped already, each by itself.
fn deliver(args: &Args, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), String> {
    let buffered = |out: &mut dyn Write| {
        let mut out = io::BufWriter::with_capacity(1 << 16, out);
        // A program that is not written in Rust does not flush the end of the output when it ends.
        write(&mut out).and_then(|()| out.flush())
    };
    if let Some(path) = args.output_file() {
        let written = std::fs::File::create(path).and_then(|mut file| buffered(&mut file));
        return written.map_err(|e| format!("{} could not be written. {e}", path.display()));
    }
    match buffered(&mut io::stdout().lock()) {
        // `rooflight … | head` closes the pipe early, which is not an error.
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => Err(format!("The output could not be written. {e}")),
        _ => Ok(()),
    }
}
