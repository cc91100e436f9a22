//! This module reads packed data from front to back, layer by layer, and refuses decompression bombs. A layer that
//! unpacks to more than a profile can is an error as soon as it does, so that neither memory nor time is spent on it.
//! The module does not depend on the compression of a layer or on the meaning of the bytes.
//!
//! ```text
//!  Source ─► Sequential ─► BombGuard ─► BombGuard ─► bytes
//!                          (.gz, .xz) (within a zip it may be deflated once more)
//! ```
//!
//! A [`Layer`] contains the function that opens it. A program that never names [`XZ`](super::XZ) is therefore linked
//! without the decoder of xz.

use super::Source;
use std::io::{BufReader, Error, Read, Result};
use thiserror::Error as Message;

/// Largest number of layers of a profile: its own layer, and the layer of an archive.
const MAX_LAYERS: usize = 2;
/// Unpacked size, in bytes, that every file may reach, however small it is.
const ALLOWED: u64 = 64 << 20;
/// Largest ratio of unpacked to packed size above [`ALLOWED`]. Profiles reach 36 (with xz, where the texts of a plane
/// repeat in each of 256 planes). Deflate can reach 1032, and xz some 7,000.
const RATIO: u64 = 200;

/// A kind of compression: its name, and the function that opens it.
#[derive(Clone, Copy)]
pub struct Layer {
    /// The name of the compression, as in "XSpace, gzip".
    pub name: &'static str,
    pub(super) open: Open,
}

/// The function that creates the decoder of a layer.
pub(super) type Open = for<'s> fn(Packed<'s>) -> Box<dyn Unpack<'s> + 's>;

/// The packed input of a layer, read window by window.
pub(super) type Packed<'s> = BufReader<Box<dyn CountedRead + 's>>;

/// A decoder that reads the content of a layer.
pub(super) trait Unpack<'s>: Read {
    /// Returns the packed input of the decoder.
    fn packed(&self) -> &Packed<'s>;
}

/// The layers in which a file is packed, from the outside in. The default is a file that is not packed.
#[derive(Clone, Copy, Default)]
pub struct Packing([Option<Layer>; MAX_LAYERS]);

impl Packing {
    /// Adds `layer` inside the present layers. Returns `None` if there are already two layers.
    pub fn with_layer(mut self, layer: Layer) -> Option<Self> {
        *self.0.iter_mut().find(|place| place.is_none())? = Some(layer);
        Some(self)
    }

    /// Iterates over the layers from the outside in.
    pub fn layers(&self) -> impl Iterator<Item = &Layer> {
        self.0.iter().flatten()
    }

    /// Returns whether there are no layers, so that the file is read without unpacking.
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

/// The error of a layer that unpacks to more than any profile does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Message)]
#[error("it unpacks to more than {RATIO} times its size, as no profile does")]
pub struct Bomb;

impl Bomb {
    /// Returns whether `error` is a [`Bomb`].
    pub(super) fn is(error: &Error) -> bool {
        error.get_ref().and_then(|inner| inner.downcast_ref::<Self>()).is_some()
    }
}

/// A reader from front to back that counts its bytes.
pub(super) trait CountedRead: Read {
    /// Returns the number of bytes that the reader has returned so far.
    fn bytes_out(&self) -> u64;
    /// Returns the number of bytes of the source that were read so far.
    fn position(&self) -> u64;
}

/// A reader of the bytes of a source, from front to back. It reports its position to `progress` after each read.
pub(super) struct Sequential<'s> {
    source: &'s dyn Source,
    position: u64,
    progress: Option<&'s mut dyn FnMut(u64)>,
}

impl<'s> Sequential<'s> {
    pub(super) fn new(source: &'s dyn Source, progress: Option<&'s mut dyn FnMut(u64)>) -> Self {
        Self { source, position: 0, progress }
    }
}

impl Read for Sequential<'_> {
    fn read(&mut self, buf: &mut [u8]) -> Result<usize> {
        let left = self.source.size().saturating_sub(self.position);
        let n = usize::try_from(left).unwrap_or(usize::MAX).min(buf.len());
        let part = buf.get_mut(..n).unwrap_or_default();
        self.source.read_at(self.position, part).map_err(Error::other)?;
        self.position = self.position.saturating_add(n as u64);
        if let Some(progress) = &mut self.progress {
            progress(self.position);
        }
        Ok(n)
    }
}

impl CountedRead for Sequential<'_> {
    fn bytes_out(&self) -> u64 {
        self.position
    }

    fn position(&self) -> u64 {
        self.position
    }
}

/// A reader of the content of one layer that compares the unpacked size with the packed size.
struct BombGuard<'s> {
    layer: Box<dyn Unpack<'s> + 's>,
    bytes_out: u64,
}

impl Read for BombGuard<'_> {
    fn read(&mut self, buf: &mut [u8]) -> Result<usize> {
        let n = self.layer.read(buf)?;
        self.bytes_out = self.bytes_out.saturating_add(n as u64);
        if self.bytes_out > ALLOWED {
            let packed = self.layer.packed();
            let taken = packed.get_ref().bytes_out().saturating_sub(packed.buffer().len() as u64);
            if self.bytes_out > taken.saturating_mul(RATIO) {
                return Err(Error::other(Bomb));
            }
        }
        Ok(n)
    }
}

impl CountedRead for BombGuard<'_> {
    fn bytes_out(&self) -> u64 {
        self.bytes_out
    }

    fn position(&self) -> u64 {
        self.layer.packed().get_ref().position()
    }
}

/// Returns a reader of the content of `plain`, unpacked through the layers of `packing`. The input of each layer is
/// read in pieces of `window` bytes.
pub(super) fn unpacked<'s>(plain: Sequential<'s>, packing: Packing, window: usize) -> Box<dyn CountedRead + 's> {
    let mut reader: Box<dyn CountedRead + 's> = Box::new(plain);
    for layer in packing.layers() {
        let layer = (layer.open)(BufReader::with_capacity(window, reader));
        reader = Box::new(BombGuard { layer, bytes_out: 0 });
    }
    reader
}
