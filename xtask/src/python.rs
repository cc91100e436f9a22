//! This module builds the wheel for Python, and tests it as a user would install it.
//!
//! ```text
//!  dist/ ──► python/rooflight/page ─┐
//!  crates/rooflight-python ─────────┴─► maturin ──► target/wheels ──► pip, into a fresh environment ──► pytest
//! ```

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result, ensure};

use crate::page::{self, Build};
use crate::tools::{browser, python};
use crate::{process, repo, scripts};

/// The largest size of the wheel in bytes.
const BUDGET: u64 = 13_000_000;

/// Builds the wheel and tests it. Calls `each` with each line of the tests' stdout. Returns the size of the wheel in words.
///
/// Cargo builds the native code with `profile`: users get `release`, and `test` shares what the other tests have compiled.
pub fn test(profile: &str, each: impl FnMut(&str)) -> Result<String> {
    let wheel = build(profile)?;
    let size = fs::metadata(&wheel)?.len();
    ensure!(size <= BUDGET, "the wheel has {size} bytes, and {BUDGET} are the most");
    let python = install(&wheel)?;
    let cli = native(profile)?.join(format!("rooflight{}", env::consts::EXE_SUFFIX));
    scripts::npm_ci()?;
    let mut pytest = Command::new(&python);
    pytest.current_dir(folder().join("tests")).args([
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--durations=5",
        ".",
    ]);
    pytest
        .env("PYTHONPATH", python::test_packages(&python)?)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("ROOFLIGHT_CLI", cli);
    pytest.env("ROOFLIGHT_CHROMIUM", browser::chromium()?).env("ROOFLIGHT_NODE", browser::node()?);
    process::run_and_read(&mut pytest, each)?;
    #[expect(clippy::cast_precision_loss, reason = "a size for people")]
    let megabytes = size as f64 / 1e6;
    Ok(format!("wheel {megabytes:.1} MB"))
}

/// Builds the native command line, with which the tests compare the wheel. Returns its folder.
fn native(profile: &str) -> Result<PathBuf> {
    if profile == "test" {
        // The browser tests have built the same.
        return scripts::build_native(profile);
    }
    let args = ["build", "--bin", "rooflight", "--profile", profile];
    process::run(process::cargo().current_dir(repo::root()).args(args))?;
    Ok(repo::target()?.join(profile))
}

fn folder() -> PathBuf {
    repo::root().join("crates/rooflight-python")
}

/// Builds the wheel with the page in `dist/`, which is built first if it does not exist. Returns the path of the wheel.
pub fn build(profile: &str) -> Result<PathBuf> {
    let dist = repo::dist();
    if dist.join("index.html").is_file() {
        eprintln!("The wheel gets the page in {}.", dist.display());
    } else {
        eprintln!("There is no page in {}: it is built first.", dist.display());
        page::build(Build::Release, &dist)?;
    }
    copy_files(&dist, &folder().join("python/rooflight/page"))?;
    let (maturin, out) = (python::maturin()?, repo::target()?.join("wheels"));
    if out.exists() {
        fs::remove_dir_all(&out)?;
    }
    let mut maturin = Command::new(maturin);
    // Cargo takes the profile `test` for a program of tests. With this level the profile `dev` is the same.
    let profile = if profile == "test" { "dev" } else { profile };
    maturin.env("CARGO_PROFILE_DEV_OPT_LEVEL", "1");
    maturin.current_dir(folder()).args(["build", "--profile", profile, "--locked", "--out"]).arg(&out);
    process::run(maturin.env("CARGO_TARGET_DIR", repo::target()?))?;
    let wheel = fs::read_dir(&out)?.filter_map(|entry| Some(entry.ok()?.path()));
    let wheel = wheel.into_iter().find(|path| path.extension().is_some_and(|end| end == "whl"));
    wheel.context("maturin made no wheel")
}

/// Replaces the folder `to` by the files of the folder `from`.
fn copy_files(from: &Path, to: &Path) -> Result<()> {
    if to.exists() {
        fs::remove_dir_all(to)?;
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        fs::copy(entry.path(), to.join(entry.file_name()))?;
    }
    Ok(())
}

/// Installs the wheel into a fresh environment. Returns the path of its Python.
pub fn install(wheel: &Path) -> Result<PathBuf> {
    let environment = repo::target()?.join("python-environment");
    if environment.exists() {
        fs::remove_dir_all(&environment)?;
    }
    eprintln!("The wheel is installed into {}.", environment.display());
    let python = python::environment(&environment)?;
    // Without the index of packages, a dependency of the wheel would be an error.
    let args = ["-m", "pip", "install", "--quiet", "--no-index"];
    process::run(Command::new(&python).args(args).arg(wheel))?;
    Ok(python)
}
