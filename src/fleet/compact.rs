//! This module merges the files of a day into few large ones, because engines open each file of a table.

use super::TableName;
use super::layout::{FileFormat, entries, partition, remove, write_whole};
use super::parquet_file::writer;
use super::stored_captures::PART;
use crate::protocol::Failure;
use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// Stored bytes from which on a file is full.
const FULL: usize = 64 << 20;

/// The result of merging the files of a day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compacted {
    /// Files that were merged, of all tables.
    pub n_merged: usize,
    /// Files that hold their rows now.
    pub n_parts: usize,
}

/// Merges the Parquet files of a day in all tables. `captures` comes first: from then on, an export does not write captures of
/// the day again. A run that was interrupted is completed by the next one.
///
/// # Errors
/// If a file cannot be read or written.
pub fn compact(out: &Path, date: &str) -> Result<Compacted, Failure> {
    let mut compacted = Compacted::default();
    for table in TableName::ALL.into_iter().rev() {
        let folder = partition(out, table, date);
        let failed = |error: io::Error| Failure {
            title: format!("The files in {} could not be merged", folder.display()),
            message: format!("{error}."),
        };
        merge(&folder, &mut compacted).map_err(failed)?;
    }
    Ok(compacted)
}

fn merge(folder: &Path, compacted: &mut Compacted) -> io::Result<()> {
    let end = format!(".{}", FileFormat::Parquet.extension());
    let files = entries(folder, "")?.into_iter().filter(|(name, _)| name.ends_with(&end));
    let (parts, single): (Vec<_>, Vec<_>) = files.partition(|(name, _)| name.starts_with(PART));
    // A run that was interrupted after it had written a part has left the files behind that the part holds.
    let mut merged: BTreeSet<String> = BTreeSet::new();
    for (_, path) in &parts {
        merged.extend(capture_ids(path)?);
    }
    let (done, mut left): (Vec<_>, Vec<_>) =
        single.into_iter().partition(|(name, _)| name.strip_suffix(&end).is_some_and(|id| merged.contains(id)));
    for (_, path) in &done {
        remove(path)?;
        compacted.n_merged += 1;
    }
    while !left.is_empty() {
        let n = write_part(folder, &left)?;
        compacted.n_parts += 1;
        for (_, path) in left.drain(..n) {
            remove(&path)?;
            compacted.n_merged += 1;
        }
    }
    Ok(())
}

/// Writes files into one, until it is full or the schema of the next file differs. Returns the number of files that it holds.
fn write_part(folder: &Path, files: &[(String, PathBuf)]) -> io::Result<usize> {
    let (n, digest) = {
        // Files are counted first, because the name of the part depends on them.
        let (mut n, mut bytes, mut digest) = (0, 0_u64, Sha256::new());
        let first = open(&files[0].1)?.schema().clone();
        for (name, path) in files {
            if n > 0 && (bytes >= FULL as u64 || *open(path)?.schema() != first) {
                break;
            }
            bytes += std::fs::metadata(path)?.len();
            digest.update(name.as_bytes());
            n += 1;
        }
        (n, digest.finalize())
    };
    let name = digest.iter().take(16).fold(PART.to_owned(), |mut name, byte| {
        let _ = write!(name, "{byte:02x}");
        name
    });
    let path = folder.join(format!("{name}.{}", FileFormat::Parquet.extension()));
    write_whole(&path, |out| {
        let schema = open(&files[0].1)?.schema().clone();
        let mut writer = writer(out, schema).map_err(io::Error::other)?;
        for (_, path) in &files[..n] {
            for batch in reader(path, None)? {
                writer.write(&batch.map_err(io::Error::other)?).map_err(io::Error::other)?;
            }
        }
        writer.close().map(drop).map_err(io::Error::other)
    })?;
    Ok(n)
}

fn open(path: &Path) -> io::Result<ParquetRecordBatchReaderBuilder<File>> {
    let bad = |error| io::Error::other(format!("{}: {error}", path.display()));
    ParquetRecordBatchReaderBuilder::try_new(File::open(path)?).map_err(bad)
}

fn reader(path: &Path, columns: Option<&[&str]>) -> io::Result<ParquetRecordBatchReader> {
    let mut builder = open(path)?;
    if let Some(columns) = columns {
        let mask = ProjectionMask::columns(builder.parquet_schema(), columns.iter().copied());
        builder = builder.with_projection(mask);
    }
    builder.build().map_err(io::Error::other)
}

fn capture_ids(path: &Path) -> io::Result<BTreeSet<String>> {
    let mut ids = BTreeSet::new();
    for batch in reader(path, Some(&["capture_id"]))? {
        let batch: RecordBatch = batch.map_err(io::Error::other)?;
        let column = batch.column_by_name("capture_id").and_then(|column| column.as_string_opt::<i32>());
        ids.extend(column.into_iter().flatten().flatten().map(str::to_owned));
    }
    Ok(ids)
}
