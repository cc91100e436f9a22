//! This module holds the check that every packing must pass.

use xla_profile::source::{Packing, Stream, inflate, inflate_range};
use std::io::Read;

/// Unpacks `bytes` and returns the result. Checks that reading them as a stream gives the same bytes, and that a range
/// equals that range of the whole.
pub fn check(bytes: &Vec<u8>, packing: Packing) -> Vec<u8> {
    let whole = inflate(bytes, packing, 1 << 27, &mut |_| {});
    let mut streamed = Vec::new();
    let read = Stream::new(bytes, packing).take(1 << 27).read_to_end(&mut streamed);
    if whole.stopped.is_none() {
        assert!(read.is_ok() && streamed == whole.bytes);
        let (start, len) = (whole.bytes.len() / 3, whole.bytes.len() / 2);
        let range = inflate_range(bytes, packing, start as u64, len as u64).expect("it is within the whole");
        assert!(range == whole.bytes[start..start + len]);
    }
    whole.bytes
}
