//! This module packs a capture with xz at its strongest compression. The same bytes give the same file.

use super::Failure;
use lzma_rust2::{XzOptions, XzWriter};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Packs a file into a file beside it, whose name ends in `.xz`.
pub fn pack(capture: &Path) -> Result<(), Failure> {
    let mut options = XzOptions::with_preset(9);
    // A reader needs as much memory as the dictionary to unpack the file.
    options.lzma_options.dict_size = 16 << 20;
    // Numbers of varying length begin at any offset, so an offset carries no information.
    options.lzma_options.pb = 0;
    options.lzma_options.nice_len = lzma_rust2::LzmaOptions::NICE_LEN_MAX;
    options.lzma_options.depth_limit = 1000;
    let mut packed = capture.as_os_str().to_owned();
    packed.push(".xz");
    let mut xz = XzWriter::new(BufWriter::new(File::create(packed)?), options)?;
    xz.write_all(&std::fs::read(capture)?)?;
    xz.finish()?.flush()?;
    Ok(())
}
