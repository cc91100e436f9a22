//! This module runs `tests/browser/*.mjs`, the Node.js scripts that drive the built page in a real browser.
//!
//! The scripts get all paths in environment variables:
//!
//! | variable | meaning |
//! |---|---|
//! | `ROOFLIGHT_DIST` | the built page |
//! | `ROOFLIGHT_CHECKS` | the program of `tests/browser/checks` |
//! | `ROOFLIGHT_CHROMIUM` | the browser |
//! | `ROOFLIGHT_FIREFOX` | Firefox, if it is installed |
//! | `ROOFLIGHT_CLI` | the native `rooflight`, whose numbers are compared with the page |
//! | `ROOFLIGHT_EXAMPLES` | the built programs of `examples/`, which make captures |
//! | `ROOFLIGHT_CAPTURES` | the folder of the captures that all tests of a run share |
//! | `ROOFLIGHT_PROFILES` | captures of other projects, if there are any |
//! | `ROOFLIGHT_ONLY_CAPTURES` | `1` if only tests run that need or use captures of other projects |
//! | `ROOFLIGHT_SCREENS` | the folder for the screenshots of `screens` |
//! | `ROOFLIGHT_BENCH`, `ROOFLIGHT_MB` | the captures to measure with, and their sizes |

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Result, ensure};

use crate::page::{self, Build};
use crate::tools::browser;
use crate::{process, repo, synth};

/// Builds the page, then takes a screenshot of every state.
pub fn screens() -> Result<()> {
    let page = repo::quick()?;
    page::build(Build::Quick, &page)?;
    let mut node = node("test", &page)?;
    process::run(node.arg("screens.mjs").env("ROOFLIGHT_SCREENS", repo::target()?.join("screens")))
}

/// Builds the page, then measures it.
pub fn bench() -> Result<()> {
    page::build(Build::Release, &repo::dist())?;
    let mut node = node("release", &repo::dist())?;
    node.arg("bench.mjs").env("ROOFLIGHT_BENCH", synth::for_benches()?).env("ROOFLIGHT_MB", synth::sizes());
    process::run(&mut node)
}

/// Which browser tests run, by the captures of other projects that they open.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Captures {
    /// All tests, with the captures if the machine has them.
    IfPresent,
    /// All tests, without the captures: the tests that need them are skipped.
    Absent,
    /// Only the tests that need or use the captures.
    Only,
}

/// Runs the browser tests `names` (all if empty) on the page in `dist/`. Calls `each` with each line of their stdout.
pub fn test(names: &[String], captures_of_others: Captures, each: impl FnMut(&str)) -> Result<()> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder())?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    let name = |path: &Path| Some(path.file_name()?.to_str()?.strip_suffix(".test.mjs")?.to_owned());
    let is_chosen = |name: &str| names.is_empty() || names.iter().any(|chosen| chosen == name);
    files.retain(|path| name(path).is_some_and(|name| is_chosen(&name)));
    files.sort();
    ensure!(!files.is_empty(), "no such file in tests/browser: {}.test.mjs", names.join(".test.mjs, "));
    ensure!(repo::dist().is_dir(), "there is no page in dist/: run `cargo xtask build` or `cargo xtask serve`");
    // An earlier run may have made its captures from other sources.
    let captures = repo::target()?.join("browser-captures");
    if captures.exists() {
        fs::remove_dir_all(&captures)?;
    }
    fs::create_dir_all(&captures)?;
    // A failed test may leave a server open, so `--test-force-exit` ends each file after its last test. The time limit
    // (20 minutes) ends a file that hangs.
    let args =
        ["--test", "--test-reporter=spec", "--test-concurrency=2", "--test-force-exit", "--test-timeout=1200000"];
    let mut node = node("test", &repo::dist())?;
    match captures_of_others {
        Captures::IfPresent => {}
        Captures::Absent => {
            node.env_remove("ROOFLIGHT_PROFILES").env_remove("ROOFLIGHT_REQUIRE_PROFILES");
        }
        Captures::Only => {
            node.env("ROOFLIGHT_ONLY_CAPTURES", "1");
            files.retain(|file| {
                fs::read_to_string(file).is_ok_and(|text| text.contains("needs:") || text.contains("uses:"))
            });
        }
    }
    node.env("ROOFLIGHT_CAPTURES", captures).args(args).args(files);
    if is_chosen("checks") {
        node.env("ROOFLIGHT_CHECKS", page::build_checks()?);
    }
    process::run_and_read(&mut node, each)
}

fn folder() -> PathBuf {
    repo::root().join("tests/browser")
}

/// Returns a Node.js command in the folder of the tests, with its packages installed and its common variables set.
/// Cargo builds the command line and the examples with `profile`.
pub fn node(profile: &str, dist: &Path) -> Result<Command> {
    let node = browser::node()?;
    let chromium = browser::chromium()?;
    let built = build_native(profile)?;
    npm_ci()?;
    let mut command = Command::new(node);
    command
        .current_dir(folder())
        .env("ROOFLIGHT_DIST", dist)
        .env("ROOFLIGHT_CHROMIUM", chromium)
        .env("ROOFLIGHT_CLI", built.join(format!("rooflight{}", env::consts::EXE_SUFFIX)))
        .env("ROOFLIGHT_EXAMPLES", built.join("examples"));
    for (variable, path) in [("ROOFLIGHT_FIREFOX", browser::firefox()?), ("ROOFLIGHT_PROFILES", repo::profiles())] {
        match path {
            Some(path) => command.env(variable, path),
            None => command.env_remove(variable),
        };
    }
    Ok(command)
}

/// Installs the packages of the lock file, unless they are installed already.
pub fn npm_ci() -> Result<()> {
    let lock = fs::read(folder().join("package-lock.json"))?;
    // This copy of the lock file is from the last `npm ci` that succeeded.
    let stamp = folder().join("node_modules/.rooflight-lock.json");
    if fs::read(&stamp).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    let npm = process::find_program(&["npm"]).unwrap_or_else(|| "npm".into());
    let args = ["ci", "--no-audit", "--no-fund", "--ignore-scripts"];
    process::run(Command::new(npm).args(args).current_dir(folder()))?;
    fs::write(stamp, lock)?;
    Ok(())
}

/// Builds the command line and the programs that make captures. Returns their folder.
pub fn build_native(profile: &str) -> Result<PathBuf> {
    let args = ["build", "--bin", "rooflight", "--examples", "--profile", profile];
    // With the features that all members of the workspace choose, these are the programs that `cargo test --workspace` has built.
    let of_tests = (profile == "test").then_some("--workspace");
    process::run(process::cargo().args(args).args(of_tests).current_dir(repo::root()))?;
    // Cargo puts the programs of the profile `test` into the folder of the profile `dev`.
    Ok(repo::target()?.join(if profile == "test" { "debug" } else { profile }))
}
