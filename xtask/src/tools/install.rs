//! This module installs a tool from crates.io or from npm into the tool's own folder of the cache.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::{Tool, announce};
use crate::{process, repo};

/// Builds `tool` from crates.io into `folder`. `takes` is the expected time, for the message to the user.
pub fn from_crates(tool: &Tool, folder: &Path, features: &[&str], opt_level: &str, takes: &str) -> Result<()> {
    let Tool { package, version, .. } = tool;
    announce(&format!("{package} {version}"), &format!("from source, {takes}"));
    // The build folder is large, so it is removed after the build.
    let scratch = repo::tools()?.join(format!("build-{package}"));
    let install = |locked: &[&str]| {
        let mut cargo = process::cargo();
        cargo.args(["install", package, "--version", version, "--root"]).arg(folder).args(features).args(locked);
        cargo.env("CARGO_TARGET_DIR", &scratch).env_remove("RUSTFLAGS");
        cargo.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", opt_level).env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16");
        process::run(&mut cargo)
    };
    let installed = install(&["--locked"]).or_else(|error| {
        eprintln!("{error:#}\nAgain, with the newest versions of what it is built from.");
        install(&[])
    });
    let _ = fs::remove_dir_all(&scratch);
    installed
}

/// Installs `tool` from npm into `folder`. npm's global layout puts programs into `bin`, as Cargo does.
pub fn from_npm(tool: &Tool, folder: &Path) -> Result<()> {
    let how = || format!("{} comes from npm: install Node.js 20 or newer, which brings npm", tool.program);
    let npm = process::find_program(&["npm"]).with_context(how)?;
    announce(&format!("{} {}", tool.package, tool.version), "from npm, 10 s");
    let package = format!("{}@{}", tool.package, tool.version);
    let args = ["install", "--global", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"];
    process::run(Command::new(npm).args(args).arg(folder).arg(package))
}
