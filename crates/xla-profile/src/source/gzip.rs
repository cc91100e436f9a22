//! gzip, as a layer and of a piece in memory. Several members are read as one.

use super::unpack::{Layer, Packed, Unpack};
use flate2::bufread::MultiGzDecoder;
use std::io::Read;

/// gzip.
pub const GZIP: Layer = Layer { name: "gzip", open: |packed| Box::new(MultiGzDecoder::new(packed)) };

impl<'s> Unpack<'s> for MultiGzDecoder<Packed<'s>> {
    fn packed(&self) -> &Packed<'s> {
        self.get_ref()
    }
}

/// What a piece in memory unpacks to.
pub(super) fn of_slice(bytes: &[u8]) -> impl Read {
    MultiGzDecoder::new(bytes)
}
