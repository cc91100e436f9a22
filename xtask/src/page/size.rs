//! The page's weight against its budget.
//!
//! Counted is what a visitor's browser fetches, each file compressed on its own as a static host sends it (gzip, best
//! level): to show a profile, that is `index.html` and what it names; and all, with the parts that are fetched when they
//! are first needed.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use flate2::Compression;
use flate2::write::GzEncoder;

/// Of the first load: 600 kB, in bytes of 1000 to the kB.
pub const BUDGET: u64 = 600_000;

/// The check holds the first load to this: docs/PERFORMANCE.md says what is above the budget, and until when.
const FIRST_CEILING: u64 = 610_000;

/// The check holds all files to this: nothing gets light by being put off, and no view gets heavier unnoticed. A new view raises
/// it, and docs/PERFORMANCE.md says by how much.
const ALL_CEILING: u64 = 1_555_000;

const COUNTED: [&str; 5] = ["wasm", "js", "css", "html", "svg"];

/// One file of the page.
struct File {
    name: String,
    plain: u64,
    gzip: u64,
    /// Whether it is fetched to show a profile.
    first: bool,
}

/// Prints the table; fails above a ceiling.
pub fn report(dist: &Path) -> Result<ExitCode> {
    let files = weigh(dist)?;
    print!("{}", table(&files));
    Ok(if is_too_heavy(&files) { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The names of the page's files but `index.html`, what is fetched first in front.
///
/// # Errors
/// Where the folder has no page.
pub fn files(dist: &Path) -> Result<Vec<String>> {
    let files = weigh(dist)?.into_iter().filter(|file| file.name != "index.html");
    Ok(files.map(|file| file.name).collect())
}

/// The page's weight in words, its table printed.
///
/// # Errors
/// Above a ceiling.
pub fn check(dist: &Path) -> Result<String> {
    let files = weigh(dist)?;
    print!("{}", table(&files));
    ensure!(!is_too_heavy(&files), "heavier than before: {}", verdict(&files));
    Ok(verdict(&files))
}

fn is_too_heavy(files: &[File]) -> bool {
    first(files) > FIRST_CEILING || all(files) > ALL_CEILING
}

fn weigh(dist: &Path) -> Result<Vec<File>> {
    let index = dist.join("index.html");
    let index =
        fs::read_to_string(&index).with_context(|| format!("{} (built by `cargo xtask build`)", index.display()))?;
    let mut files = Vec::new();
    for entry in fs::read_dir(dist)? {
        let path = entry?.path();
        if path.extension().is_some_and(|end| COUNTED.iter().any(|counted| end == *counted)) {
            let bytes = fs::read(&path)?;
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let first = name == "index.html" || index.contains(&name);
            files.push(File { plain: bytes.len() as u64, gzip: gzip(&bytes)?, first, name });
        }
    }
    let order = |file: &File| (!file.first, u64::MAX - file.gzip);
    files.sort_by(|a, b| order(a).cmp(&order(b)).then_with(|| a.name.cmp(&b.name)));
    Ok(files)
}

fn gzip(bytes: &[u8]) -> Result<u64> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?.len() as u64)
}

/// What is fetched to show a profile.
fn first(files: &[File]) -> u64 {
    files.iter().filter(|file| file.first).map(|file| file.gzip).sum()
}

fn all(files: &[File]) -> u64 {
    files.iter().map(|file| file.gzip).sum()
}

fn table(files: &[File]) -> String {
    let width = files.iter().map(|file| file.name.len()).max().unwrap_or(0).max("first load".len());
    let mut text = format!("{:width$}  {:>10}  {:>10}\n", "file", "bytes", "gzip");
    let mut line = |name: &str, plain: u64, gzip: u64| {
        let _ = writeln!(text, "{name:width$}  {:>10}  {:>10}", thousands(plain), thousands(gzip));
    };
    for (at, file) in files.iter().enumerate() {
        line(&file.name, file.plain, file.gzip);
        if file.first && files.get(at + 1).is_none_or(|next| !next.first) {
            line("first load", files[..=at].iter().map(|file| file.plain).sum(), first(files));
        }
    }
    line("all", files.iter().map(|file| file.plain).sum(), all(files));
    text + &verdict(files) + "\n"
}

/// The sums in words, against the budget.
fn verdict(files: &[File]) -> String {
    let kb = |bytes: u64| format!("{}.{} kB", bytes / 1000, bytes % 1000 / 100);
    let gzip = first(files);
    let over = if gzip > BUDGET { format!(", {} above the budget", kb(gzip - BUDGET)) } else { String::new() };
    let part = gzip * 100 / BUDGET;
    format!("first load {} of {} gzip ({part} %){over}; all {}", kb(gzip), kb(BUDGET), kb(all(files)))
}

fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let head = digits.len() % 3;
    let groups = digits.as_bytes()[head..].chunks(3).map(|group| String::from_utf8_lossy(group).into_owned());
    let first = (head > 0).then(|| digits[..head].to_owned());
    first.into_iter().chain(groups).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped_from_the_right() {
        let shown: Vec<String> = [0, 12, 999, 1000, 350_000, 1_234_567].map(thousands).into();
        assert_eq!(shown, ["0", "12", "999", "1,000", "350,000", "1,234,567"]);
    }

    #[test]
    fn the_table_lines_up_and_sums() {
        let file = |name: &str, plain, gzip, first| File { name: name.to_owned(), plain, gzip, first };
        let files = [
            file("app.wasm", 900_000, 300_000, true),
            file("app.js", 4_000, 1_024, true),
            file("op.wasm", 20_000, 9_999, false),
        ];
        assert_eq!(
            table(&files),
            "file             bytes        gzip\n\
             app.wasm       900,000     300,000\n\
             app.js           4,000       1,024\n\
             first load     904,000     301,024\n\
             op.wasm         20,000       9,999\n\
             all            924,000     311,023\n\
             first load 301.0 kB of 600.0 kB gzip (50 %); all 311.0 kB\n"
        );
        assert!(!is_too_heavy(&files));
        assert!(is_too_heavy(&[file("app.wasm", 0, FIRST_CEILING + 1, true)]));
        assert!(is_too_heavy(&[file("op.wasm", 0, ALL_CEILING + 1, false)]));
    }
}
