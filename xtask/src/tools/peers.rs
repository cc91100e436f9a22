//! This module installs the profilers with which benchmarks compare Rooflight, from PyPI into a Python environment of their
//! own in the cache.

use std::path::PathBuf;

use anyhow::Result;

use super::{announce, python};
use crate::repo;

/// The reference, and the fastest other tool, each with the version whose figures the documents name.
const PEERS: [&str; 2] = ["xprof==2.24.2", "xprof-rs==0.1.3"];

/// Returns the folder with the programs of the environment, among them `python` and `xprof-rs`.
pub fn programs() -> Result<PathBuf> {
    let folder = repo::tools()?.join(format!("peers {}", PEERS.join(" ")).replace("==", "-").replace(' ', "-"));
    let is_installed = folder.join("installed");
    if !is_installed.exists() {
        announce(&PEERS.join(", "), "from PyPI, 360 MB, 1 min");
        python::install(&python::environment(&folder)?, &PEERS)?;
        std::fs::write(is_installed, "")?;
    }
    Ok(python::programs(&folder))
}
