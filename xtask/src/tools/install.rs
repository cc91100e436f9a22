//! Getting a tool into its own folder of the cache: from crates.io or from npm.
//!
//! Must not decide which tool, or whether.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

use anyhow::{Result, ensure};

use super::{Tool, say};
use crate::{process, repo};

/// A prebuilt program where `cargo binstall` has one, else built here.
pub fn from_crates(tool: &Tool, folder: &Path, features: &[&str], opt_level: &str, takes: &str) -> Result<()> {
    let Tool { package, version, .. } = tool;
    // Prebuilt programs come from release pages, not from a registry: not where builds have to be repeatable.
    let may_download = env::var_os("CI").is_none() && process::which(&["cargo-binstall"]).is_some();
    if may_download {
        say(&format!("{package} {version}"), "prebuilt, through cargo binstall");
        let mut binstall = process::cargo();
        binstall.args(["binstall", "--no-confirm", "--disable-telemetry", "--strategies", "crate-meta-data"]);
        binstall.args(["--version", version, "--root"]).arg(folder).arg(package);
        if process::run(&mut binstall).is_ok() {
            return Ok(());
        }
        eprintln!("No prebuilt {package} {version}.");
    }
    say(&format!("{package} {version}"), &format!("from source, {takes}"));
    // The build folder is large and of no use afterwards.
    let scratch = repo::tools()?.join(format!("build-{package}"));
    let install = |locked: &[&str]| {
        process::run(
            process::cargo()
                .args(["install", package, "--version", version, "--root"])
                .arg(folder)
                .args(features)
                .args(locked)
                .env("CARGO_TARGET_DIR", &scratch)
                .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", opt_level)
                .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
                .env_remove("RUSTFLAGS"),
        )
    };
    let installed = install(&["--locked"]).or_else(|error| {
        eprintln!("{error:#}\nAgain, with the newest versions of what it is built from.");
        install(&[])
    });
    let _ = fs::remove_dir_all(&scratch);
    installed
}

/// A package with programs in it. npm's global layout puts them in `bin`, as cargo does.
pub fn from_npm(tool: &Tool, folder: &Path) -> Result<()> {
    let npm = process::which(&["npm"]);
    ensure!(npm.is_some(), "{} comes from npm: install Node.js 20 or newer, which brings npm", tool.program);
    say(&format!("{} {}", tool.package, tool.version), "from npm, 10 s");
    let package = format!("{}@{}", tool.package, tool.version);
    let args = ["install", "--global", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"];
    process::run(Command::new(npm.unwrap_or_default()).args(args).arg(folder).arg(package))
}
