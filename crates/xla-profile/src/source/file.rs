//! This module reads byte ranges of a file on disk, without a buffer for the whole file and without a memory map.

use super::{Source, SourceError, checked_end};
use std::fs::File;
use std::path::Path;

/// A [`Source`] over an open file. Its size is the length of the file when it was opened.
pub struct FileSource {
    file: File,
    len: u64,
}

impl FileSource {
    /// Opens a file for reading.
    ///
    /// # Errors
    /// Returns the error of the system, such as "not found" or "permission denied".
    pub fn open(path: &Path) -> std::io::Result<Self> {
        let file = File::open(path)?;
        let len = file.metadata()?.len();
        Ok(Self { file, len })
    }
}

impl Source for FileSource {
    fn size(&self) -> u64 {
        self.len
    }

    /// On other systems, reading moves the position of the file, which all threads share.
    #[cfg(unix)]
    fn shared(&self) -> Option<&(dyn Source + Sync)> {
        Some(self)
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), SourceError> {
        checked_end(offset, buf.len(), self.len)?;
        read_exact_at(&self.file, buf, offset).map_err(|e| SourceError::Read { offset, reason: e.to_string() })
    }
}

#[cfg(unix)]
fn read_exact_at(file: &File, buf: &mut [u8], offset: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buf, offset)
}

#[cfg(not(unix))]
fn read_exact_at(mut file: &File, buf: &mut [u8], offset: u64) -> std::io::Result<()> {
    use std::io::{Read, Seek, SeekFrom};
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(buf)
}
