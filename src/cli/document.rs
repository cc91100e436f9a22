//! This module runs commands for programs that use the library: the output is returned, and not printed.

use super::args::{Args, Command};
use super::caller::Caller;
use super::files::Inputs;
use super::open_capture::OpenFiles;
use super::output::PrintJson;
use super::{files, run};
use crate::protocol::Failure;
use crate::report::json;
use crate::table::Object;
use crate::table::text::escape_invisible;
#[cfg(not(target_arch = "wasm32"))]
use crate::table::value::Declared;
use clap::Parser;
use std::cell::RefCell;
use std::ffi::OsString;
use std::fmt;
#[cfg(not(target_arch = "wasm32"))]
use std::rc::Rc;

/// The output of a command.
#[derive(Debug)]
pub struct Document {
    /// The text that the command line prints to stdout.
    pub text: String,
    /// The sentences that the command line prints to stderr, without the name of the program.
    pub messages: Vec<String>,
}

/// The reason why a command has no output.
#[derive(Debug)]
pub enum DocumentError {
    /// The arguments cannot be used. The text says why.
    Arguments(String),
    /// The input cannot be used.
    Failed(Failure),
}

impl fmt::Display for DocumentError {
    /// Writes the sentence that the command line prints to stderr, without the name of the program.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Arguments(text) => f.write_str(text),
            Self::Failed(Failure { title, message }) => f.write_str(&escape_invisible(&format!("{title}. {message}"))),
        }
    }
}

impl std::error::Error for DocumentError {}

/// Runs the command in `arguments`, of which the first is the name of the command. With `files`, the command reads these files,
/// which are open already, in place of those that the arguments name.
///
/// # Errors
/// Returns a [`DocumentError`] if the arguments or the input cannot be used.
pub fn document(arguments: &[OsString], files: Option<&OpenFiles>) -> Result<Document, DocumentError> {
    document_with(arguments, files, &files::inputs, &|object: &Object<'_>| json::text(object))
}

/// Does the same as [`document`], with `inputs` in place of the files of this machine. With `--json`, the text is what `json` returns.
///
/// # Errors
/// Returns a [`DocumentError`] if the arguments or the input cannot be used.
pub fn document_with(
    arguments: &[OsString],
    files: Option<&OpenFiles>,
    inputs: Inputs<'_>,
    json: PrintJson<'_>,
) -> Result<Document, DocumentError> {
    let program = OsString::from("rooflight");
    let args = Args::try_parse_from(std::iter::once(&program).chain(arguments));
    let args = args.map_err(|error| DocumentError::Arguments(first_sentence(&error.to_string())))?;
    let messages = RefCell::new(Vec::new());
    let warn = |message: &str| messages.borrow_mut().push(escape_invisible(message).into_owned());
    let is_own = matches!(args.command, Command::Report { .. } | Command::Export(_) | Command::Compare(_));
    #[cfg(all(feature = "tables", not(target_arch = "wasm32")))]
    let is_own = is_own || matches!(args.command, Command::Compact(_));
    let caller = Caller { inputs, warn: &warn, json, progress: &|_| {} };
    let printed = match (files, args.view()) {
        (Some(files), Some(view)) if !is_own => run::print(files, &args, view, &caller),
        _ => run::run(&args, &caller),
    };
    let (text, _) = printed.map_err(DocumentError::Failed)?;
    Ok(Document { text, messages: messages.into_inner() })
}

/// Runs a command with `--json`, and returns the declaration of its document: its fields with their types and descriptions.
/// `None` if the command has no JSON.
///
/// # Errors
/// Returns a [`DocumentError`] if the arguments or the input cannot be used.
#[cfg(not(target_arch = "wasm32"))]
pub fn declared(arguments: &[OsString]) -> Result<Option<Rc<Declared>>, DocumentError> {
    let declared = RefCell::new(None);
    let json = |object: &Object<'_>| {
        *declared.borrow_mut() = Some(object.declared.clone());
        String::new()
    };
    document_with(arguments, None, &files::inputs, &json)?;
    Ok(declared.into_inner())
}

/// Returns the first paragraph of an error of the arguments. Usage and hints about `--help` follow it.
fn first_sentence(text: &str) -> String {
    let first = text.split("\n\n").next().unwrap_or_default();
    first.strip_prefix("error: ").unwrap_or(first).trim().to_owned()
}
