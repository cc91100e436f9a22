//! Gzip read from front to back, layer by layer, none of them a bomb: what unpacks to more than a profile can is an error
//! where it does, so neither memory nor time is spent on it. Knows streams; not what the bytes mean.
//!
//! ```text
//!  Source ─► Sequential ─► Layer ─► Layer ─► bytes
//!                          (.gz)    (a .gz within a zip is deflated once more)
//! ```

use super::Source;
use flate2::bufread::MultiGzDecoder;
use std::io::{BufReader, Error, Read, Result};
use thiserror::Error as Message;

/// Layers of gzip that a profile may lie in: its own, and that of an archive.
pub const MAX_LAYERS: u8 = 2;
/// What any file may unpack to, however small it is.
const ALLOWED: u64 = 64 << 20;
/// Beyond that, times its packed size: profiles reach 30, deflate 1032.
const RATIO: u64 = 200;

/// It unpacks to more than any profile does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Message)]
#[error("it unpacks to more than {RATIO} times its size, as no profile does")]
pub struct Bomb;

impl Bomb {
    /// Whether this is why reading failed.
    pub(super) fn is(error: &Error) -> bool {
        error.get_ref().and_then(|inner| inner.downcast_ref::<Self>()).is_some()
    }
}

/// Something read from front to back that says how far it is.
pub(super) trait Forward: Read {
    /// Bytes it gave so far.
    fn given(&self) -> u64;
    /// Bytes of the source that were read for it.
    fn at(&self) -> u64;
}

/// A source's bytes in their order, told of as they are read.
pub(super) struct Sequential<'s> {
    source: &'s dyn Source,
    at: u64,
    progress: Option<&'s mut dyn FnMut(u64)>,
}

impl<'s> Sequential<'s> {
    pub(super) fn new(source: &'s dyn Source, progress: Option<&'s mut dyn FnMut(u64)>) -> Self {
        Self { source, at: 0, progress }
    }
}

impl Read for Sequential<'_> {
    fn read(&mut self, buf: &mut [u8]) -> Result<usize> {
        let left = self.source.size().saturating_sub(self.at);
        let n = usize::try_from(left).unwrap_or(usize::MAX).min(buf.len());
        let part = buf.get_mut(..n).unwrap_or_default();
        self.source.read_at(self.at, part).map_err(Error::other)?;
        self.at = self.at.saturating_add(n as u64);
        if let Some(progress) = &mut self.progress {
            progress(self.at);
        }
        Ok(n)
    }
}

impl Forward for Sequential<'_> {
    fn given(&self) -> u64 {
        self.at
    }

    fn at(&self) -> u64 {
        self.at
    }
}

/// What one layer of gzip unpacks to; several members are read as one.
struct Layer<'s> {
    decoder: MultiGzDecoder<BufReader<Box<dyn Forward + 's>>>,
    given: u64,
}

impl Read for Layer<'_> {
    fn read(&mut self, buf: &mut [u8]) -> Result<usize> {
        let n = self.decoder.read(buf)?;
        self.given = self.given.saturating_add(n as u64);
        if self.given > ALLOWED {
            let packed = self.decoder.get_ref();
            let taken = packed.get_ref().given().saturating_sub(packed.buffer().len() as u64);
            if self.given > taken.saturating_mul(RATIO) {
                return Err(Error::other(Bomb));
            }
        }
        Ok(n)
    }
}

impl Forward for Layer<'_> {
    fn given(&self) -> u64 {
        self.given
    }

    fn at(&self) -> u64 {
        self.decoder.get_ref().get_ref().at()
    }
}

/// `plain` without its layers of gzip. Each is read by `window` bytes.
pub(super) fn unpacked<'s>(plain: Sequential<'s>, layers: u8, window: usize) -> Box<dyn Forward + 's> {
    let mut reader: Box<dyn Forward + 's> = Box::new(plain);
    for _ in 0..layers.min(MAX_LAYERS) {
        let decoder = MultiGzDecoder::new(BufReader::with_capacity(window, reader));
        reader = Box::new(Layer { decoder, given: 0 });
    }
    reader
}
