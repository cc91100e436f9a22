//! This module compares the sizes of the page and of the worker with their budgets.
//!
//! The size is the sum of the files that a visitor's browser fetches, each compressed with gzip at the best level.

use std::cmp::Reverse;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use flate2::Compression;
use flate2::write::GzEncoder;

/// Largest size of the page without the worker, in bytes after gzip. docs/PERFORMANCE.md has the measured sizes.
const PAGE_BUDGET: u64 = 1_250_000;
/// Largest size of the worker, in bytes after gzip.
const WORKER_BUDGET: u64 = 1_800_000;

const COUNTED: [&str; 5] = ["wasm", "js", "css", "html", "svg"];

/// A file of the page or the worker, with its sizes in bytes.
struct File {
    name: String,
    plain: u64,
    gzip: u64,
    is_worker: bool,
}

/// Prints a table of the files in `dist`. Returns the sizes in words.
///
/// # Errors
/// If a size is above its budget, or if `dist` cannot be read.
pub fn check(dist: &Path) -> Result<String> {
    let files = weigh(dist)?;
    print!("{}", table(&files));
    ensure!(!is_too_heavy(&files), "heavier than before: {}", verdict(&files));
    Ok(verdict(&files))
}

fn is_too_heavy(files: &[File]) -> bool {
    sum(files, false) > PAGE_BUDGET || sum(files, true) > WORKER_BUDGET
}

fn weigh(dist: &Path) -> Result<Vec<File>> {
    let mut files = Vec::new();
    let entries = fs::read_dir(dist);
    for entry in entries.with_context(|| format!("{} (built by `cargo xtask build`)", dist.display()))? {
        let path = entry?.path();
        if path.extension().is_some_and(|end| COUNTED.iter().any(|counted| end == *counted)) {
            let bytes = fs::read(&path)?;
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let is_worker = name.starts_with("worker");
            files.push(File { plain: bytes.len() as u64, gzip: gzip(&bytes)?, is_worker, name });
        }
    }
    files.sort_by_cached_key(|file| (file.is_worker, Reverse(file.gzip), file.name.clone()));
    Ok(files)
}

pub fn gzip(bytes: &[u8]) -> Result<u64> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?.len() as u64)
}

/// Returns the size of the worker's files or of the page's files, in bytes after gzip.
fn sum(files: &[File], is_worker: bool) -> u64 {
    files.iter().filter(|file| file.is_worker == is_worker).map(|file| file.gzip).sum()
}

fn table(files: &[File]) -> String {
    let width = files.iter().map(|file| file.name.len()).max().unwrap_or(0);
    let mut text = format!("{:width$}  {:>9}  {:>9}\n", "file", "plain", "gzip");
    for File { name, plain, gzip, .. } in files {
        let _ = writeln!(text, "{name:width$}  {:>9}  {:>9}", kb(*plain), kb(*gzip));
    }
    text + &verdict(files) + "\n"
}

fn kb(bytes: u64) -> String {
    format!("{:.1} kB", bytes as f64 / 1000.0)
}

/// Formats both sizes with their budgets.
fn verdict(files: &[File]) -> String {
    let sum_text = |is_worker, budget: u64| {
        let sum = sum(files, is_worker);
        format!("{} of {} gzip ({} %)", kb(sum), kb(budget), sum * 100 / budget)
    };
    format!("page {}, worker {}", sum_text(false, PAGE_BUDGET), sum_text(true, WORKER_BUDGET))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_lines_up_and_sums() {
        let is_worker = |name: &str| name.starts_with("worker");
        let file = |name: &str, plain, gzip| File { plain, gzip, is_worker: is_worker(name), name: name.to_owned() };
        let files =
            [file("app.wasm", 900_000, 300_000), file("app.js", 4_000, 1_024), file("worker_bg.wasm", 20_000, 9_999)];
        assert_eq!(
            table(&files),
            "file                plain       gzip\n\
             app.wasm         900.0 kB   300.0 kB\n\
             app.js             4.0 kB     1.0 kB\n\
             worker_bg.wasm    20.0 kB    10.0 kB\n\
             page 301.0 kB of 1250.0 kB gzip (24 %), worker 10.0 kB of 1800.0 kB gzip (0 %)\n"
        );
        assert!(!is_too_heavy(&files));
        assert!(is_too_heavy(&[file("app.wasm", 0, PAGE_BUDGET + 1)]));
        assert!(is_too_heavy(&[file("worker_bg.wasm", 0, WORKER_BUDGET + 1)]));
    }
}
