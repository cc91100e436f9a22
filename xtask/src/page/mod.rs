//! `dist/`: the page as any static host serves it.
//!
//! ```text
//!  src ────► program ──► dist/app-….js, app-….wasm and the parts that are fetched later
//!  style ──► css ──────► dist/style-….css, all of them as one
//!  index.html ─────────► dist/index.html, which names them, with its scripts' hashes in the policy (csp)
//!  all of them ────────► dist/page.pack, for the page that writes itself into one file (pack)
//!  sw.js ──────────────► dist/sw.js, which keeps them for when there is no network (offline)
//! ```
//!
//! Each file but these, the sample and what the page is installed as is named after what is in it, so hosts may let browsers keep it for good. Knows the order of the steps.

mod csp;
mod css;
mod offline;
mod order;
mod pack;
mod parts;
mod program;
pub mod size;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use sha2::{Digest, Sha256};

use crate::{repo, tools};

/// What `index.html` names, in place of the files that the program is built into.
const SCRIPT: &str = "./app.js";
const WASM: &str = "./app.wasm";
const ICON: &str = "style/favicon.svg";

/// What the landing page's button opens, and what it calls it: the one file that keeps its name.
const SAMPLE: &str = "samples/sample.xplane.pb.xz";
const SAMPLE_NAME: &str = "sample.xplane.pb.xz";

/// What keeps the page for when there is no network; its name stays, too.
const WORKER: &str = "sw.js";

/// What the page is installed as. Browsers ask for these by name, and only then.
const INSTALLED: [(&str, &str); 4] = [
    ("manifest.webmanifest", "manifest.webmanifest"),
    ("style/icon-192.png", "icon-192.png"),
    ("style/icon-512.png", "icon-512.png"),
    ("style/icon-maskable-512.png", "icon-maskable-512.png"),
];

/// Builds the page into `out`, which is emptied first.
pub fn build(out: &Path) -> Result<()> {
    ensure!(
        may_replace(out)?,
        "{} has files in it that are no build of the page: building there would remove them",
        out.display()
    );
    let tools = tools::for_page()?;
    let stage = repo::target()?.join("of-page/dist");
    let _ = fs::remove_dir_all(&stage);
    fs::create_dir_all(&stage)?;
    let program = program::build(&tools, &stage)?;
    let html = fs::read_to_string(repo::root().join("index.html"))?;
    let html = join_styles(&stage, &html)?;
    let icon = fs::read(repo::root().join(ICON))?;
    let icon_name = hashed("favicon", "svg", &icon);
    fs::write(stage.join(&icon_name), icon)?;
    let html = name(&name(&name(&html, SCRIPT, &program.script)?, WASM, &program.wasm)?, ICON, &icon_name)?;
    fs::write(stage.join("index.html"), csp::seal(&html)?)?;

    let mut files = size::files(&stage)?;
    fs::write(stage.join(pack::NAME), pack::build(&tools, &stage, &files)?)?;
    files.push(pack::NAME.to_owned());
    let worker = fs::read_to_string(repo::root().join(WORKER))?;
    fs::write(stage.join(WORKER), offline::fill(&worker, &files, &program.script, SAMPLE_NAME)?)?;
    for (from, to) in INSTALLED {
        fs::copy(repo::root().join(from), stage.join(to)).context(from)?;
    }
    fs::copy(repo::root().join(SAMPLE), stage.join(SAMPLE_NAME)).context(SAMPLE)?;

    fs::create_dir_all(out)?;
    for entry in fs::read_dir(out)? {
        fs::remove_file(entry?.path())?;
    }
    for entry in fs::read_dir(&stage)? {
        let path = entry?.path();
        fs::copy(&path, out.join(path.file_name().unwrap_or_default()))?;
    }
    Ok(())
}

/// `html` with the name of a built file wherever it names what that is built from.
fn name(html: &str, from: &str, to: &str) -> Result<String> {
    ensure!(html.contains(from), "index.html does not name {from}");
    Ok(html.replace(from, &format!("./{to}")))
}

/// See [`css`]. The page, linking the one sheet.
fn join_styles(out: &Path, html: &str) -> Result<String> {
    let mut all = String::new();
    for name in css::linked(html) {
        let path = repo::root().join(name);
        all.push_str(&fs::read_to_string(&path).with_context(|| path.display().to_string())?);
    }
    let all = css::squeeze(&all);
    let name = hashed("style", "css", all.as_bytes());
    fs::write(out.join(&name), all)?;
    css::link_one(html, &name)
}

/// A file's name with a hash of what is in it.
fn hashed(name: &str, end: &str, bytes: &[u8]) -> String {
    let hash: String = Sha256::digest(bytes).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("{name}-{hash}.{end}")
}

/// A script without the lines that are comments: what wasm-bindgen writes to its readers.
fn without_comments(script: &str) -> String {
    let mut within = false;
    let mut kept = String::with_capacity(script.len());
    for line in script.lines() {
        let text = line.trim();
        within |= text.starts_with("/*");
        if !within && !text.starts_with("//") {
            kept.push_str(line);
            kept.push('\n');
        }
        within &= !text.ends_with("*/");
    }
    kept
}

/// Whether this is the `index.html` of a built page, and not the one that it is built from.
fn is_built(html: &str) -> bool {
    html.contains("<link rel=\"modulepreload\" href=\"./app-")
}

/// The folder is emptied: only one that is empty already, or that holds a page and nothing that no page has.
fn may_replace(out: &Path) -> Result<bool> {
    let Ok(entries) = fs::read_dir(out) else { return Ok(!out.exists()) };
    let entries = entries.collect::<Result<Vec<_>, _>>()?;
    let page = fs::read_to_string(out.join("index.html")).is_ok_and(|html| is_built(&html));
    Ok(entries.is_empty() || page && entries.iter().all(|entry| entry.path().is_file()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_is_no_built_page() {
        let html = fs::read_to_string(repo::root().join("index.html")).unwrap();
        assert!(!is_built(&html));
        assert!(is_built(&name(&html, SCRIPT, "app-0123456789abcdef.js").unwrap()));
        assert!(!may_replace(&repo::root()).unwrap());
    }

    #[test]
    fn comments_of_whole_lines_go() {
        let script =
            "/**\n * @param {number} a\n */\nfunction f(a) {\n    // so\n    return a * 2; // twice\n}\n/* x */\n";
        assert_eq!(without_comments(script), "function f(a) {\n    return a * 2; // twice\n}\n");
    }
}
