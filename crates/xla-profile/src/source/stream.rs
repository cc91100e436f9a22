//! This module reads a source once from front to back and unpacks it on the way. Texts are read this way. Memory holds
//! a window per layer, never the whole content.

use super::Source;
use super::unpack::{CountedRead, Packing, Sequential, unpacked};
use std::io::{Read, Result};

/// A reader of the unpacked content of a source, from front to back.
pub struct Stream<'s> {
    reader: Box<dyn CountedRead + 's>,
    stride: usize,
}

impl<'s> Stream<'s> {
    /// Creates a reader that unpacks the layers of `packing`. Without layers, the reader returns the bytes of `source`.
    pub fn new(source: &'s dyn Source, packing: Packing) -> Self {
        let window = usize::try_from(source.stride()).unwrap_or(UNPACKED).max(1);
        let stride = if packing.is_plain() { window } else { UNPACKED };
        Self { reader: unpacked(Sequential::new(source, None), packing, window), stride }
    }

    /// Returns the number of bytes that are best requested at once.
    pub const fn stride(&self) -> usize {
        self.stride
    }

    /// Returns the number of bytes of the source that were read so far. These are packed bytes if the source is packed.
    pub fn position(&self) -> u64 {
        self.reader.position()
    }
}

impl Read for Stream<'_> {
    fn read(&mut self, buf: &mut [u8]) -> Result<usize> {
        self.reader.read(buf)
    }
}

/// Number of unpacked bytes that are requested at once. More bytes would not stay in the caches of the processor.
const UNPACKED: usize = 1 << 17;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::GZIP;
    use std::io::Write;

    #[test]
    fn a_cut_is_an_error_once_its_end_is_reached() {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(b"some text, some text").unwrap();
        let packed = encoder.finish().unwrap();
        for n in 0..packed.len() {
            let source = packed.get(..n).unwrap();
            assert!(Stream::new(&source, GZIP.into()).read_to_end(&mut Vec::new()).is_err(), "{n} of {}", packed.len());
            let (mut stream, mut buf) = (Stream::new(&source, GZIP.into()), [0; 100]);
            assert!((0..4).any(|_| stream.read(&mut buf).is_err()), "{n}");
        }
    }

    #[test]
    fn plain_and_packed_are_the_same_bytes() {
        let text = "0123456789".repeat(100_000).into_bytes();
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(&text).unwrap();
        let packed = encoder.finish().unwrap();
        for (source, packing) in [(&text, Packing::default()), (&packed, GZIP.into())] {
            let mut stream = Stream::new(source, packing);
            let mut read = Vec::new();
            stream.read_to_end(&mut read).unwrap();
            assert!(read == text);
            assert_eq!(stream.position(), source.len() as u64);
        }
    }
}
