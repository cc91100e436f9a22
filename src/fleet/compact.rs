//! This module merges the files of a day into few large ones, because engines open each file of a table.
//!
//! `captures` says which captures are there. Rows of other captures come from an export that was killed: they are removed, and
//! never merged. The file of a single capture is newer than its rows in a merged file, and replaces them.

use super::TableName;
use super::layout::{FileFormat, entries, partition, remove, remove_abandoned, write_whole};
use super::parquet_file::writer;
use super::stored_captures::PART;
use crate::protocol::Failure;
use arrow_array::cast::AsArray;
use arrow_array::{RecordBatch, StringArray};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fmt::{Display, Write as _};
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
    /// Captures without a row in `captures`, of which rows were removed.
    pub n_orphans: usize,
}

/// The captures of a day that `captures` holds.
struct Exported {
    /// The captures in merged files.
    merged: BTreeSet<String>,
    /// The captures with a file of their own: they were exported after `captures` had been merged.
    single: BTreeSet<String>,
}

/// The files of a table on a day.
#[derive(Default)]
struct TableFiles {
    /// The merged files.
    parts: Vec<PathBuf>,
    /// The files of single captures, with their ids.
    single: Vec<(String, PathBuf)>,
}

/// Merges the Parquet files of a day in all tables. `captures` comes first: from then on, an export does not write captures of
/// the day again. A run that was interrupted is completed by the next one.
///
/// # Errors
/// If a file cannot be read or written.
pub fn compact(out: &Path, date: &str) -> Result<Compacted, Failure> {
    let mut compacted = Compacted::default();
    let mut orphans = BTreeSet::new();
    let captures = partition(out, TableName::Captures, date);
    for table in TableName::ALL.into_iter().rev() {
        let folder = partition(out, table, date);
        let failed = |error: io::Error| Failure {
            title: format!("The files in {} could not be merged", folder.display()),
            message: format!("{error}."),
        };
        let exported = match table {
            TableName::Captures => None,
            _ => Some(exported(&captures).map_err(failed)?),
        };
        merge(&folder, exported.as_ref(), &mut compacted, &mut orphans).map_err(failed)?;
    }
    compacted.n_orphans = orphans.len();
    Ok(compacted)
}

/// Returns the captures that the folder of `captures` holds.
fn exported(folder: &Path) -> io::Result<Exported> {
    let TableFiles { parts, single } = table_files(folder)?;
    let mut merged = BTreeSet::new();
    for path in &parts {
        merged.extend(capture_ids(path)?);
    }
    Ok(Exported { merged, single: single.into_iter().map(|(id, _)| id).collect() })
}

/// Returns the files of a folder that are merged, or that hold a single capture. Other files are left alone.
fn table_files(folder: &Path) -> io::Result<TableFiles> {
    let end = format!(".{}", FileFormat::Parquet.extension());
    let mut files = TableFiles::default();
    for (name, path) in entries(folder, "")? {
        let Some(stem) = name.strip_suffix(&end) else { continue };
        if stem.starts_with(PART) {
            files.parts.push(path);
        } else if stem.len() == 32 && stem.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
            files.single.push((stem.to_owned(), path));
        }
    }
    Ok(files)
}

/// Merges the files of a folder. `exported` is `None` for the table `captures` itself.
fn merge(
    folder: &Path,
    exported: Option<&Exported>,
    compacted: &mut Compacted,
    orphans: &mut BTreeSet<String>,
) -> io::Result<()> {
    remove_abandoned(folder)?;
    let TableFiles { parts, single } = table_files(folder)?;
    let is_orphan =
        |id: &str| exported.is_some_and(|exported| !exported.merged.contains(id) && !exported.single.contains(id));
    let renewed: BTreeSet<&str> = single.iter().map(|(id, _)| id.as_str()).collect();
    for path in &parts {
        let ids = capture_ids(path)?;
        orphans.extend(ids.iter().filter(|id| is_orphan(id)).cloned());
        let dropped: BTreeSet<&str> =
            ids.iter().map(String::as_str).filter(|id| renewed.contains(id) || is_orphan(id)).collect();
        match dropped.len() {
            0 => {}
            n if n == ids.len() => remove(path)?,
            _ => rewrite_without(path, &dropped)?,
        }
    }
    let mut left = Vec::new();
    for (id, path) in &single {
        if is_orphan(id) {
            remove(path)?;
            orphans.insert(id.clone());
        } else if exported.is_none_or(|exported| exported.merged.contains(id)) {
            left.push((id.as_str(), path.as_path()));
        }
    }
    while !left.is_empty() {
        let n = write_part(folder, &left)?;
        compacted.n_parts += 1;
        for (_, path) in left.drain(..n) {
            remove(path)?;
            compacted.n_merged += 1;
        }
    }
    Ok(())
}

