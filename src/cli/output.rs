//! This module prints messages to stderr, and passes the JSON of commands on while it is made.

use crate::report::json;
#[cfg(not(target_arch = "wasm32"))]
use crate::table::text::escape_invisible;
use serde::Serialize;
#[cfg(not(target_arch = "wasm32"))]
use std::io;

/// A report that can be written as JSON.
pub(super) trait JsonReport {
    /// Writes the report in several lines, with a line break at its end.
    #[cfg(not(target_arch = "wasm32"))]
    fn write_to(&self, out: &mut dyn io::Write) -> io::Result<()>;
    /// Returns the same as text.
    fn text(&self) -> String;
}

impl<T: Serialize> JsonReport for T {
    #[cfg(not(target_arch = "wasm32"))]
    fn write_to(&self, out: &mut dyn io::Write) -> io::Result<()> {
        json::write(out, self)
    }

    fn text(&self) -> String {
        json::text(self)
    }
}

/// Takes the JSON of a command, which is the last thing that the command makes, and returns the text that is left to be
/// printed. The JSON of many ops is many times the capture, so the command line writes it at once and keeps no text.
pub(super) type PrintJson<'a> = &'a dyn Fn(&dyn JsonReport) -> String;

/// Prints one line to stderr. Invisible characters are escaped, because the message may hold names of files and
/// captures.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn print_error(message: &str) {
    eprintln!("rooflight: {}", escape_invisible(message));
}
