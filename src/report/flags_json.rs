//! This module writes the verdicts about flags as JSON. It defines the names and the order of the fields.

use super::json::HeadJson;
use crate::analysis::flags::{Change, FlagRow, FlagsReport};
use crate::profile::Note;
use crate::units::Picos;
use serde::Serialize;

/// The JSON of `rooflight flags --json`.
#[derive(Serialize)]
pub struct FlagsJson<'a> {
    #[serde(flatten)]
    head: HeadJson<'a>,
    compiler: Option<&'a str>,
    compiler_of_capture: Option<&'a str>,
    n_flags: u32,
    n_other_options: u32,
    is_cut: bool,
    rows: Vec<FlagRowJson<'a>>,
    /// Null if there is nothing to change.
    changed_flags: Option<&'a str>,
    notes: &'a [Note],
}

#[derive(Serialize)]
struct FlagRowJson<'a> {
    verdict: &'static str,
    flags: &'a [String],
    text: &'a str,
    primitive: Option<&'static str>,
    stall_ps: Option<Picos>,
    change: Option<&'a str>,
}

/// Returns the verdicts as JSON.
pub fn flags<'a>(head: HeadJson<'a>, flags: &'a FlagsReport, notes: &'a [Note]) -> FlagsJson<'a> {
    let row = |row: &'a FlagRow| FlagRowJson {
        verdict: row.verdict.key(),
        flags: &row.flags,
        text: &row.text,
        primitive: row.primitive.map(crate::analysis::comm::Primitive::key),
        stall_ps: row.stall,
        change: row.change.as_ref().map(|change: &Change| change.label.as_str()),
    };
    FlagsJson {
        head,
        compiler: flags.compiler.as_deref(),
        compiler_of_capture: flags.other_compiler.as_deref(),
        n_flags: flags.n_flags,
        n_other_options: flags.n_other,
        is_cut: flags.is_cut,
        rows: flags.rows.iter().map(row).collect(),
        changed_flags: flags.changed.as_deref(),
        notes,
    }
}
