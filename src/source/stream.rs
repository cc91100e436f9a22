//! A source read once from front to back, unpacked on the way if it is gzip: for texts that need no second look.
//! Holds two windows, never the whole.

use super::Source;
use flate2::bufread::MultiGzDecoder;
use std::io::{BufReader, Read, Result};

/// What a source says, from front to back.
pub struct Stream<'s>(Form<'s>);

enum Form<'s> {
    Plain(Sequential<'s>),
    /// Several members are read as one.
    Gzip(Box<MultiGzDecoder<BufReader<Sequential<'s>>>>),
}

impl<'s> Stream<'s> {
    /// The bytes of `source`, or what they unpack to.
    pub fn new(source: &'s dyn Source, packed: bool) -> Self {
        let plain = Sequential { source, at: 0 };
        if !packed {
            return Self(Form::Plain(plain));
        }
        let reader = BufReader::with_capacity(window(source), plain);
        Self(Form::Gzip(Box::new(MultiGzDecoder::new(reader))))
    }

    /// How many bytes are best asked for at once.
    pub fn stride(&self) -> usize {
        match &self.0 {
            Form::Plain(plain) => window(plain.source),
            Form::Gzip(_) => UNPACKED,
        }
    }

    /// Bytes of the source that were read so far: packed ones, where it is packed.
    pub fn at(&self) -> u64 {
        match &self.0 {
            Form::Plain(plain) => plain.at,
            Form::Gzip(decoder) => decoder.get_ref().get_ref().at,
        }
    }
}

impl Read for Stream<'_> {
    fn read(&mut self, buf: &mut [u8]) -> Result<usize> {
        match &mut self.0 {
            Form::Plain(plain) => plain.read(buf),
            Form::Gzip(decoder) => decoder.read(buf),
        }
    }
}

/// Unpacked bytes asked for at once: more would leave the processor's caches.
const UNPACKED: usize = 1 << 17;

fn window(source: &dyn Source) -> usize {
    usize::try_from(source.stride()).unwrap_or(UNPACKED).max(1)
}

/// A source's bytes in their order.
pub(super) struct Sequential<'s> {
    pub(super) source: &'s dyn Source,
    pub(super) at: u64,
}

impl Read for Sequential<'_> {
    fn read(&mut self, buf: &mut [u8]) -> Result<usize> {
        let left = self.source.size().saturating_sub(self.at);
        let n = usize::try_from(left).unwrap_or(usize::MAX).min(buf.len());
        let part = buf.get_mut(..n).unwrap_or_default();
        self.source.read_at(self.at, part).map_err(std::io::Error::other)?;
        self.at = self.at.saturating_add(n as u64);
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_cut_is_an_error_once_its_end_is_reached() {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(b"some text, some text").unwrap();
        let packed = encoder.finish().unwrap();
        for n in 0..packed.len() {
            let source = packed.get(..n).unwrap();
            assert!(Stream::new(&source, true).read_to_end(&mut Vec::new()).is_err(), "{n} of {}", packed.len());
            let (mut stream, mut buf) = (Stream::new(&source, true), [0; 100]);
            assert!((0..4).any(|_| stream.read(&mut buf).is_err()), "{n}");
        }
    }

    #[test]
    fn plain_and_packed_are_the_same_bytes() {
        let text = "0123456789".repeat(100_000).into_bytes();
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(&text).unwrap();
        let packed = encoder.finish().unwrap();
        for (source, is_packed) in [(&text, false), (&packed, true)] {
            let mut stream = Stream::new(source, is_packed);
            let mut read = Vec::new();
            stream.read_to_end(&mut read).unwrap();
            assert!(read == text);
            assert_eq!(stream.at(), source.len() as u64);
        }
    }
}
