//! Getting a tool into its own folder of the cache: from crates.io or from npm.
//!
//! Must not decide which tool, or whether.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::{Tool, announce};
use crate::{process, repo};

/// A program that is built here.
pub fn from_crates(tool: &Tool, folder: &Path, features: &[&str], opt_level: &str, takes: &str) -> Result<()> {
    let Tool { package, version, .. } = tool;
    announce(&format!("{package} {version}"), &format!("from source, {takes}"));
    // The build folder is large and of no use afterwards.
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

/// A package with programs in it. npm's global layout puts them in `bin`, as cargo does.
pub fn from_npm(tool: &Tool, folder: &Path) -> Result<()> {
    let how = || format!("{} comes from npm: install Node.js 20 or newer, which brings npm", tool.program);
    let npm = process::find_program(&["npm"]).with_context(how)?;
    announce(&format!("{} {}", tool.package, tool.version), "from npm, 10 s");
    let package = format!("{}@{}", tool.package, tool.version);
    let args = ["install", "--global", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"];
    process::run(Command::new(npm).args(args).arg(folder).arg(package))
}
