//! This module reads captures from tables that `rooflight export --jsonl` wrote. Of a capture, it needs the row of `captures`; the rows
//! of `findings` add the first finding, and those of `steps` the length of each step. The captures themselves are not needed.
//!
//! ```text
//!  files ── lines ──► JSON ──► ImportedTables: rows by capture_id ── rows() ──► a row of the list each
//! ```
//!
//! The bytes are not trusted. A line that is damaged costs that line, and a note.

use super::imported_lines::each_line;
pub(super) use super::imported_row::ImportedRow;
use super::imported_row::{ImportedCapture, JsonRow, count_in, text};
use crate::analysis::captures::{TopFinding, names_of_paths};
use crate::protocol::Failure;
use crate::table::format::{count, counted};
use indexmap::IndexMap;
use indexmap::map::Entry;
use serde_json::Value;
use xla_profile::profile::{Note, NoteCode, Severity};
use xla_profile::source::Source;
use xla_profile::units::Picos;

/// Version of the tables. It grows whenever the meaning of a column or the digest of an op changes.
pub const SCHEMA_VERSION: i64 = 1;

/// Largest number of captures of a list. A list of more would not fit into memory.
const MAX_CAPTURES: usize = 100_000;
/// Largest length of the id of a capture in bytes. Rooflight writes 32 digits.
const MAX_ID: usize = 128;
/// The tables that a list needs no rows of.
const OTHER_TABLES: &str = "ops, collectives or memory";

/// The groups of findings that a list counts, in their order. Findings of `quality` are about the capture itself.
const GROUPS: [&str; 3] = ["time", "option", "memory"];

/// Lines of one kind that were not used.
#[derive(Default)]
struct SkippedLines {
    n: u64,
    /// The first one: its file, its number, and what is wrong with it.
    first: Option<(String, u64, String)>,
}

impl SkippedLines {
    fn add(&mut self, file: &str, line: u64, reason: &dyn std::fmt::Display) {
        self.n += 1;
        if self.first.is_none() {
            self.first = Some((file.to_owned(), line, reason.to_string()));
        }
    }
}

/// The rows of tables, by capture.
#[derive(Default)]
pub(super) struct ImportedTables {
    captures: IndexMap<String, ImportedCapture>,
    damaged: SkippedLines,
    /// Rows of another version of the tables.
    other_version: SkippedLines,
    /// Rows of captures that are more than a list holds.
    n_too_many: u64,
    /// Rows of `captures` whose capture has a row already.
    n_repeated: u64,
    /// Files that begin with a row of a table that a list does not need.
    n_other_tables: u64,
    /// Files that could not be read to their end, with the reason.
    unread: Vec<(String, String)>,
}

impl ImportedTables {
    /// Reads a file with rows of one table, or of several.
    pub(super) fn read(&mut self, name: &str, source: &dyn Source) {
        let read = each_line(source, &mut |number, line| self.add_line(name, number, line));
        if let Err(error) = read {
            self.unread.push((name.to_owned(), error.to_string()));
        }
    }

    /// Adds a line. Returns whether the file has rows that a list needs, as far as the line tells.
    fn add_line(&mut self, file: &str, number: u64, line: Option<&[u8]>) -> bool {
        let Some(line) = line else {
            self.damaged.add(file, number, &"it is longer than 16 MiB");
            return true;
        };
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
        if line.is_empty() {
            return true;
        }
        let row = match serde_json::from_slice(line) {
            Ok(Value::Object(row)) => row,
            Ok(_) => {
                self.damaged.add(file, number, &"it is not a JSON object");
                return true;
            }
            Err(error) => {
                self.damaged.add(file, number, &format_args!("it is not JSON: {error}"));
                return true;
            }
        };
        let id = text(&row, "capture_id").filter(|id| !id.is_empty() && id.len() <= MAX_ID);
        let (Some(id), Some(version)) = (id, row.get("schema_version").and_then(Value::as_i64)) else {
            self.damaged.add(file, number, &"it has no capture_id or no schema_version");
            return true;
        };
        if version != SCHEMA_VERSION {
            self.other_version.add(file, number, &version);
            return true;
        }
        let id = id.to_owned();
        self.add_row(id, row, number)
    }

