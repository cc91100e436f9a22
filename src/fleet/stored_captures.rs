//! This module finds the captures that a folder of tables holds already, and how they were exported.

use super::TableName;
use super::export_record::ExportRecord;
use super::layout::{FileFormat, entries, table_folder};
#[cfg(feature = "fleet")]
use super::parquet_file;
use indexmap::IndexMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

/// The start of the names of files that hold a whole day.
pub const PART: &str = "part-";
/// Where a capture lies.
#[derive(Clone, Debug)]
pub struct StoredCapture {
    pub date: String,
    /// Whether the file holds other captures as well.
    pub is_compacted: bool,
    exported: Result<ExportRecord, PathBuf>,
}

impl StoredCapture {
    /// Returns how the capture was exported.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn exported(&self, format: FileFormat, capture_id: &str) -> io::Result<ExportRecord> {
        let path = match &self.exported {
            Ok(exported) => return Ok(exported.clone()),
            Err(path) => path,
        };
        let mut rows = read(path, format)?;
        let missing = || io::Error::other(format!("{} has no row of the capture", path.display()));
        rows.swap_remove(capture_id).ok_or_else(missing)
    }
}

/// The captures that a folder of tables holds.
pub struct StoredCaptures(IndexMap<String, StoredCapture>);

impl StoredCaptures {
    /// Lists the captures of a folder. Files of single captures are not opened.
    ///
    /// # Errors
    /// If a folder or a file cannot be read.
    pub fn list(out: &Path, format: FileFormat) -> io::Result<Self> {
        let mut stored = IndexMap::default();
        let end = format!(".{}", format.extension());
        for (date, folder) in entries(&table_folder(out, TableName::Captures), "date=")? {
            for (name, path) in entries(&folder, "")? {
                let Some(stem) = name.strip_suffix(&end) else { continue };
                let place = |exported, is_compacted| StoredCapture { date: date.clone(), is_compacted, exported };
                if stem.starts_with(PART) {
                    let rows = read(&path, format)?;
                    stored.extend(rows.into_iter().map(|(id, exported)| (id, place(Ok(exported), true))));
                } else {
                    stored.insert(stem.to_owned(), place(Err(path), false));
                }
            }
        }
        Ok(Self(stored))
    }

    /// Returns where a capture lies. `None` if it is not there.
    pub fn get(&self, capture_id: &str) -> Option<&StoredCapture> {
        self.0.get(capture_id)
    }
}

/// Reads how the captures of a file were exported, by their ids.
fn read(path: &Path, format: FileFormat) -> io::Result<IndexMap<String, ExportRecord>> {
    match format {
        #[cfg(feature = "fleet")]
        FileFormat::Parquet => parquet_file::read_records(path),
        FileFormat::JsonLines => read_lines(path),
    }
}

fn read_lines(path: &Path) -> io::Result<IndexMap<String, ExportRecord>> {
    let mut rows = IndexMap::default();
    for line in BufReader::new(File::open(path)?).lines() {
        let row: serde_json::Value = serde_json::from_str(&line?)?;
        let text = |column: &str| row[column].as_str().unwrap_or_default().to_owned();
        let exported = ExportRecord {
            schema_version: row["schema_version"].as_i64().unwrap_or_default(),
            program_version: text("program_version"),
            request: text("request"),
            status: text("status"),
        };
        rows.insert(text("capture_id"), exported);
    }
    Ok(rows)
}
