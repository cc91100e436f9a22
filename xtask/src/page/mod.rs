//! `dist/`: the page as any static host serves it.
//!
//! ```text
//!  index.html, src, style ──Trunk──► dist/ ──seal──► dist/index.html with its script's hash in the policy
//!                                         ──css───► dist/style-….css, all of them as one
//!                                         ──order─► dist/*.wasm, what is alike beside each other
//! ```
//!
//! Knows Trunk and the order of the steps. What is built, and how it is optimised, says `index.html`.

mod csp;
mod css;
mod order;
pub mod size;

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use sha2::{Digest, Sha256};

use crate::{process, repo, tools};

/// Builds the page into `out`, which is emptied first.
pub fn build(out: &Path) -> Result<()> {
    ensure!(
        may_replace(out)?,
        "{} has files in it that are no build of the page: building there would remove them",
        out.display()
    );
    let tools = tools::for_page()?;
    process::run(
        Command::new(&tools.trunk)
            .args(["build", "--offline", "--dist"])
            .arg(out)
            .env("PATH", tools.path()?)
            // Trunk reads NO_COLOR as a bool and stops at the usual `NO_COLOR=1`.
            .env_remove("NO_COLOR")
            .current_dir(repo::root()),
    )?;
    let index = out.join("index.html");
    let html = fs::read_to_string(&index).with_context(|| index.display().to_string())?;
    let html = join_styles(out, &html)?;
    fs::write(&index, csp::seal(&html)?)?;
    ensure!(html.contains("rel=\"modulepreload\""), "no link to the page's script: its worker could not start");
    for entry in fs::read_dir(out)? {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "js") {
            let script = fs::read_to_string(&path)?;
            fs::write(&path, without_comments(&script))?;
        }
        if path.extension().is_some_and(|end| end == "wasm") {
            put_in_order(&path, &tools.wasm_opt).with_context(|| path.display().to_string())?;
        }
    }
    Ok(())
}

/// See [`css`]. The page, linking the one sheet.
fn join_styles(out: &Path, html: &str) -> Result<String> {
    let mut all = String::new();
    for name in css::linked(html) {
        let path = out.join(name);
        all.push_str(&fs::read_to_string(&path).with_context(|| path.display().to_string())?);
        fs::remove_file(path)?;
    }
    let all = css::squeeze(&all);
    let name = format!("style-{}.css", &hex(&Sha256::digest(&all))[..16]);
    fs::write(out.join(&name), all)?;
    css::link_one(html, &name)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
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

/// See [`order`].
fn put_in_order(wasm: &Path, wasm_opt: &Path) -> Result<()> {
    fs::write(wasm, order::name(&fs::read(wasm)?)?)?;
    // Once more: what the first run leaves, the second finds less in (2 kB).
    let passes = ["-Oz", "--reorder-functions-by-name", "--strip-debug"];
    process::run(Command::new(wasm_opt).args(passes).arg(wasm).arg("-o").arg(wasm))
}

/// Whether a folder holds a build of the page.
fn is_page(out: &Path) -> bool {
    fs::read_to_string(out.join("index.html")).is_ok_and(|html| html.contains("rel=\"modulepreload\""))
}

/// Trunk empties the folder: only one that is empty or that it made.
fn may_replace(out: &Path) -> Result<bool> {
    let Ok(mut entries) = fs::read_dir(out) else { return Ok(!out.exists()) };
    Ok(entries.next().is_none() || is_page(out) || out.join(".stage").is_dir())
}

#[cfg(test)]
mod tests {
    use super::without_comments;

    #[test]
    fn comments_of_whole_lines_go() {
        let script =
            "/**\n * @param {number} a\n */\nfunction f(a) {\n    // so\n    return a * 2; // twice\n}\n/* x */\n";
        assert_eq!(without_comments(script), "function f(a) {\n    return a * 2; // twice\n}\n");
    }
}
