//! This module knows where files lie: `OUT/table=ops/date=2026-11-20/<capture_id>.parquet`. Files are written under another
//! name and renamed, so that no half of one is read.

use super::TableName;
use std::fs::{self, File};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
#[cfg(feature = "fleet")]
use std::time::Duration;

/// The partition of captures whose time is unknown. Engines read it as null.
pub const NO_DATE: &str = "__HIVE_DEFAULT_PARTITION__";
/// The end of the names of temporary files.
const TEMPORARY: &str = ".part";
/// A temporary file that has not been written for this time belongs to a process that was killed.
#[cfg(feature = "fleet")]
const ABANDONED: Duration = Duration::from_secs(3600);

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

/// Writes a file under a temporary name beside it, and renames it. Engines skip names that begin with a dot. Other processes may
/// write the same file at the same time: the last one that renames its file wins.
///
/// # Errors
/// If the file cannot be written. The temporary file is removed then.
pub fn write_whole(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let (temporary, file) = create_temporary(folder, &name)?;
    let written = (|| {
        let mut out = BufWriter::new(file);
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

/// Creates a temporary file that no other process has. Processes of several machines or containers may have the same id, so the
/// name also has a random number.
fn create_temporary(folder: &Path, name: &str) -> io::Result<(PathBuf, File)> {
    loop {
        let random = RandomState::new().build_hasher().finish();
        let path = folder.join(format!(".{name}.{}-{random:016x}{TEMPORARY}", std::process::id()));
        match File::options().write(true).create_new(true).open(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            created => return created.map(|file| (path, file)),
        }
    }
}

/// Removes the temporary files that killed processes have left in a folder.
///
/// # Errors
/// If the folder is there and cannot be read, or if a file cannot be removed.
#[cfg(feature = "fleet")]
pub fn remove_abandoned(folder: &Path) -> io::Result<()> {
    let listed = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        listed => listed?,
    };
    for entry in listed {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !(name.starts_with('.') && name.ends_with(TEMPORARY)) {
            continue;
        }
        // A file that is gone or has no time is left to the process that writes it.
        let age = entry.metadata().and_then(|metadata| metadata.modified()).ok().and_then(|time| time.elapsed().ok());
        if age.is_some_and(|age| age >= ABANDONED) {
            remove(&entry.path())?;
        }
    }
    Ok(())
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
