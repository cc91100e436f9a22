//! This module does the steps that Trunk cannot do, on the folder that Trunk has built. Trunk's hook runs them.
//!
//! ```text
//!  worker.js, worker_bg.wasm ──► renamed: their names get hashes of their contents
//!  index.html ──► gets the new names, and the hashes of its inline scripts in its policy (module `policy`)
//!  files of the page ──► page.pack, from which HTML files with a report are made (`share/html.rs`)
//!  sw.js ──► gets the list of all files that it keeps for use without a network
//! ```

use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

use super::policy;

/// The file from which HTML files with a report are made. The page fetches this fixed name, so it has no hash.
const PACK: &str = "page.pack";
const SERVICE_WORKER: &str = "sw.js";
/// The captures that the landing page opens. The service worker keeps them once they were opened.
const SAMPLES: [&str; 2] = ["sample.xplane.pb.xz", "xla.graphs.xplane.pb.xz"];
/// The worker's script and program, as Trunk names them.
const WORKER: [&str; 2] = ["worker.js", "worker_bg.wasm"];

/// Finishes the page in the folder `dist`. The pack is compressed best for a release, and fast otherwise.
///
/// # Errors
/// If `dist` is not a page that Trunk has built from this repository's `index.html`, or has been finished already.
pub fn finish(dist: &Path, is_release: bool) -> Result<()> {
    let index = dist.join("index.html");
    let mut html = fs::read_to_string(&index).with_context(|| index.display().to_string())?;
    for name in WORKER {
        let hash = hash(&fs::read(dist.join(name)).context(name)?);
        let hashed = name.replacen("worker", &format!("worker-{hash}"), 1);
        ensure!(html.contains(name), "index.html does not name {name}");
        fs::rename(dist.join(name), dist.join(&hashed))?;
        html = html.replace(name, &hashed);
    }
    for name in SAMPLES {
        ensure!(dist.join(name).exists(), "index.html does not copy {name}");
    }
    let html = policy::seal(&html)?;
    fs::write(&index, &html)?;

    let names = names(dist, &html)?;
    let files = names.iter().map(|name| Ok((name.as_str(), fs::read(dist.join(name))?))).collect::<Result<Vec<_>>>()?;
    fs::write(dist.join(PACK), pack(&files, if is_release { Compression::best() } else { Compression::fast() })?)?;

    let worker = dist.join(SERVICE_WORKER);
    let list: Vec<&str> = names.iter().map(String::as_str).chain([PACK]).collect();
    let script = names.iter().find(|name| name.starts_with("app-") && name.ends_with(".js"));
    let script = script.context("no script of the page")?;
    fs::write(&worker, filled(&fs::read_to_string(&worker)?, &list, script)?)?;
    Ok(())
}

/// Returns the files that `html` names, in its order, because a style sheet overrides those before it.
fn names(dist: &Path, html: &str) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dist)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if let (Some(position), Some(_)) = (html.find(&name), kind(&name)) {
            names.push((position, name));
        }
    }
    names.sort();
    Ok(names.into_iter().map(|(_, name)| name).collect())
}

/// Returns the kind and the MIME type of a file, or `None` for files that an HTML file with a report does not need.
fn kind(name: &str) -> Option<(&'static str, &'static str)> {
    let (script, program) = ("text/javascript", "application/wasm");
    match name.rsplit_once('.')?.1 {
        "js" if name.starts_with("worker-") => Some(("workerScript", script)),
        "wasm" if name.starts_with("worker-") => Some(("workerProgram", program)),
        "js" => Some(("script", script)),
        "wasm" => Some(("program", program)),
        "css" => Some(("style", "text/css")),
        "svg" => Some(("icon", "image/svg+xml")),
        _ => None,
    }
}

/// Packs a line of JSON that lists `files`, and then the bytes of each file, with gzip. `share/boot.js` reads the pack.
fn pack(files: &[(&str, Vec<u8>)], level: Compression) -> Result<Vec<u8>> {
    let mut list = Vec::new();
    for (name, bytes) in files {
        let (kind, mime) = kind(name).context("a file of no kind")?;
        list.push(format!(r#"{{"kind":"{kind}","type":"{mime}","size":{}}}"#, bytes.len()));
    }
    let mut gzip = GzEncoder::new(Vec::new(), level);
    writeln!(gzip, "[{}]", list.join(","))?;
    for (_, bytes) in files {
        gzip.write_all(bytes)?;
    }
    Ok(gzip.finish()?)
}

/// Fills the placeholders of the service worker `text`. The id of the build is a hash of `text` and of the names.
fn filled(text: &str, files: &[&str], script: &str) -> Result<String> {
    let quoted = |names: &[&str]| names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    let (names, samples) = (quoted(files), quoted(&SAMPLES));
    let build = hash([text, &names].concat().as_bytes());
    let places = [
        ("/* FILES */", &*names),
        ("\"BUILD\"", &format!("\"{build}\"")),
        ("\"SCRIPT\"", &format!("\"{script}\"")),
        ("/* SAMPLES */", &*samples),
    ];
    let mut text = text.to_owned();
    for (place, value) in places {
        ensure!(text.matches(place).count() == 1, "sw.js needs {place} exactly once");
        text = text.replace(place, value);
    }
    Ok(text)
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::GzDecoder;
    use std::io::Read;

    #[test]
    fn each_build_has_a_cache_of_its_own() {
        const WORKER: &str = "const B = \"BUILD\", F = [/* FILES */], S = \"SCRIPT\", M = [/* SAMPLES */];";
        let text = filled(WORKER, &["a-1.js", "b-2.css"], "a-1.js").unwrap();
        assert!(text.contains("F = [\"a-1.js\", \"b-2.css\"], S = \"a-1.js\", M = [\"sample.xplane.pb.xz\", \"xla.graphs.xplane.pb.xz\"];"), "{text}");
        let other = filled(WORKER, &["a-9.js", "b-2.css"], "a-1.js").unwrap();
        assert_ne!(text.split(',').next(), other.split(',').next());
        assert!(filled("const F = [];", &[], "").is_err());
    }

    #[test]
    fn a_pack_says_what_its_files_are() {
        let files = [("a-1.css", b"a{}".to_vec()), ("worker-2_bg.wasm", vec![0, 10]), ("app-3.js", b"start".to_vec())];
        let mut text = Vec::new();
        GzDecoder::new(pack(&files, Compression::fast()).unwrap().as_slice()).read_to_end(&mut text).unwrap();
        let line = text.iter().position(|byte| *byte == b'\n').unwrap();
        assert_eq!(
            String::from_utf8_lossy(&text[..line]),
            r#"[{"kind":"style","type":"text/css","size":3},{"kind":"workerProgram","type":"application/wasm","size":2},{"kind":"script","type":"text/javascript","size":5}]"#
        );
        assert_eq!(text[line + 1..], *b"a{}\0\nstart");
    }
}
