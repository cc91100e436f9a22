//! Unpacks gzip into memory, with a limit. Several members are read as one; a stream that ends early keeps
//! what came before.
//!
//! The frame (RFC 1952) is read here and only the inside left to `flate2`: its reader of gzip brings 16 kB of tables
//! for a checksum, which do not compress, to a worker that visitors wait for.

use super::crc::crc32;
use super::{Source, SourceError};
use flate2::bufread::DeflateDecoder;
use std::io::{BufRead, BufReader, Error, ErrorKind, Read, Result};

/// What came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inflated {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Why it ends early, if it does.
    pub stopped: Option<Stopped>,
}

/// Why unpacking ended before the stream did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// The stream is cut or damaged: what the decoder says.
    Damaged(String),
    /// It would have become larger than the limit.
    Limit,
}

/// Unpacks all of `source`, to at most `limit` bytes. `progress` hears how many packed bytes were read.
pub fn inflate(source: &dyn Source, limit: u64, progress: &mut dyn FnMut(u64)) -> Inflated {
    members(&mut BufReader::with_capacity(1 << 18, Sequential { source, at: 0, progress }), limit)
}

/// Unpacks a small piece, such as a stat's text.
pub fn inflate_slice(mut bytes: &[u8], limit: u64) -> Inflated {
    members(&mut bytes, limit)
}

fn members(reader: &mut dyn BufRead, limit: u64) -> Inflated {
    let mut bytes = Vec::new();
    let stopped = loop {
        let more = member(reader, limit, &mut bytes).and_then(|stopped| Ok((stopped, reader.fill_buf()?.is_empty())));
        match more {
            Ok((None, false)) => {}
            Ok((None, true)) => break None,
            Ok((stopped, _)) => break stopped,
            Err(error) => break Some(Stopped::Damaged(error.to_string())),
        }
    };
    Inflated { bytes, stopped }
}

/// Unpacks one member behind what `bytes` holds.
fn member(reader: &mut dyn BufRead, limit: u64, bytes: &mut Vec<u8>) -> Result<Option<Stopped>> {
    pass_header(reader)?;
    let start = bytes.len();
    let mut inside = DeflateDecoder::new(&mut *reader);
    inside.by_ref().take(limit.saturating_sub(start as u64)).read_to_end(bytes)?;
    if bytes.len() as u64 == limit && matches!(inside.read(&mut [0]), Ok(1)) {
        return Ok(Some(Stopped::Limit));
    }
    let (sum, length) = (u32::from_le_bytes(next(reader)?), u32::from_le_bytes(next(reader)?));
    let found = bytes.get(start..).unwrap_or_default();
    if sum != crc32(found) || u64::from(length) != found.len() as u64 & u64::from(u32::MAX) {
        return Err(Error::new(ErrorKind::InvalidData, "corrupt gzip stream does not have a matching checksum"));
    }
    Ok(None)
}

fn pass_header(reader: &mut dyn BufRead) -> Result<()> {
    let [0x1f, 0x8b, 8, flags @ ..0x20, ..] = next::<10>(reader)? else {
        return Err(Error::new(ErrorKind::InvalidData, "invalid gzip header"));
    };
    let has = |flag: u8| flags & flag != 0;
    if has(4) {
        for _ in 0..u16::from_le_bytes(next(reader)?) {
            next::<1>(reader)?;
        }
    }
    for _ in [8, 16].into_iter().filter(|text| has(*text)) {
        reader.skip_until(0)?;
    }
    if has(2) {
        next::<2>(reader)?;
    }
    Ok(())
}

fn next<const N: usize>(reader: &mut dyn BufRead) -> Result<[u8; N]> {
    let mut bytes = [0; N];
    // In the same words wherever the stream is cut.
    reader
        .read_exact(&mut bytes)
        .map_err(|e| if e.kind() == ErrorKind::UnexpectedEof { e.kind().into() } else { e })?;
    Ok(bytes)
}

/// A source read from front to back.
struct Sequential<'s, 'p> {
    source: &'s dyn Source,
    at: u64,
    progress: &'p mut dyn FnMut(u64),
}

impl Read for Sequential<'_, '_> {
    fn read(&mut self, buf: &mut [u8]) -> Result<usize> {
        let left = self.source.size().saturating_sub(self.at);
        let n = usize::try_from(left).unwrap_or(usize::MAX).min(buf.len());
        let part = buf.get_mut(..n).unwrap_or_default();
        self.source.read_at(self.at, part).map_err(|e: SourceError| Error::other(e))?;
        self.at = self.at.saturating_add(n as u64);
        (self.progress)(self.at);
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn members_are_joined() {
        let both = [gzip(b"one "), gzip(b"two")].concat();
        assert_eq!(inflate_slice(&both, 100), Inflated { bytes: b"one two".to_vec(), stopped: None });
        assert_eq!(inflate(&both, 7, &mut |_| {}).bytes, b"one two");
    }

    #[test]
    fn the_limit_holds() {
        let bomb = gzip(&vec![0; 1 << 20]);
        let out = inflate(&bomb, 1000, &mut |_| {});
        assert_eq!((out.bytes.len(), out.stopped), (1000, Some(Stopped::Limit)));
    }

    #[test]
    fn a_cut_stream_keeps_its_start() {
        let text: Vec<u8> = (0..100_000u32).flat_map(u32::to_le_bytes).collect();
        let packed = gzip(&text);
        let out = inflate_slice(&packed[..packed.len() / 2], u64::MAX);
        assert!(text.starts_with(&out.bytes) && out.bytes.len() > 1000);
        assert!(matches!(out.stopped, Some(Stopped::Damaged(_))));
    }
    #[test]
    fn headers_with_all_they_can_have() {
        let mut header = flate2::GzBuilder::new().filename("name").comment("words").extra([1, 2, 3]);
        header = header.mtime(1_700_000_000);
        let mut encoder = header.write(Vec::new(), flate2::Compression::fast());
        encoder.write_all(b"inside").unwrap();
        let packed = encoder.finish().unwrap();
        assert_eq!(inflate_slice(&packed, 100), Inflated { bytes: b"inside".to_vec(), stopped: None });
        for cut in 0..packed.len() {
            assert!(inflate_slice(&packed[..cut], 100).stopped.is_some(), "{cut}");
        }
    }

    #[test]
    fn damage_is_told() {
        let damaged = |bytes: &[u8]| match inflate_slice(bytes, 100) {
            Inflated { bytes, stopped: Some(Stopped::Damaged(reason)) } => (bytes, reason),
            other => panic!("{other:?}"),
        };
        let mut packed = gzip(b"text");
        let sum = packed.len() - 5;
        packed[sum] ^= 1;
        assert_eq!(
            damaged(&packed),
            (b"text".to_vec(), "corrupt gzip stream does not have a matching checksum".into())
        );
        let behind = [gzip(b"text"), b"no gzip here".to_vec()].concat();
        assert_eq!(damaged(&behind), (b"text".to_vec(), "invalid gzip header".into()));
        assert_eq!(damaged(&behind[..20]).1, "unexpected end of file");
    }
}
