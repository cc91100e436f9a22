//! This module exports captures into a folder of tables, one after the other.

use super::anonymise::anonymise;
use super::derive::{Analysed, analyse};
use super::identity::{identity, identity_of_names, whole_digest};
use super::json;
use super::keys::Keys;
use super::layout::{FileFormat, NO_DATE, capture_path, remove, write_whole};
#[cfg(feature = "fleet")]
use super::parquet_file;
use super::stored_captures::StoredCaptures;
use super::tables::{CaptureFacts, CaptureRow, Rows, TableName, captured_at, date, failed_rows, rows};
use crate::protocol::Failure;
use crate::session::capture::CaptureSession;
use crate::session::{Input, open};
use crate::share::Pseudonyms;
use std::io;
use std::path::{Path, PathBuf};

/// An export of captures into a folder.
pub struct FleetExport {
    out: PathBuf,
    format: FileFormat,
    /// In the order in which they are written. [`TableName::Captures`] is the last one.
    tables: Vec<TableName>,
    keys: Keys,
    is_anonymous: bool,
    /// Whether captures that are there already are exported again.
    is_forced: bool,
    has_digest: bool,
    stored: StoredCaptures,
}

/// What became of a capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExportOutcome {
    Written,
    /// It was there already.
    Skipped,
    /// Only a part of it could be read.
    Partial,
    /// It could not be read, and has a row in `captures` alone. The sentence says why.
    Failed(String),
}

impl FleetExport {
    /// Prepares an export.
    ///
    /// # Errors
    /// If the folder is there and cannot be read.
    pub fn new(out: PathBuf, format: FileFormat, tables: &[TableName], keys: Keys) -> io::Result<Self> {
        let mut tables = [tables, &[TableName::Captures]].concat();
        tables.sort_unstable();
        tables.dedup();
        let stored = StoredCaptures::list(&out, format)?;
        Ok(Self { out, format, tables, keys, is_anonymous: false, is_forced: false, has_digest: false, stored })
    }

    /// Replaces names by pseudonyms.
    #[must_use]
    pub fn anonymous(self, is_anonymous: bool) -> Self {
        Self { is_anonymous, ..self }
    }

    /// Exports captures that are there already once more.
    #[must_use]
    pub fn forced(self, is_forced: bool) -> Self {
        Self { is_forced, ..self }
    }

    /// Adds a digest of all bytes.
    #[must_use]
    pub fn with_digest(self, has_digest: bool) -> Self {
        Self { has_digest, ..self }
    }

    /// Returns a sentence for each file of `captures` that cannot be read, or only in part. Its captures are exported again.
    pub fn damage(&self) -> &[String] {
        self.stored.damage()
    }

    /// Returns the options that change rows, as `captures.request` has them.
    fn request(&self) -> String {
        let tables: Vec<&str> = self.tables.iter().map(|table| table.key()).collect();
        let mut parts = vec![format!("tables={}", tables.join(","))];
        parts.extend(self.is_anonymous.then(|| "anonymise".to_owned()));
        parts.extend(self.has_digest.then(|| "digest".to_owned()));
        parts.extend(self.keys.pairs().iter().map(|(key, value)| format!("key:{key}={value}")));
        parts.join(";")
    }

    /// Exports a capture. `paths` name it, and `inputs` are its files.
    ///
    /// # Errors
    /// If a table cannot be written.
    pub fn export(&self, paths: &[PathBuf], inputs: Result<Vec<Input>, Failure>) -> Result<ExportOutcome, Failure> {
        let mut facts = CaptureFacts {
            files: paths.iter().map(|path| path.display().to_string()).collect(),
            keys: self.keys.clone(),
            request: self.request(),
            ..CaptureFacts::default()
        };
        let unreadable_id = identity_of_names(paths);
        let identified = inputs.and_then(|inputs| Ok((identity(&inputs)?, inputs)));
        let (identity, inputs) = match identified {
            Ok(identified) => identified,
            Err(failure) => {
                facts.capture_id = unreadable_id;
                return self.write_failure(&facts, &failure);
            }
        };
        (facts.capture_id, facts.bytes) = (identity.capture_id, identity.bytes);
        facts.files = inputs.iter().map(|input| input.name.clone()).collect();
        self.remove_capture(&unreadable_id)?;
        if self.is_skipped(&facts) {
            return Ok(ExportOutcome::Skipped);
        }
        if let Some(place) = self.stored.get(&facts.capture_id).filter(|place| place.is_compacted) {
            return Ok(ExportOutcome::Failed(compacted(&facts.capture_id, &place.date)));
        }
        match self.analysed(&mut facts, inputs) {
            Ok((session, analysed)) => {
                let date = date(captured_at(&session.profile)).unwrap_or_else(|| NO_DATE.to_owned());
                self.write_tables(&facts, &date, &self.tables, |table| rows(table, &session, &analysed, &facts))?;
                Ok(if session.partial { ExportOutcome::Partial } else { ExportOutcome::Written })
            }
            Err(failure) => self.write_failure(&facts, &failure),
        }
    }

