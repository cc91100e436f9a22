//! This module installs a tool into its own folder of the cache: from an archive of the built program, from crates.io, or from npm.

use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::{Tool, announce};
use crate::{download, process, repo};

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
    installed.with_context(|| format!("{package} {version} could not be installed; without a network, put it on PATH"))
}

/// Installs `tool` from the archive at `address`, which has the SHA-256 `sha256`. `tar` unpacks it: that of Windows reads zip, too.
pub fn from_archive(tool: &Tool, folder: &Path, address: &str, sha256: &str) -> Result<()> {
    announce(&format!("{} {}", tool.package, tool.version), "a built program from GitHub, 10 s");
    let scratch = folder.with_file_name("unpacked");
    let unpacked = unpack(tool, folder, address, sha256, &scratch);
    let _ = fs::remove_dir_all(&scratch);
    unpacked
}

fn unpack(tool: &Tool, folder: &Path, address: &str, sha256: &str, scratch: &Path) -> Result<()> {
    let archive = scratch.join("archive");
    download::download(address, sha256, &archive)?;
    let tar = process::find_program(&["tar"]).context("archives need tar: install it")?;
    process::run(Command::new(tar).arg("-xf").arg(&archive).arg("-C").arg(scratch))?;
    let name = format!("{}{EXE_SUFFIX}", tool.program);
    let inner = fs::read_dir(scratch)?.flatten().map(|entry| entry.path().join(&name));
    let program = std::iter::once(scratch.join(&name)).chain(inner).find(|path| path.is_file());
    let program = program.with_context(|| format!("{address} holds no {name}"))?;
    let bin = folder.join("bin");
    fs::create_dir_all(&bin)?;
    Ok(fs::rename(program, bin.join(name))?)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::download::tests::serve;
    use crate::tools::Source;

    #[test]
    fn an_archive_with_the_right_content_is_installed() {
        let folder = tempfile::tempdir().unwrap();
        let name = format!("a-tool{EXE_SUFFIX}");
        fs::create_dir_all(folder.path().join("a-tool-1.0")).unwrap();
        fs::write(folder.path().join("a-tool-1.0").join(&name), "program").unwrap();
        let made = folder.path().join("made.tar");
        process::run(Command::new("tar").arg("-cf").arg(&made).arg("-C").arg(folder.path()).arg("a-tool-1.0")).unwrap();
        let sha256 = download::sha256(&made).unwrap();
        let address = format!("{}/there", serve(fs::read(&made).unwrap().leak()));
        let tool = |program| Tool { program, package: "a-tool", version: "1.0".to_owned(), from: Source::Npm };
        let to = folder.path().join("installed");
        from_archive(&tool("a-tool"), &to, &address, &sha256).unwrap();
        assert_eq!(fs::read(to.join("bin").join(&name)).unwrap(), b"program");
        let other = folder.path().join("other");
        assert!(from_archive(&tool("another"), &other, &address, &sha256).is_err(), "no such program");
        assert!(from_archive(&tool("a-tool"), &other, &address, &"0".repeat(64)).is_err(), "other content");
        assert!(!other.exists() && !other.with_file_name("unpacked").exists());
    }
}
