//! This module finds the captures that a folder of tables holds already, and how they were exported.

use super::layout::{FileFormat, entries, table_folder};
use super::{PROGRAM_VERSION, SCHEMA_VERSION, TableName};
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use indexmap::IndexMap;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

/// The start of the names of files that hold a whole day.
pub const PART: &str = "part-";
/// The columns that tell how a capture was exported.
const COLUMNS: [&str; 5] = ["capture_id", "schema_version", "program_version", "request", "status"];

/// How a capture was exported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportRecord {
    schema_version: i64,
    program_version: String,
    request: String,
    status: String,
}

impl ExportRecord {
    /// Returns whether an export with the options `request` would write the same rows. A capture that could not be read is tried
    /// again.
    pub fn is_current(&self, request: &str) -> bool {
        self.schema_version == SCHEMA_VERSION
            && self.program_version == PROGRAM_VERSION
            && self.request == request
            && self.status != "failed"
    }
}

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
        FileFormat::Parquet => read_parquet(path),
        FileFormat::JsonLines => read_lines(path),
    }
}

fn read_parquet(path: &Path) -> io::Result<IndexMap<String, ExportRecord>> {
    let bad = |error: &dyn std::fmt::Display| {
        io::Error::other(format!("{} is no table of captures: {error}", path.display()))
    };
    let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(path)?).map_err(|error| bad(&error))?;
    let mask = ProjectionMask::columns(builder.parquet_schema(), COLUMNS);
    let reader = builder.with_projection(mask).build().map_err(|error| bad(&error))?;
    let mut rows = IndexMap::default();
    for batch in reader {
        let batch = batch.map_err(|error| bad(&error))?;
        let text = |column: &str| batch.column_by_name(column).and_then(|column| column.as_string_opt::<i32>());
        let versions = batch.column_by_name("schema_version").and_then(|column| column.as_primitive_opt::<Int64Type>());
        let (Some(ids), Some(versions), Some(programs), Some(requests), Some(statuses)) =
            (text("capture_id"), versions, text("program_version"), text("request"), text("status"))
        else {
            return Err(bad(&"a column is missing"));
        };
        for row in 0..batch.num_rows() {
            let exported = ExportRecord {
                schema_version: versions.value(row),
                program_version: programs.value(row).to_owned(),
                request: requests.value(row).to_owned(),
                status: statuses.value(row).to_owned(),
            };
            rows.insert(ids.value(row).to_owned(), exported);
        }
    }
    Ok(rows)
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
