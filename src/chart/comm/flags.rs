//! This module writes the verdicts about XLA flags as rows, and splits the user's text by them. It does not depend on
//! pixels.

use crate::analysis::flags::{Change, FlagRow, FlagsReport, Verdict};
use crate::table::format::{ABSENT, time_text};

/// Says where the flags come from.
pub const ABOUT: &str = "Paste LIBTPU_INIT_ARGS or XLA_FLAGS, or drop a *.flagfile or *.debug_options file of an XLA dump. The text stays in this tab.";

/// A verdict as the page shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlagLine {
    pub verdict: Verdict,
    /// The flags, with `--`.
    pub flags: Vec<String>,
    pub reason: String,
    pub stall: String,
    pub change: Option<Change>,
}

/// Returns the verdicts as rows.
pub fn lines(flags: &FlagsReport) -> Vec<FlagLine> {
    let line = |row: &FlagRow| FlagLine {
        verdict: row.verdict,
        flags: row.flags.iter().map(|flag| format!("--{flag}")).collect(),
        reason: row.text.clone(),
        stall: row.stall.map_or_else(|| ABSENT.to_owned(), time_text),
        change: row.change.clone(),
    };
    flags.rows.iter().map(line).collect()
}

/// Returns the class of a verdict in the style sheet.
pub const fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Refused | Verdict::Conflict => "bad",
        Verdict::ToTry | Verdict::NoEffect | Verdict::Unknown => "caution",
        Verdict::Working => "good",
        Verdict::Set | Verdict::Default => "",
    }
}

/// Returns what is said if there is no verdict.
pub fn empty(flags: &FlagsReport) -> &'static str {
    if flags.compiler.is_none() {
        "The capture does not name its chip, so no flag can be suggested."
    } else {
        "Nothing to suggest: compute waits for no collective for which a flag is known."
    }
}

/// Splits a text into its parts, each with its verdict if it has a problem. `None` if the marks are not those of the text.
pub fn pieces(text: &str, flags: &FlagsReport) -> Option<Vec<(String, Option<Verdict>)>> {
    let (mut pieces, mut last) = (Vec::new(), 0);
    for mark in &flags.marks {
        let (start, end) = (mark.start as usize, mark.end as usize);
        pieces.push((text.get(last..start)?.to_owned(), None));
        pieces.push((text.get(start..end)?.to_owned(), Some(mark.verdict)));
        last = end;
    }
    // A line break at the end has no height unless something follows it.
    pieces.push((format!("{} ", text.get(last..)?), None));
    Some(pieces)
}
