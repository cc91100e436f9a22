//! This module prints messages to stderr, and passes the JSON of commands on while it is made.

use crate::table::Object;
#[cfg(not(target_arch = "wasm32"))]
use crate::table::text::escape_invisible;

/// Takes the JSON of a command, which is the last thing that the command makes, and returns the text that is left to be
/// printed. The JSON of many ops is many times the capture, so the command line writes it at once and keeps no text.
pub type PrintJson<'a> = &'a dyn Fn(&Object<'_>) -> String;

/// Prints one line to stderr. Invisible characters are escaped, because the message may hold names of files and
/// captures.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn print_error(message: &str) {
    eprintln!("rooflight: {}", escape_invisible(message));
}
