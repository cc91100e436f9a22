//! This module reads and writes a report as a file, alone or with its captures.
//!
//! ```text
//!  magic 8 · report in its envelope · count of captures · each: name length, name, size · each: bytes as stored
//! ```
//!
//! Captures are stored unchanged and are read in place, so that a file of gigabytes never has to fit into memory.

use super::envelope::{Limits, encode, read};
use super::error::ShareError;
use super::read::{take, varint};
use super::report::Report;
use super::write;
use std::rc::Rc;
use xla_profile::source::{Source, SourceError};
use xla_profile::wire::REPORT_MAGIC;

/// The first bytes of a report file.
pub const MAGIC: [u8; 8] = REPORT_MAGIC;
/// Length of the longest name of a capture, in bytes.
const MAX_NAME: usize = 4096;
/// Largest number of captures in a file.
const MAX_CAPTURES: u64 = 10_000;
/// Largest number of bytes from the start of a file to the end of its report.
const MAX_HEAD: u64 = 256 << 20;

/// A capture within a report file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbeddedCapture {
    pub name: String,
    /// Offset of the first byte in the file.
    pub start: u64,
    /// Size in bytes.
    pub size: u64,
}

/// The content of a report file.
#[derive(Clone, Debug, PartialEq)]
pub struct ReportFile {
    pub report: Report,
    /// The captures that follow the report.
    pub captures: Vec<EmbeddedCapture>,
}

/// Returns the bytes of a report file up to its captures. `captures` holds their names and sizes in bytes. The caller
/// appends their bytes in this order.
pub fn pack(report: &Report, captures: &[(String, u64)]) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    out.extend(encode(report));
    write::varint(&mut out, captures.len() as u64);
    for (name, size) in captures {
        write::varint(&mut out, name.len() as u64);
        out.extend(name.as_bytes());
        write::varint(&mut out, *size);
    }
    out
}

/// Reads a report file, except for the bytes of its captures.
///
/// # Errors
/// Returns a [`ShareError`] if the file is not a report file, or is cut or damaged.
pub fn unpack(source: &dyn Source) -> Result<ReportFile, ShareError> {
    let size = source.size();
    let cut = |needs: u64| ShareError::Cut { has: size as usize, needs: needs as usize };
    let head = source_head(source, 32)?;
    let mut rest = head.strip_prefix(&MAGIC).ok_or(ShareError::NoFile)?;
    // The envelope gives the length of the report.
    let length = varint(&mut rest).and_then(|_| varint(&mut rest)).ok_or(cut(size + 1))?;
    let list = length.saturating_add((head.len() - rest.len()) as u64 + 4);
    let room = MAX_CAPTURES * 64;
    if list > MAX_HEAD {
        return Err(ShareError::Large);
    }
    let head = source_head(source, list.saturating_add(room))?;
    let mut bytes = head.get(MAGIC.len()..).unwrap_or_default();
    let report = read(&mut bytes, Limits::FILE)?;
    let n = varint(&mut bytes).filter(|n| *n <= MAX_CAPTURES).ok_or(cut(size + 1))?;
    let mut captures = Vec::new();
    for _ in 0..n {
        let name = varint(&mut bytes).and_then(|n| usize::try_from(n).ok()).filter(|n| *n <= MAX_NAME);
        let name = name.and_then(|n| take(&mut bytes, n)).ok_or(cut(size + 1))?;
        let name =
            std::str::from_utf8(name).map_err(|_| ShareError::Broken("a file name is not valid UTF-8"))?.to_owned();
        let size = varint(&mut bytes).ok_or(cut(size + 1))?;
        captures.push(EmbeddedCapture { name, start: 0, size });
    }
    let mut start = (head.len() - bytes.len()) as u64;
    for capture in &mut captures {
        capture.start = start;
        start = start.saturating_add(capture.size);
    }
    match start {
        end if end > size => Err(cut(end)),
        end if end < size => Err(ShareError::Broken("data follows its end")),
        _ => Ok(ReportFile { report, captures }),
    }
}

fn source_head(source: &dyn Source, limit: u64) -> Result<Vec<u8>, ShareError> {
    let mut head = vec![0; source.size().min(limit) as usize];
    source.read_at(0, &mut head).map_err(|_| ShareError::Broken("its bytes cannot be read"))?;
    Ok(head)
}

/// A capture within a report file as a source of its own.
pub struct EmbeddedSource {
    file: Rc<dyn Source>,
    start: u64,
    size: u64,
}

impl EmbeddedSource {
    /// Creates the source of `capture` in `file`.
    pub fn new(file: Rc<dyn Source>, capture: &EmbeddedCapture) -> Self {
        Self { file, start: capture.start, size: capture.size }
    }
}

impl Source for EmbeddedSource {
    fn size(&self) -> u64 {
        self.size
    }

    fn stride(&self) -> u64 {
        self.file.stride()
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), SourceError> {
        let end = offset.saturating_add(buf.len() as u64);
        if end > self.size {
            return Err(SourceError::PastEnd { offset, end, len: self.size });
        }
        self.file.read_at(self.start.saturating_add(offset), buf)
    }
}
