//! This module declares what a command needs from the program that runs it: the command line, or a program that uses the library.

use super::files::Inputs;
use super::output::PrintJson;
use crate::protocol::Progress;

/// The program that runs a command.
pub(super) struct Caller<'a> {
    /// Opens the inputs that paths stand for.
    pub(super) inputs: Inputs<'a>,
    /// Takes a message for stderr.
    pub(super) warn: &'a dyn Fn(&str),
    /// Takes the JSON of the command.
    pub(super) json: PrintJson<'a>,
    /// Takes the progress of reading.
    pub(super) progress: &'a dyn Fn(&Progress),
}
