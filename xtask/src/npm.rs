//! This module builds the package for npm, and tests it as a user would install it.
//!
//! ```text
//!  crates/rooflight-js ──► cargo, wasm-bindgen, wasm-opt ─┐
//!  crates/rooflight-js/package: index.js, index.d.ts, … ──┴─► target/npm/package ──► npm pack ──► npm install ──► tests
//! ```

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::page::size::gzip;
use crate::{process, repo, scripts, tools};

/// The largest size of the program in bytes after gzip. docs/NPM.md has the measured size.
const BUDGET: u64 = 1_500_000;

/// Builds the package and tests it. Calls `each` with each line of the tests' stdout. Returns the sizes in words.
pub fn test(each: impl FnMut(&str)) -> Result<String> {
    let archive = pack()?;
    let user = repo::target()?.join("npm/user");
    empty(&user)?;
    fs::write(user.join("package.json"), "{ \"private\": true, \"type\": \"module\" }\n")?;
    let args = ["install", "--offline", "--no-audit", "--no-fund", "--ignore-scripts"];
    process::run(npm()?.current_dir(&user).args(args).arg(&archive))?;
    let mut tests: Vec<PathBuf> =
        fs::read_dir(folder().join("tests"))?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    tests.retain(|path| path.to_string_lossy().ends_with(".test.mjs"));
    tests.sort();
    let mut node = scripts::node("test", &repo::dist())?;
    node.env("ROOFLIGHT_NPM", &user).args(["--test", "--test-reporter=spec", "--test-force-exit"]).args(tests);
    process::run_and_read(&mut node, each)?;
    let program = fs::read(archive.with_file_name("package").join("rooflight_bg.wasm"))?;
    Ok(format!("package {} kB, program {} kB gzip", fs::metadata(&archive)?.len() / 1000, gzip(&program)? / 1000))
}

/// Builds `target/npm/package` and packs it. Returns the path of the archive.
pub fn pack() -> Result<PathBuf> {
    let target = repo::target()?;
    let out = target.join("npm/package");
    empty(&target.join("npm"))?;
    fs::create_dir(&out)?;
    tools::wasm_target()?;
    let args = ["build", "--locked", "--package", "rooflight-js", "--profile", "worker", "--target", tools::WASM];
    process::run(process::cargo().current_dir(repo::root()).args(args))?;
    let program = target.join(tools::WASM).join("worker/rooflight_js.wasm");
    let mut bindgen = Command::new(tools::wasm_bindgen()?);
    bindgen.args(["--target", "web", "--no-typescript", "--out-name", "rooflight", "--out-dir"]).arg(&out);
    process::run(bindgen.arg(program))?;
    let program = out.join("rooflight_bg.wasm");
    process::run(Command::new(tools::wasm_opt()?).arg("-Os").arg(&program).arg("--output").arg(&program))?;
    for source in [folder().join("package"), folder().join("README.md")] {
        copy(&source, &out)?;
    }
    for license in ["LICENSE-APACHE", "LICENSE-MIT"] {
        copy(&repo::root().join(license), &out)?;
    }
    let size = gzip(&fs::read(&program)?)?;
    ensure!(size <= BUDGET, "the program has {size} bytes after gzip, and {BUDGET} are the most");
    let folder = target.join("npm");
    process::run(npm()?.current_dir(&out).args(["pack", "--silent", "--pack-destination"]).arg(&folder))?;
    let mut archives = fs::read_dir(&folder)?.filter_map(|entry| Some(entry.ok()?.path()));
    archives.find(|path| path.extension().is_some_and(|end| end == "tgz")).context("npm made no archive")
}

pub fn folder() -> PathBuf {
    repo::root().join("crates/rooflight-js")
}

/// Returns a command that starts npm.
pub fn npm() -> Result<Command> {
    Ok(Command::new(
        process::find_program(&["npm"]).context("no npm: install Node.js 20.14 or newer, which brings npm")?,
    ))
}

/// Copies a file, or the files of a folder, into the folder `to`.
fn copy(from: &Path, to: &Path) -> Result<()> {
    if from.is_dir() {
        return fs::read_dir(from)?.try_for_each(|entry| copy(&entry?.path(), to));
    }
    fs::copy(from, to.join(from.file_name().unwrap_or_default())).with_context(|| from.display().to_string())?;
    Ok(())
}

pub fn empty(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    Ok(fs::create_dir_all(folder)?)
}
