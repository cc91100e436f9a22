//! What is packed read from front to back, layer by layer, none of them a bomb: what unpacks to more than a profile can is an
//! error where it does, so neither memory nor time is spent on it. This module knows streams; neither how a layer packs nor what the bytes mean.
//!
//! ```text
//!  Source ─► Sequential ─► Counted ─► Counted ─► bytes
//!                          (.gz, .xz) (within a zip it may be deflated once more)
//! ```
//!
//! A layer brings what opens it with it: whoever never names [`XZ`](super::XZ) is linked without its decoder.

use super::Source;
use std::io::{BufReader, Error, Read, Result};
use thiserror::Error as Message;

/// Layers that a profile may lie in: its own, and that of an archive.
const MAX_LAYERS: usize = 2;
/// What any file may unpack to, however small it is, bytes.
const ALLOWED: u64 = 64 << 20;
/// Beyond that, times its packed size. Profiles reach 36, with xz where a plane's texts stand in each of 256 planes; deflate
/// reaches 1032, xz some 7,000.
const RATIO: u64 = 200;

/// One way to pack: its name, and what opens it.
#[derive(Clone, Copy)]
pub struct Layer {
    /// Its name, as it stands in "XSpace, gzip".
    pub name: &'static str,
    pub(super) open: Open,
}

/// Opens a layer.
pub(super) type Open = for<'s> fn(Packed<'s>) -> Box<dyn Unpack<'s> + 's>;

/// What is packed, read by windows.
pub(super) type Packed<'s> = BufReader<Box<dyn Forward + 's>>;

/// Reads what a layer holds.
pub(super) trait Unpack<'s>: Read {
    /// What it reads from.
    fn packed(&self) -> &Packed<'s>;
}

/// The layers that a file lies in, from the outside in.
#[derive(Clone, Copy, Default)]
pub struct Packing([Option<Layer>; MAX_LAYERS]);

impl Packing {
    /// With one more layer inside of those; `None` where no profile lies that deep.
    pub fn with_layer(mut self, layer: Layer) -> Option<Self> {
        *self.0.iter_mut().find(|place| place.is_none())? = Some(layer);
        Some(self)
    }

    /// From the outside in.
    pub fn layers(&self) -> impl Iterator<Item = &Layer> {
        self.0.iter().flatten()
    }

    /// The file is read as it lies.
    pub fn is_plain(&self) -> bool {
        self.layers().next().is_none()
    }
}

impl From<Layer> for Packing {
    fn from(layer: Layer) -> Self {
        let mut packing = Self::default();
        if let Some(outer) = packing.0.first_mut() {
            *outer = Some(layer);
        }
        packing
    }
}

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
    fn position(&self) -> u64;
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

    fn position(&self) -> u64 {
        self.at
    }
}

/// What one layer unpacks to, compared with what it was packed to.
struct Counted<'s> {
    layer: Box<dyn Unpack<'s> + 's>,
    given: u64,
}

impl Read for Counted<'_> {
    fn read(&mut self, buf: &mut [u8]) -> Result<usize> {
        let n = self.layer.read(buf)?;
        self.given = self.given.saturating_add(n as u64);
        if self.given > ALLOWED {
            let packed = self.layer.packed();
            let taken = packed.get_ref().given().saturating_sub(packed.buffer().len() as u64);
            if self.given > taken.saturating_mul(RATIO) {
                return Err(Error::other(Bomb));
            }
        }
        Ok(n)
    }
}

impl Forward for Counted<'_> {
    fn given(&self) -> u64 {
        self.given
    }

    fn position(&self) -> u64 {
        self.layer.packed().get_ref().position()
    }
}

/// `plain` without its layers. Each is read by `window` bytes.
pub(super) fn unpacked<'s>(plain: Sequential<'s>, packing: Packing, window: usize) -> Box<dyn Forward + 's> {
    let mut reader: Box<dyn Forward + 's> = Box::new(plain);
    for layer in packing.layers() {
        let layer = (layer.open)(BufReader::with_capacity(window, reader));
        reader = Box::new(Counted { layer, given: 0 });
    }
    reader
}
