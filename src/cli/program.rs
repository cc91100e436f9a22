//! This module is the program: it parses the arguments of the process, runs one command, prints the output and shows the progress.

use super::args::{Args, Command};
use super::caller::Caller;
use super::exit_code::Exit;
use super::output::print_error;
use super::progress_line::ProgressLine;
use super::{files, run};
use crate::protocol::Progress;
use crate::report::json;
use crate::table::Object;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches};
use std::cell::RefCell;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
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
    let mut arguments: Vec<OsString> = arguments.into_iter().collect();
    // A file alone is asked for its overview. A file with the name of a command is given as `./name`.
    let is_file =
        |first: &OsString| Path::new(first).exists() && first != "help" && command.find_subcommand(first).is_none();
    if arguments.get(1).is_some_and(is_file) {
        arguments.insert(1, "overview".into());
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
    if let Some(text) = about_commands(&args.command, command) {
        return match deliver(&args, |out| out.write_all(&text)) {
            Ok(()) => Exit::Complete.code(),
            Err(message) => fail(&message),
        };
    }
    let line = ProgressLine::start(args.quiet);
    let written = RefCell::new(None);
    let json = |object: &Object<'_>| {
        line.end();
        *written.borrow_mut() = Some(deliver(&args, |out| json::write(out, object)));
        String::new()
    };
    let warn = |message: &str| line.print_above(|| print_error(message));
    let progress = |progress: &Progress| line.update(progress);
    let done = run::run(&args, &Caller { inputs: &files::inputs, warn: &warn, json: &json, progress: &progress });
    line.end();
    match done {
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

/// Returns the completions of a shell or the manual page. `None` for other commands.
fn about_commands(asked: &Command, mut command: clap::Command) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    match asked {
        Command::Completions { shell } => clap_complete::generate(*shell, &mut command, "rooflight", &mut text),
        // Writing into memory does not fail.
        Command::Man => clap_mangen::Man::new(command).render(&mut text).ok()?,
        _ => return None,
    }
    Some(text)
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
