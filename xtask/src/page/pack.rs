//! `page.pack`: the whole page as one file, for those that are written with something inside (`share/html.rs`).
//!
//! ```text
//!  length of the unpacker, 4 bytes, little-endian │ the unpacker: a module, gzip │ LZMA of: a line of JSON │ all files' bytes
//!                                                   which unpacks what follows             name, type, length of each
//! ```
//!
//! Packed together and by LZMA it is a quarter smaller than its files are by gzip, which is all that browsers unpack themselves.
//! Packing takes seconds, so it is done here once and not where a file is saved. Knows the tools; not what a page in a file looks
//! like.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use flate2::Compression;
use flate2::write::GzEncoder;
use lzma_rust2::{LzmaOptions, LzmaWriter};

use crate::tools::{self, PageTools};
use crate::{process, repo};

/// The file's name. It stays: whoever asks for it knows no build.
pub const NAME: &str = "page.pack";

/// Packs the files of a page, by their names in `dir`, in this order.
pub fn build(tools: &PageTools, dir: &Path, names: &[String]) -> Result<Vec<u8>> {
    let mut files = Vec::new();
    for name in names {
        if let Some(kind) = kind(name) {
            files.push((name.as_str(), kind, fs::read(dir.join(name)).with_context(|| name.clone())?));
        }
    }
    joined(&unpacker(tools)?, &files)
}

fn joined(unpacker: &[u8], files: &[(&str, &str, Vec<u8>)]) -> Result<Vec<u8>> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(unpacker)?;
    let unpacker = gzip.finish()?;
    let mut out = u32::try_from(unpacker.len())?.to_le_bytes().to_vec();
    out.extend(unpacker);

    let mut plain = list(files).into_bytes();
    for (_, _, bytes) in files {
        plain.extend(bytes);
    }
    let mut options = LzmaOptions::with_preset(9);
    // All of it within reach, and no more: the reader makes room for that much.
    options.dict_size = u32::try_from(plain.len().next_power_of_two())?;
    // Programs are bytes, not words of four.
    (options.lc, options.pb, options.nice_len) = (4, 0, LzmaOptions::NICE_LEN_MAX);
    let mut lzma = LzmaWriter::new_use_header(out, &options, Some(plain.len() as u64))?;
    lzma.write_all(&plain)?;
    Ok(lzma.finish()?)
}

/// Name, type and length of each as a line of JSON. Names are a build's own: letters, digits, dashes, dots.
fn list(files: &[(&str, &str, Vec<u8>)]) -> String {
    let each: Vec<String> =
        files.iter().map(|(name, kind, bytes)| format!("[\"{name}\",\"{kind}\",{}]", bytes.len())).collect();
    format!("[{}]\n", each.join(","))
}

/// What a file is served as; `None` for those that a page on a disk does not need.
fn kind(name: &str) -> Option<&'static str> {
    let (_, end) = name.rsplit_once('.')?;
    Some(match end {
        "js" => "text/javascript",
        "css" => "text/css",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        _ => return None,
    })
}

/// The module that unpacks: `unpack/`.
fn unpacker(tools: &PageTools) -> Result<Vec<u8>> {
    let args = ["build", "--package", "rooflight-unpack", "--profile", "page", "--locked", "--target", tools::WASM];
    process::run(process::cargo().args(args).current_dir(repo::root()))?;
    let built = repo::target()?.join(tools::WASM).join("page/rooflight_unpack.wasm");
    let small = repo::target()?.join("of-page/unpack.wasm");
    process::run(Command::new(&tools.wasm_opt).args(["-Oz", "--strip-debug"]).arg(built).arg("-o").arg(&small))?;
    fs::read(&small).with_context(|| small.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::GzDecoder;
    use lzma_rust2::LzmaReader;
    use std::io::Read;

    #[test]
    fn all_of_it_comes_out_again() {
        let files = [
            ("app-1.js", "text/javascript", b"start()\n".to_vec()),
            ("app-1.wasm", "application/wasm", (0..=255).cycle().take(70_000).collect()),
        ];
        let pack = joined(b"\0asm", &files).unwrap();
        let (length, rest) = pack.split_at(4);
        let (unpacker, packed) = rest.split_at(u32::from_le_bytes(length.try_into().unwrap()) as usize);
        let mut found = Vec::new();
        GzDecoder::new(unpacker).read_to_end(&mut found).unwrap();
        assert_eq!(found, b"\0asm");
        let mut plain = Vec::new();
        LzmaReader::new_mem_limit(packed, 1 << 16, None).unwrap().read_to_end(&mut plain).unwrap();
        let list = "[[\"app-1.js\",\"text/javascript\",8],[\"app-1.wasm\",\"application/wasm\",70000]]\n";
        assert_eq!(plain, [list.as_bytes(), &files[0].2, &files[1].2].concat());
        assert!(pack.len() < 2000, "{} bytes", pack.len());
    }

    #[test]
    fn a_page_on_a_disk_has_no_service_worker_to_start() {
        assert_eq!((kind("app-1.js"), kind("favicon-1.svg")), (Some("text/javascript"), Some("image/svg+xml")));
        assert_eq!((kind("icon-192.png"), kind("manifest.webmanifest"), kind("app")), (None, None, None));
    }
}
