//! This module writes the verdicts about flags as sentences and tables for the terminal, and as CSV.

use crate::analysis::flags::columns::FLAG_ROWS;
use crate::analysis::flags::{FlagRow, FlagsReport};
use crate::table::format::{counted, time_text};
use crate::table::text::{Table, TextForm};
use crate::table::text_columns::TextColumns;

/// Returns a sentence about the flags and the compiler.
pub fn head(flags: &FlagsReport) -> String {
    let compiler = defaults(flags);
    let own = if flags.n_flags == 0 {
        "No flags are given, and a capture does not record them. The defaults are judged.".to_owned()
    } else {
        let other = if flags.n_other == 0 {
            String::new()
        } else {
            format!(" and {} of other programs", counted(flags.n_other.into(), "option", "options"))
        };
        format!("{}{other}.", counted(flags.n_flags.into(), "flag", "flags"))
    };
    let cut = if flags.is_cut { " The text is too long: only its first flags are judged." } else { "" };
    format!("{own} {compiler}{cut}")
}

/// Returns a sentence about the compiler whose defaults are used.
pub fn defaults(flags: &FlagsReport) -> String {
    match (&flags.compiler, &flags.other_compiler) {
        (None, _) => "The compiler is unknown, because the capture does not name its platform.".to_owned(),
        (Some(compiler), None) => format!("Defaults are those of {compiler}."),
        (Some(compiler), Some(other)) => {
            format!("The capture is of {other}. Defaults are those of {compiler}, and may differ.")
        }
    }
}

/// Returns the verdicts as a table.
pub fn rows(flags: &FlagsReport) -> Table {
    TextColumns::new()
        .text("Verdict", |row: &FlagRow| row.verdict.label().to_owned())
        .declared(FLAG_ROWS, "stall_ps", "Stall")
        .text("Flag", |row| row.flags.join(" "))
        .declared(FLAG_ROWS, "text", "Reason")
        .table(&flags.rows)
}

/// Writes the verdicts for a terminal. A reason may be long, so that each stands below its flags.
pub fn text(flags_report: &FlagsReport) -> String {
    let text = TextForm::Terminal;
    let block = |row: &FlagRow| {
        let stall = row.stall.map_or_else(String::new, |stall| format!("  stall {}", time_text(stall)));
        let flags = row.flags.iter().map(|flag| format!("    --{flag}"));
        let verdict = format!("{:<12}{stall}", row.verdict.label());
        text.lines([verdict].into_iter().chain(flags).chain([format!("    {}", row.text)]))
    };
    let rows: String = flags_report.rows.iter().map(block).collect::<Vec<_>>().join("\n");
    // The text with the changes is the text of the user, which may have several lines.
    let changed = flags_report
        .changed
        .as_ref()
        .map_or_else(String::new, |changed| format!("\nWith all changes:\n{}", text.lines(changed.trim_end().lines())));
    format!("{}\n{rows}{changed}", text.lines([head(flags_report)]))
}
