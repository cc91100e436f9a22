//! This module unpacks into memory, up to a limit. If a stream ends early, the bytes before its end are kept.

use super::unpack::{Bomb, Packing, Sequential, unpacked};
use super::{Source, SourceError, gzip};
use std::io::Read;

/// The result of unpacking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inflated {
    /// The unpacked bytes.
    pub bytes: Vec<u8>,
    /// The reason why `bytes` is incomplete; `None` if it is complete.
    pub stopped: Option<Truncation>,
}

/// The reason why unpacking stopped before the end of the content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Truncation {
    /// The stream is cut or damaged, with the message of the decoder.
    Damaged(String),
    /// The content is larger than the limit of the caller.
    Limit,
    /// The ratio of unpacked to packed size is too high for a profile: [`Bomb`].
    Bomb,
}

/// Number of packed bytes that are read at once.
const WINDOW: usize = 1 << 18;

/// Unpacks the whole of `source` through the layers of `packing`, to at most `limit` bytes. Calls `progress` with the
/// number of packed bytes read so far.
pub fn inflate(source: &dyn Source, packing: Packing, limit: u64, progress: &mut dyn FnMut(u64)) -> Inflated {
    read_limited(unpacked(Sequential::new(source, Some(progress)), packing, WINDOW), limit)
}

/// Returns `len` bytes, from `offset` on, of the unpacked content of `source`. The bytes before `offset` are unpacked
/// and dropped.
///
/// # Errors
/// [`SourceError::PastEnd`] if the content ends before the range does, [`SourceError::Read`] if the source cannot be
/// read or unpacked that far.
pub fn inflate_range(source: &dyn Source, packing: Packing, offset: u64, len: u64) -> Result<Vec<u8>, SourceError> {
    let mut reader = unpacked(Sequential::new(source, None), packing, WINDOW);
    let refused = |e: std::io::Error| SourceError::Read { offset, reason: e.to_string() };
    let before = std::io::copy(&mut reader.by_ref().take(offset), &mut std::io::sink()).map_err(refused)?;
    let mut bytes = Vec::new();
    reader.take(len).read_to_end(&mut bytes).map_err(refused)?;
    let got = before.saturating_add(bytes.len() as u64);
    let end = offset.saturating_add(len);
    if got < end { Err(SourceError::PastEnd { offset, end, len: got }) } else { Ok(bytes) }
}

/// Unpacks gzip data in memory, such as the text of a stat, to at most `limit` bytes.
pub fn inflate_slice(bytes: &[u8], limit: u64) -> Inflated {
    read_limited(gzip::of_slice(bytes), limit)
}

fn read_limited(mut decoder: impl Read, limit: u64) -> Inflated {
    let mut bytes = Vec::new();
    let stopped = match decoder.by_ref().take(limit).read_to_end(&mut bytes) {
        Err(error) if Bomb::is(&error) => Some(Truncation::Bomb),
        Err(error) => Some(Truncation::Damaged(error.to_string())),
        Ok(_) if bytes.len() as u64 == limit && matches!(decoder.read(&mut [0]), Ok(1)) => Some(Truncation::Limit),
        Ok(_) => None,
    };
    Inflated { bytes, stopped }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::GZIP;
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
        assert_eq!(inflate(&both, GZIP.into(), 7, &mut |_| {}).bytes, b"one two");
    }

    #[test]
    fn inflate_range_equals_the_slice_of_the_whole() {
        let both = [gzip(b"one "), gzip(b"two")].concat();
        assert_eq!(inflate_range(&both, GZIP.into(), 2, 4).unwrap(), b"e tw");
        assert_eq!(inflate_range(&both, GZIP.into(), 5, 3), Err(SourceError::PastEnd { offset: 5, end: 8, len: 7 }));
        assert!(inflate_range(&both, GZIP.into(), 50, u64::MAX).is_err());
        assert!(inflate_range(&both[..both.len() / 2].to_vec(), GZIP.into(), 0, 7).is_err());
    }

    #[test]
    fn the_limit_holds() {
        let bomb = gzip(&vec![0; 1 << 20]);
        let out = inflate(&bomb, GZIP.into(), 1000, &mut |_| {});
        assert_eq!((out.bytes.len(), out.stopped), (1000, Some(Truncation::Limit)));
    }

    #[test]
    fn bomb_limit_is_independent_of_length() {
        let zeros = vec![0; 16 << 20];
        let (once, twice) = (Packing::from(GZIP), Packing::from(GZIP).with_layer(GZIP).unwrap());
        for (n, packing) in [(8, once), (40, once), (8, twice)] {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
            (0..n).for_each(|_| encoder.write_all(&zeros).unwrap());
            let mut bomb = encoder.finish().unwrap();
            if packing.layers().count() == 2 {
                bomb = gzip(&bomb);
            }
            let out = inflate(&bomb, packing, u64::MAX, &mut |_| {});
            assert_eq!(out.stopped, Some(Truncation::Bomb));
            assert!(out.bytes.len() < 65 << 20, "{}", out.bytes.len());
            let offset = n * (16 << 20) - 8;
            assert!(inflate_range(&bomb, packing, offset, 8).unwrap_err().to_string().contains("200 times"));
        }
        // Large content that does not compress well is not a bomb.
        let text: Vec<u8> = (0..20_000_000u32).flat_map(u32::to_le_bytes).collect();
        let out = inflate(&gzip(&text), once, u64::MAX, &mut |_| {});
        assert_eq!(out, Inflated { bytes: text, stopped: None });
    }

    #[test]
    fn a_cut_stream_keeps_its_start() {
        let text: Vec<u8> = (0..100_000u32).flat_map(u32::to_le_bytes).collect();
        let packed = gzip(&text);
        let out = inflate_slice(&packed[..packed.len() / 2], u64::MAX);
        assert!(text.starts_with(&out.bytes) && out.bytes.len() > 1000);
        assert!(matches!(out.stopped, Some(Truncation::Damaged(_))));
    }
}
