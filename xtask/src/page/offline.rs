//! The service worker that keeps the page's own files: which those are, of which build.
//!
//! Pure text → text. Must not touch files.

use anyhow::{Result, ensure};
use sha2::{Digest, Sha256};

/// The service worker `text` of a build: with its files, the script that its page starts with, and the sample's name.
///
/// # Errors
/// Where it lacks a place for one of them.
pub fn fill(text: &str, files: &[String], script: &str, sample: &str) -> Result<String> {
    let names: Vec<String> = files.iter().map(|name| format!("\"{name}\"")).collect();
    let names = names.join(", ");
    // Names have the hashes of what is in the files: another build has another list.
    let hash = Sha256::digest([text, &names].concat());
    let build: String = hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let mut text = text.to_owned();
    let places = [
        ("/* FILES */", &*names),
        ("\"BUILD\"", &format!("\"{build}\"")),
        ("\"SCRIPT\"", &format!("\"{script}\"")),
        ("\"SAMPLE\"", &format!("\"{sample}\"")),
    ];
    for (place, value) in places {
        ensure!(text.matches(place).count() == 1, "sw.js needs {place} exactly once");
        text = text.replace(place, value);
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORKER: &str = "const B = \"BUILD\", F = [/* FILES */], S = \"SCRIPT\", M = \"SAMPLE\";";

    fn files(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn each_build_has_a_cache_of_its_own() {
        let filled = fill(WORKER, &files(&["a-1.js", "b-2.css"]), "a-1.js", "s.gz").unwrap();
        assert!(filled.contains("F = [\"a-1.js\", \"b-2.css\"], S = \"a-1.js\", M = \"s.gz\";"), "{filled}");
        let other = fill(WORKER, &files(&["a-9.js", "b-2.css"]), "a-1.js", "s.gz").unwrap();
        let build = |text: &str| text.split(',').next().unwrap().to_owned();
        assert_ne!(build(&filled), build(&other));
        assert_eq!(build(&filled).len(), "const B = \"0123456789abcdef\"".len());
        assert!(fill("const F = [];", &files(&[]), "", "").is_err());
    }
}