/// Writes a merged file again without the rows of some captures.
fn rewrite_without(path: &Path, dropped: &BTreeSet<&str>) -> io::Result<()> {
    let schema = open(path)?.schema().clone();
    let rows = reader(path, None)?;
    write_whole(path, |out| {
        let mut writer = writer(out, schema).map_err(io::Error::other)?;
        for batch in rows {
            let batch = batch.map_err(|error| unreadable(path, &error))?;
            let kept: Vec<bool> = match ids(&batch) {
                Some(ids) => ids.iter().map(|id| id.is_none_or(|id| !dropped.contains(id))).collect(),
                None => vec![true; batch.num_rows()],
            };
            let mut start = 0;
            for run in kept.chunk_by(|a, b| a == b) {
                if run[0] {
                    writer.write(&batch.slice(start, run.len())).map_err(io::Error::other)?;
                }
                start += run.len();
            }
        }
        writer.close().map(drop).map_err(io::Error::other)
    })
}

/// Writes files into one, until it is full or the schema of the next file differs. Returns the number of files that it holds.
fn write_part(folder: &Path, files: &[(&str, &Path)]) -> io::Result<usize> {
    // Files are counted first, because the name of the part depends on them.
    let (mut n, mut bytes, mut digest) = (0, 0_u64, Sha256::new());
    let schema = open(files[0].1)?.schema().clone();
    for (id, path) in files {
        if n > 0 && (bytes >= FULL as u64 || *open(path)?.schema() != schema) {
            break;
        }
        bytes += std::fs::metadata(path)?.len();
        digest.update(id.as_bytes());
        n += 1;
    }
    write_whole(&unused_name(folder, digest), |out| {
        let mut writer = writer(out, schema).map_err(io::Error::other)?;
        for (_, path) in &files[..n] {
            for batch in reader(path, None)? {
                let batch = batch.map_err(|error| unreadable(path, &error))?;
                writer.write(&batch).map_err(io::Error::other)?;
            }
        }
        writer.close().map(drop).map_err(io::Error::other)
    })?;
    Ok(n)
}

/// Returns the path of a new merged file. A file that was merged earlier keeps its name when rows are removed from it, so the name of
/// the same captures may be in use.
fn unused_name(folder: &Path, mut digest: Sha256) -> PathBuf {
    loop {
        let name = digest.clone().finalize().iter().take(16).fold(PART.to_owned(), |mut name, byte| {
            let _ = write!(name, "{byte:02x}");
            name
        });
        let path = folder.join(format!("{name}.{}", FileFormat::Parquet.extension()));
        if !path.exists() {
            return path;
        }
        digest.update([0]);
    }
}

/// Returns an error that names the file.
fn unreadable(path: &Path, error: &dyn Display) -> io::Error {
    io::Error::other(format!("{}: {error}", path.display()))
}

fn open(path: &Path) -> io::Result<ParquetRecordBatchReaderBuilder<File>> {
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    ParquetRecordBatchReaderBuilder::try_new(file).map_err(|error| unreadable(path, &error))
}

fn reader(path: &Path, columns: Option<&[&str]>) -> io::Result<ParquetRecordBatchReader> {
    let mut builder = open(path)?;
    if let Some(columns) = columns {
        let mask = ProjectionMask::columns(builder.parquet_schema(), columns.iter().copied());
        builder = builder.with_projection(mask);
    }
    builder.build().map_err(|error| unreadable(path, &error))
}

fn ids(batch: &RecordBatch) -> Option<&StringArray> {
    batch.column_by_name("capture_id").and_then(|column| column.as_string_opt::<i32>())
}

fn capture_ids(path: &Path) -> io::Result<BTreeSet<String>> {
    let mut all = BTreeSet::new();
    for batch in reader(path, Some(&["capture_id"]))? {
        let batch = batch.map_err(|error| unreadable(path, &error))?;
        all.extend(ids(&batch).into_iter().flatten().flatten().map(str::to_owned));
    }
    Ok(all)
}
