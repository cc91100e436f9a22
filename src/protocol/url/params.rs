//! How what an address says of one view is written and read: `name:value;name:value`. This module knows pairs; not what a name means.

use std::fmt;

/// Writes pairs.
pub(crate) struct Pairs<'a, 'f> {
    to: &'a mut fmt::Formatter<'f>,
    is_first: bool,
}

impl<'a, 'f> Pairs<'a, 'f> {
    pub(crate) fn new(to: &'a mut fmt::Formatter<'f>) -> Self {
        Self { to, is_first: true }
    }

    /// Writes one.
    pub(crate) fn write_pair(&mut self, name: &str, value: impl fmt::Display) -> fmt::Result {
        let between = if std::mem::take(&mut self.is_first) { "" } else { ";" };
        write!(self.to, "{between}{name}:{value}")
    }

    /// Writes what is not as usual: what is usual is not said.
    pub(crate) fn say_unless(&mut self, is_usual: bool, name: &str, value: impl fmt::Display) -> fmt::Result {
        if is_usual { Ok(()) } else { self.write_pair(name, value) }
    }

    /// Writes what is there.
    pub(crate) fn say_some(&mut self, name: &str, value: Option<impl fmt::Display>) -> fmt::Result {
        value.map_or(Ok(()), |value| self.write_pair(name, value))
    }
}

/// Hands over the names and values of what an address says of one view.
///
/// # Errors
/// The first pair of which `take` makes nothing.
pub(crate) fn each_pair(text: &str, mut take: impl FnMut(&str, &str) -> Option<()>) -> Result<(), String> {
    for pair in text.split(';').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once(':').unwrap_or((pair, ""));
        take(name, value).ok_or_else(|| pair.to_owned())?;
    }
    Ok(())
}
