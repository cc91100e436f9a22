//! Unpacks gzip into memory, with a limit. Several members are read as one; a stream that ends early keeps
//! what came before.

use super::stream::Sequential;
use super::{Source, SourceError};
use flate2::bufread::MultiGzDecoder;
use std::io::{BufReader, Read};

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
    let reader = BufReader::with_capacity(1 << 18, Heard::new(source, progress));
    read_limited(MultiGzDecoder::new(reader), limit)
}

/// Bytes of what `source` unpacks to, `len` of them from `offset` on. What comes before is unpacked and dropped.
///
/// # Errors
/// Where the stream ends or breaks before.
pub fn inflate_range(source: &dyn Source, offset: u64, len: u64) -> Result<Vec<u8>, SourceError> {
    let mut progress = |_| {};
    let reader = BufReader::with_capacity(1 << 18, Heard::new(source, &mut progress));
    let mut decoder = MultiGzDecoder::new(reader);
    let refused = |e: std::io::Error| SourceError::Read { offset, reason: e.to_string() };
    let before = std::io::copy(&mut decoder.by_ref().take(offset), &mut std::io::sink()).map_err(refused)?;
    let mut bytes = Vec::new();
    decoder.take(len).read_to_end(&mut bytes).map_err(refused)?;
    let got = before.saturating_add(bytes.len() as u64);
    let end = offset.saturating_add(len);
    if got < end { Err(SourceError::PastEnd { offset, end, len: got }) } else { Ok(bytes) }
}

/// Unpacks a small piece, such as a stat's text.
pub fn inflate_slice(bytes: &[u8], limit: u64) -> Inflated {
    read_limited(MultiGzDecoder::new(bytes), limit)
}

fn read_limited(mut decoder: impl Read, limit: u64) -> Inflated {
    let mut bytes = Vec::new();
    let stopped = match decoder.by_ref().take(limit).read_to_end(&mut bytes) {
        Err(error) => Some(Stopped::Damaged(error.to_string())),
        Ok(_) if bytes.len() as u64 == limit && matches!(decoder.read(&mut [0]), Ok(1)) => Some(Stopped::Limit),
        Ok(_) => None,
    };
    Inflated { bytes, stopped }
}

/// A source read from front to back, told of as it is read.
struct Heard<'s, 'p> {
    source: Sequential<'s>,
    progress: &'p mut dyn FnMut(u64),
}

impl<'s, 'p> Heard<'s, 'p> {
    fn new(source: &'s dyn Source, progress: &'p mut dyn FnMut(u64)) -> Self {
        Self { source: Sequential { source, at: 0 }, progress }
    }
}

impl Read for Heard<'_, '_> {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        let n = self.source.read(buf)?;
        (self.progress)(self.source.at);
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
    fn a_range_is_that_of_the_whole() {
        let both = [gzip(b"one "), gzip(b"two")].concat();
        assert_eq!(inflate_range(&both, 2, 4).unwrap(), b"e tw");
        assert_eq!(inflate_range(&both, 5, 3), Err(SourceError::PastEnd { offset: 5, end: 8, len: 7 }));
        assert!(inflate_range(&both, 50, u64::MAX).is_err());
        assert!(inflate_range(&both[..both.len() / 2].to_vec(), 0, 7).is_err());
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
}
