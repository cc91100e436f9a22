//! A capture packed with xz, as tightly as that goes: the same bytes give the same file.

use super::Failure;
use lzma_rust2::{XzOptions, XzWriter};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Packs a file beside it, as `.xz`.
pub fn pack(capture: &Path) -> Result<(), Failure> {
    let mut options = XzOptions::with_preset(9);
    // Whoever unpacks it needs as much.
    options.lzma_options.dict_size = 16 << 20;
    // Numbers of varying length lie at any place, so places say nothing.
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
