//! This module reads and writes the envelope around the streams of a report, which is the same in links and files: a
//! version, a length, a checksum, and deflate.
//!
//! ```text
//!  version   length   checksum   ┌ deflated ────────────────────────────┐
//!  varint    varint   4 bytes    │ streams of the codec of this version │
//! ```
//!
//! **All versions have the same envelope.** Every page can therefore detect for every link whether it is cut, damaged,
//! or newer than the page. The checksum covers the version and the deflated bytes.

use super::codec;
use super::error::ShareError;
use super::limits::VERSION;
use super::read::{Reader, take, varint};
use super::report::Report;
use super::write::{self, Writer};
use crate::analysis::base::StepChoice;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};
use std::io::{Read, Write};

/// Limits for reading, in bytes: the unpacked streams, and the memory of the report.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    pub unpacked: usize,
    pub memory: usize,
}

impl Limits {
    /// Limits of a link. A link has at most 48 kB, which unpack to a few hundred thousand bytes.
    pub(super) const LINK: Self = Self { unpacked: 2 << 20, memory: 32 << 20 };
    /// Limits of a file. The report of the largest captures takes a few tens of megabytes.
    pub(super) const FILE: Self = Self { unpacked: 256 << 20, memory: 1 << 30 };
}

/// Encodes a report as bytes.
pub fn encode(report: &Report) -> Vec<u8> {
    let mut writer = Writer::default();
    // A visitor may change the values that it visits. The writer changes none, and does not fail.
    let _ = codec::report(&mut writer, &mut report.clone());
    let mut deflate = DeflateEncoder::new(Vec::new(), Compression::best());
    let packed = deflate.write_all(&writer.finish()).and_then(|()| deflate.finish()).unwrap_or_default();
    let mut out = Vec::new();
    write::varint(&mut out, VERSION);
    write::varint(&mut out, packed.len() as u64);
    out.extend(checksum(VERSION, &packed).to_le_bytes());
    out.extend(packed);
    out
}

/// Decodes a report of this version, or of an older one.
///
/// # Errors
/// Returns a [`ShareError`] if the bytes are cut or damaged, or of a newer version.
pub fn decode(mut bytes: &[u8]) -> Result<Report, ShareError> {
    let report = read(&mut bytes, Limits::LINK)?;
    if bytes.is_empty() { Ok(report) } else { Err(ShareError::Damaged) }
}

/// Reads a report from the start of `bytes`, and moves `bytes` to the end of the report.
pub(super) fn read(bytes: &mut &[u8], limits: Limits) -> Result<Report, ShareError> {
    let has = bytes.len();
    let cut = |needs: usize| ShareError::Cut { has, needs };
    let version = varint(bytes).ok_or(cut(has + 1))?;
    let length = varint(bytes).and_then(|n| usize::try_from(n).ok()).ok_or(cut(has + 1))?;
    let head = has - bytes.len() + 4;
    let sum = take(bytes, 4).and_then(|sum| sum.try_into().ok()).ok_or(cut(head))?;
    let packed = take(bytes, length).ok_or(cut(head.saturating_add(length)))?;
    if checksum(version, packed) != u32::from_le_bytes(sum) {
        return Err(ShareError::Damaged);
    }
    match version {
        0 => Err(ShareError::Damaged),
        1..=VERSION => of_version(version, packed, limits),
        newer => Err(ShareError::Newer(newer)),
    }
}

fn of_version(version: u64, packed: &[u8], limits: Limits) -> Result<Report, ShareError> {
    let unpacked = unpack(packed, limits.unpacked)?;
    let mut report = codec::blank();
    let mut reader = Reader::new(&unpacked, version, limits.memory)?;
    codec::report(&mut reader, &mut report)?;
    reader.finish()?;
    // The origin of a report does not hold a range; the header does.
    if let Ok(range @ StepChoice::Range(_)) = report.header.step.parse() {
        report.origin.step = range;
    }
    report.derive();
    Ok(report)
}

fn unpack(packed: &[u8], limit: usize) -> Result<Vec<u8>, ShareError> {
    let mut unpacked = Vec::new();
    let mut stream = DeflateDecoder::new(packed).take(limit as u64 + 1);
    stream.read_to_end(&mut unpacked).map_err(|_| ShareError::Broken("it does not unpack"))?;
    if unpacked.len() > limit { Err(ShareError::Large) } else { Ok(unpacked) }
}

fn checksum(version: u64, packed: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(&version.to_le_bytes());
    crc.update(packed);
    crc.sum()
}
