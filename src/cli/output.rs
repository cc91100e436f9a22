//! This module holds the output of a command, and prints messages to stderr.

use crate::table::text::escape_invisible;

/// Prints one line to stderr. Invisible characters are escaped, because the message may hold names of files and
/// captures.
pub(super) fn print_error(message: &str) {
    eprintln!("rooflight: {}", escape_invisible(message));
}

/// The output of a command.
pub(super) struct Printed {
    pub(super) text: String,
    /// Whether invisible characters of the capture are escaped already. The text may then hold escape sequences of ours.
    pub(super) is_safe: bool,
}

impl Printed {
    pub(super) const fn new(text: String) -> Self {
        Self { text, is_safe: false }
    }
}
