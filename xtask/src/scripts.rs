//! `tests/browser/*.mjs`: Node.js scripts that drive the built page in a real Chromium.
//!
//! What they are reported, all by environment:
//!
//! | variable | what |
//! |---|---|
//! | `ROOFLIGHT_DIST` | the built page, absolute |
//! | `ROOFLIGHT_CHROMIUM` | the browser |
//! | `ROOFLIGHT_FIREFOX` | the other one, where there is one: for pages that are one file |
//! | `ROOFLIGHT_CLI` | the native `rooflight`, to compare numbers with |
//! | `ROOFLIGHT_EXAMPLES` | the built programs of `examples/`, which make captures |
//! | `ROOFLIGHT_CAPTURES` | where the captures that were made are, for all tests of a run |
//! | `ROOFLIGHT_PROFILES` | real captures, where there are any |
//! | `ROOFLIGHT_SCREENS` | where `screens` puts its pictures |
//! | `ROOFLIGHT_BENCH`, `ROOFLIGHT_MB` | where the captures to measure with are, and of which sizes |

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Result, ensure};

use crate::page::{self, Build};
use crate::tools::browser;
use crate::{process, repo, synth};

/// Builds the page, then takes pictures of every state.
pub fn screens() -> Result<()> {
    let page = repo::quick()?;
    page::build(Build::Quick, &page)?;
    let mut node = node(Build::Quick, &page)?;
    process::run(node.arg("screens.mjs").env("ROOFLIGHT_SCREENS", repo::target()?.join("screens")))
}

/// Builds the page, then measures it.
pub fn bench() -> Result<()> {
    page::build(Build::Release, &repo::dist())?;
    let mut node = node(Build::Release, &repo::dist())?;
    node.arg("bench.mjs").env("ROOFLIGHT_BENCH", synth::for_benches()?).env("ROOFLIGHT_MB", synth::sizes());
    process::run(&mut node)
}

/// Tests of what a host serves: the policy, the service worker, pages of one file. All others are of the quick build.
pub const OF_RELEASE: [&str; 5] = ["firefox", "offline", "share", "smoke", "trust"];

/// The browser tests of these names, over the page in `dist`. Each line they print is given to `each`.
pub fn test(dist: &Path, which: fn(&str) -> bool, each: impl FnMut(&str)) -> Result<()> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder())?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    let name = |path: &Path| Some(path.file_name()?.to_str()?.strip_suffix(".test.mjs")?.to_owned());
    files.retain(|path| name(path).is_some_and(|name| which(&name)));
    files.sort();
    ensure!(!files.is_empty(), "no *.test.mjs in tests/browser");
    // Those that are there were made by the run before, maybe of other sources.
    let captures = repo::target()?.join("browser-captures");
    if captures.exists() {
        fs::remove_dir_all(&captures)?;
    }
    fs::create_dir_all(&captures)?;
    // A file whose test failed may have left a server open, and one that hangs must not hold up the run: a file ends with its last
    // test, and after 20 minutes at the latest.
    let args =
        ["--test", "--test-reporter=spec", "--test-concurrency=2", "--test-force-exit", "--test-timeout=1200000"];
    process::run_and_read(node(Build::Quick, dist)?.env("ROOFLIGHT_CAPTURES", captures).args(args).args(files), each)
}

fn folder() -> PathBuf {
    repo::root().join("tests/browser")
}

/// Node.js in the tests' folder, with its packages installed and everything named.
fn node(build: Build, dist: &Path) -> Result<Command> {
    let node = browser::node()?;
    let chromium = browser::chromium()?;
    let built = build_native(build)?;
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

/// Installs exactly what the lock file says, unless that is there already.
fn npm_ci() -> Result<()> {
    let lock = fs::read(folder().join("package-lock.json"))?;
    // Ours: the lock file as it was when `npm ci` last succeeded.
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

/// Builds the command line and the programs that make captures, for speed or as tests are built. Returns their folder.
fn build_native(build: Build) -> Result<PathBuf> {
    // Cargo puts what its `test` profile makes beside what `dev` makes.
    let (profile, folder) = match build {
        Build::Quick => ("test", "debug"),
        Build::Release => ("release", "release"),
    };
    let args = ["build", "--bin", "rooflight", "--examples", "--profile", profile];
    process::run(process::cargo().args(args).current_dir(repo::root()))?;
    Ok(repo::target()?.join(folder))
}
