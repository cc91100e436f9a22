//! This module unpacks gzip, both as a [`Layer`] of a file and for a slice in memory. Several members are read as one
//! stream.

use super::unpack::{Layer, Packed, Unpack};
use flate2::bufread::MultiGzDecoder;
use std::io::Read;

/// The layer of a file that is packed with gzip.
pub const GZIP: Layer = Layer { name: "gzip", open: |packed| Box::new(MultiGzDecoder::new(packed)) };

impl<'s> Unpack<'s> for MultiGzDecoder<Packed<'s>> {
    fn packed(&self) -> &Packed<'s> {
        self.get_ref()
    }
}

/// Returns a reader of the unpacked content of `bytes`.
pub(super) fn of_slice(bytes: &[u8]) -> impl Read {
    MultiGzDecoder::new(bytes)
}
