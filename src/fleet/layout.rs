//! This module knows where files lie: `OUT/table=ops/date=2026-11-20/<capture_id>.parquet`. Files are written under another
//! name and renamed, so that no half of one is read.

use super::TableName;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// The partition of captures whose time is unknown. Engines read it as null.
pub const NO_DATE: &str = "__HIVE_DEFAULT_PARTITION__";

/// The format of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    #[cfg(feature = "fleet")]
    Parquet,
    JsonLines,
}

impl FileFormat {
    /// Returns the end of the names of files.
    pub const fn extension(self) -> &'static str {
        match self {
            #[cfg(feature = "fleet")]
            Self::Parquet => "parquet",
            Self::JsonLines => "jsonl",
        }
    }
}

/// Returns the folder of a table.
pub fn table_folder(out: &Path, table: TableName) -> PathBuf {
    out.join(format!("table={}", table.key()))
}

/// Returns the folder of a partition.
pub fn partition(out: &Path, table: TableName, date: &str) -> PathBuf {
    table_folder(out, table).join(format!("date={date}"))
}

/// Returns the path of a table of a capture.
pub fn capture_path(out: &Path, table: TableName, date: &str, capture_id: &str, format: FileFormat) -> PathBuf {
    partition(out, table, date).join(format!("{capture_id}.{}", format.extension()))
}

/// Writes a file under a temporary name beside it, and renames it. Engines skip names that begin with a dot.
///
/// # Errors
/// If the file cannot be written. The temporary file is removed then.
pub fn write_whole(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let temporary = folder.join(format!(".{name}.part"));
    let written = (|| {
        let mut out = BufWriter::new(File::create(&temporary)?);
        write(&mut out)?;
        out.flush()?;
        fs::rename(&temporary, path)
    })();
    if written.is_err() {
        // The reason of the failure is reported, and not that the file could not be removed.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// Removes a file, if it is there.
///
/// # Errors
/// If the file is there and cannot be removed.
pub fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Returns the entries of a folder whose names begin with `start`, each with the rest of its name, in order. Empty if there is no
/// such folder.
///
/// # Errors
/// If the folder is there and cannot be read.
pub fn entries(folder: &Path, start: &str) -> io::Result<Vec<(String, PathBuf)>> {
    let listed = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        listed => listed?,
    };
    let mut entries = Vec::new();
    for entry in listed {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if let Some(rest) = name.strip_prefix(start).filter(|_| !name.starts_with('.')) {
            entries.push((rest.to_owned(), entry.path()));
        }
    }
    entries.sort();
    Ok(entries)
}
