//! This module reads and writes the state of one view as `name:value;name:value`. It does not depend on the meaning of
//! the names.

use crate::table::text::escape_page_text;
use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use std::fmt;

/// Writes pairs of a name and a value.
pub(crate) struct Pairs<'a, 'f> {
    to: &'a mut fmt::Formatter<'f>,
    is_first: bool,
}

impl<'a, 'f> Pairs<'a, 'f> {
    /// Creates a writer of pairs to `to`.
    pub(crate) fn new(to: &'a mut fmt::Formatter<'f>) -> Self {
        Self { to, is_first: true }
    }

    pub(crate) fn write_pair(&mut self, name: &str, value: impl fmt::Display) -> fmt::Result {
        let between = if std::mem::take(&mut self.is_first) { "" } else { ";" };
        write!(self.to, "{between}{name}:{value}")
    }

    /// Writes a pair unless its value is the default.
    pub(crate) fn write_unless_default(&mut self, is_usual: bool, name: &str, value: impl fmt::Display) -> fmt::Result {
        if is_usual { Ok(()) } else { self.write_pair(name, value) }
    }

    /// Writes a pair if it has a value.
    pub(crate) fn write_if_some(&mut self, name: &str, value: Option<impl fmt::Display>) -> fmt::Result {
        value.map_or(Ok(()), |value| self.write_pair(name, value))
    }
}

/// Characters that are percent-encoded within a value, in which `;` and `:` are separators. The whole state is encoded
/// again when it is written into an address.
const ESCAPED: &AsciiSet = &CONTROLS.add(b';').add(b':').add(b'%');

/// Returns a text as it is written within a value.
pub(crate) fn encode_text(text: &str) -> String {
    utf8_percent_encode(text, ESCAPED).to_string()
}

/// Returns the text that was written within a value. Its invisible characters are escaped, as in all texts of the page.
/// `None` if it is not valid.
pub(crate) fn decode_text(text: &str) -> Option<String> {
    Some(escape_page_text(&percent_decode_str(text).decode_utf8().ok()?).into_owned())
}

/// Reads a part of a time axis: `FROM-TO` in ps. `None` if it is not a part.
pub(crate) fn parse_part(text: &str) -> Option<(u64, u64)> {
    let (from, to) = text.split_once('-')?;
    Some((from.parse().ok()?, to.parse().ok()?)).filter(|(from, to)| from < to)
}

/// Calls `take` for each name and value in the state of a view.
///
/// # Errors
/// Returns the first pair for which `take` returns `None`.
pub(crate) fn each_pair(text: &str, mut take: impl FnMut(&str, &str) -> Option<()>) -> Result<(), String> {
    for pair in text.split(';').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once(':').unwrap_or((pair, ""));
        take(name, value).ok_or_else(|| pair.to_owned())?;
    }
    Ok(())
}
