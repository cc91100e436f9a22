//! This module writes zip archives byte by byte, so that tests can also write archives with wrong headers.

use std::io::Write;

/// A member, as it is written.
#[derive(Clone)]
pub struct Entry {
    pub name: String,
    /// Bytes of the member in the archive.
    pub data: Vec<u8>,
    pub method: u16,
    pub flags: u16,
    pub crc: u32,
    /// Unpacked size that the headers give.
    pub size: u64,
    /// Whether the sizes and the offset are written in 64 bits.
    pub zip64: bool,
    /// Offset of the local header that the central directory gives, instead of the true one.
    pub offset: Option<u32>,
}

/// Returns a stored member.
pub fn stored(name: &str, bytes: &[u8]) -> Entry {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    let (name, data, size) = (name.to_owned(), bytes.to_vec(), bytes.len() as u64);
    Entry { name, data, method: 0, flags: 0x800, crc: crc.sum(), size, zip64: false, offset: None }
}

/// Returns a deflated member.
pub fn deflated(name: &str, bytes: &[u8]) -> Entry {
    let mut deflate = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
    deflate.write_all(bytes).unwrap();
    Entry { data: deflate.finish().unwrap(), method: 8, ..stored(name, bytes) }
}

/// Returns the fields that both headers of a member share.
fn common(entry: &Entry, version: u16, extra: u16) -> Vec<u8> {
    let size = |n: u64| if entry.zip64 { u32::MAX } else { u32::try_from(n).unwrap() };
    let mut out = Vec::new();
    for n in [version, entry.flags, entry.method, 0, 0x21] {
        out.extend(n.to_le_bytes());
    }
    for n in [entry.crc, size(entry.data.len() as u64), size(entry.size)] {
        out.extend(n.to_le_bytes());
    }
    out.extend((entry.name.len() as u16).to_le_bytes());
    out.extend(extra.to_le_bytes());
    out
}

/// Returns the archive of the members.
pub fn zip(entries: &[Entry]) -> Vec<u8> {
    let (mut out, mut contents) = (Vec::new(), Vec::new());
    for entry in entries {
        let start = out.len() as u64;
        out.extend(b"PK\x03\x04");
        let local = common(entry, 20, 0);
        // With bit 3 of the flags, the sizes and the checksum follow the data, and the local header holds zeros.
        out.extend(if entry.flags & 8 == 0 { local.clone() } else { [&local[..10], &[0; 12], &local[22..]].concat() });
        out.extend(entry.name.as_bytes());
        out.extend(&entry.data);
        if entry.flags & 8 != 0 {
            out.extend(b"PK\x07\x08");
            out.extend(&local[10..22]);
        }
        let mut extra = Vec::new();
        if entry.zip64 {
            extra.extend([1u16.to_le_bytes(), 24u16.to_le_bytes()].concat());
            extra.extend([entry.size, entry.data.len() as u64, start].map(u64::to_le_bytes).concat());
        }
        contents.extend(b"PK\x01\x02\x14\0");
        contents.extend(common(entry, 20, extra.len() as u16));
        contents.extend([0; 10]);
        let place = if entry.zip64 { u32::MAX } else { entry.offset.unwrap_or(start as u32) };
        contents.extend(place.to_le_bytes());
        contents.extend(entry.name.as_bytes());
        contents.extend(extra);
    }
    let (start, size) = (out.len() as u64, contents.len() as u64);
    out.extend(contents);
    let is_large = entries.iter().any(|entry| entry.zip64);
    let n = entries.len() as u64;
    if is_large {
        let end = out.len() as u64;
        out.extend(b"PK\x06\x06");
        out.extend(44u64.to_le_bytes());
        out.extend([45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        out.extend([n, n, size, start].map(u64::to_le_bytes).concat());
        out.extend(b"PK\x06\x07\0\0\0\0");
        out.extend(end.to_le_bytes());
        out.extend(1u32.to_le_bytes());
    }
    let count = if is_large { u16::MAX } else { u16::try_from(n).unwrap() };
    let small = |n: u64| if is_large { u32::MAX } else { n as u32 };
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend([count, count].map(u16::to_le_bytes).concat());
    out.extend([small(size), small(start)].map(u32::to_le_bytes).concat());
    out.extend([0, 0]);
    out
}
