//! This module prints messages to stderr.

use crate::table::text::escape_invisible;

/// Prints one line to stderr. Invisible characters are escaped, because the message may hold names of files and
/// captures.
pub(super) fn print_error(message: &str) {
    eprintln!("rooflight: {}", escape_invisible(message));
}
