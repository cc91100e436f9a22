//! This module installs the profilers with which benchmarks compare Rooflight, from PyPI into a Python environment of their
//! own in the cache.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use super::announce;
use crate::{process, repo};

/// The reference, and the fastest other tool, each with the version whose figures the documents name.
const PEERS: [&str; 2] = ["xprof==2.24.2", "xprof-rs==0.1.3"];

/// Returns the folder with the programs of the environment, among them `python` and `xprof-rs`.
pub fn programs() -> Result<PathBuf> {
    let folder = repo::tools()?.join(format!("peers {}", PEERS.join(" ")).replace("==", "-").replace(' ', "-"));
    let programs = folder.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let (python, is_installed) = (programs.join("python"), folder.join("installed"));
    if !is_installed.exists() {
        let system = process::find_program(&["python3", "python"]).context("install Python 3.10 or newer")?;
        announce(&PEERS.join(", "), "from PyPI, 360 MB, 1 min");
        process::run(Command::new(system).args(["-m", "venv"]).arg(&folder))?;
        process::run(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(PEERS))?;
        std::fs::write(is_installed, "")?;
    }
    Ok(programs)
}