    fn add_row(&mut self, id: String, row: JsonRow, number: u64) -> bool {
        let is_capture = row.contains_key("status");
        let is_finding = row.contains_key("title") && row.contains_key("rank");
        let is_step = row.contains_key("is_critical");
        if !(is_capture || is_finding || is_step) {
            // Files with rows of one table begin with one of them. They may have gigabytes.
            self.n_other_tables += u64::from(number == 1);
            return number > 1;
        }
        let is_full = self.captures.len() >= MAX_CAPTURES;
        let tables = match self.captures.entry(id) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(_) if is_full => {
                self.n_too_many += u64::from(is_capture);
                return true;
            }
            Entry::Vacant(entry) => entry.insert(ImportedCapture::default()),
        };
        if is_capture {
            self.n_repeated += u64::from(tables.row.is_some());
            tables.row = Some(row);
        } else if is_finding {
            tables.has_findings = true;
            let group = text(&row, "group").and_then(|group| GROUPS.iter().position(|other| *other == group));
            if let (Some(group), Some(rank), Some(title)) = (group, count_in(&row, "rank"), text(&row, "title")) {
                let at_stake = count_in(&row, "at_stake_ps").map(Picos);
                tables.findings.insert((group, rank), TopFinding { title: title.to_owned(), at_stake });
            }
        } else {
            let is_set = |column: &str| row.get(column).and_then(Value::as_bool) == Some(true);
            if is_set("is_critical")
                && is_set("is_steady")
                && let (Some(step), Some(period)) = (count_in(&row, "step"), count_in(&row, "period_ps"))
            {
                tables.periods_ps.insert(step, period);
            }
        }
        true
    }

    /// Returns a row of the list for each row of `captures`, in the order of the lines.
    pub(super) fn rows(&mut self) -> Vec<ImportedRow> {
        let captures: Vec<(String, JsonRow, ImportedCapture)> = std::mem::take(&mut self.captures)
            .into_iter()
            .filter_map(|(id, mut tables)| Some((id, tables.row.take()?, tables)))
            .collect();
        let paths: Vec<String> = captures.iter().map(|(id, row, _)| super::imported_row::main_path(id, row)).collect();
        let named = captures.into_iter().zip(names_of_paths(&paths));
        named.map(|((id, row, tables), name)| super::imported_row::imported_row(id, &row, tables, name)).collect()
    }

    /// Returns notes about what was not used.
    pub(super) fn notes(&self) -> Vec<Note> {
        let caution = |message: String| Note::new(Severity::Caution, NoteCode::FileNotRead, message);
        let mut notes: Vec<Note> = self.reasons().into_iter().map(caution).collect();
        let mut inform = |n: u64, message: String| {
            notes.extend((n > 0).then(|| Note::new(Severity::Info, NoteCode::LeftOut, message)));
        };
        inform(
            self.n_repeated,
            format!(
                "{} a capture that was read before: the last one counts.",
                counted(self.n_repeated, "row repeats", "rows repeat")
            ),
        );
        inform(
            self.n_other_tables,
            format!(
                "{} of {OTHER_TABLES} not read: a list of captures does not need them.",
                counted(self.n_other_tables, "file with rows", "files with rows")
            ),
        );
        notes
    }

    /// Returns the failure for tables without a row that a list can show.
    pub(super) fn failure(&self, name: &str) -> Failure {
        let mut reasons = self.reasons();
        if reasons.is_empty() {
            reasons.push("It has rows of tables, but none of the table captures.".to_owned());
        }
        reasons.push("Open the whole folder that rooflight export --jsonl wrote.".to_owned());
        Failure { title: format!("{name} lists no capture"), message: reasons.join(" ") }
    }

    /// Returns a sentence for each kind of rows that should have been readable and were not used.
    fn reasons(&self) -> Vec<String> {
        let mut reasons = Vec::new();
        if let Some((file, line, reason)) = &self.damaged.first {
            let n = counted(self.damaged.n, "line could", "lines could");
            let first = if self.damaged.n > 1 { "the first one is " } else { "" };
            reasons.push(format!("{n} not be read: {first}line {} of {file}; {reason}.", count(*line)));
        }
        if let Some((file, line, version)) = &self.other_version.first {
            let n = counted(self.other_version.n, "row is", "rows are");
            reasons.push(format!(
                "{n} of another version of the tables, such as version {version} in line {} of {file}. This page reads version \
                 {SCHEMA_VERSION}: reload it to get the newest, or export the captures again.",
                count(*line)
            ));
        }
        if self.n_too_many > 0 {
            let n = counted(self.n_too_many, "row is", "rows are");
            reasons.push(format!("{n} missing: a list holds {} captures.", count(MAX_CAPTURES as u64)));
        }
        for (file, error) in &self.unread {
            reasons.push(format!("{file} could not be read to its end: {error}."));
        }
        reasons
    }
}
