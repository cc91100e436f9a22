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
        rows.records.swap_remove(capture_id).ok_or_else(missing)
    }
}

/// The captures that a folder of tables holds.
#[derive(Default)]
pub struct StoredCaptures {
    by_id: IndexMap<String, StoredCapture>,
    /// A sentence for each merged file that cannot be read, or only in part. It names the file.
    damage: Vec<String>,
}

/// The rows of a table of captures.
struct ReadRows {
    /// How captures were exported, by their ids.
    records: IndexMap<String, ExportRecord>,
    /// The first line that cannot be read, and why. The other lines are read.
    damage: Option<String>,
}

impl StoredCaptures {
    /// Lists the captures of a folder. Files of single captures are not opened. A merged file that is damaged hides only its own
    /// captures.
    ///
    /// # Errors
    /// If a folder cannot be read.
    pub fn list(out: &Path, format: FileFormat) -> io::Result<Self> {
        let mut stored = Self::default();
        let end = format!(".{}", format.extension());
        for (date, folder) in entries(&table_folder(out, TableName::Captures), "date=")? {
            for (name, path) in entries(&folder, "")? {
                let Some(stem) = name.strip_suffix(&end) else { continue };
                let place = |exported, is_compacted| StoredCapture { date: date.clone(), is_compacted, exported };
                if !stem.starts_with(PART) {
                    stored.by_id.insert(stem.to_owned(), place(Err(path), false));
                    continue;
                }
                match read(&path, format) {
                    Ok(ReadRows { records, damage }) => {
                        stored.by_id.extend(records.into_iter().map(|(id, exported)| (id, place(Ok(exported), true))));
                        stored.damage.extend(damage);
                    }
                    Err(error) => stored.damage.push(error.to_string()),
                }
            }
        }
        Ok(stored)
    }

    /// Returns where a capture lies. `None` if it is not there.
    pub fn get(&self, capture_id: &str) -> Option<&StoredCapture> {
        self.by_id.get(capture_id)
    }

    /// Returns a sentence for each merged file that cannot be read, or only in part.
    pub fn damage(&self) -> &[String] {
        &self.damage
    }
}

/// Reads how the captures of a file were exported.
///
/// # Errors
/// If the file cannot be read. The error names the file.
fn read(path: &Path, format: FileFormat) -> io::Result<ReadRows> {
    match format {
        #[cfg(feature = "fleet")]
        FileFormat::Parquet => parquet_file::read_records(path).map(|records| ReadRows { records, damage: None }),
        FileFormat::JsonLines => read_lines(path),
    }
}

fn read_lines(path: &Path) -> io::Result<ReadRows> {
    let unread = |error: io::Error| io::Error::other(format!("{} could not be read: {error}", path.display()));
    let mut file = BufReader::new(File::open(path).map_err(unread)?);
    let mut rows = ReadRows { records: IndexMap::default(), damage: None };
    let (mut line, mut number) = (Vec::new(), 0_u64);
    while file.read_until(b'\n', &mut line).map_err(unread)? > 0 {
        number += 1;
        match record(line.trim_ascii()) {
            Ok((id, exported)) => {
                rows.records.insert(id, exported);
            }
            Err(why) if rows.damage.is_none() => {
                rows.damage = Some(format!("{}, line {number}: {why}", path.display()));
            }
            Err(_) => {}
        }
        line.clear();
    }
    Ok(rows)
}

/// Reads how the capture of a line was exported.
fn record(line: &[u8]) -> Result<(String, ExportRecord), String> {
    // The text of the error counts lines from the start of this line.
    let why = |error: serde_json::Error| error.to_string().replace(" at line 1 column ", " at column ");
    let row: serde_json::Value = serde_json::from_slice(line).map_err(why)?;
    let text = |column: &str| row[column].as_str().unwrap_or_default().to_owned();
    let exported = ExportRecord {
        schema_version: row["schema_version"].as_i64().unwrap_or_default(),
        program_version: text("program_version"),
        request: text("request"),
        status: text("status"),
    };
    let id = row["capture_id"].as_str().ok_or("the row has no capture_id")?;
    Ok((id.to_owned(), exported))
}
