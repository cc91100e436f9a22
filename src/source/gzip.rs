//! Unpacks gzip into memory, with a limit. Several members are read as one; a stream that ends early keeps
//! what came before.

use super::unpack::{Bomb, Sequential, unpacked};
use super::{Source, SourceError};
use flate2::bufread::MultiGzDecoder;
use std::io::Read;

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
    /// It unpacks to more than any profile does: [`Bomb`].
    Bomb,
}

/// Packed bytes read at once.
const WINDOW: usize = 1 << 18;

/// Unpacks all of `source`, which lies in so many layers of gzip, to at most `limit` bytes. `progress` hears how many packed
/// bytes were read.
pub fn inflate(source: &dyn Source, layers: u8, limit: u64, progress: &mut dyn FnMut(u64)) -> Inflated {
    read_limited(unpacked(Sequential::new(source, Some(progress)), layers, WINDOW), limit)
}

/// Bytes of what `source` unpacks to, `len` of them from `offset` on. What comes before is unpacked and dropped.
///
/// # Errors
/// Where the stream ends or breaks before.
pub fn inflate_range(source: &dyn Source, layers: u8, offset: u64, len: u64) -> Result<Vec<u8>, SourceError> {
    let mut reader = unpacked(Sequential::new(source, None), layers, WINDOW);
    let refused = |e: std::io::Error| SourceError::Read { offset, reason: e.to_string() };
    let before = std::io::copy(&mut reader.by_ref().take(offset), &mut std::io::sink()).map_err(refused)?;
    let mut bytes = Vec::new();
    reader.take(len).read_to_end(&mut bytes).map_err(refused)?;
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
        Err(error) if Bomb::is(&error) => Some(Stopped::Bomb),
        Err(error) => Some(Stopped::Damaged(error.to_string())),
        Ok(_) if bytes.len() as u64 == limit && matches!(decoder.read(&mut [0]), Ok(1)) => Some(Stopped::Limit),
        Ok(_) => None,
    };
    Inflated { bytes, stopped }
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
        assert_eq!(inflate(&both, 1, 7, &mut |_| {}).bytes, b"one two");
    }

    #[test]
    fn a_range_is_that_of_the_whole() {
        let both = [gzip(b"one "), gzip(b"two")].concat();
        assert_eq!(inflate_range(&both, 1, 2, 4).unwrap(), b"e tw");
        assert_eq!(inflate_range(&both, 1, 5, 3), Err(SourceError::PastEnd { offset: 5, end: 8, len: 7 }));
        assert!(inflate_range(&both, 1, 50, u64::MAX).is_err());
        assert!(inflate_range(&both[..both.len() / 2].to_vec(), 1, 0, 7).is_err());
    }

    #[test]
    fn the_limit_holds() {
        let bomb = gzip(&vec![0; 1 << 20]);
        let out = inflate(&bomb, 1, 1000, &mut |_| {});
        assert_eq!((out.bytes.len(), out.stopped), (1000, Some(Stopped::Limit)));
    }

    #[test]
    fn a_bomb_is_none_the_bigger_for_being_long() {
        let zeros = vec![0; 16 << 20];
        for (n, layers) in [(8, 1), (40, 1), (8, 2)] {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
            (0..n).for_each(|_| encoder.write_all(&zeros).unwrap());
            let mut bomb = encoder.finish().unwrap();
            if layers == 2 {
                bomb = gzip(&bomb);
            }
            let out = inflate(&bomb, layers, u64::MAX, &mut |_| {});
            assert_eq!(out.stopped, Some(Stopped::Bomb));
            assert!(out.bytes.len() < 65 << 20, "{}", out.bytes.len());
            let at = n * (16 << 20) - 8;
            assert!(inflate_range(&bomb, layers, at, 8).unwrap_err().to_string().contains("200 times"));
        }
        // As large, and not as plain.
        let text: Vec<u8> = (0..20_000_000u32).flat_map(u32::to_le_bytes).collect();
        assert_eq!(inflate(&gzip(&text), 1, u64::MAX, &mut |_| {}), Inflated { bytes: text, stopped: None });
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