    fn is_skipped(&self, facts: &CaptureFacts) -> bool {
        let Some(place) = self.stored.get(&facts.capture_id).filter(|_| !self.is_forced) else { return false };
        let exported = place.exported(self.format, &facts.capture_id);
        // A file that cannot be read is written again.
        exported.is_ok_and(|exported| exported.is_current(&facts.request))
    }

    /// Reads a capture and analyses it.
    fn analysed(&self, facts: &mut CaptureFacts, inputs: Vec<Input>) -> Result<(CaptureSession, Analysed), Failure> {
        if self.has_digest {
            facts.sha256 = Some(whole_digest(&inputs)?);
        }
        let mut session = CaptureSession::of_opened(open(inputs, &mut |_| {})?);
        let analysed = analyse(&mut session)
            .map_err(|error| Failure { title: "The capture could not be analysed".to_owned(), message: error })?;
        Ok((session, analysed))
    }

    fn write_failure(&self, facts: &CaptureFacts, failure: &Failure) -> Result<ExportOutcome, Failure> {
        let sentence = format!("{}. {}", failure.title, failure.message);
        let row = CaptureRow::failed(facts.clone(), sentence.clone());
        self.write_tables(facts, NO_DATE, &[TableName::Captures], |_| failed_rows(&row))?;
        Ok(ExportOutcome::Failed(sentence))
    }

    /// Writes tables, in their order. `rows` returns those of a table.
    fn write_tables<'r>(
        &self,
        facts: &CaptureFacts,
        date: &str,
        tables: &[TableName],
        rows: impl Fn(TableName) -> Rows<'r>,
    ) -> Result<(), Failure> {
        self.remove_capture(&facts.capture_id)?;
        // An export with other tables may have been killed before it wrote `captures`.
        for table in TableName::ALL.into_iter().filter(|table| !tables.contains(table)) {
            let path = capture_path(&self.out, table, date, &facts.capture_id, self.format);
            remove(&path).map_err(|error| unwritten(&path, &error))?;
        }
        let mut pseudonyms = Pseudonyms::default();
        for &table in tables {
            let heads = table.columns();
            let rows = rows(table).map(|mut row| {
                if self.is_anonymous {
                    anonymise(&mut pseudonyms, &heads, &mut row);
                }
                row
            });
            let path = capture_path(&self.out, table, date, &facts.capture_id, self.format);
            let written = write_whole(&path, |out| match self.format {
                FileFormat::JsonLines => json::write_lines(out, &heads, rows),
                #[cfg(feature = "fleet")]
                FileFormat::Parquet => parquet_file::write_rows(out, &heads, rows).map_err(io::Error::other),
            });
            written.map_err(|error| unwritten(&path, &error))?;
        }
        Ok(())
    }

    /// Removes the files of a capture that was exported before: `captures` first, so that no part of it is taken for the whole.
    fn remove_capture(&self, capture_id: &str) -> Result<(), Failure> {
        let Some(place) = self.stored.get(capture_id).filter(|place| !place.is_compacted) else { return Ok(()) };
        for table in TableName::ALL.into_iter().rev() {
            let path = capture_path(&self.out, table, &place.date, capture_id, self.format);
            remove(&path).map_err(|error| unwritten(&path, &error))?;
        }
        Ok(())
    }
}

fn compacted(capture_id: &str, date: &str) -> String {
    format!(
        "The capture {capture_id} was exported in another way, and is in a file that holds all of {date}. Remove the files of this date \
         from all tables, and export its captures again."
    )
}

fn unwritten(path: &Path, error: &io::Error) -> Failure {
    Failure { title: format!("{} could not be written", path.display()), message: format!("{error}.") }
}
