//! What Trunk cannot do, run by its hook over the folder that it has just built (`TRUNK_STAGING_DIR`):
//!
//! ```text
//!  worker.js, worker_bg.wasm ──► named after what is in them, as all other files are
//!  index.html ──► names those; the hashes of its scripts are in its policy (policy)
//!  all files ──► page.pack, which HTML files with a report are made of (`share/html.rs`)
//!  sw.js ──► has the list of all files, which it keeps for when there is no network
//! ```

use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

use super::policy;

/// What HTML files are made of. The name stays: whoever asks for it knows no build.
const PACK: &str = "page.pack";
/// Keeps the page for when there is no network.
const SERVICE_WORKER: &str = "sw.js";
/// The worker's script and program, as Trunk names them.
const WORKER: [&str; 2] = ["worker.js", "worker_bg.wasm"];

/// Finishes the page in a folder. Only a release takes the time to pack well.
///
/// # Errors
/// Where the folder is no page that Trunk has built from our `index.html`.
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

/// The files that `index.html` names, in the order in which it names them first: style sheets overrule those before them.
fn names(dist: &Path, html: &str) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dist)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if let (Some(at), Some(_)) = (html.find(&name), kind(&name)) {
            names.push((at, name));
        }
    }
    names.sort();
    Ok(names.into_iter().map(|(_, name)| name).collect())
}

/// What a file is to the page, and what it is served as; `None` for those that a page on a disk does not need.
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

/// A line of JSON that lists the files, then the bytes of each, packed with gzip. `share/boot.js` reads it.
fn pack(files: &[(&str, Vec<u8>)], level: Compression) -> Result<Vec<u8>> {
    let mut list = Vec::new();
    for (name, bytes) in files {
        let (kind, of) = kind(name).context("a file of no kind")?;
        list.push(format!(r#"{{"kind":"{kind}","type":"{of}","size":{}}}"#, bytes.len()));
    }
    let mut gzip = GzEncoder::new(Vec::new(), level);
    writeln!(gzip, "[{}]", list.join(","))?;
    for (_, bytes) in files {
        gzip.write_all(bytes)?;
    }
    Ok(gzip.finish()?)
}

/// The service worker with its list. Names hold the hashes of what is in the files: another build has another list.
fn filled(text: &str, files: &[&str], script: &str) -> Result<String> {
    let names: Vec<String> = files.iter().map(|name| format!("\"{name}\"")).collect();
    let names = names.join(", ");
    let build = hash([text, &names].concat().as_bytes());
    let places = [
        ("/* FILES */", &*names),
        ("\"BUILD\"", &format!("\"{build}\"")),
        ("\"SCRIPT\"", &format!("\"{script}\"")),
        ("\"SAMPLE\"", "\"sample.xplane.pb.xz\""),
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
        const WORKER: &str = "const B = \"BUILD\", F = [/* FILES */], S = \"SCRIPT\", M = \"SAMPLE\";";
        let text = filled(WORKER, &["a-1.js", "b-2.css"], "a-1.js").unwrap();
        assert!(text.contains("F = [\"a-1.js\", \"b-2.css\"], S = \"a-1.js\", M = \"sample.xplane.pb.xz\";"), "{text}");
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
