//! Where things are in this repository and on this machine.
//!
//! Knows folders. Must not know what is done with them.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The repository: the folder above this crate.
///
/// Asked of Cargo as it runs this, not when it compiled this: checkouts that share a target folder share this
/// program too, and it must work on the one that it was started from.
pub fn root() -> PathBuf {
    let own = env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
    own.parent().map(Path::to_owned).unwrap_or_default()
}

/// Where the page is built to unless one says otherwise.
pub fn dist() -> PathBuf {
    root().join("dist")
}

/// Where the page of the quick build goes.
pub fn quick() -> Result<PathBuf> {
    Ok(target()?.join("quick-page"))
}

/// Cargo's target folder: this program runs from `<target>/debug/`, wherever the user's settings put it.
pub fn target() -> Result<PathBuf> {
    let own = env::current_exe()?;
    own.ancestors().nth(2).map(Path::to_owned).context("xtask runs outside a target folder")
}

/// Where the tools that we install are kept: one folder for each tool and version, shared by all checkouts.
pub fn tools() -> Result<PathBuf> {
    if let Some(folder) = env::var_os("ROOFLIGHT_TOOLS") {
        return Ok(std::path::absolute(folder)?);
    }
    let cache = env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = cache.or_else(|| env::home_dir().map(|home| home.join(".cache")));
    Ok(cache.context("no home folder: set ROOFLIGHT_TOOLS")?.join("rooflight/tools"))
}

/// The real captures that tests read, where this machine has them.
pub fn profiles() -> Option<PathBuf> {
    let named = env::var_os("ROOFLIGHT_PROFILES").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| root().join("../shared/profiles"));
    folder.canonicalize().ok().filter(|path| path.is_dir())
}
